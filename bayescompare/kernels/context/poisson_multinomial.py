r"""Three regions of practical equivalence: which of them is the most frequent in a context?

The Poisson-binomial test with a rope: dataset i is left, in the rope or right with known
probabilities, the numbers of datasets in each are Poisson-multinomial, and their shares a Dirichlet
vector. This is the cut model, as in the paper's formula for two outcomes.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, carried to three outcomes.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammainc, gammaln

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import DUST
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import composite_legendre

__all__ = ["context_regions", "context_regions_by_draws", "poisson_multinomial_leaders"]


#: Two rules agree when no probability differs by more.
_AGREEMENT = 1e-11
#: Uniform numbers held at once while drawing.
_BLOCK = 1 << 22


def context_regions(
    triples: FloatArray, alpha: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> FloatArray:
    r"""P(each of three regions is the most frequent in the context), by the cut model, exactly.

    With :math:`c` the number of datasets in each region, a Poisson-multinomial,

    .. math:: \sum_c \mathrm{PM}(c)\, \Pr(\theta_j = \max \theta \mid
              \theta \sim \mathrm{Dirichlet}(\alpha + c)) .

    The counts are computed by recursion, O(N³), and all P(max) by one quadrature in √x, where every
    gamma density is about equally wide. `probability_of_maximum`, another rule in another variable,
    must agree to 1e-11 where the counts are most likely and where they are most extreme.

    Parameters
    ----------
    triples : array (N, 3)
        P(left), P(rope) and P(right) on each dataset. 1000 of them take a second; for many more
        use `context_regions_by_draws`.
    alpha : three floats
        Prior parameters; 1 is uniform.

    Returns
    -------
    array (3,)

    Raises
    ------
    ArithmeticError
        If the two rules do not agree.

    Examples
    --------
    >>> context_regions(np.array([[0.1, 0.1, 0.8], [0.0, 0.3, 0.7]])).round(6).tolist()
    [0.146528, 0.240278, 0.613194]
    """
    return poisson_multinomial_leaders(
        _poisson_multinomial_counts(np.ascontiguousarray(triples, dtype=np.float64)), alpha
    )


def poisson_multinomial_leaders(
    counts: FloatArray, alpha: tuple[float, float, float]
) -> FloatArray:
    """P(each region's share is the largest), given the distribution of the counts.

    Parameters
    ----------
    counts : array (N + 1, N + 1)
        Pr(numbers of datasets on the left and on the right); the others are in the rope.
    alpha : three floats
        Prior parameters.

    Raises
    ------
    ArithmeticError
        If the two rules of `context_regions` do not agree.

    Examples
    --------
    >>> poisson_multinomial_leaders(np.ones((1, 1)), (1.0, 1.0, 1.0)).round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """
    datasets = len(counts) - 1
    if datasets == 0:
        return _score_poisson_multinomial(np.zeros((1, 3), dtype=np.int64), np.array(alpha)).ravel()
    tables = _poisson_multinomial_gammas(datasets, alpha)
    _check_poisson_multinomial(*tables, _poisson_multinomial_test_states(counts), np.array(alpha))
    return _poisson_multinomial_largest(counts, *tables)


def _poisson_multinomial_test_states(table: FloatArray) -> IntArray:
    """Return the most likely counts, and those with every dataset in one region, (4, 3)."""
    n = len(table) - 1
    left, right = divmod(int(table.argmax()), n + 1)
    corners = n * np.eye(3, dtype=np.int64)
    return np.vstack([[left, n - left - right, right], corners])


def _check_poisson_multinomial(
    cdf: FloatArray, density: FloatArray, states: IntArray, alpha: FloatArray
) -> None:
    """Compare the tables' rule with that of `probability_of_maximum`."""
    here = np.array([_poisson_multinomial_three(cdf, density, *state) for state in states.tolist()])
    error = float(np.abs(here - _score_poisson_multinomial(states, alpha)).max())
    if not error <= _AGREEMENT:
        raise ArithmeticError(f"P(max) is known only within {error:.1g}: please report this")


@jit()
def _poisson_multinomial_counts(triples: FloatArray) -> FloatArray:
    """PM at [left, right]; the remaining datasets are in the rope."""
    n = len(triples)
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    for i in range(n):
        left, rope, right = triples[i, 0], triples[i, 1], triples[i, 2]
        for a in range(i + 1, -1, -1):
            for c in range(i + 1 - a, -1, -1):
                value = rope * table[a, c]
                if a > 0:
                    value += left * table[a - 1, c]
                if c > 0:
                    value += right * table[a, c - 1]
                table[a, c] = value if value > DUST else 0.0
    return table


def _poisson_multinomial_gammas(
    datasets: int, alpha: tuple[float, float, float]
) -> tuple[FloatArray, FloatArray]:
    """Distribution function and weighted density of Gamma(α_j + c), at [j, c, node].

    Panels of width one in s = √x, and halving ones towards 0, where small α are singular: the
    largest of the three is below x with a probability of the order x^{Σα + N}.
    """
    top = math.ceil(math.sqrt(datasets + max(alpha))) + 7
    halvings = math.ceil(28.0 / (sum(alpha) + datasets))
    edges = np.concatenate([[0.0], 0.5 ** np.arange(halvings, 0, -1), np.arange(1.0, top + 1)])
    s, weight = composite_legendre(edges)
    x = s * s
    shape = np.array(alpha)[:, None, None] + np.arange(datasets + 1.0)[:, None]
    density = 2.0 * weight * np.exp((2.0 * shape - 1.0) * np.log(s) - x - gammaln(shape))
    return np.ascontiguousarray(gammainc(shape, x)), np.ascontiguousarray(density)


@jit()
def _poisson_multinomial_largest(
    table: FloatArray, cdf: FloatArray, density: FloatArray
) -> FloatArray:
    """Sum over the counts of PM times ∫ f_j F F; cells of less than 1e-20 cannot matter."""
    n = len(table) - 1
    probability = np.zeros(3)
    for a in range(n + 1):
        for c in range(n + 1 - a):
            if table[a, c] > 1e-20:
                probability += table[a, c] * _poisson_multinomial_three(
                    cdf, density, a, n - a - c, c
                )
    return probability


@jit()
def _poisson_multinomial_three(
    cdf: FloatArray, density: FloatArray, a: int, b: int, c: int
) -> FloatArray:
    """P(max) of each of three gammas, from the tables."""
    left, rope, right = 0.0, 0.0, 0.0
    for m in range(cdf.shape[2]):
        left += density[0, a, m] * cdf[1, b, m] * cdf[2, c, m]
        rope += cdf[0, a, m] * density[1, b, m] * cdf[2, c, m]
        right += cdf[0, a, m] * cdf[1, b, m] * density[2, c, m]
    return np.array([left, rope, right])


def context_regions_by_draws(
    triples: FloatArray,
    draws: int,
    rng: np.random.Generator,
    alpha: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> tuple[FloatArray, FloatArray]:
    """Estimate the same by drawing each dataset's region; P(max) given the counts stays exact.

    Returns
    -------
    array (3,), array (3,)
        Estimate and its standard error.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> triples = np.tile([0.1, 0.2, 0.7], (40, 1))
    >>> estimate, error = context_regions_by_draws(triples, 1000, rng)
    >>> bool(np.all(np.abs(estimate - context_regions(triples)) < 4 * error))
    True
    """
    triples = np.asarray(triples, dtype=np.float64)
    counts = _draw_poisson_multinomial(triples, draws, rng)
    states, times = np.unique(counts, axis=0, return_counts=True)
    each = _score_poisson_multinomial(states, np.array(alpha))
    mean = times @ each / draws
    variance = times @ (each - mean) ** 2 / (draws - 1)
    return mean, np.sqrt(variance / draws)


def _draw_poisson_multinomial(
    triples: FloatArray, draws: int, rng: np.random.Generator
) -> IntArray:
    """Numbers of datasets in each region, (draws, 3)."""
    left, right = triples[:, 0], triples[:, 2]
    counts = np.empty((draws, 3), dtype=np.int64)
    step = max(1, _BLOCK // max(len(triples), 1))
    for start in range(0, draws, step):
        block = counts[start : start + step]
        uniform = rng.random((len(block), len(triples)))
        block[:, 0] = (uniform < left).sum(axis=1)
        block[:, 2] = (uniform >= 1.0 - right).sum(axis=1)
    counts[:, 1] = len(triples) - counts[:, 0] - counts[:, 2]
    return counts


def _score_poisson_multinomial(states: IntArray, alpha: FloatArray) -> FloatArray:
    """P(max) for every triple of counts."""
    log_alpha = np.log(alpha)
    scores = [
        probability_of_maximum(DirichletCells(log_alpha, counts))[0]
        for counts in states.astype(np.float64)
    ]
    return np.asarray(scores, dtype=np.float64)
