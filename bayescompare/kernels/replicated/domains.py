r"""Datasets of several domains: what each domain's datasets say, with its θ integrated out.

.. math:: \varphi \sim \mathrm{Dirichlet}(\alpha), \quad
          \theta_g \sim \mathrm{Dirichlet}(\kappa\varphi), \qquad
          p(\text{domain } g \mid \varphi, \kappa) = \sum_c W_g(c)\,
          \frac{\Gamma(\kappa)}{\Gamma(\kappa + N_g)}
          \prod_s \frac{\Gamma(\kappa\varphi_s + c_s)}{\Gamma(\kappa\varphi_s)}

where :math:`W_g(c)` adds up the evidence of all ways in which the domain's datasets can have the
counts c of statements. It depends neither on φ nor on κ, so the recursion runs once. Where every
dataset shows its statement there is one vector c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.posterior import latents, log_theta
from bayescompare.kernels.replicated.recursion import statement_counts
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["DomainCounts", "known_counts", "uncertain_counts"]

#: Count vectors of a domain up to which NUTS sums over them.
MOST_OF_DOMAIN = 5000
#: Vectors that weigh less than this against the heaviest are left out.
_NEGLIGIBLE = 1e-14


@dataclass(frozen=True)
class DomainCounts:
    """Count vectors of every domain, and how well each fits.

    Attributes
    ----------
    vectors : array (G, M, K)
        Padded by zeros where a domain has fewer.
    log_weight : array (R, G, M)
        log W in each version (scale of effects); −inf in the padding.
    """

    vectors: FloatArray
    log_weight: FloatArray

    @property
    def totals(self) -> FloatArray:
        """Weight of all datasets of each domain, (G,)."""
        return np.asarray(self.vectors[:, 0].sum(axis=1))

    def log_evidence(self, alpha: FloatArray, version: int = 0) -> FloatArray:
        """Log evidence of each domain under θ_g ~ Dirichlet(alpha), (G,)."""
        return np.asarray(logsumexp(self._logs(alpha, version), axis=1))

    def _logs(self, alpha: FloatArray, version: int) -> FloatArray:
        """log W + log of the Dirichlet-multinomial of each vector, (G, M)."""
        total = float(alpha.sum())
        rising = (gammaln(alpha + self.vectors) - gammaln(alpha)).sum(axis=2)
        whole = gammaln(total + self.totals) - gammaln(total)
        return np.asarray(self.log_weight[version] + rising - whole[:, None])

    def draw_version(self, alpha: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw the version given draws (D, K) of the domains' Dirichlet, (D,)."""
        versions = len(self.log_weight)
        if versions == 1:
            return np.zeros(len(alpha), dtype=np.int64)
        logs = np.array([[self.log_evidence(a, r).sum() for r in range(versions)] for a in alpha])
        return np.asarray((logs + rng.gumbel(size=logs.shape)).argmax(axis=1))

    def draw_theta(
        self, alpha: FloatArray, version: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Draw θ of every domain given draws of its Dirichlet, (D, K) to (D, G, K)."""
        draws, k = alpha.shape
        domains = len(self.vectors)
        counts = np.empty((draws, domains, k))
        if self.vectors.shape[1] == 1:
            counts[:] = self.vectors[:, 0]
        else:
            for d in range(draws):
                logs = self._logs(alpha[d], int(version[d]))
                noise = rng.gumbel(size=logs.shape)
                counts[d] = self.vectors[np.arange(domains), (logs + noise).argmax(axis=1)]
        log_alpha = np.log(alpha)[:, None, :] + np.zeros((1, domains, 1))
        drawn = latents(log_alpha, counts, (draws, domains), rng)
        return np.exp(log_theta(log_alpha, *drawn))


def known_counts(weights: FloatArray, domain: IntArray) -> DomainCounts:
    """Counts of datasets that show their statements, with weights (n, K).

    Examples
    --------
    >>> counts = known_counts(np.eye(2)[[0, 0, 1]], np.array([0, 1, 1]))
    >>> counts.vectors.tolist()
    [[[1.0, 0.0]], [[1.0, 1.0]]]
    >>> np.exp(counts.log_evidence(np.ones(2))).round(6).tolist()
    [0.5, 0.166667]
    """
    vectors = np.zeros((int(domain.max()) + 1, 1, weights.shape[1]))
    np.add.at(vectors[:, 0], domain, weights)
    return DomainCounts(vectors, np.zeros((1, len(vectors), 1)))


def uncertain_counts(logs: FloatArray, domain: IntArray) -> DomainCounts | None:
    """Counts of datasets whose statements are uncertain, from log ℓ (R, n, K).

    None where a domain has too many count vectors.
    """
    versions, _, k = logs.shape
    found: list[tuple[FloatArray, FloatArray]] = []
    for g in range(int(domain.max()) + 1):
        own = logs[:, domain == g]
        rows = EvidenceRows.from_logs(own, np.ones(k))
        counts = statement_counts(rows, joint=False, limit=20 * MOST_OF_DOMAIN)
        if counts is None:
            return None
        vectors = np.tile(rows.fixed, (len(counts.codes), 1))
        for j, s in enumerate(rows.tracked.tolist()):
            vectors[:, s] += counts.digits(j)
        with np.errstate(divide="ignore"):
            weight = np.log(counts.weight.T) + counts.log_evidence[:, None]
        kept = (weight - weight.max(axis=1, keepdims=True)).max(axis=0) > np.log(_NEGLIGIBLE)
        if kept.sum() > MOST_OF_DOMAIN:
            return None
        found.append((vectors[kept], weight[:, kept]))
    most = max(len(vectors) for vectors, _ in found)
    padded = np.zeros((len(found), most, k))
    log_weight = np.full((versions, len(found), most), -np.inf)
    for g, (vectors, weight) in enumerate(found):
        padded[g, : len(vectors)] = vectors
        log_weight[:, g, : len(vectors)] = weight
    return DomainCounts(padded, log_weight)
