"""Answers on the terminal: the verdict first, then tables of words and figures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayescompare.cli.printing import ROWS, print_frame, print_rows, print_words
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.claims import PARTS_TITLE, printed_parts
from bayescompare.outcome.columns import THETA_LOWER, THETA_UPPER
from bayescompare.outcome.decision import LIKELY, SIGNIFICANT
from bayescompare.outcome.effects import EFFECTS_TITLE, printed_comparison_effects
from bayescompare.outcome.pair_figures import datasets_spread
from bayescompare.outcome.verdicts import PairVerdicts, pair_kind
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.names import common_prefix, rename_in, short_names
from bayescompare.text.phrases import (
    COLUMN_TITLES,
    figure_text,
    interval_title_phrases,
    join_names,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import Rule
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking
    from bayescompare.table.results import Results

__all__ = ["print_comparison", "print_gate", "print_pairwise", "print_ranking", "written"]

#: Rows of a table that are printed: statements, places; and lines of a statement.
_STATEMENTS, _PLACES, _LINES = 15, 20, 8

#: Most pairs that are listed, of those without a verdict only the surest, and rows of effect sizes
#: unless they are asked for.
_PAIRS, _OPEN, _EFFECTS = 40, 5, 12

#: A label up to this long is printed as it is, and a longer one is split by measure; letters that
#: fit into a column of statements on a terminal of usual width; a figure with its mark, "0.9496*".
_LABEL, _COLUMN, _CELL = 44, 24, 7

_QUESTIONS = {
    "most probable": "it is the most probable statement",
    "beats opposite": "it is more probable than its opposite",
    "majority": "it holds on more than half of all datasets",
    "expected": "it holds on the next dataset",
}

#: Colour of a verdict by its kind; the words say the same.
_STYLES = {"winner": "green", "trade-off": "magenta", "tie": ""}

#: The figures of a decision, and their heads.
_FIGURES = {
    "coverage": "coverage",
    "probability": "P",
    "lowest": "P lowest",
    "alone": "P (own prior)",
    "parts": "least measure",
    "running_fdr": "running FDR",
    "pvalue": "p",
    "adjusted": "Holm",
}


def _print_head(out: Console, thing: Comparison | Ranking | Gate) -> None:
    out.print(thing.headline(), style="bold")
    for caveat in thing.caveats:
        out.print(f"Careful: {caveat}")


def _about(results: Results) -> str:
    """Name the algorithms, the measures and the number of datasets."""
    measures = [f"{name} ({results[name].direction})" for name in results.measures]
    return (
        f"{join_names(results.algorithms, most=8)} on {join_names(measures, most=8)} over "
        f"{numbers.plural(len(results.datasets), 'dataset')}"
    )


def written(label: str, measures: Sequence[str]) -> str:
    """Write a statement so that it stays legible: as its label, or a line per ordering.

    Examples
    --------
    >>> written("B>A|A>B", ["accuracy", "time"])
    'B>A|A>B'
    >>> print(written("C>A>B|C>A>B|A>B>C", ["auc", "accuracy", "time"]))
    auc and accuracy: C > A > B
    time: A > B > C
    """
    statement = Statement.parse(label)
    if len(statement.states) != len(measures):  # one question, whatever the measures
        return label
    if all(len(state.names) <= 2 for state in statement.states) and len(label) <= _LABEL:
        return label
    by_state = statement.by_state(measures)
    lines = [f"{join_names(on)}: {state.spaced()}" for state, on in by_state.items()]
    more = len(lines) - _LINES
    return "\n".join([*lines[:_LINES], *([f"… and {more} more"] if more > 0 else [])])


# one comparison -----------------------------------------------------------------------------------


def print_comparison(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    """Print verdict, words, statements, questions and independent groups of measures."""
    measures = c.results.measures
    out.print(f"{c.method.name}: {_about(c.results)}", style="dim")
    _print_head(out, c)
    orders = written(c.best, measures)
    if "\n" in orders:
        # The headline leaves out the middle of long orders.
        out.print(orders)
    out.print(f"\n{c.explain()}\n")
    # An order of mean ranks is not what is tested; the ranks themselves follow.
    if "ranks" not in c.method.provides:
        _print_statements(out, c, summary)
    if len(parts := printed_parts(c.decision)):
        print_frame(out, PARTS_TITLE, parts)
    _print_effects(out, c)
    if "questions" in c.method.provides:
        rows: list[tuple[str, ...]] = [
            ("", name, _QUESTIONS.get(name, ""), numbers.format_probability(float(p)) or "·")
            for name, p in c.questions.items()
        ]
        title = "Four questions about the first statement"
        print_rows(out, ["question", "meaning", "P"], rows, left=2, title=title)
    if "components" in c.method.provides:
        title = "Independent groups of measures, each by itself"
        rows = [
            (
                "",
                join_names(part["measures"], most=20),
                written(part["best"], part["measures"]),
                "exact" if part["exact"] else "Monte Carlo",
                numbers.format_probability(part["probability"]),
            )
            for part in c.components.to_dict("records")
        ]
        print_rows(out, ["group", "statement", "computed", "P"], rows, left=3, title=title)
    for title, frame in c.tables.items():
        print_frame(out, title, frame)


def _print_statements(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    if summary.index.name != "statement":
        print_frame(out, "Pairs", summary)
        return
    if len(c.results.algorithms) > 2:
        # Orderings of many need the room.
        summary = summary.drop(columns=[THETA_LOWER, THETA_UPPER], errors="ignore")
    titles = dict(COLUMN_TITLES)
    if "ci_prob" in summary.attrs:
        titles |= interval_title_phrases(summary.attrs["ci_prob"], summary.attrs["ci_kind"])
    rows = (
        (
            "bold" if label == c.best else "",
            written(str(label), c.results.measures),
            *(figure_text(str(name), float(value)) or "·" for name, value in row.items()),
        )
        for label, row in summary.head(_STATEMENTS).iterrows()
    )
    heads = ["statement", *(titles.get(str(name), str(name)) for name in summary)]
    print_rows(out, heads, rows, most=_STATEMENTS, total=len(summary))


def _print_effects(
    out: Console, thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> None:
    """Print how large the differences are, of a comparison or of some pairs."""
    rows = printed_comparison_effects(thing, pairs)
    if not rows.empty:
        left = list(rows.columns).index("measure") + 1
        print_words(out, rows, left=left, title=EFFECTS_TITLE, wrap=True, most=len(rows))


# all pairs ----------------------------------------------------------------------------------------


def print_pairwise(out: Console, p: Pairwise, rule: Rule, *, effects: bool = False) -> None:
    """Print the verdict, where everybody stands, the pairs, and the words.

    Effect sizes follow for pairs that have a verdict, or with `effects` for the surest pairs.
    """
    verdicts, decided, block = PairVerdicts.of(p, rule), p.decided(rule), pairs_block(p, rule)
    names = p.results.algorithms
    short = short_names(names)
    spread = datasets_spread(p.tables)
    each = f" ({spread} for each pair)" if spread else ""
    out.print(rename_in(f"{p.method.name}: {_about(p.results)}{each}", short), style="dim")
    if prefix := common_prefix(names):
        out.print(f"All names begin with “{prefix}”, which is left out.", style="dim")
    out.print()
    out.print(rename_in(block.headline, short), style="bold")
    out.print()
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(style="bold", no_wrap=True)
    for title, text in block.facts.items():
        facts.add_row(title, rename_in(text, short))
    out.print(facts)
    out.print()
    standings = verdicts.printed()
    rows = (
        (
            "dim" if verdicts.beaten_by[str(name)] else "",
            short[str(name)],
            *(numbers.count(float(value)) for value in row),
        )
        for name, row in standings.iterrows()
    )
    heads = ["algorithm", *standings.columns]
    title = "Where each stands"
    print_rows(out, heads, rows, title=title, wrap=True, total=len(standings))
    _print_decided(out, p, decided, rule, short)
    _print_matrix(out, p, rule, verdicts.names, short)
    # Of the verdicts, or on demand of the surest pairs.
    shown = decided if effects else decided[decided["asserted"]]
    most = max(1, (_PAIRS if effects else _EFFECTS) // len(p.results.measures))
    pairs = itertools.islice(zip(shown["first"], shown["second"], strict=True), most)
    if named := [pair for pair in pairs if pair in p]:
        _print_effects(out, p, named)
    out.print(rename_in(p.explained(rule), short))


def _print_decided(
    out: Console, p: Pairwise, decided: pd.DataFrame, rule: Rule, short: Mapping[str, str]
) -> None:
    """Print the pairs that have a verdict, and some of the others."""
    one = len(p.results.measures) == 1 or decided["parts"].isna().all()
    unsaid = {*(["alone"] if p.learned is None else []), *(["parts"] if one else [])}
    shown = [name for name in _FIGURES if name in decided and name not in unsaid]
    most = min(_PAIRS, int(decided["asserted"].sum()) + _OPEN)
    rows = []
    for row in decided.head(most).to_dict("records"):
        statement = Statement.parse(str(row["statement"]), (row["first"], row["second"]))
        label = str(statement.renamed(lambda name: short.get(name, name)))
        if len(label) > _LABEL:
            # The column before has the names.
            roles = {row["first"]: "first", row["second"]: "second"}
            label = str(statement.renamed(roles.__getitem__))
        text = written(label, p.results.measures)
        rows.append(
            (
                _STYLES[pair_kind(statement)] if row["asserted"] else "",
                "*" if row["asserted"] else "",
                f"{short[row['first']]}, {short[row['second']]}",
                numbers.count(row["n"]),
                # A long code breaks after a bar, not within a name.
                text.replace("|", "| ") if len(text) > _COLUMN else text,
                *(figure_text(name, row[name], levels=rule.held(name)) or "·" for name in shown),
            )
        )
    heads = ["", "pair", "n", "statement", *(_FIGURES[name] for name in shown)]
    print_rows(out, heads, rows, left=4, title="Statements by pair, * a verdict", most=most)
    if (more := len(decided) - most) > 0:
        left = int(decided["asserted"].iloc[most:].sum())
        with_verdict = f"{numbers.count(left)} of them with a verdict" if left else "all open"
        out.print(f"and {numbers.count(more)} more, {with_verdict}\n")


def _print_matrix(
    out: Console, p: Pairwise, rule: Rule, by_place: Sequence[str], short: Mapping[str, str]
) -> None:
    """Print each pair's figure in both directions, or those of the reference side by side."""
    decided = p.decided(rule)
    if p.bayesian or p.directed:
        marked = set(p.ordered(rule).edges)
    else:
        pairs = decided.loc[decided["asserted"], ["first", "second"]].itertuples(index=False)
        marked = {each for a, b in pairs for each in ((a, b), (b, a))}
    at = {name: k for k, name in enumerate(p.results.algorithms)}

    def cell(row: str, column: str) -> Text:
        return _cell(p.matrix.values[at[row], at[column]], p, (row, column) in marked, rule)

    out.print(_matrix_title(p), style="bold")
    if (reference := p.reference) is not None:
        name = short[reference]
        heads = ["row dominates", f"{name} dominates"] if p.directed else ["p"]
        heads = ["row better", f"{name} better"] if p.bayesian else heads
        rows = [
            ("", short[each], *(cell(each, reference), cell(reference, each))[: len(heads)])
            for each in by_place
            if each != reference
        ]
        print_rows(out, [f"against {name}", *heads], rows, most=len(rows))
    else:
        # Beyond these the matrix would fill screen after screen.
        names = by_place[:ROWS]
        heads_of = _headings([short[name] for name in names], out.width)
        for columns in _blocks(heads_of, out.width):
            chosen = [names[j] for j in columns]
            rows = [
                ("", _row_name(short[row], heads_of), *(cell(row, column) for column in chosen))
                for row in names
            ]
            print_rows(out, ["", *(heads_of[short[name]] for name in chosen)], rows)
        if len(by_place) > len(names):
            out.print(f"of the first {len(names)} by place")
    if marked:
        out.print("* a verdict\n")
    elif decided["asserted"].any():
        out.print("no verdict on any cell: those above are trade-offs between measures, or ties\n")
    else:
        out.print("no verdict on any cell\n")


def _matrix_title(p: Pairwise) -> str:
    if not p.bayesian:
        directed = "one-sided p-value of “row dominates column”"
        return directed if p.directed else "p-value of each pair"
    if p.method.scope.question:
        return "P that the row dominates the column"
    if p.method.scope.measure:
        return "P that “row better than column” holds on most datasets"
    return "P that “row better than column on every measure” is the most probable statement"


def _headings(names: Sequence[str], width: int) -> dict[str, str]:
    """Head the columns by name if all fit side by side, else by number."""
    longest = max(map(len, names))
    if longest + sum(max(len(name), _CELL) + 2 for name in names) <= width:
        return {name: name for name in names}
    return {name: str(place) for place, name in enumerate(names, 1)}


def _row_name(name: str, heads: Mapping[str, str]) -> str:
    return name if heads[name] == name else f"{heads[name]:>2} {name}"


def _blocks(heads: Mapping[str, str], width: int) -> Iterator[range]:
    """Split the columns into blocks that fit side by side."""
    left = min(max(len(_row_name(name, heads)) for name in heads), width // 2)
    each = max(_CELL, *(len(head) for head in heads.values())) + 2
    fit = max(1, (width - left) // each)
    for start in range(0, len(heads), fit):
        yield range(start, min(start + fit, len(heads)))


def _cell(figure: float, p: Pairwise, asserted: bool, rule: Rule) -> Text:
    """Write a figure; the mark repeats what the colour says, for readers without colour."""
    write = numbers.format_probability if p.bayesian else numbers.format_pvalue
    text = write(figure, levels=rule.held("probability" if p.bayesian else "pvalue"), more=1)
    strong = figure >= LIKELY if p.bayesian else figure <= SIGNIFICANT
    style = "bold green" if asserted else "green" if strong else ""
    return Text((text or "·") + ("*" if asserted else " "), style=style)


# a ranking and a gate -----------------------------------------------------------------------------


def print_ranking(out: Console, r: Ranking) -> None:
    """Print the verdict, the words, the places and who is on the front."""
    _print_head(out, r)
    # The first sentence is the headline.
    out.print("\n" + r.explain().removeprefix(f"{r.headline()}. ") + "\n")
    measures = r.results.measures
    overall = r.answer.overall is not None
    if overall:
        title = "By utility" if r.options.utility is not None else f"On {measures[0]}"
        _print_places(out, r, title, r.overall)
    if overall and len(measures) == 1:
        return
    for measure in measures:
        _print_places(out, r, f"On {measure}", r.places.loc[[measure]].droplevel("measure"))
    words = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}
    rows = (
        (
            "dim" if row["state"] == "dominated" else "",
            str(name),
            words[str(row["state"])],
            numbers.format_probability(float(row["p_front"]), levels=[r.options.level]),
        )
        for name, row in r.front.iterrows()
    )
    heads = ["algorithm", "", "P(on the front)"]
    print_rows(out, heads, rows, left=2, title="The front", most=_PLACES, total=len(r.front))


def _print_places(out: Console, r: Ranking, title: str, frame: pd.DataFrame) -> None:
    level, figure = r.options.level, numbers.statistic_number_text
    means: dict[str, tuple[str, Callable[[float], str]]] = {
        "rank": ("mean rank", numbers.rank_number_text),
        "strength": ("log strength", figure),
    }
    columns: dict[str, tuple[str, Callable[[float], str]]] = {
        "mean": means.get(r.options.by, ("mean", figure)),
        "place": ("place", numbers.count),
        "lower": (f"{numbers.percent_setting(level)} interval", numbers.count),
        "p_best": ("P(best)", lambda p: numbers.format_probability(p, levels=[level])),
        "regret": ("regret", figure),
        "share": ("share of weights", numbers.share_number_text),
    }
    shown = [name for name in columns if name in frame]

    def cell(row: pd.Series, name: str) -> str:
        # One number where an interval has only one.
        ends = ("lower", "upper") if name == "lower" else (name,)
        return "–".join(dict.fromkeys(columns[name][1](float(row[end])) for end in ends))

    rows = (
        ("" if name in r.top else "dim", str(name), *(cell(row, each) for each in shown))
        for name, row in frame.iterrows()
    )
    heads = ["algorithm", *(columns[name][0] for name in shown)]
    print_rows(out, heads, rows, title=title, most=_PLACES, total=len(frame))


def print_gate(out: Console, g: Gate) -> None:
    """Print the verdict, a row for each measure, and the words."""
    from bayescompare.ranking.words import gate_units

    out.print(f"gate: {g.candidate} against {g.baseline} over {gate_units(g)}", style="dim")
    _print_head(out, g)

    def size(value: float, measure: str) -> str:
        unit = g.results[measure].unit or ""
        return "" if value != value else numbers.difference_number_text(float(value), unit)

    def probability(p: float) -> str:
        return "" if p != p else numbers.format_probability(float(p), levels=[g.level])

    rows = [
        (
            "",
            str(name),
            # One line, whatever else has to give way.
            Text(str(row["verdict"]), no_wrap=True),
            *(size(row[figure], str(name)) for figure in ("difference", "lower", "upper")),
            *(probability(row[figure]) for figure in ("p_better", "p_not_worse")),
        )
        for name, row in g.table.iterrows()
    ]
    # The last heading takes two lines, so that a row fits into 80 columns.
    heads = [
        "measure",
        "verdict",
        "difference",
        "at least",
        "at most",
        "P(better)",
        "P(not\nworse)",
    ]
    print_rows(out, heads, rows, left=2, most=len(rows))
    out.print("Differences are means over datasets, positive where the candidate is better.")
    held = numbers.percent_setting(g.level)
    out.print(f"“At least” and “at most” are one-sided bounds: each by itself holds with {held}.")
    out.print()
    out.print(g.explain().removeprefix(g.headline()).strip())
