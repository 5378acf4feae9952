"""The graph of the network test: the best of all, its limit of parents, and a given one."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from pgmpy.base import DAG
from scipy.special import logsumexp

from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


def test_the_learned_graph_has_the_best_score_of_all() -> None:
    for seed, m in ((0, 3), (1, 4)):
        values = no.linked(50, m, seed=seed)
        results = table(values)
        c = ask(results, max_parents=m - 1)
        counts = no.counts_of(values, results)
        local = no.local_table(no.joint_states([2] * m), counts, [2] * m, 1.0, m - 1)
        every = no.dag_scores(local, no.every_dag(m))
        assert c.score == pytest.approx(every.max(), abs=1e-9)
        assert c.log_evidence == c.score
        own = no.masks(c.answer.facts.edges, results.measures)
        assert sum(local[j, mask] for j, mask in enumerate(own)) == pytest.approx(c.score)
        p = np.exp(every - logsumexp(every))
        dags = no.every_dag(m)
        for (i, a), (j, b) in itertools.product(enumerate(results.measures), repeat=2):
            expected = p[(dags[:, j] >> i & 1) == 1].sum()
            assert float(c.edges.sel(parent=a, child=b)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("n", "m", "l", "expected"),
    [
        (2, 3, 2, 1),
        (39, 5, 2, 1),
        (40, 5, 2, 2),
        (79, 5, 2, 2),
        (80, 5, 2, 3),
        (80, 3, 2, 2),
        (80, 2, 2, 1),
        pytest.param(359, 4, 3, 1, marks=pytest.mark.slow),
        pytest.param(360, 4, 3, 2, marks=pytest.mark.slow),
    ],
)
def test_the_default_limit_of_parents(n: int, m: int, l: int, expected: int) -> None:
    """max(1, min(m − 1, ⌊log_r(n/10)⌋)), recorded."""
    results = table(np.random.default_rng(0).random((n, l, m)))
    c = ask(results, mcse=0.05)
    assert c.answer.facts.max_parents == expected
    assert c.edges.attrs["max_parents"] == expected
    children = [child for _, child in c.answer.facts.edges]
    assert max(map(children.count, children), default=0) <= expected


def test_a_limit_of_ones_own_is_kept_and_recorded() -> None:
    results = table(no.linked(60, 4, seed=5, link=3.0))
    for most in range(4):
        c = ask(results, max_parents=most, mcse=0.02)
        assert c.answer.facts.max_parents == most
        children = [child for _, child in c.answer.facts.edges]
        assert max(map(children.count, children), default=0) <= most


@pytest.mark.parametrize("kind", ["pairs", "networkx", "pgmpy", "multi"])
def test_a_graph_of_the_users_own(kind: str, walk: tuple[np.ndarray, Results]) -> None:
    pairs = [("m0", "m2")]
    graph: Any = {
        "pairs": lambda: pairs,
        "networkx": lambda: nx.DiGraph(pairs),
        "multi": lambda: nx.MultiDiGraph(pairs),
        "pgmpy": lambda: DAG(pairs),
    }[kind]()
    if kind != "pairs":
        graph.add_node("m1")
    c = ask(walk[1], search=graph)
    assert c.answer.facts.edges == (("m0", "m2"),)
    assert c.exact
    assert c.components["measures"].tolist() == [["m0", "m2"], ["m1"]]
    same = ask(walk[1], search=pairs)
    np.testing.assert_array_equal(c.probability.values, same.probability.values)
    assert "In your graph, these measures depend on each other: m0–m2." in c.explain()
