"""Missing cells: the ways in which a comparison can read them, and what is seen beside them.

A missing cell is one without any value. A replicate that failed beside others is not one; see
`replicates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from bayescompare._typing import BoolArray, FloatArray

__all__ = [
    "MISSING",
    "READINGS",
    "Missing",
    "Reading",
    "pair_coverage_in_results",
    "results_gaps_as_failures",
    "seen_despite_results_gaps",
]

#: How missing cells may stay in a table: unseen, as failed runs, or as anything they might be.
Reading = Literal["ignore", "worst", "bounds"]
READINGS: tuple[Reading, ...] = get_args(Reading)

#: What `compare` may be told to do about missing cells.
Missing = Literal["raise", "drop", "ignore", "worst", "bounds"]
MISSING: tuple[Missing, ...] = get_args(Missing)


def results_gaps_as_failures(values: FloatArray, ropes: Sequence[float]) -> FloatArray:
    """Put a number in place of every missing cell that loses to all values of its measure.

    Parameters
    ----------
    values : array (dataset, algorithm, measure)
        Higher is better; NaN is a missing cell.
    ropes : m floats
        A failure is further below than these; two failures are equal.

    Examples
    --------
    >>> results_gaps_as_failures(np.array([[[0.5], [np.nan]]]), [0.1]).ravel().tolist()
    [0.5, -1.7]
    """
    known = np.isfinite(values)
    size = np.where(known, np.abs(values), 0.0).max(axis=(0, 1), initial=0.0)
    # Further below than the rope and than all differences, which are at most twice the size.
    failure = -(3.0 * size + 2.0 * np.asarray(ropes, dtype=np.float64))
    failure = np.where(failure < 0.0, failure, -1.0)
    return np.where(known, values, failure)


def seen_despite_results_gaps(absent: BoolArray) -> BoolArray:
    """Return on which datasets and measures at least two algorithms have a value.

    Parameters
    ----------
    absent : array (dataset, algorithm, measure)
        Which cells are missing.
    """
    return np.asarray((~absent).sum(axis=1) >= 2)


def pair_coverage_in_results(absent: BoolArray) -> FloatArray:
    """Share of datasets and measures on which both of two algorithms have a value, (l, l).

    Examples
    --------
    >>> pair_coverage_in_results(np.array([[[False], [True]], [[False], [False]]])).tolist()
    [[1.0, 0.5], [0.5, 0.5]]
    """
    present = (~absent).transpose(1, 0, 2).reshape(absent.shape[1], -1).astype(np.float64)
    return np.asarray(present @ present.T / max(present.shape[1], 1))
