r"""The posterior of the Bayesian signed-rank test: shares of weighted Walsh averages.

Points :math:`z_0, \dots, z_n` carry weights :math:`w \sim \mathrm{Dirichlet}(\alpha)`. Two of them
are drawn by these weights, perhaps the same one twice, and :math:`(z_i + z_j)/2` is their Walsh
average. With a rope of half-width r,

.. math:: \theta_{\text{right}} = \sum_{ij} w_i w_j\,[z_i + z_j > 2r], \qquad
          \theta_{\text{left}} = \sum_{ij} w_i w_j\,[z_i + z_j < -2r],

and the rest is :math:`\theta_{\text{rope}}`. A sum on a boundary counts half on each side of it.
Sorted points make both a sum over i of :math:`w_i` times a partial sum of the weights: O(n) a draw.

References
----------
Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test based on
the Dirichlet process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

#: Numbers that one block of draws may hold.
_BLOCK = 4_000_000


class Regions(NamedTuple):
    """Where each point's partners begin and end, in sorted order.

    Attributes
    ----------
    order : array (n,)
        The points sorted.
    left_below, left_up_to, right_from, right_above : array (n,)
        Of the i-th sorted point: how many partners lie strictly left, left or on the boundary,
        strictly before the right boundary, and on or before it.
    middle : bool
        Whether there is a region between; without one a sum of zero counts half on each side.
    """

    order: IntArray
    left_below: IntArray
    left_up_to: IntArray
    right_from: IntArray
    right_above: IntArray
    middle: bool


def find_regions(z: FloatArray, rope: float | None, scale: float) -> Regions:
    """Sort the points and find the boundaries.

    Parameters
    ----------
    z : array (n,)
    rope : float, optional
        Half-width of the middle region. At 0 the middle holds the sums that are exactly zero.
    scale : float
        Size of the values that were subtracted; sums closer than 1e-12 of it are equal.

    Examples
    --------
    >>> find_regions(np.array([0.0, 2.0, -1.0]), None, 1.0).right_above.tolist()
    [2, 2, 0]
    """
    order = np.argsort(z, kind="stable")
    points = z[order]
    noise, width = 2.0 * RELATIVE_TOLERANCE * scale, 2.0 * (rope or 0.0)

    def before(bound: FloatArray) -> IntArray:
        return np.searchsorted(points, bound - noise, side="left").astype(np.int64)

    def up_to(bound: FloatArray) -> IntArray:
        return np.searchsorted(points, bound + noise, side="right").astype(np.int64)

    low, high = -width - points, width - points
    ends = before(low), up_to(low), before(high), up_to(high)
    if rope == 0.0:
        # Both boundaries are zero: what lies on them is the middle.
        ends = ends[0], ends[0], ends[3], ends[3]
    return Regions(order, *ends, middle=rope is not None)


def shares(regions: Regions, weights: FloatArray) -> FloatArray:
    """Shares of the regions under each row of weights: (draws, 3), or (draws, 2) without a middle.

    Examples
    --------
    >>> regions = find_regions(np.array([0.0, 2.0, -1.0]), None, 1.0)
    >>> shares(regions, np.array([[0.2, 0.5, 0.3]])).round(2).tolist()
    [[0.23, 0.77]]
    """
    w = weights[..., regions.order]
    sums = np.concatenate([np.zeros((*w.shape[:-1], 1)), np.cumsum(w, axis=-1)], axis=-1)
    total = sums[..., -1]
    left = _half_sum(w, sums, regions.left_below, regions.left_up_to)
    right = total * total - _half_sum(w, sums, regions.right_from, regions.right_above)
    sides = [left, right] if not regions.middle else [left, total * total - left - right, right]
    return np.asarray(np.maximum(np.stack(sides, axis=-1), 0.0))


def _half_sum(w: FloatArray, sums: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Σ w_i times the mean of two partial sums."""
    partners = sums[..., first] + sums[..., last]
    return np.asarray(0.5 * np.einsum("...i,...i->...", w, partners))


def draw_shares(
    regions: Regions, alpha: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the shares, (draws, regions), in blocks that fit the memory."""
    return np.concatenate([shares(regions, w) for w in _weight_blocks(alpha, draws, rng)], axis=0)


def _weight_blocks(alpha: FloatArray, draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    block = max(1, _BLOCK // len(alpha))
    for start in range(0, draws, block):
        yield rng.dirichlet(alpha, size=min(block, draws - start))


def pair_table(regions: Regions) -> FloatArray:
    """Tabulate in which region each pair of points falls, (regions, n, n), points as given.

    Examples
    --------
    >>> pair_table(find_regions(np.array([0.0, 2.0, -1.0]), None, 1.0))[1].tolist()
    [[0.5, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """
    n = len(regions.order)
    place = np.empty(n, dtype=np.int64)
    place[regions.order] = np.arange(n)

    def below(first: IntArray, last: IntArray) -> FloatArray:
        partner = np.arange(n)
        half = 0.5 * ((partner < first[:, None]) + 0.0) + 0.5 * (partner < last[:, None])
        return np.asarray(half[np.ix_(place, place)])

    left = below(regions.left_below, regions.left_up_to)
    right = 1.0 - below(regions.right_from, regions.right_above)
    return np.stack([left, 1.0 - left - right, right] if regions.middle else [left, right])


def mean_shares(regions: Regions, alpha: FloatArray) -> FloatArray:
    r"""Posterior means of the shares, by :math:`E[w_i w_j] = \alpha_i(\alpha_j + [i=j])/(A(A+1))`.

    Examples
    --------
    >>> regions = find_regions(np.array([0.0, 2.0, -1.0]), None, 1.0)
    >>> mean_shares(regions, np.array([0.5, 1.0, 1.0])).round(4).tolist()
    [0.3857, 0.6143]
    """
    point, sorted_alpha = np.arange(len(alpha)), alpha[regions.order]

    def twice(first: IntArray, last: IntArray) -> float:
        return float(0.5 * sorted_alpha @ ((point < first) + 1.0 * (point < last)))

    total = float(alpha.sum())
    left = twice(regions.left_below, regions.left_up_to)
    right = total - twice(regions.right_from, regions.right_above)
    same = np.array([left, total - left - right, right] if regions.middle else [left, right])
    products = shares(regions, alpha[None])[0]
    return np.asarray((products + same) / (total * (total + 1.0)))


def exact_leaders(regions: Regions, alpha: FloatArray) -> FloatArray | None:
    r"""P(each share is the largest), where at most two kinds of points matter; else None.

    Points with the same partners are one kind, whose weights add up to a Beta variable t. Each
    share is then a quadratic in t, and which is the largest changes only at the roots of their
    differences. So it is where all differences have one sign, and no draw is needed.

    Examples
    --------
    >>> regions = find_regions(np.array([0.0, 2.0, 1.0]), None, 1.0)
    >>> exact_leaders(regions, np.array([0.5, 1.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    rows = np.column_stack(regions[1:5])
    _, one_of, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(one_of) > 2:
        return None
    table = pair_table(regions)
    chosen = regions.order[one_of]
    quadratics = _quadratics(table[:, chosen][:, :, chosen])
    ends = _crossings(quadratics)
    middle = 0.5 * (ends[1:] + ends[:-1])
    values = np.stack([np.polyval(q, middle) for q in quadratics], axis=-1)
    second = float(alpha[regions.order][kind.ravel() == len(one_of) - 1].sum())
    rest = float(alpha.sum()) - second
    # One kind of points alone has all the weight.
    cdf = betainc(second, rest, ends) if len(one_of) == 2 else ends
    return np.asarray(np.diff(cdf) @ sole_leader(values))


def _quadratics(kinds: FloatArray) -> FloatArray:
    """Coefficients in t, the weight of the last kind, of every share."""
    a, b, c = kinds[:, -1, -1], kinds[:, -1, 0], kinds[:, 0, 0]
    return np.stack([a - 2.0 * b + c, 2.0 * (b - c), c], axis=-1)


def _crossings(quadratics: FloatArray) -> FloatArray:
    """Where the order of the shares may change, from 0 to 1."""
    roots = [0.0, 1.0]
    for k, first in enumerate(quadratics):
        for second in quadratics[k + 1 :]:
            found = np.roots(first - second)
            real = found[np.abs(found.imag) < 1e-9].real
            roots += real[(real > 0.0) & (real < 1.0)].tolist()
    return np.unique(roots)
