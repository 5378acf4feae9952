"""The comparison type of the multinomial-Dirichlet test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import QuantityNotAvailableError
from bayescompare.comparison.columns import HIGHEST, LOWER, LOWEST, UPPER
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.method import Sampling
from bayescompare.comparison.questions import Questions
from bayescompare.methods._shared.domains import Domains

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet

__all__ = ["DirichletComparison"]


#: Columns of bounds: over prior means, or over the values of missing cells.
_BOUNDS = ((LOWER, UPPER), (LOWEST, HIGHEST))


@dataclass(frozen=True, eq=False, repr=False)
class DirichletComparison(Domains, Questions, Comparison):
    """A comparison by the multinomial-Dirichlet test, with its own questions."""

    @property
    def bounds(self) -> xr.DataArray:
        """Lower and upper P over all prior means, or over all values of missing cells.

        The first for ``prior="imprecise"``, the second for ``missing="bounds"``.
        """
        columns = next((c for c in _BOUNDS if c[0] in self.answer.per_statement), None)
        if columns is None:
            raise QuantityNotAvailableError(
                "bounds: only Dirichlet(prior='imprecise') has them, and compare(..., "
                "missing='bounds') of a table with missing cells."
            )
        both = [self._over_statements("bounds", self.answer.per_statement[c]) for c in columns]
        return xr.concat(both, pd.Index([LOWER, UPPER], name="bound")).transpose()

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The domains, where there are any."""
        return {} if self.results.groups is None else {"Domains": self.domains}

    def _lacking(self) -> set[str]:
        there = any(columns[0] in self.answer.per_statement for columns in _BOUNDS)
        without = set() if there else {"bounds"}
        without |= set() if self.results.groups is not None else {"domains"}
        return super()._lacking() | without

    def on(self, measures: Sequence[str]) -> DirichletComparison:
        """Ask again about a subset of the measures, summing θ over the others.

        The posterior stays this one: the prior is summed, not set anew, which makes a difference
        for every prior but "symmetric".
        """
        self._require("on")
        subset = self.results.sel(measures=measures)
        method = cast("Dirichlet", self.method).on(self.results, list(subset.measures))
        answer = method.answer(subset, Sampling(np.random.default_rng()))
        return DirichletComparison(subset, method, answer)
