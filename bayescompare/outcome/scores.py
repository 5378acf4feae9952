r"""Scores of a model where they are not closed: leave-one-dataset-out, and the evidence.

Leave-one-out is exact, by PSIS from a tree, or by sampling again without a dataset. Here stands
what ArviZ asks of a log likelihood and where it stumbles. A refit samples the model with the
likelihood of one dataset taken away, everything else being as it was, and what that posterior says
of the dataset is

.. math:: \log p(y_i \mid y_{-i}) = \log \tfrac1S \sum_s p(y_i \mid \theta_s), \qquad
          \theta_s \sim p(\theta \mid y_{-i}).

The model is compiled once: which dataset is left out is data to it.

The evidence is found by bridge sampling. NUTS draws from the posterior in the unconstrained
coordinates; a proposal is fitted to one half of the draws and bridged to the other half, and the
same again with the halves exchanged (Meng & Wong 1996; Gronau et al. 2017).
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import arviz as az
import numpy as np
import xarray as xr
from arviz_stats.loo.reloo import reloo
from arviz_stats.loo.wrapper import SamplingWrapper
from arviz_stats.utils import ELPDDataLOO

from bayescompare._checks import (
    check_draws,
    check_flag,
    check_word,
    is_number,
    show_checked_value_briefly,
)
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.numerics.bridge import (
    Bridge,
    autocorrelation_time,
    bridge_constant,
    fit_sinh_arcsinh,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.diagnosis import (
    EDITED,
    MOST_KHAT,
    MOST_RHAT,
    OF_EDITED,
    check_tree,
    is_edited,
    quiet_pareto,
)
from bayescompare.outcome.posterior import likelihood_of
from bayescompare.text.numbers import (
    count,
    log_evidence_text,
    plural,
    standard_error_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.method import Sampling
    from bayescompare.outcome.posterior import Posterior


#: What the attribute "how" of ``elpd_i`` says.
EXACT, PSIS = "exact", "PSIS"
#: The data of the model that says how much of each dataset is left out.
LEFT_OUT = "left_out"
#: A log likelihood above 0 by no more than this is 0.
_ROUNDING = 1e-9
_SAMPLES = ("chain", "draw")


class LeftOut(ELPDDataLOO):
    """ArviZ's leave-one-out, which says in print how each dataset was left out."""

    @classmethod
    def of(cls, elpd_i: xr.DataArray, se: float, **fields: Any) -> LeftOut:
        """Sum densities by dataset."""
        figures = {"n_samples": 0, "warning": False, "good_k": MOST_KHAT, "scale": "log", **fields}
        elpd, number = float(elpd_i.values.sum()), elpd_i.size
        return cls(elpd=elpd, se=se, n_data_points=number, elpd_i=elpd_i, **figures)

    def _header(self) -> str:
        if self.elpd_i.attrs["how"] == EXACT:
            return f"Computed exactly for {plural(self.n_data_points, 'dataset')}, without draws."
        return str(super()._header())  # type: ignore[no-untyped-call]

    def _footer(self) -> str:
        how = self.elpd_i.attrs
        lines = [] if how["how"] == EXACT else [super()._footer()]  # type: ignore[no-untyped-call]
        if how.get("model") == EDITED:
            lines.append(OF_EDITED)
        if (refitted := how.get("refitted")) is not None:
            without = f"Refitted without {join_names(refitted)}: exact there, up to Monte Carlo"
            lines.append(f"{without} error." if refitted else "No dataset needed a refit.")
        return "\n".join(lines)


def exact_loo(without: FloatArray, within: FloatArray, datasets: Sequence[str]) -> LeftOut:
    """Wrap exact leave-one-out densities as what ``arviz.compare`` takes.

    Parameters
    ----------
    without, within : arrays (n,)
        Log predictive density of each dataset given the others, and given all.
    datasets : sequence of str
    """
    elpd_i = xr.DataArray(without, {"dataset": list(datasets)}, dims="dataset", name="elpd_i")
    elpd_i.attrs["how"] = EXACT
    se = float(np.sqrt(len(without) * np.var(without)))
    # Nothing was importance-sampled: no weight has a tail.
    khat = xr.DataArray(np.zeros(len(without)), elpd_i.coords, dims="dataset", name="pareto_k")
    return LeftOut.of(elpd_i, se, p=float((within - without).sum()), pareto_k=khat)


def checked_loo(tree: xr.DataTree, asked: Posterior | None = None) -> LeftOut:
    """PSIS-LOO of a tree whose log likelihood can be one; an edited model's says that it is.

    Where datasets have latents of their own, `asked` says which.
    """
    check_tree(tree, "log_likelihood")
    _check_likelihood(tree)
    loo = psis_loo(tree)
    if is_edited(tree):
        loo.elpd_i.attrs["model"] = EDITED
    elif own := getattr(asked, "undeclared", None):
        warnings.warn(
            f"loo: each dataset has its own {join_names(own)}, which saw the data that are to be "
            "left out, so that the elpd is too high: give the file a log_likelihood (docs: model "
            "files), or ask loo(refit=True, khat=-math.inf).",
            UserWarning,
            stacklevel=3,
        )
    return loo


def psis_loo(tree: xr.DataTree) -> LeftOut:
    """PSIS-LOO of a tree; datasets whose log likelihood never varies are exact as they are.

    ArviZ refuses a constant log likelihood, although leaving such a dataset out changes nothing.
    """
    check_tree(tree, "log_likelihood")
    densities = _by_dataset(tree["log_likelihood"].to_dataset())
    constant = _constant(densities)
    elpd_i = densities.isel(chain=0, draw=0, drop=True).rename("elpd_i").copy()
    khat, fields = xr.zeros_like(elpd_i).rename("pareto_k"), {"p": 0.0, "good_k": MOST_KHAT}
    if not constant.all():
        part = az.loo(_tree_of(tree, densities.isel(dataset=~constant)), pointwise=True)
        elpd_i[~constant], khat[~constant] = part.elpd_i.values, part.pareto_k.values
        fields = {"p": part.p, "good_k": part.good_k, "warning": part.warning}
    elpd_i.attrs["how"] = PSIS
    n = elpd_i.size
    se = float(np.sqrt(n * np.var(elpd_i.values, ddof=1))) if n > 1 else 0.0
    draws = densities.sizes["chain"] * densities.sizes["draw"]
    return LeftOut.of(elpd_i, se, n_samples=draws, pareto_k=khat, **fields)


def _constant(densities: xr.DataArray) -> BoolArray:
    """Which datasets have the same density in every draw, as far as floats can tell."""
    most = densities.max(_SAMPLES)
    spread = most - densities.min(_SAMPLES)
    return np.asarray(spread <= 1e-12 * (1.0 + abs(most)))


def _tree_of(tree: xr.DataTree, densities: xr.DataArray) -> xr.DataTree:
    likelihood = densities.to_dataset(name="by_dataset")
    posterior = tree["posterior"].to_dataset()
    return xr.DataTree.from_dict({"posterior": posterior, "log_likelihood": likelihood})


def _by_dataset(densities: xr.Dataset) -> xr.DataArray:
    """One log density per dataset: a dataset is left out whole, with all that was seen on it."""
    parts = []
    for name, each in densities.data_vars.items():
        if "dataset" not in each.dims:
            raise BayescompareError(
                f"log_likelihood of {name!r} has no dim 'dataset', so none can be left out."
            )
        parts.append(each.sum([dim for dim in each.dims if dim not in (*_SAMPLES, "dataset")]))
    if not parts:
        raise BayescompareError("log_likelihood is empty: there is nothing to leave out.")
    total: xr.DataArray = sum(parts[1:], parts[0])
    return total.transpose(*_SAMPLES, "dataset")


def _check_likelihood(tree: xr.DataTree) -> None:
    """Reject a log likelihood above 0 of discrete data, which no probability has."""
    observed = tree["observed_data"].to_dataset() if "observed_data" in tree else {}
    for name, each in tree["log_likelihood"].to_dataset().data_vars.items():
        if name not in observed or not _is_discrete(observed[name]):
            continue
        most = float(each.max())
        if most > _ROUNDING:
            raise BayescompareError(
                f"loo: the log likelihood of {name!r} reaches "
                f"{statistic_number_text(most, significant=3)}, but {name!r} is discrete and no "
                "probability exceeds 1: normalise the model's likelihood."
            )


def _is_discrete(observed: xr.DataArray) -> bool:
    """Whole numbers are discrete, and so is a dataset's weight split over statements."""
    if observed.dtype.kind in "biu":
        return True
    if "statement" not in observed.dims:
        return False
    return bool((observed >= 0).all() and abs(observed.sum("statement") - 1.0).max() < 1e-6)


# refits -------------------------------------------------------------------------------------------


def check_refit(refit: object, khat: object, model: object, options: Mapping[str, Any]) -> None:
    """Reject what is for refits without ``refit=True``, and what refits set themselves."""
    check_flag(refit=refit)
    if not is_number(khat) or khat != khat:
        raise BayescompareError(
            f"khat={show_checked_value_briefly(khat)}: give a number, such as {MOST_KHAT}."
        )
    for name in ("random_seed", "idata_kwargs", "return_inferencedata", "var_names"):
        if name in options:
            way = "pass the seed as rng= instead" if name == "random_seed" else "leave it out"
            raise BayescompareError(f"{name}: refits set this themselves; {way}.")
    if not refit and (model is not None or options or khat != MOST_KHAT):
        name = next(iter(options), "khat" if model is None else "model")
        raise BayescompareError(f"{name}: it is for refits; say refit=True.")


def refits(
    asked: Posterior,
    tree: xr.DataTree,
    khat: float,
    model: pm.Model | None,
    sampling: Sampling,
) -> LeftOut:
    """PSIS-LOO of a tree, with ArviZ's `reloo` for the datasets that it cannot leave out."""
    if model is None and is_edited(tree):
        raise BayescompareError(
            "loo: the tree came from an edited model, which refits need: pass it as model=."
        )
    with quiet_pareto():  # that is what the refits are for
        loo = checked_loo(tree)
    names = loo.elpd_i["dataset"].values
    poor = [str(name) for name in names[loo.pareto_k.values > khat]]
    options, sizes = dict(sampling.options), tree["posterior"].sizes
    draws, chains = (options.pop(f"{d}s", sizes[d]) for d in ("draw", "chain"))
    check_draws(draws=draws, chains=chains)
    loo.elpd_i.attrs["refitted"] = poor
    if not poor:
        return loo
    model = asked.method.model(asked.results, "nuts") if model is None else model
    shown = bool(options.pop("progressbar", sys.stderr.isatty()))
    how = {**options, "draws": draws, "chains": chains, "progressbar": False}
    whole = _tree_of(tree, _by_dataset(tree["log_likelihood"].to_dataset()))
    with nuts.nuts_progress(len(poor), shown) as advance:
        wrapper = _Without(model, asked, sampling.rng, how, advance, whole)
        again: Any = reloo
        found: LeftOut = again(wrapper, loo_orig=loo, k_threshold=khat, pointwise=True)
    attrs = {"how": f"PSIS, {count(len(poor))} refitted", "refitted": poor}
    found.elpd_i.attrs.update(attrs, mcse=dict(zip(poor, wrapper.errors, strict=True)))
    return found


class _Without(SamplingWrapper):
    """A model from which the likelihood of any dataset can be taken away, for `reloo`."""

    def __init__(
        self,
        model: pm.Model,
        asked: Posterior,
        rng: np.random.Generator,
        how: dict[str, Any],
        advance: Any,
        tree: xr.DataTree,
    ) -> None:
        super().__init__(_without_any(model), idata_orig=tree)  # type: ignore[no-untyped-call]
        self.asked, self.rng, self.how, self.advance = asked, rng, how, advance
        self.errors: list[float] = []

    def sel_observations(self, idx: int) -> tuple[int, int]:
        """Leave a dataset out, by its place."""
        return idx, idx

    def sample(self, modified_observed_data: int) -> xr.DataTree:
        """Draw from the posterior without this dataset."""
        n = len(self.model.coords["dataset"])
        left_out = (np.arange(n) == modified_observed_data).astype(np.float64)
        self.model.set_data(LEFT_OUT, left_out)
        options = dict(self.how)
        draws, chains = options.pop("draws"), options.pop("chains")
        seed = int(self.rng.integers(2**31 - 1))
        tree = nuts.run_nuts(self.model, draws=draws, chains=chains, seed=seed, options=options)
        self.advance(None, None)
        return tree

    def get_inference_data(self, fitted_model: xr.DataTree) -> xr.DataTree:
        """Return the tree as it is."""
        return fitted_model

    def log_likelihood__i(self, excluded_obs: int, idata__i: xr.DataTree) -> xr.DataArray:
        """Log likelihood of the dataset at each draw; its error is noted."""
        pointwise = likelihood_of(self.asked)
        if pointwise is None:
            each = _by_dataset(nuts.log_likelihood(self.model, idata__i))
        else:
            each = pointwise(idata__i["posterior"].to_dataset())
        logs = each.isel(dataset=excluded_obs, drop=True)
        ratio = np.exp(logs.values - logs.values.max())
        ratio = ratio / ratio.mean()
        error = float(ratio.std() * np.sqrt(autocorrelation_time(ratio) / ratio.size))
        self.errors.append(error)
        return logs


def _without_any(model: pm.Model) -> pm.Model:
    """Copy a model and put in it data that say how much of each dataset is left out."""
    import pymc as pm
    from pymc.model.fgraph import clone_model

    nuts.check_compiler_for_nuts()
    with nuts.nuts_starts_put_aside(model):
        partial = clone_model(model)
    with nuts.quiet_nuts_warnings(), partial:
        left_out = pm.Data(LEFT_OUT, np.zeros(len(model.coords["dataset"])), dims="dataset")
        each = sum(_likelihood_by_dataset(rv, partial) for rv in partial.observed_RVs)
        pm.Potential(f"{LEFT_OUT}_likelihood", -(left_out * each).sum())
    return nuts.frozen(partial, but=[LEFT_OUT])


def _likelihood_by_dataset(rv: Any, model: pm.Model) -> Any:
    """Log likelihood of an observed variable, summed over all its dims but the dataset."""
    import pymc as pm

    term = pm.logp(rv, model.rvs_to_values[rv], warn_rvs=False)
    axis = list(model.named_vars_to_dims.get(rv.name) or ()).index("dataset")
    if axis >= term.ndim:
        raise BayescompareError(
            f"loo: the likelihood {rv.name!r} is one number for all datasets, so none can be left "
            "out; give it one for each."
        )
    return term.sum(axis=[k for k in range(term.ndim) if k != axis])


# the evidence -------------------------------------------------------------------------------------

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
