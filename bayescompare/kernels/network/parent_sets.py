"""The scores of all sets of at most k parents of each measure, the best first.

Beyond some twenty measures tables over all subsets do not fit into memory, but sets of a few
parents do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.bdeu import _bdeu_log_rising, _refine_bdeu_blocks
from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.dag_search import _dag_mask_without_gap
from bayescompare.kernels.numerics.jit import jit

__all__ = ["MOST_MEASURES", "ParentSets", "number_of_sets"]

#: Sets are bit masks in 64-bit integers.
MOST_MEASURES = 62
#: Measures up to which sums over the subsets of any set are kept: 84 MB.
MOST_TABULATED = 20


def number_of_sets(m: int, max_parents: int) -> int:
    """How many sets of parents a measure can have.

    Examples
    --------
    >>> number_of_sets(20, 3)
    1160
    """
    return sum(math.comb(m - 1, k) for k in range(min(max_parents, m - 1) + 1))


@dataclass(frozen=True)
class ParentSets:
    """All sets of parents of every measure, by falling score.

    Attributes
    ----------
    masks : array (m, S)
        Sets as bit masks.
    scores : array (m, S)
        Their local scores.
    """

    masks: IntArray
    scores: FloatArray

    @classmethod
    def score(
        cls,
        states: IntArray,
        counts: FloatArray,
        arities: Sequence[int],
        prior: float | CellPrior,
        max_parents: int,
    ) -> ParentSets:
        """Score every set.

        Parameters
        ----------
        states, counts : arrays (R, m), (R,)
            Distinct statements and their weights.
        arities : sequence of int
        prior : float or CellPrior
            A number is the equivalent sample size of BDeu.
        max_parents : int

        Examples
        --------
        Two measures that always agree: a parent is better than none.

        >>> states = np.array([[0, 0], [1, 1]])
        >>> sets = ParentSets.score(states, np.array([5.0, 5.0]), [2, 2], 1.0, 1)
        >>> sets.masks.tolist()
        [[2, 0], [1, 0]]
        """
        m, seen = len(arities), counts > 0
        columns = np.ascontiguousarray(states[seen].T, dtype=np.int64)
        weight = np.ascontiguousarray(counts[seen], dtype=np.float64)
        logs, prior = np.log(np.asarray(arities, dtype=np.float64)), CellPrior.of(prior)
        masks = np.array([_sets(m, child, max_parents) for child in range(m)], dtype=np.int64)
        scores = np.empty(masks.shape)
        for child, r in enumerate(arities):
            alpha = prior.cells(child, 1, r)
            scores[child] = _parent_set_scores(
                columns,
                weight,
                child,
                masks[child],
                np.log(alpha),
                math.log(alpha.sum()),
                # Under BDeu the parameters of a row fall with the number of rows.
                logs if prior.equivalent else np.zeros(m),
            )
        order = np.argsort(-scores, axis=1, kind="stable")
        return cls(np.take_along_axis(masks, order, 1), np.take_along_axis(scores, order, 1))

    def weights(self) -> FloatArray:
        """Each set's e^score relative to that of the best."""
        return np.exp(self.scores - self.scores[:, :1])

    def subset_sums(self) -> FloatArray:
        """Sums of the weights over all sets within any set C of other measures.

        C is indexed by its mask with the child's own bit taken out. Without columns if there are
        too many measures for the table.
        """
        m = len(self.masks)
        if m > MOST_TABULATED:
            return np.zeros((m, 0))
        return _parent_set_sums(self.masks, self.weights())


def _sets(m: int, child: int, max_parents: int) -> list[int]:
    others = [1 << i for i in range(m) if i != child]
    sizes = range(min(max_parents, m - 1) + 1)
    return [sum(chosen) for k in sizes for chosen in itertools.combinations(others, k)]


@jit()
def _parent_set_sums(masks: IntArray, weights: FloatArray) -> FloatArray:
    m, half = len(masks), 1 << (len(masks) - 1)
    sums = np.zeros((m, half))
    for child in range(m):
        for s in range(masks.shape[1]):
            sums[child, _dag_mask_without_gap(masks[child, s], child)] = weights[child, s]
        for bit in range(m - 1):
            for index in range(half):
                if index >> bit & 1:
                    sums[child, index] += sums[child, index ^ (1 << bit)]
    return sums


@jit()
def _parent_set_scores(
    columns: IntArray,
    counts: FloatArray,
    child: int,
    masks: IntArray,
    log_alpha: FloatArray,
    log_total: float,
    falls: FloatArray,
) -> FloatArray:
    """Local scores of one child: the rows of its table are the blocks of a partition."""
    m, rows = columns.shape
    out = np.empty(len(masks))
    blocks = np.zeros((2, rows), dtype=np.int64)
    work = np.empty((3, rows), dtype=np.int64)
    weight = np.empty(rows)
    for s in range(len(masks)):
        fall, now = 0.0, 0
        blocks[0] = 0
        for i in range(m):
            if masks[s] >> i & 1:
                _refine_bdeu_blocks(blocks[now], columns[i], blocks[1 - now], work)
                now = 1 - now
                fall += falls[i]
        weight[:] = 0.0
        for i in range(rows):
            weight[blocks[now, i]] += counts[i]
        total = 0.0
        for b in range(rows):
            if weight[b] > 0.0:
                total -= _bdeu_log_rising(log_total - fall, weight[b])
        cells = _refine_bdeu_blocks(blocks[now], columns[child], blocks[1 - now], work)
        weight[:] = 0.0
        for i in range(rows):
            weight[blocks[1 - now, i]] += counts[i]
        for b in range(cells):
            total += _bdeu_log_rising(log_alpha[work[1, b]] - fall, weight[b])
        out[s] = total
    return out
