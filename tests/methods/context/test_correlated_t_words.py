"""The words, the picture and the pairs of the correlated t-test say what its figures say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from tests.methods.context.folds import ask, frame_of, scores
from tests.oracles.context import folds_frame, replicated


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=6),
    st.sampled_from([None, 0.1]),
)
def test_words_say_what_the_figures_say(differences: list[list[int]], rope: float | None) -> None:
    frame = folds_frame([[x / 10 for x in row] for row in differences])
    if frame["score"].nunique() == 1:
        return
    c = ask(frame, rope=rope)
    p = dict(zip(c.probability["statement"].values.tolist(), c.probability.values, strict=True))
    top = max(p.values())
    leaders = {label for label, value in p.items() if top - value < 1e-9}
    said, verdict = c.explain(), c.decision.verdict
    assert c.best in leaders
    if c.decision.state != "tied":
        assert (c.posterior.claim(c.best) in c.headline()) == c.decision.settled
    if len(leaders) > 1:
        assert verdict == "tied"
        assert "settles" not in said
        if leaders != {"A>B", "B>A"} and len(leaders) == 2:
            # The tie is with equivalence, and one of the two does lead the other.
            assert "neither A nor B leads" not in said, (p, said)
    else:
        assert verdict == ("settled" if top >= 0.95 else "likely" if top >= 0.75 else "open")
        claim = {
            "A>B": "A is better than B",
            "B>A": "B is better than A",
            "A=B": "A and B are practically equivalent",
        }
        for label, words in claim.items():
            assert (words in said) == (label == c.best), said
    assert json.loads(c.to_json())["explanation"] == said


def test_a_tie_with_equivalence_is_not_a_tie_of_the_two() -> None:
    """One dataset for A, one equivalent, none for B: A does lead B."""
    c = ask(folds_frame([[0.5] * 3, [0.0] * 3]), rope=0.1)
    p = c.probability
    assert float(p.sel(statement="A>B")) == pytest.approx(float(p.sel(statement="A=B")))
    assert float(p.sel(statement="A>B")) > float(p.sel(statement="B>A")) + 0.1
    assert "neither A nor B leads" not in c.explain(), c.explain()


def test_of_three_the_most_frequent_need_not_be_most() -> None:
    """With a rope P is about the most frequent region, not about most datasets."""
    c = ask(scores(), rope=0.01)
    assert "most datasets" not in c.explain(), c.explain()
    assert "most datasets" not in c.headline(), c.headline()


@pytest.mark.parametrize("rope", [None, 0.01])
def test_pairs(rope: float | None) -> None:
    values = np.concatenate([scores(5, 6), scores(5, 6, seed=1)[:, :1]], axis=1)
    results = replicated(frame_of(values), rope=rope)
    p = bc.pairwise(results, method="correlated-t", n_jobs=1)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = "ABC"[i], "ABC"[j]
        c = ask(values[:, [i, j]], rope=rope)
        one = float(p.matrix.sel(algorithm=a, opponent=b))
        two = float(p.matrix.sel(algorithm=b, opponent=a))
        assert one == pytest.approx(float(c.probability.sel(statement="A>B")), abs=1e-12)
        assert two == pytest.approx(float(c.probability.sel(statement="B>A")), abs=1e-12)
        if rope is None:
            assert one + two == pytest.approx(1.0, abs=1e-12)
        else:
            assert one + two < 1.0
    decided = p.decide(fdr=0.3)
    assert len(decided) == 3
    assert p.order(fdr=0.3).number_of_nodes() == 3
    p.explain()


def test_equivalence_asserted_orders_nothing() -> None:
    frame = folds_frame([[0.001, -0.001, 0.0005]] * 40)
    p = bc.pairwise(replicated(frame, rope=0.1), method="correlated-t", n_jobs=1)
    graph = p.order()
    assert list(graph.edges) == []
    assert graph.graph["mixed"] == [("A", "B", "A=B")]
    assert "A and B are equivalent on score" in p.explain()
    assert str(p.best.sel(algorithm="B", opponent="A").item()) == "B=A"
