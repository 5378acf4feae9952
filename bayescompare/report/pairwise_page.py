"""The report of all pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.comparison.compose import comparison_of
from bayescompare.comparison.method import Sampling
from bayescompare.comparison.pairwise import Pairwise
from bayescompare.comparison.pairwise_facts import pairwise_facts
from bayescompare.comparison.pairwise_headline import pairwise_headline
from bayescompare.comparison.rule import Rule
from bayescompare.comparison.verdicts import PairVerdicts
from bayescompare.methods.context.learned_rate import LearnsWeight
from bayescompare.plots.critical import plot_critical
from bayescompare.plots.matrices import plot_dominance, plot_matrix
from bayescompare.plots.order import MOST_TRADES, plot_order
from bayescompare.report.citations import citation_keys, report_method_section
from bayescompare.report.data import data_section, pairs_title
from bayescompare.report.effects import effect_tables
from bayescompare.report.live import live_pairs
from bayescompare.report.page import Page, PageSection, Picture, diagnostics_section
from bayescompare.report.provenance import provenance_python_call, provenance_section
from bayescompare.report.reading import reading_words
from bayescompare.report.shades import SHADES, shade_colours
from bayescompare.report.short_names import with_short_names
from bayescompare.report.standings import decisions_table, standings_table
from bayescompare.report.tables import MOST_ROWS, ReportTableCell, ShadedReportCell, Table
from bayescompare.report.tooltips import cell_tooltips, datasets_tooltip_by_pair, leading_words
from bayescompare.text import numbers
from bayescompare.text.numbers import (
    format_probability,
    percent,
    plural,
    setting_number_text,
    statistic_number_text,
)

if TYPE_CHECKING:
    from bayescompare.table.cells import Reading

__all__ = ["pairwise_page"]

#: Up to so many algorithms there is a table of all pairs, an order, the signs of every pair, an
#: order that comes first; up to so many measures each has its ranks.
_MOST_COLUMNS, _MOST_ORDERED, _MOST_SIGNED, _MOST_PLAIN, _MOST_RANKED = 40, 40, 60, 12, 6

#: Up to this many algorithms have figures of ranks: each open pair is a mark in them.
_MOST_MARKED = 100

#: Up to this many pairs are compared again with priors of other weights.
_MOST_ASKED = 200


def pairwise_page(p: Pairwise, rule: Rule, command: str | None = None) -> Page:
    """Return the page of all pairs."""
    decided, verdicts = p.decided(rule), PairVerdicts.of(p, rule)
    # Rows and columns are by place, whatever the order of the table.
    sorted_ = replace(p, results=p.results.sel(algorithms=list(verdicts.names)))
    first, *others = _pairwise_page_pictures(sorted_, rule)
    shown = zip(decided["first"], decided["second"], strict=True)
    surest = [pair for pair in itertools.islice(shown, MOST_ROWS) if pair in p]
    pairs = [
        decisions_table(p, decided, rule, verdicts),
        *(effect_tables(p, surest) if surest else []),
    ]
    sections = [
        PageSection("Where each stands", tables=[standings_table(verdicts)]),
        PageSection("Pairs", shaded=_pairwise_page_shaded(sorted_), tables=pairs),
        *([PageSection("Figures", pictures=others)] if others else []),
        *(
            [PageSection("Learned prior", tables=_pairwise_page_learned_tables(p))]
            if p.learned is not None
            else []
        ),
        _pairwise_page_sensitivity(p, rule),
        _pairwise_page_diagnostics(p),
        data_section(sorted_.results),
        _method_section(p, rule),
        _provenance(p, rule, command),
    ]
    page = Page(
        title=pairs_title(p.results, against=p.reference),
        verdict=f"{pairwise_headline(verdicts, p.method)}.",
        words=p.explained(rule),
        sections=sections,
        citations=citation_keys(p.method, rule=rule),
        facts=pairwise_facts(p, verdicts, rule),
        picture=first,
        reading=reading_words(p, rule),
        live=live_pairs(p, verdicts, rule),
        table=pairs[0],
        names=p.results.algorithms,
    )
    return with_short_names(page, p.results.algorithms)


def _method_section(p: Pairwise, rule: Rule) -> PageSection:
    return report_method_section(
        p.comparisons[0].method,
        p.results,
        None,
        rule=rule,
        learned=p.learned,
        reference=p.reference,
        fewest=int(p.figures.datasets.min()),
        gaps=_pairwise_page_reading(p),
    )


def _provenance(p: Pairwise, rule: Rule, command: str | None) -> PageSection:
    chosen = ", ".join(
        f"{name} = {setting_number_text(value)}" for name, value in rule.options.items()
    )
    return provenance_section(
        p.method, p.examples, command or _pairwise_page_call(p, rule), {"rule": chosen}
    )


def _pairwise_page_call(p: Pairwise, rule: Rule) -> str:
    seeds = {c.answer.seed for c in p.examples if not c.exact}
    options = {"reference": p.reference, "rng": seeds.pop() if len(seeds) == 1 else None}
    options["missing"] = _pairwise_page_reading(p)
    if options["missing"] is None and p.figures.datasets.min() < len(p.results.datasets):
        options["missing"] = "drop"
    chosen = ", ".join(
        f"{name}={setting_number_text(value)}" for name, value in rule.options.items()
    )
    return (
        f"{provenance_python_call('pairwise', p.method, p.results, options)}.report(..., {chosen})"
    )


def _pairwise_page_reading(p: Pairwise) -> Reading | None:
    """How the pairs that keep missing cells read them."""
    return next((c.results.gaps for c in p.examples if c.results.gaps is not None), None)


def _pairwise_page_pictures(p: Pairwise, rule: Rule) -> list[Picture]:
    """Return the pictures; the first is the one that says most about so many algorithms."""
    chosen, number = rule.options, len(p.results.algorithms)
    order: list[Picture] = []
    # The order of very many algorithms is a tangle; the matrix is still legible.
    if number <= _MOST_ORDERED:
        draw = partial(_draw_on_pairwise_page, partial(plot_order, **chosen), None, p)
        words = "winners above losers, an arrow for each verdict"
        order = [Picture("Winners above losers", draw, "o", words)]
    if number <= _MOST_SIGNED:
        draw = partial(
            _draw_on_pairwise_page,
            partial(plot_dominance, **chosen),
            partial(cell_tooltips, triangle=True),
            p,
        )
        words = "the leading statement of every pair"
        matrix = Picture("Every pair, by place", draw, "d", words)
    else:
        draw = partial(_draw_on_pairwise_page, plot_matrix, cell_tooltips, p)
        matrix = Picture("Every pair, by place", draw, "m", "heat map of pairs")
    ranked = [
        _pairwise_page_rank_picture(p, measure, rule)
        for measure in _pairwise_page_ranked_measures(p)
    ]
    return [*order, matrix, *ranked] if _is_plain(p, rule) else [matrix, *order, *ranked]


def _is_plain(p: Pairwise, rule: Rule) -> bool:
    """Whether the diagram of winners and losers is clear at a glance."""
    if len(p.results.algorithms) > _MOST_PLAIN:
        return False
    graph = p.ordered(rule)
    # Without a winner there is nothing above or below; a few trade-offs are drawn as lines.
    return bool(graph.number_of_edges()) or 0 < len(graph.graph["mixed"]) <= MOST_TRADES


def _pairwise_page_ranked_measures(p: Pairwise) -> Sequence[str | None]:
    """Return the measures that get a figure of ranks; none if there are very many."""
    names = p.results.measures
    if not 3 <= len(p.results.algorithms) <= _MOST_MARKED or len(names) > _MOST_RANKED:
        return ()
    return (None,) if p.bayesian and p.method.scope.question else names


def _pairwise_page_rank_picture(p: Pairwise, measure: str | None, rule: Rule) -> Picture:
    options: dict[str, Any] = {"measure": measure, **rule.options}
    draw = partial(_draw_on_pairwise_page, partial(plot_critical, **options), None, p)
    on = "" if measure is None else f" on {measure}"
    words = f"algorithms by rank{on}, joined where no pair has a verdict"
    key = f"k{0 if measure is None else p.results.measures.index(measure)}"
    return Picture(f"Ranks and groups{on}", draw, key, words)


def _draw_on_pairwise_page(plot: Any, add_tooltips: Any, p: Pairwise, figure: Any) -> None:
    ax = plot(p, ax=figure)
    if add_tooltips is not None:
        add_tooltips(p, ax)


# tables -------------------------------------------------------------------------------------------


def _pairwise_page_shaded(p: Pairwise) -> ShadedReportCell | None:
    """Return the matrix as a table, unless it is too large; then only the figure shows it."""
    names = p.results.algorithms
    if len(names) > _MOST_COLUMNS:
        return None
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets = datasets_tooltip_by_pair(p)
    body = [
        (
            name,
            [
                _pairwise_page_cell(p, values, best, level, datasets, i, j)
                for j in range(len(names))
            ],
        )
        for i, name in enumerate(names)
    ]
    title = "p-value of each pair"
    if p.method.directed:
        title = "one-sided p-value of “row dominates column”"
    if p.bayesian:
        title = "P(row better than column on every measure is the most probable statement)"
        if p.method.scope.measure:
            title = "P(row better than column on most datasets)"
        if p.method.scope.question:
            title = "P(row dominates column)"
    return ShadedReportCell(title, names, body, shade_colours(bayesian=p.bayesian))


def _pairwise_page_cell(
    p: Pairwise,
    values: Any,
    best: Any,
    level: Any,
    datasets: Mapping[frozenset[str], str],
    i: int,
    j: int,
) -> tuple[ReportTableCell, int]:
    value = float(values[i, j])
    if math.isnan(value):
        return ReportTableCell.of(""), -1
    names, sign = p.results.algorithms, "P" if p.bayesian else "p"
    equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
    # The matrix of a directed method shows each direction; its verdicts are about both.
    own = f"one-sided {sign}" if p.method.directed else sign
    tooltip = (
        f"{names[i]} against {names[j]}: {equation(value, own)}; leading: "
        f"{leading_words(p, best[i, j], names[i], names[j])} "
        f"({equation(float(level[i, j]), sign)}); {datasets[frozenset((names[i], names[j]))]}"
    )
    text = numbers.format_probability(value) if p.bayesian else numbers.format_pvalue(value)
    return ReportTableCell.of(text, value, tooltip), round(value * SHADES)


def _pairwise_page_learned_tables(p: Pairwise) -> list[Table]:
    """Return the prior learned from all pairs, beside the papers' prior."""
    learned = p.learned
    if learned is None:
        return []
    weight = isinstance(p.method, LearnsWeight)
    strengths = [
        [_pairwise_page_strength(float(str(value))), ReportTableCell.of(percent(share), share)]
        for value, share in learned.strengths.items()
    ]
    heads = ["b" if weight else "strength A (datasets)", "share of pairs"]
    weights = Table("Learned prior: how much it weighs (papers' prior: 1)", heads, strengths)
    if weight:
        return [weights]
    base = learned.base.sort_values(ascending=False, kind="stable").head(MOST_ROWS)
    even = 1.0 / p.comparisons[0].answer.n_statements
    rows = [
        [
            str(pattern),
            *(ReportTableCell.of(format_probability(value), value) for value in (phi, even)),
        ]
        for pattern, phi in base.items()
    ]
    title = "Learned prior: expected share of each pattern, first against second"
    more = len(learned.base) - len(base)
    shares = Table(title, ["pattern", "learned", "papers' prior"], rows, more=more)
    return [shares, weights]


def _pairwise_page_strength(value: float) -> ReportTableCell:
    text = (
        numbers.count(round(value))
        if value >= 100.0
        else statistic_number_text(value, significant=3)
    )
    return ReportTableCell.of(text, value)


# sensitivity and diagnostics ----------------------------------------------------------------------


def _pairwise_page_sensitivity(p: Pairwise, rule: Rule) -> PageSection:
    """Return the number of verdicts under other rules and other priors."""
    total = len(p.comparisons) + len(p.skipped)
    rules = [Rule(level) for level in (0.99, 0.95, 0.9, 0.8)]
    if p.bayesian:
        rules += [Rule(None, rate) for rate in (0.01, 0.05, 0.1)]
    rules = rules if rule in rules else [rule, *rules]
    counts = [
        [other.name(bayesian=p.bayesian), _pairwise_page_verdicts(p, other)] for other in rules
    ]
    marked = [other == rule for other in rules]
    title = f"PairVerdicts on {plural(total, 'pair')} by other rules"
    tables = [Table(title, ["rule", "verdicts"], counts, marked=marked)]
    option = p.method.prior_weight if p.method.quick else None
    if option is not None and not p.method.needs_mcmc and total <= _MOST_ASKED:
        with suppress(BayescompareError):  # a prior that fixes its parameters has no weight
            tables.append(_pairwise_page_by_weight(p, option, rule))
    return PageSection("Sensitivity", tables=tables)


def _pairwise_page_verdicts(p: Pairwise, rule: Rule) -> ReportTableCell:
    count = int(p.decided(rule)["asserted"].sum())
    return ReportTableCell.of(str(count), count)


def _pairwise_page_by_weight(p: Pairwise, option: str, rule: Rule) -> Table:
    own = 1.0 if p.learned is not None else float(getattr(p.method, option))
    before = _pairwise_page_claims(p, rule)
    body = [_pairwise_page_weight_row("learned", before, before)] if p.learned is not None else []
    for factor in (0.1, 0.5, 1.0, 2.0, 10.0):
        same = factor == 1.0 and p.learned is None
        weighed = p if same else _pairwise_page_weighed(p, option, factor * own)
        body.append(
            _pairwise_page_weight_row(
                setting_number_text(factor * own), _pairwise_page_claims(weighed, rule), before
            )
        )
    all_heads = [option, "verdicts", "of these new", "no longer there"]
    title = "PairVerdicts with a prior of other weight, for each pair by itself"
    at = 0 if p.learned is not None else 2
    return Table(title, all_heads, body, marked=[row == at for row in range(len(body))])


def _pairwise_page_weight_row(weight: str, claims: set[str], before: set[str]) -> list[str]:
    numbers = len(claims), len(claims - before), len(before - claims)
    return [weight, *(ReportTableCell.of(str(n), n) for n in numbers)]


def _pairwise_page_weighed(p: Pairwise, option: str, value: float) -> Pairwise:
    method, sampling = (
        replace(p.method, **{option: value}),
        Sampling(np.random.default_rng(0), seed=0),
    )
    if p.found is not None:
        place = {name: k for k, name in enumerate(p.results.algorithms)}
        pairs = np.array([[place[name] for name in pair] for pair in p.found.pairs])
        answered = method.answer_at_once(p.results, pairs, np.arange(len(pairs)))
        if answered is not None:
            # Only the figures are looked at.
            return Pairwise(p.results, method, p.comparisons, p.reference, found=answered[1])
    comparisons = [
        comparison_of(c.results, method, method.answer(c.results, sampling)) for c in p.comparisons
    ]
    return Pairwise(p.results, method, tuple(comparisons), p.reference)


def _pairwise_page_claims(p: Pairwise, rule: Rule) -> set[str]:
    decided = p.decided(rule)
    return set(decided.loc[decided["asserted"], "statement"])


def _pairwise_page_diagnostics(p: Pairwise) -> PageSection:
    """Return one verdict if it holds for all pairs, else the doubtful pairs."""
    if len({id(c.answer.tree) for c in p.examples}) == 1:  # no tree at all, or one for all
        return diagnostics_section(min(p.examples, key=lambda c: c.exact).diagnose())
    diagnoses = {" and ".join(c.results.algorithms): c.diagnose() for c in p.comparisons}
    wanting = [[pair, one.verdict] for pair, one in diagnoses.items() if not one.ok]
    if not wanting:
        return PageSection("Diagnostics", words=["The sampling of every pair is sound."])
    table = Table("Pairs whose sampling is in doubt", ["pair", "verdict"], wanting, text=2)
    words = [f"{plural(len(wanting), 'pair')} in doubt."]
    return PageSection("Diagnostics", words=words, tables=[table])
