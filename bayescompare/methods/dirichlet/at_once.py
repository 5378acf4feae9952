"""Very many pairs under one Dirichlet, or under the prior learned from them: figures of all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.kernels.pair_states import count_pairs, every_state
from bayescompare.learned import Learned
from bayescompare.outcome.decision import (
    first_named_in_decision,
    same_decision_score,
    state_of,
)
from bayescompare.outcome.method import LEAST_PAIRS, Method
from bayescompare.outcome.pair_figures import PairFigures
from bayescompare.posterior.board import Board
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior
from bayescompare.statements import BAR, DENSE, MOST_STATES, State, Statement, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet

__all__ = ["dirichlet_at_once"]

#: Probabilities of statements held at once.
_BLOCK = 1 << 21
#: Counts of all pairs together.
_MOST_NUMBERS = 1 << 27


def dirichlet_at_once(
    method: Dirichlet, results: Results, pairs: IntArray, asked: IntArray
) -> tuple[Method, PairFigures] | None:
    """Answer the pairs asked about, under a prior that names no algorithm.

    None where the method or the table has something that must be settled pair by pair.
    """
    table = _CountedAtOnce.of(results, pairs) if _is_plain_dirichlet(method, results) else None
    if table is None:
        return None
    first = Statements.of(_complete_dirichlet_pair(results, pairs[0]))
    if not method.learns_from_pairs:
        given = DirichletPrior.of(method.cells_of(first)[1])
        return method, table.figures(asked, Board.of(given, table.vectors), None)
    if len(pairs) < LEAST_PAIRS:
        return None
    names = [(results.algorithms[a], results.algorithms[b]) for a, b in pairs.tolist()]
    taught = Learned.of_counts(names, pairs, table.vectors, first)
    size = len(table.states)
    own = Board.of(DirichletPrior.symmetric(1.0 / size, size), table.vectors)
    figures = table.figures(asked, Board.learned(table.vectors, pairs), own)
    return replace(method, prior="learned", taught=taught), figures


def _is_plain_dirichlet(method: Dirichlet, results: Results) -> bool:
    """Whether all pairs have the same prior, exactly, and count every dataset alike."""
    named = (method.prior, *(method.priors or {}).values())
    return not (
        method.needs_mcmc
        # Its bounds are worked out pair by pair.
        or method.prior == "imprecise"
        or any(isinstance(value, Mapping) for value in named)
        or results.groups is not None
        or results.weights is not None
    )


def _complete_dirichlet_pair(results: Results, pair: IntArray) -> Results:
    """One pair over the datasets that have all its cells."""
    names = [results.algorithms[k] for k in pair]
    return results.sel(algorithms=names).complete(missing="drop")


class _CountedAtOnce:
    """The counts of all pairs of a table."""

    def __init__(self, results: Results, pairs: IntArray) -> None:
        ropes = [results[name].rope for name in results.measures]
        self.arities = [2 if rope is None else 3 for rope in ropes]
        self.states = every_state(self.arities)
        self._algorithms, self._pairs = results.algorithms, pairs
        found = count_pairs(results.oriented(), ropes, *pairs.T)
        pair, cell, count = found
        self.vectors = np.zeros((len(pairs), len(self.states)))
        self.vectors[pair, cell] = count

    @classmethod
    def of(cls, results: Results, pairs: IntArray) -> _CountedAtOnce | None:
        """Count the statements; None where there are too many to list."""
        size = math.prod(2 if results[name].rope is None else 3 for name in results.measures)
        # Ties beyond the limit are refused pair by pair, in words.
        few = size <= DENSE and len(results.datasets) * size <= MOST_STATES
        few = few and len(pairs) * size <= _MOST_NUMBERS
        return cls(results, pairs) if few else None

    def figures(self, asked: IntArray, board: Board, own: Board | None) -> PairFigures:
        """Return the figures of the pairs asked about, block by block.

        `own` has each pair under its own prior, where that of `board` was learned from all.
        """
        step = max(1, _BLOCK // len(self.states))
        blocks = (asked[k : k + step] for k in range(0, len(asked), step))
        parts = [self._block(block, board, own) for block in blocks]
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        chosen, levels, alone, least, tied, dominance, leaders, figures, ahead = columns
        names = [(self._algorithms[a], self._algorithms[b]) for a, b in self._pairs[asked].tolist()]
        statements = [
            _dirichlet_label_at_once(self._signs(k), *pair)
            for k, pair in zip(chosen, names, strict=True)
        ]
        return PairFigures(
            pairs=names,
            datasets=np.rint(self.vectors[asked].sum(axis=1)).astype(np.int64),
            statements=statements,
            states=[
                "tied" if equal else state_of(Statement.parse(label, pair), lead, part)
                for label, pair, lead, part, equal in zip(
                    statements, names, np.fmin(levels, alone), least, tied, strict=True
                )
            ],
            levels=levels,
            alone=alone,
            lowest=np.full(len(names), np.nan),
            least=least,
            dominance=dominance,
            leaders=leaders,
            parts=figures,
            ahead=ahead,
        )

    def _block(self, asked: IntArray, board: Board, own: Board | None) -> tuple[AnyArray, ...]:
        """Of each pair: its statement, P under both priors, of its parts too, and each measure."""
        groups = [Groups(self.states[:, j]) for j in range(len(self.arities))]

        def maxima(board: Board) -> list[FloatArray]:
            every = (board, *(board.events(group) for group in groups))
            return [as_probability(each.p_max()[:, :-1]) for each in every]

        counts = self.vectors[asked]
        probability, *learned = maxima(board.some(asked))
        every_own = None if own is None else maxima(own.some(asked))
        owned = [] if every_own is None else every_own[1:]
        same = same_decision_score(probability)
        chosen = probability.argmax(axis=1)
        tied = same.sum(axis=1) > 1
        for row in np.flatnonzero(tied).tolist():
            weights = counts[row]
            labels = [
                _dirichlet_label_at_once(self._signs(k), *self._named(asked[row]))
                for k in range(len(weights))
            ]
            chosen[row] = first_named_in_decision(np.flatnonzero(same[row]), weights, labels)
        each = np.arange(len(asked))
        alone = np.full(len(asked), np.nan)
        if every_own is not None:
            alone = every_own[0][each, chosen]
        least = np.full(len(asked), np.inf)
        leaders = np.full((len(asked), len(self.arities)), -1)
        figures = np.empty((len(asked), len(self.arities), 2))
        for j, arity in enumerate(self.arities):
            both = [learned[j], owned[j] if owned else learned[j]]
            for p in both:
                np.minimum(least, p[each, self.states[chosen, j]], out=least)
            top = both[0].argmax(axis=1)
            figures[:, j] = np.stack([p[each, top] for p in both], axis=1)
            alone_ahead = same_decision_score(both[0]).sum(axis=1) == 1
            # Of two states the second is the second algorithm's, of three the third.
            code = np.where(top == arity - 1, 2, top)
            leaders[alone_ahead, j] = code[alone_ahead]
        # State 0 is the first better; the last, the second; "equivalent" between them is half each.
        shares = [p[:, 0] + p[:, 1:-1].sum(axis=1) / 2.0 for p in learned]
        ahead = as_probability(np.stack(shares, axis=1))
        dominance = probability[:, [0, -1]]
        lead = probability[each, chosen]
        return chosen, lead, alone, least, tied, dominance, leaders, figures, ahead

    def _named(self, place: int) -> tuple[str, str]:
        first, second = self._pairs[place].tolist()
        return self._algorithms[first], self._algorithms[second]

    def _signs(self, k: int) -> list[int]:
        """Of one statement, by measure: 0 the first better, 1 equivalent, 2 the second."""
        row, last = self.states[k].tolist(), (arity - 1 for arity in self.arities)
        return [2 if state == end else state for state, end in zip(row, last, strict=True)]


def _dirichlet_label_at_once(signs: list[int], first: str, second: str) -> str:
    """Write a statement about a pair."""
    states = State.order(first, second), State.equal(first, second), State.order(second, first)
    texts = [str(state) for state in states]
    return BAR.join(texts[sign] for sign in signs)
