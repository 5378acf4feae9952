"""Cells of normal and t distributions against mpmath, scipy, closed orthants and Monte Carlo."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, owens_t
from scipy.stats import multivariate_t

from bayescompare.kernels.numerics.boxes import bivariate_box, trivariate_box, trivariate_cdf
from bayescompare.kernels.numerics.cells import normal_cells, student_cells
from tests.cases import few_quick
from tests.oracles.replicated import orthant_of_three

ANY = np.random.default_rng(0)


def covariance(m: int, seed: int) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(m, m + 1))
    return a @ a.T


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.7, 0.91, 0.999, -0.9999, 0.999999])
def test_two_variables_by_owens_t(rho: float) -> None:
    root = math.sqrt(1.0 - rho * rho)
    for h, k in np.random.default_rng(1).normal(size=(20, 2)) * 2.0:
        expected = 0.5 * (ndtr(h) + ndtr(k)) - (0.5 if h * k < 0 else 0.0)
        expected -= owens_t(h, (k - rho * h) / (h * root)) + owens_t(k, (h - rho * k) / (k * root))
        low, high = np.full((1, 2), -np.inf), np.array([[h, k]])
        assert bivariate_box(low, high, np.array([rho]))[0] == pytest.approx(expected, abs=1e-14)


def test_small_boxes_keep_their_digits() -> None:
    low, high = np.array([[7.0, 6.0]]), np.array([[np.inf, 6.5]])
    expected = ndtr(-7.0) * (ndtr(-6.0) - ndtr(-6.5))
    assert bivariate_box(low, high, np.zeros(1))[0] == pytest.approx(expected, rel=1e-10)
    three = trivariate_box(np.full((1, 3), 5.0), np.full((1, 3), np.inf), np.eye(3)[None])
    assert three[0] == pytest.approx(ndtr(-5.0) ** 3, rel=1e-10)


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.95])
def test_cells_of_two_variables_are_boxes_small_or_not(rho: float) -> None:
    """Differences of Φ₂ where a cell is large, the box itself where it is small."""
    mean = np.array([[0.3, -0.2], [7.0, -6.0], [-3.0, 9.0]])
    edges = np.tile([[-0.5, 0.5]], (3, 1)), np.zeros((3, 1))
    square = np.tile([[1.0, rho], [rho, 1.0]], (3, 1, 1))
    cells, _ = normal_cells(mean, square, edges, ANY)
    ends = [np.inf, 0.5, -0.5, -np.inf], [np.inf, 0.0, -np.inf]
    for k, (a, b) in enumerate((a, b) for a in range(3) for b in range(2)):
        high, low = np.array([ends[0][a], ends[1][b]]), np.array([ends[0][a + 1], ends[1][b + 1]])
        expected = bivariate_box(low - mean, high - mean, np.full(3, rho))
        np.testing.assert_allclose(cells[:, k], expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("seed", [0, 1])
def test_three_variables_by_nested_integrals(seed: int) -> None:
    square = covariance(3, seed)
    mean = np.random.default_rng(seed).normal(size=3)
    zero = np.zeros((1, 1))
    cells, error = normal_cells(mean[None], square[None], (zero,) * 3, ANY)
    assert cells[0, 0] == pytest.approx(orthant_of_three(mean, square), abs=1e-9)
    assert (error == 0.0).all()
    sd = np.sqrt(np.diag(square))
    centred = trivariate_cdf(np.zeros((1, 3)), (square / np.outer(sd, sd))[None])
    r = square / np.outer(sd, sd)
    closed = 0.125 + (math.asin(r[0, 1]) + math.asin(r[0, 2]) + math.asin(r[1, 2])) / (4 * math.pi)
    assert centred[0] == pytest.approx(closed, abs=1e-14)


@pytest.mark.parametrize("dof", few_quick([1.0, 30.0, 4.0], 2))
@pytest.mark.parametrize("m", [2, 3])
def test_student_orthants_by_scipy(m: int, dof: float) -> None:
    square, mean = covariance(m, 5), np.random.default_rng(6).normal(size=m)
    zero = np.zeros((1, 1))
    cells, _ = student_cells(np.array([dof]), mean[None], square[None], (zero,) * m, ANY)
    expected = multivariate_t(-mean, square, df=dof).cdf(
        np.zeros(m), maxpts=200_000, random_state=1
    )
    assert cells[0, 0] == pytest.approx(expected, abs=3e-5)
    assert cells.sum() == pytest.approx(1.0, abs=1e-13)


def test_one_variable_is_students_t() -> None:
    from scipy.stats import t

    edges = np.array([[-0.5, 0.5]])
    cells, _ = student_cells(np.array([3.0]), np.array([[0.2]]), np.array([[[4.0]]]), (edges,), ANY)
    own = t(3, loc=0.2, scale=2.0)
    expected = [own.sf(0.5), own.cdf(0.5) - own.cdf(-0.5), own.cdf(-0.5)]
    np.testing.assert_allclose(cells[0], expected, atol=1e-14)


@pytest.mark.parametrize("dof", [None, 4.0])
def test_from_four_variables_on_the_error_is_stated(dof: float | None) -> None:
    """Independent variables have products, and the stated errors hold them."""
    mean, edges = np.array([[0.3, -0.2, 0.5, 0.0]]), (np.zeros((1, 1)),) * 4
    if dof is None:
        cells, error = normal_cells(mean, np.eye(4)[None], edges, np.random.default_rng(3))
        up = ndtr(mean[0])
        expected = np.ones(1)
        for p in up:
            expected = np.outer(expected, [p, 1.0 - p]).ravel()
    else:
        cells, error = student_cells(
            np.array([dof]), mean, np.eye(4)[None], edges, np.random.default_rng(3)
        )
        rng = np.random.default_rng(4)
        x = rng.normal(size=(400_000, 4)) * np.sqrt(dof / rng.chisquare(dof, (400_000, 1))) + mean
        code = (x < 0.0) @ np.array([8, 4, 2, 1])
        expected = np.bincount(code, minlength=16) / len(x)
    assert 0.0 < error.max() < 2e-3
    assert (np.abs(cells[0] - expected) < 5.0 * np.hypot(error[0], 5e-4)).all()


def test_mirrored_and_scaled() -> None:
    """The cells of −X are those of X read backwards; a common factor changes nothing."""
    square, mean = covariance(3, 9)[None], np.array([[0.4, -1.0, 0.2]])
    edges = (np.array([[-0.3, 0.3]]), np.zeros((1, 1)), np.array([[-0.1, 0.1]]))
    cells, _ = normal_cells(mean, square, edges, ANY)
    mirrored, _ = normal_cells(-mean, square, edges, ANY)
    scaled, _ = normal_cells(3.0 * mean, 9.0 * square, tuple(3.0 * e for e in edges), ANY)
    np.testing.assert_allclose(mirrored[0, ::-1], cells[0], atol=1e-13)
    np.testing.assert_allclose(scaled, cells, atol=1e-13)


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("dof", [2.5, 5.0, 8.0, 24.0, 300.0])
def test_the_quick_rule_is_near_the_full_one(m: int, dof: float) -> None:
    rng = np.random.default_rng(3)
    n = 12 if m == 2 else 3
    root = rng.normal(size=(n, m, m))
    square = root @ root.transpose(0, 2, 1) + np.eye(m)
    mean = rng.normal(size=(n, m)) * np.geomspace(0.1, 20.0, n)[:, None]
    edges = (np.tile([[-0.3, 0.3]], (n, 1)), *[np.zeros((n, 1))] * (m - 1))
    part = np.full(n, dof), mean, square, edges, rng
    full, quick = student_cells(*part)[0], student_cells(*part, quick=True)[0]
    np.testing.assert_allclose(quick, full, atol=1e-7)
