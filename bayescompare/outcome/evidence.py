r"""The evidence of a model where it is not closed: by bridge sampling or sequential Monte Carlo.

Both take the PyMC model as it is. Bridge sampling draws from the posterior by NUTS, in the
unconstrained coordinates, fits a proposal to one half of the draws, bridges to the other half, and
does the same with the halves exchanged. Sequential Monte Carlo runs several chains from the prior
to the posterior, and their spread is the standard error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.special import logsumexp

from bayescompare._checks import check_draws, check_word
from bayescompare._errors import BayescompareError, error_in_one_line
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

__all__ = ["By", "EvidenceEstimate", "estimated_evidence"]

By = Literal["smc", "bridge"]

#: Draws and chains by default. The spread of few chains would say little about their error.
_USUAL: Mapping[str, tuple[int, int]] = {"bridge": (1000, 4), "smc": (2000, 8)}
#: A bridge whose relative error exceeds this, or whose sides hardly overlap, is no estimate.
_MOST_ERROR = 0.5
_LEAST_OVERLAP = 0.01
#: Draws per chain below which no half can be fitted.
LEAST_DRAWS = 100
#: Where sequential Monte Carlo was found to be right; beyond it misses by tens of nats.
_MOST_COORDINATES = 15
_LEAST_ALPHA = 0.25
#: What `pymc.sample` is told here and the user may not tell it.
_OURS = ("idata_kwargs", "return_inferencedata", "var_names", "trace", "step")


class _EvidencePair(NamedTuple):
    log_evidence: float
    se: float


class EvidenceEstimate(_EvidencePair):
    """A log evidence with its standard error; unpacks as ``log_evidence, se``.

    Attributes
    ----------
    log_evidence, se : float
        The estimate, in nats, and the standard error of it.
    by : str
        ``"bridge"`` or ``"smc"``.
    how : str
        The draws it came from, in words.
    note : str
        What speaks against it, such as divergences; empty where nothing does.
    """

    by: str
    how: str
    note: str

    def __new__(
        cls, log_evidence: float, se: float, *, by: str = "", how: str = "", note: str = ""
    ) -> EvidenceEstimate:
        """Make the pair, and remember how it was made."""
        made = super().__new__(cls, log_evidence, se)
        made.__dict__.update(by=by, how=how, note=note)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an EvidenceEstimate cannot be changed, nor its {name!r}")

    def __repr__(self) -> str:
        caution = f"\n  caution: {self.note}" if self.note else ""
        return (
            f"EvidenceEstimate: log evidence {log_evidence_text(self.log_evidence)}, standard "
            "error "
            f"{standard_error_text(self.se)}, by {self.how}{caution}"
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
    check_word("by", by, tuple(_USUAL))
    usual = _USUAL[str(by)]
    draws, chains = (
        draws if draws is not None else usual[0],
        chains if chains is not None else usual[1],
    )
    check_draws(draws=draws, chains=chains)
    if "random_seed" in options:
        raise BayescompareError("random_seed: pass the seed as rng= instead.")
    generator, _ = as_rng(rng)
    if model is None:
        # θ itself for the one; latents that NUTS moves through for the other.
        model = c.method.model(c.results, "textbook" if by == "smc" else "nuts")
    nuts.check_model_for_nuts(model)
    _check_comparison_evidence_proper(model)
    estimate = _comparison_evidence_by_smc if by == "smc" else _comparison_evidence_by_bridge
    return estimate(model, draws, chains, generator, options)


# bridge sampling ----------------------------------------------------------------------------------


def _comparison_evidence_by_bridge(
    model: pm.Model,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> EvidenceEstimate:
    """Estimate the log evidence of a model by bridge sampling from NUTS."""
    _check_comparison_evidence_bridge(model, draws, options)
    seed = int(rng.integers(2**31 - 1))
    model = nuts.frozen(model)
    wanted = {**options, "idata_kwargs": {"include_transformed": True}}
    tree = nuts.run_nuts(model, draws=draws, chains=chains, seed=seed, options=wanted)
    posterior = tree["posterior"].to_dataset()
    names = [str(value.name) for value in model.value_vars]
    points = np.concatenate(
        [posterior[name].values.reshape(chains, draws, -1) for name in names], axis=-1
    )
    density = _comparison_evidence_density(model)
    own = density(points.reshape(-1, points.shape[-1])).reshape(chains, draws)
    half = draws // 2
    early, late = (points[:, :half], own[:, :half]), (points[:, half:], own[:, half:])
    both = [
        _bridge_comparison_evidence(density, fit, use, rng)
        for (fit, _), use in ((early, late), (late, early))
    ]
    _check_comparison_evidence_overlap(both)
    first, second = (found.log_constant for found in both)
    # The two ways share no draw on one side of the bridge; where they differ by more than their
    # errors say, the errors are wrong.
    squared = sum(found.error**2 for found in both) / 4.0
    se = math.sqrt(max(squared, (first - second) ** 2 / 4.0))
    how = f"bridge sampling from {count(chains)} × {count(draws)} draws"
    note = _comparison_evidence_caution(tree, posterior[names])
    return EvidenceEstimate(0.5 * (first + second), se, by="bridge", how=how, note=note)


def _bridge_comparison_evidence(
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


def _comparison_evidence_density(model: pm.Model) -> Callable[[FloatArray], FloatArray]:
    """Log of prior times likelihood at points (n, d) of the unconstrained coordinates."""
    function = model.logp_dlogp_function(ravel_inputs=True)
    function.set_extra_values({})

    def density(points: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.array([float(function([point])[0]) for point in points])

    return density


def _check_comparison_evidence_overlap(both: list[Bridge]) -> None:
    # Written so that NaN is refused.
    if all(b.error <= _MOST_ERROR and b.overlap >= _LEAST_OVERLAP for b in both):
        return
    raise BayescompareError(
        "estimate_evidence: bridge sampling found too little overlap between the posterior and the "
        "proposal fitted to it (relative errors "
        f"{standard_error_text(both[0].error) or 'unknown'} and "
        f"{standard_error_text(both[1].error) or 'unknown'}): take more draws=, or see "
        "diagnose(c.sample()) "
        "whether NUTS reaches the whole posterior."
    )


def _comparison_evidence_caution(tree: xr.DataTree, values: xr.Dataset) -> str:
    """What speaks against the draws: divergences, and chains that disagree."""
    import arviz as az

    notes = []
    divergent = int(tree["sample_stats"]["diverging"].sum())
    if divergent:
        notes.append(plural(divergent, "divergent transition"))
    if values.sizes["chain"] > 1:
        rhat = max(float(each.max()) for each in az.rhat(values).data_vars.values())
        if not rhat <= MOST_RHAT:
            notes.append(f"R-hat up to {statistic_number_text(rhat, levels=[MOST_RHAT])}")
    return ", ".join(notes)


def _check_comparison_evidence_bridge(
    model: pm.Model, draws: int, options: Mapping[str, Any]
) -> None:
    whole = [str(v.name) for v in model.value_vars if v not in model.continuous_value_vars]
    if whole:
        raise BayescompareError(
            f"estimate_evidence: {', '.join(whole)} is discrete, and bridge sampling needs a "
            "density: sum it out in the model's likelihood."
        )
    if draws < LEAST_DRAWS:
        raise BayescompareError(
            f"draws={draws}: bridge sampling fits a proposal to half of them; take at least "
            f"{LEAST_DRAWS}."
        )
    ours = [name for name in _OURS if name in options]
    if ours:
        raise BayescompareError(f"{ours[0]}: estimate_evidence() sets this itself; leave it out.")
    if options.get("nuts_sampler", "pymc") != "pymc":
        raise BayescompareError(
            f"nuts_sampler={options['nuts_sampler']!r}: bridge sampling needs the unconstrained "
            "draws, which PyMC's own sampler keeps; leave nuts_sampler out."
        )


def _check_comparison_evidence_proper(model: pm.Model) -> None:
    improper = [
        str(rv.name)
        for rv in model.free_RVs
        if type(rv.owner.op).__name__ in ("FlatRV", "HalfFlatRV")
    ]
    if improper:
        raise BayescompareError(
            f"estimate_evidence: the prior of {', '.join(improper)} is improper, so the model has "
            "no evidence; give it a proper prior."
        )


# sequential Monte Carlo ---------------------------------------------------------------------------


def _comparison_evidence_by_smc(
    model: pm.Model,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> EvidenceEstimate:
    """Estimate the log evidence of a model by sequential Monte Carlo, where that can be trusted."""
    import pymc as pm

    _check_comparison_evidence_smc(model, chains)
    usual = {"progressbar": sys.stdout.isatty(), "compute_convergence_checks": False}
    seeds = [int(seed) for seed in rng.integers(2**31 - 1, size=chains)]
    nuts.check_compiler_for_nuts()
    with nuts.quiet_nuts_warnings(), np.errstate(all="ignore"):
        try:
            tree = pm.sample_smc(
                draws, model=model, chains=chains, random_seed=seeds, **{**usual, **options}
            )
        except (NotImplementedError, TypeError, ValueError, RuntimeError) as trouble:
            raise BayescompareError(
                "estimate_evidence: sequential Monte Carlo failed, which needs draws from the "
                f"prior; try by='bridge'. ({error_in_one_line(trouble)})"
            ) from trouble
    # One figure for each stage of each chain, which may differ in how many they have.
    stages = tree["sample_stats"]["log_marginal_likelihood"].values
    logs = np.array([_last_comparison_evidence(chain) for chain in np.atleast_1d(stages)])
    if not np.isfinite(logs).all():
        raise BayescompareError(
            "estimate_evidence: sequential Monte Carlo gave no finite evidence; try by='bridge'."
        )
    mean = float(logsumexp(logs) - math.log(chains))
    # The spread of the evidences themselves, relative to their mean.
    se = float(np.exp(logs - mean).std(ddof=1)) / math.sqrt(chains)
    how = f"sequential Monte Carlo, {count(chains)} chains of {count(draws)} draws"
    return EvidenceEstimate(mean, se, by="smc", how=how)


def _last_comparison_evidence(chain: Any) -> float:
    figures = np.hstack([np.ravel(stage) for stage in np.ravel(chain)]).astype(np.float64)
    known = figures[~np.isnan(figures)]
    return float(known[-1]) if known.size else math.nan


def _check_comparison_evidence_smc(model: pm.Model, chains: int) -> None:
    """Refuse models for which sequential Monte Carlo is known to miss."""
    steer = "by='bridge' takes it"
    if chains < 2:
        raise BayescompareError(
            f"chains={chains}: the standard error is the spread between chains; take at least 2."
        )
    if any(v not in model.continuous_value_vars for v in model.value_vars):
        raise BayescompareError(
            "by='smc': the model has discrete variables, which PyMC's SMC does not move well; "
            f"{steer} where another form of the model sums them out."
        )
    point = model.initial_point(0)
    size = sum(np.size(point[str(v.name)]) for v in model.value_vars)
    if size > _MOST_COORDINATES:
        raise BayescompareError(
            f"by='smc': the model has {count(size)} free coordinates, and sequential Monte Carlo "
            f"is right only up to {_MOST_COORDINATES} (16 statements); {steer}."
        )
    for rv in model.free_RVs:
        if (
            "Dirichlet" in type(rv.owner.op).__name__
            and not _comparison_evidence_least_alpha(rv) >= _LEAST_ALPHA
        ):
            raise BayescompareError(
                f"by='smc': {rv.name} has a Dirichlet prior whose parameters are, or may be, below "
                f"¼, where sequential Monte Carlo misses the corners; {steer}."
            )


def _comparison_evidence_least_alpha(rv: Any) -> float:
    """The least parameter of a Dirichlet; NaN where it is random."""
    from pytensor.graph.traversal import ancestors

    alpha = rv.owner.op.dist_params(rv.owner)[0]
    random = any(
        getattr(getattr(v.owner, "op", None), "dist_params", None) is not None
        for v in ancestors([alpha])
    )
    return math.nan if random else float(np.min(alpha.eval(mode="FAST_COMPILE")))
