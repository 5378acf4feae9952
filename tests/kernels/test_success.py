"""The confidence of the sign test, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from bayescompare.kernels.success import sign_success_confidence


@pytest.mark.parametrize("n", [1, 2, 3, 8, 21])
def test_the_sign_test_s_confidence_is_exact(n: int) -> None:
    table = sign_success_confidence(n)
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            total = wins + losses
            tail = sum(comb(total, i) for i in range(min(wins, losses) + 1))
            p = min(Fraction(1), 2 * Fraction(tail, 2**total))
            assert table[wins, losses] == float(1 - p)
            if total:
                assert table[wins, losses] == pytest.approx(1 - _binomtest(wins, total), abs=1e-12)


def _binomtest(wins: int, total: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(wins, total).pvalue)
