"""Exact P(max) against what it replaces: Monte Carlo, and baycomp's sampled sign test."""

from __future__ import annotations

import math

import mpmath
import numpy as np

import bayescompare as bc
from bayescompare.kernels.dirichlet.pmax import p_max
from benchmarks.timing import Row, median_seconds


def monte_carlo(shape: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """What the paper does: draw θ, count which is largest."""
    gammas = rng.standard_gamma(shape, size=(draws, len(shape)))
    return np.bincount(gammas.argmax(axis=1), minlength=len(shape)) / draws


def mpmath_error(shape: np.ndarray, p: np.ndarray) -> float:
    """Greatest error of P over the distinct cells, against 30-digit quadrature."""
    mpmath.mp.dps = 30
    shapes, first, sizes = np.unique(shape, return_index=True, return_counts=True)
    a = [mpmath.mpf(float(s)) for s in shapes]
    top = float(shapes[-1])
    points = [
        -60.0 / min(top, 1.0),
        *np.linspace(-8.0, math.log(top + 60 + 10 * math.sqrt(top)), 25),
    ]

    def integrand(t, i):
        x = mpmath.e**t
        value = mpmath.e ** (a[i] * t - x - mpmath.loggamma(a[i]))
        for j, size in enumerate(sizes):
            count = int(size) - (j == i)
            if count:
                value *= mpmath.gammainc(a[j], 0, x, regularized=True) ** count
        return value

    errors = [
        abs(float(mpmath.quad(lambda t, i=i: integrand(t, i), points)) - p[first[i]])
        for i in range(len(a))
    ]
    return max(errors)


def against_monte_carlo() -> list[Row]:
    rows, rng = [], np.random.default_rng(0)
    for size, goal in ((64, 50), (216, 200)):
        counts = rng.multinomial(50, rng.dirichlet(np.full(size, 0.2))).astype(float)
        cells, shape = (np.full(size, -math.log(size)), counts[None]), counts + 1 / size
        ours = median_seconds(lambda c=cells: p_max(*c))
        baseline = median_seconds(lambda s=shape: monte_carlo(s, 100_000, rng))
        error = mpmath_error(shape, p_max(*cells)[0, :-1])
        met = baseline / ours >= goal and error <= 1e-10
        what = f"P(max), K = {size}, against 1e5 draws (error {error:.0e} against mpmath)"
        rows.append(Row(what, ours, baseline, f"≥ {goal}× and error ≤ 1e-10", met))
    return rows


def against_baycomp() -> list[Row]:
    from baycomp import SignTest
    from baycomp.multiple import Posterior

    counts = np.array([18.0, 10.0, 22.0])
    y = np.repeat([-1.0, 0.0, 1.0], counts.astype(int))
    x = np.zeros_like(y)
    # baycomp puts 1 on the rope and 1e-4 everywhere, for its own numerical stability.
    cells = np.log([1e-4, 1.0 + 1e-4, 1e-4]), counts[None]

    def sampled() -> tuple[float, ...]:
        return Posterior(SignTest.sample(x, y, 0.1, nsamples=50_000)).probs()

    exact = p_max(*cells)[0, :-1]
    difference = np.abs(exact - np.array(sampled())).max()
    assert difference < 5 * math.sqrt(0.25 / 50_000), "the same three probabilities"
    ours, baseline = median_seconds(lambda: p_max(*cells)), median_seconds(sampled)
    what = f"sign test with rope, N = 50, against baycomp (differs by {difference:.0e}, its MCSE)"
    return [Row(what, ours, baseline, "≥ 50× and exact", baseline / ours >= 50)]


def run() -> list[Row]:
    return [*against_monte_carlo(), *against_baycomp(), events()]


def events() -> Row:
    """Sums over 6.6e13 statements, of which 41,472 are listed, since many tie."""
    c = bc.compare(bc.load_example("jansen-uci"))
    asked = ("best on every measure", ("GBM", "CART"), "undominated")
    slowest = max(median_seconds(lambda e=e: c.events(e)) for e in asked)
    what = "events of 8 algorithms × 3 measures, the slowest of three, against 10 ms"
    return Row(what, slowest, 0.01, "< 10 ms", slowest < 0.01)
