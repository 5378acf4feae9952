"""GSD by bootstrap: shares by brute force, draws, what it does not have; files of both tests."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD, GSDBootstrap
from tests.cases import few_quick
from tests.methods.gsd.cases import Naive, ask, made
from tests.tables import table


@pytest.mark.parametrize("kind", few_quick(["mixed", "half-open", "metric", "ordinal"], 1))
def test_the_bootstrap_by_brute_force(kind: str) -> None:
    n = 24
    for seed, delta in ((0, 0), (1, 0.01)):
        results = made(kind, 60 + seed)
        c = ask(results, GSDBootstrap(delta=delta, resamples=n), rng=seed)
        tree = c.draws(n // 2, chains=2, rng=seed)
        weights = tree["posterior"]["weight"].values.reshape(n, -1)
        assert weights.sum(axis=1) == pytest.approx(1)
        naive = Naive(results, "A", "B")
        used = min(delta, naive.largest())
        expected = np.array([naive.weighted(w, used) for w in weights])
        found = tree["posterior"]["opt"].values.reshape(n, 2)
        np.testing.assert_allclose(found, expected, atol=1e-8)
        first, second = expected[:, 0] >= -1e-9, expected[:, 1] >= -1e-9
        shares = {
            "A>B": first & ~second,
            "A~B": ~first & ~second,
            "B>A": second & ~first,
            "A=B": first & second,
        }
        for label in c.probability["statement"].values:
            # The same seed draws the same weights.
            assert float(c.probability.sel(statement=label)) == shares[label].mean()
        assert float(c.probability.sum()) == pytest.approx(1, abs=1e-12)


def test_bootstrap_errors_are_those_of_shares(uci: bc.Results) -> None:
    n = 300
    c = ask(uci, GSDBootstrap(delta=0, resamples=n), algorithms=["BDS", "RF"], rng=1)
    p, mcse = c.probability.values, c.mcse.values  # type: ignore[union-attr]
    assert not c.exact
    inside = (p > 0) & (p < 1)
    assert inside.any()
    np.testing.assert_allclose(mcse[inside], np.sqrt(p * (1 - p) / n)[inside], rtol=0.02)
    assert (mcse > 0).all()


def test_draws_have_shapes_names_and_the_observed(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    for method in (GSD(delta=0, permutations=1), GSDBootstrap(delta=0, resamples=5)):
        c = ask(uci, method, algorithms=pair)
        tree = c.draws(30, chains=3, rng=1)
        opt = tree["posterior"]["opt"]
        assert opt.sizes == {"chain": 3, "draw": 30, "direction": 2}
        assert opt["direction"].values.tolist() == ["RF>BDS", "BDS>RF"]
        assert tree["posterior"]["weight"].sizes == {"chain": 3, "draw": 30, "dataset": 16}
        assert tree["posterior"]["weight"]["dataset"].values.tolist() == list(uci.datasets)
        observed = tree["observed_data"]["observed_opt"].values
        test = ask(uci, GSD(delta=0, permutations=1), algorithms=pair).summary()
        np.testing.assert_allclose(observed, test.loc[["RF>BDS", "BDS>RF"], "opt"], atol=1e-9)
        again = c.draws(30, chains=3, rng=1)
        np.testing.assert_array_equal(again["posterior"]["opt"], opt)
        # opt_ij + opt_ji ≤ 0, since both are minima over the same utilities.
        assert float(opt.sum("direction").max()) <= 1e-9


def test_identical_algorithms_are_equivalent() -> None:
    cells = np.random.default_rng(0).random((6, 1, 2)).repeat(2, axis=1)
    c = ask(table(cells), GSDBootstrap(resamples=100), rng=1)
    assert c.best == "A=B"
    assert float(c.probability.sel(statement="A=B")) == 1.0
    assert "A and B are equivalent" in c.explain()
    d = ask(table(cells))
    assert d.pvalue == 1.0
    assert d.relation.values.all()
    assert d.incomparable == []
    assert d.front == ("A", "B")
    assert d.order().number_of_edges() == 0


def test_the_bootstrap_says_what_it_lacks(uci: bc.Results) -> None:
    c = ask(uci, GSDBootstrap(delta=0, resamples=20), algorithms=["RF", "BDS"], rng=1)
    for name in ("pvalue", "statistic", "share_below"):
        with pytest.raises(bc.BayescompareError, match=f"'{name}'.*'gsd-bootstrap'.*gsd"):
            getattr(c, name)
    with pytest.raises(bc.BayescompareError, match=r"'loo'.*dirichlet"):
        c.loo()
    for name in ("robustness", "front_test"):
        with pytest.raises(bc.BayescompareError, match=name):
            getattr(c, name)()
    assert c.front == ("RF", "BDS")
    assert c.incomparable == [("RF", "BDS")]
    assert c.order().number_of_edges() == 0
    with pytest.raises(bc.BayescompareError, match="compares two algorithms"):
        bc.compare(uci, method="gsd-bootstrap")


@pytest.mark.parametrize("name", ["front_test", "incomparable", "relation_at", "witness"])
def test_other_methods_name_the_ones_with_an_order(name: str) -> None:
    c = bc.compare(bc.load_example("pnn"))
    with pytest.raises(AttributeError, match=f"{name}.*gsd") as caught:
        getattr(c, name)
    assert isinstance(caught.value, bc.BayescompareError)


def test_pairwise_probabilities(uci: bc.Results) -> None:
    some = ["RF", "BDS", "CART"]
    p = bc.pairwise(
        uci, method=GSDBootstrap(delta=0, resamples=150), algorithms=some, rng=1, n_jobs=1
    )
    for a, b in itertools.permutations(some, 2):
        c = p[a, b]
        held = float(c.probability.sel(statement=f"{a}>{b}"))
        assert float(p.matrix.sel(algorithm=a, opponent=b)) == held
    assert p.best.sel(algorithm="RF", opponent="BDS") == "RF~BDS"
    assert p.best.sel(algorithm="BDS", opponent="RF") == "BDS~RF"
    assert ("RF", "CART") in p.order(fdr=0.2).edges
    assert "RF and BDS" not in [tuple(e) for e in p.order(fdr=0.2).edges]


@pytest.fixture(scope="module")
def kinds_of_answer(uci: bc.Results) -> dict[str, GsdComparison]:
    pair = ["RF", "BDS"]
    return {
        "pair": ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        "enumerated": ask(
            made("mixed", 1), GSD(rule="jansen2022", epsilon=0.5, alternative="second")
        ),
        "many": ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        "bootstrap": ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
    }


@pytest.mark.parametrize("kind", ["pair", "enumerated", "many", "bootstrap"])
@pytest.mark.parametrize("ending", ["json", "nc"])
def test_round_trips(
    kinds_of_answer: dict[str, GsdComparison], tmp_path: Path, kind: str, ending: str
) -> None:
    c = kinds_of_answer[kind]
    path = tmp_path / f"c.{ending}"
    if ending == "json":
        c.to_json(path)
    else:
        c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert isinstance(again, GsdComparison)
    assert again.method == c.method
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    assert again.explain() == c.explain()
    assert repr(again) == repr(c)
    assert (again.relation == c.relation).all()
    assert again.front == c.front
    assert again.incomparable == c.incomparable
    assert set(again.order().edges) == set(c.order().edges)
    np.testing.assert_allclose(np.asarray(again.delta_max), np.asarray(c.delta_max))
    np.testing.assert_allclose(again.thresholds.values, c.thresholds.values)
    if kind in ("pair", "enumerated"):
        assert again.pvalue == c.pvalue
        assert again.share_below == c.share_below
        pd.testing.assert_frame_equal(again.robustness(rng=1), c.robustness(rng=1))
    if kind == "bootstrap":
        np.testing.assert_array_equal(again.probability, c.probability)
        np.testing.assert_array_equal(again.mcse, c.mcse)
    if kind != "many":
        pd.testing.assert_frame_equal(again.witness, c.witness)
