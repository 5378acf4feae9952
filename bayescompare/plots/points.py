"""Points in two measures, and in a triangle: the front, weights, and three statements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.registry import unavailable
from bayescompare.plots._drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LINES,
    ORANGE,
    clip,
    finish,
    legend_beside,
    new_axes,
    note,
    statement_words,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.ranking.ranking import Ranking
from bayescompare.statements import Statement
from bayescompare.text.numbers import count, percent, percent_setting, probability_equation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare._rng import Rng

__all__ = ["plot_front", "plot_simplex", "plot_weights"]

#: Corners of a triangle of three shares: left, right, top.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])


def _triangle(ax: Axes, *, x: tuple[float, float], y: tuple[float, float], **style: Any) -> None:
    """Draw the triangle of three shares, and show it within these limits."""
    ax.plot(*np.vstack([_CORNERS, _CORNERS[:1]]).T, color=INK, linewidth=1.2, **style)
    ax.set(xlim=x, ylim=y, aspect="equal")
    ax.set_axis_off()


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
    for k, (one, share) in enumerate(leaders.items()):
        look: dict[str, Any] = {
            "color": LINES[k]["color"] if k < len(LINES) else GREY,
            "label": f"{clip(r.results.algorithms[one], 28)}: {percent(share)}",
        }
        if len(chosen) == 2:
            look |= {"linestyle": LINES[k % len(LINES)]["linestyle"], "linewidth": 2.0}
            ax.plot(weights[:, 1], utility[:, one], **look)
        else:
            x, y = (weights @ _CORNERS)[best == one].T
            ax.scatter(x, y, s=7, linewidths=0, **look)
    if len(chosen) == 2:
        others = np.delete(utility, list(leaders), axis=1)
        ax.plot(weights[:, 1], others, color=GREY, linewidth=0.8, alpha=0.6, zorder=1)
        ax.plot(weights[:, 1], utility.max(axis=1), color=INK, linewidth=0.8, zorder=4)
        unit = "l + 1 − mean rank" if r.options.by == "rank" else "larger is better"
        across = f"weight of {chosen[1]} (the rest is that of {chosen[0]})"
        ax.set(xlim=(0, 1), xlabel=across, ylabel=f"utility ({unit})")
    else:
        _triangle(ax, x=(-0.2, 1.2), y=(-0.12, 0.98))
        for name, corner, up in zip(chosen, _CORNERS, (-8, -8, 8), strict=True):
            side = "bottom" if up > 0 else "top"
            note(ax, f"all weight on {clip(name, 20)}", corner, 0, up, ha="center", va=side)
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


# three statements ---------------------------------------------------------------------------------

_COLOURS = (BLUE, ORANGE, GREEN)

#: Where words stand beside each corner, in points, and how they are aligned.
_OUTWARD = (
    (-12.0, -8.0, "center", "top"),
    (12.0, -8.0, "center", "top"),
    (0.0, 8.0, "center", "bottom"),
)


@plot_of(Comparison, "simplex")
def plot_simplex(c: Comparison, *, draws: int = 2000, rng: Rng = 0, ax: Axes | None = None) -> Axes:
    """Draw the posterior of θ over three statements, such as "A>B", "B>A" and "A=B".

    Each point is a draw; the lines separate the regions in which one statement is the most
    probable, so that the share of points in a region estimates the probability at its corner.

    Parameters
    ----------
    c : Comparison
        A comparison with exactly three possible statements, as on one measure with a rope.
    draws : int
        Number of points.
    rng : None, int or Generator
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> frame = bc.load_example("benavoli-example1").to_frame()
    >>> r = bc.Results.from_frame(frame, measures={"accuracy": bc.Measure("max", rope=1.0)})
    >>> ax = plot_simplex(bc.compare(r), draws=100, ax=Figure().subplots())
    >>> sum(len(points.get_offsets()) for points in ax.collections)
    100
    """
    if not has_simplex(c):
        raise BayescompareError(
            f"kind='simplex' needs exactly three possible statements, but there are "
            f"{count(c.answer.n_statements)}: compare two algorithms on one measure with a rope, "
            "or use kind='statements'."
        )
    labels = c.answer.labels
    # Left, right and top; equivalence is on top, between the two.
    order = sorted(range(3), key=lambda k: ("=" in Statement.parse(labels[k]).relations, k))
    theta = _theta(c, [labels[k] for k in order], draws, rng)
    ax = new_axes(ax, (6.4, 5.8))
    for k, colour in enumerate(_COLOURS):
        x, y = (theta @ _CORNERS)[theta.argmax(axis=1) == k].T
        ax.scatter(x, y, s=9, color=colour, alpha=0.4, linewidths=0, zorder=2)
    _triangle(ax, x=(-0.22, 1.22), y=(-0.17, 1.04), zorder=3)
    for k in range(3):
        # Here two statements are equally probable and the third is less so.
        ends = [_CORNERS.mean(axis=0), (_CORNERS[k] + _CORNERS[(k + 1) % 3]) / 2]
        ax.plot(*np.stack(ends).T, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=3)
    assert c.answer.probability is not None
    for k, (dx, dy, ha, va), (x, y), colour in zip(
        order, _OUTWARD, _CORNERS, _COLOURS, strict=True
    ):
        ax.annotate(
            f"{statement_words(labels[k], 30)}\n"
            f"{probability_equation(float(c.answer.probability[k]))}",
            xy=(float(x), float(y)),
            xytext=(dx, dy),
            textcoords="offset points",
            ha=ha,
            va=va,
            linespacing=1.4,
            color=INK,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour},
        )
    return finish(ax, f"posterior of θ on {c.results.measures[0]}: {c.headline()}")


def has_simplex(c: Comparison) -> bool:
    """Whether there are exactly three statements, with shares that add up to one."""
    return bool(c.answer.states) and c.answer.n_statements == 3 == len(c.answer.labels)


def _theta(c: Comparison, labels: list[str], draws: int, rng: Rng) -> FloatArray:
    """Return posterior draws (draws, 3), those of the answer itself if it was sampled."""
    tree = c.answer.tree
    if tree is None:
        tree = c.draws(draws, chains=1, rng=rng)
    posterior = tree["posterior"].to_dataset()
    if "theta" not in posterior:
        raise unavailable(c.method, "theta")
    theta = posterior["theta"].sel(statement=labels).transpose("chain", "draw", "statement")
    values = theta.values.reshape(-1, 3).astype(np.float64)
    return values[:: max(1, len(values) // draws)][:draws]
