"""The choice of the plot for `Ranking.plot`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError, did_you_mean
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
    if kind == "cost":
        return plot_front(r, measures=_cost_and_quality(r, measures), ax=ax)
    if kind is not None and kind not in _OF_RANKING:
        known = [*_OF_RANKING, "cost"]
        raise BayescompareError(
            f"Unknown plot {kind!r}: set kind= to one of {', '.join(known)}."
            f"{did_you_mean(str(kind), known)}"
        )
    return _OF_RANKING[kind or "places"](r, measures=measures, ax=ax)


def _cost_and_quality(r: Ranking, measures: Sequence[str] | None) -> Sequence[str]:
    if measures is not None:
        return measures
    first = {sign: [n for n in r.results.measures if r.results[n].sign == sign] for sign in (-1, 1)}
    if not (first[-1] and first[1]):
        raise BayescompareError(
            "kind='cost' needs a measure that is better when lower and one that is better when "
            "higher: name two by measures=[...], or use kind='front'."
        )
    return [first[-1][0], first[1][0]]
