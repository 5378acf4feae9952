"""The words and the files of the network test name its graph and its groups."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Network
from tests.cases import few_quick
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


def test_the_words_name_edges_and_carriers() -> None:
    """Section 6.3 of the 2015 paper: connected measures settled, others apart and open."""
    rng = np.random.default_rng(1)
    z = rng.random((60, 1)) < 0.1
    carried = z ^ (rng.random((60, 3)) < 0.08)
    open_ = np.arange(60)[:, None] % 2 == 0
    c = ask(no.from_states(np.concatenate([carried, open_], axis=1)), search=no.CHAIN)
    said = c.explain()
    assert "m0–m1 and m1–m2" in said
    assert "Measure by measure, m0, m1 and m2 are sure, m3 is open." in said
    parts = c.components
    assert parts["measures"].tolist() == [["m0", "m1", "m2"], ["m3"]]
    assert parts["best"].tolist()[0] == "A>B|A>B|A>B"
    assert parts["probability"][0] > 0.99
    assert parts["exact"].tolist() == [True, True]
    joint = float(c.probability.sel(statement=c.best))
    assert joint == pytest.approx(float(parts["probability"].prod()), abs=1e-10)
    assert f"{joint:.3f}"[:4] in said


def test_the_words_of_no_edges_and_of_averages(averaged: NetworkComparison) -> None:
    results = table(np.random.default_rng(0).random((20, 2, 3)))
    assert "no measure depends on another" in ask(results, max_parents=0).explain()
    assert "In the learned graph" in ask(results).explain()
    assert "Averaged over all graphs" in averaged.explain()
    assert "not what causes what" in averaged.explain()


@cache
def linked_four(kind: str) -> NetworkComparison:
    results = table(no.linked(60, 4, seed=3, link=2.0))
    choices: dict[str, dict[str, Any]] = {
        "learned": {"mcse": 5e-3},
        "given": {"search": nx.DiGraph([("m3", "m1"), ("m1", "m0"), ("m1", "m2")]), "ess": 2.0},
        "averaged": {"average": True, "mcse": 5e-3},
    }
    return ask(results, **choices[kind])


@pytest.mark.parametrize("suffix", ["nc", "json"])
@pytest.mark.parametrize("kind", few_quick(["learned", "given", "averaged"], 2))
def test_files_keep_the_graph(kind: str, suffix: str, tmp_path: Path) -> None:
    c = linked_four(kind)
    assert c.answer.facts.edges
    path = tmp_path / f"c.{suffix}"
    c.to_json(path) if suffix == "json" else c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert isinstance(again, NetworkComparison)
    assert again.answer.facts == c.answer.facts
    assert again.score == c.score
    assert again.log_evidence == c.log_evidence
    assert again.explain() == c.explain()
    np.testing.assert_array_equal(again.probability, c.probability)
    np.testing.assert_array_equal(again.edges, c.edges)
    assert sorted(again.network.edges()) == sorted(c.network.edges())
    assert again.components.equals(c.components)
    assert again.questions.equals(c.questions)
    np.testing.assert_allclose(again.loo().elpd_i, c.loo().elpd_i)
    if suffix == "json":
        document = json.loads(path.read_text())
        assert not document["figures"].keys() & document["details"].keys()
        assert document["figures"] | document["details"] == c.answer.facts.to_dict()


def test_pairwise_by_network() -> None:
    values = no.linked(30, 3, seed=1, l=3)
    results = table(values)
    p = bc.pairwise(results, method=Network(max_parents=0), n_jobs=1)
    for a, b in itertools.permutations("ABC", 2):
        c = bc.compare(results, method=Network(max_parents=0), algorithms=[a, b])
        expected = float(c.probability.sel(statement="|".join([f"{a}>{b}"] * 3)))
        assert float(p.matrix.sel(algorithm=a, opponent=b)) == pytest.approx(expected, abs=1e-10)
    named = bc.pairwise(results, method="network", n_jobs=1)
    assert np.isfinite(named.matrix.values[~np.eye(3, dtype=bool)]).all()
    assert len(named.decide()) == 3
