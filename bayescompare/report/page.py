"""What stands in a report, whatever its format: sections of words, pictures, tables and facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayescompare.report.tables import Shaded, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.diagnosis import Diagnosis

__all__ = ["Page", "Picture", "Section", "diagnosed"]


@dataclass(frozen=True)
class Picture:
    """A plot, drawn when the format has pictures, and what it is called.

    Attributes
    ----------
    title : str
    draw : callable
        Takes the Axes to draw on.
    size : tuple of float
        Width and height in inches.
    name : str
        Begins the ids of its parts.
    words : str
        What a screen reader says.
    """

    title: str
    draw: Callable[[Axes], Any]
    size: tuple[float, float]
    name: str
    words: str


@dataclass(frozen=True)
class Section:
    """A headed part of the page; what is empty is not shown."""

    title: str
    words: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    shaded: Shaded | None = None
    tables: Sequence[Table] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    #: Text to copy, by its title.
    code: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    verdict: str
    words: str
    sections: Sequence[Section]
    #: Keys of the papers, for the formats that cite by key.
    citations: Sequence[str] = ()


def diagnosed(found: Diagnosis, tables: Sequence[Table] = ()) -> Section:
    """The section that says whether the figures can be trusted."""
    verdict = found.verdict[:1].upper() + found.verdict[1:]
    facts = found.written()
    return Section("Diagnostics", words=[verdict], facts=facts, tables=tables)
