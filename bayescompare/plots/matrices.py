"""All pairs as a heat map of P, or of p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.outcome.pairwise import Pairwise
from bayescompare.plots._drawing import (
    BLUE,
    INK,
    LITERAL,
    ORANGE,
    PURPLE,
    figure_of,
    finish,
    inches_of,
    new_axes,
    prefix_words,
    readable_on,
    set_title,
    shown_names,
)
from bayescompare.plots._pairs import (
    datasets_words,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.text.numbers import narrow_probability, narrow_pvalue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matrix"]

#: Above this many algorithms the cells have no room for text, and not every tick has a label.
_MOST_TEXT, _MOST_TICKS = 30, 80

#: Letters of an algorithm's and of a measure's name; beyond, the middle is left out.
_NAME, _MEASURE = 40, 24

#: Inches of a letter beside cells with text, and of the smaller ones beside those without.
_LETTER, _SMALL_LETTER = 0.085, 0.065

#: Bayesian or not → colour map. Dark is strong either way: P near 1, a p-value near 0.
COLOURS = {True: "Blues", False: "Oranges_r"}


@plot_of(Pairwise, "matrix")
def plot_matrix(p: Pairwise, *, ax: Axes | None = None) -> Axes:
    """Draw `Pairwise.matrix` as a heat map, its values in the cells.

    Bayesian: P("row better than column on every measure" is the most probable statement).
    Frequentist: the pair's p-value, darker the smaller it is; ``"gsd"`` has a one-sided p-value
    for each direction. Pairs that were not compared are grey.

    Parameters
    ----------
    p : Pairwise
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
    >>> ax = plot_matrix(p, ax=Figure().subplots())
    >>> [cell.get_text() for cell in ax.texts]
    ['0.84', '0.012']
    """
    from matplotlib import colormaps

    names = list(shown_names(p.results.algorithms, _NAME).values())
    values = p.matrix.values
    side = min(max(0.52 * len(names), 2.6), 13.0)
    margin = _LETTER * max(map(len, names))
    ax = new_axes(ax, (side + margin + 1.5, side + margin + 1.2))
    # The title comes before the colour bar, which takes some of the width.
    caption = f"{p.method.name}: {_meaning(p)}{datasets_words(p)}"
    set_title(ax, caption, *prefix_words(p.results.algorithms), most=side + 0.8)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap=colormaps[COLOURS[p.bayesian]].with_extremes(bad="0.85"),
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        aspect="equal",
    )
    bar = figure_of(ax).colorbar(image, ax=ax, shrink=0.8, pad=0.03, fraction=0.06, aspect=22)
    label = "P(row better than column)" if p.bayesian else "p-value"
    bar.set_label(label, **LITERAL)
    if len(names) <= _MOST_TEXT:
        # The longest text, "<0.01", is as wide as three times its height.
        size = min(9.0, 72 * min(inches_of(ax)) / len(names) / 3.3)
        for (i, j), value in np.ndenumerate(values):
            if not math.isnan(value):
                text = narrow_probability(value) if p.bayesian else narrow_pvalue(value)
                colour = readable_on(image.to_rgba(np.array([value]))[0])
                ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)
    # Names are horizontal if the longest fits between its neighbours.
    _label_sides(ax, names, names, turned=margin > _step(names) * side / len(names))
    ax.set(xlabel="opponent", ylabel="algorithm")
    return finish(ax, bare="top right bottom left")


def _meaning(p: Pairwise) -> str:
    if not p.bayesian:
        directed = "one-sided p-value of “row dominates column”"
        return directed if p.directed else "p-value of each pair"
    measures = p.results.measures
    where = f"on {measures[0]}" if len(measures) == 1 else f"on all {len(measures)} measures"
    if p.method.scope.question:
        return "P(row dominates column)"
    event = "holds on most datasets" if p.method.scope.measure else "is the most probable statement"
    return f"P(“row better than column {where}” {event})"


def _step(names: Sequence[str]) -> int:
    """Every how many-th name has a tick."""
    return math.ceil(len(names) / _MOST_TICKS)


def _label_sides(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], *, turned: bool, text: bool | None = None
) -> None:
    """Name rows and columns; the names of columns may be turned."""
    text = len(rows) <= _MOST_TEXT if text is None else text
    size, across, down = "small" if text else "x-small", _step(columns), _step(rows)
    at, angle = range(0, len(columns), across), 90 if turned else 0
    ax.set_xticks(at, columns[::across], rotation=angle, fontsize=size)
    ax.set_yticks(range(0, len(rows), down), rows[::down], fontsize=size)
    ax.tick_params(length=0, color=INK)


# the most probable statements ---------------------------------------------------------------------

#: Inches of a cell's width, of one that counts signs, and of a line in it.
_WIDE, _WIDER, _LINE = 0.72, 0.9, 0.19

#: Inches of the narrowest matrix and of the widest.
_NARROWEST, _WIDEST = 3.2, 10.0

#: Text smaller than this many points is left out.
_SMALLEST = 4.0

#: Colour of a cell by how its row compares with its column; the colours differ in grey too.
_FILLS = {"better": BLUE, "worse": ORANGE, "trade-off": PURPLE, "neither": "#333333"}
