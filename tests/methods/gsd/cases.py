"""Small tables of every scale, and their preference system written out in full.

What is not from the paper is checked against `tests.oracles.gsd`: every row of the definition, one
cold LP each, on small tables of integers.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from tests.oracles import gsd as oracle
from tests.tables import table

M = bc.Measure

#: The paper, Section 6.2: what δ = 0 leaves incomparable.
APART = {
    ("BDS", "RF"),
    ("EN", "LASSO"),
    ("GLM", "RIDGE"),
    ("EN", "GLM"),
    ("GLM", "LASSO"),
    ("LASSO", "RIDGE"),
    ("EN", "RIDGE"),
}

#: Scales, directions and bounds; values are whole numbers from 0 to 4.
KINDS: dict[str, dict[str, bc.Measure]] = {
    "metric": {"a": M("max", bounds=(0, 5)), "b": M("max", bounds=(-1, 4))},
    "min": {"a": M("min", bounds=(0, 5)), "b": M("max", bounds=(0, 5))},
    "ordinal": {
        "a": M("max", bounds=(0, 5), scale="ordinal"),
        "b": M("min", bounds=(0, 5), scale="ordinal"),
    },
    "mixed": {"a": M("max", bounds=(0, 5)), "b": M("min", bounds=(0, 5), scale="ordinal")},
    "half-open": {"a": M("min", bounds=(0, None)), "b": M("max", bounds=(None, 6))},
    "no bounds": {"a": M("max"), "b": M("min")},
    "ordinal, no bounds": {"a": M("max", scale="ordinal"), "b": M("min", scale="ordinal")},
    "mixed, no bounds": {"a": M("min"), "b": M("max", scale="ordinal")},
    "one metric": {"a": M("min", bounds=(0, None))},
}


def ask(results: bc.Results, method: Any = "gsd", **how: Any) -> GsdComparison:
    c = bc.compare(results, method=method, **how)
    assert isinstance(c, GsdComparison)
    return c


def made(kind: str, seed: int, *, datasets: int = 4, algorithms: int = 2) -> bc.Results:
    spec, rng = KINDS[kind], np.random.default_rng(seed)
    while True:
        values = rng.integers(0, 5, (datasets, algorithms, len(spec)))
        # Nothing constant, in no pair: what that does is tested by itself.
        if all(
            np.ptp(values[:, pair], axis=(0, 1)).all()
            for pair in itertools.combinations(range(algorithms), 2)
        ):
            return table(values, measures=dict(spec))


class Naive:
    """Two algorithms' preference system written out, and what can be asked of it."""

    def __init__(self, results: bc.Results, first: str, second: str, rule: str = "interval"):
        spec = [results[name] for name in results.measures]
        sign = np.array([1 if m.direction == "max" else -1 for m in spec])
        cells = results.data.to_array().transpose("dataset", "algorithm", "variable")
        x, y = (
            np.rint(cells.sel(algorithm=name).values * sign).astype(int) for name in (first, second)
        )
        both = np.vstack([x, y])
        low, high = both.min(axis=0), both.max(axis=0)
        for j, m in enumerate(spec):
            for end, bound in zip(
                ("low", "high") if m.direction == "max" else ("high", "low"),
                m.bounds or (None, None),
                strict=True,
            ):
                if bound is not None:
                    (low if end == "low" else high)[j] = round(sign[j] * bound)
        self.x, self.y = x, y
        metric = np.array([m.scale == "metric" for m in spec])
        self.rows = oracle.naive_rows(x, y, low, high, metric, rule)

    def largest(self) -> float:
        return oracle.largest_delta(self.rows)

    def opt(self, x: np.ndarray, y: np.ndarray, delta: float) -> float:
        w = oracle.objective(self.rows.points, x, y)
        return oracle.solve_rows(self.rows, w, delta)[0]

    def both(self, delta: float) -> tuple[float, float]:
        return self.opt(self.x, self.y, delta), self.opt(self.y, self.x, delta)

    def weighted(self, weights: np.ndarray, delta: float) -> tuple[float, float]:
        number = {tuple(row): i for i, row in enumerate(self.rows.points.tolist())}
        w = np.zeros(len(self.rows.points))
        for x, y, p in zip(self.x.tolist(), self.y.tolist(), weights, strict=True):
            w[number[tuple(x)]] += p
            w[number[tuple(y)]] -= p
        return tuple(oracle.solve_rows(self.rows, sign * w, delta)[0] for sign in (1, -1))

    def resampled(self, scheme: str, delta: float) -> np.ndarray:
        """opt of the first over the second, of every resample there is."""
        s, found = len(self.x), []
        if scheme == "paired":
            for swap in itertools.product((False, True), repeat=s):
                kept = np.array(swap)[:, None]
                found.append((np.where(kept, self.y, self.x), np.where(kept, self.x, self.y)))
        else:
            pool = np.vstack([self.x, self.y])
            for chosen in itertools.combinations(range(2 * s), s):
                rest = [k for k in range(2 * s) if k not in chosen]
                found.append((pool[list(chosen)], pool[rest]))
        return np.array([self.opt(x, y, delta) for x, y in found])
