"""The types of comparison in one place, for type hints; each is declared beside its method."""

from __future__ import annotations

from bayescompare.methods.classic.friedman import RankComparison
from bayescompare.methods.classic.per_measure import PerMeasureComparison
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.dirichlet.posterior import DirichletComparison
from bayescompare.methods.gsd.comparison import GsdComparison
from bayescompare.methods.model_file import ModelComparison
from bayescompare.methods.network.posterior import NetworkComparison
from bayescompare.methods.replicated.comparison import ReplicatedComparison
from bayescompare.outcome.evidence import EvidenceEstimate
from bayescompare.outcome.method_checks import comparison_of

__all__ = [
    "ContextComparison",
    "DirichletComparison",
    "EvidenceEstimate",
    "GsdComparison",
    "ModelComparison",
    "NetworkComparison",
    "PerMeasureComparison",
    "RankComparison",
    "ReplicatedComparison",
    "comparison_of",
]
