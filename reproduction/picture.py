"""Pictures of reproductions: the paper's curves again, or published beside obtained."""

from __future__ import annotations

import math
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescompare.plots._drawing import BLUE, GREY, INK, LINES, LITERAL, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from reproduction.reproduced import Reproduced

__all__ = ["draw_reproduced"]

#: Panels in a row, at most.
_WIDE = 4
#: Lines with more points than this have no markers.
_FEW = 25


def draw_reproduced(done: Reproduced) -> Figure:
    """Draw one reproduction as a new figure, without pyplot.

    Examples
    --------
    >>> from reproduction import reproduce
    >>> len(draw_reproduced(reproduce("lacoste-2012-table2")).axes)
    1
    """
    if done.curves is None:
        return _draw_beside(done)
    return _draw_panels(done, done.curves)


def _draw_panels(done: Reproduced, curves: pd.DataFrame) -> Figure:
    """One panel for each of the paper's, with a common legend below."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(curves["panel"]))
    # Ten panels are two rows of five.
    wide = _WIDE + 1 if len(names) % (_WIDE + 1) == 0 else _WIDE
    columns = min(len(names), wide)
    rows = math.ceil(len(names) / columns)
    lines = list(dict.fromkeys(curves["line"]))
    # The legend needs room below, and a row for every three names.
    height = 3.0 * rows + 0.6 + 0.25 * math.ceil(len(lines) / 3)
    figure = Figure(figsize=(max(3.2 * columns, 5.4), height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for ax, name in zip(axes.flat, names, strict=False):
        _draw_panel(ax, curves[curves["panel"] == name], lines, name)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    for ax in axes.flat[max(len(names) - columns, 0) : len(names)]:
        ax.set_xlabel(done.outcome.axes[0])
    for ax in axes[:, 0]:
        ax.set_ylabel(done.outcome.axes[1])
    figure.legend(
        *axes.flat[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=min(3, len(lines)),
        frameon=False,
        fontsize="small",
        handlelength=3.6,
    )
    figure.suptitle(f"{done.key}: {done.simulated}", fontsize="medium", **LITERAL)
    return figure


def _draw_panel(ax: Axes, part: pd.DataFrame, lines: list[str], title: str) -> None:
    x = np.unique(part["x"])
    wide = len(x) > 2 and x.min() > 0 and x.max() / x.min() > 50
    if wide:
        ax.set_xscale("log")
    elif len(x) > _FEW:  # a ROC curve
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, zorder=1)
        ax.set_aspect("equal")
    else:
        ax.set_xticks(x)
    # Bars of several lines at one place stand side by side.
    step = 0.0 if wide or len(x) < 2 else 0.06 * float(np.diff(x).min())
    for place, (name, style) in enumerate(zip(lines, cycle(LINES), strict=False)):
        own = part[part["line"] == name]
        if own.empty:
            continue
        at = own["x"] + step * (place - (len(lines) - 1) / 2) * (own["low"].notna())
        look = style if len(own) <= _FEW else {**style, "marker": "none"}
        ax.plot(at, own["y"], linewidth=1.5, markersize=4.0, label=name, **look)
        ax.vlines(at, own["low"], own["high"], color=style["color"], linewidth=1.0, alpha=0.6)
    ax.set_title(title, loc="left", fontsize="medium", **LITERAL)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_beside(done: Reproduced) -> Figure:
    """One row per figure: open marks are published, bars are two standard errors."""
    from matplotlib.figure import Figure

    table = done.table
    figure = Figure(figsize=(6.6, 1.5 + 0.26 * len(table)), layout="constrained")
    ax = figure.subplots()
    place = np.arange(len(table))[::-1]
    ax.errorbar(
        table["obtained"],
        place,
        xerr=2.0 * table["mcse"],
        fmt="o",
        markersize=4.0,
        color=BLUE,
        label="obtained, ± 2 MCSE",
    )
    ax.plot(
        table["published"],
        place,
        linestyle="none",
        marker="D",
        markersize=7.0,
        markerfacecolor="none",
        color=VERMILION,
        label="published",
    )
    labels = [
        f"{case}, {what}" for case, what in zip(table["case"], table["quantity"], strict=True)
    ]
    ax.set_yticks(place, labels=labels, fontsize="small", **LITERAL)
    ax.grid(axis="x", color=GREY, linewidth=0.5, alpha=0.6)
    ax.tick_params(axis="y", length=0, colors=INK)
    ax.spines[["top", "right", "left"]].set_visible(False)
    figure.suptitle(f"{done.key}: {done.simulated}", fontsize="medium", **LITERAL)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    return figure
