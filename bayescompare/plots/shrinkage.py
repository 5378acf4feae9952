"""Every dataset by itself, and given all datasets: one figure, or a column for each statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betaincinv, stdtrit

from bayescompare._typing import FloatArray, IntArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    clip,
    finish,
    legend_below,
    moved,
    new_axes,
    wrap_statement,
)
from bayescompare.plots.kinds import plot_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_shrinkage"]

#: Longest name of a dataset beside one figure and beside columns, and longest line of a label.
_NAME, _WIDER_NAME, _LONGEST = 24, 28, 84

#: Inches per dataset.
_ROW, _LOW_ROW = 0.22, 0.2


@dataclass(frozen=True)
class Picture:
    """What is drawn of each dataset: own and pooled figures, and their own intervals if any.

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


@plot_of(Comparison, "shrinkage", needs="per_dataset")
def plot_shrinkage(c: Comparison, *, most: int = 60, ax: Axes | None = None) -> Axes:
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
    if "evidence" in dir(c):
        return _draw_columns(c, most, ax)
    shown = _picture(c)
    far = np.maximum(np.abs(shown.own - shown.centre), np.abs(shown.own - shown.pooled))
    kept = _farthest(far, most)
    kept = kept[np.argsort(shown.own[kept], kind="stable")]
    ax = new_axes(ax, (7.0, 1.9 + _ROW * len(kept)))
    ax.axvline(shown.centre, color=GREY, linewidth=1.0, zorder=0)
    if shown.rope:
        ends = shown.centre - shown.rope, shown.centre + shown.rope
        ax.axvspan(*ends, color=GREY, alpha=0.3, zorder=0, label="equivalent")
    rows = np.arange(len(kept))
    if shown.interval is not None:
        ax.hlines(rows, *shown.interval[:, kept], color=GREY, linewidth=1.0, label="95 % by itself")
    own, pooled = shown.own[kept], shown.pooled[kept]
    _draw_moves(ax, rows, own, pooled, 26.0, moves=bool(np.any(own != pooled)))
    _name_rows(ax, [clip(c.results.datasets[k], _NAME) for k in kept])
    if shown.centre == 0.5:
        ax.set_xlim(-0.02, 1.02)
    left, right = shown.sides
    words = f"← {left}  |  {shown.label}  |  {right} →"
    if len(words) > _LONGEST:
        words = f"{shown.label}\n← {left}  |  {right} →"
    ax.set_xlabel(words, fontsize="small")
    if more := len(shown.own) - len(kept):
        ax.set_ylabel(f"datasets ({more} nearer to undecided not shown)")
    # Below the axis and its label, whatever the height of the figure.
    legend_below(ax, 36.0 + 14.0 * words.count("\n"), centred=True, ncols=3)
    return finish(ax, c.headline(), bare="top right left")


def _farthest(far: FloatArray, most: int) -> IntArray:
    """Return the datasets that lie farthest, in their order."""
    return np.asarray(np.sort(np.argsort(-far, kind="stable")[:most]))


def _draw_moves(
    ax: Axes,
    rows: IntArray,
    own: FloatArray,
    after: FloatArray,
    size: float,
    *,
    moves: bool,
    labelled: bool = True,
) -> None:
    """Draw where each row stands by itself, where given all, and the way between, if any moves."""
    words = ["by itself", "given all datasets"] if labelled else [None, None]
    if moves:
        ax.hlines(rows, own, after, color=ORANGE, linewidth=2.0, zorder=2)
        look: dict[str, Any] = {"facecolors": "white", "edgecolors": INK, "zorder": 3}
        ax.scatter(own, rows, s=size, label=words[0], **look)
    ax.scatter(after, rows, s=size, color=BLUE, label=words[moves], zorder=4)


def _name_rows(ax: Axes, names: list[str]) -> None:
    ax.set_yticks(np.arange(len(names)), names, fontsize="small")
    ax.set_ylim(-0.8, len(names) - 0.2)


def _picture(c: Comparison) -> Picture:
    first, second = (clip(name, _NAME) for name in c.results.algorithms)
    table = {str(name): column.to_numpy() for name, column in c.per_dataset.items()}
    if "share" in table:
        shapes = table["first_wrong"] + 1.0, table["second_wrong"] + 1.0
        interval = np.stack([betaincinv(*shapes, tail) for tail in (0.025, 0.975)])
        label = f"share of discordant errors that are {first}’s"
        sides = (f"{first} better", f"{second} better")
        return Picture(table["share_alone"], table["share"], interval, label, sides)
    sides = (f"{second} better", f"{first} better")
    if "advantage" in table:
        (measure,) = c.results.measures
        mean, wide = table["advantage"], stdtrit(table["replicates"] - 1.0, 0.975) * table["scale"]
        interval = np.stack([mean - wide, mean + wide])
        label, rope = f"mean advantage of {first} on {measure}", c.results[measure].rope or 0.0
        return Picture(mean, mean, interval, label, sides, centre=0.0, rope=rope)
    own = table.get("alone", table["probability"])
    return Picture(own, table["probability"], None, f"P({first} is better)", sides)


# a column for each statement ----------------------------------------------------------------------

#: Characters of a line, and lines, above a column; longest list of measures.
_WIDTH, _LINES, _MEASURES = 20, 4, 44

#: Columns, from one to the next in units of P, and inches of one.
_MOST_COLUMNS, _STEP, _COLUMN = 4, 1.22, 1.65


def _draw_columns(c: Comparison, most: int, ax: Axes | None) -> Axes:
    """Draw P of the leading statements on every dataset, sorted by the first of them."""
    datasets = c.results.datasets
    leading = [str(label) for label in c.summary().index[:_MOST_COLUMNS]]
    own, after = c.evidence.sel(statement=leading).values, c.per_dataset[leading].to_numpy()
    far = np.abs(own - after).max(axis=1)
    kept = _farthest(far, most)
    kept = kept[np.lexsort((after[kept, 0], own[kept, 0]))]
    moves = bool(far[kept].max() > 1e-12)
    longest = max(len(clip(name, _WIDER_NAME)) for name in datasets)
    wide = max(5.0, 0.6 + 0.075 * longest + _COLUMN * len(leading))
    ax = new_axes(ax, (wide, 2.3 + _LOW_ROW * len(kept)))
    rows = np.arange(len(kept))
    starts = _STEP * np.arange(len(leading))
    low, high = -0.6, len(kept) - 0.4
    for k, start in enumerate(starts):
        ax.vlines([start, start + 1.0], low, high, color=GREY, linewidth=1.0, zorder=0)
        ax.vlines(start + 0.5, low, high, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
        before, then = start + own[kept, k], start + after[kept, k]
        _draw_moves(ax, rows, before, then, 20.0, moves=moves, labelled=k == 0)
    _name_rows(ax, [clip(datasets[i], _WIDER_NAME) for i in kept])
    ends = (starts[:, None] + [0.0, 0.5, 1.0]).ravel()
    ax.set_xticks(ends, ["0", "½", "1"] * len(leading), fontsize="small")
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.08, starts[-1] + 1.08)
    above = moved(ax, ax.get_xaxis_transform(), 0.0, 2.0)
    heads = [wrap_statement(label, width=_WIDTH, most=_LINES) for label in leading]
    for start, lines in zip(starts.tolist(), heads, strict=True):
        style: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "x-small"}
        ax.text(start + 0.5, 1.0, "\n".join(lines), transform=above, **style)
    hidden = len(c.answer.labels) - len(leading)
    more = f"\n{hidden} less probable statements are not shown" if hidden else ""
    measures = clip(" | ".join(c.results.measures), _MEASURES)
    words = f"P(the statement on {measures} holds on this dataset){more}"
    ax.set_xlabel(words, fontsize="small")
    if left_out := len(datasets) - len(kept):
        ax.set_ylabel(f"datasets ({left_out} that move less not shown)")
    legend_below(ax, 34.0 + 13.0 * words.count("\n"), centred=True, ncols=2)
    # The title stands above the statements, which stand above their columns.
    pad = 8.0 + 10.0 * max(map(len, heads))
    return finish(ax, c.headline(), bare="top right left bottom", pad=pad)
