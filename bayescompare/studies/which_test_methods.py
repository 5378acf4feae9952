"""The methods that are compared with each other, and the tables that each of them takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from bayescompare.methods.classic.all_test import AllTest
from bayescompare.methods.classic.glrt import GLRT
from bayescompare.methods.classic.sign import Sign
from bayescompare.methods.classic.signed_rank import SignedRank
from bayescompare.methods.classic.wilcoxon import Wilcoxon
from bayescompare.methods.context.correlated_t import CorrelatedT
from bayescompare.methods.context.hierarchical import Hierarchical
from bayescompare.methods.context.poisson_binomial import PoissonBinomial
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.gsd import GSD
from bayescompare.methods.gsd.bootstrap import GSDBootstrap
from bayescompare.methods.network import Network
from bayescompare.methods.replicated import Replicated
from bayescompare.studies.labelled import LabelledMethod

__all__ = ["METHODS", "Contender"]

#: Slow methods are asked about two algorithms, single results and at most so many datasets.
_MOST_DATASETS = 20


class _Table(Protocol):
    """What decides whether a method can be asked."""

    @property
    def datasets(self) -> int: ...
    @property
    def measures(self) -> int: ...
    @property
    def algorithms(self) -> int: ...
    @property
    def replicates(self) -> int: ...
    @property
    def missing(self) -> float: ...
    @property
    def errors(self) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Contender(LabelledMethod):
    """A method as this study asks it, and about which tables.

    What a method cannot judge stands on its class; here is what it is spared, or asked only where
    it differs from another contender.

    Attributes
    ----------
    missing : {"drop", "ignore"}
        What it does about missing cells.
    slow : bool
        Whether it takes longer than a tenth of a second.
    by_counts : bool
        Whether only the counts of statements matter to it, and it draws nothing.
    errors : bool
        Whether it is asked about counts of errors.
    min_measures, max_measures, min_algorithms, max_algorithms : float
    """

    missing: Literal["drop", "ignore"] = "drop"
    slow: bool = False
    by_counts: bool = False
    errors: bool = True
    min_measures: float = 1
    max_measures: float = math.inf
    min_algorithms: float = 2
    max_algorithms: float = math.inf

    def applies_to(self, kind: _Table) -> bool:
        """Whether it is asked about this kind of table."""
        return (
            self._takes_cells_of(kind)
            and self.min_measures <= kind.measures <= self.max_measures
            and self.min_algorithms <= kind.algorithms <= self.max_algorithms
            and (self.errors or not kind.errors)
            # Gaps are kept where there are some.
            and (self.missing == "drop" or kind.missing > 0)
            and not (self.slow and _is_large(kind))
        )

    def _takes_cells_of(self, kind: _Table) -> bool:
        """Whether the method can judge such cells."""
        match self.method.input_kind:
            case "counts":
                able = kind.errors
            case "replicates":
                able = kind.replicates > 1
            case _:
                able = True
        return able and not (self.method.one_measure and kind.measures > 1)


def _is_large(kind: _Table) -> bool:
    return kind.algorithms > 2 or kind.replicates > 1 or kind.datasets > _MOST_DATASETS


_CONTENDERS = (
    Contender(Dirichlet(prior="symmetric"), by_counts=True),
    # A prior is learned from several pairs.
    Contender(Dirichlet(), "learned", min_algorithms=3),
    Contender(Dirichlet(prior="symmetric"), "gaps kept", missing="ignore"),
    Contender(Network(), min_measures=2, max_measures=2, max_algorithms=2),
    Contender(GLRT(), by_counts=True),
    Contender(Sign(), by_counts=True),
    Contender(Wilcoxon()),
    Contender(SignedRank(draws=2000), max_algorithms=2),
    # On one measure it is the test of that measure.
    Contender(AllTest(), min_measures=2),
    Contender(Replicated()),
    Contender(CorrelatedT()),
    Contender(CorrelatedT(joint=True), "joint"),
    Contender(PoissonBinomial()),
    Contender(PoissonBinomial(joint=True), "joint"),
    Contender(GSD(permutations=199), slow=True, errors=False),
    Contender(GSDBootstrap(resamples=500), slow=True, errors=False),
    Contender(Hierarchical(), slow=True),
)

#: All contenders, by the name that the tables show.
METHODS: Mapping[str, Contender] = {contender.label: contender for contender in _CONTENDERS}
