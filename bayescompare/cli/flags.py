"""How options are declared, reach a command in groups, and are named in its errors.

A group is a class of options. A command takes one object for each group where plain Typer takes
its options one by one. A field is named after the Python argument that it becomes, and so an
error about ``replicate=`` is one about ``--replicate-column``: the package's errors name Python's
arguments, and what is typed stands in their place, ``--missing drop`` for ``missing='drop'``.
Quoted text stays, since it is a name or a value of the user; so does a call such as
``Dirichlet(prior='jeffreys')``.

Modules with groups or commands do without ``from __future__ import annotations``: their annotations
are read at every start, and strings would have to be compiled first.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    dataclass_transform,
    get_args,
    get_type_hints,
)

import typer

from bayescompare._errors import BayescompareError

__all__ = [
    "Flag",
    "Options",
    "argument",
    "in_flags",
    "naming_flags",
    "option",
    "switch",
    "with_groups",
]

# declared -----------------------------------------------------------------------------------------


class _Declared(NamedTuple):
    """An option in the body of its group: what Typer takes, its default or ..., and its flags."""

    info: Any
    default: Any
    flags: tuple[str, ...] = ()


def option(
    metavar: str | None,
    text: str,
    *,
    flag: str = "",
    short: str = "",
    default: Any = None,
    **more: Any,
) -> Any:
    """Return an option, whose text says what its default is.

    Its flag is the name of its field unless `flag` is another; `short` is one of one letter.
    """
    info = typer.Option(..., help=text, metavar=metavar, show_default=False, **more)
    return _Declared(info, default, (flag, short))


def switch(text: str, **more: Any) -> Any:
    """Return an option without a value, which is off."""
    return option(None, text, default=False, **more)


def argument(metavar: str, text: str = "", *, default: Any = ..., **more: Any) -> Any:
    """Return an argument without a flag."""
    info = typer.Argument(..., metavar=metavar, help=text, show_default=False, **more)
    return _Declared(info, default)


@dataclass_transform(kw_only_default=True, field_specifiers=(option, switch, argument))
class Options:
    """A group of options, in a panel of the help unless they name another.

    A subclass declares them as a dataclass does; to make dataclasses takes as long as a help page.
    """

    #: The annotation that Typer reads and the default of each, those of the bases first.
    declared: ClassVar[dict[str, tuple[Any, Any]]] = {}

    def __init_subclass__(cls, *, panel: str) -> None:
        own = {}
        for name, kind in inspect.get_annotations(cls).items():
            info, default, flags = vars(cls)[name]
            info.rich_help_panel = info.rich_help_panel or panel
            if flags:
                flag, short = flags
                flag = flag or f"--{name.replace('_', '-')}"
                info.param_decls = (flag, short) if short else (flag,)
            own[name] = (Annotated[kind, info], default)
        cls.declared = {**cls.declared, **own}

    def __init__(self, **given: Any) -> None:
        for name, (_, default) in self.declared.items():
            setattr(self, name, given.get(name, default))

    def flag(self, name: str) -> Flag | None:
        """Return how a Python argument is typed, if this group has it."""
        if name not in self.declared:
            return None
        _, info = get_args(self.declared[name][0])
        return Flag((info.param_decls or (info.metavar,))[0], info.metavar or "")


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options, and name flags in its errors."""
    groups = {name: hint for name, hint in get_type_hints(command).items() if name != "return"}

    @functools.wraps(command)
    def run(**typed: Any) -> None:
        given = {
            group: kind(**{name: typed[f"{group}_{name}"] for name in kind.declared})
            for group, kind in groups.items()
        }
        with naming_flags(*(each.flag for each in reversed(given.values()))):
            command(**given)

    parameters = [
        inspect.Parameter(
            f"{group}_{name}",  # two groups may have a field of one name
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is ... else default,
            annotation=annotation,
        )
        for group, kind in groups.items()
        for name, (annotation, default) in kind.declared.items()
    ]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


# in errors ----------------------------------------------------------------------------------------

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_VALUE = (
    rf"{_QUOTED}|\[[^\[\]]*\]|\{{[^{{}}]*\}}|\([^()]*\)"
    r"|[-+]?(?:inf|nan|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b|(?:True|False|None)\b"
)
_TOKEN = re.compile(
    rf"(?<!\w)(?:{_QUOTED})(?!\w)|--\w+ [\w-]+=|\w\([^()]+\)"  # names, what was typed, calls
    r"|(?<![\w.])(?P<command>compare|pairwise|sample)\(\)"
    rf"|(?<![\w.:/\-])(?P<argument>[a-z]\w*)(?:=(?P<value>{_VALUE})?|\[(?P<key>{_QUOTED})\](?P<sign>=?))"
)

#: Python's ways to make a table, and the flags that do.
_MAKERS = {
    "bc.ErrorCounts.from_frame(...)": "--errors",
    ".from_predictions(...)": "--predictions",
    "as in {'first': ..., 'second': ...}": "as in --label first=PATH",
    "as in {'mine': path}": "as in --label mine=PATH",
}


class Flag(NamedTuple):
    """How a Python argument is typed.

    Attributes
    ----------
    text : str
        The flag, ``--seed``; the flags for True and for False, ``--average/--no-average``; a flag
        with the name of what follows an equals sign, ``--set joint``; or what has none, ``FILE``.
    metavar : str
        The placeholder of its value in the help; empty for a flag without a value.
    """

    text: str
    metavar: str = ""

    @property
    def name(self) -> str:
        """The flag without a value."""
        return self.text.partition("/")[0]

    def typed(self, value: str | None) -> str:
        """Write the flag with a value that was written as Python.

        Examples
        --------
        >>> Flag("--only", "M1,M2,…").typed("['auc', 'time']")
        '--only auc,time'
        >>> Flag("--average/--no-average").typed("False"), Flag("--set joint").typed("True")
        ('--no-average', '--set joint=true')
        """
        if " " in self.text:
            return f"{self.text}={'' if value is None else _word(_read(value))}"
        if value in ("True", "False") and not self.metavar:
            return self.text.split("/")[-1 if value == "False" else 0]
        return " ".join(f"{self.name} {word}".rstrip() for word in self._words(_read(value)))

    def _words(self, value: Any) -> list[str]:
        if value is None:
            return [""]
        if value == [...]:
            return [self.metavar]
        if isinstance(value, list):
            return (
                [_word(",".join(value))] if "," in self.metavar else [_word(name) for name in value]
            )
        if isinstance(value, dict) and "JSON" in self.metavar:
            return [shlex.quote(json.dumps(value, ensure_ascii=False))]
        if isinstance(value, dict):
            return [_word(f"{name}:{direction}") for name, direction in value.items()]
        return [_word(value)]


def _read(value: str | None) -> Any:
    """Read a value off a message; what is no literal stays as it is written."""
    try:
        return None if value is None else ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def _word(value: object) -> str:
    """Write a value as one word of a command line."""
    text = str(value).lower() if value is None or isinstance(value, bool) else str(value)
    return text if re.fullmatch(r"[^\s'\"\\$`|<>;&*?#()!]+", text) else shlex.quote(text)


def in_flags(error: BayescompareError, find: Callable[[str], Flag | None]) -> str:
    """Write an error with flags in place of the arguments that have one.

    Examples
    --------
    >>> find = {"fdr": Flag("--fdr", "RATE"), "replicate": Flag("--replicate-column", "COLUMN")}.get
    >>> in_flags(BayescompareError("fdr=2.0: must be a number between 0 and 1."), find)
    '--fdr 2.0: must be a number between 0 and 1.'
    >>> in_flags(BayescompareError("name their column by replicate=, not 'fdr=1'."), find)
    "name their column by --replicate-column, not 'fdr=1'."
    """
    message = str(error)
    for call, typed_so in _MAKERS.items():
        message = message.replace(call, typed_so)

    def typed(token: re.Match[str]) -> str:
        if token["command"]:
            return f"'bayescompare {token['command']}'"
        flag = find(token["argument"]) if token["argument"] else None
        if flag is None:
            return token[0]
        if token["key"] and (flag.text == "--set" or "JSON" in flag.metavar):
            # A parameter of a model file, or a part of what was typed as JSON.
            part = _read(token["key"]) if flag.text == "--set" else f"[{token['key']}]"
            return f"{flag.name} {part}{token['sign']}"
        return flag.typed(token["value"] or token["key"])

    message = _TOKEN.sub(typed, message)
    about = error.argument
    if about and message.startswith(f"{about}: ") and (flag := find(about)):
        message = flag.name + message.removeprefix(about)
    return message


@contextmanager
def naming_flags(*finders: Callable[[str], Flag | None]) -> Iterator[None]:
    """Name flags in the errors raised inside; of two flags for an argument the first counts."""

    def find(name: str) -> Flag | None:
        return next((flag for each in finders if (flag := each(name))), None)

    try:
        yield
    except BayescompareError as error:
        # As a new error, so that a value read off the message is printable again.
        error.args = BayescompareError(in_flags(error, find)).args
        raise
