"""The heat map of all pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    INK,
    LITERAL,
    figure_of,
    new_axes,
    prefix_words,
    set_title,
    shown_names,
)
from bayescompare.plots._pairs import plotted_datasets_words
from bayescompare.text.numbers import narrow_probability, narrow_pvalue

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from bayescompare.comparison.pairwise import Pairwise

__all__ = ["COLOURS", "matrix_size", "plot_matrix", "readable_on_matrix"]

#: Above this many algorithms the cells have no room for text.
_MOST_TEXT = 30

#: Above this many algorithms not every tick has a label.
_MOST_TICKS = 80

#: Letters of a name beside the cells; beyond, its middle is left out.
_NAME = 40

#: Bayesian or not → colour map. Dark is strong either way: P near 1, a p-value near 0.
COLOURS = {True: "Blues", False: "Oranges_r"}


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
    ax = new_axes(ax, matrix_size(p))
    # The title comes before the colour bar, which takes some of the width.
    caption = f"{p.method.name}: {_matrix_plot_meaning(p)}{plotted_datasets_words(p)}"
    set_title(ax, caption, *prefix_words(p.results.algorithms), most=_matrix_plot_side(p) + 0.8)
    values = p.matrix.values
    image = _draw_matrix_plot_cells(ax, values, bayesian=p.bayesian)
    if len(values) <= _MOST_TEXT:
        _print_matrix_plot_cells(ax, image, values, bayesian=p.bayesian)
    _label_matrix_plot_axes(ax, p)
    return ax


def matrix_size(p: Pairwise) -> tuple[float, float]:
    """Return the width and height in inches that `plot_matrix` needs."""
    names = list(shown_names(p.results.algorithms, _NAME).values())
    side = _matrix_plot_side(p)
    margin = 0.085 * max(map(len, names))
    return side + margin + 1.5, side + margin + 1.2


def _matrix_plot_side(p: Pairwise) -> float:
    return min(max(0.52 * len(p.results.algorithms), 2.6), 13.0)


def _draw_matrix_plot_cells(ax: Axes, values: FloatArray, *, bayesian: bool) -> AxesImage:
    from matplotlib import colormaps

    colours = colormaps[COLOURS[bayesian]].with_extremes(bad="0.85")
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap=colours,
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        aspect="equal",
    )
    bar = figure_of(ax).colorbar(image, ax=ax, shrink=0.8, pad=0.03, fraction=0.06, aspect=22)
    bar.set_label("P(row better than column)" if bayesian else "p-value")
    return image


def _print_matrix_plot_cells(
    ax: Axes, image: AxesImage, values: FloatArray, *, bayesian: bool
) -> None:
    box = ax.get_window_extent()
    cell = 72 * min(box.width, box.height) / figure_of(ax).dpi / len(values)
    # The longest text, "<0.01", is as wide as three times its height.
    size = min(9.0, cell / 3.3)
    for (i, j), value in np.ndenumerate(values):
        if math.isnan(value):
            continue
        text = narrow_probability(value) if bayesian else narrow_pvalue(value)
        colour = readable_on_matrix(image.to_rgba(np.array([value]))[0])
        ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def readable_on_matrix(rgba: FloatArray) -> str:
    """Return black or white, whichever has more contrast with a colour (WCAG 2)."""
    rgb = rgba[:3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if luminance > 0.179 else "white"


def _label_matrix_plot_axes(ax: Axes, p: Pairwise) -> None:
    names = list(shown_names(p.results.algorithms, _NAME).values())
    step = math.ceil(len(names) / _MOST_TICKS)
    ticks, shown = range(0, len(names), step), names[::step]
    size = "small" if len(names) <= _MOST_TEXT else "x-small"
    # Names are horizontal if the longest fits between its neighbours.
    turned = 90 if 0.085 * max(map(len, names)) > step * _matrix_plot_side(p) / len(names) else 0
    ax.set_xticks(ticks, shown, rotation=turned, fontsize=size, **LITERAL)
    ax.set_yticks(ticks, shown, fontsize=size, **LITERAL)
    ax.set_xlabel("opponent")
    ax.set_ylabel("algorithm")
    ax.tick_params(length=0, color=INK)
    ax.spines[:].set_visible(False)


def _matrix_plot_meaning(p: Pairwise) -> str:
    if not p.bayesian:
        directed = "one-sided p-value of “row dominates column”"
        return directed if p.method.directed else "p-value of each pair"
    measures = p.results.measures
    where = f"on {measures[0]}" if len(measures) == 1 else f"on all {len(measures)} measures"
    if p.method.one_question:
        return "P(row dominates column)"
    event = "holds on most datasets" if p.method.one_measure else "is the most probable statement"
    return f"P(“row better than column {where}” {event})"
