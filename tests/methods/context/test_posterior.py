"""NUTS against the exact paths of the Poisson-binomial and the pooled test; priors of one's own.

Seeds and sampler are fixed. Everything here takes seconds to minutes.
"""

from __future__ import annotations

import math
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Hierarchical, PoissonBinomial
from tests.oracles.context import PAIRS, EveryD, Pooled, better, counts_of

QUIET = {"progressbar": False, "cores": 2}
DRAWS = {"draws": 2000, "chains": 4, "target_accept": 0.95, **QUIET}


def converged(tree: xr.DataTree, names: list[str], *, divergences: int = 0) -> None:
    assert int(tree["sample_stats"]["diverging"].sum()) <= divergences
    data = tree["posterior"].to_dataset()[names]
    assert max(float(v.max()) for v in az.rhat(data).data_vars.values()) < 1.01


def close(draws: Any, expected: float, *, spread: float | None = None) -> None:
    """The mean of autocorrelated draws, within four Monte Carlo standard errors.

    For a share the error follows from its true value: √(p(1 − p)/ESS).
    """
    values = xr.DataArray(np.asarray(draws, dtype=float), dims=("chain", "draw"))
    mean = float(values.mean())
    if float(values.std()) == 0.0:
        size = values.size
    else:
        size = min(float(az.ess(values, method="mean")), values.size)
    sd = float(values.std()) if spread is None else spread
    assert abs(mean - expected) <= 4 * sd / math.sqrt(size) + 1e-12, (mean, expected)


def share_close(draws: Any, p: float) -> None:
    close(draws, p, spread=math.sqrt(p * (1 - p)))


def same_shape(sampled: xr.DataTree, drawn: xr.DataTree) -> None:
    """draws() and sample() have the same groups and variables; sample_stats only from NUTS."""
    assert set(sampled.children) == set(drawn.children) | {"sample_stats"}
    for group in drawn.children:
        one, two = (tree[group].to_dataset() for tree in (sampled, drawn))
        assert {k: v.dims for k, v in one.data_vars.items()} == {
            k: v.dims for k, v in two.data_vars.items()
        }, group
        for name in ("dataset", "outcome"):
            if name in two.coords:
                assert one[name].values.tolist() == two[name].values.tolist(), group


# -------------------------------------------------------------------------------- Poisson-binomial


@pytest.fixture(scope="module")
def joint() -> tuple[Any, xr.DataTree]:
    c = bc.compare(counts_of(PAIRS, n=80), method=PoissonBinomial(joint=True, a=1.5, b=2.0))
    return c, c.sample(rng=1, **DRAWS)


@pytest.mark.slow
def test_the_joint_model_under_nuts(joint: tuple[Any, xr.DataTree]) -> None:
    c, tree = joint
    converged(tree, ["r"])
    same_shape(tree, c.draws(5, chains=1, rng=0))
    posterior = tree["posterior"].to_dataset()
    oracle = EveryD([better(h, g, 1.5) for h, g in PAIRS], 2.0, joint=True)
    r = posterior["r"].values
    share_close(r > 0.5, oracle.first)
    close(r, oracle.mean)
    close((r - oracle.mean) ** 2, oracle.sd**2)
    for level, end in ((0.025, "lower"), (0.975, "upper")):
        share_close(r < c.rate[end], level)


@pytest.mark.slow
def test_a_prior_of_b_is_sampled() -> None:
    """A b that hardly varies around 3 must give what b = 3 gives."""
    priors: dict[str, Any] = {"b": pm.Gamma.dist(mu=3.0, sigma=0.05)}
    counts = counts_of(PAIRS)
    c: Any = bc.compare(
        counts, method=PoissonBinomial(joint=True, priors=priors), rng=3, sampler=DRAWS
    )
    exact: Any = bc.compare(counts, method=PoissonBinomial(joint=True, b=3.0))
    assert not c.exact
    assert int(c.tree["sample_stats"]["diverging"].sum()) == 0
    share_close(c.tree["posterior"]["r"].values > 0.5, float(exact.probability[0]))
    assert float(c.mcse.max()) < 0.03
    assert abs(float(c.probability[0] - exact.probability[0])) < 4 * float(c.mcse[0]) + 1e-3
    np.testing.assert_allclose(
        c.per_dataset["probability"], exact.per_dataset["probability"], atol=0.02
    )
    assert c.rate["mean"] == pytest.approx(exact.rate["mean"], abs=0.02)
    assert "Monte Carlo" in c.explain()
    assert "standard error" in c.explain()
    np.testing.assert_allclose(c.loo().elpd_i, exact.loo().elpd_i, atol=0.05)
    with pytest.raises(BayescompareError, match="sample"):
        c.draws()
    with pytest.raises(BayescompareError, match="log_evidence"):
        _ = c.log_evidence


# ------------------------------------------------------------------------------------------ pooled


@pytest.fixture(scope="module")
def pooled() -> tuple[Any, xr.DataTree]:
    c = bc.compare(counts_of(PAIRS), method="hierarchical")
    return c, c.sample(rng=5, **DRAWS)


def agree(posterior: xr.Dataset, oracle: Pooled) -> None:
    posterior = posterior.transpose("chain", "draw", ...)
    ones = np.ones_like(oracle.weight)
    share_close(posterior["mu"].values < 0.5, oracle.first)
    for name, values in (("mu", oracle.mu * ones), ("rho", oracle.rho * ones), ("q", oracle.q)):
        mean = oracle.mean(values)
        close(posterior[name].values, mean)
        close((posterior[name].values - mean) ** 2, oracle.mean((values - mean) ** 2))
    close(
        posterior["mu"].values * posterior["rho"].values, oracle.mean(oracle.mu * oracle.rho * ones)
    )
    for i in range(len(oracle.pairs)):
        z = posterior["z"].values[..., i]
        close(z, oracle.share(i))
        share_close(z < 0.5, oracle.better(i))


@pytest.mark.slow
def test_the_pooled_model_under_nuts(pooled: tuple[Any, xr.DataTree]) -> None:
    c, tree = pooled
    converged(tree, ["mu", "rho"])
    same_shape(tree, c.draws(5, chains=1, rng=0))
    agree(tree["posterior"].to_dataset(), Pooled(PAIRS))
    np.testing.assert_allclose(c.loo(tree).elpd, c.loo().elpd, atol=0.3)


@pytest.mark.slow
def test_a_hyperprior_goes_to_nuts() -> None:
    """s ~ Gamma(2, 1), μ ~ Beta(s, s): integrate s out for the oracle."""

    def mu_prior(name: str, dims: tuple[str, ...]) -> Any:
        s = pm.Gamma("s", 2.0, 1.0)
        return pm.Beta(name, s, s)

    c: Any = bc.compare(
        counts_of(PAIRS), method=Hierarchical(priors={"mu": mu_prior}), rng=8, sampler=DRAWS
    )
    assert not c.exact
    assert c.mcse is not None
    converged(c.tree, ["mu", "rho", "s"])
    s, w = np.polynomial.laguerre.laggauss(60)

    def mixed(mu: np.ndarray) -> np.ndarray:
        return sum(weight * x * stats.beta.pdf(mu, x, x) for x, weight in zip(s, w, strict=True))  # type: ignore[return-value]

    oracle = Pooled(PAIRS, mu_pdf=mixed)
    agree(c.tree["posterior"].to_dataset(), oracle)
    assert float(c.probability[0]) == pytest.approx(oracle.first, abs=4 * float(c.mcse[0]) + 1e-4)
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        assert row["share"] == pytest.approx(oracle.share(i), abs=0.02)
        assert row["probability"] == pytest.approx(oracle.better(i), abs=0.02)
    assert c.pooling.loc["mu", "mean"] == pytest.approx(oracle.mean(oracle.mu), abs=0.02)
