r"""θ given datasets that show a statement and datasets that only narrow it down.

A complete dataset contributes :math:`\prod_s \theta_s^{w_{is}}`. One with missing cells leaves a
set of statements possible and contributes :math:`\sum_s \theta_s \ell_i(s)`. So with counts n of
the complete ones

.. math:: p(\theta \mid \text{data}) \propto \mathrm{Dir}(\theta; \alpha + n)
          \prod_{i\ \text{partly seen}} \sum_s \theta_s\,\ell_i(s) ,

which the recursion over datasets solves. The prior may be a mixture of Dirichlets, as one learned
from many pairs is; each component then has its own posterior, weighed by its evidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import context_beta_mixture_interval
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import dirichlet_strength_weights
from bayescompare.kernels.dirichlet.posterior import dirichlet_log_evidence
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.replicated.count_posterior import (
    CountPosterior,
    exact_counts,
    left_out_replicated_densities,
    pooled_replicated_betas,
    sampled_counts,
)
from bayescompare.kernels.replicated.recursion import recursion_for_counts
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["PartialPosterior", "partial_posterior"]


#: Counts below this are what floats leave of zero.
_NOISE = 1e-9


@dataclass(frozen=True)
class PartialPosterior:
    """A posterior of θ, mixed over the components of its prior.

    Attributes
    ----------
    alpha : array (R, K)
        The Dirichlet of each component of the prior.
    prior : array (R,)
        Prior weights of the components.
    complete : array (K,)
        Counts of the complete datasets.
    rows : array (n, K)
        log ℓ of the partly seen ones.
    parts : tuple of CountPosterior or None
        Posterior of the partly seen datasets' statements in each component of weight.
    log_evidences : array (R,), optional
        Of all datasets in each component; None where the counts were sampled.
    weights : array (R,)
        Posterior weights of the components.
    """

    alpha: FloatArray
    prior: FloatArray
    complete: FloatArray
    rows: FloatArray
    parts: tuple[CountPosterior | None, ...]
    log_evidences: FloatArray | None
    weights: FloatArray

    @property
    def _kept(self) -> list[tuple[float, CountPosterior]]:
        pairs = zip(self.weights.tolist(), self.parts, strict=True)
        return [(w, part) for w, part in pairs if part is not None and w > 0.0]

    @property
    def log_evidence(self) -> float | None:
        """Log evidence of all datasets."""
        if self.log_evidences is None:
            return None
        return float(logsumexp(self.log_evidences, b=self.prior))

    @cached_property
    def probability(self) -> FloatArray:
        """P(θ_s is the largest), (K,)."""
        return np.asarray(sum(w * part.probability for w, part in self._kept))

    @property
    def mcse(self) -> FloatArray | None:
        """Standard error of `probability`; None where it is exact."""
        (_, part), *_ = self._kept
        return part.mcse

    @property
    def theta_mean(self) -> FloatArray:
        """E θ, (K,)."""
        return np.asarray(sum(w * part.theta_mean for w, part in self._kept))

    def betas(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights and both parameters of the Betas that θ_k is a mixture of."""
        return pooled_replicated_betas(self._kept, k)

    def theta_interval(self, k: int) -> tuple[float, float]:
        """Central 95 % interval of θ_k."""
        return context_beta_mixture_interval(*self.betas(k))

    def majority(self, k: int) -> float:
        """P(θ_k > ½)."""
        return float(sum(w * part.majority(k) for w, part in self._kept))

    def part_maxima(self, states: IntArray, arities: Sequence[int]) -> FloatArray:
        """P of what each statement says of each measure by itself, (K, m)."""
        return np.asarray(sum(w * part.part_maxima(states, arities) for w, part in self._kept))

    def order(self, k: int, other: int) -> float:
        """P(θ_k > θ_other)."""
        return float(sum(w * part.order(k, other) for w, part in self._kept))

    def draw(self, size: tuple[int, int], rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Draw components, and counts of all datasets given them, (chains, draws, K)."""
        component = rng.choice(len(self.weights), size=size, p=self.weights)
        counts = np.empty((*size, len(self.complete)))
        for r in np.unique(component).tolist():
            part, here = self.parts[r], component == r
            assert part is not None
            chosen = rng.choice(len(part.vectors), size=int(here.sum()), p=part.average)
            counts[here] = self.complete + part.vectors[chosen]
        return component, counts

    # one dataset left out -------------------------------------------------------------------------

    def left_out(self) -> tuple[FloatArray, FloatArray] | None:
        """Log densities of every partly seen dataset: given the others, and given all.

        None where the recursion is too large.
        """
        whole, each = self.log_evidence, self.log_evidences
        if whole is None or each is None:
            return None
        without, within = [], []
        for r, alpha in enumerate(self.alpha):
            own = left_out_replicated_densities(self.rows[None], alpha + self.complete)
            part = self.parts[r] or _replicated_partial_counts(self.rows, alpha + self.complete)
            if own is None or part is None:
                return None
            without.append(each[r] - own)
            within.append(each[r] + logsumexp(self.rows + np.log(part.theta_mean), axis=1))
        fewer = logsumexp(without, b=self.prior[:, None], axis=0)
        more = logsumexp(within, b=self.prior[:, None], axis=0)
        return whole - fewer, more - whole

    def left_out_complete(self, weight: FloatArray) -> tuple[float, float] | None:
        """Do the same for a complete dataset with these weights (K,)."""
        whole, each = self.log_evidence, self.log_evidences
        if whole is None or each is None:
            return None
        rest = self.complete - weight
        rest = np.where(rest < _NOISE, 0.0, rest)
        fewer, more = np.empty(len(self.alpha)), np.empty(len(self.alpha))
        for r, alpha in enumerate(self.alpha):
            less = _replicated_partial_evidence(self.rows, alpha, rest)
            now = self.parts[r] or _replicated_partial_counts(self.rows, alpha + self.complete)
            if less is None or now is None:
                return None
            fewer[r] = less
            more[r] = each[r] + _replicated_partial_one_more(now, weight)
        return (
            whole - float(logsumexp(fewer, b=self.prior)),
            float(logsumexp(more, b=self.prior)) - whole,
        )


def partial_posterior(
    alpha: FloatArray,
    prior: FloatArray,
    complete: FloatArray,
    rows: FloatArray,
    rng: np.random.Generator,
) -> PartialPosterior | None:
    """Return the posterior: exactly, or by Gibbs sampling where one Dirichlet is the prior.

    None where the prior is a mixture and there are too many count vectors: its components could
    not be weighed.

    Parameters
    ----------
    alpha : array (R, K)
    prior : array (R,)
    complete : array (K,)
    rows : array (n, K)
    rng : Generator

    Examples
    --------
    Two complete datasets, and one that says only that it is not the last of three statements:

    >>> complete, rows = np.array([1.0, 0.0, 1.0]), np.array([[0.0, 0.0, -np.inf]])
    >>> one = np.ones(1)
    >>> known = partial_posterior(np.ones((1, 3)), one, complete, rows, np.random.default_rng(0))
    >>> known.theta_mean.round(6).tolist()
    [0.444444, 0.222222, 0.333333]
    """
    each = [_replicated_partial_evidence(rows, a, complete) for a in alpha]
    known = [log for log in each if log is not None]
    if len(known) < len(alpha):
        if len(alpha) > 1:
            return None
        part = sampled_counts(rows[None], alpha[0] + complete, rng)
        return PartialPosterior(alpha, prior, complete, rows, (part,), None, np.ones(1))
    evidences = np.array(known)
    weights = dirichlet_strength_weights(evidences, prior)
    parts = tuple(
        _replicated_partial_counts(rows, a + complete) if w > 0.0 else None
        for a, w in zip(alpha, weights, strict=True)
    )
    return PartialPosterior(alpha, prior, complete, rows, parts, evidences, weights)


def _replicated_partial_counts(rows: FloatArray, shape: FloatArray) -> CountPosterior | None:
    return exact_counts(rows[None], shape, joint=True)


def _replicated_partial_evidence(
    rows: FloatArray, alpha: FloatArray, complete: FloatArray
) -> float | None:
    """Log evidence of all datasets under one Dirichlet; None where the recursion is too large."""
    counts = recursion_for_counts(EvidenceRows.from_logs(rows, alpha + complete))
    if counts is None:
        return None
    closed = dirichlet_log_evidence(DirichletCells(np.log(alpha), complete))
    return closed + float(counts.log_evidence[0])


def _replicated_partial_one_more(part: CountPosterior, weight: FloatArray) -> float:
    """log E Π θ^w under a posterior of counts."""
    cells = np.flatnonzero(weight)
    shape = part.alpha[cells] + part.vectors[:, cells]
    rising = log_rising_gamma(np.log(shape), weight[cells]).sum(axis=1)
    rising = rising - float(log_rising_gamma(math.log(part.total), float(weight.sum())))
    return float(logsumexp(rising, b=part.average))
