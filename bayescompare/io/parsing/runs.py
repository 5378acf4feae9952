"""Runs that other tools logged: one of each, and what is left of their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.results.text import quoted_names_in_results

__all__ = ["check_metric_of_runs", "check_parsed_runs_once", "labelled_parsed_run"]


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
