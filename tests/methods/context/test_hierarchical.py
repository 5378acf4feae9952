"""Partial pooling as users get it: plain quadrature, priors by every route, draws, the model."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Hierarchical
from tests.cases import few_quick
from tests.oracles.context import PAIRS, Pooled, better, counts_of, near, shares_near, tournament

#: What a NUTS that should not have been needed may cost at most.
SHORT = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "progressbar": False}


def beta(a: float, b: float) -> Any:
    """A Beta whose constants PyTensor keeps in double precision."""
    return pm.Beta.dist(np.float64(a), np.float64(b))


def gamma(shape: float, rate: float) -> Any:
    return pm.Gamma.dist(np.float64(shape), np.float64(rate))


def ask(pairs: Any, **priors: Any) -> Any:
    counts = pairs if isinstance(pairs, bc.Results) else counts_of(pairs)
    return bc.compare(counts, method=Hierarchical(priors=priors or None), rng=0, sampler=SHORT)


def agrees(c: Any, oracle: Pooled) -> None:
    assert c.exact
    first = oracle.first
    np.testing.assert_allclose(c.probability, [first, 1 - first], atol=1e-7)
    assert c.log_evidence == pytest.approx(oracle.log_evidence, abs=1e-7)
    assert c.rate["mean"] == pytest.approx(oracle.mean(oracle.q), abs=1e-6)
    assert c.rate["sd"] ** 2 + c.rate["mean"] ** 2 == pytest.approx(
        oracle.mean(oracle.q**2), abs=1e-6
    )
    ones = np.ones_like(oracle.weight)
    for name, values in (("mu", oracle.mu * ones), ("rho", oracle.rho * ones)):
        mean = oracle.mean(values)
        assert c.pooling.loc[name, "mean"] == pytest.approx(mean, abs=1e-7)
        assert c.pooling.loc[name, "sd"] == pytest.approx(
            math.sqrt(oracle.mean(values**2) - mean**2), abs=1e-6
        )
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        assert row["probability"] == pytest.approx(oracle.better(i), abs=1e-6)
        assert row["share"] == pytest.approx(oracle.share(i), abs=1e-7)


# ------------------------------------------------------------------------------------- the figures


@pytest.mark.parametrize(
    "pairs",
    few_quick(
        [PAIRS, [(0, 0), (0, 1)], [(5, 5), (5, 5)], [(0, 9), (9, 0), (0, 8)], [(0, 30)] * 4], 2
    ),
    ids=["mixed", "next to nothing", "even", "one or the other", "all one way"],
)
def test_every_figure_by_plain_quadrature(pairs: Any) -> None:
    agrees(ask(pairs), Pooled(pairs))


def test_the_interval_holds_what_it_says() -> None:
    c, oracle = ask(PAIRS), Pooled(PAIRS)
    assert c.rate["lower"] == pytest.approx(oracle.quantile(0.025), abs=1e-3)
    assert c.rate["upper"] == pytest.approx(oracle.quantile(0.975), abs=1e-3)


def test_large_counts_that_all_agree() -> None:
    c = ask([(200_000, 100_000), (400_100, 200_000), (100_000, 50_100)])
    assert c.best == "B>A"
    assert c.exact
    assert c.per_dataset["share"].tolist() == pytest.approx([2 / 3] * 3, abs=1e-3)
    assert float(c.probability.sum()) == pytest.approx(1.0, abs=1e-9)


def test_one_outlier_among_many_is_drawn_to_the_rest() -> None:
    """Shrinkage: towards the common mean, most for the dataset with the fewest errors."""
    pairs = [(10, 30)] * 8 + [(2, 1), (20, 10)]
    table = ask(pairs).per_dataset
    assert table["share_alone"].tolist() == pytest.approx([(h + 1) / (h + g + 2) for h, g in pairs])
    assert table["alone"].tolist() == pytest.approx([better(h, g) for h, g in pairs])
    few, many = table.iloc[8], table.iloc[9]
    # Both had two errors in three of the first; the rest one in four.
    assert few["share"] < many["share"] < 20 / 30
    assert few["probability"] > few["alone"]
    assert many["probability"] > many["alone"]
    assert few["share_alone"] - few["share"] > many["share_alone"] - many["share"] > 0


def test_a_dataset_without_errors_is_predicted_by_the_others() -> None:
    pairs = [(0, 0), (2, 9), (3, 8), (1, 7)]
    c, oracle = ask(pairs), Pooled(pairs)
    assert c.per_dataset["alone"].iloc[0] == 0.5
    assert c.per_dataset["probability"].iloc[0] == pytest.approx(c.rate["mean"], abs=1e-6)
    assert c.per_dataset["share"].iloc[0] == pytest.approx(oracle.share(0), abs=1e-7)
    assert float(c.probability[0]) == pytest.approx(float(ask(pairs[1:]).probability[0]), abs=1e-9)


@settings(max_examples=2)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_swapping_permuting_and_relabelling(pairs: list[tuple[int, int]], random: Any) -> None:
    c = ask(pairs)
    swapped = bc.compare(c.results, method="hierarchical", algorithms=["B", "A"])
    np.testing.assert_allclose(swapped.probability.values[::-1], c.probability, atol=1e-7)
    assert swapped.best == c.best
    np.testing.assert_allclose(
        swapped.per_dataset["probability"], 1 - c.per_dataset["probability"], atol=1e-6
    )
    np.testing.assert_allclose(swapped.per_dataset["share"], 1 - c.per_dataset["share"], atol=1e-6)
    assert swapped.log_evidence == pytest.approx(c.log_evidence, abs=1e-7)
    assert swapped.pooling.loc["mu", "mean"] == pytest.approx(
        1 - c.pooling.loc["mu", "mean"], abs=1e-7
    )
    order = list(range(len(pairs)))
    random.shuffle(order)
    mixed = ask([pairs[i] for i in order])
    np.testing.assert_allclose(mixed.probability, c.probability, atol=1e-8)
    np.testing.assert_allclose(
        mixed.per_dataset["share"], c.per_dataset["share"].to_numpy()[order], atol=1e-7
    )
    named = ask(counts_of(pairs, algorithms=("z", "a")))
    np.testing.assert_array_equal(named.probability.values, c.probability.values)


def test_exact_loo_by_refits() -> None:
    pairs = [(0, 0), (3, 3), (0, 5), (7, 2), (1, 12)]
    c = ask(pairs)
    loo = c.loo()
    without = [
        Pooled([k for j, k in enumerate(pairs) if j != i]).log_evidence for i in range(len(pairs))
    ]
    np.testing.assert_allclose(loo.elpd_i, c.log_evidence - np.array(without), atol=1e-6)
    whole = Pooled(pairs)
    phi = (1 - whole.rho) / whole.rho
    within = [
        math.log(
            whole.mean(stats.betabinom.pmf(h, h + g, whole.mu * phi, (1 - whole.mu) * phi))
            if h + g
            else 1.0
        )
        for h, g in pairs
    ]
    assert loo.p == pytest.approx(sum(within) - loo.elpd, abs=1e-5)


# ------------------------------------------------------------------------------------------- priors

FEW = [(1, 4), (3, 2), (0, 6)]


def test_a_prior_of_rho_and_one_of_phi() -> None:
    agrees(ask(FEW, rho=beta(2, 8)), Pooled(FEW, rho_pdf=stats.beta(2, 8).pdf))

    def of_phi(rho: np.ndarray) -> np.ndarray:
        return np.asarray(stats.gamma(3, scale=2).pdf((1 - rho) / rho) / rho**2)

    agrees(ask(FEW, phi=gamma(3, 0.5)), Pooled(FEW, rho_pdf=of_phi))


def test_a_prior_typed_in_whole_numbers_is_as_exact() -> None:
    """PyTensor takes the logs of Γ(2) and Γ(8) in single precision unless told otherwise."""
    typed, told = ask(FEW, rho=pm.Beta.dist(2, 8)), ask(FEW, rho=beta(2, 8))
    assert typed.log_evidence == pytest.approx(told.log_evidence, abs=1e-9)


def test_a_prior_of_ones_own_in_loo_and_draws() -> None:
    c = ask(FEW, mu=beta(3, 3), phi=gamma(3, 0.5))

    def of_phi(rho: np.ndarray) -> np.ndarray:
        return np.asarray(stats.gamma(3, scale=2).pdf((1 - rho) / rho) / rho**2)

    parts = {"mu_pdf": stats.beta(3, 3).pdf, "rho_pdf": of_phi}
    whole = Pooled(FEW, **parts)
    without = [
        Pooled([k for j, k in enumerate(FEW) if j != i], **parts).log_evidence for i in range(3)
    ]
    np.testing.assert_allclose(c.loo().elpd_i, whole.log_evidence - np.array(without), atol=1e-6)
    tree = c.draws(4000, chains=2, rng=0)
    posterior, prior = (tree[g].to_dataset() for g in ("posterior", "prior"))
    assert shares_near(posterior["mu"].values < 0.5, float(c.probability[0]))
    assert near(posterior["rho"].values, c.pooling.loc["rho", "mean"])
    assert near(prior["mu"].values, 0.5)
    assert near((prior["mu"].values - 0.5) ** 2, 1 / 28)
    assert near(prior["phi"].values, 6.0)
    log_prior = tree["log_prior"].to_dataset()
    assert set(log_prior.data_vars) == {"mu", "phi"}
    # Of the logit, so that a uniform prior too has a density to scale.
    mu = posterior["mu"].values
    of_logit = stats.beta.logpdf(mu, 3, 3) + np.log(mu) + np.log1p(-mu)
    np.testing.assert_allclose(log_prior["mu"], of_logit, atol=1e-8)
    np.testing.assert_allclose(
        log_prior["phi"], stats.gamma.logpdf(posterior["phi"], 3, scale=2), atol=1e-6
    )


@pytest.mark.parametrize(
    ("name", "prior"),
    [
        ("mu", pm.Normal.dist(0.5, 1)),
        ("mu", pm.Normal.dist(0.5, 0.14)),  # of which very little is outside
        ("mu", pm.Gamma.dist(2, 1)),
        ("mu", pm.Uniform.dist(0, 2)),
        ("rho", pm.Exponential.dist(1)),
        ("phi", pm.Normal.dist(0, 1)),
        ("mu", lambda name, dims: pm.Normal(name)),
    ],
)
def test_a_prior_off_the_range_is_refused(name: str, prior: Any) -> None:
    with pytest.raises(BayescompareError, match=re.escape(f"priors['{name}']")) as caught:
        ask(FEW, **{name: prior})
    assert "between 0 and 1" in str(caught.value) or "above 0" in str(caught.value)
    assert "has 1 of its mass" not in str(caught.value)


@pytest.mark.slow
def test_proper_priors_that_are_hard_to_integrate_are_taken() -> None:
    """Their mass is all between 0 and 1, whatever a quadrature makes of it.

    What cannot be integrated exactly goes to NUTS; priors that jump are in the slow set.
    """
    pairs = [(2, 6), (3, 4)]
    agrees(ask(pairs, mu=beta(0.1, 0.1)), Pooled(pairs, mu_pdf=stats.beta(0.1, 0.1).pdf))
    sure = ask(pairs, rho=beta(1e6, 1e6))
    # As good as ρ = ½, which is φ = 1.
    mu = np.linspace(0, 1, 20_001)[1:-1]
    density = stats.betabinom.pmf(2, 8, mu, 1 - mu) * stats.betabinom.pmf(3, 7, mu, 1 - mu)
    first = float(density[mu < 0.5].sum() / density.sum())
    assert float(sure.probability[0]) == pytest.approx(first, abs=1e-4)
    assert sure.log_evidence == pytest.approx(math.log(density.mean()), abs=1e-3)


@pytest.mark.parametrize(
    ("priors", "needed"),
    [
        ({"mu": 0.5}, "priors['mu']"),
        ({"rho": 1.0}, "priors['rho']=1.0"),
        ({"rho": 0}, "priors['rho']=0"),
        ({"phi": -1}, "priors['phi']=-1"),
        ({"rho": 0.5, "phi": 1}, "rho and phi"),
        ({"nu": 1}, "priors['nu']"),
        ({"mu": "Beta"}, "priors['mu']='Beta'"),
    ],
)
def test_bad_priors(priors: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)):
        Hierarchical(priors=priors)


# ------------------------------------------------------------------------------------------- draws


@pytest.fixture(scope="module")
def drawn() -> tuple[Any, xr.DataTree]:
    c = ask(PAIRS)
    return c, c.draws(5000, chains=4, rng=1)


def test_groups_variables_and_shapes(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    sample = ("chain", "draw")
    over = (*sample, "dataset")
    parameters = {**dict.fromkeys(("mu", "rho", "phi", "q"), sample), "z": over}
    expected = {
        "posterior": parameters,
        "prior": parameters,
        "posterior_predictive": {"first_wrong": over},
        "prior_predictive": {"first_wrong": over},
        "log_likelihood": {"first_wrong": over},
        "log_prior": {"mu": sample, "rho": sample},
        "observed_data": {"first_wrong": ("dataset",)},
        "constant_data": {"discordant": ("dataset",)},
    }
    assert set(tree.children) == set(expected)
    for group, variables in expected.items():
        data = tree[group].to_dataset()
        assert {str(k): v.dims for k, v in data.data_vars.items()} == variables, group


def test_draws_have_the_exact_moments(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    posterior = tree["posterior"].to_dataset()
    assert shares_near(posterior["mu"].values < 0.5, float(c.probability[0]))
    assert shares_near(posterior["q"].values > 0.5, float(c.probability[0]))
    for name in ("mu", "rho"):
        mean, sd = c.pooling.loc[name]
        assert near(posterior[name].values, mean)
        assert near((posterior[name].values - mean) ** 2, sd**2)
    assert near(posterior["q"].values, c.rate["mean"])
    assert shares_near(posterior["q"].values < c.rate["lower"], 0.025)
    assert shares_near(posterior["q"].values > c.rate["upper"], 0.025)
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        z = posterior["z"].values[..., i]
        assert near(z, row["share"])
        assert shares_near(z < 0.5, row["probability"])
    oracle = Pooled(PAIRS)
    # μ and ρ go together, not only each by itself.
    product = posterior["mu"].values * posterior["rho"].values
    assert near(product, oracle.mean(oracle.mu * oracle.rho))


def test_prior_draws_are_uniform_and_predictions_possible(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    prior = tree["prior"].to_dataset()
    for name in ("mu", "rho"):
        assert stats.kstest(prior[name].values.ravel(), "uniform").pvalue > 1e-4
    sizes = np.array([h + g for h, g in PAIRS])
    for group in ("prior_predictive", "posterior_predictive"):
        values = tree[group]["first_wrong"].values
        assert values.min() >= 0
        assert (values <= sizes).all()
    before = tree["prior_predictive"]["first_wrong"].values
    after = tree["posterior_predictive"]["first_wrong"].values
    mean = float(tree["posterior"]["mu"].mean())
    for i, n in enumerate(sizes):
        assert near(before[..., i].astype(float), n / 2)
        assert abs(after[..., i].mean() - n * mean) < 0.03 * n + 1e-9


def test_the_models_log_density() -> None:
    model = ask(PAIRS).model(form="nuts")
    compiled = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    for mu, rho in ((0.2, 0.1), (0.5, 0.5), (0.9, 0.02)):
        point = {
            model.rvs_to_values[model["mu"]].name: math.log(mu / (1 - mu)),
            model.rvs_to_values[model["rho"]].name: math.log(rho / (1 - rho)),
        }
        phi = (1 - rho) / rho
        expected = sum(
            float(stats.betabinom.logpmf(h, h + g, mu * phi, (1 - mu) * phi)) for h, g in PAIRS
        )
        assert float(compiled(point)) == pytest.approx(expected, abs=1e-8)


# ---------------------------------------------------------------------------------------- the model


def test_priors_of_ones_own_are_in_the_model() -> None:
    model = ask(FEW, mu=beta(2, 5), phi=gamma(3, 0.5)).model(form="nuts")
    compiled = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    mu, phi = 0.3, 4.0
    point = {
        model.rvs_to_values[model["mu"]].name: math.log(mu / (1 - mu)),
        model.rvs_to_values[model["phi"]].name: math.log(phi),
    }
    expected = stats.beta.logpdf(mu, 2, 5) + stats.gamma.logpdf(phi, 3, scale=2)
    expected += sum(stats.betabinom.logpmf(h, h + g, mu * phi, (1 - mu) * phi) for h, g in FEW)
    assert float(compiled(point)) == pytest.approx(float(expected), abs=1e-8)
    assert {v.name for v in model.deterministics} == {"rho"}


@settings(max_examples=4)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=6))
def test_words_say_what_the_figures_say(pairs: list[tuple[int, int]]) -> None:
    c = ask(pairs)
    first, second = c.probability.values
    said, verdict = c.explain(), c.decision.verdict
    if verdict == "tied":
        assert abs(first - second) < 1e-8
        assert "neither A nor B leads" in said
    else:
        winner, loser = ("A", "B") if first > second else ("B", "A")
        assert c.best == f"{winner}>{loser}"
        assert f"{winner} is better than {loser}" in said
        assert f"{loser} is better than {winner}" not in said
        top = max(first, second)
        assert verdict == ("settled" if top >= 0.95 else "likely" if top >= 0.75 else "open")
        assert ("which settles it" in said) == (verdict == "settled")
    assert json.loads(c.to_json())["explanation"] == said
    if c.decision.state != "tied":
        assert (c.posterior.claim(c.best) in c.headline()) == c.decision.settled


# ------------------------------------------------------------------------------------ words, pairs


def test_even_counts_are_a_tie_not_rounding() -> None:
    c = ask([(3, 3), (10, 10), (0, 4), (4, 0)])
    assert c.decision.verdict == "tied", c.probability.values


def test_alike_and_different_datasets_are_told_apart() -> None:
    alike = ask([(30, 60)] * 10).explain()
    apart = ask([(0, 60), (60, 0)] * 5).explain()
    assert "alike" in alike
    assert "very different" in apart


def test_pairs_mirror() -> None:
    counts = tournament("ABC", lambda a, b: 0.8 if a < b else 0.2, n_datasets=10, size=6)
    p = bc.pairwise(counts, method="hierarchical", n_jobs=1)
    matrix = p.matrix
    for a, b in (("A", "B"), ("A", "C"), ("B", "C")):
        one, two = (float(matrix.sel(algorithm=x, opponent=y)) for x, y in ((a, b), (b, a)))
        assert one + two == pytest.approx(1.0, abs=1e-9)
        pair = bc.compare(counts, method="hierarchical", algorithms=[b, a])
        assert float(pair.probability.sel(statement=f"{a}>{b}")) == pytest.approx(one, abs=1e-7)
    assert set(p.order(fdr=0.2).edges) <= {("A", "B"), ("A", "C"), ("B", "C")}
