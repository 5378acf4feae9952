"""What `compare`, `pairwise`, `rank` and `gate` take: results, a frame, or an array each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from bayescompare._checks import check_options
from bayescompare._errors import BayescompareError
from bayescompare.table.cells import ReplicateKind
from bayescompare.table.frames import is_dataframe
from bayescompare.table.guess import Guess, as_it_looks, guess
from bayescompare.table.layouts import Layout
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.results import Results

#: Names to select from results; names with directions for a frame.
type Measures = Sequence[str] | Mapping[str, Direction | Measure]


class FrameOptions(TypedDict, total=False):
    """The options of `Results.from_frame`, for a frame that is given straight."""

    dataset: str
    algorithm: str
    replicate: str | None
    replicates: ReplicateKind
    cluster: str | None
    epoch: str | None
    keep_items: bool | None
    group: str | None
    weight: str | None
    layout: Layout
    source: str | None
    max_cells: int | None


def given_table(
    results: object,
    measures: Measures | None,
    algorithms: Sequence[str] | None,
    frame: Mapping[str, Any],
) -> tuple[Results, Sequence[str] | None]:
    """Return the table, and the measures to select from it.

    Parameters
    ----------
    results : Results, frame, or arrays
        Arrays: one for each algorithm, by name, or two alone. One number per dataset, or a row of
        replicates.
    measures : mapping or sequence, optional
        Of results names; of a frame or arrays a mapping with directions.
    algorithms : sequence of str, optional
        Names two arrays that come without any.
    frame : mapping
        Options of `Results.from_frame`.
    """
    check_options(frame, FrameOptions.__annotations__, "a frame")
    if isinstance(results, Results):
        for option in frame:
            raise BayescompareError(
                f"{option}= is about frames, and results is a {type(results).__name__} already."
            )
        return results, _selection(measures)
    df: Any = results if is_dataframe(results) else _table_of_arrays(results, measures, algorithms)
    if df is None:
        raise BayescompareError(
            f"results is a {type(results).__name__}: give Results (bc.Results.from_frame(...), "
            "bc.read_results(...)), a frame, or an array for each algorithm."
        )
    if df is not results:
        if not isinstance(measures, Mapping):
            raise BayescompareError(
                f"measures: a {type(results).__name__} does not say which way is better; name "
                "what was measured, as in measures={'accuracy': 'max', 'time': 'min'}."
            )
        if frame.keys() - {"source", "replicates", "max_cells"}:
            raise BayescompareError(
                f"{next(iter(frame))}= names a column, and arrays have none: give a frame."
            )
        frame = {"replicate": "replicate", **frame} if "replicate" in df else frame
        return Results.from_frame(df, measures=measures, **frame), None
    return frame_as_it_looks(df, measures, **frame), None


def frame_as_it_looks(
    df: Any, measures: Any = None, *, source: str | None = None, **frame: Any
) -> Results:
    """Return the results of a frame; what is not given is guessed, and a note says so."""
    check_options(frame, FrameOptions.__annotations__, "a frame")
    about = {name: value for name, value in frame.items() if name != "max_cells"}
    exact = None
    if isinstance(measures, Mapping):
        exact = partial(Results.from_frame, df, measures=measures, source=source, **frame)

    def guessed() -> tuple[Guess, Callable[[], Results]]:
        found = guess(df, measures=measures, **about)
        options = {**frame, **found.options, "source": source}
        return found, partial(Results.from_frame, df, measures=found.measures, **options)

    return as_it_looks(exact, guessed)


def _selection(measures: Measures | None) -> Sequence[str] | None:
    if isinstance(measures, Mapping):
        raise BayescompareError(
            "measures is a mapping, and results has its directions already: give names, as in "
            f"measures={list(measures)!r}."
        )
    return measures


def _table_of_arrays(
    results: object, measures: Measures | None, algorithms: Sequence[str] | None
) -> Any:
    """Make a long frame of an array for each algorithm; None if that is not what was given."""
    if isinstance(results, Mapping):
        named = dict(results)
    elif isinstance(results, (tuple, list)) and len(results) == 2 and any(map(np.ndim, results)):
        names = list(algorithms) if algorithms is not None else ["first", "second"]
        if len(names) != 2:
            raise BayescompareError(f"algorithms={names!r}: name the two arrays.")
        named = dict(zip(names, results, strict=True))
    else:
        return None
    _check_labels_of_arrays(named)
    arrays = {str(name): _array(name, values) for name, values in named.items()}
    if not arrays:
        return None
    if isinstance(measures, Mapping) and len(measures) != 1:
        raise BayescompareError(
            f"measures has {len(measures)} measures, and arrays are of one: give a frame."
        )
    sizes = {name: array.shape for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        words = ", ".join(f"{name!r} {shape}" for name, shape in sizes.items())
        raise BayescompareError(
            f"results: the arrays differ in shape ({words}): give each a value per dataset, in "
            "the same order."
        )
    measure = next(iter(measures)) if measures else "value"
    return pd.concat([_long(name, array, str(measure)) for name, array in arrays.items()])


def _check_labels_of_arrays(named: Mapping[Any, Any]) -> None:
    """Refuse series whose labels say that their places are not the same datasets."""
    series = {name: values for name, values in named.items() if isinstance(values, pd.Series)}
    if not named or len(series) < len(named):
        return
    (first, one), *others = series.items()
    for name, other in others:
        same = len(one) == len(other) and set(one.index) == set(other.index)
        if same and not one.index.equals(other.index):
            raise BayescompareError(
                f"results[{first!r}] and results[{name!r}] have the same labels in different "
                "orders: sort both by .sort_index(), or give a frame."
            )


def _array(name: object, values: Any) -> Any:
    try:
        # What a mask covers is missing, and not what lies below it.
        given = np.ma.filled(values.astype(float), np.nan) if np.ma.isMA(values) else values
        cells = np.asarray(given)
        words = cells.dtype.kind == "O" and any(isinstance(cell, str) for cell in cells.ravel())
        if words or cells.dtype.kind not in "biufO":  # text and times, which numpy would convert
            raise TypeError(cells.dtype)
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BayescompareError(f"results[{name!r}]: give an array of numbers.") from None
    if array.ndim not in (1, 2) or array.size == 0:
        raise BayescompareError(
            f"results[{name!r}] has the shape {array.shape}: give one number per dataset, or a row "
            "of replicates per dataset."
        )
    return array


def _long(name: str, array: Any, measure: str) -> pd.DataFrame:
    rows = array if array.ndim == 2 else array[:, None]
    places, folds = np.indices(rows.shape)
    frame = pd.DataFrame({"dataset": places.ravel() + 1, "algorithm": name, measure: rows.ravel()})
    return frame.assign(replicate=folds.ravel() + 1) if array.ndim == 2 else frame
