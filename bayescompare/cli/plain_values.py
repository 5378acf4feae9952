"""What was typed, as a string, a number or a path, without pydantic.

Newer releases of Typer load pydantic to read any option, one that was left out too: a tenth of a
second. A plain value is read here; whatever is not plain, or wrong, is left to Typer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperCommand, TyperGroup

__all__ = ["PlainCommand", "PlainGroup"]

_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]{1,2})?")


class _NotPlainError(Exception):
    pass


class _Plainly:
    """Stands for Typer's reader of one option, which is made only if the value is not plain."""

    def __init__(self, make_reader: Callable[[], Any]) -> None:
        self._make_reader = make_reader

    def __call__(self) -> _Plainly:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as the command takes it."""
        try:
            return _plain_value_of_option(value, param)
        except _NotPlainError:
            return self._make_reader().coerce(value, param=param, ctx=ctx)


class PlainCommand(TyperCommand):
    """A command whose options read plain values by themselves."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, --help included."""
        return _reading_plainly(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The same of a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, --help included."""
        return _reading_plainly(super().get_params(ctx))


def _reading_plainly(params: list[Any]) -> list[Any]:
    for param in params:
        make_reader = getattr(param, "get_runtime_param", None)
        # Older releases have none, and do without pydantic.
        if make_reader is not None and not isinstance(make_reader, _Plainly):
            param.get_runtime_param = _Plainly(make_reader)
    return params


def _plain_value_of_option(value: Any, param: Any) -> Any:
    several = param.multiple or param.nargs == -1
    if value is None:
        return () if several else None
    kind, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
    if info.parser is not None:
        raise _NotPlainError
    if several and get_origin(kind) is list and isinstance(value, list | tuple):
        return [_plain_value(item, get_args(kind)[0], info) for item in value]
    return _plain_value(value, kind, info)


def _plain_value(value: Any, kind: Any, info: Any) -> Any:
    if kind is str and isinstance(value, str):
        return value
    if kind in (int, float):
        return _plain_number(value, kind, info)
    if kind is Path and isinstance(value, str):
        return _plain_path(value, info)
    if get_origin(kind) is Literal and value in get_args(kind):
        return value
    raise _NotPlainError


def _plain_number(value: Any, kind: type[int] | type[float], info: Any) -> float:
    pattern = _WHOLE if kind is int else _DECIMAL
    if isinstance(value, str) and pattern.fullmatch(value):
        number: float = kind(value)
    elif type(value) is kind:
        number = value
    else:
        raise _NotPlainError
    below = info.min is not None and number < info.min
    above = info.max is not None and number > info.max
    if below or above:
        raise _NotPlainError
    return number


def _plain_path(value: str, info: Any) -> Path:
    checked = info.exists or info.writable or info.resolve_path or info.path_type is not None
    if checked or not (info.file_okay and info.dir_okay):
        raise _NotPlainError
    if os.path.exists(value) and not os.access(value, os.R_OK):
        raise _NotPlainError
    return Path(value)
