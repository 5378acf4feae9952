"""The prior that pairs teach each other (SPEC 8), step by step as it is written there."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, gammainc, gammainccinv, gammaincinv, gammaln

STRENGTHS = (2.0, 8.0, 32.0)
SHARES = (0.02, *(k / 6 for k in range(1, 6)), 0.995)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


def p_max(a: Any, size: Any) -> Any:
    """P(G_s/size_s is the largest), G_s ~ Gamma(a_s), for rows of a: Gauss-Legendre in log x."""
    if a.shape[1] == 1:
        return np.ones_like(a)
    if a.shape[1] == 2 and size[0] == size[1]:
        p = betainc(a[:, 1], a[:, 0], 0.5)
        return np.stack([p, 1.0 - p], axis=1)
    with np.errstate(divide="ignore"):
        low = np.log(gammaincinv(a, 1e-10) / size).max(1)[:, None]
    high = np.log(gammainccinv(a, 1e-12) / size).max(1)[:, None]
    x = np.exp((low + high) / 2 + (high - low) / 2 * NODES)[:, :, None] * size
    cdf = gammainc(a[:, None], x)
    density = np.exp(a[:, None] * np.log(x) - x - gammaln(a)[:, None])
    each = [(density[:, :, s] * np.delete(cdf, s, 2).prod(2)) @ WEIGHTS for s in range(a.shape[1])]
    out = np.stack(each, axis=1)
    return out / out.sum(1, keepdims=True)


def log_evidence(counts: Any, a: Any) -> Any:
    """The log Dirichlet-multinomial, (M,)."""
    total = gammaln(a.sum()) - gammaln(a.sum() + counts.sum(1))
    return total + (gammaln(a + counts) - gammaln(a)).sum(1)


def folded(values: Any) -> Any:
    """Each statement with its reverse; the one that is its own reverse last and alone."""
    size = values.shape[-1]
    out = values[..., : (size + 1) // 2].copy()
    out[..., : size // 2] += values[..., ::-1][..., : size // 2]
    return out


def decided(records: Any) -> Any:
    """Whether the most frequent statement is surely more frequent than the runner-up."""
    size = records.shape[1]
    last = np.sort(records, 1) + 1 / size
    surely = betainc(last[:, -2], last[:, -1], 0.5) >= 0.95
    return surely & (2 * records.argmax(1) != size - 1)


def learned(counts: Any, algorithms: int) -> Any:
    """P (pairs, K) of all pairs in the order of `numpy.triu_indices`."""
    pairs, size = counts.shape
    first, second = np.triu_indices(algorithms, 1)
    against = np.zeros((algorithms, algorithms, size))
    against[first, second], against[second, first] = counts, counts[:, ::-1]
    own = decided(counts)
    pool = counts[~own].sum(0)
    base = (pool + pool[::-1]) / 2 + 1 / size
    base /= base.sum()
    sizes = np.where(np.arange((size + 1) // 2) < size // 2, 2.0, 1.0)
    logs, null, same, differ = [], [], [], []
    for strength in STRENGTHS:
        halves = np.log(2) * folded(counts)[:, : size // 2].sum(1)
        e0 = log_evidence(folded(counts), strength * folded(base)) - halves
        e1 = log_evidence(counts, strength * base)
        half = p_max(strength * folded(base) + folded(counts), sizes) / sizes
        p = np.zeros_like(counts)
        p[:, : len(sizes)] = half
        p[:, ::-1][:, : len(sizes)] = half
        same.append(p)
        differ.append(p_max(strength * base + counts, np.ones(size)))
        for q in SHARES:
            logs.append(np.logaddexp(np.log(q) + e0, np.log1p(-q) + e1))
            null.append(np.exp(np.log(q) + e0 - logs[-1]))
    out = np.zeros_like(counts)
    for p in range(pairs):
        i, j = first[p], second[p]
        others = [o for o in range(algorithms) if o not in (i, j)]
        outside = {o for o in others if decided((against[o, [i]] + against[o, [j]]) / 2)[0]}
        lends = [d for d in range(pairs) if not (own[d] and {first[d], second[d]} & outside)]
        weight = [
            -np.log(SHARES[h % len(SHARES)]) / 2 + sum(log[d] for d in lends)
            for h, log in enumerate(logs)
        ]
        cells = np.exp(np.array(weight) - max(weight))
        cells /= cells.sum()
        for h, w in enumerate(cells):
            a = h // len(SHARES)
            out[p] += w * (null[h][p] * same[a][p] + (1 - null[h][p]) * differ[a][p])
    return out
