"""The Bayesian signed-rank test: baycomp, the tutorial's figures, mirrors, trees, bad input."""

from __future__ import annotations

import itertools
import os
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest

import bayescompare as bc
from bayescompare.methods import SignedRank
from tests.methods.context.test_posterior import converged
from tests.oracles import signed_rank as oracle
from tests.tables import table

QUIET: dict[str, Any] = {"progressbar": False, "cores": 1}


@pytest.fixture(scope="module")
def uci() -> bc.Results:
    return bc.load_example("jansen-uci").sel(measures=["auc"])


def with_rope(results: bc.Results, rope: float | None) -> bc.Results:
    return bc.Results.from_frame(results.to_frame(), measures={"auc": bc.Measure("max", rope=rope)})


def close(p: np.ndarray, mcse: np.ndarray, other: np.ndarray, n: int) -> None:
    error = np.sqrt(mcse**2 + np.maximum(other * (1 - other), 1 / n) / n)
    np.testing.assert_array_less(np.abs(p - other), 4 * error)


# published, and an independent program ------------------------------------------------------------

#: Left, rope, right of Benavoli et al. (2017), Julia/Notebook6 of their repository, rope 1 %.
PUBLISHED = {
    ("nbc", "aode"): (0, 0.123, 0.877),
    ("nbc", "hnb"): (0, 0.001, 0.999),
    ("nbc", "j48"): (0.228, 0.006, 0.766),
    ("nbc", "j48gr"): (0.179, 0.004, 0.817),
    ("aode", "hnb"): (0.001, 0.965, 0.034),
    ("aode", "j48"): (0.904, 0.034, 0.062),
    ("aode", "j48gr"): (0.883, 0.046, 0.071),
    ("hnb", "j48"): (0.962, 0.020, 0.019),
    ("hnb", "j48gr"): (0.950, 0.026, 0.024),
    ("j48", "j48gr"): (0, 1, 0),
}
#: The public table of mean accuracies, a column per algorithm; it is not ours to pass on.
TUTORIAL = os.environ.get("BAYESCOMPARE_TUTORIAL54", "")


@pytest.mark.skipif(not TUTORIAL, reason="BAYESCOMPARE_TUTORIAL54 names no table")
@pytest.mark.parametrize("pair", PUBLISHED, ids="-".join)
def test_the_tutorial_is_reproduced(pair: tuple[str, str]) -> None:
    """Published and obtained are both Monte Carlo; theirs is taken to be of 50,000 draws."""
    wide = pd.read_csv(Path(TUTORIAL))
    long = wide.melt("dataset", var_name="algorithm", value_name="accuracy")
    results = bc.Results.from_frame(long, measures={"accuracy": bc.Measure("max", rope=0.01)})
    c = bc.compare(results, method="signed-rank", algorithms=list(pair), rng=1)
    published, p = np.array(PUBLISHED[pair]), c.probability.values
    # Three printed digits, and the errors of both.
    error = 0.0006 + 4 * np.sqrt(2 * p * (1 - p) / 50_000)
    np.testing.assert_array_less(np.abs(p - published), error)


@pytest.mark.parametrize("rope", [None, 0.00425, 0.02025])
def test_baycomp_gives_the_same(uci: bc.Results, rope: float | None) -> None:
    # No sum of these three-digit values lies on the boundary, which baycomp misses by float noise.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import baycomp

    n = 4000
    for pair in (["CART", "GLM"], ["RF", "BDS"]):
        c = bc.compare(with_rope(uci, rope), method="signed-rank", algorithms=pair, rng=1)
        values = c.results.data["auc"].transpose("dataset", "algorithm").values
        theirs = baycomp.SignedRankTest.probs(*values.T, rope=rope or 0, nsamples=n, random_state=3)
        close(c.probability.values, c.mcse.values, np.array(theirs), n)  # type: ignore[union-attr]


# the answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rope", [None, 0.01])
def test_swapping_the_algorithms_mirrors_the_answer(uci: bc.Results, rope: float | None) -> None:
    results = with_rope(uci, rope)
    one = bc.compare(results, method="signed-rank", algorithms=["RF", "BDS"], rng=1)
    two = bc.compare(results, method="signed-rank", algorithms=["BDS", "RF"], rng=1)
    other = two.summary().rename(index={"BDS=RF": "RF=BDS"})
    shown = one.summary().loc[other.index]
    np.testing.assert_allclose(shown["theta_mean"], other["theta_mean"], atol=1e-12)
    assert shown["count"].tolist() == other["count"].tolist()
    gap = (shown["probability"] - other["probability"]).abs()
    assert (gap <= 4 * np.hypot(shown["mcse"], other["mcse"])).all()


def test_a_measure_to_be_minimised_is_turned(uci: bc.Results) -> None:
    frame = uci.to_frame()
    frame["auc"] = -frame["auc"]
    turned = bc.Results.from_frame(frame, measures={"auc": "min"})
    pair = ["CART", "GLM"]
    one = bc.compare(uci, method="signed-rank", algorithms=pair, rng=1)
    two = bc.compare(turned, method="signed-rank", algorithms=pair, rng=1)
    np.testing.assert_allclose(one.probability, two.probability)


def test_all_differences_to_one_side_is_exact() -> None:
    values = np.zeros((6, 2, 1))
    values[:, 1, 0] = [0.1, 0.5, 0.2, 0.9, 0.4, 0.3]
    c = bc.compare(table(values), method="signed-rank")
    assert c.exact
    assert c.probability.values.tolist() == [0.0, 1.0]
    assert "exact" in c.explain()
    assert c.decision.verdict == "settled"


def test_only_ties_lead_nowhere_without_a_rope_and_are_equivalent_with_one() -> None:
    values = np.arange(5.0)[:, None, None].repeat(2, axis=1)
    c = bc.compare(table(values), method="signed-rank")
    assert c.exact
    assert c.none_leads == 1.0
    for rope in (0.0, 0.1):
        with_one = bc.compare(table(values, rope=rope), method="signed-rank")
        assert with_one.best == "A=B"
        assert float(with_one.probability.sel(statement="A=B")) == 1.0


def test_float_noise_is_a_tie() -> None:
    # 0.3 and 0.1 + 0.2 differ by noise; so do sums at the rope.
    values = np.array([[[0.3], [0.1 + 0.2]], [[0.8], [0.81]], [[0.81], [0.8]]])
    c = bc.compare(table(values, rope=0.01), method="signed-rank", rng=1)
    assert c.best == "A=B"
    assert c.summary()["count"].to_dict() == {"A=B": 3.0, "A>B": 0.0, "B>A": 0.0}


def test_the_error_is_that_of_a_share(uci: bc.Results) -> None:
    c = bc.compare(uci, method=SignedRank(draws=400), algorithms=["RF", "BDS"], rng=1)
    p = c.probability.values
    np.testing.assert_allclose(c.mcse, np.sqrt(p * (1 - p) / 400))  # type: ignore[arg-type]
    again = bc.compare(uci, method=SignedRank(draws=400), algorithms=["RF", "BDS"], rng=1)
    np.testing.assert_array_equal(again.probability, p)


def test_pairwise_and_replicates() -> None:
    rng = np.random.default_rng(4)
    rows = [(d, a, f, rng.normal(k)) for d in range(8) for k, a in enumerate("ABC") for f in "xy"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "score"])
    results = bc.Results.from_frame(frame, replicate="fold", measures={"score": "max"})
    p = bc.pairwise(results, method=SignedRank(draws=2000), rng=1, n_jobs=1)
    for a, b in itertools.permutations("ABC", 2):
        held = float(p[a, b].probability.sel(statement=f"{a}>{b}"))
        assert float(p.matrix.sel(algorithm=a, opponent=b)) == held
    assert "mean of 2 replicates" in p["A", "B"].explain()


# draws, model, prior ------------------------------------------------------------------------------


def test_draws_have_weights_shares_and_predictions(uci: bc.Results) -> None:
    c = bc.compare(with_rope(uci, 0.01), method="signed-rank", algorithms=["RF", "BDS"], rng=1)
    tree = c.draws(500, chains=2, rng=1)
    assert set(tree.children) == {
        "posterior",
        "posterior_predictive",
        "log_likelihood",
        "log_prior",
        "observed_data",
        "constant_data",
    }
    posterior = tree["posterior"].to_dataset()
    assert posterior["weight"].dims == ("chain", "draw", "point")
    assert posterior["point"].values.tolist() == ["(tie)", *uci.datasets]
    np.testing.assert_allclose(posterior["theta"].sum("statement"), 1.0)
    mean = posterior["theta"].mean(("chain", "draw"))
    expected = c.summary()["theta_mean"]
    for label in expected.index:
        assert float(mean.sel(statement=label)) == pytest.approx(expected[label], abs=0.02)
    # By ArviZ's own route: the weights determine the shares.
    table_of_pairs = c.model()
    weight = posterior["weight"].values[0, 0]
    theta = pm.draw(pm.do(table_of_pairs, {"weight": weight})["theta"], mode="FAST_COMPILE")
    np.testing.assert_allclose(theta, posterior["theta"].values[0, 0], atol=1e-12)


def test_a_dirichlet_prior_stays_conjugate_and_has_prior_draws(uci: bc.Results) -> None:
    n = len(uci.datasets)
    prior = {"weight": pm.Dirichlet.dist(np.append(5.0, np.ones(n)))}
    method = SignedRank(priors=prior)
    c = bc.compare(with_rope(uci, 0.01), method=method, algorithms=["RF", "BDS"], rng=1)
    np.testing.assert_array_equal(method.weight_alpha(c.results), np.append(5.0, np.full(n, 2.0)))
    tree = c.draws(50, chains=2, rng=1)
    assert {"prior", "prior_predictive"} <= set(tree.children)
    assert "under priors given by the user" in c.method.methods_text(c.answer)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"strength": 0}, "strength=0"),
        ({"strength": float("nan")}, "strength=nan"),
        ({"strength": "a"}, "strength='a'"),
        ({"draws": 0}, "draws=0"),
        ({"draws": 2.5}, r"draws=2\.5"),
        ({"draws": 10**9}, "at most"),
        ({"priors": {"w": 1.0}}, "no such parameter"),
        ({"priors": {"weight": 1.0}}, "probability vector"),
        ({"priors": {"weight": pm.Dirichlet.dist(np.ones(4))}, "strength": 2.0}, "give one"),
        ({"priors": {"weight": pm.Dirichlet.dist(np.ones(4))}, "prior": "imprecise"}, "give one"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        SignedRank(**options)


# where the prior's weight lies --------------------------------------------------------------------

#: In hundredths, second less first: some to either side, all but one to one side.
DIFFERENCES = [(3, -1, 2, 5, -2, 1, -4, 2), (1, 2, -1, 4, 3, 5)]


@pytest.mark.parametrize("hundredths", DIFFERENCES)
def test_bounds_are_those_of_the_weight_far_to_either_side(hundredths: tuple[int, ...]) -> None:
    gap = np.array(hundredths) / 100
    values = np.stack([np.full(len(gap), 0.5), 0.5 + gap], axis=1)[..., None]
    c = bc.compare(table(values), method=SignedRank(prior="imprecise"), rng=1)
    alpha, n = [0.5] + [1.0] * len(gap), 40_000
    for start, bound in ((-100, "lower"), (100, "upper")):
        z = [Fraction(k, 100) for k in (start, *hundredths)]
        _, second = oracle.leaders_by_gammas(z, alpha, None, n, np.random.default_rng(2))
        found = float(c.bounds.sel(statement="B>A", bound=bound))
        assert abs(found - second) < 4 * np.sqrt(0.5 / n)
    usual = bc.compare(table(values), method="signed-rank", rng=1)
    np.testing.assert_array_equal(usual.probability, c.probability)
    ends, p = c.bounds.transpose("bound", "statement").values, c.probability.values
    assert (ends[0] <= p).all()
    assert (p <= ends[1]).all()
    # What one is sure of at least, the other has at most.
    np.testing.assert_allclose(ends[0], 1.0 - ends[1, ::-1], atol=1e-12)
    assert "Wherever that weight lies, the probability of the leader is between" in c.explain()
    with pytest.raises(bc.BayescompareError, match="imprecise"):
        _ = usual.bounds


def test_bounds_decide_and_are_refused_beside_a_rope(uci: bc.Results) -> None:
    values = np.zeros((6, 2, 1))
    values[:, 1, 0] = [0.1, 0.5, 0.2, 0.9, 0.4, 0.3]
    c = bc.compare(table(values), method=SignedRank(prior="imprecise", strength=3.0), rng=1)
    assert float(c.probability.sel(statement="B>A")) == 1.0
    assert not c.decision.settled
    method = SignedRank(prior="imprecise")
    with pytest.raises(bc.BayescompareError, match=r"rope on 'auc'.*drop the rope"):
        bc.compare(with_rope(uci, 0.01), method=method, algorithms=["RF", "BDS"])


def test_sensitivity_shares_its_draws_and_has_their_error(uci: bc.Results) -> None:
    c = bc.compare(uci, method="signed-rank", algorithms=["RF", "BDS"], rng=1)
    found = c.sensitivity([0.1, 0.5, 0.51, 5.0])
    assert found.index.name == "strength"
    error = np.array(found.attrs["mcse"])
    for strength, row, mcse in zip(found.index, found["RF>BDS"], error, strict=True):
        alone = bc.compare(uci, method=SignedRank(strength=strength), algorithms=["RF", "BDS"])
        assert abs(float(alone.probability[0]) - row) < 4 * np.sqrt(2) * mcse
    # Independent draws would differ by the error of both, .0025.
    assert abs(found["RF>BDS"].iloc[1] - found["RF>BDS"].iloc[2]) < 2e-4
    pd.testing.assert_frame_equal(found, c.sensitivity([0.1, 0.5, 0.51, 5.0]))


def test_checks_of_an_improper_prior_say_what_to_do(uci: bc.Results) -> None:
    c = bc.compare(uci, method="signed-rank", algorithms=["RF", "BDS"], rng=1)
    with pytest.raises(bc.BayescompareError, match=r"improper.*np.ones\(n \+ 1\)"):
        c.check(prior=True)
    proper = SignedRank(priors={"weight": pm.Dirichlet.dist(np.ones(len(uci.datasets) + 1))})
    c = bc.compare(uci, method=proper, algorithms=["RF", "BDS"], rng=1)
    assert "mean difference" in c.check(prior=True).index


def test_a_prior_of_the_wrong_length_is_refused(uci: bc.Results) -> None:
    method = SignedRank(priors={"weight": pm.Dirichlet.dist(np.ones(4))})
    with pytest.raises(bc.BayescompareError, match="17 points"):
        bc.compare(uci, method=method, algorithms=["RF", "BDS"])


def test_bad_tables_are_refused_in_one_line(uci: bc.Results) -> None:
    with pytest.raises(bc.BayescompareError, match="two algorithms"):
        bc.compare(uci, method="signed-rank")
    with pytest.raises(bc.BayescompareError, match="one measure"):
        bc.compare(bc.load_example("jansen-uci"), method="signed-rank", algorithms=["RF", "BDS"])
    ordinal = bc.Results.from_frame(
        uci.to_frame(), measures={"auc": bc.Measure("max", scale="ordinal")}
    )
    with pytest.raises(bc.BayescompareError, match="'auc' is ordinal"):
        bc.compare(ordinal, method="signed-rank", algorithms=["RF", "BDS"])


def test_predictions_are_of_the_kinds_seen() -> None:
    values = np.zeros((4, 2, 1))
    values[:, 1, 0] = [1.0, 2.0, 3.0, -1.0]
    c = bc.compare(table(values), method="signed-rank", rng=1)
    labels = c.predict(5, draws=2000, rng=1).values
    # Three in four, and half of the ties: E w_0 = 0.5/4.5.
    assert (labels == "B>A").mean() == pytest.approx((3 + 0.25) / 4.5, abs=0.03)


# NUTS ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("rope", [None, 0.01])
def test_nuts_agrees_with_independent_draws(uci: bc.Results, rope: float | None) -> None:
    c = bc.compare(with_rope(uci, rope), method="signed-rank", algorithms=["RF", "BDS"], rng=1)
    tree = c.sample(2000, chains=4, rng=2, target_accept=0.9, **QUIET)
    converged(tree, ["theta"])
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement")
    leads = (theta.values == theta.values.max(axis=-1, keepdims=True)).astype(float)
    from bayescompare.outcome.nuts import nuts_monte_carlo_error

    error = np.hypot(nuts_monte_carlo_error(leads), c.mcse)
    np.testing.assert_array_less(np.abs(leads.mean(axis=(0, 1)) - c.probability.values), 4 * error)


@pytest.mark.slow
def test_any_other_prior_goes_to_nuts(uci: bc.Results) -> None:
    n = len(uci.datasets)
    prior = {"weight": lambda name, dims: pm.Dirichlet(name, np.ones(n + 1), dims=dims)}
    method = SignedRank(priors=prior)
    sampler = {"draws": 1000, "chains": 4, **QUIET}
    c = bc.compare(uci, method=method, algorithms=["RF", "BDS"], rng=1, sampler=sampler)
    conjugate = SignedRank(priors={"weight": pm.Dirichlet.dist(np.ones(n + 1))})
    exact = bc.compare(uci, method=conjugate, algorithms=["RF", "BDS"], rng=1)
    assert "theta" in c.tree["posterior"]
    error = np.hypot(c.mcse, exact.mcse)  # type: ignore[arg-type]
    np.testing.assert_array_less(np.abs(c.probability - exact.probability).values, 4 * error)
    with pytest.raises(bc.BayescompareError, match=r"use sample\(\)"):
        c.draws(10)


def test_draws_of_weights_are_not_weighed_for_leave_one_out() -> None:
    """A dataset left out would have no weight at all, so PSIS says nothing of these draws."""
    results = bc.load_example("jansen-uci").sel(measures=["auc"], algorithms=["RF", "BDS"])
    c = bc.compare(results, method="signed-rank", rng=1)
    assert "greatest k-hat" not in c.diagnose(c.draws(100, rng=1)).figures
