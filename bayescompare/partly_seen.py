"""A table with missing cells as statements: those seen, and those that a gap leaves possible."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.completions import (
    cross_completions,
    states_of_completions,
    weights_of_completions,
)
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

#: Statements up to which each is weighed by the datasets with gaps.
MOST_WEIGHED = 4096


@dataclass(frozen=True)
class PartialTable:
    """Every statement, the counts of the complete datasets, and what the others leave possible.

    Attributes
    ----------
    results : Results
    statements : Statements
        All K of them, with the weights of the complete datasets.
    gap : array (n,)
        Which datasets have missing cells.
    rows : array (datasets with gaps, K)
        log ℓ: the same for every statement that agrees with what was seen, else −inf.
    """

    results: Results
    statements: Statements
    gap: BoolArray
    rows: FloatArray

    @property
    def counts(self) -> FloatArray:
        """Counts of the complete datasets, (K,)."""
        return self.statements.table.counts

    @property
    def possible(self) -> BoolArray:
        """Which statements some dataset shows or leaves possible, (K,)."""
        return np.asarray((self.counts > 0.0) | np.isfinite(self.rows).any(axis=0))

    def completions(self) -> list[FloatArray]:
        """For every dataset with a gap, its weights (completions, K) in each completion."""
        values = self.results.oriented()[self.gap]
        spec = list(self.results.spec.values())
        ends = [_oriented_bounds(m.bounds, m.sign) for m in spec]
        return [
            cross_completions(
                [weights_of_completions(row[:, j], m.rope, ends[j]) for j, m in enumerate(spec)]
            )
            for row in values
        ]


def partial_table(results: Results) -> PartialTable:
    """Read a table with missing cells."""
    ropes = {name: results[name].rope for name in results.measures}
    _check_weighed(results, ropes)
    gap = results.absent().any(axis=(1, 2))
    every = Statements.without_data(results.algorithms, ropes, most=MOST_WEIGHED)
    table = every.table
    if not gap.all():
        kept = np.flatnonzero(~gap)
        complete = Statements.of(results.sel(datasets=[results.datasets[i] for i in kept]))
        own = complete.listing(every.table.states).table
        table = replace(own, dataset=kept[own.dataset])
    statements = replace(every, datasets=results.datasets, table=table)
    spec = list(ropes.values())
    rows = np.stack([_row_likelihood(one, spec) for one in results.oriented()[gap]])
    return PartialTable(results, statements, gap, rows)


def _check_weighed(results: Results, ropes: dict[str, float | None]) -> None:
    orders = math.factorial(len(results.algorithms))
    roped = [name for name, rope in ropes.items() if rope is not None]
    if roped and len(results.algorithms) > 2:
        # The usual refusal of a rope among more than two.
        Statements.from_results(results.sel(datasets=results.datasets[:1])._with(gaps="worst"))
    size = math.prod(orders if rope is None else 3 for rope in ropes.values())
    if size > MOST_WEIGHED:
        raise BayescompareError(
            f"missing={results.gaps!r}: there are {count(size)} statements, and datasets with "
            f"missing cells are weighed against at most {count(MOST_WEIGHED)}: compare fewer "
            "algorithms or measures, ask pairwise(), or use missing='drop'."
        )


def _row_likelihood(values: FloatArray, ropes: list[float | None]) -> FloatArray:
    """log ℓ of one dataset over all statements."""
    allowed, log_weight = np.ones(1, dtype=bool), 0.0
    for j, rope in enumerate(ropes):
        states, weight = states_of_completions(values[:, j], rope)
        allowed = np.logical_and.outer(allowed, states).ravel()
        log_weight += math.log(weight)
    return np.where(allowed, log_weight, -math.inf)


def _oriented_bounds(
    bounds: tuple[float | None, float | None] | None, sign: int
) -> tuple[float, float]:
    """The bounds of a measure, turned so that higher is better."""
    low, high = bounds or (None, None)
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return ends if sign > 0 else (-ends[1], -ends[0])
