r"""Simulation-based calibration: does a posterior contain the truth as often as it claims?

Draw parameters from the prior, data given them, and L posterior draws given the data. The rank of
the truth among the draws is then uniform on 0, …, L, whatever the quantity, if and only if prior,
likelihood and sampler fit together.

*Posterior* SBC asks the same where the data are: parameters are drawn from the posterior of a
table, as many datasets again given them, and the posterior of both tables together must contain the
truth as often as it claims. It finds what goes wrong near these data.

References
----------
Talts, Betancourt, Simpson, Vehtari & Gelman (2018), Validating Bayesian inference algorithms with
simulation-based calibration. Modrák et al. (2023) for quantities that depend on the data.
Säilynoja, Schmitt, Bürkner & Vehtari (2025), Posterior SBC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from bayescompare._checks import check_count, check_flag, check_jobs, check_word
from bayescompare._compare import compare
from bayescompare._errors import BayescompareError
from bayescompare._model_files import bundled
from bayescompare._rng import Rng
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.methods._shared.new_datasets import categorical_labels, table_of_statements
from bayescompare.outcome import registry
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.method import Method
from bayescompare.studies.simulated import as_simulated, simulated_table, with_again
from bayescompare.studies.study import Study, without_failed_cases
from bayescompare.table.examples import load_example
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: What a method is calibrated on where no table is given.
_EXAMPLES = {
    "dirichlet": "benavoli-example1",
    "network": "benavoli-example1",
    "poisson-binomial": "lacoste-svm-parzen",
    "hierarchical": "lacoste-svm-parzen",
}
#: Entries of a variable that are ranked; of more, that many at even distances.
MOST = 16
#: A p-value below this, over all quantities together, means that the model is not calibrated.
_FAULT = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class SBC:
    """Ranks of the truth among posterior draws.

    Attributes
    ----------
    model : str
    ranks : DataFrame
        One row per simulation, one column per quantity; each between 0 and `draws`.
    draws : int
        L, posterior draws per simulation.
    """

    model: str
    ranks: pd.DataFrame
    draws: int

    @property
    def table(self) -> pd.DataFrame:
        """For every quantity: mean rank as a share, and the p-value of a test for uniform ranks.

        The test asks of every order statistic how unlikely its place is, and combines the answers
        (`arviz_stats`' ``uniformity_test``, "pot_c"). Ranks are whole numbers, so each is first
        put at a random place of its step, the same one every time.
        """
        from arviz_stats.base.array import array_stats

        test: Any = array_stats.uniformity_test  # which has no types
        ranks = self.ranks.to_numpy(dtype=np.float64)
        place = (ranks + np.random.default_rng(0).random(ranks.shape)) / (self.draws + 1.0)
        pvalue, *_ = test(place, axis=0, method="pot_c")
        mean = (ranks.mean(axis=0) + 0.5) / (self.draws + 1.0)
        return pd.DataFrame({"mean": mean, "pvalue": pvalue}, index=self.ranks.columns)

    @property
    def ok(self) -> bool:
        """Whether the ranks of all quantities, taken together, are compatible with uniform ones."""
        table = self.table
        return bool(table["pvalue"].min() * len(table) > _FAULT)

    def __repr__(self) -> str:
        verdict = "ranks are uniform" if self.ok else "RANKS ARE NOT UNIFORM"
        return (
            f"SBC of {self.model}, {len(self.ranks)} simulations: {verdict}\n{self.table.round(3)}"
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far each quantity's ranks are from uniform, with a simultaneous 99 % band."""
        from bayescompare.plots._drawing import GREY, add_legend, new_axes, set_title

        ax = new_axes(ax, (6.4, 4.0))
        n, grid = len(self.ranks), np.arange(self.draws + 2) / (self.draws + 1.0)
        for name, ranks in self.ranks.items():
            seen = np.bincount(ranks.to_numpy(), minlength=self.draws + 1)
            ax.plot(grid, np.append(0.0, np.cumsum(seen)) / n - grid, label=str(name))
        # Simultaneous, by the Kolmogorov-Smirnov distance.
        band = float(stats.kstwo.ppf(0.99, n))
        ax.fill_between(grid, -band, band, color=GREY, alpha=0.3, linewidth=0, zorder=0)
        ax.set(xlabel="rank of the truth, as a share", ylabel="share of simulations less rank")
        add_legend(ax)
        set_title(ax, f"{self.model}: {n} simulations, 99 % band if calibrated")
        return ax


def sbc(
    model: Any,
    results: Results | None = None,
    *,
    simulations: int = 1000,
    draws: int = 99,
    posterior: bool = False,
    priors: Mapping[str, Any] | None = None,
    rng: Rng = None,
    n_jobs: int = 1,
    progress: bool = False,
    **options: Any,
) -> SBC:
    """Calibrate a method with any prior, or a model of your own, by simulation.

    Parameters
    ----------
    model : str, path, callable or method
        What `compare` takes as a method: the name of a method, one with options of its own, such as
        ``Dirichlet(prior="jeffreys")``, or a model: a file that ends in ``.py``, a bundled model's
        name, a build function or a `bayescompare.methods.ModelFile`. Models are sampled by NUTS,
        see `sbc_model`; the tables of a method go through `compare`, as yours do.
    results : Results, optional
        The simulated tables have its sizes, names, ropes and gaps; of replicates they have the
        numbers and the noise. Needed for models; methods have an example of their own.
    simulations : int
        A hundred show gross faults; one takes some 30 ms, and half a second where NUTS is needed.
    draws : int
        Posterior draws per simulation.
    posterior : bool
        Posterior SBC: parameters come from the posterior of `results`, not from the prior.
    priors : mapping, optional
        Only for models: arguments for ``build``, as in `bayescompare.methods.ModelFile`.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the ranks are the same for any. A worker compiles a model before its first
        simulation, which a method does not need.
    progress : bool
        Show a progress bar with the time left on standard error.
    **options
        For a model `tune` and `thin`.

    Examples
    --------
    >>> study = sbc("dirichlet", simulations=60, rng=1)
    >>> study.ok
    True
    """
    method = _method_of(model)
    check_flag(posterior=posterior)
    how: Any = {
        "simulations": simulations,
        "draws": draws,
        "posterior": posterior,
        "rng": rng,
        "n_jobs": n_jobs,
        "progress": progress,
    }
    if method is not None:
        _check_unused(method.name, priors=priors, **options)
        return _sbc_of_method(method, results, **how)
    if results is None:
        raise BayescompareError(
            "results is missing: a model file is calibrated on tables of the size of one: give it, "
            f"as in sbc(model, results). These need none: {', '.join(_EXAMPLES)}."
        )
    from bayescompare.studies.sbc_nuts import sbc_model

    _check_unused("a model file", **{k: v for k, v in options.items() if k not in ("tune", "thin")})
    return sbc_model(model, results, priors=priors, **how, **options)


def calibrated_by_sbc() -> list[str]:
    """Return the names of the methods that need no table."""
    return list(_EXAMPLES)


def _method_of(model: Any) -> Method | None:
    """The built-in method that is meant; None of a model file."""
    if isinstance(model, Method):
        return None if model.name == registry.MODEL_FILE else model
    if isinstance(model, str) and not model.endswith(".py"):
        simulate = [*registry.having("simulate"), "replicated"]
        check_word("model", model, [*simulate, *bundled()])
        if model in simulate:
            made: Any = registry.get(model)
            found: Method = made(joint=True) if model == "poisson-binomial" else made()
            return found
    return None


def _check_unused(what: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise BayescompareError(
                f"{name}={value!r}: {what} has no such option here; leave it out."
            )


def _sbc_of_method(
    method: Method,
    results: Results | None,
    *,
    simulations: int,
    draws: int,
    posterior: bool,
    rng: Rng,
    n_jobs: int,
    progress: bool,
) -> SBC:
    """Calibrate a method on tables like the one given, or like its example."""
    check_count(simulations=simulations, draws=draws)
    check_jobs(n_jobs)
    if results is None:
        if method.name not in _EXAMPLES:
            raise BayescompareError(
                f"results is missing: give a table whose sizes are simulated, as in sbc("
                f"{method.name!r}, results). These need none: {', '.join(_EXAMPLES)}."
            )
        results = load_example(_EXAMPLES[method.name])
    asked = compare(results, method=method, rng=0)
    if posterior and (method.needs_mcmc or method.name not in ("dirichlet", "network")):
        raise BayescompareError(
            f"posterior=True: no further datasets follow from the draws of {method.name!r}; it is "
            "for 'dirichlet' and 'network' in closed form, and for model files."
        )
    study = Study(
        name=f"sbc {method.name}",
        grid={},
        replications=simulations,
        case=_ranks,
        constants={"asked": as_simulated(asked), "draws": draws, "posterior": posterior},
    )
    table = study.run(rng=rng, n_jobs=n_jobs, progress=progress)
    return ranks_of_study(method.name, table, draws, table.attrs["seed"])


def ranks_of_study(name: str, table: xr.Dataset, draws: int, seed: Any) -> SBC:
    """Return the ranks that a study of simulations found."""
    found = without_failed_cases(table)
    ranks = pd.DataFrame({str(k): v.to_numpy().ravel() for k, v in found.data_vars.items()})
    ranks.attrs["seed"] = seed
    return SBC(name, ranks.astype(int), draws)


def _ranks(
    rng: np.random.Generator, *, asked: Comparison, draws: int, posterior: bool
) -> dict[str, int]:
    """Simulate a table, ask the same of it, and rank what made it among the draws."""
    table = _table_after(asked, rng) if posterior else simulated_table(asked, rng)
    truth = table.truth
    assert truth is not None
    table = table._with(truth=None)
    how = (
        {"draws": 10 * draws, "chains": 1, "progressbar": False} if asked.method.needs_mcmc else {}
    )
    again = compare(table, method=asked.method, rng=int(rng.integers(2**31 - 1)), sampler=how)
    drawn = _drawn(again, draws, rng)
    # A dataset's own latents are drawn anew with its predictions.
    found = dict(entries(truth.drop_dims("dataset", errors="ignore"), drawn))
    if "theta" in truth and "statement" in truth["theta"].dims:
        counts = xr.DataArray(again.answer.counts, {"statement": list(again.answer.labels)})
        found["log likelihood"] = float(_weighed(counts, truth)), _weighed(counts, drawn)
    return ranked(found, rng)


def _drawn(c: Comparison, draws: int, rng: np.random.Generator | None = None) -> xr.Dataset:
    """So many draws of an answer's posterior, over "draw"."""
    if c.answer.tree is None:
        exact: Any = c.posterior
        tree = exact.draws(draws, 1, rng or np.random.default_rng(0))
    else:
        tree = c.answer.tree
    found: xr.Dataset = tree["posterior"].to_dataset().isel(chain=0, drop=True)
    return found.isel(draw=np.linspace(0, found.sizes["draw"] - 1, draws).astype(int))


def _weighed(counts: xr.DataArray, of: xr.Dataset) -> AnyArray:
    """Log likelihood of the statements seen, which also finds a posterior that ignores the data."""
    theta = of["theta"].reindex(statement=counts["statement"], fill_value=0.0).clip(1e-300)
    return np.asarray((counts * np.log(theta)).sum("statement"))


def entries(truth: xr.Dataset, drawn: xr.Dataset) -> Iterator[tuple[str, tuple[float, FloatArray]]]:
    """The scalars that both have, by name and coords, with the truth and its draws."""
    for name, value in truth.data_vars.items():
        if name not in drawn or set(drawn[name].dims) != {"draw", *value.dims}:
            continue
        both = drawn[name].transpose("draw", *value.dims)
        indices = list(np.ndindex(value.shape))
        for k in np.unique(np.linspace(0, len(indices) - 1, MOST).astype(int)):
            at = dict(zip(map(str, value.dims), indices[k], strict=True))
            named = [
                str(both[dim].values[i]) if dim in both.coords else str(i) for dim, i in at.items()
            ]
            label = f"{name}[{', '.join(named)}]" if named else str(name)
            yield label, (float(value.isel(at)), both.isel(at).values.astype(np.float64))


def _table_after(asked: Comparison, rng: np.random.Generator) -> Results:
    """Draw θ from the posterior and as many datasets again given it; the table of both."""
    results, truth = asked.results, _drawn(asked, 1, rng).isel(draw=0, drop=True)
    theta = truth["theta"].values[None]
    labels = [str(label) for label in truth["statement"].values.tolist()]
    drawn = categorical_labels(theta / theta.sum(), labels, len(results.datasets), rng)[0]
    more = table_of_statements(results, drawn.tolist(), truth)
    return with_again(results, more.data)._with(truth=truth)


def ranked(
    found: Mapping[str, tuple[float, FloatArray]], rng: np.random.Generator
) -> dict[str, int]:
    """Return the rank of each truth among its draws, at a random place among equal ones."""
    return {
        name: int((drawn < truth).sum() + rng.integers((drawn == truth).sum() + 1))
        for name, (truth, drawn) in found.items()
    }
