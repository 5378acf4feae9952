"""Bars and triangles of statements: what is drawn is what stands in the comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots._drawing import clip_statement, statement_words
from tests.plots.drawn import (
    fresh,
    texts,
)


def test_a_clipped_statement_still_says_who_is_better() -> None:
    first, second = "first-" + "x" * 40, "second-" + "y" * 40
    whole = (f"{first}>{second}", f"{second}>{first}", f"{first}={second}")
    said = {clip_statement(s, 30) for s in whole}
    assert len(said) == 3
    assert all(len(label) <= 30 for label in said)
    assert sorted(label.count(">") for label in said) == [0, 1, 1]


def test_points_of_a_triangle_lie_in_the_regions_of_their_corners(
    three_states: bc.Comparison,
) -> None:
    ax = plots.plot_simplex(three_states, draws=4000, ax=fresh())
    corners = np.array([text.xy for text in ax.texts])  # type: ignore[attr-defined]
    for k, (label, found) in enumerate(zip(("A>B", "B>A", "A=B"), ax.collections, strict=True)):
        drawn: Any = np.asarray(found.get_offsets())
        assert (drawn[:, 1] >= -1e-9).all()
        edge = 2 * np.sqrt(0.75) * np.minimum(drawn[:, 0], 1 - drawn[:, 0])
        assert (drawn[:, 1] <= edge + 1e-9).all()
        distance = np.linalg.norm(drawn[:, None] - corners[None], axis=2)
        assert (distance.argmin(axis=1) == k).all()
        # The share of points in a region is about the probability that is printed at its corner.
        p = float(three_states.probability.sel(statement=label))
        assert len(drawn) / 4000 == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000))
        assert f"{statement_words(label, 30)}\nP = {p:.3f}" in texts(ax)


def test_a_triangle_uses_the_posterior_that_the_answer_came_from(
    three_states: bc.Comparison,
) -> None:
    tree = three_states.draws(50, chains=2, rng=3)
    sampled = replace(three_states, answer=replace(three_states.answer, tree=tree))
    for draws, expected in ((2000, 100), (40, 40)):
        ax = plots.plot_simplex(sampled, draws=draws, ax=fresh())
        assert sum(len(found.get_offsets()) for found in ax.collections) == expected  # type: ignore[arg-type]
    one, other = (plots.plot_simplex(three_states, draws=50, ax=fresh()) for _ in range(2))
    for first, second in zip(one.collections, other.collections, strict=True):
        np.testing.assert_array_equal(first.get_offsets(), second.get_offsets())


def test_a_triangle_needs_three_statements_and_draws(
    example1: bc.Comparison, three_states: bc.Comparison
) -> None:
    with pytest.raises(bc.BayescompareError, match=r"exactly three .* there are 4"):
        example1.plot("simplex")
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        bc.compare(three_states.results, method="glrt").plot("simplex", ax=fresh())
