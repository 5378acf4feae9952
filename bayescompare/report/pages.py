"""The page of each result: which pictures, tables and words it has, in which order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.criticism import POWER_SCALING
from bayescompare.outcome.decision import SETTLED
from bayescompare.outcome.diagnosis import LIMITS
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, Rule
from bayescompare.outcome.words import comparison_block, say
from bayescompare.plots.critical import critical_pen, ranks_pen
from bayescompare.plots.curves import sensitivity_pen
from bayescompare.plots.kinds import KINDS, usual_kind
from bayescompare.plots.orders import network_pen, order_graph, order_pen
from bayescompare.plots.pairs import staircase_pen
from bayescompare.plots.points import has_simplex
from bayescompare.plots.rows import gate_pen, places_pen, shrinkage_pen
from bayescompare.plots.statements import statements_pen
from bayescompare.prior import POWER
from bayescompare.ranking.gate import Gate
from bayescompare.ranking.ranking import Ranking
from bayescompare.ranking.words import gate_block, ranking_block
from bayescompare.report.blocks import (
    bibtex,
    citation_keys,
    cited_aside,
    data_section,
    diagnostics_section,
    made_section,
    method_section,
    page_title,
    pairs_title,
    provenance_section,
    python_call,
)
from bayescompare.report.page import (
    MOST_PAIRS,
    MOST_ROWS,
    Page,
    Picture,
    Section,
    Table,
    frame_table,
)
from bayescompare.report.tables import (
    comparison_tables,
    decisions_table,
    effect_tables,
    front_tables,
    gate_table,
    learned_tables,
    other_rules,
    pair_groups,
    place_tables,
    standings_table,
)
from bayescompare.text.numbers import (
    log_evidence_text,
    percent_setting,
    plural,
    probability_words,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.table.cells import Reading


def _plotted(thing: object, kind: str, title: str, name: str, words: str, **how: Any) -> Picture:
    """Return the plot of a kind as a picture of a page."""

    def draw(figure: Any) -> None:
        KINDS[type(thing)][kind].draw(thing, ax=figure, **how)

    return Picture(title, draw, name, words)


# one comparison -----------------------------------------------------------------------------------

#: Beyond this many statements the answer at 21 prior weights takes too long for a page.
_MOST_STATEMENTS = 5000
#: Fewer weights for a network, whose answer takes a third of a second.
_FEW = np.geomspace(0.1, 10.0, 9).tolist()

#: Title of the first figure by its kind.
_FIRST = {"statements": "Statements", "ranks": "Mean ranks", "relation": "Who dominates whom"}


def comparison_page(c: Comparison, command: str | None = None) -> Page:
    """Return the page of a comparison."""
    has = set(dir(c))
    graph = {}
    if "network" in has:
        details: Any = c.answer.facts
        graph = {
            "graph": f"log BDeu = {log_evidence_text(details.log_bdeu)}",
            "max_parents": f"at most {details.max_parents} per measure",
        }
    tables = comparison_tables(c)
    first, *others = _pictures(c, has)
    sections = [
        *([Section("Figures", pictures=others)] if others else []),
        Section("Tables", tables=tables),
        *sensitivity_sections(c, few="network" in has),
        _diagnostics(c),
        data_section(c.results),
        method_section(c.method, c.results, c.answer, gaps=c.results.gaps),
        provenance_section(c.method, [c], command or _call(c), graph),
    ]
    return Page(
        title=page_title(c.results),
        block=comparison_block(c),
        words=c.explain(),
        sections=sections,
        citations=citation_keys(c.method),
        picture=first,
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


def _pictures(c: Comparison, has: set[str]) -> list[Picture]:
    words, kind = c.headline(), usual_kind(c)
    shown = [_plotted(c, kind, _FIRST[kind], "s", words)]
    if kind == "statements":
        shown = [Picture.of(_FIRST[kind], "s", partial(statements_pen, c))]
    elif kind == "ranks":
        shown = [Picture.of(_FIRST[kind], "s", partial(ranks_pen, c))]
    elif kind == "relation":
        shown = [Picture.of(_FIRST[kind], "s", partial(order_pen, c.order(), "dominance"))]
    tree = c.answer.tree
    drawn = "draws" in has if tree is None else "theta" in tree["posterior"]
    if has_simplex(c) and drawn:
        shown.append(_plotted(c, "simplex", "Posterior", "x", words, draws=1000))
    if "network" in has:
        shown.append(Picture.of("Network", "n", partial(network_pen, c)))
    if "thresholds" in has and len(c.results.algorithms) > 2:
        shown.append(_plotted(c, "growth", "Growth", "g", "order by δ"))
    if "per_dataset" in has:
        shown.append(Picture.of("Datasets", "d", partial(shrinkage_pen, c)))
    return shown


def sensitivity_sections(c: Comparison, *, few: bool) -> list[Section]:
    """Return how the answer changes with the prior's weight and the ropes, if that is quick."""
    if c.answer.n_statements > _MOST_STATEMENTS:
        return []
    words: list[str] = []
    tables: dict[str, pd.DataFrame] = {}
    try:
        table = c.sensitivity(_FEW if few else None)
    except BayescompareError:
        table = None  # a method without such a weight, or draws that cannot be reweighted
    if table is not None and len(table) > 1:  # else no other prior is near enough to the draws
        tables["Weight of the prior"] = table
        words = [_sensitivity_words(c, table), *_scaling_words(table)]
    results, learned = c.results, getattr(c.method, "learned", None)
    quick = c.exact and c.posterior.theta is not None and results.n_replicates is None
    if quick and learned is None and "rope_sensitivity" in dir(c):
        with suppress(BayescompareError):  # a prior that names the statements of these ropes
            tables |= {f"Rope on {name}": c.rope_sensitivity(name) for name in results.measures}
    pictures = [
        Picture.of(title, f"w{k}", partial(sensitivity_pen, table), small=True)
        for k, (title, table) in enumerate(tables.items())
    ]
    return [Section("Sensitivity", words=words, pictures=pictures)] if pictures else []


def _sensitivity_words(c: Comparison, table: pd.DataFrame) -> str:
    at, p = table.index.to_numpy(dtype=float), table[c.best].to_numpy(dtype=float)
    leads = bool((table.max(axis=1).to_numpy() <= p + 1e-12).all())
    power, settled = table.index.name == POWER, p >= SETTLED
    reached = "throughout" if settled.all() else "nowhere"
    if settled.any() and not settled.all():
        reached = f"from {_weight(at[settled].min())} to {_weight(at[settled].max())}"
    return say(
        "sensitivity",
        varied="the prior's density to the power" if power else table.index.name,
        **{"low": _weight(at[0]), "high": _weight(at[-1]), "claim": c.posterior.claim(c.best)},
        **{"p": probability_words(float(p[0])), "q": probability_words(float(p[-1]))},
        leads="leads" if leads else "does not lead",
        level=setting_number_text(SETTLED),
        reached=reached,
    )


def _scaling_words(table: pd.DataFrame) -> Iterator[str]:
    """Say that draws were reweighted, how exactly, and which powers that does not reach."""
    if table.attrs.get("how") == POWER_SCALING:
        yield say("scaled", p=statistic_number_text(max(table.attrs["mcse"]), significant=2))
        if left_out := table.attrs["left_out"]:
            yield say("scaledout", list=[_weight(power) for power in left_out])


def _weight(value: float) -> str:
    return statistic_number_text(value, significant=3)


# all pairs ----------------------------------------------------------------------------------------

#: Up to so many algorithms the orders are drawn, and the ranks; and measures that have their own.
_MOST_ORDERED, _MOST_RANKED, _MOST_MEASURES = 12, 20, 6
#: Pairs whose effect sizes are listed.
_MOST_EFFECTS = 12


def pairwise_page(p: Pairwise, rule: Rule, command: str | None = None) -> Page:
    """Return the page of all pairs."""
    decided = p.decided(rule)
    verdicts = p.decision if rule == Rule() else PairVerdicts(p, rule)
    held = decided[decided["asserted"]]
    shown = itertools.islice(zip(held["first"], held["second"], strict=True), _MOST_EFFECTS)
    named = [pair for pair in shown if pair in p]
    first, *others = _pictures_of_pairs(p, verdicts, rule)
    decisions = decisions_table(p, decided, rule)
    # How the pairs that keep missing cells read them.
    gaps = next((c.results.gaps for c in p.examples if c.results.gaps is not None), None)
    method = method_section(
        p.comparisons[0].method,
        p.results,
        None,
        rule=rule,
        learned=p.learned,
        reference=p.reference,
        fewest=int(p.figures.datasets.min()),
        gaps=gaps,
    )
    chosen = [f"{name} = {setting_number_text(value)}" for name, value in rule.options.items()]
    call = command or _call_of_pairs(p, rule, gaps)
    page = Page(
        title=pairs_title(p.results, against=p.reference),
        block=pairs_block(p, rule),
        words=p.explained(rule),
        sections=[
            Section("Where each stands", tables=[standings_table(verdicts)]),
            Section("Orders and ranks", pictures=others),
            Section("Every pair", tables=pair_groups(p, verdicts)),
            Section("How sure", tables=[decisions]),
            Section("How large", tables=effect_tables(p, named) if named else []),
            *([] if p.learned is None else [Section("Learned prior", tables=learned_tables(p))]),
            Section("Other rules", tables=[other_rules(p, rule)]),
            _diagnostics_of_pairs(p),
            data_section(p.results),
            method,
            provenance_section(p.method, p.examples, call, {"rule": ", ".join(chosen)}),
        ],
        citations=citation_keys(p.method, rule=rule),
        picture=first,
        reading=_reading_of_pairs(p),
        table=decisions,
        names=p.results.algorithms,
    )
    return page.with_short_names()


def _call_of_pairs(p: Pairwise, rule: Rule, gaps: Reading | None) -> str:
    seeds = {c.answer.seed for c in p.examples if not c.exact}
    options: dict[str, Any] = {"reference": p.reference}
    options["rng"] = seeds.pop() if len(seeds) == 1 else None
    lost = p.figures.datasets.min() < len(p.results.datasets)
    options["missing"] = "drop" if gaps is None and lost else gaps
    chosen = [f"{name}={setting_number_text(value)}" for name, value in rule.options.items()]
    call = python_call("pairwise", p.results, options, method=p.method)
    return f"{call}.report({', '.join(['...', *chosen])})"


def _pictures_of_pairs(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> list[Picture]:
    """Return the pictures; the first is the staircase of all pairs."""
    number, measures = len(p.results.algorithms), p.results.measures
    staircase = partial(staircase_pen, p, verdicts, list(verdicts.names))
    shown = [Picture.of("Who is better than whom, by place", "d", staircase)]
    orders: list[str | None] = [None]
    if len(measures) > 1 and len(verdicts.parts):
        orders += measures[:_MOST_MEASURES]
    for k, measure in enumerate(orders if 2 < number <= _MOST_ORDERED else []):
        graph = order_graph(p, verdicts, measure)
        title = "on every measure" if measure is None else f"on {measure}"
        pen = partial(order_pen, graph, title)
        shown.append(Picture.of(f"Order {title}", f"o{k}", pen, small=True))
    ranked: Sequence[str | None] = ()
    if 3 <= number <= _MOST_RANKED and len(measures) <= _MOST_MEASURES:
        ranked = (None,) if p.bayesian and p.method.scope.question else measures
    for k, measure in enumerate(ranked):
        pen = partial(critical_pen, p, measure=measure, rule=rule)
        ranks = Picture.of(f"Ranks on {measure or 'all measures'}, joined where open", f"k{k}", pen)
        shown.append(replace(ranks, for_paper=True))
    return shown


def _diagnostics_of_pairs(p: Pairwise) -> Section:
    """Return one verdict if it holds for all pairs, else the doubtful pairs."""
    if len({id(c.answer.tree) for c in p.examples}) == 1:  # no tree at all, or one for all
        return diagnostics_section(min(p.examples, key=lambda c: c.exact).diagnose())
    diagnoses = {" and ".join(c.results.algorithms): c.diagnose() for c in p.comparisons}
    wanting = [[pair, one.verdict] for pair, one in diagnoses.items() if not one.ok]
    if not wanting:
        return Section("Diagnostics", words=["The sampling of every pair is sound."])
    table = Table("Pairs whose sampling is in doubt", ["pair", "verdict"], wanting, text=2)
    return Section(
        "Diagnostics", words=[f"{plural(len(wanting), 'pair')} in doubt."], tables=[table]
    )


def _reading_of_pairs(p: Pairwise) -> list[str]:
    """Say what the terms of the page mean, a sentence for each."""
    figure = "readpvalue"
    if p.bayesian:
        figure = "readdominates" if p.method.scope.question else "readp"
    names = ("readtriangle", "readplaces", "readleads", "readopen", figure, "readcircle")
    return [say(name) for name in names]


# a ranking and a gate -----------------------------------------------------------------------------

#: What both of them rest on, unless strengths are estimated.
_BOOTSTRAP = "rubin1981bootstrap"


def ranking_page(r: Ranking, command: str | None = None) -> Page:
    """Return the page of a ranking."""
    places, options, measures = place_tables(r), r.options.to_dict(), r.results.measures
    given = {name: options[name] for name in ("by", "utility", "level", "draws")}
    call = python_call("rank", r.results, {**given, "rng": options["seed"]})
    sections = [Section("Places", tables=places)]
    if front := front_tables(r):
        words = f"each algorithm in {measures[0]} and {measures[1]}"
        picture = _plotted(r, "front", f"{measures[1]} against {measures[0]}", "f", words)
        sections.append(Section("The front", tables=front, pictures=[picture]))
    utility = r.options.utility
    if len(measures) in (2, 3) and utility is not None and utility.kind != "given":
        picture = _plotted(r, "weights", "Best by weights", "w", "who is best by weights")
        sections.append(Section("Weights", pictures=[picture]))
    cited = [] if r.options.by == "strength" else [_BOOTSTRAP]
    page = Page(
        title=pairs_title(r.results),
        block=ranking_block(r),
        words=r.explain(),
        sections=[
            *sections,
            data_section(r.results),
            Section("Method", words=_method_of_ranking(r), code={"BibTeX": bibtex(cited)}),
            made_section(
                r.results,
                {
                    "options": ", ".join(f"{k} = {v}" for k, v in options.items() if v is not None),
                    "exactness": "Monte Carlo: the standard error of every P is in .places and "
                    ".front",
                    "seed": str(r.options.seed),
                },
                command or f"{call}.report(...)",
            ),
        ],
        citations=cited,
        picture=Picture.of("Places", "p", partial(places_pen, r, most=MOST_PAIRS)),
        reading=_reading_of_ranking(r),
        table=places[0],
        names=r.results.algorithms,
    )
    return page.with_short_names()


def _reading_of_ranking(r: Ranking) -> list[str]:
    names = ["readplace", "readinterval", "readbest", f"readby{r.options.by}"]
    names += ["readfront"] if len(r.results.measures) > 1 else []
    names += ["readregret"] if r.answer.overall is not None else []
    level = percent_setting(r.options.level)
    return [say(name, noun=r.answer.noun, level=level) for name in names]


def _method_of_ranking(r: Ranking) -> list[str]:
    by = r.options.by
    facts = {
        "l": plural(len(r.results.algorithms), "algorithm"),
        **{"ms": r.results.measures, "n": plural(r.answer.n, r.answer.noun), "noun": r.answer.noun},
        "by": {"rank": "mean rank", "value": "mean value"}.get(by, by),
        "utility": "" if r.options.utility is None else f", and {r.options.utility.words()}",
        **{"cited": cited_aside(_BOOTSTRAP), "draws": plural(r.options.draws, "draw")},
        "level": setting_number_text(r.options.level),
    }
    how = "rankedstrength" if by == "strength" else "rankedbootstrap"
    return [say(name, **facts) for name in ("ranked", how, "rankedlevel")]


def gate_page(g: Gate, command: str | None = None) -> Page:
    """Return the page of a gate."""
    options: Mapping[str, Any] = {
        **{"candidate": g.candidate, "baseline": g.baseline, "level": g.level, "over": g.over},
        "rng": g.seed,
    }
    call = f"{python_call('gate', g.results, options)}.report(...)"
    facts = {"exactness": "exact" if g.exact else "Monte Carlo: see mcse in the JSON"}
    if not g.exact:
        facts["seed"] = str(g.seed)
    how = say("gated", cited=cited_aside(_BOOTSTRAP))
    table = gate_table(g)
    return Page(
        title=f"{g.candidate} in place of {g.baseline} on {join_names(g.results.measures)}",
        block=gate_block(g),
        words=g.explain(),
        sections=[
            Section("Figures", tables=[table]),
            data_section(g.results),
            Section("Method", words=[how], code={"BibTeX": bibtex([_BOOTSTRAP])}),
            made_section(g.results, facts, command or call),
        ],
        citations=[_BOOTSTRAP],
        picture=Picture.of("Mean advantage", "g", partial(gate_pen, g)),
        table=table,
        names=g.results.algorithms,
    )
