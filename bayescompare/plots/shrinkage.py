"""Every dataset by itself, and its figure given all datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv, stdtrit

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
)
from bayescompare.plots.shrinkage_columns import columns_size, plot_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["plot_shrinkage", "shrinkage_size"]


#: Longest name, and characters of a label that fit on one line.
_NAME, _LONGEST = 24, 84

#: Inches per dataset, and the default of the largest number of rows.
_ROW, _MOST = 0.22, 60


@dataclass(frozen=True)
class ShrinkagePicture:
    """The content of the plot: own and pooled figures, and their own intervals if there are any.

    Attributes
    ----------
    own, pooled : arrays
        The same if nothing is pooled.
    interval : array (2, n), optional
    label : str
        The label of the axis.
    sides : tuple of (str, str)
        The meaning of the left and the right side of the centre.
    centre, rope : float
        Where neither is better, and how far from there both are still equivalent.
    """

    own: FloatArray
    pooled: FloatArray
    interval: FloatArray | None
    label: str
    sides: tuple[str, str]
    centre: float = 0.5
    rope: float = 0.0


def plot_shrinkage(c: Comparison, *, most: int = _MOST, ax: Axes | None = None) -> Axes:
    """Draw a row per dataset: its figure by itself, and given all datasets.

    For ``"hierarchical"`` the figure is the share of discordant errors that are the first
    algorithm's, for ``"correlated-t"`` its mean advantage, each with the 95 % interval from the
    dataset by itself; for ``"poisson-binomial"`` it is P(the first algorithm is better). For
    ``"replicated"`` there is a column for each of the four leading statements, with its P.

    Parameters
    ----------
    c : Comparison
        A comparison by a method that has `per_dataset`.
    most : int
        Largest number of rows; of more datasets those whose figures move or differ from ½ most
        (``"replicated"``: move most).
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(bc.load_example("lacoste-svm-parzen"), method="hierarchical")
    >>> ax = plot_shrinkage(c, ax=Figure().subplots())
    >>> len(ax.get_yticklabels())
    22
    """
    if "evidence" in c.method.provides:
        return plot_columns(c, most=most, ax=ax)
    shown = _shrinkage_plot_picture(c)
    kept = _shrinkage_plot_kept(shown, most)
    names = [clip_drawn_text(c.results.datasets[k], _NAME) for k in kept]
    own, pooled, rows = shown.own[kept], shown.pooled[kept], np.arange(len(kept))
    ax = new_axes(ax, shrinkage_size(c, most=most))
    ax.axvline(shown.centre, color=GREY, linewidth=1.0, zorder=0)
    if shown.rope:
        ends = shown.centre - shown.rope, shown.centre + shown.rope
        ax.axvspan(*ends, color=GREY, alpha=0.3, zorder=0, label="equivalent")
    if shown.interval is not None:
        ax.hlines(rows, *shown.interval[:, kept], color=GREY, linewidth=1.0, label="95 % by itself")
    moves = bool(np.any(own != pooled))
    if moves:
        ax.hlines(rows, own, pooled, color=ORANGE, linewidth=2.0)
        ax.scatter(own, rows, s=26, facecolors="white", edgecolors=INK, label="by itself", zorder=3)
    label = "given all datasets" if moves else "by itself"
    ax.scatter(pooled, rows, s=26, color=BLUE, label=label, zorder=4)
    ax.set_yticks(rows, names, fontsize="small")
    _finish_shrinkage_plot(ax, shown, len(names), more=len(shown.own) - len(kept))
    set_title(ax, c.headline())
    return ax


def shrinkage_size(c: Comparison, *, most: int = _MOST) -> tuple[float, float]:
    """Return the width and height in inches that `plot_shrinkage` needs."""
    if "evidence" in c.method.provides:
        return columns_size(c, most=most)
    return 7.0, 1.9 + _ROW * min(len(c.results.datasets), most)


def _shrinkage_plot_picture(c: Comparison) -> ShrinkagePicture:
    first, second = (clip_drawn_text(name, _NAME) for name in c.results.algorithms)
    table = {str(name): column.to_numpy() for name, column in c.per_dataset.items()}
    if "share" in table:
        shapes = table["first_wrong"] + 1.0, table["second_wrong"] + 1.0
        interval = np.stack([betaincinv(*shapes, tail) for tail in (0.025, 0.975)])
        label = f"share of discordant errors that are {first}’s"
        sides = (f"{first} better", f"{second} better")
        return ShrinkagePicture(table["share_alone"], table["share"], interval, label, sides)
    sides = (f"{second} better", f"{first} better")
    if "advantage" in table:
        (measure,) = c.results.measures
        mean, wide = table["advantage"], stdtrit(table["replicates"] - 1.0, 0.975) * table["scale"]
        interval = np.stack([mean - wide, mean + wide])
        label, rope = f"mean advantage of {first} on {measure}", c.results[measure].rope or 0.0
        return ShrinkagePicture(mean, mean, interval, label, sides, centre=0.0, rope=rope)
    own = table.get("alone", table["probability"])
    return ShrinkagePicture(own, table["probability"], None, f"P({first} is better)", sides)


def _shrinkage_plot_kept(shown: ShrinkagePicture, most: int) -> IntArray:
    """Return the datasets to draw, sorted: those farthest from undecided."""
    far = np.maximum(np.abs(shown.own - shown.centre), np.abs(shown.own - shown.pooled))
    kept = np.sort(np.argsort(-far, kind="stable")[:most])
    return np.asarray(kept[np.argsort(shown.own[kept], kind="stable")])


def _finish_shrinkage_plot(ax: Axes, shown: ShrinkagePicture, rows: int, *, more: int) -> None:
    for text in ax.get_yticklabels():
        text.set(**LITERAL)
    ax.set_ylim(-0.8, rows - 0.2)
    if shown.centre == 0.5:
        ax.set_xlim(-0.02, 1.02)
    left, right = shown.sides
    words = f"← {left}  |  {shown.label}  |  {right} →"
    if len(words) > _LONGEST:
        words = f"{shown.label}\n← {left}  |  {right} →"
    ax.set_xlabel(words, fontsize="small", **LITERAL)
    if more > 0:
        ax.set_ylabel(f"datasets ({more} nearer to undecided not shown)")
    # Below the axis and its label, whatever the height of the figure.
    add_legend(
        ax,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=moved_in_drawing(ax, ax.transAxes, 0.0, -36.0 - 14.0 * words.count("\n")),
        ncols=3,
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
