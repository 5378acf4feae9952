"""The tasks by plain numpy and scipy, as one would write them first."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "numpy"
Call = Callable[[], Any]


def sign_rope(case: dict[str, Any]) -> Call:
    """Draw the three shares, and count which is largest."""
    x, y, rope = np.array(case["x"]), np.array(case["y"]), case["rope"]

    def call() -> Any:
        difference, rng = y - x, np.random.default_rng(0)
        left, right = (difference < -rope).sum(), (difference > rope).sum()
        shape = np.array([left, len(x) - left - right + 1.0, right]) + 1e-4
        largest = rng.dirichlet(shape, 50_000).argmax(axis=1)
        return np.bincount(largest, minlength=3) / len(largest)

    return call


def largest_share(case: dict[str, Any]) -> Call:
    """What the paper does: 100,000 draws."""
    counts = np.array(case["counts"], dtype=float)
    shape = counts + 1.0 / len(counts)

    def call() -> Any:
        rng = np.random.default_rng(0)
        largest = rng.standard_gamma(shape, size=(100_000, len(shape))).argmax(axis=1)
        return np.bincount(largest, minlength=len(shape)) / len(largest)

    return call


def win_counts(case: dict[str, Any]) -> Call:
    """The recursion over datasets in plain Python."""
    p = case["p"]

    def call() -> list[float]:
        masses = [1.0]
        for chance in p:
            won = [chance * mass for mass in masses]
            lost = [(1.0 - chance) * mass for mass in masses]
            masses = [a + b for a, b in zip([*lost, 0.0], [0.0, *won], strict=True)]
        return masses

    return call


def swap_dominance(case: dict[str, Any]) -> Call:
    """Every row of the definition in one linear programme for each swap of labels."""
    from scipy.optimize import linprog

    x, y = np.array(case["x"]), np.array(case["y"])

    def call() -> list[float]:
        points, inverse = np.unique(
            np.vstack([np.zeros(x.shape[1]), np.ones(x.shape[1]), x, y]),
            axis=0,
            return_inverse=True,
        )
        place = inverse.ravel()
        rows = _dominance_rows(points)
        bounds = [(0.0, 1.0)] * len(points)
        bounds[place[0]], bounds[place[1]] = (0.0, 0.0), (1.0, 1.0)
        first, second = np.split(place[2:], 2)
        optima = []
        for signs in itertools.product((1.0, -1.0), repeat=len(x)):
            w = np.zeros(len(points))
            np.add.at(w, first, np.array(signs) / len(x))
            np.add.at(w, second, -np.array(signs) / len(x))
            optima.append(linprog(w, A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds).fun)
        values = np.array(optima)
        # All labels swapped is the last; it is the other direction's observed statistic.
        return [float((values >= values[end] - 1e-9).mean()) for end in (0, -1)]

    return call


def _dominance_rows(points: Any) -> Any:
    """u(a) ≥ u(b), and u(a) − u(b) ≥ u(c) − u(d), wherever the definition says so."""
    d = len(points)
    unit = np.eye(d)
    pairs = [(a, b) for a in range(d) for b in range(d) if (points[a] >= points[b]).all()]
    gains = [(unit[a] - unit[b], points[a] - points[b]) for a, b in pairs]
    rows = [row for row, _ in gains]
    rows += [
        row - other
        for (row, gain), (other, less) in itertools.product(gains, repeat=2)
        if (gain >= less - 1e-12).all()
    ]
    return np.array(rows)
