"""Which plots there are, how a plot is declared, and the doors that choose one.

A plot is a function that takes a result and ``ax=``. `plot_of` above it says of which result it is,
by which ``kind=`` it is asked for, and what the result must have for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from bayescompare._checks import is_number, show_checked_value
from bayescompare._errors import BayescompareError, QuantityNotAvailableError, did_you_mean
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import as_rule, mean_places
from bayescompare.plots._drawing import new_axes, set_title
from bayescompare.ranking.gate import Gate
from bayescompare.ranking.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.table.results import Results

__all__ = ["plot_comparison", "plot_pairwise", "plot_ranking"]

#: The doors whose results are drawn.
_DOORS = {Comparison: "compare", Pairwise: "pairwise", Ranking: "rank", Gate: "gate"}


@dataclass(frozen=True)
class Kind:
    """A plot of a result, and what the result must have for it."""

    draw: Callable[..., Axes]
    needs: str = ""

    def takes(self, option: str) -> bool:
        """Whether the plot has such an option."""
        return option in inspect.signature(self.draw).parameters


#: The plots of each result by their kinds.
KINDS: dict[type, dict[str, Kind]] = {result: {} for result in _DOORS}


def plot_of[F: Callable[..., Axes]](
    result: type, kind: str, *, needs: str = "", reads: Callable[[Any], Any] | None = None
) -> Callable[[F], F]:
    """Declare the function below as the plot of a result.

    Parameters
    ----------
    result : type
        Comparison, Pairwise, Ranking or Gate; the function refuses anything else.
    kind : str
        What `plot` of that result knows it by.
    needs : str
        The quantity that the result must have; without it the error says which methods have it.
    reads : callable, optional
        What makes of the result that which the function draws, such as a table.
    """

    def declare(draw: F) -> F:
        if reads is not None:
            KINDS[result][kind] = Kind(lambda thing, ax=None: draw(reads(thing), ax=ax), needs)
            return draw
        first = next(iter(inspect.signature(draw).parameters))

        @wraps(draw)
        def checked(*args: Any, **options: Any) -> Axes:
            thing = args[0] if args else options.get(first)
            if not isinstance(thing, result):
                raise BayescompareError(
                    f"{first} is a {type(thing).__name__}: this plot shows the result of "
                    f"{_DOORS[result]}()."
                )
            if needs and needs not in dir(thing):
                getattr(thing, needs)  # says which methods have it
            return draw(*args, **options)

        KINDS[result][kind] = Kind(checked, needs)
        return cast("F", checked)

    return declare


def _kind(thing: Comparison | Pairwise | Ranking, name: object) -> Kind:
    known, there = KINDS[type(thing)], dir(thing)
    working = [kind for kind, plot in known.items() if not plot.needs or plot.needs in there]
    if not isinstance(name, str) or name not in known:
        raise BayescompareError(
            f"Unknown plot {name!r}: set kind= to one of {', '.join(working)}."
            f"{did_you_mean(str(name), working)}"
        )
    if name not in working:
        try:
            getattr(thing, known[name].needs)  # says which methods have it
        except QuantityNotAvailableError as error:
            raise QuantityNotAvailableError(
                f"kind={name!r}: {error} Here set kind= to one of {', '.join(working)}."
            ) from None
    return known[name]


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
    >>> [text.get_text() for text in ax.texts][:2]
    ['A wins', 'B wins']
    """
    draw = _kind(c, usual_kind(c) if kind is None else kind).draw
    return _titled(draw, c, {}, title, figsize, ax)


def usual_kind(c: Comparison) -> str:
    """Return the plot that says most about a comparison."""
    has = dir(c)
    if "ranks" in has:
        return "ranks"
    return "relation" if "relation" in has and len(c.results.algorithms) > 2 else "statements"


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
    chosen = _kind(p, "matrix" if kind is None else kind)
    if measure is not None and not chosen.takes("measure"):
        raise BayescompareError(
            f"measure={measure!r}: only the plots 'critical' and 'order' show a single measure; "
            "to compare on one alone, pass measures=[...] to pairwise()."
        )
    given = {"measure": measure, "level": level, "fdr": fdr}
    options = {name: value for name, value in given.items() if chosen.takes(name)}
    names = arranged_names(p.results, order)
    pairs = p if names is None else replace(p, results=p.results.sel(algorithms=names))
    return _titled(chosen.draw, pairs, options, title, figsize, ax)


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
    chosen = _kind(r, "places" if kind is None else kind)
    options: dict[str, Any] = {"measures": measures}
    names = arranged_names(r.results, order)
    if names is not None:
        if not chosen.takes("order"):
            raise BayescompareError(f"order= is for the plot 'places', and this is {kind!r}.")
        options["order"] = names
    return _titled(chosen.draw, r, options, title, figsize, ax)


# what every picture takes -------------------------------------------------------------------------


def _titled(
    draw: Callable[..., Axes],
    thing: object,
    options: Mapping[str, Any],
    title: str | None,
    figsize: tuple[float, float] | None,
    ax: Axes | None,
) -> Axes:
    """Draw, on a new figure of a size if one is given, and set another title if one is given."""
    if title is not None and not isinstance(title, str):
        raise BayescompareError(
            f"title={show_checked_value(title)}: give a string, or None for the usual one."
        )
    if figsize is not None:
        ax = new_axes(None, _checked_size(figsize, ax))
    ax = draw(thing, ax=ax, **options)
    if title is not None:
        set_title(ax, *title.splitlines())
    return ax


def _checked_size(figsize: object, ax: Axes | None) -> tuple[float, float]:
    if ax is not None:
        raise BayescompareError(
            "figsize= is for a new figure, and ax= is one that exists: give one."
        )
    sides = tuple(figsize) if isinstance(figsize, Sequence) else ()
    if len(sides) != 2 or not all(is_number(side) and 0.0 < side <= 200.0 for side in sides):
        raise BayescompareError(
            f"figsize={show_checked_value(figsize)}: give a width and a height in inches, as "
            "(6.5, 4)."
        )
    return float(sides[0]), float(sides[1])


def arranged_names(results: Results, order: object) -> list[str] | None:
    """Return the algorithms in the order asked for; None where none was.

    Examples
    --------
    >>> import bayescompare as bc
    >>> arranged_names(bc.load_example("jansen-uci"), "place")[:3]
    ['GBM', 'RF', 'BDS']
    """
    if order is None:
        return None
    if order == "place":
        return [str(name) for name in mean_places(results).index]
    known = results.algorithms
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise BayescompareError(
            f"order={show_checked_value(order)}: give 'place', or a list of all algorithms in "
            "their order."
        )
    names = [str(name) for name in order]
    for name in names:
        if name not in known:
            raise BayescompareError(
                f"order: no algorithm called {name!r} here.{did_you_mean(name, known)}"
            )
    if sorted(names) != sorted(known):
        raise BayescompareError(
            f"order names {len(set(names))} of {len(known)} algorithms: name each of them once."
        )
    return names
