"""What stands in a report, whatever its format: sections of words, pictures, tables and facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayescompare._errors import BayescompareError
from bayescompare._pairwise import Pairwise
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.rule import as_rule
from bayescompare.report.tables import Shaded, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.diagnosis import Diagnosis

__all__ = ["Page", "Picture", "Section", "diagnosed", "page_of"]


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


def page_of(
    thing: object,
    *,
    level: float | None = None,
    fdr: float | None = None,
    command: str | None = None,
) -> Page:
    """Bring a result into the shape of a page; `level` or `fdr` is the rule over all pairs.

    Examples
    --------
    >>> import bayescompare as bc
    >>> page = page_of(bc.compare(bc.load_example("pnn")))
    >>> [section.title for section in page.sections]
    ['Figures', 'Tables', 'Sensitivity', 'Diagnostics', 'Data', 'Method', 'How it was made']
    """
    from bayescompare.report.comparison_page import comparison_page
    from bayescompare.report.pairwise_page import pairwise_page

    if isinstance(thing, Comparison):
        return comparison_page(thing, command)
    if isinstance(thing, Pairwise):
        return pairwise_page(thing, as_rule(level=level, fdr=fdr), command)
    raise BayescompareError(
        f"a {type(thing).__name__} has no report: give what compare() or pairwise() returned."
    )
