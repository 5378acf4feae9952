"""`LumpedStatements`: the at most 256 cells that draws and PyMC models see of a statement space.

Beyond 256 statements the 255 of largest count stay and the rest is one cell, ``"(other)"``, which
is their exact Dirichlet aggregate. P(max) never comes from that aggregate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.kernels.numerics.gammas import TINY
from bayescompare.posterior.component import Component
from bayescompare.statements import DENSE, OTHER, Statements

#: Beyond e^690 a cell outweighs all data; kept there, nothing overflows.
MOST_LOG_ALPHA = 690.0


class Shown(NamedTuple):
    """What the datasets show, as data of models and trees: a place in a table for each.

    Attributes
    ----------
    place : array (n,)
        The row of each dataset: a statement, or a further row.
    rows : array (P, R, S)
        The identity; then ties, weights by which log θ counts, and what gaps or replicates leave,
        likelihoods of the statements over the largest of them, in R versions.
    tied : array (P,)
        Which rows are weights.
    level, power : arrays (P,)
        The logarithm of that largest likelihood, and what the likelihood is raised to.
    """

    place: IntArray
    rows: FloatArray
    tied: BoolArray
    level: FloatArray
    power: FloatArray

    @classmethod
    def of(cls, weights: FloatArray, evidence: Evidence | None) -> Shown:
        """Find the different rows, of weights (n, S) or of evidence."""
        n, size = weights.shape
        versions = 1 if evidence is None else len(evidence.rows)
        rows = np.repeat(weights[:, None], versions, axis=1)
        tied, level, power = np.ones(n, dtype=bool), np.zeros(n), np.ones(n)
        if evidence is not None:
            some = evidence.uncounted
            tied[some], level[some] = False, evidence.rows.max(axis=(0, 2))
            rows[some] = np.exp(evidence.rows.swapaxes(0, 1) - level[some, None, None])
            power[some] = 1.0 if evidence.powers is None else evidence.powers
        clear = tied & (weights.max(axis=1) == 1.0) & (weights.sum(axis=1) == 1.0)
        place, others = weights.argmax(axis=1), np.flatnonzero(~clear)
        keyed = np.column_stack([tied, level, power, rows.reshape(n, -1)])[others]
        further, where = np.unique(keyed, axis=0, return_inverse=True)
        place[others] = size + where.ravel()
        identity = np.repeat(np.eye(size)[:, None], versions, axis=1)
        return cls(
            place,
            np.concatenate([identity, further[:, 3:].reshape(-1, versions, size)]),
            np.append(np.ones(size, dtype=bool), further[:, 0] == 1.0),
            np.append(np.zeros(size), further[:, 1]),
            np.append(np.ones(size), further[:, 2]),
        )


@dataclass(frozen=True)
class LumpedStatements:
    """Cells, counts and weights as draws and models use them.

    Attributes
    ----------
    labels : tuple of str
        Statement labels; the last may be ``"(other)"``.
    log_alpha, counts : arrays (S,)
        Prior parameters (logarithms) and counts.
    log_multiplicity : array (S,)
        Logarithm of how many statements each cell stands for: 0 but for ``"(other)"``.
    weights : array (n, S)
        Each dataset's weights; of one that was not counted P of the statements by itself.
    wins : array (S, m) or (S, m, l)
        Whether the first of two algorithms is better on each measure in each cell; with more
        algorithms, which one is ranked first. The row of ``"(other)"`` is zero.
    other : pair of arrays (m, 2) or (m, l), optional
        Prior Dirichlet parameters (logarithms) and counts of the same within ``"(other)"``.
    evidence : Evidence, optional
        Where some datasets are not counted.
    scales : array (R,), optional
        What the versions of the evidence stand for, where the statement of each dataset is drawn.
    """

    labels: tuple[str, ...]
    log_alpha: FloatArray
    counts: FloatArray
    log_multiplicity: FloatArray
    weights: FloatArray
    wins: FloatArray
    other: tuple[FloatArray, FloatArray] | None
    evidence: Evidence | None = None
    scales: FloatArray | None = None

    @cached_property
    def shown(self) -> Shown:
        """What the datasets show, as data of models."""
        return Shown.of(self.weights, self.evidence)

    @property
    def has_other(self) -> bool:
        """Whether the last cell is the aggregate ``"(other)"``."""
        return self.other is not None

    @classmethod
    def from_cells(
        cls, statements: Statements, cells: Component, leading: FloatArray | None = None
    ) -> LumpedStatements:
        """List all statements, or the leading ones and ``"(other)"``.

        `leading`, where the statements that are not listed are not all alike, is the prior mass
        (m, 2) or (m, l) of who leads each measure, over all statements.
        """
        n, table = len(statements.datasets), statements.table
        log_alpha, counts, wins = cells.log_alpha, table.counts, _leads(statements)
        weights = np.zeros((n, statements.n_listed))
        if statements.size <= DENSE:
            weights[table.dataset, table.statement] = table.weight
            nothing = np.zeros(statements.n_listed)
            return cls(statements.labels, log_alpha, counts, nothing, weights, wins, None)
        keep = statements.leading(DENSE - 1)
        rest = np.setdiff1d(np.arange(statements.n_listed), keep)
        column = np.full(statements.n_listed, len(keep))
        column[keep] = np.arange(len(keep))
        weights = np.zeros((n, len(keep) + 1))
        np.add.at(weights, (table.dataset, column[table.statement]), table.weight)
        in_rest = np.logaddexp.reduce([*log_alpha[rest], cells.log_rest])
        return cls(
            labels=(*(statements.labels[k] for k in keep), OTHER),
            log_alpha=np.append(log_alpha[keep], min(in_rest, MOST_LOG_ALPHA)),
            counts=np.append(counts[keep], counts[rest].sum()),
            log_multiplicity=np.append(np.zeros(len(keep)), math.log(statements.size - len(keep))),
            weights=weights,
            wins=np.concatenate([wins[keep], np.zeros_like(wins[:1])]),
            other=_leaders_in_rest(statements, cells, rest, leading),
        )

    def seeing(
        self,
        evidence: Evidence,
        scales: FloatArray | None = None,
        version: FloatArray | None = None,
    ) -> LumpedStatements:
        """Return them with datasets that are not counted; versions weigh alike, if not told."""
        versions, weights = len(evidence.rows), self.weights.copy()
        even = np.full(versions, 1.0 / versions)
        weights[evidence.uncounted] = evidence.each_alone(even if version is None else version)
        return replace(self, weights=weights, evidence=evidence, scales=scales)

    def log_likelihood(self, logs: FloatArray, version: IntArray) -> FloatArray:
        """Log likelihood of each dataset (chain, draw, n), given log θ and the version.

        log θ is (chain, draw, S), or (chain, draw, n, S) if datasets have θ of their own.
        """
        # A statement without weight counts nothing, even where θ underflows to 0.
        finite = np.maximum(logs, -1e300)
        if logs.ndim == 3:
            each = finite @ self.weights.T
        else:
            each = np.asarray((finite * self.weights).sum(axis=-1))
        if self.evidence is not None:
            some, powers = self.evidence.uncounted, self.evidence.powers
            own = logs[:, :, None] if logs.ndim == 3 else logs[:, :, some]
            rows = logsumexp(own + self.evidence.rows[version], axis=-1)
            each[..., some] = rows if powers is None else powers * rows
        return each

    def marginal(
        self,
        theta: FloatArray,
        rng: np.random.Generator,
        *,
        prior: bool = False,
        strength: FloatArray | None = None,
    ) -> FloatArray:
        """Per measure: P(the first is better), or P(each is ranked first) for l > 2.

        Within ``"(other)"`` the share of wins on each measure is a Beta (Dirichlet) of its own;
        every measure's marginal is exact, their dependence within that cell is not kept.
        `strength`, one for each draw, is what α is multiplied by.
        """
        shares_won = np.asarray(np.tensordot(theta, self.wins, axes=1))
        if self.other is None:
            return shares_won
        log_alpha, counts = self.other
        for j, (own, seen) in enumerate(zip(log_alpha, counts, strict=True)):
            seen = np.zeros_like(seen) if prior else seen
            own = own if strength is None else own + np.log(strength)[..., None]
            shares = np.exp(draw_log_theta(own, seen, theta.shape[:-1], rng)) * theta[..., -1:]
            if shares_won.ndim == theta.ndim:
                shares_won[..., j] += shares[..., 0]
            else:
                shares_won[..., j, :] += shares
        return shares_won


def _leads(statements: Statements) -> FloatArray:
    """Which algorithm leads each measure in the listed statements; of two, whether the first."""
    l = len(statements.algorithms)
    columns = zip(statements.levels, statements.table.states.T, strict=True)
    leaders = np.stack([level[column, 0] for level, column in columns], axis=1)
    leads: FloatArray = (leaders[:, :, None] == np.arange(l)).astype(np.float64)
    return leads[:, :, 0] if l == 2 else leads


def _leaders_in_rest(
    statements: Statements, cells: Component, rest: IntArray, leading: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Prior parameters (logarithms) and counts of who leads each measure within the rest."""
    l, leads = len(statements.algorithms), _leads(statements)
    if l == 2:
        leads = np.stack([leads, 1.0 - leads], axis=-1)
    counts = np.einsum("s,smc->mc", statements.table.counts[rest], leads[rest])
    if leading is not None:
        kept = np.setdiff1d(np.arange(statements.n_listed), rest)
        masses = leading - np.einsum("s,smc->mc", cells.alpha[kept], leads[kept])
        # Rounding may leave less than nothing where the kept ones have it all.
        return np.log(np.maximum(masses, TINY)), counts
    log_each = cells.lumps[0][0] if cells.lumps else -math.inf
    log_alpha = np.empty_like(counts)
    for j, arity in enumerate(statements.arities):
        # A measure's states lead equally often over all K statements; with a rope the second
        # class is "not better", two of its three states.
        states = [1, arity - 1] if l == 2 else [arity // l] * l
        for c, number in enumerate(states):
            unlisted = statements.size * number // arity - round(float(leads[:, j, c].sum()))
            logs = [log_each + math.log(unlisted)] if unlisted > 0 else []
            listed = cells.log_alpha[rest][leads[rest, j, c] > 0]
            log_alpha[j, c] = np.logaddexp.reduce([*logs, *listed], initial=-math.inf)
    return np.minimum(log_alpha, MOST_LOG_ALPHA), counts
