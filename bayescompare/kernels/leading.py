"""Which value leads in a draw; of equal values neither does.

A posterior may put mass on exact equality, as with a switch between "the same" and "different" or
a prior with a spike. In a draw in which two values are equal neither leads. Counting it for the
one listed first would make the answer depend on the listing, and counting it for both would give
probabilities that sum to more than one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import BoolArray, FloatArray, IntArray

#: Values that differ by less, relative to the larger one, are equal up to rounding.
SAME = 1e-12


def exceeds_to_lead(a: FloatArray, b: FloatArray) -> BoolArray:
    """Whether a is above b by more than rounding; broadcasts.

    Examples
    --------
    >>> exceeds_to_lead(np.array([0.3, 0.3, 0.4]), np.array([0.1 * 3, 0.4, 0.3])).tolist()
    [False, False, True]
    """
    return np.asarray(a - b > SAME * np.maximum(np.abs(a), np.abs(b)))


def sole_leader(values: FloatArray) -> BoolArray:
    """Mark the largest value along the last axis; mark none where another equals it.

    Examples
    --------
    >>> sole_leader(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [[False, True], [False, False]]
    """
    if values.shape[-1] < 2:
        return np.ones(values.shape, dtype=bool)
    second, first = np.moveaxis(np.partition(values, -2, axis=-1)[..., -2:], -1, 0)
    alone = exceeds_to_lead(first, second)
    return np.asarray((values == first[..., None]) & alone[..., None])


def strict_order(
    values: FloatArray, places: int | None = None
) -> tuple[NDArray[np.intp], BoolArray]:
    """Order along the last axis from the largest, and whether its first places are strict.

    Parameters
    ----------
    values : array (…, l)
    places : int, optional
        How many of the first places must not be shared; all of them by default.

    Returns
    -------
    order : array (…, l)
        Positions, the largest value's first.
    strict : array (…,)
        Whether none of the first `places` is shared.

    Examples
    --------
    >>> order, strict = strict_order(np.array([[1.0, 3.0, 2.0], [3.0, 1.0, 1.0]]))
    >>> order[0].tolist(), strict.tolist()
    ([1, 2, 0], [True, False])
    >>> strict_order(np.array([[3.0, 1.0, 1.0]]), places=1)[1].tolist()
    [True]
    """
    order = np.argsort(-values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    steps = exceeds_to_lead(ranked[..., :-1], ranked[..., 1:])
    return order, np.asarray(steps[..., :places].all(axis=-1))


def parts_of_draws(theta: FloatArray, states: IntArray) -> FloatArray:
    """Return P of each part from draws of θ (…, S), or (…, S + 1) with all others together.

    What is not listed may belong to any state: it is counted against each, which errs on the side
    of doubt.
    """
    size = len(states)
    rest = theta[..., size:].sum(axis=-1, keepdims=True)
    out = np.empty(states.shape)
    for j in range(states.shape[1]):
        seen, place = np.unique(states[:, j], return_inverse=True)
        summed = theta[..., :size] @ (place[:, None] == np.arange(len(seen)))
        if theta.shape[-1] > size:
            rivals = np.stack([np.delete(summed, v, -1).max(-1) for v in range(len(seen))], -1)
            leads = summed > rivals + rest
        else:
            leads = sole_leader(summed)
        out[:, j] = leads.reshape(-1, len(seen)).mean(axis=0)[place]
    return out


def parts_of_orders(probability: FloatArray, states: IntArray) -> FloatArray:
    """Return P of each part where one statement holds for good, and P is that it is the one."""
    out = np.empty(states.shape)
    for j in range(states.shape[1]):
        _, place = np.unique(states[:, j], return_inverse=True)
        out[:, j] = np.minimum(np.bincount(place, probability), 1.0)[place]
    return out
