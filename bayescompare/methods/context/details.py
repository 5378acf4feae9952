"""What answers about a context of datasets tell of each dataset; every field is a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bayescompare._typing import FloatArray
from bayescompare.outcome.details import Details

__all__ = [
    "Column",
    "Columns",
    "ContextDetails",
    "CorrelatedTDetails",
    "HierarchicalDetails",
    "OfCounts",
    "OfPooledCounts",
    "OfReplicates",
    "PoissonBinomialDetails",
]

#: A number for each dataset, in their order.
Column = tuple[float, ...]


@dataclass(frozen=True)
class Columns(Details):
    """What was found on each dataset."""

    @classmethod
    def from_arrays(cls, **columns: FloatArray) -> Self:
        """Make the table of arrays over datasets."""
        return cls(**{name: tuple(values.tolist()) for name, values in columns.items()})


@dataclass(frozen=True)
class ContextDetails(Details):
    """A table with a row for each dataset."""

    per_dataset: Columns


@dataclass(frozen=True)
class OfCounts(Columns):
    """Counts of errors, and P(the first is better): in the joint model, and by itself."""

    first_wrong: Column
    second_wrong: Column
    probability: Column
    alone: Column | None = None


@dataclass(frozen=True)
class OfPooledCounts(Columns):
    """The same by the hierarchical model, with the share of errors that are the first's."""

    first_wrong: Column
    second_wrong: Column
    alone: Column
    probability: Column
    share_alone: Column
    share: Column


@dataclass(frozen=True, kw_only=True)
class OfReplicates(Columns):
    """Location, scale and ρ of each dataset's replicates, and P of each outcome there."""

    advantage: Column
    scale: Column
    replicates: Column
    rho: Column
    alone: Column | None = None
    second_better: Column | None = None
    equivalent: Column | None = None
    probability: Column


@dataclass(frozen=True)
class PoissonBinomialDetails(ContextDetails):
    """Each dataset by the Poisson binomial test."""

    per_dataset: OfCounts


@dataclass(frozen=True)
class HierarchicalDetails(ContextDetails):
    """Each dataset by the hierarchical test."""

    per_dataset: OfPooledCounts


@dataclass(frozen=True)
class CorrelatedTDetails(ContextDetails):
    """Each dataset by the correlated t-test."""

    per_dataset: OfReplicates
