"""A table of folds to draw."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bayescompare as bc


def folds(rope: float | None = None) -> bc.Results:
    rng = np.random.default_rng(2)
    rows = [
        (f"d{d}", a, f, 0.8 + 0.02 * (a == "B") + rng.normal(0, 0.02))
        for d in range(5)
        for a in "AB"
        for f in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    measure = bc.Measure("max", rope=rope)
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": measure})
