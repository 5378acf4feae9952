"""A network's answer on fewer measures, θ summed over the others.

When the subset contains its own ancestors, in the graph or in one equivalent to it, the summed
model is the network on the subset: exact as ever. Otherwise (a common child without its parents)
no network is equal to it, and the sum is drawn.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import PROBABILITY, theta_columns
from bayescompare.comparison.decision import Decision, decide
from bayescompare.comparison.method import Method, Sampling
from bayescompare.comparison.questions import FourQuestions
from bayescompare.kernels.dirichlet.parts import parts_of_draws
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.network.dag_posterior import is_acyclic
from bayescompare.methods._shared.priors import prior_options
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.network import Network
from bayescompare.methods.network.answer import (
    MOST_ANCESTORS,
    check_network_drawable,
    summed_network_draws,
)
from bayescompare.methods.network.details import NetworkDetails
from bayescompare.methods.network.graph import Graph, GraphScores, edges_of, graph_class_pattern
from bayescompare.methods.network.words import summed_words
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

__all__ = ["SummedNetwork", "network_on_subset"]


#: Edges up to which every orientation of the graph is tried.
MOST_EDGES = 14


def network_on_subset(
    method: Network, scores: GraphScores, graph: Graph, measures: list[str]
) -> Method:
    """Return the method that has this network's posterior, summed over the other measures.

    One measure alone is the plain test, of strength ESS, or with its α.
    """
    names = scores.statements.measures
    keep = sum(1 << names.index(name) for name in measures)
    if scores.alpha is not None:
        # Equivalent graphs have other distributions here, so only this graph will do.
        closed = graph if _is_closed_network_subset(graph, keep) else None
    else:
        closed = _close_network_subset(graph, keep)
    if closed is None:
        edges = edges_of(graph, names)
        return SummedNetwork(
            ess=scores.ess,
            mcse=method.mcse,
            priors=method.priors if scores.alpha is not None else None,
            whole=scores,
            graph=graph,
            summed_from=edges,
        )
    priors = None if scores.alpha is None else {"alpha": _network_subset_alpha(scores, measures)}
    if len(measures) == 1:
        if priors is None:
            return Dirichlet(strength=scores.ess)
        return Dirichlet(prior=priors["alpha"][measures[0]])
    edges = [e for e in edges_of(closed, names) if set(e) <= set(measures)]
    return replace(
        method, ess=scores.ess, search=edges, average=False, priors=priors, max_parents=None
    )


def _network_subset_alpha(scores: GraphScores, measures: list[str]) -> dict[str, dict[str, float]]:
    """α of some measures, by name and state."""
    statements, alpha = scores.statements, scores.alpha
    assert alpha is not None
    places = {name: statements.measures.index(name) for name in measures}
    return {
        name: dict(zip(statements.state_names(j), alpha[j], strict=True))
        for name, j in places.items()
    }


def _close_network_subset(graph: Graph, keep: int) -> Graph | None:
    """An equivalent graph in which the measures kept have no parent outside, if there is one."""
    if _is_closed_network_subset(graph, keep):
        return graph
    joined, colliders = graph_class_pattern(graph)
    if len(joined) > MOST_EDGES:
        return None
    for turned in itertools.product((False, True), repeat=len(joined)):
        parents = [0] * len(graph)
        for (i, j), turn in zip(sorted(joined), turned, strict=True):
            child, parent = (i, j) if turn else (j, i)
            parents[child] |= 1 << parent
        candidate = tuple(parents)
        if (
            _is_closed_network_subset(candidate, keep)
            and is_acyclic(candidate)
            and graph_class_pattern(candidate)[1] == colliders
        ):
            return candidate
    return None


def _is_closed_network_subset(graph: Graph, keep: int) -> bool:
    return not any(mask & ~keep for j, mask in enumerate(graph) if keep >> j & 1)


@dataclass(frozen=True, kw_only=True)
class SummedNetwork(Network):
    """A network summed over measures that cannot be left out of it; answers by Monte Carlo."""

    provides: ClassVar[frozenset[str]] = frozenset(
        {"probability", "unobserved", "questions", "components", "on"}
    )

    whole: GraphScores | None = field(default=None, repr=False)
    graph: Any = ()
    summed_from: Sequence[Sequence[str]] = ()

    def options(self) -> dict[str, Any]:
        """Return the options, with the graph that was summed over but not its table."""
        options = {"ess": self.ess, "mcse": self.mcse, "summed_from": list(self.summed_from)}
        return {**options, **({"priors": prior_options(self.priors)} if self.priors else {})}

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Draw the tables, sum θ over the other measures, count which statement is largest."""
        if self.whole is None:
            raise BayescompareError("this answer was summed from a network that is not here.")
        prior = self.whole.prior
        check_network_drawable(prior.ess)
        whole, subset = self.whole.statements, Statements.of(results)
        columns = [whole.measures.index(name) for name in results.measures]
        draws = max(1, math.ceil(0.25 / self.mcse**2))
        drawn = summed_network_draws(whole, self.graph, prior, columns, draws, sampling.rng)
        if drawn is None:
            raise BayescompareError(
                f"on({list(results.measures)}): these measures and those they depend on have more "
                f"than {count(MOST_ANCESTORS)} joint states; ask about more of them together, or "
                "compare on the subset anew."
            )
        own, theta = drawn
        listed = {tuple(row): k for k, row in enumerate(own.tolist())}
        at = [listed[tuple(row)] for row in subset.table.states.tolist()]
        leads = sole_leader(theta)
        none = 1.0 - float(leads.any(axis=1).mean())
        parts = {} if own.shape[1] == 1 else {PROBABILITY: parts_of_draws(theta, own)[at]}
        return _network_subset_answer(subset, theta[:, at], leads[:, at], none, parts, sampling)

    def refuses(self, quantity: str) -> str:
        """Refuse what must compute again: that needs the whole network."""
        if quantity in ("sensitivity", "rope_sensitivity"):
            return "this answer was summed from a network by on(); ask the whole one."
        return super().refuses(quantity)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and that it is a sum over measures left out."""
        return summed_words(results, answer, decision)


def _network_subset_answer(
    statements: Statements,
    theta: AnyArray,
    leads: AnyArray,
    none: float,
    parts: dict[str, AnyArray],
    sampling: Sampling,
) -> Answer:
    """Read an answer off draws of θ over the listed statements."""
    draws = len(theta)
    hits = leads.sum(axis=0)
    p, safe = hits / draws, (hits + 1.0) / (draws + 2.0)
    low, high = np.quantile(theta, [0.025, 0.975], axis=0)
    answer = Answer.over(
        statements,
        probability=p,
        unobserved=max(0.0, 1.0 - none - float(p[statements.table.counts > 0].sum())),
        none_leads=none,
        mcse=np.sqrt(safe * (1.0 - safe) / draws),
        per_statement=theta_columns(theta.mean(axis=0), low, high),
        parts=parts,
        details=NetworkDetails(edges=(), score=None, max_parents=0, components=()),
        seed=sampling.seed,
    )
    best = decide(answer).statement
    k, opposite = answer.labels.index(best), statements.find(statements.opposite(best))
    beats = None
    if opposite is not None and opposite != k:
        beats = float((theta[:, k] > theta[:, opposite]).mean())
    figures = FourQuestions(
        most_probable=float(p[k]),
        beats_opposite=beats,
        majority=float((theta[:, k] > 0.5).mean()),
        expected=float(theta[:, k].mean()),
    )
    return replace(answer, scalars=figures)
