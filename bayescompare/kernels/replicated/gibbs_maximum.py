r"""P(max) to a stated precision by collapsed Gibbs sampling.

After every other sweep P(max) given the counts is added up, on nodes that all count vectors share:

.. math:: P_j(c) = \int f(x; \alpha_j + c_j) \prod_{k \ne j} F(x; \alpha_k + c_k)\, dx ,

so nothing is kept of the draws but means over batches, from whose spread the error follows.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.count_maximum import MaximumRule
from bayescompare.kernels.replicated.gibbs import GibbsStart, draw_gibbs_version, gibbs_sweep

__all__ = ["gibbs_maximum"]


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
    chain_of = GibbsStart.of(log_evidence, alpha)
    n, k = log_evidence.shape[1:]
    counts = _gibbs_maximum_extremes(n, k)
    rule = MaximumRule.settled(np.asarray(alpha, np.float64), np.arange(k), counts, counts[:3])
    each = -(-sweeps // (batches * _THIN))
    means = np.zeros((chains, batches, k))
    for chain in range(chains):
        z, start = chain_of.dispersed(chain, rng)
        _accumulate_gibbs_maximum(
            *chain_of, z, start, rng, warmup, each, rule.base, rule.cdf, rule.density, means[chain]
        )
    return means.reshape(-1, k)


def _gibbs_maximum_extremes(n: int, k: int) -> IntArray:
    """Counts as uneven and as even as they can be, and some between."""
    even = n // k + (np.arange(k) < n % k)
    one = n * (np.arange(k) == 0)
    return np.stack([one, even, (one + even) // 2, one[::-1]])


@jit()
def _accumulate_gibbs_maximum(
    rows: FloatArray,
    offsets: FloatArray,
    alpha: FloatArray,
    log_gamma: FloatArray,
    z: IntArray,
    start: int,
    rng: np.random.Generator,
    warmup: int,
    each: int,
    base: FloatArray,
    cdf: FloatArray,
    density: FloatArray,
    means: FloatArray,
) -> None:
    """Run one chain, and average P(max) over each batch of sweeps."""
    k, nodes = len(alpha), len(base)
    r = start
    value = np.exp(rows)
    across = rows.transpose(0, 2, 1).copy()
    count = np.bincount(z, minlength=k)
    for _ in range(warmup):
        gibbs_sweep(across, value, alpha, log_gamma, z, count, r, rng)
        r = draw_gibbs_version(across, offsets, z, r, rng)
    below = np.empty((k + 1, nodes))
    below[0] = base / each
    for b in range(len(means)):
        sums = np.zeros((k, nodes))
        for _ in range(each):
            for _ in range(_THIN):
                gibbs_sweep(across, value, alpha, log_gamma, z, count, r, rng)
            r = draw_gibbs_version(across, offsets, z, r, rng)
            for s in range(k):
                for x in range(nodes):
                    below[s + 1, x] = below[s, x] * cdf[s, count[s], x]
            above = np.ones(nodes)
            for s in range(k - 1, -1, -1):
                for x in range(nodes):
                    sums[s, x] += below[s, x] * density[s, count[s], x] * above[x]
                    above[x] *= cdf[s, count[s], x]
        for s in range(k):
            means[b, s] = sums[s].sum()
