"""The comparison type of the tests about a context of datasets."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from bayescompare.methods.context.details import ContextDetails
from bayescompare.methods.context.scalars import PooledScalars, RateScalars
from bayescompare.outcome.comparison import Comparison

__all__ = ["ContextComparison"]


@dataclass(frozen=True, eq=False, repr=False)
class ContextComparison(Comparison):
    """A comparison about a context of datasets, with what was found on each of them."""

    @property
    def per_dataset(self) -> pd.DataFrame:
        """One row per dataset; ``probability`` is P(the first algorithm is better there).

        ``alone``, where it is there, is the same by the dataset's own data only.
        """
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(ContextDetails.of(self.answer).per_dataset.to_dict(), index=index)
        whole = ("first_wrong", "second_wrong", "replicates")
        return table.astype({name: int for name in whole if name in table})

    @property
    def rate(self) -> pd.Series[float]:
        """The share of datasets on which the first is better: mean, sd and 95 % interval.

        The mean is also the probability that it is better on a dataset not yet seen. The interval
        of ``"hierarchical"`` is good to about 0.002, all else to the last digits.
        """
        return pd.Series(RateScalars.of(self.answer).rate, name="rate", dtype=float)

    @property
    def pooling(self) -> pd.DataFrame:
        """Hierarchical: mean and sd of μ, the mean error share, and ρ, how little is in common."""
        self._require("pooling")
        return pd.DataFrame.from_dict(PooledScalars.of(self.answer).pooling, orient="index")

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, headed to be printed."""
        first, second = self.results.algorithms
        heads = {
            "probability": f"P({first} better)",
            "second_better": f"P({second} better)",
            "equivalent": "P(equivalent)",
            "alone": "P by itself",
            "first_wrong": f"only {first} wrong",
            "second_wrong": f"only {second} wrong",
            "advantage": "mean advantage",
            "share_alone": "error share by itself",
            "share": "error share",
            "rho": "ρ",
        }
        table = self.per_dataset
        shown = [name for name in heads if name in table]
        rest = [name for name in table if name not in heads]
        return {"Datasets": table[[*shown, *rest]].rename(columns=heads)}
