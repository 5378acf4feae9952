"""One pair, one measure: the two classical tests that `Sign`, `Wilcoxon` and others report."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import stats

from bayescompare._checks import check_word, is_number, shown
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.classic.wilcoxon import SMALLEST, differences, doubled_ranks, signed_rank
from bayescompare.results.results import Results

__all__ = ["PairTest", "WhichTest", "check_alpha", "check_test", "measured", "run"]

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


def measured(results: Results, measure: str) -> FloatArray:
    """Differences on one measure, first less second, oriented; a tie is exactly zero."""
    return differences(_columns(results, measure), results[measure].rope)


def run(results: Results, measure: str, test: WhichTest) -> PairTest:
    """Test one measure of two algorithms, two-sided; ties and the rope are left out.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> run(load_example("benavoli-example1"), "accuracy", "sign")
    PairTest(sums=(3.0, 9.0), wins=(3, 9), pvalue=0.14599609375, exact=True)
    """
    difference = measured(results, measure)
    wins = int((difference > 0).sum()), int((difference < 0).sum())
    if test == "sign":
        p = float(stats.binomtest(wins[0], sum(wins)).pvalue) if any(wins) else 1.0
        return PairTest((float(wins[0]), float(wins[1])), wins, min(max(p, SMALLEST), 1.0), True)
    if results[measure].scale == "ordinal":
        raise BayescompareError(
            f"measure {measure!r} is ordinal, and the Wilcoxon test ranks differences, which such "
            "a measure does not have: use the sign test ('sign', or test='sign')."
        )
    scale = np.abs(_columns(results, measure)).max(axis=1)
    ranks = signed_rank(doubled_ranks(difference, scale))
    return PairTest((ranks.plus, ranks.minus), wins, ranks.pvalue, ranks.exact)


def check_test(test: object) -> None:
    """Reject a test that is not one of the two."""
    check_word("test", test, get_args(WhichTest))


def check_alpha(alpha: object) -> None:
    """Reject a level that is not a number between 0 and 1."""
    if not (is_number(alpha) and 0.0 < alpha < 1.0):
        raise BayescompareError(
            f"alpha={shown(alpha)}: a level is a number between 0 and 1, such as 0.05."
        )


def _columns(results: Results, measure: str) -> FloatArray:
    return results.oriented()[:, :, results.measures.index(measure)]
