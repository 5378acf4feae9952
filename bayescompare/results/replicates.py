"""Replicates of a cell (folds, seeds): which of them count, their mean, and the words about both.

A replicate that failed for one algorithm is no missing cell. It is left out for the other
algorithms too, so that every one is judged by the same folds; only a cell without any replicate
that counts is missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.results.text import first
from bayescompare.text.numbers import plural

__all__ = ["NOTHING_SHARED", "left_out_note", "mean_note", "mean_over", "shared", "uneven"]


#: Begins the note about datasets whose algorithms have no replicate in common.
NOTHING_SHARED = "no replicate that every algorithm has"


def shared(present: BoolArray) -> BoolArray:
    """Say which replicates every algorithm has, leaving aside algorithms that have none at all.

    Parameters
    ----------
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.

    Returns
    -------
    array (dataset, 1, measure, replicate)

    Examples
    --------
    >>> shared(np.array([[[[True, True]], [[True, False]], [[False, False]]]])).ravel()
    array([ True, False])
    """
    any_at_all = present.any(axis=-1, keepdims=True)
    common: BoolArray = (present | ~any_at_all).all(axis=1, keepdims=True)
    return common & any_at_all.any(axis=1, keepdims=True)


def uneven(present: BoolArray) -> bool:
    """Say whether an algorithm lacks a replicate that another one has.

    Only then does the mean of a cell depend on whom the algorithm is compared with.
    """
    return bool((present.any(axis=1) & ~present.all(axis=1)).any())


def mean_over(cells: FloatArray, counted: BoolArray) -> FloatArray:
    """Average over the replicates that count, the last axis; NaN where none does.

    The sum is exactly rounded, so that the same replicates in another order are a tie and not a
    difference in the last digit.
    """
    counted = np.broadcast_to(counted, cells.shape) & ~np.isnan(cells)
    number = counted.sum(axis=-1)
    terms = np.where(counted, cells, 0.0).reshape(-1, cells.shape[-1])
    sums = np.reshape([math.fsum(row) for row in terms.tolist()], number.shape)
    means = sums / np.maximum(number, 1)
    # A mean lies among its terms; the division's rounding could put it just out of bounds.
    low = np.where(counted, cells, np.inf).min(axis=-1)
    high = np.where(counted, cells, -np.inf).max(axis=-1)
    return np.where(number > 0, means.clip(low, np.maximum(low, high)), np.nan)


# ------------------------------------------------------------------------------------------ words


def mean_note(counted: BoolArray) -> str:
    """Say how many replicates the cells are means of.

    Examples
    --------
    >>> mean_note(np.array([[True, True, True], [True, False, True]]))
    'each cell is the mean of 2 to 3 replicates'
    """
    number = counted.sum(axis=-1)
    number = number[number > 0]
    if not number.size:
        return f"each cell is the mean of {plural(counted.shape[-1], 'replicate')}"
    fewest, most = int(number.min()), int(number.max())
    told = plural(most, "replicate") if fewest == most else f"{fewest} to {most} replicates"
    return f"each cell is the mean of {told}"


def left_out_note(
    datasets: Sequence[str], present: BoolArray, counted: BoolArray
) -> tuple[str, ...]:
    """Say how many replicates are left out for all because one algorithm lacks them.

    Parameters
    ----------
    datasets : sequence of str
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.
    counted : array (dataset, 1, measure, replicate)
        Which of them count.
    """
    there, counted = present.any(axis=1), counted[:, 0]
    apart = there.any(axis=-1) & ~counted.any(axis=-1)
    lost = (there & ~counted & ~apart[..., None]).any(axis=1)
    some = [
        f"{int(gone.sum())} of {int(own.sum())} on {name}"
        for name, gone, own in zip(datasets, lost, there.any(axis=1), strict=True)
        if gone.any()
    ]
    said = []
    if some:
        are = "is" if lost.sum() == 1 else "are"
        said.append(
            f"{plural(int(lost.sum()), 'replicate')} that some algorithm lacks {are} left out for "
            f"all: {first(some)}"
        )
    if apart.any():
        names = [name for name, none in zip(datasets, apart.any(axis=1), strict=True) if none]
        said.append(f"{NOTHING_SHARED} on {first(names)}, whose cells are taken as missing")
    return tuple(said)
