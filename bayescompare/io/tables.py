"""Files of results: first bytes to a table, then a table of either shape to `Results`."""

from __future__ import annotations

import csv
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from bayescompare._errors import BayescompareError, closest
from bayescompare.measures import Direction, Measure
from bayescompare.results import Results, check_spec, fault_words, non_numbers

__all__ = ["read_results"]

type Layout = Literal["auto", "long", "wide"]
type Format = Literal["csv", "tsv", "parquet", "json"]

SEPARATORS = (" ", "_", ".", ":", "/", "|", "-")
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


def read_results(
    path: str | os.PathLike[str],
    *,
    measures: Mapping[str, Direction | Measure],
    dataset: str = "dataset",
    algorithm: str = "algorithm",
    replicate: str | None = None,
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
    layout : {"auto", "long", "wide"}
        Long has an `algorithm` column, and a column for each measure (or ``measure`` and
        ``value`` columns); other columns are ignored. Wide has one row per dataset: with one
        measure every other column is an algorithm, with several a pair such as
        ``"svm_accuracy"`` or ``"accuracy svm"``. "auto" tells them apart by their columns.
    format : {"csv", "tsv", "parquet", "json"}, optional
        By default what the file's suffix says.

    Returns
    -------
    Results
        With `path` as its source.

    Notes
    -----
    Names stay as written, but for spaces after a separator: ``001`` and ``NA`` are names. In the
    columns of measures an empty cell and the words NA, N/A, NaN, null and None are missing cells.

    Examples
    --------
    >>> import tempfile
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
    names = _Names(dataset, algorithm, replicate)
    _check_roles(names)
    _check_layout(layout)
    file = _check_path(path)
    with _naming(file):
        _check_file(file)
        kind = _format_of(file, format)
        table = _READERS[kind](file)
        if kind in _TEXT_FORMATS:
            table = _parse_cells(table, keep=names)
        return _to_results(table, names, spec, layout, source=str(path))


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the path before every message: with several files, which one it was matters most."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{path}: {error}") from None


# ---------------------------------------------------------------------------------- bytes to table


def _check_path(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"path is a {type(path).__name__}: give the path of a file; a DataFrame goes to "
            "Results.from_frame."
        )
    return Path(os.fsdecode(path))


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise BayescompareError("is a directory: name a file in it.")
    if not path.exists():
        raise BayescompareError("no such file.")


def _format_of(path: Path, format: str | None) -> str:
    if format is not None:
        if format not in _READERS:
            raise BayescompareError(
                f"format={format!r}: must be one of {', '.join(_READERS)}."
                f"{closest(str(format), _READERS)}"
            )
        return format
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in _SUFFIXES:
        raise BayescompareError(
            f"unknown suffix {suffix!r} (known: {', '.join(_SUFFIXES)}): say format=, one of "
            f"{', '.join(_READERS)}."
        )
    return _SUFFIXES[suffix]


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BayescompareError(f"cannot be decompressed ({error}).") from None
    except OSError as error:
        raise BayescompareError(f"cannot be read ({error}).") from None
    if not content.strip():
        raise BayescompareError("the file is empty.")
    return content


def _read_text(path: Path) -> str:
    try:
        return _read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BayescompareError(
            f"not UTF-8 text (byte {error.start} is 0x{error.object[error.start]:02x}): "
            "save it as UTF-8."
        ) from None


def _read_delimited(path: Path, delimiter: str) -> pd.DataFrame:
    """Read the cells as text, each row labelled with its line.

    Not with pandas, which renames a column that is there twice, pads short rows, takes the first
    column of long rows as an index and reads the names 001 and NA as 1 and NaN.
    """
    lines = StringIO(_read_text(path), newline="")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise BayescompareError(f"malformed at line {reader.line_num} ({error}).") from None
    if not rows:
        raise BayescompareError("the file is empty.")
    (_, header), *body = rows
    _check_header(header, delimiter)
    for line, row in body:
        if len(row) != len(header):
            raise BayescompareError(
                f"line {line} has {len(row)} cells where the header has {len(header)}."
            )
    if not body:
        raise BayescompareError("only a header, no rows.")
    labels = pd.Index([line for line, _ in body], name="line")
    return pd.DataFrame([row for _, row in body], columns=header, index=labels, dtype=object)


def _check_header(header: Sequence[str], delimiter: str) -> None:
    _check_distinct(header)
    for other in ",;\t":
        if len(header) == 1 and other != delimiter and other in header[0]:
            raise BayescompareError(
                f"the only column is {header[0]!r}: its cells are separated by {other!r}, not by "
                f"{delimiter!r}."
            )


def _check_distinct(columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise BayescompareError(f"column {column!r} is there twice: rename or remove one.")
        seen.add(column)


def _read_csv(path: Path) -> pd.DataFrame:
    return _read_delimited(path, ",")


def _read_tsv(path: Path) -> pd.DataFrame:
    return _read_delimited(path, "\t")


def _read_json(path: Path) -> pd.DataFrame:
    # Not with pandas, which reads the name "001" as 1 and some columns as dates.
    try:
        content = json.loads(_read_text(path), object_pairs_hook=_distinct_keys)
    except json.JSONDecodeError as error:
        raise BayescompareError(f"malformed JSON ({error}).") from None
    except RecursionError:
        raise BayescompareError("malformed JSON (nested too deeply).") from None
    table = _json_table(content)
    if table.empty:
        raise BayescompareError("the table has no rows.")
    return table


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _check_distinct([key for key, _ in pairs])
    return dict(pairs)


def _json_table(content: object) -> pd.DataFrame:
    try:
        if isinstance(content, list) and all(isinstance(row, dict) for row in content):
            return pd.DataFrame(content)
        if isinstance(content, dict) and all(
            isinstance(column, (list, dict)) for column in content.values()
        ):
            return pd.DataFrame(content)
    except ValueError as error:
        raise BayescompareError(f"not a table ({error}).") from None
    raise BayescompareError(
        "not a table: give a list of records, or an object with a list for each column."
    )


def _read_parquet(path: Path) -> pd.DataFrame:
    content = BytesIO(_read_bytes(path))
    try:
        table = pd.read_parquet(content, engine="pyarrow")
    except ImportError:
        raise BayescompareError(
            'reading parquet needs pyarrow: pip install "bayescompare[parquet]".'
        ) from None
    except (ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise BayescompareError(f"not a readable parquet file ({reason}).") from None
    # pandas stores a named index as such; to a reader of the file it is a column like any other.
    named = [name for name in table.index.names if name is not None]
    table = table.reset_index(level=named) if named else table
    table = table.set_axis([str(column) for column in table.columns], axis=1)
    _check_distinct(list(table.columns))
    if table.empty:
        raise BayescompareError("the table has no rows.")
    return table


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "json": _read_json,
}
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
}
_TEXT_FORMATS = ("csv", "tsv")


# -------------------------------------------------------------------------------- table to results


class _Names(NamedTuple):
    """The columns that hold names."""

    dataset: str
    algorithm: str
    replicate: str | None

    def roles(self, *, algorithm: bool) -> dict[str, str]:
        roles = {"dataset": self.dataset}
        if algorithm:
            roles["algorithm"] = self.algorithm
        if self.replicate is not None:
            roles["replicate"] = self.replicate
        return roles


def _parse_cells(table: pd.DataFrame, *, keep: _Names) -> pd.DataFrame:
    """Turn the text of every column but the names into numbers, where it is one."""
    names = {*keep, "measure"}
    cells = {
        column: values if column in names else [_number_or_text(cell) for cell in values]
        for column, values in table.items()
    }
    return pd.DataFrame(cells, index=table.index)


def _number_or_text(cell: str) -> float | str:
    text = cell.strip()
    if text.lower() in MISSING_WORDS:
        return float("nan")
    try:
        # Python's own digit grouping, 1_000, is no way to write a number in a table.
        return cell if "_" in text else float(text)
    except ValueError:
        return cell


def _to_results(
    table: pd.DataFrame, names: _Names, spec: Mapping[str, Measure], layout: str, source: str
) -> Results:
    _check_column(table, "dataset", names.dataset)
    if names.replicate is not None:
        _check_column(table, "replicate", names.replicate)
    if _shape_of(table, names, spec, layout) == "wide":
        return _from_wide(table, names, spec, source)
    if {"measure", "value"} <= set(table.columns) and not set(spec) & set(table.columns):
        return _from_melted(table, names, spec, source)
    return Results.from_frame(table, **names._asdict(), measures=spec, source=source)


def _check_layout(layout: str) -> None:
    if layout not in ("auto", "long", "wide"):
        raise BayescompareError(
            f"layout={layout!r}: must be 'auto', 'long' or 'wide'."
            f"{closest(str(layout), ('auto', 'long', 'wide'))}"
        )


def _check_roles(names: _Names) -> None:
    given: list[object] = [name for name in names if name is not None]
    for name in given:
        if not isinstance(name, str):
            raise BayescompareError(f"{name!r}: a column is named by a string.")
        if given.count(name) > 1:
            raise BayescompareError(
                f"column {name!r} is named for two of dataset=, algorithm= and replicate=."
            )


def _check_column(table: pd.DataFrame, argument: str, name: str) -> None:
    if name not in table.columns:
        columns = [str(column) for column in table.columns]
        raise BayescompareError(
            f"{argument}={name!r}: no such column; the columns are {_some(columns)}."
            f"{closest(str(name), columns)}"
        )


def _shape_of(
    table: pd.DataFrame, names: _Names, spec: Mapping[str, Measure], layout: str
) -> Literal["long", "wide"]:
    if layout != "auto":
        return "wide" if layout == "wide" else "long"
    # A column called as a measure is not an algorithm: it is a long table whose algorithm column
    # has another name, and Results.from_frame will say so.
    is_long = names.algorithm in table.columns or bool(set(spec) & set(table.columns))
    return "long" if is_long else "wide"


def _some(words: Sequence[str], shown: int = 12) -> str:
    rest = len(words) - shown
    return ", ".join(map(repr, words[:shown])) + (f" and {rest} more" if rest > 0 else "")


def _from_standard(
    frame: pd.DataFrame, names: _Names, spec: Mapping[str, Measure], source: str
) -> Results:
    """Build from a frame whose name columns are called dataset, algorithm and replicate."""
    replicate = None if names.replicate is None else "replicate"
    return Results.from_frame(frame, replicate=replicate, measures=spec, source=source)


# ------------------------------------------------------------------------------------------ melted


def _from_melted(
    table: pd.DataFrame, names: _Names, spec: Mapping[str, Measure], source: str
) -> Results:
    """Read a tidy table: one row per cell, with the columns measure and value."""
    _check_column(table, "algorithm", names.algorithm)
    table = table.assign(measure=table["measure"].astype(str))
    _check_melted_measures(table, spec)
    table = table[table["measure"].isin(list(spec))]
    _check_numeric(table, ["value"], names)

    roles = names.roles(algorithm=True)
    keys = table[list(roles.values())].set_axis(list(roles), axis=1)
    row = keys.groupby(list(roles), sort=False, dropna=False).ngroup()
    cells = pd.DataFrame({"row": row, "measure": table["measure"], "value": table["value"]})
    _check_melted_cells(keys, cells)
    wide = cells.pivot(index="row", columns="measure", values="value")
    # ngroup numbers the keys by first appearance, so their rows are already in pivot's order.
    frame = keys[~row.duplicated()].copy()
    frame[list(spec)] = wide[list(spec)].to_numpy()
    return _from_standard(frame, names, spec, source)


def _check_melted_measures(table: pd.DataFrame, spec: Mapping[str, Measure]) -> None:
    found = list(dict.fromkeys(table["measure"].tolist()))
    for name in spec:
        if name not in found:
            raise BayescompareError(
                f"measures[{name!r}]: not in the column 'measure', which has {_some(found)}."
                f"{closest(name, found)}"
            )


def _check_melted_cells(keys: pd.DataFrame, cells: pd.DataFrame) -> None:
    twice = cells.duplicated(["row", "measure"])
    if twice.any():
        first = [*keys[twice].iloc[0].tolist(), cells["measure"][twice].iloc[0]]
        raise BayescompareError(
            f"more than one row for the same {', '.join(map(str, keys))}, measure: "
            f"({', '.join(repr(word) for word in first)}). "
            "If they are folds or seeds, name their column with replicate=."
        )


# -------------------------------------------------------------------------------------------- wide

type Pairs = dict[str, tuple[str, str]]


def _from_wide(
    table: pd.DataFrame, names: _Names, spec: Mapping[str, Measure], source: str
) -> Results:
    """Read a table with one row per dataset (and replicate)."""
    roles = names.roles(algorithm=False)
    columns = [str(c) for c in table.columns if c not in roles.values()]
    _check_wide_columns(columns)
    if len(spec) == 1:
        (measure,) = spec
        _check_numeric(table, columns, names)
        _check_no_other_measure(columns, measure)
        pairs = {column: (column, measure) for column in columns}
    else:
        pairs = _pair_up(columns, list(spec), names)
        _check_numeric(table, columns, names)
    return _from_standard(_stack(table, roles, pairs), names, spec, source)


def _stack(table: pd.DataFrame, roles: Mapping[str, str], pairs: Pairs) -> pd.DataFrame:
    """Put the columns of each algorithm under those of the one before."""
    by_algorithm: dict[str, dict[str, str]] = {}
    for column, (algorithm, measure) in pairs.items():
        by_algorithm.setdefault(algorithm, {})[measure] = column
    blocks = [
        table[[*roles.values(), *columns.values()]]
        .set_axis([*roles, *columns], axis=1)
        .assign(algorithm=algorithm)
        for algorithm, columns in by_algorithm.items()
    ]
    return pd.concat(blocks)


def _check_wide_columns(columns: Sequence[str]) -> None:
    if not columns:
        raise BayescompareError("a wide table needs a column for each algorithm; there is none.")
    unnamed = [c for c in columns if not c.strip() or c.startswith("Unnamed:")]
    if unnamed:
        raise BayescompareError(
            f"column {unnamed[0]!r} has no name, so it is no algorithm: remove it (pandas writes "
            "no such column with to_csv(index=False))."
        )


def _check_numeric(table: pd.DataFrame, columns: Sequence[str], names: _Names) -> None:
    faults = {column: non_numbers(table[column]) for column in columns}
    texts = [
        f"{column!r} ({fault_words(cells, 1)})"
        for column, cells in faults.items()
        if not cells.empty
    ]
    if texts:
        raise BayescompareError(
            f"columns that are not numeric: {', '.join(texts)}.{_long_hint(table, names)}"
        )


def _long_hint(table: pd.DataFrame, names: _Names) -> str:
    """Say what the table lacks to be a long one, in case that was meant."""
    if names.algorithm in table.columns:
        return ""
    near = closest(names.algorithm, [str(column) for column in table.columns])
    return f" Read as a wide table, since there is no column {names.algorithm!r}.{near}"


def _check_no_other_measure(columns: Sequence[str], measure: str) -> None:
    """Refuse svm_time beside svm_accuracy when only accuracy was declared.

    With one measure every column is an algorithm, so the times would pass for accuracies.
    """
    for convention in _CONVENTIONS:
        own = _read_columns(columns, [measure], convention)
        algorithms = {algorithm for algorithm, _ in own.values()}
        rest = [column for column in columns if column not in own]
        other = _common_word(rest, algorithms, convention)
        if len(algorithms) > 1 and other is not None:
            raise BayescompareError(
                f"the columns name the measures {measure!r} and {other!r}, but measures= has only "
                f"{measure!r}: add the other one, or remove its columns."
            )


def _common_word(
    columns: Sequence[str], algorithms: set[str], convention: _Convention
) -> str | None:
    """Return the word that stands beside every one of the algorithms, if there is one."""
    beside: dict[str, set[str]] = {}
    for column in columns:
        for algorithm in algorithms:
            word = _beside(algorithm, column, convention.separator, not convention.measure_first)
            if word is not None:
                beside.setdefault(word, set()).add(algorithm)
    return next((word for word, found in beside.items() if found == algorithms), None)


class _Convention(NamedTuple):
    """One way to make a column's name of an algorithm's and a measure's."""

    separator: str
    measure_first: bool


_CONVENTIONS = [
    _Convention(separator, first) for separator in SEPARATORS for first in (False, True)
]


def _beside(word: str, column: str, separator: str, first: bool) -> str | None:
    """Return the rest of a column's name whose first (or last) part is `word`."""
    part = word + separator if first else separator + word
    if len(column) <= len(part):
        return None
    if first:
        return column.removeprefix(part) if column.startswith(part) else None
    return column.removesuffix(part) if column.endswith(part) else None


def _read_columns(
    columns: Sequence[str], measures: Sequence[str], convention: _Convention
) -> Pairs:
    """Return the algorithm and the measure of each column that follows the convention."""
    pairs: Pairs = {}
    for column in columns:
        # The longest first: in svm_macro_f1 the measure is macro_f1, when there is one, not f1.
        for measure in sorted(measures, key=len, reverse=True):
            algorithm = _beside(measure, column, *convention)
            if algorithm is not None:
                pairs[column] = (algorithm, measure)
                break
    return pairs


def _pair_up(columns: Sequence[str], measures: Sequence[str], names: _Names) -> Pairs:
    """Return the algorithm and the measure of each column, by the one convention that fits."""
    readings = [_read_columns(columns, measures, convention) for convention in _CONVENTIONS]
    whole = [pairs for pairs in readings if _explains(pairs, columns, measures)]
    balanced = [pairs for pairs in whole if _is_balanced(pairs, measures)]
    fitting = balanced or whole
    if not fitting:
        raise BayescompareError(_unexplained(max(readings, key=len), columns, measures, names))
    if any(pairs != fitting[0] for pairs in fitting):
        column = next(c for c in columns if len({pairs[c] for pairs in fitting}) > 1)
        ways = dict.fromkeys(f"{m!r} of {a!r}" for a, m in (pairs[column] for pairs in fitting))
        raise BayescompareError(
            f"the columns can be read in more than one way, {column!r} as {' or '.join(ways)}: "
            "rename the columns, or give a long table."
        )
    return fitting[0]


def _explains(pairs: Pairs, columns: Sequence[str], measures: Sequence[str]) -> bool:
    return len(pairs) == len(columns) and {measure for _, measure in pairs.values()} == {*measures}


def _is_balanced(pairs: Pairs, measures: Sequence[str]) -> bool:
    return len(pairs) == len({algorithm for algorithm, _ in pairs.values()}) * len(measures)


def _unexplained(
    best: Pairs, columns: Sequence[str], measures: Sequence[str], names: _Names
) -> str:
    left = [column for column in columns if column not in best]
    if left:
        return (
            f"columns that are not an algorithm and one of the measures {_some(measures)}, as in "
            f"{'svm_' + measures[0]!r}: {_some(left)}. If the table is long, algorithm="
            f"{names.algorithm!r} is not one of its columns.{closest(names.algorithm, columns)}"
        )
    absent = [m for m in measures if m not in {measure for _, measure in best.values()}]
    return f"no column for the measure {_some(absent)}."
