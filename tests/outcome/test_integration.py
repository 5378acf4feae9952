"""Latents of each dataset are integrated out: against closed forms, and what that does to k-hat."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytest
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare.outcome.integration import IntegratedLikelihood, check_integration_latents
from bayescompare.table.results import Results
from tests.tables import table

DATASETS = [f"d{i}" for i in range(6)]
RNG = np.random.default_rng(1)
SEEN = RNG.normal(0.5, 1.2, size=6)
COUNTS = np.array([0, 3, 1, 12, 4, 2])


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Small graphs at few draws: compiling them well would take longest."""
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield


def posterior(**draws: np.ndarray) -> xr.Dataset:
    """Draws of one chain, the dim dataset where there is a second axis."""
    dims = ("dataset", "part")
    variables = {
        name: (("chain", "draw", *dims[: values.ndim - 1]), values[None])
        for name, values in draws.items()
    }
    n = len(next(iter(draws.values())))
    return xr.Dataset(variables, {"chain": [0], "draw": np.arange(n)})


def effects() -> tuple[pm.Model, xr.Dataset, np.ndarray]:
    """y_i ~ N(μ + τ z_i, 0.5), z_i ~ N(0, 1): without z a normal of variance τ² + ¼."""
    with pm.Model(coords={"dataset": DATASETS}) as model:
        mu, tau = pm.Normal("mu"), pm.HalfNormal("tau")
        z = pm.Normal("z", dims="dataset")
        pm.Normal("y", mu + tau * z, 0.5, observed=SEEN, dims="dataset")
    mu_s, tau_s = RNG.normal(0.5, 0.3, 30), RNG.uniform(0.6, 2.0, 30)
    precision = 1.0 + tau_s**2 / 0.25
    mean = (tau_s / 0.25)[:, None] * (SEEN - mu_s[:, None]) / precision[:, None]
    z_s = mean + RNG.normal(size=(30, 6)) / np.sqrt(precision)[:, None]
    exact = stats.norm.logpdf(SEEN, mu_s[:, None], np.sqrt(tau_s**2 + 0.25)[:, None])
    return model, posterior(mu=mu_s, tau=tau_s, z=z_s), exact


def rates() -> tuple[pm.Model, xr.Dataset, np.ndarray]:
    """y_i ~ Poisson(u_i), u_i ~ Gamma(a, 1): without u a negative binomial."""
    with pm.Model(coords={"dataset": DATASETS}) as model:
        a = pm.Exponential("a", 1.0)
        u = pm.Gamma("u", a, 1.0, dims="dataset")
        pm.Poisson("y", u, observed=COUNTS, dims="dataset")
    a_s = RNG.uniform(0.5, 4.0, 30)
    u_s = RNG.gamma(a_s[:, None] + COUNTS, 0.5)
    exact = stats.nbinom.logpmf(COUNTS, a_s[:, None], 0.5)
    return model, posterior(a=a_s, u=u_s), exact


def pairs_of_effects() -> tuple[pm.Model, xr.Dataset, np.ndarray]:
    """Two latents of each dataset, of which the sum is seen."""
    coords = {"dataset": DATASETS, "part": ["one", "two"]}
    with pm.Model(coords=coords) as model:
        mu = pm.Normal("mu")
        z = pm.Normal("z", dims=("dataset", "part"))
        pm.Normal("y", mu + z.sum(axis=1), 0.5, observed=SEEN, dims="dataset")
    mu_s = RNG.normal(0.5, 0.3, 200)
    shift = (SEEN - mu_s[:, None]) / (2.0 + 0.25)
    root = np.linalg.cholesky(np.linalg.inv(np.eye(2) + 4.0))
    z_s = shift[..., None] + RNG.normal(size=(200, 6, 2)) @ root.T
    exact = stats.norm.logpdf(SEEN, mu_s[:, None], np.sqrt(2.25))
    return model, posterior(mu=mu_s, z=z_s), exact


@pytest.mark.parametrize(
    ("made", "latent", "atol"),
    [(effects, "z", 1e-4), (rates, "u", 1e-4), (pairs_of_effects, "z", 0.02)],
)
def test_what_is_left_is_the_closed_density(made: Any, latent: str, atol: float) -> None:
    model, draws, exact = made()
    likelihood = IntegratedLikelihood(model, (latent,), draws)(draws)
    assert likelihood.dims == ("chain", "draw", "dataset")
    assert likelihood["dataset"].values.tolist() == DATASETS
    np.testing.assert_allclose(likelihood.values[0], exact, atol=atol)


def test_other_draws_take_the_points_of_those_fitted() -> None:
    """A refit without a dataset has its latent from the prior, far from where its data are."""
    model, draws, exact = effects()
    fitted = IntegratedLikelihood(model, ("z",), draws)
    prior = draws.assign(z=draws["z"] * 0.0 - 7.0)
    np.testing.assert_allclose(fitted(prior).values[0], exact, atol=1e-4)


def test_latents_that_datasets_share_are_refused() -> None:
    with pm.Model(coords={"dataset": DATASETS}) as model:
        z = pm.Normal("z", dims="dataset")
        pm.Normal("y", z.mean(), 1.0, observed=SEEN, dims="dataset")
    draws = posterior(z=RNG.normal(size=(30, 6)))
    with pytest.raises(bc.BayescompareError, match=r"LATENT=z: the likelihood of .* depends"):
        IntegratedLikelihood(model, ("z",), draws)(draws)


def test_a_density_that_is_no_product_is_refused() -> None:
    with pm.Model(coords={"dataset": DATASETS}) as model:
        z = pm.ZeroSumNormal("z", dims="dataset")
        pm.Normal("y", z, 1.0, observed=SEEN, dims="dataset")
    draws = posterior(z=RNG.normal(size=(30, 6)))
    with pytest.raises(bc.BayescompareError, match="not a product over datasets"):
        IntegratedLikelihood(model, ("z",), draws)(draws)


def test_names_are_checked_against_the_model() -> None:
    model, _, _ = effects()
    with pytest.raises(bc.BayescompareError, match=r"LATENT='w': .* it has mu, tau and z"):
        check_integration_latents(("w",), model)
    with pytest.raises(bc.BayescompareError, match=r"LATENT='mu': its dims are none"):
        check_integration_latents(("mu",), model)
    check_integration_latents(("z",), model)


# ------------------------------------------------------------------------------- in a model file


def differences(results: Results) -> pm.Model:
    """Each dataset has its own advantage, a normal one, seen with an error of 0.3."""
    seen = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    coords = {"dataset": results.datasets, "algorithm": results.algorithms}
    with pm.Model(coords=coords) as model:
        mu, tau = pm.Normal("mu", 0.0, 2.0), pm.HalfNormal("tau", 2.0)
        z = pm.Normal("z", dims="dataset")
        pm.Deterministic("strength", pm.math.stack([mu, -mu]), dims="algorithm")
        pm.Normal("y", mu + tau * z, 0.3, observed=seen, dims="dataset")
    return model


def integrated(results: Results) -> pm.Model:
    return differences(results)


integrated.LATENT = "z"  # type: ignore[attr-defined]


def by_hand(results: Results) -> pm.Model:
    return differences(results)


def _closed(posterior: xr.Dataset, results: Results) -> xr.DataArray:
    seen = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    spread = np.sqrt(posterior["tau"] ** 2 + 0.09)
    data = xr.DataArray(seen, {"dataset": list(results.datasets)}, "dataset")
    mean = posterior["mu"]
    logs = -0.5 * ((data - mean) / spread) ** 2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
    return logs.transpose("dataset", "chain", "draw")


by_hand.log_likelihood = _closed  # type: ignore[attr-defined]


def advantages() -> Results:
    x = np.random.default_rng(0).normal(0.5, 1.0, size=15)
    return table(np.stack([x, 0.0 * x], axis=1)[:, :, None])


@pytest.mark.slow
def test_k_hat_before_and_after() -> None:
    """Given its own latent a dataset cannot be left out; the elpd was 9 nats too high."""
    sampler = {"draws": 1000, "chains": 4, "cores": 1, "progressbar": False}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        loos = {
            build.__name__: bc.compare(advantages(), method=build, rng=1, sampler=sampler).loo()
            for build in (differences, integrated, by_hand)
        }
    for name, loo in loos.items():
        print(f"{name:12} elpd {loo.elpd:.2f}, k-hat {np.sort(loo.pareto_k.values).round(2)}")
    assert loos["differences"].pareto_k.max() > 0.9
    assert loos["integrated"].pareto_k.max() < 0.7
    assert loos["by_hand"].pareto_k.max() < 0.7
    np.testing.assert_allclose(
        loos["integrated"].elpd_i.values, loos["by_hand"].elpd_i.values, atol=0.01
    )
    assert loos["differences"].elpd - loos["by_hand"].elpd > 5.0


def outlying(k: int = 3) -> Results:
    """Three replicates of each of twelve datasets, two of them far from the rest."""
    import pandas as pd

    rng = np.random.default_rng(0)
    delta = rng.standard_t(4, size=12) * 0.02 + 0.01
    delta[[3, 7]] = 0.3, -0.2
    rows = [
        {
            "dataset": f"d{i}",
            "algorithm": name,
            "fold": r,
            "acc": 0.8 + (delta[i] + rng.normal() * 0.03 if name == "A" else 0.0),
        }
        for i in range(12)
        for name in "AB"
        for r in range(k)
    ]
    return bc.Results.from_frame(
        pd.DataFrame(rows), replicate="fold", measures={"acc": bc.Measure("max", rope=0.01)}
    )


@pytest.mark.slow
def test_the_hierarchical_t_test_leaves_datasets_out() -> None:
    """Its precisions u are latents of each dataset; with them k-hat reached 1.06."""
    sampler = {"draws": 500, "chains": 4, "cores": 1, "progressbar": False}
    c = bc.compare(outlying(), method="hierarchical_t", rng=1, sampler=sampler)
    after = c.loo()
    conditional = c.tree.copy(deep=False)
    pm.compute_log_likelihood(conditional, model=c.model(), progressbar=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        before = c.loo(conditional)
    print(f"before: elpd {before.elpd:.2f}, greatest k-hat {before.pareto_k.max().item():.2f}")
    print(f"after:  elpd {after.elpd:.2f}, greatest k-hat {after.pareto_k.max().item():.2f}")
    assert before.pareto_k.max() > 0.8
    assert after.pareto_k.max() < 0.5
    assert before.elpd - after.elpd > 1.0
