"""The errors a user can cause, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Characters that move the cursor, colour a terminal, reverse the direction of writing or cannot
#: be encoded as UTF-8: control characters, bidirectional controls and lone surrogates.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

#: An argument at the beginning of a message.
_ARGUMENT = re.compile(r"[a-z]\w*(?==|: |\[)")

#: A message is a line, not a page: a longer one loses its middle.
_LONGEST = 2000

#: Words longer than this are not misspelt names.
_LONGEST_WORD = 200


class BayescompareError(ValueError):
    """Something that the user passed cannot be used.

    The message names the argument, what was seen and what to do; the command line prints it as
    one line and exits with 2. Characters that a terminal would obey rather than show are written
    as escapes, wherever they came from.

    Parameters
    ----------
    message : object
    argument : str, optional
        The argument that it is about, which is written before it unless it begins with it anyway,
        as ``fdr=2: must be ...`` does. The command line writes the flag in its place.

    Examples
    --------
    >>> error = BayescompareError("'A' is named twice.", argument="algorithms")
    >>> str(error), error.argument
    ("algorithms: 'A' is named twice.", 'algorithms')
    >>> BayescompareError("fdr=2: must lie below 1.").argument
    'fdr'
    """

    def __init__(self, message: object = "", *, argument: str | None = None) -> None:
        whole = str(message) if argument is None else f"{argument}: {message}"
        text = printable_error_text(" ".join(whole.splitlines()))
        super().__init__(_shorten_error_message(text))
        begins = _ARGUMENT.match(text)
        self.argument = begins[0] if begins else None


class TooFewDatasets(BayescompareError):
    """Fewer than two datasets have every cell that a comparison needs.

    Attributes
    ----------
    left : int
        The number of datasets that do.
    """

    def __init__(self, message: str, left: int = 0) -> None:
        super().__init__(message)
        self.left = left


class QuantityNotAvailableError(BayescompareError, AttributeError):
    """The method that made this comparison does not have the quantity asked for."""


def printable_error_text(text: str) -> str:
    r"""Write characters that a terminal would obey, or could not print, as escapes.

    Examples
    --------
    >>> printable_error_text("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _shorten_error_message(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {text[-half:]}"


def error_in_one_line(error: BaseException) -> str:
    """Write an error of any kind in one line, however long its own message is.

    Examples
    --------
    >>> error_in_one_line(KeyError("a"))
    "KeyError: 'a'"
    """
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` when a known word is close to `word`, else ``""``.

    Closest is the same word in another case, then a word that begins with it.

    Examples
    --------
    >>> did_you_mean("acuracy", ["accuracy", "time"])
    " Did you mean 'accuracy'?"
    >>> did_you_mean("acc", ["auc", "accuracy"])
    " Did you mean 'accuracy'?"
    """
    import difflib

    if len(word) > _LONGEST_WORD:
        return ""
    names = [str(k) for k in known]
    small = word.lower()
    same = [name for name in names if name.lower() == small]
    longer = [name for name in names if len(small) > 1 and name.lower().startswith(small)]
    if len(same) == 1 or len(longer) == 1:
        return f" Did you mean {(same or longer)[0]!r}?"
    near = difflib.get_close_matches(word, [k for k in names if len(k) <= _LONGEST_WORD], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
