"""The tests of two outcomes with their prior's weight b learned from all pairs (``b="learned"``).

Made by ``pairwise`` from ``PoissonBinomial(joint=True, b="learned")`` and
``CorrelatedT(joint=True, b="learned")``; the pair's own prior, b = 1, is kept beside as ``alone``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np

from bayescompare._checks import check_positive
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.columns import ALONE
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import LEAST_PAIRS, Method
from bayescompare.kernels.context.learned_rate import RateMixture, learned_rate_evidence
from bayescompare.kernels.context.poisson_binomial_joint import joint
from bayescompare.kernels.dirichlet.learned import STRENGTHS, learn_weights
from bayescompare.methods._shared.learned_prior import LearnedPrior
from bayescompare.methods.context.scalars import RateScalars, rate_scalars
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.table.results import Results

__all__ = ["LearnsWeight", "draw_learned_rate_weight", "learn_weight", "learned_rate"]


class LearnsWeight:
    """What a method about r has when its prior's weight b may be learned from all pairs."""

    b: float | Literal["learned"]
    joint: bool
    learned: LearnedPrior | None

    @abstractmethod
    def alone(self, results: Results) -> FloatArray:
        """P(the first is better) on each dataset, by its own data."""

    def check_weight(self) -> None:
        """Check b and what was learned, before anything is known of the data."""
        if isinstance(self.b, str) and self.b != "learned":
            raise BayescompareError(f"b={self.b!r}: must be a number > 0, or 'learned'.")
        if not isinstance(self.b, str):
            check_positive(b=self.b)
        elif not self.joint:
            raise BayescompareError(
                "b='learned' needs the full model, whose evidence is known: say joint=True too."
            )
        if self.learned is not None:
            if not isinstance(self.b, str):
                raise BayescompareError("learned= goes with b='learned'; pairwise() fills it in.")
            object.__setattr__(self, "learned", LearnedPrior.from_options(self.learned))

    @property
    def learns_from_pairs(self) -> bool:
        """Whether ``b="learned"``."""
        return self.b == "learned"

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with the weight b that all pairs teach."""
        learned = learn_weight([self.alone(results) for results in asked])
        taught: Method = replace(cast(Any, self), learned=learned)
        return taught

    def unlearned(self) -> Method:
        """Return the test with the pair's own prior, b = 1, where b was learned."""
        own: Any = self if self.learned is None else replace(cast(Any, self), b=1.0, learned=None)
        return cast("Method", own)

    def mixture(self, p: FloatArray) -> RateMixture | None:
        """Return the posterior of r where b was learned; None where it was given."""
        if self.learned is None:
            if self.b == "learned":
                raise _learned_rate_method_refusal()
            return None
        return RateMixture(p, np.array(self.learned.values), np.array(self.learned.weights))

    def with_learned(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options with what was learned as JSON's own types, or without it."""
        rest = {name: value for name, value in options.items() if name != "learned"}
        return rest if self.learned is None else {**rest, "learned": self.learned.options()}

    def say_learned(self, sentences: list[str], decision: Decision) -> list[str]:
        """Put in what was learned, after the verdict."""
        if self.learned is None:
            return sentences
        return [sentences[0], learned_pair_words(self.learned, decision), *sentences[1:]]


def learn_weight(each: Sequence[FloatArray]) -> LearnedPrior:
    """Learn the distribution of b from every pair's probabilities on its datasets."""
    if len(each) < LEAST_PAIRS:
        raise _learned_rate_method_refusal()
    evidence = np.stack([learned_rate_evidence(p, STRENGTHS) for p in each])
    weights = learn_weights(evidence)
    return LearnedPrior(
        shares={">": 0.5, "<": 0.5},
        log_rest=-np.inf,
        values=tuple(STRENGTHS.tolist()),
        weights=tuple(weights.tolist()),
        pairs=len(each),
        datasets=float(sum(len(p) for p in each)),
    )


def _learned_rate_method_refusal() -> BayescompareError:
    """Return the error of a weight that nothing has taught."""
    return BayescompareError(
        "b='learned' is learned from the pairs of a table, at least three: ask pairwise(), or "
        "give a number."
    )


def learned_rate(
    mixture: RateMixture,
) -> tuple[list[float], RateScalars, dict[str, FloatArray]]:
    """Return both probabilities, the figures of r, and what the pair's own prior says."""
    posterior, own = mixture.joint, joint(mixture.p, 1.0)
    figures = rate_scalars(posterior.mean, posterior.sd, *mixture.interval())
    alone = {ALONE: np.array([own.first, own.second])}
    return [posterior.first, posterior.second], figures, alone


def draw_learned_rate_weight(
    learned: LearnedPrior, size: tuple[int, ...], rng: np.random.Generator
) -> FloatArray:
    """Draw b from its learned distribution."""
    return np.asarray(rng.choice(np.array(learned.values), p=np.array(learned.weights), size=size))
