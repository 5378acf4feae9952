"""Witnesses for the tests about a context: sums over every d, plain quadrature, brute counting.

Nothing here shares code with the package's kernels; what is exact is in fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import mpmath as mp
import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy import integrate, special, stats

import bayescompare as bc
from tests.oracles import dirichlet as oracles

FloatArray = NDArray[np.float64]

#: Few datasets, with all there may be: none discordant, balanced, one-sided, and large.
PAIRS = ((0, 0), (3, 3), (0, 5), (7, 2), (1, 12), (20, 41))


# ------------------------------------------------------------------------------------------ tables


def counts_of(
    pairs: Sequence[tuple[int, int]],
    *,
    n: int | None = None,
    both: int | None = None,
    algorithms: Sequence[str] = ("A", "B"),
    datasets: Sequence[str] | None = None,
) -> bc.ErrorCounts:
    """Counts of one pair; `n` and `both` are the same on every dataset."""
    k = np.asarray(pairs)
    frame = pd.DataFrame({"dataset": datasets or [f"d{i}" for i in range(len(k))]})
    frame["h"], frame["g"] = k[:, 0], k[:, 1]
    more: dict[str, str] = {}
    if n is not None:
        frame["n"], more["n"] = n, "n"
    if both is not None:
        frame["both"], more["both_wrong"] = both, "both"
    return bc.ErrorCounts.from_frame(
        frame, first_wrong="h", second_wrong="g", algorithms=list(algorithms), **more
    )


def tournament(
    names: Sequence[str], beats: Callable[[str, str], float], n_datasets: int = 30, size: int = 40
) -> bc.ErrorCounts:
    """Counts of every pair in which one algorithm clearly beats the other on a share of datasets.

    ``beats(a, b)`` is the share of datasets on which a is better; ½ leaves the pair open.
    """
    only = np.zeros((n_datasets, len(names), len(names)))
    for i, j in itertools.combinations(range(len(names)), 2):
        won = np.arange(n_datasets) < round(beats(names[i], names[j]) * n_datasets)
        only[:, i, j], only[:, j, i] = np.where(won, 0, size), np.where(won, size, 0)
    unknown = np.full((n_datasets, len(names)), np.nan)
    return bc.ErrorCounts.from_counts(
        xr.Dataset(
            {
                "wrong_only": (("dataset", "algorithm", "opponent"), only),
                "wrong": (("dataset", "algorithm"), unknown),
                "n": (("dataset",), unknown[:, 0]),
            },
            {
                "dataset": [f"d{i}" for i in range(n_datasets)],
                "algorithm": list(names),
                "opponent": list(names),
            },
        )
    )


def predictions(
    n_datasets: int, n_examples: int, names: Sequence[str], seed: int = 0, classes: int = 3
) -> pd.DataFrame:
    """A long table of true and predicted classes, rows shuffled."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(n_datasets):
        truth = rng.integers(0, classes, n_examples + d)
        for name in names:
            guess = np.where(rng.random(len(truth)) < 0.6, truth, rng.integers(0, classes))
            rows += [
                (f"d{d}", i, name, t, g) for i, (t, g) in enumerate(zip(truth, guess, strict=True))
            ]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "y", "guess"])
    frame["correct"] = (frame["y"] == frame["guess"]).astype(int)
    return frame.sample(frac=1.0, random_state=seed)


def only_wrong(frame: pd.DataFrame, dataset: str, first: str, second: str) -> int:
    """Examples that the first got wrong and the second right, by going through them."""
    found = 0
    rows = frame[frame["dataset"] == dataset]
    for _, example in rows.groupby("example"):
        right = dict(zip(example["algorithm"], example["correct"], strict=True))
        found += right[first] == 0 and right[second] == 1
    return found


# -------------------------------------------------------------------------------- one dataset alone


def better(k_h: int, k_g: int, a: float = 1.0) -> float:
    """P(z < ½ | k), z ~ Beta(a + k_h, a + k_g): exact for a = 1, else by mpmath."""
    if a == 1:
        n = k_h + k_g + 1
        return float(Fraction(sum(math.comb(n, j) for j in range(k_h + 1, n + 1)), 2**n))
    with mp.workdps(40):
        return float(
            mp.betainc(mp.mpf(a) + k_h, mp.mpf(a) + k_g, 0, mp.mpf(1) / 2, regularized=True)
        )


def log_split(k_h: int, k_g: int, a: float = 1.0) -> float:
    """Log probability of the split of the discordant examples, z ~ Beta(a, a)."""
    return float(stats.betabinom.logpmf(k_h, k_h + k_g, a, a))


def better_by_two_integrals(k_h: int, k_g: int, k: int) -> float:
    """Theorem 4.1: P(p_h < p_g) under Dirichlet(1 + k_h, 1 + k_g, 1 + k), in two dimensions."""

    def density(p_h: float, p_g: float) -> float:
        return float(p_h**k_h * p_g**k_g * (1.0 - p_h - p_g) ** k)

    # p_h below both p_g and 1 − p_g.
    low = integrate.dblquad(density, 0.0, 0.5, 0.0, lambda g: g, epsabs=0, epsrel=1e-10)[0]
    low += integrate.dblquad(density, 0.5, 1.0, 0.0, lambda g: 1 - g, epsabs=0, epsrel=1e-10)[0]
    whole = math.exp(
        sum(math.lgamma(1 + v) for v in (k_h, k_g, k)) - math.lgamma(3 + k_h + k_g + k)
    )
    return low / whole


# ----------------------------------------------------------------------------- every d, one by one


def every_d(p: Sequence[float]) -> Iterator[tuple[tuple[int, ...], float]]:
    for d in itertools.product((0, 1), repeat=len(p)):
        yield d, math.prod(q if won else 1.0 - q for q, won in zip(p, d, strict=True))


def above_half(wins: float, losses: float) -> float:
    """P(Beta(wins, losses) > ½)."""
    return float(stats.beta.sf(0.5, wins, losses))


class EveryD:
    """The Poisson-binomial test by enumeration of d, cut or joint."""

    def __init__(self, p: Sequence[float], b: float = 1.0, *, joint: bool) -> None:
        n = len(p)
        listed = list(every_d(p))
        self.d = np.array([d for d, _ in listed])
        self.b, self.n = b, n
        wins = self.d.sum(axis=1)
        weight = np.array([w for _, w in listed])
        if joint:
            weight = weight * np.exp(special.betaln(b + wins, b + n - wins) - special.betaln(b, b))
        #: Log of Σ_d: of the kernel's evidence where joint.
        self.log_total = math.log(weight.sum())
        self.weight = weight / weight.sum()
        self.alpha, self.beta = b + wins, b + n - wins

    @property
    def first(self) -> float:
        return float(self.weight @ stats.beta.sf(0.5, self.alpha, self.beta))

    @property
    def second(self) -> float:
        return float(self.weight @ stats.beta.cdf(0.5, self.alpha, self.beta))

    @property
    def wins(self) -> FloatArray:
        """P(d_i = 1)."""
        return np.asarray(self.weight @ self.d)

    @property
    def mean(self) -> float:
        return float(self.weight @ (self.alpha / (self.alpha + self.beta)))

    @property
    def sd(self) -> float:
        total = self.alpha + self.beta
        second = self.weight @ (self.alpha * (self.alpha + 1) / (total * (total + 1)))
        return math.sqrt(second - self.mean**2)

    def cdf(self, r: float) -> float:
        return float(self.weight @ stats.beta.cdf(r, self.alpha, self.beta))


class RateByMpmath:
    """The full model with any prior of r, in mpmath, piece by piece between the prior's edges."""

    def __init__(
        self, p: Sequence[float], density: Callable[[mp.mpf], mp.mpf], edges: Sequence[float]
    ) -> None:
        self._p, self._density = [mp.mpf(float(x)) for x in p], density
        low, high = min(edges), max(edges)
        self._edges = sorted({*edges, *([0.5] if low < 0.5 < high else [])})

    def _integral(
        self, low: float, high: float, factor: Callable[[mp.mpf], mp.mpf] = lambda r: mp.mpf(1)
    ) -> mp.mpf:
        inside = [low, *(e for e in self._edges if low < e < high), high]

        def value(r: mp.mpf) -> mp.mpf:
            return (
                self._density(r) * factor(r) * mp.fprod(r * p + (1 - r) * (1 - p) for p in self._p)
            )

        with mp.workdps(20):
            return mp.quad(value, inside)

    def figures(self) -> dict[str, float]:
        low, high = self._edges[0], self._edges[-1]
        total = self._integral(low, high)
        mean = self._integral(low, high, lambda r: r) / total
        return {
            "first": float(self._integral(max(0.5, low), high) / total) if high > 0.5 else 0.0,
            "mean": float(mean),
            "sd": float(mp.sqrt(self._integral(low, high, lambda r: r**2) / total - mean**2)),
            "log_evidence": float(mp.log(total)),
        }

    def cdf(self, r: float) -> float:
        low, high = self._edges[0], self._edges[-1]
        return float(self._integral(low, r) / self._integral(low, high))

    def left_out(self, i: int) -> float:
        """Log predictive density of one dataset given the others."""
        low, high = self._edges[0], self._edges[-1]
        p = self._p[i]
        without = self._integral(low, high, lambda r: 1 / (r * p + (1 - r) * (1 - p)))
        return float(mp.log(self._integral(low, high) / without))


# ----------------------------------------------------------------------------------------- pooled


def pooled_likelihood(mu: FloatArray, rho: FloatArray, k_h: int, k_g: int) -> FloatArray:
    """Beta-binomial probability as a product of rational factors, (1 − ρ) cancelled."""
    n = k_h + k_g
    value = np.full(np.broadcast_shapes(mu.shape, rho.shape), float(math.comb(n, k_h)))
    one = 1.0 - rho
    # The factor i = 0 of a rising factorial is μ(1 − ρ); the denominator has one 1 − ρ.
    if k_h:
        value = value * mu
    if k_g:
        value = value * (1.0 - mu)
    if k_h and k_g:
        value = value * one
    for i in range(1, k_h):
        value = value * (mu * one + i * rho)
    for i in range(1, k_g):
        value = value * ((1.0 - mu) * one + i * rho)
    for i in range(1, n):
        value = value / (one + i * rho)
    return value


def _panels(edges: Sequence[float], order: int) -> tuple[FloatArray, FloatArray]:
    x, w = np.polynomial.legendre.leggauss(order)
    low, high = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
    half = (high - low) / 2
    return (low + half + half * x).ravel(), (half * w).ravel()


class Pooled:
    """The pooled model on a fixed Gauss-Legendre grid over (μ, ρ), from its definition."""

    def __init__(
        self,
        pairs: Sequence[tuple[int, int]],
        *,
        mu_pdf: Callable[[FloatArray], FloatArray] | None = None,
        rho_pdf: Callable[[FloatArray], FloatArray] | None = None,
        order: int = 24,
    ) -> None:
        fine = [0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.15, 0.3, 0.5]
        edges = [*fine, *(1.0 - e for e in fine[-2::-1])]
        (mu, w_mu), (rho, w_rho) = _panels(edges, order), _panels(edges, order)
        self.mu, self.rho = mu[:, None], rho[None, :]
        weight = w_mu[:, None] * w_rho[None, :]
        if mu_pdf is not None:
            weight = weight * mu_pdf(self.mu)
        if rho_pdf is not None:
            weight = weight * rho_pdf(self.rho)
        for h, g in pairs:
            weight = weight * pooled_likelihood(self.mu, self.rho, h, g)
        self.log_evidence = math.log(weight.sum())
        self.weight = weight / weight.sum()
        self.pairs = pairs

    def mean(self, values: FloatArray) -> float:
        return float((self.weight * values).sum())

    @property
    def q(self) -> FloatArray:
        phi = (1.0 - self.rho) / self.rho
        return np.asarray(special.betainc(self.mu * phi, (1.0 - self.mu) * phi, 0.5))

    @property
    def first(self) -> float:
        return self.mean((self.mu < 0.5) * np.ones_like(self.rho))

    def better(self, i: int) -> float:
        phi, (h, g) = (1.0 - self.rho) / self.rho, self.pairs[i]
        return self.mean(special.betainc(self.mu * phi + h, (1.0 - self.mu) * phi + g, 0.5))

    def share(self, i: int) -> float:
        phi, (h, g) = (1.0 - self.rho) / self.rho, self.pairs[i]
        return self.mean((self.mu * phi + h) / (phi + h + g))

    def quantile(self, level: float) -> float:
        values, weights = self.q.ravel(), self.weight.ravel()
        order = np.argsort(values)
        return float(np.interp(level, np.cumsum(weights[order]), values[order]))


# ---------------------------------------------------------------------------------- three regions


def most_frequent_region(triples: FloatArray, b: float = 1.0) -> list[float]:
    """P(each region is the most frequent): every outcome, then Dirichlet(b + counts) by mpmath."""
    known: dict[tuple[int, ...], list[float]] = {}
    total = np.zeros(3)
    for regions in itertools.product(range(3), repeat=len(triples)):
        chance = math.prod(triples[i, k] for i, k in enumerate(regions))
        counts = tuple(regions.count(k) for k in range(3))
        # In descending order, since who is who does not matter to the integrals.
        order = np.argsort(counts)[::-1]
        key = tuple(counts[k] for k in order)
        if key not in known:
            known[key] = oracles.largest([b + c for c in key])
        total[order] += chance * np.array(known[key])
    return list(total)


class EveryRegion:
    """Three regions in the joint model, by enumeration of every dataset's region."""

    def __init__(self, triples: FloatArray, b: float = 1.0) -> None:
        n = len(triples)
        weight: dict[tuple[int, ...], float] = {}
        each, total = np.zeros((n, 3)), 0.0
        for regions in itertools.product(range(3), repeat=n):
            counts = tuple(regions.count(k) for k in range(3))
            chance = math.prod(triples[i, k] for i, k in enumerate(regions))
            # Pólya's urn, ball by ball.
            balls = [b, b, b]
            for k in regions:
                chance *= balls[k] / sum(balls)
                balls[k] += 1
            weight[counts] = weight.get(counts, 0.0) + chance
            total += chance
            for i, k in enumerate(regions):
                each[i, k] += chance
        self.b, self.n = b, n
        self.log_total = math.log(total)
        self.each = each / total
        #: Pr(counts of left, rope, right).
        self.counts = {c: w / total for c, w in weight.items()}

    @property
    def probability(self) -> list[float]:
        """P(each region's share is the largest), Dirichlet(b + counts) by mpmath."""
        total, known = np.zeros(3), {}
        for counts, weight in self.counts.items():
            order = np.argsort(counts)[::-1]
            key = tuple(counts[k] for k in order)
            if key not in known:
                known[key] = oracles.largest([self.b + c for c in key])
            total[order] += weight * np.array(known[key])
        return list(total)

    @property
    def mean(self) -> FloatArray:
        counts, weight = np.array(list(self.counts)), np.array(list(self.counts.values()))
        return np.asarray((self.b + weight @ counts) / (3 * self.b + self.n))

    def cdf(self, region: int, share: float) -> float:
        """P(the region's share is below)."""
        return sum(
            w * float(stats.beta.cdf(share, self.b + c[region], 2 * self.b + self.n - c[region]))
            for c, w in self.counts.items()
        )


def regions_by_quadrature(triples: FloatArray, b: float = 1.0) -> tuple[list[float], float]:
    """P(each share is the largest) and the log evidence, by integrals over the triangle."""
    norm = math.exp(math.lgamma(3 * b) - 3 * math.lgamma(b))

    def density(right: float, left: float) -> float:
        theta = np.array([left, 1.0 - left - right, right])
        return float(norm * np.prod(theta ** (b - 1.0)) * np.prod(triples @ theta))

    def where(first: int) -> float:
        # The region in which share `first` leads has four corners: split it at the centre.
        corners = np.eye(3)
        middle = [(corners[first] + corners[k]) / 2 for k in range(3) if k != first]
        centre = np.full(3, 1 / 3)
        return sum(_over_triangle(density, corners[first], m, centre) for m in middle)

    parts = [where(k) for k in range(3)]
    return [part / sum(parts) for part in parts], math.log(sum(parts))


def _over_triangle(density: Callable[[float, float], float], *corners: FloatArray) -> float:
    """Gauss–Legendre in two directions, with one corner blown up to a side."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t, w = (nodes + 1) / 2, weights / 2
    a, b, c = (corner[[0, 2]] for corner in corners)
    area = abs(np.linalg.det(np.stack([b - a, c - a])))
    total = 0.0
    for u, wu in zip(t, w, strict=True):
        for v, wv in zip(t, w, strict=True):
            left, right = a + u * ((b - a) + v * (c - b))
            total += wu * wv * u * area * density(right, left)
    return float(total)


# ------------------------------------------------------------------------------------- replicates


def folds_frame(
    differences: Sequence[Sequence[float]],
    *,
    names: tuple[str, str] = ("A", "B"),
    base: float = 0.5,
) -> pd.DataFrame:
    """Replicates whose differences, first less second, are these; datasets may differ in number."""
    rows = []
    for d, row in enumerate(differences):
        for f, x in enumerate(row):
            rows += [(f"d{d}", names[0], f, base + x), (f"d{d}", names[1], f, base)]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "score"])


def replicated(
    frame: pd.DataFrame, *, direction: str = "max", rope: float | None = None
) -> bc.Results:
    measure = bc.Measure(direction, rope=rope)  # type: ignore[arg-type]
    return bc.Results.from_frame(frame, replicate="fold", measures={"score": measure})


# ------------------------------------------------------------------------------------------ draws


def near(draws: FloatArray, mean: float, sigmas: float = 4.0) -> bool:
    """Whether the mean of independent draws is within so many of its standard errors."""
    error = float(np.std(draws)) / math.sqrt(np.size(draws))
    return abs(float(np.mean(draws)) - mean) <= sigmas * error + 1e-12


def shares_near(draws: NDArray[np.bool_], p: float, sigmas: float = 4.0) -> bool:
    """The same for a share whose true value is p, with the error that p implies."""
    error = math.sqrt(p * (1.0 - p) / np.size(draws))
    return abs(float(np.mean(draws)) - p) <= sigmas * error + 1e-12
