r"""Optima without a linear programme: R2 empty, so that only the order of the points matters.

At δ = 0 the extreme utilities are indicators of upper sets (the greatest element in, the least one
out), and opt = min over them of :math:`\hat P_x(U) - \hat P_y(U)`: first-order stochastic
dominance. With :math:`X', Y'` the observations strictly between least and greatest,

.. math:: s \cdot \mathrm{opt} = \#x_{\text{greatest}} - \#y_{\text{greatest}} - |Y'| + M' ,

where :math:`M'` is a maximum matching of :math:`Y'` into :math:`X'` by :math:`y \le x` (Strassen,
Hall). Observations at the greatest element are in every upper set, those at the least in none.

With one measure the points are a chain, :math:`u_i - u_{i-1} \ge \delta` are all the rows, and with
:math:`S_i = \sum_{j \ge i} w_j`

.. math:: \mathrm{opt} = \delta \sum_{i=1}^{d-1} S_i + (1 - (d - 1) \delta) \min_{i \ge 1} S_i .

One *metric* measure has no such form: the order of the gains between all pairs of points matters.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.gsd.system import GREATEST, LEAST, MOST_BYTES, PreferenceSystem

__all__ = ["chain_optimum", "matching_optimum"]


def chain_optimum(
    system: PreferenceSystem, w: FloatArray, delta: float
) -> tuple[float, FloatArray, float]:
    """Return the optimum, its utility and its derivative in δ for one ordinal measure.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2], [3]], [[1], [4]], [0], [5], [False])
    >>> value, u, slope = chain_optimum(system, system.objective(), 0.0)
    >>> value, u[system.y].tolist()
    (-0.5, [0.0, 1.0])
    """
    order = np.argsort(system.ranks[:, 0])
    tails = np.cumsum(w[order][::-1])[::-1][1:]
    jump = int(np.argmin(tails))
    gains = np.full(len(tails), delta)
    gains[jump] += 1.0 - len(tails) * delta
    u = np.empty(len(order))
    u[order] = np.concatenate([[0.0], np.cumsum(gains)])
    u[LEAST], u[GREATEST] = 0.0, 1.0
    slope = float(tails.sum() - len(tails) * tails[jump])
    return float(gains @ tails), u, slope


def matching_optimum(system: PreferenceSystem, counts: IntArray) -> tuple[int, FloatArray]:
    r"""Return the optimum of counts·u at δ = 0 and its utility, for ordinal measures.

    Parameters
    ----------
    system : PreferenceSystem
    counts : array (d,) of int
        Observations of x at each point minus those of y. The optimum depends only on these:
        observations of both at one point cancel.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2, 2], [3, 3]], [[1, 1], [4, 4]], [0] * 2, [5] * 2, [False] * 2)
    >>> counts = np.rint(2 * system.objective()).astype(int)
    >>> value, u = matching_optimum(system, counts)
    >>> value, u[system.y].tolist()
    (-1, [0.0, 1.0])
    """
    inner = counts.copy()
    inner[[LEAST, GREATEST]] = 0
    # A matrix of booleans, and the sparse one of those that are true.
    needed = 6.0 * np.maximum(inner, 0).sum() * np.maximum(-inner, 0).sum()
    if needed > MOST_BYTES:
        raise BayescompareError(
            f"{len(counts)} distinct quality vectors: the matching needs {needed / 1e9:.1f} GB of "
            f"the {MOST_BYTES / 1e9:.1f} GB allowed. Compare on fewer datasets."
        )
    x = np.repeat(np.arange(len(counts)), np.maximum(inner, 0))
    y = np.repeat(np.arange(len(counts)), np.maximum(-inner, 0))
    above = _gsd_ordinal_above(system, y, x)
    partner = np.full(len(y), -1)
    if len(x) and len(y):
        partner = maximum_bipartite_matching(csr_array(above), perm_type="column")
    reached = _gsd_ordinal_reached(above, partner)
    u = np.zeros(len(counts))
    if reached.any():
        u[_gsd_ordinal_above(system, np.unique(y[reached]), np.arange(len(counts))).any(axis=0)] = (
            1.0
        )
    u[LEAST], u[GREATEST] = 0.0, 1.0
    return int(counts[GREATEST] - len(y) + np.count_nonzero(partner >= 0)), u


def _gsd_ordinal_above(system: PreferenceSystem, lower: IntArray, upper: IntArray) -> BoolArray:
    """Whether each of the upper points (columns) is at least each of the lower (rows)."""
    above = np.ones((len(lower), len(upper)), dtype=np.bool_)
    for column in system.ranks.T:
        above &= column[upper][None, :] >= column[lower][:, None]
    return above


def _gsd_ordinal_reached(above: BoolArray, partner: IntArray) -> BoolArray:
    """Return the observations of y on an alternating path from one without a partner.

    They are those of König's cover. The upper set that they generate contains only their partners
    of x, and so is the worst one.
    """
    owner = np.full(above.shape[1], -1)
    owner[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    reached = partner < 0
    new = reached
    while new.any():
        partners = owner[above[new].any(axis=0)]
        new = np.zeros_like(reached)
        new[partners[partners >= 0]] = True
        new &= ~reached
        reached = reached | new
    return reached
