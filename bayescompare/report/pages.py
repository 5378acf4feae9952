"""The page of a result of `compare`, `pairwise` or `rank`."""

from __future__ import annotations

from bayescompare._errors import BayescompareError
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.pairwise import Pairwise
from bayescompare.comparison.rule import as_rule
from bayescompare.ranking.ranking import Ranking
from bayescompare.report.comparison_page import comparison_page
from bayescompare.report.page import Page
from bayescompare.report.pairwise_page import pairwise_page
from bayescompare.report.ranking_page import ranking_page

__all__ = ["report_page_of"]


def report_page_of(
    thing: object,
    *,
    level: float | None = None,
    fdr: float | None = None,
    command: str | None = None,
) -> Page:
    """Return the page of a result; `level` or `fdr` is the rule for all pairs.

    Examples
    --------
    >>> import bayescompare as bc
    >>> page = report_page_of(bc.compare(bc.load_example("pnn")))
    >>> [section.title for section in page.sections]
    ['Tables', 'Sensitivity', 'Diagnostics', 'Data', 'Method', 'How it was made']
    """
    if isinstance(thing, Comparison):
        return comparison_page(thing, command)
    if isinstance(thing, Pairwise):
        return pairwise_page(thing, as_rule(level=level, fdr=fdr), command)
    if isinstance(thing, Ranking):
        return ranking_page(thing, command)
    raise BayescompareError(
        f"a {type(thing).__name__} has no report: give the result of compare(), pairwise() or "
        "rank()."
    )
