"""Groups of options: a command takes a dataclass of options where Typer takes one by one.

Typer reads the options of a command off its signature. A command under `with_groups` may have a
parameter whose type is an `OptionGroup`: Typer then sees the group's fields in its place, and the
command gets one instance. A field may be a group itself.

A parameter, or a field, is named after the Python argument that it becomes. That is how
`bayescompare.cli.flags` knows that an error about ``replicate=`` is about ``--replicate-column``.

Modules with groups or commands do without ``from __future__ import annotations``: their annotations
are read at every start, and strings would have to be compiled first.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, get_args, get_type_hints

import typer
from typer.models import ParameterInfo

from bayescompare.cli.flags import Flag, naming_flags

__all__ = ["OptionGroup", "command_line_option", "with_groups"]


def command_line_option(
    flag: str, text: str, panel: str, *, short: str | None = None, **more: Any
) -> Any:
    """Return an option whose text says what its default is; `short` is a flag of one letter."""
    flags = (flag,) if short is None else (flag, short)
    return typer.Option(..., *flags, help=text, rich_help_panel=panel, show_default=False, **more)


class OptionGroup:
    """Options that several commands share; a subclass is a frozen dataclass of them."""

    def flags(self) -> dict[str, Flag]:
        """Return the flag of each field, those of groups inside it included."""
        hints = get_type_hints(type(self), include_extras=True)
        return _flags_of_option_groups(hints, {name: getattr(self, name) for name in hints})

    def arguments(self) -> dict[str, Flag]:
        """Return the flag of each Python argument that an error may name: of each field."""
        return self.flags()


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options, and name flags in its errors."""
    hints = _parameters_of_command(command)
    defaults = inspect.signature(command).parameters
    parameters = [
        parameter
        for name, hint in hints.items()
        for parameter in _expand_option_group(name, hint, defaults[name].default)
    ]

    @functools.wraps(command)
    def run(**options: Any) -> None:
        arguments = {
            name: _collect_option_group(name, hint, options) for name, hint in hints.items()
        }
        with naming_flags(lambda: _flags_of_option_groups(hints, arguments)):
            command(**arguments)

    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameters_of_command(command: Callable[..., None]) -> dict[str, Any]:
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    return hints


def _expand_option_group(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    """Yield what Typer sees in place of a parameter: itself, or the fields of a group.

    A field gets the name of its group as a prefix, since two groups may have a field of one name.
    """
    if not _is_group(hint):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kind, annotation=hint, default=default)
        return
    inner = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        yield from _expand_option_group(
            f"{name}_{field.name}", inner[field.name], _default_of_group_option(field)
        )


def _default_of_group_option(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _collect_option_group(name: str, hint: Any, options: Mapping[str, Any]) -> Any:
    """Put together again what `_expand_option_group` took apart."""
    if not _is_group(hint):
        return options[name]
    inner = get_type_hints(hint, include_extras=True)
    return hint(
        **{
            field.name: _collect_option_group(f"{name}_{field.name}", inner[field.name], options)
            for field in fields(hint)
        }
    )


def _flags_of_option_groups(hints: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Flag]:
    flags: dict[str, Flag] = {}
    for name, hint in hints.items():
        if _is_group(hint):
            flags |= values[name].arguments()
        else:
            infos = (info for info in get_args(hint)[1:] if isinstance(info, ParameterInfo))
            for info in infos:  # one, of Annotated[type, info]
                metavar = str(info.metavar or "")
                flags[name] = Flag((info.param_decls or (metavar,))[0], metavar)
    return flags


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, OptionGroup)
