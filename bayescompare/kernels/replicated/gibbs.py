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

The version (scale of effects) is a variable too. Given the counts P(max) is exact. After every
other sweep it is added up on nodes that all count vectors share, so that nothing is kept of the
draws but means over batches, from whose spread the error follows.

References
----------
Liu (1994), JASA 89, 958–966, for collapsing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.count_maximum import MaximumRule

#: log ℓ of a statement that a dataset excludes.
_NEVER = -1e300


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
    target, (n, k) = _Target.of(log_evidence, alpha), log_evidence.shape[1:]
    found = GibbsDraws(
        np.empty((chains, draws, k), dtype=np.int64),
        np.empty((chains, draws), dtype=np.int64),
        np.zeros((chains, n, k)),
    )
    for chain, kept in enumerate(zip(*found, strict=True)):
        z, version = target.start(chain, rng)
        version = _run(*target, z, version, rng, warmup, 1, *_NOTHING)
        _run(*target, z, version, rng, draws * thin, thin, *kept)
    return found


#: Where states go that are not kept.
_NOTHING = np.empty((0, 0), dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, 0))


class _Target(NamedTuple):
    """What a chain needs: scaled rows (R, K, n), what was taken out, α, and log Γ(α_s + c)."""

    rows: FloatArray
    offsets: FloatArray
    alpha: FloatArray
    log_gamma: FloatArray

    @classmethod
    def of(cls, log_evidence: FloatArray, alpha: FloatArray) -> _Target:
        """Scale the rows, and tabulate."""
        top = log_evidence.max(axis=2, keepdims=True)
        alpha = np.asarray(alpha, np.float64)
        table = gammaln(np.add.outer(alpha, np.arange(log_evidence.shape[1] + 1.0)))
        # Finite, for sums in which it is multiplied by zero; no exponential of it is above zero.
        rows = np.maximum(log_evidence - top, _NEVER).transpose(0, 2, 1)
        offsets = np.ascontiguousarray(top.sum(axis=(1, 2)))
        return cls(np.ascontiguousarray(rows), offsets, alpha, np.asarray(table, np.float64))

    def start(self, chain: int, rng: np.random.Generator) -> tuple[IntArray, int]:
        """Draw the statements and the version from which a chain starts.

        A statement that a dataset excludes stays excluded at any heat.
        """
        version = int(rng.integers(len(self.rows)))
        noise = rng.gumbel(size=self.rows.shape[:0:-1])
        z = (0.5**chain * self.rows[version].T + noise).argmax(axis=1)
        return z.astype(np.int64), version


@jit()
def _run(
    rows: FloatArray,
    offsets: FloatArray,
    alpha: FloatArray,
    log_gamma: FloatArray,
    z: IntArray,
    version: int,
    rng: np.random.Generator,
    sweeps: int,
    thin: int,
    counts: IntArray,
    versions: IntArray,
    per_dataset: FloatArray,
) -> int:
    """Change the statements `z` by so many sweeps, keep some, and return the last version."""
    k = rows.shape[1]
    value = np.exp(rows.transpose(0, 2, 1).copy())
    count = np.bincount(z, minlength=k)
    for sweep in range(sweeps):
        _sweep(rows[version], value[version], alpha, log_gamma, z, count, rng)
        version = _draw_version(rows, offsets, z, version, rng)
        d = sweep // thin
        if d >= len(versions) or (sweep + 1) % thin:
            continue
        versions[d] = version
        counts[d] = count
        for i in range(len(per_dataset)):
            count[z[i]] -= 1
            total = 0.0
            for s in range(k):
                total += value[version, i, s] * (alpha[s] + count[s])
            for s in range(k):
                share = value[version, i, s] * (alpha[s] + count[s]) / total
                per_dataset[i, s] += share / len(versions)
            count[z[i]] += 1
    return version


@jit()
def _sweep(
    rows: FloatArray,
    value: FloatArray,
    alpha: FloatArray,
    log_gamma: FloatArray,
    z: IntArray,
    count: IntArray,
    rng: np.random.Generator,
) -> None:
    """Draw every statement anew, and propose exchanges."""
    k, n = rows.shape
    below = np.empty(k)
    balls = alpha + count
    for i in range(n):
        balls[z[i]] -= 1.0
        total = 0.0
        for s in range(k):
            total += value[i, s] * balls[s]
            below[s] = total
        at, s = rng.random() * total, 0
        for j in range(k - 1):
            s += below[j] <= at
        z[i] = s
        balls[s] += 1.0
    count[:] = 0
    for i in range(n):
        count[z[i]] += 1
    _exchange(rows, log_gamma, z, count, rng)


@jit()
def _exchange(
    rows: FloatArray,
    log_gamma: FloatArray,
    z: IntArray,
    count: IntArray,
    rng: np.random.Generator,
) -> None:
    """Propose, for every statement, to exchange its datasets with those of another."""
    k = len(count)
    if k < 2:
        return
    for a in range(k):
        b = (a + 1 + int(rng.random() * (k - 1))) % k
        # Nothing to exchange. One of them empty is no reason to pass: the way back starts there.
        if count[a] == 0 and count[b] == 0:
            continue
        change = (
            log_gamma[a, count[b]] + log_gamma[b, count[a]]
            - log_gamma[a, count[a]] - log_gamma[b, count[b]]
        )  # fmt: skip
        for i in range(len(z)):
            sign = 1.0 * (z[i] == a) - 1.0 * (z[i] == b)
            change += sign * (rows[b, i] - rows[a, i])
        if change >= 0.0 or rng.random() < math.exp(change):
            for i in range(len(z)):
                if z[i] == a:
                    z[i] = b
                elif z[i] == b:
                    z[i] = a
            count[a], count[b] = count[b], count[a]


@jit()
def _draw_version(
    rows: FloatArray, offsets: FloatArray, z: IntArray, now: int, rng: np.random.Generator
) -> int:
    """Draw the version given all statements."""
    versions = len(offsets)
    if versions == 1:
        return now
    logs = offsets.copy()
    for r in range(versions):
        for i in range(len(z)):
            logs[r] += rows[r, z[i], i]
    weight = np.exp(logs - logs.max())
    at = rng.random() * weight.sum()
    r, below = 0, weight[0]
    while below <= at and r < versions - 1:
        r += 1
        below += weight[r]
    return r


#: Sweeps between two count vectors whose P(max) is added.
_THIN = 2


def gibbs_maximum(
    log_evidence: FloatArray,
    alpha: FloatArray,
    rng: np.random.Generator,
    *,
    sweeps: int,
    warmup: int = 200,
    chains: int = 4,
    batches: int = 20,
) -> FloatArray:
    """Return means of P(max) over batches of sweeps, (chains × batches, K).

    Parameters
    ----------
    log_evidence : array (R, n, K)
        log ℓ in each version; the versions are equally probable before the data.
    alpha : array (K,)
    rng : Generator
    sweeps, warmup, chains, batches : int
        Sweeps of each chain, those before them, chains, and batches of each.

    Examples
    --------
    Two datasets, each three to one for the first statement, uniform θ; 0.730769 by enumeration:

    >>> logs = np.log([[[0.75, 0.25], [0.75, 0.25]]])
    >>> means = gibbs_maximum(logs, np.ones(2), np.random.default_rng(1), sweeps=4000)
    >>> bool(abs(means[:, 0].mean() - 0.730769) < 0.01)
    True
    """
    target, (n, k) = _Target.of(log_evidence, alpha), log_evidence.shape[1:]
    # Counts as uneven and as even as they can be, and some between.
    even, one = n // k + (np.arange(k) < n % k), n * (np.arange(k) == 0)
    extreme = np.stack([one, even, (one + even) // 2, one[::-1]])
    rule = MaximumRule.settled(np.asarray(alpha, np.float64), np.arange(k), extreme, extreme[:3])
    each = -(-sweeps // (batches * _THIN))
    counts, versions = np.empty((each, k), dtype=np.int64), np.empty(each, dtype=np.int64)
    means = np.empty((chains, batches, k))
    for chain in range(chains):
        z, version = target.start(chain, rng)
        version = _run(*target, z, version, rng, warmup, 1, *_NOTHING)
        for batch in range(batches):
            kept = counts, versions, np.empty((0, k))
            version = _run(*target, z, version, rng, each * _THIN, _THIN, *kept)
            means[chain, batch] = _mean_maximum(counts, rule.base, rule.cdf, rule.density)
    return means.reshape(-1, k)


@jit()
def _mean_maximum(
    counts: IntArray, base: FloatArray, cdf: FloatArray, density: FloatArray
) -> FloatArray:
    """P(max) of every statement, averaged over count vectors in any order."""
    k, nodes = counts.shape[1], len(base)
    below, sums = np.empty((k + 1, nodes)), np.zeros((k, nodes))
    below[0] = base / len(counts)
    for count in counts:
        for s in range(k):
            for x in range(nodes):
                below[s + 1, x] = below[s, x] * cdf[s, count[s], x]
        above = np.ones(nodes)
        for s in range(k - 1, -1, -1):
            for x in range(nodes):
                sums[s, x] += below[s, x] * density[s, count[s], x] * above[x]
                above[x] *= cdf[s, count[s], x]
    return sums.sum(axis=1)
