"""The verdict block: one state, one headline, and words that the figures bear out.

Properties are asked of tables, not of invented decisions, and every state occurs at least twenty
times: of two algorithms, of boards, of rankings and of gates.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome.board_words import pairs_block
from bayescompare.outcome.verdicts import PairVerdicts, Rule, mean_places
from bayescompare.outcome.words import (
    Block,
    comparison_block,
    datasets_needed,
    datasets_undoing,
    pair_state,
    say,
    sentences,
)
from bayescompare.ranking.words import gate_block, ranking_block
from bayescompare.text.names import spelled

#: Shares of datasets on which A wins, B wins or both are equal, by measure.
KINDS = {
    "A": (0.97, 0.02, 0.01),
    "a": (0.68, 0.31, 0.01),
    "o": (0.5, 0.5, 0.0),
    "B": (0.02, 0.97, 0.01),
    "=": (0.01, 0.01, 0.98),
}
#: Numbers of datasets on which A or B wins (or they are equal), by measure: states that are rare.
COUNTED = {
    "leads": {"AAA": 17, "ABB": 6, "BAB": 6, "BBA": 6, "BBB": 7, "AAB": 2, "BAA": 2},
    "leadsplit": {"ABA": 17, "AAB": 6, "BBB": 6, "BAA": 6, "BAB": 7, "ABB": 2, "BBA": 2},
    "each": {"AA": 10, "AB": 5, "BA": 5},
    "tradeeach": {"AB": 10, "AA": 5, "BB": 5},
    "equaleach": {"==": 10, "=A": 3, "B=": 3, "BA": 0},
    "eachequal": {"A=": 10, "AB": 3, "B=": 3, "AA": 1},
}


def results_of(signs: np.ndarray, rope: float | None = 0.1) -> bc.Results:
    """Two algorithms; the first is better, equal or worse by each sign (datasets, measures)."""
    names = [f"m{j}" for j in range(signs.shape[1])]
    sides = (("A", 1), ("B", 0))
    rows = [(f"d{i}", who, *(side * row)) for i, row in enumerate(signs) for who, side in sides]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    spec = {name: bc.Measure("max", rope=rope) for name in names}
    return bc.Results.from_frame(frame, measures=spec)


def drawn(kinds: str, n: int, seed: int) -> bc.Results:
    """Two algorithms, and a measure with a rope for each letter."""
    rng = np.random.default_rng(seed)
    signs = [rng.choice([1.0, -1.0, 0.0], n, p=KINDS[kind]) for kind in kinds]
    return results_of(np.stack(signs, axis=1))


def counted(patterns: dict[str, int], times: int) -> Iterator[bc.Results]:
    """Patterns, a few of them once or twice more."""
    sign = {"A": 1.0, "B": -1.0, "=": 0.0}
    for extra in itertools.islice(itertools.product(range(3), repeat=len(patterns)), times):
        numbers = zip(patterns, patterns.values(), extra, strict=True)
        shown = [pattern for pattern, number, more in numbers for _ in range(number + more)]
        signs = np.array([[sign[letter] for letter in pattern] for pattern in shown])
        yield results_of(signs, 0.1 if "=" in "".join(patterns) else None)


@cache
def two() -> list[tuple[bc.Comparison, Block]]:
    pairs = ["".join(kinds) for kinds in itertools.combinations_with_replacement("AaoB=", 2)]
    found = [drawn(kinds, n, seed) for kinds in pairs for n in (8, 14, 30) for seed in range(9)]
    found += [drawn(kind, n, seed) for kind in "A=" for n in (6, 20) for seed in range(20)]
    found += [drawn("a", n, seed) for n in (12, 16, 20, 24) for seed in range(30)]
    triples = ("AB=", "A=o", "ABo", "A=a", "BAo")
    found += [drawn(kinds, n, seed) for kinds in triples for n in (14, 60) for seed in range(10)]
    for patterns in COUNTED.values():
        found += counted(patterns, 130)
    for k in range(2, 24):
        found += counted({"AA": k, "BB": k}, 1)
    return [(c, comparison_block(c)) for c in map(bc.compare, found)]


def scores(means: Any, n: int, seed: int, rope: float | None = None) -> bc.Results:
    """Algorithms x0, x1 … with a mean on each measure."""
    means = np.array(means, dtype=float)
    values = np.random.default_rng(seed).normal(size=(n, *means.shape)) + means
    return of_values(values, rope)


def of_values(values: np.ndarray, rope: float | None = None) -> bc.Results:
    n, l, m = values.shape
    names = [f"m{j}" for j in range(m)]
    rows = [(f"d{i}", f"x{a}", *values[i, a]) for i in range(n) for a in range(l)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    return bc.Results.from_frame(frame, measures={m: bc.Measure("max", rope=rope) for m in names})


def round_and_round(n: int) -> bc.Results:
    """Three kinds of datasets, in each of which another order holds."""
    orders = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    return of_values(-orders[np.arange(n) % 3][:, :, None].astype(float))


OWN = bc.methods.Dirichlet(prior="symmetric")


@cache
def boards() -> list[tuple[bc.Pairwise, Block]]:
    far, asked = 9.0, []
    for seed in range(20):
        n = 20 + seed % 5
        line = scores([(far, far), (0, 0), (-far, -far)], n, seed)
        asked += [(line, ref) for ref in (None, "x0", "x1")]
        asked += [
            (scores(means, n, seed), ref)
            for ref, means in (
                (None, [(far, -far), (-far, far), (-99, -99)]),
                (None, [(far, 1.0), (0, 0), (-far, -far)]),
                (None, [(0.3,), (0.0,), (0.0,)]),
                (None, [(0.0,), (0.0,), (0.0,)]),
                ("x0", [(0.0, 0.0), (0.0, 0.0), (-far, -far)]),
                ("x0", [(0.0,), (0.0,), (0.0,)]),
                ("x1", [(0.0, 0.0)] * 3),
            )
        ]
        asked.append((scores([(0.0, 0.0)] * 3, n, seed, rope=99.0), None))
        for more in (seed, seed + 50, seed + 100):
            ahead = [(far, 0.45), (0, 0), (-far, -far), (-far, -far)]
            thin = [(far, 0.45), (0, 0), (0, 0)]
            asked += [(scores(ahead, n, more), None), (scores(thin, n, more), None)]
        clones = scores([(far, far), (0.0, 0.0)], n, seed).oriented()[:, [0, 0, 1]]
        asked += [(of_values(clones), None), (round_and_round(120 + 3 * seed), None)]
    found = [bc.pairwise(r, reference=ref, method=OWN, n_jobs=1) for r, ref in asked]
    found += [bc.pairwise(scores([(0, 1), (0, 0), (-1, 0), (-2, -2)], 12, s)) for s in range(8)]
    return [(p, pairs_block(p)) for p in found]


@cache
def gates() -> list[tuple[bc.Gate, Block]]:
    found = []
    for seed, n in itertools.product(range(20), (4, 16)):
        rng = np.random.default_rng(seed)
        for shifts in ((0.4,), (0.0,), (-0.4,), (0.4, 0.0), (0.4, 0.4))[: 1 if n == 4 else 5]:
            noise = rng.normal(scale=0.1, size=(n, 1, len(shifts)))
            values = np.concatenate([noise + np.array(shifts), 0.0 * noise], axis=1)
            for rope in (None, 0.3):
                found.append(bc.gate(of_values(values, rope), candidate="x0", baseline="x1"))
    return [(g, gate_block(g)) for g in found]


@cache
def rankings() -> list[tuple[bc.Ranking, Block]]:
    found = []
    for seed, n in itertools.product(range(24), (4, 14)):
        for means in ([(9,), (0,), (-9,)], [(1,), (1,), (-9,)], [(0,), (0,), (0,)]):
            found.append(bc.rank(scores(means, n, seed), draws=100, rng=0))
        for means in ([(9, 9), (0, 0), (-9, -9)], [(9, -9), (-9, 9), (0, 0)]):
            found.append(bc.rank(scores(means, n, seed), draws=100, rng=0))
        if seed < 6:
            six = scores(np.arange(12.0).reshape(6, 2) / 9, n, seed)
            found += [bc.rank(six, utility=u, draws=100, rng=0) for u in ("unknown", {"m0": 1})]
    return [(r, ranking_block(r)) for r in found]


EVERY = {"two": two, "boards": boards, "gates": gates, "rankings": rankings}


# what holds of every block ------------------------------------------------------------------------


def test_no_sentence_is_written_twice_and_each_has_a_place() -> None:
    table = sentences()
    places = {"headline", "part", "measure", "unknown", "careful", "next"}
    places |= {"words", "pairs", "ranking", "gate", "reading", "page", "method", "long"}
    assert {row.slot for row in table.values()} == places
    times = Counter(row.text for row in table.values())
    assert {text for text in times if times[text] > 1} == {"{claim}."}
    assert all(row.when for row in table.values())


@pytest.mark.parametrize("kind", EVERY)
def test_every_state_has_one_headline_and_sentences_are_short_and_whole(kind: str) -> None:
    for _, block in EVERY[kind]():
        row = sentences()[block.state]
        assert row.slot == "headline"
        pattern = "(.+)".join(map(re.escape, re.split(r"\{[^}]+\}", row.text)))
        assert re.fullmatch(pattern, block.headline)
        for sentence in block.sentences:
            assert len(sentence.split()) <= 20, sentence
            assert sentence.endswith(".")
            assert "{" not in sentence
            assert not re.search(r"\w>\w", sentence)


#: States of the whole statement; headlines of two algorithms, of boards, of gates and of rankings.
STATES = {
    "decision": "better trade-off equal leads open tied",
    "two": "wins partequal equal trade tradeequal part partmixed equalopen tradeopen open ahead "
    "tied leads leadsplit each tradeeach equaleach eachequal",
    "boards": "best leadmany leadfew leadmost leadthin leadshared boardopen alike circle "
    "refbetter refmost refopen",
    "gates": "pass passmixed passequal fail undecided toofew",
    "rankings": "rankbest rankprobable rankany rankfirst rankmany rankfew rankfewmany",
}


@pytest.mark.parametrize("kind", STATES)
def test_every_state_occurs_twenty_times(kind: str) -> None:
    seen = Counter(
        [c.decision.state for c, _ in two()]
        if kind == "decision"
        else [block.state for _, block in EVERY[kind]()]
    )
    assert {state: seen[state] for state in STATES[kind].split() if seen[state] < 20} == {}


@pytest.mark.parametrize("method", [OWN, "glrt"], ids=str)
def test_pairs_without_datasets_in_common_have_no_verdict(method: Any) -> None:
    for seed in range(10):
        frame = scores([(9,), (0,), (-9,)], 8, seed).to_frame().reset_index(drop=True)
        frame = frame[(frame["algorithm"] != "x2") | (frame["dataset"] == "d0")]
        asked: dict[str, Any] = {"measures": {"m0": "max"}, "missing": "drop", "method": method}
        p = bc.pairwise(frame, **asked, n_jobs=1)
        assert p.skipped == (("x0", "x2", 1), ("x1", "x2", 1))
        none = p.decide().set_index(["first", "second"])["decision"]
        assert none.to_dict() == {(a, b): "none" if b == "x2" else "better" for a, b in none.index}
        assert say("skipped", k=2, n=3) in pairs_block(p).sentences
        assert "Not compared, having fewer than two datasets in common" in p.explain()


# two algorithms -----------------------------------------------------------------------------------


def test_the_words_are_those_of_the_parts() -> None:
    """ "Better on X" is said only where X has the word, and "use" only of who wins."""
    for c, block in two():
        parts = c.decision.measured
        better = {(part.ahead, part.measure) for part in parts if part.word == "better"}
        head = block.headline.replace("both measures", "m0 and m1")
        head = head.replace("all three measures", "m0, m1 and m2")
        unsettled = block.state in ("open", "tied", "ahead", "leads", "leadsplit")
        pattern = r"\b([AB]) (?:is better than [AB] )?(?:is better )?on ([m0-9, and]+)"
        for who, on in re.findall(pattern, "" if unsettled else head):
            assert {(who, measure) for measure in re.findall(r"m\d", on)} <= better
        if unsettled:
            assert "better" not in block.headline
            assert block.status == "open"
        for sentence in block.slots.get("next", ()):
            for name in re.findall(r"^Use (\w)", sentence):
                assert {who for who, _ in better} == {name}
            assert set(re.findall(r"(\w) for (m\d)", sentence)) <= better
        assert (block.status in ("settled", "trade-off")) == c.decision.settled
        for row, part in zip(block.rows, parts, strict=False):
            assert (row.mark == "settled") == (part.word == "better")
            assert row.counts.startswith(f"{part.won} : {part.lost}")


def test_swapping_the_algorithms_says_the_same() -> None:
    for c, block in two()[::11]:
        other = comparison_block(bc.compare(c.results, algorithms=["B", "A"]))
        assert (other.state, other.status) == (block.state, block.status)
        assert [row.mark for row in other.rows] == [row.mark for row in block.rows]


def test_what_is_needed_settles_and_what_undoes_unsettles() -> None:
    """On tables: so many datasets more settle it, one less does not; and so with those turned."""
    needed = undone = 0
    for c, block in two()[::5]:
        said = " ".join(block.slots.get("next", ()))
        more, turned = datasets_needed(c), datasets_undoing(c)
        values = c.results.oriented()
        signs = {"A>B": 1.0, "B>A": -1.0, "A=B": 0.0}
        best = np.array([signs[state] for state in c.best.split("|")])
        spec = {name: c.results[name] for name in c.results.measures}
        if more is not None and more <= 50:
            assert f"next {spelled(more)} dataset" in said or more == 1
            for k in (more, more - 1):
                added = np.tile(np.stack([best, 0 * best]), (k, 1, 1))
                grown = results_of(np.concatenate([values, added])[:, 0] - 0.0, spec["m0"].rope)
                assert bc.compare(grown).decision.settled == (k == more)
            needed += 1
        if turned is not None and c.decision.runner_up is not None:
            other = np.array([signs[state] for state in c.decision.runner_up[0].split("|")])
            own = np.flatnonzero((values[:, 0] - values[:, 1] == best).all(axis=1))
            for k in (turned, turned - 1):
                moved = values[:, 0] - values[:, 1]
                moved[own[:k]] = other
                again = bc.compare(results_of(moved, spec["m0"].rope))
                same = again.best == c.best and again.decision.settled
                assert same == (k < turned)
            undone += 1
    assert min(needed, undone) > 10


@pytest.mark.parametrize(
    ("words", "state", "leaders", "name"),
    [
        ([("m", "A", "better")], "better", ["A"], "wins"),
        ([("m", "A", "ahead")], "open", ["A"], "ahead"),
        ([("m", "A", "level")], "open", ["A"], "open"),
    ],
)
def test_the_state_of_one_measure(words, state, leaders, name) -> None:
    assert pair_state("A", words, state, leaders).name == name


def test_files_say_how_firm_a_verdict_is(uci: bc.Results) -> None:
    results = bc.load_example("benavoli-example1")
    decision = json.loads(bc.compare(results).to_json())["decision"]
    assert (decision["datasets_needed"], decision["datasets_undoing"]) == (3, None)
    assert [part["datasets_needed"] for part in decision["parts"]] == [0, 3]
    values, won = results.oriented(), np.array([[0.0, 0.0], [1.0, 1.0]])
    for k in (3, 2):
        grown = of_values(np.concatenate([values, np.tile(won, (k, 1, 1))]))
        word = bc.compare(grown).decision.parts.loc["m1", "word"]
        assert (word == "better") == (k == 3)
    c = bc.compare(uci, algorithms=["GBM", "CART"])
    settled = json.loads(c.to_json())["decision"]
    assert settled["datasets_needed"] is None
    assert settled["datasets_undoing"] == datasets_undoing(c)


def test_near_copies_are_named() -> None:
    values = np.random.default_rng(0).normal(size=(12, 3, 1))
    copied = of_values(values[:, [0, 1, 2, 2]])
    said = say("copies", a="x2", b="x3")
    p, r = bc.pairwise(copied, n_jobs=1), bc.rank(copied, draws=100)
    for document, block in ((p.to_json(), pairs_block(p)), (r.to_json(), ranking_block(r))):
        assert json.loads(document)["decision"]["near_copies"] == [["x2", "x3", 1.0]]
        assert said in block.slots["careful"]
    assert said not in pairs_block(bc.pairwise(of_values(values), n_jobs=1)).sentences


# boards -------------------------------------------------------------------------------------------


def test_boards_name_only_who_may_be_named() -> None:
    for p, block in boards():
        v, names = p.decision, set(p.results.algorithms)
        for sentence in block.slots.get("next", ()):
            named = set(re.findall(r"x\d", sentence))
            if sentence.startswith("For x"):
                assert all(v.beaten_by[name] for name in named)
            elif p.reference is not None:
                assert named - {p.reference} <= set(v.beaten_by[p.reference])
            else:
                assert not any(v.beaten_by[name] for name in named), sentence
        edges = {(a, b) for a, others in v.beats.items() for b in others}
        assert edges == set(p.order().edges)
        ahead, better = (
            p.parts[p.parts["word"].isin(w)] for w in (["better", "ahead"], ["better"])
        )
        for a, b in edges:  # on every measure by itself
            assert {v.part(a, b, m)[1::6] for m in p.results.measures} == {(a, "better")}
        for measure, name in v.choices().items():  # the best place, and nobody ahead of it
            if name is not None:
                there = ahead["ahead"][ahead.index.get_level_values("measure") == measure]
                assert name in v.leaders()[measure]
                assert all(name not in pair[:2] or who == name for pair, who in there.items())
        for row, measure in zip(block.rows, p.results.measures, strict=False):
            losers = {
                second if who == first else first
                for (first, second, m), who in better["ahead"].items()
                if m == measure
            }
            if p.reference is None and losers != names:
                assert set(re.findall(r"x\d", row.note)) == names - losers
            if "better than" in row.text:
                winner, loser = re.findall(r"x\d", row.text)
                part = v.part(winner, loser, measure)
                assert (part.word, part.ahead) == ("better", winner)
        for a, k in re.findall(r"(x\d) comes first .* better than (\d+) of", block.headline):
            assert len(v.beats[a]) == int(k)
        if block.state == "circle":
            assert "x0 over x1 over x2 over x0" in p.explain()


def test_the_headline_of_the_uci_table(pairs: bc.Pairwise) -> None:
    assert pairs.headline() == (
        "GBM comes first on all three measures, but only CART is clearly behind on each."
    )
    assert "CART" not in pairs.headline(level=0.9999999)
    assert pairs.headline() in repr(pairs)


def test_verdicts_are_those_of_decide_and_order(pairs: bc.Pairwise) -> None:
    for rule in (Rule(), Rule(0.8), Rule(None, 0.1)):
        verdicts, graph = PairVerdicts(pairs, rule), pairs.ordered(rule)
        for name in pairs.results.algorithms:
            assert set(verdicts.beats[name]) == set(graph.successors(name))
            assert set(verdicts.beaten_by[name]) == set(graph.predecessors(name))
        assert len(verdicts.statements) == pairs.decided(rule)["asserted"].sum()
        table = verdicts.printed()
        assert list(table.index) == list(verdicts.names)
        counted = table[["beats", "beaten by", "open"]].sum(axis=1)
        assert set(counted) == {len(pairs.results.algorithms) - 1}


def test_places_are_those_of_rank_also_in_domains_and_with_gaps(uci: bc.Results) -> None:
    expected = bc.rank(uci, draws=100, rng=0).places["place"]
    pd.testing.assert_series_equal(
        mean_places(uci).T.stack().sort_index(), expected.sort_index(), check_names=False
    )
    frame = pd.DataFrame(
        [(f"d{i}", a, float((i < 3) == (a == "A")), "xy"[i > 2]) for i in range(4) for a in "AB"],
        columns=["dataset", "algorithm", "m", "domain"],
    )

    def places(rows: pd.DataFrame, **options: Any) -> list[float]:
        made = bc.Results.from_frame(rows, measures={"m": "max"}, **options)
        return mean_places(made)["m"].sort_index().tolist()

    assert places(frame) == [1.0, 2.0]
    assert places(frame, group="domain") == [1.5, 1.5]
    assert places(frame.iloc[1:]) == [1.0, 2.0]


# rankings and gates -------------------------------------------------------------------------------


def test_rankings_name_who_cannot_be_told_from_the_best() -> None:
    for r, block in rankings():
        assert r.headline() == block.headline
        named = set(re.findall(r"x\d", block.headline))
        if block.state in ("rankbest", "rankprobable"):
            assert named == set(r.top[:6] if len(r.top) < 7 else r.top[:5])
        for row, measure in zip(block.rows, r.results.measures, strict=False):
            if row.note:
                tiers = r.tiers if r.answer.overall is not None else r.tiers.loc[measure]
                first = set(tiers.index[tiers["at_best"] == 1])
                assert set(re.findall(r"x\d", row.note)) == first
        said = " ".join(block.slots.get("next", ()))
        assert (said == f"Use {r.top[0]}.") == r.decision.settled
        assert r.decision.settled or not said


def test_gates_pass_what_is_better_or_no_worse() -> None:
    advice = {True: "Replace x1 with x0.", False: "Keep x1.", None: "Keep x1 for now"}
    for g, block in gates():
        assert block.slots["next"][0].startswith(advice[g.passed])
        verdicts = dict(zip(g.results.measures, g.table["verdict"], strict=True))
        head = block.headline.replace("both measures", "m0 and m1")
        for word, verdict in (("better", "superior"), ("not worse", "not worse")):
            for on in re.findall(rf"\b{word} (?:than x1 )?on ([m0-9, and]+)", head):
                if g.passed:
                    assert {verdicts[m] for m in re.findall(r"m\d", on)} == {verdict}
        for row, verdict in zip(block.rows, verdicts.values(), strict=True):
            assert (row.mark == "settled") == (verdict in ("superior", "worse"))
