r"""How sure the parts of a joint statement are: what it says of each measure by itself.

A statement names a state of every measure. That it is the most probable one does not make its
parts true, so θ is summed over the other measures, and each part gets its own probability

.. math:: P\Bigl(\sum_{s: s_j = v} \theta_s \text{ is the largest over the states } v
          \text{ of measure } j\Bigr)

Sums of a Dirichlet are a Dirichlet, so this is exact wherever θ has one or a mixture of them. All
functions take the states (S, m) of the listed statements and return a figure for each of them and
each measure, (S, m).
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.leading import sole_leader

__all__ = [
    "fold_of_states",
    "parts_of_draws",
    "parts_of_orders",
    "summed_cells",
]


def fold_of_states(states: IntArray, arity: int) -> FloatArray:
    """Return the matrix (S, arity) that sums figures of statements by the state of one measure."""
    return np.asarray(states[:, None] == np.arange(arity), dtype=np.float64)


def summed_cells(
    cells: DirichletCells, states: IntArray, arity: int, log_size: float
) -> tuple[DirichletCells, IntArray]:
    """Sum a Dirichlet over all measures but one.

    Parameters
    ----------
    cells : DirichletCells
        Over the listed statements; those that are not listed are equal.
    states : array (S,)
        The state of that measure in each listed statement.
    arity : int
        How many states it may have.
    log_size : float
        Logarithm of the number of statements.

    Returns
    -------
    summed : DirichletCells
        Over the states that occur; the others are its lump.
    place : array (S,)
        Which of them each statement has.
    """
    seen, place = np.unique(states, return_inverse=True)
    counts = np.bincount(place, cells.counts)
    each = log_size - math.log(arity)
    with np.errstate(divide="ignore"):
        log_alpha = np.log(np.bincount(place, cells.alpha))
    if not cells.lumps:
        return DirichletCells(log_alpha, counts), place
    listed = np.bincount(place)
    # Of so many statements with each state these are not listed.
    left = np.full(len(seen), each)
    if each < 30.0:
        with np.errstate(divide="ignore"):
            left = np.log(np.maximum(np.round(math.exp(each)) - listed, 0.0))
    log_alpha = np.logaddexp(log_alpha, cells.rest_log_alpha + left)
    others = math.log(arity - len(seen)) if arity > len(seen) else -math.inf
    return DirichletCells(log_alpha, counts, cells.rest_log_alpha + each, others), place


def parts_of_draws(theta: FloatArray, states: IntArray) -> FloatArray:
    """Return P of each part from draws of θ (…, S), or (…, S + 1) with all others together.

    What is not listed may belong to any state: it is counted against each, which errs on the side
    of doubt.
    """
    size = len(states)
    rest = theta[..., size:].sum(axis=-1, keepdims=True)
    out = np.empty(states.shape)
    for j in range(states.shape[1]):
        seen, place = np.unique(states[:, j], return_inverse=True)
        summed = theta[..., :size] @ fold_of_states(place, len(seen))
        if theta.shape[-1] > size:
            rivals = np.stack([np.delete(summed, v, -1).max(-1) for v in range(len(seen))], -1)
            leads = summed > rivals + rest
        else:
            leads = sole_leader(summed)
        out[:, j] = leads.reshape(-1, len(seen)).mean(axis=0)[place]
    return out


def parts_of_orders(probability: FloatArray, states: IntArray) -> FloatArray:
    """Return P of each part where one statement holds for good, and P is that it is the one."""
    out = np.empty(states.shape)
    for j in range(states.shape[1]):
        _, place = np.unique(states[:, j], return_inverse=True)
        out[:, j] = np.minimum(np.bincount(place, probability), 1.0)[place]
    return out
