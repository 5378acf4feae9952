"""The comparison type of a model file: who is ahead of whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import QuantityNotAvailableError
from bayescompare.comparison.comparison import Comparison
from bayescompare.methods.model_file.details import ModelDetails

__all__ = ["ModelComparison"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(Comparison):
    """A comparison by a model file, with who is ahead of whom where it has strengths."""

    @property
    def ahead(self) -> xr.DataArray:
        """P(algorithm is ahead of opponent on every measure), by the model's strengths."""
        if "ahead" in self._lacking():
            raise QuantityNotAvailableError(
                "ahead: this answer is not about strengths of algorithms; models with "
                "'strength' or 'better' have it."
            )
        names = list(self.results.algorithms)
        values = np.array(self._details.ahead, dtype=float)
        np.fill_diagonal(values, np.nan)
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(
            values, coords, ("algorithm", "opponent"), name="ahead", attrs=self.attrs
        )

    @property
    def _details(self) -> ModelDetails:
        return ModelDetails.of(self.answer)

    def _lacking(self) -> set[str]:
        there = self._details.ahead is not None and self._details.together is None
        return super()._lacking() | (set() if there else {"ahead"})

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Who is ahead of whom, of more than two algorithms, headed to be printed."""
        if self._details.ahead is None or len(self.results.algorithms) < 3:
            return {}
        names = pd.Index(self.results.algorithms, name="algorithm")
        heads = [f"P (ahead of {name})" for name in names]
        everywhere = " on every measure" if len(self.results.measures) > 1 else ""
        return {f"Who is ahead{everywhere}": pd.DataFrame(self.ahead.values, names, heads)}
