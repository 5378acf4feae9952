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
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts

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

    def log_evidence(self, alpha: FloatArray) -> FloatArray:
        """Log evidence of each domain in each version under θ_g ~ Dirichlet(alpha), (R, G)."""
        return np.asarray(logsumexp(self.log_weight + self._log_urn(alpha), axis=2))

    def _log_urn(self, alpha: FloatArray) -> FloatArray:
        """Log of the Dirichlet-multinomial of each vector, (G, M), which no version changes."""
        total = float(alpha.sum())
        rising = (gammaln(alpha + self.vectors) - gammaln(alpha)).sum(axis=2)
        return np.asarray(rising - (gammaln(total + self.totals) - gammaln(total))[:, None])

    def draw(self, alpha: FloatArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Draw the version and θ of every domain, given draws of the domains' Dirichlet.

        From (D, K) to (D,) and (D, G, K).
        """
        draws, k = alpha.shape
        versions, domains, most = self.log_weight.shape
        version = np.zeros(draws, dtype=np.int64)
        counts = np.empty((draws, domains, k))
        if versions == most == 1:
            counts[:] = self.vectors[:, 0]
        else:
            for d in range(draws):
                logs = self.log_weight + self._log_urn(alpha[d])
                together = logsumexp(logs, axis=2).sum(axis=1)
                version[d] = (together + rng.gumbel(size=versions)).argmax()
                own = logs[version[d]]
                chosen = (own + rng.gumbel(size=own.shape)).argmax(axis=1)
                counts[d] = self.vectors[np.arange(domains), chosen]
        log_alpha = np.log(alpha)[:, None, :] + np.zeros((1, domains, 1))
        return version, np.exp(draw_log_theta(log_alpha, counts, (draws, domains), rng))


def domain_counts(
    weights: FloatArray, rows: FloatArray, uncounted: IntArray, domain: IntArray
) -> DomainCounts | None:
    """Count the datasets of each domain; None where a domain has too many count vectors.

    Parameters
    ----------
    weights : array (n, K)
        Of datasets that show their statement.
    rows : array (R, u, K)
        log ℓ of the others.
    uncounted : array (u,)
        Which datasets these are.
    domain : array (n,)

    Examples
    --------
    >>> nothing = np.empty((1, 0, 2)), np.empty(0, dtype=np.int64)
    >>> counts = domain_counts(np.eye(2)[[0, 0, 1]], *nothing, np.array([0, 1, 1]))
    >>> counts.vectors.tolist()
    [[[1.0, 0.0]], [[1.0, 1.0]]]
    >>> np.exp(counts.log_evidence(np.ones(2))).round(6).tolist()
    [[0.5, 0.166667]]
    """
    versions, _, k = rows.shape
    counted = np.delete(np.arange(len(domain)), uncounted)
    found: list[tuple[FloatArray, FloatArray]] = []
    for g in range(int(domain.max()) + 1):
        fixed = weights[counted[domain[counted] == g]].sum(axis=0)
        own = rows[:, domain[uncounted] == g]
        if not own.shape[1]:
            found.append((fixed[None], np.zeros((versions, 1))))
            continue
        limit = 20 * MOST_OF_DOMAIN
        evidence = EvidenceRows.from_logs(own, np.ones(k))
        counts = recursion_for_counts(evidence, joint=False, limit=limit)
        if counts is None:
            return None
        with np.errstate(divide="ignore"):
            weight = np.log(counts.weight.T) + counts.log_evidence[:, None]
        kept = (weight - weight.max(axis=1, keepdims=True)).max(axis=0) > np.log(_NEGLIGIBLE)
        if kept.sum() > MOST_OF_DOMAIN:
            return None
        found.append((fixed + counts.vectors[kept], weight[:, kept]))
    most = max(len(vectors) for vectors, _ in found)
    padded = np.zeros((len(found), most, k))
    log_weight = np.full((versions, len(found), most), -np.inf)
    for g, (vectors, weight) in enumerate(found):
        padded[g, : len(vectors)] = vectors
        log_weight[:, g, : len(vectors)] = weight
    return DomainCounts(padded, log_weight)
