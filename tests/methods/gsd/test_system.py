"""One system for all algorithms or one for each pair, the user's own preferences, and weights."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.gsd.optimum import Solver
from bayescompare.kernels.gsd.system import build_system
from bayescompare.methods import GSD
from bayescompare.methods.gsd.problem import intransitive_triples
from tests.tables import table

UNIT = bc.Measure("max", scale="metric", bounds=(0.0, 1.0))


def of_values(values: np.ndarray) -> bc.Results:
    """Metric measures between 0 and 1."""
    return table(values, measures={f"m{j}": UNIT for j in range(values.shape[2])})


def weighted(values: np.ndarray, weights: Any) -> bc.Results:
    n, l, m = values.shape
    rows = [
        {"dataset": f"d{i}", "algorithm": "AB"[a], "weight": weights[i]}
        | {f"m{j}": values[i, a, j] for j in range(m)}
        for i, a in itertools.product(range(n), range(l))
    ]
    measures = {f"m{j}": UNIT for j in range(m)}
    return bc.Results.from_frame(pd.DataFrame(rows), measures=measures, weight="weight")


def test_dominance_may_rest_on_vectors_that_others_have() -> None:
    """SPEC 14: x = (.5, .5, .5) against y = (.3, .3, .85), on what the two have and on a grid."""
    x, y, metric = np.full((1, 3), 0.5), np.array([[0.3, 0.3, 0.85]]), [True] * 3
    steps = np.array(list(itertools.product([0.0, 0.15, 0.3, 0.5, 0.65, 0.85, 1.0], repeat=3)))
    found = []
    for others in (None, steps[None]):
        system = build_system(x, y, [0.0] * 3, [1.0] * 3, metric, others=others)
        found.append(Solver(system).optimum(system.objective(), 0.0).value)
    assert found[0] < -0.01
    assert found[1] > found[0] + 0.01


def relations(count: int, system: Any) -> list[tuple[np.ndarray, Any]]:
    found = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 6, (2 + seed // 3 % 3, 6, 2 + seed % 2)) / 5
        near: dict[str, float] = [{"delta": 0.0}, {"delta": 1e-3}, {"epsilon": 0.99}][seed % 3]
        c = bc.compare(of_values(values), method=GSD(system=system, **near))
        found.append((c.relation.values, c))
    return found


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_under_one_system_dominance_is_a_pre_order(count: int) -> None:
    for relation, _ in relations(count, "all"):
        assert relation.diagonal().all()
        assert not intransitive_triples(relation, "ABCDEF")


@pytest.mark.slow
def test_what_each_pair_by_itself_gives() -> None:
    """Some tables are not transitive; then order, words and picture show no path but say so."""
    broken = [
        c for relation, c in relations(200, "pair") if intransitive_triples(relation, "ABCDEF")
    ]
    print(f"{len(broken)} of 200 tables of six are not transitive")
    for c in broken:
        graph, names = c.order(), list(c.results.algorithms)
        above = c.relation.values & ~c.relation.values.T
        assert {(names[i], names[j]) for i, j in np.argwhere(above)} == set(graph.edges)
        a, b, third = graph.graph["intransitive"][0]
        assert f"{a} dominates {b} and {b} dominates {third}, but {a} does not" in c.explain()


@pytest.mark.parametrize("system", ["pair", "all"])
def test_pairs_of_a_table_are_judged_as_the_table_is(system: Any) -> None:
    values = np.random.default_rng(3).integers(0, 6, (4, 4, 2)) / 5
    method = GSD(system=system, permutations=20)
    whole, pairs = (
        bc.compare(of_values(values), method=method),
        bc.pairwise(of_values(values), method=method, rng=0),
    )
    for c in pairs.comparisons:
        two = list(c.results.algorithms)
        own = whole.relation.sel(algorithm=two, opponent=two)
        np.testing.assert_array_equal(c.relation.values, own.values)
        assert c.delta_max == pytest.approx(
            float(whole.delta_max.sel(algorithm=two[0], opponent=two[1]))
        )


# preferences of one's own -------------------------------------------------------------------------


def nowhere_worse(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a >= b).all())


def larger_gain(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    return bool((a - b >= c - d - 1e-12).all())


@pytest.mark.parametrize("seed", range(4))
def test_the_scales_meaning_as_functions_gives_the_same_figures(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 5, (4, 2, 2)) / 4
    usual, own = (
        bc.compare(of_values(values), method=GSD(permutations=30, **more), rng=1)
        for more in ({}, {"prefers": nowhere_worse, "prefers_more": larger_gain})
    )
    np.testing.assert_array_equal(usual.relation.values, own.relation.values)
    assert own.delta_max == pytest.approx(usual.delta_max, abs=1e-9)
    assert own.statistic == pytest.approx(usual.statistic, abs=1e-9)
    assert own.pvalue == usual.pvalue


def test_the_first_measure_counts_most() -> None:
    """A lexicographic order is complete, so that one of two always dominates: by first measure."""
    values = np.array([[[0.6, 0.1], [0.5, 0.9]], [[0.7, 0.2], [0.6, 0.8]]])
    assert bc.compare(of_values(values), method=GSD(delta=0.0)).incomparable
    c = bc.compare(
        of_values(values), method=GSD(delta=0.0, prefers=lambda a, b: tuple(a) >= tuple(b))
    )
    assert c.relation.values.tolist() == [[True, True], [False, True]]
    assert "what you prefer as better" in c.explain()


def cyclic(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a >= b).all()) or (a[0], b[0]) in {(0.1, 0.3), (0.3, 0.5)}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"prefers": 3}, "prefers=3: give a function"),
        ({"prefers": nowhere_worse, "rule": "interval"}, "prefers and rule='interval'"),
        ({"system": "both"}, "system='both'"),
        ({"prefers": cyclic}, r"not transitive: \(0\.1\) is preferred to \(0\.3\)"),
        ({"prefers_more": lambda a, b, c, d: a[0] - b[0] <= c[0] - d[0]}, "contradict themselves"),
        ({"scheme": "pooled"}, "scheme='pooled'.*weight="),
    ],
)
def test_bad_preferences_are_one_sentence(more: dict[str, Any], words: str) -> None:
    values = np.array([[0.1, 0.3], [0.3, 0.5], [0.5, 0.9]])[:, :, None]
    results = weighted(values, [1, 2, 3]) if "scheme" in more else of_values(values)
    with pytest.raises(BayescompareError, match=words) as caught:
        bc.compare(results, method=GSD(**more), rng=0)
    assert "\n" not in str(caught.value)


def test_a_file_names_the_functions_and_answers_no_more(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 5, (4, 2, 1)) / 4
    c = bc.compare(of_values(values), method=GSD(prefers=nowhere_worse), rng=0)
    c.to_json(tmp_path / "c.json")
    again: Any = bc.load_comparison(tmp_path / "c.json")
    assert again.method.options()["prefers"] == "nowhere_worse"
    assert again.pvalue == c.pvalue
    with pytest.raises(BayescompareError, match="nowhere_worse was a function of yours"):
        _ = again.thresholds


# weights ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [True, False])
def test_weights_count_datasets_several_times(metric: bool) -> None:
    """Whole weights have the optima of a table that repeats its datasets, not its p-value."""
    values = np.random.default_rng(2).integers(0, 5, (5, 2, 2)) / 4
    weights = [1, 3, 1, 2, 1]
    one, many = weighted(values, weights), of_values(np.repeat(values, weights, axis=0))
    if not metric:
        one, many = (r._with(spec={k: bc.Measure("max") for k in r.measures}) for r in (one, many))
    a, b = (bc.compare(r, method=GSD(permutations=40, delta=0.0), rng=0) for r in (one, many))
    np.testing.assert_allclose(a.summary()["opt"], b.summary()["opt"], atol=1e-9)
    np.testing.assert_array_equal(a.relation.values, b.relation.values)


def test_weighted_swaps_by_enumeration() -> None:
    """One metric measure: opt is an LP over its points; v stays with its dataset as σ flips."""
    values = np.array([[0.2, 0.1], [0.5, 0.9], [0.7, 0.3], [0.4, 0.35]])[:, :, None]
    v = np.array([1.0, 0.5, 2.0, 1.5])
    c = bc.compare(weighted(values, v), method=GSD(delta=0.0, alternative="first"), rng=0)
    x, y = values[:, 0, 0], values[:, 1, 0]
    points = np.unique([0.0, 1.0, *x, *y])
    place = {p: k for k, p in enumerate(points)}
    rows = [
        np.eye(len(points))[[b, a, d, e]].T @ [1, -1, 1, -1]
        for a, b in itertools.product(range(len(points)), repeat=2)
        for d, e in itertools.product(range(len(points)), repeat=2)
        if b <= a and e <= d and points[a] - points[b] >= points[d] - points[e] - 1e-12
    ]

    def opt(signs: Any) -> float:
        w = np.zeros(len(points))
        for i, s in enumerate(signs):
            w[place[x[i]]] += s * v[i] / v.sum()
            w[place[y[i]]] -= s * v[i] / v.sum()
        bounds = [(0, 0), *[(0, 1)] * (len(points) - 2), (1, 1)]
        return float(linprog(w, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), bounds=bounds).fun)

    every = np.array([opt(s) for s in itertools.product((1, -1), repeat=4)])
    assert c.statistic == pytest.approx(every[0], abs=1e-9)
    assert c.pvalue == pytest.approx((every >= every[0] - 1e-9).mean())
