"""Names and numbers in the files of other tools: what is neither is refused with its place."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from bayescompare._checks import check_word, is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.table import input as _input
from bayescompare.table.checks import check_selection, check_spec
from bayescompare.table.frames import numbers_in
from bayescompare.table.input import check_is_regular
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.paths import naming
from bayescompare.table.reading import meant_name
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names, repeated_name
from bayescompare.text.numbers import plural, setting_number_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Chosen",
    "ParsedRow",
    "Repeats",
    "check_items_once",
    "check_metric_of_runs",
    "check_rows_once",
    "check_runs_once",
    "directed",
    "member_names",
    "parsed_number",
    "parsed_object",
    "read_members",
    "results_of_rows",
    "results_of_tables",
    "select_measures",
    "settle_repeats",
]


def parsed_number(value: object, where: str, *, least: float | None = None) -> float:
    """Return a finite number, or NaN for a value that is missing; `least` is the smallest.

    Examples
    --------
    >>> parsed_number(1, "score"), parsed_number(None, "score")
    (1.0, nan)
    >>> parsed_number("high", "results[3].score")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: results[3].score is 'high', not a number.
    """
    if value is None:
        return math.nan
    if not is_number(value):
        raise BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not a number.")
    if math.isinf(value):
        raise BayescompareError(f"{where} is infinite: leave out what has no value.")
    if least is not None and value < least:
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, less than "
            f"{setting_number_text(least)}."
        )
    return float(value)


def parsed_object(value: object, where: str) -> Mapping[str, Any]:
    """Return an object, empty for one that is missing.

    Examples
    --------
    >>> parsed_object(None, "usage")
    {}
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, not an object with keys."
        )
    return value


#: A row of the table to be, and the file that it was read from.
type ParsedRow = tuple[Path, Mapping[str, Any]]


def results_of_rows(rows: Sequence[ParsedRow], source: str, **options: Any) -> Results:
    """Build results from the rows of several files, so that an error names its file.

    Examples
    --------
    >>> row = {"dataset": "boolq", "algorithm": "small", "acc": float("inf")}
    >>> results_of_rows([(Path("a.json"), row)], "a.json", measures={"acc": "max"})
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a.json: infinite cells: acc of 'small' on 'boolq' ...
    """
    if not rows:
        raise BayescompareError(f"{source}: no results.")
    whole = pd.DataFrame([row for _, row in rows])
    by_file: dict[Path, list[int]] = {}
    for place, (file, _) in enumerate(rows):
        by_file.setdefault(file, []).append(place)
    parts = ((file, whole.iloc[places]) for file, places in by_file.items())
    return results_of_tables(whole, parts, source, **options)


def results_of_tables(
    whole: pd.DataFrame, parts: Iterable[tuple[Path, pd.DataFrame]], source: str, **options: Any
) -> Results:
    """Build results from a table; its parts are those of each file, which an error names."""
    try:
        return Results.from_frame(whole, source=source, **options)
    except BayescompareError as error:
        for file, own in parts:
            with naming(file):
                Results.from_frame(own, source=source, **options)
        raise BayescompareError(f"{source}: {error}") from None


def check_items_once(items: Iterable[tuple[tuple[str, ...], Path, str]]) -> None:
    """Refuse an item that a file has twice; each comes with its file and the place in it.

    Examples
    --------
    >>> twice = [(("boolq", "small", "7"), Path("a.jsonl"), f"line {k}") for k in (3, 9)]
    >>> check_items_once(twice)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a.jsonl: line 3 and line 9 are both item '7' of ...
    """
    seen: dict[tuple[str, ...], tuple[Path, str]] = {}
    for key, file, place in items:
        other = seen.setdefault(key, (file, place))
        if other != (file, place):
            dataset, algorithm, item, *epoch = key
            again = f" in epoch {epoch[0]}" if epoch else ""
            where = f"{other[1]} and {place}" if other[0] == file else f"{place} and {other[0]}"
            raise BayescompareError(
                f"{file}: {where} are both item {item!r} of {algorithm!r} on {dataset!r}{again}: "
                "leave out one."
            )


def check_rows_once(datasets: Iterable[str], algorithms: Iterable[str]) -> None:
    """Refuse two rows of one algorithm on one dataset, where a tool writes no replicates.

    Examples
    --------
    >>> check_rows_once(["ETT", "ETT"], ["theta", "theta"])
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: more than one row of 'theta' on 'ETT': keep one of them.
    """
    seen: set[tuple[str, str]] = set()
    for pair in zip(datasets, algorithms, strict=True):
        if pair in seen:
            raise BayescompareError(
                f"more than one row of {pair[1]!r} on {pair[0]!r}: keep one of them."
            )
        seen.add(pair)


def check_runs_once(runs: Iterable[tuple[str, str, Path]]) -> None:
    """Refuse two files with a run of one algorithm on one dataset.

    Examples
    --------
    >>> check_runs_once([("boolq", "small", Path("a")), ("boolq", "small", Path("b"))])
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a and b both have 'boolq' by 'small': ...
    """
    seen: dict[tuple[str, str], Path] = {}
    for dataset, algorithm, file in runs:
        other = seen.setdefault((dataset, algorithm), file)
        if other != file:
            raise BayescompareError(
                f"{other} and {file} both have {dataset!r} by {algorithm!r}: leave out one, or "
                "give them different names, as in {'first': ..., 'second': ...}."
            )


def check_metric_of_runs(table: pd.DataFrame, dataset: str, value: str) -> None:
    """Refuse a dataset whose values are of two metrics, which the column ``metric`` names.

    Examples
    --------
    >>> check_metric_of_runs(
    ...     pd.DataFrame({"task": "iris", "metric": ["auc", "acc"]}), "task", "score"
    ... )
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: column 'score' of 'iris' is of several metrics, ...
    """
    if "metric" not in table:
        return
    named = table[table["metric"].notna() & (table["metric"].astype(str).str.strip() != "")]
    for name, own in named.groupby(dataset, sort=False)["metric"].unique().items():
        if len(own) > 1:
            raise BayescompareError(
                f"column {value!r} of {name!r} is of several metrics, "
                f"{quoted_names([str(metric) for metric in own])}: keep the rows of one."
            )


type Repeats = Literal["raise", "replicate", "mean"]

_KINDS = ("raise", "replicate", "mean")


def settle_repeats(
    runs: pd.DataFrame,
    spec: Mapping[str, Measure],
    repeats: Repeats,
    *,
    source: str,
    notes: tuple[str, ...] = (),
) -> Results:
    """Build results from one row per run, or per fold of a run.

    Parameters
    ----------
    runs : pandas.DataFrame
        The columns ``dataset``, ``algorithm``, perhaps ``replicate``, and one for each measure.
    spec : mapping of str to Measure
        What was measured.
    repeats : {"raise", "replicate", "mean"}
        Refuse several runs of a cell, number them as replicates, or average those that have a
        value; a note then says how many have none.
    source : str
        Where the runs came from.
    notes : tuple of str
        What was done to the runs before, in words.

    Examples
    --------
    >>> runs = pd.DataFrame({"dataset": "iris", "algorithm": "A", "auc": [0.8, 0.9]})
    >>> spec = {"auc": Measure("max")}
    >>> settle_repeats(runs, spec, "mean", source="here").values()
    array([[[0.85]]])
    """
    check_word("repeats", repeats, _KINDS)
    runs = runs.assign(**{name: numbers_in(runs[name], f"measure {name!r}") for name in spec})
    cell = [role for role in ("dataset", "algorithm", "replicate") if role in runs]
    groups = runs.groupby(cell, sort=False)
    sizes = groups.size()
    if int(sizes.max()) > 1:
        if repeats == "raise":
            raise BayescompareError(_refused_repeats_words(sizes))
        if repeats == "mean":
            notes = (*notes, *_notes_on_mean_repeats(runs[list(spec)], groups[list(spec)].count()))
            runs = groups[list(spec)].agg(_mean_of_repeats).reset_index()
        else:
            number = (groups.cumcount() + 1).astype(str)
            folds = "." + runs["replicate"] if "replicate" in runs else ""
            runs = runs.assign(replicate=number + folds)
    replicate = "replicate" if "replicate" in runs else None
    results = Results.from_frame(runs, replicate=replicate, measures=spec, source=source)
    return replace(results, notes=notes)


def _refused_repeats_words(sizes: pd.Series[Any]) -> str:
    words = [f"{n} of {key[1]!r} on {key[0]!r}" for key, n in sizes[sizes > 1].items()]  # type: ignore[index]
    return (
        f"{plural(len(words), 'cell')} with more than one run: "
        f"{first_words(words, 4)}. Use "
        "repeats='replicate' to keep them apart, or repeats='mean' to average them."
    )


def _notes_on_mean_repeats(values: pd.DataFrame, counted: pd.DataFrame) -> list[str]:
    """Say how many runs the means are over, and how many runs have no value."""
    # A cell without any value has no mean; if no cell has a value, nothing was averaged.
    sizes = sorted({int(size) for size in counted.to_numpy().ravel() if size} or {0})
    number_words = (
        plural(sizes[-1], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    )
    failed = int(values.isna().any(axis=1).sum())
    notes = [f"each cell is the mean of {number_words}"]
    return [*notes, f"{plural(failed, 'run')} without a value left out"] if failed else notes


def _mean_of_repeats(column: pd.Series[Any]) -> float:
    present = column.dropna()
    return sum(present.tolist()) / len(present) if len(present) else math.nan


#: Names with their directions, or names alone if their directions are known from elsewhere.
type Chosen = Mapping[str, Direction | Measure] | Iterable[str]

#: Characters that labels of statements, such as A>B|B>A, are made of.


def select_measures(
    measures: Chosen | None,
    known: Mapping[str, Measure | None],
    default: Collection[str] = (),
) -> dict[str, Measure]:
    """Return the measures to read, each with its direction.

    Parameters
    ----------
    measures : mapping or iterable of str, optional
        The measures asked for, with directions or by name alone; in any case, and as far as the
        beginning tells them apart.
    known : mapping of str to Measure or None
        All measures there are; None if it is not known which way is better.
    default : collection of str
        The measures to read if none are asked for.

    Examples
    --------
    >>> list(select_measures(["AU"], {"auc": Measure("max"), "time": None}))
    ['auc']
    """
    if isinstance(measures, Mapping):
        spec = check_spec(_meant_measures(measures, known))
        check_selection("measures", spec, known)
        return spec
    if measures is not None and not isinstance(measures, str) and isinstance(measures, Iterable):
        measures = list(measures)
        if all(isinstance(name, str) for name in measures):
            measures = list(_meant_measures(dict.fromkeys(measures, ""), known)) or measures
    if measures is None and not default:
        clear = next((name for name, kind in known.items() if kind), next(iter(known), "accuracy"))
        raise BayescompareError(
            f"measures=None: name the measures to read, as in measures=[{clear!r}]; choose from "
            f"{quoted_names(known)}."
        )
    names = default if measures is None else check_selection("measures", measures, known)
    chosen = {name: measure for name in names if (measure := known[name]) is not None}
    unclear = [name for name in names if name not in chosen]
    if unclear:
        raise BayescompareError(
            f"it is not known which way {quoted_names(unclear)} is better: use "
            f"measures={{{unclear[0]!r}: 'max'}} (higher is better) or 'min'."
        )
    return check_spec(chosen)


def _meant_measures[V](measures: Mapping[Any, V], known: Collection[str]) -> dict[str, V]:
    """Return the measures under the names that the tool has for them."""
    meant: dict[str, V] = {}
    for name, value in measures.items():
        own = meant_name(name, known) if isinstance(name, str) else name
        if own in meant:
            raise BayescompareError(f"measure {own!r} is given twice, once as {name!r}.")
        meant[own] = value
    return meant


def directed(maximal: str, minimal: str) -> dict[str, Measure]:
    """Make a table of measures from two lists of names, better when higher and when lower.

    Examples
    --------
    >>> directed("accuracy f1", "error")["error"].direction
    'min'
    """
    return dict.fromkeys(maximal.split(), Measure("max")) | dict.fromkeys(
        minimal.split(), Measure("min")
    )


#: The method of Zstandard, which Python's zipfile knows from 3.14 on.
_ZSTANDARD = 93


def member_names(path: Path) -> list[str]:
    """Return the names of the files in an archive."""
    with _opened_archive(path) as archive:
        return archive.namelist()


def read_members(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the content of some files of an archive, decompressed.

    A small archive may unpack to a huge file: what the archive says of its sizes is added up
    first, and nothing is unpacked beyond what it says. Nothing is written to disk, so that a
    name such as ``../../etc/passwd`` is a name like any other. Of two files with one name, which
    programs disagree about, neither is read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log.zip"
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("header.json", "{}")
    >>> read_members(path, ["header.json"])
    {'header.json': b'{}'}
    """
    wanted = set(names)
    with _opened_archive(path) as archive:
        infos = [info for info in archive.infolist() if info.filename in wanted]
        twice = repeated_name(info.filename for info in infos)
        if twice is not None:
            raise BayescompareError(f"{twice!r} occurs twice in the archive.")
        if sum(info.file_size for info in infos) > _input.most_bytes():
            raise _input.too_large()
        return {info.filename: _content_in_archive(archive, info) for info in infos}


def _opened_archive(path: Path) -> zipfile.ZipFile:
    check_is_regular(path)
    try:
        return zipfile.ZipFile(path)
    except Exception as error:  # malformed bytes can fail anywhere
        raise BayescompareError(f"not a whole zip archive ({error}).") from None


def _content_in_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 0x1:
        raise BayescompareError(f"{info.filename!r} in the archive is encrypted.")
    try:
        if info.compress_type == _ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            return _unpacked_from_archive(archive, info)
        with archive.open(info) as file:
            # One more than the archive says; a larger content is not read.
            return file.read(info.file_size + 1)
    except BayescompareError:
        raise
    except Exception as error:  # of the archive, and of each way to compress
        raise BayescompareError(
            f"{info.filename!r} in the archive cannot be decompressed ({error_in_one_line(error)})."
        ) from None


def _unpacked_from_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack Zstandard, whose bytes are found behind the member's own header."""
    try:
        import zstandard
    except ImportError:
        raise BayescompareError(
            f"{info.filename!r} in the archive is compressed with Zstandard: "
            'pip install "bayescompare[zst]".'
        ) from None
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30:
        raise BayescompareError("not a whole zip archive (a member is cut off).")
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(name + extra, 1)
    packed = file.read(info.compress_size)
    reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    content = bytes(reader.read(info.file_size + 1))
    if len(content) != info.file_size:
        raise BayescompareError(f"{info.filename!r} in the archive is not as long as it says.")
    if zlib.crc32(content) != info.CRC:
        raise BayescompareError(f"{info.filename!r} in the archive is damaged (bad checksum).")
    return content
