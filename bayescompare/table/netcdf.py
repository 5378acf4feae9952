"""`Results` as one dataset that netCDF can hold, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare.table.measure import Measure

if TYPE_CHECKING:
    from bayescompare.table.results import Results


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
        return {
            "data": _table(dataset["value"]),
            "spec": {name: Measure.from_dict(fields) for name, fields in spec.items()},
            "source": json.loads(dataset.attrs["source"]),
            "notes": json.loads(dataset.attrs["notes"]),
            # Files written before there was a choice have folds.
            "replicates": json.loads(dataset.attrs.get("replicates", '"folds"')),
            "item_data": _items(dataset),
            **{
                name: json.loads(dataset.attrs.get(name, "null"))
                for name in ("gaps", "group_of", "weight_of")
            },
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
