"""Generalised stochastic dominance from its definition: every pair, every pair of pairs, one LP.

Slow and plain on purpose. Values are integers (thousandths, say), so that no comparison of two
differences depends on rounding.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Rows(NamedTuple):
    """Points, and the rows of the LP over (u, δ): equal @ u = 0, strict @ u >= δ."""

    points: np.ndarray
    equal: csr_array
    strict: csr_array


def points_of(x: np.ndarray, y: np.ndarray, least: np.ndarray, greatest: np.ndarray) -> np.ndarray:
    """Least, greatest, then the other distinct vectors in lexicographic order."""
    ends = [tuple(int(v) for v in end) for end in (least, greatest)]
    seen = sorted({tuple(int(v) for v in row) for row in np.vstack([x, y])} - set(ends))
    return np.array(ends + seen, dtype=np.int64)


def at_least(p: tuple, q: tuple, metric: np.ndarray, rule: str) -> bool:
    """Whether the gain p = (a, b) is at least the gain q = (c, d)."""
    (a, b), (c, d) = p, q
    if not ((a - b) >= (c - d))[metric].all():
        return False
    inside = (a >= c) & (d >= b)
    return bool(rule == "jansen2022" or inside[~metric].all())


def sparse(rows: list[dict[int, float]], width: int) -> csr_array:
    entries = [(i, j, v) for i, row in enumerate(rows) for j, v in row.items() if v]
    if not entries:
        return csr_array((len(rows), width))
    i, j, v = zip(*entries, strict=True)
    return csr_array((v, (i, j)), shape=(len(rows), width))


def gain_row(*terms: tuple[int, float]) -> dict[int, float]:
    row: dict[int, float] = {}
    for point, sign in terms:
        row[point] = row.get(point, 0.0) + sign
    return row


def naive_rows(
    x: np.ndarray,
    y: np.ndarray,
    least: np.ndarray,
    greatest: np.ndarray,
    metric: np.ndarray,
    rule: str,
) -> Rows:
    """Every row of the definition."""
    points = points_of(x, y, least, greatest)
    d = len(points)
    r1 = [(a, b) for a in range(d) for b in range(d) if (points[a] >= points[b]).all()]
    strict = [gain_row((a, 1.0), (b, -1.0)) for a, b in r1 if a != b]
    equal: list[dict[int, float]] = []
    gains = [(points[a], points[b]) for a, b in r1]
    for m, n in itertools.combinations(range(len(r1)) if metric.any() else [], 2):
        up = at_least(gains[m], gains[n], metric, rule)
        down = at_least(gains[n], gains[m], metric, rule)
        if not (up or down):
            continue
        (a, b), (c, e) = (r1[m], r1[n]) if up else (r1[n], r1[m])
        (equal if up and down else strict).append(
            gain_row((a, 1.0), (b, -1.0), (c, -1.0), (e, 1.0))
        )
    return Rows(points, sparse(equal, d), sparse(strict, d))


def full_rows(points: np.ndarray, keys: np.ndarray, r1: np.ndarray) -> Rows:
    """The same rows from keys, by numpy: fast enough to be timed against."""
    d = len(points)
    above = (keys[:, None] >= keys[None]).all(axis=2)
    strict = np.argwhere(above & ~above.T)
    equal = np.argwhere(np.triu(above & above.T, 1))
    return Rows(points, four_points(r1, equal, d), four_points(r1, strict, d))


def reduced_rows(points: np.ndarray, keys: np.ndarray, r1: np.ndarray) -> Rows:
    """Cover pairs of the key poset, one representative for each key, equalities within keys."""
    distinct, first, of_pair = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    of_pair = of_pair.ravel()
    covers = []
    total = distinct.sum(axis=1)
    for c, key in enumerate(distinct):
        below = np.flatnonzero((distinct <= key).all(axis=1))
        below = below[below != c]
        below = below[np.argsort(-total[below], kind="stable")]
        kept = np.empty((0, keys.shape[1]), dtype=keys.dtype)
        for e in below:
            if not (kept >= distinct[e]).all(axis=1).any():
                kept = np.vstack([kept, distinct[e]])
                covers.append((first[c], first[e]))
    equal = [(first[of_pair[m]], m) for m in range(len(keys)) if m != first[of_pair[m]]]
    strict = np.array(covers, dtype=np.int64).reshape(-1, 2)
    same = np.array(equal, dtype=np.int64).reshape(-1, 2)
    return Rows(points, four_points(r1, same, len(points)), four_points(r1, strict, len(points)))


def four_points(r1: np.ndarray, rows: np.ndarray, d: int) -> csr_array:
    """u(a) − u(b) − u(c) + u(e) for pairs of pairs given by their numbers."""
    p, q = r1[rows[:, 0]], r1[rows[:, 1]]
    columns = np.concatenate([p[:, 0], p[:, 1], q[:, 0], q[:, 1]])
    signs = np.repeat([1.0, -1.0, -1.0, 1.0], len(rows))
    where = np.tile(np.arange(len(rows)), 4)
    out = csr_array((signs, (where, columns)), shape=(len(rows), d))
    out.sum_duplicates()
    return out


def solve_rows(rows: Rows, w: np.ndarray, delta: float) -> tuple[float, np.ndarray]:
    """The optimum and a utility that attains it; infinite when there is no utility."""
    d = len(rows.points)
    bounds = [(0.0, 0.0), (1.0, 1.0)] + [(0.0, 1.0)] * (d - 2)
    found = linprog(
        w,
        A_ub=-rows.strict if rows.strict.shape[0] else None,
        b_ub=np.full(rows.strict.shape[0], -delta) if rows.strict.shape[0] else None,
        A_eq=rows.equal if rows.equal.shape[0] else None,
        b_eq=np.zeros(rows.equal.shape[0]) if rows.equal.shape[0] else None,
        bounds=bounds,
        method="highs",
        options=TIGHT,
    )
    if found.status == 2:
        return np.inf, np.full(d, np.nan)
    assert found.status == 0, found.message
    return float(found.fun), found.x


def largest_delta(rows: Rows) -> float:
    """δ_max: the LP with δ as one more variable."""
    d, n = len(rows.points), rows.strict.shape[0]
    strict = csr_array(np.hstack([-rows.strict.toarray(), np.ones((n, 1))]))
    equal = csr_array(np.hstack([rows.equal.toarray(), np.zeros((rows.equal.shape[0], 1))]))
    found = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=strict,
        b_ub=np.zeros(n),
        A_eq=equal if equal.shape[0] else None,
        b_eq=np.zeros(equal.shape[0]) if equal.shape[0] else None,
        bounds=[(0.0, 0.0), (1.0, 1.0)] + [(0.0, 1.0)] * (d - 2) + [(0.0, 1.0)],
        method="highs",
        options=TIGHT,
    )
    assert found.status == 0, found.message
    return -float(found.fun)


def objective(points: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """w with w·u = mean u(x) − mean u(y)."""
    number = {tuple(row): i for i, row in enumerate(points.tolist())}
    w = np.zeros(len(points))
    for row in np.asarray(x).tolist():
        w[number[tuple(row)]] += 1.0 / len(x)
    for row in np.asarray(y).tolist():
        w[number[tuple(row)]] -= 1.0 / len(y)
    return w


def violation(rows: Rows, u: np.ndarray, delta: float) -> float:
    """How far u is from N^δ, at most zero if it is inside."""
    worst = max(abs(float(u[0])), abs(float(u[1]) - 1.0))
    if rows.equal.shape[0]:
        worst = max(worst, float(np.abs(rows.equal @ u).max()))
    return max(worst, float((delta - rows.strict @ u).max()))
