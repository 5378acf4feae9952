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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.kernels.numerics.gammas import log_sum
from bayescompare.posterior.component import Component
from bayescompare.posterior.mixture import Mixture
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior

__all__ = ["Board", "DirichletMixture"]


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
    joint : bool
        Whether datasets inform each other through θ. Those of the cut do not: W alone weighs.
    """

    evidence: Evidence
    prior: DirichletPrior
    log_paths: FloatArray
    log_urn: FloatArray
    joint: bool = True

    @classmethod
    def of(cls, evidence: Evidence, prior: DirichletPrior, *, joint: bool = True) -> Self:
        """Return the posterior, exactly; ``joint=False`` is the cut, each dataset by itself.

        Raises
        ------
        TooManyVectors
            If there are more count vectors than can be summed over: see `sampled`.
        """
        vectors, log_paths = evidence.paths(prior.weakest + evidence.counts)
        whole = cls.weighed(evidence, prior, evidence.counts + vectors, log_paths)
        if joint:
            return whole
        # Versions weigh as they do in the full model; within each, rows count as probabilities.
        alone = log_paths - log_sum(log_paths, axis=1)[:, None]
        alone = alone + np.log(whole.version)[:, None]
        return cls.weighed(evidence, prior, whole.counts, alone, joint=False)

    @classmethod
    def sampled(cls, evidence: Evidence, prior: DirichletPrior, rng: np.random.Generator) -> Self:
        """Return it with count vectors drawn by collapsed Gibbs sampling, under one component."""
        from bayescompare.kernels.replicated.gibbs import gibbs_counts

        (component,) = prior.components
        drawn = gibbs_counts(evidence.rows, component.alpha + evidence.counts, rng, thin=5)
        chains, draws, cells = drawn.counts.shape
        vectors, states = np.unique(drawn.counts.reshape(-1, cells), axis=0, return_inverse=True)
        share = np.log(np.bincount(states.ravel()) / states.size)[None]
        counts, kept = evidence.counts + vectors, states.reshape(chains, draws)
        return cls.weighed(evidence, prior, counts, share, joint=False, states=kept)

    @classmethod
    def weighed(
        cls,
        evidence: Evidence,
        prior: DirichletPrior,
        counts: FloatArray,
        log_paths: FloatArray,
        *,
        joint: bool = True,
        states: IntArray | None = None,
    ) -> Self:
        """Weigh components and count vectors by Bayes' rule."""
        shape = len(prior.components), len(counts)
        log_urn = prior.log_urn(counts) if joint else np.zeros(shape)
        mean = log_sum(log_paths, axis=0) - math.log(len(log_paths))
        return cls(
            components=prior.components,
            counts=counts,
            weight=_normalised(log_urn + mean + prior.log_weight[:, None]),
            states=states,
            evidence=evidence,
            prior=prior,
            log_paths=log_paths,
            log_urn=log_urn,
            joint=joint,
        )

    def under(self, prior: DirichletPrior) -> DirichletMixture:
        """Return the posterior of the same evidence under another prior: W is what it was."""
        assert self.states is None, "vectors that were drawn hold the urn of their own prior"
        return self.weighed(self.evidence, prior, self.counts, self.log_paths, joint=self.joint)

    @cached_property
    def alone(self) -> DirichletMixture | None:
        """The same under the pair's own prior, where this one was learned from others."""
        return None if self.prior.own is None else self.under(self.prior.own)

    def with_power(self, power: float) -> DirichletMixture:
        """Return the posterior under the prior of so many times α."""
        raised = self.prior.raised(power)
        if self.states is None:
            return self.under(raised)
        return self.sampled(self.evidence, raised, np.random.default_rng(0))

    # how probable each component is ---------------------------------------------------------------

    @cached_property
    def _log_joint(self) -> FloatArray:
        """log W(c) B(α_a + n + c)/B(α_a), versions summed out, (A, M)."""
        mean = log_sum(self.log_paths, axis=0) - math.log(len(self.log_paths))
        return np.asarray(self.log_urn + mean)

    @property
    def log_evidences(self) -> FloatArray:
        """Log evidence of the data under each component of the prior, (A,)."""
        return np.asarray(log_sum(self._log_joint, axis=1))

    @property
    def log_evidence(self) -> float | None:
        """Log evidence; None for the cut and for a power likelihood, which have none."""
        if not self.joint or self.evidence.is_power:
            return None
        return float(log_sum(self.log_evidences + self.prior.log_weight))

    @property
    def version(self) -> FloatArray:
        """Posterior probability of each version of the evidence, (R,)."""
        urn = log_sum(self.log_urn + self.prior.log_weight[:, None], axis=0)
        return _normalised(log_sum(self.log_paths + urn, axis=1))

    @property
    def null(self) -> float:
        """P(the two do not differ): the weight of the components with folded statements."""
        same = [not component.classes.is_trivial for component in self.components]
        return float(self.weight[same].sum())

    # parts of a statement, other data -------------------------------------------------------------

    def parts(self) -> FloatArray:
        """P(the state that each statement names is the largest of its measure's), (S, m)."""
        statements = self.evidence.statements
        every = [Groups.states(statements, j) for j in range(len(statements.measures))]
        return np.stack([self.events(groups).p_max()[groups.of] for groups in every], axis=1)

    def with_more(self, counts: FloatArray) -> DirichletMixture:
        """Return the posterior after further datasets, (S,); W is what it was."""
        after, log_paths = self.counts + counts, self.log_paths
        if self.states is not None:
            # Draws hold the urn already: they are weighed by what it grew.
            log_paths = log_paths + self.prior.log_urn(after) - self.prior.log_urn(self.counts)
        return self.weighed(
            self.evidence, self.prior, after, log_paths, joint=self.joint, states=self.states
        )

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, (n,) each.

        Both are differences of log evidences, the prior held.
        """
        evidence, table = self.evidence, self.evidence.statements.table
        whole = float(log_sum(self.log_evidences + self.prior.log_weight))
        log_weight = (self._log_joint + self.prior.log_weight[:, None])[:, :, None]
        entries = table.dataset, table.statement, table.weight
        number, both = len(evidence.statements.datasets), []
        for sign in (-1.0, 1.0):
            change = [
                a.log_urn_change(self.counts, *entries, sign, number) for a in self.components
            ]
            other = log_sum(log_weight + np.stack(change), axis=(0, 1))
            both.append(sign * (other - whole))
        without, within = both
        if len(evidence.uncounted):
            rest = [DirichletMixture.of(e, self.prior) for e in evidence.each_row_left_out()]
            fewer = [log_sum(e.log_evidences + self.prior.log_weight) for e in rest]
            without[evidence.uncounted] = whole - np.array(fewer)
            (rows,) = evidence.rows
            within[evidence.uncounted] = log_sum(rows + np.log(self.mean()), axis=1)
        return without, within


@dataclass(frozen=True, eq=False)
class Board:
    """Very many pairs at once, all datasets counted: P posteriors of one count vector each.

    They share components; counts are (P, S) and weights (A, P).
    """

    components: tuple[Component, ...]
    counts: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, prior: DirichletPrior, counts: FloatArray) -> Board:
        """All pairs under one prior."""
        log_weight = prior.log_urn(counts) + prior.log_weight[:, None]
        return cls(prior.components, counts, _normalised(log_weight, axis=0))

    @classmethod
    def learned(cls, counts: FloatArray, who: IntArray) -> Board:
        """Let all pairs, (P, 2), teach each other."""
        neighbours = Neighbours(who, counts)
        prior = DirichletPrior.of_pairs(neighbours.base)
        log_urn = prior.log_urn(counts)
        taught = neighbours.teach(log_urn.T).T
        return cls(prior.components, counts, _normalised(log_urn + taught, axis=0))

    def events(self, groups: Groups) -> Board:
        """Return the distributions of sums of θ."""
        components = tuple(component.events(groups) for component in self.components)
        return replace(self, components=components, counts=groups.total(self.counts))

    def some(self, pairs: IntArray) -> Board:
        """Return some of the pairs."""
        return replace(self, counts=self.counts[pairs], weight=self.weight[:, pairs])

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each pair, (P, S + 1)."""
        each = zip(self.components, self.weight, strict=True)
        return np.sum([w[:, None] * a.p_max(self.counts) for a, w in each], axis=0)


def _normalised(logs: FloatArray, axis: int | None = None) -> FloatArray:
    """Probabilities in proportion to exp of these, over all of them or over the first axis."""
    return np.asarray(np.exp(logs - log_sum(logs, axis=axis)))
