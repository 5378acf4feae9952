"""The prior that pairs teach each other (SPEC 8), step by step as it is written there."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, gammainc, gammainccinv, gammaincinv, gammaln, logsumexp

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
    """P (pairs, K) of all pairs in the order of `numpy.triu_indices`, from their counts."""
    return learned_from([(row[None], np.zeros(1)) for row in counts], counts, algorithms)


def learned_from(vectors: Any, records: Any, algorithms: int) -> Any:
    """The same where count vectors (M, K) stand behind each pair, with their log weights (M,)."""
    pairs, size = records.shape
    first, second = np.triu_indices(algorithms, 1)
    against = np.zeros((algorithms, algorithms, size))
    against[first, second], against[second, first] = records, records[:, ::-1]
    own = decided(records)
    pool = records[~own].sum(0)
    base = (pool + pool[::-1]) / 2 + 1 / size
    base /= base.sum()
    sizes = np.where(np.arange((size + 1) // 2) < size // 2, 2.0, 1.0)
    evidence = np.zeros((pairs, len(STRENGTHS), 2))
    chance = np.zeros((pairs, len(STRENGTHS), 2, size))
    for p, (counts, log_weight) in enumerate(vectors):
        halves = np.log(2) * folded(counts)[:, : size // 2].sum(1)
        for a, strength in enumerate(STRENGTHS):
            same = log_weight + log_evidence(folded(counts), strength * folded(base)) - halves
            differ = log_weight + log_evidence(counts, strength * base)
            half = p_max(strength * folded(base) + folded(counts), sizes) / sizes
            both = np.zeros_like(counts)
            both[:, : len(sizes)] = half
            both[:, ::-1][:, : len(sizes)] = half
            each = both, p_max(strength * base + counts, np.ones(size))
            for kind, (log, probability) in enumerate(zip((same, differ), each, strict=True)):
                evidence[p, a, kind] = logsumexp(log)
                chance[p, a, kind] = np.exp(log - logsumexp(log)) @ probability
    cells = [(a, q) for a in range(len(STRENGTHS)) for q in SHARES]
    logs = np.array(
        [
            np.logaddexp(np.log(q) + evidence[:, a, 0], np.log1p(-q) + evidence[:, a, 1])
            for a, q in cells
        ]
    )
    out = np.zeros((pairs, size))
    for p in range(pairs):
        i, j = first[p], second[p]
        others = [o for o in range(algorithms) if o not in (i, j)]
        outside = {o for o in others if decided((against[o, [i]] + against[o, [j]]) / 2)[0]}
        lends = [d for d in range(pairs) if not (own[d] and {first[d], second[d]} & outside)]
        weight = np.array(
            [-np.log(q) / 2 + log[lends].sum() for (_, q), log in zip(cells, logs, strict=True)]
        )
        weight = np.exp(weight - logsumexp(weight))
        for (a, q), w, log in zip(cells, weight, logs[:, p], strict=True):
            null = np.exp(np.log(q) + evidence[p, a, 0] - log)
            out[p] += w * (null * chance[p, a, 0] + (1 - null) * chance[p, a, 1])
    return out
