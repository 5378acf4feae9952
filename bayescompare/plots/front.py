"""The Pareto front in two measures, with the uncertainty of each point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    ORANGE,
    add_legend,
    clip_drawn_text,
    new_axes,
    set_title,
)
from bayescompare.text.numbers import percent_setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.ranking.ranking import Ranking

__all__ = ["FRONT_SIZE", "plot_front"]

FRONT_SIZE = (6.8, 5.0)

_COLOURS = {"front": BLUE, "open": ORANGE, "dominated": GREY}
_MARKERS = {"front": "o", "open": "D", "dominated": "x"}
_WORDS = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}

#: Names are written beside the points of at most so many algorithms, else of those on the front.
_NAMED = 25

#: A measure above zero that spans more than this factor is drawn on a logarithmic scale.
_WIDE = 20.0


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
    across, up = _front_plot_measures(r, measures)
    ax = new_axes(ax, FRONT_SIZE)
    x, y = (r.scores.loc[name] for name in (across, up))
    state = r.front["state"].loc[list(r.results.algorithms)].to_numpy()
    _draw_front_plot_step(ax, r, across, up)
    for kind, colour in _COLOURS.items():
        own = np.flatnonzero(state == kind)
        if len(own):
            _draw_front_plot_points(
                ax, x.iloc[own].to_numpy(), y.iloc[own].to_numpy(), kind, colour
            )
    _name_front_plot_points(ax, r, x["mean"].to_numpy(), y["mean"].to_numpy(), state)
    for axis, name, table in (("x", across, x), ("y", up, y)):
        _set_front_plot_axis(ax, r, axis, name, table.to_numpy())
    ax.margins(0.08)
    if r.answer.has_draws:
        add_legend(
            ax,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            title=f"lines: {percent_setting(r.options.level)} intervals",
            title_fontsize="small",
        )
    ax.spines[["top", "right"]].set_visible(False)
    set_title(ax, r.headline())
    return ax


def _front_plot_measures(r: Ranking, measures: Sequence[str] | None) -> tuple[str, str]:
    chosen = list(r.results.measures if measures is None else measures)
    for name in chosen:
        r.results[name]  # which refuses an unknown one
    if len(chosen) < 2 or (measures is not None and len(chosen) != 2):
        raise BayescompareError(
            f"measures={chosen}: the front is drawn in two measures; name two, as in "
            "measures=['time', 'accuracy']."
        )
    return chosen[0], chosen[1]


def _draw_front_plot_points(ax: Axes, x: FloatArray, y: FloatArray, kind: str, colour: str) -> None:
    spans: dict[str, Any] = {}
    if not np.isnan(x[:, 1]).any():
        spans = {"xerr": np.abs(x[:, 1:].T - x[:, 0]), "yerr": np.abs(y[:, 1:].T - y[:, 0])}
    ax.errorbar(
        x[:, 0],
        y[:, 0],
        **spans,
        fmt=_MARKERS[kind],
        color=colour,
        markersize=6,
        elinewidth=1.0,
        alpha=0.9,
        label=_WORDS[kind],
        zorder=3,
    )


def _draw_front_plot_step(ax: Axes, r: Ranking, across: str, up: str) -> None:
    """Join the points that no other one beats on both, as the table stands."""
    j, k = (r.results.measures.index(name) for name in (across, up))
    centre = r.answer.board.centre[[j, k]]
    worse = (centre[:, :, None] <= centre[:, None, :]).all(axis=0)
    strictly = (centre[:, :, None] < centre[:, None, :]).any(axis=0)
    own = np.flatnonzero(~(worse & strictly).any(axis=1))
    own = own[np.argsort(centre[0, own])]
    x, y = (r.scores.loc[name]["mean"].to_numpy()[own] for name in (across, up))
    ax.step(x, y, where="pre", color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)


def _name_front_plot_points(
    ax: Axes, r: Ranking, x: FloatArray, y: FloatArray, state: AnyArray
) -> None:
    names = r.results.algorithms
    for a, name in enumerate(names):
        if len(names) <= _NAMED or state[a] == "front":
            ax.annotate(
                clip_drawn_text(name, 24),
                (float(x[a]), float(y[a])),
                (5, 4),
                textcoords="offset points",
                fontsize="small",
                color=INK,
                **LITERAL,
            )


def _set_front_plot_axis(ax: Axes, r: Ranking, axis: str, name: str, table: FloatArray) -> None:
    by, measure = r.options.by, r.results[name]
    unit = f" ({measure.unit})" if measure.unit and by == "value" else ""
    what = {"rank": "mean rank on", "strength": "log strength on"}.get(by, "mean")
    along = ax.xaxis if axis == "x" else ax.yaxis
    along.set_label_text(f"{what} {name}{unit}", **LITERAL)
    known = table[~np.isnan(table)]
    if by == "value" and known.min() > 0 and known.max() > _WIDE * known.min():
        (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    if by == "rank" or (by == "value" and measure.sign < 0):
        along.set_inverted(True)
