r"""What the pairs of a table teach each other (SPEC 8).

Every pair either has no difference or has one; how often (q), and how strong (A), is learned from
the table. A decided pair teaches nothing about a pair from which one of its algorithms clearly
stands apart.

.. math:: L_p(A, q) = \log\bigl(q\,e^{e_0} + (1 - q)\,e^{e_1}\bigr), \qquad
          w_p(A, q) \propto q^{-1/2} \exp \sum_{d \text{ lends to } p} L_d(A, q)

with e₀ and e₁ a pair's log evidence without and with a difference of strength A. Every pair lends
to itself; that factor is Bayes' rule, so the prior of a pair is what its *other* lenders teach. It
is empirical Bayes over dependent pairs, its constants chosen by simulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, log_softmax, logsumexp, softmax

from bayescompare._typing import AnyArray, BoolArray, FloatArray, IntArray

#: How strong a difference may be: θ ~ Dirichlet(A φ).
STRENGTHS = np.array([2.0, 8.0, 32.0])
#: Shares q of pairs without a difference; each is weighed by q^(−½) before the data.
SHARES = np.array([0.02, 1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 0.995])
#: Log prior weight of every strength and share, up to a constant.
_PRIOR = np.tile(-np.log(SHARES) / 2.0, len(STRENGTHS))
#: A record is decided from here on. Fixed: P must not depend on the level of a decision.
_DECIDED = 0.95
#: Numbers held at once.
_BLOCK = 1 << 22


class Taught(NamedTuple):
    """What the pairs of a table taught each other.

    Attributes
    ----------
    log_weight : array (P, 2 A)
        Log weight of each component in the prior of each pair: what its other lenders teach.
    cells : array (P, A, q)
        Probability of each strength and share, given all lenders.
    """

    log_weight: FloatArray
    cells: FloatArray


@dataclass(frozen=True, eq=False)
class Neighbours:
    """All pairs of a table.

    Attributes
    ----------
    who : array (P, 2)
        The two algorithms of each pair, by number.
    records : array (P, K)
        Its counts; leanings where datasets are uncertain. The reverse of statement s is K − 1 − s.
    """

    who: IntArray
    records: FloatArray

    @cached_property
    def is_decided(self) -> BoolArray:
        """Whether each pair is decided by its own record, (P,)."""
        return is_decided(self.records)

    @property
    def base(self) -> FloatArray:
        """φ: what undecided pairs look like, either way round, (K,)."""
        pool = self.records[~self.is_decided].sum(axis=0)
        base = (pool + pool[::-1]) / 2.0 + 1.0 / len(pool)
        return base / base.sum()

    def teach(self, log_evidence: FloatArray) -> Taught:
        """Let all pairs teach each other.

        Components, here and in `log_evidence`, are every strength with a difference, then without.
        """
        own = _cells(log_evidence)
        lent = _PRIOR + self.lent(own)
        shape = len(own), len(STRENGTHS), len(SHARES)
        others = log_softmax(lent - own, axis=1).reshape(shape)
        kinds = (np.log1p(-SHARES), np.log(SHARES))
        log_weight = np.concatenate([logsumexp(others + kind, axis=2) for kind in kinds], axis=1)
        return Taught(log_weight, softmax(lent, axis=1).reshape(shape))

    @property
    def lenders(self) -> FloatArray:
        """Number of pairs that teach each pair, itself among them, (P,)."""
        return self.lent(np.ones((len(self.who), 1)))[:, 0]

    def lent(self, values: FloatArray) -> FloatArray:
        """Sum values (P, H) over the lenders of each pair: all but decided pairs of outsiders."""
        first, second = self.who.T
        number = self.who.max() + 1
        square = np.zeros((values.shape[1], number, number))
        square[:, first, second] = square[:, second, first] = np.where(self.is_decided, values.T, 0)
        lent = np.tile(values[~self.is_decided].sum(axis=0), (len(values), 1))
        for block in self._blocks:
            inside = np.unpackbits(self._insiders[block], axis=1, count=number).astype(np.float64)
            for h, between in enumerate(square):
                lent[block, h] += np.einsum("po,po->p", inside @ between, inside) / 2.0
        return lent

    @property
    def _blocks(self) -> list[slice]:
        """The pairs, some at once."""
        step = max(1, _BLOCK // ((self.who.max() + 1) * self.records.shape[1]))
        return [slice(start, start + step) for start in range(0, len(self.who), step)]

    @cached_property
    def _insiders(self) -> AnyArray:
        """Who does not stand apart from both of a pair, eight algorithms to a byte: (P, l / 8)."""
        return np.concatenate([self._inside(block) for block in self._blocks])

    def _inside(self, block: slice) -> AnyArray:
        first, second = self.who[block].T
        inside = ~is_decided((self._against[first] + self._against[second]) / 2.0)
        place = np.arange(len(first))
        inside[place, first] = inside[place, second] = True
        return np.packbits(inside, axis=1)

    @cached_property
    def _against(self) -> FloatArray:
        """Record of b against a at [a, b], (algorithms, algorithms, K)."""
        first, second = self.who.T
        number = self.who.max() + 1
        against = np.zeros((number, number, self.records.shape[1]))
        against[second, first], against[first, second] = self.records, self.records[:, ::-1]
        return against


def _cells(log_evidence: FloatArray) -> FloatArray:
    """L of each pair for every strength and share, (P, 2 A) to (P, A q)."""
    differ, same = np.split(log_evidence[:, :, None], 2, axis=1)
    cells = np.logaddexp(np.log(SHARES) + same, np.log1p(-SHARES) + differ)
    return np.asarray(cells.reshape(len(cells), -1))


def is_decided(records: FloatArray) -> BoolArray:
    """Whether the most frequent statement of (..., K) is more probable than the runner-up.

    One that is its own reverse decides nothing.
    """
    size = records.shape[-1]
    runner_up, top = np.moveaxis(np.partition(records, -2, axis=-1)[..., -2:], -1, 0)
    is_own_reverse = 2 * records.argmax(axis=-1) == size - 1
    return np.asarray(_surely(top, runner_up, 1 / size) & ~is_own_reverse)


def _surely(top: FloatArray, runner_up: FloatArray, alpha: float) -> BoolArray:
    """Whether the one is more probable than the other; of millions few are different."""

    def surely(more: FloatArray, less: FloatArray) -> BoolArray:
        return np.asarray(betainc(less + alpha, more + alpha, 0.5) >= _DECIDED)

    for scale in (4, 16):  # split ties are halves and quarters, and so are means of two records
        places = [scale * each for each in (top, runner_up)]
        side = int(places[0].max(initial=0.0)) + 1
        if side * side < top.size and all((each == np.rint(each)).all() for each in places):
            grid = np.arange(side) / scale
            more, less = (each.astype(np.intp) for each in places)
            return np.asarray(surely(grid[:, None], grid)[more, less])
    different, which = np.unique((top + 1j * runner_up).ravel(), return_inverse=True)
    return np.asarray(surely(different.real, different.imag)[which].reshape(top.shape))
