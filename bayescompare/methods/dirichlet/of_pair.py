"""A prior that names algorithms of a whole table, as one of its pairs has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.methods.dirichlet.elicited import WEIGHT, is_elicited
from bayescompare.methods.dirichlet.wildcards import REST
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results

__all__ = ["prior_of_pair"]


def prior_of_pair(
    prior: Mapping[str, Any], results: Results, pair: tuple[str, str]
) -> tuple[Any, float]:
    """Keep what a prior says about a pair; return that and the strength of what is left.

    A belief about two algorithms is about their pair and no other; the measures on which nothing
    was said of a pair have all states alike.
    """
    if is_elicited(prior):
        return _beliefs_of_pair(prior, results, pair)
    kept = {
        label: alpha
        for label, alpha in prior.items()
        if label != REST
        and _concerns_dirichlet_of_pair(f"prior[{label!r}]", Statement.parse(label), results, pair)
    }
    if not kept and REST not in prior:
        raise BayescompareError(
            f"prior says nothing about {pair[0]} against {pair[1]}: name their statements too, or "
            "give '*' for the rest."
        )
    rest = {REST: prior[REST]} if REST in prior else {}
    return {**kept, **rest} if kept else prior[REST], 1.0


def _beliefs_of_pair(
    prior: Mapping[str, Any], results: Results, pair: tuple[str, str]
) -> tuple[Any, float]:
    weight = float(prior.get(WEIGHT, 1.0))
    kept: dict[str, Any] = {}
    for measure, belief in prior.items():
        if measure == WEIGHT:
            continue
        own = {
            state: p
            for state, p in belief.items()
            if _concerns_dirichlet_of_pair(
                f"prior[{measure!r}][{state!r}]", Statement.parse(str(state)), results, pair
            )
        }
        # A measure that does not exist must be refused even where no belief is left.
        if own or measure not in results.measures:
            kept[measure] = own or belief
    return ({**kept, WEIGHT: weight}, 1.0) if kept else ("symmetric", weight)


def _concerns_dirichlet_of_pair(
    where: str, statement: Statement, results: Results, pair: tuple[str, str]
) -> bool:
    """Whether a statement is about this pair; one about a single pair is about no other."""
    named = set(_dirichlet_of_pair_names(statement.states))
    unknown = sorted(named - set(results.algorithms))
    if unknown:
        raise BayescompareError(
            f"{where}: {unknown[0]!r} is not one of the algorithms compared "
            f"({', '.join(results.algorithms)}).{did_you_mean(unknown[0], results.algorithms)}"
        )
    if len(named) > 2:
        raise BayescompareError(
            f"{where} is about {len(named)} algorithms, and pairwise() asks about two at a time: "
            "give what you believe of each pair, or ask compare()."
        )
    return named <= set(pair)


def _dirichlet_of_pair_names(states: Iterable[State]) -> Iterable[str]:
    return (name for state in states for name in state.names if state.names != (REST,))
