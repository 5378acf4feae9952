"""Which picture a result gets: what `Comparison.plot` and `Pairwise.plot` call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError, closest
from bayescompare.plots.matrix import plot_matrix
from bayescompare.plots.network import plot_network
from bayescompare.plots.order import plot_order
from bayescompare.plots.ranks import plot_ranks
from bayescompare.plots.shrinkage import plot_shrinkage
from bayescompare.plots.simplex import plot_simplex
from bayescompare.plots.statements import plot_statements

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison import Comparison
    from bayescompare.pairs import Pairwise

__all__ = ["plot_comparison", "plot_pairwise"]

#: The first of each is the default.
_OF_COMPARISON: dict[str, Callable[..., Axes]] = {
    "statements": plot_statements,
    "simplex": plot_simplex,
    "network": plot_network,
    "shrinkage": plot_shrinkage,
    "ranks": plot_ranks,
}
_OF_PAIRWISE: dict[str, Callable[..., Axes]] = {"matrix": plot_matrix, "order": plot_order}


def plot_comparison(c: Comparison, *, kind: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a comparison.

    Parameters
    ----------
    c : Comparison
    kind : {"statements", "simplex", "network", "shrinkage", "ranks"}, optional
        See `plot_statements` (the default), `plot_simplex`, `plot_network`, `plot_shrinkage` and
        `plot_ranks` (the default for ``"friedman"``).
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
    if kind is None and "ranks" in c.method.provides:
        kind = "ranks"
    return _chosen(kind, _OF_COMPARISON)(c, ax=ax)


def plot_pairwise(
    p: Pairwise, *, kind: str | None = None, fdr: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Draw all pairs at once.

    Parameters
    ----------
    p : Pairwise
    kind : {"matrix", "order"}, optional
        See `plot_matrix` (the default) and `plot_order`.
    fdr : float
        What "order" asserts, as for `Pairwise.decide`; the matrix asserts nothing.
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
    draw = _chosen(kind, _OF_PAIRWISE)
    return (partial(draw, fdr=fdr) if draw is plot_order else draw)(p, ax=ax)


def _chosen(kind: str | None, known: dict[str, Callable[..., Axes]]) -> Callable[..., Axes]:
    if kind is None:
        return next(iter(known.values()))
    if kind not in known:
        raise BayescompareError(
            f"kind={kind!r} is no picture of this: choose one of {', '.join(known)}."
            f"{closest(str(kind), known)}"
        )
    return known[kind]
