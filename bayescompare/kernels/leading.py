"""Which value leads in a draw; of equal values neither does.

A posterior may put mass on exact equality, as with a switch between "the same" and "different" or
a prior with a spike. In a draw in which two values are equal neither leads. Counting it for the
one listed first would make the answer depend on the listing, and counting it for both would give
probabilities that sum to more than one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import BoolArray, FloatArray

__all__ = ["SAME", "as_probability", "exceeds_to_lead", "sole_leader", "strict_order"]


#: Values that differ by less, relative to the larger one, are equal up to rounding.
SAME = 1e-12


def as_probability(p: FloatArray | float, *, foreign: bool = False) -> FloatArray:
    """Return probabilities within [0, 1]: what lies outside by rounding is moved to the end.

    Sums and products of floats that are one in theory come out as 1.0000000000000033. NaN stays.

    Parameters
    ----------
    p : array or float
    foreign : bool
        Whether they come from a file or from a method of the user's: then more is taken for
        rounding, 1e-6, and what lies further outside is left for the checks of these.

    Raises
    ------
    ArithmeticError
        If one lies outside by more than rounding, 1e-12: then it is no probability.

    Examples
    --------
    >>> as_probability(np.array([-1e-17, 0.5, 1.0 + 3e-15])).tolist()
    [0.0, 0.5, 1.0]
    """
    inside = np.clip(p, 0.0, 1.0)
    if foreign:
        return np.where(np.abs(p - inside) <= 1e-6, inside, p)
    if (np.abs(p - inside) > SAME).any():
        worst = float(np.nanmax(np.abs(p - inside)))
        raise ArithmeticError(
            f"a probability lies outside [0, 1] by {worst:.1g}: please report this"
        )
    return np.asarray(inside)


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
