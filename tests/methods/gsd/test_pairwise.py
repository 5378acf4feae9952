"""GSD of every pair at once: both directions, Holm's correction, words, references."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from tests.methods.gsd.cases import ask, made
from tests.tables import table


def test_holm_over_both_directions_of_every_pair(everything: bc.pairs.Pairwise) -> None:
    decided = everything.decide()
    least = {
        frozenset(c.results.algorithms): min(c.answer.per_statement["pvalue"])
        for c in everything.comparisons
    }
    # Each pair's hypothesis is one, tested twice: Bonferroni within, Holm between.
    ordered, level, expected = sorted(least.values()), 0.0, []
    for k, p in enumerate(ordered):
        level = max(level, min(1.0, 2 * p * (len(ordered) - k)))
        expected.append(level)
    np.testing.assert_allclose(decided["adjusted"], expected)
    np.testing.assert_allclose(decided["pvalue"], np.minimum(1.0, 2 * np.array(ordered)))
    assert (decided["asserted"] == (decided["adjusted"] <= 0.05)).all()


@pytest.fixture(scope="module")
def few(uci: bc.Results) -> bc.pairs.Pairwise:
    return bc.pairwise(
        uci, method=GSD(permutations=499), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )


def test_enumerated_tests_do_not_ask_for_more_resamples() -> None:
    p = bc.pairwise(made("metric", 1, algorithms=4), method="gsd", n_jobs=1)
    assert "resamples no" not in p.explain()


def test_the_asserted_order(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=399), algorithms=["GBM", "CART", "RF", "BDS"], rng=1, n_jobs=1
    )
    decided = p.decide()
    graph = p.order()
    asserted = {tuple(s.split(">")) for s in decided.loc[decided["asserted"], "statement"]}
    assert set(graph.edges) == asserted
    assert {("GBM", "CART"), ("RF", "CART"), ("BDS", "CART")} <= asserted
    assert nx.is_directed_acyclic_graph(graph)


def test_pairwise_words_say_dominance(few: bc.pairs.Pairwise) -> None:
    # To dominate is not to be better on every measure.
    assert few.decide()["asserted"].any()
    assert "better on every measure" not in few.explain()


def test_a_reference(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci,
        method=GSD(permutations=50),
        algorithms=["GBM", "CART", "RF"],
        reference="RF",
        rng=1,
        n_jobs=1,
    )
    assert np.isfinite(p.matrix.values).sum() == 4
    with pytest.raises(bc.BayescompareError, match="no comparison"):
        p["GBM", "CART"]


def test_a_tilde_in_a_name_is_no_incomparability() -> None:
    cells = np.array([[[9.0], [1.0 + k % 3]] for k in range(9)])
    names = ["svm~rbf", "B"]
    c = ask(table(cells, names=names), GSDBootstrap(resamples=50), rng=1)
    assert c.best == "svm~rbf>B"
    assert "svm~rbf dominates B is over 0.999" in c.explain()


def test_a_tilde_in_a_name_costs_no_edge() -> None:
    cells = np.array([[[9.0], [1.0 + k % 3]] for k in range(9)])
    for method in ("gsd", "dirichlet"):
        p = bc.pairwise(table(cells, names=["svm~rbf", "B"]), method=method, n_jobs=1)
        assert p.decide()["asserted"].all()
        assert list(p.order().edges) == [("svm~rbf", "B")]
