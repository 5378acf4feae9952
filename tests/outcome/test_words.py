"""The verdict block: one state, one headline, and words that the figures bear out.

Properties are asked of tables, not of invented decisions: every state of two algorithms occurs at
least twenty times.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.words import (
    Block,
    comparison_block,
    gate_block,
    pair_state,
    sentences,
)

#: Shares of datasets on which A wins, B wins or both are equal, by measure.
KINDS = {
    "A": (0.97, 0.02, 0.01),
    "a": (0.68, 0.31, 0.01),
    "o": (0.5, 0.5, 0.0),
    "B": (0.02, 0.97, 0.01),
    "=": (0.01, 0.01, 0.98),
}


def table(kinds: str, n: int, seed: int) -> bc.Results:
    """Two algorithms, and a measure with a rope for each letter."""
    rng = np.random.default_rng(seed)
    signs = np.stack([rng.choice([1.0, -1.0, 0.0], n, p=KINDS[kind]) for kind in kinds], axis=1)
    names = [f"m{j}" for j in range(len(kinds))]
    rows = [
        (f"d{i}", who, *(side * signs[i])) for i in range(n) for who, side in (("A", 1), ("B", 0))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    spec = {name: bc.Measure("max", rope=0.1) for name in names}
    return bc.Results.from_frame(frame, measures=spec)


@cache
def blocks() -> list[tuple[bc.Comparison, Block]]:
    found = []
    for kinds in itertools.combinations_with_replacement("AaoB=", 2):
        for n, seed in itertools.product((8, 14, 30), range(10)):
            found.append(table("".join(kinds), n, seed))
    found += [table(kind, n, seed) for kind in KINDS for n in (6, 20) for seed in range(10)]
    found += [table("a", n, seed) for n in (12, 16, 20, 24) for seed in range(10, 30)]
    found += [
        table(kinds, n, seed)
        for kinds in ("AB=", "A=o", "ABo", "A=a", "BAo")
        for n in (14, 60)
        for seed in range(10)
    ]
    even = {"AA": 4, "BB": 4}
    for extra in range(20):
        rows = [
            (f"d{k}", who, *(float(one == who) for one in kind))
            for k, kind in enumerate(
                [kind for kind, times in even.items() for _ in range(times + extra % 5)]
            )
            for who in "AB"
        ]
        frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m0", "m1"])
        found.append(bc.Results.from_frame(frame, measures={"m0": "max", "m1": "max"}))
    return [(c, comparison_block(c)) for c in map(bc.compare, found)]


def words_in(sentence: str) -> int:
    return len(sentence.split())


def test_no_sentence_is_written_twice_and_each_has_a_place() -> None:
    table_ = sentences()
    places = {"headline", "measure", "unknown", "careful", "next", "pairs"}
    assert {row.slot for row in table_.values()} == places
    assert len({row.text for row in table_.values()} - {"{claim}."}) > 80
    assert all(row.when for row in table_.values())


@pytest.mark.parametrize("block", [b for _, b in blocks()[::7]], ids=lambda b: b.state)
def test_sentences_are_short_and_whole(block: Block) -> None:
    for sentence in block.sentences:
        assert words_in(sentence) <= 20, sentence
        assert sentence.endswith(".")
        assert "{" not in sentence
        assert not re.search(r"\w>\w", sentence)


def test_every_state_has_one_headline_and_occurs() -> None:
    seen = Counter(block.state for _, block in blocks())
    wanted = {"wins", "partequal", "equal", "trade", "tradeequal", "part", "equalopen", "open"}
    wanted |= {"tradeopen", "tied", "ahead", "partmixed"}
    assert {state: seen[state] for state in wanted if seen[state] < 20} == {}
    starts = {name: row.text for name, row in sentences().items() if row.slot == "headline"}
    for _, block in blocks():
        pattern = re.sub(r"\\\{\w+\\\}", "(.+)", re.escape(starts[block.state]))
        assert re.fullmatch(pattern, block.headline)


def test_the_words_are_those_of_the_parts() -> None:
    """ "Better on X" is said only where X has the word, and "use" only of who wins."""
    for c, block in blocks():
        better = {
            (part.ahead, part.measure) for part in c.decision.measured if part.word == "better"
        }
        head = block.headline.replace("both measures", "m0 and m1").replace(
            "all three measures", "m0, m1 and m2"
        )
        pattern = r"\b([AB]) (?:is better than [AB] )?(?:is better )?on ([m0-9, and]+)"
        for who, on in re.findall(pattern, head):
            if block.state in ("leads", "leadsplit", "ahead"):
                continue
            for measure in re.findall(r"m\d", on):
                assert (who, measure) in better, (block, better)
        if block.state in ("open", "tied", "ahead", "leads", "leadsplit"):
            assert "better" not in block.headline
            assert block.status == "open"
        for sentence in block.slots.get("next", ()):
            for name in re.findall(r"^Use (\w)", sentence):
                assert {who for who, _ in better} == {name}
            for who, measure in re.findall(r"(\w) for (m\d)", sentence):
                assert (who, measure) in better
        settled = c.decision.settled
        assert (block.status in ("settled", "trade-off")) == settled
        for row, part in zip(block.rows, c.decision.measured, strict=False):
            assert (row.mark == "settled") == (part.word == "better")
            assert row.counts.startswith(f"{part.won} : {part.lost}")


def test_swapping_the_algorithms_says_the_same() -> None:
    for c, block in blocks()[::11]:
        other = comparison_block(bc.compare(c.results, algorithms=["B", "A"]))
        assert (other.state, other.status) == (block.state, block.status)
        assert [row.mark for row in other.rows] == [row.mark for row in block.rows]


def test_what_is_needed_settles_and_what_undoes_unsettles() -> None:
    results = bc.load_example("benavoli-example1")
    block = comparison_block(bc.compare(results))
    assert "If the next three datasets all favoured B, this would be settled." in block.sentences
    frame = results.to_frame()
    more = [
        {"dataset": f"new{k}", "algorithm": a, "accuracy": float(a == "B"), "time": float(a == "A")}
        for k in range(3)
        for a in "AB"
    ]
    measures = {name: results[name] for name in results.measures}
    for number in (2, 3):
        grown = pd.concat([frame.reset_index(), pd.DataFrame(more[: 2 * number])])
        c = bc.compare(grown[["dataset", "algorithm", "accuracy", "time"]], measures=measures)
        assert c.decision.settled == (number == 3)


@pytest.mark.parametrize(
    ("words", "state", "leaders", "name"),
    [
        ([("m", "A", "better")], "better", ["A"], "wins"),
        ([("m", "A", "ahead")], "open", ["A"], "ahead"),
        ([("m", "A", "level")], "open", ["A"], "open"),
        ([("m", "A", "better"), ("k", "A", "better")], "open", ["A", "A"], "each"),
        ([("m", "A", "better"), ("k", "B", "better")], "open", ["A", "B"], "tradeeach"),
        ([("m", "", "equal"), ("k", "", "equal")], "leads", [None, None], "equaleach"),
        ([("m", "A", "ahead"), ("k", "A", "ahead")], "leads", ["A", "A"], "leads"),
        ([("m", "A", "ahead"), ("k", "B", "ahead")], "leads", ["A", "B"], "leadsplit"),
        ([("m", "A", "better"), ("k", "", "equal")], "open", ["A", None], "eachequal"),
    ],
)
def test_rare_states(words, state, leaders, name) -> None:
    assert pair_state("A", words, state, leaders).name == name


@pytest.mark.parametrize("seed", range(6))
def test_boards_name_only_who_may_be_named(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, l = int(rng.integers(8, 30)), 5
    level = (0.0, 0.6, 1.5)[seed % 3] * rng.normal(size=(l, 2))
    rows = [(f"d{i}", f"x{a}", *rng.normal(level[a])) for i in range(n) for a in range(l)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m0", "m1"])
    p = bc.pairwise(frame, measures={"m0": "max", "m1": "max"}, n_jobs=1)
    block, verdicts = pairs_block(p), p.decision
    for sentence in block.sentences:
        assert words_in(sentence) <= 20, sentence
    for sentence in block.slots.get("next", ()):
        named = set(re.findall(r"x\d", sentence))
        if sentence.startswith("For x"):
            assert all(verdicts.beaten_by[name] for name in named)
        else:
            assert not any(verdicts.beaten_by[name] for name in named), sentence
    better = p.parts[p.parts["word"] == "better"]
    for row, measure in zip(block.rows, ("m0", "m1"), strict=False):
        listed = set(re.findall(r"x\d", row.note))
        losers = {
            second if who == first else first
            for (first, second, m), who in better["ahead"].items()
            if m == measure
        }
        assert listed == {f"x{a}" for a in range(l)} - losers


@pytest.mark.parametrize(
    ("shift", "rope", "state"),
    [(0.2, None, "pass"), (0.0, 0.5, "passequal"), (-0.2, None, "fail"), (0.0, None, "undecided")],
)
def test_gates(shift: float, rope: float | None, state: str) -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(scale=0.1, size=16)
    rows = [(f"d{i}", "new", shift + noise[i]) for i in range(16)]
    rows += [(f"d{i}", "old", 0.0) for i in range(16)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    measures = {"m": bc.Measure("max", rope=rope)}
    block = gate_block(bc.gate(frame, candidate="new", baseline="old", measures=measures))
    assert block.state == state
    advice = {"pass": "Replace old", "passequal": "Replace old", "fail": "Keep old."}
    assert block.slots["next"][0].startswith(advice.get(state, "Keep old for now"))
