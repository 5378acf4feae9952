r"""Statements under a network: conditional tables, draws of θ, and which statement is largest.

Each measure's table has one independent Dirichlet row per configuration of its parents, with the
parameters of a `CellPrior`; θ of a statement is the product of one cell per measure. Independent
components of the graph have independent parameters, so the probability of being largest is a
product over them. Under BDeu a complete component is the plain multinomial with α = ESS / Π r, and
a tree of binary measures has message passing under any such prior (`forest`): both are exact. Other
components are drawn in log space.

References
----------
Benavoli & de Campos (2015), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.posterior import draw_dirichlet_latents
from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.numerics.jit import jit

__all__ = [
    "NetworkTables",
    "is_complete_network_part",
    "network_components",
    "network_states_of_largest",
]


def network_components(parents: Sequence[int]) -> list[list[int]]:
    """Split the measures into the connected components of the graph, in listing order.

    Examples
    --------
    >>> network_components([0, 0b1, 0])
    [[0, 1], [2]]
    """
    m = len(parents)
    reach = [mask | 1 << j for j, mask in enumerate(parents)]
    for j, mask in enumerate(parents):
        for i in range(m):
            if mask >> i & 1:
                reach[i] |= 1 << j
    left, blocks = (1 << m) - 1, []
    while left:
        block = left & -left
        while True:
            grown = block
            for j in range(m):
                if block >> j & 1:
                    grown |= reach[j]
            if grown == block:
                break
            block = grown
        blocks.append([j for j in range(m) if block >> j & 1])
        left &= ~block
    return blocks


def is_complete_network_part(parents: Sequence[int], members: Sequence[int]) -> bool:
    """Whether every two members are joined: then the component is a plain multinomial."""
    edges = sum(int(parents[j]).bit_count() for j in members)
    return edges == len(members) * (len(members) - 1) // 2


@dataclass(frozen=True)
class NetworkTables:
    """The conditional tables of some measures, with all cells in one flat array.

    Attributes
    ----------
    members : tuple of int
        The measures, parents before children.
    arities : array (k,)
        Number of states of each.
    parents : tuple of tuple of int
        For each member, the positions of its parents among the members.
    strides : tuple of array
        What a parent's state adds to the row number.
    offsets : array (k + 1,)
        Where each member's cells begin.
    alpha : array (C,)
        Prior parameter of each cell.
    counts : array (C,)
        Weight seen in each cell.
    """

    members: tuple[int, ...]
    arities: IntArray
    parents: tuple[tuple[int, ...], ...]
    strides: tuple[IntArray, ...]
    offsets: IntArray
    alpha: FloatArray
    counts: FloatArray

    @classmethod
    def count(
        cls,
        states: IntArray,
        counts: FloatArray,
        arities: Sequence[int],
        parents: Sequence[int],
        members: Sequence[int],
        prior: float | CellPrior,
    ) -> NetworkTables:
        """Count the cells of the members' tables.

        Parameters
        ----------
        states, counts : arrays (R, m), (R,)
            Distinct statements and their weights.
        arities : sequence of int
        parents : sequence of int
            Bit masks over all measures.
        members : sequence of int
            A union of components.
        prior : float or CellPrior
            A number is the ESS of BDeu.
        """
        order = _topological_network_order(parents, members)
        place = {j: k for k, j in enumerate(order)}
        sizes = np.array([arities[j] for j in order], dtype=np.int64)
        above = [tuple(place[i] for i in order if parents[j] >> i & 1) for j in order]
        strides, rows = [], []
        for own in above:
            widths = np.array([sizes[p] for p in own], dtype=np.int64)
            strides.append(
                np.array(
                    [math.prod(widths[n + 1 :].tolist()) for n in range(len(own))], dtype=np.int64
                )
            )
            rows.append(math.prod(widths.tolist()))
        offsets = np.concatenate(
            [[0], np.cumsum([q * r for q, r in zip(rows, sizes, strict=True)])]
        )
        cell_prior = CellPrior.of(prior)
        alpha = [cell_prior.cells(j, q, int(r)) for j, q, r in zip(order, rows, sizes, strict=True)]
        tables = cls(
            members=tuple(order),
            arities=sizes,
            parents=tuple(above),
            strides=tuple(strides),
            offsets=offsets.astype(np.int64),
            alpha=np.concatenate(alpha),
            counts=np.zeros(int(offsets[-1])),
        )
        at = tables.cells(states)
        np.add.at(tables.counts, at.ravel(), np.repeat(counts, at.shape[1]))
        return tables

    def joint_alpha(self) -> FloatArray | None:
        """Return α of every joint state of a complete component, if it is one Dirichlet.

        It is where each row's parameters sum to that of the joint state of the parents that it is
        for, as they do under BDeu and for a single measure. States are in the members' order, the
        first varying slowest.
        """
        joint = self.alpha[: self.offsets[1]]
        for k in range(1, len(self.members)):
            part = self.alpha[self.offsets[k] : self.offsets[k + 1]]
            rows = part.reshape(-1, int(self.arities[k]))
            if len(rows) != len(joint) or not np.allclose(
                rows.sum(axis=1), joint, rtol=1e-12, atol=0
            ):
                return None
            joint = part
        return joint

    def cells(self, states: IntArray) -> IntArray:
        """Return the cell of every member's table that each statement falls into: (R, k)."""
        own = states[:, list(self.members)]
        out = np.empty(own.shape, dtype=np.int64)
        for k, (above, stride) in enumerate(zip(self.parents, self.strides, strict=True)):
            row = own[:, list(above)] @ stride if above else 0
            out[:, k] = self.offsets[k] + row * self.arities[k] + own[:, k]
        return out

    def log_draws(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw all tables from the posterior: logarithms, (size, C), each row summing to one."""
        gamma, exponential = draw_dirichlet_latents(np.log(self.alpha), self.counts, (size,), rng)
        return self.normalised(np.log(gamma) - exponential / self.alpha)

    def normalised(self, x: FloatArray) -> FloatArray:
        """Take log softmax over each table's rows; cells are along the last axis."""
        out = np.empty_like(x)
        for k, r in enumerate(self.arities):
            part = slice(self.offsets[k], self.offsets[k + 1])
            rows = x[..., part].reshape(*x.shape[:-1], -1, int(r))
            top = rows.max(axis=-1, keepdims=True)
            total = top + np.log(np.exp(rows - top).sum(axis=-1, keepdims=True))
            out[..., part] = (rows - total).reshape(*x.shape[:-1], -1)
        return out

    def log_mean(self) -> FloatArray:
        """Log of each cell's posterior mean."""
        out = np.empty_like(self.alpha)
        for k, r in enumerate(self.arities):
            part = slice(self.offsets[k], self.offsets[k + 1])
            rows = (self.alpha[part] + self.counts[part]).reshape(-1, int(r))
            out[part] = np.log(rows / rows.sum(axis=1, keepdims=True)).ravel()
        return out


def network_states_of_largest(tables: NetworkTables, log_cells: FloatArray) -> IntArray:
    """For every draw of the tables, the members' states of the largest θ: (draws, k).

    Branch and bound in topological order; a branch is abandoned if even the largest cell of every
    remaining table could not lift it above the best so far.
    """
    widest = max((len(p) for p in tables.parents), default=0)
    k = len(tables.members)
    parents = np.full((k, max(widest, 1)), -1, dtype=np.int64)
    strides = np.zeros((k, max(widest, 1)), dtype=np.int64)
    for n, (above, stride) in enumerate(zip(tables.parents, tables.strides, strict=True)):
        parents[n, : len(above)], strides[n, : len(above)] = above, stride
    return _largest_network_states(log_cells, tables.arities, parents, strides, tables.offsets)


def _topological_network_order(parents: Sequence[int], members: Sequence[int]) -> list[int]:
    """Members with parents before children, else in listing order."""
    order: list[int] = []
    left = sum(1 << j for j in members)
    while left:
        ready = [j for j in members if left >> j & 1 and not parents[j] & left]
        order.append(ready[0])
        left ^= 1 << ready[0]
    return order


@jit()
def _largest_network_states(
    log_cells: FloatArray,
    arities: IntArray,
    parents: IntArray,
    strides: IntArray,
    offsets: IntArray,
) -> IntArray:
    draws, k = len(log_cells), len(arities)
    out = np.zeros((draws, k), dtype=np.int64)
    bound = np.zeros(k + 1)
    value = np.zeros(k + 1)
    state = np.zeros(k, dtype=np.int64)
    row = np.zeros(k, dtype=np.int64)
    for d in range(draws):
        logs = log_cells[d]
        for n in range(k - 1, -1, -1):
            top = -np.inf
            for c in range(offsets[n], offsets[n + 1]):
                top = max(top, logs[c])
            bound[n] = bound[n + 1] + top
        best = -np.inf
        n = 0
        state[0] = -1
        while n >= 0:
            if state[n] == -1:
                base = 0
                for p in range(parents.shape[1]):
                    if parents[n, p] >= 0:
                        base += state[parents[n, p]] * strides[n, p]
                row[n] = offsets[n] + base * arities[n]
            state[n] += 1
            if state[n] == arities[n]:
                n -= 1
                continue
            reached = value[n] + logs[row[n] + state[n]]
            if reached + bound[n + 1] <= best:
                continue
            if n == k - 1:
                best = reached
                for j in range(k):
                    out[d, j] = state[j]
            else:
                value[n + 1] = reached
                n += 1
                state[n] = -1
    return out
