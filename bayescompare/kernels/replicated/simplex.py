r"""The count recursion over *all* vectors of counts, forth and back, one version at a time.

After i datasets the vectors of t counts are those that sum to i, in lexicographic order. Vectors
that differ only in the last two counts, (…, v, r − v) for v = 0 … r, follow each other: a *run*.
One more dataset that shows statement s moves a whole run to a whole run, so the recursions of
`recursion` and `smoothing` are sums of shifted, scaled rows of numbers, without any look-up of a
vector. That is several times faster than codes, where most vectors can occur at all.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

#: Sums may be taken in any order, which lets the compiler add several numbers at once.
_ANY_ORDER = {"reassoc", "contract", "nsz"}


class SimplexRuns(NamedTuple):
    """The runs of all levels before the last, one after the other.

    Attributes
    ----------
    outer : array (runs, t − 2)
        All counts but the last two.
    target : array (runs, t − 1)
        Where the run begins at the next level, if one of the outer counts grows, or the last.
        If the last but one grows, it begins one place later.
    length : array (runs,)
    ends : array (n + 1,)
        The first run of every level.
    sizes : array (n + 1,)
        Vectors of every level.
    """

    outer: IntArray
    target: IntArray
    length: IntArray
    ends: IntArray
    sizes: IntArray


class SimplexCounts(NamedTuple):
    """The posterior of the counts of t statements.

    Attributes
    ----------
    vectors : array (M, t)
        In lexicographic order.
    weight : array (M, R)
        Their probabilities in each version.
    log_evidence : array (R,)
    each : array (n, t, R), optional
        P(z_i = s | all datasets).
    """

    vectors: IntArray
    weight: FloatArray
    log_evidence: FloatArray
    each: FloatArray | None


def simplex_numbers(datasets: int, statements: int) -> int:
    """How many vectors all levels have together, which is what the way back has to keep.

    Examples
    --------
    >>> simplex_numbers(2, 2), simplex_numbers(50, 4)
    (6, 316251)
    """
    return math.comb(datasets + statements, statements)


def simplex_counts(
    value: FloatArray, balls: FloatArray, masses: FloatArray, *, each: bool
) -> SimplexCounts:
    r"""Return the posterior of the counts, from :math:`\ell_i(s)` and the factors of the urn.

    Parameters
    ----------
    value : array (n, R, t)
        Of at least one dataset and two statements.
    balls : array (t, n)
        What ℓ of a statement is multiplied by, given its count before.
    masses : array (n,)
        What it is divided by, given the number of datasets before.
    each : bool
        Whether P(z_i = s | all) is wanted, too.

    Examples
    --------
    Two datasets that lean to the first of two statements, under a uniform θ:

    >>> value = np.full((2, 1, 2), [0.75, 0.25])
    >>> balls, masses = np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([2.0, 3.0])
    >>> counts = simplex_counts(value, balls, masses, each=True)
    >>> counts.vectors.tolist(), counts.weight[:, 0].round(6).tolist()
    ([[0, 2], [1, 1], [2, 0]], [0.076923, 0.230769, 0.692308])
    >>> counts.each[:, :, 0].round(6).tolist()
    [[0.807692, 0.192308], [0.807692, 0.192308]]
    """
    n, versions, t = value.shape
    runs = _runs(n, t)
    last = int(runs.sizes[-1])
    # The way back needs all levels; forth, every other one takes the place of the one before it.
    starts = runs.sizes.cumsum() - runs.sizes if each else np.arange(n + 1) % 2 * last
    # Both are used again for every version: new memory is dear.
    levels, back = np.empty(int(starts.max()) + last), np.empty((2, last))
    weight, log_evidence = np.empty((versions, last)), np.empty(versions)
    shown = np.empty((versions, n, t))
    for r in range(versions):
        own = np.ascontiguousarray(value[:, r])
        log_evidence[r], total = _follow(own, balls, masses, *runs, starts, levels)
        np.divide(levels[starts[n] : starts[n] + last], total, out=weight[r])
        if each:
            _retrace(own, balls, masses, *runs, levels, back, shown[r])
    return SimplexCounts(
        _vectors(n, t),
        np.ascontiguousarray(weight.T),
        log_evidence,
        (shown / shown.sum(axis=2, keepdims=True)).transpose(1, 2, 0) if each else None,
    )


@functools.lru_cache(maxsize=4)
def _runs(datasets: int, statements: int) -> SimplexRuns:
    """Number the runs; kept, for all pairs of algorithms have the same."""
    sizes = [math.comb(i + statements - 1, statements - 1) for i in range(datasets + 1)]
    return SimplexRuns(*_number_runs(datasets, statements), np.array(sizes))


@functools.lru_cache(maxsize=4)
def _vectors(total: int, parts: int) -> IntArray:
    """All vectors of so many counts that sum to `total`, in lexicographic order.

    Examples
    --------
    >>> _vectors(1, 3).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    vectors = np.zeros((math.comb(total + parts - 1, parts - 1), parts), dtype=np.int64)
    _fill_vectors(vectors, total)
    vectors.setflags(write=False)
    return vectors


@jit()
def _fill_vectors(vectors: IntArray, total: int) -> None:
    t = vectors.shape[1]
    now = np.zeros(t, dtype=np.int64)
    now[t - 1] = total
    for m in range(len(vectors)):
        vectors[m] = now
        # The last count that can be given away goes to its neighbour, the rest to the end.
        k = t - 1
        while k > 0 and now[k] == 0:
            k -= 1
        if k > 0:
            rest = now[k] - 1
            now[k] = 0
            now[k - 1] += 1
            now[t - 1] = rest


@jit()
def _number_of_vectors(total: int, parts: int) -> int:
    """How many vectors of so many counts have this total."""
    number = 1
    for k in range(1, parts):
        number = number * (total + k) // k
    return number


@jit()
def _place_of(outer: IntArray, total: int, parts: int) -> int:
    """Place of the first vector that begins with `outer`, among those with this total."""
    place, rest = 0, total
    for k in range(len(outer)):
        place += _number_of_vectors(rest, parts - k)
        place -= _number_of_vectors(rest - outer[k], parts - k)
        rest -= outer[k]
    return place


@jit()
def _number_runs(n: int, t: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return all of `SimplexRuns` but the sizes."""
    ends = np.zeros(n + 1, dtype=np.int64)
    for level in range(n):
        ends[level + 1] = ends[level] + _number_of_vectors(level, t - 1)
    outer = np.zeros((ends[n], t - 2), dtype=np.int64)
    target = np.zeros((ends[n], t - 1), dtype=np.int64)
    length = np.zeros(ends[n], dtype=np.int64)
    for level in range(n):
        now, rest = np.zeros(t - 2, dtype=np.int64), level
        for k in range(ends[level], ends[level + 1]):
            outer[k], length[k] = now, rest + 1
            for j in range(t - 2):
                now[j] += 1
                target[k, j] = _place_of(now, level + 1, t)
                now[j] -= 1
            target[k, t - 2] = _place_of(now, level + 1, t)
            j = t - 3
            while j >= 0 and rest == 0:
                rest += now[j]
                now[j] = 0
                j -= 1
            if j >= 0:
                now[j] += 1
                rest -= 1
    return outer, target, length, ends


@jit(fastmath=_ANY_ORDER)
def _sum(numbers: FloatArray) -> float:
    """Add, in any order; numba's own sum adds one number after the other."""
    total = 0.0
    for m in range(len(numbers)):
        total += numbers[m]
    return total


@jit(fastmath=_ANY_ORDER)
def _factors(
    value: FloatArray, balls: FloatArray, divisor: float, up: FloatArray, down: FloatArray
) -> FloatArray:
    """Fill the factors of the last two counts by place in a run, the last one's from the end."""
    t, i = len(value), len(up) - 1
    for v in range(i + 1):
        up[v] = value[t - 2] / divisor * balls[t - 2, v]
        down[i - v] = value[t - 1] / divisor * balls[t - 1, v]
    return value / divisor


@jit(fastmath=_ANY_ORDER)
def _follow(
    value: FloatArray,
    balls: FloatArray,
    masses: FloatArray,
    outer: IntArray,
    target: IntArray,
    lengths: IntArray,
    ends: IntArray,
    sizes: IntArray,
    starts: IntArray,
    levels: FloatArray,
) -> tuple[float, float]:
    """Fill the weights of the levels; return the log evidence and the sum of the last level."""
    n = len(value)
    up, down = np.empty(n), np.empty(n)
    levels[starts[0]] = 1.0
    total, log_evidence = 1.0, 0.0
    for i in range(n):
        at, after = starts[i], starts[i + 1]
        out, now = levels[after : after + sizes[i + 1]], slice(ends[i], ends[i + 1])
        # The weights before are scaled to sum to one, by scaling what they are multiplied with.
        factor = _factors(value[i], balls, masses[i] * total, up[: i + 1], down[: i + 1])
        _advance(
            levels[at : at + sizes[i]], out, outer[now], target[now], lengths[now],
            factor, balls, up, down[: i + 1],
        )  # fmt: skip
        total = _sum(out)
        log_evidence += math.log(total)
    return log_evidence, total


# Unsigned numbers cannot count from the end of an array, so the loops over a run need no test for
# that and are turned into vector instructions.


@jit(fastmath=_ANY_ORDER)
def _advance(
    weight: FloatArray,
    out: FloatArray,
    outer: IntArray,
    target: IntArray,
    lengths: IntArray,
    factor: FloatArray,
    balls: FloatArray,
    up: FloatArray,
    down: FloatArray,
) -> None:
    """V_i from V_{i−1}, run by run.

    From the last run to the first, the first thing that comes to a place is a shift of one of the
    last two counts, so nothing has to be cleared but the places that have no such thing.
    """
    last, one, size = outer.shape[1], np.uint64(1), np.uint64(len(down))
    for k in range(len(outer)):
        if lengths[k] == 1:
            for j in range(last):
                out[target[k, j]] = 0.0
    p = np.uint64(len(weight))
    for k in range(len(outer) - 1, -1, -1):
        length, first = np.uint64(lengths[k]), np.uint64(target[k, last])
        skipped = size - length
        p -= length
        out[first] = weight[p] * down[skipped]
        for v in range(one, length):
            out[first + v] = weight[p + v] * down[skipped + v] + weight[p + v - one] * up[v - one]
        out[first + length] = weight[p + length - one] * up[length - one]
        for j in range(last):
            scale, first = factor[j] * balls[j, outer[k, j]], np.uint64(target[k, j])
            for v in range(length):
                out[first + v] += scale * weight[p + v]


@jit(fastmath=_ANY_ORDER)
def _retrace(
    value: FloatArray,
    balls: FloatArray,
    masses: FloatArray,
    outer: IntArray,
    target: IntArray,
    lengths: IntArray,
    ends: IntArray,
    sizes: IntArray,
    levels: FloatArray,
    back: FloatArray,
    each: FloatArray,
) -> None:
    """Fill the unnormalised P(z_i = s | all), (n, t), from the weights of all levels."""
    n = len(value)
    up, down = np.empty(n), np.empty(n)
    after, before = back[0], back[1]
    after[:] = 1.0
    at, total = len(levels) - sizes[n], 1.0
    for i in range(n - 1, -1, -1):
        at -= sizes[i]
        now = slice(ends[i], ends[i + 1])
        # B is scaled to sum to one, lest it underflows over many datasets.
        factor = _factors(value[i], balls, masses[i] * total, up[: i + 1], down[: i + 1])
        _retreat(
            levels[at : at + sizes[i]], after, before, outer[now], target[now], lengths[now],
            factor, balls, up, down[: i + 1], each[i],
        )  # fmt: skip
        total = _sum(before[: sizes[i]])
        after, before = before, after


@jit(fastmath=_ANY_ORDER)
def _retreat(
    weight: FloatArray,
    after: FloatArray,
    before: FloatArray,
    outer: IntArray,
    target: IntArray,
    lengths: IntArray,
    factor: FloatArray,
    balls: FloatArray,
    up: FloatArray,
    down: FloatArray,
    each: FloatArray,
) -> None:
    """B_{i−1} from B_i, run by run, and the unnormalised P(z_i = s | all)."""
    last, one, size = outer.shape[1], np.uint64(1), np.uint64(len(down))
    each[:] = 0.0
    p = np.uint64(0)
    for k in range(len(outer)):
        length, first = np.uint64(lengths[k]), np.uint64(target[k, last])
        grown, skipped = first + one, size - length
        lower = upper = 0.0
        for v in range(length):
            least, most = down[skipped + v] * after[first + v], up[v] * after[grown + v]
            before[p + v] = least + most
            lower += weight[p + v] * least
            upper += weight[p + v] * most
        each[last + 1] += lower
        each[last] += upper
        for j in range(last):
            scale, first = factor[j] * balls[j, outer[k, j]], np.uint64(target[k, j])
            own = 0.0
            for v in range(length):
                before[p + v] += scale * after[first + v]
                own += weight[p + v] * after[first + v]
            each[j] += scale * own
        p += length
