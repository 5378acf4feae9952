r"""The pooled model's answer with further datasets, from the nodes of the one without them.

The likelihood of new datasets multiplies the mass of every node (u, v) of the posterior:

.. math:: P(\mu < ½ \mid k, k') = \frac{\sum_{u_m < 0} w_m\, p(k' \mid u_m, v_m)}
          {\sum_m w_m\, p(k' \mid u_m, v_m)} .

Where few nodes are left with any mass, the posterior is integrated anew.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial import LogPrior, pool_beta_binomial
from bayescompare.kernels.context.beta_binomial_density import beta_binomial_logit_likelihood
from bayescompare.kernels.context.beta_binomial_nodes import BetaBinomialGrid

__all__ = ["grown_beta_binomial"]

#: Nodes that must be left, and how close an integral anew is.
_LEAST_NODES = 12.0
_CLOSE = 1e-4


def grown_beta_binomial(
    seen: tuple[FloatArray, FloatArray],
    new: tuple[FloatArray, FloatArray],
    grid: BetaBinomialGrid,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
) -> tuple[float, float]:
    """P(μ < ½) and P(μ > ½) given the datasets seen, for which `grid` was made, and new ones.

    Parameters
    ----------
    seen, new : pairs of arrays
        Examples that only the first, and only the second, got wrong.
    grid : Grid
        Nodes of the posterior of those seen; those without mass may have been left out.
    log_prior_mu, log_prior_rho : callables, optional
        As for `pool_beta_binomial`.

    Examples
    --------
    >>> first, second = np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9])
    >>> grid = pool_beta_binomial(first, second).grid
    >>> again = grown_beta_binomial((first, second), (np.array([2.0]), np.array([5.0])), grid)
    >>> whole = pool_beta_binomial([2, 1, 4, 0, 3, 2], [5, 6, 4, 3, 9, 5])
    >>> round(again[0], 6), round(whole.first, 6)
    (0.979276, 0.979276)
    """
    logs = np.log(grid.mass) + beta_binomial_logit_likelihood(*new)(grid.u, grid.v)
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    if 1.0 / float((mass**2).sum()) < _LEAST_NODES:
        both = (np.concatenate(columns) for columns in zip(seen, new, strict=True))
        found = pool_beta_binomial(
            *both, log_prior_mu=log_prior_mu, log_prior_rho=log_prior_rho, tolerance=_CLOSE
        )
        return found.first, found.second
    return float(mass[grid.u < 0.0].sum()), float(mass[grid.u > 0.0].sum())
