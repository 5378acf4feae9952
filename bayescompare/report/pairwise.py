"""The report of all pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.decision import Part
from bayescompare.outcome.method import is_bayesian
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, Rule
from bayescompare.outcome.words import ARROWS, figure_of
from bayescompare.plots.boards import order_graph, order_pen, staircase_pen
from bayescompare.plots.boards import states_of_pairs as states_of
from bayescompare.plots.kinds import KINDS
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
from bayescompare.report.page import MOST_PAIRS, MOST_ROWS, Cell, Page, Picture, Section, Table
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.numbers import percent, plural, setting_number_text
from bayescompare.text.phrases import figure_text, join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.table.cells import Reading

#: Up to so many algorithms the orders are drawn, and the ranks; and measures that have their own.
_MOST_ORDERED, _MOST_RANKED, _MOST_MEASURES = 12, 40, 6
#: Pairs whose effect sizes are listed.
_MOST_EFFECTS = 12

#: The pairs of a page by what is said of them: a title, and its states.
_GROUPS = {
    "Better on every measure": ("wins",),
    "Trade-offs": ("trade", "tradeequal", "tradeeach", "tradeopen"),
    "Better on some measures, not worse on any": (
        *("part", "partmixed", "partequal"),
        *("each", "eachequal"),
    ),
    "Practically equal": ("equal", "equaleach", "equalopen"),
    "Open": ("leads", "leadsplit", "tied", "ahead", "open"),
}


def pairwise_page(p: Pairwise, rule: Rule, command: str | None = None) -> Page:
    """Return the page of all pairs."""
    usual = rule == Rule()
    decided, verdicts = p.decided(rule), p.decision if usual else PairVerdicts.of(p, rule)
    held = decided[decided["asserted"]]
    shown = itertools.islice(zip(held["first"], held["second"], strict=True), _MOST_EFFECTS)
    named = [pair for pair in shown if pair in p]
    first, *others = _pictures(p, verdicts, rule)
    decisions = _decisions(p, decided, rule)
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
        block=pairs_block(p, rule),
        words=p.explained(rule),
        sections=[
            Section("Where each stands", tables=[_standings(verdicts)]),
            Section("Orders and ranks", pictures=others),
            Section("Every pair", tables=_groups(p, verdicts)),
            Section("How sure", tables=[decisions]),
            Section("How large", tables=effect_tables(p, named) if named else []),
            *([] if p.learned is None else [Section("Learned prior", tables=_learned(p))]),
            Section("Other rules", tables=[_other_rules(p, rule)]),
            _diagnostics(p),
            data_section(p.results),
            method,
            provenance_section(p.method, p.examples, call, {"rule": ", ".join(chosen)}),
        ],
        citations=citation_keys(p.method, rule=rule),
        picture=first,
        reading=_reading(p),
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


def _pictures(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> list[Picture]:
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
        on = "" if measure is None else f" on {measure}"
        words = f"algorithms by rank{on}, joined where no pair has a verdict"

        def draw(figure: Any, measure: str | None = measure) -> None:
            options = {"measure": measure, **rule.options}
            KINDS[Pairwise]["critical"].draw(p, ax=figure, **options)

        shown.append(Picture(f"Ranks and groups{on}", draw, f"k{k}", words))
    return shown


# where each stands, and what was decided ----------------------------------------------------------


def _standings(verdicts: PairVerdicts) -> Table:
    """Return the places of each algorithm, and the number of its verdicts."""
    frame = verdicts.printed()
    rows = [
        [name, *(Cell.counted(value) for value in values)]
        for name, values in zip(verdicts.names, frame.to_numpy().tolist(), strict=True)
    ]
    more, heads = max(0, len(rows) - MOST_PAIRS), ["algorithm", *map(str, frame)]
    return Table("By mean place, the best first", heads, rows[:MOST_PAIRS], more=more)


def _groups(p: Pairwise, verdicts: PairVerdicts) -> list[Table]:
    """Return every pair, on each measure by itself, grouped by what is said of it."""
    if not len(verdicts.parts):
        return []
    states, pvalue = states_of(p, verdicts), not p.bayesian
    parts = verdicts.parts.reset_index().to_dict("records")
    by_pair: dict[tuple[str, str], list[Mapping[Any, Any]]] = {}
    for row in parts:
        by_pair.setdefault((row["first"], row["second"]), []).append(row)
    levels = dict(zip(p.figures.pairs, p.figures.levels.tolist(), strict=True))
    heads = [f"{m} {ARROWS[p.results[m].direction]}" for m in p.results.measures]
    tables = []
    for title, named in _GROUPS.items():
        pairs = [pair for pair, (state, _) in states.items() if state in named]
        pairs.sort(key=lambda pair: levels[pair] if pvalue else -levels[pair])
        rows = [
            [_versus(pair, states[pair][1]), *_parts(by_pair[pair], states[pair][1], pvalue)]
            for pair in pairs[:MOST_PAIRS]
        ]
        if rows:
            said = f"{title}: {len(pairs)} of {plural(len(states), 'pair')}"
            more = len(pairs) - len(rows)
            folded = title != next(iter(_GROUPS)) or len(rows) > MOST_ROWS
            columns = 1 + len(heads)
            tables.append(Table(said, ["pair", *heads], rows, columns, more, folded=folded))
    return tables


def _versus(pair: tuple[str, str], side: int) -> str:
    """Name the winner of a pair first."""
    one, other = pair if side != 1 else pair[::-1]
    return f"{one} against {other}"


def _parts(rows: Sequence[Mapping[Any, Any]], side: int, pvalue: bool) -> Iterator[str]:
    """Say who is ahead on each measure, how often, seen from whom is named first, and how sure."""
    for row in rows:
        who, word = row["ahead"], row["word"]
        figures = (row["pvalue"],) * 2 if pvalue else (row["probability"], row["alone"])
        won, lost = (row["won"], row["lost"])[:: -1 if side == 1 else 1]
        part = Part(row["measure"], who, won, lost, row["tied"], *figures, word)
        said = {"better": f"{who} better", "ahead": f"{who} ahead", "equal": "equal"}
        figure = f" ({figure_of(part, pvalue=pvalue)})" if figures[0] == figures[0] else ""
        yield f"{said.get(word, 'level')}, {part.won} : {part.lost}{figure}"


#: The figures of a decision, and their heads.
_FIGURES = {
    "coverage": "coverage",
    "probability": "P(most probable)",
    "pvalue": "p-value",
    "adjusted": "p-value (Holm)",
    "lowest": "P lowest",
    "alone": "P(own prior)",
    "parts": "least measure",
    "running_fdr": "expected share false",
}


def _decisions(p: Pairwise, decided: pd.DataFrame, rule: Rule) -> Table:
    """Return the pairs, the surest first: what holds in words, how sure, and on what."""
    shown = decided.head(MOST_PAIRS)
    unsaid = set()
    if len(p.results.measures) == 1 or shown["parts"].isna().all():
        # Of one measure part and whole are the same.
        unsaid.add("parts")
    if p.bayesian and p.learned is None:
        unsaid.add("alone")
    figures = [name for name in _FIGURES if name in shown and name not in unsaid]
    # The figure that decides stands beside the words, on a phone too.
    figures.sort(key=lambda name: name != ("probability" if p.bayesian else "pvalue"))
    rows = []
    for row in shown.to_dict("records"):
        words = _pair_words(p, str(row["first"]), str(row["second"]), row["statement"])
        cells = [
            Cell.of(figure_text(name, row[name], levels=rule.held(name)), row[name])
            for name in figures
        ]
        rows.append([words, cells[0], row["decision"], Cell.counted(row["n"]), *cells[1:]])
    heads = [_FIGURES[name] for name in figures]
    return Table(
        "Decisions, the surest pair first",
        ["pair", heads[0], "decision", "datasets", *heads[1:]],
        rows,
        more=max(0, len(decided) - MOST_PAIRS),
        marked=shown["asserted"].tolist(),
        folded=len(rows) > _MOST_EFFECTS,
    )


def _pair_words(p: Pairwise, first: str, second: str, label: str) -> str:
    """Say what leads in a pair, the better one first."""
    if not label:
        return f"{first}, {second}: not compared"
    statement = Statement.parse(label, (first, second))
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


# the learned prior, and other rules ---------------------------------------------------------------


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
    weights = Table(f"Learned prior: how much it weighs ({own})", heads, strengths, folded=True)
    base = learned.base.sort_values(ascending=False, kind="stable").head(MOST_ROWS)
    even = Cell.probability(1.0 / p.comparisons[0].answer.n_statements)
    rows = [[str(pattern), Cell.probability(phi), even] for pattern, phi in base.items()]
    title = "Learned prior: expected share of each pattern, first against second"
    more, heads = len(learned.base) - len(base), ["pattern", "learned", "papers' prior"]
    return [Table(title, heads, rows, more=more, folded=True), weights]


def _strength(value: float) -> Cell:
    if value >= 100.0:
        return Cell.of(numbers.count(round(value)), value)
    return Cell.of(numbers.statistic_number_text(value, significant=3), value)


def _other_rules(p: Pairwise, rule: Rule) -> Table:
    """Return the number of verdicts under other rules."""
    total = len(p.comparisons) + len(p.skipped)
    rules = [Rule(level) for level in (0.99, 0.95, 0.9, 0.8)]
    if p.bayesian:
        rules += [Rule(None, rate) for rate in (0.01, 0.05, 0.1)]
    rules = rules if rule in rules else [rule, *rules]
    counts = [int(p.decided(one)["asserted"].sum()) for one in rules]
    rows = [
        [one.name(bayesian=p.bayesian), Cell.counted(number)]
        for one, number in zip(rules, counts, strict=True)
    ]
    title = f"Verdicts on {plural(total, 'pair')} by other rules"
    return Table(title, ["rule", "verdicts"], rows, marked=[one == rule for one in rules])


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


def _reading(p: Pairwise) -> list[str]:
    """Say what the terms of the page mean, a sentence for each."""
    figure = (
        "P: the probability that this statement is the most probable one on a dataset like these; "
        "the others share the rest."
    )
    if not is_bayesian(p.method):
        figure = "p-value: how often data without any difference would look at least like this."
    elif p.method.scope.question:
        figure = "P: the probability that the one dominates the other."
    return [
        "A triangle points at the winner, left to the row's name or down to the column's. It is "
        "filled where there is a verdict on every measure.",
        "Place: the position by mean rank over the datasets, 1 is the best. Places alone show no "
        "difference; verdicts do.",
        "Leads: the most frequent outcome, of which some measure is not sure by itself; that is "
        "no verdict.",
        "Open: the datasets do not separate the two. That does not make them equal.",
        figure,
        "Winning on most datasets is not transitive: three algorithms may beat each other in a "
        "circle. The order draws these as one box.",
    ]
