"""The posterior of three statements as points in a triangle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    BLUE,
    GREEN,
    INK,
    LITERAL,
    ORANGE,
    clip_drawn_label,
    new_axes,
    set_title,
)
from bayescompare.statements import Statement
from bayescompare.text.numbers import count, probability_equation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare._rng import Rng
    from bayescompare.comparison.comparison import Comparison

__all__ = ["SIMPLEX_SIZE", "has_simplex", "plot_simplex"]


SIMPLEX_SIZE = (6.4, 5.8)

#: Corners of the triangle: left, right, top.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])
_COLOURS = (BLUE, ORANGE, GREEN)


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
    order = _simplex_plot_corner_order(c.answer.labels)
    theta = _simplex_plot_theta(c, [c.answer.labels[k] for k in order], draws, rng)
    ax = new_axes(ax, SIMPLEX_SIZE)
    _draw_simplex_plot_points(ax, theta)
    _draw_simplex_plot_triangle(ax)
    _draw_simplex_plot_words(ax, c, order)
    ax.set_xlim(-0.22, 1.22)
    ax.set_ylim(-0.17, 1.04)
    ax.set_aspect("equal")
    ax.set_axis_off()
    set_title(ax, f"posterior of θ on {c.results.measures[0]}: {c.headline()}")
    return ax


def has_simplex(c: Comparison) -> bool:
    """Whether there are exactly three statements, with shares that add up to one."""
    return bool(c.answer.states) and c.answer.n_statements == 3 == len(c.answer.labels)


def _simplex_plot_corner_order(labels: tuple[str, ...]) -> list[int]:
    """Return the statements for left, right and top; equivalence is on top, between the two."""
    return sorted(range(3), key=lambda k: ("=" in Statement.parse(labels[k]).relations, k))


def _simplex_plot_theta(c: Comparison, labels: list[str], draws: int, rng: Rng) -> FloatArray:
    """Return posterior draws (draws, 3), those of the answer itself if it was sampled."""
    tree = c.answer.tree
    if tree is None:
        tree = c.draws(draws, chains=1, rng=rng)
    posterior = tree["posterior"].to_dataset()
    if "theta" not in posterior:
        raise c.method.unavailable("theta")
    theta = posterior["theta"].sel(statement=labels).transpose("chain", "draw", "statement")
    values = theta.values.reshape(-1, 3).astype(np.float64)
    return values[:: max(1, len(values) // draws)][:draws]


def _draw_simplex_plot_points(ax: Axes, theta: FloatArray) -> None:
    where, region = theta @ _CORNERS, theta.argmax(axis=1)
    for k, colour in enumerate(_COLOURS):
        x, y = where[region == k].T
        ax.scatter(x, y, s=9, color=colour, alpha=0.4, linewidths=0, zorder=2)


def _draw_simplex_plot_triangle(ax: Axes) -> None:
    x, y = np.vstack([_CORNERS, _CORNERS[:1]]).T
    ax.plot(x, y, color=INK, linewidth=1.2, zorder=3)
    centre = _CORNERS.mean(axis=0)
    for k in range(3):
        # Here two statements are equally probable and the third is less so.
        middle = (_CORNERS[k] + _CORNERS[(k + 1) % 3]) / 2
        x, y = np.stack([centre, middle]).T
        ax.plot(x, y, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=3)


def _draw_simplex_plot_words(ax: Axes, c: Comparison, order: list[int]) -> None:
    """Name each corner, and print the probability of its region."""
    assert c.answer.probability is not None
    outward = (
        (-12.0, -8.0, "center", "top"),
        (12.0, -8.0, "center", "top"),
        (0.0, 8.0, "center", "bottom"),
    )
    for k, (dx, dy, ha, va), corner, colour in zip(order, outward, _CORNERS, _COLOURS, strict=True):
        sure = probability_equation(float(c.answer.probability[k]))
        ax.annotate(
            f"{clip_drawn_label(c.answer.labels[k], 30)}\n{sure}",
            xy=(float(corner[0]), float(corner[1])),
            xytext=(dx, dy),
            textcoords="offset points",
            ha=ha,
            va=va,
            linespacing=1.4,
            color=INK,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour},
            **LITERAL,
        )
