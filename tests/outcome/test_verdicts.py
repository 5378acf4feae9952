"""Where algorithms stand after all pairs, in figures and in one sentence."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome.pairwise_facts import pairwise_facts, trade_off_sentences
from bayescompare.outcome.pairwise_headline import pairwise_headline
from bayescompare.outcome.verdicts import PairVerdicts, Rule, mean_places
from bayescompare.statements import Statement

METHOD = bc.methods.get("dirichlet")()


def verdicts_of(places, decided=(), reference=None, cycles=()):
    """Verdicts made by hand: places by algorithm, and labels of decided pairs."""
    table = pd.DataFrame(places, index=["x", "y", "z"][: len(next(iter(places.values())))])
    names = list(table.index)
    lists = {key: dict.fromkeys(names, ()) for key in ("beats", "beaten_by", "trades", "ties")}
    statements = {}
    for label in decided:
        statement = Statement.parse(label)
        one, other = statement.states[0].names
        statements[frozenset((one, other))] = statement
        if statement.winner:
            lists["beats"][one] += (other,)
            lists["beaten_by"][other] += (one,)
        else:
            kind = "trades" if statement.is_trade_off else "ties"
            lists[kind][one] += (other,)
            lists[kind][other] += (one,)
    return PairVerdicts(table, **lists, statements=statements, reference=reference, cycles=cycles)


ONE = {"m": [1.0, 2.0, 3.0]}
BOTH = {"m": [1.0, 2.0, 3.0], "t": [1.0, 2.0, 3.0]}
TRADE = {"m": [1.0, 2.0, 3.0], "t": [3.0, 1.0, 2.0]}


@pytest.mark.parametrize(
    ("places", "decided", "sentence"),
    [
        (ONE, [], "x has the best place on m, but none of the two others is separated from it"),
        (ONE, ["x>z"], "x has the best place on m and beats z; y is not separated from it"),
        (ONE, ["x>y", "x>z"], "x has the best place on m and beats all two others"),
        (ONE, ["y>x"], "x has the best place on m; yet y beats it; z is not separated from it"),
        (
            BOTH,
            ["x>y|x>y", "x=z|x>z"],
            "x has the best place on both measures and beats y on both; it and z are practically "
            "equivalent on m, and x is better on t",
        ),
        (
            ONE,
            ["x=y", "x=z"],
            "x has the best place on m; it is practically equivalent to y and z",
        ),
        (
            TRADE,
            ["x=y|x=y"],
            "No algorithm is first on every measure: x on m and y on t; the two are practically "
            "equivalent on m and t",
        ),
        (
            BOTH,
            ["x>y|y>x"],
            "x has the best place on both measures; it is a trade-off against y; z is not "
            "separated from it",
        ),
        (
            TRADE,
            ["x>y|y>x", "y>z|y>z"],
            "No algorithm is first on every measure: x on m and y on t; between the two it is a "
            "trade-off; z is beaten by another on every measure",
        ),
        (
            TRADE,
            [],
            "No algorithm is first on every measure: x on m and y on t; the two are not "
            "separated; no pair is separated",
        ),
        (
            {"m": [1.5, 1.5, 3.0]},
            [],
            "x and y share the best place on m; no pair is separated",
        ),
    ],
)
def test_the_headline_names_names(places, decided, sentence):
    assert pairwise_headline(verdicts_of(places, decided), METHOD) == sentence


@pytest.mark.parametrize(
    ("decided", "sentence"),
    [
        ([], "None of the two others is separated from x"),
        (["y>x"], "y beats x; z is not separated from it"),
        (["y>x", "z>x"], "y and z beat x"),
        (["x>y"], "None of the two others beats x; x beats y; z is not separated from it"),
    ],
)
def test_the_headline_against_a_reference(decided, sentence):
    assert pairwise_headline(verdicts_of(ONE, decided, reference="x"), METHOD) == sentence


def test_the_headline_of_the_uci_table(pairs):
    assert pairs.headline() == (
        "GBM has the best place on all three measures and beats CART on all of them; the other six "
        "are not separated from it"
    )
    assert pairs.headline() in repr(pairs)
    assert "beats CART" not in pairs.headline(level=0.9999999)


def test_verdicts_are_those_of_decide_and_order(pairs):
    for rule in (Rule(), Rule(0.8), Rule(None, 0.1)):
        verdicts = PairVerdicts.of(pairs, rule)
        graph = pairs.ordered(rule)
        for name in pairs.results.algorithms:
            assert set(verdicts.beats[name]) == set(graph.successors(name))
            assert set(verdicts.beaten_by[name]) == set(graph.predecessors(name))
        assert len(verdicts.statements) == pairs.decided(rule)["asserted"].sum()
        table = verdicts.printed()
        assert list(table.index) == list(verdicts.names)
        counted = table[["beats", "beaten by", "open"]].sum(axis=1)
        assert set(counted) == {len(pairs.results.algorithms) - 1}


def test_places_are_those_of_rank():
    results = bc.load_example("jansen-uci")
    places = mean_places(results)
    expected = bc.rank(results, draws=100, rng=0).places["place"]
    for measure in results.measures:
        for name in results.algorithms:
            assert places.loc[name, measure] == expected[measure, name]


def test_places_in_domains_and_with_gaps():
    frame = pd.DataFrame(
        [
            (f"d{i}", a, (i < 3 and a == "A") or (i >= 3 and a == "B"), "x" if i < 3 else "y")
            for i in range(4)
            for a in "AB"
        ],
        columns=["dataset", "algorithm", "m", "domain"],
    ).astype({"m": float})
    plain = bc.Results.from_frame(frame, measures={"m": "max"})
    domains = bc.Results.from_frame(frame, measures={"m": "max"}, group="domain")
    assert mean_places(plain)["m"].to_dict() == {"A": 1.0, "B": 2.0}
    assert mean_places(domains)["m"].to_dict() == {"A": 1.5, "B": 1.5}
    gaps = bc.Results.from_frame(frame.iloc[1:], measures={"m": "max"})
    assert mean_places(gaps)["m"].to_dict() == {"A": 1.0, "B": 2.0}


def trade_table():
    """Two slow and good ones, two fast and poor ones, and one that is neither."""
    rng = np.random.default_rng(0)
    means = {"Slow": (2, -2), "Heavy": (2, -2), "Fast": (-2, 2), "Light": (-2, 2), "Bad": (-9, -9)}
    rows = [
        (f"d{i}", name, *(rng.normal(mean, 0.2) for mean in pair))
        for i in range(30)
        for name, pair in means.items()
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy", "speed"])
    return bc.Results.from_frame(frame, measures={"accuracy": "max", "speed": "max"})


def test_trade_offs_are_said_once_for_all_that_share_them():
    p = bc.pairwise(trade_table(), n_jobs=1)
    verdicts = PairVerdicts.of(p, Rule())
    (sentence,) = trade_off_sentences(p, verdicts)
    slow, fast = sentence.split(" on accuracy, ")
    assert set(slow.removesuffix(" are better").split(" and ")) == {"Slow", "Heavy"}
    assert set(fast.removesuffix(" on speed.").split(" and ")) == {"Fast", "Light"}
    facts = pairwise_facts(p, verdicts, Rule())
    assert facts["Trade-offs"] == sentence
    assert "where accuracy matters most" in facts["What to use"]
    assert facts["What to use"].endswith("Light beats Bad on every measure.")
    assert "Avoid" not in facts["What to use"]
    assert not any(">" in text.replace("P > ", "") for text in facts.values())


def test_facts_say_how_sure_on_what_and_under_which_assumption(pairs):
    facts = pairwise_facts(pairs, PairVerdicts.of(pairs, Rule()), Rule())
    assert facts["What to use"].startswith("Use GBM, the first by place; RF, BDS,")
    assert facts["How sure"].startswith("2 of 28 pairs have a verdict (P at least 0.95, under")
    assert facts["Data"].startswith("16 datasets; 8 algorithms on auc (higher is better)")
    assert "The prior was learned from all 28 pairs." in facts["Assumption"]
    glrt = bc.pairwise(bc.load_example("pnn"), method="glrt", n_jobs=1)
    facts = pairwise_facts(glrt, PairVerdicts.of(glrt, Rule()), Rule())
    assert "No prior; p-values corrected for many pairs (Holm)." in facts["Assumption"]
    own = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    facts = pairwise_facts(own, PairVerdicts.of(own, Rule()), Rule())
    assert "(prior symmetric, strength 1)" in facts["Assumption"]
    assert facts["How sure"].startswith("The pair has no verdict")


def test_a_circle_has_no_first_choice():
    circle = ["x>y", "y>z", "z>x"]
    verdicts = verdicts_of(ONE, circle, cycles=[("x", "y", "z")])
    p = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    facts = pairwise_facts(p, verdicts, Rule())
    assert "x over y over z over x" in facts["What to use"]
    assert all(verdicts.beaten_by[a] for a, _ in combinations("xyz", 2))
    against = replace(verdicts_of(ONE, ["y>x"]), reference="x")
    assert pairwise_facts(p, against, Rule())["What to use"] == "Use y instead of x."
