"""How much of the data could be corrupted before a dominance is no longer significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.decision import SIGNIFICANT
from bayescompare.plots._drawing import BLUE, GREY, new_axes, set_title
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare._rng import Rng
    from bayescompare.comparison.comparison import Comparison

__all__ = ["plot_robustness"]


def plot_robustness(c: Comparison, *, rng: Rng = None, ax: Axes | None = None) -> Axes:
    """Draw the p-value against γ, the share of the data that may be arbitrarily corrupted.

    Parameters
    ----------
    c : Comparison
        A comparison of two algorithms by ``"gsd"``.
    rng : None, int or Generator
        For the resamples; by default the seed of the answer.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> c = bc.compare(
    ...     bc.load_example("jansen-uci"), method="gsd", algorithms=["GBM", "CART"], rng=1
    ... )
    >>> plot_robustness(c, ax=Figure().subplots()).get_ylabel()
    'p-value'
    """
    curve = c.robustness(rng=rng)
    ax = new_axes(ax, (6.4, 3.6))
    ax.step(curve["gamma"], curve["pvalue"], where="post", color=BLUE, linewidth=2.0)
    ax.axhline(SIGNIFICANT, color=GREY, linewidth=1.0, linestyle="--")
    ax.set(xlabel="γ, share of the data that may be anything", ylabel="p-value", ylim=(0.0, 1.02))
    ax.set_xscale("symlog", linthresh=1e-5)
    ax.set_xlim(0.0, float(curve["gamma"].iloc[-1]))
    ax.spines[["top", "right"]].set_visible(False)
    last = curve.attrs["robust_up_to"]
    verdict = "not significant even without corruption"
    if last is not None:
        of_all = statistic_number_text(last * len(c.results.datasets), significant=2)
        gamma = statistic_number_text(last, significant=3)
        verdict = f"significant up to γ = {gamma} ({of_all} datasets)"
    set_title(ax, f"{c.method.claim(c.results, c.best)}: {verdict}")
    return ax
