"""The critical-difference diagram: mean ranks on a line, and bars over those that do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots._drawing import BLUE, GREY, INK, LITERAL, clip, new_axes, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison import Comparison

__all__ = ["plot_ranks", "ranks_size"]

_NAME = 28


def plot_ranks(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks, the best on the left; a bar joins those closer than significant.

    Parameters
    ----------
    c : Comparison
        By ``"friedman"``.
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
    >>> [text.get_text() for text in ax.texts][-8:-6]
    ['GBM 3.41', 'RF 3.84']
    """
    ranked = c.ranks.sort_values(kind="stable")
    ranks, names = ranked.to_numpy(), [clip(str(name), _NAME) for name in ranked.index]
    bars = joined(ranks, c.critical_difference)
    ax = new_axes(ax, ranks_size(c))
    half = (len(ranks) + 1) // 2
    _draw_scale(ax, len(ranks), c.critical_difference)
    for k, (start, stop) in enumerate(bars):
        y = -0.35 - 0.28 * k
        ax.plot([ranks[start] - 0.04, ranks[stop] + 0.04], [y, y], color=BLUE, linewidth=4)
    below = -0.35 - 0.28 * len(bars)
    for k, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        left = k < half
        row = k if left else len(ranks) - 1 - k
        y, edge = below - 0.5 * (row + 1), 0.7 if left else len(ranks) + 0.3
        ax.plot([rank, rank, edge], [0.0, y, y], color=INK, linewidth=0.8)
        side = "right" if left else "left"
        shift = -0.08 if left else 0.08
        words = f"{name} {rank:.2f}"
        ax.text(edge + shift, y, words, ha=side, va="center", fontsize="small", **LITERAL)
    ax.set_ylim(below - 0.5 * half - 0.4, 1.5)
    ax.set_axis_off()
    set_title(ax, c.headline())
    return ax


def ranks_size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches that `plot_ranks` wants."""
    bars = joined(np.sort(c.ranks.to_numpy()), c.critical_difference)
    rows = (len(c.results.algorithms) + 1) // 2
    return 8.0, 1.6 + 0.26 * rows + 0.14 * len(bars)


def joined(ranks: np.ndarray[tuple[int], np.dtype[np.float64]], apart: float) -> list[list[int]]:
    """Runs of sorted ranks that do not differ, none within another.

    Examples
    --------
    >>> joined(np.array([1.0, 2.0, 2.5, 4.0]), 1.2)
    [[0, 1], [1, 2]]
    """
    runs: list[list[int]] = []
    for start, rank in enumerate(ranks):
        stop = int(np.searchsorted(ranks, rank + apart, side="left")) - 1
        if stop > start and (not runs or stop > runs[-1][1]):
            runs.append([start, stop])
    return runs


def _draw_scale(ax: Axes, l: int, apart: float) -> None:
    """The line of ranks, with ticks, and the critical difference above it."""
    ax.plot([1, l], [0, 0], color=INK, linewidth=1.2)
    for rank in range(1, l + 1):
        ax.plot([rank, rank], [0, 0.15], color=INK, linewidth=1.0)
        if l <= 30 or rank % 5 == 0:
            ax.annotate(str(rank), (rank, 0.22), ha="center", va="bottom", fontsize="small")
    ax.plot([1, 1 + apart], [0.95, 0.95], color=GREY, linewidth=4, solid_capstyle="butt")
    words = f"critical difference {apart:.2f}"
    ax.annotate(words, (1 + apart, 0.95), (4, 0), textcoords="offset points", va="center")
