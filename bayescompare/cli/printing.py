"""Answers on the terminal: the verdict first, then tables of words and figures.

Every string is printed literally, markup and emoji codes in names included, and every table can
be read without colour and at 100 columns, which is what a pipe gets.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.names import common_prefix, rename_in, short_names
from bayescompare.text.phrases import (
    COLUMN_TITLES,
    cell_text,
    figure_text,
    interval_title_phrases,
    join_names,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.diagnosis import Diagnosis
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import Rule
    from bayescompare.outcome.words import Block
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking
    from bayescompare.studies.sbc import SBC


#: Columns of a pipe; one narrower than the second is a mistake.
_PIPE, _NARROWEST = 100, 40

#: Rows of a table that are printed: any, statements, places; and lines of a statement.
ROWS, _STATEMENTS, _PLACES, _LINES = 30, 15, 20, 8

#: Most pairs that are listed, of those without a verdict only the surest, and rows of effect sizes
#: unless they are asked for.
_PAIRS, _OPEN, _EFFECTS = 40, 5, 12

#: A label up to this long is printed as it is, and a longer one is split by measure; letters that
#: fit into a column of statements on a terminal of usual width; a figure with its mark, "0.9496*".
_LABEL, _COLUMN, _CELL = 44, 24, 7

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


def console() -> Console:
    """Return a console for standard output that prints every string literally.

    A pipe is as wide as ``COLUMNS`` says, if it says anything sensible.
    """
    wanted = os.environ.get("COLUMNS", "")
    piped = int(wanted) if wanted.isdecimal() and int(wanted) >= _NARROWEST else _PIPE
    width = None if sys.stdout.isatty() else piped
    return Console(width=width, markup=False, emoji=False, highlight=False)


# tables -------------------------------------------------------------------------------------------


def print_rows(
    out: Console,
    heads: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str | None = None,
    left: int = 1,
    styles: Iterable[str] | None = None,
    wrap: bool = False,
    most: int | None = ROWS,
    total: int = 0,
) -> None:
    """Print a table whose first `left` columns are words and whose others are figures.

    With `wrap` long heads are broken rather than cut. Of `total` rows the first `most` are
    printed, and how many are left.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        words = place < left
        table.add_column(
            head,
            justify="left" if words else "right",
            no_wrap=not (words or wrap),
            overflow="fold",
            min_width=8 if wrap and words else None,
        )
    each_style = itertools.repeat("") if styles is None else styles
    for style, cells in itertools.islice(zip(each_style, rows, strict=False), most):
        # What takes several lines is set apart.
        several = any("\n" in cell for cell in cells[:left])
        table.add_row(*cells, style=style, end_section=several)
    if title is not None:
        out.print(title, style="bold")
    out.print(table)
    if most is not None and total > most:
        out.print(f"and {numbers.count(total - most)} more\n")


def print_frame(
    out: Console,
    title: str | None,
    frame: pd.DataFrame,
    *,
    write: Callable[[str, Any], str | Text] = cell_text,
    heads: Mapping[str, str] | None = None,
    **how: Any,
) -> None:
    """Print a frame; its index, if that has a name, is the first column.

    `write` writes a cell that is no text, `heads` are other heads, and the rest is as for
    `print_rows`.
    """
    if frame.empty:
        return
    names = [str(name) for name in frame]
    first = [] if frame.index.name is None else [str(frame.index.name)]

    def cells(label: object, row: Sequence[Any]) -> list[Any]:
        texts = zip(names, row, strict=True)
        written = [cell if isinstance(cell, (str, Text)) else write(n, cell) for n, cell in texts]
        return [*([str(label)] if first else []), *written]

    values = frame.astype(object).to_numpy()
    rows = (cells(label, row.tolist()) for label, row in zip(frame.index, values, strict=True))
    titles = [(heads or {}).get(name, name) for name in (*first, *names)]
    print_rows(out, titles, rows, title=title, **{"wrap": True, "total": len(frame), **how})


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


def print_block(out: Console, block: Block, short: Mapping[str, str] | None = None) -> None:
    """Print the verdict block: headline, a row for each measure, and what follows from them."""

    def write(text: str) -> str:
        return rename_in(text, dict(short or {}))

    out.print(write(block.headline), style="bold")
    out.print(write(f"{block.status} · {block.about}; {block.meaning}"), style="dim")
    marks = {"settled": "●", "leads": "◐", "level": "·", "equal": "="}
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(no_wrap=True)
    rows.add_column()
    for _ in range(2):
        rows.add_column(justify="right", no_wrap=True)
    if any(row.counts or row.figure for row in block.rows):
        rows.add_row("", "", write(block.counts), block.figure, style="dim")
    for row in block.rows:
        if not (row.text or row.counts):
            continue
        style = "green" if row.mark == "settled" else ""
        text = Text(write(f"{marks[row.mark]} {row.text}"), style=style)
        rows.add_row(row.measure, text, row.counts, row.figure)
    if block.rows:
        out.print()
        out.print(rows)
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(style="bold", no_wrap=True)
    for title, said in block.facts.items():
        if title != "Data":
            facts.add_row(title, write(said))
    out.print()
    out.print(facts)
    out.print()


def _print_effects(
    out: Console, thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> None:
    """Print how large the differences are, of a comparison or of some pairs."""
    from bayescompare.outcome.effects import EFFECTS_TITLE, printed_comparison_effects

    rows = printed_comparison_effects(thing, pairs)
    if not rows.empty:
        left = list(rows.columns).index("measure") + 1
        print_frame(out, EFFECTS_TITLE, rows, left=left, most=None)


# one comparison -----------------------------------------------------------------------------------


def print_comparison(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    """Print verdict, words, statements, questions and independent groups of measures."""
    from bayescompare.outcome.words import comparison_block

    has, block = set(dir(c)), comparison_block(c)
    # An order of mean ranks is not what is tested; the ranks themselves follow.
    print_block(out, replace(block, rows=()) if "ranks" in has else block)
    if "\n" in (orders := written(c.best, c.results.measures)):
        out.print(f"{orders}\n")  # the headline leaves out the middle of long ones
    if "ranks" not in has:
        _print_statements(out, c, summary)
    _print_effects(out, c)
    if "questions" in has:
        meanings = {
            "most probable": "it is the most probable statement",
            "beats opposite": "it is more probable than its opposite",
            "majority": "it holds on more than half of all datasets",
            "expected": "it holds on the next dataset",
        }
        rows = [
            (str(name), meanings.get(str(name), ""), numbers.format_probability(float(p)) or "·")
            for name, p in c.questions.items()
        ]
        title = "Four questions about the first statement"
        print_rows(out, ["question", "meaning", "P"], rows, left=2, title=title)
    if "components" in has:
        parts = c.components
        parts["best"] = [
            written(best, on) for best, on in zip(parts["best"], parts["measures"], strict=True)
        ]
        parts["measures"] = [join_names(on, most=20) for on in parts["measures"]]
        parts["exact"] = ["exact" if exact else "Monte Carlo" for exact in parts["exact"]]
        heads = {"measures": "group", "best": "statement", "exact": "computed", "probability": "P"}
        title = "Independent groups of measures, each by itself"
        print_frame(out, title, parts[[*heads]], heads=heads, write=figure_text, left=3)
    for title, frame in c.tables.items():
        print_frame(out, title, frame)


def _print_statements(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    if summary.index.name != "statement":
        print_frame(out, "Pairs", summary)
        return
    if len(c.results.algorithms) > 2:
        # Orderings of many need the room.
        summary = summary.drop(columns=["theta_lower", "theta_upper"], errors="ignore")
    heads = dict(COLUMN_TITLES)
    if "ci_prob" in summary.attrs:
        heads |= interval_title_phrases(summary.attrs["ci_prob"], summary.attrs["ci_kind"])
    shown = summary.head(_STATEMENTS)
    styles = ["bold" if label == c.best else "" for label in shown.index]
    labels = [written(str(label), c.results.measures) for label in shown.index]
    shown = shown.set_axis(labels, axis="index").rename_axis("statement")
    how: dict[str, Any] = {"styles": styles, "most": _STATEMENTS, "total": len(summary)}
    print_frame(out, None, shown, heads=heads, write=_figure, wrap=False, **how)


def _figure(name: str, value: Any) -> str:
    return figure_text(name, float(value)) or "·"


# all pairs ----------------------------------------------------------------------------------------


def print_pairwise(out: Console, p: Pairwise, rule: Rule, *, effects: bool = False) -> None:
    """Print the verdict, where everybody stands, the pairs, and the words.

    Effect sizes follow for pairs that have a verdict, or with `effects` for the surest pairs.
    """
    from bayescompare.outcome.board_words import pairs_block
    from bayescompare.outcome.pair_figures import datasets_spread
    from bayescompare.outcome.verdicts import PairVerdicts

    verdicts, decided, block = PairVerdicts.of(p, rule), p.decided(rule), pairs_block(p, rule)
    names = p.results.algorithms
    short = short_names(names)
    if prefix := common_prefix(names):
        out.print(f"All names begin with “{prefix}”, which is left out.", style="dim")
    if spread := datasets_spread(p.tables):
        block = replace(block, about=f"{block.about} ({spread} for each pair)")
    print_block(out, block, short)
    standings = verdicts.printed()
    styles = ["dim" if verdicts.beaten_by[str(name)] else "" for name in standings.index]
    standings = standings.rename(index=short).rename_axis("algorithm")
    title = "Where each stands"
    print_frame(out, title, standings, write=lambda _, n: numbers.count(float(n)), styles=styles)
    _print_decided(out, p, decided, rule, short)
    _print_matrix(out, p, rule, verdicts.names, short)
    # Of the verdicts, or on demand of the surest pairs.
    shown = decided if effects else decided[decided["asserted"]]
    most = max(1, (_PAIRS if effects else _EFFECTS) // len(p.results.measures))
    pairs = itertools.islice(zip(shown["first"], shown["second"], strict=True), most)
    if named := [pair for pair in pairs if pair in p]:
        _print_effects(out, p, named)


def _print_decided(
    out: Console, p: Pairwise, decided: pd.DataFrame, rule: Rule, short: Mapping[str, str]
) -> None:
    """Print the pairs that have a verdict, and some of the others."""
    from bayescompare.outcome.verdicts import pair_kind

    one = len(p.results.measures) == 1 or decided["parts"].isna().all()
    unsaid = {*(["alone"] if p.learned is None else []), *(["parts"] if one else [])}
    shown = [name for name in _FIGURES if name in decided and name not in unsaid]
    most = min(_PAIRS, int(decided["asserted"].sum()) + _OPEN)
    rows, styles = [], []
    for row in decided.head(most).to_dict("records"):
        statement = Statement.parse(str(row["statement"]), (row["first"], row["second"]))
        label = str(statement.renamed(lambda name: short.get(name, name)))
        if len(label) > _LABEL:
            # The column before has the names.
            roles = {row["first"]: "first", row["second"]: "second"}
            label = str(statement.renamed(roles.__getitem__))
        text = written(label, p.results.measures)
        colours = {"winner": "green", "trade-off": "magenta", "tie": ""}
        styles.append(colours[pair_kind(statement)] if row["asserted"] else "")
        rows.append(
            (
                "*" if row["asserted"] else "",
                f"{short[row['first']]}, {short[row['second']]}",
                numbers.count(row["n"]),
                # A long code breaks after a bar, not within a name.
                text.replace("|", "| ") if len(text) > _COLUMN else text,
                *(figure_text(name, row[name], levels=rule.held(name)) or "·" for name in shown),
            )
        )
    heads = ["", "pair", "n", "statement", *(_FIGURES[name] for name in shown)]
    title = "Statements by pair, * a verdict"
    print_rows(out, heads, rows, left=4, title=title, styles=styles, most=most)
    if (more := len(decided) - most) > 0:
        left = int(decided["asserted"].iloc[most:].sum())
        with_verdict = f"{numbers.count(left)} of them with a verdict" if left else "all open"
        out.print(f"and {numbers.count(more)} more, {with_verdict}\n")


def _print_matrix(
    out: Console, p: Pairwise, rule: Rule, by_place: Sequence[str], short: Mapping[str, str]
) -> None:
    """Print each pair's figure in both directions, or those of the reference side by side.

    Of many algorithms only the first are shown, as many as fit side by side, under numbers.
    """
    decided = p.decided(rule)
    if p.bayesian or p.directed:
        marked = set(p.ordered(rule).edges)
    else:
        pairs = decided.loc[decided["asserted"], ["first", "second"]].itertuples(index=False)
        marked = {each for a, b in pairs for each in ((a, b), (b, a))}
    at = {name: k for k, name in enumerate(p.results.algorithms)}

    def cell(row: str, column: str) -> Text:
        return _cell(p.matrix.values[at[row], at[column]], p, (row, column) in marked, rule)

    title, left_out = _matrix_title(p), ""
    if (reference := p.reference) is not None:
        name = short[reference]
        heads = ["row dominates", f"{name} dominates"] if p.directed else ["p"]
        heads = ["row better", f"{name} better"] if p.bayesian else heads
        others = [each for each in by_place if each != reference]
        rows = [
            (short[each], *(cell(each, reference), cell(reference, each))[: len(heads)])
            for each in others
        ]
        print_rows(out, [f"against {name}", *heads], rows, title=title, most=None)
    else:
        columns = [short[each] for each in by_place]
        labels, longest = columns, max(map(len, columns))
        if longest + sum(max(len(each), _CELL) + 2 for each in columns) > out.width:
            columns = [str(place) for place in range(1, len(by_place) + 1)]
            labels = [f"{place:>2} {each}" for place, each in zip(columns, labels, strict=True)]
            fit = (out.width - min(longest + 3, out.width // 2)) // (_CELL + 2)
            columns = columns[: max(1, fit)]
        shown = by_place[: len(columns)]
        rows = [
            (label, *(cell(row, each) for each in shown))
            for label, row in zip(labels, shown, strict=False)
        ]
        print_rows(out, ["", *columns], rows, title=title)
        if len(shown) < len(by_place):
            left_out = f"of the first {len(shown)} by place\n"
    out.print(left_out, end="")
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


def _cell(figure: float, p: Pairwise, asserted: bool, rule: Rule) -> Text:
    """Write a figure; the mark repeats what the colour says, for readers without colour."""
    from bayescompare.outcome.decision import LIKELY, SIGNIFICANT

    write = numbers.format_probability if p.bayesian else numbers.format_pvalue
    text = write(figure, levels=rule.held("probability" if p.bayesian else "pvalue"), more=1)
    strong = figure >= LIKELY if p.bayesian else figure <= SIGNIFICANT
    style = "bold green" if asserted else "green" if strong else ""
    return Text((text or "·") + ("*" if asserted else " "), style=style)


# a ranking and a gate -----------------------------------------------------------------------------


def print_ranking(out: Console, r: Ranking) -> None:
    """Print the verdict, the words, the places and who is on the front."""
    from bayescompare.outcome.board_words import ranking_block

    print_block(out, ranking_block(r))
    measures = r.results.measures
    if r.answer.overall is not None:
        title = "By utility" if r.options.utility is not None else f"On {measures[0]}"
        _print_places(out, r, title, r.overall)
        if len(measures) == 1:
            return
    for measure in measures:
        _print_places(out, r, f"On {measure}", r.places.loc[[measure]].droplevel("measure"))
    words = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}
    level = [r.options.level]
    front = r.front[["state", "p_front"]].rename_axis("algorithm")
    styles = ["dim" if state == "dominated" else "" for state in front["state"]]
    front["state"] = front["state"].map(words)
    print_frame(
        out,
        "The front",
        front,
        write=lambda _, p: numbers.format_probability(float(p), levels=level),
        heads={"state": "", "p_front": "P(on the front)"},
        **{"left": 2, "styles": styles, "most": _PLACES, "wrap": False},
    )


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
    shown = frame[[name for name in columns if name in frame]].astype(object)
    # One number where an interval has only one.
    ends = zip(frame["lower"], frame["upper"], strict=True)
    shown["lower"] = ["–".join(dict.fromkeys(map(numbers.count, pair))) for pair in ends]
    print_frame(
        out,
        title,
        shown.rename_axis("algorithm"),
        write=lambda name, value: columns[name][1](float(value)),
        heads={name: head for name, (head, _) in columns.items()},
        styles=["" if name in r.top else "dim" for name in frame.index],
        **{"most": _PLACES, "wrap": False},
    )


def print_gate(out: Console, g: Gate) -> None:
    """Print the verdict, a row for each measure, and the words."""
    from bayescompare.outcome.words import gate_block
    from bayescompare.ranking.words import gate_units

    about = f"{g.candidate} for {g.baseline} · over {gate_units(g)}"
    print_block(out, replace(gate_block(g), about=about))

    def size(value: float, measure: str) -> str:
        unit = g.results[measure].unit or ""
        return "" if value != value else numbers.difference_number_text(float(value), unit)

    def probability(p: float) -> str:
        return "" if p != p else numbers.format_probability(float(p), levels=[g.level])

    rows = [
        (
            str(name),
            # One line, whatever else has to give way.
            Text(str(row["verdict"]), no_wrap=True),
            *(size(row[figure], str(name)) for figure in ("difference", "lower", "upper")),
            *(probability(row[figure]) for figure in ("p_better", "p_not_worse")),
        )
        for name, row in g.table.iterrows()
    ]
    heads = ["measure", "verdict", "difference", "at least", "at most", "P(better)"]
    # The last heading takes two lines, so that a row fits into 80 columns.
    print_rows(out, [*heads, "P(not\nworse)"], rows, left=2, most=None)
    held = numbers.percent_setting(g.level)
    out.print(f"“At least” and “at most” are one-sided bounds: each by itself holds with {held}.")


# methods and simulations --------------------------------------------------------------------------


def print_method(out: Console, name: str) -> None:
    """Print one method: what it asks, its options, its priors and where it is from."""
    from bayescompare import methods
    from bayescompare.methods._shared.option_tables import (
        options_table,
        priors_table,
        read_docstring,
    )

    method = methods.get(name)
    head, _ = read_docstring(inspect.getdoc(method) or "")
    out.print(f"{name}: {method.title}", style="bold")
    out.print(head)
    out.print(f"Reference: {method.phrases.reference}\n")
    print_frame(out, None, options_table(method), left=3)
    title = "Priors that priors={name: …} can replace"
    print_frame(out, title, priors_table(method), left=4)


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print the verdict on a posterior and the figures behind it."""
    out.print(diagnosis.verdict, style="bold" if diagnosis.ok else "bold red")
    print_rows(out, ["figure", "value"], diagnosis.written().items())


def print_calibration(out: Console, calibration: SBC) -> None:
    """Print the verdict on the ranks and the figures behind it."""
    verdict = "ranks are uniform" if calibration.ok else "ranks are NOT uniform"
    size = numbers.plural(len(calibration.ranks), "simulation")
    out.print(f"{calibration.model}: {size}, {verdict}", style="bold")
    heads = {"mean": "mean rank", "pvalue": "p-value"}
    print_frame(out, None, calibration.table.rename(columns=heads).rename_axis("quantity"))
