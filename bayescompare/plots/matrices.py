"""All pairs as a matrix: the heat map of P or p, and the most probable statements with signs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import Rule, as_rule
from bayescompare.plots._drawing import (
    BLUE,
    INK,
    ORANGE,
    PURPLE,
    clip,
    figure_of,
    finish,
    inches_of,
    legend_below,
    moved,
    new_axes,
    prefix_words,
    readable_on,
    set_title,
    shown_names,
)
from bayescompare.plots._pairs import (
    ABOVE,
    BELOW,
    datasets_words,
    sign_lines,
    signs,
    verdicts_words,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.text.numbers import narrow_probability, narrow_pvalue
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_dominance", "plot_matrix"]

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
    bar.set_label("P(row better than column)" if p.bayesian else "p-value")
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


@dataclass(frozen=True)
class Cell:
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

    def fill(self, *, bayesian: bool) -> FloatArray:
        """Return the colour: full with a verdict, otherwise paler the less sure it is."""
        from matplotlib.colors import to_rgb

        sure = self.level if bayesian else 1.0 - self.level
        strength = 1.0 if self.asserted else 0.05 + 0.3 * (0.0 if math.isnan(sure) else sure)
        return np.asarray(1.0 - strength * (1.0 - np.array(to_rgb(_FILLS[self.says]))))


@dataclass(frozen=True)
class Grid:
    """The names along both sides, and the cells of pairs."""

    rows: list[str]
    columns: list[str]
    cells: list[Cell]

    @property
    def text(self) -> bool:
        """Whether there are few enough cells for text in them."""
        return max(len(self.rows), len(self.columns)) < _MOST_TEXT

    @cached_property
    def lines(self) -> int:
        """The most lines in a cell."""
        return max(len(sign_lines(cell.signs)) for cell in self.cells)

    @cached_property
    def counted(self) -> bool:
        """Whether cells say how many measures have each sign."""
        return any(len(cell.signs) > self.lines for cell in self.cells)

    def cell_size(self) -> tuple[float, float]:
        """Width and height of a cell in inches."""
        if not self.text:
            side = _WIDEST / max(len(self.rows), len(self.columns))
            return side, max(side, 0.5 / len(self.rows))
        width = max(_WIDER if self.counted else _WIDE, _NARROWEST / len(self.columns))
        return width, max(0.42, _LINE * self.lines + 0.1)

    def turned(self) -> bool:
        """Whether the names of columns are too long to be horizontal."""
        room = self.cell_size()[0] * _step(self.columns)
        return _LETTER * max(map(len, self.columns)) > room

    def size(self) -> tuple[float, float]:
        """Width and height of a new figure in inches."""
        width, height = self.cell_size()
        letter = _LETTER if self.text else _SMALL_LETTER
        beside, above = (letter * max(map(len, names)) for names in (self.rows, self.columns))
        above = above if self.turned() else 0.2
        return width * len(self.columns) + beside + 0.3, height * len(self.rows) + above + 1.75


@plot_of(Pairwise, "dominance")
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
    rule = as_rule(level=level, fdr=fdr)
    table = p.decided(rule)
    grid = _grid(p, table)
    inches = None if ax is not None else grid.cell_size()[0] * len(grid.columns)
    ax = new_axes(ax, grid.size())
    set_title(ax, *_title(p, table, rule), inches=inches)
    _fill_cells(ax, grid, bayesian=p.bayesian)
    if grid.text:
        _print_cells(ax, p, grid, rule)
    ax.xaxis.tick_top()
    _label_sides(ax, grid.rows, grid.columns, turned=grid.turned(), text=grid.text)
    _add_key(ax, grid)
    return finish(ax, bare="top right bottom left")


def _grid(p: Pairwise, table: pd.DataFrame) -> Grid:
    names = list(p.results.algorithms)
    rows, columns = names[:-1], names[1:]
    if p.reference is not None:
        rows, columns = [p.reference], [name for name in names if name != p.reference]
    at_row, at_column, at_all = (
        {name: k for k, name in enumerate(own)} for own in (rows, columns, names)
    )
    level = "probability" if p.bayesian else "pvalue"
    figures = ("first", "second", "statement", level, "asserted")
    cells = []
    for first, second, statement, sure, asserted in zip(*(table[k] for k in figures), strict=True):
        # The order of the algorithms may be another than that of the pairs.
        row, column = first, second
        if first not in at_row or second not in at_column:
            row, column = second, first
        if p.reference is None and at_all[row] > at_all[column]:
            row, column = column, row
        own = signs(statement, row, column)
        cells.append(Cell(at_row[row], at_column[column], own, float(sure), bool(asserted)))
    shown = shown_names(names, _NAME)
    return Grid([shown[n] for n in rows], [shown[n] for n in columns], cells)


def _fill_cells(ax: Axes, grid: Grid, *, bayesian: bool) -> None:
    """Fill the cells, and frame those with a verdict."""
    from matplotlib.patches import Rectangle

    image = np.ones((len(grid.rows), len(grid.columns), 3))
    for cell in grid.cells:
        image[cell.row, cell.column] = cell.fill(bayesian=bayesian)
    ax.imshow(image, interpolation="nearest", aspect="auto")
    if grid.text:
        # Those with a verdict last, so that no neighbour lies on their frame.
        for cell in sorted(grid.cells, key=lambda cell: cell.asserted):
            style = {"edgecolor": INK if cell.asserted else "0.8", "facecolor": "none"}
            frame = Rectangle((cell.column - 0.5, cell.row - 0.5), 1.0, 1.0, clip_on=False)
            frame.set(linewidth=2.2 if cell.asserted else 0.6, **style)
            ax.add_patch(frame)


def _print_cells(ax: Axes, p: Pairwise, grid: Grid, rule: Rule) -> None:
    """Print signs and figures: probabilities, rounded for the levels of the rule, or p-values."""
    wide, tall = (72 * inches for inches in inches_of(ax))
    # Total width of signs, gap and figure, in units of the font size.
    width = wide / len(grid.columns) / (6.3 if grid.counted else 5.2)
    size = min(9.0, width, tall / len(grid.rows) / (1.4 * grid.lines + 0.3))
    if size < _SMALLEST:
        return
    left = moved(ax, ax.transData, (-2.0 if grid.counted else -1.75) * size, 0.0)
    right = moved(ax, ax.transData, (1.4 if grid.counted else 0.95) * size, 0.0)
    levels = rule.held("probability") if p.bayesian else None
    for cell in grid.cells:
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "color": readable_on(cell.fill(bayesian=p.bayesian)),
            "fontweight": "bold" if cell.asserted else "normal",
            "linespacing": 0.95,
        }
        at, stack = (cell.column, cell.row), "\n".join(sign_lines(cell.signs))
        # The font's signs are small.
        ax.text(*at, stack, transform=left, fontsize=1.25 * size, **style)
        if not math.isnan(cell.level):
            figure = narrow_pvalue(cell.level)
            if levels is not None:
                figure = narrow_probability(cell.level, levels=levels)
            ax.text(*at, figure, transform=right, fontsize=size, **style)


def _add_key(ax: Axes, grid: Grid) -> None:
    from matplotlib.patches import Patch

    every = " on every measure" if len(grid.cells[0].signs) > 1 else ""
    words = {
        "better": f"row better{every}",
        "worse": f"row worse{every}",
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
    legend_below(ax, 8.0, handles=keys)


def _title(p: Pairwise, table: pd.DataFrame, rule: Rule) -> list[str]:
    what = "most probable statements" if p.bayesian else "leading statements and p-values"
    line = f"{p.method.name}: {what}"
    if not p.method.scope.question and len(p.results.measures) > 1:
        names = [clip(name, _MEASURE) for name in p.results.measures]
        line += f", top to bottom {join_names(names, most=8)}"
    return [line, verdicts_words(p, table, rule), *prefix_words(p.results.algorithms)]
