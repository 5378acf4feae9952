"""Simulation-based calibration of a PyMC model by NUTS, which is compiled once for all data."""

from __future__ import annotations

import itertools
import logging
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_count, check_jobs
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.methods.model_file import ModelFile
from bayescompare.methods.model_file.densities import batched_likelihood
from bayescompare.methods.model_file.posterior import compiled_predictor
from bayescompare.outcome.nuts import nuts_rounding_as_written
from bayescompare.studies.sbc import SBC, rank_of_truth
from bayescompare.studies.simulated import with_again
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm


#: Entries ranked of what the answer is read from; of more, that many at even distances.
_MOST = 16
#: One simulation: quantity → (truth, posterior draws).
Replicate = Mapping[str, tuple[float, FloatArray]]
#: Simulations that are sent to a worker together.
_BLOCK = 5

#: One simulation: parameters, data given them, and the seed of the sampler.
_Simulated = tuple[Mapping[str, AnyArray], Mapping[str, AnyArray], int]
#: The model that this process has compiled, by the token of its study.
_COMPILED: dict[str, _Study] = {}


def sbc_model(
    source: Any,
    results: Results,
    *,
    simulations: int = 100,
    draws: int = 99,
    posterior: bool = False,
    priors: Mapping[str, Any] | None = None,
    tune: int = 500,
    thin: int = 5,
    rng: Rng = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> SBC:
    """Calibrate a model file, a bundled model or a build function by NUTS.

    Parameters
    ----------
    source : str, path, callable or ModelFile
        As for ``method=`` of `compare`.
    results : Results
        The simulated data have their sizes and names; their values are not used, but by
        ``posterior=True``.
    simulations : int
        Each takes about half a second, because the model is compiled only once.
    draws : int
        Number of posterior draws to rank among.
    posterior : bool
        Posterior SBC: parameters come from the posterior of `results`, and the model is asked about
        these and as many datasets again.
    priors : mapping, optional
        As for `bayescompare.methods.ModelFile`.
    tune, thin : int
        Steps of NUTS before the draws, and steps for each draw: ranks are uniform only among
        draws that are nearly independent.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the ranks are the same for any. Every worker compiles the model once.
    progress : bool
        Show a progress bar with the time left on standard error.

    Returns
    -------
    SBC
        Ranks of what the answer is read from (``theta``, ``strength``, ``better`` or the file's
        ``QUANTITY``) entry by entry, of the free parameters (of a vector the first and the last),
        and of the log likelihood, which also finds a posterior that ignores the data.
    """
    check_count(simulations=simulations, draws=draws, tune=tune, thin=thin)
    check_jobs(n_jobs)
    method = source if isinstance(source, ModelFile) else ModelFile(source)
    given = {**(method.priors or {}), **(priors or {})}
    generator, seed = as_rng(rng)
    asked = with_again(results, results.data) if posterior else results
    compiled = _CompiledInWorker(secrets.token_hex(8), method, asked, given, (draws, tune, thin))
    study = compiled.study()
    _check_generative(study.model, study.where)
    if posterior:
        if own := method.code.latents_of_datasets(study.model):
            raise BayescompareError(
                f"posterior=True: {study.where}: each dataset has its own {join_names(own)}, of "
                "which the posterior of others says nothing; leave posterior= out."
            )
        seen = method.code.model(results, given)
        simulated = study.simulated_after(seen, simulations, generator)
    else:
        simulated = study.simulated(simulations, generator)
    tasks = [(compiled, part) for part in itertools.batched(simulated, _BLOCK)]
    options: Any = {"progress": progress, "label": "calibrating", "total": len(tasks)}
    parts = run_in_parallel(_replicates_of, tasks, n_jobs=n_jobs, prefer="processes", **options)
    rows = [
        {name: rank_of_truth(truth, drawn, generator) for name, (truth, drawn) in replicate.items()}
        for replicate in itertools.chain.from_iterable(parts)
    ]
    ranks = pd.DataFrame(rows)
    ranks.attrs["seed"] = seed
    return SBC(method.code.name, ranks, draws)


@dataclass(frozen=True)
class _CompiledInWorker:
    """What a worker needs to compile the model, which it does once for all its simulations."""

    token: str
    method: ModelFile
    results: Results
    priors: Mapping[str, Any]
    sizes: tuple[int, int, int]

    def study(self) -> _Study:
        """Return the study of this process, compiled at the first call."""
        if self.token not in _COMPILED:
            _COMPILED.clear()  # one at a time: a compiled model is large
            code = self.method.code
            model = code.model(self.results, dict(self.priors))
            _COMPILED[self.token] = _Study(model, code.quantity_of(model), code.where, *self.sizes)
        return _COMPILED[self.token]


def _replicates_of(compiled: _CompiledInWorker, simulated: Sequence[_Simulated]) -> list[Replicate]:
    """Sample the posteriors of some simulated data."""
    return list(compiled.study().replicates(simulated))


def _check_generative(model: pm.Model, where: str) -> None:
    """Refuse models whose prior draws are not those of the posterior's prior."""
    if model.potentials:
        names = ", ".join(str(p.name) for p in model.potentials)
        raise BayescompareError(
            f"{where}: the model has the potential {names}, which draws from the prior ignore; "
            "only a model of distributions can be calibrated."
        )


@dataclass(frozen=True)
class _Study:
    """One model, whose data are exchanged without compiling it again."""

    model: pm.Model
    quantity: str
    where: str
    draws: int
    tune: int
    thin: int

    def simulated(self, simulations: int, rng: np.random.Generator) -> list[_Simulated]:
        """Draw parameters from the prior, data given them, and a seed for each posterior."""
        import pymc as pm

        seeds = [int(s) for s in rng.integers(2**31 - 1, size=simulations + 1)]
        with self.model, _quiet_pymc():
            try:
                tree = pm.sample_prior_predictive(simulations, random_seed=seeds[0])
            except NotImplementedError as error:
                raise BayescompareError(
                    f"{self.where}: cannot be simulated from: {error_in_one_line(error)}"
                ) from None
        prior = {str(name): v.values[0] for name, v in tree["prior"].data_vars.items()}
        names = [rv.name for rv in self.model.observed_RVs]
        made = {name: tree["prior_predictive"][name].values[0] for name in names}
        return [
            (
                {name: values[k] for name, values in prior.items()},
                {name: values[k] for name, values in made.items()},
                seeds[k + 1],
            )
            for k in range(simulations)
        ]

    def simulated_after(
        self, seen: pm.Model, simulations: int, rng: np.random.Generator
    ) -> list[_Simulated]:
        """Draw parameters from the posterior of a table, and as many datasets again given them."""
        import pymc as pm

        seeds = [int(s) for s in rng.integers(2**31 - 1, size=simulations + 2)]
        each = -(-self.thin * simulations // 4)
        options: Any = {"progressbar": False, "compute_convergence_checks": False}
        with seen, _quiet_pymc():
            tree = pm.sample(
                each, tune=2 * self.tune, chains=4, cores=1, random_seed=seeds[0], **options
            )
        posterior = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
        posterior = posterior.transpose("sample", ...).isel(sample=slice(None, None, self.thin))
        free = [str(rv.name) for rv in self.model.free_RVs]
        names = [str(rv.name) for rv in self.model.observed_RVs]
        known = [np.asarray(seen.rvs_to_values[seen[name]].eval()) for name in names]
        with _quiet_pymc():
            predict = compiled_predictor(self.model, seeds[1])
        made: list[_Simulated] = []
        for k in range(simulations):
            truth = {str(name): v.values[k] for name, v in posterior.data_vars.items()}
            both = predict(*(truth[name] for name in free))
            data = {}
            for name, old, new in zip(names, known, both, strict=True):
                axis = list(self.model.named_vars_to_dims[name]).index("dataset")
                more = np.take(new, range(old.shape[axis], new.shape[axis]), axis=axis)
                data[name] = np.concatenate([old, more], axis=axis)
            made.append((truth, data, seeds[k + 2]))
        return made

    def replicates(self, simulated: Sequence[_Simulated]) -> Iterator[Replicate]:
        """Yield the parameters that were simulated, and draws given the data."""
        likelihood, data = self._likelihood, self._shared
        with self.model, _quiet_pymc(), nuts_rounding_as_written():
            for truth, made, seed in simulated:
                for name, shared in data.items():
                    shared.set_value(made[name].astype(shared.dtype))
                drawn = self._sampled(seed)
                yield self._ranked(truth, drawn, made, likelihood)

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """The data, which can be exchanged."""
        return {rv.name: _as_shared(self.model, rv) for rv in self.model.observed_RVs}

    @cached_property
    def _likelihood(self) -> Callable[..., FloatArray]:
        """The log likelihood of any draws and data, by draw and dataset, compiled once."""
        found: Callable[..., FloatArray] = batched_likelihood(self.model)
        return found

    @cached_property
    def _step(self) -> Any:
        """NUTS, compiled once."""
        import pymc as pm

        return pm.NUTS(target_accept=0.9)

    def _sampled(self, seed: int) -> dict[str, AnyArray]:
        """Draw from the posterior of the data that the model has now."""
        import pymc as pm

        try:
            tree = pm.sample(
                self.thin * self.draws,
                tune=self.tune,
                chains=1,
                cores=1,
                step=self._step,
                progressbar=False,
                random_seed=seed,
                compute_convergence_checks=False,
            )
        except Exception as error:
            raise BayescompareError(
                f"{self.where}: sampling of simulated data failed: {error_in_one_line(error)}"
            ) from error
        posterior = tree["posterior"]
        return {str(name): v.values[0, :: self.thin] for name, v in posterior.data_vars.items()}

    def _ranked(
        self,
        truth: Mapping[str, AnyArray],
        drawn: Mapping[str, AnyArray],
        made: Mapping[str, AnyArray],
        likelihood: Callable[..., FloatArray],
    ) -> Replicate:
        ranked: dict[str, tuple[float, FloatArray]] = {}
        for label, name, index in self.entries:
            every: tuple[Any, ...] = (slice(None), *index)
            ranked[label] = (float(truth[name][index]), drawn[name][every])
        all_of = {
            rv.name: np.concatenate([np.asarray(truth[rv.name])[None], drawn[rv.name]])
            for rv in self.model.free_RVs
        }
        given = [all_of[rv.name].astype(rv.dtype) for rv in self.model.free_RVs]
        given += [made[rv.name].astype(rv.dtype) for rv in self.model.observed_RVs]
        logs = np.asarray(likelihood(*given)).sum(axis=1)
        ranked["log likelihood"] = float(logs[0]), logs[1:]
        return ranked

    @cached_property
    def entries(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """Label, variable and index of every scalar that is ranked."""
        shapes = self.model.eval_rv_shapes()
        free = [rv.name for rv in self.model.free_RVs if rv.name != self.quantity]
        ends = [entry for name in free for entry in _ends(name, shapes[name])]
        return [*self._answer_entries(), *ends]

    def _answer_entries(self) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """The entries of what the answer is read from, by their coords."""
        dims = self.model.named_vars_to_dims.get(self.quantity) or ()
        labels = [[str(name) for name in self.model.coords[dim] or ()] for dim in dims]
        indices = list(itertools.product(*(range(len(names)) for names in labels)))
        if dims == ("algorithm", "opponent"):
            # The other half of the matrix is its mirror image.
            indices = [index for index in indices if index[0] < index[1]]
        if len(indices) > _MOST:
            indices = [indices[k] for k in np.linspace(0, len(indices) - 1, _MOST).astype(int)]
        for index in indices:
            named = ", ".join(names[k] for names, k in zip(labels, index, strict=True))
            yield f"{self.quantity}[{named}]" if dims else self.quantity, self.quantity, index


def _ends(name: str, shape: tuple[int, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    """A scalar, or the first and the last entry of an array."""
    first, last = (0,) * len(shape), tuple(n - 1 for n in shape)
    if first == last:
        return [(name, name, first)]
    return [(f"{name}[0]", name, first), (f"{name}[-1]", name, last)]


@contextmanager
def _quiet_pymc() -> Iterator[None]:
    """Silence PyMC, which warns of every short chain."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
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
