"""Ranks of the truth among posterior draws, and whether they are uniform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescompare._typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SBC", "rank"]


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


def rank(truth: float, drawn: FloatArray, rng: np.random.Generator) -> int:
    """Return the rank of the truth among the draws, at a random place among equal ones."""
    return int((drawn < truth).sum() + rng.integers((drawn == truth).sum() + 1))
