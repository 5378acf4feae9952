"""Who is best under which weights of the measures: a line for two, a triangle for three."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.plots._drawing import (
    GREY,
    INK,
    LINES,
    LITERAL,
    add_legend,
    clip_drawn_text,
    new_axes,
    set_title,
)
from bayescompare.text.numbers import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.ranking.ranking import Ranking

__all__ = ["WEIGHTS_SIZE", "plot_weights"]

WEIGHTS_SIZE = (6.6, 5.4)

#: Points along an edge of the triangle, and along the line.
_GRID, _LINE = 120, 400

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])


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
    chosen = _weights_plot_measures(r, measures)
    rows = [r.results.measures.index(name) for name in chosen]
    centre = r.answer.board.centre[rows]
    ax = new_axes(ax, WEIGHTS_SIZE)
    if len(chosen) == 2:
        _draw_weights_plot_line(ax, r, chosen, centre)
    else:
        _draw_weights_plot_triangle(ax, r, chosen, centre)
    set_title(ax, f"best as the table stands, by the weights of {', '.join(chosen)}")
    return ax


def _weights_plot_measures(r: Ranking, measures: Sequence[str] | None) -> list[str]:
    chosen = list(r.results.measures[:3] if measures is None else measures)
    for name in chosen:
        r.results[name]  # which refuses an unknown one
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
    return chosen


def _weights_plot_winners(
    centre: FloatArray, weights: FloatArray
) -> tuple[IntArray, dict[int, float]]:
    """Return the best at each point, and the share of points of each that is best anywhere."""
    best = (weights @ centre).argmax(axis=1)
    who, times = np.unique(best, return_counts=True)
    order = np.argsort(-times, kind="stable")
    return best, {int(who[k]): float(times[k] / len(best)) for k in order}


def _weights_plot_colour(k: int) -> str:
    return str(LINES[k]["color"]) if k < len(LINES) else GREY


def _weights_plot_label(r: Ranking, who: int, share: float) -> str:
    return f"{clip_drawn_text(r.results.algorithms[who], 28)}: {percent(share)}"


def _draw_weights_plot_line(ax: Axes, r: Ranking, chosen: list[str], centre: FloatArray) -> None:
    at = (np.arange(_LINE) + 0.5) / _LINE
    weights = np.stack([1.0 - at, at], axis=1)
    utility = weights @ centre
    _, shares = _weights_plot_winners(centre, weights)
    for who in range(centre.shape[1]):
        if who not in shares:
            ax.plot(at, utility[:, who], color=GREY, linewidth=0.8, alpha=0.6, zorder=1)
    for k, (who, share) in enumerate(shares.items()):
        dashes = LINES[k % len(LINES)]["linestyle"]
        label = _weights_plot_label(r, who, share)
        ax.plot(
            at,
            utility[:, who],
            color=_weights_plot_colour(k),
            linestyle=dashes,
            linewidth=2.0,
            label=label,
        )
    ax.plot(at, utility.max(axis=1), color=INK, linewidth=0.8, zorder=4)
    ax.set_xlim(0, 1)
    ax.set_xlabel(f"weight of {chosen[1]} (the rest is that of {chosen[0]})", **LITERAL)
    unit = "l + 1 − mean rank" if r.options.by == "rank" else "larger is better"
    ax.set_ylabel(f"utility ({unit})")
    ax.spines[["top", "right"]].set_visible(False)
    _add_weights_plot_legend(ax)


def _draw_weights_plot_triangle(
    ax: Axes, r: Ranking, chosen: list[str], centre: FloatArray
) -> None:
    # The middles of the small triangles that a regular grid makes: each stands for the same area.
    up = [(i, j) for i in range(_GRID) for j in range(_GRID - i)]
    down = [(i, j) for i in range(_GRID - 1) for j in range(_GRID - 1 - i)]
    middles = np.array(
        [(i + 1 / 3, j + 1 / 3) for i, j in up] + [(i + 2 / 3, j + 2 / 3) for i, j in down]
    )
    weights = np.column_stack([middles, _GRID - middles.sum(axis=1)]) / _GRID
    best, shares = _weights_plot_winners(centre, weights)
    where = weights @ _CORNERS
    for k, (who, share) in enumerate(shares.items()):
        x, y = where[best == who].T
        ax.scatter(
            x,
            y,
            s=7,
            color=_weights_plot_colour(k),
            linewidths=0,
            label=_weights_plot_label(r, who, share),
        )
    x, y = np.vstack([_CORNERS, _CORNERS[:1]]).T
    ax.plot(x, y, color=INK, linewidth=1.2)
    places = (("center", "top", -8), ("center", "top", -8), ("center", "bottom", 8))
    for name, corner, (ha, va, dy) in zip(chosen, _CORNERS, places, strict=True):
        ax.annotate(
            f"all weight on {clip_drawn_text(name, 20)}",
            (float(corner[0]), float(corner[1])),
            (0, dy),
            textcoords="offset points",
            ha=ha,
            va=va,
            fontsize="small",
            **LITERAL,
        )
    ax.set_xlim(-0.2, 1.2)
    ax.set_ylim(-0.12, 0.98)
    ax.set_aspect("equal")
    ax.set_axis_off()
    _add_weights_plot_legend(ax)


def _add_weights_plot_legend(ax: Axes) -> None:
    add_legend(
        ax,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        title="share of all weights",
        title_fontsize="small",
        markerscale=3.0,
    )
