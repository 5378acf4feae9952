"""Do data look as the correlated t-test predicts: datasets by statement, replicates by shape?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.correlated_t import draw_statements
from bayescompare.methods.context.correlated_t_model import ADVANTAGE, DIFFERENCE
from bayescompare.methods.context.replicates import Replicates
from bayescompare.statements import OUTCOME

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["check_statistics"]

Statistics = dict[str, tuple[FloatArray, Any]]


def check_statistics(
    each: Replicates, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
) -> Statistics:
    """Return what was predicted and what was seen, by name.

    How many datasets make a statement true is itself uncertain: after the data it is that of the
    same draw, before them that of each dataset's own replicates. Replicates are predicted after
    the data only, since the prior of their mean and spread is flat.
    """
    group = "prior_predictive" if prior else "posterior_predictive"
    drawn = tree[group].to_dataset()
    predicted = drawn[OUTCOME].sum("dataset").transpose("chain", "draw", "statement").values
    predicted = predicted.reshape(-1, len(each.labels)).astype(np.float64)
    seen = _correlated_t_check_seen(each, tree, len(predicted), rng, prior=prior)
    statistics: Statistics = {
        f"datasets with {label}": (predicted[:, k], seen[:, k])
        for k, label in enumerate(each.labels)
    }
    if DIFFERENCE in drawn:
        statistics |= _correlated_t_check_shapes(each, drawn[DIFFERENCE])
    return statistics


def _correlated_t_check_seen(
    each: Replicates, tree: xr.DataTree, size: int, rng: np.random.Generator, *, prior: bool
) -> FloatArray:
    """How many of the datasets seen make each statement true, for every prediction."""
    outcomes = len(each.labels)
    if prior:
        even = np.full((size, outcomes), 1.0 / outcomes)
        statement = draw_statements(each.evidence, even, rng)
        counts = [(statement == k).sum(axis=1) for k in range(outcomes)]
    else:
        mean = tree["posterior"][ADVANTAGE].transpose("chain", "draw", "dataset").values
        mean = mean.reshape(size, -1)
        # A mean of exactly 0 without a rope makes either true alike.
        even_out = 0.0 if each.rope else 0.5 * (mean == 0.0).sum(axis=1)
        better, worse = ((s * mean > each.rope).sum(axis=1) + even_out for s in (1.0, -1.0))
        counts = [better, len(each.rho) - better - worse, worse] if each.rope else [better, worse]
    return np.stack(counts, axis=-1).astype(np.float64)


def _correlated_t_check_shapes(each: Replicates, drawn: xr.DataArray) -> Statistics:
    """Tails and skewness of the replicates, free of their dataset's mean and spread."""
    varying = each.scale > 0.0
    if not varying.any():
        return {}
    order = ("chain", "draw", "dataset", "replicate")
    predicted = drawn.transpose(*order).values.reshape(-1, *each.differences.shape)
    before = _correlated_t_check_standardised(predicted[:, varying].astype(np.float64))
    now = _correlated_t_check_standardised(each.differences[None, varying])
    return {
        "largest deviation of a replicate, in sd": (
            _correlated_t_check_largest(before),
            float(_correlated_t_check_largest(now)[0]),
        ),
        "skewness of the replicates": (
            _correlated_t_check_skewness(before),
            float(_correlated_t_check_skewness(now)[0]),
        ),
    }


def _correlated_t_check_standardised(x: FloatArray) -> FloatArray:
    mean = np.nanmean(x, axis=-1, keepdims=True)
    return np.asarray((x - mean) / np.nanstd(x, axis=-1, ddof=1, keepdims=True))


def _correlated_t_check_largest(z: FloatArray) -> FloatArray:
    return np.asarray(np.nanmax(np.abs(z), axis=(1, 2)))


def _correlated_t_check_skewness(z: FloatArray) -> FloatArray:
    return np.asarray(np.nanmean(z**3, axis=(1, 2)))
