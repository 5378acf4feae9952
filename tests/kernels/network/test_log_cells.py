"""Truncated characteristic functions of log Beta cells, against mpmath and the Beta function."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, expit

from bayescompare.kernels.network.trees import log_odds_range, truncated_log_cells
from tests.cases import few_quick

SHAPES = [(3.25, 0.125), (1e-3, 2.0), (400.0, 380.5), (1e-6, 1e-6)]


def by_mpmath(a: float, b: float, t: float, w: float) -> tuple[complex, complex]:
    """Both expectations, in the log odds, with 20 digits."""
    with mp.workdps(20):
        a, b, t = mp.mpf(a), mp.mpf(b), mp.mpf(t)

        def density(z: mp.mpf) -> mp.mpf:
            return mp.exp(a * z - (a + b) * mp.log1p(mp.exp(z))) / mp.beta(a, b)

        far, peak = [mp.mpf(k) for k in (5, 20, 60)], mp.log(a / b)
        inside = sorted(p for p in (peak, peak - 0.2, peak + 0.2, *far) if p > t)
        first = mp.quad(lambda z: density(z) * mp.expj(-w * mp.log1p(mp.exp(-z))), [t, *inside])
        first += mp.betainc(b, a, 0, 1 / (1 + mp.exp(inside[-1])), regularized=True)
        inside = sorted(p for p in (peak, peak - 0.2, peak + 0.2, *(-f for f in far)) if p < t)
        second = mp.quad(lambda z: density(z) * mp.expj(-w * mp.log1p(mp.exp(z))), [*inside, t])
        second += mp.betainc(a, b, 0, 1 / (1 + mp.exp(-inside[0])), regularized=True)
        return complex(first), complex(second)


@pytest.mark.parametrize(("a", "b"), few_quick(SHAPES, 2, several=True))
def test_transforms_against_mpmath(a: float, b: float) -> None:
    t = np.linspace(-1.4, 1.4, 41)
    found = truncated_log_cells(a, b, t, 3.0, 5, 8)
    for k, j in ((0, 4), (13, 1), (40, 0)):
        expected = by_mpmath(a, b, float(t[k]), 3.0 * j)
        np.testing.assert_allclose(found[:, k, j], expected, atol=1e-11)


shapes = st.floats(-8.0, 6.0).map(lambda x: 10.0**x)


@given(shapes, shapes, st.floats(-3.0, 3.0), st.floats(0.1, 4.0))
def test_at_frequency_zero_they_are_probabilities(a: float, b: float, t: float, gap: float) -> None:
    thresholds = t + gap * np.arange(3)
    found = truncated_log_cells(a, b, thresholds, 5.0, 3, 8)
    above = betainc(b, a, expit(-thresholds))
    np.testing.assert_allclose(found[0, :, 0].real, above, atol=1e-9)
    np.testing.assert_allclose(found[:, :, 0].sum(axis=0), 1.0, atol=1e-12)
    assert (np.abs(found) <= 1.0 + 1e-9).all()


@given(shapes, shapes)
def test_exchanging_the_cells_mirrors_the_transforms(a: float, b: float) -> None:
    t = np.linspace(-1.0, 2.0, 7)
    one, two = (truncated_log_cells(*s, 2.0, 4, 8) for s in ((a, b, t), (b, a, -t[::-1])))
    np.testing.assert_allclose(one, two[::-1, ::-1], atol=1e-9)


@given(shapes, shapes)
def test_the_range_has_the_mass(a: float, b: float) -> None:
    low, high = log_odds_range(a, b)
    beyond = betainc(a, b, expit(low)), betainc(b, a, expit(-high))
    assert -40.0 <= low < high <= 40.0
    for end, mass in zip((-low, high), beyond, strict=True):
        assert mass < 1e-14 or end == 40.0
