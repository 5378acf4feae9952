r"""The multinomial-Dirichlet test of one pair under the prior that all pairs taught.

.. math:: \theta \mid A \sim \mathrm{Dirichlet}(A\,\varphi), \qquad A \sim g

with φ and g from `LearnedPrior`. Made by ``pairwise``; the pair's own symmetric prior is kept
beside it as ``alone``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import ALONE, PROBABILITY, theta_columns
from bayescompare.comparison.decision import SETTLED, Decision, decide
from bayescompare.comparison.method import BetaMixture, Form, Method, Sampling
from bayescompare.comparison.planning import grow_cells_in_planning
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import (
    dirichlet_strength_evidence,
    dirichlet_strength_weights,
)
from bayescompare.kernels.dirichlet.learned_maximum import mixed_maximum
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.mixture import Mixture
from bayescompare.kernels.dirichlet.parts import parts_of_mixture
from bayescompare.methods._shared.learned_prior import (
    LearnedPrior,
    join_shared_pattern,
    learn_prior,
    pool_shared_counts,
    shared_pair_patterns,
    shared_pattern_signs,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.questions import FourQuestions
from bayescompare.methods._shared.trees import shared_conjugate_tree
from bayescompare.methods.dirichlet import (
    Dirichlet,
    dirichlet_cell_betas,
    dirichlet_parts,
    least_of_dirichlet,
)
from bayescompare.methods.dirichlet.learned_model import (
    dirichlet_with_log_prior,
    dirichlet_without_choice,
    place_learned_dirichlet,
)
from bayescompare.methods.dirichlet.prior import dirichlet_prior_cells
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.results.results import Results
from bayescompare.statements import DENSE, State, Statement, Statements

__all__ = ["LearnedDirichlet", "learned_dirichlet", "learned_dirichlet_parts"]


#: From so many pairs on, their P(max) are worked out together.
_MANY = 64


@dataclass(frozen=True)
class LearnedDirichlet(Dirichlet):
    """`Dirichlet` of one pair, with the prior learned from all pairs of its table."""

    learned: LearnedPrior = field(kw_only=True)

    def options(self) -> dict[str, Any]:
        """Return the choices by name, with what was learned."""
        return {"prior": "learned", "learned": self.learned.options()}

    def chosen(self) -> dict[str, Any]:
        """Return nothing: without options `pairwise` learns the prior again."""
        return {}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> LearnedDirichlet:
        """Read back what `options` returned."""
        return cls(prior="learned", learned=LearnedPrior.from_options(options["learned"]))

    def unlearned(self) -> Dirichlet:
        """Return the test with the pair's own prior, the papers'."""
        return Dirichlet(prior="symmetric")

    def for_table(self, results: Results) -> Method:
        """Return the test that counts datasets with missing cells by what was seen there."""
        if results.gaps not in ("ignore", "bounds"):
            return self
        from bayescompare.methods.dirichlet.learned_partial import LearnedPartialDirichlet

        return LearnedPartialDirichlet(prior="learned", learned=self.learned)

    def mixture(self, results: Results) -> tuple[Statements, Mixture]:
        """Return the statements and their posterior, a mixture over strengths."""
        return self._mixture(Statements.of(results))

    def _mixture(self, statements: Statements) -> tuple[Statements, Mixture]:
        prior = self.learned
        if statements.size > DENSE:
            statements = statements.with_labels(
                _learned_dirichlet_test_labels(prior.shares, statements)
            )
        log_base = np.log([prior.shares[pattern] for pattern in shared_pair_patterns(statements)])
        counts = statements.table.counts
        cells = DirichletCells(log_base, counts, prior.log_rest, statements.log_unlisted)
        return statements, Mixture(cells, np.array(prior.values), np.array(prior.weights))

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement, averaged over the strengths; exactly."""
        statements, mixture = self.mixture(results)
        return self._answer(statements, mixture, *mixture.maximum())

    def answer_many(self, asked: Sequence[Results]) -> Iterator[Answer] | None:
        """Answer very many pairs, their P(max) worked out together."""
        if len(asked) < _MANY or len(self.learned.shares) > DENSE:
            return None
        return self._answers([Statements.of(results) for results in asked])

    def _answers(self, asked: Sequence[Statements]) -> Iterator[Answer]:
        counts, _ = pool_shared_counts(asked)
        log_base = np.log(list(self.learned.shares.values()))
        evidence = dirichlet_strength_evidence(counts, log_base)
        weights = dirichlet_strength_weights(evidence, np.array(self.learned.weights))
        probabilities = mixed_maximum(counts, log_base, weights)
        for statements, probability in zip(asked, probabilities, strict=True):
            yield self._answer(*self._mixture(statements), probability, 0.0)

    def _answer(
        self, statements: Statements, mixture: Mixture, probability: FloatArray, lump: float
    ) -> Answer:
        own = dirichlet_prior_cells("symmetric", 1.0, statements)[1]
        alone, _ = probability_of_maximum(own)
        parts = {}
        if len(statements.measures) > 1:
            parts = {
                PROBABILITY: learned_dirichlet_parts(statements, mixture),
                ALONE: dirichlet_parts(statements, own)[PROBABILITY],
            }
        ends = mixture.quantile(0.025), mixture.quantile(0.975)
        extra = {ALONE: alone, **theta_columns(mixture.mean, *ends)}
        answer = Answer.over(
            statements,
            probability=probability,
            unobserved=float(probability[statements.table.counts == 0].sum()) + lump,
            log_evidence=mixture.log_evidence,
            per_statement=extra,
            parts=parts,
        )
        return replace(
            answer, scalars=_learned_dirichlet_test_questions(statements, mixture, answer)
        )

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Betas of every listed θ, one for each strength."""
        _, mixture = self.mixture(results)
        return dirichlet_cell_betas(
            [
                (float(weight), cells)
                for weight, cells in zip(mixture.weights, mixture.components, strict=True)
                if weight > 0.0
            ]
        )

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, with what was learned held fixed."""
        statements, mixture = self.mixture(results)
        table = statements.table
        return mixture.leave_one_out(table.dataset, table.statement, table.weight)

    def on(self, results: Results, measures: list[str]) -> Dirichlet:
        """Return the method whose posterior is this one's, summed over the other measures.

        Given A the sum is a Dirichlet again; how probable each A is stays what all measures say,
        so the prior weights are divided by what the subset would say a second time.
        """
        statements, mixture = self.mixture(results)
        keep = [statements.measures.index(measure) for measure in measures]
        subset = Statements.of(results.sel(measures=measures))
        summed = _sum_learned_dirichlet_prior(self.learned, keep, subset)
        _, smaller = replace(self, learned=summed)._mixture(subset)
        logs = np.log(mixture.prior) + mixture.log_evidences - smaller.log_evidences
        weights = np.exp(logs - logs.max())
        return replace(
            self, learned=replace(summed, weights=tuple((weights / weights.sum()).tolist()))
        )

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets by Pólya's urn, the strength drawn first; the smaller P of both priors.

        So a simulated verdict is settled when `decide` would call it so.
        """
        return partial(_next_learned_dirichlet_test, *self.mixture(results))

    def level_given(
        self, results: Results, answer: Answer, decision: Decision
    ) -> Callable[[int, int], float] | None:
        """The smaller of P under both priors, if datasets supported another statement.

        Where the pair's own prior alone leaves it open, that is P under this one, which is quick.
        """
        own = Dirichlet(prior="symmetric").level_given(results, answer, decision)
        if own is None:
            return None
        statements, mixture = self.mixture(results)
        assert decision.runner_up is not None
        best, other = (answer.labels.index(s) for s in (decision.statement, decision.runner_up[0]))

        def level(more: int, moved: int) -> float:
            alone = own(more, moved)
            if alone < SETTLED:
                return alone
            counts = mixture.base.counts.copy()
            counts[best] += more - moved
            counts[other] += moved
            return min(alone, float(_least_learned(statements, mixture.with_counts(counts))[best]))

        return level

    # posterior -----------------------------------------------------------------------------------

    def cells_of(self, statements: Statements) -> tuple[Statements, DirichletCells]:
        """Return the statements and the base φ on them, which each strength multiplies."""
        statements, mixture = self._mixture(statements)
        return statements, mixture.base

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the strength by its posterior weights, and θ given it."""
        statements, mixture = self.mixture(results)
        strengths = (
            rng.choice(mixture.strengths, p=mixture.weights, size=(chains, draws)),
            rng.choice(mixture.strengths, p=mixture.prior, size=(1, draws)),
        )
        listing = LumpedStatements.from_cells(statements, mixture.base)
        tree = shared_conjugate_tree(
            results, listing, draws=draws, chains=chains, rng=rng, strengths=strengths
        )
        return dirichlet_with_log_prior(tree, listing, self.learned)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw the strength by its posterior weights, and the statements by Pólya's urn."""
        from bayescompare.methods.dirichlet.prediction import dirichlet_mixture_labels

        return dirichlet_mixture_labels(*self.mixture(results), draws, number, rng)

    def prior_strength(self, rng: np.random.Generator) -> float | None:
        """Draw A by the share of pairs that have each."""
        return float(rng.choice(np.array(self.learned.values), p=np.array(self.learned.weights)))

    def place_theta(self, form: Form, listing: LumpedStatements) -> Any:
        """Add A and θ to the model in context; NUTS moves neither, but latents of both."""
        return place_learned_dirichlet(form, listing, self.learned)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        tree = super().to_tree(results, dirichlet_without_choice(tree), rng)
        return dirichlet_with_log_prior(tree, self.listing(results), self.learned)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and under which priors it holds."""
        sentences = super().sentences(results, answer, decision)
        # After the verdict and what it does not mean; a tie has only the first.
        lead = 1 if decision.verdict == "tied" else 2
        return [*sentences[:lead], learned_pair_words(self.learned, decision), *sentences[lead:]]


def learned_dirichlet(asked: Sequence[Results]) -> LearnedDirichlet:
    """Learn the prior of every pair from all of them."""
    learned = learn_prior([Statements.of(results) for results in asked])
    return LearnedDirichlet(prior="learned", learned=learned)


def _learned_dirichlet_test_labels(patterns: Any, statements: Statements) -> list[str]:
    """The patterns as statements about this pair."""
    first, second = statements.algorithms
    states = {
        ">": State.order(first, second),
        "<": State.order(second, first),
        "=": State.equal(first, second),
    }
    return [
        str(Statement.of(*(states[sign] for sign in shared_pattern_signs(pattern))))
        for pattern in patterns
    ]


def _learned_dirichlet_test_questions(
    statements: Statements, mixture: Mixture, answer: Answer
) -> FourQuestions:
    """Four different questions about the best statement, each a short sum of closed forms."""
    best = decide(answer).statement
    where, opposite = answer.labels.index(best), statements.opposite(best)
    assert answer.probability is not None
    beats = mixture.pair_order(where, statements.find(opposite))
    return FourQuestions(
        most_probable=float(answer.probability[where]),
        # Equivalent on every measure is its own opposite.
        beats_opposite=None if opposite == best else beats,
        majority=mixture.majority(where),
        expected=float(mixture.mean[where]),
    )


def _sum_learned_dirichlet_prior(
    prior: LearnedPrior, keep: list[int], subset: Statements
) -> LearnedPrior:
    """The base summed over all measures but those kept."""
    shares: dict[str, float] = {}
    for pattern, share in prior.shares.items():
        signs = shared_pattern_signs(pattern)
        short = join_shared_pattern(signs[j] for j in keep)
        shares[short] = shares.get(short, 0.0) + share
    if len(shares) < subset.size or sum(prior.shares.values()) < 1.0 - 1e-9:
        raise BayescompareError(
            f"on() needs every pattern of the measures listed, at most {DENSE}; ask pairwise() on "
            "results.sel(measures=[...]) instead, which learns its prior anew."
        )
    ordered = {pattern: shares[pattern] for pattern in shared_pair_patterns(subset)}
    return replace(prior, shares=ordered)


def learned_dirichlet_parts(statements: Statements, mixture: Mixture) -> FloatArray:
    """How sure the parts of each statement are, averaged over the strengths."""
    kept = np.flatnonzero(mixture.weights)
    components = [mixture.components[k] for k in kept]
    states = statements.table.states
    return parts_of_mixture(mixture.weights[kept], components, states, statements.arities)


def _least_learned(statements: Statements, mixture: Mixture) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts."""
    probability = mixture.maximum()[0]
    if len(statements.measures) == 1 or len(probability) > statements.n_listed:
        return probability
    return np.minimum(probability, learned_dirichlet_parts(statements, mixture).min(axis=1))


def _next_learned_dirichlet_test(
    statements: Statements, mixture: Mixture, number: int, rng: np.random.Generator
) -> FloatArray:
    """The least P that a verdict rests on, under both priors, with more datasets."""
    strength = float(rng.choice(mixture.strengths, p=mixture.weights))
    after = grow_cells_in_planning(mixture.at_strength(strength), number, rng)
    base = replace(
        after,
        log_alpha=after.log_alpha - np.log(strength),
        rest_log_alpha=after.rest_log_alpha - float(np.log(strength)),
    )
    even = -statements.log_size
    own = replace(base, log_alpha=np.full(len(base.counts), even), rest_log_alpha=even)
    learned = _least_learned(statements, replace(mixture, base=base))
    return np.minimum(learned, least_of_dirichlet(statements, own))
