"""P(edge) beyond what can be summed over; edges that are given; limits; pgmpy's search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.graphs import dags
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.methods import Network
from bayescompare.posterior import graphs
from bayescompare.posterior.graphs import (
    GraphPrior,
    GraphScores,
    edge_posterior,
    edges_of,
    graph_weights,
)
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


def copies(m: int, n: int, seed: int = 0) -> Results:
    """Each measure copies one of the two before it, four times in five."""
    rng = np.random.default_rng(seed)
    states = rng.random((n, m)) < 0.4
    for j in range(1, m):
        same = rng.random(n) < 0.8
        states[:, j] = np.where(same, states[:, max(0, j - int(rng.integers(1, 3)))], states[:, j])
    return no.from_states(states)


def test_with_one_parent_any_number_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    results = copies(7, 30)
    rng = np.random.default_rng(0)
    scores = [GraphScores(Statements.of(results), CellPrior(), most) for most in (1, 0)]
    exact = edge_posterior(scores[0], rng)
    monkeypatch.setattr(graphs, "MOST_SUMMED", 3)
    forests, none = (edge_posterior(each, rng) for each in scores)
    assert forests.mcse is None
    np.testing.assert_allclose(forests.probability, exact.probability, atol=1e-11)
    assert (none.probability == 0).all()


def test_sampled_edges_agree_with_the_sum_over_all_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    results = copies(6, 45)
    scores = GraphScores(Statements.of(results), CellPrior(), 2)
    exact = edge_posterior(scores, np.random.default_rng(0)).probability
    monkeypatch.setattr(graphs, "MOST_SUMMED", 3)
    monkeypatch.setattr(graphs, "_MOST", 1000)
    drawn = ask(results, max_parents=2, search=[]).edges
    assert not drawn.attrs["exact"]
    assert drawn.attrs["rhat"] < 1.05
    assert drawn.attrs["mcse"] == pytest.approx(float(drawn["mcse"].max()))
    assert drawn["mcse"].dims == ("parent", "child")
    np.testing.assert_array_less(np.abs(drawn - exact).values, 4 * drawn["mcse"].values)
    again = edge_posterior(scores, np.random.default_rng(0))
    np.testing.assert_array_equal(again.probability, drawn)


def test_chains_that_disagree_give_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "MOST_SUMMED", 3)
    monkeypatch.setattr(graphs, "_MOST_RHAT", 0.5)
    monkeypatch.setattr(graphs, "_MOST", 1000)
    with pytest.raises(BayescompareError, match=r"edges: after 1.?000 samples .* max_parents"):
        _ = ask(copies(5, 45), max_parents=2, search=[]).edges


def test_more_sets_of_parents_than_can_be_scored() -> None:
    for m, most, message in ((40, 6, "smaller max_parents"), (70, 2, "sampled up to 62")):
        scores = GraphScores(Statements.of(copies(m, 10)), CellPrior(), most)
        with pytest.raises(BayescompareError, match=f"edges: {m} measures.*{message}"):
            edge_posterior(scores, np.random.default_rng(0))


def test_pictures_and_reports_show_sampled_edges_once_they_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No picture starts a long computation by itself."""
    from bayescompare.plots.orders import key_of_links, links_of
    from bayescompare.report.tables import links

    monkeypatch.setattr(graphs, "MOST_SUMMED", 3)
    monkeypatch.setattr(graphs, "_MOST", 1000)
    c = ask(copies(5, 45), max_parents=2, search=[("m0", "m1")])
    assert links_of(c, 0.1)[0] is None
    assert "c.edges" in key_of_links(c, 0.1)[0]
    assert "without probabilities" in links(c)[0].title
    most = c.edges.attrs["mcse"]
    assert f"at most {bc.text.numbers.standard_error_text(most)}" in key_of_links(c, 0.1)[-1]
    assert "graphs sampled, standard error at most" in links(c)[0].title


NAMES = ("m0", "m1", "m2", "m3")
REQUIRED = [("m0", "m2"), ("m3", "m2")]
FORBIDDEN = [("m1", "m0"), ("m2", "m1"), ("m1", "m3")]


def asked(m: int = 4, seed: int = 0, n: int = 30, **choices: Any) -> Any:
    return bc.compare(table(no.linked(n, m, seed=seed)), method=Network(**choices), rng=0)


def allowed(c: Any) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Every graph that keeps to the edges given, by enumeration, with its probability."""
    statements = Statements.of(c.results)
    free = GraphPrior(c.method.prior_of(statements).cells, c.method.max_parents).scores(statements)
    graphs = [
        graph
        for graph in dags(4, 3)
        if set(REQUIRED) <= set(edges_of(graph, NAMES))
        and not set(FORBIDDEN) & set(edges_of(graph, NAMES))
    ]
    logs = np.array([free.graph(graph) for graph in graphs])
    return graphs, np.exp(logs - logsumexp(logs))


GIVEN: dict[str, Any] = {"required": REQUIRED, "forbidden": FORBIDDEN, "max_parents": None}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_given_against_all_graphs_that_keep_to_it(seed: int) -> None:
    c = asked(seed=seed, **GIVEN)
    graphs, weight = allowed(c)
    assert c.score == pytest.approx(
        asked(seed=seed, search=edges_of(graphs[weight.argmax()], NAMES)).score
    )
    edge = np.zeros((4, 4))
    for graph, p in zip(graphs, weight, strict=True):
        for a, b in edges_of(graph, NAMES):
            edge[NAMES.index(a), NAMES.index(b)] += p
    found = c.edges.sel(parent=list(NAMES), child=list(NAMES)).values
    np.testing.assert_allclose(found, edge, atol=1e-9)
    for a, b in FORBIDDEN:
        assert float(c.edges.sel(parent=a, child=b)) == 0.0
    climbed = asked(seed=seed, search="hill-climb", **GIVEN)
    held = set(climbed.network.edges())
    assert set(REQUIRED) <= held
    assert not set(FORBIDDEN) & held
    assert climbed.score <= c.score + 1e-9


def test_averages_are_over_the_graphs_that_keep_to_it() -> None:
    c = asked(average=True, mcse=0.05, ess=2.0, **GIVEN)
    graphs, _ = allowed(c)
    scores = c.method.prior_of(Statements.of(c.results)).scores(Statements.of(c.results))
    assert scores.log_graphs == pytest.approx(np.log(len(graphs)))
    logs = [scores.graph(graph) for graph in graphs]
    assert c.log_evidence == pytest.approx(logsumexp(logs) - np.log(len(graphs)))
    before = graph_weights(scores, np.random.default_rng(0), prior=True)
    assert sum(before.values()) == pytest.approx(1.0)
    tree = c.draws(300, chains=1, rng=1)
    edge = tree["posterior"]["edge"].mean(("chain", "draw"))
    assert all(float(edge.sel(parent=a, child=b)) == 1.0 for a, b in REQUIRED)
    assert all(float(edge.sel(parent=a, child=b)) == 0.0 for a, b in FORBIDDEN)


@pytest.mark.slow
def test_many_measures_are_sampled_with_the_edges_given() -> None:
    given = {"required": [("m0", "m5")], "forbidden": [("m1", "m2"), ("m2", "m1")]}
    c = asked(17, n=60, search="hill-climb", max_parents=2, **given)
    assert float(c.edges.sel(parent="m0", child="m5")) == pytest.approx(1.0)
    assert float(c.edges.sel(parent="m1", child="m2")) == 0.0
    assert float(c.edges.sel(parent="m5", child="m0")) == 0.0


def test_pgmpys_knowledge_is_read() -> None:
    from pgmpy.causal_discovery import ExpertKnowledge

    known = ExpertKnowledge(required_edges=REQUIRED, forbidden_edges=FORBIDDEN)
    method = Network(required=known)
    assert set(method.required) == set(REQUIRED)
    assert set(method.forbidden) == set(FORBIDDEN)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"required": [("m0", "m1"), ("m1", "m0")]}, "required has a cycle: m. → m. → m."),
        ({"required": [("m0", "m1")], "forbidden": [("m0", "m1")]}, "both name the edge m0 → m1"),
        ({"required": [("m0", "mm")]}, "required names measure 'mm'"),
        ({"forbidden": [("x", "m0")]}, "forbidden names measure 'x'"),
        ({"required": "m0"}, "required='m0': give pairs"),
        ({"forbidden": [("m0",)]}, "give pairs"),
        ({"required": [("m0", "m2"), ("m1", "m2")], "max_parents": 1}, "gives a measure 2 parents"),
        ({"forbidden": [("m0", "m1")], "search": "ges"}, "'ges' does not honour"),
        ({"forbidden": [("m0", "m1")], "search": [("m0", "m1")]}, "does not honour"),
        ({"max_parents": "many"}, "max_parents='many'"),
        ({"max_parents": True}, "max_parents=True"),
    ],
)
def test_refusals(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        asked(3, **choices)


def test_exhaustive_search_is_for_few_measures() -> None:
    with pytest.raises(BayescompareError, match="up to 5 measures, and here are 6"):
        asked(6, search="exhaustive")


@pytest.mark.parametrize("count", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_pgmpys_exhaustive_search_finds_the_same_score(count: int) -> None:
    for seed in range(count):
        m = 5 if seed == 49 else 2 + seed % 3
        both = [asked(m, seed, max_parents=None, search=s).score for s in ("exhaustive", "exact")]
        assert both[0] == pytest.approx(both[1], abs=1e-9)


def test_no_limit_is_the_papers_and_auto_the_default() -> None:
    """Fair coins: without a limit BDeu joins most of them."""
    coins = table(np.random.default_rng(0).random((16, 2, 7)))
    edges = {
        limit: len(
            bc.compare(coins, method=Network(max_parents=limit, mcse=0.05), rng=0).network.edges
        )  # type: ignore[arg-type]
        for limit in ("auto", None)
    }
    assert edges["auto"] <= 6 < edges[None]


def test_files_of_earlier_versions_had_no_limit_for_auto(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for limit in ("auto", None, 2):
        c = asked(3, max_parents=limit, required=[("m0", "m1")])
        c.to_json(path, overwrite=True)
        again = bc.load_comparison(path).method
        assert (again.max_parents, again.required) == (limit, (("m0", "m1"),))  # type: ignore[attr-defined]
    document = json.loads(asked(3).to_json())
    options = document["method"]["options"]
    del options["required"], options["forbidden"]
    options["max_parents"] = None
    path.write_text(json.dumps(document))
    assert bc.load_comparison(path).method.max_parents == "auto"  # type: ignore[attr-defined]
