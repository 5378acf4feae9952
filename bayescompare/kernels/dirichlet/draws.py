r"""Draws from a Dirichlet that lose no digit at small α, and Pólya's urn.

.. math:: \theta = \operatorname{softmax}(\log G - E/\alpha), \quad
          G_k \sim \mathrm{Gamma}(\alpha_k + 1), \quad E_k \sim \mathrm{Exp}(1)
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import TINY


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


def draw_log_theta(
    log_alpha: FloatArray, counts: FloatArray, size: tuple[int, ...], rng: np.random.Generator
) -> FloatArray:
    """Draw log θ, θ ~ Dirichlet(α + n), (*size, S)."""
    return dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, counts, size, rng))


def polya_urn(
    log_alpha: FloatArray,
    counts: FloatArray,
    size: int,
    number: int,
    rng: np.random.Generator,
    log_rest: float = -math.inf,
) -> tuple[IntArray, IntArray]:
    r"""Draw `number` new observations, `size` times over, the probabilities integrated out.

    Given the counts, the next observation falls into cell k with probability
    :math:`(\alpha_k + n_k)/(A + N)`, and counts from then on. So the t-th new one repeats one of
    the t before it, each alike, with probability t/(A + N + t), and is otherwise drawn from the
    posterior mean. No θ is needed, however many cells there are.

    Parameters
    ----------
    log_alpha, counts : arrays (S,)
        Of the listed cells.
    size, number : int
    rng : Generator
    log_rest : float
        Logarithm of Σα of all other cells.

    Returns
    -------
    cell : array (size, number)
        Cell of each; one more than the last for a cell that is not listed.
    source : array (size, number)
        The observation that it repeats, by its place; its own place where it repeats none. Only
        there is `cell` to be read: what two observations in unlisted cells have in common is
        whether one repeats the other.

    References
    ----------
    Blackwell & MacQueen (1973), Ferguson distributions via Pólya urn schemes.

    Examples
    --------
    A prior of no weight repeats what was seen, and a heavy one does not:

    >>> rng = np.random.default_rng(1)
    >>> polya_urn(np.log([1e-9, 1e-9]), np.array([0.0, 3.0]), 1, 4, rng)[0].tolist()
    [[1, 1, 1, 1]]
    >>> polya_urn(np.log([1e12, 1e12]), np.zeros(2), 1, 4, rng)[1].tolist()
    [[0, 1, 2, 3]]
    """
    with np.errstate(divide="ignore", over="ignore"):
        listed = np.logaddexp(log_alpha, np.log(counts))
        total = np.exp(np.logaddexp.reduce([*log_alpha, log_rest])) + counts.sum()
    log_weights = np.append(listed, log_rest)
    ends = np.cumsum(np.exp(log_weights - log_weights.max()))
    at = rng.random((size, number)) * ends[-1]
    cell = np.searchsorted(ends[:-1], at, side="right").astype(np.int64)
    source = np.tile(np.arange(number), (size, 1))
    for t in range(1, number):
        # A total beyond the float range is never outweighed.
        repeats = np.flatnonzero(rng.random(size) < t / (total + t))
        source[repeats, t] = source[repeats, rng.integers(t, size=len(repeats))]
    return cell, source


def draw_urn_cells(weights: FloatArray, number: int, rng: np.random.Generator) -> IntArray:
    """Draw `number` cells for every row of weights (…, S), which need not sum to one: (…, number).

    Examples
    --------
    >>> draw_urn_cells(np.array([[0.0, 1.0], [3.0, 0.0]]), 3, np.random.default_rng(1)).tolist()
    [[1, 1, 1], [0, 0, 0]]
    """
    ends = np.cumsum(weights, axis=-1)
    at = rng.random((*weights.shape[:-1], number)) * ends[..., -1:]
    # One column after the other: all at once would take rows × number × cells of memory.
    columns = [(at[..., i, None] >= ends[..., :-1]).sum(axis=-1) for i in range(number)]
    return np.stack(columns, axis=-1).astype(np.int64)
