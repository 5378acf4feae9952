"""`read_results`: a table of results from one or several files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from bayescompare._checks import check_word, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare._input import input_limits
from bayescompare.io.parsing.columns import column_edits
from bayescompare.io.parsing.files import Format
from bayescompare.io.parsing.paths import Paths, list_paths
from bayescompare.io.parsing.table_files import TableReading, read_table_files
from bayescompare.results.checks import check_spec
from bayescompare.results.dataframes import is_dataframe
from bayescompare.results.headers import SEPARATORS
from bayescompare.results.items.frame import replicate_kind_of_items
from bayescompare.results.items.table import check_keep_items
from bayescompare.results.layouts import LAYOUTS, Layout
from bayescompare.results.measure import Direction, Measure
from bayescompare.results.replicates import ReplicateKind
from bayescompare.results.results import Results

__all__ = ["SEPARATORS", "read_results", "read_tables", "table_reading"]


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
    reading = table_reading(
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


def read_tables(paths: Paths, reading: TableReading) -> Results:
    """Read one or several tables as `read_results` does."""
    _check_table_paths(paths)
    return read_table_files(*list_paths(paths), reading)


def table_reading(
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
    loosely: bool = False,
) -> TableReading:
    """Check the arguments of `read_results`."""
    spec = check_spec(measures)
    more = {"replicate": replicate, "cluster": cluster, "epoch": epoch}
    roles = {"dataset": dataset, "algorithm": algorithm}
    roles |= {role: column for role, column in more.items() if column is not None}
    about = {"group": group, "weight": weight}
    facts = {fact: column for fact, column in about.items() if column is not None}
    _check_read_table_columns([*roles.values(), *facts.values()])
    check_word("layout", layout, LAYOUTS)
    kind = replicate_kind_of_items(replicates, more)
    check_keep_items(keep_items)
    edits = column_edits(rename, drop_columns)
    return TableReading(roles, spec, facts, kind, keep_items, layout, format, sheet, edits, loosely)


def _check_table_paths(paths: object) -> None:
    if is_dataframe(paths):
        raise BayescompareError(
            f"path is a {type(paths).__name__}: give the path of a file; for a DataFrame use "
            "Results.from_frame."
        )
    if not isinstance(paths, (str, os.PathLike, Iterable)) or isinstance(paths, bytes):
        raise BayescompareError(
            f"path is a {type(paths).__name__}: give the path of a file, a list of paths, or a "
            "mapping of labels to paths."
        )


def _check_read_table_columns(columns: list[object]) -> None:
    for column in columns:
        if not isinstance(column, str):
            raise BayescompareError(
                f"{show_checked_value(column)}: give a column's name, a string."
            )
    for column in columns:
        if columns.count(column) > 1:
            raise BayescompareError(
                f"column {column!r} is given for two of dataset=, algorithm=, replicate=, "
                "cluster=, epoch=, group= and weight=: name a different column for each."
            )
