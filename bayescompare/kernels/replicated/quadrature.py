r"""θ of uncertain datasets on nodes that are exact, where nearly every statement is possible.

Given θ, the u uncertain datasets are a product of linear factors, so that what is asked of all but
one is an integral of a polynomial,

.. math:: \int \prod_{j \ne i} \Big(\sum_s \theta_s \ell_j(s)\Big)\,
          \theta_s\, \mathrm{Dir}(\theta; \alpha)\, \mathrm{d}\theta .

Broken into shares of what is left, θ is a product of Betas, and ⌊u/2⌋ + 1 Gauss–Jacobi nodes for
each share are *exact*. All u integrals use the same nodes: one factor is divided out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.special import logsumexp

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.replicated.recursion import RecursionUrn

__all__ = ["QuadratureOfUrn", "beta_nodes", "quadrature_of_urn"]


#: Nodes of θ up to which they are used.
_MOST_NODES = 2_000_000
#: Nodes that are looked at together, and factors multiplied before a logarithm is taken: each is
#: some 1e-12 of the largest at least, and sixteen of them cannot underflow.
_BLOCK, _FACTORS = 4096, 16
#: Nodes that weigh less than this change no figure.
_LEAST = 1e-20


class QuadratureOfUrn(NamedTuple):
    """What θ of all uncertain datasets says of each.

    Attributes
    ----------
    log_evidence : array (R,)
        Of the uncertain datasets in each version.
    share : array (R, u, t)
        E[θ_s / Σ θ ℓ_i | all datasets], of the statements that some of them shows. Times ℓ_i it is
        P(z_i = s | all); its sum over s is p(all others) / p(all).
    """

    log_evidence: FloatArray
    share: FloatArray


def quadrature_of_urn(urn: RecursionUrn) -> QuadratureOfUrn | None:
    """Look at all datasets on shared nodes; None where these are too many, or codes are fewer.

    Examples
    --------
    Two datasets that lean to the first of two statements, under a uniform θ: E[(½θ + ¼)²].

    >>> from bayescompare.kernels.replicated.rows import EvidenceRows
    >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
    >>> found = quadrature_of_urn(RecursionUrn.of(rows, joint=True))
    >>> round(float(np.exp(found.log_evidence[0])), 6)
    0.270833
    """
    datasets, versions, t = urn.value.shape
    if not urn.is_dense or (datasets // 2 + 1) ** (t - 1) > _MOST_NODES:
        return None
    theta, log_weight = _dirichlet_nodes(urn.prior, datasets // 2 + 1)
    log_evidence, share = np.empty(versions), np.empty((versions, datasets, t))
    for r in range(versions):
        size = urn.value[:, r].max(axis=1)
        factors = (urn.value[:, r] / size[:, None]).T
        blocks = [slice(k, k + _BLOCK) for k in range(0, len(theta), _BLOCK)]
        log_density = np.concatenate([_log_product(theta[k] @ factors) for k in blocks])
        log_density += log_weight
        total = logsumexp(log_density)
        log_evidence[r] = total + np.log(size).sum()
        weight = np.exp(log_density - total)
        heavy = np.flatnonzero(weight > _LEAST)
        some = [heavy[k : k + _BLOCK] for k in range(0, len(heavy), _BLOCK)]
        each = [(1.0 / (theta[k] @ factors)).T @ (weight[k, None] * theta[k]) for k in some]
        share[r] = np.sum(each, axis=0) / size[:, None]
    # Statements that no uncertain dataset shows have their share of θ.
    tracked, every = log_rising_gamma(np.log([urn.prior.sum(), urn.before]), datasets)
    log_evidence += tracked - every
    share *= (urn.before + datasets - 1.0) / (urn.prior.sum() + datasets - 1.0)
    return QuadratureOfUrn(log_evidence, share)


def _dirichlet_nodes(alpha: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Nodes of Dirichlet(α), (N, t), and the logarithms of their weights."""
    rest = alpha[::-1].cumsum()[::-1]
    theta, log_weight = np.ones((1, 1)), np.zeros(1)
    for s in range(len(alpha) - 1):
        share, log_share = beta_nodes(alpha[s], rest[s + 1], number)
        broken = theta[:, None, -1:] * np.stack([share, 1.0 - share], axis=1)
        kept = np.repeat(theta[:, None, :-1], number, axis=1)
        theta = np.concatenate([kept, broken], axis=2).reshape(-1, s + 2)
        log_weight = (log_weight[:, None] + log_share).ravel()
    return theta, log_weight


def _log_product(factors: FloatArray) -> FloatArray:
    """Log of the product of every row."""
    starts = np.arange(0, factors.shape[1], _FACTORS)
    return np.asarray(np.log(np.multiply.reduceat(factors, starts, axis=1)).sum(axis=1))


def beta_nodes(a: float, b: float, number: int) -> tuple[FloatArray, FloatArray]:
    """Return the nodes of Gauss–Jacobi for Beta(a, b), and the logarithms of their weights.

    Weights are one over the sum of squares of the orthonormal polynomials, which keeps the digits
    of small ones.

    Examples
    --------
    >>> node, log_weight = beta_nodes(0.5, 1.5, 8)
    >>> round(float(np.exp(log_weight) @ node**2), 12)  # E x² = a (a + 1) / (a + b) (a + b + 1)
    0.125
    """
    k = np.arange(1.0, number)
    mass = a + b
    centre = np.empty(number)
    centre[0] = a / mass
    even = 2.0 * k + mass
    centre[1:] = 0.5 + 0.5 * (a - b) * (mass - 2.0) / ((even - 2.0) * even)
    first = a * b / (mass**2 * (mass + 1.0))
    j = k[1:]
    double = 2.0 * j + mass - 2.0
    later = j * (j + a - 1.0) * (j + b - 1.0) * (j + mass - 2.0)
    later = later / (double**2 * (double + 1.0) * (double - 1.0))
    step = np.sqrt(np.concatenate([[first], later])[: number - 1])
    node = eigvalsh_tridiagonal(centre, step)
    before, now, squares = np.zeros(number), np.ones(number), np.ones(number)
    log_size = np.zeros(number)
    for n in range(number - 1):
        after = (node - centre[n]) * now - (step[n - 1] * before if n else 0.0)
        before, now = now, after / step[n]
        squares += now * now
        large = squares > 1e200
        shrink = np.where(large, 1e-100, 1.0)
        before, now, squares = before * shrink, now * shrink, squares * shrink**2
        log_size += np.where(large, 200.0 * math.log(10.0), 0.0)
    log_weight = -np.log(squares) - log_size
    return node, log_weight - logsumexp(log_weight)
