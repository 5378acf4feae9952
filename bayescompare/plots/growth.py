"""The growth with δ of the order by generalised stochastic dominance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots._drawing import BLUE, GREY, LITERAL, clip_drawn_label, new_axes, set_title
from bayescompare.statements import State

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["growth_size", "plot_growth"]

_MOST = 60


def plot_growth(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the number of ordered pairs against δ, each step with the pair that becomes ordered.

    With larger δ fewer utilities are allowed, so more pairs are comparable.

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
    >>> c = bc.compare(results, method="gsd", algorithms=["BDS", "RF", "CART"])
    >>> ax = plot_growth(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['2 at δ = 0', 'RF>BDS']
    """
    from matplotlib.ticker import MaxNLocator

    start, steps = _growth_plot_steps(c)
    ax = new_axes(ax, growth_size(c))
    at = np.array([0.0, *(delta for delta, _ in steps)])
    count = start + np.arange(len(at))
    end = float(at[-1]) * 1.25 or 1e-3
    ax.step([*at, end], [*count, count[-1]], where="post", color=BLUE, linewidth=2.0)
    ax.annotate(
        f"{start} at δ = 0",
        (0.0, start),
        (4, -3),
        textcoords="offset points",
        va="top",
        fontsize="small",
    )
    for (delta, label), height in zip(steps[:_MOST], count[1:], strict=False):
        # The steps only rise, so there is room below a step to the right and above it to the left.
        early = delta < end / 2
        ax.annotate(
            clip_drawn_label(label, 30),
            (delta, height),
            (4, -3) if early else (-4, 2),
            textcoords="offset points",
            ha="left" if early else "right",
            va="top" if early else "bottom",
            fontsize="small",
            **LITERAL,
        )
    pairs = len(c.results.algorithms) * (len(c.results.algorithms) - 1) // 2
    ax.axhline(pairs, color=GREY, linewidth=1.0, linestyle="--")
    ax.set_xlim(0.0, end)
    ax.set_ylim(max(0.0, start - 0.08 * pairs - 0.5), pairs + 0.08 * pairs + 0.5)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="δ", ylabel=f"ordered pairs, of {pairs}")
    ax.spines[["top", "right"]].set_visible(False)
    left = pairs - int(count[-1])
    set_title(ax, f"{int(count[-1])} of {pairs} pairs are ordered at some δ, {left} at none")
    return ax


def growth_size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches that `plot_growth` needs."""
    _, steps = _growth_plot_steps(c)
    return 7.5, 3.2 + 0.16 * min(len(steps), _MOST)


def _growth_plot_steps(c: Comparison) -> tuple[int, list[tuple[float, str]]]:
    """Return the number of pairs ordered at δ = 0, and the pairs ordered later with their δ."""
    names, thresholds = c.results.algorithms, c.thresholds.values
    # Either direction orders a pair; the first to do so counts.
    least = np.fmin(thresholds, thresholds.T)
    start, steps = 0, []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            winner, loser = (i, j) if thresholds[i, j] <= thresholds[j, i] else (j, i)
            if thresholds[i, j] == thresholds[j, i]:
                continue  # equivalent, or comparable at no δ
            if least[i, j] == 0.0:
                start += 1
            elif np.isfinite(least[i, j]):
                steps.append((float(least[i, j]), str(State.order(names[winner], names[loser]))))
    return start, sorted(steps)
