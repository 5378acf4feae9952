"""Simulation-based calibration of a PyMC model by NUTS, which is compiled once for all data."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._checks import check_count, check_jobs
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.methods.model_file import ModelFile
from bayescompare.methods.model_file.densities import batched_likelihood
from bayescompare.methods.model_file.posterior import compiled_predictor
from bayescompare.outcome.nuts import nuts_rounding_as_written, quiet_nuts_warnings
from bayescompare.studies.sbc import SBC, entries, ranked, ranks_of_study
from bayescompare.studies.simulated import with_again
from bayescompare.studies.study import Study
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm


#: Parameters, and data given them.
Simulation = dict[str, dict[str, AnyArray]]


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
        ``QUANTITY``) and of the free parameters, entry by entry (of more than 16, that many), and
        of the log likelihood, which also finds a posterior that ignores the data.
    """
    check_count(simulations=simulations, draws=draws, tune=tune, thin=thin)
    check_jobs(n_jobs)
    method = source if isinstance(source, ModelFile) else ModelFile(source)
    given = {**(method.priors or {}), **(priors or {})}
    generator, seed = as_rng(rng)
    table = with_again(results, results.data) if posterior else results
    question = _Question(secrets.token_hex(8), method, table, given, draws, tune, thin)
    asked, where = _compiled_once(question), method.code.where
    if asked.model.potentials:
        names = ", ".join(str(p.name) for p in asked.model.potentials)
        raise BayescompareError(
            f"{where}: the model has the potential {names}, which draws from the prior ignore; "
            "only a model of distributions can be calibrated."
        )
    if posterior and (own := method.code.latents_of_datasets(asked.model)):
        raise BayescompareError(
            f"posterior=True: {where}: each dataset has its own {join_names(own)}, of which the "
            "posterior of others says nothing; leave posterior= out."
        )
    made = (
        asked.simulated_after(method.code.model(results, given), simulations, generator)
        if posterior
        else asked.simulated(simulations, generator)
    )
    study = Study(
        name="calibrating",
        grid={"simulation": dict(enumerate(made))},
        replications=1,
        case=_ranks,
        constants={"question": question},
    )
    table_of_ranks = study.run(rng=generator, n_jobs=n_jobs, progress=progress)
    return ranks_of_study(method.code.name, table_of_ranks, draws, seed)


@dataclass(frozen=True)
class _Question:
    """What a worker needs to compile the model, which it does once for all its simulations."""

    token: str
    method: ModelFile = field(compare=False)
    results: Results = field(compare=False)
    priors: Mapping[str, Any] = field(compare=False)
    draws: int
    tune: int
    thin: int


@lru_cache(maxsize=1)  # a compiled model is large
def _compiled_once(question: _Question) -> _Compiled:
    """Return the model of this process, compiled at the first call."""
    code = question.method.code
    model = code.model(question.results, dict(question.priors))
    return _Compiled(model, code.quantity_of(model), question)


def _ranks(
    rng: np.random.Generator, *, simulation: Simulation, question: _Question
) -> dict[str, int]:
    """Rank what made the data among the draws of their posterior."""
    asked, truth, data = _compiled_once(question), simulation["truth"], simulation["data"]
    with question.method.code.named("sampling of simulated data failed"):
        drawn = asked.sampled(data, int(rng.integers(2**31 - 1)))
    true = xr.Dataset({name: (drawn[name].dims[1:], value) for name, value in truth.items()})
    found = dict(entries(true, drawn))
    logs = asked.log_likelihood(true, drawn, data)
    found["log likelihood"] = float(logs[0]), logs[1:]
    return ranked(found, rng)


@dataclass(frozen=True)
class _Compiled:
    """One model, whose data are exchanged without compiling it again."""

    model: pm.Model
    quantity: str
    question: _Question

    @property
    def names(self) -> list[str]:
        """What is ranked: what the answer is read from, and the free parameters."""
        return list(dict.fromkeys([self.quantity, *(str(rv.name) for rv in self.model.free_RVs)]))

    @property
    def observed(self) -> list[str]:
        """Names of what is observed."""
        return [str(rv.name) for rv in self.model.observed_RVs]

    def simulated(self, simulations: int, rng: np.random.Generator) -> list[Simulation]:
        """Draw parameters from the prior, and data given them."""
        import pymc as pm

        with self.model, quiet_nuts_warnings():
            try:
                tree = pm.sample_prior_predictive(
                    simulations, random_seed=int(rng.integers(2**31 - 1))
                )
            except NotImplementedError as error:
                raise BayescompareError(
                    f"{self.question.method.code.where}: cannot be simulated from: "
                    f"{error_in_one_line(error)}"
                ) from None
        truth, data = (
            {name: tree[group][name].values[0] for name in names}
            for group, names in (("prior", self.names), ("prior_predictive", self.observed))
        )
        return [
            {
                "truth": {name: values[k] for name, values in truth.items()},
                "data": {name: values[k] for name, values in data.items()},
            }
            for k in range(simulations)
        ]

    def simulated_after(
        self, seen: pm.Model, simulations: int, rng: np.random.Generator
    ) -> list[Simulation]:
        """Draw parameters from the posterior of a table, and as many datasets again given them."""
        import pymc as pm

        thin, tune = self.question.thin, 2 * self.question.tune
        seeds = rng.integers(2**31 - 1, size=2).tolist()
        options: Any = {"progressbar": False, "compute_convergence_checks": False}
        with seen, quiet_nuts_warnings():
            tree = pm.sample(
                -(-thin * simulations // 4),
                tune=tune,
                chains=4,
                cores=1,
                random_seed=seeds[0],
                **options,
            )
        drawn = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
        drawn = drawn.transpose("sample", ...).isel(sample=slice(None, None, thin))
        known = {name: np.asarray(seen.rvs_to_values[seen[name]].eval()) for name in self.observed}
        with quiet_nuts_warnings():
            predict = compiled_predictor(self.model, seeds[1])
        made: list[Simulation] = []
        for k in range(simulations):
            truth = {name: drawn[name].values[k] for name in self.names}
            both = predict(*(truth[str(rv.name)] for rv in self.model.free_RVs))
            data = {}
            for (name, old), new in zip(known.items(), both, strict=True):
                axis = list(self.model.named_vars_to_dims[name]).index("dataset")
                more = np.take(new, range(old.shape[axis], new.shape[axis]), axis=axis)
                data[name] = np.concatenate([old, more], axis=axis)
            made.append({"truth": truth, "data": data})
        return made

    def sampled(self, data: Mapping[str, AnyArray], seed: int) -> xr.Dataset:
        """Draw from the posterior of these data, over "draw"."""
        import pymc as pm

        for name, shared in self._shared.items():
            shared.set_value(data[name].astype(shared.dtype))
        thin = self.question.thin
        with self.model, quiet_nuts_warnings(), nuts_rounding_as_written():
            tree = pm.sample(
                thin * self.question.draws,
                tune=self.question.tune,
                chains=1,
                cores=1,
                step=self._step,
                progressbar=False,
                random_seed=seed,
                compute_convergence_checks=False,
            )
        found: xr.Dataset = tree["posterior"].to_dataset()[self.names]
        return found.isel(chain=0, draw=slice(None, None, thin), drop=True)

    def log_likelihood(
        self, truth: xr.Dataset, drawn: xr.Dataset, data: Mapping[str, AnyArray]
    ) -> FloatArray:
        """Log likelihood of the data under what made them, and under each draw."""
        given = []
        for rv in self.model.free_RVs:
            both = [truth[str(rv.name)].values[None], drawn[str(rv.name)].values]
            given.append(np.concatenate(both).astype(rv.dtype))
        given += [data[str(rv.name)].astype(rv.dtype) for rv in self.model.observed_RVs]
        return np.asarray(self._likelihood(*given)).sum(axis=1)

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """The data, which can be exchanged; the likelihood is compiled of the model as it was."""
        import pytensor

        found, _ = dict[str, Any](), self._likelihood
        for rv in self.model.observed_RVs:
            old = self.model.rvs_to_values[rv]
            shared: Any = pytensor.shared(np.asarray(old.eval()), name=f"{rv.name}_seen")  # type: ignore[attr-defined, no-untyped-call]
            self.model.rvs_to_values[rv] = shared
            self.model.values_to_rvs.pop(old)
            self.model.values_to_rvs[shared] = rv
            found[str(rv.name)] = shared
        return found

    @cached_property
    def _likelihood(self) -> Callable[..., FloatArray]:
        """The log likelihood of any draws and data, by draw and dataset, compiled once."""
        found: Callable[..., FloatArray] = batched_likelihood(self.model)
        return found

    @cached_property
    def _step(self) -> Any:
        """NUTS, compiled once; it reads the data that were exchanged."""
        import pymc as pm

        return pm.NUTS(target_accept=0.9)
