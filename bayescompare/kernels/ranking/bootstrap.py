r"""The Bayesian bootstrap over datasets, widened for small numbers of them.

A draw gives the datasets the weights

.. math:: w \sim \mathrm{Dirichlet}(a, \dots, a), \qquad a = (n - 4) / n, \qquad
          S = \sum_i w_i f_i .

With a = 1 (Rubin) the variance of S is that of a mean with known spread, and intervals from few
datasets are too narrow. The variance of S given f is s²·n / (n·(n·a + 1)), s² with divisor n; with
a = (n − 4)/n it is s²/(n − 3), which is the variance of Student's t with n − 1 degrees of freedom.
Up to four datasets that variance does not exist.

Datasets that count more than others have importances v, and w ∝ v·g with g independent
Gamma(a, 1), which is the Dirichlet distribution for equal v. Then n is the effective number
(Σv)²/Σv².

References
----------
Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayescompare._typing import AnyArray, FloatArray

__all__ = [
    "FEWEST",
    "bootstrap_weights",
    "effective_ranking_number",
    "ranking_concentration",
    "resampled_ranking_means",
]

#: Fewest units from which intervals can be had.
FEWEST = 5

#: Weights that are held at a time: 64 MB.
_BLOCK = 8_000_000


def effective_ranking_number(importance: FloatArray) -> float:
    """Return (Σv)²/Σv²: n for equal importances, less for unequal ones.

    Examples
    --------
    >>> effective_ranking_number(np.ones(7)), effective_ranking_number(np.array([1.0, 1.0, 0.0]))
    (7.0, 2.0)
    """
    return float(importance.sum() ** 2 / (importance**2).sum())


def ranking_concentration(n: float) -> float:
    """Return a = (n − 4)/n, the parameter of every weight.

    Examples
    --------
    >>> ranking_concentration(5), ranking_concentration(20)
    (0.2, 0.8)
    """
    return (n - 4.0) / n


def bootstrap_weights(
    importance: FloatArray, draws: int, rng: np.random.Generator, times: AnyArray | None = None
) -> Iterator[FloatArray]:
    """Yield weights of the units in blocks (some draws, n); each row sums to one.

    The draws are the same whatever the size of the blocks. With `times`, a unit stands for so many
    like it, and its weight is the sum of theirs.
    """
    n = len(importance)
    every = importance if times is None else np.repeat(importance, times)
    shape = ranking_concentration(effective_ranking_number(every)) * (1 if times is None else times)
    step = max(1, _BLOCK // n)
    for start in range(0, draws, step):
        gammas = rng.standard_gamma(shape, (min(step, draws - start), n)) * importance
        yield gammas / gammas.sum(axis=1, keepdims=True)


def resampled_ranking_means(
    units: FloatArray, importance: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return S for every draw: the weighted means of the units.

    Parameters
    ----------
    units : array (n, l, m)
        What each unit (dataset, domain or item) says of each algorithm on each measure.
    importance : array (n,)
        How much each unit counts.

    Returns
    -------
    array (m, draws, l)
    """
    _, l, m = units.shape
    means = np.empty((m, draws, l))
    start = 0
    for weights in bootstrap_weights(importance, draws, rng):
        stop = start + len(weights)
        for j in range(m):
            np.matmul(weights, units[:, :, j], out=means[j, start:stop])
        start = stop
    return means
