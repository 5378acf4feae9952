"""What stands in a report: the fields of a result brought into the template's shape."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._version import __version__
from bayescompare.comparison import Comparison
from bayescompare.methods.words import cell_text, number, plural
from bayescompare.pairs import Pairwise
from bayescompare.plots._drawing import short_probability
from bayescompare.plots.growth import growth_size, plot_growth
from bayescompare.plots.matrix import COLOURS, matrix_size, plot_matrix, readable
from bayescompare.plots.network import network_size, plot_network
from bayescompare.plots.order import order_size, plot_order
from bayescompare.plots.ranks import plot_ranks, ranks_size
from bayescompare.plots.relation import plot_relation, relation_size
from bayescompare.plots.shrinkage import plot_shrinkage, shrinkage_size
from bayescompare.plots.simplex import SIMPLEX_SIZE, has_simplex, plot_simplex
from bayescompare.plots.statements import plot_statements, statements_size
from bayescompare.report.network import component_table, edge_table, graph_words
from bayescompare.report.pictures import svg
from bayescompare.report.tables import Table

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup

    from bayescompare.methods.base import Method
    from bayescompare.results import Results

__all__ = ["render"]

#: What a page shows of the longest things; it says how much more there is.
_MOST_ROWS, _MOST_PAIRS, _MOST_NAMES, _MOST_COLUMNS = 50, 100, 60, 40

_SHADES = 10

#: Column of `summary()` or `decide()` → head of the column in the report.
_HEADS = {
    "count": "datasets",
    "probability": "P(most probable)",
    "mcse": "MCSE",
    "theta_mean": "θ mean",
    "theta_lower": "θ 2.5 %",
    "theta_upper": "θ 97.5 %",
    "lower": "P lower",
    "upper": "P upper",
    "opt": "opt",
    "share_below": "share below",
    "pvalue": "p-value",
    "adjusted": "p-value (Holm)",
    "running_fdr": "expected share false",
}

_QUESTIONS = {
    "most probable": "P(its θ is the largest)",
    "beats opposite": "P(its θ exceeds that of the statement with every ordering reversed)",
    "majority": "P(its θ is above one half)",
    "expected": "its expected θ: the probability that it holds on a new dataset",
}


@dataclass(frozen=True)
class Picture:
    """A plot and what it is called."""

    title: str
    svg: Markup


@dataclass(frozen=True)
class Shaded:
    """The matrix of all pairs: names, and rows of (text, shade); shade −1 is no value."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, int]]]]
    shades: Sequence[tuple[str, str]]


def render(thing: Comparison | Pairwise, *, fdr: float = 0.05) -> str:
    """Return the page as a string; `fdr` is about what a Pairwise asserts.

    Examples
    --------
    >>> import bayescompare as bc
    >>> render(bc.compare(bc.load_example("pnn"))).splitlines()[0]
    '<!doctype html>'
    """
    page = _page(thing, fdr)
    return str(_environment().get_template("report.html.j2").render(page))


def _page(thing: object, fdr: float) -> dict[str, Any]:
    if isinstance(thing, Comparison):
        return _comparison_page(thing)
    if isinstance(thing, Pairwise):
        return _pairwise_page(thing, fdr)
    raise BayescompareError(
        f"a {type(thing).__name__} has no report: give what compare() or pairwise() returned."
    )


def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("bayescompare", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


# one comparison ----------------------------------------------------------------------------------


def _comparison_page(c: Comparison) -> dict[str, Any]:
    return {
        "title": _title(c.results),
        "verdict": c.headline(),
        "words": c.explain(),
        "pictures": _comparison_pictures(c),
        "tables": [_summary(c), *_questions(c), *_network_tables(c), *_further(c)],
        "shaded": None,
        **_data(c.results),
        "made": {**_made(c.method), **_graph_words(c), **_exactness(c)},
    }


def _comparison_pictures(c: Comparison) -> list[Picture]:
    words = c.headline()
    shown = [_first_picture(c, words)]
    if has_simplex(c) and "draws" in c.method.provides:
        draw = partial(_draw, partial(plot_simplex, draws=1000), c)
        shown.append(Picture("Posterior", svg(draw, SIMPLEX_SIZE, name="x", words=words)))
    if "network" in c.method.provides:
        draw = partial(_draw, plot_network, c)
        told = "the graph of measures that win together"
        shown.append(Picture("Network", svg(draw, network_size(c), name="n", words=told)))
    if "thresholds" in c.method.provides and len(c.results.algorithms) > 2:
        draw = partial(_draw, plot_growth, c)
        shown.append(Picture("Growth", svg(draw, growth_size(c), name="g", words="order by δ")))
    if "per_dataset" in c.method.provides:
        draw, size = partial(_draw, plot_shrinkage, c), shrinkage_size(c)
        shown.append(Picture("Datasets", svg(draw, size, name="d", words="every dataset")))
    return shown


def _first_picture(c: Comparison, words: str) -> Picture:
    if "ranks" in c.method.provides:
        draw = partial(_draw, plot_ranks, c)
        return Picture("Mean ranks", svg(draw, ranks_size(c), name="s", words=words))
    if "relation" in c.method.provides and len(c.results.algorithms) > 2:
        draw = partial(_draw, plot_relation, c)
        return Picture("Who dominates whom", svg(draw, relation_size(c), name="s", words=words))
    draw = partial(_draw, plot_statements, c)
    return Picture("Statements", svg(draw, statements_size(c), name="s", words=words))


def _draw(plot: Any, thing: Comparison | Pairwise, ax: Any) -> None:
    plot(thing, ax=ax)


def _summary(c: Comparison) -> Table:
    title = "Statements, the most probable first"
    if c.answer.probability is None:
        title = "Statements, the most frequent first"
    if c.answer.lead is not None:
        title = "Statements"
    table = c.summary()
    if table.index.name != "statement":
        return _frame("Pairs", table)
    statements = [str(label) for label in table.index[:_MOST_ROWS]]
    rows = _rows(table.head(_MOST_ROWS))
    return Table(
        title,
        ["statement", *_heads(table)],
        [[label, *row] for label, row in zip(statements, rows, strict=True)],
        more=max(0, len(table) - _MOST_ROWS),
        marked=[label == c.best for label in statements],
    )


def _questions(c: Comparison) -> list[Table]:
    if "questions" not in c.method.provides:
        return []
    figures = dict(c.questions)
    rows = [
        [name, "not defined" if math.isnan(p) else short_probability(p), _QUESTIONS.get(name, "")]
        for name, p in figures.items()
    ]
    heads = ["question", "answer", "meaning"]
    return [Table(f"Questions about {c.best}", heads, rows, text=3)]


def _network_tables(c: Comparison) -> list[Table]:
    if "network" not in c.method.provides:
        return []
    return [component_table(c), *edge_table(c, _MOST_ROWS)]


def _further(c: Comparison) -> list[Table]:
    """The tables of one method only."""
    return [_frame(title, frame) for title, frame in c.tables.items()]


def _frame(title: str, frame: pd.DataFrame) -> Table:
    heads = [str(head) for head in frame.columns]
    shown = frame.head(_MOST_PAIRS).astype(object)
    rows = [
        [str(label), *(cell_text(head, value) for head, value in zip(heads, row, strict=True))]
        for label, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    more = max(0, len(frame) - _MOST_PAIRS)
    return Table(title, [str(frame.index.name), *heads], rows, more=more)


def _graph_words(c: Comparison) -> dict[str, str]:
    return graph_words(c) if "network" in c.method.provides else {}


def _exactness(c: Comparison) -> dict[str, str]:
    if c.exact:
        return {"exactness": "exact: the figures carry no Monte Carlo error"}
    seed = "a Generator" if c.answer.seed is None else str(c.answer.seed)
    if c.answer.mcse is None:
        return {"exactness": "p-value from random resamples", "seed": seed}
    told = {
        "exactness": f"Monte Carlo: standard error of P at most {c.answer.mcse.max():.2g}",
        "seed": "a Generator" if c.answer.seed is None else str(c.answer.seed),
    }
    return told if c.answer.tree is None else {**told, "diagnosis": str(c.diagnose())}


# all pairs ---------------------------------------------------------------------------------------


def _pairwise_page(p: Pairwise, fdr: float) -> dict[str, Any]:
    decided = p.decide(fdr=fdr)
    asserted = int(decided["asserted"].sum())
    rate = "the expected share of false ones" if p.bayesian else "the chance of any false one"
    pairs = plural(len(decided), "pair")
    verdict = f"{asserted} of {pairs} can be asserted so that {rate} is at most {100 * fdr:.3g} %"
    return {
        "title": _title(p.results, against=p.reference),
        "verdict": verdict,
        "words": p.explain(fdr=fdr),
        "pictures": _pairwise_pictures(p, verdict, fdr),
        "tables": [_decided(decided, bayesian=p.bayesian)],
        "shaded": _shaded(p),
        **_data(p.results),
        "made": {**_made(p.method), **_all_exactness(p)},
    }


def _pairwise_pictures(p: Pairwise, verdict: str, fdr: float) -> list[Picture]:
    heat = svg(partial(_draw, plot_matrix, p), matrix_size(p), name="m", words="heat map of pairs")
    draw = partial(_draw, partial(plot_order, fdr=fdr), p)
    order = svg(draw, order_size(p, fdr=fdr), name="o", words=verdict)
    return [Picture("Asserted order", order), Picture("All pairs", heat)]


def _decided(decided: pd.DataFrame, *, bayesian: bool) -> Table:
    shown = decided.head(_MOST_PAIRS)
    columns = ["first", "second", "statement"]
    figures = ["probability", "running_fdr"] if bayesian else ["pvalue", "adjusted"]
    names = shown[columns].astype(str).to_numpy().tolist()
    asserted = shown["asserted"].tolist()
    rows = [
        [*name, *row, "asserted" if yes else "open"]
        for name, row, yes in zip(names, _rows(shown[figures]), asserted, strict=True)
    ]
    heads = [*columns, *_heads(shown[figures]), "decision"]
    more = max(0, len(decided) - _MOST_PAIRS)
    return Table("Decisions, the surest pair first", heads, rows, 3, more, marked=asserted)


def _shaded(p: Pairwise) -> Shaded | None:
    """The matrix as a table, unless it is too large for one; the picture has it anyway."""
    names = p.results.algorithms
    if len(names) > _MOST_COLUMNS:
        return None
    values = p.matrix.values
    rows = [
        (name, [_cell(float(value), bayesian=p.bayesian) for value in row])
        for name, row in zip(names, values, strict=True)
    ]
    title = "p-value of each pair"
    if p.bayesian:
        title = "P(row better than column on every measure is the most probable statement)"
        if p.method.one_measure:
            title = "P(row better than column on most datasets)"
        if p.method.one_question:
            title = "P(row dominates column)"
    return Shaded(title, names, rows, _shades(bayesian=p.bayesian))


def _cell(value: float, *, bayesian: bool) -> tuple[str, int]:
    if math.isnan(value):
        return "", -1
    return short_probability(value) if bayesian else _pvalue(value), round(value * _SHADES)


def _shades(*, bayesian: bool) -> list[tuple[str, str]]:
    """Background and text colour of every shade, those of the heat map."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    found = colormaps[COLOURS[bayesian]](np.linspace(0.0, 1.0, _SHADES + 1))
    return [(to_hex(rgba), readable(np.asarray(rgba))) for rgba in found]


def _all_exactness(p: Pairwise) -> dict[str, str]:
    errors = [c.answer.mcse.max() for c in p.comparisons if c.answer.mcse is not None]
    if any(c.answer.sampled for c in p.comparisons):
        return {"exactness": "p-values from random resamples"}
    if not errors:
        return {"exactness": "exact: the figures carry no Monte Carlo error"}
    seeds = {c.answer.seed for c in p.comparisons}
    seed = seeds.pop() if len(seeds) == 1 else None
    return {
        "exactness": f"Monte Carlo: standard error of P at most {max(errors):.2g}",
        "seed": "a Generator" if seed is None else str(seed),
    }


# both --------------------------------------------------------------------------------------------


def _title(results: Results, *, against: str | None = None) -> str:
    names = [name for name in results.algorithms if name != against]
    joined = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    if len(names) == 2:
        joined = " and ".join(names)
    where = ", ".join(results.measures[:6]) + (", …" if len(results.measures) > 6 else "")
    return f"{joined}{f' against {against}' if against else ''} on {where}"


def _data(results: Results) -> dict[str, Any]:
    heads = ["measure", "better", "rope", "scale", "bounds", "unit"]
    measures = [_measure(results, name) for name in results.measures]
    return {
        "algorithms": _listed(results.algorithms),
        "datasets": _listed(results.datasets),
        "measures": Table("Measures", heads, measures, text=len(heads)),
        "source": results.source or "not given",
        "notes": list(results.notes),
    }


def _listed(names: Sequence[str]) -> str:
    """The names with their number in front."""
    rest = len(names) - _MOST_NAMES
    more = f" … and {rest} more" if rest > 0 else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"


def _measure(results: Results, name: str) -> list[str]:
    measure = results[name]
    low, high = measure.bounds or (None, None)
    bounds = f"{'' if low is None else f'{low:g}'} … {'' if high is None else f'{high:g}'}"
    return [
        name,
        "higher" if measure.direction == "max" else "lower",
        "none" if measure.rope is None else f"{measure.rope:g}",
        measure.scale,
        "none" if measure.bounds is None else bounds.strip(),
        measure.unit or "none",
    ]


def _made(method: Method) -> dict[str, str]:
    told = {"method": f"{method.name} ({method.kind}): {method.title}"}
    if method.reference:
        told["reference"] = method.reference
    options = _option_words(method.options())
    used = ("numpy", "scipy", *(("pymc", "arviz") if method.samples else ()), "matplotlib")
    packages = ", ".join(f"{name} {version(name)}" for name in used)
    return {
        **told,
        "options": options or "none",
        "versions": f"bayescompare {__version__}, Python {platform.python_version()}, {packages}",
    }


def _option_words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in options.items() if value is not None)


def _heads(table: pd.DataFrame) -> list[str]:
    return [_HEADS.get(str(name), str(name)) for name in table.columns]


def _rows(table: pd.DataFrame) -> Iterable[list[str]]:
    columns = [
        [_figure(str(name), float(value)) for value in table[name]] for name in table.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _figure(column: str, value: float) -> str:
    if math.isnan(value):
        return ""
    if column == "count":
        return number(value)
    if column in ("pvalue", "adjusted"):
        return _pvalue(value)
    if column == "opt":
        return f"{value:.4g}"
    if column == "mcse":
        return f"{value:.2g}"
    return short_probability(value) if 0.0 <= value <= 1.0 else f"{value:.4g}"


def _pvalue(value: float) -> str:
    return "<0.001" if value < 0.0005 else f"{value:.3f}"
