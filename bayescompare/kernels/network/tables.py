r"""Conditional tables of a graph, and θ as their product.

Each measure's table has one independent Dirichlet row per configuration of its parents, with the
parameters of a `CellPrior`; θ of a statement is the product of one cell per measure,

.. math:: \theta(x) = \prod_j \theta_{j \mid pa_j(x)}(x_j), \qquad
          \theta_{j \mid c} \sim \mathrm{Dirichlet}(\alpha_{jc} + n_{jc}) .

Independent components of the graph have independent parameters, so the probability of being largest
is a product over them. Under BDeu a complete component is the plain multinomial with α = ESS / Π r,
and a tree of binary measures has message passing under any prior (`trees`): both are exact. Other
components are drawn in log space.

References
----------
Benavoli & de Campos (2015), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import draw_dirichlet_latents
from bayescompare.kernels.network.graphs import ancestors
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.numerics.jit import jit


def joint_states(arities: Sequence[int]) -> IntArray:
    """All joint states of some measures, the first varying slowest.

    Examples
    --------
    >>> joint_states([2, 2]).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.indices(tuple(arities)).reshape(len(arities), -1).T


@dataclass(frozen=True, eq=False)
class NetworkTables:
    """The conditional tables of some measures, with all cells in one flat array.

    Attributes
    ----------
    members : tuple of int
        The measures, parents before children.
    arities : array (k,)
        Number of states of each.
    parents : tuple of tuple of int
        For each member, the positions of its parents among the members, in the measures' order.
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
        members: Iterable[int],
        prior: CellPrior,
    ) -> NetworkTables:
        """Count the cells of the members' tables.

        Parameters
        ----------
        states, counts : arrays (R, m), (R,)
            Distinct statements and their weights.
        arities : sequence of int
        parents : sequence of int
            Bit masks over all measures.
        members : iterable of int
            A set of measures with all their ancestors.
        prior : CellPrior
        """
        order = _parents_first(parents, list(members))
        place = {j: k for k, j in enumerate(order)}
        sizes = np.array([arities[j] for j in order], dtype=np.int64)
        above = [tuple(place[i] for i in sorted(order) if parents[j] >> i & 1) for j in order]
        strides, rows = [], []
        for own in above:
            widths = sizes[list(own)].tolist()
            later = (math.prod(widths[n + 1 :]) for n in range(len(own)))
            strides.append(np.fromiter(later, np.int64))
            rows.append(math.prod(widths))
        each = zip(order, rows, sizes.tolist(), strict=True)
        alpha = [prior.cells(j, q, r) for j, q, r in each]
        offsets = np.cumsum([0, *map(len, alpha)])
        tables = cls(
            members=tuple(order),
            arities=sizes,
            parents=tuple(above),
            strides=tuple(strides),
            offsets=offsets,
            alpha=np.concatenate(alpha),
            counts=np.zeros(int(offsets[-1])),
        )
        at = tables.cells(states)
        np.add.at(tables.counts, at.ravel(), np.repeat(counts, at.shape[1]))
        return tables

    def part(self, k: int) -> slice:
        """Cells of the k-th table."""
        return slice(int(self.offsets[k]), int(self.offsets[k + 1]))

    def rows(self, values: FloatArray, k: int) -> FloatArray:
        """Return the k-th table's cells as (…, configuration, state)."""
        part = values[..., self.part(k)]
        return part.reshape(*part.shape[:-1], -1, int(self.arities[k]))

    def joint_alpha(self) -> FloatArray | None:
        """Return α of every joint state of a complete component, if it is one Dirichlet.

        It is where each row's parameters sum to that of the joint state of the parents that it is
        for, as they do under BDeu and for a single measure. States are in the members' order, the
        first varying slowest.
        """
        joint = self.alpha[self.part(0)]
        for k in range(1, len(self.members)):
            rows = self.rows(self.alpha, k)
            if len(rows) != len(joint) or not np.allclose(
                rows.sum(axis=1), joint, rtol=1e-12, atol=0
            ):
                return None
            joint = rows.ravel()
        return joint

    def cells(self, states: IntArray) -> IntArray:
        """Return the cell of every member's table that each statement falls into: (R, k)."""
        own = states[:, list(self.members)]
        out = np.empty(own.shape, dtype=np.int64)
        for k, (above, stride) in enumerate(zip(self.parents, self.strides, strict=True)):
            row = own[:, list(above)] @ stride if above else 0
            out[:, k] = self.offsets[k] + row * self.arities[k] + own[:, k]
        return out

    def log_draws(
        self, size: int | tuple[int, ...], rng: np.random.Generator, *, prior: bool = False
    ) -> FloatArray:
        """Draw all tables from posterior or prior: logarithms (…, C), each row summing to one."""
        shape = (size,) if isinstance(size, int) else size
        counts = np.zeros_like(self.counts) if prior else self.counts
        gamma, exponential = draw_dirichlet_latents(np.log(self.alpha), counts, shape, rng)
        return self.normalised(np.log(gamma) - exponential / self.alpha)

    def normalised(self, x: FloatArray) -> FloatArray:
        """Take log softmax over each table's rows; cells are along the last axis."""
        out = np.empty_like(x)
        for k in range(len(self.members)):
            rows = self.rows(x, k)
            # State by state: reductions along an axis of two are slow.
            top = reduce(np.maximum, np.moveaxis(rows, -1, 0))[..., None]
            total = top + np.log(np.exp(rows - top) @ np.ones((rows.shape[-1], 1)))
            out[..., self.part(k)] = (rows - total).reshape(*x.shape[:-1], -1)
        return out

    def log_mean(self) -> FloatArray:
        """Log of each cell's posterior mean."""
        shape = self.alpha + self.counts
        rows = (self.rows(shape, k) for k in range(len(self.members)))
        return np.concatenate([np.log(r / r.sum(axis=1, keepdims=True)).ravel() for r in rows])

    def largest(self, log_cells: FloatArray) -> IntArray:
        """Return the members' states of the largest θ in every draw of the tables: (draws, k).

        Branch and bound in topological order; a branch is abandoned if even the largest cell of
        every remaining table could not lift it above the best so far.
        """
        k, widest = len(self.members), max(1, *map(len, self.parents))
        parents = np.full((k, widest), -1, dtype=np.int64)
        strides = np.zeros((k, widest), dtype=np.int64)
        for n, (above, stride) in enumerate(zip(self.parents, self.strides, strict=True)):
            parents[n, : len(above)], strides[n, : len(above)] = above, stride
        return _largest_states(log_cells, self.arities, parents, strides, self.offsets)

    def new_states(self, log_cells: FloatArray, number: int, rng: np.random.Generator) -> IntArray:
        """Draw statements for every draw of the tables, (D, C): parents' states before children's.

        Returns
        -------
        array (D, number, k)
            The state of every measure, in the order of the measures.
        """
        draws = len(log_cells)
        states = np.zeros((draws, number, len(self.members)), dtype=np.int64)
        each = np.arange(draws)[:, None, None]
        for k, (above, stride) in enumerate(zip(self.parents, self.strides, strict=True)):
            row = states[..., list(above)] @ stride if above else np.zeros((draws, number), int)
            start = self.offsets[k] + row * self.arities[k]
            cells = start[..., None] + np.arange(self.arities[k])
            ends = np.cumsum(np.exp(log_cells[each, cells]), axis=-1)
            at = rng.random((draws, number, 1)) * ends[..., -1:]
            states[..., k] = (at >= ends[..., :-1]).sum(axis=-1)
        return states[..., np.argsort(self.members)]

    def above(self, measures: Sequence[int]) -> list[int]:
        """Return the positions of some measures and of all their ancestors among the members."""
        masks = [sum(1 << p for p in own) for own in self.parents]
        wanted = sum(1 << self.members.index(j) for j in measures)
        return [k for k in range(len(masks)) if ancestors(masks, wanted) >> k & 1]

    def summed(self, measures: Sequence[int], log_cells: FloatArray) -> tuple[IntArray, FloatArray]:
        """Sum θ over all but some measures, in draws of the tables (…, C).

        Returns
        -------
        states : array (K, m')
            The joint states of these measures.
        theta : array (…, K)
        """
        above = self.above(measures)
        every = joint_states(self.arities[above].tolist())
        states = np.zeros((len(every), max(self.members) + 1), dtype=np.int64)
        states[:, [self.members[k] for k in above]] = every
        own, place = np.unique(states[:, list(measures)], axis=0, return_inverse=True)
        joint = np.exp(log_cells[..., self.cells(states)[:, above]].sum(axis=-1))
        return own, joint @ (place.reshape(-1, 1) == np.arange(len(own)))


def _parents_first(parents: Sequence[int], members: Sequence[int]) -> list[int]:
    """Members with parents before children, else in listing order."""
    order: list[int] = []
    left = sum(1 << j for j in members)
    while left:
        ready = [j for j in members if left >> j & 1 and not parents[j] & left]
        order.append(ready[0])
        left ^= 1 << ready[0]
    return order


@jit()
def _largest_states(
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
