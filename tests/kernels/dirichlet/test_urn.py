"""Pólya's urn against the probability of every sequence, as fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.urn import draw_urn_cells, polya_urn
from tests.oracles.dirichlet import urn

SIZE = 40_000


def shares(rows: np.ndarray) -> dict[tuple[int, ...], float]:
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return {tuple(map(int, row)): n / len(rows) for row, n in zip(distinct, counts, strict=True)}


def within_four_errors(found: float, expected: float) -> bool:
    return abs(found - expected) <= 4 * math.sqrt(expected * (1 - expected) / SIZE)


def test_every_sequence_is_as_frequent_as_polya_says() -> None:
    alpha, counts = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 3)], [2, 0, 1]
    cells = DirichletCells(np.log([float(a) for a in alpha]), np.array(counts, dtype=float))
    cell, source = polya_urn(cells, SIZE, 3, np.random.default_rng(1))
    found = shares(np.take_along_axis(cell, source, axis=1))
    shape = [a + n for a, n in zip(alpha, counts, strict=True)]
    for sequence in itertools.product(range(3), repeat=3):
        assert within_four_errors(found.get(sequence, 0.0), float(urn(shape, sequence)))


def test_unlisted_cells_repeat_as_often_as_polya_says() -> None:
    """One listed cell and a lump of three: which of them are the same is all that is known."""
    alpha = Fraction(1, 4)
    cells = DirichletCells(np.log([0.25]), np.array([1.0]), math.log(0.25), math.log(3.0))
    cell, source = polya_urn(cells, SIZE, 2, np.random.default_rng(2))
    first = np.take_along_axis(cell, source, axis=1)
    both = (first == 1).all(axis=1)
    repeats = both & (source[:, 1] == 0)
    shape = [alpha + 1, alpha, alpha, alpha]
    # The second is a copy of the first, or another draw that falls among the lump.
    pairs = itertools.product((1, 2, 3), repeat=2)
    assert within_four_errors(both.mean(), float(sum(urn(shape, pair) for pair in pairs)))
    copied = float(3 * alpha / sum(shape) * 1 / (sum(shape) + 1))
    assert within_four_errors(repeats.mean(), copied)


@given(
    st.lists(st.floats(1e-300, 1e6), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_a_source_is_an_earlier_one_that_repeats_none(
    alpha: list[float], number: int, seed: int, lump: bool
) -> None:
    counts = np.arange(len(alpha), dtype=float)
    rest = (math.log(1e-3), math.log(50.0)) if lump else (-math.inf, -math.inf)
    cells = DirichletCells(np.log(alpha), counts, *rest)
    cell, source = polya_urn(cells, 7, number, np.random.default_rng(seed))
    assert cell.shape == source.shape == (7, number)
    assert ((cell >= 0) & (cell < len(alpha) + lump)).all()
    assert (source <= np.arange(number)).all()
    assert (np.take_along_axis(source, source, axis=1) == source).all()


def test_a_prior_beyond_the_float_range_outweighs_the_data() -> None:
    cells = DirichletCells(np.zeros(2), np.array([3.0, 1.0]), 0.0, 2000.0)
    cell, source = polya_urn(cells, 50, 4, np.random.default_rng(0))
    assert (cell == 2).all()
    assert (source == np.arange(4)).all()


@pytest.mark.parametrize("number", [1, 4])
def test_cells_are_drawn_by_their_weights(number: int) -> None:
    weights = np.tile([2.0, 0.0, 6.0], (SIZE, 1))
    cell = draw_urn_cells(weights, number, np.random.default_rng(3))
    assert cell.shape == (SIZE, number)
    assert set(np.unique(cell)) == {0, 2}
    assert within_four_errors((cell[:, -1] == 0).mean(), 0.25)
