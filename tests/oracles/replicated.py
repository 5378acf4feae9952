"""Uncertain statements by enumeration: every assignment of statements to datasets, one by one."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import dblquad
from scipy.special import ndtr

FloatArray = NDArray[np.float64]


class Enumerated(NamedTuple):
    """Evidence, P(z_i = s | all), and the posterior of count vectors."""

    log_evidence: float
    per_dataset: FloatArray
    counts: dict[tuple[int, ...], float]


def enumerate_statements(ell: FloatArray, alpha: FloatArray) -> Enumerated:
    """Sum over all K^n assignments, by the definition of the Dirichlet-multinomial."""
    n, k = ell.shape
    total = float(alpha.sum())
    per_dataset = np.zeros((n, k))
    counts: dict[tuple[int, ...], float] = {}
    for z in itertools.product(range(k), repeat=n):
        weight = math.prod(float(ell[i, s]) for i, s in enumerate(z))
        if weight == 0.0:
            continue
        c = tuple(z.count(s) for s in range(k))
        log_urn = math.lgamma(total) - math.lgamma(total + n)
        log_urn += sum(math.lgamma(alpha[s] + c[s]) - math.lgamma(alpha[s]) for s in range(k))
        weight *= math.exp(log_urn)
        per_dataset[np.arange(n), list(z)] += weight
        counts[c] = counts.get(c, 0.0) + weight
    evidence = sum(counts.values())
    posterior = {c: w / evidence for c, w in counts.items()}
    return Enumerated(math.log(evidence), per_dataset / evidence, posterior)


def cut_counts(ell: FloatArray) -> dict[tuple[int, ...], float]:
    """Poisson-multinomial of the normalised rows, by enumeration."""
    rows = ell / ell.sum(axis=1, keepdims=True)
    counts: dict[tuple[int, ...], float] = {}
    for z in itertools.product(range(ell.shape[1]), repeat=len(ell)):
        c = tuple(z.count(s) for s in range(ell.shape[1]))
        weight = math.prod(float(rows[i, s]) for i, s in enumerate(z))
        counts[c] = counts.get(c, 0.0) + weight
    return counts


def orthant_of_three(mean: FloatArray, covariance: FloatArray) -> float:
    """P(all three > 0) for a normal, by nested adaptive integrals."""
    sd = np.sqrt(np.diag(covariance))
    r = covariance / np.outer(sd, sd)
    h = mean / sd
    root = math.sqrt(1.0 - r[0, 1] ** 2)
    slope = np.linalg.solve(r[:2, :2], r[:2, 2])
    rest = math.sqrt(1.0 - float(slope @ r[:2, 2]))

    def density(y: float, x: float) -> float:
        z = r[0, 1] * x + root * y
        top = (h[2] + slope[0] * x + slope[1] * z) / rest
        return math.exp(-0.5 * (x * x + y * y)) / (2.0 * math.pi) * float(ndtr(top))

    found = dblquad(density, -h[0], 9.0, lambda x: -(h[1] + r[0, 1] * x) / root, 9.0, epsabs=1e-10)
    return float(found[0])


def item_probability(wins: int, losses: int) -> float:
    """P(first only > second only) under a uniform prior on the three outcomes, by summation.

    Given that an item decides, the first wins it with a Beta(1 + wins, 1 + losses) probability,
    whose tail is a binomial sum.
    """
    n = wins + losses + 1
    return sum(math.comb(n, k) for k in range(wins + 1)) / 2.0**n
