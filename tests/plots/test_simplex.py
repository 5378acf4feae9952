"""The triangle of three statements: draws, regions and corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import fresh, texts


def test_simplex_points_lie_in_the_triangle(three_states: bc.Comparison) -> None:
    ax = plots.plot_simplex(three_states, draws=1500, ax=fresh())
    points = np.vstack([np.asarray(found.get_offsets()) for found in ax.collections])
    assert points.shape == (1500, 2)
    height = np.sqrt(0.75)
    assert (points[:, 1] >= -1e-9).all()
    assert (points[:, 1] <= 2 * height * np.minimum(points[:, 0], 1 - points[:, 0]) + 1e-9).all()


def test_simplex_regions_agree_with_the_probabilities(three_states: bc.Comparison) -> None:
    ax = plots.plot_simplex(three_states, draws=4000, ax=fresh())
    shares = [len(found.get_offsets()) / 4000 for found in ax.collections]
    by_label = dict(zip(["A>B", "B>A", "A=B"], shares, strict=True))
    for label, share in by_label.items():
        p = float(three_states.probability.sel(statement=label))
        assert share == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000))
        assert f"{label}\nP = {p:.3f}" in texts(ax)


def test_simplex_points_are_nearest_to_the_corner_of_their_region(
    three_states: bc.Comparison,
) -> None:
    ax = plots.plot_simplex(three_states, draws=500, ax=fresh())
    corners = np.array([text.xy for text in ax.texts])
    for k, found in enumerate(ax.collections):
        points = np.asarray(found.get_offsets())
        distance = np.linalg.norm(points[:, None] - corners[None], axis=2)
        assert (distance.argmin(axis=1) == k).all()


def test_simplex_uses_the_posterior_that_the_answer_came_from(
    three_states: bc.Comparison,
) -> None:
    tree = three_states.draws(50, chains=2, rng=3)
    sampled = replace(three_states, answer=replace(three_states.answer, tree=tree))
    ax = plots.plot_simplex(sampled, ax=fresh())
    assert sum(len(found.get_offsets()) for found in ax.collections) == 100
    again = plots.plot_simplex(sampled, draws=40, ax=fresh())
    assert sum(len(found.get_offsets()) for found in again.collections) == 40


def test_simplex_is_reproducible(three_states: bc.Comparison) -> None:
    one, other = (plots.plot_simplex(three_states, draws=50, ax=fresh()) for _ in range(2))
    for first, second in zip(one.collections, other.collections, strict=True):
        np.testing.assert_array_equal(first.get_offsets(), second.get_offsets())


def test_simplex_needs_three_statements(example1: bc.Comparison) -> None:
    with pytest.raises(bc.BayescompareError, match=r"exactly three .* there are 4"):
        example1.plot("simplex")


def test_simplex_needs_draws(three_states: bc.Comparison) -> None:
    c = bc.compare(three_states.results, method="glrt")
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        c.plot("simplex", ax=fresh())
