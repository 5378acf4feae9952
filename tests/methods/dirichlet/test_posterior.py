"""Exact, conjugate draws and NUTS agree; a user's own prior is the one they wrote.

The slow set fixes seed and sampler. tests/cli/test_sample.py samples this model end to end.
"""

from __future__ import annotations

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import pytest

import bayescompare as bc

QUIET = {"progressbar": False, "cores": 2}


def simulated(m: int, n: int = 24, seed: int = 5) -> bc.Results:
    """Two algorithms on n datasets; rounding makes some ties, so some weights are fractional."""
    rng = np.random.default_rng(seed + m)
    rows = []
    for i in range(n):
        shared = rng.normal(size=m)
        for name, gain in (("A", 0.0), ("B", 0.6)):
            rows.append([f"d{i}", name, *np.round(shared + gain + rng.normal(size=m), 1)])
    columns = ["dataset", "algorithm", *(f"m{j}" for j in range(m))]
    measures = dict.fromkeys(columns[2:], "max")
    return bc.Results.from_frame(pd.DataFrame(rows, columns=columns), measures=measures)


def frequencies(tree, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of draws in which each statement is the largest, and its error if `exact` is true.

    The error of a share whose true value is p is √(p(1 − p)/ESS); estimating it from the draws
    themselves would call it zero for a statement that by chance never led.
    """
    theta = tree["posterior"]["theta"]
    largest = (theta == theta.max("statement")).astype(float)
    draws = theta.sizes["chain"] * theta.sizes["draw"]
    ess = az.ess(largest, method="mean").values
    ess = np.where(np.isfinite(ess), np.minimum(ess, draws), draws)
    return largest.mean(("chain", "draw")).values, np.sqrt(exact * (1.0 - exact) / ess)


def test_tied_datasets_keep_their_fractions_in_the_model():
    c = bc.compare(simulated(2))
    model = c.model()
    data = model["split"].get_value()[model["seen"].get_value()]
    np.testing.assert_allclose(data.sum(axis=0), c.answer.counts)
    assert np.any((data > 0) & (data < 1)), "the simulation must contain ties"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "prior"),
    [(5, "symmetric"), (2, "jeffreys"), (2, {"m0": {"B>A": 0.7}, "weight": 5}), (9, "symmetric")],
)
def test_exact_conjugate_and_nuts_agree(m, prior):
    c = bc.compare(simulated(m), method=bc.methods.Dirichlet(prior=prior))
    conjugate = c.draws(4000, chains=4, rng=11)
    nuts = c.sample(1000, chains=4, rng=11, target_accept=0.9, **QUIET)
    assert set(nuts.children) == set(conjugate.children) | {"sample_stats"}
    if m == 9:  # 512 statements: the model keeps the exact aggregate of the rest
        for name in ("theta", "marginal"):
            a, b = (t["posterior"][name] for t in (nuts, conjugate))
            error = np.hypot(*(az.mcse(x, method="mean").values for x in (a, b)))
            gap = np.abs((a.mean(("chain", "draw")) - b.mean(("chain", "draw"))).values)
            np.testing.assert_array_less(gap, 4 * error + 1e-12)
        return
    for tree in (conjugate, nuts):
        share, error = frequencies(tree, c.probability.values)
        np.testing.assert_array_less(np.abs(share - c.probability.values), 4 * error + 1e-12)
        mean = tree["posterior"]["theta"].mean(("chain", "draw")).values
        error = az.mcse(tree["posterior"]["theta"], method="mean").values
        expected = c.summary()["theta_mean"].reindex(list(c.answer.labels)).to_numpy()
        np.testing.assert_array_less(np.abs(mean - expected), 4 * error + 1e-12)
    figures = c.diagnose(nuts).figures
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.02


@pytest.mark.slow
def test_a_hyperprior_gives_the_posterior_of_the_model_written_by_hand():
    results = simulated(2)
    method = bc.methods.Dirichlet(priors={"alpha": pm.Gamma.dist(2.0, 3.0)})
    c = bc.compare(results, method=method, rng=4, sampler={"draws": 2000, **QUIET})
    assert not c.exact
    counts = c.answer.counts
    with pm.Model():
        alpha = pm.Gamma("alpha", 2.0, 3.0)
        total, n = 4 * alpha, counts.sum()
        evidence = (
            pt.gammaln(total)
            - pt.gammaln(total + n)
            + (pt.gammaln(alpha + counts) - pt.gammaln(alpha)).sum()
        )
        pm.Potential("evidence", evidence)
        hand = pm.sample(4000, chains=4, random_seed=9, nuts_sampler="pymc", **QUIET)
    mine, theirs = c.tree["posterior"]["alpha"], hand["posterior"]["alpha"]
    for figure in (lambda x: x, lambda x: x**2, np.log):
        error = np.hypot(*(float(az.mcse(figure(x), method="mean")) for x in (mine, theirs)))
        assert abs(float(figure(mine).mean() - figure(theirs).mean())) < 4 * error
    # P(max) given alpha is exact, so averaging it over the hand-written posterior is the answer.
    from bayescompare.kernels.dirichlet.pmax import p_max

    drawn = theirs.values.ravel()[::8]
    by_draw = np.array([p_max(np.full(4, np.log(a)), counts[None])[0, :-1] for a in drawn])
    error = np.hypot(by_draw.std(axis=0) / np.sqrt(len(drawn)) * 2, c.answer.mcse)
    np.testing.assert_array_less(np.abs(by_draw.mean(axis=0) - c.probability.values), 4 * error)


@pytest.mark.slow
def test_a_prior_on_theta_itself_and_a_strength_hyperprior():
    results = simulated(2)

    # A logistic-normal prior: no conjugate form, so NUTS must answer.
    def logistic_normal(name, dims):
        z = pm.Normal("z", 0.0, 1.5, dims=dims)
        return pm.Deterministic(name, pm.math.softmax(z), dims=dims)

    sampler = {"draws": 1000, **QUIET}
    own = bc.methods.Dirichlet(priors={"theta": logistic_normal})
    c = bc.compare(results, method=own, rng=1, sampler=sampler)
    assert not c.exact
    assert c.diagnose().ok
    assert abs(float(c.probability.sum()) - 1.0) < 1e-9
    # A strength that hardly varies is a fixed strength.
    tight = bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(mu=2.0, sigma=1e-3)})
    near = bc.compare(results, method=tight, rng=1, sampler=sampler)
    fixed = bc.compare(results, method=bc.methods.Dirichlet(strength=2.0))
    np.testing.assert_allclose(near.probability.values, fixed.probability.values, atol=1e-3)


@pytest.mark.slow
def test_beyond_256_statements_the_model_keeps_the_exact_aggregate():
    results = simulated(10)
    c = bc.compare(results)
    assert c.answer.n_statements == 1024
    nuts, exact = c.sample(1000, chains=4, rng=2, **QUIET), c.draws(4000, chains=4, rng=3)
    assert nuts["posterior"]["statement"].values[-1] == "(other)"
    a, b = (t["posterior"]["theta"].sel(statement="(other)") for t in (nuts, exact))
    error = np.hypot(*(float(az.mcse(x, method="mean")) for x in (a, b)))
    assert abs(float(a.mean() - b.mean())) < 4 * error
    a, b = (t["posterior"]["marginal"] for t in (nuts, exact))
    error = np.hypot(az.mcse(a, method="mean").values, az.mcse(b, method="mean").values)
    difference = np.abs((a.mean(("chain", "draw")) - b.mean(("chain", "draw"))).values)
    np.testing.assert_array_less(difference, 4 * error)


@pytest.mark.slow
def test_an_edited_model_is_sampled_as_edited():
    c = bc.compare(bc.load_example("benavoli-example1"))
    edited = c.model()
    with edited:
        pm.Deterministic("odds", edited["theta"][-1] / edited["theta"][0])
    tree = c.sample(200, chains=2, model=edited, rng=1, **QUIET)
    assert "odds" in tree["posterior"]
