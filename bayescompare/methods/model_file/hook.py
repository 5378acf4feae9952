"""A model's own ``probability(posterior)``: what it gives, checked, and its Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.nuts import nuts_monte_carlo_error
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["ROUNDING", "hooked_leads", "hooked_probability"]

Hook = Callable[["xr.Dataset"], Any]

#: Probabilities may miss 0, 1 and their sum by this.
ROUNDING = 1e-9
_SAMPLES = ("chain", "draw")


def hooked_probability(
    hook: Hook, posterior: xr.Dataset
) -> tuple[list[str], FloatArray, FloatArray]:
    """Labels, probabilities and their Monte Carlo standard errors, as a hook gives them.

    A hook returns an array over "statement", or over "chain", "draw" and "statement": one for the
    statement that holds in a draw, or shares. The error of the second kind is that of its mean;
    of the first it comes from batches: the hook is asked again of √n draws at a time.
    """
    array = _ask_model_file_hook(hook, posterior)
    labels = _model_file_hook_labels(array)
    if set(_SAMPLES) <= set(array.dims):
        each = _model_file_hook_probabilities(array.transpose(*_SAMPLES, "statement").values)
        return labels, each.mean(axis=(0, 1)), nuts_monte_carlo_error(each)
    probability = _model_file_hook_probabilities(array.values)
    return labels, probability, _model_file_hook_batch_error(hook, posterior, labels, probability)


def hooked_leads(hook: Hook, posterior: xr.Dataset, labels: Sequence[str]) -> FloatArray:
    """What a hook says of each draw; one that speaks of all draws together says nothing of each."""
    array = _ask_model_file_hook(hook, posterior)
    if not set(_SAMPLES) <= set(array.dims):
        raise BayescompareError(
            "probability() returns one figure for all draws; let it return one for each chain and "
            "draw, so that draws can be weighted."
        )
    each = array.transpose(*_SAMPLES, "statement").reindex(statement=list(labels), fill_value=0.0)
    return _model_file_hook_probabilities(each.values)


def _ask_model_file_hook(hook: Hook, posterior: xr.Dataset) -> xr.DataArray:
    try:
        array = hook(posterior)
    except Exception as error:
        message = " ".join(str(error).split())[:300]
        raise BayescompareError(
            f"probability() failed: {type(error).__name__}: {message}"
        ) from error
    dims = set(getattr(array, "dims", ()))
    if dims not in ({"statement"}, {*_SAMPLES, "statement"}) or "statement" not in array.coords:
        raise BayescompareError(
            "probability() must return a DataArray over 'statement', or over 'chain', 'draw' and "
            "'statement', with the statements' labels."
        )
    checked: xr.DataArray = array
    return checked


def _model_file_hook_labels(array: xr.DataArray) -> list[str]:
    labels = [str(label) for label in array["statement"].values.tolist()]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice or not labels:
        raise BayescompareError(
            f"probability() names {', '.join(twice)} twice: name each once."
            if twice
            else "probability() names no statement."
        )
    return labels


def _model_file_hook_probabilities(values: Any) -> FloatArray:
    """Reject what are no probabilities of statements that exclude each other."""
    p = np.asarray(values, dtype=np.float64)
    rows = p.reshape(-1, p.shape[-1])
    good = np.isfinite(rows) & (rows >= -ROUNDING) & (rows <= 1.0 + ROUNDING)
    if not good.all():
        row = rows[~good.all(axis=1)][0]
        gave = ", ".join(statistic_number_text(float(v), significant=3) or "nan" for v in row[:6])
        raise BayescompareError(f"probability() gave {gave}: each must lie between 0 and 1.")
    most = float(rows.sum(axis=1).max())
    if most > 1.0 + 1e-6:
        raise BayescompareError(
            f"probability() gave probabilities that sum to {statistic_number_text(most)}: "
            "statements exclude "
            "each other, so that they sum to at most 1."
        )
    return np.clip(p, 0.0, 1.0)


def _model_file_hook_batch_error(
    hook: Hook, posterior: xr.Dataset, labels: list[str], probability: FloatArray
) -> FloatArray:
    """Standard error by batch means: batches of √n draws are nearly independent of each other."""
    chains, draws = (posterior.sizes[dim] for dim in _SAMPLES)
    length = math.isqrt(draws)
    batches = [
        posterior.isel(chain=[chain], draw=slice(start, start + length))
        for chain in range(chains)
        for start in range(0, draws - length + 1, length)
    ]
    try:
        arrays = [
            _ask_model_file_hook(hook, part).reindex(statement=labels, fill_value=0.0)
            for part in batches
        ]
    except BayescompareError as error:
        raise BayescompareError(
            f"{error} That was on some of the draws, by which its Monte Carlo error is computed; "
            "it may also return one value for each chain and draw."
        ) from None
    values = np.stack([part.values for part in arrays])
    spread = values.std(axis=0, ddof=1) if len(batches) > 1 else np.zeros(len(labels))
    # Where no batch differs from another the error is not zero but unknown: Laplace's rule.
    n = chains * draws
    safe = (probability * n + 1.0) / (n + 2.0)
    unknown = np.sqrt(safe * (1.0 - safe) / n)
    return np.where(spread > 0, spread / math.sqrt(len(batches)), unknown)
