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
from scipy.special import softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.kernels.numerics.gammas import log_sum
from bayescompare.posterior.component import Component, tracked_counts
from bayescompare.posterior.each_dataset import left_out, statement_given_all
from bayescompare.posterior.mixture import Mixture, batch_error
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior

__all__ = ["Board", "DirichletMixture", "Drawn"]

#: Sweeps of the Gibbs sampler before the first kept draw, and for each.
_WARMUP, _THIN = 500, 5
#: Chains and draws of the cut, and numbers held at once.
_DRAWN, _BLOCK = (4, 1000), 1 << 22
#: Standard error of P(max) that is aimed at, and the weights that may be computed for it, by chain.
_PRECISION, _MOST_WORK = 1e-3, 8e7
#: Components of less weight cannot change a figure.
_LEAST_WEIGHT = 1e-14


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
    drawn : Drawn, optional
        What the draws say besides, where there were too many vectors to sum over.
    """

    evidence: Evidence
    prior: DirichletPrior
    log_paths: FloatArray
    log_urn: FloatArray
    log_joint: FloatArray
    joint: bool = True
    given_all: FloatArray | None = None
    drawn: Drawn | None = None

    @classmethod
    def of(
        cls, evidence: Evidence, prior: DirichletPrior, *, joint: bool = True, each: bool = False
    ) -> Self:
        """Return the posterior, exactly; ``joint=False`` is the cut, each dataset by itself.

        `each` says that `per_dataset` will be asked for, which may then come cheap.

        Raises
        ------
        TooManyVectors
            If there are more count vectors than can be summed over: see `sampled`.
        """
        shape = prior.weakest + evidence.counts
        if joint:
            plain = len(prior.components) == 1 and prior.components[0].is_plain
            vectors, log_paths, given_all = evidence.paths(shape, each=each and plain)
            counts = evidence.counts + vectors
            return cls.weighed(evidence, prior, counts, log_paths, given_all=given_all)
        vectors, log_paths, _ = evidence.paths(shape, joint=False)
        # Versions weigh as they do in the full model; within each, rows count as probabilities.
        version = np.ones(1)
        if len(log_paths) > 1:
            version = cls.of(evidence, prior).version
        alone = log_paths - log_sum(log_paths, axis=1)[:, None] + np.log(version)[:, None]
        return cls.weighed(evidence, prior, evidence.counts + vectors, alone, joint=False)

    @classmethod
    def sampled(
        cls,
        evidence: Evidence,
        prior: DirichletPrior,
        rng: np.random.Generator,
        *,
        joint: bool = True,
    ) -> Self:
        """Return it with count vectors drawn by collapsed Gibbs sampling, under one component.

        Those of the cut are drawn from each dataset's own evidence; only the versions of the
        evidence are weighed by all datasets.
        """
        from bayescompare.kernels.replicated.gibbs import gibbs_counts

        (component,), versions = prior.components, len(evidence.rows)
        if joint or versions > 1:
            alpha = component.alpha + evidence.counts
            gibbs = gibbs_counts(evidence.rows, alpha, rng, warmup=_WARMUP, thin=_THIN)
            drawn, counts = Drawn(gibbs.per_dataset.mean(axis=0)), gibbs.counts
            version = gibbs.version
        if not joint:
            share = np.ones(1)
            if versions > 1:
                share = np.bincount(version.ravel(), minlength=versions) / version.size
            counts, version = _drawn_alone(evidence.rows, share, rng)
            drawn = Drawn(evidence.each_alone(share))
        cells = counts.shape[-1]
        vectors, states = np.unique(counts.reshape(-1, cells), axis=0, return_inverse=True)
        seen = np.zeros((len(evidence.rows), len(vectors)))
        np.add.at(seen, (version.ravel(), states.ravel()), 1.0)
        with np.errstate(divide="ignore"):
            log_paths = np.log(seen)
        return cls.weighed(
            evidence,
            prior,
            evidence.counts + vectors,
            log_paths,
            joint=joint,
            states=states.reshape(version.shape),
            drawn=drawn,
        )

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
        given_all: FloatArray | None = None,
        drawn: Drawn | None = None,
    ) -> Self:
        """Weigh components and count vectors by Bayes' rule."""
        # Drawn vectors hold the urn already.
        is_urn = joint and states is None
        log_urn = (
            prior.log_urn(counts) if is_urn else np.zeros((len(prior.components), len(counts)))
        )
        log_joint = log_urn + _log_mean(log_paths)
        return cls(
            components=prior.components,
            counts=counts,
            weight=_normalised(log_joint + prior.log_weight[:, None]),
            states=states,
            evidence=evidence,
            prior=prior,
            log_paths=log_paths,
            log_urn=log_urn,
            log_joint=log_joint,
            joint=joint,
            given_all=given_all,
            drawn=drawn,
        )

    def under(self, prior: DirichletPrior) -> DirichletMixture:
        """Return the posterior of the same evidence under another prior: W is what it was."""
        assert self.states is None, "vectors that were drawn hold the urn of their own prior"
        if not self.joint and len(self.log_paths) > 1:
            # The versions weigh as they do in the full model, under its prior.
            return self.of(self.evidence, prior, joint=False)
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
        rng = np.random.default_rng(0)
        return self.sampled(self.evidence, raised, rng, joint=self.joint)

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
        if self.states is not None and self.joint:
            # Draws hold the urn already: they are weighed by what it grew.
            log_paths = log_paths + self.prior.log_urn(after) - self.prior.log_urn(self.counts)
        return self.weighed(
            self.evidence, self.prior, after, log_paths, joint=self.joint, states=self.states
        )

    # each dataset ---------------------------------------------------------------------------------

    def per_dataset(self) -> FloatArray:
        """P of every statement on each dataset that was not counted, given all of them, (u, S)."""
        evidence = self.evidence
        if self.drawn is not None:
            return self.drawn.per_dataset
        if self.given_all is not None:
            return self.given_all @ self.version
        if not self.joint or evidence.powers is not None:
            return evidence.each_alone(self.version)
        out = np.zeros(evidence.rows.shape[1:])
        for a, component in enumerate(self.components):
            weight = float(self.weight[a].sum())
            if weight > _LEAST_WEIGHT:
                version = self.version
                if len(self.components) > 1 and len(version) > 1:
                    version = _normalised(log_sum(self.log_paths + self.log_urn[a], axis=1))
                each = statement_given_all(component, evidence.counts, evidence.rows, version)
                out += weight * each
        return out / out.sum(axis=1, keepdims=True)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, (n,) each.

        Both are differences of log evidences, the prior held. The cut has none; there what the
        other datasets show by themselves predicts each.
        """
        if not self.joint:
            return self._predicted_alone()
        evidence, table = self.evidence, self.evidence.statements.table
        whole = float(log_sum(self.log_evidences + self.prior.log_weight))
        number, both = len(evidence.statements.datasets), []
        if len(table.dataset):
            log_weight = (self.log_joint + self.prior.log_weight[:, None])[:, :, None]
            entries = table.dataset, table.statement, table.weight
            for sign in (-1.0, 1.0):
                change = [
                    a.log_urn_change(self.counts, *entries, sign, number) for a in self.components
                ]
                other = log_sum(log_weight + np.stack(change), axis=(0, 1))
                both.append(sign * (other - whole))
        without, within = both or np.zeros((2, number))
        if len(evidence.uncounted):
            own = (self.log_evidences + self.prior.log_weight)[:, None]
            each = [left_out(a, evidence.counts, evidence.rows) for a in self.components]
            without[evidence.uncounted] = whole - log_sum(own - np.stack(each), axis=0)
            log_share = np.log(self.mean()) + np.log(self.version)[:, None, None]
            within[evidence.uncounted] = log_sum(evidence.rows + log_share, axis=(0, 2))
        return without, within

    def _predicted_alone(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset in the cut, of one version."""
        (rows,), each = self.evidence.rows, self.evidence.each_alone(np.ones(1))
        both = []
        for rest in (each.sum(axis=0) - each, each.sum(axis=0)[None]):
            mean = np.zeros_like(rest)
            for a, weight in zip(self.components, np.exp(self.prior.log_weight), strict=True):
                shape = a.alpha + a.classes.share(a.classes.total(rest))
                mean += weight * shape / shape.sum(axis=1, keepdims=True)
            both.append(log_sum(rows + np.log(mean), axis=1))
        return both[0], both[1]

    def leader_known(self) -> tuple[float, float]:
        """P of the leading statement once each dataset's statement is known, and its error.

        It is an expectation over count vectors, under one component: no prior is learned.
        """
        (component,) = self.components
        if self.states is not None:
            largest = component.p_max(self.counts).max(axis=1)[self.states][..., None]
            return float(largest.mean()), float(batch_error(largest)[0])
        if len(self.counts) == 1:
            return float(component.p_max(self.counts).max()), 0.0
        from bayescompare.kernels.replicated.count_maximum import expected_count_maximum

        (weight,), (fixed, tracked, digits) = self.weight, tracked_counts(self.counts)
        return expected_count_maximum(component.alpha, fixed, tracked, digits, weight), 0.0

    # the precision of draws -----------------------------------------------------------------------

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each listed statement, and last of all others together."""
        drawn = self.drawn
        return self._own_p_max if drawn is None or drawn.p_max is None else drawn.p_max

    @cached_property
    def _own_p_max(self) -> FloatArray:
        return super().p_max()

    def mcse(self) -> FloatArray | None:
        """Standard error of `p_max`; None where it is exact."""
        drawn = self.drawn
        return super().mcse() if drawn is None or drawn.mcse is None else drawn.mcse

    def refined(self, rng: np.random.Generator) -> DirichletMixture:
        """Bring the error of P(max) down to `_PRECISION`, as far as the work allows.

        The sweeps of the first run count, as many as they are.
        """
        mcse = self.mcse()
        if mcse is None or not self.joint or float(mcse.max()) <= _PRECISION:
            return self
        from bayescompare.kernels.replicated.gibbs import gibbs_maximum

        assert self.drawn is not None
        assert self.states is not None
        versions, datasets, cells = self.evidence.rows.shape
        first = self.states.shape[1] * _THIN
        wanted = first * (float(mcse.max()) / _PRECISION) ** 2
        sweeps = int(min(wanted, _MOST_WORK / (datasets * (versions + cells)))) - first
        if sweeps <= 0:
            return self
        alpha = self.components[0].alpha + self.evidence.counts
        means = gibbs_maximum(self.evidence.rows, alpha, rng, sweeps=sweeps, warmup=_WARMUP)
        spread = np.append(means.std(axis=0, ddof=1), 0.0) / math.sqrt(len(means))
        # Where no batch differs from another the error is not zero; the first run knows it better.
        spread = np.where(spread > 0.0, spread, mcse)
        share = first / (first + sweeps)
        p_max = share * self.p_max() + (1.0 - share) * np.append(means.mean(axis=0), 0.0)
        both = np.hypot(share * mcse, (1.0 - share) * spread)
        return replace(self, drawn=replace(self.drawn, p_max=p_max, mcse=both))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What drawing count vectors gave besides them.

    Attributes
    ----------
    per_dataset : array (u, S)
        P of every statement on each uncounted dataset.
    p_max, mcse : arrays (S + 1,), optional
        By a longer run, of which no vectors were kept.
    """

    per_dataset: FloatArray
    p_max: FloatArray | None = None
    mcse: FloatArray | None = None


def _drawn_alone(
    rows: FloatArray, version: FloatArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw the version, and each dataset's statement by itself: counts, and versions."""
    drawn = rng.choice(len(rows), size=math.prod(_DRAWN), p=version)
    ends = np.cumsum(softmax(rows, axis=2), axis=2)
    counts = np.empty((len(drawn), rows.shape[2]), dtype=np.int64)
    step = max(1, _BLOCK // rows[0].size)
    for start in range(0, len(drawn), step):
        own = ends[drawn[start : start + step]]
        z = (rng.random((*own.shape[:2], 1)) >= own[..., :-1]).sum(axis=2)
        counts[start : start + step] = (z[:, :, None] == np.arange(rows.shape[2])).sum(axis=1)
    return counts.reshape(*_DRAWN, -1), drawn.reshape(_DRAWN)


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


def _log_mean(log_paths: FloatArray) -> FloatArray:
    """Average W over the versions, which are equally probable before the data: (R, M) to (M,)."""
    if len(log_paths) == 1:
        return np.asarray(log_paths[0])
    return log_sum(log_paths, axis=0) - math.log(len(log_paths))


def _normalised(logs: FloatArray, axis: int | None = None) -> FloatArray:
    """Probabilities in proportion to exp of these, over all of them or over the first axis."""
    return np.asarray(np.exp(logs - log_sum(logs, axis=axis)))
