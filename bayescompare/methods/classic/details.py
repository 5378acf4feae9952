"""What answers of the classical tests tell beyond the statements: wins, ranks, each measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayescompare.comparison.details import Details

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MeasureTest",
    "PerMeasureDetails",
    "RankDetails",
    "SignDetails",
    "WilcoxonDetails",
]


@dataclass(frozen=True)
class SignDetails(Details):
    """Datasets on which each algorithm is better, and ties, which are left out."""

    wins: tuple[int, int]
    ties: int


@dataclass(frozen=True)
class WilcoxonDetails(Details):
    """Rank sum of each algorithm, ties, and whether the p-value is exact."""

    rank_sums: tuple[float, float]
    ties: int
    exact: bool


@dataclass(frozen=True)
class MeasureTest(Details):
    """The test of one measure; nobody is better where it favours neither."""

    measure: str
    statistic: float
    pvalue: float
    better: str | None


@dataclass(frozen=True)
class PerMeasureDetails(Details):
    """One test for each measure, at a level."""

    test: str
    alpha: float
    per_measure: tuple[MeasureTest, ...]

    @property
    def table(self) -> pd.DataFrame:
        """Statistic (of the first), p-value and who is favoured, by measure.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("benavoli-example1"), method="all-test")
        >>> c.answer.details.table.round(3)
                  statistic  pvalue better
        measure
        accuracy       19.5   0.146      B
        time           26.0   0.388      B
        """
        import pandas as pd

        return pd.DataFrame([row.to_dict() for row in self.per_measure]).set_index("measure")


@dataclass(frozen=True)
class RankDetails(Details):
    """Friedman's and Iman & Davenport's statistics, and Nemenyi's test of pairs.

    Attributes
    ----------
    chi2, chi2_pvalue : float
        Friedman's statistic and its tail.
    f_statistic : float, optional
        Iman & Davenport's F; None where it is infinite.
    degrees_of_freedom : (int, int)
        Of F.
    algorithms : tuple of str
    mean_ranks : tuple of float
        Of each algorithm, 1 the best.
    alpha : float
        The level of the critical difference.
    critical_difference : float
        How far apart two mean ranks must be to differ at that level.
    pair_pvalues : tuple of tuple of float, optional
        Nemenyi's p-value of each pair; None on the diagonal.
    """

    chi2: float
    chi2_pvalue: float
    f_statistic: float | None = field(metadata={"name": "F"})
    degrees_of_freedom: tuple[int, int]
    algorithms: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    alpha: float
    critical_difference: float
    pair_pvalues: tuple[tuple[float | None, ...], ...] = field(metadata={"name": "nemenyi"})

    @property
    def ranks(self) -> pd.Series[float]:
        """Mean rank of each algorithm, 1 the best."""
        import pandas as pd

        index = pd.Index(self.algorithms, name="algorithm")
        return pd.Series(list(self.mean_ranks), index=index, name="mean rank", dtype=float)

    @property
    def nemenyi(self) -> pd.DataFrame:
        """Nemenyi's p-value of each pair; the diagonal is NaN."""
        import pandas as pd

        names = self.algorithms
        return pd.DataFrame(
            [list(row) for row in self.pair_pvalues],
            index=pd.Index(names, name="algorithm"),
            columns=pd.Index(names, name="opponent"),
            dtype=float,
        )
