"""The simulated cases of the papers' AUC tables, against the package's one-at-a-time answers."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.kernels.classic.pvalues import glrt
from reproduction import auc_cases as file
from reproduction.auc_cases import AucScenario, area_under_roc, auc_cases

SCENARIOS = [
    AucScenario(2, 2, 10, "indep"),
    AucScenario(2, 3, 20, "full"),
    AucScenario(3, 2, 50, "full"),
    AucScenario(3, 3, 100, "indep"),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.label)
@pytest.mark.parametrize("differ", [True, False])
def test_the_two_largest_probabilities_differ_or_are_equal(
    scenario: AucScenario, differ: bool
) -> None:
    theta = file._auc_case_probabilities(np.random.default_rng(1), 20, scenario, differ)
    assert theta.shape == (20, scenario.statements)
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    top = np.sort(theta, axis=1)[:, -2:]
    gap = top[:, 1] - top[:, 0]
    assert (gap > 0.0009).all() if differ else (gap < 1e-12).all()


def test_negative_cases_are_as_rare_as_they_should_be() -> None:
    """On the simplex the gap of the two largest is Beta(1, K − 1)."""
    scenario = AucScenario(2, 2, 10, "full")
    theta = file._draw_auc_probabilities(np.random.default_rng(2), 100_000, scenario)
    top = np.sort(theta, axis=1)[:, -2:]
    share = float((top[:, 1] - top[:, 0] > 0.2).mean())
    assert share == pytest.approx(0.8**3, abs=4 * np.sqrt(0.512 * 0.488 / 1e5))


def table_of(counts: np.ndarray, arity: int, measures: int) -> bc.Results:
    """Results of two algorithms that have just these counts of statements."""
    states = np.repeat(np.arange(len(counts)), counts)
    first = np.array(np.unravel_index(states, (arity,) * measures)) == 0
    values = np.stack([first, ~first], axis=-1).astype(float)
    data = xr.Dataset(
        {f"m{j}": (("dataset", "algorithm"), values[j]) for j in range(measures)},
        {"dataset": np.arange(len(states)).astype(str), "algorithm": ["A", "B"]},
    )
    return bc.Results(data, {f"m{j}": bc.Measure("max") for j in range(measures)})


def test_scores_are_those_of_compare() -> None:
    rng = np.random.default_rng(3)
    counts = rng.multinomial(12, rng.dirichlet(np.ones(4), size=4))
    scenario = AucScenario(2, 2, 12, "full")
    network = file._auc_network_scores(counts, scenario, rng)
    bayes, test = file.auc_dirichlet_scores(counts), file.auc_glrt_scores(counts)
    for k, own in enumerate(counts):
        results = table_of(own, 2, 2)
        b, a = np.sort(own)[-2:]
        assert test[k] == pytest.approx(1.0 - glrt(float(a), float(b))[1], abs=1e-12)
        one = bc.compare(results, method="dirichlet")
        assert bayes[k] == pytest.approx(float(one.probability.max()), abs=1e-10)
        best = bc.compare(results, method=bc.methods.Network(max_parents=1))
        assert network[k] == pytest.approx(float(best.probability.max()), abs=1e-9)


def test_drawn_components_agree_with_exact_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    agree = np.array([[0, 0, 0], [1, 1, 1], [0, 1, 1]])
    tables = file.NetworkTables.count(
        agree, np.array([5.0, 4.0, 2.0]), [2, 2, 2], [0, 1, 2], [0, 1, 2], file.CellPrior()
    )
    exact = file._auc_component_score(tables, rng)
    monkeypatch.setattr(file, "is_binary_tree", lambda tables: False)
    drawn = file._auc_component_score(tables, rng)
    error = np.sqrt(exact * (1 - exact) / file._DRAWS)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=4 * error)


def test_blocks_are_repeatable_and_lie_between_0_and_1() -> None:
    scenario = AucScenario(2, 3, 10, "full")
    one, other = (
        auc_cases(np.random.default_rng(5), 8, scenario=scenario, differ=True) for _ in range(2)
    )
    for test in file.TESTS:
        np.testing.assert_array_equal(one[test], other[test])
        assert ((one[test] >= 0) & (one[test] <= 1)).all()


def test_area_and_its_error_by_brute_force() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.integers(6, size=30) / 5.0, rng.integers(5, size=40) / 5.0
    wins = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    area, error = area_under_roc(x, y)
    assert area == pytest.approx(wins.mean(), abs=1e-12)
    variance = wins.mean(axis=1).var(ddof=1) / 30 + wins.mean(axis=0).var(ddof=1) / 40
    assert error == pytest.approx(np.sqrt(variance), abs=1e-12)


def test_no_area_without_both_kinds() -> None:
    assert np.isnan(area_under_roc(np.array([]), np.array([0.5]))).all()


def test_one_case_takes_less_than_a_millisecond() -> None:
    """GLRT and Dirichlet together, in the largest scenario; ten times as much is allowed here."""
    import time

    rng = np.random.default_rng(7)
    counts = rng.multinomial(300, rng.dirichlet(np.ones(216), size=200))
    file.auc_dirichlet_scores(counts[:2])
    begin = time.process_time()
    file.auc_glrt_scores(counts)
    file.auc_dirichlet_scores(counts)
    assert time.process_time() - begin < 200 * 10e-3
