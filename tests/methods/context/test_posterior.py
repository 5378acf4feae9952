"""NUTS against the exact paths of the Poisson-binomial and the pooled test; priors of one's own.

Seeds and sampler are fixed. Everything here takes seconds to minutes.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import special, stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Hierarchical, PoissonBinomial
from tests.oracles.context import PAIRS, EveryD, Pooled, better, counts_of, tournament

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
def test_d_z_and_p_drawn_back(joint: tuple[Any, xr.DataTree]) -> None:
    c, tree = joint
    data = tree["posterior"].to_dataset().transpose("chain", "draw", ...)
    oracle = EveryD([better(h, g, 1.5) for h, g in PAIRS], 2.0, joint=True)
    r, d, z, p = (data[name].values for name in ("r", "d", "z", "p"))
    assert ((z < 0.5) == (d == 1)).all()
    np.testing.assert_allclose(p.sum(axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(p[..., 0] / p[..., :2].sum(axis=-1), z, atol=1e-9)
    for i, (h, g) in enumerate(PAIRS):
        won = float(oracle.wins[i])
        share_close(d[..., i] == 1, won)
        low = special.betainc(2.5 + h, 1.5 + g, 0.5) / special.betainc(1.5 + h, 1.5 + g, 0.5)
        high = special.betaincc(2.5 + h, 1.5 + g, 0.5) / special.betaincc(1.5 + h, 1.5 + g, 0.5)
        close(z[..., i], (1.5 + h) / (3 + h + g) * (won * low + (1 - won) * high))
        close(p[..., i, 2], (1.5 + 80 - h - g) / 84.5)
        # d goes with r, not only each by itself.
        both = oracle.weight @ (oracle.d[:, i] * oracle.alpha / (oracle.alpha + oracle.beta))
        close(r * d[..., i], float(both))
    np.testing.assert_allclose(c.per_dataset["probability"], oracle.wins, atol=1e-11)


@pytest.mark.slow
def test_likelihood_prior_and_loo_of_the_joint_tree(joint: tuple[Any, xr.DataTree]) -> None:
    c, tree = joint
    r = tree["posterior"]["r"].values
    found = tree["log_likelihood"]["first_wrong"].transpose("chain", "draw", "dataset").values
    for i, (h, g) in enumerate(PAIRS):
        p = better(h, g, 1.5)
        level = math.log(2) + stats.betabinom.logpmf(h, h + g, 1.5, 1.5)
        np.testing.assert_allclose(
            found[..., i], level + np.log(r * p + (1 - r) * (1 - p)), atol=1e-6
        )
    of_logit = stats.beta.logpdf(r, 2, 2) + np.log(r) + np.log1p(-r)
    np.testing.assert_allclose(tree["log_prior"]["r"], of_logit, atol=1e-6)
    np.testing.assert_allclose(c.loo(tree).elpd_i, c.loo().elpd_i, atol=0.03)
    assert c.diagnose(tree).ok


@pytest.mark.slow
def test_prior_and_predictions_of_the_joint_tree(joint: tuple[Any, xr.DataTree]) -> None:
    c, tree = joint
    prior = tree["prior"].to_dataset()
    assert ((prior["z"].values < 0.5) == (prior["d"].values == 1)).all()
    close(prior["r"].values, 0.5)
    rate = c.rate["mean"]
    side = float(special.betainc(2.5, 1.5, 0.5))
    after = tree["posterior_predictive"]["first_wrong"].transpose("chain", "draw", "dataset")
    before = tree["prior_predictive"]["first_wrong"].transpose("chain", "draw", "dataset")
    for i, (h, g) in enumerate(PAIRS):
        close(before.values[..., i], (h + g) / 2)
        close(after.values[..., i], (h + g) * (rate * side + (1 - rate) * (1 - side)))


@pytest.mark.slow
def test_svm_against_parzen_under_nuts() -> None:
    c = bc.compare(bc.load_example("lacoste-svm-parzen"), method=PoissonBinomial(joint=True))
    tree = c.sample(rng=2, **DRAWS)
    converged(tree, ["r"])
    share_close(tree["posterior"]["r"].values > 0.5, 0.998807)
    close(tree["posterior"]["r"].values, c.rate["mean"])


@pytest.mark.slow
@pytest.mark.parametrize("route", ["distribution", "callable"])
def test_a_prior_of_r_of_ones_own(route: str) -> None:
    """Beta(3, 3) as a user's prior must give what b = 3 gives, exactly and under NUTS."""
    priors: dict[str, Any] = {
        "distribution": {"r": pm.Beta.dist(3, 3)},
        "callable": {"r": lambda name, dims: pm.Beta(name, 3, 3)},
    }[route]
    counts = counts_of(PAIRS)
    c: Any = bc.compare(counts, method=PoissonBinomial(joint=True, priors=priors))
    exact: Any = bc.compare(counts, method=PoissonBinomial(joint=True, b=3.0))
    assert c.exact
    np.testing.assert_allclose(c.probability, exact.probability, atol=1e-9)
    np.testing.assert_allclose(
        c.per_dataset["probability"], exact.per_dataset["probability"], atol=1e-9
    )
    assert c.rate["mean"] == pytest.approx(exact.rate["mean"], abs=1e-9)
    tree = c.sample(rng=3, **DRAWS)
    converged(tree, ["r"])
    share_close(tree["posterior"]["r"].values > 0.5, float(exact.probability[0]))


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


@pytest.mark.slow
def test_a_skewed_prior_of_r_by_quadrature() -> None:
    """Not symmetric, so that no b gives it: p(r | k) ∝ Beta(r; 5, 2) Π (r p + (1 − r)(1 − p))."""
    method = PoissonBinomial(joint=True, priors={"r": pm.Beta.dist(5, 2)})
    c: Any = bc.compare(counts_of(PAIRS), method=method)
    r = np.linspace(0, 1, 200_001)[1:-1]
    density = stats.beta.pdf(r, 5, 2)
    for h, g in PAIRS:
        p = better(h, g)
        density = density * (r * p + (1 - r) * (1 - p))
    weight = density / density.sum()
    assert float(c.probability[0]) == pytest.approx(float(weight[r > 0.5].sum()), abs=1e-5)
    assert c.rate["mean"] == pytest.approx(float(weight @ r), abs=1e-8)
    tree = c.sample(rng=4, **DRAWS)
    share_close(tree["posterior"]["r"].values > 0.5, float(weight[r > 0.5].sum()))
    close(tree["posterior"]["r"].values, float(weight @ r))


@pytest.mark.slow
def test_a_sampled_answer_read_from_json_is_not_called_exact(tmp_path: Path) -> None:
    method = PoissonBinomial(joint=True, priors={"b": pm.Gamma.dist(3.0, 1.0)})
    sampler = {"draws": 100, "tune": 200, "chains": 2, **QUIET}
    c: Any = bc.compare(counts_of(PAIRS), method=method, rng=4, sampler=sampler)
    c.to_json(tmp_path / "c.json")
    c.to_netcdf(tmp_path / "c.nc")
    told, whole = (bc.load_comparison(tmp_path / f"c.{s}") for s in ("json", "nc"))
    for again in (told, whole):
        assert not again.exact
        assert again.explain().split(" Caution:")[0] == c.explain().split(" Caution:")[0]
        np.testing.assert_array_equal(again.probability.values, c.probability.values)
    assert whole.explain() == c.explain()
    # Two short chains are in doubt; without them nobody can know, which is a doubt too.
    assert "Caution: the sampling is not trustworthy" in c.explain()
    assert "Caution: the sampling is not known" in told.explain()
    assert whole.tree["posterior"]["r"].equals(c.tree["posterior"]["r"])
    said = str(told.diagnose())
    assert "no sampling was done" not in said
    assert "independent draws" not in said, said
    with pytest.raises(BayescompareError) as caught:
        told.loo()
    assert "methods with it: none" not in str(caught.value), str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "name", "prior"),
    [
        ("PoissonBinomial(joint=True, ", "r", "pm.Normal.dist(0, 1)"),
        ("PoissonBinomial(joint=True, ", "b", "pm.Normal.dist(0, 1)"),
        ("Hierarchical(", "mu", "lambda n, d: pm.Normal(n, pm.Normal('m'), 1)"),
    ],
)
def test_a_prior_off_the_range_is_refused_and_does_not_hang(
    method: str, name: str, prior: str
) -> None:
    """Under b ~ Normal(0, 1) the prior draws of Beta(b, b) never ended."""
    script = (
        "import pandas as pd, pymc as pm, bayescompare as bc\n"
        "df = pd.DataFrame({'dataset': ['a', 'b', 'c'], 'h': [1, 2, 0], 'g': [3, 0, 4]})\n"
        "k = bc.ErrorCounts.from_frame(df, first_wrong='h', second_wrong='g')\n"
        f"m = bc.methods.{method}priors={{{name!r}: {prior}}})\n"
        "s = dict(draws=50, tune=50, chains=1, cores=1, progressbar=False)\n"
        "try:\n"
        "    bc.compare(k, method=m, rng=0, sampler=s)\n"
        "except bc.BayescompareError as error:\n"
        "    print('refused:', error)\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=90, cwd=root
    )
    assert "refused:" in done.stdout, done.stderr[-500:]
    assert f"priors['{name}']" in done.stdout


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
def test_likelihood_prior_and_predictions_of_the_pooled_tree(
    pooled: tuple[Any, xr.DataTree],
) -> None:
    _, tree = pooled
    posterior = tree["posterior"].to_dataset()
    mu, phi = posterior["mu"].values, posterior["phi"].values
    found = tree["log_likelihood"]["first_wrong"].transpose("chain", "draw", "dataset").values
    for i, (h, g) in enumerate(PAIRS):
        expected = stats.betabinom.logpmf(h, h + g, mu * phi, (1 - mu) * phi) if h + g else 0.0
        np.testing.assert_allclose(found[..., i], expected, atol=1e-6)
    before = tree["prior_predictive"]["first_wrong"].transpose("chain", "draw", "dataset").values
    after = tree["posterior_predictive"]["first_wrong"].transpose("chain", "draw", "dataset").values
    oracle = Pooled(PAIRS)
    mean = oracle.mean(oracle.mu * np.ones_like(oracle.weight))
    for i, (h, g) in enumerate(PAIRS):
        close(before[..., i], (h + g) / 2)
        close(after[..., i], (h + g) * mean)


@pytest.mark.slow
def test_the_bundled_counts_pooled_under_nuts() -> None:
    c = bc.compare(bc.load_example("lacoste-svm-parzen"), method="hierarchical")
    tree = c.sample(rng=6, **DRAWS)
    converged(tree, ["mu", "rho"])
    share_close(tree["posterior"]["mu"].values < 0.5, 0.997883)
    close(tree["posterior"]["q"].values, c.rate["mean"])
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        z = tree["posterior"]["z"].transpose("chain", "draw", "dataset").values[..., i]
        close(z, row["share"])


@pytest.mark.slow
def test_priors_of_ones_own_under_nuts() -> None:
    """The exact path takes these too, and so both can be held to the oracle."""
    priors = {"mu": pm.Beta.dist(2.0, 5.0), "phi": pm.Gamma.dist(3.0, 0.5)}
    c: Any = bc.compare(counts_of(PAIRS), method=Hierarchical(priors=priors))
    assert c.exact
    tree = c.sample(rng=7, **DRAWS)
    converged(tree, ["mu", "phi"])
    same_shape(tree, c.draws(5, chains=1, rng=0))

    def of_phi(rho: np.ndarray) -> np.ndarray:
        return np.asarray(stats.gamma(3, scale=2).pdf((1 - rho) / rho) / rho**2)

    agree(
        tree["posterior"].to_dataset(),
        Pooled(PAIRS, mu_pdf=stats.beta(2, 5).pdf, rho_pdf=of_phi),
    )


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


@pytest.mark.slow
@pytest.mark.parametrize("priors", [{"rho": 0.2}, {"phi": 4}], ids=["rho", "phi"])
def test_a_fixed_correlation(priors: dict[str, float]) -> None:
    """ρ = 0.2 is φ = 4; only μ is left, which one integral over a grid gives."""
    c: Any = bc.compare(counts_of(PAIRS), method=Hierarchical(priors=priors), rng=9, sampler=DRAWS)
    mu = np.linspace(0, 1, 20_001)[1:-1]
    density = np.ones_like(mu)
    for h, g in PAIRS:
        density = density * (stats.betabinom.pmf(h, h + g, 4 * mu, 4 * (1 - mu)) if h + g else 1.0)
    weight = density / density.sum()
    first = float(weight[mu < 0.5].sum() + weight[mu == 0.5].sum() / 2)
    tolerance = 1e-4 if c.exact else 4 * float(c.mcse[0]) + 1e-4
    assert float(c.probability[0]) == pytest.approx(first, abs=tolerance)
    assert c.pooling.loc["rho"].tolist() == pytest.approx([0.2, 0.0])
    assert c.pooling.loc["mu", "mean"] == pytest.approx(float(weight @ mu), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "prior", "support"),
    [
        ("mu", ("Uniform", 0.2, 0.8), (0.2, 0.8)),
        ("rho", ("Uniform", 0.1, 0.3), (0.1, 0.3)),
        ("mu", ("Beta", 1e5, 1e5), (0.49, 0.51)),
    ],
)
def test_priors_that_are_hard_to_integrate(
    name: str, prior: tuple[str, float, float], support: tuple[float, float]
) -> None:
    """Proper priors on (0, 1) that jump or are very narrow: exact or NUTS, but not refused."""
    family, first, second = prior
    made = getattr(pm, family).dist(first, second)
    method = Hierarchical(priors={name: made})
    c: Any = bc.compare(counts_of(PAIRS), method=method, rng=10, sampler=DRAWS)
    assert support[0] < c.pooling.loc[name, "mean"] < support[1]
    assert float(c.probability.sum()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
def test_an_edited_model_is_sampled_as_edited() -> None:
    for method in (PoissonBinomial(joint=True), Hierarchical()):
        c = bc.compare(counts_of(PAIRS), method=method)
        model = c.model()
        with model:
            pm.Deterministic("twice", 2 * model[method.parameters[0].name])
        tree = c.sample(200, chains=2, model=model, rng=0, **QUIET)
        assert "twice" in tree["posterior"]


@pytest.mark.slow
def test_pairs_under_a_prior_of_ones_own() -> None:
    """Each pair is sampled under the prior, and gets what b = 3 gives."""
    counts = tournament("ABC", lambda a, b: 0.7 if a < b else 0.3, n_datasets=6, size=5)
    method = PoissonBinomial(joint=True, priors={"b": pm.Gamma.dist(mu=3.0, sigma=0.05)})
    sampler = {"draws": 500, "chains": 2, "progressbar": False, "cores": 1}
    p = bc.pairwise(counts, method=method, rng=0, sampler=sampler, n_jobs=1)
    exact = bc.pairwise(counts, method=PoissonBinomial(joint=True, b=3.0), n_jobs=1)
    for c, e in zip(p.comparisons, exact.comparisons, strict=True):
        assert float(c.probability[0]) == pytest.approx(
            float(e.probability[0]), abs=4 * float(c.mcse[0]) + 1e-3
        )


@pytest.mark.slow
def test_each_pair_has_its_own_stream_whichever_process_it_runs_in() -> None:
    """In a new process: what PyTensor compiled before may change the last digit of a density, and
    NUTS then makes other draws."""
    script = (
        "import numpy as np, pandas as pd, pymc as pm, bayescompare as bc\n"
        "rng = np.random.default_rng(0)\n"
        "rows = [{'dataset': f'd{i}', 'algorithm': a, 'replicate': k, 'acc': rng.random()}\n"
        "        for i in range(6) for a in 'ABC' for k in range(5)]\n"
        "frame, kinds = pd.DataFrame(rows), {'acc': 'max'}\n"
        "t = bc.Results.from_frame(frame, measures=kinds, replicate='replicate')\n"
        "m = bc.methods.Dirichlet(priors={'strength': pm.Gamma.dist(2.0, 1.0)})\n"
        "s = dict(draws=200, chains=2, cores=1, progressbar=False)\n"
        "one, two = (bc.pairwise(t, method=m, rng=0, sampler=s, n_jobs=j) for j in (1, 2))\n"
        "assert all(c.mcse is not None for c in one.comparisons)\n"
        "print(np.array_equal(one.matrix.values, two.matrix.values, equal_nan=True))\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=400, cwd=root
    )
    assert done.stdout.strip().endswith("True"), (done.stdout, done.stderr[-500:])
