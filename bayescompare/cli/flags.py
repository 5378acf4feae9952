"""Errors in the command line's words: ``--replicate-column``, not ``replicate=``.

The package's errors name Python's arguments. An argument that the command has a flag for is written
as it is typed, with its value: ``missing='drop'`` becomes ``--missing drop``, and an option of a
method that has no flag becomes ``--set joint=true``. Quoted text stays, since it is a name or a
value of the user; so does a call such as ``Dirichlet(prior='jeffreys')``.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bayescompare._errors import BayescompareError

__all__ = ["Flag", "in_flags", "naming_flags"]

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_VALUE = (
    rf"{_QUOTED}|\[[^\[\]]*\]|\{{[^{{}}]*\}}|\([^()]*\)"
    r"|[-+]?(?:inf|nan|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b|(?:True|False|None)\b"
)
_TOKEN = re.compile(
    rf"(?P<kept>(?<!\w)(?:{_QUOTED})(?!\w)|--(?:set|reader) [\w-]+=)"
    r"|(?<![\w.])(?P<command>compare|pairwise|sample)\(\)"
    r"|(?P<call>\w\([^()]*\))"
    rf"|(?<![\w.:/\-])(?P<argument>[a-z]\w*)(?:=(?P<value>{_VALUE})?|\[(?P<key>{_QUOTED})\]=?)"
    r"|^(?P<first>[a-z]\w*)(?=: )"
)

#: Python's ways to make a table, and the flags that do.
_MAKERS = {
    "bc.ErrorCounts.from_frame(...)": "--errors",
    ".from_predictions(...)": "--predictions",
    "as in {'first': ..., 'second': ...}": "as in --label first=PATH",
    "as in {'mine': path}": "as in --label mine=PATH",
}


@dataclass(frozen=True)
class Flag:
    """How a Python argument is typed.

    Attributes
    ----------
    text : str
        The flag, ``--seed``; the flags for True and for False, ``--average/--no-average``; for an
        option of a method that has no flag ``--set NAME``, of a reader ``--reader NAME``; or what
        has no flag, ``FILE``.
    metavar : str
        The placeholder of its value in the help; empty for a flag without a value.
    """

    text: str
    metavar: str = ""

    @property
    def is_setting(self) -> bool:
        """Whether the value follows an equals sign."""
        return self.text.startswith(("--set ", "--reader "))

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
        >>> Flag("--average/--no-average").typed("False")
        '--no-average'
        """
        no = self.text.partition("/")[2]
        if self.is_setting:
            word = "" if value is None else _word_of_command_line(_python_value_for_flag(value))
            return f"{self.name}={word}"
        if not self.metavar and value in ("True", "False"):
            return no if no and value == "False" else self.name
        return " ".join(f"{self.name} {text}".rstrip() for text in self._texts(value))

    def _texts(self, value: str | None) -> list[str]:
        match _python_value_for_flag(value):
            case None:
                return [""]
            case [builtins.Ellipsis]:
                return [self.metavar]
            case [*names] if "," in self.metavar:
                return [_word_of_command_line(",".join(map(str, names)))]
            case [*names]:
                return [_word_of_command_line(name) for name in names]
            case {**mapping} if "JSON" in self.metavar:
                return [shlex.quote(json.dumps(mapping, ensure_ascii=False))]
            case {**directions} if directions:
                return [
                    _word_of_command_line(f"{name}:{each}") for name, each in directions.items()
                ]
            case word:
                return [_word_of_command_line(word)]


def _python_value_for_flag(value: str | None) -> Any:
    """Read a value off a message; what is no literal stays as it is written."""
    try:
        return None if value is None else ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def _word_of_command_line(value: object) -> str:
    """Write a value as one word of a command line."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if re.fullmatch(r"[^\s'\"\\$`|<>;&*?#()!]+", text) else shlex.quote(text)


def _prior_as_flag(token: re.Match[str]) -> str:
    """Write ``priors['b']=``, which is an option of a model file."""
    return f"--set {ast.literal_eval(token['key'])}{'=' * token[0].endswith('=')}"


def in_flags(message: str, flags: Mapping[str, Flag]) -> str:
    """Write a message with flags in place of the arguments that have one.

    Examples
    --------
    >>> flags = {"fdr": Flag("--fdr", "RATE"), "replicate": Flag("--replicate-column", "COLUMN")}
    >>> in_flags("fdr=2.0: must be a number between 0 and 1.", flags)
    '--fdr 2.0: must be a number between 0 and 1.'
    >>> in_flags("name their column by replicate=, not 'fdr=1'.", flags)
    "name their column by --replicate-column, not 'fdr=1'."
    """
    for call, flag in _MAKERS.items():
        message = message.replace(call, flag)

    def typed(token: re.Match[str]) -> str:
        if token["command"]:
            return f"'bayescompare {token['command']}'"
        flag = flags.get(token["argument"] or token["first"] or "")
        if flag is None:
            return token[0]
        if token["key"] and (flag.is_setting or flag.text == "--set"):
            return token[0] if flag.is_setting else _prior_as_flag(token)
        if token["key"] and "JSON" in flag.metavar:
            return f"{flag.name} [{token['key']}]{'=' * token[0].endswith('=')}"
        return flag.typed(token["value"] or token["key"])

    return _TOKEN.sub(typed, message)


def _names_an_argument(message: str) -> bool:
    tokens = _TOKEN.finditer(message)
    return any(call in message for call in _MAKERS) or any(
        token["argument"] or token["first"] or token["command"] for token in tokens
    )


@contextmanager
def naming_flags(flags: Callable[[], Mapping[str, Flag]], *, whole: bool = False) -> Iterator[None]:
    """Name flags in the errors raised inside; `flags` is called only for an error.

    With `whole`, these are all that the errors can be about, and whoever catches them leaves them
    as they are. So no method is loaded for the names of its options.
    """
    try:
        yield
    except BayescompareError as error:
        if hasattr(error, "in_flags") or not _names_an_argument(str(error)):
            raise
        if whole:
            error.in_flags = True  # type: ignore[attr-defined]
        # As a new error, so that a value read off the message is printable again.
        error.args = BayescompareError(in_flags(str(error), flags())).args
        raise
