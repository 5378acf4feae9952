"""A bar per statement: P that it leads, how often it holds, and on how many datasets it held."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.comparison.columns import LOWER, THETA_LOWER, THETA_MEAN, THETA_UPPER, UPPER
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    SKY,
    VERMILION,
    add_legend,
    clip_drawn_text,
    figure_of,
    moved_in_drawing,
    new_axes,
    set_title,
    wrap_label,
)
from bayescompare.text import numbers
from bayescompare.text.numbers import count, probability_equation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.answer import Answer
    from bayescompare.comparison.comparison import Comparison

__all__ = ["plot_statements", "statements_size"]

#: A statement that no dataset supports and that is less probable than this has no separate bar.
_NEGLIGIBLE = 0.0005

#: Largest width of the title in inches: the room above bars and figures, without the labels.
_TITLE = 5.6

#: Monte Carlo error bars reach this many standard errors.
_ERRORS = 2.0


@dataclass(frozen=True)
class StatementRow:
    """One bar: a statement, or several together (`single` is False)."""

    label: str
    count: float
    probability: float | None
    single: bool = True
    best: bool = False
    mcse: float | None = None
    bounds: tuple[float, float] | None = None
    theta: tuple[float, float, float] | None = None


def plot_statements(c: Comparison, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw a bar per statement, the most probable on top.

    Bayesian: the bar is P(the statement is the most probable one), with Monte Carlo error bars
    or imprecise bounds if there are any; below it in the same row is the posterior of θ, how
    often the statement holds. Frequentist: the bar is the number of datasets.

    Parameters
    ----------
    c : Comparison
    most : int
        Largest number of bars for single statements; the others share one, and so do those that
        were never observed and are not listed.
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
    >>> ax = plot_statements(c, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B>A|B>A', 'B>A|A>B', 'A>B|B>A', 'A>B|A>B']
    """
    rows = _statement_plot_rows(c, most)
    ax = new_axes(ax, _statement_plot_size(rows))
    _draw_statement_plot_bars(ax, rows, f"it {c.method.verdict_phrase}")
    _draw_statement_plot_figures(ax, rows)
    _label_statement_plot_axes(ax, c, rows)
    set_title(ax, c.headline(), most=_TITLE)
    return ax


def statements_size(c: Comparison, *, most: int = 20) -> tuple[float, float]:
    """Return the width and height in inches that `plot_statements` needs."""
    return _statement_plot_size(_statement_plot_rows(c, most))


# rows --------------------------------------------------------------------------------------------


def _statement_plot_rows(c: Comparison, most: int) -> list[StatementRow]:
    _check_statement_plot_most(most)
    answer = c.answer
    best = answer.labels.index(c.best)
    ranked = _statement_plot_ranked(answer, best)
    # The statement of the verdict always has a bar, even if no dataset supports it.
    kept = [k for k in ranked[:most] if k == best or not _negligible_in_statement_plot(answer, k)]
    shown = set(kept)
    rest = [k for k in ranked if k not in shown]
    if len(rest) == 1:
        # A bar for "1 other" would take the same room.
        kept, rest = [*kept, *rest], []
    rows = [_statement_plot_one_row(answer, k, best=k == best) for k in kept]
    return [*rows, *_statement_plot_others(answer, rest), *_statement_plot_unlisted(answer)]


def _check_statement_plot_most(most: object) -> None:
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise BayescompareError(f"most={most!r}: give a whole number of bars, at least 1.")


def _statement_plot_ranked(answer: Answer, best: int) -> list[int]:
    score = answer.counts if answer.probability is None else answer.probability
    # The best one comes first even if it is tied, because the title names it.
    leads = np.arange(len(score)) != best
    order: list[int] = np.lexsort((-answer.counts, -score, leads)).tolist()
    return order


def _negligible_in_statement_plot(answer: Answer, k: int) -> bool:
    p = answer.probability
    return bool(answer.counts[k] == 0 and (p is None or p[k] < _NEGLIGIBLE))


def _statement_plot_one_row(answer: Answer, k: int, *, best: bool) -> StatementRow:
    extra = {name: float(values[k]) for name, values in answer.per_statement.items()}
    bounds = (extra[LOWER], extra[UPPER]) if LOWER in extra else None
    theta = None
    if math.isfinite(extra.get(THETA_MEAN, math.nan)):
        theta = (extra[THETA_LOWER], extra[THETA_MEAN], extra[THETA_UPPER])
    return StatementRow(
        label="\n".join(wrap_label(answer.labels[k])),
        count=float(answer.counts[k]),
        probability=None if answer.probability is None else float(answer.probability[k]),
        best=best,
        mcse=None if answer.mcse is None else float(answer.mcse[k]),
        bounds=bounds,
        theta=theta,
    )


def _statement_plot_others(answer: Answer, rest: list[int]) -> Iterator[StatementRow]:
    """Yield one bar for the listed statements without a separate one."""
    if rest:
        p = None if answer.probability is None else float(answer.probability[rest].sum())
        yield StatementRow(
            f"{numbers.count(len(rest))} others", float(answer.counts[rest].sum()), p, single=False
        )


def _statement_plot_unlisted(answer: Answer) -> Iterator[StatementRow]:
    """Yield one bar for the statements that are not listed because no dataset supports them."""
    unlisted = answer.n_statements - len(answer.labels)
    if unlisted and answer.probability is not None and answer.unobserved is not None:
        listed = float(answer.probability[answer.counts == 0].sum())
        label = f"never observed\n({count(unlisted)} statements)"
        yield StatementRow(label, 0.0, max(answer.unobserved - listed, 0.0), single=False)


# drawing -----------------------------------------------------------------------------------------


def _statement_plot_size(rows: list[StatementRow]) -> tuple[float, float]:
    lines = [row.label.split("\n") for row in rows]
    widest = max(len(line) for label in lines for line in label)
    row_height = max(0.45, 0.12 + 0.16 * max(map(len, lines)))
    return 6.4 + 0.085 * widest, 1.9 + row_height * len(rows)


def _draw_statement_plot_bars(ax: Axes, rows: list[StatementRow], event: str) -> None:
    with_theta = any(row.theta for row in rows)
    at = np.arange(len(rows), dtype=float) - (0.12 if with_theta else 0.0)
    bars = ax.barh(
        at,
        [row.count if row.probability is None else row.probability for row in rows],
        height=0.46 if with_theta else 0.6,
        color=[BLUE if row.best else SKY if row.single else "white" for row in rows],
        edgecolor=[INK if row.single else GREY for row in rows],
        linewidth=0.6,
        label=f"P({event})",
    )
    for bar, row in zip(bars, rows, strict=True):
        bar.set_hatch("" if row.single else "////")
    _draw_statement_plot_whiskers(ax, rows, at)
    _draw_statement_plot_theta(ax, rows)


def _draw_statement_plot_whiskers(
    ax: Axes, rows: list[StatementRow], at: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> None:
    ends = [(row.bounds, "bounds over all prior means") for row in rows]
    if not any(bounds for bounds, _ in ends):
        ends = [
            (
                _statement_plot_monte_carlo(row),
                f"± {numbers.setting_number_text(_ERRORS)} Monte Carlo standard errors",
            )
            for row in rows
        ]
    shown = [(y, *bounds) for y, (bounds, _) in zip(at, ends, strict=True) if bounds is not None]
    if not shown:
        return
    y, low, high = np.array(shown).T
    middle = (low + high) / 2
    style = {"fmt": "none", "ecolor": INK, "elinewidth": 1.2, "capsize": 4, "label": ends[0][1]}
    ax.errorbar(middle, y, xerr=np.maximum(high - low, 0.0) / 2, **style)  # type: ignore[arg-type]


def _statement_plot_monte_carlo(row: StatementRow) -> tuple[float, float] | None:
    if row.mcse is None or row.probability is None:
        return None
    reach = _ERRORS * row.mcse
    return max(row.probability - reach, 0.0), min(row.probability + reach, 1.0)


def _draw_statement_plot_theta(ax: Axes, rows: list[StatementRow]) -> None:
    shown = [(k + 0.28, *row.theta) for k, row in enumerate(rows) if row.theta]
    if not shown:
        return
    y, low, mean, high = np.array(shown).T
    ax.errorbar(
        mean,
        y,
        # The mean of a skewed θ may lie outside the interval.
        xerr=(np.maximum(mean - low, 0.0), np.maximum(high - mean, 0.0)),
        fmt="o",
        color=VERMILION,
        markersize=4.5,
        elinewidth=1.6,
        label="θ: how often it holds (mean, 95 % interval)",
    )


def _draw_statement_plot_figures(ax: Axes, rows: list[StatementRow]) -> None:
    """Print P and the count beside each row, in columns outside the bars."""
    style = {"va": "center", "ha": "left", "fontsize": "small", "color": INK}
    first = moved_in_drawing(ax, ax.get_yaxis_transform(), 6, 0)
    second = moved_in_drawing(ax, ax.get_yaxis_transform(), 68, 0)
    for k, row in enumerate(rows):
        count = f"n = {numbers.count(row.count)}"
        if row.probability is None:
            ax.text(1.0, k, count, transform=first, **style)  # type: ignore[arg-type]
            continue
        sure = probability_equation(row.probability)
        ax.text(1.0, k, sure, transform=first, **style)  # type: ignore[arg-type]
        ax.text(1.0, k, count, transform=second, **style)  # type: ignore[arg-type]


def _label_statement_plot_axes(ax: Axes, c: Comparison, rows: list[StatementRow]) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_yticks(range(len(rows)), [row.label for row in rows], fontsize="small", **LITERAL)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    # As many characters as fit the height of the Axes.
    high = 72 * ax.get_window_extent().height / figure_of(ax).dpi
    measures = clip_drawn_text(" | ".join(c.results.measures), max(12, int(high / 5.2) - 10))
    ax.set_ylabel(f"statement on {measures}", fontsize="small", **LITERAL)
    if c.answer.probability is None:
        ax.set_xlabel("number of datasets")
        ax.set_xlim(0.0, None)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        ax.set_xlabel("probability")
        ax.set_xlim(0.0, 1.0)
        _add_statement_plot_legend(ax)
    ax.grid(axis="x", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


def _add_statement_plot_legend(ax: Axes) -> None:
    """Put the key under the x label, where no bar can be."""
    below = moved_in_drawing(ax, ax.transAxes, 0, -34)
    if len(ax.get_legend_handles_labels()[0]) > 1:
        add_legend(
            ax,
            loc="upper left",
            bbox_to_anchor=(0.0, 0.0),
            bbox_transform=below,
            borderaxespad=0.0,
        )
