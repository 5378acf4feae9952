r"""The joint Poisson-binomial model with any prior of r, by one-dimensional quadrature.

.. math:: p(r \mid k) \propto \pi(r)^\gamma \prod_i \bigl(r p_i + (1 - r)(1 - p_i)\bigr)

is integrated over t = logit r, where π stands for the density of t. The panels are halved until
nothing changes, so that a prior that jumps, such as a uniform one on part of (0, 1), loses no
digits. The power γ, 1 but for questions of sensitivity, weakens or strengthens the prior.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, for the model; Kallioinen et al. (2023),
Statistics and Computing 34, 57, for powers of a prior.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, log_expit, logit

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.poisson_binomial_joint import (
    Joint,
    poisson_binomial_likelihood,
    summarise_poisson_binomial,
)
from bayescompare.kernels.numerics.legendre import composite_legendre

__all__ = ["LogPrior", "RatePosterior", "RatePrior", "beta_prior_for_quadrature", "rate_posterior"]

#: The log density of t = logit r.
LogPrior = Callable[[FloatArray], FloatArray]

#: Density below e^−45 of the largest is left out.
_LOG_TAIL = 45.0
#: A panel whose integral changes by no more than this share of the whole is not halved again,
#: and none is when all changes together are no more than the second.
_CHANGE, _CHANGES = 1e-14, 1e-12
_MOST_HALVINGS, _MOST_PANELS = 64, 4096
#: Beyond this logit neither r nor 1 − r is a float.
_FAR = 700.0
#: Cells of each panel in the table of the distribution function.
_CELLS = 16


@dataclass(frozen=True)
class RatePrior:
    """A prior of r.

    Attributes
    ----------
    log_density : callable
        Log density of t = logit r, normalised.
    hints : array
        Values of t where the prior has mass: panels begin there, so that no narrow prior is missed.
    power : float
        What the density of t is raised to.
    """

    log_density: LogPrior
    hints: FloatArray
    power: float = 1.0

    @classmethod
    def of_rate(cls, log_density: LogPrior, rates: ArrayLike) -> RatePrior:
        """Take a prior by its log density of r, and some values of r that it may have."""
        inside = np.clip(np.asarray(rates, dtype=np.float64), 1e-300, 1.0 - 2.0**-53)

        def of_logit(t: FloatArray) -> FloatArray:
            rate = expit(t)
            # What floats cannot tell from 0 or 1 is lost, and missing in `log_total`.
            between = (rate > 0.0) & (rate < 1.0)
            logs = log_density(np.where(between, rate, 0.5)) + log_expit(t) + log_expit(-t)
            return np.where(between, logs, -np.inf)

        return cls(of_logit, _rate_quadrature_around(np.unique(logit(inside))))

    @cached_property
    def log_total(self) -> float:
        """Log of the integral of the density to the power: 0 of a density that is normalised."""
        return _RatePanels(self._powered, self.hints).log_total

    def _powered(self, t: FloatArray) -> FloatArray:
        # Outside the support 0 times −inf would be NaN.
        log_density = self.log_density(t)
        return np.where(log_density == -np.inf, -np.inf, self.power * log_density)

    def times_likelihood(self, p: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the log density of the posterior, not normalised."""
        return lambda t: self._powered(t) + poisson_binomial_likelihood(p, expit(t), expit(-t))


def _rate_quadrature_around(t: FloatArray) -> FloatArray:
    """Add points ever further away on both sides, for tails that these do not reach."""
    steps = (np.ptp(t) or 1e-3) * 2.0 ** np.arange(-4, 12)
    return np.unique(np.clip(np.concatenate([t.min() - steps, t, t.max() + steps]), -_FAR, _FAR))


def beta_prior_for_quadrature(first: float, second: float) -> RatePrior:
    """Beta(first, second), exact up to both ends.

    Examples
    --------
    >>> prior = beta_prior_for_quadrature(2.0, 5.0)
    >>> abs(prior.log_total) < 1e-12
    True
    """

    def log_density(t: FloatArray) -> FloatArray:
        logs = first * log_expit(t) + second * log_expit(-t)
        return np.asarray(logs - betaln(first, second))

    return RatePrior(log_density, np.array([math.log(first / second)]))


@dataclass(frozen=True)
class RatePosterior:
    """The posterior of r: its figures, its quantiles, and draws from it.

    Attributes
    ----------
    joint : Joint
        As `poisson_binomial_joint.joint` has them; `error` is the largest change of a total at the
        last halving.
    """

    joint: Joint
    _edges: FloatArray
    _log_density: Callable[[FloatArray], FloatArray]

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cells in t, the mass below each of their edges, and the density at the edges."""
        steps = np.arange(_CELLS) / _CELLS
        cells = (self._edges[:-1, None] + np.diff(self._edges)[:, None] * steps).ravel()
        cells = np.append(cells, self._edges[-1])
        t, weight = composite_legendre(cells)
        log_density = self._log_density(t)
        top = float(log_density.max())
        mass = (weight * np.exp(log_density - top)).reshape(len(cells) - 1, -1).sum(axis=1)
        with np.errstate(over="ignore"):
            ends = np.exp(self._log_density(cells) - top)
        below = np.concatenate([[0.0], np.cumsum(mass)])
        return cells, below / below[-1], ends / below[-1]

    def quantile(self, share: ArrayLike) -> FloatArray:
        """Quantiles of r: the density is taken as linear within each of many small cells."""
        cells, below, ends = self._table
        u = np.asarray(share, dtype=np.float64)
        # Cells without mass are never chosen.
        k = np.clip(np.searchsorted(below, u, side="right") - 1, 0, len(cells) - 2)
        width, mass = np.diff(cells)[k], np.diff(below)[k]
        with np.errstate(invalid="ignore", divide="ignore"):
            x = np.where(mass > 0.0, (u - below[k]) / mass, 0.0)
            first, last = ends[k], ends[k + 1]
            slope = np.where(np.isfinite(first + last), (last - first) / (last + first), 0.0)
            # Of (1 − s)x + s x² = u the root that is x itself where s = 0.
            root = np.sqrt((1.0 - slope) ** 2 + 4.0 * slope * x)
            bent = 2.0 * x / (1.0 - slope + root)
        return expit(cells[k] + width * np.clip(np.nan_to_num(bent), 0.0, 1.0))

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Central interval of r."""
        low, high = self.quantile([(1.0 - mass) / 2.0, (1.0 + mass) / 2.0])
        return float(low), float(high)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw r by inverting its distribution function."""
        return self.quantile(rng.random(draws))


def rate_posterior(p: ArrayLike, prior: RatePrior) -> RatePosterior:
    """Return the posterior of r under any prior, exactly.

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset, given its own counts only.
    prior : RatePrior

    Examples
    --------
    A symmetric Beta prior gives what `joint` gives:

    >>> from bayescompare.kernels.context.poisson_binomial_joint import joint
    >>> p = [0.99, 0.98, 0.97, 0.5]
    >>> found, known = rate_posterior(p, beta_prior_for_quadrature(2.0, 2.0)).joint, joint(p, 2.0)
    >>> gaps = found.first - known.first, found.log_evidence - known.log_evidence
    >>> max(map(abs, gaps)) < 1e-11
    True
    """
    p = np.ascontiguousarray(p, dtype=np.float64)
    log_density = prior.times_likelihood(p)
    extremes = np.array([p.min(initial=0.5), p.max(initial=0.5)])[:, None]

    def least_factor(t: FloatArray) -> FloatArray:
        """Log of the smallest factor: without its dataset the density is the largest."""
        factors = expit(t) * extremes + expit(-t) * (1.0 - extremes)
        return np.asarray(np.log(factors.min(axis=0)))

    panels = _RatePanels(log_density, prior.hints, least_factor)
    figures = summarise_poisson_binomial(p, *panels.nodes, panels.log_density, prior.log_total)
    return RatePosterior(figures._replace(error=panels.error), panels.edges, log_density)


class _RatePanels:
    """Panels that are halved until the integral of a density over t does not change.

    With `least` the density is also integrated over e^least, whose mass may lie elsewhere.
    """

    def __init__(
        self,
        log_density: Callable[[FloatArray], FloatArray],
        hints: FloatArray,
        least: Callable[[FloatArray], FloatArray] | None = None,
    ) -> None:
        self._log_density, self._least = log_density, least
        self.edges = self._start(hints)
        self.error = math.inf
        for _ in range(_MOST_HALVINGS):
            if not self._halve():
                break
        self.nodes = composite_legendre(self.edges)
        self.log_density = log_density(self.nodes[0])

    def _logs(self, t: FloatArray) -> FloatArray:
        """The density, and the one over its least factor, as rows."""
        log_density = self._log_density(t)
        if self._least is None:
            return log_density[None]
        return np.stack([log_density, log_density - self._least(t)])

    def _start(self, hints: FloatArray) -> FloatArray:
        """Panels where the density is not negligible, dense around 0 and where the prior is."""
        far = _FAR * np.sinh(np.linspace(-7.24, 7.24, 193)) / math.sinh(7.24)
        grid = np.unique(np.concatenate([far, [0.0], hints]))
        logs = self._logs(grid)
        top = logs.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise ArithmeticError("the density of logit r is zero or infinite wherever it is tried")
        inside = np.flatnonzero((logs > top - _LOG_TAIL).any(axis=0))
        return grid[max(inside[0] - 1, 0) : inside[-1] + 2]

    def _halve(self) -> bool:
        """Halve the panels whose integrals change by it; return whether there were any."""
        middle = 0.5 * (self.edges[:-1] + self.edges[1:])
        fine = np.insert(self.edges, np.arange(1, len(self.edges)), middle)
        top, coarse = self._integrals(self.edges)
        _, halves = self._integrals(fine, top)
        both = halves.reshape(len(halves), -1, 2).sum(axis=2)
        # Shares of one total: with each its own, one panel that changes would change them all.
        change = (np.abs(both - coarse) / both.sum(axis=1, keepdims=True)).max(axis=0)
        self.error = float(change.sum())
        if self.error <= _CHANGES or len(change) > _MOST_PANELS:
            return False
        again = np.flatnonzero((change > _CHANGE) & (middle > self.edges[:-1]))
        self.edges = np.insert(self.edges, again + 1, middle[again])
        return bool(len(again))

    def _integrals(
        self, edges: FloatArray, top: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Integral over each panel of each density over e^top, by default its maximum."""
        t, weight = composite_legendre(edges)
        logs = self._logs(t)
        top = logs.max(axis=1, keepdims=True) if top is None else top
        mass = weight * np.exp(logs - top)
        return top, mass.reshape(len(mass), len(edges) - 1, -1).sum(axis=2)

    @property
    def log_total(self) -> float:
        """Log of the integral of the density."""
        top = float(self.log_density.max())
        return top + math.log(float(self.nodes[1] @ np.exp(self.log_density - top)))
