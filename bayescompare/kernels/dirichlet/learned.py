r"""One prior for many pairs, learned from all of them: a base and a distribution of strengths.

Pair p has the prior :math:`\theta_p \sim \mathrm{Dirichlet}(A_p\,\varphi)`. The base
:math:`\varphi` is read off the pooled counts; the strengths :math:`A_p` come from one
distribution g over sixteen values, found by EM on the closed log evidences

.. math:: \log p(n_p \mid A) = \log\frac{\Gamma(A)}{\Gamma(A + N_p)}
          + \sum_s \log\frac{\Gamma(A\varphi_s + n_{ps})}{\Gamma(A\varphi_s)} .

This is empirical Bayes: pairs share algorithms, so their counts are not independent.

References
----------
Robbins (1956) for empirical Bayes; SPEC, section 8, for this prior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma

__all__ = [
    "STRENGTHS",
    "DirichletPairCounts",
    "dirichlet_strength_evidence",
    "dirichlet_strength_weights",
    "learn_weights",
    "learned_base",
]


#: The values that a pair's strength A may take.
STRENGTHS: FloatArray = np.logspace(-1.0, 3.0, 16)

#: EM starts from equal weights and makes exactly this many steps, so that every machine gets the
#: same result.
_STEPS = 300

#: A strength with less posterior weight than this is left out of a pair's answer.
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class DirichletPairCounts:
    """Counts of every pair over the statements that some pair supports, as a sparse table.

    Attributes
    ----------
    pair, cell : arrays (R,)
        Which pair and which statement an entry belongs to; the entries are sorted by pair.
    count : array (R,)
        Weight of the pair's datasets that support the statement, above zero.
    n_pairs : int
        Number of pairs; one without datasets has no entries.
    """

    pair: IntArray
    cell: IntArray
    count: FloatArray
    n_pairs: int

    @property
    def totals(self) -> FloatArray:
        """Number of datasets of each pair."""
        return np.bincount(self.pair, self.count, minlength=self.n_pairs)

    def of_pairs(self, chosen: IntArray) -> DirichletPairCounts:
        """Return the counts of some pairs, given by their numbers in increasing order."""
        number = np.full(self.n_pairs, -1)
        number[chosen] = np.arange(len(chosen))
        pair = number[self.pair]
        keep = pair >= 0
        return DirichletPairCounts(pair[keep], self.cell[keep], self.count[keep], len(chosen))


def learned_base(pooled: FloatArray, log_size: float) -> tuple[FloatArray, float]:
    r"""Log of the base φ: pooled counts, made symmetric, plus one dataset spread evenly.

    .. math:: \varphi_s = \frac{(n_s + n_{\bar s})/2 + 1/K}{N + 1}

    Parameters
    ----------
    pooled : array (S,)
        Counts of the listed statements, summed over pairs; a statement's opposite is as far from
        the end as the statement is from the beginning, as in lexicographic order.
    log_size : float
        Logarithm of the number K of possible statements.

    Returns
    -------
    log_base : array (S,)
    rest : float
        The same for every statement that is not listed.

    Examples
    --------
    >>> log_base, rest = learned_base(np.array([3.0, 1.0]), math.log(2))
    >>> np.exp(log_base).round(12).tolist()
    [0.5, 0.5]
    """
    total = math.log(float(pooled.sum()) + 1.0)
    symmetric = 0.5 * (pooled + pooled[::-1])
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(symmetric), -log_size) - total, -log_size - total


def dirichlet_strength_evidence(counts: DirichletPairCounts, log_base: FloatArray) -> FloatArray:
    """Log evidence of each pair under each of `STRENGTHS`, as an array (pairs, strengths)."""
    log_strength = np.log(STRENGTHS)
    cells, entry = distinct_dirichlet_counts(counts)
    table = log_rising_gamma(log_base[cells.cell, None] + log_strength, cells.count[:, None])
    totals, place = np.unique(counts.totals, return_inverse=True)
    whole = log_rising_gamma(log_strength, totals[:, None])
    columns = [np.bincount(counts.pair, t[entry], minlength=counts.n_pairs) for t in table.T]
    return np.stack(columns, axis=1) - whole[place]


def distinct_dirichlet_counts(counts: DirichletPairCounts) -> tuple[DirichletPairCounts, IntArray]:
    """Return the distinct (statement, count) entries, and which of them each entry is.

    Many pairs have the same count of the same statement, so each is computed once.
    """
    value, place = np.unique(np.round(counts.count, 9), return_inverse=True)
    keys = counts.cell * max(len(value), 1) + place
    rows, first, entry = np.unique(keys, return_index=True, return_inverse=True)
    once = DirichletPairCounts(
        np.arange(len(rows)), counts.cell[first], counts.count[first], len(rows)
    )
    return once, entry.ravel()


def learn_weights(log_evidence: FloatArray) -> FloatArray:
    """Return g, the share of pairs with each strength, by EM on their log evidences.

    Each step adds one pair's worth of equal weights, so that a handful of pairs cannot exclude a
    strength.

    Examples
    --------
    Uninformative evidence leaves the weights equal:

    >>> learn_weights(np.zeros((10, 4))).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    pairs, values = log_evidence.shape
    likelihood = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    weights = np.full(values, 1.0 / values)
    for _ in range(_STEPS):
        each = likelihood * weights
        each /= each.sum(axis=1, keepdims=True)
        weights = (each.sum(axis=0) + 1.0 / values) / (pairs + 1.0)
    return weights


def dirichlet_strength_weights(log_evidence: FloatArray, weights: FloatArray) -> FloatArray:
    """P(strength | the pair's counts), the negligible ones dropped; over the last axis."""
    logs = log_evidence + np.log(weights)
    kept = np.exp(logs - logsumexp(logs, axis=-1, keepdims=True))
    kept[kept < _NEGLIGIBLE] = 0.0
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))
