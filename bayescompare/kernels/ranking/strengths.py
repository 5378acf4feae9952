r"""Plackett-Luce strengths of one measure: posterior mode, curvature, and weighted draws.

A dataset ranks the algorithms by strength plus Gumbel noise,

.. math:: P(a_1 > \dots > a_l) = \prod_k \frac{e^{s_{a_k}}}{e^{s_{a_k}} + \dots + e^{s_{a_l}}},

and algorithms that tie have the mean probability of the orders that the tie allows, by the
integral of DeLong, Guirguis & So (1994). The strengths sum to zero. Their prior is that of the
bundled model ``plackett_luce`` for one measure, in orthonormal contrasts x of the l strengths

.. math:: p(x) \propto (1 + x^\top x)^{-(3 + l - 1) / 2} .

Laplace's approximation is the normal distribution with the mode and the curvature there. An
algorithm that is nearly always last has a long tail which a normal distribution lacks, so the
approximation only proposes: half of the proposals are from it, half from Student's t of the same
scale, whose tails are those of the prior. They are resampled by their importance (Rubin 1987).

References
----------
Luce (1959); Plackett (1975); Rubin (1987), comment on Tanner & Wong; DeLong, Guirguis & So (1994).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, helmert, solve_triangular
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp

from bayescompare._typing import AnyArray, BoolArray, FloatArray

#: Degrees of freedom of the prior of the contrasts.
FREEDOM = 3.0

#: Where the integral of a tie is evaluated, as in the bundled model.
_STEP = 0.3
_NODES = np.arange(-18.0, 4.6, _STEP)

#: Ties of so many algorithms have their orders summed; larger ones take the integral.
_LISTED = 4

#: Proposals for each draw that is kept.
_PROPOSALS = 2
#: Numbers that are held at a time.
_CHUNK = 2_000_000

#: A function and its slope.
Target = Callable[[FloatArray], tuple[float, FloatArray]]


class Ties(NamedTuple):
    """All ties of one size, of any dataset, that have somebody behind them.

    Attributes
    ----------
    members : array (g, size)
        The algorithms in each tie.
    behind : array (g, l)
        One for those behind it, else zero.
    """

    members: AnyArray
    behind: FloatArray


class RankedDatasets:
    """Places on n datasets, with what the likelihood needs of them.

    Attributes
    ----------
    order : array (n, l)
        The algorithms of each dataset, best first.
    alone : array (n, l)
        Whether that place is held by one algorithm.
    ties : list of Ties
        By size.
    log_orders : float
        Log of the number of orders that all ties allow.
    """

    def __init__(self, places: AnyArray) -> None:
        self.order: AnyArray = np.argsort(places, axis=1, kind="stable")
        ranked = np.take_along_axis(places, self.order, axis=1)
        same = ranked[:, 1:] == ranked[:, :-1]
        edge = np.zeros((len(places), 1), dtype=bool)
        self.alone: BoolArray = ~(np.hstack([edge, same]) | np.hstack([same, edge]))
        found = [(row == level, row > level) for row in places for level in np.unique(row)]
        self.log_orders = float(sum(gammaln(tie.sum() + 1.0) for tie, _ in found))
        by_size: dict[int, list[tuple[AnyArray, AnyArray]]] = {}
        for tie, behind in found:
            if tie.sum() > 1 and behind.any():
                by_size.setdefault(int(tie.sum()), []).append((np.flatnonzero(tie), behind))
        self.ties = [
            Ties(np.array([tie for tie, _ in group]), np.array([b for _, b in group], dtype=float))
            for group in by_size.values()
        ]


class DrawnStrengths(NamedTuple):
    """Draws of the strengths, and how many independent ones they are worth.

    Attributes
    ----------
    strengths : array (draws, l)
    independent : float
    """

    strengths: FloatArray
    independent: float


class StrengthPosterior:
    """The strengths' posterior, from its mode and its curvature there.

    Attributes
    ----------
    mode : array (l,)
        Sums to zero.
    """

    def __init__(
        self, mode: FloatArray, factor: FloatArray, basis: FloatArray, ranked: RankedDatasets
    ) -> None:
        self.mode, self._factor, self._basis, self._ranked = mode, factor, basis, ranked

    def draw(self, draws: int, rng: np.random.Generator) -> DrawnStrengths:
        """Draw by sampling importance resampling.

        The variance of a mean of the resampled draws is that of the weighted proposals plus that
        of the resampling, which is at most that of as many independent draws.
        """
        z, log_proposal = self._propose_strengths(_PROPOSALS * draws, rng)
        steps = solve_triangular(self._factor, z, lower=True, trans="T")
        strengths = self.mode + (self._basis @ steps).T
        log_weight = log_strength_density(strengths, self._ranked) - log_proposal
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        effective = 1.0 / float(np.sum(weight**2))
        # Evenly spaced points in the cumulated weights: less noise than independent choices.
        points = (np.arange(draws) + rng.random()) / draws
        chosen = np.minimum(np.searchsorted(np.cumsum(weight), points), len(weight) - 1)
        independent = 1.0 / (1.0 / effective + 1.0 / draws)
        return DrawnStrengths(strengths[rng.permutation(chosen)], independent)

    def _propose_strengths(
        self, size: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return standardised proposals (l − 1, size), and their log density up to a constant."""
        d = self._factor.shape[0]
        z = rng.standard_normal((d, size))
        z[:, size // 2 :] /= np.sqrt(rng.chisquare(FREEDOM, size - size // 2) / FREEDOM)
        square = np.einsum("ij,ij->j", z, z)
        normal = -0.5 * square - 0.5 * d * np.log(2.0)
        student = gammaln((FREEDOM + d) / 2.0) - gammaln(FREEDOM / 2.0) - 0.5 * d * np.log(FREEDOM)
        student = student - 0.5 * (FREEDOM + d) * np.log1p(square / FREEDOM)
        return z, np.logaddexp(normal, student)


def strength_posterior(places: AnyArray) -> StrengthPosterior:
    """Find the mode of the strengths and the curvature there.

    Parameters
    ----------
    places : array (n, l)
        Doubled places of each dataset, ties shared.

    Examples
    --------
    >>> found = strength_posterior(np.array([[2, 4, 6], [2, 6, 4], [4, 2, 6]]))
    >>> found.mode.round(2)
    array([ 0.25, -0.02, -0.23])
    >>> drawn = found.draw(10_000, np.random.default_rng(0))
    >>> drawn.strengths.mean(axis=0).round(1)
    array([ 0.4, -0. , -0.4])
    """
    l = places.shape[1]
    basis = np.asarray(helmert(l).T)
    ranked = RankedDatasets(places)

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        s = basis @ x
        value = -float(log_strength_density(s[None, :], ranked)[0])
        return value, -(basis.T @ strength_density_slope(s, ranked))

    found = minimize(target, np.zeros(l - 1), jac=True, method="BFGS", options={"gtol": 1e-7})
    x = _polish_strength_mode(target, found.x)
    factor, _ = cho_factor(_strength_curvature(target, x), lower=True)
    return StrengthPosterior(basis @ x, np.tril(factor), basis, ranked)


def _polish_strength_mode(target: Target, x: FloatArray) -> FloatArray:
    """Take Newton's last steps, for which BFGS has no precision left."""
    for _ in range(3):
        _, slope = target(x)
        x = x - cho_solve(cho_factor(_strength_curvature(target, x), lower=True), slope)
    return x


def _strength_curvature(target: Target, x: FloatArray, step: float = 1e-4) -> FloatArray:
    """Return the second derivatives by central differences of the exact first ones."""
    rows = []
    for k in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[k] += step
        behind[k] -= step
        rows.append((target(ahead)[1] - target(behind)[1]) / (2.0 * step))
    matrix = np.array(rows)
    return (matrix + matrix.T) / 2.0


def log_strength_density(strengths: FloatArray, ranked: RankedDatasets) -> FloatArray:
    """Return log p(s | ranks) up to a constant, for every row of strengths."""
    numbers = [ranked.order.size]
    for ties in ranked.ties:
        g, size = ties.members.shape
        numbers.append(g * (2**size if size <= _LISTED else size * len(_NODES)))
    rows = max(1, _CHUNK // max(numbers))
    starts = range(0, len(strengths), rows)
    parts = [_log_strength_density_at_once(strengths[k : k + rows], ranked) for k in starts]
    return np.concatenate(parts)


def _log_strength_density_at_once(s: FloatArray, ranked: RankedDatasets) -> FloatArray:
    value = -0.5 * (FREEDOM + s.shape[1] - 1.0) * np.log1p(np.einsum("ij,ij->i", s, s))
    s = s - s.max(axis=1, keepdims=True)
    weight = np.exp(s)
    rest = np.cumsum(weight[:, ranked.order][:, :, ::-1], axis=2)[:, :, ::-1]
    value += np.einsum("bnl,nl->b", s[:, ranked.order] - np.log(rest), ranked.alone)
    for ties in ranked.ties:
        base = weight @ ties.behind.T
        if ties.members.shape[1] <= _LISTED:
            each = np.log(_tie_probability(weight[:, ties.members], base))
        else:
            each = logsumexp(_log_tie_integrand(s[:, ties.members] - np.log(base)[..., None]), -1)
        value += each.sum(axis=1)
    return np.asarray(value - ranked.log_orders)


def _tie_probability(weight: FloatArray, behind: FloatArray) -> FloatArray:
    """P(all of a tie come before those behind it, in any order), by the last set that is left.

    Parameters
    ----------
    weight : array (..., size)
        exp s of the algorithms in the tie.
    behind : array (...)
        The sum of exp s over those behind.
    """
    size = weight.shape[-1]
    left, total = [np.ones_like(behind)], [np.zeros_like(behind)]
    for members in range(1, 2**size):
        own = [k for k in range(size) if members >> k & 1]
        total.append(total[members & (members - 1)] + weight[..., own[0]])
        first = sum(weight[..., k] * left[members ^ (1 << k)] for k in own)
        left.append(first / (total[members] + behind))
    return left[-1]


def _log_tie_integrand(lead: FloatArray) -> FloatArray:
    """Log of the integrand at the nodes, from the lead (..., size) over those behind."""
    ahead = np.exp(np.minimum(lead, 40.0)[..., None] + _NODES)
    terms = np.log(-np.expm1(-ahead)).sum(axis=-2) + _NODES - np.exp(_NODES) + np.log(_STEP)
    return np.asarray(terms)


def strength_density_slope(s: FloatArray, ranked: RankedDatasets) -> FloatArray:
    """Return the slope of log p(s | ranks) in s."""
    prior = -(FREEDOM + len(s) - 1.0) * s / (1.0 + float(s @ s))
    s = s - s.max()
    weight = np.exp(s)
    ranked_weight = weight[ranked.order]
    rest = np.cumsum(ranked_weight[:, ::-1], axis=1)[:, ::-1]
    down = ranked.alone - ranked_weight * np.cumsum(ranked.alone / rest, axis=1)
    slope = prior + np.bincount(ranked.order.ravel(), weights=down.ravel(), minlength=len(s))
    for ties in ranked.ties:
        base = ties.behind @ weight
        lead = s[ties.members] - np.log(base)[:, None]
        terms = _log_tie_integrand(lead)
        share = np.exp(terms - logsumexp(terms, axis=-1, keepdims=True))
        ahead = np.exp(np.minimum(lead, 40.0)[..., None] + _NODES)
        # d log(1 − exp(−eᶻ))/dz, which tends to 0 as the tie runs away from the rest.
        rate = np.einsum("gkx,gx->gk", ahead / np.expm1(np.minimum(ahead, 600.0)), share)
        np.add.at(slope, ties.members, rate)
        slope -= weight * ((rate.sum(axis=1) / base) @ ties.behind)
    return np.asarray(slope)
