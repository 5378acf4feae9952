"""Checks of single numbers that users give: one place that knows what a number is."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TypeGuard

from bayescompare._errors import BayescompareError

__all__ = ["check_count", "check_positive", "is_number", "is_whole"]


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a real number, numpy's included; truth values are not.

    Examples
    --------
    >>> is_number(2), is_number(True), is_number("2")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether this is an integer, numpy's included; truth values are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_count(**given: object) -> None:
    """Refuse what is not a whole number above 0.

    Examples
    --------
    >>> check_count(draws=0)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: draws=0: must be an integer >= 1.
    """
    for name, value in given.items():
        if not (is_whole(value) and value >= 1):
            raise BayescompareError(f"{name}={value!r}: must be an integer >= 1.")


def check_positive(**given: object) -> None:
    """Refuse what is not a finite number above 0."""
    for name, value in given.items():
        if not (is_number(value) and math.isfinite(value) and value > 0):
            raise BayescompareError(f"{name}={value!r}: must be a finite number > 0.")
