"""Algorithms by rank, joined where nothing tells them apart: any decision, and Friedman's test."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import Rule, as_rule
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    clip,
    finish,
    new_axes,
    note,
    prefix_words,
    shown_names,
)
from bayescompare.plots._pairs import (
    ABOVE,
    BELOW,
    SAME,
    ahead,
    no_winner_words,
    ranked_measure,
    signs,
    verdicts_words,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.text.names import short_names
from bayescompare.text.numbers import plural, rank_number_text

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_critical", "plot_ranks"]

#: A line is legible up to this many algorithms and bars.
_MOST_NAMES, _MOST_BARS = 40, 20

#: Longest name, and what a bar reaches beyond its ends, in ranks.
_NAME, _BEYOND = 28, 0.04

#: Units between bars and between names.
_BAR, _ROW = 0.28, 0.5

#: Up to this many rows are set apart; more are as narrow as small print.
_MOST_WIDE = 60


@dataclass(frozen=True)
class Bar:
    """A bar that joins a group of algorithms.

    Attributes
    ----------
    members : tuple of int
        Places in the sorted ranks.
    equivalent : bool
        Whether they are equivalent; otherwise no pair of them has a verdict.
    """

    members: tuple[int, ...]
    equivalent: bool = False

    def whole(self, ranks: FloatArray) -> bool:
        """Whether the bar covers its members and no other algorithm."""
        low = ranks[self.members[0]] - 1.5 * _BEYOND
        high = ranks[self.members[-1]] + 1.5 * _BEYOND
        return int(np.count_nonzero((ranks >= low) & (ranks <= high))) == len(self.members)


@dataclass(frozen=True)
class Standing:
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


@plot_of(Pairwise, "critical")
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
    rule = as_rule(level=level, fdr=fdr)
    table, chosen = p.decided(rule), ranked_measure(p, measure)
    standing = _standing(p, table, chosen)
    bars = _bars(p, standing)
    short = short_names(p.results.algorithms)
    shown = [short[name] for name in standing.names]
    if bars is None:
        ax = _draw_rows(ax, standing.ranks, shown, standing.left_open)
        ax.set_xlabel(_meaning(p, chosen))
        if p.reference is not None:
            ax.set_xlim(0.97, 2.03)
    else:
        ax = _draw_line(ax, standing.ranks, shown, bars, top=0.8)
    title = _title(p, table, standing, bars, rule, chosen)
    return finish(ax, *title, bare="top right left")


# what is drawn ------------------------------------------------------------------------------------


def _standing(p: Pairwise, table: pd.DataFrame, measure: str | None) -> Standing:
    import networkx as nx

    ranks = expected_ranks(p, measure)
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
        verdict = set(signs(statement, first, second))
        if not asserted:
            left_open.add_edge(place[first], place[second])
        elif verdict == {SAME}:
            equivalent.add_edge(place[first], place[second])
        elif verdict not in ({ABOVE}, {BELOW}):
            unordered += 1
    return Standing(names, ranks[order], left_open, equivalent, unordered)


def expected_ranks(p: Pairwise, measure: str | None) -> FloatArray:
    """Return the rank of each algorithm on a measure, as defined in `plot_critical`."""
    names = p.results.algorithms
    place = {name: k for k, name in enumerate(names)}
    behind, met = np.zeros(len(names)), np.zeros(len(names))
    known = p.figures.ahead
    if known is None or measure is None:
        pairs = zip(p.comparisons, p.figures.pairs, strict=True)
        leads = [ahead(c, first, second, measure) for c, (first, second) in pairs]
    else:
        leads = known[:, p.results.measures.index(measure)].tolist()
    for (one, other), lead in zip(p.figures.pairs, leads, strict=True):
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


def _bars(p: Pairwise, standing: Standing) -> list[Bar] | None:
    """Return the groups, best first; None if there are too many algorithms or groups for a line."""
    import networkx as nx

    if p.reference is not None or len(standing.names) > _MOST_NAMES:
        return None
    bars: list[Bar] = []
    for graph, equivalent in ((standing.left_open, False), (standing.equivalent, True)):
        # The largest groups in which every pair has an edge; there may be very many.
        some = itertools.islice(nx.find_cliques(graph), _MOST_BARS + 1)
        bars += [Bar(tuple(sorted(group)), equivalent) for group in some]
    if len(bars) > _MOST_BARS:
        return None
    return sorted(bars, key=lambda bar: (bar.equivalent, bar.members))


# words --------------------------------------------------------------------------------------------


def _meaning(p: Pairwise, measure: str | None) -> str:
    by = "by dominance" if measure is None else f"on {clip(measure, _NAME)}"
    what = f"rank by P {by}" if p.bayesian else f"mean rank {by}"
    if p.reference is None:
        return what
    return f"{what}, of two, against {shown_names(p.results.algorithms, _NAME)[p.reference]}"


def _title(
    p: Pairwise,
    table: pd.DataFrame,
    standing: Standing,
    bars: list[Bar] | None,
    rule: Rule,
    measure: str | None,
) -> list[str]:
    side = "on top" if bars is None else "on the left"
    lines = [
        f"{p.method.name}: {_meaning(p, measure)}, best {side}",
        verdicts_words(p, table, rule),
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
        lines.append(f"{pairs} found equivalent{'' if bars is None else ' (double lines)'}")
    if standing.unordered:
        lines.append(no_winner_words(standing.unordered))
    return [*lines, *prefix_words(p.results.algorithms)]


# a line of ranks, or a row for each algorithm -----------------------------------------------------


def _draw_line(
    ax: Axes | None, ranks: FloatArray, names: Sequence[str], bars: Sequence[Bar], *, top: float
) -> Axes:
    """Draw sorted ranks with their names and bars; `top` is the upper limit of the Axes.

    A bar that would pass over an algorithm outside its group is a thin line with a dot at each
    member; then bars have letters, which are repeated after the names, so that the groups are
    clear even if ranks are equal.
    """
    l = len(ranks)
    half = (l + 1) // 2
    ax = new_axes(ax, (8.0, 1.6 + 0.26 * half + 0.14 * len(bars)))
    lettered = len(bars) <= _MOST_BARS and not all(bar.whole(ranks) for bar in bars)
    beside: dict[str, Any] = {"va": "center", "annotation_clip": False}
    ax.plot([1, l], [0, 0], color=INK, linewidth=1.2)
    for rank in range(1, l + 1):
        ax.plot([rank, rank], [0, 0.15], color=INK, linewidth=1.0)
        if l <= 30 or rank % 5 == 0:
            ax.annotate(str(rank), (rank, 0.22), ha="center", va="bottom", fontsize="small")
    for k, bar in enumerate(bars):
        y = -0.35 - _BAR * k
        _draw_bar(ax, ranks, bar, y)
        if lettered:
            at = ranks[bar.members[0]], y
            note(ax, ascii_lowercase[k], at, -5.0, 0.0, ha="right", **beside, fontsize="x-small")
    below = -0.35 - _BAR * len(bars)
    for k, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        left = k < half
        y = below - _ROW * ((k if left else l - 1 - k) + 1)
        edge, shift, side = (0.7, -5.0, "right") if left else (l + 0.3, 5.0, "left")
        ax.plot([rank, rank, edge], [0.0, y, y], color=INK, linewidth=0.8)
        words = f"{clip(name, _NAME)} {rank_number_text(rank)}"
        if lettered:
            within = [ascii_lowercase[b] for b, bar in enumerate(bars) if k in bar.members]
            words += f" ({', '.join(within)})" if within else ""
        note(ax, words, (edge, y), shift, 0.0, ha=side, **beside)
    ax.set_ylim(below - _ROW * half - 0.4, top)
    ax.set_axis_off()
    return ax


def _draw_bar(ax: Axes, ranks: FloatArray, bar: Bar, y: float) -> None:
    at, whole = ranks[list(bar.members)], bar.whole(ranks)
    ends = [at[0] - _BEYOND, at[-1] + _BEYOND]
    if bar.equivalent:
        ax.plot(ends, [y, y], color=INK, linewidth=5.0, solid_capstyle="butt")
        ax.plot(ends, [y, y], color="white", linewidth=2.6, solid_capstyle="butt")
    elif whole:
        ax.plot(ends, [y, y], color=BLUE, linewidth=4.0, solid_capstyle="butt")
    if not whole:
        colour, line = (INK, "none") if bar.equivalent else (BLUE, "-")
        style: dict[str, Any] = {"linestyle": line, "linewidth": 1.2, "marker": "o"}
        ax.plot(at, np.full(len(at), y), color=colour, markersize=5.0, **style)


def _draw_rows(
    ax: Axes | None, ranks: FloatArray, names: Sequence[str], left_open: nx.Graph[int]
) -> Axes:
    """Draw sorted ranks, best on top, with a mark in each row per pair without a verdict."""
    shown = [clip(name, _NAME) for name in names]
    wide = len(ranks) <= _MOST_WIDE
    size = 6.6 + 0.085 * max(map(len, shown)), 1.9 + (0.2 if wide else 0.115) * len(names)
    ax, rows = new_axes(ax, size), np.arange(len(ranks))
    pairs = np.array([pair for i, j in left_open.edges for pair in ((i, j), (j, i))])
    if len(pairs):
        row, other = pairs.T
        reach = np.stack([ranks, ranks])
        np.minimum.at(reach[0], row, ranks[other])
        np.maximum.at(reach[1], row, ranks[other])
        ax.hlines(rows, *reach, color=GREY, linewidth=1.0, zorder=1)
        # One call for thousands of marks; they are drawn above the dots that they may meet.
        style: dict[str, Any] = {"marker": "|", "linewidths": 0.9, "zorder": 4}
        ax.scatter(ranks[other], row, 22.0 if wide else 10.0, INK, label="left open", **style)
    ax.scatter(ranks, rows, 16.0, BLUE, zorder=3, label="rank")
    ax.set_yticks(rows, shown, fontsize="small" if wide else 6.0)
    ax.set_ylim(len(ranks) - 0.3, -0.7)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


# Friedman's test ----------------------------------------------------------------------------------


@plot_of(Comparison, "ranks", needs="ranks")
def plot_ranks(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks, best on the left; bars join ranks that do not differ significantly.

    Parameters
    ----------
    c : Comparison
        A comparison by ``"friedman"``.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(bc.load_example("jansen-uci"), measures=["auc"], method="friedman")
    >>> ax = plot_ranks(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][8:10]
    ['GBM 3.41', 'RF 3.84']
    """
    ranked, apart = c.ranks.sort_values(kind="stable"), c.critical_difference
    ranks = ranked.to_numpy()
    bars = [Bar(tuple(range(start, stop + 1))) for start, stop in joined_ranks(ranks, apart)]
    ax = _draw_line(ax, ranks, [str(name) for name in ranked.index], bars, top=1.5)
    ax.plot([1, 1 + apart], [0.95, 0.95], color=GREY, linewidth=4, solid_capstyle="butt")
    words = f"critical difference {rank_number_text(apart)}"
    note(ax, words, (1 + apart, 0.95), 4, 0, va="center", fontsize=None)
    return finish(ax, c.headline())


def joined_ranks(ranks: FloatArray, apart: float) -> list[tuple[int, int]]:
    """Return the maximal runs of sorted ranks that do not differ.

    Examples
    --------
    >>> joined_ranks(np.array([1.0, 2.0, 2.5, 4.0]), 1.2)
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for start, rank in enumerate(ranks):
        stop = int(np.searchsorted(ranks, rank + apart, side="left")) - 1
        if stop > start and (not runs or stop > runs[-1][1]):
            runs.append((start, stop))
    return runs
