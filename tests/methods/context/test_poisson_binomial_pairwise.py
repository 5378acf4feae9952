"""Many pairs by the Poisson-binomial test: cycles, mirrors, errors that name the pair."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import PoissonBinomial
from tests.methods.context.cases import BOTH, alone
from tests.oracles.context import EveryD, tournament
from tests.oracles.statements import largest_assertable


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


@BOTH
def test_the_matrix_is_compare_and_mirrors(joint: bool) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", i, a, int(rng.random() < 0.7 + 0.05 * k))
        for d in range(5)
        for i in range(30)
        for k, a in enumerate("ABCD")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "correct"])
    counts = bc.ErrorCounts.from_predictions(frame, correct="correct")
    p = bc.pairwise(counts, method=PoissonBinomial(joint=joint), n_jobs=1, guard=False)
    matrix = p.matrix
    for a, b in itertools.permutations("ABCD", 2):
        cell = float(matrix.sel(algorithm=a, opponent=b))
        assert cell + float(matrix.sel(algorithm=b, opponent=a)) == pytest.approx(1, abs=1e-12)
        pairs = [(int(h), int(g)) for h, g in zip(*counts.pair(a, b), strict=True)]
        assert cell == pytest.approx(EveryD(alone(pairs), joint=joint).first, abs=1e-12)
    assert np.isnan(np.diag(matrix)).all()
    decided = p.decide(fdr=0.2)
    assert len(decided) == 6
    assert decided["asserted"].sum() == largest_assertable(decided["probability"].tolist(), 0.2)
    best = bc.pairwise(counts, method=PoissonBinomial(joint=joint), reference="C", n_jobs=1)
    assert len(best.comparisons) == 3
    assert float(best.matrix.sel(algorithm="C", opponent="A")) == float(
        matrix.sel(algorithm="C", opponent="A")
    )


def test_an_added_algorithm_changes_no_pair(cycle: bc.Pairwise) -> None:
    counts = cycle.results
    pair = bc.compare(counts, method="poisson-binomial", algorithms=["A", "C"])
    assert float(pair.probability.sel(statement="C>A")) == float(
        cycle.matrix.sel(algorithm="C", opponent="A")
    )
    assert cycle["C", "A"].best == "C>A"


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


def test_errors_name_the_pair(cycle: bc.Pairwise) -> None:
    counts = cycle.results.sel(datasets=[cycle.results.datasets[0]])
    with pytest.raises(BayescompareError, match="A against B"):
        bc.pairwise(counts, method="poisson-binomial", n_jobs=1, guard=False)
    with pytest.raises(BayescompareError, match="reference='Q'"):
        bc.pairwise(cycle.results, method="poisson-binomial", reference="Q", n_jobs=1)


def test_pairs_left_open_are_not_told_to_take_a_rope(cycle: bc.Pairwise) -> None:
    """Counts of errors have no rope: the advice cannot be followed."""
    said = cycle.explain()
    assert "rope" not in said, said
