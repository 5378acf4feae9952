"""Very many pairs under one Dirichlet, or under the prior learned from them: figures of all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from bayescompare._typing import AnyArray, IntArray
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.kernels.pair_states import count_pairs, every_state
from bayescompare.learned import Board, Learned
from bayescompare.outcome.decision import (
    first_named_in_decision,
    same_decision_score,
    state_of,
)
from bayescompare.outcome.method import LEAST_PAIRS, Method
from bayescompare.outcome.pair_figures import PairFigures
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, MOST_STATES, State, Statement, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet


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
    ropes = [results[name].rope for name in results.measures]
    arities = [2 if rope is None else 3 for rope in ropes]
    size = math.prod(arities)
    # Ties beyond the limit are refused pair by pair, in words.
    few = size <= DENSE and len(results.datasets) * size <= MOST_STATES
    if not _is_plain(method, results) or not few or len(pairs) * size > _MOST_NUMBERS:
        return None
    if method.learns_from_pairs and len(pairs) < LEAST_PAIRS:
        return None
    counts = np.zeros((len(pairs), size))
    pair, cell, count = count_pairs(results.oriented(), ropes, *pairs.T)
    counts[pair, cell] = count
    names = [(results.algorithms[a], results.algorithms[b]) for a, b in pairs.tolist()]
    chosen = [names[k] for k in asked.tolist()]
    first = Statements.of(results.sel(algorithms=list(names[0])).complete(missing="drop"))
    if not method.learns_from_pairs:
        boards = [Board.of(DirichletPrior.of(method.cells_of(first)[1]), counts)]
    else:
        neighbours = Neighbours(pairs, counts)
        prior = DirichletPrior.of_pairs(neighbours.base)
        log_urn = prior.log_urn(counts)
        taught = neighbours.teach(log_urn.T)
        learned = Learned.told(names, neighbours, log_urn.T, taught, first)
        method = replace(method, prior="learned", taught=learned)
        weight = softmax(log_urn + taught.log_weight.T, axis=0)
        own = Board.of(DirichletPrior.symmetric(1.0 / size, size), counts)
        boards = [Board(prior.components, counts, weight), own]
    return method, _figures([board.some(asked) for board in boards], arities, chosen)


def _is_plain(method: Dirichlet, results: Results) -> bool:
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


def _figures(
    boards: Sequence[Board], arities: Sequence[int], names: Sequence[tuple[str, str]]
) -> PairFigures:
    """Return the figures of some pairs, block by block.

    The second board has each pair under its own prior, where that of the first was learned.
    """
    states = every_state(arities)
    step = max(1, _BLOCK // len(states))
    blocks = [np.arange(k, min(k + step, len(names))) for k in range(0, len(names), step)]
    parts = [
        _block([board.some(block) for board in boards], states, [names[k] for k in block.tolist()])
        for block in blocks
    ]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    chosen, levels, alone, least, tied, dominance, leaders, figures, ahead = columns
    rows = zip(states[chosen].tolist(), names, strict=True)
    statements = [_statement(row, arities, pair) for row, pair in rows]
    found = zip(statements, np.fmin(levels, alone), least, tied, strict=True)
    return PairFigures(
        pairs=names,
        datasets=np.rint(boards[0].counts.sum(axis=1)).astype(np.int64),
        statements=list(map(str, statements)),
        states=["tied" if tie else state_of(s, lead, part) for s, lead, part, tie in found],
        levels=levels,
        alone=alone,
        lowest=np.full(len(names), np.nan),
        least=least,
        dominance=dominance,
        leaders=leaders,
        parts=figures,
        ahead=ahead,
    )


def _block(
    boards: Sequence[Board], states: IntArray, names: Sequence[tuple[str, str]]
) -> tuple[AnyArray, ...]:
    """Of each pair: its statement, P under both priors, of its parts too, and each measure."""
    groups, arities = [Groups(column) for column in states.T], (states.max(axis=0) + 1).tolist()
    every = [
        [as_probability(b.p_max()[:, :-1]) for b in (board, *map(board.events, groups))]
        for board in boards
    ]
    (probability, *learned), (own, *owned) = every[0], every[-1]
    same = same_decision_score(probability)
    chosen, tied = probability.argmax(axis=1), same.sum(axis=1) > 1
    for row in np.flatnonzero(tied).tolist():
        labels = [str(_statement(s, arities, names[row])) for s in states.tolist()]
        among = np.flatnonzero(same[row])
        chosen[row] = first_named_in_decision(among, boards[0].counts[row], labels)
    each = np.arange(len(names))
    alone = own[each, chosen] if len(boards) > 1 else np.full(len(names), np.nan)
    least = np.full(len(names), np.inf)
    leaders = np.full((len(names), len(arities)), -1)
    figures = np.empty((len(names), len(arities), 2))
    for j, (arity, *both) in enumerate(zip(arities, learned, owned, strict=True)):
        for p in both:
            np.minimum(least, p[each, states[chosen, j]], out=least)
        top = both[0].argmax(axis=1)
        figures[:, j] = np.stack([p[each, top] for p in both], axis=1)
        ahead_alone = same_decision_score(both[0]).sum(axis=1) == 1
        # Of two states the second is the second algorithm's, of three the third.
        leaders[ahead_alone, j] = np.where(top == arity - 1, 2, top)[ahead_alone]
    # State 0 is the first better; the last, the second; "equivalent" between them is half each.
    shares = [p[:, 0] + p[:, 1:-1].sum(axis=1) / 2.0 for p in learned]
    ahead = as_probability(np.stack(shares, axis=1))
    lead, dominance = probability[each, chosen], probability[:, [0, -1]]
    return chosen, lead, alone, least, tied, dominance, leaders, figures, ahead


def _statement(row: Sequence[int], arities: Sequence[int], pair: tuple[str, str]) -> Statement:
    """The statement of a pair that has these states: the first better, equivalent, the second."""
    order = State.order(*pair)
    every = {2: (order, order.reversed()), 3: (order, State.equal(*pair), order.reversed())}
    return Statement(tuple(every[arity][k] for k, arity in zip(row, arities, strict=True)))
