"""What the command line prints: rich tables of comparisons, methods and examples.

Every string is printed literally, markup and emoji codes in names included, and every table can
be read without colour and at 100 columns, which is what a pipe gets.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from bayescompare import methods
from bayescompare.comparison.claims import PARTS_TITLE, printed_parts
from bayescompare.comparison.columns import THETA_LOWER, THETA_UPPER
from bayescompare.comparison.effects import EFFECTS_TITLE, printed_comparison_effects
from bayescompare.io import examples, load_example
from bayescompare.methods._shared.option_tables import (
    options_table,
    priors_table,
    read_shared_docstring,
)
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.numbers import plural
from bayescompare.text.phrases import (
    COLUMN_TITLES,
    cell_text,
    figure_text,
    interval_title_phrases,
    join_names,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.diagnosis import Diagnosis
    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.studies.sbc import SBC
    from bayescompare.table.results import Results

__all__ = [
    "about_table",
    "console",
    "new_table",
    "print_calibration",
    "print_comparison",
    "print_diagnosis",
    "print_effects",
    "print_examples",
    "print_method",
    "print_methods",
    "print_models",
    "statement_in_printed_table",
]

PIPE_WIDTH = 100
STATEMENTS_SHOWN = 15
ROWS_SHOWN = 30
LINES_SHOWN = 8

#: A label up to this long is printed as it is; a longer one is split by measure.
LABEL_WIDTH = 44

_QUESTIONS = {
    "most probable": "it is the most probable statement",
    "beats opposite": "it is more probable than its opposite",
    "majority": "it holds on more than half of all datasets",
    "expected": "it holds on the next dataset",
}


#: A pipe narrower than this is a mistake.
_LEAST_WIDTH = 40


def console() -> Console:
    """Return a console for standard output that prints every string literally.

    A pipe is as wide as ``COLUMNS`` says, if it says anything sensible.
    """
    wanted = os.environ.get("COLUMNS", "")
    piped = int(wanted) if wanted.isdecimal() and int(wanted) >= _LEAST_WIDTH else PIPE_WIDTH
    width = None if sys.stdout.isatty() else piped
    return Console(width=width, markup=False, emoji=False, highlight=False)


def statement_in_printed_table(label: str, measures: Sequence[str]) -> str:
    """Write a statement so that it stays legible: as its label, or a line per ordering.

    Examples
    --------
    >>> statement_in_printed_table("B>A|A>B", ["accuracy", "time"])
    'B>A|A>B'
    >>> print(statement_in_printed_table("C>A>B|C>A>B|A>B>C", ["auc", "accuracy", "time"]))
    auc and accuracy: C > A > B
    time: A > B > C
    """
    statement = Statement.parse(label)
    if len(statement.states) != len(measures):  # one question, whatever the measures
        return label
    if all(len(state.names) <= 2 for state in statement.states) and len(label) <= LABEL_WIDTH:
        return label
    by_state = statement.by_state(measures)
    lines = [f"{join_names(on)}: {state.spaced()}" for state, on in by_state.items()]
    more = len(lines) - LINES_SHOWN
    return "\n".join([*lines[:LINES_SHOWN], *([f"… and {more} more"] if more > 0 else [])])


def new_table(*headings: str, left: int = 1, title: str | None = None, wrap: bool = False) -> Table:
    """Make a table whose first `left` columns are words and whose others are figures.

    With `wrap` long headings are broken rather than cut.
    """
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
    )
    for place, heading in enumerate(headings):
        words = place < left
        table.add_column(
            heading,
            justify="left" if words else "right",
            no_wrap=not (words or wrap),
            overflow="fold",
            min_width=8 if wrap and words else None,
        )
    return table


def about_table(results: Results) -> str:
    """Name the algorithms, the measures and the number of datasets."""
    measures = [f"{name} ({results[name].direction})" for name in results.measures]
    return (
        f"{join_names(results.algorithms, most=8)} on {join_names(measures, most=8)} over "
        f"{plural(len(results.datasets), 'dataset')}"
    )


# one comparison -----------------------------------------------------------------------------------


def print_comparison(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    """Print verdict, words, statements, questions and independent groups of measures."""
    out.print(f"{c.method.name}: {about_table(c.results)}", style="dim")
    out.print(c.headline(), style="bold")
    for caveat in c.caveats:
        out.print(f"Careful: {caveat}")
    orders = statement_in_printed_table(c.best, c.results.measures)
    if "\n" in orders:
        # The headline leaves out the middle of long orders.
        out.print(orders)
    out.print()
    out.print(c.explain())
    out.print()
    # An order of mean ranks is not what is tested; the ranks themselves follow.
    if "ranks" not in c.method.provides:
        _print_terminal_statements(out, c, summary)
    parts = printed_parts(c.decision)
    if len(parts):
        _print_terminal_frame(out, PARTS_TITLE, parts)
    print_effects(out, c)
    if "questions" in c.method.provides:
        _print_terminal_questions(out, c)
    if "components" in c.method.provides:
        _print_terminal_components(out, c)
    for title, frame in c.tables.items():
        _print_terminal_frame(out, title, frame)


def _print_terminal_statements(out: Console, c: Comparison, summary: pd.DataFrame) -> None:
    if summary.index.name != "statement":
        _print_terminal_frame(out, "Pairs", summary)
        return
    more = len(summary) - STATEMENTS_SHOWN
    if len(c.results.algorithms) > 2:
        # Orderings of many need the room.
        summary = summary.drop(columns=[THETA_LOWER, THETA_UPPER], errors="ignore")
    titles = dict(COLUMN_TITLES)
    if "ci_prob" in summary.attrs:
        titles |= interval_title_phrases(summary.attrs["ci_prob"], summary.attrs["ci_kind"])
    table = new_table("statement", *(titles.get(str(name), str(name)) for name in summary))
    for label, row in summary.head(STATEMENTS_SHOWN).iterrows():
        figures = [figure_text(str(name), float(value)) or "·" for name, value in row.items()]
        text = statement_in_printed_table(str(label), c.results.measures)
        style = "bold" if label == c.best else ""
        table.add_row(text, *figures, style=style, end_section="\n" in text)
    out.print(table)
    if more > 0:
        out.print(f"and {numbers.count(more)} more\n")


def print_effects(
    out: Console, thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> None:
    """Print how large the differences are, of a comparison or of some pairs."""
    rows = printed_comparison_effects(thing, pairs)
    if rows.empty:
        return
    words = list(rows.columns).index("measure") + 1
    table = new_table(*map(str, rows.columns), left=words, title=EFFECTS_TITLE, wrap=True)
    for row in rows.itertuples(index=False):
        table.add_row(*map(str, row))
    out.print(table)


def _print_terminal_questions(out: Console, c: Comparison) -> None:
    table = new_table(
        "question", "meaning", "P", left=2, title="Four questions about the first statement"
    )
    for name, value in c.questions.items():
        table.add_row(
            str(name),
            _QUESTIONS.get(str(name), ""),
            numbers.format_probability(float(value)) or "·",
        )
    out.print(table)


def _print_terminal_components(out: Console, c: Comparison) -> None:
    title = "Independent groups of measures, each by itself"
    table = new_table("group", "statement", "computed", "P", left=3, title=title)
    for part in c.components.to_dict("records"):
        best = statement_in_printed_table(part["best"], part["measures"])
        how = "exact" if part["exact"] else "Monte Carlo"
        table.add_row(
            join_names(part["measures"], most=20),
            best,
            how,
            numbers.format_probability(part["probability"]),
        )
    out.print(table)


def _print_terminal_frame(out: Console, title: str, frame: pd.DataFrame) -> None:
    heads = [str(head) for head in frame.columns]
    table = new_table(str(frame.index.name), *heads, title=None, wrap=True)
    out.print(title, style="bold")
    for label, row in frame.head(ROWS_SHOWN).astype(object).iterrows():
        cells = (cell_text(head, value) for head, value in zip(heads, row, strict=True))
        table.add_row(str(label), *cells)
    out.print(table)
    if len(frame) > ROWS_SHOWN:
        out.print(f"and {numbers.count(len(frame) - ROWS_SHOWN)} more\n")


# posterior ----------------------------------------------------------------------------------------


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print the verdict on a posterior and the figures behind it."""
    out.print(diagnosis.verdict, style="bold" if diagnosis.ok else "bold red")
    table = new_table("figure", "value")
    for name, value in diagnosis.written().items():
        table.add_row(name, value)
    out.print(table)


# methods and examples -----------------------------------------------------------------------------


def print_calibration(out: Console, calibration: SBC) -> None:
    """Print the verdict on the ranks and the figures behind it."""
    verdict = "ranks are uniform" if calibration.ok else "ranks are NOT uniform"
    size = plural(len(calibration.ranks), "simulation")
    out.print(f"{calibration.model}: {size}, {verdict}", style="bold")
    heads = {"mean": "mean rank", "chi2": "p-value (shape)", "ks": "p-value (drift)"}
    _print_terminal_frame(out, "", calibration.table.rename(columns=heads).rename_axis("quantity"))


def print_models(out: Console) -> None:
    """Print the bundled models with the first line of their docstrings."""
    import ast

    from bayescompare._model_files import bundled

    table = new_table("model", "what it is", left=2)
    for name, path in bundled().items():
        # Read, not run: listing models runs no code.
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        table.add_row(name, doc.split("\n", 1)[0])
    out.print(table)
    out.print("Use one with --method NAME; copy one to edit it with 'models copy NAME'.")


def print_examples(out: Console) -> None:
    """Print what is bundled."""
    headings = ("name", "datasets", "algorithms", "measures", "source")
    table = new_table(*headings, left=5)
    for example in examples():
        results = load_example(example.name)
        measures = "\n".join(f"{name} {results[name].direction}" for name in results.measures)
        sizes = (str(len(results.datasets)), str(len(results.algorithms)))
        table.add_row(example.name, *sizes, measures, example.source, end_section=True)
    out.print(table)


def print_methods(out: Console) -> None:
    """Print every method's name and what it does."""
    table = new_table("method", "what it is", left=2)
    for name, title in methods.names().items():
        table.add_row(name, title)
    out.print(table)


def print_method(out: Console, name: str) -> None:
    """Print one method: what it asks, its options, its priors and where it is from."""
    method = methods.get(name)
    head, _ = read_shared_docstring(inspect.getdoc(method) or "")
    out.print(f"{name}: {method.title}", style="bold")
    out.print(head)
    out.print(f"Reference: {method.reference}")
    out.print()
    _print_terminal_words(out, options_table(method))
    _print_terminal_words(
        out, priors_table(method), title="Priors that priors={name: …} can replace"
    )


def _print_terminal_words(out: Console, frame: pd.DataFrame, *, title: str | None = None) -> None:
    if frame.empty:
        return
    rows = frame.reset_index()
    table = new_table(*map(str, rows.columns), left=rows.shape[1], title=title)
    for row in rows.itertuples(index=False):
        table.add_row(*map(str, row))
    out.print(table)
