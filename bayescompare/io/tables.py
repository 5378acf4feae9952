"""`read_results`: a table of results from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from bayescompare._checks import check_path, check_word, shown
from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.files import Format, read_table
from bayescompare.io.parsing.headers import SEPARATORS
from bayescompare.io.parsing.layouts import Layout, to_results
from bayescompare.results.checks import check_spec
from bayescompare.results.measure import Direction, Measure
from bayescompare.results.replicates import REPLICATE_KINDS, ReplicateKind
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
    roles = {"dataset": dataset, "algorithm": algorithm}
    if replicate is not None:
        roles["replicate"] = replicate
    _check_arguments(path, list(roles.values()), layout)
    check_word("replicates", replicates, REPLICATE_KINDS)
    file = check_path(path)
    try:
        table = read_table(file, format, names={*roles.values(), "measure"})
        results = to_results(table, roles, spec, layout, source=str(path))
        return results if replicates == "folds" else results._with(replicates=replicates)
    except BayescompareError as error:
        # With several files, it matters most which one it was.
        raise BayescompareError(f"{file}: {error}") from None


def _check_arguments(path: object, columns: list[object], layout: object) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"path is a {type(path).__name__}: give the path of a file; for a DataFrame use "
            "Results.from_frame."
        )
    for column in columns:
        if not isinstance(column, str):
            raise BayescompareError(f"{shown(column)}: give a column's name, a string.")
    for column in columns:
        if columns.count(column) > 1:
            raise BayescompareError(
                f"column {column!r} is given for two of dataset=, algorithm= and replicate=: "
                "name a different column for each."
            )
    check_word("layout", layout, ("auto", "long", "wide"))
