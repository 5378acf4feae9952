"""Statements drawn from a prior of patterns, of which there may be too many to list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayescompare.methods.dirichlet.elicited import ElicitedPrior
from bayescompare.methods.dirichlet.patterns import StatePattern
from bayescompare.methods.dirichlet.wildcards import WildcardPrior
from bayescompare.statements import State, Statement, Statements

__all__ = ["draw_statement"]


def draw_statement(
    prior: ElicitedPrior | WildcardPrior,
) -> Callable[[np.random.Generator], str]:
    """Return a function that draws a statement, each in proportion to its α."""
    return (
        _draw_pattern_from_beliefs(prior)
        if isinstance(prior, ElicitedPrior)
        else _draw_pattern_from_wildcards(prior)
    )


def _draw_pattern_from_beliefs(prior: ElicitedPrior) -> Callable[[np.random.Generator], str]:
    statements = prior.statements
    shares = [np.exp(classes.log_share) * classes.sizes for classes in prior.classes]

    def draw(rng: np.random.Generator) -> str:
        states = []
        for j, (classes, share) in enumerate(zip(prior.classes, shares, strict=True)):
            chosen = int(rng.choice(len(share), p=share / share.sum()))
            if chosen < len(classes.patterns):
                states.append(_draw_state_of_pattern(classes.patterns[chosen], statements, j, rng))
            else:
                states.append(_draw_state_outside_patterns(classes.patterns, statements, j, rng))
        return str(Statement(tuple(states)))

    return draw


def _draw_pattern_from_wildcards(prior: WildcardPrior) -> Callable[[np.random.Generator], str]:
    statements = prior.statements
    anything = tuple(StatePattern() for _ in statements.measures)
    patterns = [wildcard.patterns for wildcard in prior.wildcards]
    rest = prior.total - sum(prior.named.values()) - sum(w.alpha for w in prior.wildcards)
    masses = np.array([*prior.named.values(), *(w.alpha for w in prior.wildcards), max(rest, 0.0)])

    def draw(rng: np.random.Generator) -> str:
        chosen = int(rng.choice(len(masses), p=masses / masses.sum()))
        if chosen < len(prior.named):
            return list(prior.named)[chosen]
        which = chosen - len(prior.named)
        own = patterns[which] if which < len(patterns) else anything
        while True:
            states = tuple(_draw_state_of_pattern(p, statements, j, rng) for j, p in enumerate(own))
            label = str(Statement(states))
            taken = which == len(patterns) and prior.matched(states)
            # Those named singly, or by a wildcard where the rest is drawn, have their own α.
            if label not in prior.named and not taken:
                return label

    return draw


def _draw_state_of_pattern(
    pattern: StatePattern, statements: Statements, j: int, rng: np.random.Generator
) -> State:
    """Draw one of the states that a pattern matches, each alike probable."""
    names, order = statements.algorithms, list(pattern.order)
    roped = statements.arities[j] == 3 and len(names) == 2
    if pattern.equal or (roped and not order and rng.integers(3) == 0):
        return State.equal(*names)
    places = rng.permutation(len(names))
    # Those named take the places that they have anyway, in their order.
    taken = np.flatnonzero(np.isin(places, order))
    places[taken] = order
    return State.order(*(names[k] for k in places))


def _draw_state_outside_patterns(
    patterns: tuple[StatePattern, ...], statements: Statements, j: int, rng: np.random.Generator
) -> State:
    """Draw one of the states that no pattern matches."""
    while True:
        state = _draw_state_of_pattern(StatePattern(), statements, j, rng)
        if not any(pattern.holds(state, statements.algorithms) for pattern in patterns):
            return state
