"""Running NUTS: the one place that calls PyMC 6 to sample, with every group of the tree."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import FloatArray
from bayescompare.outcome.method import Method, Sampling
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: Implementations of NUTS that PyMC can call; all but its own are packages to install.
SAMPLERS = ("pymc", "nutpie", "numpyro", "blackjax")

#: What PyMC raises where a model does not support a step.
_UNSUPPORTED = (NotImplementedError, ValueError, TypeError, RuntimeError)

#: Warnings that say nothing new.
_NOTHING_NEW = (
    # The Potential of `simplex.place_dirichlet` touches only the ancillary total, of which θ and so
    # every prediction are independent: ignoring it is valid.
    "The effect of Potentials",
    # θ is the posterior's, whatever the prior of its strength would say of it.
    "The following trace variables were implic",
    # Predictions of a distribution that numba has no code for are made by numpy.
    "Numba will use object mode",
    # How PyTensor lays out a gradient's arrays is nothing that a model can change.
    r"(?s).*np\.dot\(\) is faster on contiguous",
    # Matrices of a comparison are small: PyTensor's own products will do without a BLAS.
    "PyTensor could not link to a BLAS",
)


def sample(sampling: Sampling, model: pm.Model, *, through: pm.Model | None = None) -> xr.DataTree:
    """Sample a model by NUTS and return the tree with every group.

    Parameters
    ----------
    sampling : Sampling
        Its options are those of `pymc.sample`, with 1000 draws in 4 chains unless it says
        otherwise. PyMC silently takes nutpie when that is installed, so that one seed gives
        different draws on two machines; here ``nuts_sampler="pymc"`` unless it is given.
        ``compile_kwargs`` are those of every group of the tree.
    model : pm.Model
    through : pm.Model, optional
        The same model in the form that predicts, and that draws from the prior; `model` otherwise.
        Predictions that it has none of are left out.

    Returns
    -------
    DataTree
        posterior, sample_stats, observed_data, log_likelihood, log_prior, posterior_predictive,
        prior, prior_predictive.
    """
    import pymc as pm

    options = dict(sampling.options)
    draws, chains = options.pop("draws", 1000), options.pop("chains", 4)
    seeds = [int(s) for s in sampling.rng.integers(2**31 - 1, size=3)]
    model = frozen(model)
    tree = run_nuts(model, draws=draws, chains=chains, seed=seeds[0], options=options)
    how = options.get("compile_kwargs")
    log_likelihood(model, tree, how)
    with quiet_nuts_warnings(), nuts_starts_put_aside(model), model:
        pm.stats.compute_log_prior(tree, progressbar=False, compile_kwargs=how)
        tree["log_prior"].attrs["top_level"] = _top_names(model)
    # Drawn once for each draw, by numpy: compiling would take longer than that.
    how = how or {"mode": "FAST_COMPILE"}
    with quiet_nuts_warnings(), model if through is None else through as predicts:
        names = None
        try:
            pm.sample_posterior_predictive(
                tree,
                extend_inferencedata=True,
                progressbar=False,
                random_seed=seeds[1],
                compile_kwargs=how,
            )
        except _UNSUPPORTED:
            names = [v.name for v in (*predicts.free_RVs, *predicts.deterministics)]
        # A model of the user's may have an improper prior, of which there are no draws.
        with suppress(*_UNSUPPORTED):
            prior = pm.sample_prior_predictive(
                draws, var_names=names, random_seed=seeds[2], compile_kwargs=how
            )
            for group, drawn in prior.children.items():
                if group in ("prior", "prior_predictive"):
                    tree[group] = drawn
    return tree


def log_likelihood(
    model: pm.Model, tree: xr.DataTree, how: Mapping[str, Any] | None = None
) -> xr.Dataset:
    """Return the log likelihood of everything observed at each draw; the tree gets it, too."""
    import pymc as pm

    with quiet_nuts_warnings(), nuts_starts_put_aside(model), model:
        pm.compute_log_likelihood(tree, progressbar=False, compile_kwargs=how)
    return tree["log_likelihood"].to_dataset()


def frozen(model: pm.Model, *, but: Sequence[str] = ()) -> pm.Model:
    """Return the model with its data and dims as constants, and a memory for what was compiled.

    Graphs of known shapes take a third of the time to compile. Itself where it cannot be copied;
    releases of PyMC before 6.3 have no such memory.

    Parameters
    ----------
    model : pm.Model
    but : sequence of str
        Data that are to stay such.
    """
    from pymc.model.transform import optimization

    data = [str(each.name) for each in model.data_vars if each.name not in but]
    try:
        constant = optimization.freeze_dims_and_data(model, data=data)
        return getattr(optimization, "freeze_model", lambda made: made)(constant)
    except (NotImplementedError, ValueError, TypeError):
        return model


def run_nuts(
    model: pm.Model,
    *,
    draws: int,
    chains: int,
    seed: int,
    options: Mapping[str, Any] | None = None,
) -> xr.DataTree:
    """Run NUTS alone: posterior, sample_stats and observed_data."""
    import pymc as pm
    from pymc.exceptions import SamplingError

    # diagnose() checks convergence.
    usual = {"progressbar": sys.stdout.isatty(), "compute_convergence_checks": False}
    chosen = {"nuts_sampler": "pymc", **usual, **(options or {})}
    check_compiler_for_nuts()
    package = chosen["nuts_sampler"]
    check_word("nuts_sampler", package, SAMPLERS)
    if package != "pymc" and find_spec(package) is None:
        raise BayescompareError(
            f"nuts_sampler={package!r}: {package} is not installed; install it (pip install "
            f"{package}), or leave nuts_sampler out to sample by PyMC itself."
        )
    with quiet_nuts_warnings(), nuts_rounding_as_written(), model:
        check_model_for_nuts(model)
        if chosen["progressbar"]:
            print("compiling the model, which is quicker next time", file=sys.stderr, flush=True)
        # A step that leaves the posterior overflows; NUTS rejects it and counts a divergence.
        with np.errstate(over="ignore"):
            try:
                tree: xr.DataTree = pm.sample(draws, chains=chains, random_seed=seed, **chosen)
            except SamplingError as error:
                raise BayescompareError(
                    "NUTS cannot start, because the density is not finite where it begins; check "
                    f"the priors and the likelihood: {error_in_one_line(error)}"
                ) from error
    return tree


@contextmanager
def announced_nuts(
    method: Method,
    results: Results,
    options: dict[str, Any],
    *,
    progress: bool,
    alone: bool = True,
) -> Iterator[dict[str, Any]]:
    """Say that NUTS answers, and what is quicker; return the options with a bar of its steps.

    Parameters
    ----------
    method, results : Method, Results
        The question; of several, one that needs NUTS.
    options : dict
        Those of `pymc.sample`. With ``progressbar=False`` nothing is said; None shows no bar.
    progress : bool
        Whether to show a bar even if nobody watches.
    alone : bool
        Whether this is the only question; the steps of several are not counted.
    """
    if not method.needs_mcmc:
        yield options
        return
    if options.get("progressbar", True) is not False:
        print(_why_nuts(method, results), file=sys.stderr, flush=True)
    shown = bool(options.get("progressbar", progress or sys.stderr.isatty()))
    chosen = {**method.accepts.sampler, **options}
    if not alone or chosen.get("nuts_sampler", "pymc") != "pymc":
        yield {**options, "progressbar": shown and alone}
        return
    steps = chosen.get("chains", 4) * (chosen.get("draws", 1000) + chosen.get("tune", 1000))
    with nuts_progress(steps, shown) as count:
        yield {"callback": count, **options, "progressbar": False}


def _why_nuts(method: Method, results: Results) -> str:
    """Say why an answer needs NUTS, and what would not."""
    priors = getattr(method, "priors", None)
    if results.groups is not None and method.accepts.domains:
        why = "the datasets are of several domains"
        quicker = "leave out group= (--group; of MTEB use domains=False, --reader domains=false)"
    elif results.weights is not None and not priors:
        why = "the datasets have weights, and replicates leave some of them undecided"
        quicker = "leave out weight= (--weight), or use method='dirichlet' (--method dirichlet)"
    elif method.parameters and priors:
        why, quicker = "the prior is not conjugate", "leave out priors="
    else:
        return f"{method.name}: the answer is sampled by NUTS, which may take minutes"
    return (
        f"{method.name}: {why}, so that the answer is sampled by NUTS, which may take minutes; "
        f"an exact answer takes a moment: {quicker}"
    )


@contextmanager
def nuts_progress(steps: int, shown: bool) -> Iterator[Callable[[Any, Any], None]]:
    """Count the steps of NUTS on standard error; PyMC's own bar goes to standard output."""
    if not shown:
        # Not a disabled bar: older releases of rich end that, too, with an empty line.
        yield lambda trace, draw: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("sampling", total=steps)
        yield lambda trace, draw: progress.advance(task)


def draw_prior_as_nuts(model: pm.Model, rng: np.random.Generator, draws: int = 1) -> xr.DataTree:
    """Draw from the prior and its predictive, once: the groups prior and prior_predictive."""
    import pymc as pm

    check_compiler_for_nuts()
    seed = int(rng.integers(2**31 - 1))
    with quiet_nuts_warnings(), model:
        try:
            # For one draw, compiling takes ten times as long as drawing without it.
            tree: xr.DataTree = pm.sample_prior_predictive(
                draws, random_seed=seed, compile_kwargs={"mode": "FAST_COMPILE"}
            )
        except _UNSUPPORTED as error:
            raise BayescompareError(
                "simulate: this model does not draw from its prior predictive; an improper prior "
                f"or a likelihood without random= is the usual reason: {error_in_one_line(error)}"
            ) from error
    return tree


def with_likelihood(
    tree: xr.DataTree, likelihood: Callable[[xr.Dataset], xr.DataArray] | None, model: pm.Model
) -> xr.DataTree:
    """Put the log likelihood that can leave a dataset out in place of the model's own, if any."""
    import xarray as xr

    if likelihood is not None:
        name = str(model.observed_RVs[0].name)
        by_dataset = likelihood(tree["posterior"].to_dataset())
        tree["log_likelihood"] = xr.DataTree(by_dataset.to_dataset(name=name))
    return tree


def figures_of(tree: xr.DataTree, leads: ArrayLike, sampling: Sampling) -> dict[str, Any]:
    """Return the figures of an answer by who leads in each draw, (chain, draw, statement)."""
    each = np.asarray(leads, dtype=np.float64)
    return {
        "probability": each.mean(axis=(0, 1)),
        "mcse": nuts_monte_carlo_error(each),
        "none_leads": 1.0 - float(each.any(axis=-1).mean()),
        "tree": tree,
        "seed": sampling.seed,
    }


def nuts_monte_carlo_error(each: FloatArray) -> FloatArray:
    """Monte Carlo standard error of the mean over (chain, draw), for every statement.

    Where no draw differs from another the error is not zero but unknown; Laplace's rule bounds it.
    """
    import arviz as az
    import xarray as xr

    data = xr.DataArray(each, dims=("chain", "draw", "statement"))
    mcse = az.mcse(data, method="mean").values
    n = each.shape[0] * each.shape[1]
    p = (each.sum(axis=(0, 1)) + 1.0) / (n + 2.0)
    known = np.isfinite(mcse) & (mcse > 0)
    return np.asarray(np.where(known, mcse, np.sqrt(p * (1.0 - p) / n)))


def _top_names(model: pm.Model) -> list[str]:
    """Names of the free variables whose priors depend on no other: the top of a hierarchy.

    Neither latents of our own parametrisation nor what each dataset has are priors of the user's.
    """
    from pytensor.graph.traversal import ancestors

    free, names = set(model.free_RVs), []
    for variable in model.free_RVs:
        name = str(variable.name)
        above = free & set(ancestors([variable])) - {variable}
        own = "dataset" in (model.named_vars_to_dims.get(name) or ())
        if not (above or own or name.startswith("latent_")):
            names.append(name)
    return names


def check_model_for_nuts(model: pm.Model) -> None:
    """Reject models for which PyMC would raise an obscure error."""
    if not model.free_RVs:
        raise BayescompareError("model has no free variable to sample.")
    if not model.observed_RVs:
        raise BayescompareError("model has no observed variable: nothing links it to the data.")


def check_compiler_for_nuts() -> None:
    """Reject a home folder that PyTensor cannot write to, without which it does not work."""
    from pytensor.configdefaults import config

    try:
        _ = config.compiledir
    except ValueError:
        raise BayescompareError(
            f"PyMC keeps compiled code in {config.base_compiledir}, which cannot be written: set "
            "the environment variable PYTENSOR_FLAGS=base_compiledir=FOLDER before Python starts."
        ) from None


@contextmanager
def nuts_rounding_as_written() -> Iterator[None]:
    """Let a density be summed in the order in which it is written.

    By default PyTensor lets the compiler change that order. What it chooses depends on which parts
    were compiled before and are read from a cache, so that one seed would give other draws the
    second time, or on another worker.
    """
    from pytensor.configdefaults import config

    with config.change_flags(numba__fastmath=False):
        yield


@contextmanager
def nuts_starts_put_aside(model: pm.Model) -> Iterator[None]:
    """Let a model be copied: PyMC refuses to copy one in which a variable has an ``initval``.

    Where a chain starts matters to no density.
    """
    starts = dict(model.rvs_to_initial_values)
    model.rvs_to_initial_values.update(dict.fromkeys(starts))
    try:
        yield
    finally:
        model.rvs_to_initial_values.update(starts)


@contextmanager
def quiet_nuts_warnings() -> Iterator[None]:
    """Silence warnings that say nothing new, and PyMC's lines on convergence, as of `diagnose`."""
    logger = logging.getLogger("pymc")
    level = logger.level
    # PyMC logs few effective draws as an error; diagnose() reports them.
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            for message in _NOTHING_NEW:
                warnings.filterwarnings("ignore", message=message)
            yield
    finally:
        logger.setLevel(level)
