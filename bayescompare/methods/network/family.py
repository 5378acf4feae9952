r"""Families: a measure with its parents, whose table is the same in every graph that has them.

The prior of a table depends on its measure and parents alone, and so does its likelihood. Given the
data, the table of a family therefore has one posterior, in whichever graph it stands, and the
tables of one graph are independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import digamma

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.network.dag_posterior import log_number_of_dags
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods.network.answer import network_tables_of
from bayescompare.methods.network.graph import GraphScores
from bayescompare.methods.network.posterior import NetworkLayout
from bayescompare.table.results import Results

__all__ = ["Families", "Family", "Latents"]


@dataclass(frozen=True)
class Family:
    """A measure, its parents and its table.

    Attributes
    ----------
    layout : NetworkLayout
        Of the graph in which no other measure has parents.
    k : int
        Which of its tables is this one.
    """

    layout: NetworkLayout
    k: int

    @property
    def name(self) -> str:
        """Variable of the table: ``"cpt_time"``, or ``"cpt_time|accuracy"`` given a parent."""
        return f"{self.layout.name(self.k)}{self._given}"

    @property
    def arity(self) -> int:
        """Number of states."""
        return int(self.layout.tables.arities[self.k])

    @property
    def dims(self) -> tuple[str, str]:
        """Dims of the table: configuration of the parents, own state."""
        configuration, state = self.layout.dims(self.k)
        return f"{configuration}{self._given}", state

    @property
    def _given(self) -> str:
        layout = self.layout
        above = [layout.tables.members[p] for p in layout.tables.parents[self.k]]
        names = ",".join(layout.statements.measures[j] for j in above)
        return f"|{names}".replace("/", "∕") if names else ""

    def coords(self) -> dict[str, list[str]]:
        """Coords of the table's dims."""
        coords = self.layout.coords()
        return dict(zip(self.dims, (coords[d] for d in self.layout.dims(self.k)), strict=True))

    @cached_property
    def alpha(self) -> FloatArray:
        """Prior parameters (q, r)."""
        return self.layout.rows(self.layout.tables.alpha, self.k)

    @cached_property
    def counts(self) -> FloatArray:
        """Weight seen in each cell (q, r)."""
        return self.layout.rows(self.layout.tables.counts, self.k)

    @cached_property
    def shown(self) -> IntArray:
        """The cell that each listed statement falls into, row after row."""
        start = self.layout.part(self.k).start
        return np.asarray(self.layout.tables.cells(self.layout.shown)[:, self.k] - start)

    @cached_property
    def weights(self) -> FloatArray:
        """Each dataset's weight in every cell: (n, q r)."""
        return self.layout.weights[:, self.layout.part(self.k)]

    @cached_property
    def unlisted(self) -> FloatArray:
        """The part of it that comes from statements not listed by themselves."""
        return self.layout.unlisted[:, self.layout.part(self.k)]

    def logs(self, gamma: FloatArray, exponential: FloatArray) -> FloatArray:
        """Logarithms of the cells, (N, q r), from their latents (N, q, r)."""
        x = np.log(gamma) - exponential / self.alpha
        top = x.max(axis=-1, keepdims=True)
        x -= top + np.log(np.exp(x - top).sum(axis=-1, keepdims=True))
        return x.reshape(len(x), -1)

    def log_prior(self, logs: FloatArray) -> FloatArray:
        r"""Log density of the rows' log ratios less its prior mean, from `logs` (N, q r).

        .. math:: \sum_{c,k} \alpha_{ck} (\log\theta_{ck} - \psi(\alpha_{ck}) + \psi(A_c))

        Raised to γ, the density of the log ratios is that of Dirichlet(γα): ESS → γ ESS. But graphs
        have different numbers of cells, so the densities of their tables have no common unit, and
        a power of them would also weigh graph G by :math:`Z_G(\gamma) = \int p^\gamma`. To first
        order :math:`\log Z_G = (\gamma - 1)\,\mathrm{E} \log p`. The density less its mean is the
        derivative of the log prior in γ. With it power scaling, which looks at γ near 1, leaves the
        prior of the graphs alone.
        """
        alpha = self.alpha
        mean = digamma(alpha) - digamma(alpha.sum(axis=-1, keepdims=True))
        return np.asarray(logs @ alpha.ravel() - (alpha * mean).sum())


#: From a family, and which draws (chain, draw) have it, to their latents (N, q, r).
Latents = Callable[[Family, BoolArray], tuple[FloatArray, FloatArray]]


class Families:
    """The families of a table's measures, made when they are first asked for."""

    def __init__(self, results: Results, scores: GraphScores, listing: LumpedStatements) -> None:
        self.results, self.scores, self.listing = results, scores, listing
        self._known: dict[tuple[int, int], Family] = {}

    def family(self, child: int, parents: int) -> Family:
        """Return the family of a measure with these parents."""
        if (child, parents) not in self._known:
            statements = self.scores.statements
            m = len(statements.measures)
            graph = tuple(parents if j == child else 0 for j in range(m))
            tables = network_tables_of(statements, graph, range(m), self.scores.prior)
            layout = NetworkLayout.of(self.results, statements, tables, self.listing)
            self._known[child, parents] = Family(layout, tables.members.index(child))
        return self._known[child, parents]

    @property
    def log_graph_prior(self) -> float:
        """Log probability of each graph beforehand."""
        m = len(self.scores.statements.measures)
        return -log_number_of_dags(m, min(self.scores.max_parents, m - 1))
