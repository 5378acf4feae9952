r"""How a sampled answer depends on its prior, by power scaling: its draws are reweighted.

The prior's density is raised to a power γ; draw d then has the weight
:math:`w_d \propto \pi(\theta_d)^{\gamma - 1}`, smoothed by a generalised Pareto distribution.
Only the priors at the top of a hierarchy are scaled: what they generate belongs to the model.

References
----------
Kallioinen, Paananen, Bürkner & Vehtari (2023), Detecting and diagnosing prior and likelihood
sensitivity with power-scaling, Statistics and Computing 34, 57.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.lever import POWER
from bayescompare.comparison.loo import MOST_KHAT
from bayescompare.comparison.reweighting import (
    LEAST_EFFECTIVE,
    ReweightingWeights,
    leads_for_reweighting,
    smoothed_reweighting,
)
from bayescompare.text.numbers import count, setting_number_text, statistic_number_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.comparison.comparison import Comparison

__all__ = ["POWER_SCALING", "power_scaled"]

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
