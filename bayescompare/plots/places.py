"""Places with their intervals: a forest plot, the best on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LINES,
    LITERAL,
    add_legend,
    moved_in_drawing,
    new_axes,
    prefix_words,
    set_title,
    shown_names,
)
from bayescompare.text.names import rename_in, short_names
from bayescompare.text.numbers import narrow_probability, percent_setting
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.ranking.ranking import Ranking

__all__ = ["places_size", "plot_places"]

#: Longest name, inches per algorithm and measure, and the largest number of rows and of measures.
_NAME, _ROW, _MOST, _MEASURES = 40, 0.16, 40, 6
#: Letters that names may have in a figure of the usual width, and the inches of each further one.
_SHORT, _LETTER = 20, 0.08
#: A longer headline is left to the words beside the picture.
_TITLE = 160


def plot_places(
    r: Ranking,
    *,
    measures: Sequence[str] | None = None,
    most: int = _MOST,
    order: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the place of each algorithm and its interval, sorted by place.

    With one measure or a utility, the overall place, and P(best) on the right. Else the places on
    each measure side by side, sorted by their mean.

    Parameters
    ----------
    r : Ranking
    measures : sequence of str, optional
        The measures to draw, at most six; without a utility all by default.
    most : int
        Largest number of algorithms; of more the first ones.
    order : sequence of str, optional
        The algorithms from top to bottom; by default by place.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], rng=0)
    >>> ax = plot_places(r, ax=Figure().subplots())
    >>> ax.get_yticklabels()[0].get_text(), ax.get_xlabel()
    ('GBM', 'place on auc')
    """
    tables = _places_plot_tables(r, measures)
    place = np.mean([table["place"].to_numpy() for table in tables.values()], axis=0)
    rows = np.argsort(place, kind="stable")
    if order is not None:
        rows = np.array([r.results.algorithms.index(name) for name in order])
    rows = rows[:most]
    ax = new_axes(ax, places_size(r, measures=measures, most=most))
    single = len(tables) == 1
    for k, (name, table) in enumerate(tables.items()):
        _draw_places_plot_rows(ax, table, rows, k, len(tables), name)
    shown = shown_names(r.results.algorithms, _NAME)
    names = [shown[r.results.algorithms[a]] for a in rows]
    ax.set_yticks(np.arange(len(rows)), names, fontsize="small")
    _finish_places_plot(ax, r, tables, rows)
    if single:
        _write_places_plot_best(ax, next(iter(tables.values()))["p_best"].to_numpy(), rows)
    title = rename_in(r.headline(), short_names(r.results.algorithms))
    if len(title) > _TITLE:
        what = next(iter(tables)) if single else f"places on {join_names(list(tables))}"
        title = f"{what[:1].upper()}{what[1:]}, the best first"
    set_title(ax, title, *prefix_words(r.results.algorithms))
    return ax


def places_size(
    r: Ranking, *, measures: Sequence[str] | None = None, most: int = _MOST
) -> tuple[float, float]:
    """Return the width and height in inches that `plot_places` needs."""
    each = len(_places_plot_tables(r, measures))
    rows = min(len(r.results.algorithms), most)
    longest = max(map(len, shown_names(r.results.algorithms, _NAME).values()))
    width = 7.0 + _LETTER * max(0, longest - _SHORT)
    return width, 1.8 + rows * max(0.26, _ROW * each) + (0.3 if each > 1 else 0.0)


def _places_plot_tables(r: Ranking, measures: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """Return what is drawn by its label, with the algorithms in the order of the table."""
    names = list(r.results.algorithms)
    if measures is None and r.answer.overall is not None:
        label = "place by utility"
        if r.options.utility is None:
            label = f"place on {r.results.measures[0]}"
        return {label: r.overall.reindex(names)}
    chosen = list(r.results.measures[:_MEASURES] if measures is None else measures)
    for name in chosen:
        r.results[name]  # which refuses an unknown one
    found = {
        name: r.places.loc[[name]].droplevel("measure").reindex(names)
        for name in chosen[:_MEASURES]
    }
    return found if len(found) > 1 else {f"place on {chosen[0]}": found[chosen[0]]}


def _draw_places_plot_rows(
    ax: Axes, table: pd.DataFrame, order: IntArray, k: int, of: int, name: str
) -> None:
    style = LINES[k % len(LINES)]
    rows = np.arange(len(order)) + (0.0 if of == 1 else 0.24 * (2 * k - of + 1) / (of - 1))
    place, lower, upper = (table[c].to_numpy()[order] for c in ("place", "lower", "upper"))
    if not np.isnan(lower).all():
        ax.hlines(rows, lower, upper, color=style["color"], linewidth=1.6, zorder=2)
    ax.scatter(
        place, rows, s=24, color=style["color"], marker=style["marker"], label=name, zorder=3
    )


def _write_places_plot_best(ax: Axes, best: FloatArray, order: IntArray) -> None:
    """Write P(best) beside each row."""
    if np.isnan(best).all():
        return
    right = moved_in_drawing(ax, ax.get_yaxis_transform(), 6.0, 0.0)
    ax.text(1.0, -1.0, "P(best)", transform=right, fontsize="small", va="center")
    for row, a in enumerate(order):
        ax.text(
            1.0,
            row,
            narrow_probability(float(best[a])),
            transform=right,
            fontsize="small",
            va="center",
            color=BLUE if best[a] >= 0.05 else INK,
        )


def _finish_places_plot(
    ax: Axes, r: Ranking, tables: dict[str, pd.DataFrame], order: IntArray
) -> None:
    for text in ax.get_yticklabels():
        text.set(**LITERAL)
    l = len(r.results.algorithms)
    ax.set_ylim(len(order) - 0.4, -1.4)
    ax.set_xlim(0.5, l + 0.5)
    if l <= 20:
        ax.set_xticks(range(1, l + 1))
    single = len(tables) == 1
    label = next(iter(tables)) if single else "place"
    if r.answer.has_draws:
        label = (
            label if single else f"{label} (lines: {percent_setting(r.options.level)} intervals)"
        )
    more = l - len(order)
    ax.set_xlabel(label, **LITERAL)
    if more > 0:
        ax.set_ylabel(f"{more} further back not shown")
    ax.grid(axis="x", color=GREY, alpha=0.35, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if not single:
        add_legend(
            ax,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=moved_in_drawing(ax, ax.transAxes, 0.0, -36.0),
            ncols=min(3, len(tables)),
        )
