"""The report of all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.comparisons import comparison_of
from bayescompare.methods.base import Sampling
from bayescompare.pairs import Pairwise
from bayescompare.plots.critical import critical_size, plot_critical
from bayescompare.plots.dominance import dominance_size, plot_dominance
from bayescompare.plots.matrix import COLOURS, matrix_size, plot_matrix, readable
from bayescompare.plots.order import order_size, plot_order
from bayescompare.report.citations import citation_keys, method_section
from bayescompare.report.data import data_section, title_of
from bayescompare.report.hover import datasets_words, over_cells
from bayescompare.report.made import made_section, python_call
from bayescompare.report.page import Page, Picture, Section, diagnosed
from bayescompare.report.tables import MOST_PAIRS, Cell, Shaded, Table, heads, rows
from bayescompare.text import numbers
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["pairwise_page"]

_MOST_COLUMNS, _MOST_ORDERED, _SHADES = 40, 60, 10

#: What asks a pair anew with a prior of other weight, and up to how many pairs that is done.
_WEIGHT = {"dirichlet": "strength", "poisson-binomial": "b"}
_MOST_ASKED = 200


def pairwise_page(p: Pairwise, fdr: float, command: str | None = None) -> Page:
    """Bring all pairs into the shape of a page."""
    decided = p.decide(fdr=fdr)
    asserted = int(decided["asserted"].sum())
    rate = "the expected share of false ones" if p.bayesian else "the chance of any false one"
    pairs = plural(len(decided), "pair")
    at_most = numbers.percent_setting(fdr)
    verdict = f"{asserted} of {pairs} can be asserted so that {rate} is at most {at_most}"
    sections = [
        Section("Figures", pictures=_pictures(p, verdict, fdr)),
        Section("Tables", shaded=_shaded(p), tables=[_decided(decided, fdr, bayesian=p.bayesian)]),
        _sensitivity(p, fdr),
        _diagnostics(p),
        data_section(p.results),
        method_section(
            p.method,
            p.results,
            None,
            fdr=fdr,
            reference=p.reference,
            fewest=min(len(c.results.datasets) for c in p.comparisons),
        ),
        made_section(
            p.method, p.comparisons, command or _call(p, fdr), {"error rate": numbers.setting(fdr)}
        ),
    ]
    title = title_of(p.results, against=p.reference)
    keys = citation_keys(p.method, pairs=True)
    return Page(title, verdict, p.explain(fdr=fdr), sections, keys)


def _call(p: Pairwise, fdr: float) -> str:
    seeds = {c.answer.seed for c in p.comparisons if not c.exact}
    options = {"reference": p.reference, "rng": seeds.pop() if len(seeds) == 1 else None}
    if any(len(c.results.datasets) < len(p.results.datasets) for c in p.comparisons):
        options["missing"] = "drop"
    call = python_call("pairwise", p.method, p.results, options)
    return f"{call}.report(..., fdr={numbers.setting(fdr)})"


def _pictures(p: Pairwise, verdict: str, fdr: float) -> list[Picture]:
    shown = []
    size = order_size(p, fdr=fdr)
    # The order of very many is a tangle; their ranks can still be read.
    if len(p.results.algorithms) <= _MOST_ORDERED:
        draw = partial(_draw, partial(plot_order, fdr=fdr), None, p)
        shown.append(Picture("Asserted order", draw, size, "o", verdict))
    if len(p.results.algorithms) > 2:
        draw = partial(_draw, partial(plot_critical, fdr=fdr), None, p)
        told = "algorithms by rank, joined where no pair is asserted"
        shown.append(Picture("Ranks and groups", draw, critical_size(p, fdr=fdr), "k", told))
    if len(p.results.algorithms) <= _MOST_COLUMNS:
        draw = partial(
            _draw, partial(plot_dominance, fdr=fdr), partial(over_cells, triangle=True), p
        )
        told = "the leading statement of every pair"
        shown.append(Picture("Leading statements", draw, dominance_size(p), "d", told))
    else:
        draw = partial(_draw, plot_matrix, over_cells, p)
        shown.append(Picture("All pairs", draw, matrix_size(p), "m", "heat map of pairs"))
    return shown


def _draw(plot: Any, tell: Any, p: Pairwise, ax: Any) -> None:
    plot(p, ax=ax)
    if tell is not None:
        tell(p, ax)


# tables -------------------------------------------------------------------------------------------


def _decided(decided: pd.DataFrame, fdr: float, *, bayesian: bool) -> Table:
    shown = decided.head(MOST_PAIRS)
    columns = ["first", "second", "statement"]
    figures = ["probability", "running_fdr"] if bayesian else ["pvalue", "adjusted"]
    names = shown[columns].astype(str).to_numpy().tolist()
    asserted = shown["asserted"].tolist()
    body = [
        [*name, *row, "asserted" if yes else "open"]
        for name, row, yes in zip(names, rows(shown[figures], [fdr]), asserted, strict=True)
    ]
    all_heads = [*columns, *heads(shown[figures]), "decision"]
    more = max(0, len(decided) - MOST_PAIRS)
    return Table("Decisions, the surest pair first", all_heads, body, 3, more, marked=asserted)


def _shaded(p: Pairwise) -> Shaded | None:
    """The matrix as a table, unless it is too large for one; the picture has it anyway."""
    names = p.results.algorithms
    if len(names) > _MOST_COLUMNS:
        return None
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets = datasets_words(p)
    body = [
        (name, [_cell(p, values, best, level, datasets, i, j) for j in range(len(names))])
        for i, name in enumerate(names)
    ]
    title = "p-value of each pair"
    if p.method.directed:
        title = "one-sided p-value of “row dominates column”"
    if p.bayesian:
        title = "P(row better than column on every measure is the most probable statement)"
        if p.method.one_measure:
            title = "P(row better than column on most datasets)"
        if p.method.one_question:
            title = "P(row dominates column)"
    return Shaded(title, names, body, _shades(bayesian=p.bayesian))


def _cell(
    p: Pairwise,
    values: Any,
    best: Any,
    level: Any,
    datasets: Mapping[frozenset[str], str],
    i: int,
    j: int,
) -> tuple[Cell, int]:
    value = float(values[i, j])
    if math.isnan(value):
        return Cell.of(""), -1
    names, sign = p.results.algorithms, "P" if p.bayesian else "p"
    equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
    hover = (
        f"{names[i]} against {names[j]}: {equation(value, sign)}; leading is {best[i, j]} "
        f"({equation(float(level[i, j]), sign)}); {datasets[frozenset((names[i], names[j]))]}"
    )
    text = numbers.probability(value) if p.bayesian else numbers.pvalue(value)
    return Cell.of(text, value, hover), round(value * _SHADES)


def _shades(*, bayesian: bool) -> list[tuple[str, str]]:
    """Background and text colour of every shade, those of the heat map."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    found = colormaps[COLOURS[bayesian]](np.linspace(0.0, 1.0, _SHADES + 1))
    return [(to_hex(rgba), readable(np.asarray(rgba))) for rgba in found]


# sensitivity and diagnostics ----------------------------------------------------------------------


def _sensitivity(p: Pairwise, fdr: float) -> Section:
    """What would be asserted at other error rates, and with priors of other weight."""
    total = len(p.comparisons)
    rates = sorted({0.01, 0.05, 0.1, 0.2, fdr})
    counts = [[numbers.percent_setting(rate), _asserted(p, rate)] for rate in rates]
    marked = [rate == fdr for rate in rates]
    head = "expected share false, at most" if p.bayesian else "chance of any false, at most"
    title = f"Asserted of {total} at other error rates"
    tables = [Table(title, [head, "asserted"], counts, marked=marked)]
    option = _WEIGHT.get(p.method.name)
    if option is not None and not p.method.samples and total <= _MOST_ASKED:
        with suppress(BayescompareError):  # a prior that fixes its parameters has no weight
            tables.append(_by_weight(p, option, fdr))
    return Section("Sensitivity", tables=tables)


def _asserted(p: Pairwise, fdr: float) -> Cell:
    found = int(p.decide(fdr=fdr)["asserted"].sum())
    return Cell.of(str(found), found)


def _by_weight(p: Pairwise, option: str, fdr: float) -> Table:
    own = float(getattr(p.method, option))
    before = _claims(p, fdr)
    body: list[list[str]] = []
    for factor in (0.1, 0.5, 1.0, 2.0, 10.0):
        weighed = p if factor == 1.0 else _weighed(p, option, factor * own)
        claims = _claims(weighed, fdr)
        body.append(
            [
                numbers.setting(factor * own),
                Cell.of(str(len(claims)), len(claims)),
                Cell.of(str(len(claims - before)), len(claims - before)),
                Cell.of(str(len(before - claims)), len(before - claims)),
            ]
        )
    all_heads = [option, "asserted", "of these new", "no longer asserted"]
    title = "Asserted with a prior of other weight"
    return Table(title, all_heads, body, marked=[row == 2 for row in range(len(body))])


def _weighed(p: Pairwise, option: str, value: float) -> Pairwise:
    method, sampling = replace(p.method, **{option: value}), Sampling(np.random.default_rng(0), 0)
    found = [
        comparison_of(c.results, method, method.answer(c.results, sampling)) for c in p.comparisons
    ]
    return Pairwise(p.results, method, tuple(found), p.reference)


def _claims(p: Pairwise, fdr: float) -> set[str]:
    decided = p.decide(fdr=fdr)
    return set(decided.loc[decided["asserted"], "statement"])


def _diagnostics(p: Pairwise) -> Section:
    """One verdict where all pairs have it, else the pairs found wanting."""
    if len({id(c.answer.tree) for c in p.comparisons}) == 1:  # no tree at all, or one for all
        return diagnosed(min(p.comparisons, key=lambda c: c.exact).diagnose())
    found = {" and ".join(c.results.algorithms): c.diagnose() for c in p.comparisons}
    wanting = [[pair, one.verdict] for pair, one in found.items() if not one.ok]
    if not wanting:
        return Section("Diagnostics", words=["The sampling of every pair is sound."])
    table = Table("Pairs whose sampling is in doubt", ["pair", "verdict"], wanting, text=2)
    words = [f"{plural(len(wanting), 'pair')} in doubt."]
    return Section("Diagnostics", words=words, tables=[table])
