"""Exact values of the tasks, by arithmetic that shares nothing with the kernels.

Integers and fractions where they suffice, else mpmath with 20 digits. mpmath is not a requirement
of the package: where it is missing, there is no error to report.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import gammaln

__all__ = [
    "best_graph",
    "fold_t",
    "graph_score",
    "largest_share",
    "nemenyi_pairs",
    "rank_sum_p",
    "sign_rope",
    "swap_dominance",
    "win_counts",
]

_DIGITS = 20


def sign_rope(case: dict[str, Any]) -> list[float]:
    """P(each of three regions is the most probable one), by quadrature."""
    difference = np.array(case["y"]) - np.array(case["x"])
    left, right = (difference < -case["rope"]).sum(), (difference > case["rope"]).sum()
    middle = len(difference) - left - right
    return _largest_of([left + 1e-4, middle + 1.0 + 1e-4, right + 1e-4])


def largest_share(case: dict[str, Any]) -> list[float]:
    """P(each cell has the largest probability) under a Dirichlet, by quadrature."""
    counts = case["counts"]
    return _largest_of([count + 1.0 / len(counts) for count in counts])


def _largest_of(shapes: Sequence[float]) -> list[float]:
    """P(gamma variable i is the largest); the distribution functions are shared by all i."""
    import mpmath

    distinct = sorted(set(shapes))
    sizes = [sum(shape == other for other in shapes) for shape in distinct]
    top = distinct[-1]
    start, stop = -60.0 / min(top, 1.0), math.log(top + 60 + 10 * top**0.5)
    edges = np.array([start, -30.0, -16.0, -8.0, *np.linspace(-6.0, stop, 25)])
    points, weights = np.polynomial.legendre.leggauss(48)
    found = [mpmath.mpf(0)] * len(distinct)
    with mpmath.workdps(_DIGITS):
        for low, high in itertools.pairwise(edges):
            for point, weight in zip(points, weights, strict=True):
                t = (low + high + point * (high - low)) / 2
                x = mpmath.exp(t)
                below = [mpmath.gammainc(shape, 0, x, regularized=True) for shape in distinct]
                for i, own in enumerate(distinct):
                    value = mpmath.exp(own * t - x - mpmath.loggamma(own))
                    for other, size in enumerate(sizes):
                        value *= below[other] ** (size - (other == i))
                    found[i] += value * (weight * (high - low) / 2)
    by_shape = {shape: float(value) for shape, value in zip(distinct, found, strict=True)}
    return [by_shape[shape] for shape in shapes]


def fold_t(case: dict[str, Any]) -> list[float]:
    """P(left), P(rope), P(right) of Student's t, from sums and an incomplete beta function."""
    import mpmath

    with mpmath.workdps(_DIGITS):
        d = [mpmath.mpf(b) - mpmath.mpf(a) for a, b in zip(case["x"], case["y"], strict=True)]
        n = len(d)
        mean = mpmath.fsum(d) / n
        variance = mpmath.fsum((v - mean) ** 2 for v in d) / (n - 1)
        scale = mpmath.sqrt(variance * (mpmath.mpf(1) / n + mpmath.mpf(1) / (n - 1)))

        def below(bound: Any) -> Any:
            t = (bound - mean) / scale
            dof = mpmath.mpf(n - 1)
            tail = mpmath.betainc(dof / 2, 0.5, 0, dof / (dof + t * t), regularized=True) / 2
            return tail if t < 0 else 1 - tail

        rope = mpmath.mpf(case["rope"])
        left, up_to = below(-rope), below(rope)
        return [float(left), float(up_to - left), float(1 - up_to)]


def rank_sum_p(case: dict[str, Any]) -> list[float]:
    """Wilcoxon's p-value from the number of subsets of 1 … n with each sum."""
    difference = case["x"]
    n = len(difference)
    ordered = sorted(range(n), key=lambda i: abs(difference[i]))
    plus = sum(rank for rank, i in enumerate(ordered, 1) if difference[i] > 0)
    low = min(plus, n * (n + 1) // 2 - plus)
    ways = [1] + [0] * low
    for rank in range(1, n + 1):
        for total in range(low, rank - 1, -1):
            ways[total] += ways[total - rank]
    return [min(2.0 * (sum(ways) / 2**n), 1.0)]


def nemenyi_pairs(case: dict[str, Any]) -> list[float]:
    """P-values of all pairs: the tail of the range of l normal variables, by quadrature."""
    import mpmath

    table = np.array(case["table"])
    n, l = table.shape
    ranks = (table[:, :, None] >= table[:, None, :]).sum(axis=2)  # the tables have no ties
    mean = ranks.mean(axis=0)
    error = math.sqrt(l * (l + 1) / (6 * n))
    tails: dict[float, float] = {}
    pairs = [
        round(abs(mean[i] - mean[j]) / error * math.sqrt(2), 12)
        for i, j in itertools.combinations(range(l), 2)
    ]
    with mpmath.workdps(_DIGITS):
        for q in set(pairs):

            def density(z: Any, q: float = q) -> Any:
                return mpmath.npdf(z) * (mpmath.ncdf(z) - mpmath.ncdf(z - q)) ** (l - 1)

            tails[q] = float(1 - l * mpmath.quad(density, [-12, -4, 0, 4, 8, 12 + q]))
    return [tails[q] for q in pairs]


def win_counts(case: dict[str, Any]) -> list[float]:
    """The masses in integer arithmetic: a chance is a whole number of 2⁻⁶⁰."""
    unit = 1 << 60
    masses = [1]
    for chance in case["p"]:
        won = int(math.ldexp(chance, 60))
        masses = [
            a * (unit - won) + b * won for a, b in zip([*masses, 0], [0, *masses], strict=True)
        ]
    whole = unit ** len(case["p"])
    return [mass / whole for mass in masses]


def swap_dominance(case: dict[str, Any]) -> list[float]:
    """P-values from one linear programme, with every row written out, for each swap."""
    from benchmarks.peers.packages import naive

    return [float(value) for value in naive.swap_dominance(case)()]


def best_graph(case: dict[str, Any]) -> float | None:
    """The highest score of any network, by trying all; None where there are too many."""
    m = len(case["wins"][0])
    if m > 4:
        return None
    pairs = [(a, b) for a in range(m) for b in range(m) if a != b]
    best = -math.inf
    for present in itertools.product((0, 1), repeat=len(pairs)):
        graph = np.zeros((m, m))
        for pair, there in zip(pairs, present, strict=True):
            graph[pair] = there
        within = graph.sum(axis=0).max() <= case["parents"]
        if within and _is_acyclic(graph):
            best = max(best, graph_score(case, graph))
    return best


def _is_acyclic(graph: Any) -> bool:
    return not np.trace(sum(np.linalg.matrix_power(graph, k) for k in range(1, len(graph) + 1)))


def graph_score(case: dict[str, Any], graph: Any) -> float:
    """The log evidence of a network of binary measures under BDeu, equivalent sample size 1."""
    wins = np.array(case["wins"], dtype=np.int64)
    total = 0.0
    for child in range(wins.shape[1]):
        parents = np.flatnonzero(graph[:, child])
        configurations = 2 ** len(parents)
        code = wins[:, parents] @ (2 ** np.arange(len(parents)))
        counts = np.zeros((configurations, 2))
        np.add.at(counts, (code, wins[:, child]), 1.0)
        cell, row = 1.0 / (2 * configurations), 1.0 / configurations
        total += float(
            (gammaln(row) - gammaln(row + counts.sum(axis=1))).sum()
            + (gammaln(cell + counts) - gammaln(cell)).sum()
        )
    return total
