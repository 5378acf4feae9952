"""A picture of a bench table: time against size, a panel for each task."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchmarks.peers.table import OURS, BenchTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw"]

#: The colours of Okabe and Ito, which colour-blind readers can tell apart.
_COLOURS = {
    OURS: "#0072B2",
    "baycomp": "#D55E00",
    "scipy": "#009E73",
    "plain code": "#7F7F7F",
    "autorank": "#CC79A7",
    "scikit-posthocs": "#E69F00",
    "pgmpy": "#56B4E9",
}
_COLUMNS = 3


def draw(table: BenchTable) -> Figure:
    """Draw processor time against size, both logarithmic; the error is beside each line.

    Parameters
    ----------
    table : BenchTable

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and no pyplot state.
    """
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(row.task for row in table.rows))
    columns = min(_COLUMNS, max(len(names), 1))
    lines = max(math.ceil(len(names) / columns), 1)
    figure = Figure(figsize=(4.1 * columns, 2.9 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False).ravel()
    for ax, name in zip(grid, names, strict=False):
        _draw_task(ax, table, name)
    for ax in grid[len(names) :]:
        ax.set_axis_off()
    return figure


def _draw_task(ax: Axes, table: BenchTable, name: str) -> None:
    rows = [row for row in table.rows if row.task == name]
    for package in dict.fromkeys(row.package for row in rows):
        timed = [row for row in rows if row.package == package and row.seconds is not None]
        if not timed:
            continue
        errors = [row.error for row in timed if row.error is not None]
        label = f"{package}, error {max(errors):.0e}" if errors else package
        ax.plot(
            [row.size for row in timed],
            [1e3 * float(row.seconds or math.nan) for row in timed],
            marker="o",
            color=_COLOURS.get(package, "black"),
            linewidth=2.2 if package == OURS else 1.4,
            label=label,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    sizes = sorted({row.size for row in rows})
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel(rows[0].size_name)
    ax.set_ylabel("ms of processor")
    ax.set_title(rows[0].title, loc="left", fontsize="small")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.35)  # room for the legend above the lines
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="x-small", frameon=False, loc="upper left")
