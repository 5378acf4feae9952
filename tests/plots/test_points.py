"""Points: the front, weights and the triangle of three statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots._drawing import statement_words
from tests.plots.drawn import fresh, legend, texts
from tests.tables import table


def test_better_is_up_and_to_the_right(uci: bc.Results) -> None:
    ax = bc.rank(uci, by="value", draws=200, rng=0).plot("cost", ax=fresh())
    assert ax.xaxis.get_inverted()
    assert not ax.yaxis.get_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean brier", "mean auc")


def test_a_wide_cost_is_on_a_logarithmic_scale() -> None:
    values = np.random.default_rng(0).random((8, 5, 2)) + 1.0
    values[:, :, 1] *= 10.0 ** np.arange(5)
    measures: Any = {"accuracy": "max", "cost": bc.Measure("min", unit="$")}
    r = bc.rank(table(values, measures=measures), by="value", draws=200, rng=0)
    ax = r.plot("cost", ax=fresh())
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "mean cost ($)")


def test_the_shares_of_weights_are_areas() -> None:
    """By the drawn grid and by random weights."""
    centre = np.array([[3.0, 1, 1], [1, 3, 1], [1, 1, 3], [1.6, 1.6, 1.6]])
    values = np.repeat(centre[None], 6, axis=0)
    r = bc.rank(table(values), by="value", utility="unknown", draws=20_000, rng=0)
    shares = dict(text.split(": ") for text in legend(r.plot("weights", ax=fresh())))
    assert len(shares) == 3  # the balanced one is never best
    for name, share in shares.items():
        assert abs(int(share.rstrip(" %")) / 100 - r.overall["share"].loc[name]) < 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "plcaes"}, "Unknown plot 'plcaes'.*Did you mean 'places'"),
        ({"kind": "front", "measures": ["auc"]}, "in two measures"),
        ({"kind": "front", "measures": ["auc", "x"]}, "no measure called 'x'"),
        ({"kind": "weights", "measures": ["auc"]}, "two or three measures"),
        ({"measures": ["x"]}, "no measure called 'x'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(ranking: bc.Ranking, options: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        ranking.plot(**options)


def test_weights_of_values_on_different_scales_are_refused(uci: bc.Results) -> None:
    with pytest.raises(bc.BayescompareError, match="use by='rank'"):
        bc.rank(uci, by="value", draws=200, rng=0).plot("weights")
    with pytest.raises(bc.BayescompareError, match="kind='cost' needs"):
        bc.rank(uci, measures=["auc", "accuracy"], draws=200, rng=0).plot("cost")


# three statements ---------------------------------------------------------------------------------


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
