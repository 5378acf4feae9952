"""`read_results`, `read_errors` and `read_predictions`: files as tables."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bayescompare._checks import check_path, check_word, pointing, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.table.cells import ReplicateKind
from bayescompare.table.checks import check_spec, domain_facts
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.files import (
    Format,
    header_of,
    is_read_in_pieces,
    parse_table,
    pieces_of,
    truth_of_words,
)
from bayescompare.table.frames import is_dataframe
from bayescompare.table.input import (
    Named,
    Paths,
    algorithm_label,
    input_limits,
    labelled_run,
    list_paths,
    naming,
)
from bayescompare.table.item_reader import (
    ItemReader,
    replicate_kind_of_items,
)
from bayescompare.table.layouts import LAYOUTS, Layout, as_long
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.results import Results
from bayescompare.text.names import meant_name, quoted_names, repeated_name


@pointing
def read_results(
    path: Paths,
    *,
    measures: Mapping[str, Direction | Measure],
    dataset: str = "dataset",
    algorithm: str = "algorithm",
    replicate: str | None = None,
    replicates: ReplicateKind = "folds",
    cluster: str | None = None,
    epoch: str | None = None,
    keep_items: bool | None = None,
    group: str | None = None,
    weight: str | None = None,
    rename: Mapping[str, str] | None = None,
    drop_columns: Collection[str] = (),
    layout: Layout = "auto",
    format: Format | None = None,
    sheet: str | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
) -> Results:
    r"""Read a table of results from a file, or from several files together.

    Parameters
    ----------
    path : path, iterable of paths, or mapping of str to those
        A csv, tsv, json, jsonl, parquet or xlsx file, which may be compressed (``.csv.gz``,
        ``.csv.zst``). A pattern such as ``"runs/*.csv"`` names all files that match it. The rows
        of several files are one table. A mapping labels runs: ``{"5-shot": "a.csv"}`` is the
        algorithm of a file that has none, or goes before its own names.
    measures : mapping of str to {"max", "min"} or Measure
        What was measured, and which way is better.
    dataset, algorithm, replicate : str
        The columns with the names; `replicate` is optional.
    replicates : {"folds", "seeds", "items"}
        What the replicates are, as in `Results.from_frame`.
    cluster, epoch : str, optional
        Of items: the columns of what they belong to, and of repeated runs of one item, as in
        `Results.from_frame`.
    keep_items : bool, optional
        Whether to keep every item, or only statistics of them, as in `Results.from_frame`. By
        default a long table of items above a million rows (parquet) or 64 MiB (csv, tsv) is read
        in pieces, and statistics are kept.
    group, weight : str, optional
        The columns with the domain and the weight of each dataset, as in `Results.from_frame`.
    rename : mapping of str to str, optional
        New names of columns, as in ``{"acc": "accuracy"}``; other arguments use the new names.
    drop_columns : collection of str
        Columns to leave out, which a wide table would take for algorithms.
    layout : {"auto", "long", "wide"}
        Long has an `algorithm` column, and a column for each measure (or ``measure`` and
        ``value`` columns); other columns are ignored. Wide has one row per dataset: with one
        measure every other column is an algorithm, with several a pair such as
        ``"svm_accuracy"`` or ``"accuracy svm"``. "auto" decides by the columns.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "xlsx"}, optional
        By default what the file's suffix says.
    sheet : str, optional
        The sheet of an xlsx file that has several.
    max_cells, max_bytes : int, optional
        The most cells that the table may have, gaps included, and the most bytes of a file,
        unpacked. Default: 50 million and 512 MiB.

    Returns
    -------
    Results
        With `path` as its source.

    Notes
    -----
    Names stay as written, except that spaces after a separator are dropped: ``001`` and ``NA`` are
    names. In the columns of measures an empty cell and the words NA, N/A, NaN, null and None are
    missing cells.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "wide.csv"
    >>> _ = path.write_text("dataset,svm,forest\niris,0.95,0.94\nwine,0.97,\n")
    >>> results = read_results(path, measures={"accuracy": "max"})
    >>> results.algorithms
    ('svm', 'forest')
    >>> results.missing()
      dataset algorithm   measure
    0    wine    forest  accuracy
    """
    reading = TableReading(
        measures=measures,
        dataset=dataset,
        algorithm=algorithm,
        replicate=replicate,
        replicates=replicates,
        cluster=cluster,
        epoch=epoch,
        keep_items=keep_items,
        group=group,
        weight=weight,
        rename=rename,
        drop_columns=drop_columns,
        layout=layout,
        format=format,
        sheet=sheet,
    )
    with input_limits(max_cells=max_cells, max_bytes=max_bytes):
        return read_tables(path, reading)


def read_tables(paths: Any, reading: TableReading) -> Results:
    """Read one or several tables as `read_results` does."""
    remedy = "a list of paths, or a mapping of labels to paths"
    if is_dataframe(paths):
        remedy = "and for a DataFrame use Results.from_frame"
    elif not isinstance(paths, bytes) and isinstance(paths, (str, os.PathLike, Iterable)):
        return _read_files(*list_paths(paths), reading)
    raise BayescompareError(f"path is a {type(paths).__name__}: give the path of a file, {remedy}.")


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How tables are read: the arguments of `read_results`, checked.

    Attributes
    ----------
    loosely : bool
        Whether a measure may be meant by the beginning of its name, in any case.
    """

    measures: Mapping[str, Direction | Measure]
    dataset: str = "dataset"
    algorithm: str = "algorithm"
    replicate: str | None = None
    replicates: ReplicateKind = "folds"
    cluster: str | None = None
    epoch: str | None = None
    keep_items: bool | None = None
    group: str | None = None
    weight: str | None = None
    rename: Mapping[str, str] | None = None
    drop_columns: Collection[str] = ()
    layout: Layout = "auto"
    format: str | None = None
    sheet: str | None = None
    loosely: bool = False

    def __post_init__(self) -> None:
        vars(self).update(measures=check_spec(self.measures))
        columns: list[object] = [*self.roles.values(), *self.facts.values()]
        for column in columns:
            if not isinstance(column, str):
                raise BayescompareError(
                    f"{show_checked_value(column)}: give a column's name, a string."
                )
        check_word("layout", self.layout, LAYOUTS)
        vars(self).update(
            replicates=replicate_kind_of_items(self.replicates, self.roles, self.keep_items)
        )
        new: object = {} if self.rename is None else self.rename
        gone: object = self.drop_columns
        if not isinstance(new, Mapping) or not all(
            isinstance(name, str) and name for pair in new.items() for name in pair
        ):
            raise BayescompareError(
                f"rename={show_checked_value(new)}: give a mapping of columns to their new names, "
                "as in {'acc': 'accuracy'}."
            )
        gone = [gone] if isinstance(gone, str) else gone
        if not isinstance(gone, Collection) or not all(isinstance(name, str) for name in gone):
            raise BayescompareError(
                f"drop_columns={show_checked_value(gone)}: give a list of columns, as in ['rank']."
            )
        vars(self).update(rename=dict(new), drop_columns=tuple(gone))

    def _given(self, *arguments: str) -> dict[str, str]:
        named = {name: getattr(self, name) for name in arguments}
        return {name: column for name, column in named.items() if column is not None}

    @cached_property
    def roles(self) -> dict[str, str]:
        """The columns of dataset, algorithm, and perhaps replicate, cluster and epoch."""
        return self._given("dataset", "algorithm", "replicate", "cluster", "epoch")

    @cached_property
    def facts(self) -> dict[str, str]:
        """The columns ``group`` and ``weight`` that were named."""
        return self._given("group", "weight")

    @property
    def spec(self) -> dict[str, Measure]:
        """The measures, checked."""
        return self.measures  # type: ignore[return-value]

    @property
    def items(self) -> bool:
        """Whether the rows are test items."""
        return self.replicates == "items" and self.replicate is not None

    @cached_property
    def old_names(self) -> dict[str, str]:
        """What the files call the columns that are renamed."""
        return {new: old for old, new in (self.rename or {}).items()}

    @property
    def names(self) -> set[str]:
        """The columns that stay as written, as the files call them."""
        words = {*self.roles.values(), *self._given("group").values(), "measure"}
        return {self.old_names.get(name, name) for name in words}

    def edited(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with its columns renamed, and without those that are left out."""
        return edited(table, self.rename or {}, self.drop_columns)


def edited(
    table: pd.DataFrame, rename: Mapping[str, str], drop_columns: Collection[str]
) -> pd.DataFrame:
    """Return a table with its columns renamed, and without those that are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"data": ["iris"], "rank": [1], "svm": [0.9]})
    >>> edited(table, {"data": "dataset"}, ["rank"])
      dataset  svm
    0    iris  0.9
    """
    if not (rename or drop_columns):
        return table
    names = [str(column) for column in table.columns]
    for argument, wanted in (("rename", rename), ("drop_columns", drop_columns)):
        for name in wanted:
            if name not in names:
                raise BayescompareError(
                    f"{argument}= names no column: there is no {name!r}; the columns are "
                    f"{quoted_names(names)}.{did_you_mean(name, names)}"
                )
    kept = [name for name in names if name not in drop_columns]
    after = [rename.get(name, name) for name in kept]
    twice = repeated_name(after)
    if twice is not None:
        raise BayescompareError(
            f"rename=: two columns would be called {twice!r}; leave one out by drop_columns=."
        )
    return table.set_axis(names, axis=1)[kept].set_axis(after, axis=1)


def _read_files(files: Sequence[Named], source: str, reading: TableReading) -> Results:
    """Read one or several files as one table."""
    if reading.items and _are_read_in_pieces(files, reading):
        return _read_in_pieces(files, reading, source)
    tables: list[tuple[Path, pd.DataFrame]] = []
    for file, label in files:
        with naming(file):
            table = _read_one(file, label, reading)
            if not tables:
                reading = _with_meant_measures(reading, table)
            results = _results_of(table, reading, source)  # so that errors name the file
            if len(files) == 1:
                return results
            tables.append((file, _as_long(table, reading)))
    _check_files_apart(tables, list(reading.roles))
    roles: Any = {role: role for role in reading.roles}
    reading = replace(reading, **roles, layout="long")
    whole = pd.concat([table for _, table in tables], ignore_index=True)
    return _results_of(whole, reading, source)


# one file ----------------------------------------------------------------------------------------


def _read_one(file: Path, label: str | None, reading: TableReading) -> pd.DataFrame:
    table = parse_table(file, reading.format, names=reading.names, sheet=reading.sheet)
    return _labelled(reading.edited(table), label, reading)


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
        return table.assign(**{column: algorithm_label(label)})
    own = table[column].astype(str)
    alone = own.nunique() == 1
    names = {name: labelled_run(label, name, alone=alone) for name in own.unique()}
    return table.assign(**{column: own.map(names).map(algorithm_label)})


def _is_of_one_run(table: pd.DataFrame, reading: TableReading) -> bool:
    """Whether a table without a column of algorithms has the measures of one, and is not wide."""
    names = [str(column) for column in table.columns]
    measured = [meant_name(name, names) if reading.loosely else name for name in reading.spec]
    return set(measured) <= set(names) or {"measure", "value"} <= set(names)


def _with_meant_measures(reading: TableReading, table: pd.DataFrame) -> TableReading:
    """Find the measures that were meant; in a wide table their names are free."""
    if not reading.loosely or reading.algorithm not in table:
        return reading
    others = {*reading.roles.values(), *reading.facts.values()}
    columns = [str(column) for column in table.columns if str(column) not in others]
    if {"measure", "value"} <= set(columns) and not set(columns) & set(reading.spec):
        columns = table["measure"].astype(str).unique().tolist()
    meant: dict[str, Measure] = {}
    for name, measure in reading.spec.items():
        own = meant_name(name, columns)
        if own in meant:
            raise BayescompareError(f"measure {own!r} is given twice, once as {name!r}.")
        meant[own] = measure
    return replace(reading, measures=meant)


def _with_truth(table: pd.DataFrame, columns: Iterable[str | None]) -> pd.DataFrame:
    """Convert the words true and false, which stand for booleans in a text file."""
    there = {name: truth_of_words(table[name]) for name in columns if name in table}
    return table.assign(**there)  # type: ignore[arg-type]


def _results_of(table: pd.DataFrame, reading: TableReading, source: str) -> Results:
    named: dict[str, Any] = {**reading.roles, **reading.facts}
    return Results.from_frame(
        _with_truth(table, reading.spec if reading.replicates == "items" else ()),
        measures=reading.spec,
        replicates=reading.replicates,
        keep_items=reading.keep_items,
        layout=reading.layout,
        source=source,
        **named,
    )


# several files -----------------------------------------------------------------------------------


def _as_long(table: pd.DataFrame, reading: TableReading) -> pd.DataFrame:
    """Return a table with a column for each role, called after it."""
    facts = list(reading.facts.values())
    long, roles = as_long(
        table, reading.roles, reading.spec, reading.layout, facts=facts, items=reading.items
    )
    renamed = {column: role for role, column in roles.items()}
    kept = [*renamed, *reading.spec, *(name for name in facts if name in long)]
    return long.set_axis(long.columns.astype(str), axis=1)[kept].rename(columns=renamed)


def _check_files_apart(tables: Sequence[tuple[Path, pd.DataFrame]], roles: Sequence[str]) -> None:
    """Refuse a cell that two files have."""
    keys = pd.concat(
        [table[roles].astype(str).drop_duplicates() for _, table in tables],
        keys=range(len(tables)),
        names=["file", None],
    )
    twice = keys[keys.duplicated(keep=False)]
    if twice.empty:
        return
    cell = tuple(twice.iloc[0])
    places = twice[(twice == list(cell)).all(axis=1)].index.get_level_values("file")
    both = [str(tables[int(place)][0]) for place in places[:2]]
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
        with naming(file):
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
    with naming(first):
        empty = _labelled(reading.edited(header_of(first, reading.format)), label, reading)
        reading = _with_meant_measures(reading, empty)
    reader = ItemReader(reading.roles, reading.spec)
    for file, label in files:
        with naming(file):
            for piece in _pieces(file, label, reading):
                reader.add(piece)
    with naming(first if len(files) == 1 else Path(source)):
        results = Results(spec=dict(reading.spec), source=source, **reader.summary())
        return results._with(**_facts_of_items(files, reading)) if reading.facts else results


def _pieces(file: Path, label: str | None, reading: TableReading) -> Iterator[pd.DataFrame]:
    before = reading.old_names
    roles = {role: before.get(column, column) for role, column in reading.roles.items()}
    if label is not None and roles["algorithm"] not in header_of(file, reading.format):
        del roles["algorithm"]
    measures = [before.get(name, name) for name in reading.spec]
    for piece in pieces_of(file, reading.format, roles, measures):
        whole = piece.rename(columns=dict(reading.rename or {}))
        yield _labelled(_with_truth(whole, reading.spec), label, reading)


def _facts_of_items(files: Sequence[Named], reading: TableReading) -> dict[str, Any]:
    """Read the domains and weights of the datasets, which pieces do not have."""
    tables = [_read_one(file, label, reading) for file, label in files]
    return domain_facts(
        pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0],
        reading.roles["dataset"],
        group=reading.group,
        weight=reading.weight,
    )


# counts of errors --------------------------------------------------------------------------------


def read_errors(
    path: str | os.PathLike[str],
    *,
    first_wrong: str,
    second_wrong: str,
    both_wrong: str | None = None,
    n: str | None = None,
    algorithms: Sequence[str] | None = None,
    dataset: str = "dataset",
    format: Format | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
) -> ErrorCounts:
    r"""Read counts of paired errors: one row per dataset, as for `ErrorCounts.from_frame`.

    Parameters
    ----------
    path : str or path-like
        A csv, tsv, json, jsonl, parquet or xlsx file, which may be compressed.
    first_wrong, second_wrong, both_wrong, n, dataset : str
        The columns.
    algorithms : pair of str, optional
        The algorithms' names; by default those of the first two columns.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "xlsx"}, optional
        By default what the file's suffix says.
    max_cells, max_bytes : int, optional
        As for `read_results`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "errors.csv"
    >>> _ = path.write_text("dataset,svm,nn\niris,3,5\nwine,0,2\n")
    >>> read_errors(path, first_wrong="svm", second_wrong="nn").algorithms
    ('svm', 'nn')
    """
    columns: dict[str, str | None] = {"first_wrong": first_wrong, "second_wrong": second_wrong}
    columns |= {"both_wrong": both_wrong, "n": n, "dataset": dataset}
    with _reading_counts(path, columns, max_cells=max_cells, max_bytes=max_bytes) as file:
        return ErrorCounts.from_frame(
            parse_table(file, format, names={dataset}),
            dataset=dataset,
            first_wrong=first_wrong,
            second_wrong=second_wrong,
            both_wrong=both_wrong,
            n=n,
            algorithms=(first_wrong, second_wrong) if algorithms is None else algorithms,
            source=str(path),
        )


def read_predictions(
    path: str | os.PathLike[str],
    *,
    correct: str | None = None,
    y_true: str | None = None,
    y_pred: str | None = None,
    dataset: str = "dataset",
    example: str = "example",
    algorithm: str = "algorithm",
    format: Format | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
) -> ErrorCounts:
    r"""Read predictions: one row per dataset, example and algorithm, for every pair at once.

    Parameters
    ----------
    path : str or path-like
        A csv, tsv, json, jsonl, parquet or xlsx file, which may be compressed.
    correct, y_true, y_pred, dataset, example, algorithm : str
        The columns, as for `ErrorCounts.from_predictions`. Labels are compared as written.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "xlsx"}, optional
        By default what the file's suffix says.
    max_cells, max_bytes : int, optional
        As for `read_results`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "predictions.csv"
    >>> _ = path.write_text(
    ...     "dataset,example,algorithm,correct\niris,1,A,true\niris,1,B,false\n"
    ... )
    >>> [only.tolist() for only in read_predictions(path, correct="correct").pair("A", "B")]
    [[0.0], [1.0]]
    """
    columns: dict[str, str | None] = {"correct": correct, "y_true": y_true, "y_pred": y_pred}
    columns |= {"dataset": dataset, "example": example, "algorithm": algorithm}
    with _reading_counts(path, columns, max_cells=max_cells, max_bytes=max_bytes) as file:
        names = {dataset, example, algorithm, *filter(None, (y_true, y_pred))}
        return ErrorCounts.from_predictions(
            _with_truth(parse_table(file, format, names=names), [correct]),
            dataset=dataset,
            example=example,
            algorithm=algorithm,
            correct=correct,
            y_true=y_true,
            y_pred=y_pred,
            source=str(path),
        )


@contextmanager
def _reading_counts(
    path: object, columns: Mapping[str, object], **limits: int | None
) -> Iterator[Path]:
    """Check the path and the columns of a file of counts, whose name errors begin with."""
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"path is a {type(path).__name__}: give the path of a file; for a DataFrame use "
            "ErrorCounts.from_frame or .from_predictions."
        )
    file = check_path(path)
    for argument, column in columns.items():
        if not (column is None or isinstance(column, str)):
            raise BayescompareError(
                f"{argument}={show_checked_value(column)}: give a column's name, a string."
            )
    with naming(file), input_limits(**limits):
        yield file
