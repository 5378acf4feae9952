"""A utility that almost belongs to N^δ is moved towards the centre until it does."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.optimum import FEASIBLE, GsdSolver

__all__ = ["repair_gsd_utility"]


def repair_gsd_utility(
    solver: GsdSolver, u: FloatArray, delta: float, w: FloatArray, limit: float, excess: float
) -> FloatArray | None:
    """Return a utility of N^δ between u and the centre, or None if its value reaches the limit.

    The centre has the slack δ_max − δ in every strict row; rows of equality are generated later.

    Parameters
    ----------
    solver : GsdSolver
    u : array (d,)
    delta : float
        At most δ_max.
    w : array (d,)
        The objective; its value must stay below `limit`.
    limit : float
    excess : float
        The largest violation of some of the rows.

    Examples
    --------
    A gain must not be worth less than a smaller one; nearer to the centre it is not.

    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.2]], [[0.7]], [0.0], [1.0], [True])
    >>> u, w = np.array([0.0, 1.0, 0.3, 0.5]), system.objective()
    >>> solver = GsdSolver(system)
    >>> v = repair_gsd_utility(solver, u, 0.0, w, 1.0, solver.excess(u, 0.0))
    >>> solver.excess(v, 0.0) < 1e-12
    True
    """
    slack = solver.delta_max - delta
    if slack <= 0.0:
        return None
    for _ in range(2):
        share = excess / (excess + slack)
        moved = np.asarray((1.0 - share) * u + share * solver.center)
        if float(w @ moved) >= limit:
            return None
        # Searching all rows is worth it only for a utility that stands a chance.
        excess = solver.excess(u, delta)
    return moved if solver.excess(moved, delta) <= FEASIBLE else None
