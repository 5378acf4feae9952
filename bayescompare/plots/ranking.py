"""Who is best: places with intervals, the front, open weights, and a gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    BLUE,
    CORNERS,
    GREY,
    INK,
    LINES,
    ORANGE,
    clip,
    finish,
    legend_beside,
    new_axes,
    note,
    triangle,
)
from bayescompare.plots.boards import WIDE
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import Pen, fit, width
from bayescompare.ranking.gate import Gate
from bayescompare.ranking.ranking import Ranking
from bayescompare.text.numbers import (
    difference_number_text,
    percent,
    percent_setting,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_front", "plot_gate", "plot_weights"]


def _known(r: Ranking, measures: Sequence[str]) -> list[str]:
    for name in measures:
        r.results[name]  # which refuses an unknown one
    return list(measures)


# the front ----------------------------------------------------------------------------------------

#: Marker, colour and words of each state.
_STATES = {
    "front": ("o", BLUE, "on the front"),
    "open": ("D", ORANGE, "may be on the front"),
    "dominated": ("x", GREY, "dominated"),
}

#: Names are written beside the points of at most so many algorithms, else of those on the front.
_NAMED = 25

#: A measure above zero that spans more than this factor is drawn on a logarithmic scale.
_WIDE = 20.0


@plot_of(Ranking, "front")
def plot_front(
    r: Ranking, *, measures: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw each algorithm as a point in two measures, with an interval along each of them.

    Colours say whether an algorithm is on the front of all measures of the ranking. The line joins
    the points that are on the front of these two as the table stands. Better is up and to the
    right, so the axis of a measure that is better when lower runs backwards. With ``by="value"``
    and a cost as the first measure this is the picture of cost against quality; values that span
    a wide range are on a logarithmic scale.

    Parameters
    ----------
    r : Ranking
    measures : sequence of two str, optional
        Across and up; the first two by default.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.rank(bc.load_example("jansen-uci"), rng=0)
    >>> ax = plot_front(r, measures=["brier", "auc"], ax=Figure().subplots())
    >>> ax.get_xlabel()
    'mean rank on brier'
    """
    chosen = _known(r, r.results.measures if measures is None else measures)
    if len(chosen) < 2 or (measures is not None and len(chosen) != 2):
        raise BayescompareError(
            f"measures={chosen}: the front is drawn in two measures; name two, as in "
            "measures=['time', 'accuracy']."
        )
    ax = new_axes(ax, (6.8, 5.0))
    names = r.results.algorithms
    x, y = (r.scores.loc[name].to_numpy() for name in chosen[:2])
    state = r.front["state"].loc[list(names)].to_numpy()
    # The line joins those that no other one beats on both, as the table stands.
    centre = r.answer.board.centre[[r.results.measures.index(name) for name in chosen[:2]]]
    worse = (centre[:, :, None] <= centre[:, None, :]).all(axis=0)
    strictly = (centre[:, :, None] < centre[:, None, :]).any(axis=0)
    own = np.flatnonzero(~(worse & strictly).any(axis=1))
    own = own[np.argsort(centre[0, own])]
    dashes = (0, (4, 3))
    ax.step(x[own, 0], y[own, 0], where="pre", color=INK, linewidth=1.0, linestyle=dashes, zorder=1)
    for kind, (marker, colour, words) in _STATES.items():
        if (state == kind).any():
            points = x[state == kind], y[state == kind]
            style: dict[str, Any] = {"markersize": 6, "elinewidth": 1.0, "alpha": 0.9, "zorder": 3}
            if not np.isnan(points[0][:, 1]).any():
                reach = [np.abs(table[:, 1:].T - table[:, 0]) for table in points]
                style |= zip(("xerr", "yerr"), reach, strict=True)
            style |= {"fmt": marker, "color": colour, "label": words}
            ax.errorbar(points[0][:, 0], points[1][:, 0], **style)
    for a, name in enumerate(names):
        if len(names) <= _NAMED or state[a] == "front":
            note(ax, clip(name, 24), (x[a, 0], y[a, 0]), 5, 4, color=INK)
    _set_scale(ax, r, "x", chosen[0], x)
    _set_scale(ax, r, "y", chosen[1], y)
    ax.margins(0.08)
    if r.answer.has_draws:
        legend_beside(ax, f"lines: {percent_setting(r.options.level)} intervals")
    return finish(ax, r.headline())


@plot_of(Ranking, "cost")
def _plot_cost(
    r: Ranking, *, measures: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the front with the first cost across and the first quality up."""
    if measures is None:
        costs = [name for name in r.results.measures if r.results[name].sign < 0]
        rest = [name for name in r.results.measures if name not in costs]
        if not (costs and rest):
            raise BayescompareError(
                "kind='cost' needs a measure that is better when lower and one that is better when "
                "higher: name two by measures=[...], or use kind='front'."
            )
        measures = [costs[0], rest[0]]
    return plot_front(r, measures=measures, ax=ax)


def _set_scale(ax: Axes, r: Ranking, axis: str, name: str, table: FloatArray) -> None:
    by, measure = r.options.by, r.results[name]
    unit = f" ({measure.unit})" if measure.unit and by == "value" else ""
    what = {"rank": "mean rank on", "strength": "log strength on"}.get(by, "mean")
    along = ax.xaxis if axis == "x" else ax.yaxis
    along.set_label_text(f"{what} {name}{unit}")
    known = table[~np.isnan(table)]
    if by == "value" and known.min() > 0 and known.max() > _WIDE * known.min():
        ax.set(**{f"{axis}scale": "log"})
    if by == "rank" or (by == "value" and measure.sign < 0):
        along.set_inverted(True)


# weights ------------------------------------------------------------------------------------------

#: Points along an edge of the triangle, and along the line.
_GRID, _LINE = 120, 400


@plot_of(Ranking, "weights")
def plot_weights(
    r: Ranking, *, measures: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw for which weights of the measures each algorithm is best, as the table stands.

    Weights are shares that sum to one. Two measures are a line, on which the utility of each
    algorithm is drawn; three are a triangle, coloured by the best. The legend has each one's share
    of all weights.

    Parameters
    ----------
    r : Ranking
    measures : sequence of two or three str, optional
        By default all, or the first three.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.rank(bc.load_example("jansen-uci"), utility="unknown", rng=0)
    >>> ax = plot_weights(r, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['GBM: 100 %']
    """
    chosen = _known(r, r.results.measures[:3] if measures is None else measures)
    if len(chosen) not in (2, 3):
        raise BayescompareError(
            f"measures={chosen}: weights are drawn of two or three measures; name them, as in "
            "measures=['accuracy', 'time']."
        )
    if r.options.by == "value" and (r.options.utility is None or not r.options.utility.shares):
        raise BayescompareError(
            "kind='weights' shows shares that sum to one, and values of different measures are not "
            "on one scale: use by='rank', or by='value' with utility='unknown'."
        )
    weights = _weight_grid(len(chosen))
    utility = weights @ r.answer.board.centre[[r.results.measures.index(name) for name in chosen]]
    best = utility.argmax(axis=1)
    who, times = np.unique(best, return_counts=True)
    # Those that are best anywhere, by their shares.
    leaders = {int(who[k]): float(times[k] / len(best)) for k in np.argsort(-times, kind="stable")}
    ax = new_axes(ax, (6.6, 5.4))
    draw = _draw_weight_line if len(chosen) == 2 else _draw_weight_triangle
    draw(ax, r, chosen, weights, utility, leaders)
    legend_beside(ax, "share of all weights", markerscale=3.0)
    return finish(ax, f"best as the table stands, by the weights of {', '.join(chosen)}")


def _weight_grid(measures: int) -> FloatArray:
    """Return weights that each stand for the same part of all (points, measures)."""
    if measures == 2:
        at = (np.arange(_LINE) + 0.5) / _LINE
        return np.stack([1.0 - at, at], axis=1)
    # The middles of the small triangles that a regular grid makes.
    up = [(i + 1 / 3, j + 1 / 3) for i in range(_GRID) for j in range(_GRID - i)]
    down = [(i + 2 / 3, j + 2 / 3) for i in range(_GRID - 1) for j in range(_GRID - 1 - i)]
    middles = np.array(up + down)
    return np.column_stack([middles, _GRID - middles.sum(axis=1)]) / _GRID


def _leader(r: Ranking, k: int, who: int, share: float) -> dict[str, Any]:
    """Colour and label of the k-th of the leaders."""
    label = f"{clip(r.results.algorithms[who], 28)}: {percent(share)}"
    return {"color": LINES[k]["color"] if k < len(LINES) else GREY, "label": label}


def _draw_weight_line(
    ax: Axes,
    r: Ranking,
    chosen: list[str],
    weights: FloatArray,
    utility: FloatArray,
    leaders: dict[int, float],
) -> None:
    at = weights[:, 1]
    for who in range(utility.shape[1]):
        if who not in leaders:
            ax.plot(at, utility[:, who], color=GREY, linewidth=0.8, alpha=0.6, zorder=1)
    for k, (who, share) in enumerate(leaders.items()):
        dashes = LINES[k % len(LINES)]["linestyle"]
        ax.plot(at, utility[:, who], linestyle=dashes, linewidth=2.0, **_leader(r, k, who, share))
    ax.plot(at, utility.max(axis=1), color=INK, linewidth=0.8, zorder=4)
    ax.set_xlim(0, 1)
    ax.set_xlabel(f"weight of {chosen[1]} (the rest is that of {chosen[0]})")
    unit = "l + 1 − mean rank" if r.options.by == "rank" else "larger is better"
    ax.set_ylabel(f"utility ({unit})")


def _draw_weight_triangle(
    ax: Axes,
    r: Ranking,
    chosen: list[str],
    weights: FloatArray,
    utility: FloatArray,
    leaders: dict[int, float],
) -> None:
    where, best = weights @ CORNERS, utility.argmax(axis=1)
    for k, (who, share) in enumerate(leaders.items()):
        x, y = where[best == who].T
        ax.scatter(x, y, s=7, linewidths=0, **_leader(r, k, who, share))
    triangle(ax, x=(-0.2, 1.2), y=(-0.12, 0.98))
    for name, corner, up in zip(chosen, CORNERS, (-8, -8, 8), strict=True):
        side = "bottom" if up > 0 else "top"
        note(ax, f"all weight on {clip(name, 20)}", corner, 0, up, ha="center", va=side)


# a gate -------------------------------------------------------------------------------------------

#: Colour and side of the mark of each verdict.
_VERDICTS = {"superior": "a", "not worse": "a", "worse": "b", "undecided": "gray"}


@plot_of(Gate, "bounds")
def plot_gate(g: Gate, *, ax: Axes | None = None) -> Axes:
    """Draw the candidate's mean advantage on each measure, with its two one-sided bounds.

    The measures have scales of their own, so each row has one too, and the figures stand beside
    the line. Its shaded part is the loss within the rope. A candidate passes where the line ends
    on the left within that part, or to the right of it.

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
    >>> [text.get_text() for text in ax.texts][:2]
    ['auc', '+0.0736 (+0.056 to +0.093)']
    """
    return finish(gate_pen(g).onto(ax), g.headline())


def gate_pen(g: Gate, w: float = WIDE) -> Pen:
    """Draw a row for each measure, on a scale of its own: the mean advantage and its bounds."""
    pen, size = Pen(w, f"Mean advantage of {g.candidate}: {g.headline()}"), 13.0
    names = [fit(name, size, 0.26 * w) for name in g.results.measures]
    left = max(width(name, size) for name in names) + 14
    right = width("not worse", size) + 12
    middle, half = (left + w - right) / 2, (w - right - left) / 2 - 6
    y, high = 0.0, 48.0
    for name, shown, judged in zip(g.results.measures, names, g.answer.measures, strict=True):
        spec, y = g.results[name], y + high
        ends = judged.lower, judged.upper
        known = [abs(x) for x in (*ends, judged.difference, spec.rope or 0.0) if x == x]
        scale = half / (max(known) or 1.0)
        colour = _VERDICTS[judged.verdict]
        if spec.rope:
            pen.rect(middle - spec.rope * scale, y - 14, spec.rope * scale, 20, "band", "line")
        label = difference_number_text(judged.difference, spec.unit or "")
        if ends[0] == ends[0]:
            soft = f"{colour}soft"
            pen.rect(middle + ends[0] * scale, y - 7, (ends[1] - ends[0]) * scale, 6, soft, "", 3)
            said = " to ".join(difference_number_text(x, significant=2) for x in ends)
            label = f"{label} ({said})"
        settled = judged.verdict != "undecided"
        at = middle + judged.difference * scale
        pen.dot(at, y - 4, 4.5, colour if settled else "paper", colour)
        pen.text(2, y, shown, size, tip=name)
        room = width(label, 11) / 2
        pen.text(min(max(at, left + room), w - room), y - 18, label, 11, "middle", "mute")
        pen.text(w - 2, y, judged.verdict, size, "end", bold=settled)
    pen.items.insert(0, ("line", {"points": [(middle, 8.0), (middle, y + 10)], "stroke": "ink",
                                  "sw": 1.0}))  # fmt: skip
    side = percent_setting(g.level)
    for x, words, anchor in ((middle - 8, "← worse", "end"), (middle + 8, "better →", "start")):
        pen.text(x, y + 26, words, 11, anchor, "mute")  # type: ignore[arg-type]
    pen.text(0, y + 44, f"bar: one-sided bounds, {side} each; box: the loss within the rope", 11,
             fill="mute")  # fmt: skip
    return pen
