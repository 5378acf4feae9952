"""What the tab key offers: methods, models, examples, formats, and the columns of a csv file.

A shell asks while somebody waits, so nothing heavy is imported, and whatever fails offers nothing.
"""

from __future__ import annotations

import csv
import itertools
import os
import shlex
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["columns_of_file", "examples", "formats", "measures", "methods", "models", "only"]


def methods(incomplete: str) -> list[tuple[str, str]]:
    """Offer the methods with their titles, and the bundled models.

    Examples
    --------
    >>> [name for name, _ in methods("gsd")]
    ['gsd', 'gsd-bootstrap']
    """
    from bayescompare.outcome.registry import names

    known = {**names(), **dict.fromkeys(models(""), "a model file")}
    return [(name, title) for name, title in known.items() if name.startswith(incomplete)]


def models(incomplete: str) -> list[str]:
    """Offer the bundled models."""
    from bayescompare._model_files import bundled

    return _beginning_with(incomplete, bundled())


def examples(incomplete: str) -> list[tuple[str, str]]:
    """Offer the bundled tables, with their descriptions."""
    from bayescompare.table.examples import examples

    known = {example.name: example.description for example in examples()}
    return [(name, known[name]) for name in _beginning_with(incomplete, known)]


def formats(incomplete: str) -> list[str]:
    """Offer the formats."""
    from bayescompare.readers import FORMATS

    return _beginning_with(incomplete, FORMATS)


def measures(incomplete: str) -> list[str]:
    """Offer the columns of the file that was typed."""
    return _beginning_with(incomplete, columns_of_file(_typed_words()))


def only(incomplete: str) -> list[str]:
    """Offer the measures that were declared, or those of the example."""
    from bayescompare.table.examples import examples

    after = list(itertools.pairwise(_typed_words()))
    chosen = [value for flag, value in after if flag == "--example"]
    known = [name for one in examples() if one.name in chosen for name in one.measures]
    known += [text.partition(":")[0] for flag, text in after if flag in ("-m", "--measure")]
    # Of a comma list the last name is incomplete.
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _beginning_with(last, known)]


def _typed_words() -> list[str]:
    """Return the words of the command line, which Typer cannot parse while an option is open."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)
    except ValueError:  # a quotation is open, too
        return line.split()


def _beginning_with(start: str, known: Iterable[str]) -> list[str]:
    return [name for name in known if name.startswith(start)]


def columns_of_file(words: Iterable[str]) -> list[str]:
    """Return the header of the first csv or tsv file among some words."""
    from bayescompare.table.input import name_unpacked, open_unpacked

    for path in map(Path, words):
        delimiter = {".csv": ",", ".tsv": "\t"}.get(Path(name_unpacked(path)).suffix)
        if delimiter is None or not path.is_file():
            continue
        with suppress(Exception), open_unpacked(path) as file:
            line = file.readline(2**16).decode("utf-8-sig")
            return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return []
