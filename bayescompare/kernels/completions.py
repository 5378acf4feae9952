"""What missing cells leave possible: states that agree with what was seen, and completions.

A measure on which some algorithms have no value still orders the others. It agrees with every
ordering of all that keeps them so; a completion also may tie a missing value with others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE, allowed_orders

__all__ = ["cross_completions", "states_of_completions", "weights_of_completions"]

#: Numbers below and above which no value of a measure lies.
Range = tuple[float, float]

WeakOrder = tuple[tuple[int, ...], ...]


def states_of_completions(values: FloatArray, rope: float | None) -> tuple[BoolArray, float]:
    """Return which states agree with the values seen, and the weight of each.

    Parameters
    ----------
    values : array (l,)
        Of one dataset and measure; higher is better, NaN is missing.
    rope : float or None

    Returns
    -------
    array (states,), float
        One over the number of orders that ties among the values seen allow.

    Examples
    --------
    The third of three algorithms is missing, the first beats the second:

    >>> states_of_completions(np.array([2.0, 1.0, np.nan]), None)
    (array([ True,  True, False, False,  True, False]), 1.0)
    """
    l = len(values)
    if l == 2 and np.isnan(values).any():
        return np.ones(2 if rope is None else 3, dtype=bool), 1.0
    if not np.isnan(values).any():
        (weights,) = weights_of_completions(values, rope)
        return weights > 0.0, float(weights.max())
    seen = np.flatnonzero(~np.isnan(values)).tolist()
    own = set(_linear_completions(_weak_order_to_complete(values, seen)))
    possible = [
        tuple(k for k in order if k in seen) in own for order in itertools.permutations(range(l))
    ]
    return np.array(possible), 1.0 / len(own)


def weights_of_completions(
    values: FloatArray, rope: float | None, bounds: Range = (-math.inf, math.inf)
) -> FloatArray:
    """Weights of the states in every completion of the missing values, (completions, states).

    Parameters
    ----------
    values : array (l,)
    rope : float or None
    bounds : pair of floats
        Between which a missing value lies.

    Examples
    --------
    One of two is missing: it may be worse, better, or equal, which splits the weight.

    >>> weights_of_completions(np.array([0.9, np.nan]), None).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]

    Nothing is above an accuracy of one:

    >>> weights_of_completions(np.array([1.0, np.nan]), None, (0.0, 1.0)).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    missing = np.flatnonzero(np.isnan(values)).tolist()
    if len(values) == 2:
        return (
            _pair_completion_weights(values, rope, bounds)
            if missing
            else _complete_state_weights(values[None], rope)
        )
    seen = [k for k in range(len(values)) if k not in missing]
    places = {order: i for i, order in enumerate(itertools.permutations(range(len(values))))}
    rows = []
    for order in set(_completed_weak_orders(_weak_order_to_complete(values, seen), missing)):
        if not _completed_order_within(order, values, bounds):
            continue
        row = np.zeros(len(places))
        linear = _linear_completions(order)
        row[[places[one] for one in linear]] = 1.0 / len(linear)
        rows.append(row)
    return np.unique(np.array(rows), axis=0)


def cross_completions(parts: Sequence[FloatArray]) -> FloatArray:
    """Cross the completions of every measure into those of statements, (completions, K)."""
    rows = np.ones((1, 1))
    for part in parts:
        crossed = rows[:, None, :, None] * part[None, :, None, :]
        rows = crossed.reshape(len(rows) * len(part), -1)
    return np.unique(rows, axis=0)


# two algorithms -----------------------------------------------------------------------------------


def _pair_completion_weights(values: FloatArray, rope: float | None, bounds: Range) -> FloatArray:
    """Completions of two values of which one or both are missing."""
    # The least and the greatest that each of them can be.
    (low, high), (other_low, other_high) = (
        bounds if math.isnan(value) else (value, value) for value in values.tolist()
    )
    apart = rope or 0.0
    first = _completion_exceeds(high, other_low, apart)
    second = _completion_exceeds(other_high, low, apart)
    middle = np.array([[0.5, 0.5]]) if rope is None else np.array([[0.0, 1.0, 0.0]])
    states = middle.shape[1]
    rows = [np.eye(states)[:1]] if first else []
    rows += [middle]
    rows += [np.eye(states)[-1:]] if second else []
    return np.concatenate(rows)


def _completion_exceeds(upper: float, lower: float, apart: float) -> bool:
    """Whether one value can be above another by more than the rope and the noise of floats."""
    if math.isinf(upper) or math.isinf(lower):
        return upper > lower
    noise = RELATIVE_TOLERANCE * max(abs(upper), abs(lower))
    return upper - lower > apart + noise


def _complete_state_weights(values: FloatArray, rope: float | None) -> FloatArray:
    """Weights of the states of one complete dataset and measure, (1, states)."""
    allowed = allowed_orders(values, rope, complete=True)
    row = np.zeros((1, len(allowed.levels)))
    row[0, allowed.flat] = 1.0 / len(allowed.flat)
    return row


# more algorithms ----------------------------------------------------------------------------------


def _weak_order_to_complete(values: FloatArray, seen: Sequence[int]) -> WeakOrder:
    """Order the algorithms seen, best first, those that tie together."""
    ranked = sorted(seen, key=lambda k: -values[k])
    groups: list[list[int]] = []
    for k in ranked:
        last = None if not groups else float(values[groups[-1][-1]])
        own = float(values[k])
        if last is not None and last - own <= RELATIVE_TOLERANCE * max(abs(last), abs(own)):
            groups[-1].append(k)
        else:
            groups.append([k])
    return tuple(tuple(sorted(group)) for group in groups)


def _completed_weak_orders(order: WeakOrder, missing: Sequence[int]) -> Iterator[WeakOrder]:
    """Put the missing ones into a weak order, in every way."""
    if not missing:
        yield order
        return
    new, *rest = missing
    for i in range(len(order) + 1):
        yield from _completed_weak_orders((*order[:i], (new,), *order[i:]), rest)
    for i, group in enumerate(order):
        tied = (*order[:i], tuple(sorted((*group, new))), *order[i + 1 :])
        yield from _completed_weak_orders(tied, rest)


def _linear_completions(order: WeakOrder) -> list[tuple[int, ...]]:
    """All orders that a weak order allows."""
    ways = itertools.product(*(itertools.permutations(group) for group in order))
    return [tuple(itertools.chain.from_iterable(way)) for way in ways]


def _completed_order_within(order: WeakOrder, values: FloatArray, bounds: Range) -> bool:
    """Whether no missing value would have to lie outside its bounds."""
    low, high = bounds
    known = [i for i, group in enumerate(order) if not np.isnan(values[list(group)]).all()]
    if not known:
        return True
    top = float(np.nanmax(values[list(order[known[0]])]))
    bottom = float(np.nanmin(values[list(order[known[-1]])]))
    fits_above = known[0] == 0 or _completion_exceeds(high, top, 0.0)
    return fits_above and (known[-1] == len(order) - 1 or _completion_exceeds(bottom, low, 0.0))
