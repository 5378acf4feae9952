r"""P(max) averaged over a posterior of counts.

.. math:: P_j = \sum_c p(c) \int f(x; a_j + c_j) \prod_{k \ne j} F(x; a_k + c_k)\, dx

The distribution functions of every statement and count are tabulated on nodes that all count
vectors share. The vectors are sorted by their digits, so the sum over the last digit is taken
first and its result multiplied by the factors of the digit before: a few products for each vector.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import gammainccinv, gammaincinv

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.integral import TAIL
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.numerics.gammas import density_of_log_gamma, log_cdf
from bayescompare.kernels.numerics.jit import jit

#: Nodes in a panel, tried in turn until a few vectors agree with another rule in another variable.
_RULES = (10, 14, 20, 32, 48)
_AGREEMENT = 1e-11
#: Vectors of less weight, all together, cannot change a figure.
_DUST = 1e-17


def averaged_maximum(
    alpha: FloatArray, fixed: FloatArray, tracked: IntArray, counts: IntArray, weight: FloatArray
) -> FloatArray:
    """P(θ_j is the largest) for every statement, averaged over count vectors, (K,).

    Parameters
    ----------
    alpha, fixed : arrays (K,)
        Prior parameters, and counts that are known.
    tracked : array (t,)
        The statements whose counts are not.
    counts : array (M, t)
        Their count vectors, in lexicographic order.
    weight : array (M,)
        Probabilities of the vectors.

    Examples
    --------
    Example 3 of the paper, as one vector of counts:

    >>> n = np.array([[1, 2, 3, 6]])
    >>> cells = np.full(4, 0.25), np.zeros(4), np.arange(4)
    >>> averaged_maximum(*cells, n, np.ones(1)).round(9).tolist()
    [0.012363335, 0.051922986, 0.137500092, 0.798213587]
    """
    counts, weight = _without_dust(counts, weight)
    rule = MaximumRule.settled(alpha + fixed, tracked, counts, _trial_vectors(counts, weight))
    found = rule.maxima(counts, weight)
    # The rule is right to 1e-11, which is more than rounding; P sums to one.
    return np.asarray(found / found.sum())


def expected_count_maximum(
    alpha: FloatArray, fixed: FloatArray, tracked: IntArray, counts: IntArray, weight: FloatArray
) -> float:
    r"""Return the expectation over c of the largest P(θ_j is the largest | c).

    .. math:: \sum_c p(c) \max_j P_j(c)

    Given c the θ are Gammas, which are ordered by their shapes in likelihood ratio: the largest
    shape has the largest P. So the vectors are summed by the statement that leads them.

    Parameters as for `averaged_maximum`.

    Examples
    --------
    Nobody knows which of two statements one dataset showed; if it were known, P would be .75:

    >>> cells = np.ones(2), np.zeros(2), np.arange(2)
    >>> counts, half = np.array([[0, 1], [1, 0]]), np.full(2, 0.5)
    >>> averaged_maximum(*cells, counts, half).round(9).tolist()
    [0.5, 0.5]
    >>> round(expected_count_maximum(*cells, counts, half), 9)
    0.75
    """
    counts, weight = _without_dust(counts, weight)
    shape = alpha + fixed
    rule = MaximumRule.settled(shape, tracked, counts, _trial_vectors(counts, weight))
    whole = np.tile(shape, (len(counts), 1))
    whole[:, tracked] += counts
    leader = whole.argmax(axis=1)
    return float(
        sum(
            rule.maxima(np.ascontiguousarray(counts[leader == j]), weight[leader == j])[j]
            for j in np.unique(leader)
        )
    )


def _without_dust(counts: IntArray, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """Drop vectors that cannot matter; scale the weights to sum to one."""
    kept = weight > _DUST * weight.max() / len(weight)
    counts = np.ascontiguousarray(counts[kept], dtype=np.int64)
    return counts, weight[kept] / weight[kept].sum()


def _panels(low: float, high: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre in t = log x, in panels as wide as the features there.

    Above x = 1 a Gamma near x has standard deviation 1/√x in log x. Below it F(x; a) is e^{at},
    and shapes with a|t| beyond 40 no longer matter, so features widen with |t|.
    """
    edges = [high]
    while edges[-1] > low:
        t = edges[-1]
        edges.append(t - (min(1.0, 3.0 * math.exp(-0.5 * t)) if t > 0.0 else max(1.0, -t / 4.0)))
    edge = np.array(edges[::-1])
    abscissa, weight = _gauss(nodes)
    half = 0.5 * np.diff(edge)[:, None]
    return (edge[:-1, None] + half * (1.0 + abscissa)).ravel(), np.log(half * weight).ravel()


@functools.cache
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of one panel from −1 to 1."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    return node, weight


class MaximumRule:
    """F and f of every statement and count, on the nodes of one rule.

    Attributes
    ----------
    base : array (nodes,)
        Weights of the nodes, times F of the statements whose counts are known.
    cdf, density : arrays (t, counts, nodes)
        F and f of the others.
    """

    @classmethod
    def settled(
        cls, shape: FloatArray, tracked: IntArray, counts: IntArray, trial: IntArray
    ) -> MaximumRule:
        """Return the coarsest rule for vectors between `counts` that is right for `trial`."""
        limits = _limits(shape, tracked, counts)
        known = np.array([_maximum_of_vector(shape, tracked, vector) for vector in trial])
        for nodes in _RULES:
            rule = cls(shape, tracked, int(counts.max(initial=0)), *_panels(*limits, nodes))
            here = np.array([rule.maxima(vector[None], np.ones(1)) for vector in trial])
            if float(np.abs(here - known).max()) < _AGREEMENT:
                return rule
        raise ArithmeticError("P(max) of the counts did not settle to 1e-11: please report this")

    def __init__(
        self,
        shape: FloatArray,
        tracked: IntArray,
        most: int,
        t: FloatArray,
        log_weight: FloatArray,
    ) -> None:
        self._tracked, self._others = tracked, np.delete(np.arange(len(shape)), tracked)
        log_f, self._hazard = _log_cdf_and_hazard(t, shape[self._others])
        self.base = np.exp(log_weight + log_f.sum(axis=0))
        # Statements of the same shape share their rows.
        levels, where = np.unique(shape[tracked], return_inverse=True)
        cdf, density = _tables(t, levels, most)
        self.cdf, self.density = cdf[where], density[where]

    def maxima(self, counts: IntArray, weight: FloatArray) -> FloatArray:
        """P(max) of every statement, averaged over the vectors."""
        out = np.empty(len(self._tracked) + len(self._others))
        total: FloatArray | float = 1.0
        if len(self._tracked):
            total, each = _contract(counts, weight, self.cdf, self.density)
            out[self._tracked] = each @ self.base
        out[self._others] = self._hazard @ (self.base * total)
        return out


def _limits(shape: FloatArray, tracked: IntArray, counts: IntArray) -> tuple[float, float]:
    """Logarithms of x between which the maximum has all but 1e-17 of its mass, for every vector."""
    rest = np.delete(shape, tracked)
    top = np.full(len(counts), rest.max(initial=0.0))
    for k, a in enumerate(shape[tracked]):
        np.maximum(top, a + counts[:, k], out=top)
    least, most = float(top.min()), float(top.max())
    low = (math.log(TAIL) + math.lgamma(least + 1.0)) / least
    point = float(gammaincinv(least, TAIL))
    low = max(low, math.log(point)) if point > 0.0 else low
    return low, math.log(float(gammainccinv(most, TAIL / (len(shape) + 1.0))))


def _trial_vectors(counts: IntArray, weight: FloatArray) -> IntArray:
    """The most probable vectors, and those in which a statement has the most or fewest."""
    chosen = [int(weight.argmax())]
    if counts.shape[1]:
        peak = functools.reduce(np.maximum, counts.T)
        chosen += [int(peak.argmax()), int(peak.argmin())]
    return counts[sorted(set(chosen))]


def _maximum_of_vector(shape: FloatArray, tracked: IntArray, vector: IntArray) -> FloatArray:
    counts = np.zeros(len(shape))
    counts[tracked] = vector
    return p_max(np.log(shape), counts[None])[0, :-1]


def _log_cdf_and_hazard(t: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log F at the nodes for each shape, and f/F."""
    column = shape[:, None]
    cdf = log_cdf(t, 1.0, column)
    return cdf, np.exp(density_of_log_gamma(t, 1.0, column, np.log(column)) - cdf)


def _tables(t: FloatArray, shape: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """F and f at the nodes for each shape and count, (S, counts, nodes).

    F(x; a) = F(x; a + 1) + x^a e^{−x}/Γ(a + 1): downwards from the largest count all terms add.
    """
    a = np.add.outer(shape, np.arange(most + 1.0))
    column = a.reshape(-1, 1)
    density = np.exp(density_of_log_gamma(t, 1.0, column, np.log(column))).reshape(*a.shape, len(t))
    cdf = density / a[..., None]
    cdf[:, -1] = np.exp(log_cdf(t, 1.0, a[:, -1:]))
    return np.cumsum(cdf[:, ::-1], axis=1)[:, ::-1].copy(), density


@jit()
def _contract(
    counts: IntArray, weight: FloatArray, cdf: FloatArray, density: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Σ_c p(c) Π F at every node, and the same with each F replaced by f in turn.

    ``total[d]`` and ``each[d]`` sum over the vectors that share the first d digits with the
    present one. When digit d changes, what was summed below it is multiplied by its factors.
    """
    vectors, t = counts.shape
    nodes = cdf.shape[2]
    total = np.zeros((t + 1, nodes))
    each = np.zeros((t + 1, t, nodes))
    for m in range(vectors):
        # The deepest level holds one vector only: the last digit follows from the others.
        last = counts[m, t - 1]
        for x in range(nodes):
            total[t - 1, x] += weight[m] * cdf[t - 1, last, x]
            each[t - 1, t - 1, x] += weight[m] * density[t - 1, last, x]
        same = 0
        if m + 1 < vectors:
            while counts[m, same] == counts[m + 1, same]:
                same += 1
        for d in range(t - 2, same - 1, -1):
            digit = counts[m, d]
            for x in range(nodes):
                each[d, d, x] += density[d, digit, x] * total[d + 1, x]
                total[d, x] += cdf[d, digit, x] * total[d + 1, x]
                total[d + 1, x] = 0.0
            for j in range(d + 1, t):
                for x in range(nodes):
                    each[d, j, x] += cdf[d, digit, x] * each[d + 1, j, x]
                    each[d + 1, j, x] = 0.0
    return total[0], each[0]
