r"""Pólya's urn: new observations from a Dirichlet posterior, the probabilities integrated out.

Given the counts, the next observation falls into cell k with probability
:math:`(\alpha_k + n_k)/(A + N)`, and counts from then on. So the t-th new one repeats one of the t
before it, each alike, with probability t/(A + N + t), and is otherwise drawn from the posterior
mean. No θ is needed, however many cells there are.

References
----------
Blackwell & MacQueen (1973), Ferguson distributions via Pólya urn schemes.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells

__all__ = ["draw_urn_cells", "polya_urn"]


def polya_urn(
    cells: DirichletCells, size: int, number: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw `number` new observations, `size` times over.

    Returns
    -------
    cell : array (size, number)
        Cell of each; one more than the last for a cell that is not listed.
    source : array (size, number)
        The observation that it repeats, by its place; its own place where it repeats none. Only
        there is `cell` to be read: what two observations in unlisted cells have in common is
        whether one repeats the other.

    Examples
    --------
    A prior of no weight repeats what was seen, and a heavy one does not:

    >>> rng = np.random.default_rng(1)
    >>> seen = DirichletCells(np.log([1e-9, 1e-9]), np.array([0.0, 3.0]))
    >>> polya_urn(seen, 1, 4, rng)[0].tolist()
    [[1, 1, 1, 1]]
    >>> heavy = DirichletCells(np.log([1e12, 1e12]), np.zeros(2))
    >>> polya_urn(heavy, 1, 4, rng)[1].tolist()
    [[0, 1, 2, 3]]
    """
    with np.errstate(divide="ignore"):
        listed = np.logaddexp(cells.log_alpha, np.log(cells.counts))
    log_weights = np.append(listed, cells.rest_log_total)
    ends = np.cumsum(np.exp(log_weights - log_weights.max()))
    at = rng.random((size, number)) * ends[-1]
    cell = np.searchsorted(ends[:-1], at, side="right").astype(np.int64)
    source = np.tile(np.arange(number), (size, 1))
    for t in range(1, number):
        # A total beyond the float range is never outweighed.
        repeats = np.flatnonzero(rng.random(size) < t / (cells.total + t))
        source[repeats, t] = source[repeats, rng.integers(t, size=len(repeats))]
    return cell, source


def draw_urn_cells(weights: FloatArray, number: int, rng: np.random.Generator) -> IntArray:
    """Draw `number` cells for every row of weights, which need not sum to one: (rows, number).

    Examples
    --------
    >>> draw_urn_cells(np.array([[0.0, 1.0], [3.0, 0.0]]), 3, np.random.default_rng(1)).tolist()
    [[1, 1, 1], [0, 0, 0]]
    """
    ends = np.cumsum(weights, axis=1)
    at = rng.random((len(weights), number)) * ends[:, -1:]
    # One column after the other: all at once would take rows × number × cells of memory.
    columns = [(column[:, None] >= ends[:, :-1]).sum(axis=1) for column in at.T]
    return np.stack(columns, axis=1).astype(np.int64)
