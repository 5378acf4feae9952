"""The tables of an answer, which are the same on its page and in the terminal.

A terminal draws nothing, so what is of plots is imported where it is needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.outcome.decision import Part
from bayescompare.outcome.pair_figures import EFFECTS_TITLE, printed_comparison_effects
from bayescompare.outcome.verdicts import Rule
from bayescompare.outcome.words import ARROWS, figure_of
from bayescompare.report.page import (
    MOST_PAIRS,
    MOST_ROWS,
    Cell,
    Table,
    figures_of,
    frame_table,
    heads_of,
)
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.numbers import percent_setting, plural, setting_number_text
from bayescompare.text.phrases import figure_text, interval_title_phrases, join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import PairVerdicts
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking

#: A label up to this long is written as it is, and a longer one is split by measure; lines of it.
_LABEL, _LINES = 44, 8

_QUESTIONS = {
    "most probable": "P(its θ is the largest)",
    "beats opposite": "P(its θ exceeds that of the statement with every ordering reversed)",
    "majority": "P(its θ is above one half)",
    "expected": "its expected θ: the probability that it holds on a new dataset",
}

#: Links outside the graph of a network are listed if they are at least this probable.
LEAST = 0.05


def effect_tables(
    thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> list[Table]:
    """Return the effects of a comparison, or of these pairs; none without anything to subtract."""
    rows = printed_comparison_effects(thing, pairs)
    if rows.empty:
        return []
    words = list(rows.columns).index("measure") + 1
    body = rows.head(MOST_PAIRS).astype(str).to_numpy().tolist()
    more = max(0, len(rows) - MOST_PAIRS)
    return [Table(EFFECTS_TITLE, [str(head) for head in rows], body, text=words, more=more)]


# one comparison -----------------------------------------------------------------------------------


def comparison_tables(c: Comparison, summary: pd.DataFrame | None = None) -> list[Table]:
    """Return every table of a comparison, that of its statements first.

    Parameters
    ----------
    c : Comparison
    summary : DataFrame, optional
        Its `summary()` with other intervals than the usual ones.
    """
    has = set(dir(c))
    # Friedman's test is not about the order of mean ranks; the ranks themselves have a table.
    tables = [] if "ranks" in has else [_statements(c, c.summary() if summary is None else summary)]
    if "questions" in has:
        tables.append(_questions(c))
    if "network" in has:
        tables += [_groups_of_measures(c), *links(c)]
    return [*tables, *effect_tables(c), *(frame_table(title, f) for title, f in c.tables.items())]


def _statements(c: Comparison, table: pd.DataFrame) -> Table:
    if table.index.name != "statement":
        return frame_table("Pairs", table)
    title = "Statements, the most probable first"
    if c.answer.probability is None:
        title = "Statements, the most frequent first"
    if c.answer.tested is not None:
        title = "Statements"
    shown = table.head(MOST_ROWS)
    heads = {"pvalue": "one-sided p"}
    if "ci_prob" in table.attrs:
        heads |= interval_title_phrases(table.attrs["ci_prob"], table.attrs["ci_kind"])
    labels = [str(label) for label in shown.index]
    return Table(
        title,
        ["statement", *heads_of(shown.rename(columns=heads))],
        [
            [written(label, c.results.measures), *row]
            for label, row in zip(labels, figures_of(shown), strict=True)
        ],
        more=len(table) - len(shown),
        marked=[label == c.best for label in labels],
    )


def written(label: str, measures: Sequence[str]) -> str:
    """Write a statement so that it stays legible: as its label, or a line per ordering.

    Examples
    --------
    >>> written("B>A|A>B", ["accuracy", "time"])
    'B>A|A>B'
    >>> print(written("C>A>B|C>A>B|A>B>C", ["auc", "accuracy", "time"]))
    auc and accuracy: C > A > B;
    time: A > B > C
    """
    statement = Statement.parse(label)
    if len(statement.states) != len(measures):  # one question, whatever the measures
        return label
    if all(len(state.names) <= 2 for state in statement.states) and len(label) <= _LABEL:
        return label
    by_state = statement.by_state(measures)
    lines = [f"{join_names(on)}: {state.spaced()}" for state, on in by_state.items()]
    more = [f"… and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    return ";\n".join([*lines[:_LINES], *more])


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


def _groups_of_measures(c: Comparison) -> Table:
    """Return each independent group of measures with its best statement."""
    facts: Any = c.answer.facts
    rows = [
        [
            join_names(part.measures, most=20),
            written(part.best, part.measures),
            "exact" if part.exact else "Monte Carlo",
            Cell.probability(part.probability),
        ]
        for part in facts.components
    ]
    heads = ["group", "statement", "computed", "P(most probable)"]
    return Table("Independent groups of measures, each by itself", heads, rows, text=3)


def links(c: Comparison) -> list[Table]:
    """Return the links in the graph and probable ones outside it, the most probable first."""
    from bayescompare.plots.orders import links_of

    facts: Any = c.answer.facts
    names = list(c.results.measures)
    arrows = {(names.index(a), names.index(b)) for a, b in facts.edges}
    directed, _ = links_of(c, LEAST)
    if directed is None:
        rows = [[names[i], "→", names[j]] for i, j in sorted(arrows)]
        title = "Arrows of the graph (without probabilities: too many measures)"
        return [Table(title, ["measure", "", "measure"], rows, text=3)] if rows else []
    values = directed.to_numpy()
    linked = values + values.T  # an edge never goes both ways
    # Each pair has the direction of its arrow or, without one, the more probable direction.
    pairs = [
        (j, i)
        if (j, i) in arrows or ((i, j) not in arrows and values[j, i] > values[i, j])
        else (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    listed = [pair for pair in pairs if pair in arrows or linked[pair] >= LEAST]
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
    least = setting_number_text(LEAST)
    title = f"Links over all graphs: those in the graph, and others with P(linked) ≥ {least}"
    if not directed.attrs["exact"]:
        error = numbers.standard_error_text(directed.attrs["mcse"])
        title += f" (graphs sampled, standard error at most {error})"
    more, marked = max(0, len(listed) - MOST_ROWS), [p in arrows for p in listed[:MOST_ROWS]]
    return [Table(title, heads, shown, 3, more, marked)]


# all pairs ----------------------------------------------------------------------------------------

#: The pairs by what is said of them: a title, and its states.
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


def standings_table(verdicts: PairVerdicts) -> Table:
    """Return the places of each algorithm, and the number of its verdicts."""
    frame = verdicts.printed()
    rows = [
        [name, *(Cell.counted(value) for value in values)]
        for name, values in zip(verdicts.names, frame.to_numpy().tolist(), strict=True)
    ]
    more, heads = max(0, len(rows) - MOST_PAIRS), ["algorithm", *map(str, frame)]
    return Table("By mean place, the best first", heads, rows[:MOST_PAIRS], more=more)


def pair_groups(p: Pairwise, verdicts: PairVerdicts) -> list[Table]:
    """Return every pair, on each measure by itself, grouped by what is said of it."""
    from bayescompare.plots.pairs import states_of_pairs

    if not len(verdicts.parts):
        return []
    states, pvalue = states_of_pairs(p, verdicts), not p.bayesian
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


def decisions_table(
    p: Pairwise, decided: pd.DataFrame, rule: Rule, *, most: int = MOST_PAIRS, few: int = 12
) -> Table:
    """Return the pairs, the surest first: what holds in words, how sure, and on what.

    More than `few` rows are folded away on a page.
    """
    shown = decided.head(most)
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
        more=max(0, len(decided) - most),
        marked=shown["asserted"].tolist(),
        folded=len(rows) > few,
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


def learned_tables(p: Pairwise) -> list[Table]:
    """Return the prior learned from all pairs, beside the papers' prior."""
    learned = p.learned
    assert learned is not None
    strengths = [
        [_strength(float(str(value))), Cell.of(numbers.percent(share), share)]
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


def other_rules(p: Pairwise, rule: Rule) -> Table:
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


# a ranking and a gate -----------------------------------------------------------------------------

_STATES = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}


def place_tables(r: Ranking) -> list[Table]:
    """Return the places by utility, or measure by measure, and with one measure on that one."""
    tables = []
    if r.answer.overall is not None:
        title = f"On {r.results.measures[0]}" if r.options.utility is None else "By utility"
        tables.append(_places(r, title, r.overall))
    if r.answer.overall is None or len(r.results.measures) > 1:
        for measure in r.results.measures:
            own = r.places.loc[[measure]].droplevel("measure")
            tables.append(_places(r, f"On {measure}", own))
    return tables


def _places(r: Ranking, title: str, frame: pd.DataFrame) -> Table:
    heads = {
        "place": "place",
        "interval": f"{percent_setting(r.options.level)} interval",
        "p_best": "P(best)",
        "mean": {"rank": "mean rank", "strength": "log strength"}.get(r.options.by, "mean"),
        "regret": "regret",
        "share": "share of weights",
    }
    columns = [name for name in heads if name in frame or name == "interval"]
    shown, top = frame.head(MOST_PAIRS), set(r.top)
    rows = [
        [str(name), *(_figure(r, row, column) for column in columns)]
        for name, row in shown.iterrows()
    ]
    return Table(
        title,
        ["algorithm", *(heads[name] for name in columns)],
        rows,
        more=len(frame) - len(shown),
        marked=[str(name) in top for name in shown.index],
    )


def _figure(r: Ranking, row: pd.Series, column: str) -> Cell:
    if column == "interval":
        # One number where an interval has only one.
        low, high = float(row["lower"]), float(row["upper"])
        return Cell.of("–".join(dict.fromkeys([numbers.count(low), numbers.count(high)])), low)
    value = float(row[column])
    if column == "p_best":
        return Cell.probability(value, levels=[r.options.level])
    if column == "place":
        return Cell.counted(value)
    if column == "share":
        return Cell.of(numbers.share_number_text(value), value)
    ranked = column == "mean" and r.options.by == "rank"
    write = numbers.rank_number_text if ranked else numbers.statistic_number_text
    return Cell.of(write(value), value)


def front_tables(r: Ranking) -> list[Table]:
    """Return who is on the front, where there are several measures."""
    if len(r.results.measures) < 2:
        return []
    shown = r.front.head(MOST_PAIRS)
    rows = [
        [
            str(name),
            Cell.probability(float(p), levels=[r.options.level]),
            _STATES[str(state)] if r.answer.has_draws else "",
        ]
        for name, p, state in zip(shown.index, shown["p_front"], shown["state"], strict=True)
    ]
    return [
        Table(
            "The front, the most probable first",
            ["algorithm", "P(on the front)", "state"],
            rows,
            more=len(r.front) - len(shown),
            marked=(shown["state"] == "front").tolist(),
        )
    ]


def gate_table(g: Gate) -> Table:
    """Return the verdict and the bounds of each measure."""
    rows = []
    for name, row in g.table.iterrows():
        unit = g.results[str(name)].unit or ""
        cells = [str(name), str(row["verdict"])]
        for figure in ("difference", "lower", "upper"):
            value = float(row[figure])
            text = "" if value != value else numbers.difference_number_text(value, unit)
            cells.append(Cell.of(text, value))
        for figure in ("p_better", "p_not_worse"):
            p = float(row[figure])
            cells.append(Cell.probability(p, levels=[g.level]) if p == p else Cell.of(""))
        rows.append(cells)
    held = percent_setting(g.level)
    title = f"Mean gains with one-sided bounds, each of which holds with {held} by itself"
    heads = ["measure", "verdict", "mean gain", "at least", "at most", "P(better)", "P(not worse)"]
    return Table(title, heads, rows, text=2)
