"""Ranks on a line, names below it, and bars over groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import BLUE, INK, LITERAL, clip_drawn_text
from bayescompare.text import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_BARS", "MOST_NAMES", "LineBar", "draw_line", "line_size"]


#: A line is legible up to this many algorithms and bars.
MOST_NAMES, MOST_BARS = 40, 20

#: Longest name, and what a bar reaches beyond its ends, in ranks.
_NAME, _BEYOND = 28, 0.04

#: Units between bars and between names.
_BAR, _ROW = 0.28, 0.5


@dataclass(frozen=True)
class LineBar:
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


def draw_line(
    ax: Axes, ranks: FloatArray, names: Sequence[str], bars: Sequence[LineBar], *, top: float = 1.5
) -> None:
    """Draw sorted ranks with their names and bars; `top` is the upper limit of the Axes.

    A bar that would pass over an algorithm outside its group is a thin line with a dot at each
    member; then bars have letters, which are repeated after the names, so that the groups are
    clear even if ranks are equal.
    """
    lettered = len(bars) <= MOST_BARS and not all(_plot_line_bar_whole(bar, ranks) for bar in bars)
    _draw_plot_line_scale(ax, len(ranks))
    for k, bar in enumerate(bars):
        y = -0.35 - _BAR * k
        _draw_plot_line_bar(ax, ranks, bar, y)
        if lettered:
            at = float(ranks[bar.members[0]]), y
            _write_beside_plot_line(ax, at, ascii_lowercase[k], "right", size="x-small")
    below, half = -0.35 - _BAR * len(bars), (len(ranks) + 1) // 2
    for k, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        left = k < half
        y = below - _ROW * ((k if left else len(ranks) - 1 - k) + 1)
        edge = 0.7 if left else len(ranks) + 0.3
        ax.plot([rank, rank, edge], [0.0, y, y], color=INK, linewidth=0.8)
        words = f"{clip_drawn_text(name, _NAME)} {numbers.rank_number_text(rank)}"
        if lettered:
            within = [ascii_lowercase[b] for b, bar in enumerate(bars) if k in bar.members]
            words += f" ({', '.join(within)})" if within else ""
        _write_beside_plot_line(ax, (edge, y), words, "right" if left else "left")
    ax.set_ylim(below - _ROW * half - 0.4, top)
    ax.set_axis_off()


def line_size(algorithms: int, bars: int) -> tuple[float, float]:
    """Return the width and height in inches that `draw_line` needs."""
    return 8.0, 1.6 + 0.26 * ((algorithms + 1) // 2) + 0.14 * bars


def _plot_line_bar_whole(bar: LineBar, ranks: FloatArray) -> bool:
    """Whether a bar covers its members and no other algorithm."""
    low, high = ranks[bar.members[0]] - 1.5 * _BEYOND, ranks[bar.members[-1]] + 1.5 * _BEYOND
    return int(np.count_nonzero((ranks >= low) & (ranks <= high))) == len(bar.members)


def _draw_plot_line_bar(ax: Axes, ranks: FloatArray, bar: LineBar, y: float) -> None:
    at = ranks[list(bar.members)]
    ends = [at[0] - _BEYOND, at[-1] + _BEYOND]
    if bar.equivalent:
        ax.plot(ends, [y, y], color=INK, linewidth=5.0, solid_capstyle="butt")
        ax.plot(ends, [y, y], color="white", linewidth=2.6, solid_capstyle="butt")
    elif _plot_line_bar_whole(bar, ranks):
        ax.plot(ends, [y, y], color=BLUE, linewidth=4.0, solid_capstyle="butt")
    if not _plot_line_bar_whole(bar, ranks):
        colour, line = (INK, "none") if bar.equivalent else (BLUE, "-")
        style = {"linestyle": line, "linewidth": 1.2, "marker": "o", "markersize": 5.0}
        ax.plot(at, np.full(len(at), y), color=colour, **style)  # type: ignore[arg-type]


def _draw_plot_line_scale(ax: Axes, l: int) -> None:
    """Draw the line of ranks, with ticks."""
    ax.plot([1, l], [0, 0], color=INK, linewidth=1.2)
    for rank in range(1, l + 1):
        ax.plot([rank, rank], [0, 0.15], color=INK, linewidth=1.0)
        if l <= 30 or rank % 5 == 0:
            ax.annotate(str(rank), (rank, 0.22), ha="center", va="bottom", fontsize="small")


def _write_beside_plot_line(
    ax: Axes, at: tuple[float, float], words: str, side: str, *, size: str = "small"
) -> None:
    """Write beside a point, with the given side of the words facing it."""
    shift = (-5.0, 0.0) if side == "right" else (5.0, 0.0)
    ax.annotate(
        words,
        at,
        shift,
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=size,
        annotation_clip=False,
        **LITERAL,
    )
