"""The report of all pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.method import Sampling
from bayescompare.outcome.method_checks import comparison_of
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, Rule, pair_kind
from bayescompare.plots.kinds import KINDS
from bayescompare.plots.order import MOST_TRADES
from bayescompare.report.blocks import (
    citation_keys,
    data_section,
    diagnostics_section,
    effect_tables,
    method_section,
    pairs_title,
    provenance_section,
    python_call,
)
from bayescompare.report.live import live_pairs
from bayescompare.report.page import (
    MOST_PAIRS,
    MOST_ROWS,
    Cell,
    Matrix,
    Page,
    Picture,
    Section,
    Table,
    figures_of,
    heads_of,
)
from bayescompare.report.pictures import cell_tooltips, datasets_of_pairs, leading_words
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.numbers import (
    percent,
    percent_setting,
    plural,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.table.cells import Reading

#: Up to so many algorithms there is a table of all pairs, an order, the signs of every pair, an
#: order that comes first; up to so many measures each has its ranks.
_MOST_COLUMNS, _MOST_ORDERED, _MOST_SIGNED, _MOST_PLAIN, _MOST_RANKED = 40, 40, 60, 12, 6

#: Up to this many algorithms have figures of ranks: each open pair is a mark in them.
_MOST_MARKED = 100

#: Up to this many pairs are compared again with priors of other weights.
_MOST_ASKED = 200

#: Names that a tooltip lists.
_MOST_NAMED = 20


def pairwise_page(p: Pairwise, rule: Rule, command: str | None = None) -> Page:
    """Return the page of all pairs."""
    decided, verdicts, block = p.decided(rule), PairVerdicts.of(p, rule), pairs_block(p, rule)
    # Rows and columns are by place, whatever the order of the table.
    by_place = replace(p, results=p.results.sel(algorithms=list(verdicts.names)))
    first, *others = _pictures(by_place, rule)
    shown = zip(decided["first"], decided["second"], strict=True)
    surest = [pair for pair in itertools.islice(shown, MOST_ROWS) if pair in p]
    decisions = _decisions(p, decided, rule, verdicts)
    effects = effect_tables(p, surest) if surest else []
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
    call = command or _call(p, rule, gaps)
    page = Page(
        title=pairs_title(p.results, against=p.reference),
        verdict=block.headline,
        words=p.explained(rule),
        sections=[
            Section("Where each stands", tables=[_standings(verdicts)]),
            Section("Pairs", shaded=_matrix(by_place), tables=[decisions, *effects]),
            *([Section("Figures", pictures=others)] if others else []),
            *([] if p.learned is None else [Section("Learned prior", tables=_learned(p))]),
            _sensitivity(p, rule),
            _diagnostics(p),
            data_section(by_place.results),
            method,
            provenance_section(p.method, p.examples, call, {"rule": ", ".join(chosen)}),
        ],
        citations=citation_keys(p.method, rule=rule),
        facts=block.facts,
        picture=first,
        reading=_reading(p, rule),
        live=live_pairs(p, verdicts, rule),
        table=decisions,
        names=p.results.algorithms,
    )
    return page.with_short_names()


def _call(p: Pairwise, rule: Rule, gaps: Reading | None) -> str:
    seeds = {c.answer.seed for c in p.examples if not c.exact}
    options: dict[str, Any] = {"reference": p.reference}
    options["rng"] = seeds.pop() if len(seeds) == 1 else None
    lost = p.figures.datasets.min() < len(p.results.datasets)
    options["missing"] = "drop" if gaps is None and lost else gaps
    chosen = [f"{name}={setting_number_text(value)}" for name, value in rule.options.items()]
    call = python_call("pairwise", p.results, options, method=p.method)
    return f"{call}.report({', '.join(['...', *chosen])})"


# figures ------------------------------------------------------------------------------------------


def _pictures(p: Pairwise, rule: Rule) -> list[Picture]:
    """Return the pictures; the first is the one that says most about so many algorithms."""

    def picture(
        title: str,
        kind: str,
        name: str,
        words: str,
        tips: Callable[..., None] | None = None,
        **options: Any,
    ) -> Picture:
        def draw(figure: Any) -> None:
            ax = KINDS[Pairwise][kind].draw(p, ax=figure, **options)
            if tips is not None:
                tips(p, ax, triangle=kind == "dominance")

        return Picture(title, draw, name, words)

    chosen, number, measures = rule.options, len(p.results.algorithms), p.results.measures
    order: list[Picture] = []
    # The order of very many algorithms is a tangle; the matrix is still legible.
    if number <= _MOST_ORDERED:
        words = "winners above losers, an arrow for each verdict"
        order = [picture("Winners above losers", "order", "o", words, **chosen)]
    title = "Every pair, by place"
    matrix = picture(title, "matrix", "m", "heat map of pairs", cell_tooltips)
    if number <= _MOST_SIGNED:
        words = "the leading statement of every pair"
        matrix = picture(title, "dominance", "d", words, cell_tooltips, **chosen)
    ranked: Sequence[str | None] = ()
    if 3 <= number <= _MOST_MARKED and len(measures) <= _MOST_RANKED:
        ranked = (None,) if p.bayesian and p.method.scope.question else measures
    ranks = []
    for k, measure in enumerate(ranked):
        on = "" if measure is None else f" on {measure}"
        words = f"algorithms by rank{on}, joined where no pair has a verdict"
        options = {"measure": measure, **chosen}
        ranks.append(picture(f"Ranks and groups{on}", "critical", f"k{k}", words, **options))
    return [*order, matrix, *ranks] if _is_plain(p, rule) else [matrix, *order, *ranks]


def _is_plain(p: Pairwise, rule: Rule) -> bool:
    """Whether the diagram of winners and losers is clear at a glance."""
    if len(p.results.algorithms) > _MOST_PLAIN:
        return False
    graph = p.ordered(rule)
    # Without a winner there is nothing above or below; a few trade-offs are drawn as lines.
    return bool(graph.number_of_edges()) or 0 < len(graph.graph["mixed"]) <= MOST_TRADES


def _matrix(p: Pairwise) -> Matrix | None:
    """Return the matrix as a table, unless it is too large; then only the figure shows it."""
    names = p.results.algorithms
    if len(names) > _MOST_COLUMNS:
        return None
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets, sign = datasets_of_pairs(p), "P" if p.bayesian else "p"
    equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
    write = numbers.format_probability if p.bayesian else numbers.format_pvalue
    # The matrix of a directed method shows each direction; its verdicts are about both.
    own = f"one-sided {sign}" if p.directed else sign

    def cell(i: int, j: int) -> Cell:
        value = float(values[i, j])
        if math.isnan(value):
            return Cell.of("")
        tooltip = (
            f"{names[i]} against {names[j]}: {equation(value, own)}; leading: "
            f"{leading_words(p, best[i, j], names[i], names[j])} "
            f"({equation(float(level[i, j]), sign)}); {datasets[frozenset((names[i], names[j]))]}"
        )
        return Cell.of(write(value), value, tooltip)

    at = range(len(names))
    rows = [(name, [cell(i, j) for j in at]) for i, name in enumerate(names)]
    return Matrix(_matrix_title(p), names, rows, p.bayesian)


def _matrix_title(p: Pairwise) -> str:
    if p.directed:
        return "one-sided p-value of “row dominates column”"
    if not p.bayesian:
        return "p-value of each pair"
    if p.method.scope.question:
        return "P(row dominates column)"
    if p.method.scope.measure:
        return "P(row better than column on most datasets)"
    return "P(row better than column on every measure is the most probable statement)"


# where each stands, and what was decided ----------------------------------------------------------


def _standings(verdicts: PairVerdicts) -> Table:
    """Return the places of each algorithm, and the number of its verdicts."""
    frame = verdicts.printed()
    named: dict[str, Mapping[str, tuple[str, ...]]] = {
        "beats": verdicts.beats,
        "beaten by": verdicts.beaten_by,
        "trade-offs": verdicts.trades,
        "ties": verdicts.ties,
    }
    heads = list(map(str, frame))
    rows = []
    for name, values in zip(verdicts.names, frame.to_numpy().tolist(), strict=True):
        others = [named.get(head, {}).get(name, ()) for head in heads]
        cells = [
            Cell.counted(value, join_names(who, most=_MOST_NAMED) if who else "")
            for value, who in zip(values, others, strict=True)
        ]
        rows.append([name, *cells])
    more, keys = max(0, len(rows) - MOST_PAIRS), {"algorithm": [str(k) for k in range(len(rows))]}
    title = "By mean place, the best first"
    return Table(title, ["algorithm", *heads], rows[:MOST_PAIRS], more=more, keys=keys)


#: The figures of a decision.
_FIGURES = (
    *("coverage", "probability", "lowest", "alone", "parts"),
    *("running_fdr", "pvalue", "adjusted"),
)


def _decisions(p: Pairwise, decided: pd.DataFrame, rule: Rule, verdicts: PairVerdicts) -> Table:
    """Return the pairs, the surest first: what holds in words, how sure, and on what."""
    shown = decided.head(MOST_PAIRS)
    figures = [name for name in _FIGURES if name in shown]
    if len(p.results.measures) == 1 or shown["parts"].isna().all():
        # Of one measure part and whole are the same.
        figures.remove("parts")
    if p.bayesian and p.learned is None:
        figures.remove("alone")
    # The figure that decides stands beside the words, on a phone too.
    first = "probability" if p.bayesian else "pvalue"
    figures.sort(key=lambda name: name != first)
    cells = figures_of(shown[figures], {name: rule.held(name) for name in figures})
    rows, marked, trades, pairs = [], [], [], []
    at = {name: k for k, name in enumerate(verdicts.names)}
    for row, own in zip(shown.to_dict("records"), cells, strict=True):
        statement = Statement.parse(row["statement"], (row["first"], row["second"]))
        words = _pair_words(p, row, statement)
        rows.append([words, own[0], row["decision"], Cell.counted(row["n"]), *own[1:]])
        marked.append(bool(row["asserted"]))
        trades.append(bool(row["asserted"]) and pair_kind(statement) == "trade-off")
        pairs.append(",".join(map(str, sorted((at[row["first"]], at[row["second"]])))))
    heads = heads_of(figures)
    return Table(
        "Decisions, the surest pair first",
        ["pair", heads[0], "decision", "datasets", *heads[1:]],
        rows,
        more=max(0, len(decided) - MOST_PAIRS),
        marked=marked,
        trades=trades,
        keys={"pair": pairs},
    )


def _pair_words(p: Pairwise, row: Mapping[Any, Any], statement: Statement) -> str:
    """Say what leads in a pair, the better one first."""
    first, second = str(row["first"]), str(row["second"])
    if not row["statement"]:
        return f"{first}, {second}: not compared"
    winner = statement.winner
    if winner is not None:
        return f"{winner} over {second if winner == first else first}"
    if len(statement.states) != len(p.results.measures):
        return statement.states[0].words()
    on: dict[str, list[str]] = {}
    for state, measure in zip(statement.states, p.results.measures, strict=True):
        name = state.leader or ("equal" if state.relation == "=" else "incomparable")
        on.setdefault(name, []).append(measure)
    if set(on) == {"equal"}:
        return f"{first} and {second} equivalent"
    # Both are named, though one of them may lead nowhere.
    lacking = [name for name in (first, second) if name not in on]
    against = f" (against {lacking[0]})" if len(lacking) == 1 else ""
    return "; ".join(f"{name}: {join_names(names)}" for name, names in on.items()) + against


# the learned prior, and other priors --------------------------------------------------------------


def _learned(p: Pairwise) -> list[Table]:
    """Return the prior learned from all pairs, beside the papers' prior."""
    learned = p.learned
    assert learned is not None
    strengths = [
        [_strength(float(str(value))), Cell.of(percent(share), share)]
        for value, share in learned.strengths.items()
    ]
    own = "papers' prior: 1"
    if p.method.posterior_type.weighed_by == "b":
        own = "of two outcomes b is half of it"
    heads = ["strength A (datasets)", "share of pairs"]
    weights = Table(f"Learned prior: how much it weighs ({own})", heads, strengths)
    base = learned.base.sort_values(ascending=False, kind="stable").head(MOST_ROWS)
    even = Cell.probability(1.0 / p.comparisons[0].answer.n_statements)
    rows = [[str(pattern), Cell.probability(phi), even] for pattern, phi in base.items()]
    title = "Learned prior: expected share of each pattern, first against second"
    more, heads = len(learned.base) - len(base), ["pattern", "learned", "papers' prior"]
    return [Table(title, heads, rows, more=more), weights]


def _strength(value: float) -> Cell:
    if value >= 100.0:
        return Cell.of(numbers.count(round(value)), value)
    return Cell.of(statistic_number_text(value, significant=3), value)


def _sensitivity(p: Pairwise, rule: Rule) -> Section:
    """Return the number of verdicts under other rules and other priors."""
    total = len(p.comparisons) + len(p.skipped)
    rules = [Rule(level) for level in (0.99, 0.95, 0.9, 0.8)]
    if p.bayesian:
        rules += [Rule(None, rate) for rate in (0.01, 0.05, 0.1)]
    rules = rules if rule in rules else [rule, *rules]
    rows = [
        [one.name(bayesian=p.bayesian), _whole(int(p.decided(one)["asserted"].sum()))]
        for one in rules
    ]
    title = f"Verdicts on {plural(total, 'pair')} by other rules"
    tables = [Table(title, ["rule", "verdicts"], rows, marked=[one == rule for one in rules])]
    # An exact answer about θ from one value per cell takes milliseconds: pairs are asked again.
    quick = p.results.n_replicates is None and p[0].posterior.theta is not None
    option = p.method.posterior_type.weighed_by if quick else None
    if option is not None and not p.method.needs_mcmc and total <= _MOST_ASKED:
        with suppress(BayescompareError):  # a prior that fixes its parameters has no weight
            tables.append(_by_weight(p, option, rule))
    return Section("Sensitivity", tables=tables)


def _whole(number: int) -> Cell:
    return Cell.of(str(number), number)


def _by_weight(p: Pairwise, option: str, rule: Rule) -> Table:
    own = 1.0 if p.learned is not None else float(getattr(p.method, option))
    before = _claims(p, rule)
    claims = {"learned": before} if p.learned is not None else {}
    for factor in (0.1, 0.5, 1.0, 2.0, 10.0):
        same = factor == 1.0 and p.learned is None
        weighed = before if same else _claims(_weighed(p, option, factor * own), rule)
        claims[setting_number_text(factor * own)] = weighed
    rows = [
        [weight, *map(_whole, (len(found), len(found - before), len(before - found)))]
        for weight, found in claims.items()
    ]
    at = 0 if p.learned is not None else 2
    heads = [option, "verdicts", "of these new", "no longer there"]
    title = "Verdicts with a prior of other weight, for each pair by itself"
    return Table(title, heads, rows, marked=[row == at for row in range(len(rows))])


def _claims(p: Pairwise, rule: Rule) -> set[str]:
    decided = p.decided(rule)
    return set(decided.loc[decided["asserted"], "statement"])


def _weighed(p: Pairwise, option: str, value: float) -> Pairwise:
    """Return all pairs with a prior of another weight, each by itself."""
    method = replace(p.method, **{option: value})
    if p.found is not None:
        place = {name: k for k, name in enumerate(p.results.algorithms)}
        pairs = np.array([[place[name] for name in pair] for pair in p.found.pairs])
        at_once: Any = method  # which made them so
        answered = at_once.answer_at_once(p.results, pairs, np.arange(len(pairs)))
        if answered is not None:
            # Only the figures are looked at.
            return Pairwise(p.results, method, p.comparisons, p.reference, found=answered[1])
    sampling = Sampling(np.random.default_rng(0), seed=0)
    comparisons = [
        comparison_of(c.results, method, method.answer(c.results, sampling)) for c in p.comparisons
    ]
    return Pairwise(p.results, method, tuple(comparisons), p.reference)


def _diagnostics(p: Pairwise) -> Section:
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


# how to read the page -----------------------------------------------------------------------------


def _reading(p: Pairwise, rule: Rule) -> list[str]:
    """Say what the terms of the page mean, a sentence for each."""
    several = len(p.results.measures) > 1 and not p.method.scope.question
    kinds = (
        "Beats: better on every measure. Leads: the most frequent outcome, of which not every "
        "measure is sure by itself; that is no verdict. Trade-off: each is better on some "
        "measures, so which one to use depends on what matters to you."
    )
    figure = (
        "P: the probability that this statement is the most probable one on a dataset like these; "
        "the others share the rest."
    )
    if not p.bayesian:
        figure = "p-value: how often data without any difference would look at least like this."
    elif p.method.scope.question:
        figure = "P: the probability that the one dominates the other."
    return [
        "Place: the position by mean rank over the datasets, 1 is the best. Places alone show no "
        "difference; verdicts do.",
        f"Verdict: {_verdict(rule, bayesian=p.bayesian, several=several)}",
        *([kinds] if several else []),
        "Open: the datasets do not separate the two. That does not make them equal.",
        figure,
        "Winning on most datasets is not transitive: three algorithms may beat each other in a "
        "circle. The diagram draws these as one box.",
    ]


def _verdict(rule: Rule, *, bayesian: bool, several: bool) -> str:
    if not bayesian:
        return (
            "the p-value, corrected for the number of pairs (Holm), is at most "
            f"{setting_number_text(rule.alpha)}."
        )
    if rule.level is not None:
        each = ", and so has what it says of each measure by itself" if several else ""
        level = setting_number_text(rule.level)
        return f"the statement about the pair has P of at least {level}{each}."
    return (
        "one of the surest pairs, so many that at most "
        f"{percent_setting(rule.alpha)} of them are expected to be false."
    )
