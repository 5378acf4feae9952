"""The tasks by scipy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "scipy"
Call = Callable[[], Any]


def fold_t(case: dict[str, Any]) -> Call:
    """P(left), P(rope), P(right) from the distribution function of Student's t."""
    from scipy import stats

    x, y, rope, n = np.array(case["x"]), np.array(case["y"]), case["rope"], len(case["x"])

    def call() -> Any:
        difference = y - x
        scale = np.sqrt(difference.var(ddof=1) * (1 / n + 1 / (n - 1)))
        posterior = stats.t(n - 1, difference.mean(), scale)
        low, high = posterior.cdf(-rope), posterior.cdf(rope)
        return [low, high - low, 1.0 - high]

    return call


def rank_sum_p(case: dict[str, Any]) -> Call:
    """Wilcoxon's test, exact."""
    from scipy import stats

    difference = np.array(case["x"])
    return lambda: [stats.wilcoxon(difference, method="exact").pvalue]


def win_counts(case: dict[str, Any]) -> Call:
    """The Poisson-binomial masses of all counts."""
    from scipy import stats

    p = np.array(case["p"])
    return lambda: stats.poisson_binom.pmf(np.arange(len(p) + 1), p)
