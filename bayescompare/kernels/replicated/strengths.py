r"""Log evidence of replicated datasets under priors of several strengths.

Under :math:`\theta \sim \mathrm{Dirichlet}(A\varphi)` the counts c of the statements weigh

.. math:: V(c; A) = W(c) \prod_s \frac{\Gamma(A\varphi_s + c_s)}{\Gamma(A\varphi_s)}
          \Big/ \frac{\Gamma(A + n)}{\Gamma(A)}

and W does not depend on A. So one recursion, under the weakest prior, serves every strength.

References
----------
Robbins (1956) for empirical Bayes; SPEC, sections 8 and 9, for this prior.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.learned import STRENGTHS
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.replicated.recursion import recursion_for_counts
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["replicated_evidence"]


def replicated_evidence(logs: FloatArray, base: FloatArray) -> FloatArray | None:
    """Log evidence under each of `STRENGTHS`; None where there are too many count vectors.

    Parameters
    ----------
    logs : array (R, n, K)
        log ℓ in each version, all equally probable before.
    base : array (K,)
        φ, which each strength multiplies; sums to one.

    Examples
    --------
    One dataset that leans to the first of two statements says nothing about the strength:

    >>> replicated_evidence(np.log([[[0.75, 0.25]]]), np.array([0.5, 0.5])).round(9)[[0, -1]]
    array([-0.69314718, -0.69314718])
    """
    # The weakest prior drops the fewest statements, so what it drops matters under none.
    rows = EvidenceRows.from_logs(logs, STRENGTHS[0] * base)
    counts = recursion_for_counts(rows)
    if counts is None:
        return None
    with np.errstate(divide="ignore"):
        joint = np.log(counts.weight) + counts.log_evidence
    each = logsumexp(joint, axis=1) - math.log(joint.shape[1])
    weakest = _replicated_strength_log_urn(rows, counts.digits, STRENGTHS[0] * base)
    return np.array(
        [
            logsumexp(each + _replicated_strength_log_urn(rows, counts.digits, a * base) - weakest)
            for a in STRENGTHS
        ]
    )


def _replicated_strength_log_urn(
    rows: EvidenceRows, digits: Callable[[int], IntArray], alpha: FloatArray
) -> FloatArray:
    """Log probability of the statements behind each count vector, in one order, under α."""
    fixed, tracked = rows.fixed, rows.tracked
    total = log_rising_gamma(np.log(alpha.sum()), np.float64(rows.value.shape[1]))
    known = np.delete(np.arange(len(alpha)), tracked)
    out = log_rising_gamma(np.log(alpha[known]), fixed[known]).sum() - total
    for k, s in enumerate(tracked.tolist()):
        count = digits(k)
        table = log_rising_gamma(np.log(alpha[s]), fixed[s] + np.arange(float(count.max()) + 1.0))
        out = out + table[count]
    return np.asarray(out)
