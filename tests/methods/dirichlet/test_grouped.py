"""Datasets of several domains, against quadrature over the average domain and κ."""

from __future__ import annotations

from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy.special import betaln
from scipy.stats import beta, gamma

import bayescompare as bc
from bayescompare.outcome import nuts
from bayescompare.table.results import Results

OPTIONS = {"draws": 1000, "chains": 2, "cores": 1, "progressbar": False}
#: Wins of A and of B in each domain.
WINS = {"vision": (1, 5), "text": (0, 4), "audio": (3, 1), "tabular": (1, 2)}


def table() -> Results:
    rows = []
    for domain, (first, second) in WINS.items():
        for i in range(first + second):
            wins = i < first
            rows += [(f"{domain}{i}", "A", float(wins), domain)]
            rows += [(f"{domain}{i}", "B", float(not wins), domain)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score", "field"])
    return bc.Results.from_frame(frame, measures={"score": "max"}, group="field")


@pytest.fixture(scope="module")
def answered() -> bc.Comparison:
    return bc.compare(table(), rng=1, sampler=OPTIONS)


def quadrature() -> tuple[float, float]:
    """P(φ_A > ½) and E φ_A, by a grid over φ_A and κ; φ_A ~ Beta(½, ½) before the data."""
    u = (np.arange(2000) + 0.5) / 2000
    phi = np.sin(0.5 * np.pi * u) ** 2  # quantiles of Beta(½, ½)
    kappa = gamma(2.0, scale=10.0).ppf((np.arange(2000) + 0.5) / 2000)
    a, b = np.multiply.outer(kappa, phi), np.multiply.outer(kappa, 1.0 - phi)
    logs = sum(betaln(a + n, b + m) - betaln(a, b) for n, m in WINS.values())
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    return float((weight * (phi > 0.5)).sum()), float((weight * phi).sum())


@pytest.mark.slow
def test_against_quadrature(answered: bc.Comparison) -> None:
    p, mean = quadrature()
    assert answered.mcse is not None
    assert abs(float(answered.probability[0]) - p) < 4.0 * float(answered.mcse[0])
    phi = answered.tree["posterior"]["phi"].transpose("chain", "draw", "statement").values
    error = nuts.nuts_monte_carlo_error(phi)[0]
    assert abs(phi[..., 0].mean() - mean) < 4.0 * error
    assert answered.diagnose().ok


@pytest.mark.slow
def test_words_tables_and_files(answered: bc.Comparison, tmp_path: object) -> None:
    c = answered
    assert list(c.domains.index) == [*WINS, "(new domain)", "(average domain)"]
    np.testing.assert_allclose(c.domains.drop(columns="datasets").sum(axis=1), 1.0, atol=1e-9)
    # audio, where A wins three of four, leans to A more than text does.
    assert c.domains.loc["audio", "A>B"] > c.domains.loc["text", "A>B"]
    words = c.explain()
    assert "A new dataset of an old domain" in words
    assert "A new domain differs from the average one" in words
    for suffix in ("nc", "json"):
        path = f"{tmp_path}/c.{suffix}"
        (c.to_netcdf if suffix == "nc" else c.to_json)(path)
        again = bc.load_comparison(path)
        assert again.results == c.results
        pd.testing.assert_frame_equal(again.domains, c.domains)
    assert "domain" in c.report(f"{tmp_path}/c.md").read_text()
    with pytest.raises(bc.BayescompareError, match="old domain or of a new one"):
        c.predict(3)
    assert np.isfinite(c.loo().elpd)


@pytest.mark.slow
def test_alike_domains_are_the_flat_model() -> None:
    results = table()
    flat = bc.compare(results._with(group_of=None))
    alike = bc.methods.Dirichlet(priors={"kappa": 1e7})
    c = bc.compare(results, method=alike, rng=1, sampler=OPTIONS)
    phi = c.tree["posterior"]["phi"].transpose("chain", "draw", "statement").values
    error = nuts.nuts_monte_carlo_error(phi)
    known = flat.answer.per_statement["theta_mean"]
    assert (np.abs(phi.mean(axis=(0, 1)) - known) < 4.0 * error).all()


@pytest.mark.slow
def test_priors_of_the_average_domain_and_of_kappa(tmp_path: Path) -> None:
    """The strength and κ summed over a grid, under other priors of both."""
    priors = {"strength": pm.Gamma.dist(4.0, 2.0), "kappa": pm.Gamma.dist(3.0, 0.5)}
    c = bc.compare(table(), method=bc.methods.Dirichlet(priors=priors), rng=1, sampler=OPTIONS)
    posterior = c.tree["posterior"].to_dataset()
    assert {rv.name for rv in c.model().free_RVs} <= set(posterior)
    assert "κ ~ Gamma(3.0, 0.5)" in c.method.methods_text(c.answer)
    c.to_netcdf(tmp_path / "c.nc")
    back = bc.load_comparison(tmp_path / "c.nc")
    pd.testing.assert_frame_equal(back.domains, c.domains)
    grid = (np.arange(60) + 0.5) / 60
    strength, kappa = gamma(4.0, scale=0.5).ppf(grid), gamma(3.0, scale=2.0).ppf(grid)
    # Nodes that crowd where φ is small or large, as its density does.
    u = (np.arange(400) + 0.5) / 400
    phi = (np.sin(0.5 * np.pi * u) ** 2)[:, None, None]
    jacobian = 0.5 * (np.log(phi) + np.log1p(-phi))
    prior = beta(strength / 2, strength / 2).logpdf(phi) + jacobian
    a, b = (kappa[None, :, None] * share for share in (phi, 1 - phi))
    logs = prior + sum(betaln(a + n, b + m) - betaln(a, b) for n, m in WINS.values())
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    for name, values in (("kappa", kappa[None, :, None]), ("strength", strength)):
        exact, drawn = float((weight * values).sum()), posterior[name]
        error = float(az.mcse(drawn, method="mean"))
        assert abs(float(drawn.mean()) - exact) < 4.0 * error + 0.01 * exact, name
    p = float((weight * (phi > 0.5)).sum())
    assert c.mcse is not None
    assert abs(float(c.probability[0]) - p) < 4.0 * float(c.mcse[0]) + 0.003


def test_the_model_is_written_out() -> None:
    method = bc.methods.Dirichlet().for_table(table())
    model = method.model(table())
    assert {rv.name for rv in model.free_RVs} == {"phi", "kappa", "theta"}
    assert {data.name for data in model.data_vars} == {"domain_of", "seen"}
    assert model.named_vars_to_dims["theta"] == ("domain", "statement")
    assert method.needs_mcmc


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prior": "imprecise"}, "group=: prior='imprecise' is for tables without"),
        ({"priors": {"kappa": pm.Normal.dist(0, 1)}}, "outside the range: kappa lies above 0"),
        ({"priors": {"kappa": -1.0}}, "must be finite and > 0"),
    ],
)
def test_priors_that_domains_do_not_have(options: dict[str, object], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(table(), method=bc.methods.Dirichlet(**options))


def test_kappa_is_about_domains() -> None:
    with pytest.raises(bc.BayescompareError, match="this table has none"):
        bc.compare(table()._with(group_of=None), method=bc.methods.Dirichlet(priors={"kappa": 2}))
