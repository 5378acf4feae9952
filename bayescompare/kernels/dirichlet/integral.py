r"""P(one cell of a Dirichlet vector is the largest), by quadrature.

With :math:`\theta_k = G_k/\sum G` and :math:`G_k \sim \mathrm{Gamma}(a_k)`,

.. math:: P_i = \int_0^\infty f(x; a_i) \prod_{j \ne i} F(x; a_j)\,dx .

Cells of equal shape share a row of values. Cells that are not listed enter as lumps, F to a power
that may exceed any float. The trapezoidal rule in s, :math:`\log x = c + s + 1 - e^{-s}`, is
accepted only if the rule of twice the step agrees with it on every cell: P may sum to one while the
errors of its parts cancel.

To the left the maximum's distribution function falls off like :math:`x^A`, over hundreds of units
of log x if there are hardly any data; in s it falls off doubly exponentially at both ends, and then
the rule converges so fast that halving the step doubles the number of correct digits.

References
----------
de Campos & Benavoli (2016), Section 4, where the same probability is estimated by Monte Carlo.
Takahasi & Mori (1974), Publ. RIMS 9, 721–741, for the substitution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammainccinv, gammaincinv, wrightomega

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.gammas import density_of_log_gamma, log_cdf, log_minus_log_cdf

#: Mass that may be left outside the range of integration.
TAIL = 1e-17
#: Intervals of the first rule and of the last; between them the step is halved.
COARSEST, FINEST = 64, 16_384
#: Two rules agree when no cell's P differs by more, nor their sum from one.
AGREE = 1e-11
UNSETTLED = "P(max) did not settle to 1e-11: please report this"

#: Logarithms of α of one cell of a lump and of the number of its cells.
Lump = tuple[float, float]


def p_max_of_one(
    log_alpha: FloatArray,
    counts: FloatArray,
    log_size: FloatArray,
    lumps: Sequence[Lump],
) -> FloatArray:
    """P(max) of each listed cell, and last of all lumps together, (S + 1,).

    Parameters
    ----------
    log_alpha, counts : arrays (S,)
        log α is −inf for a cell that has no prior weight.
    log_size : array (S,)
        Logarithms of sizes, at least 0 and 0 for lumps: G/size is compared, not G.
    lumps : sequence of Lump

    Raises
    ------
    ArithmeticError
        If no two rules agree.
    """
    shape = np.exp(log_alpha) + counts
    with np.errstate(divide="ignore"):
        log_shape = np.where(counts > 0.0, np.log(shape), log_alpha)
    top = max([float(shape.max(initial=0.0)), *(math.exp(min(a, 690.0)) for a, _ in lumps)])
    nodes = Nodes.over(top, top, len(shape), lumps, float(log_size.max(initial=0.0)))
    # Sums of 1/2 and 1/6 in different orders differ in the last bit but are the same shape.
    keys = np.round(log_shape, 12) + (1j * log_size if log_size.any() else 0.0)
    _, first, where, number = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    distinct, intervals = (shape[first], log_shape[first], log_size[first]), COARSEST
    while intervals <= FINEST:
        t, log_weight = nodes.rule(intervals)
        cdf, hazard = rows_of_shapes(t, nodes.reference, *distinct)
        log_mass, log_hazard = with_lumps(log_weight + number @ cdf, t, nodes.reference, lumps)
        mass = np.exp(log_mass)
        fine, coarse = hazard @ mass, 2.0 * (hazard[:, ::2] @ mass[::2])
        if lumps:
            in_lumps = np.exp(log_mass + log_hazard)
            fine = np.append(fine, in_lumps.sum())
            coarse = np.append(coarse, 2.0 * in_lumps[::2].sum())
        total = float(number @ fine[: len(number)]) + (fine[-1] if lumps else 0.0)
        if max(float(np.abs(fine - coarse).max()), abs(total - 1.0)) <= AGREE:
            # What the two rules may differ by can lie beyond 0 or 1.
            fine = np.minimum(np.maximum(fine, 0.0), 1.0)
            return np.append(fine[where.ravel()], fine[-1] if lumps else 0.0)
        intervals *= 2
    raise ArithmeticError(UNSETTLED)


@dataclass(frozen=True)
class Nodes:
    """Where maxima have their mass; t is measured from the logarithm of a reference shape."""

    reference: float
    knee: float
    low: float
    high: float

    @classmethod
    def over(
        cls, least: float, most: float, cells: int, lumps: Sequence[Lump], log_size: float
    ) -> Nodes:
        """Enclose the maxima of vectors whose largest shapes are from `least` to `most`.

        `log_size` is the largest by which a cell may be divided.
        """
        # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
        low = (math.log(TAIL) + math.lgamma(least + 1.0)) / least
        point = float(gammaincinv(least, TAIL))
        low = (max(low, math.log(point)) if point > 0.0 else low) - log_size
        tail = TAIL / (cells + 1.0)
        point = float(gammainccinv(most, tail))
        # The quantile underflows only where 1 − F(x; a) is −a log x.
        high = math.log(point) if point > 0.0 else -tail / most
        for log_alpha, log_cells in lumps:
            spread = 45.0 + max(0.0, log_cells + min(log_alpha, 0.0))
            high = max(high, math.log(most + spread + math.sqrt(2.0 * most * spread)))
            low = max(low, _least_of_lump(log_alpha, log_cells, math.log(most), low, high))
        knee = max(0.0, -math.log(most))
        # e^{−s} is Wright's ω of 1 − u.
        ends = (
            -math.log(float(wrightomega(1.0 - (end - math.log(most) - knee))))
            for end in (low, high)
        )
        return cls(most, knee, *ends)

    def rule(self, intervals: int) -> tuple[FloatArray, FloatArray]:
        """Return t at the nodes of a rule, and the logarithms of their weights."""
        s = np.linspace(self.low, self.high, intervals + 1)
        # s + 1 − e^{−s} to the last digit around s = 0.
        return self.knee + s - np.expm1(-s), np.log1p(np.exp(-s)) + math.log(s[1] - s[0])


def _least_of_lump(
    log_alpha: float, log_cells: float, reference: float, low: float, high: float
) -> float:
    """The log of x below which the largest cell of a lump has no mass, between `low` and `high`."""
    goal = math.log(-math.log(TAIL)) - log_cells
    for _ in range(50):
        middle = 0.5 * (low + high)
        at = np.array([middle - reference])
        is_below = float(log_minus_log_cdf(at, math.exp(reference), log_alpha)[0]) > goal
        low, high = (middle, high) if is_below else (low, middle)
    return low


def with_lumps(
    log_mass: FloatArray, t: FloatArray, reference: float, lumps: Sequence[Lump]
) -> tuple[FloatArray, FloatArray]:
    """Multiply by F of all lumps, and return the log of f/F of these."""
    log_hazard = np.full(len(t), -np.inf)
    for log_a, log_cells in lumps:
        minus_log_f = log_minus_log_cdf(t, reference, log_a)
        row = np.full((1, 1), log_a)
        log_f = density_of_log_gamma(t, reference, np.exp(row), row)[0]
        with np.errstate(over="ignore"):
            log_mass = log_mass - np.exp(log_cells + minus_log_f)
            log_hazard = np.logaddexp(log_hazard, log_cells + log_f + np.exp(minus_log_f))
    return log_mass, log_hazard


def rows_of_shapes(
    t: FloatArray, reference: float, shape: FloatArray, log_shape: FloatArray, log_size: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log F at the nodes for each shape, and f/F, which replaces one factor F by f."""
    if not log_size.any():
        cdf = log_cdf(t, reference, shape[:, None])
        density = density_of_log_gamma(t, reference, shape[:, None], log_shape[:, None])
        return cdf, np.exp(density - cdf)
    cdf, hazard = np.empty((2, len(shape), len(t)))
    for size in np.unique(log_size):
        own, at = log_size == size, t + size
        a, log_a = shape[own, None], log_shape[own, None]
        cdf[own] = log_cdf(at, reference, a)
        hazard[own] = np.exp(density_of_log_gamma(at, reference, a, log_a) - cdf[own])
    return cdf, hazard


def beta_exceeds(first: FloatArray, second: FloatArray, share: float) -> FloatArray:
    """P(Beta(first, second) > 1 − share): of equal sizes at ½ that one cell exceeds another.

    A cell without weight has no chance; of two such neither leads, and each has half.
    """
    some = np.minimum(first, second) > 0.0
    # At a shape of zero betainc is NaN in scipy 1.15 and the limit in 1.18.
    out = np.where(first == second, 0.5, (first > second) * 1.0)
    out[some] = betainc(second[some], first[some], share)
    return out
