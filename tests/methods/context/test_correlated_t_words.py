"""The words, the picture and the pairs of the correlated t-test say what its figures say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods.context.folds import ask
from tests.oracles.context import folds_frame


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
