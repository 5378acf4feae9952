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

The utilities of the system are, with (a, a) a pair of R1 too and :math:`u(\text{least}) = 0`,
:math:`u(\text{greatest}) = 1`,

.. math:: N^\delta = \{u : u(a) - u(b) - u(c) + u(d) \ge \delta \text{ on strict } R_2 \text{ and }
          R_1, \ = 0 \text{ on equal keys}\} .

A *row* is such an (a, b, c, d), and is one of equality or not.

The points may be those of two algorithms, or of all in a table (`others`); only where all share one
system is dominance a pre-order (Proposition 1). A user's own R1 and R2 are given as functions of
vectors, and then every row is written down.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Statistical comparisons of classifiers by generalized
stochastic dominance, equations (1) to (3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.numerics.jit import jit

PairRule = Literal["interval", "jansen2022"]
#: Whether one vector is at least as good as another, and whether going from the second to the first
#: is worth at least as much as going from the fourth to the third.
Prefers = Callable[[FloatArray, FloatArray], bool]
PrefersMore = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], bool]

#: Positions of the least and the greatest element among the points.
LEAST, GREATEST = 0, 1
#: Coefficients of the points (a, b, c, d) of a row.
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
#: Numbers this close, relative to the measure's largest, are the same: 0.3 − 0.2 is 0.2 − 0.1.
SAME = 1e-12
#: Bytes for one pair of R1 while the system is built and searched.
_PAIR_BYTES = 250
#: Ordered pairs up to which a user's preferences among gains are asked for.
MOST_ASKED = 1500
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
    weights : array (s,)
        Of the datasets; they sum to one.
    others : array (s, l)
        Points of further algorithms that share the system.
    given : tuple of array (r, 4) and array (r,), optional
        All rows, and which are equalities, where R1 and R2 are the user's own.
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
    weights: FloatArray
    others: Int32Array
    given: tuple[Int32Array, BoolArray] | None = None

    def between(self, first: int, second: int) -> PreferenceSystem:
        """Return the same system, to compare two of the algorithms that share it."""
        return replace(self, x=self.others[:, first], y=self.others[:, second])

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def all_ordinal(self) -> bool:
        """Whether R2 is empty, and the order of the points that of their values."""
        return self.given is None and not bool(self.metric.any())

    def objective(self, weights: ArrayLike | None = None) -> FloatArray:
        r"""Return w with :math:`w \cdot u = E_x u - E_y u`, by the system's weights by default.

        Parameters
        ----------
        weights : array (..., s), optional
            Weight of every dataset, of either sign.
        """
        s = len(self.x)
        share = self.weights if weights is None else np.asarray(weights, dtype=np.float64)
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
    weights: ArrayLike | None = None,
    others: ArrayLike | None = None,
    prefers: Prefers | None = None,
    prefers_more: PrefersMore | None = None,
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
    weights : array (s,), optional
        Weight of every dataset; alike by default.
    others : array (s, l, k), optional
        Observations of all algorithms that are to share the system.
    prefers, prefers_more : callable, optional
        R1 and R2 of the user's own, as functions of vectors.

    Examples
    --------
    Three points in a chain, and the gains 0.5 twice over:

    >>> system = build_system([[0.5]], [[0.5]], [0.0], [1.0], [True])
    >>> system.points.ravel().tolist(), len(system.upper), len(system.keys)
    ([0.0, 1.0, 0.5], 4, 3)
    """
    rows = np.vstack([np.atleast_2d(np.asarray(v, dtype=np.float64)) for v in (least, greatest)])
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    more = np.empty((len(first), 0, first.shape[1])) if others is None else np.asarray(others)
    values, ranks = _snapped(np.vstack([rows, first, second, *more.swapaxes(0, 1)]))
    of_point = _numbered(ranks)
    taken = np.unique(of_point, return_index=True)[1]
    points, ranks = values[taken], np.ascontiguousarray(ranks[taken])
    is_metric = np.asarray(metric, dtype=np.bool_)
    if len(points) < 2 or of_point[1] == LEAST:
        raise BayescompareError(
            "every measure has equal least and greatest values, so no utility can distinguish the "
            "vectors: give wider bounds."
        )
    s, given = len(first), None
    if prefers is None and prefers_more is None:
        upper, lower, starts, keys = _classes(points, ranks, is_metric, rule, memory)
    else:
        given = _written_rows(points, ranks, prefers, prefers_more)
        upper, lower, starts, keys = _classes(points, ranks, is_metric & False, rule, memory)
    each = np.ones(s) if weights is None else np.asarray(weights, dtype=np.float64)
    return PreferenceSystem(
        points=points,
        ranks=ranks,
        x=of_point[2 : 2 + s],
        y=of_point[2 + s : 2 + 2 * s],
        metric=is_metric,
        rule=rule,
        upper=upper,
        lower=lower,
        starts=starts,
        keys=keys,
        weights=each / each.sum(),
        others=of_point[2 + 2 * s :].reshape(-1, s).T,
        given=given,
    )


# ----------------------------------------------------------------------------------- equal numbers


def _snapped(rows: FloatArray) -> tuple[FloatArray, Int32Array]:
    """Give values that differ by rounding one value and one rank, measure by measure."""
    values, ranks = rows.copy(), np.empty(rows.shape, dtype=np.int32)
    for i, column in enumerate(rows.T):
        ranks[:, i], values[:, i] = _runs(column, column)
    return values, ranks


def _runs(column: FloatArray, scale: FloatArray) -> tuple[Int32Array, FloatArray]:
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


def _numbered(ranks: Int32Array) -> Int32Array:
    """Number the distinct rows: least 0, greatest 1, the others in lexicographic order."""
    rows, of_row = np.unique(ranks, axis=0, return_inverse=True)
    label = np.full(len(rows), -1, dtype=np.int32)
    label[of_row.ravel()[0]] = LEAST
    if label[of_row.ravel()[1]] < 0:
        label[of_row.ravel()[1]] = GREATEST
    label[label < 0] = np.arange(int(label.max()) + 1, len(rows))
    return label[of_row.ravel()]


def scaled_down(values: FloatArray) -> FloatArray:
    """Divide every column by a power of two, which rounds nothing, until all are at most 1.

    Two of the largest floats have no difference otherwise.
    """
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.ldexp(values, -np.frexp(finite.max(axis=0))[1])


# ------------------------------------------------------------------------------- R1 and the classes


def _classes(
    points: FloatArray, ranks: Int32Array, metric: BoolArray, rule: PairRule, memory: float
) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
    """Pairs of R1 sorted by key, where each class of equal keys starts, and the keys."""
    if not metric.any():
        none = np.empty(0, dtype=np.int32)
        return none, none, np.zeros(1, dtype=np.int32), np.empty((0, 0), dtype=np.int32)
    count = int(_count_pairs(ranks))
    if count * _PAIR_BYTES > memory:
        strict = count - len(points)
        raise BayescompareError(
            f"{len(points)} distinct quality vectors make {strict} ordered pairs, which need about "
            f"{count * _PAIR_BYTES / 1e9:.1f} GB of the {memory / 1e9:.1f} GB allowed: compare on "
            "fewer datasets, round the values, or treat every measure as ordinal."
        )
    upper, lower = _fill_pairs(ranks, count)
    keys = _keys(points, ranks, metric, rule, upper, lower)
    order = np.lexsort((upper != lower, *keys.T[::-1]))
    upper, lower, keys = upper[order], lower[order], keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    # One (a, a) stands for all of its class: it comes first, and its gain is 0 whatever u is.
    keep = new | (upper != lower)
    starts = np.append(np.flatnonzero(new[keep]), keep.sum()).astype(np.int32)
    return upper[keep], lower[keep], starts, np.ascontiguousarray(keys[new])


def _keys(
    points: FloatArray,
    ranks: Int32Array,
    metric: BoolArray,
    rule: PairRule,
    upper: Int32Array,
    lower: Int32Array,
) -> Int32Array:
    """Key of every pair, as ranks."""
    values, columns = scaled_down(points), []
    for i in np.flatnonzero(metric):
        columns.append(_runs(values[upper, i] - values[lower, i], values[:, i])[0])
    if rule == "interval":
        for j in np.flatnonzero(~metric):
            columns += [ranks[upper, j], ranks[:, j].max() - ranks[lower, j]]
    return np.stack(columns, axis=1).astype(np.int32)


def _written_rows(
    points: FloatArray,
    ranks: Int32Array,
    prefers: Prefers | None,
    prefers_more: PrefersMore | None,
) -> tuple[Int32Array, BoolArray]:
    """All rows of a user's R1 and R2, after the bounds of every point, and which are equalities."""
    size = len(points)
    if prefers is None:
        above = (ranks[:, None] >= ranks[None]).all(axis=2)
    else:
        above = np.array([[bool(prefers(a, b)) for b in points] for a in points])
        above[GREATEST], above[:, LEAST] = True, True
        above |= np.eye(size, dtype=np.bool_)
        gaps = np.argwhere((above.astype(np.int64) @ above > 0) & ~above)
        if len(gaps):
            a, c = gaps[0]
            (b, *_) = np.flatnonzero(above[a] & above[:, c])
            raise BayescompareError(
                f"prefers is not transitive: {_shown(points[a])} is preferred to "
                f"{_shown(points[b])} and that to {_shown(points[c])}, but the first not to the "
                "last."
            )
    pairs = [(a, b) for a, b in np.argwhere(above).tolist() if a != b]
    rows = [(a, b, b, b) for a, b in pairs]
    equal = [bool(above[b, a]) for a, b in pairs]
    if prefers_more is not None:
        if len(pairs) > MOST_ASKED:
            raise BayescompareError(
                f"prefers_more: {size} distinct quality vectors make {len(pairs)} ordered pairs, "
                f"and every two are asked about, up to {MOST_ASKED} pairs: compare on fewer "
                "datasets, round the values, or use system='pair'."
            )
        gains = [(points[a], points[b]) for a, b in pairs]
        more = np.array([[bool(prefers_more(*p, *q)) for q in gains] for p in gains])
        for i, j in np.argwhere(more).tolist():
            if i != j and not (more[j, i] and j < i):
                rows.append((*pairs[i], *pairs[j]))
                equal.append(bool(more[j, i]))
    inner = range(2, size)
    bounds = [(a, *[LEAST] * 3) for a in inner] + [(GREATEST, *[a] * 3) for a in inner]
    every = np.array(bounds + rows, dtype=np.int32).reshape(-1, 4)
    return every, np.array([False] * len(bounds) + equal, dtype=np.bool_)


def _shown(point: FloatArray) -> str:
    return f"({', '.join(f'{value:g}' for value in point)})"


@jit()
def is_at_most(keys: Int32Array, e: int, others: Int32Array, c: int) -> bool:
    """Whether row e of keys is at most row c of the others in every coordinate."""
    below = True
    for i in range(keys.shape[1]):
        if keys[e, i] > others[c, i]:
            below = False
            break
    return below


@jit()
def _count_pairs(ranks: Int32Array) -> int:
    count = 0
    for a in range(len(ranks)):
        for b in range(len(ranks)):
            count += is_at_most(ranks, b, ranks, a)
    return count


@jit()
def _fill_pairs(ranks: Int32Array, count: int) -> tuple[Int32Array, Int32Array]:
    """Pairs (a, b) with a ≥ b, those with themselves included."""
    upper, lower = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    n = 0
    for a in range(len(ranks)):
        for b in range(len(ranks)):
            if is_at_most(ranks, b, ranks, a):
                upper[n], lower[n] = a, b
                n += 1
    return upper, lower


# ------------------------------------------------------------------- rows and utilities to begin wi


def cover_rows(system: PreferenceSystem) -> Int32Array:
    """Return u(a) − u(b) − u(b) + u(b) ≥ δ as (a, b, b, b) for every a that covers b in R1.

    A chain of covers leads from the greater to the lesser of any pair, so these rows imply all
    of R1. The first rows bound every point between least and greatest by these two, cover or not:
    first all by the least, then all by the greatest.

    Examples
    --------
    >>> system = build_system([[0.5]], [[0.2]], [0.0], [1.0], [True])
    >>> cover_rows(system)[:, :2].tolist()
    [[2, 0], [3, 0], [1, 2], [1, 3], [3, 2]]
    """
    inner = np.arange(2, system.size, dtype=np.int32)
    least, greatest = np.full_like(inner, LEAST), np.full_like(inner, GREATEST)
    # Every point comes before all that are below it.
    downwards = np.argsort(-system.ranks.sum(axis=1, dtype=np.int64))
    pairs = np.array(_covers(system.ranks, downwards), dtype=np.int32)
    between = (pairs[:, 0] != GREATEST) & (pairs[:, 1] != LEAST)
    ends = [np.stack([inner, least], 1), np.stack([greatest, inner], 1)]
    return np.concatenate([*ends, pairs[between]])[:, [0, 1, 1, 1]]


@jit()
def _covers(ranks: Int32Array, downwards: IntArray) -> list[tuple[int, int]]:
    """Pairs (a, b) with a > b and nothing between them."""
    covers = []
    below = np.empty(len(ranks), dtype=np.int32)
    for a in range(len(ranks)):
        count = 0
        for b in downwards:
            if b == a or not is_at_most(ranks, b, ranks, a):
                continue
            covered = True
            for i in range(count):
                if is_at_most(ranks, b, ranks, below[i]):
                    covered = False
                    break
            if covered:
                below[count] = b
                count += 1
                covers.append((a, b))
    return covers


def linear_utilities(system: PreferenceSystem) -> FloatArray:
    """Return utilities of N⁰, one for each measure that can be one by itself.

    A metric measure from its least to its greatest value; the rank in an ordinal one, unless the
    rule is ``jansen2022`` and some measure is metric.

    Examples
    --------
    >>> system = build_system([[0.5, 3]], [[0.2, 9]], [0, 0], [1, 10], [True, False])
    >>> linear_utilities(system)[:, 2:].round(3).tolist()
    [[0.2, 0.5], [0.667, 0.333]]
    """
    scales = np.where(system.metric, system.points, system.ranks)
    allowed = scales[GREATEST] > scales[LEAST]
    if system.rule == "jansen2022" and not system.all_ordinal:
        allowed &= system.metric
    scales = scaled_down(scales[:, allowed])
    low, high = scales[LEAST], scales[GREATEST]
    return np.ascontiguousarray(((scales - low) / (high - low)).T)
