"""Beliefs about measures as a prior: what they imply, where they hold, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet
from tests.methods.dirichlet.cases import ask, example_1, figures, same, sample_table
from tests.oracles.context import near
from tests.tables import normal_table, table

SEVEN = {"accuracy": {"B>A": 0.7}, "weight": 5}


def test_seven_in_ten_worth_five_datasets() -> None:
    # By itself accuracy is Beta(3.5, 1.5) before the data, and time is even.
    prior = ask(example_1(), prior=SEVEN).draws(20_000, chains=1, rng=1)["prior"]["marginal"]
    assert near(1 - prior.sel(measure="accuracy").values, 0.7)
    assert near(prior.sel(measure="time").values, 0.5)


def test_equal_alphas_share_a_group_however_many_statements() -> None:
    """2^40 statements, 21 different α's."""
    results = normal_table("AB", [f"m{j}" for j in range(40)], datasets=4)
    prior: dict[str, Any] = {f"m{j}": {"A>B": 0.6} for j in range(20)}
    c = ask(results, prior={**prior, "weight": 3})
    _, cells = c.method.cells(c.results)
    assert len(cells.lumps) == 21
    assert cells.total == pytest.approx(3.0, abs=1e-9)
    assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-9)
    marginal = c.draws(4000, chains=1, rng=2)["prior"]["marginal"]
    assert near(marginal.sel(measure="m3").values, 0.6)
    assert near(marginal.sel(measure="m30").values, 0.5)
    plan = c.plan([2], simulations=3, rng=1)
    assert plan["settled"].between(0, 1).all()


def test_too_many_different_alphas_are_refused() -> None:
    results = normal_table("AB", [f"m{j}" for j in range(14)], datasets=4)
    prior: dict[str, Any] = {f"m{j}": {"A>B": 0.5 + 0.011 * j} for j in range(1, 14)}
    with pytest.raises(BayescompareError, match=r"13 measures .* more than 1,024 different"):
        ask(results, prior=prior)


# what else there is -------------------------------------------------------------------------------


def test_words_name_the_prior() -> None:
    c = ask(example_1(), prior=SEVEN)
    assert (
        "You chose the prior: it expects that B is better than A on accuracy with probability "
        "0.7, and weighs as much as 5 datasets." in c.explain()
    )
    text = c.method.methods_text(c.answer)
    assert "(that B is better than A on accuracy with probability 0.7; independent" in text
    assert "worth 5 datasets" in text


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_saved_and_loaded(kind: str, tmp_path: Path) -> None:
    c = ask(example_1(), prior=SEVEN)
    path = tmp_path / f"c.{kind}"
    (c.to_json if kind == "json" else c.to_netcdf)(path)
    back = bc.load_comparison(path)
    assert back.method == c.method
    same(figures(back), figures(c))
    assert back.explain() == c.explain()


def test_a_weight_of_one_dataset_is_understood() -> None:
    one = ask(example_1(), prior={"time": {"B>A": 0.2}})
    same(figures(one), figures(ask(example_1(), prior={"time": {"B>A": 0.2}, "weight": 1.0})))
    even = ask(example_1(), prior={"time": {"B>A": 0.5}, "weight": 3})
    same(figures(even), figures(ask(example_1(), strength=3.0)))
    assert even.on(["accuracy"]).method == Dirichlet(strength=3.0)


def test_a_pair_has_what_was_said_of_it(uci: bc.Results) -> None:
    prior = {"auc": {"GBM>CART": 0.9}, "brier": {"RF>CART": 0.8}, "weight": 4}
    p = bc.pairwise(uci, method=Dirichlet(prior=prior), n_jobs=1)
    for pair, own in {
        ("GBM", "CART"): Dirichlet(prior={"auc": {"GBM>CART": 0.9}, "weight": 4}),
        ("CART", "RF"): Dirichlet(prior={"brier": {"RF>CART": 0.8}, "weight": 4}),
        ("GLM", "EN"): Dirichlet(strength=4.0),
    }.items():
        alone = bc.compare(uci, algorithms=list(p[pair].results.algorithms), method=own)
        assert p[pair].method == own
        np.testing.assert_allclose(p[pair].probability, alone.probability, atol=1e-12)
    assert p.learned is None
    for name, words in {"GBM>CARt": "'CARt' is not one of", "GBM>RF>CART": "two at a time"}.items():
        with pytest.raises(BayescompareError, match=words):
            bc.pairwise(uci, method=Dirichlet(prior={"auc": {name: 0.9}}), n_jobs=1)
    with pytest.raises(BayescompareError, match=r"prior\['acc'\]: there is no such measure"):
        bc.pairwise(uci, method=Dirichlet(prior={"acc": {"GBM>CART": 0.9}}), n_jobs=1)


def test_labels_of_a_pair_are_about_it(uci: bc.Results) -> None:
    three = uci.sel(algorithms=["GBM", "CART", "RF"], measures=["auc"])
    p = bc.pairwise(three, method=Dirichlet(prior={"GBM>CART": 3.0, "*": 0.5}), n_jobs=1)
    assert p["GBM", "CART"].method == Dirichlet(prior={"GBM>CART": 3.0, "*": 0.5})
    assert p["CART", "RF"].method == Dirichlet(prior=0.5)
    with pytest.raises(BayescompareError, match="says nothing about GBM against RF"):
        bc.pairwise(three, method=Dirichlet(prior={"GBM>CART": 3.0, "CART>GBM": 1.0}), n_jobs=1)


# what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"accuracy": {"B>A": 0.7}, "weight": 0}, r"prior\['weight'\]=0: it must be the number"),
        ({"accuracy": {"B>A": 0.7}, "weight": -1}, r"prior\['weight'\]=-1: it must be"),
        ({"accuracy": {"B>A": 0.7}, "weight": float("nan")}, r"prior\['weight'\]=nan"),
        ({"accuracy": {"B>A": 0.7}, "weight": "5"}, r"prior\['weight'\]='5'"),
        ({"accuracy": {"B>A": 0.7}, "weight": True}, r"prior\['weight'\]=True"),
        ({"accuracy": {"B>A": 0.7}, "weight": 1e13}, r"prior\['weight'\]"),
        ({"weight": {"B>A": 0.7}}, "a measure called 'weight' must have another name"),
        ({"weight": 5}, "no belief about a measure"),
        ({"acuracy": {"B>A": 0.7}}, r"prior\['acuracy'\]: there is no such measure.*accuracy"),
        ({"accuracy": {"B>C": 0.7}}, r"prior\['accuracy'\]\['B>C'\]: 'C' is not one of"),
        ({"accuracy": {"A=B": 0.7}}, "needs a rope"),
        ({"accuracy": {"*": 0.7}}, "name single ones"),
        ({"accuracy": {"B>A": 0.0}}, "above 0 and below 1"),
        ({"accuracy": {"B>A": 1.0}}, "above 0 and below 1"),
        ({"accuracy": {"B>A": -0.2}}, "above 0 and below 1"),
        ({"accuracy": {"B>A": "0.7"}}, r"prior\['accuracy'\]\['B>A'\]='0.7'"),
        ({"accuracy": {"B>A": 0.7, "A>B": 0.4}}, r"sum to 1\.1, more than 1"),
        ({"accuracy": {"B>A": 0.7, "A>B": 0.2}}, r"sum to 0\.9, not 1"),
        ({"accuracy": {}}, "name at least one state"),
        ({"accuracy": {"B>A": 0.7}, "B>A|B>A": 3.0}, "not both"),
        ({"accuracy": 0.7, "weight": 5}, "among beliefs about measures"),
    ],
)
def test_what_contradicts_itself_is_refused(prior: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        ask(example_1(), prior=prior)
    with pytest.raises(BayescompareError, match="has its own 'weight'"):
        Dirichlet(prior=SEVEN, strength=2.0)


def test_nothing_may_be_left_for_a_state() -> None:
    with pytest.raises(BayescompareError, match="has its own 'weight'"):
        Dirichlet(prior=SEVEN, strength=2.0)
    results = table(sample_table(6, 2, 1, seed=1), rope=0.2)
    with pytest.raises(BayescompareError, match=r"leave nothing for the 1 other state"):
        ask(results, prior={"m0": {"A>B": 0.5, "B>A": 0.5}})


def test_beliefs_that_can_hold_together_are_refused() -> None:
    results = table(sample_table(6, 3, 1, seed=1))
    with pytest.raises(BayescompareError, match="can hold together"):
        ask(results, prior={"m0": {"A>B": 0.5, "B>C": 0.3}})


def test_a_measure_called_weight_is_refused() -> None:
    results = table(sample_table(6, 2, 2, seed=1), measures={"weight": "max", "accuracy": "max"})
    with pytest.raises(BayescompareError, match="a measure is called 'weight'"):
        ask(results, prior=SEVEN)
    ask(results, prior={"A>B|A>B": 2.0, "*": 1.0})


@pytest.mark.slow
def test_nuts_agrees() -> None:
    c = ask(example_1(), prior=SEVEN)
    tree = c.sample(2000, chains=4, cores=1, rng=1, progressbar=False)
    diagnosis = c.diagnose(tree)
    assert diagnosis.figures["greatest R-hat"] < 1.01
    assert diagnosis.figures["divergences"] == 0
    import arviz as az

    theta = tree["posterior"]["theta"]
    leads = (theta == theta.max("statement")).astype(float)
    for values, exact in (
        (leads, c.probability),
        (theta, c.summary()["theta_mean"].reindex(c.probability["statement"].values)),
    ):
        error = np.abs(values.mean(("chain", "draw")).values - np.asarray(exact))
        assert (error < 4 * az.mcse(values, method="mean").values).all()
