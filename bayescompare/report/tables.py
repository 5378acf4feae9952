"""The shape of a table on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Table"]


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes
    ----------
    title : str
    heads : sequence of str
    rows : sequence of sequence of str
    text : int
        How many of the first columns hold words rather than figures.
    more : int
        How many rows were left out.
    marked : sequence of bool
        Which rows stand out.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int = 1
    more: int = 0
    marked: Sequence[bool] = ()
