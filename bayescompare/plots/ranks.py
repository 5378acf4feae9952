"""The critical-difference diagram: mean ranks on a line, and bars over ranks that do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots._drawing import GREY, new_axes, set_title
from bayescompare.plots._line import LineBar, draw_line, line_size
from bayescompare.text import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["plot_ranks", "ranks_size"]


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
    >>> [text.get_text() for text in ax.texts][-8:-6]
    ['GBM 3.41', 'RF 3.84']
    """
    ranked = c.ranks.sort_values(kind="stable")
    ranks, apart = ranked.to_numpy(), c.critical_difference
    bars = [
        LineBar(tuple(range(start, stop + 1))) for start, stop in joined_ranks_in_plot(ranks, apart)
    ]
    ax = new_axes(ax, line_size(len(ranks), len(bars)))
    ax.plot([1, 1 + apart], [0.95, 0.95], color=GREY, linewidth=4, solid_capstyle="butt")
    words = f"critical difference {numbers.rank_number_text(apart)}"
    ax.annotate(words, (1 + apart, 0.95), (4, 0), textcoords="offset points", va="center")
    draw_line(ax, ranks, [str(name) for name in ranked.index], bars)
    set_title(ax, c.headline())
    return ax


def ranks_size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches that `plot_ranks` needs."""
    bars = joined_ranks_in_plot(np.sort(c.ranks.to_numpy()), c.critical_difference)
    return line_size(len(c.results.algorithms), len(bars))


def joined_ranks_in_plot(
    ranks: np.ndarray[tuple[int], np.dtype[np.float64]], apart: float
) -> list[list[int]]:
    """Return the maximal runs of sorted ranks that do not differ.

    Examples
    --------
    >>> joined_ranks_in_plot(np.array([1.0, 2.0, 2.5, 4.0]), 1.2)
    [[0, 1], [1, 2]]
    """
    runs: list[list[int]] = []
    for start, rank in enumerate(ranks):
        stop = int(np.searchsorted(ranks, rank + apart, side="left")) - 1
        if stop > start and (not runs or stop > runs[-1][1]):
            runs.append([start, stop])
    return runs
