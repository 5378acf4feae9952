"""Tables of items that the tests of this folder share."""

from __future__ import annotations

import numpy as np
import pandas as pd

MEASURES = {"correct": "max", "cost": "min", "latency": "min"}


def make_items(
    *, datasets: int = 4, items: int = 40, algorithms: str = "AB", seed: int = 0
) -> pd.DataFrame:
    """One row per item, right or wrong, with cost and latency; passages of five items."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            f"d{d}", name, f"q{q}", f"{d}/{q // 5}", float(rng.random() < 0.4 + 0.2 * a),
            rng.gamma(2.0), rng.normal(5.0, 1.0),
        )
        for d in range(datasets)
        for q in range(items + 10 * d)
        for a, name in enumerate(algorithms)
    ]  # fmt: skip
    columns = ["dataset", "algorithm", "item", "passage", *MEASURES]
    return pd.DataFrame(rows, columns=columns)
