"""What every picture takes: a title, a size and an order of the algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bayescompare._checks import is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.comparison.verdicts import mean_places
from bayescompare.plots._drawing import new_axes, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.table.results import Results

__all__ = ["arranged", "arranged_names", "draw_titled"]


def draw_titled(
    draw: Callable[[Axes | None], Axes],
    *,
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
    ax = draw(ax)
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


def arranged(p: Pairwise, order: object) -> Pairwise:
    """Return the pairs with the algorithms in another order."""
    names = arranged_names(p.results, order)
    return p if names is None else replace(p, results=p.results.sel(algorithms=names))
