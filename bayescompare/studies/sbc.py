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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescompare._checks import check_count, check_positive, check_word
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.comparison import registry
from bayescompare.comparison.method import Replicate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SBC", "calibrated", "rank", "sbc"]


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
        """For every quantity: mean rank as a share, and p-values of tests for uniform ranks.

        ``chi2`` tests the shape in up to 20 bins, ``ks`` (Kolmogorov-Smirnov, which is conservative
        between two discrete distributions) tests for drifts.
        """
        possible = np.arange(self.draws + 1)
        bins = min(20, self.draws + 1)
        place = possible * bins // (self.draws + 1)
        # Ranks need not fill the bins evenly.
        share = np.bincount(place, minlength=bins) / (self.draws + 1.0)
        rows = {}
        for name, column in self.ranks.items():
            ranks, n = column.to_numpy(), len(column)
            seen = np.bincount(place[ranks], minlength=bins)
            below = np.cumsum(np.bincount(ranks, minlength=self.draws + 1)) / n
            apart = float(np.abs(below - (possible + 1) / (self.draws + 1.0)).max())
            rows[name] = (
                float((ranks.mean() + 0.5) / (self.draws + 1.0)),
                float(stats.chisquare(seen, n * share).pvalue),
                float(stats.kstwo.sf(apart, n)),
            )
        return pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "chi2", "ks"])

    @property
    def ok(self) -> bool:
        """Whether the ranks of all quantities, taken together, are compatible with uniform ones."""
        table = self.table
        return bool(table[["chi2", "ks"]].min().min() * 2 * len(table) > _FAULT)

    def __repr__(self) -> str:
        verdict = "ranks are uniform" if self.ok else "RANKS ARE NOT UNIFORM"
        return (
            f"SBC of {self.model}, {len(self.ranks)} simulations: {verdict}\n{self.table.round(3)}"
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far each quantity's ranks are from uniform, with a simultaneous 99 % band."""
        from bayescompare.plots._drawing import GREY, new_axes, set_title

        ax = new_axes(ax, (6.4, 4.0))
        n, grid = len(self.ranks), np.arange(self.draws + 2) / (self.draws + 1.0)
        for name, ranks in self.ranks.items():
            seen = np.bincount(ranks.to_numpy(), minlength=self.draws + 1)
            ax.plot(grid, np.append(0.0, np.cumsum(seen)) / n - grid, label=str(name))
        # Simultaneous, by the Kolmogorov-Smirnov distance.
        band = float(stats.kstwo.ppf(0.99, n))
        ax.fill_between(grid, -band, band, color=GREY, alpha=0.3, linewidth=0, zorder=0)
        ax.set(xlabel="rank of the truth, as a share", ylabel="share of simulations less rank")
        ax.legend(frameon=False, fontsize="small")
        set_title(ax, f"{self.model}: {n} simulations, 99 % band if calibrated")
        return ax


def sbc(
    model: str, *, simulations: int = 1000, draws: int = 99, rng: Rng = None, **options: Any
) -> SBC:
    """Calibrate a model by simulation.

    Parameters
    ----------
    model : str
        "dirichlet", "network" (a chain of three measures), "poisson-binomial" (the full model) or
        "hierarchical".
    simulations : int
    draws : int
        Posterior draws per simulation.
    rng : None, int or Generator
    **options
        Sizes of the simulated data, named as in the model's simulation function.

    Examples
    --------
    >>> study = sbc("dirichlet", simulations=300, rng=1)
    >>> study.ok
    True
    """
    simulate = _simulation(model)
    check_count(simulations=simulations, draws=draws)
    _check_sizes(model, simulate, options)
    generator, _ = as_rng(rng)
    rows = [
        {name: rank(truth, drawn, generator) for name, (truth, drawn) in replicate.items()}
        for replicate in simulate(simulations, draws, generator, **options)
    ]
    return SBC(model, pd.DataFrame(rows), draws)


def rank(truth: float, drawn: FloatArray, rng: np.random.Generator) -> int:
    """Return the rank of the truth among the draws, at a random place among equal ones."""
    return int((drawn < truth).sum() + rng.integers((drawn == truth).sum() + 1))


def _check_sizes(
    model: str, simulate: Callable[..., Iterator[Replicate]], options: dict[str, Any]
) -> None:
    """Refuse sizes that the model does not have, or that are not valid."""
    parameters = inspect.signature(simulate).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
    for name, value in options.items():
        if name not in known:
            raise BayescompareError(
                f"{name}={value!r}: {model} has no such size; it has {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )
        check = check_count if isinstance(known[name], int) else check_positive
        check(**{name: value})


def calibrated() -> list[str]:
    """Return the names of the methods that can simulate from their own model."""
    return [name for name in registry.names() if registry.get(name).calibration() is not None]


def _simulation(model: str) -> Callable[..., Iterator[Replicate]]:
    """Return the function that simulates a model and draws from its posterior."""
    check_word("model", model, calibrated())
    simulate = registry.get(model).calibration()
    assert simulate is not None
    return simulate
