"""What a picture tells where the pointer rests: unseen fields over its parts, with their values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bayescompare.text import numbers
from bayescompare.text.phrases import cell_text, figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.pairwise import Pairwise

__all__ = ["datasets_by_pair", "over_bars", "over_cells", "over_datasets", "told_fields"]

#: Fields over more cells would make a page slow.
_MOST = 2500


def over_cells(p: Pairwise, ax: Axes, *, triangle: bool = False) -> None:
    """Tell of each pair in a square matrix, or in the upper triangle without its diagonal."""
    names = p.results.algorithms
    if len(names) ** 2 > _MOST or (triangle and p.reference is not None):
        return
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets = datasets_by_pair(p)
    for i, j in itertools.permutations(range(len(names)), 2):
        if values[i, j] != values[i, j] or (triangle and i > j):
            continue
        equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
        text = f"{names[i]} against {names[j]}: {best[i, j]}, {equation(float(level[i, j]))}"
        if not triangle and p.bayesian:
            text += f"; {names[i]} better on all: {equation(float(values[i, j]))}"
        text += f"; {datasets[frozenset((names[i], names[j]))]}"
        _tell(ax, j - 0.5 - triangle, i - 0.5, 1.0, 1.0, text)


def datasets_by_pair(p: Pairwise) -> dict[frozenset[str], str]:
    """Say for each pair on how many datasets it rests."""
    return {
        frozenset(c.results.algorithms): numbers.plural(len(c.results.datasets), "dataset")
        for c in p.comparisons
    }


def over_bars(c: Comparison, ax: Axes) -> None:
    """Tell of each statement that has a bar of its own."""
    table = c.summary()
    labels = {
        str(label): row for label, row in zip(table.index, table.to_dict("records"), strict=True)
    }
    low, high = ax.get_xlim()
    for k, tick in enumerate(ax.get_yticklabels()):
        label = tick.get_text().replace("\n", "")
        if label in labels:
            _tell(ax, low, k - 0.5, high - low, 1.0, _bar_words(label, labels[label]))


def _bar_words(label: str, row: dict[Any, Any]) -> str:
    heads = {"count": "datasets", "probability": "P", "mcse": "MCSE", "theta_mean": "mean θ"}
    told = [f"{heads[k]} {figure_text(k, v)}" for k, v in row.items() if k in heads]
    return f"{label}: {', '.join(told)}"


def over_datasets(c: Comparison, ax: Axes) -> None:
    """Tell of each dataset that has a row."""
    table = next(iter(c.tables.values()))
    rows = {str(name): row for name, row in zip(table.index, table.to_dict("records"), strict=True)}
    low, high = ax.get_xlim()
    for k, tick in enumerate(ax.get_yticklabels()):
        if tick.get_text() in rows:
            row = rows[tick.get_text()]
            told = ", ".join(f"{head}: {cell_text(str(head), v)}" for head, v in row.items())
            _tell(ax, low, k - 0.5, high - low, 1.0, f"{tick.get_text()}: {told}")


def told_fields(figure: Figure) -> Iterator[tuple[Any, str]]:
    """The fields of a figure and what each tells."""
    for ax in figure.axes:
        for patch in ax.patches:
            text = getattr(patch, "_told", None)
            if text is not None:
                yield patch, text


def _tell(ax: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    from matplotlib.patches import Rectangle

    field: Any = Rectangle(
        (x, y), width, height, facecolor="white", alpha=0.0, linewidth=0, zorder=9
    )
    field._told = text
    limits = ax.get_xlim(), ax.get_ylim()
    ax.add_patch(field)
    ax.set(xlim=limits[0], ylim=limits[1])
