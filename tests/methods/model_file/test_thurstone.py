"""Thurstone's model: the probability of an order against orthants, ties, and what it refuses."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from bayescompare.modelling import ranks
from tests.methods.model_file import simulated
from tests.methods.model_file.test_bundled import FAST, correlated_strengths, evaluate, function_of
from tests.oracles import models as oracle
from tests.tables import table

STRENGTHS = st.lists(st.floats(-2.5, 2.5), min_size=2, max_size=4)


@cache
def compiled(l: int, *, gradient: bool = False) -> Any:
    """Log P of orders of l, or the gradient of their sum."""
    s = pt.matrix("s", shape=(None, l))
    found = function_of("thurstone", "log_probability")(s, l)
    return pytensor.function([s], pt.grad(found.sum(), s) if gradient else found, mode=FAST)


def log_probability(rows: np.ndarray) -> np.ndarray:
    """Log P of orders, each a row of strengths from the best to the worst."""
    return np.asarray(compiled(rows.shape[1])(rows))


@pytest.mark.parametrize("l", [3, 4, 5])
def test_an_order_has_the_probability_of_its_orthant(l: int) -> None:
    rows = np.random.default_rng(l).normal(size=(4, l))
    expected = [oracle.order_probability(row) for row in rows]
    np.testing.assert_allclose(np.exp(log_probability(rows)), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("s", [(0.3, -0.2, 0.1), (-3.0, 0.0, 1.0), (-2.0, 2.0, -2.5)])
def test_three_have_their_digits_also_in_an_unlikely_order(s: tuple[float, ...]) -> None:
    expected = math.log(oracle.order_probability_mp(s))
    assert log_probability(np.array([s]))[0] == pytest.approx(expected, abs=2e-5)


def test_two_are_ordered_by_their_difference() -> None:
    rows = np.array([[0.4, -0.1], [-2.0, 2.5], [3.0, 0.0]])
    expected = stats.norm.logcdf((rows[:, 0] - rows[:, 1]) / math.sqrt(2))
    np.testing.assert_allclose(log_probability(rows), expected, atol=1e-9)


def test_equals_are_in_any_order_alike() -> None:
    """Five of them: one of 5! orders, in an integral over four dimensions."""
    assert log_probability(np.zeros((1, 5)))[0] == pytest.approx(-math.lgamma(6), abs=1e-7)


@given(STRENGTHS)
@settings(max_examples=12, deadline=None)
def test_orders_make_one_and_turning_round_changes_nothing(s: list[float]) -> None:
    rows = np.array(list(itertools.permutations(s)))
    found = log_probability(rows)
    assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(np.exp(log_probability(-rows[:, ::-1])), np.exp(found), atol=1e-5)
    np.testing.assert_allclose(np.exp(log_probability(rows + 0.7)), np.exp(found), atol=1e-5)


def test_the_gradient_is_that_of_the_probability() -> None:
    at = np.random.default_rng(0).normal(size=(2, 3))
    slope = compiled(3, gradient=True)(at)
    for i, j in ((0, 1), (1, 2)):
        step = np.zeros_like(at)
        step[i, j] = 1e-4
        numeric = (log_probability(at + step).sum() - log_probability(at - step).sum()) / 2e-4
        assert slope[i, j] == pytest.approx(numeric, abs=1e-6)


def test_ties_split_the_weight_of_a_dataset() -> None:
    results = simulated.with_ties(0)
    v, prior, likelihood = evaluate(ModelFile("thurstone").model(results))
    expected = stats.beta.logpdf(v["partial"], 2, 2).sum() + correlated_strengths(v)
    assert prior == pytest.approx(float(expected))
    orders = [[oracle.orders_allowed(r[:, j]) for j in range(2)] for r in ranks(results)]
    sizes = {len(each) for row in orders for each in row}
    assert sizes >= {2, 6, 24}, "the table must have such ties"
    expected = [
        sum(log_probability(v["strength"][np.array(row[j]), j]).mean() for j in range(2))
        for row in orders
    ]
    np.testing.assert_allclose(likelihood, expected, atol=1e-9)


def test_new_data_may_come_without_ties_but_not_with_others() -> None:
    model = ModelFile("thurstone").model(table(np.random.default_rng(1).normal(size=(5, 3, 1))))
    point = {k: np.zeros(np.shape(v)) for k, v in model.initial_point().items()}
    log_p = model.compile_logp(vars=model.observed_RVs, mode=FAST)
    other = ranks(table(np.random.default_rng(2).normal(size=(5, 3, 1))))
    with model:
        pm.set_data({"seen": other})
        rows = np.argsort(other[..., 0], axis=1)
        assert log_p(point) == pytest.approx(log_probability(0.0 * rows).sum())
        other[0, :2] = 1.5
        pm.set_data({"seen": other})
        assert log_p(point) == -np.inf


def test_ties_without_end_are_refused_in_one_line() -> None:
    values = np.random.default_rng(0).normal(size=(4, 8, 1))
    values[2] = 0.5
    words = r"thurstone\.py, line \d+: .*ties allow more than 1,000 orders \(40,320 on dataset 'd2'"
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(table(values), method="thurstone")


def test_ranks_are_drawn_with_the_probability_of_their_order() -> None:
    strength, n = np.array([[0.5], [0.0], [-1.0]]), 20_000
    draw = function_of("thurstone", "draw")
    drawn = draw(strength, rng=np.random.default_rng(2), size=(n,))[..., 0]
    rows, counts = np.unique(np.argsort(drawn, axis=1), axis=0, return_counts=True)
    expected = np.exp(log_probability(strength[rows, 0]))
    assert len(rows) == 6
    assert stats.chisquare(counts, n * expected / expected.sum()).pvalue > 0.001
