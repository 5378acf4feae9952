"""Generalised likelihood-ratio test that the most frequent statement is the most probable.

References
----------
Benavoli & de Campos (2016), equations (4)–(6), Theorem 1.
"""

from __future__ import annotations

from scipy.special import erfc, xlogy

__all__ = ["glrt"]


def glrt(largest: float, second: float) -> tuple[float, float]:
    r"""Return −2 log λ and its p-value from the two largest counts.

    .. math:: -2\log\lambda = 2\,[a\ln a + b\ln b - (a+b)\ln\tfrac{a+b}{2}]

    Under the null hypothesis this is χ² with one degree of freedom. The counts may be
    fractional (ties).

    Examples
    --------
    Example 2 of the paper, λ = 0.600677 and p = 0.312663:

    >>> statistic, pvalue = glrt(6, 3)
    >>> round(pvalue, 6)
    0.312663
    """
    a, b = float(largest), float(second)
    logs = xlogy(a, a) + xlogy(b, b) - xlogy(a + b, (a + b) / 2)
    # Rounding can leave -1e-16 where a = b, whose logarithm ratio is zero exactly.
    statistic = 0.0 if a == b else max(0.0, 2.0 * float(logs))
    return statistic, float(erfc((statistic / 2.0) ** 0.5))
