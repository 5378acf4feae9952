r"""The preference system of two algorithms: quality vectors, their order and the order of gains.

Every measure is oriented upwards. The points are the distinct vectors of the pair, with a least
and a greatest element. With :math:`\Delta_i(a, b) = a_i - b_i`,

.. math:: R_1 = \{(a, b) : a \ge b\}, \qquad
          R_2 = \{((a, b), (c, d)) \in R_1 \times R_1 : \Delta_i(a, b) \ge \Delta_i(c, d)
                  \text{ for every metric } i\} .

:math:`R_2` has up to d⁴ members and is never written down: each pair of :math:`R_1` has a *key*,
and one pair is at least another when its key is, coordinate by coordinate. The key holds the
metric differences; under the ``interval`` rule also :math:`(a_j, -b_j)` for every ordinal j, so
that the interval :math:`[d_j, c_j]` must lie within :math:`[b_j, a_j]`. Pairs of equal keys are
indifferent, and form a class.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Statistical comparisons of classifiers by generalized
stochastic dominance, equations (1) to (3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array
from bayescompare.kernels.numerics.jit import jit

__all__ = ["GREATEST", "LEAST", "MOST_BYTES", "PairRule", "PreferenceSystem", "build_system"]

PairRule = Literal["interval", "jansen2022"]

#: Positions of the least and the greatest element among the points.
LEAST, GREATEST = 0, 1
#: Numbers this close, relative to the measure's largest, are the same: 0.3 − 0.2 is 0.2 − 0.1.
SAME = 1e-12
#: Bytes for one pair of R1 while the system is built and searched.
_PAIR_BYTES = 250
#: Bytes that may be used by default.
MOST_BYTES = 4e9


@dataclass(frozen=True, eq=False)
class PreferenceSystem:
    """Points, R1 and the classes of R1 pairs with equal keys.

    Attributes
    ----------
    points : array (d, k)
        Least element, greatest element, then the other vectors.
    ranks : array (d, k)
        Position of each value among the values of its measure.
    x, y : array (s,)
        Point of every observation of the first and of the second.
    metric : array (k,)
        Which measures are metric.
    rule : str
        The treatment of ordinal measures in R2.
    upper, lower : array (P,)
        The pairs of R1, class by class. Of the pairs (a, a) one for each class is kept.
    starts : array (C + 1,)
        Where each class begins among the pairs.
    keys : array (C, m)
        Key of each class, as ranks. Empty when every measure is ordinal: no R2 then.
    """

    points: FloatArray
    ranks: Int32Array
    x: Int32Array
    y: Int32Array
    metric: BoolArray
    rule: PairRule
    upper: Int32Array
    lower: Int32Array
    starts: Int32Array
    keys: Int32Array

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def all_ordinal(self) -> bool:
        """Whether R2 is empty."""
        return not bool(self.metric.any())

    def objective(self, weights: ArrayLike | None = None) -> FloatArray:
        r"""Return w with :math:`w \cdot u = E_x u - E_y u`; datasets count equally by default.

        Parameters
        ----------
        weights : array (..., s), optional
            Weight of every dataset, of either sign.
        """
        s = len(self.x)
        share = np.full(s, 1.0 / s) if weights is None else np.asarray(weights, dtype=np.float64)
        flat = share.reshape(-1, s)
        w = np.zeros((len(flat), self.size))
        for l in range(s):
            w[:, self.x[l]] += flat[:, l]
            w[:, self.y[l]] -= flat[:, l]
        return w.reshape(*share.shape[:-1], self.size)


def build_system(
    x: ArrayLike,
    y: ArrayLike,
    least: ArrayLike,
    greatest: ArrayLike,
    metric: ArrayLike,
    *,
    rule: PairRule = "interval",
    memory: float = MOST_BYTES,
) -> PreferenceSystem:
    """Return the preference system of two algorithms.

    Parameters
    ----------
    x, y : array (s, k)
        Observations of the first and of the second, higher is better.
    least, greatest : array (k,)
        Bounds of every measure. Infinite ones are allowed for ordinal measures.
    metric : array (k,) of bool
        Measures whose differences are meaningful.
    rule : {"interval", "jansen2022"}
        If metric and ordinal measures are mixed: ``"interval"`` compares two gains only if one
        ordinal interval contains the other; ``"jansen2022"`` is equation (2) to the letter, where
        the ordinal measures do not matter.
    memory : float
        Bytes that may be used.

    Examples
    --------
    Three points in a chain, and the gains 0.5 twice over:

    >>> system = build_system([[0.5]], [[0.5]], [0.0], [1.0], [True])
    >>> system.points.ravel().tolist(), len(system.upper), len(system.keys)
    ([0.0, 1.0, 0.5], 4, 3)
    """
    rows = np.vstack([np.atleast_2d(np.asarray(v, dtype=np.float64)) for v in (least, greatest)])
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    values, ranks = _snap_gsd_system_values(np.vstack([rows, first, second]))
    of_point = _distinct_gsd_system_points(ranks)
    taken = np.unique(of_point, return_index=True)[1]
    points, ranks = values[taken], np.ascontiguousarray(ranks[taken])
    is_metric = np.asarray(metric, dtype=np.bool_)
    if len(points) < 2 or of_point[1] == LEAST:
        raise BayescompareError(
            "every measure has equal least and greatest values, so no utility can distinguish the "
            "vectors: give wider bounds."
        )
    s = len(first)
    upper, lower, starts, keys = _gsd_system_classes(points, ranks, is_metric, rule, memory)
    return PreferenceSystem(
        points=points,
        ranks=ranks,
        x=of_point[2 : 2 + s],
        y=of_point[2 + s :],
        metric=is_metric,
        rule=rule,
        upper=upper,
        lower=lower,
        starts=starts,
        keys=keys,
    )


# ----------------------------------------------------------------------------------- equal numbers


def _snap_gsd_system_values(rows: FloatArray) -> tuple[FloatArray, Int32Array]:
    """Give values that differ by rounding one value and one rank, measure by measure."""
    values, ranks = rows.copy(), np.empty(rows.shape, dtype=np.int32)
    for i, column in enumerate(rows.T):
        ranks[:, i], values[:, i] = _gsd_system_rank_groups(column, column)
    return values, ranks


def _gsd_system_rank_groups(column: FloatArray, scale: FloatArray) -> tuple[Int32Array, FloatArray]:
    """Rank and first member of the run of numbers, each within SAME of the one before it."""
    finite = np.abs(scale[np.isfinite(scale)])
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    new = np.ones(len(column), dtype=np.bool_)
    with np.errstate(over="ignore"):  # nothing is beyond the largest float
        new[1:] = ordered[1:] > ordered[:-1] + SAME * float(finite.max(initial=0.0))
    run = np.cumsum(new) - 1
    rank, value = np.empty(len(column), dtype=np.int32), np.empty(len(column))
    rank[order], value[order] = run, ordered[new][run]
    return rank, value


def _distinct_gsd_system_points(ranks: Int32Array) -> Int32Array:
    """Number the distinct rows: least 0, greatest 1, the others in lexicographic order."""
    rows, of_row = np.unique(ranks, axis=0, return_inverse=True)
    label = np.full(len(rows), -1, dtype=np.int32)
    label[of_row.ravel()[0]] = LEAST
    if label[of_row.ravel()[1]] < 0:
        label[of_row.ravel()[1]] = GREATEST
    label[label < 0] = np.arange(int(label.max()) + 1, len(rows))
    return label[of_row.ravel()]


# ------------------------------------------------------------------------------- R1 and the classes


def _gsd_system_classes(
    points: FloatArray, ranks: Int32Array, metric: BoolArray, rule: PairRule, memory: float
) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
    """Pairs of R1 sorted by key, where each class of equal keys starts, and the keys."""
    if not metric.any():
        none = np.empty(0, dtype=np.int32)
        return none, none, np.zeros(1, dtype=np.int32), np.empty((0, 0), dtype=np.int32)
    count = int(_count_gsd_system_pairs(ranks))
    if (count + len(points)) * _PAIR_BYTES > memory:
        raise BayescompareError(
            f"{len(points)} distinct quality vectors make {count} ordered pairs, which need about "
            f"{count * _PAIR_BYTES / 1e9:.1f} GB of the {memory / 1e9:.1f} GB allowed: compare on "
            "fewer datasets, round the values, or treat every measure as ordinal."
        )
    upper, lower = _fill_gsd_system_pairs(ranks, count)
    own = np.arange(len(points), dtype=np.int32)
    upper, lower = np.concatenate([upper, own]), np.concatenate([lower, own])
    keys = _gsd_system_keys(points, ranks, metric, rule, upper, lower)
    order = np.lexsort((upper != lower, *keys.T[::-1]))
    upper, lower, keys = upper[order], lower[order], keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    # One (a, a) stands for all of its class: it comes first, and its gain is 0 whatever u is.
    keep = new | (upper != lower)
    starts = np.append(np.flatnonzero(new[keep]), keep.sum()).astype(np.int32)
    return upper[keep], lower[keep], starts, np.ascontiguousarray(keys[new])


def _gsd_system_keys(
    points: FloatArray,
    ranks: Int32Array,
    metric: BoolArray,
    rule: PairRule,
    upper: Int32Array,
    lower: Int32Array,
) -> Int32Array:
    """Key of every pair, as ranks."""
    columns = []
    for i in np.flatnonzero(metric):
        # By a power of two, which rounds nothing: two of the largest floats have no difference.
        finite = np.abs(points[np.isfinite(points[:, i]), i])
        values = np.ldexp(points[:, i], -np.frexp(finite.max(initial=0.0))[1])
        columns.append(_gsd_system_rank_groups(values[upper] - values[lower], values)[0])
    if rule == "interval":
        for j in np.flatnonzero(~metric):
            columns += [ranks[upper, j], ranks[:, j].max() - ranks[lower, j]]
    return np.stack(columns, axis=1).astype(np.int32)


@jit()
def _gsd_system_at_least(ranks: Int32Array, a: int, b: int) -> bool:
    return bool(np.all(ranks[a] >= ranks[b]))


@jit()
def _count_gsd_system_pairs(ranks: Int32Array) -> int:
    count = 0
    for a in range(len(ranks)):
        for b in range(len(ranks)):
            if a != b and _gsd_system_at_least(ranks, a, b):
                count += 1
    return count


@jit()
def _fill_gsd_system_pairs(ranks: Int32Array, count: int) -> tuple[Int32Array, Int32Array]:
    upper, lower = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    n = 0
    for a in range(len(ranks)):
        for b in range(len(ranks)):
            if a != b and _gsd_system_at_least(ranks, a, b):
                upper[n], lower[n] = a, b
                n += 1
    return upper, lower
