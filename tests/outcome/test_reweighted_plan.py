"""Plans of sampled answers: draws reweighted, against the exact plan of the same model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from scipy.stats import betabinom

import bayescompare as bc
from bayescompare.methods import ModelFile
from bayescompare.methods._shared.pair_answer import pair_counts
from bayescompare.methods.model_file.answer import ModelDetails
from tests.methods.model_file.own import conjugate_file, multinomial


@pytest.fixture(scope="module")
def drawn(results: bc.Results) -> bc.Comparison:
    return conjugate_file(results, draws=1000)


@pytest.fixture(scope="module")
def few(counts: bc.Results) -> bc.Results:
    return counts.sel(datasets=list(counts.datasets[3:9]))


@pytest.mark.slow
def test_the_plan_is_that_of_the_exact_answer(drawn: bc.Comparison, results: bc.Results) -> None:
    """A dozen datasets seen, and more of them than that to come."""
    found = drawn.plan([3, 15], threshold=0.8, simulations=150, rng=1)
    exact = bc.compare(results).plan([3, 15], threshold=0.8, simulations=1000, rng=2)
    assert found.index.tolist() == [3, 15]
    for column in ("settled", "settled_on_best"):
        apart = (found[column] - exact[column]).abs()
        assert (apart < 4 * np.hypot(found["mcse"], exact["mcse"])).all()
    assert found.attrs["how"] == "reweighted draws"
    assert found["mcse"].between(0.01, 0.07).all()
    # The more datasets, the fewer draws are left.
    assert found.attrs["ess"][0] > found.attrs["ess"][1] > 50
    one, same = (drawn.plan([3], simulations=10, rng=5) for _ in "ab")
    np.testing.assert_array_equal(one, same)
    assert "plan" in dir(drawn)


@pytest.mark.slow
def test_too_many_datasets_are_refused(drawn: bc.Comparison) -> None:
    why = r"plan: 5,000 more datasets .*4,000 draws.*k-hat.*here 3 is fine"
    with pytest.raises(bc.BayescompareError, match=why):
        drawn.plan([3, 5000], simulations=20, rng=1)


def test_an_answer_without_chains_is_refused(drawn: bc.Comparison, tmp_path: Path) -> None:
    drawn.to_json(tmp_path / "c.json")
    loaded = bc.load_comparison(tmp_path / "c.json")
    with pytest.raises(bc.BayescompareError, match=r"plan: the chains .* were not saved"):
        loaded.plan([3])
    assert "plan" not in dir(loaded)
    drawn.to_netcdf(tmp_path / "c.nc")
    with pytest.raises(bc.BayescompareError, match="read from a file, and the model it names"):
        bc.load_comparison(tmp_path / "c.nc").plan([3])


def test_a_pair_of_one_model_of_all_is_refused(drawn: bc.Comparison) -> None:
    details = replace(ModelDetails.of(drawn.answer), together=("A", "B", "C"))
    pair = replace(drawn, answer=replace(drawn.answer, facts=details))
    with pytest.raises(bc.BayescompareError, match="one model of A, B and C"):
        pair.plan([3])


def latent(results: bc.Results) -> pm.Model:
    """A model in which each dataset has a variable of its own."""
    model = multinomial(results)
    with model:
        pm.Normal("z", 0, 1, dims="dataset")
    return model


def silent(results: bc.Results) -> pm.Model:
    """A likelihood that cannot predict."""
    with pm.Model(coords={"statement": ["A>B", "B>A"], "dataset": results.datasets}) as model:
        theta = pm.Dirichlet("theta", np.ones(4), dims="statement")
        pm.CustomDist(
            "seen",
            theta[0],
            logp=lambda y, p: pt.log(p) + 0 * y,
            observed=np.ones(12),
            dims="dataset",
        )
    return model


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "why"),
    [
        (latent, "plan: .*latent.*each dataset has its own z.*integrate it out"),
        (silent, "plan: .*silent.*it does not predict new data.*random="),
    ],
)
def test_models_that_cannot_plan_say_why(drawn: bc.Comparison, build: Any, why: str) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        replace(drawn, method=ModelFile(build)).plan([3], simulations=2, rng=1)


@pytest.mark.slow
def test_draws_that_say_something_else_are_refused(drawn: bc.Comparison) -> None:
    other = replace(drawn.answer, probability=drawn.answer.probability[::-1])
    with pytest.raises(bc.BayescompareError, match=r"plan: .*do not say what it says"):
        replace(drawn, answer=other).plan([3], simulations=2)


@pytest.mark.slow
def test_hierarchical_plans_by_integrating_again(few: bc.Results) -> None:
    """The exact plan against one that predicts from exact draws and sums over a grid."""
    c = bc.compare(few, method="hierarchical")
    found = c.plan([4], threshold=0.8, simulations=400, rng=1).loc[4]
    seen, rng = pair_counts(few), np.random.default_rng(2)
    mu, rho = np.meshgrid((np.arange(60) + 0.5) / 60, (np.arange(40) + 0.5) / 40)
    a, b = mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho

    def log_likelihood(k: np.ndarray, n: np.ndarray) -> np.ndarray:
        return betabinom.logpmf(k[:, None, None], n[:, None, None], a, b).sum(axis=0)

    before = log_likelihood(seen[0], seen[0] + seen[1])
    posterior = c.draws(200, chains=1, rng=3)["posterior"]
    settled = []
    for m, phi in zip(posterior["mu"].values[0], posterior["phi"].values[0], strict=True):
        n = rng.choice(seen[0] + seen[1], size=4)
        first = rng.binomial(n.astype(int), rng.beta(m * phi, (1 - m) * phi, size=4))
        logs = before + log_likelihood(first, n)
        mass = np.exp(logs - logs.max())
        p = mass[mu < 0.5].sum() / mass.sum()
        settled.append(max(p, 1 - p) >= 0.8)
    error = np.hypot(found["mcse"], (0.25 / 200) ** 0.5)
    assert abs(found["settled"] - np.mean(settled)) < 4 * error
    assert found["settled_on_best"] <= found["settled"]
