"""Algorithms by rank, joined where nothing tells them apart: any decision, and Friedman's test."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING
from unicodedata import bidirectional

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import Rule, as_rule
from bayescompare.plots._drawing import clip, finish, prefix_words
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pairs import (
    ABOVE,
    BELOW,
    SAME,
    ahead,
    ranked_measure,
    signs,
    verdicts_words,
)
from bayescompare.plots.pen import PHONE, WIDE, Pen, fit, width
from bayescompare.plots.rows import Strip, rows_pen
from bayescompare.text.names import short_names
from bayescompare.text.numbers import plural, rank_number_text

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["plot_critical", "plot_ranks"]

#: Turns the direction of writing back.
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"

#: A line is legible up to this many algorithms and bars.
_MOST_NAMES, _MOST_BARS = 40, 20

#: Longest name in a title, and what a bar reaches beyond its ends, in ranks.
_NAME, _BEYOND = 28, 0.04

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
    """The ranking of a measure, best first, and what the decision says of its pairs.

    Attributes
    ----------
    p : Pairwise
    measure : str, optional
    rule : Rule
    names : list of str
    ranks : array (l,)
    left_open, equivalent : graphs over the places
        Pairs without a verdict, and pairs found equivalent on every measure.
    unordered : int
        Pairs whose verdict is neither a winner on every measure nor equivalence.
    """

    p: Pairwise
    measure: str | None
    rule: Rule
    names: list[str]
    ranks: FloatArray
    left_open: nx.Graph[int]
    equivalent: nx.Graph[int]
    unordered: int

    @classmethod
    def of(cls, p: Pairwise, measure: str | None, rule: Rule) -> Standing:
        """Rank all algorithms that were compared with another."""
        import networkx as nx

        measure = ranked_measure(p, measure)
        ranks = expected_ranks(p, measure)
        order = [k for k in np.argsort(ranks, kind="stable") if not np.isnan(ranks[k])]
        names = [p.results.algorithms[k] for k in order]
        place = {name: k for k, name in enumerate(names)}
        left_open: nx.Graph[int] = nx.Graph()
        equivalent: nx.Graph[int] = nx.Graph()
        unordered, table = 0, p.decided(rule)
        columns = (table[c] for c in ("first", "second", "statement", "asserted"))
        for first, second, statement, asserted in zip(*columns, strict=True):
            if first not in place or second not in place:
                continue
            verdict = set(signs(statement, first, second))
            if not asserted:
                left_open.add_edge(place[first], place[second])
            elif verdict == {SAME}:
                equivalent.add_edge(place[first], place[second])
            elif verdict not in ({ABOVE}, {BELOW}):
                unordered += 1
        return cls(p, measure, rule, names, ranks[order], left_open, equivalent, unordered)

    @cached_property
    def bars(self) -> list[Bar] | None:
        """The groups, best first; None if there are too many algorithms or groups for a line."""
        import networkx as nx

        if self.p.reference is not None or len(self.names) > _MOST_NAMES:
            return None
        bars: list[Bar] = []
        for graph, equivalent in ((self.left_open, False), (self.equivalent, True)):
            # The largest groups in which every pair has an edge; there may be very many.
            some = itertools.islice(nx.find_cliques(graph), _MOST_BARS + 1)
            bars += [Bar(tuple(sorted(group)), equivalent) for group in some]
        if len(bars) > _MOST_BARS:
            return None
        return sorted(bars, key=lambda bar: (bar.equivalent, bar.members))

    @property
    def meaning(self) -> str:
        """What the ranks are."""
        by = "by dominance" if self.measure is None else f"on {clip(self.measure, _NAME)}"
        what = f"{'rank by P' if self.p.bayesian else 'mean rank'} {by}"
        if self.p.reference is None:
            return what
        short = short_names(self.p.results.algorithms)
        return f"{what}, of two, against {clip(short[self.p.reference], _NAME)}"

    def pen(self, w: float) -> Pen:
        """Draw the ranks on a line or, of too many, in rows."""
        short, ranks, graph = short_names(self.p.results.algorithms), self.ranks, self.left_open
        shown = [short[name] for name in self.names]
        if self.bars is not None:
            return line_pen(ranks, shown, self.bars, w, label=self.meaning)
        ends = 1.0, float(len(shown)) if self.p.reference is None else 2.0
        others = [ranks[list(graph[k])].tolist() if k in graph else [] for k in range(len(shown))]
        ticks = np.unique(np.round(np.linspace(*ends, 5))).tolist()
        said = [rank_number_text(rank) for rank in ranks]
        tips = [f"{name}: {rank}" for name, rank in zip(shown, said, strict=True)]
        strip = Strip(ranks, ends, ticks, self.meaning, others=others, tips=tips)
        return rows_pen(self.meaning, shown, [strip], w, figures=("rank", said))

    def title(self) -> list[str]:
        """Say what is drawn, and by which rule pairs have a verdict."""
        p, bars = self.p, self.bars
        lines = [
            f"{p.method.name}: {self.meaning}, best {'on top' if bars is None else 'on the left'}",
            verdicts_words(p, p.decided(self.rule), self.rule),
        ]
        if p.bayesian:
            lines.append("rank by P: 1 + the sum of P(better) of the others")
        if len(p.results.measures) > 1:
            lines.append(f"verdicts are about all {len(p.results.measures)} measures")
        if bars is None:
            lines.append("marks: pairs without a verdict")
        elif any(not bar.equivalent for bar in bars):
            lines.append("bars: groups in which every pair is left open")
        if same := self.equivalent.number_of_edges():
            lines_are = "" if bars is None else " (double lines)"
            lines.append(f"{plural(same, 'pair')} found equivalent{lines_are}")
        if self.unordered:
            name = "names" if self.unordered == 1 else "name"
            lines.append(f"{plural(self.unordered, 'verdict')} {name} no winner on every measure")
        return [*lines, *prefix_words(p.results.algorithms)]


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
    standing = Standing.of(p, measure, as_rule(level=level, fdr=fdr))
    return finish(standing.pen(WIDE).onto(ax), *standing.title())


def critical_pen(
    p: Pairwise, w: float = WIDE, *, measure: str | None = None, rule: Rule | None = None
) -> Pen:
    """Draw the ranks of all algorithms on a measure, and what the decision leaves open."""
    return Standing.of(p, measure, rule or Rule()).pen(w)


def expected_ranks(p: Pairwise, measure: str | None) -> FloatArray:
    """Return the rank of each algorithm on a measure, as defined in `plot_critical`."""
    names = p.results.algorithms
    place = {name: k for k, name in enumerate(names)}
    known = p.figures.ahead
    if known is None or measure is None:
        pairs = zip(p.comparisons, p.figures.pairs, strict=True)
        lead = np.array([ahead(c, first, second, measure) for c, (first, second) in pairs])
    else:
        lead = known[:, p.results.measures.index(measure)]
    both = np.array([[place[one], place[other]] for one, other in p.figures.pairs]).T
    behind = np.bincount(both.ravel(), np.concatenate([1.0 - lead, lead]), len(names))
    met = np.bincount(both.ravel(), minlength=len(names)).astype(np.float64)
    met[met == 0] = np.nan  # an algorithm without any comparison has no rank
    if p.reference is None:
        return np.asarray(1.0 + (len(names) - 1) * behind / met)
    ranks = 1.0 + behind / met
    ranks[place[p.reference]] = 1.5  # neither ahead of itself nor behind
    return np.asarray(ranks)


def line_pen(
    ranks: FloatArray,
    names: Sequence[str],
    bars: Sequence[Bar],
    w: float = WIDE,
    *,
    label: str,
    apart: float | None = None,
) -> Pen:
    """Draw sorted ranks on a line, the names below it, and bars; above it how far is `apart`.

    A bar that would pass over an algorithm outside its group is a thin line with a dot at each
    member; then bars have letters, which are repeated after the names, so that the groups are
    clear even if ranks are equal.
    """
    l, half, size = len(ranks), (len(ranks) + 1) // 2, 12.5 if w >= PHONE else 11.0
    lettered = not all(bar.whole(ranks) for bar in bars)
    pen = Pen(w, label)
    words = []
    for k, rank in enumerate(ranks):
        within = [ascii_lowercase[b] for b, bar in enumerate(bars) if k in bar.members]
        letters = f" ({', '.join(within)})" if lettered and within else ""
        # Figures stay on the right of a name that is written from right to left.
        turned = any(bidirectional(letter) in ("R", "AL") for letter in names[k])
        words.append(f"{LEFT_TO_RIGHT * turned} {rank_number_text(rank)}{letters}")
    room = max(width(name + more, size) for name, more in zip(names, words, strict=True)) + 6
    room = min(room, 0.36 * w)
    start, end = room + 12, w - room - 12

    def at(rank: float) -> float:
        return start + (rank - 1) / max(l - 1, 1) * (end - start)

    y = 22.0
    if apart is not None:
        pen.line((at(1), 8), (at(1 + apart), 8), stroke="gray", sw=4)
        said = f"critical difference {rank_number_text(apart)}"
        pen.text(min(at(1 + apart) + 6, w - width(said, size)), 12, said, size)
        y += 20
    pen.line((at(1), y), (at(l), y), stroke="ink", sw=1.2)
    # Ticks that have room for their numbers.
    step = next(k for k in (1, 5, 10, 50, 100) if k * (end - start) >= 16 * l)
    for rank in range(1, l + 1):
        if rank == 1 or rank % step == 0:
            pen.line((at(rank), y), (at(rank), y - 5), stroke="ink")
            pen.text(at(rank), y - 8, str(rank), 10, "middle", "mute")
    below = y + 14 + 11 * len(bars)
    for k, (rank, name, more) in enumerate(zip(ranks, names, words, strict=True)):
        left = k < half
        line = below + 18 * ((k if left else l - 1 - k) + 1) - 4
        pen.line((at(rank), y), (at(rank), line), (start - 4 if left else end + 4, line),
                 stroke="gray")  # fmt: skip
        shown = fit(name, size, room - width(more, size)) + more
        x, side = (start - 8, "end") if left else (end + 8, "start")
        pen.text(x, line + 4, shown, size, side, tip=name)  # type: ignore[arg-type]
    for k, bar in enumerate(bars):
        level, own = y + 12 + 11 * k, ranks[list(bar.members)]
        ends = at(own[0] - _BEYOND), at(own[-1] + _BEYOND)
        colour = "ink" if bar.equivalent else "a"
        if bar.equivalent:
            for shift in (-2, 2):
                pen.line((ends[0], level + shift), (ends[1], level + shift), stroke=colour, sw=1.2)
        elif bar.whole(ranks):
            pen.line((ends[0], level), (ends[1], level), stroke=colour, sw=4)
        else:
            pen.line((ends[0], level), (ends[1], level), stroke=colour, sw=1.4)
        if not bar.whole(ranks):
            for rank in own:
                pen.dot(at(rank), level, 3, colour)
        if lettered:
            pen.text(ends[0] - 4, level + 4, ascii_lowercase[k], 10, "end", "mute")
    return pen


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
    >>> [text.get_text() for text in ax.texts][9:11]
    ['GBM 3.41', 'RF 3.84']
    """
    return finish(ranks_pen(c).onto(ax), c.headline())


def ranks_pen(c: Comparison, w: float = WIDE) -> Pen:
    """Draw the mean ranks of Friedman's test with the critical difference."""
    ranked, apart = c.ranks.sort_values(kind="stable"), c.critical_difference
    ranks = ranked.to_numpy()
    bars = [Bar(tuple(range(start, stop + 1))) for start, stop in joined_ranks(ranks, apart)]
    names = [str(name) for name in ranked.index]
    return line_pen(ranks, names, bars, w, label=c.headline(), apart=apart)


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
