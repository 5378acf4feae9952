"""The matrix of most probable statements, as Benavoli & de Campos print them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    BLUE,
    INK,
    LITERAL,
    ORANGE,
    PURPLE,
    add_legend,
    clip_drawn_text,
    figure_of,
    moved_in_drawing,
    new_axes,
    prefix_words,
    set_title,
    shown_names,
)
from bayescompare.plots._pairs import (
    ABOVE,
    BELOW,
    level_of_plotted_pairs,
    plotted_pair_signs,
    plotted_sign_lines,
    plotted_verdicts_words,
    rule_of_plotted_pairs,
)
from bayescompare.plots.matrix import readable_on_matrix
from bayescompare.text.numbers import narrow_probability, narrow_pvalue
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["dominance_size", "plot_dominance"]

#: Above this many algorithms the cells have no room for text, and not every tick has a label.
_MOST_TEXT, _MOST_TICKS = 30, 80

#: Inches of a cell's width, of one that counts signs, and of a line in it.
_WIDE, _WIDER, _LINE = 0.72, 0.9, 0.19

#: Inches of the narrowest matrix and of the widest.
_NARROWEST, _WIDEST = 3.2, 10.0

#: Inches of a letter beside cells with text, and of the smaller ones beside those without.
_LETTER, _SMALL_LETTER = 0.085, 0.065

#: Text smaller than this many points is left out.
_SMALLEST = 4.0

#: Letters of an algorithm's and of a measure's name; beyond, the middle is left out.
_NAME, _MEASURE = 40, 24

#: Colour of a cell by how its row compares with its column; the colours differ in grey too.
_FILLS = {"better": BLUE, "worse": ORANGE, "trade-off": PURPLE, "neither": "#333333"}


@dataclass(frozen=True)
class DominanceCell:
    """One pair: its place, its sign on each measure, and how sure that is."""

    row: int
    column: int
    signs: tuple[str, ...]
    level: float
    asserted: bool

    @property
    def says(self) -> str:
        """Whether the row is better or worse on every measure, each on some, or neither."""
        kinds = set(self.signs)
        if kinds >= {ABOVE, BELOW}:
            return "trade-off"
        return "better" if kinds == {ABOVE} else "worse" if kinds == {BELOW} else "neither"


@dataclass(frozen=True)
class DominanceGrid:
    """The names along both sides, and the cells of pairs."""

    rows: list[str]
    columns: list[str]
    cells: list[DominanceCell]

    @property
    def text(self) -> bool:
        """Whether there are few enough cells for text in them."""
        return max(len(self.rows), len(self.columns)) < _MOST_TEXT

    @cached_property
    def lines(self) -> int:
        """The most lines in a cell."""
        return max(len(plotted_sign_lines(cell.signs)) for cell in self.cells)


def plot_dominance(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None, ax: Axes | None = None
) -> Axes:
    r"""Draw each pair's most probable statement and its probability, a sign per measure.

    From top to bottom, a cell's signs say for every measure whether the row is better (≻) or worse
    (≺) than the column, or equivalent (=); ~ is incomparable. Beside them is the probability of
    the statement (frequentist: the pair's p-value). A pair with a verdict (`Pairwise.decide`) has
    a frame, bold text and full colour. Against a reference there is one row.

    Parameters
    ----------
    p : Pairwise
    level, fdr : float, optional
        As for `Pairwise.decide`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Notes
    -----
    With more than six measures a cell says how many favour which. Beyond 30 algorithms it has no
    text, and its colour shows whether the row is better on every measure, worse, or whether it is
    a trade-off.

    References
    ----------
    Benavoli & de Campos (2015), Matrices (8) to (11).

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("benavoli-example1"), n_jobs=1)
    >>> ax = plot_dominance(p, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['≺\n≺', '0.80']
    """
    rule = rule_of_plotted_pairs(p, level, fdr)
    table = p.decided(rule)
    grid = _dominance_plot_grid(p, table)
    inches = None if ax is not None else _dominance_plot_cell_size(grid)[0] * len(grid.columns)
    ax = new_axes(ax, _dominance_plot_size(grid))
    set_title(ax, *_dominance_plot_title(p, table, rule), inches=inches)
    fills = _draw_dominance_plot_cells(ax, grid, bayesian=p.bayesian)
    if grid.text:
        _print_dominance_plot_cells(
            ax, grid, fills, rule.held("probability") if p.bayesian else None
        )
    _label_dominance_plot_axes(ax, grid)
    _add_dominance_plot_key(ax, grid)
    return ax


def dominance_size(p: Pairwise) -> tuple[float, float]:
    """Return the width and height in inches that `plot_dominance` needs."""
    return _dominance_plot_size(_dominance_plot_grid(p, p.decide()))


# what is drawn -----------------------------------------------------------------------------------


def _dominance_plot_grid(p: Pairwise, table: pd.DataFrame) -> DominanceGrid:
    names = list(p.results.algorithms)
    rows, columns = names[:-1], names[1:]
    if p.reference is not None:
        rows, columns = [p.reference], [name for name in names if name != p.reference]
    at_row = {name: k for k, name in enumerate(rows)}
    at_column = {name: k for k, name in enumerate(columns)}
    at_all = {name: k for k, name in enumerate(names)}
    cells = []
    statements = zip(table["first"], table["second"], table["statement"], strict=True)
    sure = zip(table[level_of_plotted_pairs(p)], table["asserted"], strict=True)
    for (first, second, statement), (level, asserted) in zip(statements, sure, strict=True):
        # The order of the algorithms may be another than that of the pairs.
        row, column = (
            (first, second) if first in at_row and second in at_column else (second, first)
        )
        if p.reference is None and at_all[row] > at_all[column]:
            row, column = column, row
        of_row = plotted_pair_signs(statement, row, column)
        cells.append(
            DominanceCell(at_row[row], at_column[column], of_row, float(level), bool(asserted))
        )
    shown = shown_names(names, _NAME)
    return DominanceGrid([shown[n] for n in rows], [shown[n] for n in columns], cells)


def _dominance_plot_size(grid: DominanceGrid) -> tuple[float, float]:
    width, height = _dominance_plot_cell_size(grid)
    letter = _LETTER if grid.text else _SMALL_LETTER
    beside, above = (letter * max(map(len, names)) for names in (grid.rows, grid.columns))
    above = above if _dominance_plot_names_turned(grid, width) else 0.2
    return width * len(grid.columns) + beside + 0.3, height * len(grid.rows) + above + 1.75


def _dominance_plot_cell_size(grid: DominanceGrid) -> tuple[float, float]:
    """Width and height of a cell in inches."""
    if not grid.text:
        side = _WIDEST / max(len(grid.rows), len(grid.columns))
        return side, max(side, 0.5 / len(grid.rows))
    counted = any(len(cell.signs) > grid.lines for cell in grid.cells)
    width = max(_WIDER if counted else _WIDE, _NARROWEST / len(grid.columns))
    return width, max(0.42, _LINE * grid.lines + 0.1)


def _dominance_plot_names_turned(grid: DominanceGrid, width: float) -> bool:
    step = math.ceil(len(grid.columns) / _MOST_TICKS)
    return _LETTER * max(map(len, grid.columns)) > width * step


# drawing -----------------------------------------------------------------------------------------


def _draw_dominance_plot_cells(
    ax: Axes, grid: DominanceGrid, *, bayesian: bool
) -> list[FloatArray]:
    """Fill the cells, frame those with a verdict, and return the fills."""
    from matplotlib.patches import Rectangle

    image = np.ones((len(grid.rows), len(grid.columns), 3))
    fills = [_dominance_plot_cell_colour(cell, bayesian=bayesian) for cell in grid.cells]
    for cell, fill in zip(grid.cells, fills, strict=True):
        image[cell.row, cell.column] = fill
    ax.imshow(image, interpolation="nearest", aspect="auto")
    if grid.text:
        # Those with a verdict last, so that no neighbour lies on their frame.
        for cell in sorted(grid.cells, key=lambda cell: cell.asserted):
            style = {"edgecolor": INK if cell.asserted else "0.8", "facecolor": "none"}
            frame = Rectangle((cell.column - 0.5, cell.row - 0.5), 1.0, 1.0, clip_on=False)
            frame.set(linewidth=2.2 if cell.asserted else 0.6, **style)
            ax.add_patch(frame)
    return fills


def _dominance_plot_cell_colour(cell: DominanceCell, *, bayesian: bool) -> FloatArray:
    """Return a cell's colour: full with a verdict, otherwise paler the less sure it is."""
    from matplotlib.colors import to_rgb

    sure = cell.level if bayesian else 1.0 - cell.level
    strength = 1.0 if cell.asserted else 0.05 + 0.3 * (0.0 if math.isnan(sure) else sure)
    return np.asarray(1.0 - strength * (1.0 - np.array(to_rgb(_FILLS[cell.says]))))


def _print_dominance_plot_cells(
    ax: Axes, grid: DominanceGrid, fills: Sequence[FloatArray], levels: list[float] | None
) -> None:
    """Print signs and figures: probabilities, rounded for `levels`, or p-values without them."""
    box, dpi = ax.get_window_extent(), figure_of(ax).dpi
    wide = 72 * box.width / dpi / len(grid.columns)
    tall = 72 * box.height / dpi / len(grid.rows)
    counted = any(len(cell.signs) > grid.lines for cell in grid.cells)
    # Total width of signs, gap and figure, in units of the font size.
    size = min(9.0, wide / (6.3 if counted else 5.2), tall / (1.4 * grid.lines + 0.3))
    if size < _SMALLEST:
        return
    left = moved_in_drawing(ax, ax.transData, (-2.0 if counted else -1.75) * size, 0.0)
    right = moved_in_drawing(ax, ax.transData, (1.4 if counted else 0.95) * size, 0.0)
    for cell, fill in zip(grid.cells, fills, strict=True):
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "color": readable_on_matrix(fill),
            "fontweight": "bold" if cell.asserted else "normal",
            "linespacing": 0.95,
        }
        stack = "\n".join(plotted_sign_lines(cell.signs))
        at = cell.column, cell.row
        # The font's signs are small.
        ax.text(*at, stack, transform=left, fontsize=1.25 * size, **style)
        if not math.isnan(cell.level):
            figure = narrow_pvalue(cell.level)
            if levels is not None:
                figure = narrow_probability(cell.level, levels=levels)
            ax.text(*at, figure, transform=right, fontsize=size, **style)


def _label_dominance_plot_axes(ax: Axes, grid: DominanceGrid) -> None:
    size = "small" if grid.text else "x-small"
    across, down = (math.ceil(len(n) / _MOST_TICKS) for n in (grid.columns, grid.rows))
    turned = 90 if _dominance_plot_names_turned(grid, _dominance_plot_cell_size(grid)[0]) else 0
    ax.xaxis.tick_top()
    columns, rows = range(0, len(grid.columns), across), range(0, len(grid.rows), down)
    ax.set_xticks(columns, grid.columns[::across], rotation=turned, fontsize=size, **LITERAL)
    ax.set_yticks(rows, grid.rows[::down], fontsize=size, **LITERAL)
    ax.tick_params(length=0, color=INK)
    ax.spines[:].set_visible(False)


def _add_dominance_plot_key(ax: Axes, grid: DominanceGrid) -> None:
    from matplotlib.patches import Patch

    several = len(grid.cells[0].signs) > 1
    words = {
        "better": f"row better{' on every measure' if several else ''}",
        "worse": f"row worse{' on every measure' if several else ''}",
        "trade-off": "trade-off: each better on some measures",
        "neither": "neither better",
    }
    shown = {cell.says for cell in grid.cells}
    keys = [Patch(color=_FILLS[kind], label=words[kind]) for kind in words if kind in shown]
    if grid.text:
        framed = "framed, bold and full colour: verdict"
        keys.append(Patch(facecolor="white", edgecolor=INK, linewidth=2.0, label=framed))
    else:
        keys.append(Patch(color="0.88", label="pale: left open"))
    add_legend(
        ax,
        handles=keys,
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=moved_in_drawing(ax, ax.transAxes, 0.0, -8.0),
        borderaxespad=0.0,
    )


def _dominance_plot_title(p: Pairwise, table: pd.DataFrame, rule: Rule) -> list[str]:
    what = "most probable statements" if p.bayesian else "leading statements and p-values"
    measures = p.results.measures
    line = f"{p.method.name}: {what}"
    if not p.method.one_question and len(measures) > 1:
        names = [clip_drawn_text(name, _MEASURE) for name in measures]
        line += f", top to bottom {join_names(names, most=8)}"
    return [line, plotted_verdicts_words(p, table, rule), *prefix_words(p.results.algorithms)]
