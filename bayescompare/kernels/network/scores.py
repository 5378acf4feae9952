r"""Scores of families: how well its parents explain a measure.

Every row c of the table of measure j given parents P is a Dirichlet, and their log evidence is

.. math:: score(j, P) = \sum_c \Bigl[ \log\frac{\Gamma(A_c)}{\Gamma(A_c + N_c)}
          + \sum_k \log\frac{\Gamma(\alpha_{ck} + n_{ck})}{\Gamma(\alpha_{ck})} \Bigr], \qquad
          A_c = \sum_k \alpha_{ck} .

Rows and states that were never observed cost nothing. With BDeu's :math:`\alpha = ESS/(q r)`, for
q rows and r states, let :math:`g(S)` be the log evidence of the joint of the measures S under
Dirichlet(ESS / Π r). Then :math:`score(j, P) = g(P \cup \{j\}) - g(P)`: one number for each
subset gives all scores. Counts may be fractional (ties).

References
----------
Cooper & Herskovits (1992), A Bayesian method for the induction of probabilistic networks from
data; Heckerman, Geiger & Chickering (1995), Learning Bayesian networks; Benavoli & de Campos
(2015), Section 5.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

#: Sets are bit masks in 64-bit integers.
MOST_MEASURES = 62
#: Measures up to which sums over the subsets of any set are kept: 84 MB.
MOST_TABULATED = 20


@dataclass(frozen=True)
class CellPrior:
    r"""α of every cell of every table.

    BDeu's is :math:`\alpha = \mathrm{ESS}/(q\,r)`. Then graphs that express the same independences
    have the same score and the same distribution of θ. With α of its own for each measure and
    state, the same in every row (α = 1 is the K2 score), this need not be so.

    Attributes
    ----------
    ess : float
        Equivalent sample size.
    alpha : tuple of tuple of float, optional
        α by measure and state; then the ESS has no part in it.

    Examples
    --------
    A table of two rows and two states:

    >>> CellPrior(1.0).cells(0, 2, 2).tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> CellPrior(alpha=((2.0, 1.0),)).cells(0, 2, 2).tolist()
    [2.0, 1.0, 2.0, 1.0]
    """

    ess: float = 1.0
    alpha: tuple[tuple[float, ...], ...] | None = None

    @property
    def equivalent(self) -> bool:
        """Whether graphs that express the same independences have the same score."""
        return self.alpha is None

    def cells(self, measure: int, rows: int, arity: int) -> FloatArray:
        """Return α of the cells of a measure's table, row after row."""
        if self.alpha is None:
            return np.full(rows * arity, self.ess / (rows * arity))
        return np.tile(np.array(self.alpha[measure]), rows)


# subsets, and sets of parents ---------------------------------------------------------------------


def subset_scores(
    states: IntArray, counts: FloatArray, arities: Sequence[int], ess: float, largest: int
) -> FloatArray:
    """Return g(S) for every subset S of the measures, as a bit mask, up to a size.

    Parameters
    ----------
    states : array (R, m)
        Distinct statements.
    counts : array (R,)
        Their weights, fractional where datasets are tied.
    arities : sequence of int
        Each measure's number of states.
    ess : float
        Equivalent sample size.
    largest : int
        Size of the largest subset needed: one more than the number of parents allowed.

    Returns
    -------
    array (2^m,)
        NaN for subsets that are larger.

    Examples
    --------
    Two measures that always agree are explained better together:

    >>> states = np.array([[0, 0], [1, 1]])
    >>> g = subset_scores(states, np.array([5.0, 5.0]), [2, 2], 1.0, 2)
    >>> bool(g[3] > g[1] + g[2])
    True
    """
    columns, weights = _observed(states, counts)
    logs = np.log(np.asarray(arities, dtype=np.float64))
    return _subset_scores(columns, weights, logs, math.log(ess), largest)


def local_scores(
    states: IntArray,
    counts: FloatArray,
    arities: Sequence[int],
    prior: CellPrior,
    max_parents: int,
) -> FloatArray:
    """Return the local score of every (child, parents) under any prior, (m, 2^(m−1))."""
    m = len(arities)
    if prior.equivalent:
        scores = subset_scores(states, counts, arities, prior.ess, max_parents + 1)
        return local_bdeu_scores(scores, m, max_parents)
    local = np.full((m, 1 << (m - 1)), -np.inf)
    index = np.arange(1 << (m - 1))
    index = index[np.bitwise_count(index) <= max_parents]
    for child in range(m):
        masks = [mask_with_gap(i, child) for i in index.tolist()]
        local[child, index] = family_scores(states, counts, arities, prior, child, masks)
    return local


def family_scores(
    states: IntArray,
    counts: FloatArray,
    arities: Sequence[int],
    prior: CellPrior,
    child: int,
    masks: IntArray | Sequence[int],
) -> FloatArray:
    """Return the score of one measure given each of some sets of parents, bit masks.

    Examples
    --------
    One dataset, α = 1: either state has probability ½.

    >>> one = np.array([[0, 1]]), np.array([1.0])
    >>> prior = CellPrior(alpha=((1.0, 1.0), (1.0, 1.0)))
    >>> family_scores(*one, [2, 2], prior, 1, [0b01]).round(12).tolist()
    [-0.69314718056]
    """
    columns, weights = _observed(states, counts)
    alpha = prior.cells(child, 1, arities[child])
    # Under BDeu the parameters of a row fall with the number of rows.
    falls = np.log(np.asarray(arities, dtype=np.float64)) * prior.equivalent
    return _family_scores(
        columns,
        weights,
        child,
        np.asarray(masks, dtype=np.int64),
        np.log(alpha),
        math.log(alpha.sum()),
        falls,
    )


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
    """All sets of at most k parents of every measure, by falling score.

    Beyond some twenty measures tables over all subsets do not fit into memory, but sets of a few
    parents do.

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
        prior: CellPrior,
        max_parents: int,
    ) -> ParentSets:
        """Score every set.

        Examples
        --------
        Two measures that always agree: a parent is better than none.

        >>> states = np.array([[0, 0], [1, 1]])
        >>> sets = ParentSets.score(states, np.array([5.0, 5.0]), [2, 2], CellPrior(), 1)
        >>> sets.masks.tolist()
        [[2, 0], [1, 0]]
        """
        m, sizes = len(arities), range(min(max_parents, len(arities) - 1) + 1)
        masks = np.array(
            [
                [sum(chosen) for k in sizes for chosen in itertools.combinations(others, k)]
                for others in ([1 << i for i in range(m) if i != child] for child in range(m))
            ],
            dtype=np.int64,
        )
        scores = np.stack(
            [family_scores(states, counts, arities, prior, j, own) for j, own in enumerate(masks)]
        )
        return cls(masks, scores).weighed(scores)

    def weighed(self, scores: FloatArray) -> ParentSets:
        """Return the same sets by other scores, falling."""
        order = np.argsort(-scores, axis=1, kind="stable")
        return ParentSets(
            np.take_along_axis(self.masks, order, 1), np.take_along_axis(scores, order, 1)
        )

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


def _observed(states: IntArray, counts: FloatArray) -> tuple[IntArray, FloatArray]:
    """The statements that were observed, measure by measure, and their weights."""
    seen = counts > 0
    return (
        np.ascontiguousarray(states[seen].T, dtype=np.int64),
        np.ascontiguousarray(counts[seen], dtype=np.float64),
    )


# compiled -----------------------------------------------------------------------------------------


@jit()
def mask_without_gap(mask: int, bit: int) -> int:
    """Close the gap that `bit`, which is not in the mask, leaves: half the memory."""
    low = mask & ((1 << bit) - 1)
    return low | ((mask >> (bit + 1)) << bit)


@jit()
def mask_with_gap(index: int, bit: int) -> int:
    """Open the gap again."""
    low = index & ((1 << bit) - 1)
    return low | ((index >> bit) << (bit + 1))


@jit()
def _log_rising(log_a: float, n: float) -> float:
    """log Γ(a + n) − log Γ(a), with the singular part of small a kept in log a."""
    a = math.exp(log_a)
    return math.lgamma(a + n) + log_a - math.lgamma(1.0 + a)


@jit()
def _refine_blocks(old: IntArray, column: IntArray, new: IntArray, work: IntArray) -> int:
    """Split the blocks of a partition of the rows by one more measure; return their number.

    `work` holds, per block, a chain of (state, new block, next) so far.
    """
    rows = len(old)
    head, state, link = work[0], work[1], work[2]
    for b in range(rows):
        head[b] = -1
    blocks = 0
    for i in range(rows):
        b = head[old[i]]
        while b >= 0 and state[b] != column[i]:
            b = link[b]
        if b < 0:
            b = blocks
            state[b], link[b] = column[i], head[old[i]]
            head[old[i]] = b
            blocks += 1
        new[i] = b
    return blocks


@jit()
def _subset_scores(
    columns: IntArray, counts: FloatArray, log_arities: FloatArray, log_ess: float, largest: int
) -> FloatArray:
    m, rows = columns.shape
    scores = np.full(1 << m, np.nan)
    scores[0] = 0.0
    weight = 0.0
    for i in range(rows):
        weight += counts[i]
    whole = _log_rising(log_ess, weight)
    blocks = np.zeros((largest + 1, rows), dtype=np.int64)
    work = np.empty((3, rows), dtype=np.int64)
    cell = np.empty(rows)
    chosen = np.full(largest + 1, -1, dtype=np.int64)
    log_alpha = np.empty(largest + 1)
    log_alpha[0] = log_ess
    # Depth first over subsets in increasing order of their members: each is one refinement of
    # its parent's partition of the rows.
    depth, mask = 0, 0
    while depth >= 0:
        chosen[depth] += 1
        j = chosen[depth]
        if j >= m or depth >= largest:
            depth -= 1
            if depth >= 0:
                mask ^= 1 << chosen[depth]
            continue
        parts = _refine_blocks(blocks[depth], columns[j], blocks[depth + 1], work)
        for b in range(parts):
            cell[b] = 0.0
        for i in range(rows):
            cell[blocks[depth + 1, i]] += counts[i]
        log_alpha[depth + 1] = log_alpha[depth] - log_arities[j]
        total = -whole
        for b in range(parts):
            total += _log_rising(log_alpha[depth + 1], cell[b])
        mask |= 1 << j
        scores[mask] = total
        if depth + 1 < largest:
            chosen[depth + 1] = j
            depth += 1
        else:
            mask ^= 1 << j
    return scores


@jit()
def local_bdeu_scores(scores: FloatArray, m: int, max_parents: int) -> FloatArray:
    """Return the local score of every (child, parents), (m, 2^(m−1)), from those of subsets.

    Parents are indexed by their bit mask with the child's own bit taken out; −inf where there are
    too many.
    """
    half = 1 << (m - 1)
    size = np.zeros(half, dtype=np.int8)
    for index in range(1, half):
        size[index] = size[index >> 1] + (index & 1)
    local = np.full((m, half), -np.inf)
    for child in range(m):
        for index in range(half):
            if size[index] <= max_parents:
                mask = mask_with_gap(index, child)
                local[child, index] = scores[mask | (1 << child)] - scores[mask]
    return local


@jit()
def _family_scores(
    columns: IntArray,
    counts: FloatArray,
    child: int,
    masks: IntArray,
    log_alpha: FloatArray,
    log_total: float,
    falls: FloatArray,
) -> FloatArray:
    """Scores of one child: the rows of its table are the blocks of a partition."""
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
                _refine_blocks(blocks[now], columns[i], blocks[1 - now], work)
                now = 1 - now
                fall += falls[i]
        weight[:] = 0.0
        for i in range(rows):
            weight[blocks[now, i]] += counts[i]
        total = 0.0
        for b in range(rows):
            if weight[b] > 0.0:
                total -= _log_rising(log_total - fall, weight[b])
        cells = _refine_blocks(blocks[now], columns[child], blocks[1 - now], work)
        weight[:] = 0.0
        for i in range(rows):
            weight[blocks[1 - now, i]] += counts[i]
        for b in range(cells):
            total += _log_rising(log_alpha[work[1, b]] - fall, weight[b])
        out[s] = total
    return out


@jit()
def _parent_set_sums(masks: IntArray, weights: FloatArray) -> FloatArray:
    m, half = len(masks), 1 << (len(masks) - 1)
    sums = np.zeros((m, half))
    for child in range(m):
        for s in range(masks.shape[1]):
            sums[child, mask_without_gap(masks[child, s], child)] = weights[child, s]
        for bit in range(m - 1):
            for index in range(half):
                if index >> bit & 1:
                    sums[child, index] += sums[child, index ^ (1 << bit)]
    return sums
