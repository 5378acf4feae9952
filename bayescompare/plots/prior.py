"""A prior before any data: of the statements, of the measures, and what it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta

from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LINES,
    SKY,
    VERMILION,
    clip_statement,
    finish,
    legend_beside,
    new_axes,
    wrap_statement,
)
from bayescompare.text.numbers import format_probability, plural, setting_number_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.methods.dirichlet.elicit import Elicitation

__all__ = ["plot_beliefs", "plot_prior", "plot_prior_predictive"]

#: Rows of a picture; further statements are left out, and the title says so.
_MOST_ROWS = 20


def plot_prior(elicitation: Elicitation, *, ax: Axes | None = None) -> Axes:
    """Draw what a prior says of each statement: how often it holds, and P(it leads).

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
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy"])
    >>> ax = plot_prior(e, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B>A', 'A>B']
    """
    rows = _first_rows(elicitation.table)
    ax = new_axes(ax, (6.8, 1.3 + 0.42 * len(rows)))
    places = np.arange(len(rows))
    ax.hlines(places, rows["lower"], rows["upper"], color=SKY, linewidth=5.0)
    ax.plot(rows["mean"], places, "o", color=BLUE, markersize=6.0)
    for place, p in zip(places, rows["p_max"], strict=True):
        ax.annotate(
            format_probability(float(p)),
            (1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            color=INK,
        )
    ax.annotate("P(leads)", (1.02, 1.01), xycoords="axes fraction", fontsize="small", color=INK)
    ax.set(xlim=(-0.02, 1.02), xlabel="share of datasets on which it holds: mean, 95 % interval")
    return _finish_rows(ax, rows, elicitation, "Before any data: worth {}")


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
    ['B>A on accuracy', 'A>B on time']
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
    worth = _weight_words(elicitation)
    return finish(ax, f"How often each state holds, by a prior worth {worth}")


def plot_prior_predictive(elicitation: Elicitation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """Draw how many of `n` datasets a prior expects to support each statement.

    The darker, the more probable; the dot is the mean, the line the central 95 %.

    Parameters
    ----------
    elicitation : Elicitation
        From `bayescompare.methods.elicit`.
    n : int
        Datasets.
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
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy"])
    >>> plot_prior_predictive(e, n=10, ax=Figure().subplots()).get_xlabel()
    'datasets of 10 that support it'
    """
    rows = _first_rows(elicitation.predict(n))
    ax = new_axes(ax, (6.8, 1.3 + 0.42 * len(rows)))
    masses = rows[list(range(n + 1))].to_numpy()
    edges = np.arange(n + 2) - 0.5
    ax.pcolormesh(
        edges, np.arange(len(rows) + 1) - 0.5, masses, cmap="Blues", vmin=0.0, shading="flat"
    )
    places = np.arange(len(rows))
    ax.hlines(places, rows["lower"], rows["upper"], color=VERMILION, linewidth=1.5)
    ax.plot(rows["mean"], places, "o", color=VERMILION, markersize=5.0)
    for place in places[1:]:
        ax.axhline(place - 0.5, color="white", linewidth=2.0)
    ax.set(xlim=(-0.5, n + 0.5), xlabel=f"datasets of {n} that support it")
    ax.locator_params(axis="x", integer=True)
    _finish_rows(ax, rows, elicitation, "What a prior worth {} expects to see")
    ax.grid(False)
    return ax


def _first_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The statements expected most often, first."""
    return table.sort_values("mean", ascending=False, kind="stable").head(_MOST_ROWS)


def _finish_rows(ax: Axes, rows: pd.DataFrame, elicitation: Elicitation, title: str) -> Axes:
    labels = ["\n".join(wrap_statement(str(label))) for label in rows.index]
    ax.set_yticks(np.arange(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="x", color=GREY, linewidth=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    lines = [title.format(_weight_words(elicitation))]
    if (left := len(elicitation.table) - _MOST_ROWS) > 0:
        lines.append(f"{plural(left, 'statement')} expected less often not shown")
    return finish(ax, *lines, bare="top right left")


def _weight_words(elicitation: Elicitation) -> str:
    weight = round(elicitation.weight, 6)
    if weight == round(weight):
        return plural(weight, "dataset")
    return f"{setting_number_text(weight)} datasets"


def _densities(elicitation: Elicitation) -> dict[float, list[str]]:
    """The parameter of each line, and the states whose density it is."""
    lines: dict[float, list[str]] = {}
    for measure, states in elicitation.measures.groupby(level="measure", sort=False):
        alphas = states["alpha"]
        shown = alphas.nlargest(1, keep="first") if len(alphas) == 2 else alphas
        for state, alpha in zip(shown.index.get_level_values("state"), shown, strict=True):
            name = f"{clip_statement(str(state), 24)} on {measure}"
            lines.setdefault(round(float(alpha), 9), []).append(name)
    return lines


def _line_names(names: list[str]) -> str:
    """The states of one line; of many the first, and how many more."""
    return ", ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more"
