"""Tables of folds, and how the tests of the correlated t-test ask it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import bayescompare as bc
from bayescompare.methods import CorrelatedT
from tests.oracles.context import replicated


def scores(n: int = 5, k: int = 10, gain: float = 0.01, seed: int = 0) -> np.ndarray:
    """Scores (dataset, algorithm, replicate) of two algorithms, the first a little better."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0.7, 0.1, (n, 1, 1)) + rng.normal(0, 0.02, (n, 1, k))
    own = rng.normal(0, 0.03, (n, 2, k))
    own[:, 0] += gain + rng.normal(0, 0.01, (n, 1))
    return np.asarray(shared + own)


def frame_of(values: np.ndarray, names: str = "ABCDEF") -> pd.DataFrame:
    n, l, k = values.shape
    rows = [
        (f"d{i}", names[j], f, values[i, j, f])
        for i in range(n)
        for j in range(l)
        for f in range(k)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "score"])


def ask(frame: Any, *, rope: float | None = None, direction: str = "max", **choices: Any) -> Any:
    frame = frame if isinstance(frame, pd.DataFrame) else frame_of(frame)
    results = replicated(frame, direction=direction, rope=rope)
    return bc.compare(results, method=CorrelatedT(**choices), rng=0)


def triples_of(c: Any) -> np.ndarray:
    """P(first better), P(equivalent), P(second better) of every dataset."""
    return c.per_dataset[["probability", "equivalent", "second_better"]].to_numpy()
