"""What missing cells leave possible: states, completions, and bounds of P(max) over these.

A measure on which some algorithms have no value still orders the others. It agrees with every
ordering of all that keeps them so; a completion also may tie a missing value with others.

A completion adds weights to the counts: one choice for every dataset with a gap. Different
completions often add up to the same counts, so the distinct sums are built dataset by dataset and
P(max) is computed once for each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE, allowed_orders

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


# bounds of P(max) over completions ----------------------------------------------------------------

#: Count vectors up to which all are tried.
MOST_VECTORS = 100_000
#: Numbers that one step of building them may hold.
_MOST_NUMBERS = 50_000_000
#: Digits to which sums of halves, thirds and so on are equal.
_DIGITS = 9

#: P(max) of every statement for each of many count vectors, (M, K) to (M, K).
Maxima = Callable[[FloatArray], FloatArray]


def completion_bounds(
    counts: FloatArray, options: Sequence[FloatArray], maxima: Maxima
) -> tuple[FloatArray, FloatArray] | None:
    """Lower and upper bounds of P(max) of every statement over all completions, (K,) each.

    None where there are too many count vectors to try all.

    Parameters
    ----------
    counts : array (K,)
        Of the complete datasets.
    options : sequence of arrays (completions, K)
        For every dataset with a gap, its weights in each of its completions.
    maxima : callable
        P(max) from count vectors.

    Examples
    --------
    Three to one, and a dataset that may support either, or be tied:

    >>> from bayescompare.kernels.dirichlet.pmax import p_max
    >>> either = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> lower, upper = completion_bounds(
    ...     np.array([3.0, 1.0]), [either], lambda n: p_max(np.log([0.5, 0.5]), n)[:, :-1]
    ... )
    >>> lower.round(6).tolist(), upper.round(6).tolist()
    ([0.669765, 0.087713], [0.912287, 0.330235])
    """
    touched = np.flatnonzero(np.sum([own.sum(axis=0) for own in options], axis=0))
    sums = np.zeros((1, len(touched)))
    # Equal options one after the other, and the few-valued first: more sums coincide.
    ordered = sorted((own[:, touched] for own in options), key=lambda own: (len(own), own.tolist()))
    for own in ordered:
        if len(sums) * len(own) * len(touched) > _MOST_NUMBERS:
            return None
        grown = (sums[:, None] + own[None]).reshape(-1, len(touched))
        sums = np.unique(np.round(grown, _DIGITS), axis=0)
        if len(sums) > MOST_VECTORS:
            return None
    vectors = np.tile(counts, (len(sums), 1))
    vectors[:, touched] += sums
    each = maxima(vectors)
    return each.min(axis=0), each.max(axis=0)
