"""Codes of count vectors against all sums of statements, one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.replicated import lattice as module
from bayescompare.kernels.replicated.lattice import Lattice


def lattice_of(support: np.ndarray) -> Lattice:
    lattice = Lattice.of(support)
    assert lattice is not None
    return lattice


def decoded(lattice: Lattice, codes: np.ndarray) -> list[tuple[int, ...]]:
    digits = [lattice.digits(codes, k).tolist() for k in range(len(lattice.shifts))]
    return list(zip(*digits, strict=True))


@pytest.mark.parametrize("t", [2, 3, 4, 6])
def test_places_of_all_vectors_are_those_of_merged_copies(t: int) -> None:
    """Where every dataset leaves every statement nothing needs to be merged."""
    lattice = lattice_of(np.ones((6, t), dtype=bool))
    codes = np.zeros(1, dtype=np.int64)
    for i in range(6):
        growth = lattice.after(i)
        merged, target = module._merge_codes(codes, lattice.steps[i])
        np.testing.assert_array_equal(growth.codes, merged)
        np.testing.assert_array_equal(growth.target, target)
        codes = merged
    assert len(codes) == lattice.at_least


@given(
    st.integers(2, 4).flatmap(
        lambda t: st.lists(
            st.lists(st.booleans(), min_size=t, max_size=t).filter(lambda row: sum(row) > 1),
            min_size=1,
            max_size=5,
        )
    )
)
def test_codes_are_the_reachable_sums_in_order(rows: list[list[bool]]) -> None:
    support = np.array(rows)
    lattice = lattice_of(support)
    unit = np.eye(support.shape[1], dtype=int)
    for i in range(len(rows)):
        choices = itertools.product(*(np.flatnonzero(row) for row in support[: i + 1]))
        reachable = {tuple(sum(unit[s] for s in z).tolist()) for z in choices}
        assert decoded(lattice, lattice.after(i).codes) == sorted(reachable)
    assert lattice.at_least <= len(reachable)


def test_each_code_goes_to_itself_and_one_more() -> None:
    support = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1], [1, 1, 0]], dtype=bool)
    lattice = lattice_of(support)
    for i in range(1, 4):
        before, growth = lattice.after(i - 1).codes, lattice.after(i)
        for j, step in enumerate(lattice.steps[i]):
            np.testing.assert_array_equal(growth.codes[growth.target[:, j]], before + step)


def test_what_is_not_kept_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    support = np.ones((6, 3), dtype=bool)
    support[3, 0] = False
    kept = lattice_of(support)
    expected = [kept.after(i) for i in range(6)]
    monkeypatch.setattr(module, "_KEPT", 20)
    other = lattice_of(support)
    for i in (5, 0, 3):
        found = other.after(i)
        np.testing.assert_array_equal(found.codes, expected[i].codes)
        np.testing.assert_array_equal(found.target, expected[i].target)
    assert len(other._kept) < 3


def test_too_long_vectors_have_no_number() -> None:
    assert Lattice.of(np.ones((30, 64), dtype=bool)) is None
