"""Tooltips of figures: invisible fields over their parts, with the values behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bayescompare.plots._drawing import clip
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.phrases import cell_text, figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.pairwise import Pairwise

__all__ = [
    "bar_tooltips",
    "cell_tooltips",
    "dataset_tooltips",
    "datasets_tooltip_by_pair",
    "leading_words",
    "tooltip_fields",
]

#: Fields over more cells would make a page slow.
_MOST = 2500


def cell_tooltips(p: Pairwise, ax: Axes, *, triangle: bool = False) -> None:
    """Add a tooltip to each pair of a square matrix, or of its upper triangle."""
    names = p.results.algorithms
    if len(names) ** 2 > _MOST or (triangle and p.reference is not None):
        return
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets = datasets_tooltip_by_pair(p)
    for i, j in itertools.permutations(range(len(names)), 2):
        if values[i, j] != values[i, j] or (triangle and i > j):
            continue
        equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
        leading = leading_words(p, best[i, j], names[i], names[j])
        text = f"{names[i]} against {names[j]}: {leading}, {equation(float(level[i, j]))}"
        if not triangle and p.bayesian:
            text += f"; {names[i]} better on all: {equation(float(values[i, j]))}"
        text += f"; {datasets[frozenset((names[i], names[j]))]}"
        _add_tooltip(ax, j - 0.5 - triangle, i - 0.5, 1.0, 1.0, text)


def leading_words(p: Pairwise, label: str, first: str, second: str) -> str:
    """Say a statement about a pair."""
    return Statement.parse(label, (first, second)).words(p.results.measures)


def datasets_tooltip_by_pair(p: Pairwise) -> dict[frozenset[str], str]:
    """Return the number of datasets of each pair, in words."""
    return {
        frozenset(pair): numbers.plural(n, "dataset")
        for pair, n in zip(p.figures.pairs, p.figures.datasets.tolist(), strict=True)
    }


def bar_tooltips(c: Comparison, ax: Axes) -> None:
    """Add a tooltip to each bar of a single statement."""
    table = c.summary()
    labels = {
        str(label): row for label, row in zip(table.index, table.to_dict("records"), strict=True)
    }
    low, high = ax.get_xlim()
    for k, tick in enumerate(ax.get_yticklabels()):
        label = tick.get_text().replace("\n", "")
        if label in labels:
            _add_tooltip(
                ax, low, k - 0.5, high - low, 1.0, _tooltip_bar_words(label, labels[label])
            )


def _tooltip_bar_words(label: str, row: dict[Any, Any]) -> str:
    heads = {"count": "datasets", "probability": "P", "mcse": "MCSE", "theta_mean": "mean θ"}
    figures = [f"{heads[k]} {figure_text(k, v)}" for k, v in row.items() if k in heads]
    return f"{label}: {', '.join(figures)}"


def dataset_tooltips(c: Comparison, ax: Axes) -> None:
    """Add a tooltip to each row of a dataset."""
    table = next(iter(c.tables.values()))
    rows = {str(name): row for name, row in zip(table.index, table.to_dict("records"), strict=True)}
    low, high = ax.get_xlim()
    for k, tick in enumerate(ax.get_yticklabels()):
        text = tick.get_text()
        # A long name is shortened in the figure, and whole in its tooltip.
        names = [name for name in rows if clip(name, len(text)) == text]
        if len(names) == 1:
            row = rows[names[0]]
            figures = ", ".join(f"{head}: {cell_text(str(head), v)}" for head, v in row.items())
            _add_tooltip(ax, low, k - 0.5, high - low, 1.0, f"{names[0]}: {figures}")


def tooltip_fields(figure: Figure) -> Iterator[tuple[Any, str]]:
    """Yield the fields of a figure and their texts."""
    for ax in figure.axes:
        for patch in ax.patches:
            text = getattr(patch, "_tooltip", None)
            if text is not None:
                yield patch, text


def _add_tooltip(ax: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    from matplotlib.patches import Rectangle

    field: Any = Rectangle(
        (x, y), width, height, facecolor="white", alpha=0.0, linewidth=0, zorder=9
    )
    field._tooltip = text
    limits = ax.get_xlim(), ax.get_ylim()
    ax.add_patch(field)
    ax.set(xlim=limits[0], ylim=limits[1])
