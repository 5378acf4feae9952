"""`PairFigures`: what was found about every pair, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison.columns import PVALUE
from bayescompare.statements import State, Statement

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["PairFigures"]


@dataclass(frozen=True, eq=False)
class PairFigures:
    """Figures of all pairs, each a column with one place for every pair.

    Attributes
    ----------
    pairs : sequence of (str, str)
        The two algorithms, the one listed first in the table first.
    datasets : array (P,)
        How many datasets each pair was judged on.
    statements, verdicts : sequences of str
        The decision on each: its statement and verdict, as in `Decision`.
    levels : array (P,)
        P of that statement, or the p-value.
    alone, lowest : arrays (P,)
        The same under the pair's own prior, and at the least favourable values of missing cells;
        NaN where there is no such figure.
    dominance : array (P, 2)
        P(the first better on every measure is the most probable statement), and of the second; or
        p-values.
    ahead : array (P, m), optional
        P of the statements that favour the first on each measure, equivalence counting half; None
        where it has not been worked out.
    """

    pairs: Sequence[tuple[str, str]]
    datasets: IntArray
    statements: Sequence[str]
    verdicts: Sequence[str]
    levels: FloatArray
    alone: FloatArray
    lowest: FloatArray
    dominance: FloatArray
    ahead: FloatArray | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> PairFigures:
        """Collect the figures of comparisons, each of two algorithms."""
        decisions = [c.decision for c in comparisons]
        missing = float("nan")
        return cls(
            pairs=[_names_in_pair_figures(c) for c in comparisons],
            datasets=np.array([len(c.results.datasets) for c in comparisons], dtype=np.int64),
            statements=[d.statement for d in decisions],
            verdicts=[d.verdict for d in decisions],
            levels=np.array([d.level for d in decisions], dtype=np.float64),
            alone=np.array([missing if d.alone is None else d.alone for d in decisions]),
            lowest=np.array([missing if d.lowest is None else d.lowest for d in decisions]),
            dominance=np.array(
                [
                    [
                        _dominates_in_pair_figures(c, *_names_in_pair_figures(c)),
                        _dominates_in_pair_figures(c, *_names_in_pair_figures(c)[::-1]),
                    ]
                    for c in comparisons
                ]
            ).reshape(-1, 2),
        )


def _names_in_pair_figures(c: Comparison) -> tuple[str, str]:
    first, second = c.results.algorithms
    return first, second


def _dominates_in_pair_figures(c: Comparison, first: str, second: str) -> float:
    """P(`first` better on every measure is the most probable statement), or the p-value."""
    dominance = Statement.of(State.order(first, second), measures=max(1, len(c.answer.states)))
    label = str(dominance)
    if c.answer.probability is None:
        # A test with a direction has a p-value for each.
        own = c.answer.per_statement.get(PVALUE)
        return c.decision.level if own is None else float(own[c.answer.labels.index(label)])
    if label in c.answer.labels:
        return float(c.answer.probability[c.answer.labels.index(label)])
    # Beyond 256 statements an unobserved one is not listed; it has its share of the lump.
    others = c.answer.n_statements - c.answer.n_observed
    return 0.0 if others.bit_length() > 1000 else c.unobserved / others
