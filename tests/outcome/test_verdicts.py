"""Where algorithms stand after all pairs, in figures and in one sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.verdicts import PairVerdicts, Rule, mean_places


def board(*strengths: tuple[float, ...], n: int = 30, seed: int = 0) -> bc.Results:
    """Algorithms x, y, z … with a strength on each measure."""
    rng = np.random.default_rng(seed)
    names = [f"m{j}" for j in range(len(strengths[0]))]
    rows = [
        (f"d{i}", "xyzuvw"[a], *(rng.normal(level, 1.0)))
        for i in range(n)
        for a, level in enumerate(map(np.array, strengths))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    return bc.Results.from_frame(frame, measures=dict.fromkeys(names, "max"))


FAR = 9.0


@pytest.mark.parametrize(
    ("strengths", "state", "headline"),
    [
        (
            [(FAR, FAR), (0, 0), (-FAR, -FAR)],
            "best",
            "x is better than all 2 others on both measures.",
        ),
        ([(FAR,), (0.0,), (-FAR,)], "best", "x is better than all 2 others on m0."),
        (
            [(FAR, -FAR), (-FAR, FAR), (-99, -99)],
            "leadmany",
            "No algorithm comes first everywhere: x on m0, y on m1.",
        ),
        (
            [(FAR, 0.1), (0, 0.0), (-FAR, -9.0)],
            "leadfew",
            "x comes first on both measures, but only z is clearly behind on each.",
        ),
        (
            [(FAR, 0.1), (0, 0.0), (-FAR, -9.0), (-FAR, -9.0)],
            "leadmost",
            "x comes first on both measures and is better than 2 of 3 others on each.",
        ),
        ([(0.1,), (0.0,), (0.0,)], "boardopen", "No pair has a winner: none reached 95 % on any"),
    ],
)
def test_the_headline_of_a_board(strengths, state, headline):
    p = bc.pairwise(board(*strengths), n_jobs=1)
    block = pairs_block(p)
    assert block.state == state
    assert block.headline.startswith(headline)
    assert p.headline() == block.headline
    assert block.headline in repr(p)


@pytest.mark.parametrize(
    ("reference", "state", "headline"),
    [
        ("x", "refbest", "x is better than all 2 others on both measures."),
        ("y", "refbetter", "x is better than y on both measures."),
        ("z", "refbetter", "x and y are better than z on both measures."),
    ],
)
def test_the_headline_against_a_reference(reference, state, headline):
    results = board((FAR, FAR), (0, 0), (-FAR, -FAR))
    block = pairs_block(bc.pairwise(results, reference=reference, n_jobs=1))
    assert (block.state, block.headline) == (state, headline)
    instead = [] if state == "refbest" else [f"Use x instead of {reference}."]
    assert list(block.slots.get("next", [])) == instead


def test_a_circle_has_no_first_choice():
    """Three kinds of datasets, in each of which another order holds."""
    orders = ["xyz", "yzx", "zxy"]
    rows = [
        (f"d{k}", name, -float(orders[k % 3].index(name))) for k in range(150) for name in "xyz"
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    p = bc.pairwise(frame, measures={"m": "max"}, n_jobs=1)
    block = pairs_block(p)
    assert block.state == "circle"
    assert block.headline == "No single best: x over y over z over x, and so round."
    assert not any(sentence.startswith("Use ") for sentence in block.sentences)
    assert "x over y over z over x" in p.explain()


def test_the_headline_of_the_uci_table(pairs):
    assert pairs.headline() == (
        "GBM comes first on all three measures, but only CART is clearly behind on each."
    )
    assert "CART" not in pairs.headline(level=0.9999999)


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


def test_a_trade_off_is_no_winner():
    p = bc.pairwise(board((FAR, -FAR), (-FAR, FAR), (-99, -99)), n_jobs=1)
    block = pairs_block(p)
    assert block.slots["next"] == (
        "Choose by what matters to you: x for m0, y for m1.",
        "For z, someone else is better on every measure.",
    )
    assert "x is better than y on m0, and y is better than x on m1." in p.explain()
