"""Results for tests, from a plain array of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayescompare.table.measure import Measure
from bayescompare.table.results import Results

#: Two algorithms on three datasets: values of two measures, and counts of errors.
FRAME = pd.DataFrame(
    {
        "dataset": ["a", "a", "b", "b", "c", "c"],
        "algorithm": ["A", "B"] * 3,
        "auc": [0.1, 0.2, 0.3, 0.25, 0.5, 0.6],
        "time": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "fw": [1, 2, 3, 4, 5, 6],
        "sw": [2, 1, 3, 4, 6, 5],
    }
)


def table(
    values: object,
    *,
    names: Sequence[str] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    measures: dict[str, str | Measure] | None = None,
    rope: float | None = None,
    datasets: Sequence[str] | None = None,
) -> Results:
    """Results from an array (dataset, algorithm, measure); higher is better unless told."""
    array = np.asarray(values, dtype=float)
    n, l, m = array.shape
    measures = measures or {f"m{j}": Measure("max", rope=rope) for j in range(m)}
    datasets = datasets or [f"d{i}" for i in range(n)]
    columns = {name: array[:, :, j].ravel() for j, name in enumerate(measures)}
    frame = pd.DataFrame(
        {"dataset": np.repeat(datasets, l), "algorithm": list(names[:l]) * n, **columns}
    )
    return Results.from_frame(frame, measures=measures)


def normal_table(
    names: Sequence[str],
    measures: Sequence[str] = ("acc",),
    *,
    datasets: int = 6,
    seed: int = 0,
    rope: float | None = None,
) -> Results:
    """Results that are all noise, for tests of what is said about them."""
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": f"d{k}", "algorithm": name, **{m: float(rng.normal()) for m in measures}}
        for k in range(datasets)
        for name in names
    ]
    spec = {m: Measure("max", rope=rope) for m in measures}
    return Results.from_frame(pd.DataFrame(rows), measures=spec)
