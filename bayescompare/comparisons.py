"""Names that the one comparison type had once, for type hints; they go with the next release."""

from __future__ import annotations

from bayescompare.outcome.comparison import Comparison, comparison_of
from bayescompare.outcome.scores import EvidenceEstimate

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

ContextComparison = Comparison
DirichletComparison = Comparison
GsdComparison = Comparison
ModelComparison = Comparison
NetworkComparison = Comparison
PerMeasureComparison = Comparison
RankComparison = Comparison
ReplicatedComparison = Comparison
