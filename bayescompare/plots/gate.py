"""A gate as a forest plot: the mean advantage on each measure, its bounds and the rope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    SKY,
    VERMILION,
    clip_drawn_text,
    moved_in_drawing,
    new_axes,
    set_title,
)
from bayescompare.ranking.gate import Gate
from bayescompare.text.numbers import difference_number_text, percent_setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.ranking.gate_answer import MeasureGate
    from bayescompare.table.measure import Measure

__all__ = ["plot_gate"]

#: Longest name of a measure.
_NAME = 28

#: Colour and marker of each verdict.
_STYLES = {
    "superior": (BLUE, "o"),
    "not worse": (SKY, "s"),
    "worse": (VERMILION, "X"),
    "undecided": (INK, "D"),
}


def plot_gate(g: Gate, *, ax: Axes | None = None) -> Axes:
    """Draw the candidate's mean advantage on each measure, with its two one-sided bounds.

    The measures have scales of their own, so each row has one too, and the figures stand beside
    the line. Its shaded part is the loss within the rope. A candidate passes where the line ends
    on the left within that part, or to the right of it.

    Parameters
    ----------
    g : Gate
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    >>> ax = plot_gate(g, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['auc', 'accuracy', 'brier']
    """
    argument: object = g
    if not isinstance(argument, Gate):
        raise BayescompareError(
            f"g is a {type(argument).__name__}: this plot shows the result of gate()."
        )
    names = g.results.measures
    ax = new_axes(ax, (7.0, 1.5 + 0.55 * len(names)))
    for row, (name, judged) in enumerate(zip(names, g.answer.measures, strict=True)):
        _draw_gate_row(ax, row, judged, g.results[name])
    ax.axvline(0.0, color=INK, linewidth=0.8, zorder=1)
    ax.set_yticks(np.arange(len(names)), [clip_drawn_text(name, _NAME) for name in names])
    for text in ax.get_yticklabels():
        text.set(**LITERAL)
    ax.set(xlim=(-1.15, 1.15), ylim=(len(names) - 0.4, -0.6), xticks=[])
    side = percent_setting(g.level)
    ax.set_xlabel(
        f"worse   ←   mean advantage (one-sided bounds, {side} each)   →   better", **LITERAL
    )
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    set_title(ax, g.headline())
    return ax


def _draw_gate_row(ax: Axes, row: int, judged: MeasureGate, spec: Measure) -> None:
    """Draw one measure, scaled so that all of it fits."""
    colour, marker = _STYLES[judged.verdict]
    ends = judged.lower, judged.upper
    known = [abs(x) for x in (*ends, judged.difference, spec.rope or 0.0) if not np.isnan(x)]
    scale = max(known) or 1.0
    if spec.rope:
        ax.barh(row, spec.rope / scale, 0.5, -spec.rope / scale, color=GREY, alpha=0.45, zorder=0)
    if not np.isnan(ends[0]):
        ax.hlines(row, ends[0] / scale, ends[1] / scale, color=colour, linewidth=2.0, zorder=2)
    ax.scatter(judged.difference / scale, row, s=36, color=colour, marker=marker, zorder=3)
    style = {"ha": "center", "va": "bottom", "fontsize": "x-small", **LITERAL}
    above = moved_in_drawing(ax, ax.transData, 0.0, 6.0)
    label = difference_number_text(judged.difference, spec.unit or "")
    if not np.isnan(ends[0]):
        label = f"{label} ({' to '.join(difference_number_text(x, significant=2) for x in ends)})"
    ax.text(judged.difference / scale, row, label, transform=above, **style)
    right = moved_in_drawing(ax, ax.get_yaxis_transform(), 6.0, 0.0)
    ax.text(1.0, row, judged.verdict, transform=right, color=colour, va="center", fontsize="small")
