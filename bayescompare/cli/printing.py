"""Tables of words and figures on the terminal, and what there is: methods, examples, models.

Every string is printed literally, markup and emoji codes in names included, and every table can
be read without colour and at 100 columns, which is what a pipe gets.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from bayescompare import methods
from bayescompare.text import numbers

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.diagnosis import Diagnosis
    from bayescompare.studies.sbc import SBC

__all__ = [
    "console",
    "print_calibration",
    "print_diagnosis",
    "print_examples",
    "print_frame",
    "print_method",
    "print_methods",
    "print_models",
    "print_rows",
    "print_words",
]

#: Columns of a pipe; one narrower than the second is a mistake.
_PIPE, _NARROWEST = 100, 40

#: Rows of a table that are printed.
ROWS = 30


def console() -> Console:
    """Return a console for standard output that prints every string literally.

    A pipe is as wide as ``COLUMNS`` says, if it says anything sensible.
    """
    wanted = os.environ.get("COLUMNS", "")
    piped = int(wanted) if wanted.isdecimal() and int(wanted) >= _NARROWEST else _PIPE
    width = None if sys.stdout.isatty() else piped
    return Console(width=width, markup=False, emoji=False, highlight=False)


def print_rows(
    out: Console,
    heads: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    left: int = 1,
    title: str | None = None,
    wrap: bool = False,
    most: int = ROWS,
    total: int = 0,
) -> None:
    """Print a table whose first `left` columns are words and whose others are figures.

    A row is a style and its cells; with `wrap` long heads are broken rather than cut. Of `total`
    rows the first `most` are printed, and how many are left.
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
    for style, *cells in itertools.islice(rows, most):
        # What takes several lines is set apart.
        several = any("\n" in cell for cell in cells[:left])
        table.add_row(*cells, style=style, end_section=several)
    if title is not None:
        out.print(title, style="bold")
    out.print(table)
    if total > most:
        out.print(f"and {numbers.count(total - most)} more\n")


def print_words(out: Console, frame: pd.DataFrame, **how: Any) -> None:
    """Print a frame of texts as it is, but for its index."""
    if not frame.empty:
        rows = (("", *map(str, row)) for row in frame.itertuples(index=False))
        print_rows(out, [str(head) for head in frame], rows, **how)


def print_frame(out: Console, title: str, frame: pd.DataFrame) -> None:
    """Print a frame of figures, with the words of their columns."""
    from bayescompare.text.phrases import cell_text

    heads = [str(head) for head in frame]
    rows = (
        ("", str(label), *(cell_text(head, row[head]) for head in heads))
        for label, row in frame.head(ROWS).astype(object).iterrows()
    )
    columns = [str(frame.index.name), *heads]
    print_rows(out, columns, rows, title=title, wrap=True, total=len(frame))


# what there is ------------------------------------------------------------------------------------


def print_examples(out: Console) -> None:
    """Print what is bundled."""
    from bayescompare.table.examples import examples, load_example

    rows = []
    for example in examples():
        results = load_example(example.name)
        measures = "\n".join(f"{name} {results[name].direction}" for name in results.measures)
        sizes = (str(len(results.datasets)), str(len(results.algorithms)))
        rows.append(("", example.name, *sizes, f"{measures}\n", example.source))
    heads = ["name", "datasets", "algorithms", "measures", "source"]
    print_rows(out, heads, rows, left=5, most=len(rows))


def print_methods(out: Console) -> None:
    """Print every method's name and what it does."""
    rows = [("", name, title) for name, title in methods.names().items()]
    print_rows(out, ["method", "what it is"], rows, left=2, most=len(rows))


def print_method(out: Console, name: str) -> None:
    """Print one method: what it asks, its options, its priors and where it is from."""
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
    options, priors = options_table(method).reset_index(), priors_table(method).reset_index()
    print_words(out, options, left=options.shape[1])
    title = "Priors that priors={name: …} can replace"
    print_words(out, priors, left=priors.shape[1], title=title)


# simulations ------------------------------------------------------------------------------------


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print the verdict on a posterior and the figures behind it."""
    out.print(diagnosis.verdict, style="bold" if diagnosis.ok else "bold red")
    rows = [("", name, value) for name, value in diagnosis.written().items()]
    print_rows(out, ["figure", "value"], rows)


def print_calibration(out: Console, calibration: SBC) -> None:
    """Print the verdict on the ranks and the figures behind it."""
    verdict = "ranks are uniform" if calibration.ok else "ranks are NOT uniform"
    size = numbers.plural(len(calibration.ranks), "simulation")
    out.print(f"{calibration.model}: {size}, {verdict}", style="bold")
    heads = {"mean": "mean rank", "pvalue": "p-value"}
    print_frame(out, "", calibration.table.rename(columns=heads).rename_axis("quantity"))


def print_models(out: Console) -> None:
    """Print the bundled models with the first line of their docstrings."""
    import ast

    from bayescompare._model_files import bundled

    # Read, not run: listing models runs no code.
    docs = {
        name: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for name, path in bundled().items()
    }
    rows = [("", name, doc.split("\n", 1)[0]) for name, doc in docs.items()]
    print_rows(out, ["model", "what it is"], rows, left=2, most=len(rows))
    out.print("Use one with --method NAME; copy one to edit it with 'models copy NAME'.")
