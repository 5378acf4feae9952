"""Leave-one-out by refits, against the exact one where that is closed."""

from __future__ import annotations

import math
import warnings
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.methods import Dirichlet, Hierarchical, Network
from bayescompare.outcome.diagnosis import EDITED
from tests.oracles import network as no
from tests.tables import table

QUIET: dict[str, Any] = {"cores": 1, "progressbar": False}

CASES: dict[str, tuple[Any, Any]] = {
    "dirichlet, ties": (table(np.random.default_rng(3).integers(0, 4, (8, 2, 2))), Dirichlet()),
    "network": (table(no.linked(10, 2, seed=1)), Network(search=[("m0", "m1")])),
    "hierarchical": ("lacoste-svm-parzen", Hierarchical()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_refits_have_the_exact_densities(name: str) -> None:
    given, method = CASES[name]
    results = bc.load_example(given) if isinstance(given, str) else given
    c = bc.compare(results.sel(datasets=list(results.datasets[:5])), method=method, rng=0)
    tree = c.sample(500, rng=1, **QUIET)
    exact = c.loo()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        psis = c.loo(tree)
    found = c.loo(tree, refit=True, khat=-math.inf, draws=1000, rng=2, **QUIET)
    off = np.abs(found.elpd_i.values - exact.elpd_i.values)
    error = np.array(list(found.elpd_i.attrs["mcse"].values()))
    print(
        f"{name}: exact {exact.elpd:.3f}, refitted {found.elpd:.3f}, PSIS {psis.elpd:.3f} "
        f"(k-hat to {psis.pareto_k.max().item():.2f}); greatest z {(off / error).max():.2f}"
    )
    assert (off < 4.0 * error).all()
    assert error.max() < 0.2
    assert (found.pareto_k == 0.0).all()
    assert found.elpd_i.attrs["how"] == f"PSIS, {len(error)} refitted"
    assert found.p == pytest.approx(exact.p, abs=0.5)
    assert "Refitted without" in str(found)
    assert set(az.compare({"exact": exact, "refitted": found}).index) == {"exact", "refitted"}


@pytest.mark.slow
def test_a_prior_of_ones_own_is_refitted_where_k_hat_is_poor() -> None:
    """The exact answer given each strength, averaged over the strengths' posterior, by hand."""
    from scipy.integrate import quad

    from tests.outcome.test_evidence import closed

    method = Dirichlet(priors={"strength": pm.Gamma.dist(1.0, 5.0)})
    results = bc.load_example("benavoli-example1")
    c = bc.compare(results, method=method, rng=1, sampler={**QUIET, "draws": 500})
    found = c.loo(refit=True, khat=-math.inf, draws=400, chains=2, rng=3, **QUIET)

    def evidence(counts: np.ndarray) -> float:
        def integrand(s: float) -> float:
            return float(stats.gamma.pdf(s, 1.0, scale=0.2)) * math.exp(
                closed(np.full(4, s / 4), counts)
            )

        return math.log(quad(integrand, 0.0, 10.0, limit=400, points=[0.01, 0.1, 1.0])[0])

    weights = c.method.listing(results).weights  # type: ignore[attr-defined]
    counts = weights.sum(axis=0)
    exact = [evidence(counts) - evidence(counts - own) for own in weights]
    error = np.array(list(found.elpd_i.attrs["mcse"].values()))
    assert (np.abs(found.elpd_i.values - exact) < 4.0 * error + 1e-6).all()


def differences(results: bc.Results) -> pm.Model:
    """Each dataset has its own advantage, a normal one, seen with an error of 0.3."""
    seen = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    coords = {"dataset": results.datasets, "algorithm": results.algorithms}
    with pm.Model(coords=coords) as model:
        mu, tau = pm.Normal("mu", 0.0, 2.0), pm.HalfNormal("tau", 2.0)
        z = pm.Normal("z", dims="dataset")
        pm.Deterministic("strength", pm.math.stack([mu, -mu]), dims="algorithm")
        pm.Normal("y", mu + tau * z, 0.3, observed=seen, dims="dataset")
    return model


def closed(results: bc.Results) -> pm.Model:
    return differences(results)


def _closed(posterior: xr.Dataset, results: bc.Results) -> xr.DataArray:
    seen = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    spread = np.sqrt(posterior["tau"] ** 2 + 0.09)
    data = xr.DataArray(seen, {"dataset": list(results.datasets)}, "dataset")
    logs = -0.5 * ((data - posterior["mu"]) / spread) ** 2 - np.log(spread)
    return (logs - 0.5 * np.log(2 * np.pi)).transpose("dataset", "chain", "draw")


closed.log_likelihood = _closed  # type: ignore[attr-defined]


def elpd_by_a_grid(results: bc.Results) -> np.ndarray:
    """Densities of each dataset given the others, with mean and spread summed over a grid."""
    seen = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    mu, tau = np.meshgrid(np.linspace(-4.0, 5.0, 901), np.linspace(1e-4, 8.0, 1600))
    prior = stats.norm.logpdf(mu, 0.0, 2.0) + stats.halfnorm.logpdf(tau, scale=2.0)
    each = [stats.norm.logpdf(value, mu, np.sqrt(tau**2 + 0.09)) for value in seen]
    joint = prior + sum(each)
    return np.array([logsumexp(joint) - logsumexp(joint - own) for own in each])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")
@pytest.mark.parametrize("build", [differences, closed])
def test_a_model_file_with_latents_of_each_dataset(build: Any) -> None:
    """The latent of the dataset left out comes from its prior, which integrates it out.

    Importance weights cannot do that: a latent that has seen its dataset does not leave it.
    """
    x = np.random.default_rng(0).normal(0.5, 1.0, size=15)
    advantages = table(np.stack([x, 0.0 * x], axis=1)[:, :, None])
    sampler = {**QUIET, "draws": 1000, "chains": 4}
    c = bc.compare(advantages, method=build, rng=1, sampler=sampler)
    psis = c.loo()
    assert (psis.pareto_k.max() > 0.7) == (build is differences)
    khat = float(np.sort(psis.pareto_k.values)[-4])
    found = c.loo(refit=True, khat=khat, draws=6000, rng=2, **QUIET)
    refitted = found.elpd_i.attrs["refitted"]
    assert len(refitted) == 3
    assert found.elpd_i.attrs["how"] == "PSIS, 3 refitted"
    # PSIS is 0.1 off for the dataset farthest out, so both are held against the integral.
    left_out = found.elpd_i["dataset"].isin(refitted).values
    exact = elpd_by_a_grid(c.results)[left_out]
    names = found.elpd_i["dataset"].values[left_out]
    error = np.array([found.elpd_i.attrs["mcse"][name] for name in names])
    assert (np.abs(found.elpd_i.values[left_out] - exact) < 4.0 * error).all()
    assert error.max() < 0.05
    if build is closed:
        np.testing.assert_allclose(psis.elpd_i.values[left_out], exact, atol=0.25)
    others = ~np.isin(found.elpd_i["dataset"].values, refitted)
    np.testing.assert_array_equal(found.elpd_i.values[others], psis.elpd_i.values[others])


@pytest.mark.slow
def test_an_edited_model_is_refitted_as_it_was_edited() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method=Dirichlet(prior="uniform"))
    edited = c.model(form="nuts")
    with edited:
        pm.Potential("edit", pm.logp(pm.Normal.dist(0.7, 0.03), edited["theta"][0]))
    before = len(edited.potentials)
    tree = c.sample(300, chains=2, model=edited, rng=1, **QUIET)
    with pytest.raises(bc.BayescompareError, match=r"edited model.*model="):
        c.loo(tree, refit=True)
    found = c.loo(tree, refit=True, khat=-math.inf, model=edited, rng=2, **QUIET)
    # The first dataset says the first statement: its density is the mean of that θ without it.
    counts = c.answer.counts.copy()
    counts[0] -= 1
    theta = np.linspace(0.0, 1.0, 20_001)[1:-1]
    weight = stats.beta.pdf(theta, 1 + counts[0], 3 + counts[1:].sum())
    weight = weight * stats.norm.pdf(theta, 0.7, 0.03)
    mean, name = weight @ theta / weight.sum(), found.elpd_i["dataset"].values[0]
    error = found.elpd_i.attrs["mcse"][name]
    assert abs(found.elpd_i.values[0] - math.log(mean)) < 4.0 * error
    assert error < 0.01
    assert found.elpd_i.attrs["model"] == EDITED
    assert "edited model" in str(found)
    assert len(edited.potentials) == before


# --------------------------------------------------------------------------------------- refusals


def test_what_is_exact_stays_so(example1: bc.Comparison) -> None:
    assert example1.loo(refit=True).elpd == example1.loo().elpd
    assert example1.loo(refit=True).elpd_i.attrs["how"] == "exact"


@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")
def test_what_psis_can_do_is_not_refitted(example1: bc.Comparison) -> None:
    tree = example1.draws(500, rng=1)
    found = example1.loo(tree, refit=True, khat=math.inf)
    assert found.elpd == example1.loo(tree).elpd
    assert found.elpd_i.attrs["how"] == "PSIS"
    assert "No dataset needed a refit" in str(found)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"refit": 1}, "refit=1: must be True or False"),
        ({"draws": 10}, "draws: .*refit=True"),
        ({"khat": 0.5}, "khat: .*refit=True"),
        ({"refit": True, "khat": math.nan}, "khat=nan"),
        ({"refit": True, "khat": "high"}, "khat='high'"),
        ({"refit": True, "random_seed": 1}, "random_seed: .*rng="),
        ({"refit": True, "var_names": []}, "var_names: .*leave it out"),
    ],
)
def test_refusals_of_refits(example1: bc.Comparison, asked: dict[str, Any], why: str) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        example1.loo(**asked)


def test_refits_need_sensible_draws(example1: bc.Comparison) -> None:
    tree = example1.draws(100, rng=1)
    with pytest.raises(bc.BayescompareError, match="draws=0"):
        example1.loo(tree, refit=True, khat=-math.inf, draws=0)


def test_the_formula_of_the_paper_has_no_refits() -> None:
    c = bc.compare(bc.load_example("lacoste-svm-parzen"), method="poisson-binomial")
    with pytest.raises(bc.BayescompareError, match="joint=True"):
        c.loo(c.draws(50, rng=1), refit=True)
