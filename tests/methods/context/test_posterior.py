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
