"""What the command line prints of all pairs: the verdict first, then where everybody stands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayescompare.cli.tables import (
    LABEL_WIDTH,
    ROWS_SHOWN,
    about_table,
    new_table,
    print_effects,
    statement_in_printed_table,
)
from bayescompare.comparison.decision import LIKELY, SIGNIFICANT
from bayescompare.comparison.pairwise_facts import pairwise_facts
from bayescompare.comparison.pairwise_headline import pairwise_headline
from bayescompare.comparison.pairwise_notes import pairwise_notes_on_spread
from bayescompare.comparison.verdicts import PairVerdicts, pair_kind
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.names import common_prefix, rename_in, short_names
from bayescompare.text.phrases import figure_text

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["print_pairwise"]

#: Most pairs that are listed; of those without a verdict only the surest.
PAIRS_SHOWN, OPEN_SHOWN = 40, 5

#: Most rows of effect sizes, unless they are asked for.
EFFECTS_SHOWN = 12

#: A figure of the matrix with its mark: "0.9496*".
CELL_WIDTH = 7

#: Colour of a verdict by its kind; the words say the same.
_STYLES = {"winner": "green", "trade-off": "magenta", "tie": ""}


def print_pairwise(out: Console, p: Pairwise, rule: Rule, *, effects: bool = False) -> None:
    """Print the verdict, where everybody stands, the pairs, and the words.

    Effect sizes follow for pairs that have a verdict, or with `effects` for the surest pairs.
    """
    verdicts, decided = PairVerdicts.of(p, rule), p.decided(rule)
    names = p.results.algorithms
    short = short_names(names)
    spread = pairwise_notes_on_spread(p.tables)
    each = f" ({spread} for each pair)" if spread else ""
    out.print(rename_in(f"{p.method.name}: {about_table(p.results)}{each}", short), style="dim")
    prefix = common_prefix(names)
    if prefix:
        out.print(f"All names begin with “{prefix}”, which is left out.", style="dim")
    out.print()
    out.print(rename_in(pairwise_headline(verdicts, p.method), short), style="bold")
    out.print()
    _print_facts(out, p, verdicts, rule, short)
    _print_standings(out, verdicts, short)
    _print_decided(out, p, decided, rule, short)
    _print_matrix(out, p, rule, verdicts.names, short)
    _print_pair_effects(out, p, decided, effects=effects)
    out.print(rename_in(p.explained(rule), short))


def _print_facts(
    out: Console, p: Pairwise, verdicts: PairVerdicts, rule: Rule, short: dict[str, str]
) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for title, text in pairwise_facts(p, verdicts, rule).items():
        style = _STYLES["trade-off"] if title == "Trade-offs" else ""
        table.add_row(title, Text(rename_in(text, short), style=style))
    out.print(table)
    out.print()


def _print_standings(out: Console, verdicts: PairVerdicts, short: Mapping[str, str]) -> None:
    """Print the places and the number of verdicts of each algorithm."""
    frame = verdicts.printed()
    table = new_table("algorithm", *frame.columns, title="Where each stands", wrap=True)
    for name, row in frame.head(ROWS_SHOWN).iterrows():
        beaten = bool(verdicts.beaten_by[str(name)])
        cells = [numbers.count(float(value)) for value in row]
        table.add_row(short[str(name)], *cells, style="dim" if beaten else "")
    out.print(table)
    if len(frame) > ROWS_SHOWN:
        out.print(f"and {numbers.count(len(frame) - ROWS_SHOWN)} more\n")


def _print_pair_effects(out: Console, p: Pairwise, decided: pd.DataFrame, *, effects: bool) -> None:
    """Print how large the differences are: of the verdicts, or on demand of the surest pairs."""
    shown = decided if effects else decided[decided["asserted"]]
    pairs = zip(shown["first"], shown["second"], strict=True)
    rows = PAIRS_SHOWN if effects else EFFECTS_SHOWN
    most = max(1, rows // len(p.results.measures))
    named = [pair for pair in itertools.islice(pairs, most) if pair in p]
    if named:
        print_effects(out, p, named)


def _marked(p: Pairwise, decided: pd.DataFrame, rule: Rule) -> set[tuple[str, str]]:
    """Cells of the matrix that a verdict is about."""
    if p.bayesian or p.method.directed:
        return set(p.ordered(rule).edges)
    rows = decided[decided["asserted"]].itertuples()
    pairs = [(str(row.first), str(row.second)) for row in rows]
    return {*pairs, *((second, first) for first, second in pairs)}


def _print_matrix(
    out: Console, p: Pairwise, rule: Rule, by_place: Sequence[str], short: Mapping[str, str]
) -> None:
    decided = p.decided(rule)
    marked = _marked(p, decided, rule)
    out.print(_matrix_title(p), style="bold")
    if p.reference is not None:
        out.print(_against(p, p.reference, marked, rule, by_place, short))
    else:
        # Beyond these the matrix would fill screen after screen.
        names = by_place[:ROWS_SHOWN]
        at = {name: k for k, name in enumerate(p.results.algorithms)}
        matrix = p.matrix.values
        heads = _headings([short[name] for name in names], out.width)
        for columns in _blocks(heads, out.width):
            table = new_table("", *(heads[short[names[j]]] for j in columns))
            for row in names:
                cells = (
                    _cell(matrix[at[row], at[names[j]]], p, (row, names[j]) in marked, rule)
                    for j in columns
                )
                table.add_row(_row_name(short[row], heads), *cells)
            out.print(table)
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
        return directed if p.method.directed else "p-value of each pair"
    if p.method.scope.question:
        return "P that the row dominates the column"
    if p.method.scope.measure:
        return "P that “row better than column” holds on most datasets"
    return "P that “row better than column on every measure” is the most probable statement"


def _against(
    p: Pairwise,
    reference: str,
    marked: set[tuple[str, str]],
    rule: Rule,
    by_place: Sequence[str],
    short: Mapping[str, str],
) -> Table:
    """Show the row and the column of the reference side by side; the other cells are empty."""
    heads = ["row better", f"{short[reference]} better"] if p.bayesian else ["p"]
    if p.method.directed:
        heads = ["row dominates", f"{short[reference]} dominates"]
    table = new_table(f"against {short[reference]}", *heads)
    for name in by_place:
        if name != reference:
            cells = [
                _cell(float(p.matrix.sel(algorithm=a, opponent=b)), p, (a, b) in marked, rule)
                for a, b in ((name, reference), (reference, name))[: len(heads)]
            ]
            table.add_row(short[name], *cells)
    return table


def _headings(names: Sequence[str], width: int) -> dict[str, str]:
    """Head the columns by name if all fit side by side, else by number."""
    longest = max(map(len, names))
    if longest + sum(max(len(name), CELL_WIDTH) + 2 for name in names) <= width:
        return {name: name for name in names}
    return {name: str(place) for place, name in enumerate(names, 1)}


def _row_name(name: str, heads: dict[str, str]) -> str:
    return name if heads[name] == name else f"{heads[name]:>2} {name}"


def _blocks(heads: dict[str, str], width: int) -> Iterator[range]:
    """Split the columns into blocks that fit side by side."""
    left = min(max(len(_row_name(name, heads)) for name in heads), width // 2)
    each = max(CELL_WIDTH, *(len(head) for head in heads.values())) + 2
    fit = max(1, (width - left) // each)
    for start in range(0, len(heads), fit):
        yield range(start, min(start + fit, len(heads)))


def _cell(figure: float, p: Pairwise, asserted: bool, rule: Rule) -> Text:
    """Write a figure; the mark repeats what the colour says, for readers without colour."""
    write = numbers.format_probability if p.bayesian else numbers.format_pvalue
    levels = rule.held("probability" if p.bayesian else "pvalue")
    text = write(figure, levels=levels, more=1) or "·"
    strong = figure >= LIKELY if p.bayesian else figure <= SIGNIFICANT
    style = "bold green" if asserted else "green" if strong else ""
    return Text(text + ("*" if asserted else " "), style=style)


#: Letters that fit into the column of statements on a terminal of usual width.
_NARROW = 24

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


def _print_decided(
    out: Console, p: Pairwise, decided: pd.DataFrame, rule: Rule, short: Mapping[str, str]
) -> None:
    """Print the pairs that have a verdict, and some of the others."""
    same = p.learned is None
    one = len(p.results.measures) == 1 or decided["parts"].isna().all()
    unsaid = {*(["alone"] if same else []), *(["parts"] if one else [])}
    shown = [name for name in _FIGURES if name in decided and name not in unsaid]
    heads = [_FIGURES[name] for name in shown]
    title = "Statements by pair, * a verdict"
    table = new_table("", "pair", "n", "statement", *heads, left=4, title=title)
    rows = min(PAIRS_SHOWN, int(decided["asserted"].sum()) + OPEN_SHOWN)
    for row in decided.head(rows).to_dict("records"):
        statement = Statement.parse(str(row["statement"]), (row["first"], row["second"]))
        label = str(statement.renamed(lambda name: short.get(name, name)))
        if len(label) > LABEL_WIDTH:
            # The column before has the names.
            roles = {row["first"]: "first", row["second"]: "second"}
            label = str(statement.renamed(roles.__getitem__))
        written = statement_in_printed_table(label, p.results.measures)
        table.add_row(
            "*" if row["asserted"] else "",
            f"{short[row['first']]}, {short[row['second']]}",
            numbers.count(row["n"]),
            # A long code breaks after a bar, not within a name.
            written.replace("|", "| ") if len(written) > _NARROW else written,
            *(figure_text(name, row[name], levels=rule.held(name)) or "·" for name in shown),
            style=_STYLES[pair_kind(statement)] if row["asserted"] else "",
        )
    out.print(table)
    more = len(decided) - rows
    if more > 0:
        left = int(decided["asserted"].iloc[rows:].sum())
        with_verdict = f"{numbers.count(left)} of them with a verdict" if left else "all open"
        out.print(f"and {numbers.count(more)} more, {with_verdict}\n")
