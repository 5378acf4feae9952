"""The report of one comparison."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.comparison.claims import PARTS_TITLE, claim_in_quotes, printed_parts
from bayescompare.comparison.decision import SETTLED
from bayescompare.comparison.diagnosis import LIMITS
from bayescompare.comparison.lever import POWER
from bayescompare.comparison.pairwise_facts import data_words, taken_for_granted
from bayescompare.comparison.power_scaling import POWER_SCALING
from bayescompare.plots.critical import plot_ranks
from bayescompare.plots.curves import plot_growth, plot_sensitivity
from bayescompare.plots.network import plot_network
from bayescompare.plots.order import plot_relation
from bayescompare.plots.shrinkage import plot_shrinkage
from bayescompare.plots.statements import has_simplex, plot_simplex, plot_statements
from bayescompare.report.citations import citation_keys, report_method_section
from bayescompare.report.data import data_section, page_title
from bayescompare.report.effects import effect_tables
from bayescompare.report.live import live_comparison
from bayescompare.report.network import (
    report_component_table,
    report_edge_table,
    report_graph_words,
)
from bayescompare.report.page import Page, PageSection, Picture, diagnostics_section
from bayescompare.report.provenance import provenance_python_call, provenance_section
from bayescompare.report.tables import (
    MOST_ROWS,
    ReportTableCell,
    Table,
    frame_table,
    report_probability_cell,
    report_table_heads,
    report_table_rows,
)
from bayescompare.report.tooltips import bar_tooltips, dataset_tooltips
from bayescompare.text.numbers import (
    probability_words,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import COLUMN_TITLES, join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.comparison import Comparison

__all__ = ["comparison_page"]

_QUESTIONS = {
    "most probable": "P(its θ is the largest)",
    "beats opposite": "P(its θ exceeds that of the statement with every ordering reversed)",
    "majority": "P(its θ is above one half)",
    "expected": "its expected θ: the probability that it holds on a new dataset",
}

#: Beyond this many statements the answer at 21 prior weights takes too long for a page.
_MOST_STATEMENTS = 5000
#: Fewer weights for a network, whose answer takes a third of a second.
_FEW = np.geomspace(0.1, 10.0, 9).tolist()


def comparison_page(c: Comparison, command: str | None = None) -> Page:
    """Return the page of a comparison."""
    # Friedman's test is not about the order of mean ranks; the ranks themselves have a table.
    statements = [] if "ranks" in c.method.provides else [_comparison_page_summary(c)]
    tables = [*statements, *_comparison_page_questions(c), *_comparison_page_network_tables(c)]
    parts = printed_parts(c.decision)
    tables += [frame_table(PARTS_TITLE, parts)] if len(parts) else []
    tables += [*effect_tables(c), *(frame_table(title, f) for title, f in c.tables.items())]
    first, *others = _comparison_page_pictures(c)
    sections = [
        *([PageSection("Figures", pictures=others)] if others else []),
        PageSection("Tables", tables=tables),
        *_comparison_page_sensitivity(c),
        _comparison_page_diagnostics(c),
        data_section(c.results),
        report_method_section(c.method, c.results, c.answer, gaps=c.results.gaps),
        provenance_section(
            c.method,
            [c],
            command or _comparison_page_call(c),
            report_graph_words(c) if "network" in c.method.provides else {},
        ),
    ]
    return Page(
        title=page_title(c.results),
        verdict=c.headline(),
        words=c.explain(),
        sections=sections,
        citations=citation_keys(c.method),
        facts={
            **({"Careful": " ".join(c.caveats)} if c.caveats else {}),
            "Data": data_words(c.results),
            "Assumption": taken_for_granted(c.method, c.results),
        },
        picture=first,
        live=live_comparison(c),
        table=tables[0] if tables else None,
        names=c.results.algorithms,
    )


def _comparison_page_call(c: Comparison) -> str:
    names = list(c.results.algorithms)
    if getattr(c.method, "learned", None) is not None:
        # This is one of the pairs from which its prior was learned.
        return f"{provenance_python_call('pairwise', c.method, c.results, {})}{names}.report(...)"
    options = {"algorithms": names, "missing": c.results.gaps, "rng": c.answer.seed}
    return f"{provenance_python_call('compare', c.method, c.results, options)}.report(...)"


# figures ------------------------------------------------------------------------------------------


def _comparison_page_pictures(c: Comparison) -> list[Picture]:
    shown = [_comparison_page_first_picture(c)]
    words, provides = c.headline(), c.method.provides
    if has_simplex(c) and "draws" in provides:
        draw = partial(_draw_on_comparison_page, partial(plot_simplex, draws=1000), c)
        shown.append(Picture("Posterior", draw, "x", words))
    if "network" in provides:
        draw = partial(_draw_on_comparison_page, plot_network, c)
        graph = "the graph of measures that win together"
        shown.append(Picture("Network", draw, "n", graph))
    if "thresholds" in provides and len(c.results.algorithms) > 2:
        draw = partial(_draw_on_comparison_page, plot_growth, c)
        shown.append(Picture("Growth", draw, "g", "order by δ"))
    if "per_dataset" in provides:
        draw = partial(_draw_comparison_page_tooltips, plot_shrinkage, dataset_tooltips, c)
        shown.append(Picture("Datasets", draw, "d", "every dataset"))
    return shown


def _comparison_page_first_picture(c: Comparison) -> Picture:
    words = c.headline()
    if "ranks" in c.method.provides:
        return Picture(
            "Mean ranks",
            partial(_draw_on_comparison_page, plot_ranks, c),
            "s",
            words,
        )
    if "relation" in c.method.provides and len(c.results.algorithms) > 2:
        draw = partial(_draw_on_comparison_page, plot_relation, c)
        return Picture("Who dominates whom", draw, "s", words)
    draw = partial(_draw_comparison_page_tooltips, plot_statements, bar_tooltips, c)
    return Picture("Statements", draw, "s", words)


def _draw_on_comparison_page(plot: Any, thing: Comparison, ax: Any) -> None:
    plot(thing, ax=ax)


def _draw_comparison_page_tooltips(
    plot: Any, add_tooltips: Any, thing: Comparison, ax: Any
) -> None:
    add_tooltips(thing, plot(thing, ax=ax))


# tables -------------------------------------------------------------------------------------------


def _comparison_page_summary(c: Comparison) -> Table:
    title = "Statements, the most probable first"
    if c.answer.probability is None:
        title = "Statements, the most frequent first"
    if c.answer.tested is not None:
        title = "Statements"
    table = c.summary()
    if table.index.name != "statement":
        return frame_table("Pairs", table)
    statements = [str(label) for label in table.index[:MOST_ROWS]]
    figures = report_table_rows(table.head(MOST_ROWS))
    return Table(
        title,
        [
            "statement",
            *report_table_heads(table.rename(columns={"pvalue": COLUMN_TITLES["pvalue"]})),
        ],
        [[label, *row] for label, row in zip(statements, figures, strict=True)],
        more=max(0, len(table) - MOST_ROWS),
        marked=[label == c.best for label in statements],
    )


def _comparison_page_questions(c: Comparison) -> list[Table]:
    if "questions" not in c.method.provides:
        return []
    body = [
        [
            str(name),
            ReportTableCell.of("not defined") if math.isnan(p) else report_probability_cell(p),
            _QUESTIONS.get(str(name), ""),
        ]
        for name, p in dict(c.questions).items()
    ]
    title = f"Questions about the statement that {c.method.claim(c.results, c.best)}"
    return [Table(title, ["question", "answer", "meaning"], body, text=3)]


def _comparison_page_network_tables(c: Comparison) -> list[Table]:
    if "network" not in c.method.provides:
        return []
    return [report_component_table(c), *report_edge_table(c, MOST_ROWS)]


# sensitivity and diagnostics ----------------------------------------------------------------------


def _comparison_page_sensitivity(c: Comparison) -> list[PageSection]:
    """Return how the answer changes with the weight of the prior, if that is quick."""
    if c.answer.n_statements > _MOST_STATEMENTS:
        return []
    try:
        table = c.sensitivity(_FEW if "network" in c.method.provides else None)
    except BayescompareError:
        return []  # a method without such a weight, or draws that cannot be reweighted
    if len(table) < 2:
        return []  # no other prior is near enough to the draws
    draw = partial(_draw_comparison_page_table, table)
    picture = Picture("Weight of the prior", draw, "w", "P by the weight of the prior")
    words = [_comparison_page_sensitivity_words(c, table), *_comparison_page_scaling_words(table)]
    return [PageSection("Sensitivity", words=words, pictures=[picture])]


def _draw_comparison_page_table(table: pd.DataFrame, ax: Any) -> None:
    plot_sensitivity(table, ax=ax)


def _comparison_page_sensitivity_words(c: Comparison, table: pd.DataFrame) -> str:
    at, p = table.index.to_numpy(dtype=float), table[c.best].to_numpy(dtype=float)
    leads = bool((table.max(axis=1).to_numpy() <= p + 1e-12).all())
    varied = "the prior's density to the power" if table.index.name == POWER else table.index.name
    start = (
        f"With {varied} from {_comparison_page_weight(at[0])} to "
        f"{_comparison_page_weight(at[-1])} the probability of "
        f"{claim_in_quotes(c.method.claim(c.results, c.best))} runs from "
        f"{probability_words(float(p[0]))} to {probability_words(float(p[-1]))}"
    )
    lead = "it leads throughout" if leads else "it does not lead throughout"
    settled, level = p >= SETTLED, setting_number_text(SETTLED)
    if settled.all():
        verdict = f"and reaches {level} throughout"
    elif not settled.any():
        verdict = f"and reaches {level} nowhere"
    else:
        inside = at[settled]
        low, high = (_comparison_page_weight(edge) for edge in (inside.min(), inside.max()))
        verdict = f"and reaches {level} from {low} to {high}"
    return f"{start}; {lead} {verdict}."


def _comparison_page_scaling_words(table: pd.DataFrame) -> list[str]:
    """Say that draws were reweighted, how exactly, and which powers that does not reach."""
    if table.attrs.get("how") != POWER_SCALING:
        return []
    most = statistic_number_text(max(table.attrs["mcse"]), significant=2)
    words = (
        "This is by power scaling: the draws are reweighted, not sampled again (standard error at "
        f"most {most})."
    )
    if table.attrs["left_out"]:
        powers = join_names([_comparison_page_weight(power) for power in table.attrs["left_out"]])
        words += f" Powers {powers} are too far from the draws."
    return [words]


def _comparison_page_weight(value: float) -> str:
    return statistic_number_text(value, significant=3)


def _comparison_page_diagnostics(c: Comparison) -> PageSection:
    diagnosis = c.diagnose()
    title = "Every variable of the posterior"
    table = diagnosis.table.rename_axis("variable")
    tables = [] if table.empty else [frame_table(title, table, MOST_ROWS, LIMITS)]
    return diagnostics_section(diagnosis, tables)
