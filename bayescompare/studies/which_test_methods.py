"""The methods that are compared with each other, and the tables that each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from bayescompare.comparison.method import Method
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

__all__ = ["BY_COUNTS", "METHODS", "SLOW", "applies_to_table"]

Gaps = Literal["drop", "ignore"]

#: Method and what it does about missing cells, by the name that the tables show.
METHODS: Mapping[str, tuple[Method, Gaps]] = {
    "dirichlet": (Dirichlet(prior="symmetric"), "drop"),
    "dirichlet (learned)": (Dirichlet(), "drop"),
    "dirichlet (gaps kept)": (Dirichlet(prior="symmetric"), "ignore"),
    "network": (Network(), "drop"),
    "glrt": (GLRT(), "drop"),
    "sign": (Sign(), "drop"),
    "wilcoxon": (Wilcoxon(), "drop"),
    "signed-rank": (SignedRank(draws=2000), "drop"),
    "all-test": (AllTest(), "drop"),
    "replicated": (Replicated(), "drop"),
    "correlated-t": (CorrelatedT(), "drop"),
    "correlated-t (joint)": (CorrelatedT(joint=True), "drop"),
    "poisson-binomial": (PoissonBinomial(), "drop"),
    "poisson-binomial (joint)": (PoissonBinomial(joint=True), "drop"),
    "gsd": (GSD(permutations=199), "drop"),
    "gsd-bootstrap": (GSDBootstrap(resamples=500), "drop"),
    "hierarchical": (Hierarchical(), "drop"),
}

#: Those that take longer than a tenth of a second.
SLOW = frozenset({"gsd", "gsd-bootstrap", "hierarchical"})

#: Those to which only the counts of statements matter, and which draw nothing.
BY_COUNTS = frozenset({"dirichlet", "glrt", "sign"})

_SEVERAL = frozenset({"network", "all-test"})
_ONE = frozenset(
    {"sign", "wilcoxon", "signed-rank", "correlated-t", "correlated-t (joint)", "hierarchical"}
)
_FOLDS = frozenset({"replicated", "correlated-t", "correlated-t (joint)"})
_COUNTS = frozenset({"poisson-binomial", "poisson-binomial (joint)", "hierarchical"})


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


def applies_to_table(name: str, kind: _Table) -> bool:
    """Whether a method is asked about this kind of table.

    A prior is learned only from several pairs, gaps are kept only where there are some, and very
    slow methods are spared large tables.
    """
    if (name in _COUNTS and not kind.errors) or (name in _FOLDS and kind.replicates == 1):
        return False
    if name == "dirichlet (learned)":
        return kind.algorithms > 2
    if name == "dirichlet (gaps kept)":
        return kind.missing > 0
    if name in SLOW and (kind.algorithms > 2 or kind.replicates > 1 or kind.datasets > 20):
        return False
    if name in ("network", "signed-rank") and (kind.algorithms > 2 or kind.measures > 2):
        return False
    if name in ("gsd", "gsd-bootstrap") and kind.errors:
        return False
    return not ((name in _ONE and kind.measures > 1) or (name in _SEVERAL and kind.measures == 1))
