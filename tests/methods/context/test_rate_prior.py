"""A prior of r of the user's: exact by quadrature, and NUTS agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import preliz as pz
import pymc as pm
import pytest
from scipy import integrate, stats

import bayescompare as bc
from bayescompare.methods import PoissonBinomial
from bayescompare.methods.context.shares import rate_prior_of
from tests.methods.context.cases import alone, ask
from tests.oracles.context import PAIRS, log_split, near, shares_near


def evidence(pairs: Any, density: Any, low: float = 0.0, high: float = 1.0) -> float:
    """Log evidence of the counts by plain quadrature."""
    p = np.array(alone(pairs))
    value = integrate.quad(
        lambda r: density(r) * np.prod(r * p + (1 - r) * (1 - p)), low, high, epsabs=1e-14
    )[0]
    return float(np.log(value) + sum(np.log(2) + log_split(h, g) for h, g in pairs))


@pytest.fixture(scope="module")
def uneven() -> Any:
    return ask(PAIRS, joint=True, priors={"r": pm.Beta.dist(2.0, 5.0)})


def test_the_answer_is_exact(uneven: Any) -> None:
    density = stats.beta(2.0, 5.0).pdf
    assert uneven.exact
    assert not uneven.method.needs_mcmc
    assert uneven.log_evidence == pytest.approx(evidence(PAIRS, density), abs=1e-8)
    p = np.array(alone(PAIRS))
    whole, above = (
        integrate.quad(lambda r: density(r) * np.prod(r * p + (1 - r) * (1 - p)), low, 1.0)[0]
        for low in (0.0, 0.5)
    )
    assert float(uneven.probability[0]) == pytest.approx(above / whole, abs=1e-9)
    assert "You chose the prior of r." in uneven.explain()
    assert "(r Beta(2.0, 5.0))" in uneven.method.methods_text(uneven.answer)


def test_leave_one_out_is_a_difference_of_evidences(uneven: Any) -> None:
    density, loo = stats.beta(2.0, 5.0).pdf, uneven.loo()
    for i in (0, 3, 5):
        rest = [pair for j, pair in enumerate(PAIRS) if j != i]
        expected = evidence(PAIRS, density) - evidence(rest, density)
        assert float(loo.elpd_i[i]) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    "value", [pz.Beta(2.0, 5.0), lambda name, dims: pm.Beta(name, 2.0, 5.0)], ids=["preliz", "f"]
)
def test_other_ways_to_give_the_same_prior(uneven: Any, value: Any) -> None:
    same = ask(PAIRS, joint=True, priors={"r": value})
    assert same.exact
    np.testing.assert_allclose(same.probability, uneven.probability, atol=1e-10)


def test_a_prior_that_jumps(uneven: Any) -> None:
    c = ask(PAIRS, joint=True, priors={"r": pm.Uniform.dist(0.55, 0.8)})
    assert float(c.probability[0]) == pytest.approx(1.0, abs=1e-12)
    expected = evidence(PAIRS, stats.uniform(0.55, 0.25).pdf, 0.55, 0.8)
    assert c.log_evidence == pytest.approx(expected, abs=1e-8)
    assert 0.55 <= c.rate["lower"] <= c.rate["upper"] <= 0.8
    ahead = c.decision.statement
    assert ahead == "A>B"
    assert "would not be settled" not in c.explain()  # no data move it below a half


def test_the_uniform_prior_is_the_default() -> None:
    plain = ask(PAIRS, joint=True)
    given = ask(PAIRS, joint=True, priors={"r": pm.Beta.dist(1.0, 1.0)})
    np.testing.assert_allclose(given.probability, plain.probability, atol=1e-11)
    assert given.log_evidence == pytest.approx(plain.log_evidence, abs=1e-9)
    np.testing.assert_allclose(given.loo().elpd_i, plain.loo().elpd_i, atol=1e-9)
    np.testing.assert_allclose(
        given.per_dataset["probability"], plain.per_dataset["probability"], atol=1e-10
    )
    change = [c.explain().partition("What would change it")[2] for c in (plain, given)]
    assert change[0] == change[1]


def test_draws_and_predictions(uneven: Any) -> None:
    tree = uneven.draws(4000, chains=2, rng=1)
    r = tree["posterior"]["r"].values
    assert near(r, uneven.rate["mean"])
    assert shares_near(r > 0.5, float(uneven.probability[0]))
    assert near(tree["prior"]["r"].values, 2 / 7)
    logit = np.log(r) - np.log1p(-r)
    expected = stats.beta(2.0, 5.0).logpdf(r) + logit + 2 * np.log1p(-r)
    np.testing.assert_allclose(tree["log_prior"]["r"], expected, atol=1e-9)
    assert len(uneven.check(tree, rng=1)) == 3
    plan = uneven.plan([3, 30], simulations=60, rng=1)
    assert plan["settled"].between(0, 1).all()


def test_a_saved_answer_says_which_prior_it_had(uneven: Any, tmp_path: Path) -> None:
    uneven.to_json(tmp_path / "c.json")
    back = bc.load_comparison(tmp_path / "c.json")
    assert back.exact
    assert back.explain().startswith(uneven.explain().partition("What would change")[0])
    np.testing.assert_array_equal(back.probability, uneven.probability)
    with pytest.raises(bc.BayescompareError, match=r"priors\['r'\] was saved by name only"):
        back.model()


@pytest.mark.parametrize(
    "value",
    [
        pm.Normal.dist(0.5, 1.0),
        pm.Flat.dist(),
        pm.Bernoulli.dist(0.5),
        lambda name, dims: pm.Beta(name, pm.Gamma("shape", 2, 1), 1.0),
    ],
    ids=["off the range", "improper", "discrete", "random"],
)
def test_what_has_no_density_of_r_is_left_to_nuts(value: Any) -> None:
    assert rate_prior_of(value) is None


def test_the_formula_takes_no_prior() -> None:
    with pytest.raises(bc.BayescompareError, match="joint=True"):
        PoissonBinomial(priors={"r": pm.Beta.dist(2, 2)})


@pytest.mark.slow
def test_nuts_agrees(uneven: Any) -> None:
    tree = uneven.sample(4000, chains=4, cores=1, rng=3, progressbar=False)
    assert uneven.diagnose(tree).figures["greatest R-hat"] < 1.01
    assert uneven.diagnose(tree).figures["divergences"] == 0
    import arviz as az

    r = tree["posterior"]["r"]
    for value, exact in ((r, uneven.rate["mean"]), (r > 0.5, float(uneven.probability[0]))):
        figures = value.astype(float)
        assert abs(float(figures.mean()) - exact) < 4 * float(az.mcse(figures, method="mean"))
