r"""The multinomial-Dirichlet model: evidence, leave-one-out, questions about θ and safe draws.

A dataset with weights :math:`w_{ik}` (one, or shares of one where it is tied) contributes
:math:`\prod_k \theta_k^{w_{ik}}` with no multinomial coefficient, and
:math:`\theta \sim \mathrm{Dirichlet}(\alpha)`.

References
----------
de Campos & Benavoli (2016), Section 4. Walley (1996) for the imprecise Dirichlet model.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.numerics.gammas import TINY, log_rising_gamma

__all__ = [
    "dirichlet_leave_one_out",
    "dirichlet_log_evidence",
    "dirichlet_log_theta",
    "dirichlet_majority",
    "dirichlet_pair_order",
    "draw_dirichlet_latents",
    "imprecise_dirichlet_bounds",
]


def dirichlet_log_evidence(cells: DirichletCells) -> float:
    r"""Log of :math:`\int \prod_k \theta_k^{n_k}\,dP(\theta)`, in closed form.

    .. math:: \log\frac{\Gamma(A)}{\Gamma(A+N)}
              + \sum_k \log\frac{\Gamma(\alpha_k+n_k)}{\Gamma(\alpha_k)}

    Examples
    --------
    One dataset in one of four equal cells has evidence 1/4:

    >>> round(
    ...     math.exp(
    ...         dirichlet_log_evidence(DirichletCells(np.full(4, 0.0), np.array([1.0, 0, 0, 0])))
    ...     ),
    ...     12,
    ... )
    0.25
    """
    parts = log_rising_gamma(cells.log_alpha, cells.counts)
    return float(parts.sum() - log_rising_gamma(cells.log_total, cells.counts.sum()))


def dirichlet_leave_one_out(
    cells: DirichletCells, dataset: IntArray, statement: IntArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Log predictive density of each dataset given the others, and given all, exactly.

    Both are differences of log evidences: log p(n) − log p(n − w_i) and log p(n + w_i) − log p(n).

    Parameters
    ----------
    cells : DirichletCells
        With the counts of all datasets.
    dataset, statement, weight : arrays (R,)
        The sparse matrix of weights.

    Returns
    -------
    array (n,), array (n,)
    """
    n = cells.counts[statement]
    # Counts that a left-out dataset empties must be exactly zero: log Γ(α) amplifies float noise.
    left = np.where(n - weight < 1e-9, 0.0, n - weight)
    log_a = cells.log_alpha[statement]
    fewer, now, more = (log_rising_gamma(log_a, v) for v in (left, n, n + weight))
    total = cells.counts.sum() + np.array([-1.0, 0.0, 1.0])
    all_fewer, all_now, all_more = log_rising_gamma(cells.log_total, total)
    without = np.bincount(dataset, now - fewer) - (all_now - all_fewer)
    within = np.bincount(dataset, more - now) - (all_more - all_now)
    return without, within


def dirichlet_pair_order(first: float, second: float) -> float:
    """P(θ_i > θ_j) for two cells with posterior parameters `first` and `second`.

    Examples
    --------
    Example 1: P(θ_11 > θ_00) from 6.25 and 1.25.

    >>> round(dirichlet_pair_order(6.25, 1.25), 3)
    0.98
    """
    # At a shape of zero betainc is NaN in scipy 1.15 and the limit in 1.18.
    if second == 0.0 or first == 0.0:
        return 0.5 if first == second else float(first > second)
    return float(betainc(second, first, 0.5))


def dirichlet_majority(shape: float, total: float) -> float:
    """P(θ_i > ½) for posterior parameter `shape` out of `total`.

    Examples
    --------
    >>> round(dirichlet_majority(6.25, 13.0), 3)
    0.443
    """
    if shape == 0.0 or not math.isfinite(total):
        return 0.0
    if total <= shape:
        return 1.0
    return float(betainc(total - shape, shape, 0.5))


def draw_dirichlet_latents(
    log_alpha: FloatArray, counts: FloatArray, size: tuple[int, ...], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    r"""Draw the latents G and E, from which `dirichlet_log_theta` computes θ ~ Dirichlet(α + n).

    .. math:: G_k \sim \mathrm{Gamma}(\alpha_k + n_k + 1), \quad
              E_k \sim \mathrm{Exp}(1 + n_k/\alpha_k)

    With n = 0 they are those of the prior. A plain gamma draw underflows at small α and biases the
    argmax; here only a logarithm is taken. `log_alpha` is one vector, or one for each draw.
    """
    alpha = np.exp(np.maximum(log_alpha, math.log(TINY)))
    cells = alpha.shape[-1]
    gamma = rng.standard_gamma(alpha + counts + 1.0, size=(*size, cells))
    exponential = rng.standard_exponential(size=(*size, cells))
    return gamma, exponential / (1.0 + counts / alpha)


def dirichlet_log_theta(
    log_alpha: FloatArray, gamma: FloatArray, exponential: FloatArray
) -> FloatArray:
    """Return log softmax(log G − E/α) along the last axis."""
    alpha = np.exp(np.maximum(log_alpha, math.log(TINY)))
    x = np.log(gamma) - exponential / alpha
    return np.asarray(x - logsumexp(x, axis=-1, keepdims=True))


def imprecise_dirichlet_bounds(
    counts: FloatArray, strength: float, *, unlisted: bool
) -> tuple[FloatArray, FloatArray]:
    """Bound P(θ_i is the largest) over all prior means, at the vertices of their simplex.

    A vertex gives one cell the whole strength and the others nothing; a cell that then has
    posterior parameter zero cannot be the largest. Cells with equal counts share their vertices,
    so there is one evaluation per distinct count.

    Parameters
    ----------
    counts : array (S,)
        Counts of the listed cells.
    strength : float
        The prior's total parameter s.
    unlisted : bool
        Whether there are cells beyond the listed ones, one of which is then a vertex too.

    Returns
    -------
    lower, upper : arrays (S,)
    """
    padded = np.append(counts, 0.0) if unlisted else counts
    lower, upper = np.ones(len(padded)), np.zeros(len(padded))
    keys = np.round(padded, 9)
    for key in np.unique(keys):
        equal = np.flatnonzero(keys == key)
        alpha = np.zeros(len(padded))
        alpha[equal[0]] = strength
        with np.errstate(divide="ignore"):
            p, _ = probability_of_maximum(DirichletCells(np.log(alpha), padded))
        upper[equal] = np.maximum(upper[equal], p[equal[0]])
        lower[equal] = np.minimum(lower[equal], p[equal[0]])
        others = np.flatnonzero(keys != key)
        for cells, value in ((others, p[others]), (equal, p[equal[-1]])):
            # If no other cell has this count, no equal cell can take the strength instead.
            if cells is others or len(equal) > 1:
                lower[cells] = np.minimum(lower[cells], value)
                upper[cells] = np.maximum(upper[cells], value)
    return lower[: len(counts)], upper[: len(counts)]
