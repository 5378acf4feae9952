r"""The test from replicates of one pair, under the prior that all pairs taught.

.. math:: \theta \mid A \sim \mathrm{Dirichlet}(A\,\varphi), \qquad A \sim g

φ is the pooled evidence of all pairs' datasets, made symmetric under swapping the algorithms, plus
one dataset spread evenly; g comes from EM on the pairs' evidences. Made by ``pairwise``; the
pair's own symmetric prior is kept beside it as ``alone``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import ALONE, PROBABILITY
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Form, Sampling
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    dirichlet_strength_weights,
    learn_weights,
    learned_base,
)
from bayescompare.kernels.replicated.count_posterior import CountPosterior, exact_counts
from bayescompare.kernels.replicated.strengths import replicated_evidence
from bayescompare.methods._shared.learned_prior import LearnedPrior, shared_pair_patterns
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods.dirichlet.learned_model import (
    dirichlet_with_log_prior,
    dirichlet_without_choice,
    place_learned_dirichlet,
)
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.methods.replicated import Replicated
from bayescompare.methods.replicated.answer import (
    answer_table,
    both_replicated_densities,
    least_of_counts,
    normalised_replicated_rows,
)
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.statements import Statements
from bayescompare.table.results import Results

__all__ = ["LearnedReplicated", "learned_replicated"]


@dataclass(frozen=True, kw_only=True)
class LearnedReplicated(Replicated):
    """`Replicated` of one pair, with the prior learned from all pairs of its table."""

    learned: LearnedPrior = field()
    #: Its strengths reach from a tenth to a thousand datasets: small steps.
    sampler: ClassVar[Mapping[str, Any]] = MappingProxyType({"target_accept": 0.95})

    def __post_init__(self) -> None:
        # "learned" is the word for what this test has, and what its base class refuses to do.
        object.__setattr__(self, "prior", "symmetric")
        super().__post_init__()
        object.__setattr__(self, "prior", "learned")
        object.__setattr__(self, "learned", LearnedPrior.from_options(self.learned))

    def options(self) -> dict[str, Any]:
        """Return the choices by name, with what was learned."""
        return {**self._kept(), "prior": "learned", "learned": self.learned.options()}

    def chosen(self) -> dict[str, Any]:
        """Return the choices that `pairwise` learns the prior again with."""
        defaults = Replicated()
        return {k: v for k, v in self._kept().items() if v != getattr(defaults, k)}

    def _kept(self) -> dict[str, Any]:
        return _learned_replicated_test_reading(self)

    def unlearned(self) -> Replicated:
        """Return the test with the pair's own prior."""
        return Replicated(prior="symmetric", **self._kept())

    # the answer ----------------------------------------------------------------------------------

    def cells(self, results: Results) -> tuple[Statements, DirichletCells]:
        """Return the statements and the base φ on them, which each strength multiplies."""
        statements, cells = self.unlearned().cells(results)
        shares = [self.learned.shares[pattern] for pattern in shared_pair_patterns(statements)]
        return statements, replace(cells, log_alpha=np.log(shares))

    def _strengths(self, logs: FloatArray, base: FloatArray) -> tuple[FloatArray, float]:
        """P(A | data) over `STRENGTHS`, and the log evidence with A summed out."""
        each = replicated_evidence(logs, base)
        if each is None:
            raise BayescompareError(
                "prior='learned': with these replicates there are too many count vectors; give "
                "Replicated(prior='symmetric')."
            )
        prior = np.array(self.learned.weights)
        return dirichlet_strength_weights(each, prior), float(logsumexp(each + np.log(prior)))

    def count_posterior(
        self, results: Results, table: TableEvidence, rng: np.random.Generator
    ) -> CountPosterior | MixedCounts:
        """Return the counts under every strength that is left."""
        base = self.cells(results)[1].alpha
        weights, log_evidence = self._strengths(table.evidence.log, base)
        left = np.flatnonzero(weights)
        parts = []
        for k in left.tolist():
            part = exact_counts(table.evidence.log, STRENGTHS[k] * base, joint=True)
            assert part is not None  # the weakest prior has the most vectors, and they were few
            parts.append((float(weights[k]), part))
        return MixedCounts(parts, STRENGTHS[left], log_evidence)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement, averaged over the strengths; exactly."""
        answer = answer_table(self, results, sampling)
        own = self.unlearned().answer(results, sampling)
        assert own.probability is not None
        parts = dict(answer.parts)
        if parts:
            parts[ALONE] = own.parts[PROBABILITY]
        columns = {ALONE: own.probability, **answer.per_statement}
        return replace(answer, per_statement=columns, parts=parts)

    def refuses(self, quantity: str) -> str:
        """Say that the strength of the prior is uncertain, too."""
        if quantity == "uncertainty":
            return (
                "uncertainty: here a part of it is the prior's, which was learned from all pairs; "
                "compare() the two algorithms by themselves."
            )
        return super().refuses(quantity)

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, with what was learned held fixed."""
        if len(results.datasets) == 1:
            return super().leave_one_out(results)
        base = self.cells(results)[1].alpha
        logs = self.table_evidence(results).evidence.log
        weights, _ = self._strengths(logs, base)
        left = np.flatnonzero(weights)
        each = [both_replicated_densities(logs, STRENGTHS[k] * base) for k in left.tolist()]
        without, within = (np.array([d[i] for d in each if d is not None]) for i in (0, 1))
        log_weight = np.log(weights[left])[:, None]
        # p(x_i | rest) is the evidence of all over that of the rest, each summed over A.
        return -logsumexp(log_weight - without, axis=0), logsumexp(log_weight + within, axis=0)

    def answer_again(
        self, results: Results
    ) -> Callable[[FloatArray, np.random.Generator], FloatArray]:
        """Return P(max) of other evidence: the smaller of both priors' P, as `decide` takes it."""
        statements, cells = self.cells(results)
        base = cells.alpha
        own = self.unlearned().answer_again(results)

        def again(logs: FloatArray, rng: np.random.Generator) -> FloatArray:
            weights, log_evidence = self._strengths(logs, base)
            left = np.flatnonzero(weights)
            parts = []
            for k in left.tolist():
                part = exact_counts(logs, STRENGTHS[k] * base, joint=True, each=False)
                assert part is not None
                parts.append((float(weights[k]), part))
            mixed = MixedCounts(parts, STRENGTHS[left], log_evidence)
            return np.minimum(least_of_counts(statements, mixed), own(logs, rng))

        return again

    # posterior -----------------------------------------------------------------------------------

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the strength by its posterior weights, then as without one."""
        tree = super().draws(results, draws, chains, rng)
        return dirichlet_with_log_prior(tree, self.listing(results), self.learned)

    def prior_strengths(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw A by the share of pairs that have each."""
        return rng.choice(np.array(self.learned.values), size=draws, p=self.learned.weights)

    def place_theta(
        self, form: Form, listing: LumpedStatements, datasets: int, likelihood: Callable[[Any], Any]
    ) -> Any:
        """Add A and θ to the model in context."""
        return place_learned_dirichlet(form, listing, self.learned, likelihood)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        tree = super().to_tree(results, dirichlet_without_choice(tree), rng)
        return dirichlet_with_log_prior(tree, self.listing(results), self.learned)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and under which priors it holds."""
        sentences = super().sentences(results, answer, decision)
        lead = 1 if decision.verdict == "tied" else 2
        return [*sentences[:lead], learned_pair_words(self.learned, decision), *sentences[lead:]]


def learned_replicated(method: Replicated, asked: Sequence[Results]) -> Replicated:
    """Learn the prior of every pair from all of them.

    The test itself, where the counts of some pair are too many to be exact.
    """
    own = Replicated(prior="symmetric", **_learned_replicated_test_reading(method))
    pooled, rows = np.zeros(1), []
    statements = [own.cells(results)[0] for results in asked]
    for results in asked:
        table = own.table_evidence(results)
        _, cells = own.cells(results)
        posterior = exact_counts(table.evidence.log, cells.alpha, joint=True)
        if posterior is None:
            return method
        pooled = pooled + normalised_replicated_rows(table.evidence.log, posterior.version).sum(
            axis=0
        )
        rows.append(table.evidence.log)
    log_base, rest = learned_base(pooled, statements[0].log_size)
    each = [replicated_evidence(logs, np.exp(log_base)) for logs in rows]
    known = [evidence for evidence in each if evidence is not None]
    if len(known) < len(each):
        return method
    learned = LearnedPrior(
        shares=dict(
            zip(shared_pair_patterns(statements[0]), np.exp(log_base).tolist(), strict=True)
        ),
        log_rest=rest,
        values=tuple(STRENGTHS.tolist()),
        weights=tuple(learn_weights(np.array(known)).tolist()),
        pairs=len(asked),
        datasets=float(pooled.sum()),
    )
    return LearnedReplicated(learned=learned, **_learned_replicated_test_reading(method))


def _learned_replicated_test_reading(method: Replicated) -> dict[str, Any]:
    """Return how the replicates are read, which no prior changes."""
    return {name: getattr(method, name) for name in ("effects", "rho", "folds")}
