"""What an answer from replicates tells of each dataset."""

from __future__ import annotations

from dataclasses import dataclass

from bayescompare._typing import FloatArray
from bayescompare.comparison.details import Details

__all__ = ["ReplicatedDetails", "UncertaintySplit", "replicated_matrix_rows"]

#: A row for every dataset, a number in it for every statement.
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class UncertaintySplit(Details):
    """Where 1 − max P comes from.

    Attributes
    ----------
    total : float
        1 − max P.
    replicates, datasets : float
        Its parts: what would be gone if every dataset's statement were known, and what would not.
    mcse : float
        Standard error of the parts; zero where they are exact.
    """

    total: float
    replicates: float
    datasets: float
    mcse: float


@dataclass(frozen=True, kw_only=True)
class ReplicatedDetails(Details):
    """Every dataset by itself and given the others, and how its replicates were read.

    Attributes
    ----------
    evidence : rows
        What each dataset's own replicates say, every row summing to one.
    per_dataset : rows
        The same given all datasets.
    replicates : tuple of float
        Replicates (or clusters) of each dataset.
    rho : tuple of float
        Their correlation.
    effects : str
        "flat" or "learned", as it was used; "counts" where every dataset was judged by counts of
        right and wrong items.
    scales, scale_weights : tuples of float
        Values of the scale of effects, and their posterior weights; empty where it is not learned.
    few : tuple of str
        Datasets with no more replicates than measures, judged measure by measure.
    error : float
        Largest standard error of a probability of a dataset's own.
    counted : tuple of str, optional
        Datasets judged by counts of right and wrong items; None where there are none.
    how : str
        "exact", or "gibbs" where the counts were sampled.
    uncertainty : UncertaintySplit, optional
        None where the answer is NUTS's or the prior was learned from pairs.
    """

    evidence: Rows
    per_dataset: Rows
    replicates: tuple[float, ...]
    rho: tuple[float, ...]
    effects: str
    scales: tuple[float, ...]
    scale_weights: tuple[float, ...]
    few: tuple[str, ...]
    error: float
    how: str
    counted: tuple[str, ...] | None = None
    uncertainty: UncertaintySplit | None = None


def replicated_matrix_rows(matrix: FloatArray) -> Rows:
    """Return a matrix as rows that a file can hold."""
    return tuple(tuple(row) for row in matrix.tolist())
