"""Curves: of priors and ropes, of further datasets, of δ and γ, and of successes and errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import beta

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.decision import SETTLED, SIGNIFICANT
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    LINES,
    clip,
    finish,
    legend_beside,
    new_axes,
    note,
    statement_words,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import NARROW, PHONE, WIDE, Pen, fit
from bayescompare.plots.rows import weight_words
from bayescompare.text.numbers import share_number_text, statistic_number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare._rng import Rng
    from bayescompare.methods.dirichlet.elicit import Elicitation

__all__ = [
    "plot_beliefs",
    "plot_growth",
    "plot_plan",
    "plot_robustness",
    "plot_sensitivity",
    "plot_success",
]

#: Curves with more points than this have no markers.
_FEW = 25

#: Up to so many steps of a growing order are named.
_MOST_STEPS = 60

_SETTLED_WORDS = {
    "settled": "some statement is settled",
    "settled_on_best": "the one leading now is",
}


@plot_of(Comparison, "growth", needs="thresholds")
def plot_growth(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the number of ordered pairs against δ, each step with the pair that becomes ordered.

    With larger δ fewer utilities are allowed, so more pairs are comparable.

    Parameters
    ----------
    c : Comparison
        A comparison by ``"gsd"``.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> results = bc.load_example("jansen-uci")
    >>> c = bc.compare(results, method="gsd", algorithms=["BDS", "RF", "CART"])
    >>> ax = plot_growth(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['2 at δ = 0', 'RF over BDS']
    """
    from matplotlib.ticker import MaxNLocator

    start, steps = _growth(c)
    ax = new_axes(ax, (7.5, 3.2 + 0.16 * min(len(steps), _MOST_STEPS)))
    at = np.array([0.0, *(delta for delta, _ in steps)])
    count = start + np.arange(len(at))
    end = float(at[-1]) * 1.25 or 1e-3
    ax.step([*at, end], [*count, count[-1]], where="post", color=BLUE, linewidth=2.0)
    note(ax, f"{start} at δ = 0", (0.0, start), 4, -3, va="top")
    for (delta, label), height in zip(steps[:_MOST_STEPS], count[1:], strict=False):
        # The steps only rise, so there is room below a step to the right and above it to the left.
        if delta < end / 2:
            note(ax, label, (delta, height), 4, -3, ha="left", va="top")
        else:
            note(ax, label, (delta, height), -4, 2, ha="right", va="bottom")
    pairs = len(c.results.algorithms) * (len(c.results.algorithms) - 1) // 2
    ax.axhline(pairs, color=GREY, linewidth=1.0, linestyle="--")
    ax.set_xlim(0.0, end)
    ax.set_ylim(max(0.0, start - 0.08 * pairs - 0.5), pairs + 0.08 * pairs + 0.5)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="δ", ylabel=f"ordered pairs, of {pairs}")
    left = pairs - int(count[-1])
    return finish(ax, f"{int(count[-1])} of {pairs} pairs are ordered at some δ, {left} at none")


def _growth(c: Comparison) -> tuple[int, list[tuple[float, str]]]:
    """Return the number of pairs ordered at δ = 0, and the pairs ordered later with their δ."""
    names, thresholds = c.results.algorithms, c.thresholds.values
    start, steps = 0, []
    for i, j in itertools.combinations(range(len(names)), 2):
        if thresholds[i, j] == thresholds[j, i]:
            continue  # equivalent, or comparable at no δ
        # Either direction orders a pair; the first to do so counts.
        winner, loser = (i, j) if thresholds[i, j] <= thresholds[j, i] else (j, i)
        least = float(np.fmin(thresholds[i, j], thresholds[j, i]))
        if least == 0.0:
            start += 1
        elif np.isfinite(least):
            steps.append((least, f"{clip(names[winner], 20)} over {clip(names[loser], 20)}"))
    return start, sorted(steps)


@plot_of(Comparison, "robustness", needs="robustness")
def plot_robustness(c: Comparison, *, rng: Rng = None, ax: Axes | None = None) -> Axes:
    """Draw the p-value against γ, the share of the data that may be arbitrarily corrupted.

    Parameters
    ----------
    c : Comparison
        A comparison of two algorithms by ``"gsd"``.
    rng : None, int or Generator
        For the resamples; by default the seed of the answer.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> method = bc.methods.GSD(permutations=50)
    >>> uci = bc.load_example("jansen-uci")
    >>> c = bc.compare(uci, method=method, algorithms=["GBM", "CART"], rng=1)
    >>> plot_robustness(c, ax=Figure().subplots()).get_ylabel()
    'p-value'
    """
    curve = c.robustness(rng=rng)
    ax = new_axes(ax, (6.4, 3.6))
    ax.step(curve["gamma"], curve["pvalue"], where="post", color=BLUE, linewidth=2.0)
    ax.axhline(SIGNIFICANT, color=GREY, linewidth=1.0, linestyle="--")
    ax.set(xlabel="γ, share of the data that may be anything", ylabel="p-value", ylim=(0.0, 1.02))
    ax.set_xscale("symlog", linthresh=1e-5)
    ax.set_xlim(0.0, float(curve["gamma"].iloc[-1]))
    last = curve.attrs["robust_up_to"]
    verdict = "not significant even without corruption"
    if last is not None:
        of_all = statistic_number_text(last * len(c.results.datasets), significant=2)
        gamma = statistic_number_text(last, significant=3)
        verdict = f"significant up to γ = {gamma} ({of_all} datasets)"
    return finish(ax, f"{c.posterior.claim(c.best)}: {verdict}")


@plot_of(Comparison, "sensitivity", needs="sensitivity", reads=lambda c: c.sensitivity())
def plot_sensitivity(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the statements' probabilities against prior weight or rope.

    Parameters
    ----------
    table : DataFrame
        From `Comparison.sensitivity` or `Comparison.rope_sensitivity`. Bounds over all prior
        means, if the table has them, are drawn as a band for the leading statement.
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
    >>> ax = plot_sensitivity(c.sensitivity(), ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][-4:-2]
    ['B better', 'B better · A better']
    """
    # The legend names the statements; codes such as "A>B|B>A" are for keys and tables.
    same = table.idxmax(axis=1).nunique() == 1
    said = f"{'the same' if same else 'no single'} statement leads throughout"
    return finish(sensitivity_pen(table, WIDE).onto(ax), said)


#: Most statements of a picture, of which each has a mark of its own, and marks of a line.
_MOST, _MARKS = 4, 9


def sensitivity_pen(table: pd.DataFrame, w: float = NARROW) -> Pen:
    """Draw P of the leading statements against prior weight or rope, and name them below."""
    name, at = str(table.index.name), table.index.to_numpy(dtype=float)
    leading = table.max().sort_values(ascending=False, kind="stable").index[:_MOST]
    pen = Pen(w, f"P by {name}: {', '.join(statement_words(str(k), 36) for k in leading)}")
    left, top, high = 34.0, 10.0, 150.0 if w < PHONE else 260.0
    scale = np.log if name != "rope" else np.asarray
    ends = float(scale(at[0])), float(scale(at[-1]))

    def place(x: float, p: float) -> tuple[float, float]:
        across = (float(scale(x)) - ends[0]) / ((ends[1] - ends[0]) or 1.0)
        return left + 6 + across * (w - left - 16), top + (1 - p) * high

    for p, words in ((0.0, "0"), (0.5, "0.5"), (1.0, "1"), (SETTLED, "")):
        y = place(at[0], p)[1]
        pen.line((left, y), (w - 4, y), stroke="gray" if p == SETTLED else "line")
        pen.text(left - 5, y + 4, words, 11, "end", "mute")
    for x in (at[0], at[len(at) // 2], at[-1]):
        words = statistic_number_text(float(x), significant=2)
        pen.text(place(x, 0)[0], top + high + 15, words, 11, "middle", "mute")
    if "lower" in table.attrs:
        low, high_ = (table.attrs[end] for end in ("lower", "upper"))
        border = [*zip(at, low, strict=True), *reversed(list(zip(at, high_, strict=True)))]
        pen.shape([place(x, p) for x, p in border], "asoft", tip="all prior means")
    y = top + high + 32
    pen.text(w - 4, y, name, 11, "end", "mute")
    pen.text(0, y, "P, and 0.95" if w < PHONE else "P, with a line at 0.95", 11, fill="mute")
    for k, label in enumerate(leading):
        side, settled, values = k % 2, k < 2, table[label].to_numpy()
        points = [place(x, p) for x, p in zip(at, values, strict=True)]
        pen.line(*points, stroke="ab"[side], sw=1.6)
        for point in points[:: max(1, len(points) // _MARKS)]:
            pen.mark(*point, side, 3.4, settled=settled)
        y += 18
        pen.mark(8, y - 4, side, 4, settled=settled)
        pen.text(18, y, fit(statement_words(str(label), 90), 12, w - 22), 12)
    return pen


# With a seed, so that it is the same picture every time.
@plot_of(Comparison, "plan", needs="plan", reads=lambda c: c.plan(rng=0))
def plot_plan(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of a settled answer against the number of further datasets.

    Parameters
    ----------
    table : DataFrame
        From `Comparison.plan`. Bars are two standard errors of the simulation.
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
    >>> ax = plot_plan(c.plan([5, 10], simulations=20, rng=0), ax=Figure().subplots())
    >>> ax.get_xlabel(), len(ax.get_legend().get_texts())
    ('further datasets', 2)
    """
    ax = new_axes(ax, (6.8, 4.0))
    at = table.index.to_numpy(dtype=float)
    for (column, words), line in zip(_SETTLED_WORDS.items(), LINES, strict=False):
        ax.plot(at, table[column].to_numpy(), markersize=4.0, label=words, **line)
    low, high = (table["settled"] + sign * 2.0 * table["mcse"] for sign in (-1.0, 1.0))
    ax.vlines(at, low.clip(lower=0.0), high.clip(upper=1.0), color=LINES[0]["color"], linewidth=1.0)
    of_datasets = table.index.name != "replicates"
    label = "further datasets" if of_datasets else "times as many replicates"
    ax.set(xlabel=label, ylabel="probability", ylim=(-0.02, 1.02))
    legend_beside(ax)
    return finish(ax, f"how probable it is that {label} settle the question")


def plot_beliefs(elicitation: Elicitation, *, ax: Axes | None = None) -> Axes:
    """Draw a prior measure by measure: the density of the share of datasets with each state.

    States of the same density share a line; of two states only the first is drawn, since the
    second is its mirror image.

    Parameters
    ----------
    elicitation : Elicitation
        From `bayescompare.methods.elicit`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy", "time"])
    >>> ax = plot_beliefs(e, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['B better on accuracy', 'A better on time']
    """
    ax = new_axes(ax, (6.8, 4.0))
    share = np.linspace(0.001, 0.999, 400)
    lines = _densities(elicitation)
    for (alpha, names), line in zip(lines.items(), LINES, strict=False):
        style = {k: v for k, v in line.items() if k != "marker"}
        density = beta.pdf(share, alpha, max(elicitation.weight - alpha, 1e-9))
        ax.plot(share, density, label=_line_names(names), **style)
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="share of datasets", ylabel="prior density")
    ax.set_ylim(top=min(ax.get_ylim()[1], 8.0))
    legend_beside(ax)
    worth = weight_words(elicitation)
    return finish(ax, f"How often each state holds, by a prior worth {worth}")


def _densities(elicitation: Elicitation) -> dict[float, list[str]]:
    """The parameter of each line, and the states whose density it is."""
    lines: dict[float, list[str]] = {}
    for measure, states in elicitation.measures.groupby(level="measure", sort=False):
        alphas = states["alpha"]
        shown = alphas.nlargest(1, keep="first") if len(alphas) == 2 else alphas
        for state, alpha in zip(shown.index.get_level_values("state"), shown, strict=True):
            name = f"{statement_words(str(state), 32)} on {clip(str(measure), 24)}"
            lines.setdefault(round(float(alpha), 9), []).append(name)
    return lines


def _line_names(names: list[str]) -> str:
    """The states of one line; of many the first, and how many more."""
    return ", ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more"


def plot_success(curves: Mapping[str, pd.DataFrame], *, ax: Axes | None = None) -> Axes:
    """Draw the share of successes against that of errors, threshold by threshold.

    A test with informative confidence is above the diagonal. The area under each curve, by the
    trapezoidal rule, is in the legend.

    Parameters
    ----------
    curves : mapping of str to DataFrame
        For each method the output of `studies.success_errors`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Section 6.3.

    Examples
    --------
    >>> from bayescompare.studies import success_errors
    >>> from matplotlib.figure import Figure
    >>> curve = success_errors([0.9, 0.8, 0.8, 0.6], [True, True, False, False])
    >>> ax = plot_success({"sign": curve}, ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[0].get_text()
    'sign: AUC 0.875'
    """
    drawn = list(_checked(curves))
    ax = new_axes(ax, (7.6, 5.0))
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, zorder=1)
    for (name, under, error, success), line in zip(drawn, itertools.cycle(LINES), strict=False):
        style = line if len(error) <= _FEW else {**line, "marker": "none"}
        label = f"{clip(name, 32)}: AUC {share_number_text(under)}"
        ax.plot(error, success, linewidth=1.8, markersize=4.0, label=label, **style)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set(xlabel="errors left, share of all", ylabel="successes left, share of all")
    legend_beside(ax)
    return finish(ax, "successes against errors as the least confidence falls")


def _checked(curves: object) -> Iterator[tuple[str, float, FloatArray, FloatArray]]:
    """Yield name, area, errors and successes of each curve, once they are checked."""
    if not isinstance(curves, Mapping) or not curves:
        raise BayescompareError(
            "curves: give a mapping with at least one curve, such as the output of "
            "studies.success_curves."
        )
    for name, curve in curves.items():
        if not isinstance(curve, pd.DataFrame) or not {"success", "error"} <= set(curve.columns):
            raise BayescompareError(
                f"curves[{name!r}] has no columns 'success' and 'error': give the output of "
                "studies.success_errors."
            )
        success, error = (curve[c].to_numpy(dtype=np.float64) for c in ("success", "error"))
        whole = np.concatenate([success, error])
        if len(success) < 2 or not ((whole >= 0.0) & (whole <= 1.0)).all():
            raise BayescompareError(
                f"curves[{name!r}]: give at least two shares of successes and errors, from 0 to 1."
            )
        yield str(name), float(np.trapezoid(success, error)), error, success
