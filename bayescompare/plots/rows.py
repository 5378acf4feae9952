"""A row for each algorithm, dataset, statement or measure: dots with bars, in one or more strips.

Places of a ranking, datasets by themselves and given all others, a prior before any data and a gate
are drawn alike, by `rows_pen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betaincinv, stdtrit

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.words import ARROWS
from bayescompare.plots._drawing import clip, finish, prefix_words, statement_words
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import PHONE, WIDE, Pen, fit, width, wrapped
from bayescompare.ranking.gate import Gate
from bayescompare.ranking.ranking import Ranking
from bayescompare.ranking.words import may_be_first
from bayescompare.text.names import short_names
from bayescompare.text.numbers import (
    difference_number_text,
    format_probability,
    percent_setting,
    plural,
    setting_number_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.methods.dirichlet.elicit import Elicitation

__all__ = ["plot_gate", "plot_places", "plot_prior", "plot_prior_predictive", "plot_shrinkage"]

#: Height of a row, size of its text and radius of its dots, up to so many rows.
_SIZES = {12: (24.0, 13.0, 3.5), 40: (17.0, 12.0, 3.0), 10**9: (11.0, 9.5, 2.2)}

#: The same where there is something above the dots.
_TALL = (46.0, 13.0, 3.5)


@dataclass(frozen=True)
class Strip:
    """What is drawn in all rows on one axis.

    Attributes
    ----------
    dots : array (rows,)
    ends : tuple of float
        Of the axis.
    ticks : sequence of float
    head : str
    bars, bands : array (2, rows), optional
        From where to where: intervals, and what lies behind them, such as a rope.
    others : sequence of sequence of float
        Marks in each row, joined to its dot.
    heights : array (rows, n), optional
        Columns over 0, 1, ... in each row.
    colours, tips, said : sequence of str
        Of each dot: its colour, what it is, and what stands above it.
    """

    dots: FloatArray
    ends: tuple[float, float]
    ticks: Sequence[float] = (0.0, 0.5, 1.0)
    head: str = ""
    bars: AnyArray | None = None
    bands: AnyArray | None = None
    others: Sequence[Sequence[float]] = ()
    heights: FloatArray | None = None
    colours: Sequence[str] = ()
    tips: Sequence[str] = ()
    said: Sequence[str] = ()

    def draw(self, pen: Pen, i: int, across: Callable[[float], float], y: float, r: float) -> None:
        """Draw one row."""
        x, tip = across(self.dots[i]), self.tips[i] if self.tips else ""
        colour = self.colours[i] if self.colours else "a"
        if self.bands is not None:
            low, high = map(across, self.bands[:, i])
            if low < high:
                pen.rect(low, y - 10, high - low, 20, "band", "line")
        if self.heights is not None:
            for number, share in enumerate(self.heights[i] / self.heights.max()):
                left, right = across(number - 0.45), across(number + 0.45)
                pen.rect(left, y - r - 2 - 24 * share, right - left, 24 * share, "asoft")
        if self.bars is not None and not np.isnan(self.bars[:, i]).any():
            low, high = map(across, self.bars[:, i])
            pen.rect(low, y - r, max(high - low, 1.0), 2 * r, f"{colour}soft", "", r, tip)
        if self.others and len(self.others[i]):
            marks = [across(value) for value in self.others[i]]
            pen.line((min(x, *marks), y), (max(x, *marks), y), stroke="gray")
            thin = 1.0 if len(marks) < 10 else 0.4
            for mark in marks:
                pen.line((mark, y - r - 1), (mark, y + r + 1), stroke="ink", sw=thin)
        pen.dot(x, y, r + 0.7, colour, "", tip)
        if self.said:
            room = width(self.said[i], 11) / 2
            at = min(max(x, across(self.ends[0]) + room), across(self.ends[1]) - room)
            pen.text(at, y - 14, self.said[i], 11, "middle", "mute")


def rows_pen(
    label: str,
    names: Sequence[str],
    strips: Sequence[Strip],
    w: float = WIDE,
    *,
    figures: tuple[str, Sequence[str]] = ("", ()),
    titles: Mapping[int, str] = MappingProxyType({}),
    key: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
) -> Pen:
    """Draw rows with their names.

    Parameters
    ----------
    label : str
        The picture in words.
    names : sequence of str
    strips : sequence of Strip
    w : float
    figures : tuple of str and sequence of str
        A column on the right with its head.
    titles : mapping of int to str
        What stands above a row, such as the name of a group that begins there.
    key : sequence of tuples of str
        Colours of dots, or "|" for a mark, and what they mean.
    notes : sequence of str
        Lines below the picture.
    """
    k, narrow, (head, said) = len(strips), w < PHONE, figures
    high, size, r = next(sizes for most, sizes in _SIZES.items() if len(names) <= most)
    if any(strip.said or strip.heights is not None for strip in strips):
        high, size, r = _TALL
    size = min(size, 11.5) if narrow else size
    small, gap = (size - 1, 20.0) if narrow else (min(size, 12.0), 40.0)
    room = min(max(width(name, size) for name in names) + 10, w * (0.3 if k > 1 else 0.4))
    right = max(width(text, size) for text in (head, *said)) + 8 if said else 0.0
    strip = (w - room - gap * k - 8 - right) / k
    pen = Pen(w, label)

    def across(j: int, value: float) -> float:
        start, end = strips[j].ends
        return float(room + gap + j * (strip + gap) + (value - start) / (end - start or 1) * strip)

    # Heads are bold, and a bold letter is wider.
    heads = [wrapped(one.head, small, 0.86 * (strip + gap) - 4, most=4) for one in strips]
    top = 15.0 + 13 * (max(map(len, heads)) - 1) if any(one.head for one in strips) or head else 0.0
    for j, (one, lines) in enumerate(zip(strips, heads, strict=True)):
        for above, line in enumerate(reversed(lines)):
            start = across(j, one.ends[0]) - 4
            pen.text(start, top - 13 * above, line, small, bold=True, tip=one.head)
    if head:
        pen.text(w - 2, top, head, small, "end", "mute")
    y, bottom = top + 8, top + 8 + high * len(names) + 25 * len(titles)
    for j, one in enumerate(strips):
        for tick in one.ticks if strip >= 90 else one.ticks[:: max(len(one.ticks) - 1, 1)]:
            pen.line((across(j, tick), y + 4), (across(j, tick), bottom + 2))
            words = {0.5: "½"}.get(tick, f"{tick:g}")
            pen.text(across(j, tick), bottom + 14, words, 10, "middle", "mute")
    for i, name in enumerate(names):
        if i in titles:
            pen.line((0, y + 5), (w, y + 5))
            pen.text(0, y + 19, titles[i], size - 0.5, fill="mute", bold=True)
            y += 25
        middle = y + high * (0.6 if high > 40 else 0.5)
        pen.text(0, middle + 0.36 * size, fit(name, size, room), size, tip=name)
        for j, one in enumerate(strips):
            one.draw(pen, i, partial(across, j), middle, r)
        if said:
            pen.text(w - 2, middle + 0.36 * size, said[i], size - 1, "end")
        y += high
    x, y = 6.0, bottom + 34
    for colour, words in key:
        if x > 6 and x + 9 + width(words, 11) > w:
            x, y = 6.0, y + 17
        if colour == "|":
            pen.line((x, y - 9), (x, y + 1), stroke="ink")
        elif colour:
            pen.dot(x, y - 4, 4, colour)
        pen.text(x + (9 if colour else -6), y, words, 11, fill="mute")
        x += width(words, 11) + 26
    y += 17 if key else 0
    for line in (line for words in notes for line in wrapped(words, 11, w - 4)):
        pen.text(0, y, line, 11, fill="mute")
        y += 16
    return pen


# places -------------------------------------------------------------------------------------------

#: Most rows, and strips beside each other.
_ROWS, _STRIPS = 40, 6


@plot_of(Ranking, "places")
def plot_places(
    r: Ranking,
    *,
    measures: Sequence[str] | None = None,
    most: int = _ROWS,
    order: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the place of each algorithm on each measure with its interval, a strip per measure.

    With one measure or a utility, the overall place, and P(best) on the right. Who may be first on
    a measure is blue there.

    Parameters
    ----------
    r : Ranking
    measures : sequence of str, optional
        The measures to draw, at most six; without a utility all by default.
    most : int
        Largest number of algorithms; of more the first ones.
    order : sequence of str, optional
        The algorithms from top to bottom; by default by place.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], rng=0)
    >>> ax = plot_places(r, ax=Figure().subplots())
    >>> sorted(text.get_text() for text in ax.texts)[-3:]
    ['may be first', 'may not', 'place on auc']
    """
    ax = places_pen(r, measures=measures, most=most, order=order).onto(ax)
    return finish(ax, r.headline(), *prefix_words(r.results.algorithms))


def places_pen(
    r: Ranking,
    w: float = WIDE,
    *,
    measures: Sequence[str] | None = None,
    most: int = _ROWS,
    order: Sequence[str] | None = None,
) -> Pen:
    """Draw the places of a ranking."""
    names, short, n = r.results.algorithms, short_names(r.results.algorithms), 0
    tables: dict[str, pd.DataFrame] = {}
    tiers, tops = r.tiers, []
    if measures is None and r.answer.overall is not None:
        utility = r.options.utility is not None
        head = "place by utility" if utility else f"place on {r.results.measures[0]}"
        tables, tops = {head: r.overall}, [set(may_be_first(r))]
    else:
        chosen = list(r.results.measures if measures is None else measures)[:_STRIPS]
        for name in chosen:
            arrow = ARROWS[r.results[name].direction]  # refuses an unknown one
            head = f"{name} {arrow}" if len(chosen) > 1 else f"place on {name}"
            tables[head] = r.places.loc[[name]].droplevel("measure")
        tops = [set(may_be_first(r, name)) for name in chosen]
        if r.answer.overall is None:
            tiers = tiers.loc[[chosen[0]]].droplevel("measure")
    mean = np.mean([table["place"].loc[list(names)] for table in tables.values()], axis=0)
    by_place = [names[k] for k in np.argsort(mean, kind="stable")]
    rows, n = list(by_place if order is None else order)[:most], len(names)
    interval = percent_setting(r.options.level) if r.answer.has_draws else ""
    titles: dict[int, str] = {}
    if len(tables) == 1 and order is None and interval:
        # Of one order the tiers are groups.
        own = tiers["tier"].loc[rows].tolist()
        titles = {i: f"Tier {t}" for i, t in enumerate(own) if i == 0 or t != own[i - 1]}
    strips = []
    for (head, table), top in zip(tables.items(), tops, strict=True):
        place, low, up = table.loc[rows, ["place", "lower", "upper"]].to_numpy(dtype=float).T
        first = [name in top for name in rows] if interval else place <= 1.0
        tips = [
            f"{short[name]}, {head}: place {at:g}" for name, at in zip(rows, place, strict=True)
        ]
        if interval:
            ends = zip(tips, low, up, strict=True)
            tips = [f"{tip}, {a:g} to {b:g}" if a == a else tip for tip, a, b in ends]
        colours = ["a" if one else "gray" for one in first]
        ticks = sorted({1, (n + 1) // 2, n})
        bars = np.stack([low, up])
        strips.append(Strip(place, (1.0, n), ticks, head, bars, colours=colours, tips=tips))
    best = next(iter(tables.values())).get("p_best") if len(tables) == 1 else None
    figures: tuple[str, Sequence[str]] = ("", ())
    if best is not None and best.notna().any():
        figures = "P(best)", [format_probability(float(best[name])) for name in rows]
    meaning = ("may be first", "may not", f"dot: place, bar: {interval} interval")
    meaning = meaning if interval else ("first", "behind", "dot: place")
    key = list(zip(("a", "gray", ""), meaning, strict=True))
    rest = [f"and {n - len(rows)} further back, not shown"] if n > len(rows) else []
    label, shown = f"Places of {n} algorithms: {', '.join(tables)}", [short[name] for name in rows]
    more: Any = {"figures": figures, "titles": titles, "key": key, "notes": rest}
    return rows_pen(label, shown, strips, w, **more)


# every dataset ------------------------------------------------------------------------------------

#: Columns of statements, on a page and on a phone.
_MOST_COLUMNS, _FEW_COLUMNS = 4, 2


@plot_of(Comparison, "shrinkage", needs="per_dataset")
def plot_shrinkage(c: Comparison, *, most: int = 60, ax: Axes | None = None) -> Axes:
    """Draw a row per dataset: its figure by itself, and given all datasets.

    For ``"hierarchical"`` the figure is the share of discordant errors that are the first
    algorithm's, for ``"correlated-t"`` its mean advantage, each with the 95 % interval from the
    dataset by itself; for ``"poisson-binomial"`` it is P(the first algorithm is better). For
    ``"replicated"`` there is a column for each of the four leading statements, with its P.

    Parameters
    ----------
    c : Comparison
        A comparison by a method that has `per_dataset`.
    most : int
        Largest number of rows; of more datasets those whose figures move or differ from ½ most
        (``"replicated"``: move most).
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(bc.load_example("lacoste-svm-parzen"), method="hierarchical")
    >>> ax = plot_shrinkage(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][-2:]
    ['bar: 95 % by itself', '← svm better | parzen better →']
    """
    return finish(shrinkage_pen(c, most=most).onto(ax), c.headline())


def shrinkage_pen(c: Comparison, w: float = WIDE, *, most: int = 60) -> Pen:
    """Draw every dataset by itself and given all others."""
    first, second = (clip(name, 24) for name in c.results.algorithms)
    table = {str(name): column.to_numpy() for name, column in c.per_dataset.items()}
    notes, bars, bands, ends = [f"← {second} better | {first} better →"], None, None, (0.0, 1.0)
    if "evidence" in dir(c):
        columns = _FEW_COLUMNS if w < PHONE else _MOST_COLUMNS
        leading = [str(label) for label in c.summary().index[:columns]]
        own, given = c.evidence.sel(statement=leading).values.T, c.per_dataset[leading].to_numpy().T
        heads = [statement_words(label, 90) for label in leading]
        notes = [f"P(the statement on {', '.join(c.results.measures)} holds on this dataset)"]
        if hidden := len(c.answer.labels) - len(leading):
            notes.append(f"{plural(hidden, 'less probable statement')} not shown")
    elif "share" in table:
        own, given = table["share_alone"][None], table["share"][None]
        shapes = table["first_wrong"] + 1.0, table["second_wrong"] + 1.0
        bars = np.stack([betaincinv(*shapes, tail) for tail in (0.025, 0.975)])
        heads = [f"share of discordant errors that are {first}’s"]
        notes = [f"← {first} better | {second} better →"]
    elif "advantage" in table:
        (measure,) = c.results.measures
        own = given = table["advantage"][None]
        wide = stdtrit(table["replicates"] - 1.0, 0.975) * table["scale"]
        bars, rope = own + np.stack([-wide, wide]), c.results[measure].rope or 0.0
        bands = np.outer([-rope, rope], np.ones(own.size)) if rope else None
        reach = 1.05 * max(rope, float(np.nanmax(np.abs(bars))))
        ends, heads = (-reach, reach), [f"mean advantage of {first} on {measure}"]
        if rope:
            notes.append("box: equivalent")
    else:
        own, given = table.get("alone", table["probability"])[None], table["probability"][None]
        heads = [f"P({first} is better)"]
    far = np.abs(own - given).max(axis=0)
    moves = bool(far.max() > 1e-12)
    if len(own) == 1:
        far = np.maximum(far, np.abs(own[0] - sum(ends) / 2))
    kept = np.sort(np.argsort(-far, kind="stable")[:most])
    kept = kept[np.lexsort((given[0, kept], own[0, kept]))][::-1]
    if left := own.shape[1] - len(kept):
        what = "that move less" if "evidence" in dir(c) else "nearer to undecided"
        notes.append(f"{plural(left, 'dataset')} {what} not shown")
    ticks = (0.0, 0.5, 1.0) if ends == (0.0, 1.0) else nice_ticks(*ends)
    strips = [
        Strip(
            dots[kept], ends, ticks, head,
            bars=None if bars is None else bars[:, kept],
            bands=None if bands is None else bands[:, kept],
            others=alone[kept, None].tolist() if moves else (),
        )
        for head, alone, dots in zip(heads, own, given, strict=True)
    ]  # fmt: skip
    key = [("a", "given all datasets"), ("|", "by itself")] if moves else [("a", "by itself")]
    if bars is not None:
        key.append(("", "bar: 95 % by itself"))
    names = [c.results.datasets[k] for k in kept]
    return rows_pen(f"Every dataset: {', '.join(heads)}", names, strips, w, key=key, notes=notes)


def nice_ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return round numbers from `low` to `high`.

    Examples
    --------
    >>> nice_ticks(-0.13, 0.13), nice_ticks(0, 20, whole=True)
    ([-0.1, 0.0, 0.1], [0.0, 5.0, 10.0, 15.0, 20.0])
    """
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(4, steps=[1, 2, 5, 10], integer=whole).tick_values(low, high)
    return [round(float(tick), 12) + 0.0 for tick in ticks if low <= tick <= high]


# a prior ------------------------------------------------------------------------------------------

#: Rows of a picture; further statements are left out, and the picture says so.
_MOST_STATEMENTS = 20


def plot_prior(elicitation: Elicitation, *, ax: Axes | None = None) -> Axes:
    """Draw what a prior says of each statement: how often it holds, and P(it leads).

    Parameters
    ----------
    elicitation : Elicitation
        From `bayescompare.methods.elicit`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy"])
    >>> ax = plot_prior(e, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts if "better" in text.get_text()]
    ['B better', 'A better']
    """
    rows = _first_rows(elicitation.table)
    leads = "P leads", [format_probability(float(p)) for p in rows["p_max"]]
    strip = Strip(
        rows["mean"].to_numpy(), (0.0, 1.0), head="share of datasets it holds on",
        bars=rows[["lower", "upper"]].to_numpy().T,
    )  # fmt: skip
    pen = _prior_pen(elicitation, rows, strip, "dot: mean, bar: 95 % interval", figures=leads)
    return finish(pen.onto(ax), f"Before any data: worth {weight_words(elicitation)}")


def plot_prior_predictive(elicitation: Elicitation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """Draw how many of `n` datasets a prior expects to support each statement.

    The higher a column, the more probable its number; the dot is the mean, the bar the central
    95 %.

    Parameters
    ----------
    elicitation : Elicitation
        From `bayescompare.methods.elicit`.
    n : int
        Datasets.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy"])
    >>> ax = plot_prior_predictive(e, n=10, ax=Figure().subplots())
    >>> ax.texts[0].get_text()
    'datasets of 10 that support it'
    """
    rows = _first_rows(elicitation.predict(n))
    strip = Strip(
        rows["mean"].to_numpy(), (-0.5, n + 0.5), nice_ticks(0, n, whole=True),
        f"datasets of {n} that support it", rows[["lower", "upper"]].to_numpy().T,
        heights=rows[list(range(n + 1))].to_numpy(), colours=["b"] * len(rows),
    )  # fmt: skip
    said = "columns: how probable each number is; dot: mean, bar: central 95 %"
    pen = _prior_pen(elicitation, rows, strip, said)
    return finish(pen.onto(ax), f"What a prior worth {weight_words(elicitation)} expects to see")


def _first_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The statements expected most often, first."""
    return table.sort_values("mean", ascending=False, kind="stable").head(_MOST_STATEMENTS)


def _prior_pen(
    elicitation: Elicitation, rows: pd.DataFrame, strip: Strip, said: str, **more: Any
) -> Pen:
    measures, notes = elicitation.statements.measures, [said]
    if len(measures) > 1:
        notes.append(f"statements are about {' · '.join(measures)}")
    if (left := len(elicitation.table) - len(rows)) > 0:
        notes.append(f"{plural(left, 'statement')} expected less often not shown")
    names = [statement_words(str(label), 60) for label in rows.index]
    return rows_pen("What a prior says of each statement", names, [strip], notes=notes, **more)


def weight_words(elicitation: Elicitation) -> str:
    """Say how many datasets a prior is worth."""
    weight = round(elicitation.weight, 6)
    if weight == round(weight):
        return plural(weight, "dataset")
    return f"{setting_number_text(weight)} datasets"


# a gate -------------------------------------------------------------------------------------------

#: Colour of each verdict.
_VERDICTS = {"superior": "a", "not worse": "a", "worse": "b", "undecided": "gray"}


@plot_of(Gate, "bounds")
def plot_gate(g: Gate, *, ax: Axes | None = None) -> Axes:
    """Draw the candidate's mean advantage on each measure, with its two one-sided bounds.

    The measures have scales of their own, so each row has one too, and the figures stand above the
    line. The box is the loss within the rope. A candidate passes where the line ends on the left
    within that box, or to the right of it.

    Parameters
    ----------
    g : Gate
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    >>> ax = plot_gate(g, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][2:4]
    ['auc', '+0.0736 (+0.056 to +0.093)']
    """
    return finish(gate_pen(g).onto(ax), g.headline())


def gate_pen(g: Gate, w: float = WIDE) -> Pen:
    """Draw a row for each measure, on a scale of its own: the mean advantage and its bounds."""
    dots, bars, ropes, said = [], [], [], []
    for name, judged in zip(g.results.measures, g.answer.measures, strict=True):
        spec, ends = g.results[name], (judged.lower, judged.upper)
        rope = spec.rope or 0.0
        known = [abs(x) for x in (*ends, judged.difference, rope) if x == x]
        scale = max(known) or 1.0
        label = difference_number_text(judged.difference, spec.unit or "")
        if ends[0] == ends[0]:
            both = " to ".join(difference_number_text(x, significant=2) for x in ends)
            label = f"{label} ({both})"
        dots.append(judged.difference / scale)
        bars.append([x / scale for x in ends])
        ropes.append([-rope / scale, 0.0])
        said.append(label)
    verdicts = [judged.verdict for judged in g.answer.measures]
    strip = Strip(
        np.array(dots), (-1.0, 1.0), [0.0], "← worse | better →", np.array(bars).T,
        np.array(ropes).T, colours=[_VERDICTS[verdict] for verdict in verdicts], said=said,
    )  # fmt: skip
    label = f"Mean advantage of {g.candidate}: {g.headline()}"
    side = f"bar: one-sided bounds, {percent_setting(g.level)} each; box: the loss within the rope"
    more: Any = {"figures": ("", verdicts), "notes": [side]}
    return rows_pen(label, g.results.measures, [strip], w, **more)
