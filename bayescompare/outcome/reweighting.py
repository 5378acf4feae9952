"""Draws of a posterior, reweighted to another one nearby: Pareto-smoothed weights and their errors.

References
----------
Vehtari, Simpson, Gelman, Yao & Gabry (2024), Pareto smoothed importance sampling, JMLR 25(72).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.prior import POWER
from bayescompare.text.numbers import count, setting_number_text, statistic_number_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.comparison import Comparison


#: Threshold of Vehtari et al. (2024) for the shape of the tail of weights.
MOST_KHAT = 0.7


#: Draws that weights must be worth.
LEAST_EFFECTIVE = 50


#: Weights that vary less, in logarithms, are all equal.
_CONSTANT = 1e-12


#: Draws without which a tail cannot be fitted.
_FEWEST = 25


#: A draw under which the data are impossible has this log weight, and so none that counts.
_IMPOSSIBLE = -1e4


class ReweightingWeights(NamedTuple):
    """Smoothed weights of draws.

    Attributes
    ----------
    values : array (chain, draw)
        They sum to one.
    khat : float
        Shape of their tail; above 0.7 the weights fail.
    effective : float
        How many equally weighted draws they are worth.
    """

    values: FloatArray
    khat: float
    effective: float

    @property
    def hold(self) -> bool:
        """Whether what is averaged by them can be trusted."""
        return self.khat <= MOST_KHAT and self.effective >= LEAST_EFFECTIVE

    def mean(self, each: FloatArray) -> FloatArray:
        """Average (chain, draw, statement) over the draws."""
        return np.asarray(np.einsum("cd,cds->s", self.values, each))

    def error(self, each: FloatArray) -> FloatArray:
        """Monte Carlo standard error of `mean`, the draws' autocorrelation included.

        Where no draw differs from another the error is not zero but unknown; Laplace's rule for as
        many draws as the weights are worth bounds it.
        """
        import arviz as az
        import xarray as xr

        mean, n = self.mean(each), self.values.size
        terms = n * self.values[..., None] * (each - mean)
        mcse = az.mcse(xr.DataArray(terms, dims=("chain", "draw", "statement")), method="mean")
        found = np.asarray(mcse.values)
        p = (mean * self.effective + 1.0) / (self.effective + 2.0)
        unknown = np.sqrt(np.maximum(p * (1.0 - p), 0.0) / self.effective)
        return np.where(np.isfinite(found) & (found > 0), found, unknown)


def smoothed_reweighting(log_weights: FloatArray) -> ReweightingWeights:
    """Smooth the largest weights by a generalised Pareto distribution; equal ones stay as they are.

    Examples
    --------
    >>> weights = smoothed_reweighting(np.zeros((2, 50)))
    >>> float(weights.values.sum().round(12)), weights.khat, round(weights.effective)
    (1.0, 0.0, 100)
    """
    from importlib import import_module

    # What does the work in arviz-stats is not declared as public to type checkers.
    array_stats: Any = import_module("arviz_stats.base").array_stats
    known = np.where(np.isnan(log_weights), -np.inf, log_weights)
    logs = np.maximum(known, known.max() + _IMPOSSIBLE)
    if float(np.ptp(logs)) < _CONSTANT:
        return ReweightingWeights(np.full(logs.shape, 1.0 / logs.size), 0.0, float(logs.size))
    relative = float(array_stats.ess(logs, method="tail", relative=True, prob=(0.05, 0.95)))
    # Beyond 1, as of draws that alternate, fewer draws would make the tail than can be fitted.
    independent = min(relative, 1.0) if np.isfinite(relative) else 1.0
    smooth, khat = logs.ravel(), np.inf
    if logs.size >= _FEWEST:
        try:
            # ArviZ takes the negative, as of a log likelihood.
            smooth, khat = array_stats.psislw(-smooth, r_eff=independent)
        except ValueError:
            # All draws of the tail have the same weight: it ends there, and needs no smoothing.
            khat = 0.0
    weights = np.exp(smooth - smooth.max())
    weights = (weights / weights.sum()).reshape(logs.shape)
    return ReweightingWeights(weights, float(khat), 1.0 / float((weights**2).sum()))


def leads_for_reweighting(c: Comparison, asked: str) -> FloatArray:
    """P(each statement leads) given each draw, which averages to the answer."""
    each = c.posterior.leads()
    assert c.answer.probability is not None
    if not np.allclose(each.mean(axis=(0, 1)), c.answer.probability, atol=1e-6):
        raise BayescompareError(
            f"{asked}: the draws kept with this answer do not say what it says, so they cannot be "
            "reweighted; compare() again."
        )
    return each


#: What the attribute "how" of the table says.
POWER_SCALING = "power scaling"


#: Powers that are tried unless others are asked for; those whose weights fail are left out.
USUAL = np.geomspace(0.5, 2.0, 9)


def power_scaled(c: Comparison, values: Sequence[float] | None) -> pd.DataFrame:
    """Tabulate every statement's P by the power of the prior.

    The attributes of the table hold, for each row, k-hat of the weights, how many draws they are
    worth (ess), and the largest Monte Carlo standard error of the statements (mcse).
    """
    tree = c.answer.tree
    if tree is None:
        raise BayescompareError(
            "sensitivity: the chains of this answer were not saved (JSON does not hold them, "
            "netCDF does); compare() again."
        )
    log_prior = _power_scaling_log_prior(tree)
    each = leads_for_reweighting(c, "sensitivity")
    rows, kept, left_out = {}, [], {}
    for power in USUAL.tolist() if values is None else list(map(float, values)):
        weights = smoothed_reweighting((power - 1.0) * log_prior)
        if not weights.hold:
            left_out[power] = weights
            continue
        rows[power] = weights.mean(each)
        kept.append((weights.khat, weights.effective, float(weights.error(each).max())))
    if left_out and (values is not None or not rows):
        raise _power_scaling_failure(*next(iter(left_out.items())))
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(c.answer.labels))
    table.index.name = POWER
    figures = map(list, zip(*kept, strict=True))
    table.attrs = dict(zip(("khat", "ess", "mcse"), figures, strict=True))
    table.attrs.update(how=POWER_SCALING, left_out=list(left_out))
    return table


def _power_scaling_failure(power: float, weights: ReweightingWeights) -> BayescompareError:
    return BayescompareError(
        f"sensitivity: the draws cannot be reweighted to power {setting_number_text(power)} of "
        "the prior: "
        f"k-hat is {statistic_number_text(weights.khat, significant=2) or 'unknown'} (at most "
        f"{MOST_KHAT}), "
        f"and the weights are worth {count(round(weights.effective))} of "
        f"{count(weights.values.size)} draws (at least {LEAST_EFFECTIVE}). Ask for values nearer "
        "to 1, sample more draws, or compare() with another prior."
    )


def _power_scaling_log_prior(tree: xr.DataTree) -> FloatArray:
    """Log density of all priors at the top of the hierarchy, (chain, draw)."""
    if "log_prior" not in tree:
        raise BayescompareError(
            "sensitivity: the tree of this answer has no group log_prior to scale; compare() again."
        )
    densities = tree["log_prior"].to_dataset()
    top = densities.attrs.get("top_level", list(densities.data_vars))
    names = [name for name in np.atleast_1d(top).tolist() if name in densities.data_vars]
    if not names:
        raise BayescompareError(
            "sensitivity: no parameter of this model has a prior density to scale."
        )
    each = (densities[name] for name in names)
    summed = [d.sum([dim for dim in d.dims if dim not in ("chain", "draw")]) for d in each]
    return np.asarray(sum(d.transpose("chain", "draw").values for d in summed))
