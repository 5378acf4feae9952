r"""Lower bounds of many optima at once, by operator splitting over a pool of rows.

For rows :math:`A u \ge b` the alternating direction method of multipliers repeats

.. math:: u = (A^\top A)^{-1} (A^\top (b + |s|) - w / \rho), \qquad
          s \leftarrow \alpha (A u - b) + (1 - \alpha) s^+ - s^- ,

where :math:`s^+` is the slack and :math:`y = \rho s^-` are multipliers. One matrix serves every
objective w, so a block of objectives costs one matrix product and one pass over the rows in each
step, and no pivots. It does not end in a vertex, and it need not: *any* y ≥ 0 gives the bound

.. math:: w \cdot u \ge b \cdot y + \sum_j \min_{l_j \le u_j \le h_j} r_j u_j ,
          \qquad r = w - A^\top y ,

for every u in N^δ, once the box [l, h] contains all of N^δ. The box comes from the same bound with
:math:`w = \pm e_j`, beginning with [0, 1]: it is narrow, because R2 leaves little besides weighted
sums of the measures, and then a few dozen steps decide most objectives.

References
----------
Boyd, Parikh, Chu, Peleato & Eckstein (2011), Distributed optimization and statistical learning via
the alternating direction method of multipliers, sections 3.4.3 and 5.2.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.system import GREATEST
from bayescompare.kernels.numerics.jit import jit

__all__ = ["SplitBlock", "SplitPool"]


#: Over-relaxation α, and ρ for objectives with Σ|w| = 2.
_RELAXATION, _PENALTY = 1.6, 0.03


class SplitPool:
    """The rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and what every objective shares.

    Parameters
    ----------
    size : int
        Number of points.
    rows : array (r, 4)
        Among them rows that bound every point, so that AᵀA is regular.
    equal : array (r,)
    delta : float
    """

    def __init__(self, size: int, rows: Int32Array, equal: BoolArray, delta: float) -> None:
        self.size, self.delta = size, delta
        self.rows, self.equal = rows, equal
        self.low, self.high = np.zeros(size), np.ones(size)
        self._normal = np.zeros((size, size))
        self._prepare(rows)

    def _prepare(self, new: Int32Array) -> None:
        top = (self.rows == GREATEST) @ np.array([1.0, -1.0, -1.0, 1.0])
        self.offset = self.delta * ~self.equal - top
        _add_split_rows(new, self._normal)
        self.inverse = np.linalg.inv(self._normal[2:, 2:])
        self._codes = np.sort(self._encoded(self.rows))

    def _encoded(self, rows: Int32Array) -> IntArray:
        """One number for each row."""
        columns = rows.astype(np.int64).T
        code = columns[0]
        for column in columns[1:]:
            code = code * self.size + column
        return np.asarray(code)

    def add(self, rows: Int32Array, equal: BoolArray, most: int) -> None:
        """Add the first `most` rows that are not there yet."""
        code = self._encoded(rows)
        at = np.minimum(np.searchsorted(self._codes, code), len(self._codes) - 1)
        new = np.flatnonzero(self._codes[at] != code)
        _, first = np.unique(code[new], return_index=True)
        new = new[np.sort(first)[:most]]
        if len(new):
            self.rows = np.concatenate([self.rows, rows[new]])
            self.equal = np.concatenate([self.equal, equal[new]])
            self._prepare(rows[new])


class SplitBlock:
    """Some objectives over one pool, each with its utility u and its s.

    Parameters
    ----------
    pool : SplitPool
        Rows that are added to it later are taken up at the next step.
    objectives : array (n, d)
    start : array (n, d)
        Utilities to start from.

    Examples
    --------
    >>> rows = np.array([[2, 0, 0, 0], [1, 2, 2, 2]], dtype=np.int32)
    >>> pool = SplitPool(3, rows, np.zeros(2, dtype=bool), 0.1)
    >>> w = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    >>> block = SplitBlock(pool, w, np.array([[0.0, 1.0, 0.5]] * 2))
    >>> block.step(200)
    >>> block.bounds().round(6).tolist()
    [0.1, -0.9]
    """

    def __init__(self, pool: SplitPool, objectives: FloatArray, start: FloatArray) -> None:
        self._pool = pool
        self._w = np.ascontiguousarray(objectives.T)
        self._penalty = _PENALTY * np.maximum(np.abs(self._w).sum(axis=0), 1e-300) / 2.0
        self._u = np.ascontiguousarray(start.T)
        self._u[:2] = 0.0
        self._s = np.empty((0, len(objectives)))

    def step(self, count: int) -> None:
        """Take `count` steps."""
        pool, u, s = self._pool, self._u, self._s
        if len(s) < len(pool.rows):
            fresh = _split_slacks(pool.rows[len(s) :], pool.offset[len(s) :], u)
            self._s = s = np.concatenate([s, fresh])
        side = _split_side(pool.rows, pool.equal, pool.offset, s, pool.size)
        pull = self._w / self._penalty
        for _ in range(count):
            u[2:] = pool.inverse @ (side - pull)[2:]
            _split_step(pool.rows, pool.equal, pool.offset, u, s, side)

    def bounds(self) -> FloatArray:
        """Return lower bounds of the optima over N^δ."""
        pool, count = self._pool, len(self._s)
        return np.asarray(
            _split_bounds(
                pool.rows[:count],
                pool.equal[:count],
                pool.delta,
                self._s,
                self._penalty,
                self._w,
                pool.low,
                pool.high,
            )
        )

    @property
    def utilities(self) -> FloatArray:
        """Utilities close to the optima, (n, d); they may violate rows, also of the pool."""
        u = self._u.T.copy()
        u[:, GREATEST] = 1.0
        return np.clip(u, 0.0, 1.0, out=u)

    def keep(self, which: BoolArray) -> None:
        """Drop all other objectives."""
        self._penalty = self._penalty[which]
        self._w = np.ascontiguousarray(self._w[:, which])
        self._u = np.ascontiguousarray(self._u[:, which])
        self._s = np.ascontiguousarray(self._s[:, which])


@jit()
def _add_split_rows(rows: Int32Array, normal: FloatArray) -> None:
    """Add new rows to AᵀA, in place."""
    signs = (1.0, -1.0, -1.0, 1.0)
    for row in rows:
        for i in range(4):
            for j in range(4):
                normal[row[i], row[j]] += signs[i] * signs[j]


@jit()
def _split_slacks(rows: Int32Array, offset: FloatArray, u: FloatArray) -> FloatArray:
    """Slacks of the rows, at least zero."""
    s = np.empty((len(rows), u.shape[1]))
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        for j in range(u.shape[1]):
            s[i, j] = max(u[a, j] - u[b, j] - u[c, j] + u[d, j] - offset[i], 0.0)
    return s


@jit()
def _split_side(
    rows: Int32Array, equal: BoolArray, offset: FloatArray, s: FloatArray, size: int
) -> FloatArray:
    """The right-hand side Aᵀ(b + |s|); of rows of equality Aᵀ(b − s)."""
    side = np.zeros((size, s.shape[1]))
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        for j in range(s.shape[1]):
            t = offset[i] + (-s[i, j] if equal[i] else abs(s[i, j]))
            side[a, j] += t
            side[b, j] -= t
            side[c, j] -= t
            side[d, j] += t
    return side


@jit(fastmath={"reassoc", "contract", "nsz"})
def _split_step(
    rows: Int32Array,
    equal: BoolArray,
    offset: FloatArray,
    u: FloatArray,
    s: FloatArray,
    side: FloatArray,
) -> None:
    """One step of s, and the right-hand side for the next u; both in place."""
    side[:] = 0.0
    count = u.shape[1]
    t = np.empty(count)
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        ua, ub, uc, ud = u[a], u[b], u[c], u[d]
        si, o = s[i], offset[i]
        if equal[i]:
            for j in range(count):
                si[j] += _RELAXATION * (ua[j] - ub[j] - uc[j] + ud[j] - o)
                t[j] = o - si[j]
        else:
            for j in range(count):
                v = ua[j] - ub[j] - uc[j] + ud[j] - o
                x = si[j]
                x = _RELAXATION * v + (x if x < 0.0 else (1.0 - _RELAXATION) * x)
                si[j] = x
                t[j] = o + abs(x)
        sa, sb, sc, sd = side[a], side[b], side[c], side[d]
        for j in range(count):
            sa[j] += t[j]
        for j in range(count):
            sb[j] -= t[j]
        for j in range(count):
            sc[j] -= t[j]
        for j in range(count):
            sd[j] += t[j]


@jit()
def _split_bounds(
    rows: Int32Array,
    equal: BoolArray,
    delta: float,
    s: FloatArray,
    penalty: FloatArray,
    w: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """The bound that the multipliers y = ρ s⁻ prove; y = −ρ s for rows of equality."""
    count = s.shape[1]
    rest, bound = w.copy(), np.zeros(count)
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        for j in range(count):
            x = s[i, j]
            if x < 0.0 or equal[i]:
                y = -x * penalty[j]
                rest[a, j] -= y
                rest[b, j] += y
                rest[c, j] += y
                rest[d, j] -= y
                if not equal[i]:
                    bound[j] += delta * y
    for j in range(count):
        bound[j] += rest[GREATEST, j]
    for point in range(2, len(rest)):
        for j in range(count):
            r = rest[point, j]
            bound[j] += r * (low[point] if r > 0.0 else high[point])
    return bound
