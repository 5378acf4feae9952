"""The statements of one comparison, as a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.outcome.answer import LOWER, THETA_LOWER, THETA_MEAN, THETA_UPPER, UPPER
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.decision import SETTLED
from bayescompare.outcome.words import ARROWS, figure_of
from bayescompare.plots._drawing import finish
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import PHONE, WIDE, Pen, fit, width
from bayescompare.statements import Statement
from bayescompare.text.numbers import count, narrow_probability
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_statements"]

#: A statement that no dataset supports and that is less probable than this has no separate bar.
_NEGLIGIBLE = 0.0005

#: Largest width of the title in inches: the room above bars and figures, without the labels.
_TITLE = 5.6

#: Beyond so many measures marks have no room.
_MOST_MARKED = 10


@dataclass(frozen=True)
class Row:
    """One bar: a statement, or several together (`single` is False)."""

    label: str
    count: float
    probability: float | None
    single: bool = True
    best: bool = False
    theta: tuple[float, float, float] | None = None
    #: The least and the largest P over all prior means.
    bounds: tuple[float, float] | None = None


@plot_of(Comparison, "statements")
def plot_statements(c: Comparison, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the statements as a grid: a row for each, a mark for each measure.

    A circle is a measure on which the first algorithm wins, a square one on which the second does.
    Beside them, the share of datasets on which the statement holds, with its 95 % interval (a test:
    as counted), P that it is the most frequent one, and the datasets that show it. Below, each
    measure by itself. Of more than two algorithms each statement is written as an order.

    Parameters
    ----------
    c : Comparison
    most : int
        Largest number of single statements; the others share a row, and so do those that were
        never observed and are not listed.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> ax = plot_statements(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][:2]
    ['A wins', 'B wins']
    """
    whole: object = most  # of any type at run time
    if isinstance(whole, bool) or not isinstance(whole, int) or whole < 1:
        raise BayescompareError(f"most={most!r}: give a whole number of bars, at least 1.")
    return finish(statements_pen(c, most=most).onto(ax), c.headline(), most=_TITLE)


def statements_pen(c: Comparison, w: float = WIDE, *, most: int = 20) -> Pen:
    """Draw the statements of a comparison, the most probable first."""
    rows, d, measures = _rows(c, most), c.decision, c.results.measures
    names, narrow = c.results.algorithms, w < PHONE
    grid = len(names) == 2 and len(c.answer.states) == len(measures) <= _MOST_MARKED
    size, k, total = 12.0 if narrow else 13.0, len(measures), len(c.results.datasets)
    pen = Pen(w, f"Statements about {' and '.join(names)}: {c.headline()}")
    column = (74.0 if narrow else 92.0) if k < 4 else (34.0 if narrow else 64.0)
    column = min(column, (0.5 if narrow else 0.6) * w / k)
    left = column * k + (14 if narrow else 30) if grid else (0.42 if narrow else 0.55) * w
    right = 46.0
    ends = left, w - 2 * right - (4 if narrow else 24)

    def across(share: float) -> float:
        return left + share * (ends[1] - ends[0])

    x, y, most_named = 2.0, 16.0, w / 2 - 60
    if grid:
        for side, name in enumerate(names):
            words = fit(f"{name} wins", size, most_named)
            pen.mark(x + 6, y - 4, side, 5.5)
            pen.text(x + 17, y, words, size, tip=name)
            x += 34 + width(words, size)
        y += 32
        for j, name in enumerate(measures):
            head = f"{name} {ARROWS[c.results[name].direction]}"
            pen.text(column * (j + 0.5), y, fit(head, size - 1, column - 4), size - 1, "middle",
                     "mute", tip=name)  # fmt: skip
    held = "share of datasets it holds on"
    if any(row.theta for row in rows):
        held += ", with 95 % interval"
    if width(held, size - 1) > ends[1] - left:
        held = "holds on (95 %)" if any(row.theta for row in rows) else "holds on"
        held = held if width(held, size - 1) <= ends[1] - left else "share"
    pen.text(left, y, fit(held, size - 1, ends[1] - left), size - 1, fill="mute")
    bayesian = c.answer.probability is not None
    if bayesian:
        pen.text(w - right, y, "P leads", size - 1, "end", "mute")
    pen.text(w - 2, y, "n", size - 1, "end", "mute")
    y, top, lines = y + 8, y + 8, [_label_lines(c, row, left - 10, size, grid=grid) for row in rows]
    tall = [max(30.0, 8 + 16.0 * len(some)) for some in lines]
    for share in (0.0, 0.5, 1.0):
        pen.line((across(share), top), (across(share), top + sum(tall)))
    for row, some, high in zip(rows, lines, tall, strict=True):
        middle = y + high / 2
        if row.best:
            band = {"x": 0, "y": y + 1, "w": w, "h": high - 2, "fill": "band", "r": 4, "sw": 0}
            pen.items.insert(0, ("rect", band))
        colour = _draw_marks(pen, c, row, column, middle) if grid and row.single else "t"
        for i, words in enumerate(some):
            at = middle + 5 + 16 * (i - (len(some) - 1) / 2)
            pen.text(2, at, words, size - 1, fill="ink" if row.single else "mute", tip=row.label)
        _draw_share(pen, across, row, middle, colour, total)
        if row.probability is not None:
            p, sure = narrow_probability(row.probability, levels=[SETTLED]), False
            if row.bounds is not None:
                p = "–".join(narrow_probability(end, levels=[SETTLED]) for end in row.bounds)
            else:
                sure = row.probability >= SETTLED
            pen.text(w - right, middle + 4.5, p, size, "end", bold=sure)
        pen.text(w - 2, middle + 4.5, count(row.count), size, "end")
        y += high
    for share, words in ((0.0, "0"), (0.5, "half"), (1.0, "all")):
        pen.text(across(share), y + 15, words, size - 2, "middle", "mute")
    if grid and len(d.measured) == k:
        _draw_parts(pen, c, column, left, y + 24, size)
    return pen


def _label_lines(c: Comparison, row: Row, room: float, size: float, *, grid: bool) -> list[str]:
    """Write a statement in words where marks cannot: a line for each order."""
    if not row.single:
        return [fit(row.label, size - 1, room)]
    if grid:
        return []
    statement = Statement.parse(row.label, c.results.algorithms)
    if len(statement.states) != len(c.results.measures):
        return [fit(statement.words(c.results.measures), size - 1, room)]
    by_state = statement.by_state(c.results.measures)
    alone = len(by_state) == 1
    lines = [
        state.spaced() if alone else f"{join_names(on)}: {state.spaced()}"
        for state, on in by_state.items()
    ]
    return [fit(line, size - 1, room) for line in lines[:4]]


def _draw_marks(pen: Pen, c: Comparison, row: Row, column: float, middle: float) -> str:
    """Draw who wins on each measure; return the colour of the row."""
    leaders = Statement.parse(row.label, c.results.algorithms).leaders
    sides = [None if who is None else c.results.algorithms.index(who) for who in leaders]
    for j in range(len(sides) - 1):
        pen.line((column * (j + 0.5), middle), (column * (j + 1.5), middle), sw=2.0)
    for j, side in enumerate(sides):
        if side is None:
            pen.text(column * (j + 0.5), middle + 5, "=", 15, "middle", "mute")
        else:
            pen.mark(column * (j + 0.5), middle, side, 7.5)
    found = {side for side in sides if side is not None}
    return "ab"[found.pop()] if len(found) == 1 else "t"


def _draw_share(
    pen: Pen, across: Callable[[float], float], row: Row, middle: float, colour: str, total: int
) -> None:
    """Draw how often a statement holds: θ with its interval, or as counted."""
    if row.theta is not None:
        low, mean, high = row.theta
        soft = {"a": "asoft", "b": "bsoft"}.get(colour, "graysoft")
        pen.rect(across(low), middle - 3, max(across(high) - across(low), 1.0), 6, soft, "", 3)
    else:
        mean = row.count / max(total, 1)
    pen.dot(across(mean), middle, 4.5, "ink" if colour == "t" else colour, "paper")


def _draw_parts(pen: Pen, c: Comparison, column: float, left: float, y: float, size: float) -> None:
    """Write each measure by itself below the grid: who won how often, and how sure that is."""
    d = c.decision
    pen.line((0, y), (left - 10, y), stroke="gray")
    for j, part in enumerate(d.measured):
        pen.text(column * (j + 0.5), y + 18, f"{part.won} : {part.lost}", size + 1, "middle",
                 bold=True)  # fmt: skip
        if part.figure == part.figure:
            sure = part.word == "better"
            words = f"{'p' if d.pvalue else 'P'} {figure_of(part, pvalue=d.pvalue)}"
            fill = "ink" if sure else "mute"
            pen.text(column * (j + 0.5), y + 34, words, size - 1, "middle", fill, sure)
    a, b = c.results.algorithms
    for i, words in enumerate(("each measure by itself:", f"{a} : {b}, and how sure that is")):
        shown = fit(words, size - 1, pen.w - left)
        pen.text(left, y + 18 + 16 * i, shown, size - 1, fill="mute")


def _rows(c: Comparison, most: int) -> list[Row]:
    """Return a row for each statement, one for the others, and one for those never observed."""
    answer = c.answer
    p, counts, best = answer.probability, answer.counts, answer.labels.index(c.best)
    # The best one comes first even if it is tied, because the title names it.
    leads = np.arange(len(counts)) != best
    ranked = np.lexsort((-counts, -(counts if p is None else p), leads)).tolist()
    # It always has a bar, even if no dataset supports it.
    kept = [
        k
        for k in ranked[:most]
        if k == best or counts[k] or (p is not None and p[k] >= _NEGLIGIBLE)
    ]
    shown = set(kept)
    rest = [k for k in ranked if k not in shown]
    if len(rest) == 1:
        # A bar for "1 other" would take the same room.
        kept, rest = [*kept, *rest], []
    rows = [_row(c, k, best=k == best) for k in kept]
    if rest:
        chance = None if p is None else float(p[rest].sum())
        others = f"{count(len(rest))} others"
        rows.append(Row(others, float(counts[rest].sum()), chance, single=False))
    unlisted = answer.n_statements - len(answer.labels)
    if unlisted and p is not None and answer.unobserved is not None:
        left = max(answer.unobserved - float(p[counts == 0].sum()), 0.0)
        label = f"never observed ({count(unlisted)})"
        rows.append(Row(label, 0.0, left, single=False))
    return rows


def _row(c: Comparison, k: int, *, best: bool) -> Row:
    answer = c.answer
    extra = {name: float(values[k]) for name, values in answer.per_statement.items()}
    p = None if answer.probability is None else float(answer.probability[k])
    theta = None
    bounds = (extra[LOWER], extra[UPPER]) if LOWER in extra else None
    if math.isfinite(extra.get(THETA_MEAN, math.nan)):
        theta = extra[THETA_LOWER], extra[THETA_MEAN], extra[THETA_UPPER]
    return Row(answer.labels[k], float(answer.counts[k]), p, best=best, theta=theta, bounds=bounds)
