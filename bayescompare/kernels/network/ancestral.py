"""New statements from a network: every measure's state drawn after those of its parents."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.statements import NetworkTables

__all__ = ["ancestral_states"]


def ancestral_states(
    tables: NetworkTables, log_cells: FloatArray, number: int, rng: np.random.Generator
) -> IntArray:
    """Draw `number` statements for every draw of the tables.

    Parameters
    ----------
    tables : Tables
    log_cells : array (D, C)
        Logarithms of all cells, each row of a table summing to one.
    number : int
    rng : numpy.random.Generator

    Returns
    -------
    array (D, number, k)
        The state of every measure, in the order of the measures.
    """
    draws = len(log_cells)
    states = np.zeros((draws, number, len(tables.members)), dtype=np.int64)
    each = np.arange(draws)[:, None, None]
    for k, (above, stride) in enumerate(zip(tables.parents, tables.strides, strict=True)):
        row = states[..., list(above)] @ stride if above else np.zeros((draws, number), np.int64)
        start = tables.offsets[k] + row * tables.arities[k]
        cells = start[..., None] + np.arange(tables.arities[k])
        ends = np.cumsum(np.exp(log_cells[each, cells]), axis=-1)
        at = rng.random((draws, number, 1)) * ends[..., -1:]
        states[..., k] = (at >= ends[..., :-1]).sum(axis=-1)
    by_measure = np.empty_like(states)
    by_measure[..., np.argsort(np.argsort(tables.members))] = states
    return by_measure
