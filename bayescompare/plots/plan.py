"""How probable it is that further datasets would settle a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.plots._drawing import LINES, legend_beside, new_axes, set_title

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_plan"]

_WORDS = {"settled": "some statement is settled", "settled_on_best": "the one leading now is"}


def plot_plan(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of a settled answer against the number of further datasets.

    Parameters
    ----------
    table : DataFrame
        From `Comparison.plan`. Bars are two standard errors of the simulation.
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
    >>> ax = plot_plan(c.plan([5, 10], simulations=20, rng=0), ax=Figure().subplots())
    >>> ax.get_xlabel(), len(ax.get_legend().get_texts())
    ('further datasets', 2)
    """
    ax = new_axes(ax, (6.8, 4.0))
    at = table.index.to_numpy(dtype=float)
    for (column, words), line in zip(_WORDS.items(), LINES, strict=False):
        ax.plot(at, table[column].to_numpy(), markersize=4.0, label=words, **line)
    low, high = (table["settled"] + sign * 2.0 * table["mcse"] for sign in (-1.0, 1.0))
    ax.vlines(at, low.clip(lower=0.0), high.clip(upper=1.0), color=LINES[0]["color"], linewidth=1.0)
    of_datasets = table.index.name != "replicates"
    label = "further datasets" if of_datasets else "times as many replicates"
    ax.set(xlabel=label, ylabel="probability", ylim=(-0.02, 1.02))
    legend_beside(ax)
    ax.spines[["top", "right"]].set_visible(False)
    set_title(ax, f"how probable it is that {label} settle the question")
    return ax
