"""Independent witnesses: slow, plain, and sharing no code with the kernels.

Everything here is written from the definitions: mpmath for integrals, Monte Carlo in logarithms,
and products of predictive probabilities for evidences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]

# ---------------------------------------------------------------------------------- gamma and beta


def gamma_cdf(a: mp.mpf, x: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """P(G <= x) and P(G > x) for G ~ Gamma(a); by integrating the density when a is large."""
    a, x = mp.mpf(a), mp.mpf(x)
    if a < mp.mpf("1e-100"):
        # Γ(a, x)/Γ(a) = a E₁(x) + O(a²).
        return 1 - a * mp.e1(x), a * mp.e1(x)
    if a < 1000:
        return (
            mp.gammainc(a, 0, x, regularized=True),
            mp.gammainc(a, x, mp.inf, regularized=True),
        )
    # In z = (x - a)/√a the density is nearly normal whatever a is; what lies 14 σ further out than
    # both z and the peak is below 1e-40 of the whole.
    sd = mp.sqrt(a)
    log_norm = mp.log(sd) - mp.loggamma(a)

    def density(z: mp.mpf) -> mp.mpf:
        y = a + z * sd
        return mp.mpf(0) if y <= 0 else mp.exp((a - 1) * mp.log(y) - y + log_norm)

    z = (x - a) / sd
    low, high = max(-sd, min(z, 0) - 14), max(z, 0) + 14
    inside = [z + 3 * k for k in range(-10, 11)]
    below = [low, *[k for k in inside if low < k < z], z]
    above = [z, *[k for k in inside if z < k < high], high]
    return mp.quad(density, below, maxdegree=4), mp.quad(density, above, maxdegree=4)


def log_gamma_density(a: mp.mpf, x: mp.mpf) -> mp.mpf:
    """Log density of log G at log x, for G ~ Gamma(a)."""
    return mp.mpf(a) * mp.log(x) - x - mp.loggamma(a)


def log_rising(a: mp.mpf, n: mp.mpf) -> mp.mpf:
    """log Γ(a + n)/Γ(a)."""
    return mp.loggamma(mp.mpf(a) + mp.mpf(n)) - mp.loggamma(mp.mpf(a))


# ------------------------------------------------------------------------------------------ P(max)


def _integral(integrand: Callable[[mp.mpf], mp.mpf], low: float, high: float) -> mp.mpf:
    """Integrate over t = log x piece by piece: all the bends are in the last 8 units."""
    start = max(low, high - 8)
    edges = np.linspace(start, high, 9).tolist()
    while start > low:
        start = max(low, high - 2 * (high - start))
        edges.insert(0, start)
    value, error = mp.quad(integrand, edges, maxdegree=5, method="gauss-legendre", error=True)
    assert error < 1e-13, "a witness must not be in doubt"
    return value


def largest(shapes: Sequence[float]) -> list[float]:
    """P(G_i is the largest) for independent G_k ~ Gamma(shapes[k]), one integral each."""
    shapes = [mp.mpf(a) for a in shapes]
    with mp.workdps(20):
        top, total = max(shapes), sum(shapes)
        # The largest of all is below x with probability Π F ~ x^total as x → 0.
        low = float(mp.log(top) - (45 / total + 2 if total < 30 else min(3, 15 / mp.sqrt(top))))
        high = float(mp.log(top + 10 * mp.sqrt(top) + 50))
        # Gauss-Legendre asks for the same points for every i.
        seen: dict[mp.mpf, tuple[mp.mpf, mp.mpf]] = {}

        def integrand(t: mp.mpf, i: int) -> mp.mpf:
            if t not in seen:
                x = mp.exp(t)
                seen[t] = (x, [mp.gammainc(a, 0, x, regularized=True) for a in shapes])
            x, cdfs = seen[t]
            others = mp.mpf(1)
            for j, below in enumerate(cdfs):
                if j != i:
                    others *= below
            return mp.exp(log_gamma_density(shapes[i], x)) * others

        return [
            float(_integral(lambda t, i=i: integrand(t, i), low, high)) for i in range(len(shapes))
        ]


def largest_by_dense_rule(shapes: FloatArray) -> FloatArray:
    """P(G_i is the largest), by 200 panels of 20 Gauss points each: wasteful, so never in doubt."""
    law = stats.gamma(shapes[:, None])
    high = math.log(shapes.max() + 10.0 * math.sqrt(shapes.max()) + 50.0)
    low = math.log(shapes.max()) - 45.0 / shapes.sum() - 2.0
    edges = high - (high - low) * np.linspace(1.0, 0.0, 201) ** 2
    node, weight = np.polynomial.legendre.leggauss(20)
    half = np.diff(edges)[:, None] / 2.0
    t = (edges[:-1, None] + half * (1.0 + node)).ravel()
    density = np.exp(law.logpdf(np.exp(t)) + t)
    cdf = law.cdf(np.exp(t))
    others = [np.prod(np.delete(cdf, i, axis=0), axis=0) for i in range(len(shapes))]
    return (density * others) @ (half * weight).ravel()


def largest_with_countless(counts: Sequence[float], strength: float) -> tuple[list[float], float]:
    """The limit K → ∞ of α = s/K: the unseen cells together are below x with exp(−s E₁(x))."""
    with mp.workdps(20):

        def integrand(t: mp.mpf, i: int) -> mp.mpf:
            x = mp.exp(t)
            value = mp.exp(-strength * mp.e1(x))
            for j, n in enumerate(counts):
                if j == i:
                    value *= mp.exp(log_gamma_density(n, x))
                else:
                    value *= mp.gammainc(n, 0, x, regularized=True)
            return value * (strength * mp.exp(-x) if i == -1 else 1)

        total = strength + sum(counts)
        high = math.log(max(counts) + 10 * math.sqrt(max(counts)) + 50)
        parts = [
            float(_integral(lambda t, i=i: integrand(t, i), -45 / total - 2, high))
            for i in range(-1, len(counts))
        ]
        return parts[1:], parts[0]


def first_of_two(a: float, b: float) -> float:
    """P(G_1 > G_2) = I_½(b, a), by mpmath."""
    with mp.workdps(30):
        return float(mp.betainc(b, a, 0, mp.mpf(1) / 2, regularized=True))


def first_of_two_large(a: float, b: float) -> float:
    """The same for shapes of any size: the Beta density integrated in its own standard scale."""
    with mp.workdps(40):
        a, b = mp.mpf(a), mp.mpf(b)
        mean = a / (a + b)
        sd = mp.sqrt(mean * (1 - mean) / (a + b + 1))
        log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)

        def density(z: mp.mpf) -> mp.mpf:
            x = mean + z * sd
            if not 0 < x < 1:
                return mp.mpf(0)
            return sd * mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - log_beta)

        start = (mp.mpf(1) / 2 - mean) / sd
        edges = [start, *[start + k for k in range(1, 40)], start + 40]
        return float(mp.quad(density, edges, maxdegree=4))


def largest_of_large(shapes: Sequence[float]) -> list[float]:
    """P(G_i is the largest) for large shapes, in the standard scale of the largest.

    Each density is taken from mpmath at Gauss points of 96 panels, and integrated twice by
    integrating its Legendre series exactly: once for the distribution functions, once for P.
    """
    points, panels = 12, np.linspace(-12.0, 12.0, 97)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    series = np.linalg.inv(np.polynomial.legendre.legvander(nodes, points - 1))
    p = np.polynomial.legendre.legvander(nodes, points)
    # ∫ P_k = (P_{k+1} − P_{k−1})/(2k + 1), from −1.
    primitives = [p[:, 0] + p[:, 1]]
    primitives += [(p[:, k + 1] - p[:, k - 1]) / (2 * k + 1) for k in range(1, points)]
    within = np.stack(primitives, axis=1) @ series
    half = (panels[1] - panels[0]) / 2
    z = (panels[:-1, None] + half) + half * nodes
    with mp.workdps(30):
        exact = [mp.mpf(a) for a in shapes]
        top = max(exact)
        sd = mp.sqrt(top)
        x = [[top + mp.mpf(v) * sd for v in row] for row in z.tolist()]
        density = np.array(
            [
                [[float(sd / v * mp.exp(log_gamma_density(a, v))) for v in row] for row in x]
                for a in exact
            ]
        )
    by_panel = half * (density @ weights)
    before = np.cumsum(by_panel, axis=1) - by_panel
    cdf = before[:, :, None] + half * np.einsum("spn,mn->spm", density, within)
    found = []
    for i in range(len(shapes)):
        others = np.prod(np.delete(cdf, i, axis=0), axis=0)
        found.append(float(half * ((density[i] * others) @ weights).sum()))
    return found


def log_dirichlet_draws(shapes: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    """Draw log G_k up to a common constant: G = Gamma(a + 1)·U^(1/a), never leaving logarithms."""
    shapes = np.asarray(shapes, dtype=float)
    gammas = rng.standard_gamma(shapes + 1.0, size=(size, len(shapes)))
    return np.log(gammas) + np.log(rng.random((size, len(shapes)))) / shapes


# -------------------------------------------------------------------------------------- evidences


def urn(alpha: Sequence[Fraction], sequence: Sequence[int]) -> Fraction:
    """Pólya's urn: the probability of seeing these cells one after the other, exactly."""
    balls, probability = list(alpha), Fraction(1)
    for cell in sequence:
        probability *= balls[cell] / sum(balls)
        balls[cell] += 1
    return probability


def log_dirichlet_moment(alpha: Sequence[float], powers: Sequence[float]) -> float:
    """log E Π θ_k^{w_k} under Dirichlet(alpha), by mpmath."""
    with mp.workdps(40):
        found = -log_rising(sum(map(mp.mpf, alpha)), sum(map(mp.mpf, powers)))
        for a, w in zip(alpha, powers, strict=True):
            found += log_rising(a, w)
        return float(found)


def log_mixed_evidence(log_alpha: Sequence[mp.mpf], weights: FloatArray) -> float:
    """The same from log α, for α that no float can hold."""
    with mp.workdps(60):
        alpha = [mp.exp(mp.mpf(v)) for v in log_alpha]
        return log_dirichlet_moment(alpha, [mp.mpf(float(w)) for w in weights])
