"""A critical-difference diagram for any pairwise decision: bars over pairs without a verdict."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    LITERAL,
    clip_drawn_text,
    new_axes,
    prefix_words,
    set_title,
    shown_names,
)
from bayescompare.plots._line import MOST_BARS, MOST_NAMES, LineBar, draw_line, line_size
from bayescompare.plots._pairs import (
    ABOVE,
    BELOW,
    SAME,
    plotted_no_winner_words,
    plotted_pair_ahead,
    plotted_pair_signs,
    plotted_ranked_measure,
    plotted_verdicts_words,
    rule_of_plotted_pairs,
)
from bayescompare.plots.critical_rows import draw_rows, rows_size
from bayescompare.text.names import short_names
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["critical_size", "plot_critical"]


@dataclass(frozen=True)
class CriticalStanding:
    """The ranking, best first, and the pairs without a verdict.

    Attributes
    ----------
    names : list of str
    ranks : array (l,)
    left_open, equivalent : graphs over the places
        Pairs without a verdict, and pairs found equivalent on every measure.
    unordered : int
        Pairs whose verdict is neither a winner on every measure nor equivalence.
    """

    names: list[str]
    ranks: FloatArray
    left_open: nx.Graph[int]
    equivalent: nx.Graph[int]
    unordered: int


def plot_critical(
    p: Pairwise,
    *,
    measure: str | None = None,
    level: float | None = None,
    fdr: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the algorithms by their rank; a bar joins a group of which no pair has a verdict.

    .. math:: \text{rank}_i = 1 + \sum_{j \ne i} a_{ji}

    where a_ji is how far opponent j is ahead of i on the measure. Frequentist: the share of
    datasets on which j is better, so that this is the mean rank over the datasets. Bayesian: the
    probability that the pair's most probable statement favours j there; this is the "rank by P",
    which goes to 1, 2, 3 … as P goes to 0 or 1, wherever the mean ranks are. Ties count half for
    each. Ranks on several measures are not averaged, which would weigh the measures
    against each other; verdicts may be about all of them.

    The verdicts are those of `Pairwise.decide`, which does not use ranks. So a group may leave out
    an algorithm that ranks between its members: then the bar is a thin line with a dot at each
    member, and letters mark the members. A double line joins equivalent algorithms.

    Parameters
    ----------
    p : Pairwise
    measure : str, optional
        The measure to rank by; needed if there are several, except for a method that asks one
        Bayesian question about all (``"gsd-bootstrap"``).
    level, fdr : float, optional
        As for `Pairwise.decide`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Notes
    -----
    Beyond 40 algorithms or 20 groups, and against a reference, each algorithm has a row, with a
    mark for each pair without a verdict. Against a reference each rank lies between 1 and 2: it is
    the rank among two, the algorithm and the reference.

    References
    ----------
    Demšar (2006), Section 3.2.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["CART", "GBM", "RF"], n_jobs=1)
    >>> ax = plot_critical(p, measure="auc", ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][-3:]
    ['GBM 1.44', 'RF 1.58', 'CART 2.98']
    """
    rule = rule_of_plotted_pairs(p, level, fdr)
    table = p.decided(rule)
    chosen = plotted_ranked_measure(p, measure)
    standing = _critical_plot_standing(p, table, chosen)
    bars = _critical_plot_bars(p, standing)
    shown = _without_prefix(p, standing.names)
    if bars is None:
        ax = new_axes(ax, rows_size(shown))
        draw_rows(ax, standing.ranks, shown, standing.left_open)
        ax.set_xlabel(_critical_plot_meaning(p, chosen), **LITERAL)
        if p.reference is not None:
            ax.set_xlim(0.97, 2.03)
    else:
        ax = new_axes(ax, line_size(len(standing.names), len(bars)))
        draw_line(ax, standing.ranks, shown, bars, top=0.8)
    set_title(ax, *_critical_plot_title(p, table, standing, bars, rule, chosen))
    return ax


def critical_size(
    p: Pairwise,
    *,
    measure: str | None = None,
    level: float | None = None,
    fdr: float | None = None,
) -> tuple[float, float]:
    """Return the width and height in inches that `plot_critical` needs."""
    table = p.decided(rule_of_plotted_pairs(p, level, fdr))
    standing = _critical_plot_standing(p, table, plotted_ranked_measure(p, measure))
    bars = _critical_plot_bars(p, standing)
    if bars is None:
        return rows_size(_without_prefix(p, standing.names))
    return line_size(len(standing.names), len(bars))


def _without_prefix(p: Pairwise, names: Sequence[str]) -> list[str]:
    short = short_names(p.results.algorithms)
    return [short[name] for name in names]


# what is drawn -----------------------------------------------------------------------------------


def _critical_plot_standing(
    p: Pairwise, table: pd.DataFrame, measure: str | None
) -> CriticalStanding:
    import networkx as nx

    ranks = _critical_plot_ranks(p, measure)
    # An algorithm without any comparison has no rank and is left out.
    order = [k for k in np.argsort(ranks, kind="stable") if not np.isnan(ranks[k])]
    names = [p.results.algorithms[k] for k in order]
    place = {name: k for k, name in enumerate(names)}
    left_open: nx.Graph[int] = nx.Graph()
    equivalent: nx.Graph[int] = nx.Graph()
    unordered = 0
    columns = ("first", "second", "statement", "asserted")
    for first, second, statement, asserted in zip(*(table[c] for c in columns), strict=True):
        if first not in place or second not in place:
            continue
        verdict = set(plotted_pair_signs(statement, first, second))
        if not asserted:
            left_open.add_edge(place[first], place[second])
        elif verdict == {SAME}:
            equivalent.add_edge(place[first], place[second])
        elif verdict not in ({ABOVE}, {BELOW}):
            unordered += 1
    return CriticalStanding(names, ranks[order], left_open, equivalent, unordered)


def _critical_plot_ranks(p: Pairwise, measure: str | None) -> FloatArray:
    """Return the rank of each algorithm on a measure, as defined in `plot_critical`."""
    names = p.results.algorithms
    place = {name: k for k, name in enumerate(names)}
    behind, met = np.zeros(len(names)), np.zeros(len(names))
    for (one, other), lead in zip(
        p.figures.pairs, _leads_in_critical_diagram(p, measure), strict=True
    ):
        first, second = place[one], place[other]
        behind[first] += 1.0 - lead
        behind[second] += lead
        met[[first, second]] += 1
    met[met == 0] = np.nan
    if p.reference is None:
        return np.asarray(1.0 + (len(names) - 1) * behind / met)
    ranks = 1.0 + behind / met
    ranks[place[p.reference]] = 1.5  # neither ahead of itself nor behind
    return np.asarray(ranks)


def _leads_in_critical_diagram(p: Pairwise, measure: str | None) -> Iterable[float]:
    """How far each pair's first algorithm is ahead."""
    known = p.figures.ahead
    if known is None or measure is None:
        pairs = zip(p.comparisons, p.figures.pairs, strict=True)
        return (plotted_pair_ahead(c, first, second, measure) for c, (first, second) in pairs)
    return iter(known[:, p.results.measures.index(measure)])


def _critical_plot_bars(p: Pairwise, standing: CriticalStanding) -> list[LineBar] | None:
    """Return the groups, best first; None if there are too many algorithms or groups for a line."""
    if p.reference is not None or len(standing.names) > MOST_NAMES:
        return None
    groups = [
        *_critical_plot_cliques(standing.left_open),
        *_critical_plot_cliques(standing.equivalent, equivalent=True),
    ]
    if len(groups) > MOST_BARS:
        return None
    return sorted(groups, key=lambda bar: (bar.equivalent, bar.members))


def _critical_plot_cliques(graph: nx.Graph[int], *, equivalent: bool = False) -> list[LineBar]:
    """Return the largest groups in which every pair has an edge; stop if there are too many."""
    import networkx as nx

    some = itertools.islice(nx.find_cliques(graph), MOST_BARS + 1)
    return [LineBar(tuple(sorted(group)), equivalent) for group in some]


# words -------------------------------------------------------------------------------------------


def _critical_plot_meaning(p: Pairwise, measure: str | None) -> str:
    by = "by dominance" if measure is None else f"on {clip_drawn_text(measure, 28)}"
    what = f"rank by P {by}" if p.bayesian else f"mean rank {by}"
    if p.reference is None:
        return what
    return f"{what}, of two, against {shown_names(p.results.algorithms, 28)[p.reference]}"


def _critical_plot_title(
    p: Pairwise,
    table: pd.DataFrame,
    standing: CriticalStanding,
    bars: list[LineBar] | None,
    rule: Rule,
    measure: str | None,
) -> list[str]:
    side = "on top" if bars is None else "on the left"
    lines = [
        f"{p.method.name}: {_critical_plot_meaning(p, measure)}, best {side}",
        plotted_verdicts_words(p, table, rule),
    ]
    if p.bayesian:
        lines.append("rank by P: 1 + the sum of P(better) of the others")
    if len(p.results.measures) > 1:
        lines.append(f"verdicts are about all {len(p.results.measures)} measures")
    if bars is None:
        lines.append("marks: pairs without a verdict")
    elif any(not bar.equivalent for bar in bars):
        lines.append("bars: groups in which every pair is left open")
    if standing.equivalent.number_of_edges():
        pairs = plural(standing.equivalent.number_of_edges(), "pair")
        double = "" if bars is None else " (double lines)"
        lines.append(f"{pairs} found equivalent{double}")
    if standing.unordered:
        lines.append(plotted_no_winner_words(standing.unordered))
    return [*lines, *prefix_words(p.results.algorithms)]
