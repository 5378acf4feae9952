"""One pair, one measure: the two classical tests that `Sign`, `Wilcoxon` and others report."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import stats

from bayescompare._checks import check_word, is_number, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.classic.wilcoxon import (
    SMALLEST,
    doubled_wilcoxon_ranks,
    wilcoxon_differences,
    wilcoxon_signed_rank_test,
)
from bayescompare.table.results import Results

__all__ = [
    "PairTest",
    "WhichTest",
    "check_classic_alpha",
    "check_test",
    "classic_pair_differences",
    "run_pair_test",
]

WhichTest = Literal["sign", "wilcoxon"]


class PairTest(NamedTuple):
    """What a test found on one measure.

    `sums` are what it weighs for each algorithm, wins or rank sums; `wins` count datasets.
    """

    sums: tuple[float, float]
    wins: tuple[int, int]
    pvalue: float
    exact: bool

    @property
    def favours(self) -> int | None:
        """Which of the two has the larger sum, or None."""
        first, second = self.sums
        return None if first == second else int(second > first)


def classic_pair_differences(results: Results, measure: str) -> FloatArray:
    """Differences on one measure, first less second, oriented; a tie is exactly zero."""
    return wilcoxon_differences(_classic_pair_test_columns(results, measure), results[measure].rope)


def run_pair_test(results: Results, measure: str, test: WhichTest) -> PairTest:
    """Test one measure of two algorithms, two-sided; ties and the rope are left out.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> run_pair_test(load_example("benavoli-example1"), "accuracy", "sign")
    PairTest(sums=(3.0, 9.0), wins=(3, 9), pvalue=0.14599609375, exact=True)
    """
    difference = classic_pair_differences(results, measure)
    wins = int((difference > 0).sum()), int((difference < 0).sum())
    if test == "sign":
        p = float(stats.binomtest(wins[0], sum(wins)).pvalue) if any(wins) else 1.0
        return PairTest((float(wins[0]), float(wins[1])), wins, min(max(p, SMALLEST), 1.0), True)
    if results[measure].scale == "ordinal":
        raise BayescompareError(
            f"measure {measure!r} is ordinal, and the Wilcoxon test ranks differences, which such "
            "a measure does not have: use the sign test ('sign', or test='sign')."
        )
    scale = np.abs(_classic_pair_test_columns(results, measure)).max(axis=1)
    ranks = wilcoxon_signed_rank_test(doubled_wilcoxon_ranks(difference, scale))
    return PairTest((ranks.plus, ranks.minus), wins, ranks.pvalue, ranks.exact)


def check_test(test: object) -> None:
    """Reject a test that is not one of the two."""
    check_word("test", test, get_args(WhichTest))


def check_classic_alpha(alpha: object) -> None:
    """Reject a level that is not a number between 0 and 1."""
    if not (is_number(alpha) and 0.0 < alpha < 1.0):
        raise BayescompareError(
            f"alpha={show_checked_value(alpha)}: a level is a number between 0 and 1, such as 0.05."
        )


def _classic_pair_test_columns(results: Results, measure: str) -> FloatArray:
    return results.oriented()[:, :, results.measures.index(measure)]
