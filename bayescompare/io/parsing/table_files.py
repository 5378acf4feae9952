"""One table from one or several files: each read, edited and labelled, then put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.columns import ColumnEdits, meant_name, meant_table_measures
from bayescompare.io.parsing.files import parse_table_file
from bayescompare.io.parsing.paths import Named, naming_path_in_errors
from bayescompare.io.parsing.pieces import header_of_pieces, is_read_in_pieces, pieces_of
from bayescompare.io.parsing.runs import labelled_parsed_run
from bayescompare.io.parsing.selection import parsed_algorithm_label
from bayescompare.io.parsing.truth import truth_of_words
from bayescompare.results.domains import results_domain_facts
from bayescompare.results.items.reader import ItemReader
from bayescompare.results.items.table import item_summary_fields
from bayescompare.results.layouts import Layout, results_layout_as_long
from bayescompare.results.measure import Measure
from bayescompare.results.replicates import ReplicateKind
from bayescompare.results.results import Results

__all__ = ["TableReading", "read_table_files"]


@dataclass(frozen=True)
class TableReading:
    """How tables are read, checked already.

    Attributes
    ----------
    roles : mapping of str to str
        The columns of dataset, algorithm, and perhaps replicate, cluster and epoch.
    spec : mapping of str to Measure
    facts : mapping of str to str
        The columns ``group`` and ``weight`` that were named.
    kind : {"folds", "seeds", "items"}
    keep_items : bool, optional
    layout, format, sheet
        As for `read_results`.
    edits : ColumnEdits
    loosely : bool
        Whether a measure may be meant by the beginning of its name, in any case.
    """

    roles: Mapping[str, str]
    spec: Mapping[str, Measure]
    facts: Mapping[str, str]
    kind: ReplicateKind
    keep_items: bool | None
    layout: Layout
    format: str | None
    sheet: str | None
    edits: ColumnEdits
    loosely: bool = False

    @property
    def items(self) -> bool:
        """Whether the rows are test items."""
        return self.kind == "items" and "replicate" in self.roles

    @property
    def names(self) -> set[str]:
        """The columns that stay as written, as the files call them."""
        words = {*self.roles.values(), "measure"}
        words |= {column for fact, column in self.facts.items() if fact == "group"}
        return self.edits.names_in_file(words)


def read_table_files(files: Sequence[Named], source: str, reading: TableReading) -> Results:
    """Read one or several files as one table."""
    if reading.items and _are_read_in_pieces(files, reading):
        return _read_in_pieces(files, reading, source)
    tables: list[pd.DataFrame] = []
    for file, label in files:
        with naming_path_in_errors(file):
            table = _read_one(file, label, reading)
            if not tables:
                reading = _with_meant_measures(reading, table)
            if len(files) == 1:
                return _results_of(table, reading, source)
            _results_of(table, reading, source)  # so that errors name the file
            tables.append(_as_long(table, reading))
    _check_files_apart([file for file, _ in files], tables, list(reading.roles))
    roles = {role: role for role in reading.roles}
    whole = replace(reading, roles=roles, layout="long")
    return _results_of(pd.concat(tables, ignore_index=True), whole, source)


# one file ----------------------------------------------------------------------------------------


def _read_one(file: Path, label: str | None, reading: TableReading) -> pd.DataFrame:
    table = parse_table_file(file, reading.format, names=reading.names, sheet=reading.sheet)
    return _labelled(reading.edits.apply(table), label, reading)


def _labelled(table: pd.DataFrame, label: str | None, reading: TableReading) -> pd.DataFrame:
    """Name the algorithm of a run after its label, in front of its own name if it has several."""
    if label is None:
        return table
    column = reading.roles["algorithm"]
    if column not in table:
        if not _is_of_one_run(table, reading):
            raise BayescompareError(
                f"label {label!r}: the table has neither a column {column!r} nor one for each "
                "measure, so it is not the table of a run."
            )
        return table.assign(**{column: parsed_algorithm_label(label)})
    own = table[column].astype(str)
    alone = own.nunique() == 1
    names = {name: labelled_parsed_run(label, name, alone=alone) for name in own.unique()}
    return table.assign(**{column: own.map(names).map(parsed_algorithm_label)})


def _is_of_one_run(table: pd.DataFrame, reading: TableReading) -> bool:
    """Whether a table without a column of algorithms has the measures of one, and is not wide."""
    names = [str(column) for column in table.columns]
    measured = [meant_name(name, names) if reading.loosely else name for name in reading.spec]
    return set(measured) <= set(names) or {"measure", "value"} <= set(names)


def _with_meant_measures(reading: TableReading, table: pd.DataFrame) -> TableReading:
    """Find the measures that were meant; in a wide table their names are free."""
    if not reading.loosely or reading.roles["algorithm"] not in table:
        return reading
    others = {*reading.roles.values(), *reading.facts.values()}
    return replace(reading, spec=meant_table_measures(reading.spec, table, others))


def _results_of(table: pd.DataFrame, reading: TableReading, source: str) -> Results:
    if reading.kind == "items":
        there = [name for name in reading.spec if name in table]
        table = table.assign(**{name: truth_of_words(table[name]) for name in there})
    named: dict[str, Any] = {**reading.roles, **reading.facts}
    return Results.from_frame(
        table,
        measures=reading.spec,
        replicates=reading.kind,
        keep_items=reading.keep_items,
        layout=reading.layout,
        source=source,
        **named,
    )


# several files -----------------------------------------------------------------------------------


def _as_long(table: pd.DataFrame, reading: TableReading) -> pd.DataFrame:
    """Return a table with a column for each role, called after it."""
    facts = list(reading.facts.values())
    long, roles = results_layout_as_long(
        table, reading.roles, reading.spec, reading.layout, facts=facts, items=reading.items
    )
    renamed = {column: role for role, column in roles.items()}
    kept = [*renamed, *reading.spec, *(name for name in facts if name in long)]
    return long.set_axis(long.columns.astype(str), axis=1)[kept].rename(columns=renamed)


def _check_files_apart(
    files: Sequence[Path], tables: Sequence[pd.DataFrame], roles: Sequence[str]
) -> None:
    """Refuse a cell that two files have."""
    keys = pd.concat(
        [table[roles].astype(str).drop_duplicates() for table in tables],
        keys=range(len(tables)),
        names=["file", None],
    )
    twice = keys[keys.duplicated(keep=False)]
    if twice.empty:
        return
    cell = tuple(twice.iloc[0])
    places = twice[(twice == list(cell)).all(axis=1)].index.get_level_values("file")
    both = [str(files[int(place)]) for place in places[:2]]
    more = len(twice.drop_duplicates()) - 1
    rest = f" and {more} more" if more else ""
    names = ", ".join(map(repr, cell))
    raise BayescompareError(
        f"{both[0]} and {both[1]} both have the {', '.join(roles)} {names}{rest}: leave out one, "
        "or give them different names, as in {'first': ..., 'second': ...}."
    )


# large tables of items ---------------------------------------------------------------------------


def _are_read_in_pieces(files: Sequence[Named], reading: TableReading) -> bool:
    """Whether all can be read in pieces, and one is so large that it should."""
    pieces = []
    for file, _ in files:
        with naming_path_in_errors(file):
            pieces.append(is_read_in_pieces(file, reading.format, reading.keep_items))
    return any(pieces)


def _read_in_pieces(files: Sequence[Named], reading: TableReading, source: str) -> Results:
    """Read large tables of items in pieces, and keep their statistics."""
    if reading.layout == "wide":
        raise BayescompareError(
            f"{files[0][0]}: layout='wide': a large table of items is read in pieces, and must be "
            "long, with one row per item and algorithm."
        )
    first, label = files[0]
    with naming_path_in_errors(first):
        empty = _labelled(
            reading.edits.apply(header_of_pieces(first, reading.format)), label, reading
        )
        reading = _with_meant_measures(reading, empty)
    reader = ItemReader(reading.roles, reading.spec)
    for file, label in files:
        with naming_path_in_errors(file):
            for piece in _pieces(file, label, reading):
                reader.add(piece)
    with naming_path_in_errors(first if len(files) == 1 else Path(source)):
        fields = item_summary_fields(reader.summary())
        results = Results(spec=dict(reading.spec), source=source, **fields)
        return results._with(**_facts_of_items(files, reading)) if reading.facts else results


def _pieces(file: Path, label: str | None, reading: TableReading) -> Iterator[pd.DataFrame]:
    new = dict(reading.edits.rename)
    before = {name: old for old, name in new.items()}
    header = [str(column) for column in header_of_pieces(file, reading.format).columns]
    roles = {role: before.get(column, column) for role, column in reading.roles.items()}
    if label is not None and roles["algorithm"] not in header:
        del roles["algorithm"]
    measures = [before.get(name, name) for name in reading.spec]
    for piece in pieces_of(file, reading.format, roles, measures):
        yield _labelled(piece.rename(columns=new), label, reading)


def _facts_of_items(files: Sequence[Named], reading: TableReading) -> dict[str, Any]:
    """Read the domains and weights of the datasets, which pieces do not have."""
    tables = [_read_one(file, label, reading) for file, label in files]
    return results_domain_facts(
        pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0],
        reading.roles["dataset"],
        group=reading.facts.get("group"),
        weight=reading.facts.get("weight"),
    )
