"""`Details`: facts that only one method has, as typed fields that a file can hold.

A method declares a frozen dataclass derived from `Details` and names it as its ``details_type``.
Files hold the fields by name, as JSON's own types; a file that lacks one, or has another type
there, is refused with the field's name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from bayescompare._checks import is_number, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.outcome.columns import SHARES

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer

__all__ = ["Details", "Scalars", "check_details_type"]


@dataclass(frozen=True)
class Details:
    """Facts that only one method has; this base has no fields, for methods without any.

    A field may be a `float` (a finite number), `int`, `bool` or `str`; one of these or None; a
    tuple, a mapping from `str`, or another `Details`. Where a field is None by default, a file
    leaves it out while it is None. ``field(metadata={"name": "F"})`` is another name in files.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Wins(Details):
    ...     wins: tuple[int, int]
    ...     note: str | None = None
    >>> Wins((3, 9)).to_dict()
    {'wins': [3, 9]}
    >>> Wins.from_dict({"wins": [3, 9]})
    Wins(wins=(3, 9), note=None)
    """

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the details of an answer, which must be of this class."""
        return _details_of_class(cls, answer.details, "details")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by their names in a file, as JSON's own types."""
        values = [(field, getattr(self, field.name)) for field in fields(self)]
        return {
            _details_name_in_file(field): _written_details_value(value)
            for field, value in values
            if not (value is None and field.default is None)
        }

    @classmethod
    def from_dict(cls, facts: object, *, where: str = "details") -> Self:
        """Make the details again; reject, by name, what is not as declared."""
        if not isinstance(facts, Mapping):
            raise _refusal_of_details_value(where, facts, "an object")
        kinds = _details_field_types(cls)
        values: dict[str, Any] = {}
        for field in fields(cls):
            name = _details_name_in_file(field)
            if name in facts:
                values[field.name] = _read_details_value(
                    facts[name], kinds[field.name], f"{where}: {name}"
                )
            elif field.default is field.default_factory is dataclasses.MISSING:
                raise BayescompareError(f"{where}: {name!r} is missing.")
        return cls(**values)

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels that this answer may have besides statements."""
        return ()


def check_details_type(kind: type[Details]) -> None:
    """Reject a class that a file could not hold."""
    if "__dataclass_params__" not in vars(kind):
        raise BayescompareError(f"{kind.__qualname__} is not a frozen dataclass.")
    for name, declared in _details_field_types(kind).items():
        if not _is_readable_details_type(declared):
            raise BayescompareError(
                f"{kind.__qualname__}.{name} is declared as {declared!r}, which a file cannot "
                "hold: use float, int, bool, str, tuples, mappings from str, or other Details."
            )


@dataclass(frozen=True)
class Scalars(Details):
    """Numbers of one method about the whole comparison: ``figures`` in a file."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the numbers of an answer, which must be of this class."""
        return _details_of_class(cls, answer.scalars, "scalars")

    def bounded(self, foreign: bool) -> Self:
        """Return the same with every probability within [0, 1]; see `as_probability`."""
        values = {
            field.name: float(as_probability(value, foreign=foreign))
            for field in fields(self)
            if _details_name_in_file(field) in SHARES
            and isinstance(value := getattr(self, field.name), float)
        }
        return dataclasses.replace(self, **values) if values else self


def _details_of_class[D: Details](kind: type[D], details: Details, name: str) -> D:
    if not isinstance(details, kind):
        raise BayescompareError(
            f"{name} are of type {type(details).__name__}, and not {kind.__name__}."
        )
    return details


# types and values --------------------------------------------------------------------------------


def _details_field_types(kind: type[Details]) -> dict[str, Any]:
    """The declared type of each field."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _details_name_in_file(field: dataclasses.Field[Any]) -> str:
    return str(field.metadata.get("name", field.name))


def _is_readable_details_type(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, Details):
        check_details_type(kind)
        return True
    parts = [part for part in get_args(kind) if part is not Ellipsis]
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        return len(others) == 1 and _is_readable_details_type(others[0])
    if origin is tuple:
        return all(map(_is_readable_details_type, parts))
    if origin is Mapping:
        return parts[0] is str and _is_readable_details_type(parts[1])
    return kind in (float, int, bool, str)


def _written_details_value(value: Any) -> Any:
    if isinstance(value, Details):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _written_details_value(part) for name, part in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_written_details_value(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _read_details_value(value: Any, kind: Any, where: str) -> Any:
    """Return a value of a file as its declared type."""
    if isinstance(kind, type) and issubclass(kind, Details):
        return kind.from_dict(value, where=where)
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _read_optional_details_value(value, kind, where)
    if origin is tuple:
        return _read_details_tuple(value, get_args(kind), where)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise _refusal_of_details_value(where, value, "an object")
        part = get_args(kind)[1]
        return {
            str(name): _read_details_value(v, part, f"{where}: {name}") for name, v in value.items()
        }
    return _read_one_details_value(value, kind, where)


def _read_optional_details_value(value: Any, kind: Any, where: str) -> Any:
    """Null stands for None, and for what is not a finite number."""
    if value is None or (is_number(value) and not math.isfinite(value)):
        return None
    (part,) = (part for part in get_args(kind) if part is not NoneType)
    return _read_details_value(value, part, where)


def _read_details_tuple(values: Any, parts: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if not isinstance(values, (list, tuple)):
        raise _refusal_of_details_value(where, values, "a list")
    if parts[-1] is Ellipsis:
        parts = (parts[0],) * len(values)
    if len(values) != len(parts):
        raise _refusal_of_details_value(where, values, f"a list of {len(parts)}")
    return tuple(
        _read_details_value(value, part, where) for value, part in zip(values, parts, strict=True)
    )


def _read_one_details_value(value: Any, kind: type, where: str) -> Any:
    if kind is float:
        if not (is_number(value) and math.isfinite(value)):
            raise _refusal_of_details_value(where, value, "a number")
        return float(value)
    if kind is int:
        if not is_whole(value):
            raise _refusal_of_details_value(where, value, "a whole number")
        return int(value)
    if not isinstance(value, kind):
        raise _refusal_of_details_value(where, value, "true or false" if kind is bool else "text")
    return value


def _refusal_of_details_value(where: str, value: object, wanted: str) -> BayescompareError:
    return BayescompareError(
        f"{where} is {show_checked_value_briefly(value)}: it must be {wanted}."
    )
