"""The Poisson-binomial test's figures: the paper, every d, leave-one-out, symmetries, priors."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import PoissonBinomial
from tests.cases import few_quick
from tests.methods.context.cases import BOTH, alone, ask, pairs_of_counts
from tests.oracles.context import (
    PAIRS,
    EveryD,
    better,
    counts_of,
    log_split,
    shares_near,
)

DATA = Path(__file__).parents[3] / "reproduction" / "data"


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


def test_tails_keep_their_digits() -> None:
    """Forty datasets, each all but certain: 1 − P would be 0."""
    c = ask([(0, 60)] * 40)
    expected = EveryD([better(0, 60)] * 12, joint=False)
    assert expected.second > 0
    tiny = float(c.probability.sel(statement="B>A"))
    assert tiny == pytest.approx(stats.beta.cdf(0.5, 41, 1), rel=1e-9)
    swapped = ask([(60, 0)] * 40)
    assert float(swapped.probability.sel(statement="A>B")) == pytest.approx(tiny, rel=1e-12)


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


@pytest.mark.parametrize("a", few_quick([1.0, 0.3, 0.5], 2))
def test_psis_of_exact_draws_agrees_with_exact_loo(a: float) -> None:
    """A dataset with as many errors of either has a log likelihood that is constant but for
    rounding: leaving it out changes nothing, and nothing may fail on it."""
    c = ask([(12, 12), (5, 5), (3, 9), (2, 8), (7, 4), (0, 6)], joint=True, a=a)
    tree = c.draws(1000, chains=4, rng=0)
    found, exact = c.loo(tree), c.loo()
    np.testing.assert_allclose(found.elpd_i, exact.elpd_i, atol=0.02)
    assert c.diagnose(tree).ok


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
        ({"priors": {"b": 1, "r": 0.5}}, "r and b"),
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


# ------------------------------------------------------------------- a prior that favours, and wins


def enumerated(joint: bool, b: tuple[float, float]) -> tuple[float, np.ndarray]:
    """P(r > ½) and P(κ), over every assignment of d written out."""
    p = np.array(alone(PAIRS))
    d = np.array(list(itertools.product((0, 1), repeat=len(p))))
    weight = np.where(d, p, 1 - p).prod(axis=1)
    wins = d.sum(axis=1)
    first, second = b[0] + wins, b[1] + len(p) - wins
    if joint:
        weight = weight * np.exp(special.betaln(first, second) - special.betaln(*b))
    weight /= weight.sum()
    above = float(weight @ stats.beta.sf(0.5, first, second))
    return above, np.bincount(wins, weight, len(p) + 1)


@BOTH
@pytest.mark.parametrize("b", [(1.0, 1.0), (2.0, 1.0), (0.5, 3.0)])
def test_unequal_priors_and_wins_by_enumeration(joint: bool, b: tuple[float, float]) -> None:
    c = ask(PAIRS, joint=joint, b=b if b[0] != b[1] else b[0])
    above, wins = enumerated(joint, b)
    assert float(c.probability[0]) == pytest.approx(above, abs=1e-12)
    p = alone(PAIRS)
    assert bc.context_probability(p, b=b, joint=joint) == pytest.approx(above, abs=1e-12)
    np.testing.assert_allclose(c.wins, wins, atol=1e-13)
    np.testing.assert_array_equal(c.wins.index, np.arange(len(PAIRS) + 1))
    assert ("favours" in c.explain()) == (b[0] != b[1])
    drawn = c.draws(4000, chains=2, rng=1)["posterior"]
    assert shares_near(drawn["r"].values > 0.5, above)
    for k, share in enumerate(wins):
        assert shares_near(drawn["d"].values.sum(axis=-1) == k, share)


def test_the_papers_context_under_a_prior_that_favours_svm() -> None:
    counts = bc.load_example("lacoste-svm-parzen")
    c = bc.compare(counts, method=PoissonBinomial(b=(2, 1)))
    assert float(c.probability[0]) == pytest.approx(0.989986, abs=5e-7)
    plain = bc.compare(counts, method=PoissonBinomial())
    assert float(plain.wins.index @ plain.wins) == pytest.approx(16.931, abs=5e-4)
    assert c.method.options()["b"] == (2.0, 1.0)
    assert PoissonBinomial(b=[2, 1]) == PoissonBinomial(b=(2.0, 1.0))


@pytest.mark.parametrize("b", [(1.0,), (1.0, 0.0), (1.0, "2"), (1, 2, 3), True])
def test_bad_pairs_of_weights(b: Any) -> None:
    for refused in (lambda: PoissonBinomial(b=b), lambda: bc.context_probability([0.4], b=b)):
        with pytest.raises(BayescompareError, match=r"b(\[\d\])?="):
            refused()


# -------------------------------------------------------------------------- independent test sets


def with_all_errors(n: int | None = 80) -> bc.ErrorCounts:
    frame = pd.DataFrame(PAIRS, columns=["a", "b"]).assign(both=2, dataset=list("pqrstu"), n=n)
    sizes = {} if n is None else {"both_wrong": "both", "n": "n"}
    return bc.ErrorCounts.from_frame(
        frame, first_wrong="a", second_wrong="b", algorithms=("A", "B"), **sizes
    )


@BOTH
def test_each_algorithm_with_a_test_set_of_its_own(joint: bool) -> None:
    """P of each dataset by draws of two Betas; the context by its formula."""
    c = ask(with_all_errors(), joint=joint, independent=True, a=1.5)
    p = c.per_dataset["alone" if joint else "probability"].to_numpy()
    rng = np.random.default_rng(0)
    for i, (h, g) in enumerate(PAIRS):
        first, second = (rng.beta(1.5 + 2 + k, 1.5 + 78 - k, 40_000) for k in (h, g))
        assert shares_near(first < second, p[i])
    assert float(c.probability[0]) == pytest.approx(
        bc.context_probability(p, joint=joint), abs=1e-12
    )
    assert c.per_dataset["first_wrong"].tolist() == [h + 2 for h, _ in PAIRS]
    assert "test set of its own" in c.explain()
    tree = c.draws(2000, chains=2, rng=1)
    assert set(tree["posterior"].data_vars) == {"r", "d", "theta"}
    assert shares_near(tree["posterior"]["r"].values > 0.5, float(c.probability[0]))
    assert c.plan([5], simulations=5, rng=0)["settled"].between(0, 1).all()
    with pytest.raises(BayescompareError, match=r"independent=True|joint=True"):
        c.model()
    if joint:
        each = [stats.betabinom.logpmf(k + 2, 80, 1.5, 1.5) for pair in PAIRS for k in pair]
        mean = integrate.quad(lambda r: np.prod(r * p + (1 - r) * (1 - p)), 0, 1, epsabs=1e-14)[0]
        whole = float(np.sum(each)) + math.log(mean) + len(p) * math.log(2)
        assert c.log_evidence == pytest.approx(whole, abs=1e-8)


def test_independent_test_sets_need_all_errors() -> None:
    with pytest.raises(BayescompareError, match="both_wrong= and n="):
        ask(with_all_errors(None), independent=True)


# ----------------------------------------------------------------------- errors of unequal priors

KINDS = (2.0, 5.0, 1.5)


def test_a_prior_of_each_kind_of_error() -> None:
    """α' of each (Section 4): Theorem 4.1 with both, and the full model by an integral over r."""
    p = [float(stats.beta.cdf(0.5, KINDS[0] + h, KINDS[1] + g)) for h, g in PAIRS]
    cut, joint = (ask(counts_of(PAIRS), joint=joint, a=KINDS) for joint in (False, True))
    np.testing.assert_allclose(cut.per_dataset["probability"], p, atol=1e-12)
    assert float(cut.probability[0]) == pytest.approx(EveryD(p, joint=False).first, abs=1e-11)
    before = float(stats.beta.cdf(0.5, *KINDS[:2]))

    def likelihood(r: float) -> float:
        sides = [r * q / before + (1 - r) * (1 - q) / (1 - before) for q in p]
        splits = [stats.betabinom.pmf(h, h + g, *KINDS[:2]) for h, g in PAIRS]
        return float(np.prod(sides) * np.prod(splits))

    whole, above = (integrate.quad(likelihood, low, 1, epsabs=0)[0] for low in (0.0, 0.5))
    assert float(joint.probability[0]) == pytest.approx(above / whole, abs=1e-9)
    assert joint.log_evidence == pytest.approx(math.log(whole), abs=1e-9)
    model = joint.model(form="nuts")
    found = model.compile_logp(vars=model.observed_RVs, mode="FAST_COMPILE")
    at = float(found({"r_logodds__": np.array(math.log(0.3 / 0.7))}))
    assert at == pytest.approx(math.log(likelihood(0.3)), abs=1e-9)
    posterior = joint.draws(4000, chains=2, rng=1)["posterior"].to_dataset()
    share = posterior["d"].mean(("chain", "draw")).values
    np.testing.assert_allclose(share, joint.per_dataset["probability"], atol=0.025)
    # What either form says of new datasets on which the first is better four times in five.
    drawn = [
        pm.draw(pm.do(joint.model(form=form), {"r": 0.8})["first_wrong"], 1500, random_seed=3,
                mode="FAST_COMPILE").mean(axis=0)
        for form in ("textbook", "nuts")
    ]  # fmt: skip
    size = np.array([h + g for h, g in PAIRS])
    np.testing.assert_allclose(drawn[0], drawn[1], atol=0.025 * size.max())


def test_priors_of_either_risk() -> None:
    """Beta(1, 1) and Beta(2, 9), by draws of both."""
    priors = ((1.0, 1.0), (2.0, 9.0))
    c = ask(with_all_errors(), independent=True, a=priors)
    rng = np.random.default_rng(0)
    for i, pair in enumerate(PAIRS):
        first, second = (
            rng.beta(u + 2 + k, v + 78 - k, 40_000) for k, (u, v) in zip(pair, priors, strict=True)
        )
        assert shares_near(first < second, float(c.per_dataset["probability"].iloc[i]))
    assert PoissonBinomial(**json.loads(json.dumps(c.method.options()))) == c.method


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"a": (1, 2, 3, 4)}, "a=(1, 2, 3, 4)"),
        ({"a": (1, 0)}, "a[1]=0"),
        ({"a": (1, 2), "independent": True}, "α' and β' of either risk"),
        ({"a": ((1, 1), (1, 2))}, "a[0]="),
        ({"a": ((1, -1), (1, 2)), "independent": True}, "a[1]=-1"),
    ],
)
def test_bad_priors_of_errors(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(words)):
        PoissonBinomial(**options)
