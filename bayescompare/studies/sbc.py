r"""Simulation-based calibration: does a posterior contain the truth as often as it claims?

Draw parameters from the prior, data given them, and L posterior draws given the data. The rank of
the truth among the draws is then uniform on 0, …, L, whatever the quantity, if and only if prior,
likelihood and sampler fit together.

References
----------
Talts, Betancourt, Simpson, Vehtari & Gelman (2018), Validating Bayesian inference algorithms with
simulation-based calibration. Modrák et al. (2023) for quantities that depend on the data.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescompare._checks import check_count, check_jobs, check_positive, check_word
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._model_files import bundled
from bayescompare._rng import Rng
from bayescompare._typing import FloatArray, IntArray
from bayescompare.outcome import registry
from bayescompare.outcome.method import Replicate
from bayescompare.studies.study import Study, without_failed_cases
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Simulations that share a stream of random numbers, whatever the number of jobs.
_BLOCK = 50
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
    priors: Mapping[str, Any] | None = None,
    rng: Rng = None,
    n_jobs: int = 1,
    progress: bool = False,
    **options: Any,
) -> SBC:
    """Calibrate a method, or a model of your own, by simulation.

    Parameters
    ----------
    model : str, path, callable or ModelFile
        "dirichlet", "network" (a chain of three measures), "replicated" (with known noise),
        "poisson-binomial" (the full model) or "hierarchical"; or what `compare` takes as a model: a
        file that ends in ``.py``, a bundled model's name, a build function or a
        `bayescompare.methods.ModelFile`. Models are sampled by NUTS, see `sbc_model`.
    results : Results, optional
        Only for models: the simulated tables have its sizes and names.
    simulations : int
        Of a model each takes about half a second; a hundred show gross faults.
    draws : int
        Posterior draws per simulation.
    priors : mapping, optional
        Only for models: arguments for ``build``, as in `bayescompare.methods.ModelFile`.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the ranks are the same for any. A worker compiles a model before its first
        simulation, which a method does not need.
    progress : bool
        Show a progress bar with the time left on standard error.
    **options
        For a method the sizes of the simulated data, named as in the method's simulation function;
        for a model `tune` and `thin`.

    Examples
    --------
    >>> study = sbc("dirichlet", simulations=300, rng=1)
    >>> study.ok
    True
    """
    if isinstance(model, str) and not model.endswith(".py"):
        check_word("model", model, [*calibrated_by_sbc(), *bundled()])
        if model in calibrated_by_sbc():
            _check_no_table(model, results=results, priors=priors)
            return _of_method(model, simulations, draws, rng, options, n_jobs, progress)
    if results is None:
        raise BayescompareError(
            "results is missing: a model file is calibrated on tables of the size of one: give it, "
            f"as in sbc(model, results). These need none: {', '.join(calibrated_by_sbc())}."
        )
    from bayescompare.studies.sbc_nuts import sbc_model

    _check_names("a model file", options, ["tune", "thin"])
    return sbc_model(
        model,
        results,
        simulations=simulations,
        draws=draws,
        priors=priors,
        rng=rng,
        n_jobs=n_jobs,
        progress=progress,
        **options,
    )


def calibrated_by_sbc() -> list[str]:
    """Return the names of the methods that can simulate from their own model."""
    return [name for name in registry.names() if hasattr(registry.get(name), "calibration")]


def _of_method(
    model: str,
    simulations: int,
    draws: int,
    rng: Rng,
    options: dict[str, Any],
    n_jobs: int,
    progress: bool,
) -> SBC:
    """Calibrate a method by its own simulations and its exact draws."""
    method: Any = registry.get(model)
    simulate = method.calibration()
    check_count(simulations=simulations, draws=draws)
    check_jobs(n_jobs)
    _check_sizes(model, simulate, options)
    study = Study(
        name=f"sbc {model}",
        grid={},
        replications=simulations,
        block=_ranks,
        block_size=_BLOCK,
        constants={"simulate": simulate, "draws": draws, "options": options},
    )
    table = without_failed_cases(study.run(rng=rng, n_jobs=n_jobs, progress=progress))
    ranks = pd.DataFrame({str(name): table[name].to_numpy() for name in table.data_vars})
    ranks.attrs["seed"] = table.attrs["seed"]
    return SBC(model, ranks, draws)


def _ranks(
    rng: np.random.Generator,
    size: int,
    *,
    simulate: Callable[..., Iterator[Replicate]],
    draws: int,
    options: Mapping[str, Any],
) -> dict[str, IntArray]:
    """Return the ranks of every quantity in some simulations."""
    rows = [
        {name: rank_of_truth(truth, drawn, rng) for name, (truth, drawn) in replicate.items()}
        for replicate in simulate(size, draws, rng, **options)
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _check_sizes(
    model: str, simulate: Callable[..., Iterator[Replicate]], options: dict[str, Any]
) -> None:
    """Refuse sizes that the method does not have, or that are not valid."""
    parameters = inspect.signature(simulate).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
    _check_names(model, options, list(known))
    for name, value in options.items():
        check = check_count if isinstance(known[name], int) else check_positive
        check(**{name: value})


def _check_names(model: str, options: dict[str, Any], known: list[str]) -> None:
    for name, value in options.items():
        if name not in known:
            raise BayescompareError(
                f"{name}={value!r}: {model} has no such option; it has {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )


def _check_no_table(model: str, **given: object) -> None:
    """Refuse for a method what only a model file takes."""
    for name, value in given.items():
        if value is not None:
            raise BayescompareError(
                f"{name}: {model} chooses its sizes and its prior itself and takes no {name}; "
                "leave it out."
            )


def rank_of_truth(truth: float, drawn: FloatArray, rng: np.random.Generator) -> int:
    """Return the rank of the truth among the draws, at a random place among equal ones."""
    return int((drawn < truth).sum() + rng.integers((drawn == truth).sum() + 1))
