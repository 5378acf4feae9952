"""Optima of many objectives over one system, one after the other, nearest next."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.gsd.optimum import GsdSolver

__all__ = ["gsd_batch_optima", "nearest_gsd_order"]


def gsd_batch_optima(solver: GsdSolver, objectives: FloatArray, delta: float) -> FloatArray:
    """Return the optima of many objectives and of their negatives: opt_xy and opt_yx.

    For the Bayesian bootstrap the objectives are ``system.objective(weights)`` with a row of
    Dirichlet(1, …, 1) weights over the datasets for every draw.

    Parameters
    ----------
    solver : GsdSolver
    objectives : array (n, d)
    delta : float

    Returns
    -------
    array (n, 2)

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.9], [0.8]], [[0.6], [0.9]], [0.0], [1.0], [True])
    >>> weights = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> gsd_batch_optima(GsdSolver(system), system.objective(weights), 0.0).round(3).tolist()
    [[0.0, -0.375], [-0.125, 0.0]]
    """
    values = np.empty((len(objectives), 2))
    order = nearest_gsd_order(objectives) if len(objectives) <= 4096 else np.arange(len(objectives))
    for direction, sign in enumerate((1.0, -1.0)):
        for n in order:
            values[n, direction] = solver.optimum(sign * objectives[n], delta).value
    return values


def nearest_gsd_order(objectives: FloatArray) -> IntArray:
    """Return an order in which each objective is followed by the nearest one left.

    Examples
    --------
    >>> nearest_gsd_order(np.array([[0.0], [5.0], [1.0], [4.0]])).tolist()
    [0, 2, 3, 1]
    """
    count = len(objectives)
    order = np.zeros(count, dtype=np.int64)
    left = np.arange(1, count)
    squares = (objectives**2).sum(axis=1)
    for place in range(1, count):
        last = order[place - 1]
        distance = squares[left] - 2.0 * (objectives[left] @ objectives[last])
        nearest = int(np.argmin(distance))
        order[place] = left[nearest]
        left = np.delete(left, nearest)
    return order
