"""The one codec of saved files: dataclasses as JSON's own types, and back or refused by name.

What a file holds is declared as the types of a dataclass's fields. A field may be a `float` (a
finite number), `int`, `bool` or `str`; `FloatArray`; one of these or None; a tuple, a mapping from
`str`, another dataclass, or `Any`, which somebody else reads. Null stands for None, and among
numbers for what is not finite. A field that is None by default is left out while it is None, and
``field(metadata={"name": "F"})`` is another name in files.

Types and lengths are checked, not whether figures could be true.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from bayescompare._checks import check_path, is_number, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import FloatArray
from bayescompare.table.input import check_is_regular, distinct_keys, input_limits, read_file
from bayescompare.text.numbers import setting_number_text

#: Rounding that numbers of a range may show.
_ROUNDING = 1e-6

#: What each kind of file holds.
_KINDS = {
    "comparison": "a comparison",
    "pairwise": "a comparison of all pairs",
    "ranking": "a ranking",
}


# writing ------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Turn dataclasses, numpy and containers into JSON's own types; what is not finite into null.

    Examples
    --------
    >>> plain({"p": np.array([0.5, np.nan]), "wins": (3, 9)})
    {'p': [0.5, None], 'wins': [3, 9]}
    """
    if dataclasses.is_dataclass(value):
        held = [(field, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {
            name_in_file(field): plain(one)
            for field, one in held
            if not (one is None and field.default is None and not field.metadata.get("figure"))
        }
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dumps(document: Any) -> str:
    """Write a document as strict JSON."""
    return json.dumps(plain(document), ensure_ascii=False, allow_nan=False, indent=1)


def name_in_file(field: dataclasses.Field[Any]) -> str:
    """Return what a field is called in files."""
    return str(field.metadata.get("name", field.name))


# reading ------------------------------------------------------------------------------------------


def load_file[T](path: str | Path, kind: str, build: Callable[[Path], T]) -> T:
    """Build something from a file; whatever goes wrong is said in one line that names the file."""
    source = check_path(path)
    try:
        check_is_regular(source)
        return build(source)
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not {_KINDS[kind]} that bayescompare wrote ({error_in_one_line(error)})."
        ) from None


def check_kind_of_file(head: Any, kind: str, newest: int) -> None:
    """Refuse a file of another kind, or of a newer schema rather than misread it."""
    schema = head.get("schema") if isinstance(head, Mapping) else None
    if schema != f"bayescompare/{kind}":
        known = [name for name in _KINDS if schema == f"bayescompare/{name}"]
        other = f", but {_KINDS[known[0]]}: read it by load_{known[0]}()" if known else ""
        raise BayescompareError(f"this is not {_KINDS[kind]} that bayescompare wrote{other}.")
    version = read(int, head.get("schema_version"), "schema_version")
    if version > newest:
        raise BayescompareError(
            f"schema version {version}, and this bayescompare reads up to {newest}: upgrade it."
        )


def read_json(source: Path, max_bytes: int | None) -> Any:
    """Return what a JSON file of ours holds."""
    with input_limits(max_bytes=max_bytes):
        return loads(read_file(source))


def loads(text: str | bytes) -> Any:
    """Parse JSON without NaN, and without a key that occurs twice, on which programs differ."""
    return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=distinct_keys)


def _refuse_constant(word: str) -> float:
    raise BayescompareError(f"{word} is not JSON.")


@contextmanager
def in_part(name: str) -> Iterator[None]:
    """Name the part of the file in any error about it."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{name}: {error}") from None
    except KeyError as error:
        raise BayescompareError(f"{name}: {error} is missing.") from None
    except Exception as error:
        raise BayescompareError(
            f"{name} is not what bayescompare writes ({error_in_one_line(error)})."
        ) from None


def read(kind: Any, value: Any, where: str) -> Any:
    """Return a value of a file as its declared type, or refuse it by the name of its place.

    Examples
    --------
    >>> read(tuple[int, str], [1, "a"], "pair")
    (1, 'a')
    >>> read(int | None, 0.5, "seed")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: seed is 0.5: it must be a whole number.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _read_fields(kind, value, where)
    if kind is Any:
        return value
    if kind == FloatArray:
        return numbers(value, where)
    if origin in (Union, UnionType):
        if value is None or (is_number(value) and not math.isfinite(value)):
            return None
        (one,) = (part for part in parts if part is not NoneType)
        return read(one, value, where)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _not_what_it_must_be(where, value, "a list")
        each = (parts[0],) * len(value) if parts[-1] is Ellipsis else parts
        if len(value) != len(each):
            raise _not_what_it_must_be(where, value, f"a list of {len(each)}")
        return tuple(read(part, one, where) for part, one in zip(each, value, strict=True))
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise _not_what_it_must_be(where, value, "an object")
        return {str(k): read(parts[1], one, f"{where}: {k}") for k, one in value.items()}
    return _read_one(kind, value, where)


def _read_fields[T](kind: type[T], facts: Any, where: str) -> T:
    if not isinstance(facts, Mapping):
        raise _not_what_it_must_be(where, facts, "an object")
    types, values = get_type_hints(kind), {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        name = name_in_file(field)
        if name in facts:
            place = f"{where}: {name}" if where else name
            values[field.name] = read(types[field.name], facts[name], place)
        elif field.default is field.default_factory is dataclasses.MISSING:
            raise BayescompareError(f"{where}: {name!r} is missing.".removeprefix(": "))
    return kind(**values)


def _read_one(kind: type, value: Any, where: str) -> Any:
    if kind is float:
        if not (is_number(value) and math.isfinite(value)):
            raise _not_what_it_must_be(where, value, "a number")
        return float(value)
    if kind is int:
        if not is_whole(value):
            raise _not_what_it_must_be(where, value, "a whole number")
        return int(value)
    if not isinstance(value, kind):
        raise _not_what_it_must_be(where, value, "true or false" if kind is bool else "text")
    return value


def numbers(
    values: Any,
    where: str,
    shape: tuple[int, ...] | None = None,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> FloatArray:
    """Return numbers as an array; null stands for what is not a finite number.

    Those that are known must lie within a range, but for rounding.

    Examples
    --------
    >>> numbers([0.5, None], "p", (2,), (0.0, 1.0))
    array([0.5, nan])
    """
    with in_part(where):
        array = np.asarray(values)
    if array.dtype == object and all(v is None or is_number(v) for v in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise _not_what_it_must_be(where, values, "numbers")
    if shape is not None and array.shape != shape:
        raise BayescompareError(f"{where} has the shape {array.shape}, not {shape}.")
    low, high = within
    if (wrong := (array < low - _ROUNDING) | (array > high + _ROUNDING)).any():
        seen = setting_number_text(float(array[wrong].flat[0]))
        ends = " and ".join(map(setting_number_text, within))
        raise BayescompareError(f"{where} is {seen}: it must lie between {ends}.")
    return array.astype(np.float64)


def can_hold(kind: Any) -> bool:
    """Whether a file can hold a field of this type."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return all(map(can_hold, get_type_hints(kind).values()))
    origin, parts = get_origin(kind), [part for part in get_args(kind) if part is not Ellipsis]
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        return len(others) == 1 and can_hold(others[0])
    if origin is tuple:
        return all(map(can_hold, parts))
    if origin is Mapping:
        return parts[0] is str and can_hold(parts[1])
    return kind in (float, int, bool, str)


def _not_what_it_must_be(where: str, value: object, wanted: str) -> BayescompareError:
    return BayescompareError(
        f"{where} is {show_checked_value_briefly(value)}: it must be {wanted}."
    )
