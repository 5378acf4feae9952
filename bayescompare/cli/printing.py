"""Answers on the terminal: the verdict block, then the tables that a page has too.

Every string is printed literally, markup and emoji codes in names included, and every table can
be read without colour and at 100 columns, which is what a pipe gets.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from bayescompare.cli.process import ASCII
from bayescompare.outcome.pair_figures import datasets_spread
from bayescompare.outcome.words import comparison_block
from bayescompare.report.card import card_text
from bayescompare.report.page import Table, frame_table
from bayescompare.report.tables import (
    comparison_tables,
    decisions_table,
    effect_tables,
    front_tables,
    gate_table,
    place_tables,
    standings_table,
)
from bayescompare.text import numbers
from bayescompare.text.names import short_names

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

#: Rows of a table that are printed, and of one of statements or places.
_ROWS, _FEW = 30, 15

#: Most pairs that are listed, of those without a verdict only the surest, and rows of effect sizes
#: unless they are asked for.
_PAIRS, _OPEN, _EFFECTS = 40, 5, 12

#: Letters of a figure of the matrix with its mark: "0.9496*".
_CELL = 7


def console() -> Console:
    """Return a console for standard output that prints every string literally.

    A pipe is as wide as ``COLUMNS`` says, if it says anything sensible.
    """
    wanted = os.environ.get("COLUMNS", "")
    piped = int(wanted) if wanted.isdecimal() and int(wanted) >= _NARROWEST else _PIPE
    width = None if sys.stdout.isatty() else piped
    return Console(width=width, markup=False, emoji=False, highlight=False)


def print_table(out: Console, table: Table, most: int | None = _ROWS) -> None:
    """Print a table, the rows that matter in bold; of more than `most` rows how many are left."""
    # What the encoding lacks is replaced before columns get their widths.
    signs = {} if out.encoding.lower().startswith("utf") else ASCII
    drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for place, head in enumerate(table.heads):
        words = place < table.text
        # Long heads are broken rather than cut, and words rather than figures.
        drawn.add_column(
            head.translate(signs),
            justify="left" if words else "right",
            no_wrap=not words and len(head) <= _CELL,
            overflow="fold",
            min_width=min(8, max((len(str(row[place])) for row in table.rows), default=8)),
        )
    marks = itertools.chain(table.marked, itertools.repeat(False))
    for row, marked in itertools.islice(zip(table.rows, marks, strict=False), most):
        # What takes several lines is set apart.
        several = any("\n" in cell for cell in row[: table.text])
        cells = (str(cell).translate(signs) for cell in row)
        drawn.add_row(*cells, style="bold" if marked else "", end_section=several)
    if table.title:
        out.print(table.title, style="bold")
    out.print(drawn)
    shown = len(table.rows) if most is None else min(most, len(table.rows))
    if left := len(table.rows) - shown + table.more:
        out.print(f"and {numbers.count(left)} more\n")


def print_frame(out: Console, title: str, frame: pd.DataFrame, most: int | None = _ROWS) -> None:
    """Print a frame whose index has a name."""
    if not frame.empty:
        print_table(out, frame_table(title, frame, len(frame)), most)


def print_block(out: Console, block: Block) -> None:
    """Print the verdict block."""
    coloured = out.is_terminal and not out.no_color
    out.print(Text.from_ansi(card_text(block, width=out.width, colour=coloured)), end="\n\n")


# answers ------------------------------------------------------------------------------------------


def print_comparison(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    """Print the verdict and every table of a comparison."""
    block = comparison_block(c)
    # An order of mean ranks is not what is tested; the ranks themselves follow.
    print_block(out, replace(block, rows=()) if "ranks" in dir(c) else block)
    if len(c.results.algorithms) > 2:
        # Orderings of many need the room.
        summary = summary.drop(columns=["theta_lower", "theta_upper"], errors="ignore")
    for table in comparison_tables(c, summary):
        print_table(out, table, _FEW)


def print_pairwise(out: Console, p: Pairwise, rule: Rule, *, effects: bool = False) -> None:
    """Print the verdict, where everybody stands, the pairs, and how sure each of them is.

    Effect sizes follow for pairs that have a verdict, or with `effects` for the surest pairs.
    """
    from bayescompare.outcome.board_words import pairs_block
    from bayescompare.outcome.verdicts import PairVerdicts

    verdicts, decided = PairVerdicts(p, rule), p.decided(rule)
    block, names = pairs_block(p, rule), p.results.algorithms
    # The sentences about two have whole names; those about many say what is left out.
    short = short_names(names) if len(names) > 2 else {name: name for name in names}
    if spread := datasets_spread(p.tables):
        block = replace(block, about=f"{block.about} ({spread} for each pair)")
    print_block(out, block)
    # Against a reference the list says all that a matrix would.
    listed = _PAIRS if p.reference else min(_PAIRS, int(decided["asserted"].sum()) + _OPEN)
    matrix = [] if p.reference else [_matrix(p, rule, verdicts.names, short, out.width)]
    # Of the verdicts, or on demand of the surest pairs.
    large = decided if effects else decided[decided["asserted"]]
    most = max(1, (_PAIRS if effects else _EFFECTS) // len(p.results.measures))
    pairs = itertools.islice(zip(large["first"], large["second"], strict=True), most)
    named = [pair for pair in pairs if pair in p]
    for table in (
        standings_table(verdicts),
        decisions_table(p, decided, rule, most=listed),
        *matrix,
        *(effect_tables(p, named) if named else []),
    ):
        print_table(out, table.renamed(short), None)


def _matrix(
    p: Pairwise, rule: Rule, by_place: Sequence[str], short: dict[str, str], width: int
) -> Table:
    """Return each pair's figure in both directions; of many algorithms the first, numbered."""
    write = numbers.format_probability if p.bayesian else numbers.format_pvalue
    levels = rule.held("probability" if p.bayesian else "pvalue")
    beats = set(p.ordered(rule).edges)
    values = p.matrix.to_series()
    title = "P that “row better than column on every measure” is the most probable statement"
    if not p.bayesian:
        directed = "one-sided p-value of “row dominates column”"
        title = directed if p.directed else "p-value of each pair"
    elif p.method.scope.question:
        title = "P that the row dominates the column"
    elif p.method.scope.measure:
        title = "P that “row better than column” holds on most datasets"
    columns, labels = by_place, dict(short)
    longest, heads = max(map(len, short.values())), [short[name] for name in by_place]
    if longest + sum(max(len(each), _CELL) + 3 for each in heads) > width:
        labels = {name: f"{k:>2} {short[name]}" for k, name in enumerate(by_place, 1)}
        columns = columns[: max(1, (width - min(longest + 3, width // 2)) // (_CELL + 3))]
        heads = [labels[name].split()[0] for name in columns]
    rows = [
        [
            labels[row],
            *(
                (write(values[row, name], levels=levels, more=1) or "·")
                + ("*" if (row, name) in beats else " ")
                for name in columns
            ),
        ]
        for row in columns
    ]
    return Table(f"{title}, * a verdict", ["", *heads], rows, more=len(by_place) - len(rows))


def print_ranking(out: Console, r: Ranking) -> None:
    """Print the verdict, the places and who is on the front."""
    from bayescompare.ranking.words import ranking_block

    print_block(out, ranking_block(r))
    for table in [*place_tables(r), *front_tables(r)]:
        print_table(out, table, _FEW)


def print_gate(out: Console, g: Gate) -> None:
    """Print the verdict and a row for each measure."""
    from bayescompare.ranking.words import gate_block

    print_block(out, gate_block(g))
    print_table(out, gate_table(g))


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
    print_frame(out, "", options_table(method))
    print_frame(out, "Priors that priors={name: …} can replace", priors_table(method))


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print the verdict on a posterior and the figures behind it."""
    out.print(diagnosis.verdict, style="bold" if diagnosis.ok else "bold red")
    print_table(out, Table("", ["figure", "value"], list(diagnosis.written().items())))


def print_calibration(out: Console, calibration: SBC) -> None:
    """Print the verdict on the ranks and the figures behind it."""
    verdict = "ranks are uniform" if calibration.ok else "ranks are NOT uniform"
    size = numbers.plural(len(calibration.ranks), "simulation")
    out.print(f"{calibration.model}: {size}, {verdict}", style="bold")
    heads: dict[Any, str] = {"mean": "mean rank", "pvalue": "p-value"}
    print_frame(out, "", calibration.table.rename(columns=heads).rename_axis("quantity"))
