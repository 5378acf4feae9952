r"""Bridge sampling: the log normalising constant of a density that is known up to a factor.

With draws from the density :math:`p^*` = p/z and from a proposal g,

.. math:: z = \frac{\mathrm{E}_g[\,h\,p\,]}{\mathrm{E}_{p^*}[\,h\,g\,]}, \qquad
          h = \frac{1}{s_1\, p / z + s_2\, g}

for the function h of least error, which depends on z itself: one root in log z.

The proposal is normal, but for skewness and tails. Every coordinate is a sinh-arcsinh transform of
a normal one,

.. math:: x = \xi + \eta \sinh\frac{\operatorname{arsinh} z + \epsilon}{\delta}, \qquad
          z \sim \mathrm{N}(0, R),

with its own location ξ, scale η, skewness ε and tails δ. A plain normal loses about 0.09 nats to
the log of an exponential variable, this one 0.005: in 128 dimensions, that is the difference
between no overlap and nearly all.

References
----------
Jones & Pewsey (2009), Biometrika 96, 761–780; Schäfer & Strimmer (2005), Statistical Applications
in Genetics and Molecular Biology 4, 32, for the shrinkage of R.
Meng & Wong (1996), Statistica Sinica 6, 831–860; Frühwirth-Schnatter (2004), Econometrics Journal
7, 143–167, for the error; Gronau et al. (2017), Journal of Mathematical Psychology 81, 80–97.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import brentq
from scipy.special import logsumexp

from bayescompare._typing import FloatArray

#: Draws that the four parameters of a coordinate are fitted to, at most.
_MOST_FITTED = 4000
_STEPS = 40
#: Steps of the numerical second derivatives.
_STEP = 1e-5


@dataclass(frozen=True)
class Bridge:
    """A log normalising constant with its relative standard error.

    Attributes
    ----------
    log_constant : float
    error : float
        Root of the relative mean squared error of the constant, the standard error of its log.
    overlap : float
        From 0 to 1: the mean probability that a draw is taken for one of the other kind, over
        what it would be if draws and proposals were alike. Near 0 the error is not to be trusted.
    """

    log_constant: float
    error: float
    overlap: float


def bridge_constant(drawn: FloatArray, proposed: FloatArray) -> Bridge:
    r"""Estimate log z by the optimal bridge, with its relative error.

    .. math:: \mathrm{RE}^2 = \frac{1}{N_2} \frac{\mathrm{Var}_g f_1}{\mathrm{E}_g^2 f_1}
              + \frac{\tau}{N_1} \frac{\mathrm{Var}_{p^*} f_2}{\mathrm{E}_{p^*}^2 f_2},
              \quad f_1 = h\,p^*,\ f_2 = h\,g,

    where τ is the autocorrelation time of f₂ along the chains.

    Parameters
    ----------
    drawn : array (chains, draws)
        log p − log g at draws from p, finite.
    proposed : array (N,)
        The same at independent draws from g; −∞ where p vanishes.

    Returns
    -------
    Bridge

    Examples
    --------
    The density e^(−x²/2) has the constant √(2π), whose log is 0.919; here with a wider proposal.

    >>> from scipy.stats import norm
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.normal(size=(4, 2000)), rng.normal(size=8000) * 1.2
    >>> ratio = lambda v: -v**2 / 2 - norm.logpdf(v, scale=1.2)
    >>> found = bridge_constant(ratio(x), ratio(y))
    >>> round(found.log_constant, 2), found.error < 0.01
    (0.92, True)
    """
    chained = np.atleast_2d(drawn)
    own = chained.ravel()
    # Chains are worth fewer independent draws.
    effective = own.size / autocorrelation_time(chained)
    first = math.log(effective / (effective + proposed.size))
    second = math.log(proposed.size / (effective + proposed.size))

    def excess(log_z: float) -> float:
        above = logsumexp(proposed - np.logaddexp(first + proposed, second + log_z))
        below = logsumexp(-np.logaddexp(first + own, second + log_z))
        return float(above - math.log(proposed.size) - below + math.log(own.size) - log_z)

    log_z = _root(excess, float(np.median(own)))
    f1 = np.exp(proposed - log_z - np.logaddexp(first + proposed - log_z, second))
    f2 = np.exp(-np.logaddexp(first + chained - log_z, second))
    time = autocorrelation_time(f2)
    squared = _relative_variance(f1) / f1.size + time * _relative_variance(f2) / f2.size
    # Both are 1 if draws and proposals are alike.
    overlap = 0.5 * (float(f1.mean()) + float(f2.mean()))
    return Bridge(log_z, math.sqrt(squared), min(overlap, 1.0))


def _root(excess: object, start: float) -> float:
    """The root of a function that decreases; the bracket grows until it holds it."""
    assert callable(excess)
    low, high, step = start - 1.0, start + 1.0, 1.0
    while excess(low) < 0.0:
        low, step = low - step, 2.0 * step
    step = 1.0
    while excess(high) > 0.0:
        high, step = high + step, 2.0 * step
    return float(brentq(excess, low, high, xtol=1e-12))


def _relative_variance(values: FloatArray) -> float:
    mean = float(values.mean())
    return float(values.var()) / mean**2 if mean > 0.0 else math.inf


def autocorrelation_time(values: FloatArray) -> float:
    r"""Draws of chains that are worth one independent draw, for the mean of `values`.

    τ = 1 + 2 Σ ρ_t, summed while sums of neighbours are positive and decreasing (Geyer 1992), with
    ρ_t against the variance within and between chains (Vehtari et al. 2021). At least 1.

    Parameters
    ----------
    values : array (chains, draws)

    Examples
    --------
    >>> steps = np.random.default_rng(1).normal(size=(4, 20_000))
    >>> chain = np.empty_like(steps)
    >>> chain[:, 0] = steps[:, 0]
    >>> for t in range(1, 20_000):
    ...     chain[:, t] = 0.5 * chain[:, t - 1] + steps[:, t]
    >>> abs(autocorrelation_time(chain) - 3.0) < 0.3  # (1 + ½)/(1 − ½)
    True
    """
    chains, n = values.shape
    if n < 4 or not np.ptp(values) > 0.0:
        return 1.0
    covariance = _autocovariance(values)
    within = float(covariance[:, 0].mean()) * n / (n - 1)
    between = float(values.mean(axis=1).var(ddof=1)) if chains > 1 else 0.0
    total = within * (n - 1) / n + between
    if not total > 0.0:
        return 1.0
    rho = 1.0 - (within - covariance.mean(axis=0) * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    positive = int(np.argmax(pairs <= 0.0)) if (pairs <= 0.0).any() else pairs.size
    return max(1.0, float(2.0 * np.minimum.accumulate(pairs[:positive]).sum() - 1.0))


def _autocovariance(values: FloatArray) -> FloatArray:
    """Autocovariance of each chain at every lag, by Fourier transform."""
    n = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    size = 2 ** math.ceil(math.log2(2 * n))
    spectrum = np.fft.rfft(centred, size, axis=1)
    whole = np.fft.irfft(spectrum * np.conj(spectrum), size, axis=1)[:, :n]
    return np.asarray(whole / n)


# ------------------------------------------------------------------------------------- the proposal


@dataclass(frozen=True)
class SinhArcsinh:
    """A fitted distribution over d coordinates.

    Attributes
    ----------
    location, scale : arrays (d,)
        Of the draws that it was fitted to; the shape is in these units.
    shape : array (d, 4)
        ξ, log η, ε and log δ of every coordinate.
    factor : array (d, d)
        The lower triangular root of R.
    """

    location: FloatArray
    scale: FloatArray
    shape: FloatArray
    factor: FloatArray

    def log_density(self, points: FloatArray) -> FloatArray:
        """Log density at points (n, d)."""
        z, log_slope = _scores(self._standard(points), self.shape)
        white = solve_triangular(self.factor, z.T, lower=True)
        normal = -0.5 * (white**2).sum(axis=0) - 0.5 * len(self.scale) * math.log(2.0 * math.pi)
        constant = np.log(self.scale).sum() + np.log(np.diag(self.factor)).sum()
        return np.asarray(normal + log_slope.sum(axis=-1) - constant)

    def draw(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw points (size, d)."""
        z = rng.normal(size=(size, len(self.scale))) @ self.factor.T
        return self.location + self.scale * _inverse(z, self.shape)

    def _standard(self, points: FloatArray) -> FloatArray:
        return np.asarray((points - self.location) / self.scale)


def fit_sinh_arcsinh(draws: FloatArray) -> SinhArcsinh:
    """Fit the distribution to draws (n, d): each coordinate by maximum likelihood, then R.

    The correlations are shrunk towards zero as much as their own noise asks for.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = fit_sinh_arcsinh(np.log(rng.exponential(size=(2000, 1))))
    >>> points = np.linspace(-3.0, 1.5, 4)
    >>> exact = points - np.exp(points)
    >>> bool(np.abs(found.log_density(points[:, None]) - exact).max() < 0.25)
    True
    """
    location, scale = np.median(draws, axis=0), draws.std(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    standard = (draws - location) / scale
    step = -(-len(draws) // _MOST_FITTED)
    shape = _fitted_shapes(standard[::step])
    z, _ = _scores(standard, shape)
    return SinhArcsinh(location, scale, shape, np.linalg.cholesky(_correlation(z)))


def _scores(x: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The normal scores z of x, and log dz/dx."""
    xi, log_eta, epsilon, log_delta = shape.T
    y = (x - xi) * np.exp(-log_eta)
    t = np.exp(log_delta) * np.arcsinh(y) - epsilon
    # log cosh t, which does not overflow.
    log_cosh = np.abs(t) + np.log1p(np.exp(-2.0 * np.abs(t))) - math.log(2.0)
    with np.errstate(over="ignore"):
        z = np.sinh(t)
    return z, log_cosh + log_delta - log_eta - 0.5 * np.log1p(y * y)


def _inverse(z: FloatArray, shape: FloatArray) -> FloatArray:
    xi, log_eta, epsilon, log_delta = shape.T
    with np.errstate(over="ignore"):
        turned = np.sinh((np.arcsinh(z) + epsilon) * np.exp(-log_delta))
    return np.asarray(xi + np.exp(log_eta) * turned)


def _fitted_shapes(x: FloatArray) -> FloatArray:
    """Maximum likelihood of all coordinates at once, by damped Newton steps."""
    d = x.shape[1]
    shape, damping = np.zeros((d, 4)), np.full(d, 1e-3)
    loss, slope = _loss(x, shape)
    for _ in range(_STEPS):
        curvature = np.stack(
            [(_loss(x, shape + _STEP * axis)[1] - slope) / _STEP for axis in np.eye(4)],
            axis=-1,
        )
        curvature = 0.5 * (curvature + curvature.transpose(0, 2, 1))
        # Positive definite, whatever the curvature is here.
        values, vectors = np.linalg.eigh(curvature)
        raised = np.maximum(np.abs(values), 1e-6) + damping[:, None]
        turned = np.einsum("dji,dj->di", vectors, slope)
        move = np.einsum("dij,dj->di", vectors, turned / raised)
        trial = shape - np.clip(move, -1.0, 1.0)
        new_loss, new_slope = _loss(x, trial)
        better = new_loss < loss
        change = np.where(better, loss - new_loss, 0.0)
        shape[better], loss[better], slope[better] = (
            trial[better],
            new_loss[better],
            new_slope[better],
        )
        damping = np.where(better, damping * 0.3, np.minimum(damping * 10.0, 1e6))
        if better.any() and change.max() < 1e-9:
            break
    return shape


def _loss(x: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean negative log likelihood of every coordinate, with its gradient.

    A weak penalty on skewness and tails keeps few draws from running away.
    """
    xi, log_eta, epsilon, log_delta = shape.T
    eta, delta = np.exp(log_eta), np.exp(log_delta)
    y = (x - xi) / eta
    root, arc = np.sqrt(1.0 + y * y), np.arcsinh(y)
    t = delta * arc - epsilon
    weight = 1.0 / len(x)
    with np.errstate(over="ignore", invalid="ignore"):
        z = np.sinh(t)
        fit = -0.5 * z * z + np.log(np.cosh(t)) + log_delta - np.log(root) - log_eta
        by_t = -z * np.cosh(t) + np.tanh(t)
        by_y = by_t * delta / root - y / root**2
        slope = np.stack(
            [
                -(by_y / eta).mean(axis=0),
                -(y * by_y).mean(axis=0) - 1.0,
                -by_t.mean(axis=0),
                (by_t * delta * arc).mean(axis=0) + 1.0,
            ],
            axis=-1,
        )
        loss = -fit.mean(axis=0) + weight * (epsilon**2 + log_delta**2)
    penalty = 2.0 * weight * np.stack([0 * xi, 0 * xi, epsilon, log_delta], axis=-1)
    return np.where(np.isfinite(loss), loss, math.inf), penalty - slope


def _correlation(z: FloatArray) -> FloatArray:
    """The correlation of scores, shrunk towards independence by what noise alone would show."""
    n, d = z.shape
    if d == 1:
        return np.ones((1, 1))
    # One wild draw must not decide.
    r: FloatArray = np.asarray(np.corrcoef(np.clip(z, -6.0, 6.0), rowvar=False))
    off = ~np.eye(d, dtype=bool)
    noise = float((((1.0 - r**2) ** 2)[off] / n).sum())
    share = min(1.0, noise / max(float((r[off] ** 2).sum()), 1e-300))
    shrunk = np.asarray((1.0 - share) * r)
    np.fill_diagonal(shrunk, 1.0)
    # A little more, for coordinates that are functions of each other.
    return np.asarray((1.0 - 1e-6) * shrunk + 1e-6 * np.eye(d))
