r"""Simulation-based calibration: does a posterior contain the truth as often as it says?

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
from bayescompare._errors import BayescompareError, closest
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial import draw_hyper, pooled
from bayescompare.kernels.context.error_rates import p_first_better
from bayescompare.kernels.context.poisson_binomial import draw_rates
from bayescompare.kernels.context.poisson_binomial_joint import count_posterior
from bayescompare.kernels.dirichlet.posterior import latents, log_theta

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CALIBRATED", "SBC", "rank", "sbc"]


#: Truth and posterior draws of every quantity, for one simulated set of data.
Replicate = dict[str, tuple[float, FloatArray]]

#: A p-value below this, over all quantities together, is called a fault.
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
        """For every quantity: mean rank as a share, and p-values that the ranks are uniform.

        ``chi2`` looks at the shape in up to 20 bins, ``ks`` (Kolmogorov-Smirnov between two
        discrete distributions, for which it is conservative) at drifts.
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
        """Whether no quantity's ranks are far from uniform, all looked at together."""
        table = self.table
        return bool(table[["chi2", "ks"]].min().min() * 2 * len(table) > _FAULT)

    def __repr__(self) -> str:
        verdict = "ranks are uniform" if self.ok else "RANKS ARE NOT UNIFORM"
        return (
            f"SBC of {self.model}, {len(self.ranks)} simulations: {verdict}\n{self.table.round(3)}"
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far each quantity's ranks are from uniform, with the 99 % band of all points."""
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
        Sizes of the simulated data, by the names of the model's function here.

    Examples
    --------
    >>> found = sbc("dirichlet", simulations=300, rng=1)
    >>> found.ok
    True
    """
    check_word("model", model, _MODELS)
    check_count(simulations=simulations, draws=draws)
    _check_options(model, options)
    generator, _ = as_rng(rng)
    rows = [
        {name: rank(truth, drawn, generator) for name, (truth, drawn) in replicate.items()}
        for replicate in _MODELS[model](simulations, draws, generator, **options)
    ]
    return SBC(model, pd.DataFrame(rows), draws)


def rank(truth: float, drawn: FloatArray, rng: np.random.Generator) -> int:
    """Rank of the truth among the draws, any place among its equals being as likely as another."""
    return int((drawn < truth).sum() + rng.integers((drawn == truth).sum() + 1))


def _check_options(model: str, options: dict[str, Any]) -> None:
    """Refuse sizes that the model does not have, or that are none."""
    parameters = inspect.signature(_MODELS[model]).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
    for name, value in options.items():
        if name not in known:
            raise BayescompareError(
                f"{name}={value!r}: {model} has no such size; it has {', '.join(known)}."
                f"{closest(name, known)}"
            )
        check = check_count if isinstance(known[name], int) else check_positive
        check(**{name: value})


# the models ---------------------------------------------------------------------------------------


def _dirichlet(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    statements: int = 4,
    datasets: int = 12,
    alpha: float = 0.25,
) -> Iterator[Replicate]:
    """θ over a few statements, sparse prior: one θ, the largest, and the evenness."""
    log_alpha = np.full(statements, np.log(alpha))
    nothing = np.zeros(statements)
    for _ in range(simulations):
        truth = np.exp(log_theta(log_alpha, *latents(log_alpha, nothing, (1,), rng)))[0]
        counts = rng.multinomial(datasets, truth / truth.sum()).astype(np.float64)
        drawn = np.exp(log_theta(log_alpha, *latents(log_alpha, counts, (draws,), rng)))
        yield {
            "theta": (float(truth[0]), drawn[:, 0]),
            "largest": (float(truth.max()), drawn.max(axis=1)),
            "sum of squares": (float((truth**2).sum()), (drawn**2).sum(axis=1)),
        }


def _network(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 15,
    ess: float = 1.0,
) -> Iterator[Replicate]:
    """A chain of three measures: each table's rows are Dirichlets, θ is their product."""
    first, rest = np.full(2, np.log(ess / 2.0)), np.full(2, np.log(ess / 4.0))

    def rows(log_alpha: FloatArray, counts: FloatArray, size: int) -> FloatArray:
        return np.exp(log_theta(log_alpha, *latents(log_alpha, counts, (size,), rng)))

    def joint(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
        return a[..., :, None, None] * b[..., :, :, None] * c[..., None, :, :]

    for _ in range(simulations):
        zero = np.zeros(2)
        tables = [
            rows(first, zero, 1),
            *(np.stack([rows(rest, zero, 1)[0] for _ in "ab"])[None] for _ in "bc"),
        ]
        truth = joint(*tables)[0]
        outcomes = rng.choice(8, size=datasets, p=truth.ravel() / truth.sum())
        seen = np.bincount(outcomes, minlength=8).reshape(2, 2, 2).astype(np.float64)
        a = rows(first, seen.sum(axis=(1, 2)), draws)
        b = np.stack([rows(rest, seen.sum(axis=2)[i], draws) for i in (0, 1)], axis=1)
        c = np.stack([rows(rest, seen.sum(axis=0)[i], draws) for i in (0, 1)], axis=1)
        drawn = joint(a, b, c).reshape(draws, 8)
        yield {
            "theta": (float(truth.ravel()[0]), drawn[:, 0]),
            "largest": (float(truth.max()), drawn.max(axis=1)),
        }


def _poisson_binomial(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 15,
    discordant: int = 12,
    a: float = 1.0,
    b: float = 1.0,
) -> Iterator[Replicate]:
    """The full model: r."""
    for _ in range(simulations):
        rate = rng.beta(b, b)
        low = rng.beta(a, a, size=datasets)
        low = np.minimum(low, 1.0 - low)
        z = np.where(rng.random(datasets) < rate, low, 1.0 - low)
        wrong = rng.binomial(discordant, z)
        p = p_first_better(wrong, discordant - wrong, a)
        yield {"r": (float(rate), draw_rates(count_posterior(p, b)[0], draws, rng, b))}


def _hierarchical(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 8,
    discordant: int = 15,
) -> Iterator[Replicate]:
    """Partial pooling: μ and ρ."""
    for _ in range(simulations):
        mu, rho = rng.random(), rng.random()
        phi = (1.0 - rho) / rho
        z = rng.beta(mu * phi, (1.0 - mu) * phi, size=datasets)
        k_h = rng.binomial(discordant, z).astype(np.float64)
        k_g = discordant - k_h
        means, correlations = draw_hyper(k_h, k_g, pooled(k_h, k_g).grid, draws, rng)
        yield {"mu": (float(mu), means), "rho": (float(rho), correlations)}


_MODELS: dict[str, Callable[..., Iterator[Replicate]]] = {
    "dirichlet": _dirichlet,
    "network": _network,
    "poisson-binomial": _poisson_binomial,
    "hierarchical": _hierarchical,
}

#: What `sbc` knows by name.
CALIBRATED = tuple(_MODELS)
