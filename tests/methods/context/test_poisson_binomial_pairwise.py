"""Many pairs by the Poisson-binomial test: cycles, mirrors, errors that name the pair."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from tests.oracles.context import tournament


@pytest.fixture(scope="module")
def cycle() -> bc.Pairwise:
    """Lacoste et al., Figure 2: A beats B, B beats C and C beats A, each on two thirds."""
    risks = {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.1, 0.2), "c": (0.2, 0.3, 0.1)}
    rows = []
    for copy, (task, errors) in itertools.product(range(20), risks.items()):
        for name, risk in zip("ABC", errors, strict=True):
            # Errors of one do not overlap with those of another: 100 examples each.
            start = 100 * "ABC".index(name) // 3
            wrong = set(range(start, start + round(100 * risk)))
            rows += [(f"{task}{copy}", i, name, int(i not in wrong)) for i in range(133)]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "correct"])
    counts = bc.ErrorCounts.from_predictions(frame, correct="correct")
    return bc.pairwise(counts, method="poisson-binomial", n_jobs=1, guard=False)


def rotations(cycle: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {(*cycle[i:], *cycle[:i]) for i in range(len(cycle))}


def test_figure_2s_cycle_is_found_and_named(cycle: bc.Pairwise) -> None:
    assert float(cycle.matrix.sel(algorithm="A", opponent="B")) > 0.95
    assert float(cycle.matrix.sel(algorithm="B", opponent="C")) > 0.95
    assert float(cycle.matrix.sel(algorithm="C", opponent="A")) > 0.95
    graph = cycle.order()
    assert set(graph.edges) == {("A", "B"), ("B", "C"), ("C", "A")}
    assert graph.graph["cycles"] == [("A", "B", "C")]
    said = cycle.explain()
    assert "A over B over C over A" in said
    assert "ranking" in said or "transitive" in said


def test_without_a_cycle_none_is_named() -> None:
    rank = tournament("ABCD", lambda a, b: 1.0 if a < b else 0.0)
    p = bc.pairwise(rank, method="poisson-binomial", n_jobs=1, guard=False)
    assert p.order().graph["cycles"] == []
    assert "transitive" not in p.explain()
    assert len(p.order().edges) == 6


def by_table(wins: dict[tuple[str, str], float]) -> Any:
    return lambda a, b: wins[a, b] if (a, b) in wins else 1.0 - wins[b, a]


#: A > C > D > A and A > B > D > A: two cycles of three in one group.
ENTWINED = dict.fromkeys(
    [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("A", "C"), ("B", "D")], 1.0
)


def test_the_cycle_named_does_not_depend_on_the_listing() -> None:
    """Listing the algorithms in another order must not change what is said about them."""
    found = set()
    for names in list(itertools.permutations("ABCD"))[::3]:
        counts = tournament(names, by_table(ENTWINED))
        p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1, guard=False)
        found |= {frozenset(rotations(c)) for c in p.order().graph["cycles"]}
    assert len(found) == 1, sorted(min(rotations) for rotations in found)


def test_many_algorithms_with_many_cycles_are_told_briefly() -> None:
    """A random tournament of fifteen is one group with thousands of cycles."""
    rng = np.random.default_rng(1)
    names = [f"a{i:02}" for i in range(15)]
    wins = {pair: float(rng.random() < 0.5) for pair in itertools.combinations(names, 2)}
    counts = tournament(names, by_table(wins))
    p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1, guard=False)
    said = p.explain()
    assert len(said) < 10_000
    assert "further cycle" in said or said.count("Not transitive") >= 1
