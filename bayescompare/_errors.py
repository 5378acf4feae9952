"""The errors a user can cause, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BayescompareError", "MissingQuantity", "TooFewDatasets", "closest"]


class BayescompareError(ValueError):
    """Something the user gave cannot be used.

    The message names the argument, what was seen and what to do; the command line prints it as
    one line and exits with 2.
    """


class TooFewDatasets(BayescompareError):
    """Fewer than two datasets have every cell that a comparison needs.

    Attributes
    ----------
    left : int
        How many have.
    """

    def __init__(self, message: str, left: int = 0) -> None:
        super().__init__(message)
        self.left = left


class MissingQuantity(BayescompareError, AttributeError):
    """The method that made this comparison does not have the quantity asked for."""


def closest(word: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` when a known word is close to `word`, else ``""``.

    Examples
    --------
    >>> closest("acuracy", ["accuracy", "time"])
    " Did you mean 'accuracy'?"
    """
    import difflib

    near = difflib.get_close_matches(str(word), [str(k) for k in known], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
