"""What a study may be: checked once, when it is made."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bayescompare._checks import is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError

__all__ = ["check_study_function", "check_study_name", "check_study_part", "study_axes"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._, -]{0,99}")
#: Names that the table or the function uses itself.
_OWN = frozenset({"replication", "statistic", "errors", "failed", "rng", "size"})


def check_study_name(name: object) -> None:
    """Refuse a name that is not a short word."""
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise BayescompareError(
            f"name={show_checked_value_briefly(name)}: give letters, digits, spaces, '-', '_', "
            "',' and '.', beginning with a letter or a digit."
        )


def study_axes(grid: object) -> dict[str, dict[Any, Any]]:
    """Return the axes: for each, its labels and the values that they stand for."""
    if not isinstance(grid, Mapping):
        raise BayescompareError(f"grid={show_checked_value_briefly(grid)}: give a mapping.")
    return {_axis_name(axis): _axis_values(axis, values) for axis, values in grid.items()}


def _axis_name(axis: object) -> str:
    if not (isinstance(axis, str) and axis.isidentifier()) or axis in _OWN:
        raise BayescompareError(
            f"grid: {show_checked_value_briefly(axis)} cannot be the name of an axis: give a name "
            f"that the function can take, other than {', '.join(sorted(_OWN))}."
        )
    return axis


def _axis_values(axis: str, values: object) -> dict[Any, Any]:
    if isinstance(values, Mapping):
        labelled = dict(values)
    elif isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise BayescompareError(
            f"grid: {axis}={show_checked_value_briefly(values)}: give a list of values, or a "
            "mapping of labels to objects."
        )
    else:
        listed = [v.item() if hasattr(v, "item") and not v.ndim else v for v in values]
        for value in listed:
            if not isinstance(value, str | int | float):
                raise BayescompareError(
                    f"grid: {axis} has {show_checked_value_briefly(value)}: give numbers, strings "
                    "and booleans, or a mapping of labels to objects."
                )
        labelled = {value: value for value in listed}
        if len(labelled) != len(listed):
            raise BayescompareError(f"grid: {axis}={listed!r}: every value may occur once only.")
    if not labelled:
        raise BayescompareError(f"grid: {axis} has no values.")
    return labelled


def check_study_function(
    case: Callable[..., Any] | None,
    block: Callable[..., Any] | None,
    given: Sequence[str],
) -> None:
    """Refuse anything but one function that takes the axes and the constants by name."""
    if (case is None) == (block is None):
        raise BayescompareError("case, block: give one of the two, a function.")
    name, function = ("case", case) if block is None else ("block", block)
    if not callable(function):
        raise BayescompareError(f"{name}={show_checked_value_briefly(function)}: give a function.")
    first = (None,) if block is None else (None, 1)
    try:
        inspect.signature(function).bind(*first, **dict.fromkeys(given))
    except TypeError as error:
        wanted = ", ".join(["rng", *(["size"] if block else []), *(f"{k}=" for k in given)])
        raise BayescompareError(
            f"{name}: the function cannot be called with ({wanted}): {error}."
        ) from None
    except ValueError:
        return  # a builtin, of which nothing is known


def check_study_part(part: object, store: object) -> None:
    """Refuse anything but (i, n) with a store."""
    if not (isinstance(part, tuple) and len(part) == 2 and all(map(is_whole, part))):
        raise BayescompareError(
            f"part={show_checked_value_briefly(part)}: give (i, n), with i from 0 to n - 1."
        )
    if not 0 <= part[0] < part[1]:
        raise BayescompareError(f"part={part!r}: i must lie from 0 to n - 1.")
    if store is None:
        raise BayescompareError(f"part={part!r}: needs a store, which all parts share.")
