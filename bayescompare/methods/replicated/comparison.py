"""The comparison type of the test from replicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.questions import Questions
from bayescompare.methods._shared.domains import Domains
from bayescompare.methods.replicated.details import ReplicatedDetails
from bayescompare.methods.replicated.uncertainty import uncertainty_split_series
from bayescompare.text.numbers import setting_number_text

__all__ = ["ReplicatedComparison"]

#: Statements from which a printed table leaves out those that are improbable on every dataset.
_MANY, _LEAST_SHOWN = 4, 0.01


@dataclass(frozen=True, eq=False, repr=False)
class ReplicatedComparison(Domains, Questions, Comparison):
    """A comparison whose datasets are themselves uncertain."""

    @property
    def evidence(self) -> xr.DataArray:
        """What each dataset's own replicates say, over "dataset" and "statement"; rows sum to 1."""
        details = ReplicatedDetails.of(self.answer)
        return xr.DataArray(
            np.array(details.evidence),
            {"dataset": list(self.results.datasets), "statement": list(self.answer.labels)},
            dims=("dataset", "statement"),
            name="evidence",
            attrs={**self.attrs, "effects": details.effects, "error": details.error},
        )

    @property
    def per_dataset(self) -> pd.DataFrame:
        """P of every statement on each dataset after hearing the others, and its replicates."""
        details = ReplicatedDetails.of(self.answer)
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(
            np.array(details.per_dataset), index=index, columns=list(self.answer.labels)
        )
        table["replicates"] = np.array(details.replicates, dtype=int)
        return table

    @property
    def uncertainty(self) -> pd.Series[float]:
        """What 1 − P of the leading statement comes from: its "total", and two parts of it.

        "replicates" is what would be gone on average if endless independent replicates showed
        every dataset's statement; "datasets" is what would remain. ``attrs["mcse"]`` is the error
        of the parts, zero where they are exact.
        """
        self._require("uncertainty")
        return uncertainty_split_series(self.answer)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, and what the uncertainty comes from, headed to be printed."""
        table = self.per_dataset
        tables = {"Datasets": table}
        if len(self.answer.labels) > _MANY:
            # A column for each of many statements is more than a page is wide.
            shown = table.loc[:, table.max() >= _LEAST_SHOWN]
            tables = {
                f"Datasets (statements below {setting_number_text(_LEAST_SHOWN)} left out)": shown
            }
        if self.results.groups is not None:
            tables = {"Domains": self.domains, **tables}
        if ReplicatedDetails.of(self.answer).uncertainty is not None:
            tables["What the uncertainty comes from"] = self.uncertainty.to_frame().rename_axis(
                "part"
            )
        return tables

    def _lacking(self) -> set[str]:
        """Leave out the split that an answer saved earlier does not have."""
        split = ReplicatedDetails.of(self.answer).uncertainty
        without = set() if self.results.groups is not None else {"domains"}
        return super()._lacking() | without | ({"uncertainty"} if split is None else set())
