"""The statements of one comparison: a bar for each, and the posterior of three in a triangle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.columns import LOWER, THETA_LOWER, THETA_MEAN, THETA_UPPER, UPPER
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.registry import unavailable
from bayescompare.plots._drawing import (
    BLUE,
    CORNERS,
    GREEN,
    GREY,
    INK,
    ORANGE,
    SKY,
    VERMILION,
    clip,
    clip_statement,
    finish,
    inches_of,
    legend_below,
    new_axes,
    triangle,
    wrap_statement,
    write_right,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.statements import Statement
from bayescompare.text.numbers import count, probability_equation, setting_number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare._rng import Rng

__all__ = ["plot_simplex", "plot_statements"]

#: A statement that no dataset supports and that is less probable than this has no separate bar.
_NEGLIGIBLE = 0.0005

#: Largest width of the title in inches: the room above bars and figures, without the labels.
_TITLE = 5.6

#: Monte Carlo error bars reach this many standard errors.
_ERRORS = 2.0


@dataclass(frozen=True)
class Row:
    """One bar: a statement, or several together (`single` is False)."""

    label: str
    count: float
    probability: float | None
    single: bool = True
    best: bool = False
    whisker: tuple[float, float] | None = None
    theta: tuple[float, float, float] | None = None


@plot_of(Comparison, "statements")
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
    whole: object = most  # of any type at run time
    if isinstance(whole, bool) or not isinstance(whole, int) or whole < 1:
        raise BayescompareError(f"most={most!r}: give a whole number of bars, at least 1.")
    rows = _rows(c, most)
    lines = [row.label.split("\n") for row in rows]
    widest = max(len(line) for label in lines for line in label)
    high = max(0.45, 0.12 + 0.16 * max(map(len, lines)))
    ax = new_axes(ax, (6.4 + 0.085 * widest, 1.9 + high * len(rows)))
    _draw_bars(ax, c, rows)
    for k, row in enumerate(rows):
        # In columns outside the bars.
        n, by = f"n = {count(row.count)}", 6.0
        if row.probability is not None:
            write_right(ax, k, probability_equation(row.probability), color=INK)
            by = 68.0
        write_right(ax, k, n, by=by, color=INK)
    _label_axes(ax, c, rows)
    return finish(ax, c.headline(), most=_TITLE)


def _rows(c: Comparison, most: int) -> list[Row]:
    """Return a row for each statement, one for the others, and one for those never observed."""
    answer = c.answer
    p, counts, best = answer.probability, answer.counts, answer.labels.index(c.best)
    # The best one comes first even if it is tied, because the title names it.
    leads = np.arange(len(counts)) != best
    ranked = np.lexsort((-counts, -(counts if p is None else p), leads)).tolist()
    # It always has a bar, even if no dataset supports it.
    kept = [
        k
        for k in ranked[:most]
        if k == best or counts[k] or (p is not None and p[k] >= _NEGLIGIBLE)
    ]
    shown = set(kept)
    rest = [k for k in ranked if k not in shown]
    if len(rest) == 1:
        # A bar for "1 other" would take the same room.
        kept, rest = [*kept, *rest], []
    rows = [_row(c, k, best=k == best) for k in kept]
    if rest:
        chance = None if p is None else float(p[rest].sum())
        others = f"{count(len(rest))} others"
        rows.append(Row(others, float(counts[rest].sum()), chance, single=False))
    unlisted = answer.n_statements - len(answer.labels)
    if unlisted and p is not None and answer.unobserved is not None:
        left = max(answer.unobserved - float(p[counts == 0].sum()), 0.0)
        label = f"never observed\n({count(unlisted)} statements)"
        rows.append(Row(label, 0.0, left, single=False))
    return rows


def _row(c: Comparison, k: int, *, best: bool) -> Row:
    answer = c.answer
    extra = {name: float(values[k]) for name, values in answer.per_statement.items()}
    p = None if answer.probability is None else float(answer.probability[k])
    whisker = theta = None
    if LOWER in extra:
        whisker = extra[LOWER], extra[UPPER]
    elif answer.mcse is not None and p is not None:
        reach = _ERRORS * float(answer.mcse[k])
        whisker = max(p - reach, 0.0), min(p + reach, 1.0)
    if math.isfinite(extra.get(THETA_MEAN, math.nan)):
        theta = extra[THETA_LOWER], extra[THETA_MEAN], extra[THETA_UPPER]
    label = "\n".join(wrap_statement(answer.labels[k]))
    return Row(label, float(answer.counts[k]), p, best=best, whisker=whisker, theta=theta)


def _draw_bars(ax: Axes, c: Comparison, rows: list[Row]) -> None:
    with_theta = any(row.theta for row in rows)
    at = np.arange(len(rows)) - (0.12 if with_theta else 0.0)
    bars = ax.barh(
        at,
        [row.count if row.probability is None else row.probability for row in rows],
        height=0.46 if with_theta else 0.6,
        color=[BLUE if row.best else SKY if row.single else "white" for row in rows],
        edgecolor=[INK if row.single else GREY for row in rows],
        linewidth=0.6,
        label=f"P(it {c.method.phrases.verdict})",
    )
    for bar, row in zip(bars, rows, strict=True):
        bar.set_hatch("" if row.single else "////")
    style: dict[str, Any] = {"fmt": "none", "ecolor": INK, "elinewidth": 1.2, "capsize": 4}
    whiskers = [(y, *row.whisker) for y, row in zip(at, rows, strict=True) if row.whisker]
    if whiskers:
        y, low, high = np.array(whiskers).T
        words = f"± {setting_number_text(_ERRORS)} Monte Carlo standard errors"
        if LOWER in c.answer.per_statement:
            words = "bounds over all prior means"
        wide = np.maximum(high - low, 0.0) / 2
        ax.errorbar((low + high) / 2, y, xerr=wide, label=words, **style)
    if with_theta:
        shown = [(k + 0.28, *row.theta) for k, row in enumerate(rows) if row.theta]
        y, low, mean, high = np.array(shown).T
        style = {"fmt": "o", "color": VERMILION, "markersize": 4.5, "elinewidth": 1.6}
        # The mean of a skewed θ may lie outside the interval.
        reach = np.maximum(mean - low, 0.0), np.maximum(high - mean, 0.0)
        words = "θ: how often it holds (mean, 95 % interval)"
        ax.errorbar(mean, y, xerr=reach, label=words, **style)


def _label_axes(ax: Axes, c: Comparison, rows: list[Row]) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_yticks(range(len(rows)), [row.label for row in rows], fontsize="small")
    ax.set_ylim(len(rows) - 0.45, -0.55)
    # As many characters as fit the height of the Axes.
    measures = clip(" | ".join(c.results.measures), max(12, int(72 * inches_of(ax)[1] / 5.2) - 10))
    ax.set_ylabel(f"statement on {measures}", fontsize="small")
    if c.answer.probability is None:
        ax.set_xlabel("number of datasets")
        ax.set_xlim(0.0, None)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        ax.set_xlabel("probability")
        ax.set_xlim(0.0, 1.0)
        if len(ax.get_legend_handles_labels()[0]) > 1:
            # Under the x label, where no bar can be.
            legend_below(ax, 34.0)
    ax.grid(axis="x", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)


# three statements ---------------------------------------------------------------------------------

_COLOURS = (BLUE, ORANGE, GREEN)

#: Where words stand beside each corner, in points, and how they are aligned.
_OUTWARD = (
    (-12.0, -8.0, "center", "top"),
    (12.0, -8.0, "center", "top"),
    (0.0, 8.0, "center", "bottom"),
)


@plot_of(Comparison, "simplex")
def plot_simplex(c: Comparison, *, draws: int = 2000, rng: Rng = 0, ax: Axes | None = None) -> Axes:
    """Draw the posterior of θ over three statements, such as "A>B", "B>A" and "A=B".

    Each point is a draw; the lines separate the regions in which one statement is the most
    probable, so that the share of points in a region estimates the probability at its corner.

    Parameters
    ----------
    c : Comparison
        A comparison with exactly three possible statements, as on one measure with a rope.
    draws : int
        Number of points.
    rng : None, int or Generator
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> frame = bc.load_example("benavoli-example1").to_frame()
    >>> r = bc.Results.from_frame(frame, measures={"accuracy": bc.Measure("max", rope=1.0)})
    >>> ax = plot_simplex(bc.compare(r), draws=100, ax=Figure().subplots())
    >>> sum(len(points.get_offsets()) for points in ax.collections)
    100
    """
    if not has_simplex(c):
        raise BayescompareError(
            f"kind='simplex' needs exactly three possible statements, but there are "
            f"{count(c.answer.n_statements)}: compare two algorithms on one measure with a rope, "
            "or use kind='statements'."
        )
    labels = c.answer.labels
    # Left, right and top; equivalence is on top, between the two.
    order = sorted(range(3), key=lambda k: ("=" in Statement.parse(labels[k]).relations, k))
    theta = _theta(c, [labels[k] for k in order], draws, rng)
    ax = new_axes(ax, (6.4, 5.8))
    for k, colour in enumerate(_COLOURS):
        x, y = (theta @ CORNERS)[theta.argmax(axis=1) == k].T
        ax.scatter(x, y, s=9, color=colour, alpha=0.4, linewidths=0, zorder=2)
    triangle(ax, x=(-0.22, 1.22), y=(-0.17, 1.04), zorder=3)
    for k in range(3):
        # Here two statements are equally probable and the third is less so.
        ends = [CORNERS.mean(axis=0), (CORNERS[k] + CORNERS[(k + 1) % 3]) / 2]
        ax.plot(*np.stack(ends).T, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=3)
    assert c.answer.probability is not None
    for k, (dx, dy, ha, va), (x, y), colour in zip(order, _OUTWARD, CORNERS, _COLOURS, strict=True):
        ax.annotate(
            f"{clip_statement(labels[k], 30)}\n"
            f"{probability_equation(float(c.answer.probability[k]))}",
            xy=(float(x), float(y)),
            xytext=(dx, dy),
            textcoords="offset points",
            ha=ha,
            va=va,
            linespacing=1.4,
            color=INK,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour},
        )
    return finish(ax, f"posterior of θ on {c.results.measures[0]}: {c.headline()}")


def has_simplex(c: Comparison) -> bool:
    """Whether there are exactly three statements, with shares that add up to one."""
    return bool(c.answer.states) and c.answer.n_statements == 3 == len(c.answer.labels)


def _theta(c: Comparison, labels: list[str], draws: int, rng: Rng) -> FloatArray:
    """Return posterior draws (draws, 3), those of the answer itself if it was sampled."""
    tree = c.answer.tree
    if tree is None:
        tree = c.draws(draws, chains=1, rng=rng)
    posterior = tree["posterior"].to_dataset()
    if "theta" not in posterior:
        raise unavailable(c.method, "theta")
    theta = posterior["theta"].sel(statement=labels).transpose("chain", "draw", "statement")
    values = theta.values.reshape(-1, 3).astype(np.float64)
    return values[:: max(1, len(values) // draws)][:draws]
