"""The choice of the plot for `Comparison.plot` and `Pairwise.plot`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.comparison.rule import as_rule
from bayescompare.plots._options import arranged, draw_titled
from bayescompare.plots.critical import plot_critical
from bayescompare.plots.dominance import plot_dominance
from bayescompare.plots.growth import plot_growth
from bayescompare.plots.matrix import plot_matrix
from bayescompare.plots.network import plot_network
from bayescompare.plots.order import plot_order
from bayescompare.plots.plan import plot_plan
from bayescompare.plots.ranks import plot_ranks
from bayescompare.plots.relation import plot_relation
from bayescompare.plots.robustness import plot_robustness
from bayescompare.plots.sensitivity import plot_sensitivity
from bayescompare.plots.shrinkage import plot_shrinkage
from bayescompare.plots.simplex import plot_simplex
from bayescompare.plots.statements import plot_statements

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.pairwise import Pairwise

__all__ = ["plot_comparison", "plot_pairwise"]

#: The first of each is the default.
_OF_COMPARISON: dict[str, Callable[..., Axes]] = {
    "statements": plot_statements,
    "simplex": plot_simplex,
    "network": plot_network,
    "shrinkage": plot_shrinkage,
    "ranks": plot_ranks,
    "relation": plot_relation,
    "growth": plot_growth,
    "robustness": plot_robustness,
    "sensitivity": lambda c, ax: _plot_sensitivity(c, ax=ax),
    "plan": lambda c, ax: _plot_plan(c, ax=ax),
}
_OF_PAIRWISE: dict[str, Callable[..., Axes]] = {
    "matrix": plot_matrix,
    "order": plot_order,
    "dominance": plot_dominance,
    "critical": plot_critical,
}


def plot_comparison(
    c: Comparison,
    *,
    kind: str | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a comparison.

    Parameters
    ----------
    c : Comparison
    kind : str, optional
        "statements" (the default), "simplex", "network", "shrinkage", "ranks" (the default for
        ``"friedman"``), "relation" (the default for ``"gsd"`` with more than two algorithms),
        "growth", "robustness", "sensitivity" or "plan": see `plot_statements` and so on. The
        last simulates by a fixed seed; call `plot_plan` for another.
    title : str, optional
        In place of the usual title; "" for none.
    figsize : tuple of float, optional
        Width and height of the new figure in inches; by default what the content needs.
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
    >>> ax = plot_comparison(c, ax=Figure().subplots())
    >>> [round(float(bar.get_width()), 3) for bar in ax.containers[0]]
    [0.798, 0.138, 0.052, 0.012]
    """
    draw = _chosen_plot_function(_usual_plot_kind(c) if kind is None else kind, _OF_COMPARISON)
    return draw_titled(lambda own: draw(c, ax=own), title=title, figsize=figsize, ax=ax)


def _plot_sensitivity(c: Comparison, *, ax: Axes | None) -> Axes:
    return plot_sensitivity(c.sensitivity(), ax=ax)


def _plot_plan(c: Comparison, *, ax: Axes | None) -> Axes:
    # The same picture every time.
    return plot_plan(c.plan(rng=0), ax=ax)


def _usual_plot_kind(c: Comparison) -> str:
    """Return the default plot of a comparison."""
    if "ranks" in c.method.provides:
        return "ranks"
    ordered = "relation" in c.method.provides and len(c.results.algorithms) > 2
    return "relation" if ordered else "statements"


def plot_pairwise(
    p: Pairwise,
    *,
    kind: str | None = None,
    measure: str | None = None,
    level: float | None = None,
    fdr: float | None = None,
    order: Sequence[str] | str | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw all pairs at once.

    Parameters
    ----------
    p : Pairwise
    kind : {"matrix", "order", "dominance", "critical"}, optional
        See `plot_matrix` (the default), `plot_order`, `plot_dominance` and `plot_critical`.
    measure : str, optional
        The measure whose ranks the critical-difference diagram shows; needed if there are several.
    level, fdr : float, optional
        The rule of the verdicts, as for `Pairwise.decide`; the matrix shows no verdicts.
    order : "place" or sequence of str, optional
        The order of the algorithms: by their mean place, or as named; by default as in the table.
    title : str, optional
        In place of the usual title; "" for none.
    figsize : tuple of float, optional
        Width and height of the new figure in inches; by default what the content needs.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    >>> plot_pairwise(p, ax=Figure().subplots()).get_xlabel()
    'opponent'
    """
    as_rule(level=level, fdr=fdr)
    draw = _chosen_plot_function(kind, _OF_PAIRWISE)
    if draw is plot_critical:
        draw = partial(draw, measure=measure)
    elif measure is not None:
        raise BayescompareError(
            f"measure={measure!r}: only the plot 'critical' shows a single measure; to compare on "
            "one alone, pass measures=[...] to pairwise()."
        )
    if draw is not plot_matrix:
        draw = partial(draw, level=level, fdr=fdr)
    pairs = arranged(p, order)
    return draw_titled(lambda own: draw(pairs, ax=own), title=title, figsize=figsize, ax=ax)


def _chosen_plot_function(
    kind: str | None, known: dict[str, Callable[..., Axes]]
) -> Callable[..., Axes]:
    if kind is None:
        return next(iter(known.values()))
    argument: object = kind  # of any type at run time
    if not isinstance(argument, str) or argument not in known:
        raise BayescompareError(
            f"Unknown plot {kind!r}: set kind= to one of {', '.join(known)}."
            f"{did_you_mean(str(kind), known)}"
        )
    return known[kind]
