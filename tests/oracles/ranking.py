"""Leaderboards by plain loops, by characteristic functions and by integrals: no code is shared."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import betainc, betaincinv
from scipy.stats import rankdata

FloatArray = NDArray[np.float64]


def loop(
    units: FloatArray, weights: Sequence[Sequence[float]], level: float
) -> dict[str, FloatArray]:
    """Every draw and every pair by itself; scores are larger the better."""
    n, l, m = units.shape
    places, firsts, lasts = (np.zeros((len(weights), m, l)) for _ in range(3))
    best, ahead, front = np.zeros((m, l)), np.zeros((l, l)), np.zeros(l)
    for r, w in enumerate(weights):
        score = [[sum(w[i] * units[i, a, j] for i in range(n)) for a in range(l)] for j in range(m)]
        for j in range(m):
            rounded = [round(s, 10) for s in score[j]]
            places[r, j] = rankdata([-s for s in rounded])
            firsts[r, j] = rankdata([-s for s in rounded], method="min")
            lasts[r, j] = rankdata([-s for s in rounded], method="max")
            first = [a for a in range(l) if rounded[a] == max(rounded)]
            for a in first:
                best[j, a] += 1.0 / len(first)
        for a in range(l):
            beaten = False
            for b in range(l):
                gaps = [places[r, j, b] - places[r, j, a] for j in range(m)]
                ahead[a, b] += all(gap > 0 for gap in gaps)
                beaten |= all(gap <= 0 for gap in gaps) and any(gap < 0 for gap in gaps)
            front[a] += not beaten
    tail = (1.0 - level) / 2.0
    low = np.sort(firsts, axis=0)[math.ceil(tail * len(weights) - 1e-9) - 1]
    high = np.sort(lasts, axis=0)[math.ceil((1.0 - tail) * len(weights) - 1e-9) - 1]
    r = len(weights)
    return {
        "best": best / r, "ahead": ahead / r, "front": front / r, "lower": low, "upper": high
    }  # fmt: skip


def positive(differences: FloatArray, shape: float, importance: FloatArray | None = None) -> float:
    """P(Σ wᵢdᵢ > 0) exactly, by Gil-Pelaez from the characteristic function of Σ gᵢvᵢdᵢ.

    The sign of a weighted mean does not depend on how the gammas g are normalised.
    """
    v = np.ones(len(differences)) if importance is None else importance
    d = differences * v

    def integrand(t: float) -> float:
        log = -shape * np.log(1.0 - 1j * t * d).sum()
        return float(np.exp(log).imag / t)

    total = sum(
        quad(integrand, low, high, limit=500)[0]
        for low, high in ((1e-12, 1.0), (1.0, 30.0), (30.0, 1e3), (1e3, 1e5), (1e5, 1e8))
    )
    return 0.5 + total / math.pi


def best_of_three_patterns(scores: FloatArray, counts: Sequence[int], shape: float) -> FloatArray:
    """P(best) where the datasets show three patterns of scores only, (3, l), by one integral.

    The patterns' total weights are Dirichlet(a·counts). Given the first one's, each algorithm is
    best on an interval of the second one's share of the rest, whose probability is a Beta's.
    """
    alpha = [shape * c for c in counts]
    l = scores.shape[1]

    def given(q: float, who: int) -> float:
        u = betaincinv(alpha[0], alpha[1] + alpha[2], q)
        low, high = 0.0, 1.0
        for other in range(l):
            d = scores[:, who] - scores[:, other]
            # u·d₀ + (1 − u)(v·d₁ + (1 − v)·d₂) > 0, linear in v.
            constant, slope = u * d[0] + (1.0 - u) * d[2], (1.0 - u) * (d[1] - d[2])
            if other == who:
                continue
            if slope == 0.0:
                high = high if constant > 0 else low
            elif slope > 0:
                low = max(low, -constant / slope)
            else:
                high = min(high, -constant / slope)
        if high <= low:
            return 0.0
        return float(np.diff(betainc(alpha[1], alpha[2], [max(low, 0.0), min(high, 1.0)]))[0])

    edges = np.linspace(0.0, 1.0, 201)
    return np.array(
        [
            sum(quad(given, a, b, args=(who,))[0] for a, b in itertools.pairwise(edges))
            for who in range(l)
        ]
    )
