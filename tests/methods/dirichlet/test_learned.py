"""The prior that `pairwise` learns from all pairs, and the verdicts that rest on it (SPEC 8)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.learned import Learned
from bayescompare.outcome.pairwise import Pairwise
from tests.tables import table


@pytest.fixture(scope="module")
def uci() -> Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)


def noise(n: int, l: int, m: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, l, m))


# ----------------------------------------------------------------------------------- SPEC's figures


def best(p: Pairwise, *pair: str) -> float:
    return float(p[pair].probability.max())


#: Of three measures, and of auc alone.
REFERENCE = {
    ("CART", "GBM"): (0.999154, 0.999779),
    ("BDS", "CART"): (0.992443, 0.999641),
    ("CART", "RF"): (0.979859, 0.994505),
    ("CART", "GLM"): (0.967119, 0.943434),
    ("CART", "RIDGE"): (0.946698, 0.987022),
}


def test_the_reference_figures(uci: Pairwise) -> None:
    auc = bc.pairwise(bc.load_example("jansen-uci"), measures=["auc"], n_jobs=1)
    for pair, expected in REFERENCE.items():
        assert (round(best(uci, *pair), 6), round(best(auc, *pair), 6)) == expected


def test_what_was_learned_can_be_looked_at(uci: Pairwise) -> None:
    learned = uci.learned
    assert isinstance(learned, Learned)
    assert list(learned.base.index[[0, -1]]) == [">|>|>", "<|<|<"]
    np.testing.assert_allclose(learned.base, learned.base[::-1], atol=1e-15)
    assert learned.weights.shape == (28, 21)
    np.testing.assert_allclose(learned.weights.sum(axis=1), 1.0, atol=1e-12)
    assert learned.weights.columns.names == ["A", "q"]
    assert learned.null.between(0.0, 1.0).all()
    # CART loses to GBM on every dataset; two that are hardly told apart may well not differ.
    assert learned.null["CART", "GBM"] < 0.01 < 0.5 < learned.null["EN", "RIDGE"]
    assert learned.lenders.max() <= 28
    assert learned.lenders.min() >= 1


# ----------------------------------------------------------------------------------- when it learns


def test_learning_is_the_default_and_a_prior_given_turns_it_off() -> None:
    results = table(noise(8, 4, 2, 0))
    assert bc.pairwise(results, n_jobs=1).learned is not None
    learned = bc.methods.Dirichlet(prior="learned")
    assert bc.pairwise(results, method=learned, n_jobs=1).learned is not None
    for given in ({"prior": "symmetric"}, {"strength": 1.0}, {"prior": "jeffreys"}):
        p = bc.pairwise(results, method=bc.methods.Dirichlet(**given), n_jobs=1)
        assert p.learned is None
        assert (p.decide()["alone"] == p.decide()["probability"]).all()
    strength = bc.methods.Dirichlet(priors={"strength": 2})
    assert bc.pairwise(results, method=strength, n_jobs=1).learned is None
    # One pair teaches nothing.
    assert bc.pairwise(results.sel(algorithms=["A", "B"]), n_jobs=1).learned is None


def test_compare_refuses_what_only_pairs_can_teach() -> None:
    results = table(noise(6, 2, 1, 0))
    learned = bc.methods.Dirichlet(prior="learned")
    for ask in (bc.compare, bc.pairwise):
        with pytest.raises(BayescompareError, match="at least three"):
            ask(results, method=learned)
    with pytest.raises(BayescompareError, match="strength"):
        bc.methods.Dirichlet(prior="learned", strength=2)


def test_a_reference_learns_from_all_pairs() -> None:
    results = table(noise(9, 5, 2, 1))
    every = bc.pairwise(results, n_jobs=1)
    some = bc.pairwise(results, reference="B", n_jobs=1)
    assert some.learned == every.learned
    assert len(some) == 4
    for c in some:
        np.testing.assert_array_equal(c.probability, every[c.results.algorithms].probability)


def test_relabelling_and_datasets_order_change_nothing() -> None:
    values = noise(9, 4, 2, 3)
    p = bc.pairwise(table(values), n_jobs=1)
    shuffled = bc.pairwise(table(values[::-1]), algorithms=["D", "B", "A", "C"], n_jobs=1)
    again = shuffled.matrix.sel(algorithm=p.matrix["algorithm"], opponent=p.matrix["opponent"])
    np.testing.assert_allclose(again, p.matrix, atol=1e-10)


def test_more_statements_than_are_listed_teach_nothing() -> None:
    """Nine measures are 512 statements; by default each pair then has its own prior."""
    results = table(noise(10, 3, 9, 4))
    p = bc.pairwise(results, n_jobs=1)
    assert p.learned is None
    assert "Nothing was learned from the other pairs" in p.explain()
    with pytest.raises(BayescompareError, match="all their statements are listed"):
        bc.pairwise(results, method=bc.methods.Dirichlet(prior="learned"), n_jobs=1)


def test_a_rope_is_learned_from_too() -> None:
    p = bc.pairwise(table(noise(10, 3, 1, 4), rope=0.3), n_jobs=1)
    assert p.learned is not None
    assert list(p.learned.base.index) == [">", "=", "<"]
    for c in p:
        total = float(c.probability.sum())
        assert total <= 1 + 1e-9
        assert c.probability.sel(statement=c.best) == pytest.approx(float(c.probability.max()))
        assert math.isfinite(c.log_evidence)
        assert len(c.loo().elpd_i) == 10


# ----------------------------------------------------------------------------------------- verdicts


def test_a_verdict_needs_both_priors(uci: Pairwise) -> None:
    decided = uci.decide(level=0.9)
    both = (decided["probability"] >= 0.9) & (decided["alone"] >= 0.9) & (decided["parts"] >= 0.9)
    assert decided["asserted"].equals(both.rename("asserted"))
    # EN against GBM reaches it alone, GLM against EN neither way.
    assert ((decided["alone"] >= 0.9) & ~decided["asserted"]).any()
    assert decided.columns.tolist() == [
        "first", "second", "n", "statement", "probability", "alone", "parts", "decision",
        "asserted",
    ]  # fmt: skip


def test_alone_is_what_compare_says(uci: Pairwise) -> None:
    results = bc.load_example("jansen-uci")
    for row in uci.decide().to_dict("records"):
        c = bc.compare(results, algorithms=[row["first"], row["second"]])
        own = float(c.probability.sel(statement=row["statement"]))
        assert row["alone"] == pytest.approx(own, abs=1e-11)
        if row["asserted"]:
            assert c.decision.verdict == "settled"
            assert c.best == row["statement"]


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_asserted_that_compare_leaves_open(seed: int) -> None:
    values = noise(12, 5, 1, seed) + np.linspace(0, 1.5, 5)[None, :, None]
    results = table(values)
    decided = bc.pairwise(results, n_jobs=1).decide()
    for row in decided[decided["asserted"]].to_dict("records"):
        c = bc.compare(results, algorithms=[row["first"], row["second"]])
        assert c.decision.verdict == "settled"


def test_a_pairs_own_verdict_is_settled_only_under_both_priors(uci: Pairwise) -> None:
    for c in uci:
        least = min(c.decision.probability, c.decision.alone, c.decision.least)
        assert (c.decision.verdict == "settled") == (least >= 0.95)
    assert "learned from 24 of the 28 pairs" in uci["BDS", "CART"].explain()
    assert "learned from all 28 pairs" in uci.explain()


def test_level_and_fdr_are_two_rules(uci: Pairwise) -> None:
    calls = [uci.decide, uci.order, uci.explain, uci.plot, uci.to_json]
    for call in calls:
        with pytest.raises(BayescompareError, match="give one"):
            call(level=0.95, fdr=0.05)
    assert uci.decide(level=0.99)["asserted"].sum() < uci.decide()["asserted"].sum()
    floor = uci.decide(fdr=0.3, floor=0.9)
    assert floor.loc[floor["asserted"], "probability"].min() >= 0.9
    assert "running_fdr" in floor
    with pytest.raises(BayescompareError, match="applies only to fdr"):
        uci.decide(floor=0.9)


def test_pairs_without_common_datasets_are_nan_and_said_so() -> None:
    values = noise(8, 4, 1, 7)
    values[:4, 0] = np.nan
    values[4:, 1] = np.nan
    values[1:4, 2] = np.nan
    p = bc.pairwise(table(values), missing="drop", n_jobs=1)
    decided = p.decide()
    nan = decided[decided["probability"].isna()]
    assert nan[["first", "second", "n"]].to_numpy().tolist() == [["A", "B", 0], ["B", "C", 1]]
    assert not nan["asserted"].any()
    assert len(p) == 4
    said = p.explain()
    assert (
        "Not compared, having fewer than two datasets in common: A against B and B against C."
        in said
    )
    assert np.isnan(p.matrix.sel(algorithm="A", opponent="B"))
    with pytest.raises(BayescompareError, match=r"A against B.*missing"):
        bc.pairwise(table(values), n_jobs=1)
    with pytest.raises(BayescompareError):
        bc.pairwise(table(values), missing="drop", algorithms=["A", "B"], n_jobs=1)


# ------------------------------------------------------------------------------------------ dummies


@pytest.mark.slow
def test_a_dummy_buys_next_to_nothing() -> None:
    """Three constant worst algorithms leave the pairs of noise where they were."""
    bought = []
    for seed in range(6):
        values = noise(20, 5, 1, 100 + seed)
        dummies = np.full((20, 3, 1), values.min() - 1.0)
        before = bc.pairwise(table(values), n_jobs=1).decide()
        after = bc.pairwise(table(np.concatenate([values, dummies], axis=1)), n_jobs=1).decide()
        real = after[after["first"].isin(list("ABCDE")) & after["second"].isin(list("ABCDE"))]
        bought.append(int(real["asserted"].sum()) - int(before["asserted"].sum()))
    assert sum(bought) <= 1


# --------------------------------------------------------------------- a full comparison, and files


def test_a_pair_is_a_full_comparison(uci: Pairwise) -> None:
    c = uci["CART", "GLM"]
    assert c.method.options()["prior"] == "learned"
    tree = c.draws(2000, chains=4, rng=0)
    posterior = tree["posterior"].to_dataset()
    assert set(posterior) == {"theta", "marginal", "strength", "f", "same", "h"}
    theta = posterior["theta"].stack(sample=("chain", "draw")).transpose("sample", "statement")
    # Where the two do not differ, a statement and its reverse share the lead.
    lead = (theta >= theta.max("statement") - 1e-12).astype(float)
    share = (lead / lead.sum("statement")).mean("sample").to_series()
    null = float(posterior["same"].mean())
    assert null == pytest.approx(uci.learned.null["CART", "GLM"], abs=0.01)
    for statement, p in c.probability.to_series().items():
        error = 4 * math.sqrt(max(p * (1 - p), 1e-4) / 8000)
        assert share.get(statement, 0.0) == pytest.approx(p, abs=error)
    mean = posterior["theta"].mean(("chain", "draw")).to_series()
    np.testing.assert_allclose(mean, c.summary()["theta_mean"].reindex(mean.index), atol=0.02)
    assert c.plan([5], simulations=20, rng=0).loc[5, "settled"] <= 1.0
    assert list(c.questions.index) == ["most probable", "beats opposite", "majority", "expected"]


def test_sensitivity_varies_the_pairs_own_prior(uci: Pairwise) -> None:
    c = uci["CART", "RIDGE"]
    found = c.sensitivity([0.5, 1.0])
    own = c.answer.per_statement["alone"]
    np.testing.assert_allclose(found.loc[1.0], own, atol=1e-11)
    assert found.attrs["lower"][1] <= found.loc[1.0, c.best] <= found.attrs["upper"][1]


def test_on_keeps_the_posterior_of_all_measures(uci: Pairwise) -> None:
    """θ summed over the other measures, from draws of the whole posterior."""
    c = uci["CART", "RIDGE"]
    subset = c.on(["auc", "brier"])
    tree = c.draws(20_000, chains=1, rng=1)
    theta = tree["posterior"]["theta"].to_series().unstack("statement").to_numpy()
    labels = tree["posterior"]["statement"].values.tolist()
    short = ["|".join(np.array(label.split("|"))[[0, 2]]) for label in labels]
    summed = pd.DataFrame(theta, columns=short).T.groupby(level=0).sum().T
    lead = summed.ge(summed.max(axis=1) - 1e-12, axis=0).astype(float)
    share = lead.div(lead.sum(axis=1), axis=0).mean()
    for statement, p in subset.probability.to_series().items():
        assert share.get(statement, 0.0) == pytest.approx(p, abs=4 * 0.5 / math.sqrt(20_000))


@pytest.mark.parametrize("suffix", ["json", "nc"])
def test_a_pair_is_saved_with_what_was_learned(uci: Pairwise, tmp_path: Path, suffix: str) -> None:
    c = uci["BDS", "GBM"]
    path = tmp_path / f"c.{suffix}"
    (c.to_json if suffix == "json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    np.testing.assert_array_equal(again.probability, c.probability)
    assert again.method == c.method
    assert again.method.learned == c.method.learned
    assert again.explain() == c.explain()
    assert again.decision == c.decision
    assert again.loo().elpd == c.loo().elpd


def test_json_has_the_rule_and_what_was_learned(uci: Pairwise) -> None:
    import json

    document = json.loads(uci.to_json())
    assert document["level"] == 0.95
    assert document["fdr"] is None
    assert document["learned"]["pairs"] == 28
    assert json.loads(uci.to_json(fdr=0.1))["level"] is None


def test_pairs_alone_that_look_sure_are_explained() -> None:
    """One measure: several pairs reach 0.95 alone and not among all."""
    values = noise(20, 6, 1, 11) + np.linspace(0, 0.5, 6)[None, :, None]
    p = bc.pairwise(table(values), n_jobs=1)
    decided = p.decide()
    lone = decided[(decided["alone"] >= 0.95) & ~decided["asserted"]]
    assert len(lone) > 0
    assert "Judged alone" in p.explain()
