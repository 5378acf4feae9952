"""The Hasse diagram of generalised stochastic dominance in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.plots._drawing import prefix_words, set_title
from bayescompare.plots.order import draw_order_graph, drawn_order_size
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["plot_relation", "relation_size"]


def plot_relation(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw an arrow from each algorithm to those that it dominates directly.

    Arrows that follow from others are left out.

    Parameters
    ----------
    c : Comparison
        A comparison by ``"gsd"``.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> results = bc.load_example("jansen-uci")
    >>> c = bc.compare(results, method=bc.methods.GSD(delta=0), algorithms=["GBM", "RF", "CART"])
    >>> ax = plot_relation(c, ax=Figure().subplots())
    >>> sorted({arrow.get_label() for arrow in ax.texts if arrow.get_label()})
    ['GBM>RF', 'RF>CART']
    """
    graph = c.order()
    ax = draw_order_graph(graph, ax)
    lines = [c.headline()]
    if c.incomparable:
        apart = join_names([f"{a} and {b}" for a, b in c.incomparable], most=8)
        lines.append(f"Incomparable pairs: {apart}")
    set_title(ax, *lines, *prefix_words(list(graph)))
    return ax


def relation_size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches that `plot_relation` needs."""
    width, height = drawn_order_size(c.order())
    return width, height + 0.5
