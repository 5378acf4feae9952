"""The choice of the plot for `Ranking.plot`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.plots._options import arranged_names, draw_titled
from bayescompare.plots.front import plot_front
from bayescompare.plots.places import plot_places
from bayescompare.plots.weights import plot_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.ranking.ranking import Ranking

__all__ = ["plot_ranking"]

#: The first is the default.
_OF_RANKING: dict[str, Callable[..., Axes]] = {
    "places": plot_places,
    "front": plot_front,
    "weights": plot_weights,
}


def plot_ranking(
    r: Ranking,
    *,
    kind: str | None = None,
    measures: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a ranking.

    Parameters
    ----------
    r : Ranking
    kind : {"places", "front", "weights", "cost"}, optional
        See `plot_places` (the default), `plot_front` and `plot_weights`. "cost" is the front with
        the first measure that is better when lower across, and the first that is better when
        higher up.
    measures : sequence of str, optional
        The measures to draw.
    order : sequence of str, optional
        The algorithms from top to bottom, for "places"; by default by place.
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
    >>> r = bc.rank(bc.load_example("jansen-uci"), by="value", rng=0)
    >>> ax = plot_ranking(r, kind="cost", ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean brier', 'mean auc')
    """
    draw = _drawn(r, kind, measures, order)
    return draw_titled(draw, title=title, figsize=figsize, ax=ax)


def _drawn(
    r: Ranking, kind: str | None, measures: Sequence[str] | None, order: Sequence[str] | None
) -> Callable[[Axes | None], Axes]:
    """Return the function that draws the picture asked for on an Axes."""
    known = [*_OF_RANKING, "cost"]
    if kind is not None and kind not in known:
        raise BayescompareError(
            f"Unknown plot {kind!r}: set kind= to one of {', '.join(known)}."
            f"{did_you_mean(str(kind), known)}"
        )
    names = arranged_names(r.results, order)
    if kind in (None, "places"):
        return lambda ax: plot_places(r, measures=measures, order=names, ax=ax)
    if names is not None:
        raise BayescompareError(f"order= is for the plot 'places', and this is {kind!r}.")
    if kind == "cost":
        chosen = _ranking_plot_cost_measures(r, measures)
        return lambda ax: plot_front(r, measures=chosen, ax=ax)
    draw = _OF_RANKING[str(kind)]
    return lambda ax: draw(r, measures=measures, ax=ax)


def _ranking_plot_cost_measures(r: Ranking, measures: Sequence[str] | None) -> Sequence[str]:
    if measures is not None:
        return measures
    first = {sign: [n for n in r.results.measures if r.results[n].sign == sign] for sign in (-1, 1)}
    if not (first[-1] and first[1]):
        raise BayescompareError(
            "kind='cost' needs a measure that is better when lower and one that is better when "
            "higher: name two by measures=[...], or use kind='front'."
        )
    return [first[-1][0], first[1][0]]
