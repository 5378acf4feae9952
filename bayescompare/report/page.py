"""The content of a report in any format: sections of words, figures, tables and facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayescompare.report.tables import ShadedReportCell, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bayescompare.comparison.diagnosis import Diagnosis
    from bayescompare.report.live import Live

__all__ = ["Page", "PageSection", "Picture", "diagnostics_section"]


@dataclass(frozen=True)
class Picture:
    """A figure, drawn only for formats that have figures, and its title.

    Attributes
    ----------
    title : str
    draw : callable
        Takes the Figure to draw on, which becomes as large as the content needs.
    name : str
        The prefix of the ids of its parts.
    words : str
        The text for screen readers.
    """

    title: str
    draw: Callable[[Figure], Any]
    name: str
    words: str


@dataclass(frozen=True)
class PageSection:
    """A part of the page with a heading; empty parts are not shown."""

    title: str
    words: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    shaded: ShadedReportCell | None = None
    tables: Sequence[Table] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    #: Text to copy, by its title.
    code: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A whole report.

    The first screen is the title, the verdict, the facts and one picture; the rest follows.

    Attributes
    ----------
    title, verdict : str
    words : str
        The paragraph below the first screen.
    sections : sequence of Section
    citations : sequence of str
        Keys of the papers, for the formats that cite by key.
    facts : mapping of str to str
        What to use, how sure that is, on what data, under what assumption.
    picture : Picture, optional
    reading : sequence of str
        How to read the page, a sentence for each term.
    live : Live, optional
        The sliders of the HTML page.
    table : Table, optional
        The one table that a paper would print.
    names : sequence of str
        The algorithms, as the page writes them.
    """

    title: str
    verdict: str
    words: str
    sections: Sequence[PageSection]
    citations: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    picture: Picture | None = None
    reading: Sequence[str] = ()
    live: Live | None = None
    table: Table | None = None
    names: Sequence[str] = ()

    @property
    def pictures(self) -> list[Picture]:
        """Every picture of the page, in order."""
        first = [] if self.picture is None else [self.picture]
        return [*first, *(one for section in self.sections for one in section.pictures)]


def diagnostics_section(diagnosis: Diagnosis, tables: Sequence[Table] = ()) -> PageSection:
    """Return the section that says whether the figures can be trusted."""
    verdict = diagnosis.verdict[:1].upper() + diagnosis.verdict[1:]
    facts = diagnosis.written()
    return PageSection("Diagnostics", words=[verdict], facts=facts, tables=tables)
