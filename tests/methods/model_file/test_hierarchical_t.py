"""The hierarchical t-test with its published priors: against full matrices, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.cases import few_quick
from tests.methods.model_file import simulated
from tests.methods.model_file.test_bundled import crossvalidated, evaluate, function_of
from tests.oracles import hierarchical

PRIORS = ("corani2017", "benavoli2017")
ROPE = 0.01
SEEN = function_of("hierarchical_t", "seen")


def of_folds(x: np.ndarray, rope: float | None = ROPE, direction: str = "max") -> bc.Results:
    """Results whose differences, first less second, are x by dataset and fold."""
    n, k = x.shape
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(n)], ["A", "B"], range(k)], names=["dataset", "algorithm", "fold"]
    )
    values = np.stack([x, np.zeros_like(x)], axis=1)
    frame = pd.DataFrame({"accuracy": values.ravel()}, index=index).reset_index()
    measures = {"accuracy": bc.Measure(direction, rope=rope)}  # type: ignore[arg-type]
    return bc.Results.from_frame(frame, replicate="fold", measures=measures)


def drawn_folds(n: int, k: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    delta = 0.01 + 0.02 * rng.standard_t(3, size=(n, 1))
    return delta + 0.03 * rng.normal(size=(n, k))


# the likelihood -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "folds"), few_quick([(5, 5), (12, 4), (30, 10)], 2, several=True))
def test_mean_and_deviation_say_all_that_the_folds_do(k: int, folds: int) -> None:
    """Log likelihood ratios of populations, by the model and by the folds' whole covariance."""
    x = drawn_folds(1, k)[0]
    mean, error, freedom, _ = SEEN(of_folds(x[None]), folds, "corani2017")
    mixture = function_of("hierarchical_t", "mixture")

    def by_the_model(delta0: float, sigma0: float, nu: float) -> float:
        def integrand(u: float) -> float:
            at = (np.array(v) for v in (mean[0], delta0, sigma0, nu, error[0] / math.sqrt(u)))
            log_density = np.logaddexp.reduce(mixture(*at))
            return float(
                np.exp(log_density) * stats.gamma.pdf(u, freedom[0] / 2, scale=2 / freedom[0])
            )

        return math.log(integrate.quad(integrand, 0, 40, limit=400, epsabs=0, epsrel=1e-10)[0])

    populations = [(0.0, 0.02, 3.0), (0.05, 0.004, 1.5), (-0.03, 0.1, 40.0)]
    found = [by_the_model(*each) for each in populations]
    widest = 1000.0 * float(x.std(ddof=1))
    expected = [
        hierarchical.log_dataset_density(x, *each, 1 / folds, widest) for each in populations
    ]
    np.testing.assert_allclose(np.diff(found), np.diff(expected), rtol=0, atol=2e-5)


@pytest.mark.parametrize(("k", "name"), [(2, None), (3, None), (6, "corani2017")])
def test_a_dataset_is_left_out_without_its_precision(k: int, name: str | None) -> None:
    """Its log likelihood is that of a sum of two Student-t, by quadrature."""
    x, rng = drawn_folds(6, k, seed=k), np.random.default_rng(k)
    x[0] += 0.4
    mean, error, freedom, unit = SEEN(of_folds(x), None, name)
    nu, spread, centre = (
        1 + rng.gamma(1.5, 3.0, 5),
        np.exp(rng.normal(-1, 1, 5)),
        rng.normal(size=5),
    )
    dims = ("chain", "draw")
    posterior = xr.Dataset(
        {
            "nu": (dims, nu[None]),
            "sigma0": (dims, spread[None]),
            "difference": (dims, 0.3 * unit * centre[None]),
            "u": ((*dims, "dataset"), np.ones((1, 5, 6))),
        },
        {"dataset": [f"d{i}" for i in range(6)]},
    )
    found = function_of("hierarchical_t", "log_likelihood")(posterior, of_folds(x), None, name)
    for s, i in np.ndindex(5, 6):
        population = stats.t(nu[s], 0.3 * unit * centre[s], unit * spread[s])
        ends = sorted([0.3 * unit * centre[s], mean[i]])

        def density(delta: float, i: int = i, population: Any = population) -> float:
            return float(population.pdf(delta) * stats.t.pdf(delta, freedom[i], mean[i], error[i]))

        parts = ((-np.inf, ends[0]), tuple(ends), (ends[1], np.inf))
        exact = sum(
            integrate.quad(density, *part, epsabs=0, epsrel=1e-10, limit=300)[0] for part in parts
        )
        assert float(found[0, s, i]) == pytest.approx(math.log(exact), abs=1e-4)


@settings(max_examples=20)
@given(
    scale=st.floats(1e-3, 1e3),
    seed=st.integers(0, 1000),
    k=st.integers(3, 15),
    name=st.sampled_from([None, *PRIORS]),
)
def test_units_and_the_order_of_the_algorithms_do_not_matter(
    scale: float, seed: int, k: int, name: str | None
) -> None:
    """Multiplied measures have multiplied figures; swapped algorithms have turned ones."""
    x = drawn_folds(4, k, seed)
    mean, error, freedom, unit = SEEN(of_folds(x), None, name)
    large = SEEN(of_folds(scale * x, rope=scale * ROPE), None, name)
    for old, new in zip((mean, error, unit), (large[0], large[1], large[3]), strict=True):
        np.testing.assert_allclose(new, scale * old)
    np.testing.assert_array_equal(large[2], freedom)
    turned = SEEN(of_folds(x, direction="min"), None, name)
    np.testing.assert_allclose(turned[0], -mean)
    np.testing.assert_allclose(turned[1], error)


# the priors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "alpha", "beta"),
    [("corani2017", (0.5, 5.0), (0.05, 0.15)), ("benavoli2017", (1.0, 2.0), (0.01, 0.1))],
)
def test_the_published_priors(
    name: str, alpha: tuple[float, float], beta: tuple[float, float]
) -> None:
    x = drawn_folds(5, 6)
    model = ModelFile("hierarchical_t", priors={"priors_of": name}).model(of_folds(x))
    v, prior, _ = evaluate(model)
    mean = x.mean(axis=1)
    unit = math.sqrt((mean**2).mean())
    expected = -math.log(2 * np.abs(x).max() / unit)
    expected -= math.log(1000 * mean.std(ddof=1) / unit)
    expected += stats.gamma.logpdf(v["nu_minus_one"], v["alpha"], scale=1 / v["beta"])
    expected -= math.log(np.ptp(alpha)) + math.log(np.ptp(beta))
    expected += stats.gamma.logpdf(v["u"], 4 / 2, scale=2 / 4).sum()
    assert prior == pytest.approx(float(expected))
    assert alpha[0] < v["alpha"] < alpha[1]
    assert beta[0] < v["beta"] < beta[1]
    assert v["nu"] == pytest.approx(1 + v["nu_minus_one"])


def test_one_of_the_published_priors_is_replaced_and_the_others_stay() -> None:
    priors = {"priors_of": "corani2017", "nu_minus_one": pm.Gamma.dist(2.0, 0.1), "delta0": 0.5}
    model = ModelFile("hierarchical_t", priors=priors).model(crossvalidated())
    assert sorted(rv.name for rv in model.free_RVs) == ["nu_minus_one", "sigma0", "u"]
    assert model["sigma0"].owner.op.name == "uniform"


def test_folds_that_do_not_vary_have_the_published_noise() -> None:
    x = drawn_folds(3, 10)
    x[1] = 0.02
    _, error, _, _ = SEEN(of_folds(x), None, "corani2017")
    # The variance of a uniform in ±rope, of ten values that are mirrored in pairs.
    rng = np.random.default_rng(1)
    half = rng.uniform(-ROPE, ROPE, size=(200_000, 5))
    variance = np.concatenate([half, -half], axis=1).var(axis=1, ddof=1).mean()
    factor = (1 / 10 + 0.1 / 0.9) * 9 / 8
    assert error[1] == pytest.approx(math.sqrt(variance * factor), rel=1e-3)
    # Without a rope the published code has no noise to add, and this model's own rule holds.
    _, without, _, _ = SEEN(of_folds(x, None), None, "corani2017")
    assert 0 < without[1] < error[1]


BAD: list[tuple[np.ndarray, dict[str, Any], str]] = [
    (drawn_folds(3, 5), {"priors_of": "corani"}, "there are corani2017 and benavoli2017"),
    (drawn_folds(3, 5), {"priors_of": 2017}, "priors_of=2017"),
    (
        drawn_folds(3, 2),
        {"priors_of": "corani2017"},
        "three replicates on each dataset, and d0 has 2",
    ),
    (drawn_folds(3, 30), {"priors_of": "corani2017"}, "folds is missing"),
    (drawn_folds(3, 30), {}, "folds is missing: with 30 replicates"),
    (np.full((3, 5), 0.1), {"priors_of": "corani2017"}, "no difference varies"),
]


@pytest.mark.parametrize(("x", "priors", "words"), BAD)
def test_bad_input_is_told_in_one_line(x: np.ndarray, priors: dict[str, Any], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=r"hierarchical_t\.py") as caught:
        bc.compare(of_folds(x), method=ModelFile("hierarchical_t", priors=priors))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# sampled ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "alpha", "beta"), [("corani2017", (0.5, 5.0), (0.05, 0.15))])
def test_nuts_agrees_with_the_grid(
    name: str, alpha: tuple[float, float], beta: tuple[float, float]
) -> None:
    x = drawn_folds(8, 6, seed=4)
    priors = {"priors_of": name}
    c = bc.compare(
        of_folds(x),
        method=ModelFile("hierarchical_t", priors=priors),
        rng=3,
        sampler={"draws": 3000, "cores": 2, "progressbar": False, "target_accept": 0.95},
    )
    figures = c.diagnose().figures
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.01
    expected = hierarchical.region_probabilities(x, 1 / 6, ROPE, alpha, beta)
    found = c.summary().loc[["A>B", "A=B", "B>A"]]
    far = np.abs(found["probability"] - expected) / found["mcse"]
    assert far.max() < 4, f"{found}\n{expected}"


@pytest.mark.slow
def test_the_shrunken_differences_take_the_published_priors() -> None:
    """`delta` must read the same errors as the model that was sampled.

    Given the population, δ_i has density ∝ t_ν(δ_i; δ0, σ0) t_f(x̄_i; δ_i, error_i): on a grid here,
    for every draw of the population.
    """
    delta = 0.02 + 0.015 * np.random.default_rng(7).standard_t(5, size=20)
    results = simulated.folds(delta, 10, 0.02, 8, rope=ROPE)
    method = ModelFile("hierarchical_t", priors={"priors_of": "corani2017"})
    c = bc.compare(results, method=method, rng=1, sampler={"progressbar": False, "cores": 2})
    posterior = c.tree["posterior"].to_dataset()
    draw = function_of("hierarchical_t", "delta")
    drawn = draw(posterior, results, priors_of="corani2017", rng=0)
    cells = results.data["accuracy"].transpose("dataset", "algorithm", "replicate").values
    x = cells[:, 0] - cells[:, 1]
    unit = np.sqrt(np.mean(x.mean(axis=1) ** 2))
    # Nine degrees of freedom and s_i under 1/σ_i; under a flat prior eight, and a larger scale.
    error = x.std(axis=1, ddof=1) * np.sqrt((1 / 10 + 1 / 9) * 9 / 8)
    grid = np.linspace(-0.15, 0.25, 801)
    likelihood = stats.t.pdf(x.mean(axis=1)[:, None], 8, grid, error[:, None])
    population = stats.t.pdf(
        grid,
        *(
            posterior[name].values.reshape(-1, 1) * scale
            for name, scale in (("nu", 1.0), ("difference", 1.0), ("sigma0", unit))
        ),
    )
    moments = np.stack([np.ones_like(grid), grid, grid**2], axis=1)
    # (draw, dataset, moment), then the mean over the draws.
    mass = np.einsum("sg,ig,gm->sim", population, likelihood, moments, optimize=True)
    first, second = (mass[..., 1:] / mass[..., :1]).mean(axis=0).T
    error_of_mean = az.mcse(drawn, method="mean").values
    assert np.abs((drawn.mean(("chain", "draw")).values - first) / error_of_mean).max() < 4.5
    spread = drawn.std(("chain", "draw")).values
    ratio = spread / np.sqrt(second - first**2)
    # Nine degrees of freedom, or the smaller scale, would make it 3 to 6 % smaller.
    assert abs(float(ratio.mean()) - 1.0) < 0.01
