"""The tasks by autorank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "autorank"


def all_pairs(case: dict[str, Any]) -> Callable[[], Any]:
    """Every pair of a table by the Bayesian signed-rank test."""
    import pandas as pd
    from autorank import autorank

    table = np.array(case["table"])
    frame = pd.DataFrame(table, columns=[f"a{i}" for i in range(table.shape[1])])

    def call() -> list[float]:
        autorank(frame, approach="bayesian", nsamples=50_000)
        return []

    return call
