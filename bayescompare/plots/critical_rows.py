"""The critical-difference diagram of very many algorithms: a row for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import BLUE, GREY, INK, LITERAL, clip_drawn_text

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["draw_rows", "rows_size"]

_NAME = 28

#: Up to this many rows are set apart; more are as narrow as small print.
_MOST_WIDE = 60


def draw_rows(ax: Axes, ranks: FloatArray, names: Sequence[str], left_open: nx.Graph[int]) -> None:
    """Draw sorted ranks, best on top, with a mark in each row per pair without a verdict."""
    rows = np.arange(len(ranks))
    pairs = np.array(
        [(i, j) for one, other in left_open.edges for i, j in _critical_rows_both_ways(one, other)]
    )
    if len(pairs):
        row, other = pairs.T
        reach = np.stack([ranks, ranks])
        np.minimum.at(reach[0], row, ranks[other])
        np.maximum.at(reach[1], row, ranks[other])
        ax.hlines(rows, *reach, color=GREY, linewidth=1.0, zorder=1)
        size = 22.0 if len(ranks) <= _MOST_WIDE else 10.0
        # One call for thousands of marks; they are drawn above the dots that they may meet.
        marks = ax.scatter(ranks[other], row, size, INK, marker="|", linewidths=0.9, zorder=4)
        marks.set_label("left open")
    ax.scatter(ranks, rows, 16.0, BLUE, zorder=3, label="rank")
    small = "small" if len(ranks) <= _MOST_WIDE else 6.0
    ax.set_yticks(rows, [clip_drawn_text(name, _NAME) for name in names], fontsize=small, **LITERAL)
    ax.set_ylim(len(ranks) - 0.3, -0.7)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)


def rows_size(names: Sequence[str]) -> tuple[float, float]:
    """Return the width and height in inches that `draw_rows` needs."""
    longest = max(len(clip_drawn_text(name, _NAME)) for name in names)
    return 6.6 + 0.085 * longest, 1.9 + (0.2 if len(names) <= _MOST_WIDE else 0.115) * len(names)


def _critical_rows_both_ways(one: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one, other), (other, one)
