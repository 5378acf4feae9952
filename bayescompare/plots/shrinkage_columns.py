"""Every dataset's statements, a column for each: by itself, and given all datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    ORANGE,
    add_legend,
    clip_drawn_text,
    moved_in_drawing,
    new_axes,
    set_title,
    wrap_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["columns_size", "plot_columns"]


#: Longest name of a dataset; characters of a line, and lines, above a column.
_NAME, _WIDTH, _LINES = 28, 20, 4
#: Longest list of measures.
_MEASURES = 44
#: Columns, from one to the next in units of P, and inches of one.
_MOST_COLUMNS, _STEP, _COLUMN = 4, 1.22, 1.65
#: Inches per dataset.
_ROW = 0.2
#: Points from the axis to the legend below it.
_BELOW = 34.0


class ColumnsPicture(NamedTuple):
    """What is drawn: datasets in rows from below, statements in columns, likeliest first.

    Attributes
    ----------
    names : list of str
    labels : list of str
    own, after : arrays (rows, columns)
        P by the dataset's replicates alone, and given all datasets.
    """

    names: list[str]
    labels: list[str]
    own: FloatArray
    after: FloatArray


def plot_columns(c: Comparison, *, most: int, ax: Axes | None = None) -> Axes:
    """Draw P of the leading statements on every dataset, as `plot_shrinkage` describes."""
    shown = _shrinkage_columns_picture(c, most)
    ax = new_axes(ax, columns_size(c, most=most))
    rows, columns = shown.own.shape
    height = np.arange(rows)
    moves = bool(np.any(np.abs(shown.own - shown.after) > 1e-12))
    for k in range(columns):
        left, own, after = k * _STEP, shown.own[:, k], shown.after[:, k]
        ax.vlines([left, left + 1.0], -0.6, rows - 0.4, color=GREY, linewidth=1.0, zorder=0)
        ax.vlines(left + 0.5, -0.6, rows - 0.4, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
        if moves:
            ax.hlines(height, left + own, left + after, color=ORANGE, linewidth=2.0, zorder=2)
            ax.scatter(
                left + own, height, s=20, facecolors="white", edgecolors=INK, zorder=3,
                label=None if k else "by itself",
            )  # fmt: skip
        label = "given all datasets" if moves else "by itself"
        ax.scatter(left + after, height, s=20, color=BLUE, zorder=4, label=None if k else label)
    ax.set_yticks(height, shown.names, fontsize="small")
    _finish_shrinkage_columns(ax, c, shown)
    return ax


def columns_size(c: Comparison, *, most: int) -> tuple[float, float]:
    """Return the width and height in inches that `plot_columns` needs."""
    columns = min(len(c.answer.labels), _MOST_COLUMNS)
    longest = max(len(clip_drawn_text(name, _NAME)) for name in c.results.datasets)
    wide = 0.6 + 0.075 * longest + _COLUMN * columns
    return max(5.0, wide), 2.3 + _ROW * min(len(c.results.datasets), most)


def _shrinkage_columns_picture(c: Comparison, most: int) -> ColumnsPicture:
    """Choose the leading statements, and sort the datasets by the first of them."""
    leading = [str(label) for label in c.summary().index[:_MOST_COLUMNS]]
    own = c.evidence.sel(statement=leading).values
    after = c.per_dataset[leading].to_numpy()
    kept = _shrinkage_columns_kept(own, after, most)
    names = [clip_drawn_text(c.results.datasets[i], _NAME) for i in kept]
    return ColumnsPicture(names, leading, own[kept], after[kept])


def _shrinkage_columns_kept(own: FloatArray, after: FloatArray, most: int) -> IntArray:
    """Return the datasets to draw, sorted by the leading statement.

    Of more than `most`, those that all datasets together move farthest.
    """
    far = np.abs(own - after).max(axis=1)
    kept = np.sort(np.argsort(-far, kind="stable")[:most])
    return np.asarray(kept[np.lexsort((after[kept, 0], own[kept, 0]))])


def _finish_shrinkage_columns(ax: Axes, c: Comparison, shown: ColumnsPicture) -> None:
    rows, columns = shown.own.shape
    for text in ax.get_yticklabels():
        text.set(**LITERAL)
    starts = _STEP * np.arange(columns)
    ax.set_xticks(
        (starts[:, None] + [0.0, 0.5, 1.0]).ravel(), ["0", "½", "1"] * columns, fontsize="small"
    )
    for start, label in zip(starts.tolist(), shown.labels, strict=True):
        ax.text(
            start + 0.5, 1.0, "\n".join(wrap_label(label, width=_WIDTH, most=_LINES)),
            transform=moved_in_drawing(ax, ax.get_xaxis_transform(), 0.0, 2.0),
            ha="center",
            va="bottom",
            fontsize="x-small", **LITERAL,
        )  # fmt: skip
    ax.set_xlim(-0.08, _STEP * (columns - 1) + 1.08)
    ax.set_ylim(-0.8, rows - 0.2)
    hidden = len(c.answer.labels) - columns
    more = f"\n{hidden} less probable statements are not shown" if hidden else ""
    measures = clip_drawn_text(" | ".join(c.results.measures), _MEASURES)
    words = f"P(the statement on {measures} holds on this dataset){more}"
    ax.set_xlabel(words, fontsize="small", **LITERAL)
    left_out = len(c.results.datasets) - rows
    if left_out:
        ax.set_ylabel(f"datasets ({left_out} that move less not shown)")
    add_legend(
        ax,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=moved_in_drawing(ax, ax.transAxes, 0.0, -_BELOW - 13.0 * words.count("\n")),
        ncols=2,
    )
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(axis="both", length=0)
    # The title stands above the statements, which stand above their columns.
    lines = max(len(wrap_label(label, width=_WIDTH, most=_LINES)) for label in shown.labels)
    set_title(ax, c.headline(), pad=8.0 + 10.0 * lines)
