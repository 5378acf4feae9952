r"""How the optimum grows with δ, and the δ at which a pair becomes comparable.

:math:`\mathrm{opt}(\delta) = \min\{w \cdot u : A u \ge \delta e\}` is non-decreasing, since the
utilities that remain become fewer, and convex: for u in N^δ and v in N^ε the mixture
:math:`(1 - t) u + t v` is in :math:`N^{(1-t)\delta + t\varepsilon}`, where it has the mixed value,
so the minimum there is no larger. It is piecewise linear, being the value of a linear programme.

Hence if opt(0) < 0 ≤ opt(δ_max) there is one root, and Newton's method from δ_max finds it exactly,
in finitely many steps: a tangent lies below the function, so its root is not beyond the function's
root, and every step leaves a linear piece for good.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.optimum import GsdSolver
from bayescompare.kernels.gsd.verdicts import TOLERANCE

__all__ = ["delta_threshold", "gsd_threshold_curve"]


def delta_threshold(solver: GsdSolver, w: FloatArray) -> float:
    """Return the smallest δ at which the optimum is at least zero.

    Returns
    -------
    float
        0 if that holds at δ = 0 already; infinity if the optimum is below zero even at δ_max.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2], [3]], [[1], [3.5]], [0], [5], [False])
    >>> solver = GsdSolver(system)
    >>> round(delta_threshold(solver, system.objective()), 9), round(solver.delta_max, 9)
    (0.2, 0.2)
    """
    if solver.optimum(w, 0.0).value >= -TOLERANCE:
        return 0.0
    delta = solver.delta_max
    optimum = solver.optimum(w, delta)
    if optimum.value < -TOLERANCE:
        return math.inf
    while optimum.value > 0.0 and optimum.slope > 0.0:
        step = optimum.value / optimum.slope
        if step <= 1e-13 * solver.delta_max:
            break
        delta -= step
        optimum = solver.optimum(w, delta)
    return delta


def gsd_threshold_curve(solver: GsdSolver, w: FloatArray, deltas: ArrayLike) -> FloatArray:
    """Return the optimum at every δ; where δ is above δ_max, that at δ_max.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2], [3]], [[1], [3.5]], [0], [5], [False])
    >>> gsd_threshold_curve(GsdSolver(system), system.objective(), [0.0, 0.1, 0.15]).round(
    ...     9
    ... ).tolist()
    [-0.5, -0.25, -0.125]
    """
    return np.array([solver.optimum(w, float(d)).value for d in np.asarray(deltas)])
