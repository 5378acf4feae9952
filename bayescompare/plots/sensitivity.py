"""The change of an answer with the weight of its prior, or with a rope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.decision import SETTLED
from bayescompare.plots._drawing import (
    GREY,
    LINES,
    SKY,
    clip_drawn_label,
    legend_beside,
    new_axes,
    set_title,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_sensitivity"]


def plot_sensitivity(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the statements' probabilities against prior weight or rope.

    Parameters
    ----------
    table : DataFrame
        From `Comparison.sensitivity` or `Comparison.rope_sensitivity`. Bounds over all prior
        means, if the table has them, are drawn as a band for the leading statement.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> ax = plot_sensitivity(c.sensitivity(), ax=Figure().subplots())
    >>> ax.get_xlabel(), len(ax.get_lines())
    ('strength', 5)
    """
    ax = new_axes(ax, (6.8, 4.0))
    at = table.index.to_numpy(dtype=float)
    if "lower" in table.attrs:
        ends = table.attrs["lower"], table.attrs["upper"]
        ax.fill_between(at, *ends, color=SKY, alpha=0.3, linewidth=0, label="all prior means")
    leading = table.max().sort_values(ascending=False, kind="stable").index
    for label, line in zip(leading, LINES, strict=False):
        name = clip_drawn_label(str(label), 36)
        ax.plot(at, table[label].to_numpy(), markersize=4.0, label=name, **line)
    ax.axhline(SETTLED, color=GREY, linewidth=1.0, linestyle="--")
    if table.index.name != "rope":
        ax.set_xscale("log")
    ax.set(xlabel=str(table.index.name), ylabel="P", ylim=(-0.02, 1.02))
    legend_beside(ax)
    ax.spines[["top", "right"]].set_visible(False)
    # The legend names the statements; codes such as "A>B|B>A" are for keys and tables.
    same = table.idxmax(axis=1).nunique() == 1
    caption = f"{'the same' if same else 'no single'} statement leads throughout"
    set_title(ax, caption)
    return ax
