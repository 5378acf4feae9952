"""What the tests of two outcomes share: r, the share of datasets on which the first is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from bayescompare._checks import is_number
from bayescompare._typing import FloatArray
from bayescompare.comparison.lever import POWER, Lever
from bayescompare.kernels.context.poisson_binomial import (
    context,
    draw_poisson_binomial_rates,
    poisson_binomial_masses,
)
from bayescompare.kernels.context.poisson_binomial_joint import (
    Joint,
    joint,
    joint_context,
    poisson_binomial_counts,
)
from bayescompare.kernels.context.rate_quadrature import RatePrior, rate_posterior
from bayescompare.methods._shared.priors import Priors
from bayescompare.methods.context.learned_rate import LearnsWeight
from bayescompare.statements import State
from bayescompare.table.results import Results

__all__ = ["RateModel"]


class RateModel(LearnsWeight):
    """The posterior of r from P(the first is better) on each dataset, under the prior that holds.

    That is Beta(b, b) with b given or learned, or a prior of r of the user's.
    """

    priors: Priors | None

    @cached_property
    def rate_prior(self) -> RatePrior | None:
        """The user's prior of r, as a density for quadrature; None where there is none."""
        if "r" not in (self.priors or {}):
            return None
        from bayescompare.methods.context.rate_prior import rate_prior_of

        assert self.priors is not None
        return rate_prior_of(self.priors["r"])

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's makes the model one for NUTS."""
        own = any(not is_number(value) for value in (self.priors or {}).values())
        return own and self.rate_prior is None

    @property
    def weight(self) -> float:
        """The parameter b that holds; where it was learned, 1 is the pair's own."""
        weight = (self.priors or {}).get("b", self.b)
        return float(weight) if is_number(weight) else 1.0

    def full(self, p: FloatArray) -> Joint:
        """All figures of the full model, under the prior that holds."""
        if self.rate_prior is not None:
            return rate_posterior(p, self.rate_prior).joint
        mixture = self.mixture(p)
        return joint(p, self.weight) if mixture is None else mixture.joint

    def lever(self, results: Results) -> Lever | None:
        """Raise the user's prior of r to a power, exactly; b is varied otherwise."""
        prior, p = self.rate_prior, self.alone(results)
        if prior is None:
            return None
        order = State.order(*results.algorithms)

        def probabilities(power: float) -> dict[str, float]:
            found = rate_posterior(p, replace(prior, power=power)).joint
            return {str(order): found.first, str(order.reversed()): found.second}

        return Lever(POWER, probabilities)

    def rate_draws(self, p: FloatArray) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what draws r from its posterior."""
        mixture = self.mixture(p)
        if self.rate_prior is not None:
            return rate_posterior(p, self.rate_prior).draw
        if mixture is not None:
            return lambda draws, rng: mixture.draw(draws, rng)[0]
        counts = (
            poisson_binomial_counts(p, self.weight)[0] if self.joint else poisson_binomial_masses(p)
        )
        return lambda draws, rng: draw_poisson_binomial_rates(counts, draws, rng, self.weight)

    def both(self, p: FloatArray) -> FloatArray:
        """P of each statement; where b was learned the lesser of that and of the pair's own."""
        if self.rate_prior is not None:
            found = rate_posterior(p, self.rate_prior).joint
            return np.array([found.first, found.second])
        first = (joint_context if self.joint else context)(p, self.weight)
        both = np.array([first, 1.0 - first])
        mixture = self.mixture(p)
        if mixture is None:
            return both
        return np.asarray(np.minimum(both, [mixture.joint.first, mixture.joint.second]))
