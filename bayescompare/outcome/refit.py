r"""Leave-one-dataset-out by refitting, for the datasets that importance weights cannot leave out.

The model is sampled again with the likelihood of one dataset taken away, everything else being as
it was, and what that posterior says of the dataset is

.. math:: \log p(y_i \mid y_{-i}) = \log \tfrac1S \sum_s p(y_i \mid \theta_s), \qquad
          \theta_s \sim p(\theta \mid y_{-i}).

The model is compiled once: which dataset is left out is data to it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from bayescompare._checks import check_draws, check_flag, is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.bridge import autocorrelation_time
from bayescompare.outcome import nuts
from bayescompare.outcome.loo import MOST_KHAT, checked_loo, marked_loo
from bayescompare.outcome.tree import is_edited_comparison_tree
from bayescompare.text.numbers import count, plural
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr
    from arviz_stats.utils import ELPDData

    from bayescompare.outcome.method import Sampling
    from bayescompare.outcome.posterior import Posterior

__all__ = ["check_refit", "refits"]

#: The data of the model that says how much of each dataset is left out.
LEFT_OUT = "left_out"

Pointwise = Callable[["xr.Dataset"], "xr.DataArray"]


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
) -> ELPDData:
    """PSIS-LOO of a tree, with refits for the datasets that it cannot leave out."""
    if model is None and is_edited_comparison_tree(tree):
        raise BayescompareError(
            "loo: the tree came from an edited model, which refits need: pass it as model=."
        )
    with warnings.catch_warnings():
        # That is what the refits are for.
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        loo = checked_loo(tree)
    posterior, options = tree["posterior"].to_dataset(), dict(sampling.options)
    draws = options.pop("draws", posterior.sizes["draw"])
    chains = options.pop("chains", posterior.sizes["chain"])
    check_draws(draws=draws, chains=chains)
    model = asked.method.model(asked.results, "nuts") if model is None else model
    return refitted_loo(
        loo,
        model,
        np.flatnonzero(loo.pareto_k.values > khat).tolist(),
        draws=draws,
        chains=chains,
        rng=sampling.rng,
        options=options,
        pointwise=asked.pointwise(),
    )


def refitted_loo(
    loo: ELPDData,
    model: pm.Model,
    poor: Sequence[int],
    *,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    options: Mapping[str, Any],
    pointwise: Pointwise | None = None,
) -> ELPDData:
    """Replace what PSIS could not estimate by what refits without those datasets say.

    Parameters
    ----------
    loo : ELPDData
        By PSIS, pointwise.
    model : pm.Model
        As it was sampled; it is not changed.
    poor : sequence of int
        The datasets to refit without.
    draws, chains, rng, options
        For NUTS.
    pointwise : callable, optional
        Gives the log likelihood over (chain, draw, dataset), where it is not the model's own.
    """
    names = [str(name) for name in loo.elpd_i["dataset"].values.tolist()]
    elpd, khat = loo.elpd_i.copy(deep=True), loo.pareto_k.copy(deep=True)
    if not poor:
        return marked_loo(loo, "No dataset needed a refit.", refitted=[])
    options = dict(options)
    shown = bool(options.pop("progressbar", sys.stderr.isatty()))
    partial = _PartialRefit.of(model, pointwise)
    within, errors = loo.p + float(elpd.sum()), dict[str, float]()
    for i in _track_refits(poor, shown):
        tree = partial.sample(i, draws, chains, int(rng.integers(2**31 - 1)), options)
        elpd[i], errors[names[i]] = partial.predicted(i, tree)
        khat[i] = 0.0
    n = len(names)
    refitted = [names[i] for i in poor]
    line = f"Refitted without {join_names(refitted)}: exact there, up to Monte Carlo error."
    loo = marked_loo(loo, line)
    elpd.attrs.update(how=f"PSIS, {count(len(poor))} refitted", refitted=refitted, mcse=errors)
    loo.elpd_i, loo.pareto_k = elpd, khat
    loo.elpd = float(elpd.sum())
    loo.se = float(np.sqrt(n * np.var(elpd.values)))
    loo.p = within - loo.elpd
    loo.warning = bool((khat > loo.good_k).any())
    return loo


@dataclass(frozen=True, eq=False)
class _PartialRefit:
    """A model from which the likelihood of any dataset can be taken away."""

    model: pm.Model
    own: Any
    size: int
    pointwise: Pointwise | None

    @classmethod
    def of(cls, model: pm.Model, pointwise: Pointwise | None) -> _PartialRefit:
        import pymc as pm
        from pymc.model.fgraph import clone_model

        nuts.check_compiler_for_nuts()
        n = len(model.coords["dataset"])
        with nuts.nuts_starts_put_aside(model):
            partial = clone_model(model)
        with nuts.quiet_nuts_warnings(), partial:
            left_out = pm.Data(LEFT_OUT, np.zeros(n), dims="dataset")
            pm.Potential(
                f"{LEFT_OUT}_likelihood", -(left_out * _refit_likelihood_by_dataset(partial)).sum()
            )
            kept = nuts.frozen(partial, but=[LEFT_OUT])
            terms = kept.logp(list(kept.observed_RVs), sum=False, jacobian=False)
            each = sum(map(_sum_refit_likelihood, kept.observed_RVs, terms, [kept] * len(terms)))
            own = (
                None if pointwise else kept.compile_fn(each, inputs=kept.value_vars, point_fn=False)
            )
        return cls(kept, own, n, pointwise)

    def sample(
        self, i: int, draws: int, chains: int, seed: int, options: Mapping[str, Any]
    ) -> xr.DataTree:
        """Draw from the posterior without dataset i."""
        self.model.set_data(LEFT_OUT, (np.arange(self.size) == i).astype(np.float64))
        wanted = {
            **options,
            "progressbar": False,
            "idata_kwargs": {"include_transformed": True},
        }
        return nuts.run_nuts(self.model, draws=draws, chains=chains, seed=seed, options=wanted)

    def predicted(self, i: int, tree: xr.DataTree) -> tuple[float, float]:
        """Log predictive density of dataset i, and its Monte Carlo standard error."""
        posterior = tree["posterior"].to_dataset()
        logs = self._log_likelihood(i, posterior)
        mean = float(logsumexp(logs) - np.log(logs.size))
        ratio = np.exp(logs - mean)
        return mean, float(ratio.std() * np.sqrt(autocorrelation_time(ratio) / ratio.size))

    def _log_likelihood(self, i: int, posterior: xr.Dataset) -> FloatArray:
        if self.pointwise is not None:
            return np.asarray(self.pointwise(posterior).isel(dataset=i).values)
        columns = []
        for value in self.model.value_vars:
            drawn = posterior[str(value.name)].transpose("chain", "draw", ...).values
            columns.append(drawn.reshape(-1, *drawn.shape[2:]).astype(value.dtype))
        with np.errstate(all="ignore"):
            logs = np.array([self.own(*row)[i] for row in zip(*columns, strict=True)])
        return logs.reshape(posterior.sizes["chain"], -1)


def _refit_likelihood_by_dataset(model: pm.Model) -> Any:
    """Log likelihood of each dataset, as a graph of the model's random variables."""
    import pymc as pm

    terms = [
        _sum_refit_likelihood(rv, pm.logp(rv, model.rvs_to_values[rv], warn_rvs=False), model)
        for rv in model.observed_RVs
    ]
    return sum(terms)


def _sum_refit_likelihood(rv: Any, term: Any, model: pm.Model) -> Any:
    """Sum a log density over all its dims but the dataset."""
    axis = list(model.named_vars_to_dims.get(rv.name) or ()).index("dataset")
    if axis >= term.ndim:
        raise BayescompareError(
            f"loo: the likelihood {rv.name!r} is one number for all datasets, so none can be left "
            "out; give it one for each."
        )
    return term.sum(axis=[k for k in range(term.ndim) if k != axis])


def _track_refits(items: Sequence[int], shown: bool) -> Iterator[int]:
    """Go through the refits, with a progress bar on standard error where it is wanted."""
    if not shown:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    description = f"refitting without {plural(len(items), 'dataset')}"
    yield from track(items, description=description, console=Console(stderr=True))
