"""`Results` as one dataset that netCDF can hold, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare.results.measure import Measure

if TYPE_CHECKING:
    from bayescompare.results.results import Results

__all__ = ["store", "stored"]

SCHEMA = "bayescompare.results/1"


def store(results: Results) -> xr.Dataset:
    """Return everything that `stored` needs; all but the numbers are attributes, as JSON."""
    axes = results._axes()
    facts = {
        "measures": {name: measure.to_dict() for name, measure in results.spec.items()},
        "source": results.source,
        "notes": results.notes,
        "replicates": results.replicates,
    }
    return xr.Dataset(
        {"value": (tuple(axes), results._cells())},
        coords={dim: list(names) for dim, names in axes.items()},
        attrs={"schema": SCHEMA, **{key: json.dumps(fact) for key, fact in facts.items()}},
    )


def stored(dataset: xr.Dataset) -> dict[str, Any]:
    """Return the fields of the results that `store` put into `dataset`."""
    argument: object = dataset
    if not isinstance(argument, xr.Dataset):
        raise BayescompareError(
            f"dataset is a {type(argument).__name__}: give the output of Results.to_dataset()."
        )
    schema = dataset.attrs.get("schema")
    if schema != SCHEMA:
        raise BayescompareError(
            f"dataset.attrs['schema'] is {schema!r}, not {SCHEMA!r}: "
            "only the output of Results.to_dataset() can be read back."
        )
    try:
        spec = json.loads(dataset.attrs["measures"])
        return {
            "data": dataset["value"].to_dataset("measure"),
            "spec": {name: Measure.from_dict(fields) for name, fields in spec.items()},
            "source": json.loads(dataset.attrs["source"]),
            "notes": json.loads(dataset.attrs["notes"]),
            # Files written before there was a choice have folds.
            "replicates": json.loads(dataset.attrs.get("replicates", '"folds"')),
        }
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise BayescompareError(f"dataset: not a stored Results ({error!r}).") from None
