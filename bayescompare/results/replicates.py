"""Replicates of a cell (folds, seeds): which of them count, their mean, and notes about both.

A replicate that failed for one algorithm is not a missing cell. It is left out for the other
algorithms too, so that all are compared on the same folds; a cell is missing only if none of its
replicates count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.results.text import first_words_in_results
from bayescompare.text.numbers import plural

__all__ = [
    "NOTHING_SHARED",
    "REPLICATE_KINDS",
    "ReplicateKind",
    "results_common_replicates",
    "results_left_out_note",
    "results_mean_over_replicates",
    "results_replicates_note",
    "results_uneven_replicates",
]

#: What replicates are: folds are correlated, seeds and test items are independent.
ReplicateKind = Literal["folds", "seeds", "items"]
REPLICATE_KINDS = ("folds", "seeds", "items")


#: Begins the note about datasets whose algorithms have no replicate in common.
NOTHING_SHARED = "no replicate that every algorithm has"


def results_common_replicates(present: BoolArray) -> BoolArray:
    """Return which replicates every algorithm has, ignoring algorithms that have none at all.

    Parameters
    ----------
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.

    Returns
    -------
    array (dataset, 1, measure, replicate)

    Examples
    --------
    >>> results_common_replicates(
    ...     np.array([[[[True, True]], [[True, False]], [[False, False]]]])
    ... ).ravel()
    array([ True, False])
    """
    any_at_all = present.any(axis=-1, keepdims=True)
    common: BoolArray = (present | ~any_at_all).all(axis=1, keepdims=True)
    return common & any_at_all.any(axis=1, keepdims=True)


def results_uneven_replicates(present: BoolArray) -> bool:
    """Return whether some algorithm lacks a replicate that another one has.

    Only then does the mean of a cell depend on which algorithms are compared.
    """
    return bool((present.any(axis=1) & ~present.all(axis=1)).any())


def results_mean_over_replicates(cells: FloatArray, counted: BoolArray) -> FloatArray:
    """Average over the replicates that count, along the last axis; NaN where none does.

    The sum is correctly rounded, so that the same replicates in another order give a tie and not
    a difference in the last digit.
    """
    counted = np.broadcast_to(counted, cells.shape) & ~np.isnan(cells)
    number = counted.sum(axis=-1)
    terms = np.where(counted, cells, 0.0).reshape(-1, cells.shape[-1])
    # By a power of two, which rounds nothing: two of the largest floats have no sum.
    power = np.frexp(np.abs(terms).max(axis=1, initial=0.0))[1]
    sums = [math.fsum(row) for row in np.ldexp(terms, -power[:, None]).tolist()]
    shape = number.shape
    means = np.ldexp(np.reshape(sums, shape) / np.maximum(number, 1), power.reshape(shape))
    # Rounding in the division could move a mean just outside the range of its terms.
    low = np.where(counted, cells, np.inf).min(axis=-1)
    high = np.where(counted, cells, -np.inf).max(axis=-1)
    return np.where(number > 0, means.clip(low, np.maximum(low, high)), np.nan)


# ------------------------------------------------------------------------------------------ words


def results_replicates_note(counted: BoolArray, noun: str = "replicate") -> str:
    """Say over how many replicates the cells were averaged.

    Examples
    --------
    >>> results_replicates_note(np.array([[True, True, True], [True, False, True]]))
    'each cell is the mean of 2 to 3 replicates'
    """
    number = counted.sum(axis=-1)
    number = number[number > 0]
    if not number.size:
        return f"each cell is the mean of {plural(counted.shape[-1], noun)}"
    fewest, most = int(number.min()), int(number.max())
    number_words = plural(most, noun) if fewest == most else f"{fewest} to {plural(most, noun)}"
    return f"each cell is the mean of {number_words}"


def results_left_out_note(
    datasets: Sequence[str], present: BoolArray, counted: BoolArray, noun: str = "replicate"
) -> tuple[str, ...]:
    """Say how many replicates are left out for all algorithms because one lacks them.

    Parameters
    ----------
    datasets : sequence of str
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.
    counted : array (dataset, 1, measure, replicate)
        Which of them count.
    noun : str
        What a replicate is called.
    """
    there, counted = present.any(axis=1), counted[:, 0]
    apart = there.any(axis=-1) & ~counted.any(axis=-1)
    lost = (there & ~counted & ~apart[..., None]).any(axis=1)
    some = [
        f"{int(gone.sum())} of {int(own.sum())} on {name}"
        for name, gone, own in zip(datasets, lost, there.any(axis=1), strict=True)
        if gone.any()
    ]
    notes = []
    if some:
        are = "is" if lost.sum() == 1 else "are"
        notes.append(
            f"{plural(int(lost.sum()), noun)} that some algorithm lacks {are} left out for "
            f"all: {first_words_in_results(some)}"
        )
    if apart.any():
        names = [name for name, none in zip(datasets, apart.any(axis=1), strict=True) if none]
        notes.append(
            f"{NOTHING_SHARED} on {first_words_in_results(names)}, whose cells are taken as missing"
        )
    return tuple(notes)
