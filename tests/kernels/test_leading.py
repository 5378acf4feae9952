"""Who leads in a draw, against plain comparison one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bayescompare.kernels.leading import exceeds_to_lead, sole_leader, strict_order


def grid(l: int) -> np.ndarray:
    """Every combination of few values, so that ties of every kind are among them."""
    return np.array(list(itertools.product([0.0, 0.5, 1.0, -1.0], repeat=l)))


@pytest.mark.parametrize("l", [2, 3, 4])
def test_a_leader_is_above_every_other(l):
    for row, marked in zip(grid(l), sole_leader(grid(l)), strict=True):
        alone = [all(row[k] > row[j] for j in range(l) if j != k) for k in range(l)]
        assert marked.tolist() == alone


@pytest.mark.parametrize("l", [2, 3, 4])
@pytest.mark.parametrize("places", [None, 1])
def test_an_order_is_strict_where_nobody_shares_a_place(l, places):
    order, strict = strict_order(grid(l), places)
    for row, places_of, alone in zip(grid(l), order, strict, strict=True):
        ranked = sorted(row, reverse=True)
        assert row[places_of].tolist() == ranked
        taken = ranked if places is None else ranked[:1]
        assert alone == all(ranked.count(value) == 1 for value in taken)


def test_rounding_makes_no_leader():
    a, b = 0.1 + 0.2, 0.3
    assert a != b
    assert not sole_leader(np.array([a, b, 0.1])).any()
    assert not strict_order(np.array([[a, b, 0.1]]))[1].any()
    assert not exceeds_to_lead(np.array(a), np.array(b))
    # A small difference that no rounding makes is one; so is one of tiny numbers.
    assert sole_leader(np.array([0.5 + 1e-9, 0.5 - 1e-9])).tolist() == [True, False]
    assert sole_leader(np.array([2e-300, 1e-300])).tolist() == [True, False]


def test_listing_order_changes_nothing():
    values = np.random.default_rng(0).integers(0, 3, size=(500, 4)).astype(float)
    turned = [2, 0, 3, 1]
    assert (sole_leader(values)[:, turned] == sole_leader(values[:, turned])).all()
    assert (strict_order(values)[1] == strict_order(values[:, turned])[1]).all()


def test_one_alone_leads():
    assert sole_leader(np.zeros((3, 1))).all()
    assert strict_order(np.zeros((3, 1)))[1].all()
