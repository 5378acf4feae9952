"""Several runs of one algorithm on one dataset: refuse them, keep them apart or average them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare.results.frames import numbers_in_frame
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.results.text import first_words_in_results
from bayescompare.text.numbers import plural

__all__ = ["Repeats", "settle_repeats"]

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
    runs = runs.assign(**{name: numbers_in_frame(runs[name], f"measure {name!r}") for name in spec})
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
        f"{first_words_in_results(words, 4)}. Use "
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
