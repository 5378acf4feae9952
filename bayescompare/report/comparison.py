"""The report of one comparison."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.outcome.claims import claim_in_quotes
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.decision import SETTLED
from bayescompare.outcome.diagnosis import LIMITS
from bayescompare.outcome.reweighting import POWER_SCALING
from bayescompare.outcome.words import comparison_block
from bayescompare.plots import plot_sensitivity
from bayescompare.plots.boards import order_pen
from bayescompare.plots.kinds import KINDS, usual_kind
from bayescompare.plots.network import graph_of, link_probability
from bayescompare.plots.statements import has_simplex, statements_pen
from bayescompare.prior import POWER
from bayescompare.report.blocks import (
    citation_keys,
    data_section,
    diagnostics_section,
    effect_tables,
    method_section,
    page_title,
    provenance_section,
    python_call,
)
from bayescompare.report.page import (
    MOST_ROWS,
    Cell,
    Page,
    Picture,
    Section,
    Table,
    figures_of,
    frame_table,
    heads_of,
)
from bayescompare.report.ropes import rope_sliders
from bayescompare.text.numbers import (
    log_evidence_text,
    probability_words,
    setting_number_text,
    standard_error_text,
    statistic_number_text,
)
from bayescompare.text.phrases import COLUMN_TITLES, join_names

if TYPE_CHECKING:
    import pandas as pd

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

#: Links outside the graph of a network are listed if they are at least this probable.
_LEAST = 0.05


def comparison_page(c: Comparison, command: str | None = None) -> Page:
    """Return the page of a comparison."""
    has, block = set(dir(c)), comparison_block(c)
    # Friedman's test is not about the order of mean ranks; the ranks themselves have a table.
    tables = [] if "ranks" in has else [_summary(c)]
    if "questions" in has:
        tables.append(_questions(c))
    graph = {}
    if "network" in has:
        tables += [_components(c), *_links(c)]
        details = graph_of(c, _LEAST).details
        graph = {
            "graph": f"log BDeu = {log_evidence_text(details.log_bdeu)}",
            "max_parents": f"at most {details.max_parents} per measure",
        }
    tables += [*effect_tables(c), *(frame_table(title, f) for title, f in c.tables.items())]
    first, *others = _pictures(c, has)
    call = command or _call(c)
    sections = [
        *([Section("Figures", pictures=others)] if others else []),
        Section("Tables", tables=tables),
        *_sensitivity(c, few="network" in has),
        _diagnostics(c),
        data_section(c.results),
        method_section(c.method, c.results, c.answer, gaps=c.results.gaps),
        provenance_section(c.method, [c], call, graph),
    ]
    return Page(
        title=page_title(c.results),
        block=block,
        words=c.explain(),
        sections=sections,
        citations=citation_keys(c.method),
        picture=first,
        ropes=rope_sliders(c),
        table=tables[0] if tables else None,
        names=c.results.algorithms,
    )


def _call(c: Comparison) -> str:
    names = list(c.results.algorithms)
    if getattr(c.method, "learned", None) is not None:
        # This is one of the pairs from which its prior was learned.
        return f"{python_call('pairwise', c.results, {}, method=c.method)}{names}.report(...)"
    options = {"algorithms": names, "missing": c.results.gaps, "rng": c.answer.seed}
    return f"{python_call('compare', c.results, options, method=c.method)}.report(...)"


def _diagnostics(c: Comparison) -> Section:
    diagnosis = c.diagnose()
    table = diagnosis.table.rename_axis("variable")
    every = frame_table("Every variable of the posterior", table, MOST_ROWS, LIMITS)
    return diagnostics_section(diagnosis, [] if table.empty else [every])


# figures ------------------------------------------------------------------------------------------

#: Title of the first figure by its kind.
_FIRST = {
    "statements": "Statements",
    "ranks": "Mean ranks",
    "relation": "Who dominates whom",
}


def _pictures(c: Comparison, has: set[str]) -> list[Picture]:
    def picture(title: str, kind: str, name: str, words: str, **options: Any) -> Picture:
        def draw(figure: Any) -> None:
            KINDS[Comparison][kind].draw(c, ax=figure, **options)

        return Picture(title, draw, name, words)

    words, kind = c.headline(), usual_kind(c)
    shown = [picture(_FIRST[kind], kind, "s", words)]
    if kind == "statements":
        shown = [Picture.of(_FIRST[kind], "s", partial(statements_pen, c))]
    elif kind == "relation":
        shown = [Picture.of(_FIRST[kind], "s", partial(order_pen, c.order(), "dominance"))]
    tree = c.answer.tree
    drawn = "draws" in has if tree is None else "theta" in tree["posterior"]
    if has_simplex(c) and drawn:
        shown.append(picture("Posterior", "simplex", "x", words, draws=1000))
    if "network" in has:
        shown.append(picture("Network", "network", "n", "the graph of measures that win together"))
    if "thresholds" in has and len(c.results.algorithms) > 2:
        shown.append(picture("Growth", "growth", "g", "order by δ"))
    if "per_dataset" in has:
        shown.append(picture("Datasets", "shrinkage", "d", "every dataset"))
    return shown


# tables -------------------------------------------------------------------------------------------


def _summary(c: Comparison) -> Table:
    title = "Statements, the most probable first"
    if c.answer.probability is None:
        title = "Statements, the most frequent first"
    if c.answer.tested is not None:
        title = "Statements"
    table = c.summary()
    if table.index.name != "statement":
        return frame_table("Pairs", table)
    shown = table.head(MOST_ROWS)
    statements = [str(label) for label in shown.index]
    heads = heads_of(shown.rename(columns={"pvalue": COLUMN_TITLES["pvalue"]}))
    return Table(
        title,
        ["statement", *heads],
        [[label, *row] for label, row in zip(statements, figures_of(shown), strict=True)],
        more=max(0, len(table) - MOST_ROWS),
        marked=[label == c.best for label in statements],
    )


def _questions(c: Comparison) -> Table:
    rows = [
        [
            str(name),
            Cell.of("not defined") if math.isnan(p) else Cell.probability(p),
            _QUESTIONS.get(str(name), ""),
        ]
        for name, p in dict(c.questions).items()
    ]
    title = f"Questions about the statement that {c.posterior.claim(c.best)}"
    return Table(title, ["question", "answer", "meaning"], rows, text=3)


def _components(c: Comparison) -> Table:
    """Return each independent group of measures with its best statement."""
    rows = [
        [
            join_names(part.measures, most=20),
            part.best,
            "exact" if part.exact else "Monte Carlo",
            Cell.probability(part.probability),
        ]
        for part in graph_of(c, _LEAST).details.components
    ]
    heads = ["group", "statement", "computed", "P(most probable)"]
    return Table("Independent groups of measures, each by itself", heads, rows, text=3)


def _links(c: Comparison) -> list[Table]:
    """Return the links in the graph and probable ones outside it, the most probable first."""
    names, graph = list(c.results.measures), graph_of(c, _LEAST)
    arrows = {(names.index(a), names.index(b)) for a, b in graph.details.edges}
    directed = graph.probability
    if directed is None:
        rows = [[names[i], "→", names[j]] for i, j in sorted(arrows)]
        title = "Arrows of the graph (without probabilities: too many measures)"
        return [Table(title, ["measure", "", "measure"], rows, text=3)] if rows else []
    values, linked = directed.to_numpy(), link_probability(directed)
    # Each pair has the direction of its arrow or, without one, the more probable direction.
    pairs = [
        (j, i)
        if (j, i) in arrows or ((i, j) not in arrows and values[j, i] > values[i, j])
        else (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    listed = [pair for pair in pairs if pair in arrows or linked[pair] >= _LEAST]
    listed.sort(key=lambda pair: -float(np.round(linked[pair], 12)))
    shown = [
        [
            names[i],
            "→" if (i, j) in arrows else "",
            names[j],
            *(Cell.probability(float(p)) for p in (linked[i, j], values[i, j], values[j, i])),
        ]
        for i, j in listed[:MOST_ROWS]
    ]
    heads = ["first", "in the graph", "second"]
    heads += ["P(linked)", "P(first → second)", "P(second → first)"]
    least = setting_number_text(_LEAST)
    title = f"Links over all graphs: those in the graph, and others with P(linked) ≥ {least}"
    if not directed.attrs["exact"]:
        error = standard_error_text(directed.attrs["mcse"])
        title += f" (graphs sampled, standard error at most {error})"
    more, marked = max(0, len(listed) - MOST_ROWS), [p in arrows for p in listed[:MOST_ROWS]]
    return [Table(title, heads, shown, 3, more, marked)]


# sensitivity --------------------------------------------------------------------------------------


def _sensitivity(c: Comparison, *, few: bool) -> list[Section]:
    """Return how the answer changes with the weight of the prior, if that is quick."""
    if c.answer.n_statements > _MOST_STATEMENTS:
        return []
    try:
        table = c.sensitivity(_FEW if few else None)
    except BayescompareError:
        return []  # a method without such a weight, or draws that cannot be reweighted
    if len(table) < 2:
        return []  # no other prior is near enough to the draws

    def draw(figure: Any) -> None:
        plot_sensitivity(table, ax=figure)

    picture = Picture("Weight of the prior", draw, "w", "P by the weight of the prior")
    words = [_sensitivity_words(c, table), *_scaling_words(table)]
    return [Section("Sensitivity", words=words, pictures=[picture])]


def _sensitivity_words(c: Comparison, table: pd.DataFrame) -> str:
    at, p = table.index.to_numpy(dtype=float), table[c.best].to_numpy(dtype=float)
    leads = bool((table.max(axis=1).to_numpy() <= p + 1e-12).all())
    varied = "the prior's density to the power" if table.index.name == POWER else table.index.name
    start = (
        f"With {varied} from {_weight(at[0])} to {_weight(at[-1])} the probability of "
        f"{claim_in_quotes(c.posterior.claim(c.best))} runs from "
        f"{probability_words(float(p[0]))} to {probability_words(float(p[-1]))}"
    )
    lead = "it leads throughout" if leads else "it does not lead throughout"
    settled, level = p >= SETTLED, setting_number_text(SETTLED)
    if settled.all():
        verdict = f"and reaches {level} throughout"
    elif not settled.any():
        verdict = f"and reaches {level} nowhere"
    else:
        low, high = _weight(at[settled].min()), _weight(at[settled].max())
        verdict = f"and reaches {level} from {low} to {high}"
    return f"{start}; {lead} {verdict}."


def _scaling_words(table: pd.DataFrame) -> list[str]:
    """Say that draws were reweighted, how exactly, and which powers that does not reach."""
    if table.attrs.get("how") != POWER_SCALING:
        return []
    most = statistic_number_text(max(table.attrs["mcse"]), significant=2)
    words = (
        "This is by power scaling: the draws are reweighted, not sampled again (standard error at "
        f"most {most})."
    )
    if table.attrs["left_out"]:
        powers = join_names([_weight(power) for power in table.attrs["left_out"]])
        words += f" Powers {powers} are too far from the draws."
    return [words]


def _weight(value: float) -> str:
    return statistic_number_text(value, significant=3)
