"""The words and the summary of the Poisson-binomial test say what its figures say."""

from __future__ import annotations

import json

import pandas as pd
from hypothesis import given, settings

import bayescompare as bc
from tests.methods.context.cases import BOTH, ask, pairs_of_counts


@BOTH
@settings(max_examples=25)
@given(pairs=pairs_of_counts)
def test_words_headline_and_json_say_what_the_figures_say(
    joint: bool, pairs: list[tuple[int, int]]
) -> None:
    c = ask(pairs, joint=joint)
    first, second = c.probability.values
    said, headline = c.explain(), c.headline()
    verdict = c.decision.verdict
    p = max(first, second)
    if abs(first - second) < 1e-9:
        assert verdict == "tied"
        assert "neither A nor B leads" in said
        assert "settles" not in said
    else:
        winner, loser = ("A", "B") if first > second else ("B", "A")
        assert c.best == f"{winner}>{loser}"
        assert f"{winner} is better than {loser}" in said
        assert f"{loser} is better than {winner}" not in said
        claim = f"{winner} is better than {loser} on error."
        assert (headline == claim) == (c.decision.state == "better")
        expected = "settled" if p >= 0.95 else "likely" if p >= 0.75 else "open"
        assert verdict == expected
        assert ("which settles it" in said) == (verdict == "settled")
        assert ("not settled" in said) == (verdict == "likely")
        assert ("open" in said) == (verdict == "open")
    told = json.loads(c.to_json())
    assert told["best"] == c.best
    assert told["verdict"] == verdict
    assert told["explanation"] == said
    assert told["exact"] is True
    assert [s["probability"] for s in told["statements"]] == [first, second]
    assert told["figures"]["rate_mean"] == c.rate["mean"]
    assert told["details"]["per_dataset"]["probability"] == c.per_dataset["probability"].tolist()


def test_turned_datasets_of_the_poisson_binomial_are_said_to_be_the_surest():
    """Turning the least sure dataset does not unsettle what turning the surest one does."""
    found = [(0, 30)] * 6 + [(9, 10)]

    def asked(rows):
        frame = pd.DataFrame({"dataset": f"d{k}", "a": a, "b": b} for k, (a, b) in enumerate(rows))
        counts = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
        return bc.compare(counts, method="poisson-binomial")

    c = asked(found)
    assert c.decision.verdict == "settled"
    assert "If the surest dataset had gone as surely the other way" in c.explain()
    assert asked([*found[:-1], (10, 9)]).decision.level >= 0.95
    assert asked([found[0][::-1], *found[1:]]).decision.level < 0.95
