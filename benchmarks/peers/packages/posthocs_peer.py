"""The tasks by scikit-posthocs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "scikit-posthocs"


def nemenyi_pairs(case: dict[str, Any]) -> Callable[[], Any]:
    """P-values of all pairs after Friedman's test."""
    import scikit_posthocs

    table = np.array(case["table"])
    upper = np.triu_indices(table.shape[1], 1)
    return lambda: scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()[upper]
