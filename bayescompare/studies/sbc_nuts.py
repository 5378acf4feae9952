"""Simulation-based calibration of a PyMC model by NUTS, which is compiled once for all data."""

from __future__ import annotations

import itertools
import logging
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_count, check_jobs
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.methods.model_file import ModelFile
from bayescompare.outcome.method import Replicate
from bayescompare.outcome.nuts import nuts_rounding_as_written
from bayescompare.studies.sbc import SBC, rank_of_truth
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm


#: Entries ranked of what the answer is read from; of more, that many at even distances.
_MOST = 16
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
        The simulated data have their sizes and names; their values are not used.
    simulations : int
        Each takes about half a second, because the model is compiled only once.
    draws : int
        Number of posterior draws to rank among.
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
    compiled = _CompiledInWorker(secrets.token_hex(8), method, results, given, (draws, tune, thin))
    study = compiled.study()
    _check_generative(study.model, study.where)
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

    def replicates(self, simulated: Sequence[_Simulated]) -> Iterator[Replicate]:
        """Yield the parameters that were simulated, and draws given the data."""
        data, likelihood = self._shared, self._likelihood
        with self.model, _quiet_pymc(), nuts_rounding_as_written():
            for truth, made, seed in simulated:
                for name, shared in data.items():
                    shared.set_value(made[name].astype(shared.dtype))
                drawn = self._sampled(seed)
                yield self._ranked(truth, drawn, partial(likelihood, made))

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """The data, which can be exchanged."""
        return {rv.name: _as_shared(self.model, rv) for rv in self.model.observed_RVs}

    @cached_property
    def _likelihood(self) -> Callable[[Mapping[str, AnyArray], Mapping[str, AnyArray]], float]:
        return _log_likelihood(self.model)

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
        likelihood: Callable[[Mapping[str, AnyArray]], float],
    ) -> Replicate:
        ranked: dict[str, tuple[float, FloatArray]] = {}
        for label, name, index in self.entries:
            every: tuple[Any, ...] = (slice(None), *index)
            ranked[label] = (float(truth[name][index]), drawn[name][every])
        free = [rv.name for rv in self.model.free_RVs]
        each = [likelihood({n: drawn[n][j] for n in free}) for j in range(self.draws)]
        ranked["log likelihood"] = (likelihood({n: truth[n] for n in free}), np.array(each))
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


def _log_likelihood(
    model: pm.Model,
) -> Callable[[Mapping[str, AnyArray], Mapping[str, AnyArray]], float]:
    """Compile the log likelihood as a function of the data and of the free variables."""
    from pymc.logprob import conditional_logp
    from pymc.pytensorf import compile as compile_function

    variables = [*model.free_RVs, *model.observed_RVs]
    values = {rv: rv.type(name=f"{rv.name}_value") for rv in variables}
    terms = conditional_logp(values)
    total = sum(terms[values[rv]].sum() for rv in model.observed_RVs)
    function = compile_function(list(values.values()), total, on_unused_input="ignore")
    dtypes = {rv.name: rv.dtype for rv in variables}

    def evaluate(made: Mapping[str, AnyArray], at: Mapping[str, AnyArray]) -> float:
        both = {**at, **made}
        return float(function(*(np.asarray(both[name], dtype=dtypes[name]) for name in dtypes)))

    return evaluate
