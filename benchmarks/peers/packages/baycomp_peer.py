"""The tasks by baycomp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "baycomp"
Call = Callable[[], Any]


def sign_rope(case: dict[str, Any]) -> Call:
    """The Bayesian sign test, 50,000 draws."""
    from baycomp import SignTest

    x, y = np.array(case["x"]), np.array(case["y"])
    return lambda: SignTest.probs(x, y, case["rope"])


def fold_t(case: dict[str, Any]) -> Call:
    """The Bayesian correlated t-test of one cross-validation."""
    from baycomp import CorrelatedTTest

    x, y = np.array(case["x"]), np.array(case["y"])
    return lambda: CorrelatedTTest.probs(x, y, case["rope"])


def signed_ranks(case: dict[str, Any]) -> Call:
    """The Bayesian signed-rank test, 50,000 draws."""
    from baycomp import SignedRankTest

    x, y = np.array(case["x"]), np.array(case["y"])
    return lambda: SignedRankTest.probs(x, y)
