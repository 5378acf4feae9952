r"""P(max) under a tree of binary measures, exactly, by message passing.

The statement of largest θ is found by max-product: given its parent's state x, measure v passes up

.. math:: M_v(x) = \max_y \bigl[\log p_v(y \mid x) + \textstyle\sum_{c} M_c(y)\bigr]

over its children c. All that the parent needs of it is the log ratio
:math:`D_v = M_v(0) - M_v(1)`, one number, and whether the states chosen in the subtree, given the
parent's state in a statement s, are those of s. So what is passed up for s is the characteristic
function of :math:`D_v` on that event. Given the sum C of the children's ratios, the two rows of v's
table are independent. With :math:`A_0, A_1` (see below) at the threshold −C, those of the row of
the other parent's state primed,

.. math:: E[e^{iωD_v};\, s_v = 0 \mid C, x = 0] =
          A_0(ω)\,\overline{A_0'(ω) + e^{-iωC} A_1'(ω)} :

given x the decision must be that of s; given the other state it is free, and only its value
matters. The other three cases are mirror images. Independent children multiply their
characteristic functions, and the expectation over C is a sum over a `RatioGrid`. Statements share
all that they have in common in a subtree.

The sum C lies in a bounded interval. A function h that is analytic in C is averaged over the law of
C by its characteristic function: h is faded out beyond the interval by a Kaiser window, which makes
it periodic without a kink, and

.. math:: E\,h(C) = \sum_k h(c_k)\,w(c_k)\,q_k, \qquad
          q_k = \frac1N \sum_{|j| < N/2} E[e^{iω_j C}]\,e^{-iω_j c_k}

is exact but for frequencies of h·w beyond ω_{N/2}.

**The logarithm of a Beta cell above its rival.** A row of a binary measure's table is
:math:`(p, 1 - p)` with p ~ Beta(a, b). For thresholds t of its log odds
:math:`z = \log p - \log(1 - p)` and frequencies ω,

.. math:: A_0(t, ω) = E[e^{iω \log p};\, z > t], \qquad
          A_1(t, ω) = E[e^{iω \log (1 - p)};\, z < t].

The density of z is log-concave and analytic, so Gauss–Legendre panels between the thresholds are
enough, however small the shapes: beyond log odds of ±40 the logarithm is 0 but for rounding, and
what lies there is an atom.

References
----------
Dawid (1992), Applications of a general propagation algorithm for probabilistic expert systems, for
max-product; the laws of its messages are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import betainc, expit, i0e

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.kernels.numerics.jit import jit

#: Rules of growing fineness: points of the grids relative to the estimate, nodes of a panel.
_RULES = ((0.8, 4), (0.95, 5), (1.3, 6), (2.0, 8), (3.0, 10))
#: Two successive rules must agree to this on every statement.
_TOLERANCE = 1e-10
#: Largest sum of the sizes of all transfer matrices, at 16 bytes an entry.
_MOST_ENTRIES = 8_000_000
#: Statements whose laws are in memory at a time.
_BLOCK = 4096
#: Largest grid: beyond it drawing is faster.
MOST_POINTS = 1024
#: Shape of the Kaiser window: what it leaves out is e^−26.
_KAISER = 26.0
#: Intervals are not taken narrower than this.
_NARROWEST = 1e-9
#: Points at which the bounds of a log ratio are computed.
_TRIED = 65
#: Log odds beyond which log p is 0 but for rounding.
_CLIP = 40.0
#: What is this far below the peak of a log density is left out: 2e-16 of it.
_NEGLIGIBLE = -36.0
#: Panels are at most this wide; the density is analytic within π of the real line.
_WIDEST = 2.0
#: Square of a panel's width times the curvature of the log density, at most.
_BENT = 4.0


def is_binary_tree(tables: NetworkTables) -> bool:
    """Whether all measures have two states and at most one parent, and exactly one has none."""
    roots = sum(not above for above in tables.parents)
    single = all(len(above) <= 1 for above in tables.parents)
    return roots == 1 and single and bool((tables.arities == 2).all())


def tree_maximum(tables: NetworkTables, states: IntArray) -> FloatArray | None:
    """P(each of the statements has the largest θ), to 1e-10.

    Parameters
    ----------
    tables : Tables
        Of a binary tree.
    states : array (R, k)
        Statements, in the order of the tables' members.

    Returns
    -------
    array (R,) or None
        None if no two successive rules agree, or they would take too much.

    Examples
    --------
    Two measures in a tree are a Dirichlet over four statements:

    >>> from bayescompare.kernels.network.scores import CellPrior
    >>> seen = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> counts = np.array([1.0, 2.0, 3.0, 6.0])
    >>> tables = NetworkTables.count(seen, counts, [2, 2], [0, 1], [0, 1], CellPrior())
    >>> tree_maximum(tables, seen).round(9)
    array([0.01236333, 0.05192299, 0.13750009, 0.79821359])
    """
    tree = _Tree.of(tables)
    blocks = [
        _Parts.list(tree, states[start : start + _BLOCK]) for start in range(0, len(states), _BLOCK)
    ]
    before = None
    for scale, nodes in _RULES:
        grids = tree.grids(scale)
        if not _affordable(tree, grids):
            return None
        now = _probabilities(tree, grids, nodes, blocks)
        if before is not None and float(np.abs(now - before).max(initial=0.0)) <= _TOLERANCE:
            return np.clip(now, 0.0, 1.0)
        before = now
    return None


@dataclass(frozen=True)
class _Tree:
    """A tree of binary measures, parents before children.

    Attributes
    ----------
    parent : tuple of int
        Position of each measure's parent; −1 for the root, which is the first.
    children : tuple of tuple of int
    shapes : tuple of array (rows, 2)
        Parameters of the Betas; a row for each state of the parent.
    ratios : tuple of (float, float)
        Where each measure's log ratio lies.
    """

    parent: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    shapes: tuple[FloatArray, ...]
    ratios: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, tables: NetworkTables) -> _Tree:
        """Read the posterior tables."""
        parent = tuple(above[0] if above else -1 for above in tables.parents)
        size = len(parent)
        children = tuple(tuple(c for c in range(size) if parent[c] == v) for v in range(size))
        posterior = tables.alpha + tables.counts
        shapes = tuple(
            posterior[tables.offsets[v] : tables.offsets[v + 1]].reshape(-1, 2) for v in range(size)
        )
        ratios = [(0.0, 0.0)] * size
        for v in range(size - 1, 0, -1):
            ratios[v] = ratio_range(shapes[v], *sum_of_ranges(ratios[c] for c in children[v]))
        return cls(parent, children, shapes, tuple(ratios))

    def grids(self, scale: float) -> tuple[RatioGrid, ...]:
        """A grid over the children of every measure; `scale` is its fineness."""
        grids = []
        for kids, shapes in zip(self.children, self.shapes, strict=True):
            span = sum_of_ranges(self.ratios[c] for c in kids)
            counts = float(shapes.sum(axis=1).max())
            grids.append(RatioGrid.over(*span, counts, scale) if kids else RatioGrid(0.0, 1.0, 0))
        return tuple(grids)


@dataclass(frozen=True)
class _Parts:
    """The distinct parts of some statements at one measure and below it.

    Attributes
    ----------
    own : array (Q,)
        The measure's own state in each part.
    below : tuple of array (Q,)
        Which part of each child belongs to it.
    place : array (R,)
        The part that each statement has.
    """

    own: IntArray
    below: tuple[IntArray, ...]
    place: IntArray

    @classmethod
    def list(cls, tree: _Tree, states: IntArray) -> list[_Parts]:
        """List the parts of every measure."""
        parts: dict[int, _Parts] = {}
        for v in range(len(tree.parent) - 1, -1, -1):
            below = [parts[c].place for c in tree.children[v]]
            first, place = np.unique(states[:, v], return_index=True, return_inverse=True)[1:]
            for key in below:
                code = place * (int(key.max(initial=0)) + 1) + key
                first, place = np.unique(code, return_index=True, return_inverse=True)[1:]
            parts[v] = cls(states[first, v], tuple(key[first] for key in below), place)
        return [parts[v] for v in range(len(tree.parent))]


def _affordable(tree: _Tree, grids: Sequence[RatioGrid]) -> bool:
    entries = sum(
        4 * max(grid.size, 1) * grids[above].count
        for grid, above in zip(grids[1:], tree.parent[1:], strict=True)
    )
    return max(grid.size for grid in grids) <= MOST_POINTS and entries <= _MOST_ENTRIES


def _probabilities(
    tree: _Tree,
    grids: Sequence[RatioGrid],
    nodes: int,
    blocks: Sequence[Sequence[_Parts]],
) -> FloatArray:
    """P(max) of every statement by one rule."""
    transfers = [_root_transfer(tree.shapes[0][0], grids[0])]
    for v in range(1, len(grids)):
        transfers.append(_transfer(tree, grids, v, nodes))
    return np.concatenate([_pass_up(tree, grids, transfers, parts) for parts in blocks])


def _root_transfer(shape: FloatArray, grid: RatioGrid) -> AnyArray:
    """P(the root's state is the one chosen) given C, as (state, 1, points, 1)."""
    a, b = shape
    c = grid.points
    chosen = np.stack([betainc(b, a, expit(c)), betainc(a, b, expit(-c))])
    return (chosen * grid.window)[:, None, :, None].astype(np.complex128)


def _transfer(tree: _Tree, grids: Sequence[RatioGrid], v: int, nodes: int) -> AnyArray:
    """Transforms of v's log ratio given C, as (own state, parent's state, points, frequencies).

    Measured from the centre of the ratio's interval, at the frequencies of the parent's grid.
    """
    grid, above = grids[v], grids[tree.parent[v]]
    c = grid.points
    # Thresholds are −C, so ascending ones are the points backwards.
    row, other = (
        truncated_log_cells(a, b, -c[::-1], above.step, above.count, nodes)
        for a, b in tree.shapes[v]
    )
    return _combined_rows(row, other, c, grid.window, above.step, 0.5 * sum(tree.ratios[v]))


@jit(fastmath={"reassoc", "contract"})
def _combined_rows(
    row: AnyArray, other: AnyArray, c: FloatArray, window: FloatArray, step: float, centre: float
) -> AnyArray:
    """Put both rows together at every point and frequency; e^{iωC} is multiplied up."""
    points, count = row.shape[1:]
    out = np.empty((2, 2, points, count), dtype=np.complex128)
    shift = np.exp(-1j * step * centre)
    for k in range(points):
        t = points - 1 - k
        turn = np.exp(1j * step * c[k])
        moved, turned = complex(window[k], 0.0), complex(1.0, 0.0)
        for j in range(count):
            a0, a1, b0, b1 = row[0, t, j], row[1, t, j], other[0, t, j], other[1, t, j]
            back = turned.conjugate()
            out[0, 0, k, j] = moved * a0 * (b0 + back * b1).conjugate()
            out[1, 0, k, j] = moved * a1 * (b1 + turned * b0).conjugate()
            # With the parent in state 1 the ratio has the other sign.
            out[0, 1, k, j] = moved * b0.conjugate() * (a0 + back * a1)
            out[1, 1, k, j] = moved * b1.conjugate() * (a1 + turned * a0)
            moved *= shift
            turned *= turn
    return out


def _pass_up(
    tree: _Tree,
    grids: Sequence[RatioGrid],
    transfers: Sequence[AnyArray],
    parts: Sequence[_Parts],
) -> FloatArray:
    """Pass the laws up the tree, once for every distinct part of a statement."""
    law: list[AnyArray] = [np.empty(0)] * len(grids)
    for v in range(len(grids) - 1, -1, -1):
        own, below = parts[v].own, parts[v].below
        masses = np.ones((len(own), 1))
        if kids := tree.children[v]:
            # Given v's own state, which is its children's parent's, they are independent.
            product = law[kids[0]][own, below[0]]
            for c, part in zip(kids[1:], below[1:], strict=True):
                product *= law[c][own, part]
            masses = grids[v].masses(product)
        law[v] = _apply_transfer(transfers[v], masses, own)
        for c in kids:
            law[c] = np.empty(0)
    return np.asarray(law[0][0, parts[0].place, 0].real)


def _apply_transfer(transfer: AnyArray, masses: FloatArray, own: IntArray) -> AnyArray:
    """Average a transfer over C: (parent's state, parts, frequencies)."""
    out = np.empty((transfer.shape[1], len(masses), transfer.shape[3]), dtype=np.complex128)
    for state in (0, 1):
        here = own == state
        # Real weights on complex entries: one real product with their parts side by side.
        out[:, here] = (masses[here] @ transfer[state].view(np.float64)).view(np.complex128)
    return out


# the grid over the sum of ratios ------------------------------------------------------------------


@dataclass(frozen=True)
class RatioGrid:
    """An even grid over the sum C of the log ratios of a measure's children.

    Attributes
    ----------
    centre, reach : float
        C lies within `reach` of `centre`; the grid covers twice as much.
    size : int
        Number of points, even; 0 for a leaf, whose C is 0.
    """

    centre: float
    reach: float
    size: int

    @classmethod
    def over(cls, low: float, high: float, counts: float, scale: float) -> RatioGrid:
        """Make the grid for C between `low` and `high`.

        Its frequencies cover the window's, 2β/reach, and those of the densities of a row with so
        many counts: 10 for the logistic scale, and more as counts make it narrow.
        """
        reach = max(0.5 * (high - low), _NARROWEST)
        highest = 2.0 * _KAISER / reach + 10.0 + 3.0 * math.sqrt(counts)
        wanted = min(math.ceil(scale * highest * 2.0 * reach / math.pi), MOST_POINTS)
        return cls(0.5 * (low + high), reach, 2 * next_fast_len(wanted, real=True))

    @property
    def step(self) -> float:
        """Spacing of the frequencies."""
        return math.pi / (2.0 * self.reach)

    @property
    def count(self) -> int:
        """Number of frequencies, from 0 on."""
        return self.size // 2

    @property
    def points(self) -> FloatArray:
        """The values of C, ascending."""
        if not self.size:
            return np.zeros(1)
        return self.centre + 2.0 * self.reach * (2.0 * np.arange(self.size) / self.size - 1.0)

    @property
    def window(self) -> FloatArray:
        """Weights that fade out what lies beyond the interval."""
        return _window(self.size) if self.size else np.ones(1)

    def masses(self, law: AnyArray) -> FloatArray:
        """Weights q of the points from characteristic functions of C − centre: (…, size)."""
        sign = np.where(np.arange(self.count) % 2, -1.0, 1.0)
        return np.fft.irfft(np.conj(law) * sign, self.size)


def sum_of_ranges(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Where a sum lies, given where its terms lie."""
    low, high = 0.0, 0.0
    for least, most in ranges:
        low, high = low + least, high + most
    return low, high


def ratio_range(rows: FloatArray, low: float, high: float) -> tuple[float, float]:
    """Where a measure's log ratio M(0) − M(1) lies if its children's sum is in [low, high].

    Relative to the children's part of state 1, a message is the larger of log p + C and log(1 − p).
    Over p its extremes are at the ends and where both are equal. In C it rises by at most 1 per 1,
    which bounds what happens between the points tried.

    Examples
    --------
    Without children no ratio exceeds log 2, as p ranges from 1/2 to 1:

    >>> [round(end, 4) for end in ratio_range(np.full((2, 2), 0.25), 0.0, 0.0)]
    [-0.6931, 0.6931]
    """
    c = np.linspace(low, high, _TRIED)
    least, most = [], []
    for a, b in rows:
        first, last = log_odds_range(a, b, 1.0 + max(abs(low), abs(high)))
        least.append(_message(np.clip(-c, first, last), c))
        most.append(np.maximum(_message(first, c), _message(last, c)))
    slack = 0.5 * (high - low) / (_TRIED - 1)
    return (
        float((least[0] - most[1]).min()) - slack,
        float((most[0] - least[1]).max()) + slack,
    )


def _message(log_odds: FloatArray | float, c: FloatArray) -> FloatArray:
    return np.maximum(c - np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds))


@cache
def _window(size: int) -> FloatArray:
    """1 on the inner half of the grid, falling to 0 at its ends like the integral of Kaiser's."""
    place = 4.0 * np.abs(2.0 * np.arange(size) / size - 1.0) - 3.0
    node, weight = np.polynomial.legendre.leggauss(40)

    def above(start: FloatArray) -> FloatArray:
        half = 0.5 * (1.0 - start)[:, None]
        root = np.sqrt(np.maximum(1.0 - (start[:, None] + half * (1.0 + node)) ** 2, 0.0))
        bump = i0e(_KAISER * root) * np.exp(_KAISER * (root - 1.0))
        return np.asarray((half * bump) @ weight)

    window = np.ones(size)
    outer = place > -1.0
    window[outer] = above(place[outer]) / (2.0 * above(np.zeros(1)))
    window.flags.writeable = False
    return window


# a Beta cell above its rival ----------------------------------------------------------------------


def log_odds_range(a: float, b: float, clip: float = _CLIP) -> tuple[float, float]:
    """Where the log odds of Beta(a, b) are, but for 1e-15 of their mass, within ±40 or ±clip."""
    return _range(a, b, max(clip, _CLIP))


def truncated_log_cells(
    a: float, b: float, thresholds: FloatArray, step: float, count: int, nodes: int
) -> AnyArray:
    """Return A_0 and A_1 at all thresholds and frequencies: complex, (2, thresholds, count).

    Parameters
    ----------
    a, b : float
        Shapes of the cell and of its rival.
    thresholds : array (K,)
        Log odds, ascending and evenly spaced.
    step : float
        Frequencies are 0, step, 2·step, …
    count : int
        How many of them.
    nodes : int
        Nodes of the quadrature between two thresholds; panels beyond them have twice as many.

    Examples
    --------
    At frequency 0 they are probabilities; a fair cell is above its rival half of the time:

    >>> truncated_log_cells(2.0, 2.0, np.zeros(1), 1.0, 1, 8).real.round(9).ravel()
    array([0.5, 0.5])
    """
    clip = max(_CLIP, 1.0 + float(np.abs(thresholds).max()))
    beyond = expit(-clip)
    atoms = np.array([betainc(b, a, beyond), betainc(a, b, beyond)])
    return _transforms(
        a,
        b,
        thresholds,
        step,
        count,
        clip,
        atoms,
        _panel(nodes),
        _panel(2 * nodes),
    )


@cache
def _panel(nodes: int) -> FloatArray:
    return np.stack(np.polynomial.legendre.leggauss(nodes))


@jit()
def _softplus(z: float) -> float:
    return z + math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z))


@jit()
def _log_density(z: float, peak: float, a: float, b: float) -> float:
    """Log density of the log odds, relative to that at `peak`.

    Near the peak the terms of first order cancel exactly: at shapes of 1e9 the rest is what counts.
    """
    y = z - peak
    if abs(y) < 1.0:
        return a * y - (a + b) * math.log1p(math.expm1(y) / (1.0 + math.exp(-peak)))
    return a * y - (a + b) * (_softplus(z) - _softplus(peak))


@jit()
def _peak(a: float, b: float, clip: float) -> float:
    return min(max(math.log(a) - math.log(b), -clip), clip)


@jit()
def _end(peak: float, far: float, a: float, b: float) -> float:
    """Where the log density has become negligible on the way from the peak, at most `far`."""
    if _log_density(far, peak, a, b) > _NEGLIGIBLE:
        return far
    near = peak
    for _ in range(60):
        middle = 0.5 * (near + far)
        if _log_density(middle, peak, a, b) > _NEGLIGIBLE:
            near = middle
        else:
            far = middle
    return far


@jit()
def _range(a: float, b: float, clip: float) -> tuple[float, float]:
    peak = _peak(a, b, clip)
    return _end(peak, -clip, a, b), _end(peak, clip, a, b)


@jit()
def _panel_width(z: float, sign: float, total: float) -> float:
    """How far a panel may reach from z, upwards or downwards, so that the density bends little."""
    width = _WIDEST
    while True:
        end = z + sign * width
        near = 0.0 if z * end <= 0.0 else min(abs(z), abs(end))
        odds = math.exp(-near)
        if width * width * total * odds / (1.0 + odds) ** 2 <= _BENT:
            return width
        width *= 0.7


@jit(fastmath={"reassoc", "contract"})
def _add_panel(
    low: float,
    high: float,
    shape: tuple[float, float, float],
    step: float,
    state: int,
    panel: FloatArray,
    work: FloatArray,
    out: AnyArray,
) -> float:
    """Add one panel's part of A_state at every frequency; return its mass.

    Powers of e^{i·step·u} are multiplied up, all nodes of the panel side by side.
    """
    peak, a, b = shape
    node, weight = panel
    half = 0.5 * (high - low)
    real, imaginary, cosine, sine = work
    mass = 0.0
    for q in range(len(node)):
        z = low + half * (1.0 + node[q])
        real[q] = half * weight[q] * math.exp(_log_density(z, peak, a, b))
        imaginary[q] = 0.0
        mass += real[q]
        u = -_softplus(-z) if state == 0 else -_softplus(z)
        cosine[q], sine[q] = math.cos(step * u), math.sin(step * u)
    for j in range(len(out)):
        x, y = 0.0, 0.0
        for q in range(len(node)):
            re, im = real[q], imaginary[q]
            x += re
            y += im
            real[q] = re * cosine[q] - im * sine[q]
            imaginary[q] = re * sine[q] + im * cosine[q]
        out[j] += complex(x, y)
    return mass


@jit()
def _transforms(
    a: float,
    b: float,
    t: FloatArray,
    step: float,
    count: int,
    clip: float,
    atoms: FloatArray,
    between: FloatArray,
    beyond: FloatArray,
) -> AnyArray:
    last = len(t) - 1
    left, right = _range(a, b, clip)
    shape = (_peak(a, b, clip), a, b)
    work = np.empty((4, beyond.shape[1]))
    out = np.zeros((2, len(t), count), dtype=np.complex128)
    gap = t[1] - t[0] if last > 0 else 0.25
    total = 0.0
    # Outwards from the thresholds, panels grow with their distance from them.
    z, walked = min(t[0], right), max(0.0, t[0] - right)
    while z > left:
        low = max(left, z - min(_panel_width(z, -1.0, a + b), max(gap, walked)))
        total += _add_panel(low, z, shape, step, 1, beyond, work, out[1, 0])
        walked += z - low
        z = low
    z, walked = max(t[last], left), max(0.0, left - t[last])
    while z < right:
        high = min(right, z + min(_panel_width(z, 1.0, a + b), max(gap, walked)))
        total += _add_panel(z, high, shape, step, 0, beyond, work, out[0, last])
        walked += high - z
        z = high
    for k in range(last):
        z, end = max(t[k], left), min(t[k + 1], right)
        while z < end:
            high = min(end, z + _panel_width(z, 1.0, a + b))
            total += _add_panel(z, high, shape, step, 0, between, work, out[0, k])
            _add_panel(z, high, shape, step, 1, between, work, out[1, k + 1])
            z = high
    scale = _scale(shape, total, atoms[0] + atoms[1])
    for k in range(last + 1):
        for j in range(count):
            # The logarithm of the atom's cell is 0, its transform 1.
            above = out[0, last - k + 1, j] if k > 0 else complex(atoms[0], 0.0)
            out[0, last - k, j] = scale * out[0, last - k, j] + above
            below = out[1, k - 1, j] if k > 0 else complex(atoms[1], 0.0)
            out[1, k, j] = scale * out[1, k, j] + below
    return out


@jit()
def _scale(shape: tuple[float, float, float], total: float, atoms: float) -> float:
    """What turns the panels' relative masses into probabilities.

    Their sum is known, which keeps the digits that log Γ loses at large shapes; where the atoms
    have most of the mass the shapes are small, and log Γ has all its digits.
    """
    if atoms < 0.5:
        return (1.0 - atoms) / total
    peak, a, b = shape
    log_beta = math.lgamma(1.0 + a) + math.lgamma(1.0 + b) - math.lgamma(1.0 + a + b)
    log_beta += math.log(a + b) - math.log(a) - math.log(b)
    return math.exp(a * peak - (a + b) * _softplus(peak) - log_beta)
