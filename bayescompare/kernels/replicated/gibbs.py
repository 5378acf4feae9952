r"""Counts of statements by collapsed Gibbs sampling, where there are too many vectors to enumerate.

θ is integrated out; a dataset's statement given the others is

.. math:: \Pr(z_i = s \mid z_{-i}) \propto \ell_i(s)\,(\alpha_s + c_s^{-i}) .

One dataset at a time, chains move between statements slowly (thousands of sweeps at K = 512). So
each sweep also proposes to exchange all datasets of one statement with all those of another, which
is its own inverse and accepted with probability

.. math:: \min\Bigl(1, \prod_{i: z_i = a} \frac{\ell_i(b)}{\ell_i(a)}
          \prod_{i: z_i = b} \frac{\ell_i(a)}{\ell_i(b)} \;\cdot\;
          \frac{\Gamma(\alpha_a + c_b)\,\Gamma(\alpha_b + c_a)}
               {\Gamma(\alpha_a + c_a)\,\Gamma(\alpha_b + c_b)}\Bigr) .

The version (scale of effects) is a variable too. Given the counts P(max) is exact.

References
----------
Liu (1994), JASA 89, 958–966, for collapsing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["GibbsDraws", "gibbs_counts"]


class GibbsDraws(NamedTuple):
    """Kept states of the chains.

    Attributes
    ----------
    counts : array (chains, draws, K)
    version : array (chains, draws)
    per_dataset : array (chains, n, K)
        Means of P(z_i = s | the other statements), over the kept draws.
    """

    counts: IntArray
    version: IntArray
    per_dataset: FloatArray


def gibbs_counts(
    log_evidence: FloatArray,
    alpha: FloatArray,
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    warmup: int = 200,
    thin: int = 1,
    chains: int = 4,
) -> GibbsDraws:
    """Draw the counts of all statements from their posterior.

    Parameters
    ----------
    log_evidence : array (R, n, K)
        log ℓ in each version; the versions are equally probable before the data.
    alpha : array (K,)
    rng : Generator
    draws, warmup, thin, chains : int
        Kept draws per chain, sweeps before them and for each, and chains. The chains start
        dispersed: each dataset's statement is drawn from its own evidence, made flatter in each
        further chain.

    Examples
    --------
    Two datasets, each three to one for the first statement; 0.808 of them by enumeration:

    >>> logs = np.log([[[0.75, 0.25], [0.75, 0.25]]])
    >>> drawn = gibbs_counts(logs, np.ones(2), np.random.default_rng(1), draws=2000)
    >>> bool(abs(drawn.counts[..., 0].mean() / 2 - 0.807692) < 0.02)
    True
    """
    versions, n, k = log_evidence.shape
    top = log_evidence.max(axis=2, keepdims=True)
    rows = np.ascontiguousarray(log_evidence - top)
    offsets = np.ascontiguousarray(top.sum(axis=(1, 2)))
    counts = np.empty((chains, draws, k), dtype=np.int64)
    version = np.empty((chains, draws), dtype=np.int64)
    per_dataset = np.zeros((chains, n, k))
    for chain in range(chains):
        heat = 0.5**chain
        start = int(rng.integers(versions))
        noise = rng.gumbel(size=(n, k))
        z = (heat * rows[start] + noise).argmax(axis=1).astype(np.int64)
        # A statement that a dataset excludes stays excluded at any heat: −inf loses to all.
        _run(
            rows, offsets, np.asarray(alpha, np.float64), z, start, rng,
            draws, warmup, thin, counts[chain], version[chain], per_dataset[chain],
        )  # fmt: skip
    return GibbsDraws(counts, version, per_dataset)


@jit()
def _run(
    rows: FloatArray,
    offsets: FloatArray,
    alpha: FloatArray,
    z: IntArray,
    start: int,
    rng: np.random.Generator,
    draws: int,
    warmup: int,
    thin: int,
    counts: IntArray,
    version: IntArray,
    per_dataset: FloatArray,
) -> None:
    """Run one chain."""
    n, k = rows.shape[1:]
    r = start
    value = np.exp(rows)
    count = np.zeros(k)
    for i in range(n):
        count[z[i]] += 1.0
    probability = np.empty(k)
    for sweep in range(warmup + draws * thin):
        kept = sweep >= warmup and (sweep - warmup + 1) % thin == 0
        for i in range(n):
            count[z[i]] -= 1.0
            total = 0.0
            for s in range(k):
                probability[s] = value[r, i, s] * (alpha[s] + count[s])
                total += probability[s]
            at, s = rng.random() * total, 0
            below = probability[0]
            while below <= at and s < k - 1:
                s += 1
                below += probability[s]
            z[i] = s
            count[s] += 1.0
            if kept:
                for t in range(k):
                    per_dataset[i, t] += probability[t] / total / draws
        _exchange(rows[r], alpha, z, count, rng)
        r = _new_version(rows, offsets, z, r, rng)
        if kept:
            d = (sweep - warmup) // thin
            version[d] = r
            for s in range(k):
                counts[d, s] = int(count[s])


@jit()
def _exchange(
    rows: FloatArray, alpha: FloatArray, z: IntArray, count: FloatArray, rng: np.random.Generator
) -> None:
    """Propose, for every statement, to exchange its datasets with those of another."""
    k = len(alpha)
    if k < 2:
        return
    for a in range(k):
        b = (a + 1 + int(rng.random() * (k - 1))) % k
        # Nothing to exchange. One of them empty is no reason to pass: the way back starts there.
        if count[a] == 0.0 and count[b] == 0.0:
            continue
        change = (
            math.lgamma(alpha[a] + count[b]) + math.lgamma(alpha[b] + count[a])
            - math.lgamma(alpha[a] + count[a]) - math.lgamma(alpha[b] + count[b])
        )  # fmt: skip
        for i in range(len(z)):
            if z[i] == a:
                change += rows[i, b] - rows[i, a]
            elif z[i] == b:
                change += rows[i, a] - rows[i, b]
        if math.log(rng.random()) < change:
            for i in range(len(z)):
                if z[i] == a:
                    z[i] = b
                elif z[i] == b:
                    z[i] = a
            count[a], count[b] = count[b], count[a]


@jit()
def _new_version(
    rows: FloatArray, offsets: FloatArray, z: IntArray, now: int, rng: np.random.Generator
) -> int:
    """Draw the version given all statements."""
    versions = len(offsets)
    if versions == 1:
        return now
    logs = offsets.copy()
    for r in range(versions):
        for i in range(len(z)):
            logs[r] += rows[r, i, z[i]]
    weight = np.exp(logs - logs.max())
    at = rng.random() * weight.sum()
    r, below = 0, weight[0]
    while below <= at and r < versions - 1:
        r += 1
        below += weight[r]
    return r
