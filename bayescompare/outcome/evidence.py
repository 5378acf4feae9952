r"""The evidence of a model where it is not closed, by bridge sampling.

The PyMC model is taken as it is. NUTS draws from its posterior in the unconstrained coordinates; a
proposal is fitted to one half of the draws and bridged to the other half, and the same again with
the halves exchanged (Meng & Wong 1996; Gronau et al. 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayescompare._checks import check_draws, check_word
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.bridge import Bridge, bridge_constant, fit_sinh_arcsinh
from bayescompare.outcome import nuts
from bayescompare.outcome.diagnosis import MOST_RHAT
from bayescompare.text.numbers import (
    count,
    log_evidence_text,
    plural,
    standard_error_text,
    statistic_number_text,
)

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.outcome.comparison import Comparison


#: Sequential Monte Carlo was the other way, once; it missed by tens of nats beyond 16 statements.
By = Literal["bridge"]

#: A bridge whose relative error exceeds this, or whose sides hardly overlap, is no estimate.
_MOST_ERROR, _LEAST_OVERLAP = 0.5, 0.01
#: Draws per chain below which no half can be fitted.
_LEAST_DRAWS = 100
#: What `pymc.sample` is told here and the user may not tell it.
_OURS = ("idata_kwargs", "return_inferencedata", "var_names", "trace", "step")


@dataclass(frozen=True, repr=False)
class EvidenceEstimate:
    """A log evidence with its standard error; unpacks as ``log_evidence, se``.

    Attributes
    ----------
    log_evidence, se : float
        The estimate, in nats, and the standard error of it.
    how : str
        The draws it came from, in words.
    note : str
        What speaks against it, such as divergences; empty where nothing does.
    """

    log_evidence: float
    se: float
    how: str = ""
    note: str = ""

    def __iter__(self) -> Iterator[float]:
        """Give the estimate and its standard error."""
        return iter((self.log_evidence, self.se))

    def __repr__(self) -> str:
        caution = f"\n  caution: {self.note}" if self.note else ""
        return (
            f"EvidenceEstimate: log evidence {log_evidence_text(self.log_evidence)}, standard "
            f"error {standard_error_text(self.se)}, by {self.how}{caution}"
        )


def estimated_evidence(
    c: Comparison,
    by: object,
    *,
    draws: int | None,
    chains: int | None,
    model: pm.Model | None,
    rng: Rng,
    options: Mapping[str, Any],
) -> EvidenceEstimate:
    """Estimate the evidence of a comparison's model, or of an edited one."""
    check_word("by", by, ("bridge",))
    draws, chains = 1000 if draws is None else draws, 4 if chains is None else chains
    check_draws(draws=draws, chains=chains)
    if "random_seed" in options:
        raise BayescompareError("random_seed: pass the seed as rng= instead.")
    generator, _ = as_rng(rng)
    model = c.method.model(c.results, "nuts") if model is None else model
    nuts.check_model_for_nuts(model)
    _check_can_be_bridged(model, draws, options)
    seed, model = int(generator.integers(2**31 - 1)), nuts.frozen(model)
    wanted = {**options, "idata_kwargs": {"include_transformed": True}}
    tree = nuts.run_nuts(model, draws=draws, chains=chains, seed=seed, options=wanted)
    posterior = tree["posterior"].to_dataset()
    names = [str(value.name) for value in model.value_vars]
    points = np.concatenate(
        [posterior[name].values.reshape(chains, draws, -1) for name in names], axis=-1
    )
    density = _log_density(model)
    own = density(points.reshape(-1, points.shape[-1])).reshape(chains, draws)
    half = draws // 2
    early, late = (points[:, :half], own[:, :half]), (points[:, half:], own[:, half:])
    both = [
        _bridge(density, fit, use, generator) for (fit, _), use in ((early, late), (late, early))
    ]
    _check_overlap(both)
    first, second = (found.log_constant for found in both)
    # The two ways share no draw on one side of the bridge; where they differ by more than their
    # errors say, the errors are wrong.
    squared = sum(found.error**2 for found in both) / 4.0
    se = math.sqrt(max(squared, (first - second) ** 2 / 4.0))
    how = f"bridge sampling from {count(chains)} × {count(draws)} draws"
    return EvidenceEstimate(0.5 * (first + second), se, how, _caution(tree, posterior[names]))


def _bridge(
    density: Callable[[FloatArray], FloatArray],
    fitted: FloatArray,
    used: tuple[FloatArray, FloatArray],
    rng: np.random.Generator,
) -> Bridge:
    """Fit a proposal to some draws and bridge to others."""
    points, own = used
    d = points.shape[-1]
    proposal = fit_sinh_arcsinh(fitted.reshape(-1, d))
    proposed = proposal.draw(own.size, rng)
    drawn = own - proposal.log_density(points.reshape(-1, d)).reshape(own.shape)
    logs = density(proposed)
    # A point at which the density overflows is one that it does not reach.
    ratio = np.where(np.isfinite(logs), logs - proposal.log_density(proposed), -math.inf)
    return bridge_constant(drawn, ratio)


def _log_density(model: pm.Model) -> Callable[[FloatArray], FloatArray]:
    """Log of prior times likelihood at points (n, d) of the unconstrained coordinates."""
    function = model.logp_dlogp_function(ravel_inputs=True)
    function.set_extra_values({})

    def density(points: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.array([float(function([point])[0]) for point in points])

    return density


def _check_overlap(both: list[Bridge]) -> None:
    # Written so that NaN is refused.
    if all(b.error <= _MOST_ERROR and b.overlap >= _LEAST_OVERLAP for b in both):
        return
    errors = " and ".join(standard_error_text(b.error) or "unknown" for b in both)
    raise BayescompareError(
        "estimate_evidence: bridge sampling found too little overlap between the posterior and the "
        f"proposal fitted to it (relative errors {errors}): take more draws=, or see "
        "diagnose(c.sample()) whether NUTS reaches the whole posterior."
    )


def _caution(tree: xr.DataTree, values: xr.Dataset) -> str:
    """What speaks against the draws: divergences, and chains that disagree."""
    import arviz as az

    notes = []
    if divergent := int(tree["sample_stats"]["diverging"].sum()):
        notes.append(plural(divergent, "divergent transition"))
    if values.sizes["chain"] > 1:
        rhat = max(float(each.max()) for each in az.rhat(values).data_vars.values())
        if not rhat <= MOST_RHAT:
            notes.append(f"R-hat up to {statistic_number_text(rhat, levels=[MOST_RHAT])}")
    return ", ".join(notes)


def _check_can_be_bridged(model: pm.Model, draws: int, options: Mapping[str, Any]) -> None:
    flat = ("FlatRV", "HalfFlatRV")
    improper = [str(rv.name) for rv in model.free_RVs if type(rv.owner.op).__name__ in flat]
    if improper:
        raise BayescompareError(
            f"estimate_evidence: the prior of {', '.join(improper)} is improper, so the model has "
            "no evidence; give it a proper prior."
        )
    whole = [str(v.name) for v in model.value_vars if v not in model.continuous_value_vars]
    if whole:
        raise BayescompareError(
            f"estimate_evidence: {', '.join(whole)} is discrete, and bridge sampling needs a "
            "density: sum it out in the model's likelihood."
        )
    if draws < _LEAST_DRAWS:
        raise BayescompareError(
            f"draws={draws}: bridge sampling fits a proposal to half of them; take at least "
            f"{_LEAST_DRAWS}."
        )
    if ours := [name for name in _OURS if name in options]:
        raise BayescompareError(f"{ours[0]}: estimate_evidence() sets this itself; leave it out.")
    if options.get("nuts_sampler", "pymc") != "pymc":
        raise BayescompareError(
            f"nuts_sampler={options['nuts_sampler']!r}: bridge sampling needs the unconstrained "
            "draws, which PyMC's own sampler keeps; leave nuts_sampler out."
        )
