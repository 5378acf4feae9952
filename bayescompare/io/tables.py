"""`read_results`: a table of results from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bayescompare._checks import check_path, check_word, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.files import Format, parse_table_file
from bayescompare.io.parsing.pieces import is_read_in_pieces, pieces_of
from bayescompare.io.parsing.truth import truth_of_words
from bayescompare.results.checks import check_spec
from bayescompare.results.domains import results_domain_facts
from bayescompare.results.headers import SEPARATORS
from bayescompare.results.items.frame import replicate_kind_of_items
from bayescompare.results.items.reader import ItemReader
from bayescompare.results.items.table import check_keep_items, item_summary_fields
from bayescompare.results.layouts import LAYOUTS, Layout
from bayescompare.results.measure import Direction, Measure
from bayescompare.results.replicates import ReplicateKind
from bayescompare.results.results import Results

__all__ = ["SEPARATORS", "read_results"]


def read_results(
    path: str | os.PathLike[str],
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
    layout: Layout = "auto",
    format: Format | None = None,
) -> Results:
    r"""Read a table of results from a file.

    Parameters
    ----------
    path : str or path-like
        A csv, tsv, parquet or json file; text may be compressed (``.csv.gz``).
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
    layout : {"auto", "long", "wide"}
        Long has an `algorithm` column, and a column for each measure (or ``measure`` and
        ``value`` columns); other columns are ignored. Wide has one row per dataset: with one
        measure every other column is an algorithm, with several a pair such as
        ``"svm_accuracy"`` or ``"accuracy svm"``. "auto" decides by the columns.
    format : {"csv", "tsv", "parquet", "json"}, optional
        By default what the file's suffix says.

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
    spec = check_spec(measures)
    more = {"replicate": replicate, "cluster": cluster, "epoch": epoch}
    roles = {"dataset": dataset, "algorithm": algorithm}
    roles |= {role: column for role, column in more.items() if column is not None}
    about = {"group": group, "weight": weight}
    facts = [column for column in about.values() if column is not None]
    _check_read_table_arguments(path, [*roles.values(), *facts], layout)
    kind = replicate_kind_of_items(replicates, more)
    check_keep_items(keep_items)
    file = check_path(path)
    names = {*roles.values(), "measure", *([group] if group is not None else [])}
    table = partial(parse_table_file, file, format, names=names)
    try:
        if (
            kind == "items"
            and replicate is not None
            and _read_table_in_pieces(file, format, keep_items)
        ):
            results = _read_table_of_items(file, roles, spec, layout, format, str(path))
            known = (
                results_domain_facts(table(), dataset, group=group, weight=weight) if facts else {}
            )
            return results._with(**known)
        frame = table()
        if kind == "items":
            for name in set(spec) & set(frame.columns):
                frame[name] = truth_of_words(frame[name])
        return Results.from_frame(
            frame,
            dataset=dataset,
            algorithm=algorithm,
            **more,
            replicates=kind,
            keep_items=keep_items,
            measures=spec,
            group=group,
            weight=weight,
            layout=layout,
            source=str(path),
        )
    except BayescompareError as error:
        # With several files, it matters most which one it was.
        raise BayescompareError(f"{file}: {error}") from None


def _read_table_in_pieces(file: Path, format: Format | None, keep_items: bool | None) -> bool:
    return keep_items is False or (keep_items is None and is_read_in_pieces(file, format))


def _read_table_of_items(
    file: Path,
    roles: Mapping[str, str],
    spec: Mapping[str, Measure],
    layout: Layout,
    format: Format | None,
    source: str,
) -> Results:
    """Read a large table of items in pieces, and keep their statistics."""
    if layout == "wide":
        raise BayescompareError(
            "layout='wide': a large table of items is read in pieces, and must be long, with one "
            "row per item and algorithm."
        )
    reader = ItemReader(roles, spec)
    for piece in pieces_of(file, format, roles, list(spec)):
        reader.add(piece)
    return Results(spec=spec, source=source, **item_summary_fields(reader.summary()))


def _check_read_table_arguments(path: object, columns: list[object], layout: object) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"path is a {type(path).__name__}: give the path of a file; for a DataFrame use "
            "Results.from_frame."
        )
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
    check_word("layout", layout, LAYOUTS)
