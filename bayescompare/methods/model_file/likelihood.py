"""A model's own ``log_likelihood(posterior, results)``: what it gives, checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.methods.model_file.source import Source
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["hooked_likelihood"]

_DIMS = ("chain", "draw", "dataset")


def hooked_likelihood(
    source: Source, results: Results, priors: Mapping[str, Any]
) -> Callable[[xr.Dataset], xr.DataArray]:
    """Return a file's function as one of the posterior alone.

    It is called with the posterior, the results and those of the priors that it names.
    """
    hook = source.log_likelihood
    assert hook is not None
    named = inspect.signature(hook).parameters
    given = {name: value for name, value in priors.items() if name in named}

    def likelihood(posterior: xr.Dataset) -> xr.DataArray:
        try:
            array = hook(posterior, results, **given)
        except Exception as error:
            raise BayescompareError(
                f"{source.where}: log_likelihood() failed: {error_in_one_line(error)}"
            ) from error
        return _checked_likelihood(array, source.where, results)

    return likelihood


def _checked_likelihood(array: Any, where: str, results: Results) -> xr.DataArray:
    dims = set(getattr(array, "dims", ()))
    if dims != set(_DIMS) or array.sizes["dataset"] != len(results.datasets):
        raise BayescompareError(
            f"{where}: log_likelihood() must return a DataArray over 'chain', 'draw' and the "
            f"{len(results.datasets)} datasets; it has {tuple(sorted(map(str, dims))) or 'none'}."
        )
    if not bool(np.isfinite(array).all()):
        raise BayescompareError(
            f"{where}: log_likelihood() gave values that are not finite; a log density is."
        )
    ordered: xr.DataArray = array.transpose(*_DIMS).assign_coords(dataset=list(results.datasets))
    return ordered
