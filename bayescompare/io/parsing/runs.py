"""Runs that other tools logged: one of each, what is left of their names, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.paths import naming_path_in_errors
from bayescompare.results.results import Results
from bayescompare.results.text import quoted_names_in_results

__all__ = [
    "ParsedRow",
    "check_metric_of_runs",
    "check_parsed_items_once",
    "check_parsed_rows_once",
    "check_parsed_runs_once",
    "labelled_parsed_run",
    "results_of_parsed_rows",
    "results_of_parsed_tables",
]

#: A row of the table to be, and the file that it was read from.
type ParsedRow = tuple[Path, Mapping[str, Any]]


def results_of_parsed_rows(rows: Sequence[ParsedRow], source: str, **options: Any) -> Results:
    """Build results from the rows of several files, so that an error names its file.

    Examples
    --------
    >>> row = {"dataset": "boolq", "algorithm": "small", "acc": float("inf")}
    >>> results_of_parsed_rows([(Path("a.json"), row)], "a.json", measures={"acc": "max"})
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
    return results_of_parsed_tables(whole, parts, source, **options)


def results_of_parsed_tables(
    whole: pd.DataFrame, parts: Iterable[tuple[Path, pd.DataFrame]], source: str, **options: Any
) -> Results:
    """Build results from a table; its parts are those of each file, which an error names."""
    try:
        return Results.from_frame(whole, source=source, **options)
    except BayescompareError as error:
        for file, own in parts:
            with naming_path_in_errors(file):
                Results.from_frame(own, source=source, **options)
        raise BayescompareError(f"{source}: {error}") from None


def check_parsed_items_once(items: Iterable[tuple[tuple[str, ...], Path, str]]) -> None:
    """Refuse an item that a file has twice; each comes with its file and the place in it.

    Examples
    --------
    >>> twice = [(("boolq", "small", "7"), Path("a.jsonl"), f"line {k}") for k in (3, 9)]
    >>> check_parsed_items_once(twice)
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


def check_parsed_rows_once(datasets: Iterable[str], algorithms: Iterable[str]) -> None:
    """Refuse two rows of one algorithm on one dataset, where a tool writes no replicates.

    Examples
    --------
    >>> check_parsed_rows_once(["ETT", "ETT"], ["theta", "theta"])
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


def check_parsed_runs_once(runs: Iterable[tuple[str, str, Path]]) -> None:
    """Refuse two files with a run of one algorithm on one dataset.

    Examples
    --------
    >>> check_parsed_runs_once([("boolq", "small", Path("a")), ("boolq", "small", Path("b"))])
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


def labelled_parsed_run(name: str | None, own: str, *, alone: bool) -> str:
    """Return the name that the caller gave, with the file's own if it has several.

    Examples
    --------
    >>> (
    ...     labelled_parsed_run("today", "forest", alone=True),
    ...     labelled_parsed_run("today", "forest", alone=False),
    ... )
    ('today', 'today forest')
    """
    if name is None:
        return own
    return name if alone else f"{name} {own}"


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
                f"{quoted_names_in_results([str(metric) for metric in own])}: keep the rows of one."
            )
