"""The order that GSD finds: the definition, symmetries, the front, the diagram, the witness."""

from __future__ import annotations

import itertools
import math
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD
from tests.cases import few_quick
from tests.methods.gsd.cases import APART, KINDS, M, Naive, ask, made
from tests.tables import table

# ------------------------------------------------------------------------- against the definition


@pytest.mark.parametrize("seed", few_quick(range(2), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_the_relation_is_that_of_the_definition(kind: str, seed: int) -> None:
    results = made(kind, seed, algorithms=3)
    system = {pair: Naive(results, *pair) for pair in itertools.combinations("ABC", 2)}
    limit = {pair: naive.largest() for pair, naive in system.items()}
    for choices in ({"delta": 0}, {"delta": 0.01}, {"epsilon": 0.5}):
        c = ask(results, GSD(**choices))
        for first, second in system:
            naive, largest = system[first, second], limit[first, second]
            assert float(c.delta_max.sel(algorithm=first, opponent=second)) == pytest.approx(
                largest, abs=1e-8
            )
            delta = choices.get("epsilon", 0) * largest + choices.get("delta", 0)
            expected = naive.both(min(delta, largest))
            row = c.summary().loc[f"{first}, {second}"]
            found = row["opt first over second"], row["opt second over first"]
            assert found == pytest.approx(expected, abs=1e-8)
            assert [
                bool(c.relation.sel(algorithm=a, opponent=b))
                for a, b in ((first, second), (second, first))
            ] == [e >= -1e-9 for e in expected]
            if first == "B":
                continue
            alone = ask(results, GSD(**choices), algorithms=[first, second])
            assert alone.delta_max == pytest.approx(largest, abs=1e-8)
            assert alone.summary().loc[f"{first}>{second}", "opt"] == pytest.approx(
                expected[0], abs=1e-8
            )


@pytest.mark.parametrize("seed", few_quick(range(6), 2))
@pytest.mark.parametrize("rule", ["interval", "jansen2022"])
def test_both_rules_of_mixed_scales(rule: Any, seed: int) -> None:
    results = made("mixed", seed, datasets=5)
    naive = Naive(results, "A", "B", rule)
    for delta in (0, 0.02):
        c = ask(results, GSD(delta=delta, rule=rule))
        assert c.delta_max == pytest.approx(naive.largest(), abs=1e-8)
        expected = naive.both(min(delta, naive.largest()))
        assert c.summary().loc[["A>B", "B>A"], "opt"].tolist() == pytest.approx(expected, abs=1e-8)
        if rule == "interval":
            default = ask(results, GSD(delta=delta))
            assert default.summary().equals(c.summary())


def test_the_rules_differ_only_where_scales_are_mixed() -> None:
    for kind in ("metric", "ordinal"):
        results = made(kind, 3, datasets=5)
        one, two = (ask(results, GSD(rule=rule)).summary() for rule in ("interval", "jansen2022"))
        pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed", "no bounds"])
def test_thresholds_are_where_the_definition_puts_them(kind: str) -> None:
    checked = 0
    for seed in range(3):
        results = made(kind, 100 + seed)
        naive = Naive(results, "A", "B")
        largest = naive.largest()
        c = ask(results, GSD(delta=0))
        for k, (first, second) in enumerate((("A", "B"), ("B", "A"))):
            at = float(c.thresholds.sel(algorithm=first, opponent=second))
            if at == 0:
                assert naive.both(0.0)[k] >= -1e-9
            elif math.isinf(at):
                assert naive.both(largest * (1 - 1e-7))[k] < 0
                assert not c.relation_at(0.999).sel(algorithm=first, opponent=second)
            else:
                checked += 1
                assert naive.both(at - 1e-6)[k] < 0
                if at + 1e-6 < largest:
                    assert naive.both(at + 1e-6)[k] > 0
                for delta, expected in ((at - 1e-6, False), (at, True), (0.999, True)):
                    held = c.relation_at(delta).sel(algorithm=first, opponent=second)
                    assert bool(held) is expected
    assert checked


@pytest.mark.slow
def test_relation_at_is_what_another_delta_gives(uci: bc.Results, whole: GsdComparison) -> None:
    some = ["GLM", "RIDGE", "EN"]
    c = ask(uci, GSD(delta=0), algorithms=some)
    for delta in (0.0, 0.0021, 0.003, 0.0065, 0.5):
        again = ask(uci, GSD(delta=delta), algorithms=some)
        assert (c.relation_at(delta) == again.relation).all()
        assert (again.relation_at(0.0) == c.relation).all()
        assert (whole.relation_at(delta).sel(algorithm=some, opponent=some) == again.relation).all()


def test_the_order_only_grows(whole: GsdComparison) -> None:
    before = whole.relation_at(0.0).values
    for delta in np.linspace(0.0005, 0.008, 6):
        after = whole.relation_at(float(delta)).values
        assert (after >= before).all()
        before = after


# ----------------------------------------------------------------------------------- symmetries


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed", "half-open"])
def test_swapping_the_algorithms_mirrors_everything(kind: str, scheme: Any) -> None:
    results = made(kind, 9, datasets=5)
    one, two = (ask(results, GSD(scheme=scheme), algorithms=list(n)) for n in ("AB", "BA"))
    assert one.best == two.best
    assert one.pvalue == two.pvalue
    assert one.share_below == two.share_below
    assert one.statistic == pytest.approx(two.statistic, abs=1e-10)
    pd.testing.assert_frame_equal(one.summary().sort_index(), two.summary().sort_index())
    assert one.delta_max == pytest.approx(two.delta_max, abs=1e-10)
    np.testing.assert_array_equal(one.relation.values, two.relation.values.T)
    np.testing.assert_allclose(one.thresholds.values, two.thresholds.values.T, atol=1e-9)


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed"])
def test_datasets_measures_and_names_do_not_matter(kind: str, scheme: Any) -> None:
    results = made(kind, 31, datasets=5, algorithms=2)
    spec = {name: results[name] for name in results.measures}
    base = ask(results, GSD(scheme=scheme)).summary()
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    order = np.random.default_rng(1).permutation(5)
    moved = table(cells[order], measures=spec)
    named = table(cells, measures=spec, names=["x y", "ß"], datasets=list("vwxyz"))
    turned = table(cells[..., ::-1], measures=dict(reversed(spec.items())))
    for other in (moved, named, turned):
        s = ask(other, GSD(scheme=scheme)).summary()
        s.index = [label.replace("x y", "A").replace("ß", "B") for label in s.index]
        pd.testing.assert_frame_equal(s.sort_index(), base.sort_index(), check_names=False)


@pytest.mark.parametrize("factor", few_quick([1e-6, 1e9, 0.37, 3.0], 2))
@pytest.mark.parametrize("kind", ["metric", "mixed", "no bounds"])
def test_the_unit_of_a_measure_does_not_matter(kind: str, factor: float) -> None:
    results = made(kind, 12, datasets=5)
    spec = {name: results[name] for name in results.measures}
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    old = spec["a"]
    bounds = None if old.bounds is None else tuple(factor * b for b in old.bounds)  # type: ignore[operator]
    scaled = table(
        cells * [factor, 1.0],
        measures={"a": M(old.direction, bounds=bounds), "b": spec["b"]},  # type: ignore[arg-type]
    )
    one, two = ask(results), ask(scaled)
    pd.testing.assert_frame_equal(one.summary(), two.summary())
    np.testing.assert_array_equal(one.relation.values, two.relation.values)
    np.testing.assert_allclose(one.thresholds.values, two.thresholds.values, atol=1e-9)


def test_only_the_order_of_an_ordinal_measure_matters() -> None:
    results = made("ordinal, no bounds", 2, datasets=5)
    spec = {name: results[name] for name in results.measures}
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    bent = table(np.exp(cells) * 7 - 3, measures=spec)
    pd.testing.assert_frame_equal(ask(results).summary(), ask(bent).summary())


def test_a_min_measure_is_a_max_measure_turned_round() -> None:
    results = made("min", 4, datasets=5)
    cells = np.stack([results.data[m].values for m in results.measures], axis=-1)
    turned = table(
        cells * [-1, 1], measures={"a": M("max", bounds=(-5, 0)), "b": M("max", bounds=(0, 5))}
    )
    pd.testing.assert_frame_equal(ask(results).summary(), ask(turned).summary())


def test_an_added_algorithm_changes_no_pair(uci: bc.Results, whole: GsdComparison) -> None:
    some = ["RF", "EN", "BDS"]
    c = ask(uci, GSD(delta=0), algorithms=some)
    assert (c.relation == whole.relation.sel(algorithm=some, opponent=some)).all()
    assert c.incomparable == [("RF", "BDS")]


def test_bounds_are_part_of_the_question() -> None:
    cells = np.array([[[1.0], [2.0]], [[3.0], [2.0]], [[2.0], [1.0]]])
    tight = ask(table(cells, measures={"m": M("max")}), GSD(delta=0))
    wide = ask(table(cells, measures={"m": M("max", bounds=(0, 100))}), GSD(delta=0))
    assert tight.delta_max > wide.delta_max
    assert "came without both bounds" in tight.explain()
    assert "bounds" not in wide.explain()


def test_the_front_is_what_no_other_dominates(whole: GsdComparison, uci: bc.Results) -> None:
    for c in (whole, ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN", "GLM"])):
        names, held = c.results.algorithms, c.relation.values
        expected = [
            b
            for j, b in enumerate(names)
            if not any(held[i, j] and not held[j, i] for i in range(len(names)))
        ]
        assert list(c.front) == expected
    assert c.front == ("RF", "BDS")


# ------------------------------------------------------------------------------------- the front


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_the_front_test_by_brute_force(scheme: Any) -> None:
    results = made("metric", 71, datasets=4 if scheme == "paired" else 3, algorithms=3)
    c = ask(results, GSD(delta=0, scheme=scheme))
    found = c.front_test()
    assert found.index.tolist() == ["A", "B", "C"]
    for name in "ABC":
        each = {}
        for other in sorted(set("ABC") - {name}):
            naive = Naive(results, other, name)
            optima = naive.resampled(scheme, 0.0)
            each[other] = float((optima <= naive.both(0.0)[0] + 1e-8).mean())
        assert found.loc[name, "pvalue"] == pytest.approx(max(each.values()), abs=1e-12)
        assert each[str(found.loc[name, "closest"])] == pytest.approx(max(each.values()))
        assert found.loc[name, "front"] == (name in c.front)


# ---------------------------------------------------------------------- Hasse diagram and witness


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_the_diagram_is_the_transitive_reduction(seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 6, (4, 7, 1))
    c = ask(table(cells, measures={"m": M("max", bounds=(0, 6))}), GSD(delta=0))
    held = c.relation.values
    above = held & ~held.T
    graph = c.order()
    names = c.results.algorithms
    closure = nx.transitive_closure(graph)
    assert set(closure.edges) == {(names[i], names[j]) for i, j in np.argwhere(above)}
    for edge in graph.edges:
        fewer = graph.copy()
        fewer.remove_edge(*edge)
        assert not nx.has_path(fewer, *edge)
    assert c.incomparable == [
        (names[i], names[j])
        for i, j in itertools.combinations(range(7), 2)
        if not held[i, j] and not held[j, i]
    ]


def check_witness(c: GsdComparison, delta: float) -> None:
    first, second = c.results.algorithms
    shown, measures = c.witness, list(c.results.measures)
    signs = [c.results[m].sign for m in measures]
    points = shown[measures].to_numpy() * signs
    n = len(c.results.datasets)
    has = {name: shown[f"datasets of {name}"] for name in (first, second)}
    assert has[first].sum() == has[second].sum() == n
    for hero, other in ((first, second), (second, first)):
        u = shown[f"utility for {hero}"].to_numpy()
        assert u.min() == pytest.approx(0, abs=1e-9)
        assert u.max() == pytest.approx(1, abs=1e-9)
        gain = float(u @ (has[hero] - has[other])) / n
        # It is the worst one for the other.
        assert gain == pytest.approx(-c.summary().loc[f"{other}>{hero}", "opt"], abs=1e-8)
        if (first, second) in c.incomparable:
            assert gain > 1e-9
        better = (points[:, None] >= points[None]).all(axis=2)
        strictly = better & ~better.T
        assert (u[:, None] - u[None])[strictly].min() >= delta - 1e-9


def test_a_witness_prefers_the_other_and_respects_the_order(uci: bc.Results) -> None:
    for pair in APART:
        check_witness(ask(uci, GSD(delta=0, permutations=1), algorithms=list(pair)), 0.0)


@pytest.mark.parametrize("kind", few_quick(KINDS, 5))
def test_witnesses_of_small_tables(kind: str) -> None:
    for seed in range(3):
        c = ask(made(kind, seed), GSD(delta=0.01))
        check_witness(c, c.answer.facts.delta)


def test_a_witness_is_the_same_whatever_was_asked_before(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=30), algorithms=["RF", "BDS"], rng=1)
    before = c.witness
    c.robustness(rng=1)
    _ = c.thresholds, c.front
    pd.testing.assert_frame_equal(c.witness, before)
    again = ask(uci, GSD(permutations=30), algorithms=["RF", "BDS"], rng=1)
    pd.testing.assert_frame_equal(again.witness, before)


def test_a_witness_shows_every_vector_even_of_a_measure_named_like_an_algorithm() -> None:
    results = table(
        [[[1, 2], [2, 1]], [[3, 2], [2, 2]]], names=["a", "B"], measures={"a": "max", "b": "max"}
    )
    shown = ask(results).witness
    # Two columns are wanted: the measure's values and the algorithm's counts.
    assert sorted(map(str, shown.columns)).count("a") == 2 or shown.shape[1] == 6


@pytest.mark.parametrize("name", ["witness", "robustness", "draws"])
def test_what_is_about_two_says_so(whole: GsdComparison, name: str) -> None:
    with pytest.raises(bc.BayescompareError, match=r"two"):
        whole.witness if name == "witness" else getattr(whole, name)()


@pytest.mark.parametrize("name", ["pvalue", "statistic", "share_below"])
def test_the_test_of_two_is_missing_from_many_and_says_so(whole: GsdComparison, name: str) -> None:
    # That method 'gsd' has none would be wrong: it has, of two.
    with pytest.raises(bc.BayescompareError, match=r"two|pair"):
        getattr(whole, name)
