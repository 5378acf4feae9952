"""A posterior of which the count vectors were drawn, where there are too many to sum over."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.mixture import batch_error
from bayescompare.prior import DirichletPrior

#: Sweeps of the Gibbs sampler before the first kept draw, and for each.
_WARMUP, _THIN = 500, 5
#: Chains and draws of the cut, and numbers held at once.
_DRAWN, _BLOCK = (4, 1000), 1 << 22
#: Standard error of P(max) that is aimed at, and the weights that may be computed for it, by chain.
_PRECISION, _MOST_WORK = 1e-3, 8e7


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnMixture(DirichletMixture):
    """A `DirichletMixture` of the vectors that collapsed Gibbs sampling visits, one component.

    Attributes
    ----------
    each : array (u, S), optional
        P of every statement on each uncounted dataset.
    longer : pair of arrays (S + 1,), optional
        P(max) and its error by a longer run, of which no vectors were kept.
    """

    each: FloatArray | None = None
    longer: tuple[FloatArray, FloatArray] | None = None

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
            each, counts = gibbs.per_dataset.mean(axis=0), gibbs.counts
            version = gibbs.version
        if not joint:
            share = np.ones(1)
            if versions > 1:
                share = np.bincount(version.ravel(), minlength=versions) / version.size
            counts, version = _drawn_alone(evidence.rows, share, rng)
            each = evidence.each_alone(share)
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
            each=each,
        )

    def with_power(self, power: float) -> DrawnMixture:
        """Return the posterior under the prior of so many times α, drawn anew."""
        rng, raised = np.random.default_rng(0), self.prior.raised(power)
        return self.sampled(self.evidence, raised, rng, joint=self.joint)

    def with_more(self, counts: FloatArray) -> DrawnMixture:
        """Return the posterior after further datasets, (S,)."""
        after, log_paths = self.counts + counts, self.log_paths
        if self.joint:
            # Draws hold the urn already: they are weighed by what it grew.
            log_paths = log_paths + self.prior.log_urn(after) - self.prior.log_urn(self.counts)
        return self.weighed(
            self.evidence, self.prior, after, log_paths, joint=self.joint, states=self.states
        )

    def per_dataset(self) -> FloatArray:
        """P of every statement on each dataset that was not counted, given all of them, (u, S)."""
        return super().per_dataset() if self.each is None else self.each

    def leader_known(self) -> tuple[float, float]:
        """P of the leading statement once each dataset's statement is known, and its error."""
        (component,), states = self.components, self.states
        largest = component.p_max(self.counts).max(axis=1)[states][..., None]
        return float(largest.mean()), float(batch_error(largest)[0])

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each listed statement, and last of all others together."""
        return super().p_max() if self.longer is None else self.longer[0]

    def mcse(self) -> FloatArray | None:
        """Standard error of `p_max`."""
        return super().mcse() if self.longer is None else self.longer[1]

    def refined(self, rng: np.random.Generator) -> DrawnMixture:
        """Bring the error of P(max) down to `_PRECISION`, as far as the work allows.

        The sweeps of the first run count, as many as they are.
        """
        mcse = self.mcse()
        if mcse is None or not self.joint or float(mcse.max()) <= _PRECISION:
            return self
        from bayescompare.kernels.replicated.gibbs import gibbs_maximum

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
        return replace(self, longer=(p_max, both))


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
