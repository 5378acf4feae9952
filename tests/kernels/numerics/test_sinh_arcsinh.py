"""The skewed proposal: a density that integrates to one, and that fits what it was fitted to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from bayescompare.kernels.numerics.bridge import SinhArcsinh, fit_sinh_arcsinh

RNG = np.random.default_rng(1)
#: Draws with skewness, with heavy tails, with light tails, and normal ones.
SHAPES = {
    "log exponential": np.log(RNG.exponential(size=4000)),
    "log gamma 5": np.log(RNG.gamma(5.0, size=4000)),
    "student 4": 3.0 + 2.0 * RNG.standard_t(4, size=4000),
    "logit uniform": np.log(1.0 / RNG.random(4000) - 1.0),
    "normal": RNG.normal(-7.0, 1e-3, size=4000),
}
TRUE = {
    "log exponential": lambda x: x - np.exp(x),
    "log gamma 5": lambda x: 5.0 * x - np.exp(x) - math.lgamma(5.0),
    "student 4": lambda x: stats.t.logpdf((x - 3.0) / 2.0, 4) - math.log(2.0),
    "logit uniform": stats.logistic.logpdf,
    "normal": lambda x: stats.norm.logpdf(x, -7.0, 1e-3),
}


@pytest.mark.parametrize("name", SHAPES)
def test_it_loses_much_less_than_a_normal(name: str) -> None:
    """Nats by which new draws are less probable than under their own distribution."""
    fitted, new = SHAPES[name][::2], SHAPES[name][1::2]
    normal = stats.norm.logpdf(new, fitted.mean(), fitted.std())
    skewed = fit_sinh_arcsinh(fitted[:, None]).log_density(new[:, None])
    true = TRUE[name](new)
    lost, plain = (float((true - logs).mean()) for logs in (skewed, normal))
    print(f"{name:16} normal {plain:.4f}, sinh-arcsinh {lost:.4f}")
    assert lost < max(0.25 * plain, 0.003)


def test_the_density_integrates_to_one() -> None:
    for name, x in SHAPES.items():
        fit = fit_sinh_arcsinh(x[:1000, None])
        low, high = (x.mean() + sign * 60.0 * x.std() for sign in (-1, 1))
        total, _ = quad(
            lambda v, fit=fit: math.exp(fit.log_density(np.array([[v]]))[0]),
            low,
            high,
            points=[x.mean() - x.std(), x.mean(), x.mean() + x.std()],
            limit=400,
        )
        assert total == pytest.approx(1.0, abs=2e-4), name


@settings(max_examples=20)
@given(
    st.integers(1, 4),
    st.lists(st.floats(-1.0, 1.0), min_size=16, max_size=16),
    st.integers(0, 2**32 - 1),
)
def test_draws_have_the_density(d: int, numbers: list[float], seed: int) -> None:
    """E[f/q] over draws of q is ∫ f for any density f: here a normal within q's bulk."""
    rng = np.random.default_rng(seed)
    shape = 0.3 * np.reshape(numbers, (4, 4))[:d]
    root = np.linalg.cholesky(0.5 * np.eye(d) + 0.5)
    q = SinhArcsinh(np.full(d, 2.0), np.full(d, 3.0), shape, root)
    x = q.draw(20_000, rng)
    centre = x.mean(axis=0)
    f = stats.multivariate_normal(centre, 0.25 * np.diag(np.atleast_1d(x.var(axis=0))))
    ratio = np.exp(f.logpdf(x) - q.log_density(x))
    error = ratio.std() / math.sqrt(len(ratio))
    assert abs(ratio.mean() - 1.0) < 5.0 * error + 1e-3


def test_correlated_coordinates() -> None:
    """Draws of a fitted copula have the correlation of what it was fitted to."""
    rng = np.random.default_rng(3)
    cov = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    x = rng.multivariate_normal(np.zeros(3), cov, size=4000)
    x[:, 0] = np.log(stats.expon.ppf(stats.norm.cdf(x[:, 0])))
    again = fit_sinh_arcsinh(x).draw(20_000, rng)
    before, after = (stats.spearmanr(v).statistic for v in (x, again))
    np.testing.assert_allclose(before, after, atol=0.04)


def test_more_coordinates_than_draws() -> None:
    """The correlation is shrunk until it can be inverted; independent coordinates lose little."""
    rng = np.random.default_rng(4)
    fit = fit_sinh_arcsinh(rng.normal(size=(150, 200)))
    new = rng.normal(size=(500, 200))
    lost = stats.norm.logpdf(new).sum(axis=1) - fit.log_density(new)
    assert np.isfinite(lost).all()
    assert lost.mean() / 200 < 0.05


def test_a_coordinate_that_never_moves() -> None:
    x = np.column_stack([np.ones(300), np.random.default_rng(5).normal(size=300)])
    assert np.isfinite(fit_sinh_arcsinh(x).log_density(x)).all()
