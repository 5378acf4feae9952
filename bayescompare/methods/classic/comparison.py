"""What comparisons by the classical tests have of their own."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pandas as pd

from bayescompare.comparison.comparison import Comparison
from bayescompare.methods.classic.details import PerMeasureDetails, RankDetails
from bayescompare.text.numbers import rank_number_text

__all__ = ["PerMeasureComparison", "RankComparison"]


@dataclass(frozen=True, eq=False, repr=False)
class RankComparison(Comparison):
    """A comparison by mean ranks, with the pairs that differ."""

    @property
    def ranks(self) -> pd.Series[float]:
        """Mean rank of every algorithm, 1 being best."""
        return self._details.ranks

    @property
    def nemenyi(self) -> pd.DataFrame:
        """P-values of all pairs by Nemenyi's test, which corrects for their number."""
        return self._details.nemenyi

    @property
    def critical_difference(self) -> float:
        """How far apart two mean ranks must be to differ significantly."""
        return self._details.critical_difference

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Mean ranks and pairs, headed to be printed."""
        apart = f"Mean ranks; {rank_number_text(self.critical_difference)} apart is significant"
        ranked = self.ranks.sort_values(kind="stable").rename("mean rank").to_frame()
        pairs = itertools.combinations(ranked.index, 2)
        rows = {
            f"{a}, {b}": (self.ranks[b] - self.ranks[a], self.nemenyi.loc[a, b]) for a, b in pairs
        }
        apart_by = pd.DataFrame.from_dict(
            rows, orient="index", columns=["ranks apart", "p-value"]
        ).sort_values("p-value", kind="stable")
        return {apart: ranked, "Pairs by Nemenyi's test": apart_by.rename_axis("pair")}

    @property
    def _details(self) -> RankDetails:
        return RankDetails.of(self.answer)


@dataclass(frozen=True, eq=False, repr=False)
class PerMeasureComparison(Comparison):
    """A comparison put together from a test on each measure."""

    @property
    def per_measure(self) -> pd.DataFrame:
        """One row per measure: the statistic, the p-value and the better algorithm."""
        return PerMeasureDetails.of(self.answer).table

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every measure, headed to be printed."""
        heads = {"pvalue": "p-value", "better": "favours"}
        return {"Measures": self.per_measure.rename(columns=heads)}
