"""The posterior of the counts behind θ: exactly, or by Gibbs sampling, in one shape."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betainc, logsumexp, softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import context_beta_mixture_interval
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.parts import parts_of_counts
from bayescompare.kernels.dirichlet.pmax import Vectors, p_max
from bayescompare.kernels.replicated.count_maximum import averaged_maximum
from bayescompare.kernels.replicated.gibbs import gibbs_counts
from bayescompare.kernels.replicated.gibbs_maximum import gibbs_maximum
from bayescompare.kernels.replicated.recursion import RecursionCounts, recursion_for_counts
from bayescompare.kernels.replicated.rows import EvidenceRows
from bayescompare.kernels.replicated.smoothing import left_out_by_smoothing, smoothed

__all__ = [
    "CountPosterior",
    "are_replicates_certain",
    "exact_counts",
    "left_out_replicated_densities",
    "pooled_replicated_betas",
    "refined_count_posterior",
    "sampled_counts",
    "sampled_replicated_cut",
    "weighted_counts",
]


#: Kept draws per chain of the Gibbs sampler, sweeps for each, and chains.
_DRAWS, _THIN, _CHAINS, _WARMUP = 1000, 5, 4, 500
#: Batches of a chain from whose spread the Monte Carlo error is computed.
_BATCHES = 10
#: Standard error of P(max) that is aimed at, and the weights that may be computed for it, by chain.
_PRECISION, _MOST_WORK = 1e-3, 8e7


@dataclass(frozen=True)
class CountPosterior:
    """A posterior of count vectors, whichever way it was computed.

    Attributes
    ----------
    alpha : array (K,)
    vectors : array (M, K)
        Counts of every statement, in lexicographic order; whole numbers unless datasets have
        weights.
    weight : array (M, R)
        Posterior weights of the vectors in each version; columns sum to one.
    version : array (R,)
        Posterior weights of the versions.
    per_dataset : array (n, K)
    log_evidence : float, optional
        None where it was sampled or where the model is a cut.
    probability : array (K,)
        P(max) of every statement.
    mcse : array (K,), optional
    expected_largest : (float, float), optional
        Where it was sampled: the mean over the counts of the largest P(max) given them, with its
        standard error.
    """

    alpha: FloatArray
    vectors: IntArray | FloatArray
    weight: FloatArray
    version: FloatArray
    per_dataset: FloatArray
    log_evidence: float | None
    probability: FloatArray
    mcse: FloatArray | None
    expected_largest: tuple[float, float] | None = None

    @property
    def parts(self) -> list[tuple[float, CountPosterior]]:
        """Itself: the only part, as `MixedCounts` has one for each strength of the prior."""
        return [(1.0, self)]

    @cached_property
    def average(self) -> FloatArray:
        """Weights of the vectors over all versions."""
        return self.weight @ self.version

    @property
    def total(self) -> float:
        """A + n, the total of the posterior's parameters."""
        return float(self.alpha.sum() + self.vectors[0].sum())

    @property
    def theta_mean(self) -> FloatArray:
        """E θ of every statement: P(it holds on a new dataset)."""
        return np.asarray((self.alpha + self.average @ self.vectors) / self.total)

    def betas(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights and both parameters of the Betas that θ_k is a mixture of."""
        if len(self.vectors) == 1:
            weight, first = self.average, self.alpha[k] + self.vectors[:, k]
        else:
            weight = np.bincount(self.vectors[:, k].astype(np.int64), self.average)
            first = self.alpha[k] + np.arange(len(weight))
        return weight, first, np.maximum(self.total - first, 1e-300)

    def theta_interval(self, k: int) -> tuple[float, float]:
        """Central 95 % interval of θ_k."""
        return context_beta_mixture_interval(*self.betas(k))

    def majority(self, k: int) -> float:
        """P(θ_k > ½)."""
        shape = self.alpha[k] + self.vectors[:, k]
        return float(self.average @ betainc(self.total - shape, shape, 0.5))

    def part_maxima(self, states: IntArray, arities: Sequence[int]) -> FloatArray:
        """P of what each statement says of each measure by itself, (K, m)."""
        return parts_of_counts(self.alpha, self.vectors, self.average, states, arities)

    def order(self, k: int, other: int) -> float:
        """P(θ_k > θ_other)."""
        first, second = (self.alpha[s] + self.vectors[:, s] for s in (k, other))
        return float(self.average @ betainc(second, first, 0.5))


def exact_counts(
    logs: FloatArray, alpha: FloatArray, *, joint: bool, each: bool = True
) -> CountPosterior | None:
    """Return the posterior by recursion; None where there are too many count vectors.

    Parameters
    ----------
    logs : array (R, n, K)
        log ℓ in each version, all equally probable before.
    alpha : array (K,)
    joint : bool
    each : bool
        Whether P of each dataset is wanted, too, which takes most of the time.
    """
    rows = EvidenceRows.from_logs(logs, alpha)
    smooth = joint and each
    counts = recursion_for_counts(rows, joint=joint, each=smooth)
    informed = counts if joint else recursion_for_counts(rows)
    if counts is None or informed is None:
        return None
    version = softmax(informed.log_evidence)
    weight = counts.weight @ version
    digits = _count_posterior_digits(rows, counts)
    probability = averaged_maximum(alpha, rows.fixed, rows.tracked, digits, weight)
    whole = np.tile(rows.fixed.astype(np.int64), (len(digits), 1))
    whole[:, rows.tracked] += digits
    per_dataset = (
        smoothed(rows, version, counts) if smooth else np.einsum("r,rik->ik", version, rows.value)
    )
    evidence = float(logsumexp(informed.log_evidence) - math.log(len(version)))
    return CountPosterior(
        alpha=alpha,
        vectors=whole,
        weight=counts.weight,
        version=version,
        per_dataset=per_dataset,
        log_evidence=evidence if joint else None,
        probability=probability,
        mcse=None,
    )


def are_replicates_certain(logs: FloatArray, alpha: FloatArray) -> bool:
    """Whether every dataset leaves one statement only, in log ℓ (R, n, K).

    Examples
    --------
    >>> sure = np.log([[[1.0, 1e-30], [1e-40, 1.0]]])
    >>> (
    ...     are_replicates_certain(sure, np.ones(2)),
    ...     are_replicates_certain(np.log([[[0.9, 0.1]]]), np.ones(2)),
    ... )
    (True, False)
    """
    return not EvidenceRows.from_logs(logs, alpha).uncertain.any()


def weighted_counts(logs: FloatArray, alpha: FloatArray, powers: FloatArray) -> CountPosterior:
    r"""Return the posterior of datasets that are certain, with likelihoods raised to powers.

    .. math:: \prod_i (\theta_{z_i} \ell_i(z_i))^{v_i}
              = \prod_s \theta_s^{\sum_{i: z_i = s} v_i} \prod_i \ell_i(z_i)^{v_i}

    The counts are sums of powers, and θ has a Dirichlet again.

    Parameters
    ----------
    logs : array (R, n, K)
        Of which `are_replicates_certain` is true.
    alpha : array (K,)
    powers : array (n,)

    Examples
    --------
    >>> sure = np.log([[[1.0, 1e-30], [1e-40, 1.0]]])
    >>> posterior = weighted_counts(sure, np.ones(2), np.array([0.5, 1.5]))
    >>> posterior.vectors.tolist(), posterior.probability.round(4).tolist()
    ([[0.5, 1.5]], [0.2878, 0.7122])
    """
    shown = np.eye(len(alpha))[logs.sum(axis=0).argmax(axis=1)]
    counts = powers @ shown
    probability = probability_of_maximum(DirichletCells(np.log(alpha), counts))[0]
    return CountPosterior(
        alpha=alpha,
        vectors=counts[None],
        weight=np.ones((1, len(logs))),
        version=softmax(logs.max(axis=2) @ powers),
        per_dataset=shown,
        log_evidence=None,
        probability=probability,
        mcse=None,
        # No replicate could tell more of what each dataset shows.
        expected_largest=(float(probability.max()), 0.0),
    )


def left_out_replicated_densities(logs: FloatArray, alpha: FloatArray) -> FloatArray | None:
    """Log p(x_i | all other datasets), exactly; None where the recursion is too large."""
    rows = EvidenceRows.from_logs(logs, alpha)
    counts = recursion_for_counts(rows)
    if counts is None:
        return None
    return left_out_by_smoothing(rows, counts, np.full(len(logs), -math.log(len(logs))))


def _count_posterior_digits(rows: EvidenceRows, counts: RecursionCounts) -> IntArray:
    if not len(rows.tracked):
        return np.zeros((len(counts.codes), 0), dtype=np.int64)
    return np.stack([counts.digits(k) for k in range(len(rows.tracked))], axis=1)


def sampled_counts(logs: FloatArray, alpha: FloatArray, rng: np.random.Generator) -> CountPosterior:
    """Return the posterior by collapsed Gibbs sampling; P(max) is exact given each vector."""
    drawn = gibbs_counts(logs, alpha, rng, draws=_DRAWS, warmup=_WARMUP, thin=_THIN, chains=_CHAINS)
    return _count_posterior_from_states(
        alpha, drawn.counts, drawn.version, len(logs), drawn.per_dataset.mean(axis=0)
    )


def refined_count_posterior(
    posterior: CountPosterior, logs: FloatArray, rng: np.random.Generator
) -> CountPosterior:
    """Bring the error of P(max) down to `_PRECISION`, as far as the work allows.

    The sweeps of the first run count, as many as they are.
    """
    if posterior.mcse is None or float(posterior.mcse.max()) <= _PRECISION:
        return posterior
    first = _DRAWS * _THIN
    wanted = first * (float(posterior.mcse.max()) / _PRECISION) ** 2
    most = _MOST_WORK / (logs.shape[1] * (logs.shape[0] + logs.shape[2]))
    sweeps = int(min(wanted, most)) - first
    if sweeps <= 0:
        return posterior
    means = gibbs_maximum(logs, posterior.alpha, rng, sweeps=sweeps, warmup=_WARMUP, chains=_CHAINS)
    spread = means.std(axis=0, ddof=1) / math.sqrt(len(means))
    # Where no batch differs from another the error is not zero; the first run knows it better.
    spread = np.where(spread > 0.0, spread, posterior.mcse)
    share = first / (first + sweeps)
    probability = share * posterior.probability + (1.0 - share) * means.mean(axis=0)
    mcse = np.hypot(share * posterior.mcse, (1.0 - share) * spread)
    return replace(posterior, probability=probability, mcse=mcse)


def _count_posterior_from_states(
    alpha: FloatArray,
    counts: IntArray,
    versions: IntArray,
    n_versions: int,
    per_dataset: FloatArray,
) -> CountPosterior:
    """Put draws (chain, draw, K) of the counts into the shape of an exact posterior."""
    states = counts.reshape(-1, counts.shape[-1])
    vectors, which = np.unique(states, axis=0, return_inverse=True)
    which = which.ravel()
    found = p_max(np.log(alpha), Vectors.of(vectors.astype(np.float64)))[:, :-1]
    each = found[which].reshape(counts.shape)
    largest = each.max(axis=-1, keepdims=True)
    joint = np.zeros((len(vectors), n_versions))
    np.add.at(joint, (which, versions.ravel()), 1.0)
    return CountPosterior(
        alpha=alpha,
        vectors=vectors.astype(np.int64),
        weight=joint / np.maximum(joint.sum(axis=0), 1.0),
        version=joint.sum(axis=0) / joint.sum(),
        per_dataset=per_dataset,
        log_evidence=None,
        probability=each.mean(axis=(0, 1)),
        mcse=_count_posterior_batch_error(each),
        expected_largest=(float(largest.mean()), float(_count_posterior_batch_error(largest)[0])),
    )


def sampled_replicated_cut(
    logs: FloatArray, alpha: FloatArray, rng: np.random.Generator
) -> CountPosterior:
    """Return the counts of the cut by drawing each dataset's statement from its own evidence.

    The versions weigh as they do in the joint model.
    """
    joint = sampled_counts(logs, alpha, rng)
    rows = EvidenceRows.from_logs(logs, alpha).value
    draws = _CHAINS * _DRAWS
    version = rng.choice(len(rows), size=draws, p=joint.version)
    ends = np.cumsum(rows, axis=2)[version]
    z = (rng.random((draws, rows.shape[1], 1)) >= ends[..., :-1]).sum(axis=2)
    states = np.stack([(z == s).sum(axis=1) for s in range(len(alpha))], axis=1)
    return _count_posterior_from_states(
        alpha, states.reshape(_CHAINS, _DRAWS, -1), version.reshape(_CHAINS, _DRAWS), len(rows),
        np.einsum("r,rik->ik", joint.version, rows),
    )  # fmt: skip


def _count_posterior_batch_error(each: FloatArray) -> FloatArray:
    """Standard error of the mean over chains and draws, from the spread of batch means."""
    chains, draws, cells = each.shape
    batches = each.reshape(chains * _BATCHES, draws // _BATCHES, cells).mean(axis=1)
    spread = batches.std(axis=0, ddof=1) / math.sqrt(len(batches))
    p = (each.sum(axis=(0, 1)) + 1.0) / (chains * draws + 2.0)
    # Where no draw differs from another the error is unknown, not zero.
    return np.asarray(np.where(spread > 0.0, spread, np.sqrt(p * (1 - p) / (chains * draws))))


def pooled_replicated_betas(
    parts: Iterable[tuple[float, CountPosterior]], k: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the Betas of θ_k under several posteriors, each with its weight."""
    betas = [(share, *part.betas(k)) for share, part in parts]
    weight = np.concatenate([share * weight for share, weight, _, _ in betas])
    first, second = (np.concatenate([beta[i] for beta in betas]) for i in (2, 3))
    return weight, first, second
