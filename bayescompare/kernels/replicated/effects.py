r"""What the replicates of every dataset come to, and how well each statement fits them by itself.

Variances of few replicates are uncertain. Over many datasets they are moderated: with
:math:`f_i = k_i - 1` and :math:`e_i = \log S_i - \psi(f_i/2) + \log(f_i/2)`,

.. math:: s_i^2 = \frac{d s_0^2 + f_i S_i}{d + f_i}, \qquad
          \psi'(d/2) = \tfrac{n}{n-1}\,\overline{(e_i - \bar e)^2} - \overline{\psi'(f_i/2)}, \qquad
          s_0^2 = \exp\bigl(\bar e + \psi(d/2) - \log(d/2)\bigr) .

The states of every measure are regions, the statements cells of an array. With a flat prior on the
mean differences :math:`\ell_i(s)` is the probability of the orthant (or box, with ropes) of s under
a multivariate Student-t. That is overconfident where the noise is large against the effects; see
`learned_effects`.

References
----------
Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3, 3. Nadeau & Bengio
(2003), Machine Learning 52, 239–281, for the correlation of folds. Corani & Benavoli (2015),
Machine Learning 100, 285–304, for one measure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.cells import Edges, student_cells

#: Differences this close, relative to the values, are rounding and no difference.
ROUNDING = 1e-12


class Moments(NamedTuple):
    """Differences of the replicates of n datasets on m measures, turned so that larger is better.

    Attributes
    ----------
    mean : array (n, m)
        NaN where a measure was not seen on a dataset.
    covariance : array (n, m, m)
        S, with divisor k − 1; zero in the rows of a measure without spread, or not seen.
    dof : array (n,)
        k − 1, or the number of clusters less one.
    factor : array (n,)
        c, such that c·S is the scale matrix of the mean.
    """

    mean: FloatArray
    covariance: FloatArray
    dof: FloatArray
    factor: FloatArray

    @property
    def seen(self) -> BoolArray:
        """Which measures were seen on each dataset, (n, m)."""
        return ~np.isnan(self.mean)

    @property
    def variance(self) -> FloatArray:
        """The diagonals of S, (n, m)."""
        return np.diagonal(self.covariance, axis1=1, axis2=2)


def replicate_moments(first: FloatArray, second: FloatArray, rho: FloatArray) -> Moments:
    """Moments of the differences of two algorithms; NaN is a replicate that is not there.

    Parameters
    ----------
    first, second : arrays (n, k, m)
    rho : array (n,)
        Correlation of two replicates of a dataset.

    Examples
    --------
    >>> first = np.array([[[0.9], [0.8]]])
    >>> moments = replicate_moments(first, np.full((1, 2, 1), 0.5), np.zeros(1))
    >>> moments.mean.round(6).tolist(), moments.factor.tolist()
    ([[0.35]], [0.5])
    """
    x = first - second
    there = ~np.isnan(x).any(axis=2)
    count = there.sum(axis=1).astype(np.float64)
    x = np.where(there[..., None], x, 0.0)
    mean = x.sum(axis=1) / count[:, None]
    centred = np.where(there[..., None], x - mean[:, None], 0.0)
    covariance = np.einsum("ika,ikb->iab", centred, centred) / (count - 1.0)[:, None, None]
    size = np.where(there[..., None], np.maximum(np.abs(first), np.abs(second)), 0.0)
    grain = ROUNDING * size.max(axis=1)
    mean = np.where(np.abs(mean) <= grain, 0.0, mean)
    covariance = _without_rounding(covariance, np.abs(centred).max(axis=1) <= grain)
    return Moments(mean, covariance, count - 1.0, 1.0 / count + rho / (1.0 - rho))


def cluster_moments(x: FloatArray, cluster: IntArray, size: FloatArray | None = None) -> Moments:
    r"""Moments of one dataset whose items come in clusters, such as questions about one passage.

    .. math:: V = \tfrac{C}{C - 1} \sum_c w_c^2 (\bar x_c - \bar x)(\bar x_c - \bar x)^\top

    with w_c the share of items in cluster c; it stands for c·S, with C − 1 degrees of freedom.

    Parameters
    ----------
    x : array (k, m)
    cluster : array (k,)
        Numbers from 0 to C − 1.
    size : array (m,), optional
        Largest values that the differences came from, for what is rounding; by default that of x.

    Examples
    --------
    Clusters of one item each are items by themselves:

    >>> x = np.array([[1.0], [0.0], [2.0], [1.0]])
    >>> moments = cluster_moments(x, np.arange(4))
    >>> round(float(moments.covariance[0, 0, 0] * moments.factor[0] / (np.var(x, ddof=1) / 4)), 9)
    1.0
    """
    clusters = int(cluster.max()) + 1
    share = np.bincount(cluster, minlength=clusters) / len(cluster)
    sums = np.stack([np.bincount(cluster, column, clusters) for column in x.T], axis=1)
    mean = x.mean(axis=0)
    # w_c (x̄_c − x̄) is the cluster's sum of deviations over all items.
    part = sums / len(cluster) - share[:, None] * mean
    spread = clusters / (clusters - 1.0) * part.T @ part
    grain = ROUNDING * (np.abs(x).max(axis=0) if size is None else size)
    covariance = _without_rounding(
        clusters * spread[None], (np.abs(x - mean).max(axis=0) <= grain)[None]
    )
    mean = np.where(np.abs(mean) <= grain, 0.0, mean)
    return Moments(mean[None], covariance, np.array([clusters - 1.0]), np.array([1.0 / clusters]))


def _without_rounding(covariance: FloatArray, constant: BoolArray) -> FloatArray:
    """Set the rows and columns of measures without spread to exactly zero."""
    lost = constant[:, :, None] | constant[:, None, :]
    return np.where(lost, 0.0, covariance)


class ModeratedMoments(NamedTuple):
    """Standard deviations s of one measure, (n,), and the degrees of freedom ν of each, (n,)."""

    sd: FloatArray
    dof: FloatArray


def moderate(variance: FloatArray, dof: FloatArray) -> ModeratedMoments:
    r"""Moderate the variances of one measure over datasets.

    Datasets without spread take part only as receivers; without any spread at all s is zero.

    The degrees of freedom of s_i are those of a χ² whose logarithm varies as much as log s_i² does:
    by what the dataset's own replicates leave open, and by what all of them leave open of s_0,

    .. math:: \psi'(\nu_i/2) = \psi'\Bigl(\tfrac{d + f_i}{2}\Bigr) +
              \Bigl(\tfrac{d}{d + f_i}\Bigr)^2
              \frac{\psi'(d/2) + \overline{\psi'(f/2)}}{n} .

    Examples
    --------
    >>> moderated = moderate(np.array([1.0, 4.0, 0.5, 2.0]), np.full(4, 2.0))
    >>> moderated.sd.round(3).tolist(), moderated.dof.round(2).tolist()
    ([1.587, 1.587, 1.587, 1.587], [5.8, 5.8, 5.8, 5.8])
    """
    some = variance > 0.0
    if some.sum() < 2:
        pooled = variance[some].mean() if some.any() else 0.0
        known = dof[some].mean() if some.any() else math.inf
        return ModeratedMoments(
            np.full(len(variance), math.sqrt(pooled)), np.full(len(variance), float(known))
        )
    f = dof[some]
    e = np.log(variance[some]) - digamma(f / 2.0) + np.log(f / 2.0)
    n = len(e)
    noise = float(polygamma(1, f / 2.0).mean())
    excess = float(((e - e.mean()) ** 2).mean() * n / (n - 1.0)) - noise
    if excess <= 0.0:
        sd, left = math.exp(0.5 * float(e.mean())), 2.0 * _inverse_trigamma(noise / n)
        return ModeratedMoments(np.full(len(variance), sd), np.full(len(variance), left))
    d = 2.0 * _inverse_trigamma(excess)
    prior = math.exp(float(e.mean()) + float(digamma(d / 2.0)) - math.log(d / 2.0))
    open_still = polygamma(1, 0.5 * (d + dof)) + (d / (d + dof)) ** 2 * (excess + noise) / n
    left_each = np.array([2.0 * _inverse_trigamma(v) for v in open_still.tolist()])
    return ModeratedMoments(np.sqrt((d * prior + dof * variance) / (d + dof)), left_each)


def _inverse_trigamma(y: float) -> float:
    """Solve ψ'(x) = y for x > 0; ψ' lies between 1/x and 1/x + 1/x²."""
    low = 1.0 / y
    high = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * y)) / y
    return float(brentq(lambda x: float(polygamma(1, x)) - y, 0.5 * low, 2.0 * high, xtol=1e-14))


#: The rope of every measure; None where ties are split.
Ropes = tuple[float | None, ...]


def numbers_of_states(ropes: Ropes) -> list[int]:
    """Return the number of states of every measure: first better, (equal,) second better."""
    return [2 if rope is None else 3 for rope in ropes]


def state_edges(rope: float | None) -> FloatArray:
    """Return where the states of a measure end, (1, 1) or (1, 2)."""
    return np.array([[0.0]]) if rope is None else np.array([[-rope, rope]])


def certain_cells(mean: FloatArray, rope: float | None) -> FloatArray:
    """States of a measure without spread, (n, states): one is certain; a tie is half of each."""
    if rope is None:
        first = np.where(mean == 0.0, 0.5, (mean > 0.0).astype(np.float64))
        return np.stack([first, 1.0 - first], axis=1)
    state = np.where(np.abs(mean) <= rope, 1, np.where(mean > 0.0, 0, 2))
    return np.eye(3)[state]


def unknown_cells(n: int, rope: float | None) -> FloatArray:
    """States of a measure that never differs on the typical dataset: equal, or either."""
    return np.full((n, 2), 0.5) if rope is None else np.tile(np.eye(3)[1], (n, 1))


def cell_of(points: FloatArray, edges: Edges) -> IntArray:
    """Number of the cell of each point (n, B, m); states go from the greatest values down."""
    cell = np.zeros(points.shape[:2], dtype=np.int64)
    for j, edge in enumerate(edges):
        below = points[:, :, j, None] <= edge[:, None, :]
        cell = cell * (edge.shape[1] + 1) + below.sum(axis=2)
    return cell


def product_of_cells(parts: list[tuple[list[int], FloatArray]], sizes: list[int]) -> FloatArray:
    """Multiply the cells of groups of measures into those of all, (n, K).

    Examples
    --------
    >>> cells = [([1], np.array([[0.9, 0.1]])), ([0], np.array([[1.0, 0.0]]))]
    >>> product_of_cells(cells, [2, 2]).tolist()
    [[0.9, 0.1, 0.0, 0.0]]
    """
    n = len(parts[0][1])
    out = np.ones((n, *sizes))
    for members, cells in parts:
        shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
        out = out * cells.reshape(n, *shape)
    return out.reshape(n, -1)


def spread_cells(logs: FloatArray, members: list[int], sizes: list[int]) -> FloatArray:
    """Repeat the log cells (…, cells of `members`) of some measures over the states of the others.

    Examples
    --------
    >>> spread_cells(np.array([[1.0, 2.0]]), [1], [2, 2]).tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """
    before = logs.shape[:-1]
    shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
    whole = np.broadcast_to(logs.reshape(*before, *shape), (*before, *sizes))
    return whole.reshape(*before, math.prod(sizes))


class ReplicatedEvidence(NamedTuple):
    """log ℓ_i(s) in each version, with its error.

    Attributes
    ----------
    log : array (R, n, K)
    scales : array (R,)
        The scale t of each version; NaN for the flat prior.
    error : float
        Largest standard error of a probability, zero up to three measures.
    """

    log: FloatArray
    scales: FloatArray
    error: float


def flat_evidence(moments: Moments, ropes: Ropes, rng: np.random.Generator) -> ReplicatedEvidence:
    """ℓ under a flat prior on the mean differences.

    A dataset with no more replicates than measures has the product of its margins. A measure
    without spread on a dataset is certain there, and one that was not seen there says nothing.

    Parameters
    ----------
    moments : Moments
    ropes : m floats or None
    rng : Generator
        Used from four measures on.

    Examples
    --------
    >>> moments = Moments(np.array([[1.0]]), np.ones((1, 1, 1)), np.array([4.0]), np.array([0.2]))
    >>> evidence = flat_evidence(moments, (None,), np.random.default_rng(0))
    >>> np.exp(evidence.log[0]).round(6).tolist()
    [[0.955495, 0.044505]]
    """
    n, m = moments.mean.shape
    few = moments.dof < moments.seen.sum(axis=1)
    kinds = np.column_stack([moments.variance > 0.0, moments.seen, few])
    cells = np.empty((n, math.prod(numbers_of_states(ropes))))
    error = 0.0
    for kind in np.unique(kinds, axis=0):
        rows = np.flatnonzero((kinds == kind).all(axis=1))
        part = Moments(*(field[rows] for field in moments))
        spread, seen = kind[:m], kind[m : 2 * m]
        cells[rows], worst = _flat_effects(part, ropes, spread, seen, bool(kind[2 * m]), rng)
        error = max(error, worst)
    with np.errstate(divide="ignore"):
        return ReplicatedEvidence(np.log(cells)[None], np.array([math.nan]), error)


def _flat_effects(
    moments: Moments,
    ropes: Ropes,
    spread: BoolArray,
    seen: BoolArray,
    few: bool,
    rng: np.random.Generator,
) -> tuple[FloatArray, float]:
    """Cells of datasets with the same measures seen and uncertain."""
    n = len(moments.mean)
    scale = moments.covariance * moments.factor[:, None, None]
    groups = [[j] for j in np.flatnonzero(seen).tolist()]
    if not few:
        groups = [[j] for j in np.flatnonzero(seen & ~spread).tolist()]
        groups += [np.flatnonzero(spread).tolist()] if spread.any() else []
    parts: list[tuple[list[int], FloatArray]] = [([], np.ones((n, 1)))]
    error = 0.0
    for members in groups:
        own = tuple(ropes[j] for j in members)
        if not spread[members].all():
            cells = certain_cells(moments.mean[:, members[0]], own[0])
        else:
            edges = tuple(np.tile(state_edges(rope), (n, 1)) for rope in own)
            square = scale[:, members][:, :, members]
            cells, errors = student_cells(moments.dof, moments.mean[:, members], square, edges, rng)
            error = max(error, float(errors.max()))
        parts.append((members, cells))
    return product_of_cells(parts, numbers_of_states(ropes)), error
