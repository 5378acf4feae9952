"""Where log ratios lie, against draws, and averages over a grid, against their integrals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from bayescompare.kernels.network.ratio_grid import RatioGrid, ratio_range, sum_ratio_ranges


@given(st.integers(0, 2**32 - 1), st.floats(-3.0, 3.0), st.floats(0.0, 4.0))
def test_no_drawn_ratio_is_outside(seed: int, low: float, width: float) -> None:
    rng = np.random.default_rng(seed)
    rows = 10.0 ** rng.uniform(-2, 4, (2, 2))
    least, most = ratio_range(rows, low, low + width)
    c = rng.uniform(low, low + width, 2000)
    p = rng.beta(*rows.T[:, :, None], size=(2, 2000)).clip(1e-300, 1 - 1e-16)
    message = np.maximum(np.log(p) + c, np.log1p(-p))
    ratio = message[0] - message[1]
    assert (ratio >= least - 1e-12).all()
    assert (ratio <= most + 1e-12).all()


def test_large_counts_make_the_range_narrow() -> None:
    low, high = ratio_range(np.full((2, 2), 1e8), 0.0, 0.0)
    assert -0.01 < low < high < 0.01
    assert sum_ratio_ranges([(low, high), (1.0, 2.0)]) == (1.0 + low, 2.0 + high)
    assert sum_ratio_ranges([]) == (0.0, 0.0)


@pytest.mark.parametrize(("low", "high"), [(-0.7, 0.7), (0.3, 0.31), (-4.0, 9.0)])
def test_an_average_over_the_grid_is_the_integral(low: float, high: float) -> None:
    """C uniform on the interval: a density with jumps at both of its ends."""
    grid = RatioGrid.over(low, high, 5.0, 1.0)
    w = grid.step * np.arange(grid.count)
    law = np.sinc(w * 0.5 * (high - low) / np.pi)
    masses = grid.masses(law[None])[0]
    points = grid.points
    assert points[0] == pytest.approx(grid.centre - (high - low))
    for h, primitive in (
        (expit, lambda x: np.logaddexp(0.0, x)),
        (np.cos, np.sin),
        (np.ones_like, lambda x: x),
    ):
        found = float((h(points) * grid.window) @ masses)
        assert found == pytest.approx((primitive(high) - primitive(low)) / (high - low), abs=1e-10)
