"""Simulation-based calibration of a PyMC model by NUTS, which is compiled once for all data."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_count
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.methods.model_file.source import find_source
from bayescompare.results.results import Results
from bayescompare.studies.sbc import SBC, rank

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["sbc_model"]


def sbc_model(
    source: Any,
    results: Results,
    *,
    simulations: int = 100,
    draws: int = 99,
    priors: Mapping[str, Any] | None = None,
    rng: Rng = None,
) -> SBC:
    """Calibrate a model file, a bundled model or a build function by NUTS.

    Parameters
    ----------
    source : str or callable
        As for ``method=`` of `compare`.
    results : Results
        The simulated data have their sizes and names; their values are not used.
    simulations : int
        Each takes about half a second, because the model is compiled only once.
    draws : int
        Number of posterior draws to rank among; NUTS makes five times as many, to thin.
    priors : mapping, optional
        As for `bayescompare.methods.ModelFile`.
    rng : None, int or Generator

    Returns
    -------
    SBC
        Ranks of every scalar parameter, and of the first and last entry of every vector.
    """
    check_count(simulations=simulations, draws=draws)
    code = find_source(source)
    generator, _ = as_rng(rng)
    model = code.model(results, dict(priors or {}))
    rows = []
    for truth, drawn in _replicates(model, simulations, draws, generator):
        rows.append({name: rank(truth[name], drawn[name], generator) for name in truth})
    return SBC(code.name, pd.DataFrame(rows), draws)


def _replicates(
    model: pm.Model, simulations: int, draws: int, rng: np.random.Generator
) -> Iterator[tuple[dict[str, float], dict[str, FloatArray]]]:
    """Yield parameters from the prior, and draws given data simulated from them."""
    import pymc as pm

    if len(model.observed_RVs) != 1:
        raise BayescompareError("sbc_model: the model must have one observed variable.")
    (observed,) = model.observed_RVs
    data = _as_shared(model, observed)
    names = [rv.name for rv in model.free_RVs]
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with model, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seeds = [int(s) for s in rng.integers(2**31 - 1, size=simulations + 1)]
            prior = pm.sample_prior_predictive(simulations, random_seed=seeds[0])
            step = pm.NUTS(target_accept=0.9)
            for k in range(simulations):
                data.set_value(prior["prior_predictive"][observed.name].values[0, k])
                tree = pm.sample(
                    5 * draws,
                    tune=500,
                    chains=1,
                    cores=1,
                    step=step,
                    progressbar=False,
                    random_seed=seeds[k + 1],
                    compute_convergence_checks=False,
                )
                truth = _entries({n: prior["prior"][n].values[0, k] for n in names})
                kept = {n: tree["posterior"][n].values[0, ::5][:draws] for n in names}
                each = [_entries({n: kept[n][j] for n in names}) for j in range(draws)]
                yield truth, {n: np.array([one[n] for one in each]) for n in truth}
    finally:
        logger.setLevel(level)


def _as_shared(model: pm.Model, observed: Any) -> Any:
    """Make the data replaceable without recompiling the model."""
    import pytensor

    old = model.rvs_to_values[observed]
    seen = np.asarray(old.eval())
    shared: Any = pytensor.shared(seen, name=f"{observed.name}_seen")  # type: ignore[attr-defined, no-untyped-call]
    model.rvs_to_values[observed] = shared
    model.values_to_rvs.pop(old)
    model.values_to_rvs[shared] = observed
    return shared


def _entries(values: Mapping[str, Any]) -> dict[str, float]:
    """Return scalars by name, and the first and last entry of each vector."""
    scalars = {}
    for name, value in values.items():
        flat = np.ravel(value)
        if flat.size == 1:
            scalars[name] = float(flat[0])
        else:
            scalars[f"{name}[0]"], scalars[f"{name}[-1]"] = float(flat[0]), float(flat[-1])
    return scalars
