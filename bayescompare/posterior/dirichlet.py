r"""`DirichletMixture`: the posterior of θ, by Bayes' rule.

Given the counts c behind uncertain datasets and a component of the prior, θ is a Dirichlet. So the
posterior is a finite mixture,

.. math:: p(\theta \mid \text{data}) = \sum_{a, c} w_{ac}\, \mathrm{Dir}(\theta; \alpha_a + n + c),
          \qquad w_{ac} \propto g_a\, W(c)\, \frac{B(\alpha_a + n + c)}{B(\alpha_a)} .

`dirichlet` has one component, its learned prior six; missing cells and replicates have as many as
there are count vectors. What θ is asked stands in `Mixture`; here is what needs the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.numerics.gammas import log_sum
from bayescompare.posterior.component import tracked_counts
from bayescompare.posterior.mixture import Mixture
from bayescompare.posterior.partition import Groups
from bayescompare.posterior.rows import given_all, left_out, paths_behind, predicted_alone
from bayescompare.prior import DirichletPrior


@dataclass(frozen=True, eq=False, kw_only=True)
class DirichletMixture(Mixture):
    """A posterior of θ over A components of the prior and M count vectors.

    Counts are of all datasets, the counted ones included.

    Attributes
    ----------
    evidence : Evidence
        What it is the posterior of.
    prior : DirichletPrior
    log_paths : array (R, M)
        log W of each vector in each version of the evidence.
    log_urn : array (A, M)
        log B(α + n + c)/B(α); nothing where datasets do not inform each other.
    log_joint : array (A, M)
        log W(c) B(α + n + c)/B(α), versions summed out.
    joint : bool
        Whether datasets inform each other through θ. Those of the cut do not: W alone weighs.
    given_all : array (u, S, R), optional
        P(z_i = s | all datasets) in each version, where it came with the vectors.
    """

    evidence: Evidence
    prior: DirichletPrior
    log_paths: FloatArray
    log_urn: FloatArray
    log_joint: FloatArray
    joint: bool = True
    given_all: FloatArray | None = None

    @classmethod
    def of(
        cls, evidence: Evidence, prior: DirichletPrior, *, joint: bool = True, each: bool = False
    ) -> Self:
        """Return the posterior, exactly; ``joint=False`` is the cut, each dataset by itself.

        `each` says that `per_dataset` will be asked for, which may then come cheap.

        Raises
        ------
        TooManyVectors
            If there are more count vectors than can be summed over: see `DrawnMixture`.
        """
        shape = prior.weakest + evidence.counts
        if joint:
            plain = len(prior.components) == 1 and prior.components[0].is_plain
            vectors, log_paths, given_all = paths_behind(evidence, shape, each=each and plain)
            counts = evidence.counts + vectors
            return cls.weighed(evidence, prior, counts, log_paths, given_all=given_all)
        vectors, log_paths, _ = paths_behind(evidence, shape, joint=False)
        # Versions weigh as they do in the full model; within each, rows count as probabilities.
        version = np.ones(1)
        if len(log_paths) > 1:
            version = cls.of(evidence, prior).version
        alone = log_paths - log_sum(log_paths, axis=1)[:, None] + np.log(version)[:, None]
        return cls.weighed(evidence, prior, evidence.counts + vectors, alone, joint=False)

    @classmethod
    def weighed(
        cls,
        evidence: Evidence,
        prior: DirichletPrior,
        counts: FloatArray,
        log_paths: FloatArray,
        *,
        joint: bool = True,
        **fields: Any,
    ) -> Self:
        """Weigh components and count vectors by Bayes' rule."""
        log_urn = np.zeros((len(prior.components), len(counts)))
        # Drawn vectors hold the urn already.
        if joint and fields.get("states") is None:
            log_urn = prior.log_urn(counts)
        log_joint = log_urn + _log_mean(log_paths)
        return cls(
            components=prior.components,
            counts=counts,
            weight=_normalised(log_joint + prior.log_weight[:, None]),
            evidence=evidence,
            prior=prior,
            log_paths=log_paths,
            log_urn=log_urn,
            log_joint=log_joint,
            joint=joint,
            **fields,
        )

    def under(self, prior: DirichletPrior) -> DirichletMixture:
        """Return the posterior of the same evidence under another prior: W is what it was."""
        assert self.states is None, "vectors that were drawn hold the urn of their own prior"
        if not self.joint and len(self.log_paths) > 1:
            # The versions weigh as they do in the full model, under its prior.
            return self.of(self.evidence, prior, joint=False)
        return self.weighed(self.evidence, prior, self.counts, self.log_paths, joint=self.joint)

    def given(self, evidence: Evidence) -> DirichletMixture:
        """Return the posterior under the same prior after other data."""
        return DirichletMixture.of(evidence, self.prior, joint=self.joint)

    @cached_property
    def alone(self) -> DirichletMixture | None:
        """The same under the pair's own prior, where this one was learned from others."""
        return None if self.prior.own is None else self.under(self.prior.own)

    def with_power(self, power: float) -> DirichletMixture:
        """Return the posterior under the prior of so many times α."""
        return self.under(self.prior.raised(power))

    # how probable each component is ---------------------------------------------------------------

    @property
    def log_evidences(self) -> FloatArray:
        """Log evidence of the data under each component of the prior, (A,)."""
        return np.asarray(log_sum(self.log_joint, axis=1))

    @property
    def log_evidence(self) -> float | None:
        """Log evidence; None for the cut and a power likelihood, and where vectors were drawn."""
        if not self.joint or self.evidence.is_power or self.states is not None:
            return None
        return float(log_sum(self.log_evidences + self.prior.log_weight))

    @cached_property
    def version(self) -> FloatArray:
        """Posterior probability of each version of the evidence, (R,)."""
        if len(self.log_paths) == 1:
            return np.ones(1)
        urn = log_sum(self.log_urn + self.prior.log_weight[:, None], axis=0)
        return _normalised(log_sum(self.log_paths + urn, axis=1))

    def draw_version(self, vector: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw the version of the evidence given count vectors, which are drawn already."""
        if len(self.log_paths) == 1:
            return np.zeros(vector.shape, dtype=np.int64)
        logs = self.log_paths[:, vector]
        return np.asarray((logs + rng.gumbel(size=logs.shape)).argmax(axis=0))

    # parts of a statement, other data -------------------------------------------------------------

    def parts(self) -> FloatArray:
        """P(the state that each statement names is the largest of its measure's), (S, m)."""
        statements = self.evidence.statements
        every = [Groups.states(statements, j) for j in range(len(statements.measures))]
        return np.stack([self.events(groups).p_max()[groups.of] for groups in every], axis=1)

    def with_more(self, counts: FloatArray) -> DirichletMixture:
        """Return the posterior after further datasets, (S,); W is what it was."""
        after = self.counts + counts
        return self.weighed(self.evidence, self.prior, after, self.log_paths, joint=self.joint)

    def per_dataset(self) -> FloatArray:
        """P of every statement on each dataset that was not counted, given all of them, (u, S)."""
        return given_all(self)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, (n,) each.

        Both are differences of log evidences, the prior held. The cut has none; there what the
        other datasets show by themselves predicts each.
        """
        return left_out(self) if self.joint else predicted_alone(self)

    def leader_known(self) -> tuple[float, float]:
        """P of the leading statement once each dataset's statement is known, and its error.

        It is an expectation over count vectors, under one component: no prior is learned.
        """
        (component,) = self.components
        if len(self.counts) == 1:
            return float(component.p_max(self.counts).max()), 0.0
        from bayescompare.kernels.replicated.count_maximum import expected_count_maximum

        (weight,), (fixed, tracked, digits) = self.weight, tracked_counts(self.counts)
        return expected_count_maximum(component.alpha, fixed, tracked, digits, weight), 0.0

    @cached_property
    def _p_max(self) -> FloatArray:
        return super().p_max()

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each listed statement, and last of all others together."""
        return self._p_max


def _log_mean(log_paths: FloatArray) -> FloatArray:
    """Average W over the versions, which are equally probable before the data: (R, M) to (M,)."""
    if len(log_paths) == 1:
        return np.asarray(log_paths[0])
    return log_sum(log_paths, axis=0) - math.log(len(log_paths))


def _normalised(logs: FloatArray, axis: int | None = None) -> FloatArray:
    """Probabilities in proportion to exp of these, over all of them or over the first axis."""
    return np.asarray(np.exp(logs - log_sum(logs, axis=axis)))
