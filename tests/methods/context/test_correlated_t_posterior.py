"""Draws of the correlated t-test: their groups, exact moments, predictions, checks and plans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import special, stats

import bayescompare as bc
from bayescompare.outcome.posterior import resembling
from tests.methods.context.folds import ask, frame_of, scores, triples_of
from tests.methods.context.test_poisson_binomial_posterior import GROUPS
from tests.oracles.context import folds_frame, near, shares_near

FORMS = [(joint, rope) for joint in (False, True) for rope in (None, 0.01)]


@pytest.fixture(scope="module", params=FORMS, ids=["cut", "cut rope", "joint", "joint rope"])
def drawn(request: pytest.FixtureRequest) -> tuple[Any, xr.DataTree]:
    joint, rope = request.param
    c = ask(scores(4, 8), joint=joint, rope=rope, b=1.5)
    return c, c.draws(5000, chains=4, rng=0)


def rope_of(c: Any) -> float:
    return c.results["score"].rope or 0.0


def test_groups_variables_and_shapes(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    assert set(tree.children) == GROUPS
    sample = ("chain", "draw")
    over, cells = (*sample, "dataset"), ("dataset", "statement")
    shares: dict[str, tuple[str, ...]] = {"theta": (*sample, "statement")}
    if not rope_of(c):
        shares["r"] = sample
    folds = (*over, "replicate")
    for group, variables in {
        "posterior": {**shares, "advantage": over, "sigma": over},
        "prior": shares,
        "posterior_predictive": {"outcome": (*sample, *cells), "difference": folds},
        "prior_predictive": {"outcome": (*sample, *cells)},
        "log_likelihood": {"outcome": over},
        "log_prior": {"theta" if rope_of(c) else "r": sample},
        "observed_data": {"outcome": cells, "difference": ("dataset", "replicate")},
    }.items():
        data = tree[group].to_dataset()
        assert {str(k): v.dims for k, v in data.data_vars.items()} == variables, group
        for name in ("dataset", "statement"):
            if name in data.coords:
                expected = c.results.datasets if name == "dataset" else c.answer.labels
                assert data[name].values.tolist() == list(expected), group
    values = c.results.data["score"].transpose("dataset", "algorithm", "replicate").values
    np.testing.assert_allclose(tree["observed_data"]["difference"], values[:, 0] - values[:, 1])
    facts = tree["constant_data"].to_dataset()
    np.testing.assert_allclose(facts["mean_difference"], c.per_dataset["advantage"])
    assert facts["replicates"].values.tolist() == [8.0] * 4


def test_shares_have_the_exact_moments(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    theta = tree["posterior"]["theta"].values
    np.testing.assert_allclose(theta.sum(axis=-1), 1.0, atol=1e-12)
    largest = theta.argmax(axis=-1)
    for k, p in enumerate(c.probability.values):
        assert shares_near(largest == k, float(p))
        assert near(theta[..., k], c.answer.per_statement["theta_mean"][k])
    if not rope_of(c):
        r = tree["posterior"]["r"].values
        np.testing.assert_array_equal(r, theta[..., 0])
        assert near((r - c.rate["mean"]) ** 2, c.rate["sd"] ** 2)


def test_means_keep_the_shape_of_their_student_t(drawn: tuple[Any, xr.DataTree]) -> None:
    """Within a statement; the statements weigh as P says after all datasets were heard."""
    c, tree = drawn
    rope = rope_of(c)
    advantage = tree["posterior"]["advantage"].values
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        t = stats.t(7, row["advantage"], row["scale"])
        right = row["probability"]
        left = row["second_better"] if rope else 1 - right
        cuts, weight = t.cdf([-rope, rope]), np.array([left, 1 - left - right, right])
        assert shares_near(advantage[..., i] > rope, right)
        assert shares_near(advantage[..., i] < -rope, left)
        for level in (0.1, 0.3, 0.9):
            x = float(t.ppf(level))
            parts = np.diff([0.0, *cuts, 1.0])
            below = np.clip(level - np.array([0.0, *cuts]), 0.0, parts)
            shares = np.divide(below, parts, out=np.zeros(3), where=parts > 0)
            assert shares_near(advantage[..., i] < x, float(weight @ shares))


def test_spreads_follow_from_means_and_replicates(drawn: tuple[Any, xr.DataTree]) -> None:
    """Q/σ² given μ is a χ² with as many degrees of freedom as replicates."""
    c, tree = drawn
    x = tree["observed_data"]["difference"].values
    mean, sigma = (tree["posterior"][name].values for name in ("advantage", "sigma"))
    covariance = (1 - 1 / 8) * np.eye(8) + 1 / 8
    for i in range(4):
        apart = x[i] - mean[..., i, None]
        q = np.einsum("...j,jk,...k", apart, np.linalg.inv(covariance), apart)
        pivot = (q / sigma[..., i] ** 2).ravel()
        assert stats.kstest(pivot, stats.chi2(8).cdf).pvalue > 1e-4
    del c


def test_predicted_replicates_are_of_the_same_datasets(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    mean, sigma = (tree["posterior"][name].values[..., None] for name in ("advantage", "sigma"))
    z = (tree["posterior_predictive"]["difference"].values - mean) / sigma
    z = z.reshape(-1, 4, 8)
    for i in range(4):
        assert stats.kstest(z[:, i, 0], stats.norm.cdf).pvalue > 1e-4
        # Every two have correlation ρ = 1/8, those of different datasets none.
        assert np.corrcoef(z[:, i, 0], z[:, i, 5])[0, 1] == pytest.approx(1 / 8, abs=0.03)
    assert np.corrcoef(z[:, 0, 0], z[:, 1, 0])[0, 1] == pytest.approx(0.0, abs=0.03)
    # New datasets fall into statements as the shares of the same draw say.
    outcome = tree["posterior_predictive"]["outcome"]
    assert bool((outcome.sum("statement") == 1).all())
    theta = tree["posterior"]["theta"]
    both = (outcome.isel(dataset=0) * theta).sum("statement").values
    assert near(both, float((theta**2).sum("statement").mean()))


def test_prior_likelihood_and_log_prior(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    outcomes = len(c.answer.labels)
    before = tree["prior"]["theta"].values
    assert before.shape == (1, 5000, outcomes)
    assert near(before[..., 0], 1 / outcomes)
    spread = (1 / outcomes) * (1 - 1 / outcomes) / (1.5 * outcomes + 1)
    assert near((before[..., 0] - 1 / outcomes) ** 2, spread)
    alone = ask(scores(4, 8), rope=c.results["score"].rope)
    p = alone.per_dataset["probability"].to_numpy()
    evidence = triples_of(alone) if outcomes == 3 else np.stack([p, 1 - p], axis=1)
    np.testing.assert_allclose(tree["observed_data"]["outcome"], evidence, atol=1e-12)
    theta = tree["posterior"]["theta"].values
    np.testing.assert_allclose(
        tree["log_likelihood"]["outcome"], np.log(theta @ evidence.T), atol=1e-12
    )
    # Of log ratios: raising it to γ means Dirichlet(1.5 γ).
    norm = special.gammaln(1.5 * outcomes) - outcomes * special.gammaln(1.5)
    (log_prior,) = tree["log_prior"].to_dataset().data_vars.values()
    np.testing.assert_allclose(log_prior, norm + 1.5 * np.log(theta).sum(axis=-1), atol=1e-9)


def test_absent_replicates_are_absent_from_the_tree() -> None:
    """Each dataset names its own folds, and one has fewer."""
    frame = frame_of(scores(3, 4))
    frame = frame[(frame["dataset"] != "d1") | (frame["fold"] < 3)]
    frame["fold"] = frame["dataset"] + "-" + frame["fold"].astype(str)
    c = ask(frame, joint=True)
    tree = c.draws(20, chains=2, rng=0)
    assert tree["observed_data"]["difference"].sizes == {"dataset": 3, "replicate": 4}
    gone = np.zeros((3, 4), dtype=bool)
    gone[1, 3] = True
    np.testing.assert_array_equal(np.isnan(tree["observed_data"]["difference"]), gone)
    predicted = tree["posterior_predictive"]["difference"].values
    np.testing.assert_array_equal(np.isnan(predicted).all(axis=(0, 1)), gone)
    assert np.isfinite(c.check(tree).to_numpy()).all()
    # Two of its answers have the same data, NaN and all.
    other = ask(frame, joint=True, b=3.0)
    assert len(bc.compare_models([c, other], names=["b = 1", "b = 3"]).table) == 2


def test_datasets_without_spread_are_certain_in_every_draw() -> None:
    frame = folds_frame([[0.1] * 4, [-0.2] * 4, [0.01] * 4, [0.1, 0.3, -0.1, 0.2]])
    for joint, rope in FORMS:
        c = ask(frame, joint=joint, rope=None if rope is None else 0.05)
        tree = c.draws(100, chains=2, rng=0)
        posterior = tree["posterior"].to_dataset()
        np.testing.assert_allclose(posterior["advantage"].values[..., 0], 0.1)
        np.testing.assert_allclose(posterior["advantage"].values[..., 1], -0.2)
        assert (posterior["sigma"].values[..., :3] == 0).all()
        assert (posterior["sigma"].values[..., 3] > 0).all()
        np.testing.assert_allclose(tree["posterior_predictive"]["difference"][..., 0, :], 0.1)
        assert np.isfinite(c.check(tree, rng=0).to_numpy()).all()
        assert c.plan([3], simulations=3, rng=0)["settled"].between(0, 1).all()
        assert np.isfinite(c.loo().elpd)


# ------------------------------------------------------------------------------- checks and plans


def test_replicates_with_an_outlier_fail_the_check() -> None:
    values = scores(6, 10, seed=3)
    fine = ask(values, joint=True).check(rng=1)
    assert fine.index.tolist() == [
        "datasets with A>B",
        "datasets with B>A",
        "largest deviation of a replicate, in sd",
        "skewness of the replicates",
    ]
    assert fine["p"].between(0.01, 0.99).all()
    values[2, 0, 4] += 1.0
    spoilt = ask(values, joint=True).check(rng=1)
    assert spoilt.loc["largest deviation of a replicate, in sd", "p"] < 0.01
    # One fold far up on every dataset: the whole is skewed.
    skewed = scores(6, 10, seed=3)
    skewed[:, 0, 0] += 0.3
    assert ask(skewed, joint=True).check(rng=1).loc["skewness of the replicates", "p"] < 0.01


def test_statements_of_the_data_are_those_of_the_same_draw() -> None:
    """Realised discrepancy: under the model's own data the predicted count is as often above."""
    c = ask(scores(8, 10), rope=0.01, joint=True)
    tree = c.draws(1000, rng=2)
    found = c.check(tree)
    advantage = tree["posterior"]["advantage"].values
    seen = (advantage > 0.01).sum(axis=-1)
    predicted = tree["posterior_predictive"]["outcome"].isel(statement=0).sum("dataset").values
    above = (predicted > seen).mean() + 0.5 * (predicted == seen).mean()
    assert found.loc["datasets with A>B", "p"] == pytest.approx(above)
    prior = c.check(tree, prior=True, rng=1)
    assert prior.index.tolist() == [f"datasets with {s}" for s in ("A>B", "A=B", "B>A")]
    assert prior["predicted"].tolist() == pytest.approx([8 / 3] * 3, abs=0.2)


def test_planned_datasets_resemble_those_seen() -> None:
    """They are as sure as those seen, and of those that say so with 80 % four in five are so."""
    c = ask(scores(30, 10, gain=0.02, seed=5))
    each = c.method.read(c.results).evidence
    share, rng = each.mean(axis=0), np.random.default_rng(1)
    (new,) = resembling(np.log(each)[None], each, share, 40_000, rng)
    regions = np.exp(new)
    assert len(np.unique(new, axis=0)) == len(np.unique(each, axis=0))
    assert near(regions[:, 0], share[0])


def test_a_new_dataset_is_certain_where_none_shows_its_statement() -> None:
    rows = np.log(np.array([[[0.25, 0.75], [0.5, 0.5]]]))
    given_all = np.array([[0.0, 1.0], [0.0, 1.0]])
    rng = np.random.default_rng(0)
    new = resembling(rows, given_all, np.array([0.5, 0.5]), 400, rng)[0]
    sure = np.isneginf(new[:, 1])
    assert 100 < sure.sum() < 300
    assert (new[sure, 0] == 0.0).all()
    assert {tuple(row) for row in new[~sure].tolist()} <= {tuple(row) for row in rows[0].tolist()}


def test_power_scaling_is_another_weight() -> None:
    """Draws weighed by prior^−0.2 are those under the prior to the power 0.8: b = 2 becomes 1.6."""
    values = scores(5, 6)
    tree = ask(values, rope=0.01, joint=True, b=2.0).draws(20_000, chains=1, rng=1)
    logs = tree["log_prior"]["theta"].values.ravel()
    weight = np.exp(-0.2 * (logs - logs.max()))
    weight /= weight.sum()
    theta = tree["posterior"]["theta"].values.reshape(-1, 3)
    mean = weight @ theta
    error = np.sqrt(weight**2 @ (theta - mean) ** 2)
    scaled = ask(values, rope=0.01, joint=True, b=1.6).answer.per_statement["theta_mean"]
    np.testing.assert_array_less(np.abs(mean - scaled), 4 * error)


def test_a_prior_of_r_draws_and_answers_alike() -> None:
    c = ask(scores(5, 6), joint=True, priors={"r": pm.Beta.dist(2.0, 5.0)})
    assert c.exact
    tree = c.draws(5000, chains=4, rng=1)
    r = tree["posterior"]["r"].values
    assert shares_near(r > 0.5, float(c.probability[0]))
    assert near(r, c.rate["mean"])
    assert near(tree["prior"]["r"].values, 2 / 7)
    of_logit = stats.beta.logpdf(r, 2, 5) + np.log(r) + np.log1p(-r)
    np.testing.assert_allclose(tree["log_prior"]["r"], of_logit, atol=1e-9)
    assert np.isfinite(c.loo().elpd)
    assert len(c.plan([5], simulations=5, rng=1)) == 1
    same = ask(scores(5, 6), joint=True, priors={"r": pm.Beta.dist(3.0, 3.0)})
    np.testing.assert_allclose(
        same.probability, ask(scores(5, 6), joint=True, b=3.0).probability, atol=1e-10
    )
