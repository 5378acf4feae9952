"""Replicates of a cell (folds, seeds): which of them count, their mean, and notes about both.

A replicate that failed for one algorithm is not a missing cell. It is left out for the other
algorithms too, so that all are compared on the same folds; a cell is missing only if none of its
replicates count.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.table.measure import Measure
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, plural, statistic_number_text

if TYPE_CHECKING:
    from bayescompare.table.results import Results


#: What replicates are: folds are correlated, seeds and test items are independent.
ReplicateKind = Literal["folds", "seeds", "items"]
REPLICATE_KINDS = ("folds", "seeds", "items")


#: Begins the note about datasets whose algorithms have no replicate in common.
NOTHING_SHARED = "no replicate that every algorithm has"


def common_replicates(present: BoolArray) -> BoolArray:
    """Return which replicates every algorithm has, ignoring algorithms that have none at all.

    Parameters
    ----------
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.

    Returns
    -------
    array (dataset, 1, measure, replicate)

    Examples
    --------
    >>> common_replicates(
    ...     np.array([[[[True, True]], [[True, False]], [[False, False]]]])
    ... ).ravel()
    array([ True, False])
    """
    any_at_all = present.any(axis=-1, keepdims=True)
    common: BoolArray = (present | ~any_at_all).all(axis=1, keepdims=True)
    return common & any_at_all.any(axis=1, keepdims=True)


def uneven_replicates(present: BoolArray) -> bool:
    """Return whether some algorithm lacks a replicate that another one has.

    Only then does the mean of a cell depend on which algorithms are compared.
    """
    return bool((present.any(axis=1) & ~present.all(axis=1)).any())


def mean_over_replicates(cells: FloatArray, counted: BoolArray) -> FloatArray:
    """Average over the replicates that count, along the last axis; NaN where none does.

    The sum is correctly rounded, so that the same replicates in another order give a tie and not
    a difference in the last digit.
    """
    counted = np.broadcast_to(counted, cells.shape) & ~np.isnan(cells)
    number = counted.sum(axis=-1)
    terms = np.where(counted, cells, 0.0).reshape(-1, cells.shape[-1])
    # By a power of two, which rounds nothing: two of the largest floats have no sum.
    power = np.frexp(np.abs(terms).max(axis=1, initial=0.0))[1]
    sums = [math.fsum(row) for row in np.ldexp(terms, -power[:, None]).tolist()]
    shape = number.shape
    means = np.ldexp(np.reshape(sums, shape) / np.maximum(number, 1), power.reshape(shape))
    # Rounding in the division could move a mean just outside the range of its terms.
    low = np.where(counted, cells, np.inf).min(axis=-1)
    high = np.where(counted, cells, -np.inf).max(axis=-1)
    return np.where(number > 0, means.clip(low, np.maximum(low, high)), np.nan)


# ------------------------------------------------------------------------------------------ words


def span_words(numbers: Sequence[int] | IntArray, noun: str) -> str:
    """Say between which numbers of something there are.

    Examples
    --------
    >>> span_words([3, 2], "replicate"), span_words([1], "item")
    ('2 to 3 replicates', '1 item')
    """
    there = np.asarray(numbers)
    fewest, most = int(there.min()), int(there.max())
    return plural(most, noun) if fewest == most else f"{count(fewest)} to {plural(most, noun)}"


def span_of(numbers: Sequence[int] | IntArray, noun: str) -> dict[str, Any]:
    """Return between which numbers of something there are, as figures."""
    there = np.asarray(numbers)
    return {"fewest": int(there.min()), "most": int(there.max()), "of": noun}


def averaged(
    cells: FloatArray, datasets: Sequence[str], noun: str = "replicate"
) -> tuple[FloatArray, dict[str, Any] | None, tuple[str, ...]]:
    """Average over the replicates that every algorithm has.

    Return the means, of how many replicates they are, and notes on them.

    Examples
    --------
    >>> means, number, notes = averaged(np.array([[[[1.0, 3.0]], [[2.0, np.nan]]]]), ["iris"])
    >>> means.ravel().tolist(), notes[0]
    ([1.0, 2.0], 'each cell is the mean of 1 replicate')
    >>> number
    {'fewest': 1, 'most': 1, 'of': 'replicate'}
    """
    present = ~np.isnan(cells)
    counted = common_replicates(present)
    number = (counted & present).sum(axis=-1)
    some = number[number > 0] if (number > 0).any() else np.array(cells.shape[-1:])
    means, left_out = (
        mean_over_replicates(cells, counted),
        left_out_note(datasets, present, counted, noun),
    )
    if cells.shape[-1] == 1:  # of a single replicate nothing is averaged
        return means, None, left_out
    note = f"each cell is the mean of {span_words(some, noun)}"
    return means, span_of(some, noun), (note, *left_out)


def left_out_note(
    datasets: Sequence[str], present: BoolArray, counted: BoolArray, noun: str = "replicate"
) -> tuple[str, ...]:
    """Say how many replicates are left out for all algorithms because one lacks them.

    Parameters
    ----------
    datasets : sequence of str
    present : array (dataset, algorithm, measure, replicate)
        Which replicates have a value.
    counted : array (dataset, 1, measure, replicate)
        Which of them count.
    noun : str
        What a replicate is called.
    """
    there, counted = present.any(axis=1), counted[:, 0]
    apart = there.any(axis=-1) & ~counted.any(axis=-1)
    lost = (there & ~counted & ~apart[..., None]).any(axis=1)
    some = [
        f"{int(gone.sum())} of {int(own.sum())} on {name}"
        for name, gone, own in zip(datasets, lost, there.any(axis=1), strict=True)
        if gone.any()
    ]
    notes = []
    if some:
        are = "is" if lost.sum() == 1 else "are"
        notes.append(
            f"{plural(int(lost.sum()), noun)} that some algorithm lacks {are} left out for "
            f"all: {first_words(some)}"
        )
    if apart.any():
        names = [name for name, none in zip(datasets, apart.any(axis=1), strict=True) if none]
        notes.append(f"{NOTHING_SHARED} on {first_words(names)}, whose cells are taken as missing")
    return tuple(notes)


#: How missing cells may stay in a table: unseen, as failed runs, or as anything they might be.
Reading = Literal["ignore", "worst", "bounds"]
READINGS: tuple[Reading, ...] = get_args(Reading)

#: What `compare` may be told to do about missing cells.
Missing = Literal["raise", "drop", "ignore", "worst", "bounds"]
MISSING: tuple[Missing, ...] = get_args(Missing)


def gaps_as_failures(values: FloatArray, ropes: Sequence[float]) -> FloatArray:
    """Put a number in place of every missing cell that loses to all values of its measure.

    Parameters
    ----------
    values : array (dataset, algorithm, measure)
        Higher is better; NaN is a missing cell.
    ropes : m floats
        A failure is further below than these; two failures are equal.

    Examples
    --------
    >>> gaps_as_failures(np.array([[[0.5], [np.nan]]]), [0.1]).ravel().tolist()
    [0.5, -1.7]
    """
    known = np.isfinite(values)
    size = np.where(known, np.abs(values), 0.0).max(axis=(0, 1), initial=0.0)
    # Further below than the rope and than all differences, which are at most twice the size.
    failure = -(3.0 * size + 2.0 * np.asarray(ropes, dtype=np.float64))
    failure = np.where(failure < 0.0, failure, -1.0)
    return np.where(known, values, failure)


def seen_despite_gaps(absent: BoolArray) -> BoolArray:
    """Return on which datasets and measures at least two algorithms have a value.

    Parameters
    ----------
    absent : array (dataset, algorithm, measure)
        Which cells are missing.
    """
    return np.asarray((~absent).sum(axis=1) >= 2)


def pair_coverage(absent: BoolArray) -> FloatArray:
    """Share of datasets and measures on which both of two algorithms have a value, (l, l).

    Examples
    --------
    >>> pair_coverage(np.array([[[False], [True]], [[False], [False]]])).tolist()
    [[1.0, 0.5], [0.5, 0.5]]
    """
    present = (~absent).transpose(1, 0, 2).reshape(absent.shape[1], -1).astype(np.float64)
    return np.asarray(present @ present.T / max(present.shape[1], 1))


def cell_means(results: Results) -> FloatArray:
    """Return the means (dataset, algorithm, measure), each over the replicates of its cell.

    Examples
    --------
    >>> import bayescompare as bc
    >>> cell_means(bc.load_example("pnn")).shape
    (4, 2, 2)
    """
    if results.averages_alike() or results.has_statistics:
        return results.average().values()
    cells = np.stack([results.data[name].values for name in results.measures], axis=2)
    return mean_over_replicates(cells, np.ones(1, dtype=bool))


def refuse_values_without_means(results: Results, *, largest: float = 1e290) -> None:
    """Refuse values so large that no float holds their sums, or their squares."""
    for name in results.measures:
        seen = float(np.nanmax(np.abs(results.data[name].values), initial=0.0))
        if seen > largest:
            raise BayescompareError(
                f"measure {name!r} has values up to ±{statistic_number_text(seen, significant=2)}, "
                "too large to take means of: leave a cell empty (NaN) if the algorithm failed, or "
                "give the measure in a larger unit."
            )


# cells in netCDF files ----------------------------------------------------------------------------


SCHEMA = "bayescompare.results/1"
#: Begins the names of the variables about items.
_ITEM = "item_"


def stored_results(results: Results) -> xr.Dataset:
    """Return what `results_stored` needs; all but the numbers are attributes, as JSON."""
    axes = results._axes()
    facts = {
        "measures": {name: measure.to_dict() for name, measure in results.spec.items()},
        "source": results.source,
        "notes": results.notes,
        "replicates": results.replicates,
        "gaps": results.gaps,
        "group_of": _by_dataset(results, results.groups),
        "weight_of": _by_dataset(results, results.weights),
        "benchmark_of": results.benchmark_of,
        "trained_on": results.trained_on,
        "averaged": results.averaged,
    }
    whole = xr.Dataset(
        {"value": (tuple(axes), results._cells())},
        coords={dim: list(names) for dim, names in axes.items()},
        attrs={"schema": SCHEMA, **{key: json.dumps(fact) for key, fact in facts.items()}},
    )
    if results.item_data is None:
        return whole
    items = results.item_data.rename({name: f"{_ITEM}{name}" for name in results.item_data})
    return whole.merge(items).assign_attrs(items.attrs)


def check_stored(dataset: object, schema: str, whose: str) -> None:
    """Refuse what `to_dataset` of a class did not return."""
    if not isinstance(dataset, xr.Dataset):
        raise BayescompareError(
            f"dataset is a {type(dataset).__name__}: give the output of {whose}.to_dataset()."
        )
    seen = dataset.attrs.get("schema")
    if seen != schema:
        raise BayescompareError(
            f"dataset.attrs['schema'] is {seen!r}, not {schema!r}: only the output of "
            f"{whose}.to_dataset() can be read back."
        )


def _by_dataset(results: Results, facts: tuple[Any, ...] | None) -> dict[str, Any] | None:
    return None if facts is None else dict(zip(results.datasets, facts, strict=True))


def results_stored(dataset: xr.Dataset) -> dict[str, Any]:
    """Return the fields of the results that `stored_results` put into `dataset`."""
    check_stored(dataset, SCHEMA, "Results")
    try:
        spec = json.loads(dataset.attrs["measures"])
        fields_kept = ("gaps", "group_of", "weight_of", "benchmark_of", "trained_on", "averaged")
        return {
            "data": _table(dataset["value"]),
            "spec": {name: Measure.from_dict(fields) for name, fields in spec.items()},
            "source": json.loads(dataset.attrs["source"]),
            "notes": json.loads(dataset.attrs["notes"]),
            # Files written before there was a choice have folds.
            "replicates": json.loads(dataset.attrs.get("replicates", '"folds"')),
            "item_data": _items(dataset),
            **{name: json.loads(dataset.attrs.get(name, "null")) for name in fields_kept},
        }
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise BayescompareError(f"dataset: not a stored Results ({error!r}).") from None


def _table(value: xr.DataArray) -> xr.Dataset:
    """Return the table, without the coordinates of the items."""
    own = value.drop_vars([name for name in value.coords if name not in value.dims])
    return own.to_dataset("measure")


def _items(dataset: xr.Dataset) -> xr.Dataset | None:
    """Return what `stored_results` kept of the items."""
    names = {name: str(name).removeprefix(_ITEM) for name in dataset if name != "value"}
    if not names:
        return None
    items = dataset[list(names)].rename(names)
    kept = ("pattern_measures",)
    return items.drop_attrs().assign_attrs({k: v for k, v in dataset.attrs.items() if k in kept})
