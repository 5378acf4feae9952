"""The Poisson-binomial test as users get it: the paper, every d, quadrature, draws, many pairs."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import PoissonBinomial
from tests.oracles.context import (
    PAIRS,
    EveryD,
    better,
    counts_of,
    joint_by_quadrature,
    log_split,
    near,
    shares_near,
    tournament,
)
from tests.oracles.statements import largest_assertable

DATA = Path(__file__).parents[2] / "data"
BOTH = pytest.mark.parametrize("joint", [False, True], ids=["cut", "joint"])

pairs_of_counts = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=7
)


def ask(pairs: Any, **choices: Any) -> Any:
    counts = pairs if isinstance(pairs, bc.Results) else counts_of(pairs)
    return bc.compare(counts, method=PoissonBinomial(**choices))


def alone(pairs: Any, a: float = 1.0) -> list[float]:
    return [better(h, g, a) for h, g in pairs]


# ----------------------------------------------------------------------------------- the published


def test_svm_against_parzen() -> None:
    counts = bc.load_example("lacoste-svm-parzen")
    cut, joint = ask(counts), ask(counts, joint=True)
    for c, value in ((cut, 0.985346), (joint, 0.998807)):
        assert c.best == "svm>parzen"
        assert round(float(c.probability.sel(statement="svm>parzen")), 6) == value
        assert c.exact
        assert c.mcse is None
        assert c.decision.verdict == "settled"
    assert bc.compare(counts, method="poisson-binomial").probability.equals(cut.probability)


def test_table_2_from_the_printed_probabilities() -> None:
    """Published 0.72, 0.88, 0.52; the p's of Table 6 are rounded, and give 0.5253 for the last."""
    table = pd.read_csv(DATA / "lacoste_table6.csv")
    columns = ["p_svm_ann", "p_ann_parzen", "p_parzen_adaboost"]
    found = [bc.context_probability(table[name]) for name in columns]
    assert [round(p, 4) for p in found] == [0.7197, 0.8764, 0.5253]
    for p, value in zip(table[columns].T.to_numpy(), found, strict=True):
        assert bc.context_probability(1 - p) == pytest.approx(1 - value, abs=1e-12)


def test_the_papers_table_5_less_ten() -> None:
    table = pd.read_csv(DATA / "lacoste_table5.csv")
    pairs = list(zip(table["col1_kh"] - 10, table["col2_kg"] - 10, strict=True))
    assert round(float(ask(pairs).probability[0]), 6) == 0.985346
    assert round(bc.context_probability(alone(pairs)), 6) == 0.985346
    assert round(bc.context_probability(alone(pairs), joint=True), 6) == 0.998807


# ------------------------------------------------------------------------------ every d, one by one


@BOTH
@settings(max_examples=25)
@given(pairs=pairs_of_counts, a=st.sampled_from([1.0, 0.5, 3.0]), b=st.sampled_from([1.0, 0.5, 4]))
def test_every_figure_by_enumeration(
    joint: bool, pairs: list[tuple[int, int]], a: float, b: float
) -> None:
    c = ask(pairs, joint=joint, a=a, b=b)
    p = alone(pairs, a)
    oracle = EveryD(p, b, joint=joint)
    assert c.probability["statement"].values.tolist() == ["A>B", "B>A"]
    np.testing.assert_allclose(c.probability, [oracle.first, oracle.second], rtol=1e-9, atol=1e-13)
    assert c.rate["mean"] == pytest.approx(oracle.mean, abs=1e-12)
    assert c.rate["sd"] == pytest.approx(oracle.sd, abs=1e-9)
    assert oracle.cdf(c.rate["lower"]) == pytest.approx(0.025, abs=1e-6)
    assert oracle.cdf(c.rate["upper"]) == pytest.approx(0.975, abs=1e-6)
    table = c.per_dataset
    np.testing.assert_allclose(table["probability"], oracle.wins, atol=1e-12)
    assert table[["first_wrong", "second_wrong"]].to_numpy().tolist() == [list(k) for k in pairs]
    if joint:
        np.testing.assert_allclose(table["alone"], p, atol=1e-13)
        log_evidence = oracle.log_total + sum(math.log(2) + log_split(h, g, a) for h, g in pairs)
        assert c.log_evidence == pytest.approx(log_evidence, abs=1e-9)
    assert bc.context_probability(p, b=b, joint=joint) == pytest.approx(oracle.first, abs=1e-12)


@pytest.mark.parametrize("a", [1.0, 0.5, 2.5])
def test_the_joint_model_from_its_story(a: float) -> None:
    """Every z and r integrated out by quadrature, ten datasets."""
    pairs = [*PAIRS, (4, 4), (0, 1), (9, 3), (2, 6)]
    c = ask(pairs, joint=True, a=a, b=2.0)
    first, mean, log_evidence = joint_by_quadrature(pairs, a, 2.0)
    assert float(c.probability[0]) == pytest.approx(first, abs=1e-9)
    assert c.rate["mean"] == pytest.approx(mean, abs=1e-9)
    assert c.log_evidence == pytest.approx(log_evidence, abs=1e-8)
    assert float(c.probability[0]) == pytest.approx(
        EveryD(alone(pairs, a), 2.0, joint=True).first, abs=1e-12
    )


def test_the_evidence_of_one_possible_split_after_another_sums_to_one() -> None:
    """P(k_h | discordant) is a distribution over the splits of two datasets."""
    sizes = (3, 2)
    total = 0.0
    for h in itertools.product(*(range(n + 1) for n in sizes)):
        pairs = [(k, n - k) for k, n in zip(h, sizes, strict=True)]
        total += math.exp(ask(pairs, joint=True, b=0.7).log_evidence)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_tails_keep_their_digits() -> None:
    """Forty datasets, each all but certain: 1 − P would be 0."""
    c = ask([(0, 60)] * 40)
    expected = EveryD([better(0, 60)] * 12, joint=False)
    assert expected.second > 0
    tiny = float(c.probability.sel(statement="B>A"))
    assert tiny == pytest.approx(stats.beta.cdf(0.5, 41, 1), rel=1e-9)
    swapped = ask([(60, 0)] * 40)
    assert float(swapped.probability.sel(statement="A>B")) == pytest.approx(tiny, rel=1e-12)


def test_the_interval_by_monte_carlo() -> None:
    c = ask(PAIRS)
    rng = np.random.default_rng(0)
    wins = (rng.random((400_000, len(PAIRS))) < alone(PAIRS)).sum(axis=1)
    r = rng.beta(1 + wins, 1 + len(PAIRS) - wins)
    assert shares_near(r < c.rate["lower"], 0.025)
    assert shares_near(r > c.rate["upper"], 0.025)
    assert near(r, c.rate["mean"])


# -------------------------------------------------------------------------------- leave one out


@BOTH
def test_exact_loo_by_refits(joint: bool) -> None:
    b, a = 1.5, 2.0
    c = ask(PAIRS, joint=joint, a=a, b=b)
    loo = c.loo()
    expected, within = [], []
    whole = EveryD(alone(PAIRS, a), b, joint=joint).mean
    for i, (h, g) in enumerate(PAIRS):
        others = [k for j, k in enumerate(PAIRS) if j != i]
        rate = EveryD(alone(others, a), b, joint=joint).mean
        p, level = better(h, g, a), math.log(2) + log_split(h, g, a)
        expected.append(level + math.log(rate * p + (1 - rate) * (1 - p)))
        within.append(level + math.log(whole * p + (1 - whole) * (1 - p)))
    np.testing.assert_allclose(loo.elpd_i, expected, atol=1e-10)
    assert loo.elpd_i["dataset"].values.tolist() == list(c.results.datasets)
    assert loo.elpd == pytest.approx(sum(expected))
    assert loo.p == pytest.approx(sum(within) - sum(expected))
    if joint:
        whole_evidence = [
            ask([k for j, k in enumerate(PAIRS) if j != i], joint=True, a=a, b=b).log_evidence
            for i in range(len(PAIRS))
        ]
        np.testing.assert_allclose(loo.elpd_i, c.log_evidence - np.array(whole_evidence), atol=1e-9)


@pytest.mark.parametrize("a", [1.0, 0.5, 0.3])
def test_psis_of_exact_draws_agrees_with_exact_loo(a: float) -> None:
    """A dataset with as many errors of either has a log likelihood that is constant but for
    rounding: leaving it out changes nothing, and nothing may fail on it."""
    c = ask([(12, 12), (5, 5), (3, 9), (2, 8), (7, 4), (0, 6)], joint=True, a=a)
    tree = c.draws(1000, chains=4, rng=0)
    found, exact = c.loo(tree), c.loo()
    np.testing.assert_allclose(found.elpd_i, exact.elpd_i, atol=0.02)
    assert c.diagnose(tree).ok


def test_arviz_compares_the_tests_of_a_context() -> None:
    pairs = [*PAIRS, (2, 4), (3, 5)]
    models = {
        "joint": ask(pairs, joint=True).loo(),
        "pooled": bc.compare(counts_of(pairs), method="hierarchical").loo(),
    }
    table = az.compare(models)
    assert set(table.index) == set(models)


def test_the_cut_formula_has_no_evidence_and_says_why() -> None:
    with pytest.raises(BayescompareError) as caught:
        _ = ask(PAIRS).log_evidence
    said = str(caught.value)
    assert "prior of your own" not in said, said
    assert "joint" in said, said


# --------------------------------------------------------------------------------------- symmetries


@BOTH
@settings(max_examples=15)
@given(pairs=pairs_of_counts, seed=st.integers(0, 1000))
def test_swapping_relabelling_and_permuting(
    joint: bool, pairs: list[tuple[int, int]], seed: int
) -> None:
    c = ask(pairs, joint=joint)
    swapped = bc.compare(c.results, method=c.method, algorithms=["B", "A"])
    for label in ("A>B", "B>A"):
        assert float(swapped.probability.sel(statement=label)) == pytest.approx(
            float(c.probability.sel(statement=label)), abs=1e-12
        )
    assert swapped.best == c.best
    assert swapped.decision.verdict == c.decision.verdict
    np.testing.assert_allclose(
        swapped.per_dataset["probability"], 1 - c.per_dataset["probability"], atol=1e-12
    )
    assert swapped.rate["mean"] == pytest.approx(1 - c.rate["mean"], abs=1e-12)
    assert swapped.rate["lower"] == pytest.approx(1 - c.rate["upper"], abs=1e-7)
    np.testing.assert_allclose(swapped.loo().elpd_i, c.loo().elpd_i, atol=1e-9)
    order = np.random.default_rng(seed).permutation(len(pairs))
    mixed = ask([pairs[i] for i in order], joint=joint)
    np.testing.assert_allclose(mixed.probability, c.probability, atol=1e-12)
    np.testing.assert_allclose(
        mixed.per_dataset["probability"], c.per_dataset["probability"].to_numpy()[order], atol=1e-12
    )
    named = ask(counts_of(pairs, algorithms=("zebra", "ape")), joint=joint)
    np.testing.assert_array_equal(named.probability.values, c.probability.values)


@BOTH
def test_examples_that_both_got_wrong_or_right_change_nothing(joint: bool) -> None:
    bare, full = ask(PAIRS, joint=joint), ask(counts_of(PAIRS, n=500, both=7), joint=joint)
    np.testing.assert_array_equal(bare.probability.values, full.probability.values)
    np.testing.assert_array_equal(bare.loo().elpd_i, full.loo().elpd_i)


# -------------------------------------------------------------------------------------------- draws

GROUPS = {
    "posterior",
    "prior",
    "posterior_predictive",
    "prior_predictive",
    "observed_data",
    "constant_data",
    "log_likelihood",
    "log_prior",
}


@pytest.fixture(scope="module", params=[False, True], ids=["cut", "joint"])
def drawn(request: pytest.FixtureRequest) -> tuple[Any, xr.DataTree]:
    c = ask(counts_of(PAIRS, n=80), joint=request.param, a=1.5, b=2.0)
    return c, c.draws(5000, chains=4, rng=1)


def test_groups_variables_and_shapes(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    assert set(tree.children) == GROUPS
    sample = ("chain", "draw")
    over = (*sample, "dataset")
    parameters = {"r": sample, "d": over, "z": over, "p": (*over, "outcome")}
    for group, variables in {
        "posterior": parameters,
        "prior": parameters,
        "posterior_predictive": {"first_wrong": over},
        "prior_predictive": {"first_wrong": over},
        "log_likelihood": {"first_wrong": over},
        "log_prior": {"r": sample},
        "observed_data": {"first_wrong": ("dataset",)},
    }.items():
        data = tree[group].to_dataset()
        assert {str(k): v.dims for k, v in data.data_vars.items()} == variables, group
    posterior = tree["posterior"].to_dataset()
    assert dict(posterior.sizes) == {"chain": 4, "draw": 5000, "dataset": 6, "outcome": 3}
    assert posterior["dataset"].values.tolist() == list(c.results.datasets)
    assert tree["observed_data"]["first_wrong"].values.tolist() == [h for h, _ in PAIRS]
    assert "p" not in ask(PAIRS).draws(2, chains=1, rng=0)["posterior"]


def test_draws_have_the_exact_moments(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    posterior = tree["posterior"].to_dataset()
    r, d, z = (posterior[name].values for name in "rdz")
    assert shares_near(r > 0.5, float(c.probability[0]))
    assert near(r, c.rate["mean"])
    assert near((r - c.rate["mean"]) ** 2, c.rate["sd"] ** 2)
    for i, (h, g) in enumerate(PAIRS):
        p = c.per_dataset["probability"].iloc[i]
        assert shares_near(d[..., i] == 1, p)
        # Given its side z is a Beta cut at ½; the two sides weigh as P(d).
        low = special.betainc(2.5 + h, 1.5 + g, 0.5) / special.betainc(1.5 + h, 1.5 + g, 0.5)
        high = special.betaincc(2.5 + h, 1.5 + g, 0.5) / special.betaincc(1.5 + h, 1.5 + g, 0.5)
        mean = (1.5 + h) / (3 + h + g)
        assert near(z[..., i], mean * (p * low + (1 - p) * high))


def test_d_says_on_which_side_z_lies(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        assert set(np.unique(data["d"])) <= {0, 1}
        assert bool(((data["z"] < 0.5) == (data["d"] == 1)).all())


def test_p_is_a_distribution_over_what_can_happen(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        np.testing.assert_allclose(data["p"].sum("outcome"), 1.0, atol=1e-12)
        assert bool((data["p"] >= 0).all())
        shares = data["p"].isel(outcome=0) / data["p"].isel(outcome=[0, 1]).sum("outcome")
        np.testing.assert_allclose(shares, data["z"], atol=1e-9)
    assert data["outcome"].values.tolist() == ["only A wrong", "only B wrong", "neither alone"]
    # What neither alone got wrong is Beta by Theorem 4.1's Dirichlet, whatever z.
    for i, (h, g) in enumerate(PAIRS):
        rest = tree["posterior"]["p"].values[..., i, 2]
        assert near(rest, (1.5 + 80 - h - g) / (4.5 + 80))
    del c


def test_draws_of_d_are_as_correlated_as_the_model_says(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    oracle = EveryD(alone(PAIRS, 1.5), 2.0, joint=c.method.joint)
    d = tree["posterior"]["d"].values.reshape(-1, len(PAIRS))
    for i, j in itertools.combinations(range(len(PAIRS)), 2):
        together = float(oracle.weight @ (oracle.d[:, i] * oracle.d[:, j]))
        assert shares_near((d[:, i] & d[:, j]) == 1, together)
    r = tree["posterior"]["r"].values.ravel()
    for i in range(len(PAIRS)):
        both = oracle.weight @ (oracle.d[:, i] * oracle.alpha / (oracle.alpha + oracle.beta))
        assert near(r * d[:, i], float(both))


def test_the_log_likelihood_is_that_of_the_splits(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    r = tree["posterior"]["r"].values[0, :50]
    found = tree["log_likelihood"]["first_wrong"].values[0, :50]
    for i, (h, g) in enumerate(PAIRS):
        p = better(h, g, 1.5)
        expected = math.log(2) + log_split(h, g, 1.5) + np.log(r * p + (1 - r) * (1 - p))
        np.testing.assert_allclose(found[:, i], expected, atol=1e-10)
    log_prior = tree["log_prior"]["r"].values[0, :50]
    # Of logit r: raising it to γ means Beta(2γ, 2γ).
    of_logit = stats.beta.logpdf(r, 2, 2) + np.log(r) + np.log1p(-r)
    np.testing.assert_allclose(log_prior, of_logit, atol=1e-10)


def test_prior_draws_and_predictions(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    prior = tree["prior"].to_dataset()
    r = prior["r"].values
    assert near(r, 0.5)
    assert near((r - 0.5) ** 2, 1 / 20)
    predicted = tree["prior_predictive"]["first_wrong"].values
    for i, (h, g) in enumerate(PAIRS):
        assert shares_near(prior["d"].values[..., i] == 1, 0.5)
        assert near(prior["z"].values[..., i], 0.5)
        assert near(predicted[..., i].astype(float), (h + g) / 2)
        assert predicted[..., i].max() <= h + g
    # A new dataset: the first is better with probability r, then z on that side.
    after = tree["posterior_predictive"]["first_wrong"].values
    side = 2.0 * special.betainc(2.5, 1.5, 0.5) / 2.0
    rate = c.rate["mean"]
    for i, (h, g) in enumerate(PAIRS):
        expected = (h + g) * (rate * side + (1 - rate) * (1 - side))
        assert near(after[..., i].astype(float), expected)


def test_draws_can_be_had_again() -> None:
    c = ask(PAIRS, joint=True)
    first, again, other = (c.draws(20, chains=2, rng=seed) for seed in (5, 5, 6))
    assert first["posterior"].to_dataset().equals(again["posterior"].to_dataset())
    assert not first["posterior"].to_dataset().equals(other["posterior"].to_dataset())


# ---------------------------------------------------------------------------------------- the model


def log_density(model: pm.Model, **values: float) -> float:
    """Log prior and likelihood at untransformed values, without Jacobians."""
    compiled = model.compile_logp(jacobian=False)
    point = {}
    for rv in model.free_RVs:
        value = model.rvs_to_values[rv]
        transform = model.rvs_to_transforms[rv]
        x = np.asarray(values[rv.name])
        point[value.name] = (
            x if transform is None else transform.forward(x, *rv.owner.inputs).eval()
        )
    return float(compiled(point))


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 3.0)])
def test_the_models_log_density(a: float, b: float) -> None:
    model = ask(PAIRS, joint=True, a=a, b=b).model()
    assert [rv.name for rv in model.free_RVs] == ["r"]
    for r in (0.03, 0.4, 0.5, 0.87):
        expected = float(stats.beta.logpdf(r, b, b))
        for h, g in PAIRS:
            p = better(h, g, a)
            expected += math.log(2) + log_split(h, g, a) + math.log(r * p + (1 - r) * (1 - p))
        assert log_density(model, r=r) == pytest.approx(expected, abs=1e-8)


@pytest.mark.filterwarnings("ignore:Numba will use object mode")
def test_the_models_predictions_are_the_draws_predictions() -> None:
    c = ask([(3, 9), (0, 0), (6, 2)], joint=True)
    with c.model():
        prior = pm.sample_prior_predictive(4000, random_seed=1)
    predicted = prior["prior_predictive"]["first_wrong"].values
    for i, n in enumerate((12, 0, 8)):
        # Marginally uniform: z is uniform, whatever r.
        counts = np.bincount(predicted[..., i].ravel(), minlength=n + 1)
        assert len(counts) == n + 1
        if n:
            assert stats.chisquare(counts).pvalue > 1e-4


# ------------------------------------------------------------------------------------------- priors


def test_b_as_a_number_is_b() -> None:
    for joint in (False, True):
        own = ask(PAIRS, joint=joint, priors={"b": 3})
        assert own.exact
        np.testing.assert_array_equal(
            own.probability.values, ask(PAIRS, joint=joint, b=3.0).probability.values
        )
    assert own.loo().elpd == pytest.approx(ask(PAIRS, joint=True, b=3.0).loo().elpd)
    assert own.draws(2, chains=1, rng=0)["posterior"]["r"].size == 2


@pytest.mark.parametrize(
    ("choices", "needed"),
    [
        ({"a": 0}, "a=0"),
        ({"a": float("inf")}, "a=inf"),
        ({"b": -1.0}, "b=-1"),
        ({"b": "1"}, "b='1'"),
        ({"b": True}, "b=True"),
        ({"joint": 1}, "joint=1"),
        ({"priors": {"r": 0.5}}, "priors['r']"),
        ({"priors": {"b": 0}}, "priors['b']=0"),
        ({"priors": {"b": 2}, "b": 3.0}, "b=3"),
        ({"priors": {"theta": 1}}, "priors['theta']"),
        ({"priors": {"r": "Beta(1, 1)"}}, "priors['r']"),
        ({"priors": {"b": 1, "r": 2}}, "r and b"),
        ({"priors": [1]}, "priors=[1]"),
    ],
)
def test_bad_choices(choices: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)):
        PoissonBinomial(**choices)


def test_a_prior_of_ones_own_needs_the_model() -> None:
    with pytest.raises(BayescompareError, match="joint=True"):
        PoissonBinomial(priors={"r": pm.Beta.dist(2, 2)})
    with pytest.raises(BayescompareError, match="joint=True"):
        PoissonBinomial(priors={"b": pm.Gamma.dist(2, 1)})
    with pytest.raises(BayescompareError, match="dimension"):
        ask(PAIRS, joint=True, priors={"r": pm.Beta.dist(2, 2, shape=3)})


def test_a_prior_of_r_off_the_unit_interval_is_refused() -> None:
    """r is a share of datasets: under Normal(0, 1) its interval was "1 to 118 %"."""
    method = PoissonBinomial(joint=True, priors={"r": pm.Normal.dist(0, 1)})
    with pytest.raises(BayescompareError, match=re.escape("priors['r']")):
        bc.compare(
            counts_of(PAIRS),
            method=method,
            rng=0,
            sampler={"draws": 20, "tune": 20, "chains": 1, "progressbar": False},
        )


def test_the_priors_are_described() -> None:
    assert bc.methods.describe("poisson-binomial").index.tolist() == ["r", "b"]
    assert bc.methods.describe("hierarchical").index.tolist() == ["mu", "rho", "phi"]


@pytest.mark.parametrize(
    ("p", "options", "needed"),
    [
        ([], {}, "p"),
        ([[0.5]], {}, "p has shape (1, 1)"),
        (0.5, {}, "p"),
        ("ab", {}, "p='ab'"),
        ([0.5, 1.2], {}, "p[1]=1.2"),
        ([0.5, -0.1], {}, "p[1]=-0.1"),
        ([float("nan")], {}, "p[0]=nan"),
        (None, {}, "p"),
        ([0.5], {"b": 0}, "b=0"),
        ([0.5], {"b": "x"}, "b='x'"),
        # Any text is true, "no" as well.
        ([0.5, 0.9], {"joint": "no"}, "joint='no'"),
    ],
)
def test_bad_probabilities(p: Any, options: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)):
        bc.context_probability(p, **options)


def test_probabilities_of_zero_and_one() -> None:
    assert bc.context_probability([1.0, 1.0, 0.0]) == pytest.approx(stats.beta.sf(0.5, 3, 2))
    assert bc.context_probability([1.0, 0.0], joint=True) == pytest.approx(0.5)
    assert bc.context_probability([1.0], b=2.0) == pytest.approx(stats.beta.sf(0.5, 3, 2))


# ------------------------------------------------------------------------------------------- words


@BOTH
@settings(max_examples=25)
@given(pairs=pairs_of_counts)
def test_words_headline_and_json_say_what_the_figures_say(
    joint: bool, pairs: list[tuple[int, int]]
) -> None:
    c = ask(pairs, joint=joint)
    first, second = c.probability.values
    said, headline = c.explain(), c.headline()
    verdict = c.decision.verdict
    p = max(first, second)
    if abs(first - second) < 1e-9:
        assert verdict == "tied"
        assert "neither A nor B leads" in said
        assert "settles" not in said
    else:
        winner, loser = ("A", "B") if first > second else ("B", "A")
        assert c.best == f"{winner}>{loser}"
        assert f"{winner} is better than {loser}" in said
        assert f"{loser} is better than {winner}" not in said
        assert headline.startswith(c.best)
        expected = "settled" if p >= 0.95 else "likely" if p >= 0.75 else "open"
        assert verdict == expected
        assert ("which settles it" in said) == (verdict == "settled")
        assert ("not settled" in said) == (verdict == "likely")
        assert ("open" in said) == (verdict == "open")
    told = json.loads(c.to_json())
    assert told["best"] == c.best
    assert told["verdict"] == verdict
    assert told["explanation"] == said
    assert told["exact"] is True
    assert [s["probability"] for s in told["statements"]] == [first, second]
    assert told["figures"]["rate_mean"] == c.rate["mean"]
    assert told["details"]["per_dataset"]["probability"] == c.per_dataset["probability"].tolist()


def test_the_summary_is_the_same_numbers() -> None:
    c = ask(PAIRS, joint=True)
    table = c.summary()
    assert table.index.tolist() == ["A>B", "B>A"]
    assert table["probability"].sum() == pytest.approx(1.0)
    assert table["count"].tolist() == [4.0, 2.0]
    assert table.loc["A>B", "theta_mean"] == c.rate["mean"]
    assert table.loc["B>A", "theta_lower"] == pytest.approx(1 - c.rate["upper"])


def test_what_it_does_not_have_is_said() -> None:
    c = ask(PAIRS)
    for name in ("questions", "network", "pvalue", "unobserved", "pooling"):
        with pytest.raises(BayescompareError, match=name):
            getattr(c, name)
        with pytest.raises(AttributeError):
            getattr(c, name)


@BOTH
def test_picture_and_report(joint: bool, tmp_path: Path) -> None:
    c = ask(PAIRS, joint=joint)
    assert c.plot() is not None
    page = c.report(tmp_path / "c.html").read_text(encoding="utf-8")
    assert "A&gt;B" in page or "A>B" in page


# --------------------------------------------------------------------------------------- many pairs


@pytest.fixture(scope="module")
def cycle() -> bc.Pairwise:
    """Lacoste et al., Figure 2: A beats B, B beats C and C beats A, each on two thirds."""
    risks = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.1, 0.2), "c": (0.2, 0.3, 0.1)}
    rows = []
    for copy, (task, errors) in itertools.product(range(20), risks.items()):
        for name, risk in zip("ABC", errors, strict=True):
            # Errors of one do not overlap with those of another: 100 examples each.
            start = 100 * "ABC".index(name) // 3
            wrong = set(range(start, start + round(100 * risk)))
            rows += [(f"{task}{copy}", i, name, int(i not in wrong)) for i in range(133)]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "correct"])
    counts = bc.ErrorCounts.from_predictions(frame, correct="correct")
    return bc.pairwise(counts, method="poisson-binomial", n_jobs=1)


def rotations(cycle: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {(*cycle[i:], *cycle[:i]) for i in range(len(cycle))}


def test_figure_2s_cycle_is_found_and_named(cycle: bc.Pairwise) -> None:
    assert float(cycle.matrix.sel(algorithm="A", opponent="B")) > 0.95
    assert float(cycle.matrix.sel(algorithm="B", opponent="C")) > 0.95
    assert float(cycle.matrix.sel(algorithm="C", opponent="A")) > 0.95
    graph = cycle.order()
    assert set(graph.edges) == {("A", "B"), ("B", "C"), ("C", "A")}
    assert graph.graph["cycles"] == [("A", "B", "C")]
    said = cycle.explain()
    assert "A over B over C over A" in said
    assert "ranking" in said or "transitive" in said


def test_without_a_cycle_none_is_named() -> None:
    rank = tournament("ABCD", lambda a, b: 1.0 if a < b else 0.0)
    p = bc.pairwise(rank, method="poisson-binomial", n_jobs=1)
    assert p.order().graph["cycles"] == []
    assert "transitive" not in p.explain()
    assert len(p.order().edges) == 6


@BOTH
def test_the_matrix_is_compare_and_mirrors(joint: bool) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", i, a, int(rng.random() < 0.7 + 0.05 * k))
        for d in range(5)
        for i in range(30)
        for k, a in enumerate("ABCD")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "correct"])
    counts = bc.ErrorCounts.from_predictions(frame, correct="correct")
    p = bc.pairwise(counts, method=PoissonBinomial(joint=joint), n_jobs=1)
    matrix = p.matrix
    for a, b in itertools.permutations("ABCD", 2):
        cell = float(matrix.sel(algorithm=a, opponent=b))
        assert cell + float(matrix.sel(algorithm=b, opponent=a)) == pytest.approx(1, abs=1e-12)
        pairs = [(int(h), int(g)) for h, g in zip(*counts.pair(a, b), strict=True)]
        assert cell == pytest.approx(EveryD(alone(pairs), joint=joint).first, abs=1e-12)
    assert np.isnan(np.diag(matrix)).all()
    decided = p.decide(fdr=0.2)
    assert len(decided) == 6
    assert decided["asserted"].sum() == largest_assertable(decided["probability"].tolist(), 0.2)
    best = bc.pairwise(counts, method=PoissonBinomial(joint=joint), reference="C", n_jobs=1)
    assert len(best.comparisons) == 3
    assert float(best.matrix.sel(algorithm="C", opponent="A")) == float(
        matrix.sel(algorithm="C", opponent="A")
    )


def test_an_added_algorithm_changes_no_pair(cycle: bc.Pairwise) -> None:
    counts = cycle.results
    pair = bc.compare(counts, method="poisson-binomial", algorithms=["A", "C"])
    assert float(pair.probability.sel(statement="C>A")) == float(
        cycle.matrix.sel(algorithm="C", opponent="A")
    )
    assert cycle["C", "A"].best == "C>A"


#: Two groups that each go round; everything in the first is above everything in the second.
GROUPS_OF_TWO = {
    **dict.fromkeys([("A", "B"), ("B", "C"), ("C", "A")], 1.0),
    **dict.fromkeys([("X", "Y"), ("Y", "Z"), ("Z", "X")], 1.0),
    **dict.fromkeys(itertools.product("ABC", "XYZ"), 1.0),
}


def by_table(wins: dict[tuple[str, str], float]) -> Any:
    return lambda a, b: wins[a, b] if (a, b) in wins else 1.0 - wins[b, a]


@pytest.mark.parametrize("names", ["ABCXYZ", "ZCYBXA", "XAYBZC", "BCAZXY"])
def test_cycles_of_separate_groups_do_not_depend_on_the_listing(names: str) -> None:
    counts = tournament(names, by_table(GROUPS_OF_TWO))
    found = bc.pairwise(counts, method="poisson-binomial", n_jobs=1).order().graph["cycles"]
    assert len(found) == 2
    assert {frozenset(rotations(c)) for c in found} == {
        frozenset(rotations(c)) for c in (("A", "B", "C"), ("X", "Y", "Z"))
    }


#: A > C > D > A and A > B > D > A: two cycles of three in one group.
ENTWINED = dict.fromkeys(
    [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("A", "C"), ("B", "D")], 1.0
)


def test_the_cycle_named_does_not_depend_on_the_listing() -> None:
    """Listing the algorithms in another order must not change what is said about them."""
    found = set()
    for names in itertools.permutations("ABCD"):
        counts = tournament(names, by_table(ENTWINED))
        p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
        found |= {frozenset(rotations(c)) for c in p.order().graph["cycles"]}
    assert len(found) == 1, sorted(min(rotations) for rotations in found)


def test_every_cycle_named_is_one() -> None:
    rng = np.random.default_rng(0)
    names = [f"a{i:02}" for i in range(12)]
    wins = {pair: float(rng.random() < 0.5) for pair in itertools.combinations(names, 2)}
    p = bc.pairwise(tournament(names, by_table(wins)), method="poisson-binomial", n_jobs=1)
    graph = p.order()
    assert graph.graph["cycles"]
    for turn in graph.graph["cycles"]:
        assert len(turn) == len(set(turn)) >= 3
        assert all(graph.has_edge(a, b) for a, b in zip(turn, (*turn[1:], turn[0]), strict=True))


def test_many_algorithms_with_many_cycles_are_told_briefly() -> None:
    """A random tournament of forty is one group with thousands of cycles."""
    rng = np.random.default_rng(1)
    names = [f"a{i:02}" for i in range(40)]
    wins = {pair: float(rng.random() < 0.5) for pair in itertools.combinations(names, 2)}
    counts = tournament(names, by_table(wins))
    p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
    said = p.explain()
    assert len(said) < 10_000
    assert "further cycle" in said or said.count("Not transitive") >= 1


def test_errors_name_the_pair(cycle: bc.Pairwise) -> None:
    counts = cycle.results.sel(datasets=[cycle.results.datasets[0]])
    with pytest.raises(BayescompareError, match="A against B"):
        bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
    with pytest.raises(BayescompareError, match="reference='Q'"):
        bc.pairwise(cycle.results, method="poisson-binomial", reference="Q", n_jobs=1)


def test_pairs_left_open_are_not_told_to_take_a_rope(cycle: bc.Pairwise) -> None:
    """Counts of errors have no rope: the advice cannot be followed."""
    said = cycle.explain()
    assert "rope" not in said, said


def test_a_pairwise_json_holds_every_comparison(cycle: bc.Pairwise) -> None:
    told = json.loads(cycle.to_json())
    assert len(told["comparisons"]) == 3
    assert all(row["asserted"] for row in told["decided"])
    assert told["explanation"] == cycle.explain()


# ------------------------------------------------------------------- the formula and the full model


def test_model_and_sample_of_the_formula_are_refused() -> None:
    """They would be of the full model, and so give another answer than the formula's."""
    c = ask(PAIRS)
    for call in (c.model, c.sample, lambda: c.sample(model=ask(PAIRS, joint=True).model())):
        with pytest.raises(BayescompareError, match="joint=True") as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(BayescompareError, match="joint=True"):
        PoissonBinomial().model(c.results)
    assert ".sample()" not in repr(c)
    assert ".draws()" in repr(c)
    assert ".sample()" in repr(ask(PAIRS, joint=True))


@BOTH
def test_draws_check_and_sensitivity_are_of_the_same_formula(joint: bool) -> None:
    c = ask(PAIRS, joint=joint)
    tree = c.draws(4000, chains=2, rng=1)
    assert shares_near(tree["posterior"]["r"].values > 0.5, float(c.probability[0]))
    assert c.sensitivity([1.0]).iloc[0].to_numpy() == pytest.approx(c.probability.values)
    # k-hat is about weighing the draws, which those of the formula cannot be.
    assert ("greatest k-hat" in c.diagnose(tree).figures) == joint
    predicted = c.check(tree).loc["share of errors that are the first's", "predicted"]
    side = 0.25 * c.rate["mean"] + 0.75 * (1 - c.rate["mean"])
    assert predicted == pytest.approx(side, abs=0.01)
