"""Names and numbers in the files of other tools: what is neither is refused with its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bayescompare._checks import is_number, is_whole, show_checked_value_briefly
from bayescompare._errors import UNPRINTABLE, BayescompareError
from bayescompare.text.numbers import setting_number_text

__all__ = ["parsed_name", "parsed_number", "parsed_object"]


def parsed_name(value: object, where: str) -> str:
    """Return a name, which is text or a whole number.

    Examples
    --------
    >>> parsed_name("gpt2", "model"), parsed_name(3, "samples[0].id")
    ('gpt2', '3')
    >>> parsed_name(None, "samples[0].id")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: samples[0].id is None, not a name.
    """
    if isinstance(value, str) and value.strip() and not UNPRINTABLE.search(value):
        return value
    if is_whole(value) and abs(value) < 2**63:
        return str(value)
    raise BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not a name.")


def parsed_number(value: object, where: str, *, least: float | None = None) -> float:
    """Return a finite number, or NaN for a value that is missing; `least` is the smallest.

    Examples
    --------
    >>> parsed_number(1, "score"), parsed_number(None, "score")
    (1.0, nan)
    >>> parsed_number("high", "results[3].score")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: results[3].score is 'high', not a number.
    """
    if value is None:
        return math.nan
    if not is_number(value):
        raise BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not a number.")
    if math.isinf(value):
        raise BayescompareError(f"{where} is infinite: leave out what has no value.")
    if least is not None and value < least:
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, less than "
            f"{setting_number_text(least)}."
        )
    return float(value)


def parsed_object(value: object, where: str) -> Mapping[str, Any]:
    """Return an object, empty for one that is missing.

    Examples
    --------
    >>> parsed_object(None, "usage")
    {}
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, not an object with keys."
        )
    return value
