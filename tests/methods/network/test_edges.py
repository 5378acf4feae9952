"""P(edge) beyond the measures that can be summed over: exact forests, and samples with an error."""

from __future__ import annotations

import numpy as np
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.posterior import graphs
from bayescompare.posterior.graphs import GraphScores, edge_posterior
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no


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
