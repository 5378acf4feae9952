"""Pictures of rankings: what they show, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare._errors import BayescompareError
from tests.tables import table


def axes() -> Any:
    return Figure().subplots()


@pytest.fixture(scope="module")
def ranking(uci: bc.Results) -> bc.Ranking:
    return bc.rank(uci, draws=500, rng=0)


def test_places_are_sorted_and_their_intervals_are_those_of_the_table(uci: bc.Results) -> None:
    r = bc.rank(uci, measures=["auc"], draws=500, rng=0)
    ax = r.plot(ax=axes())
    assert [t.get_text() for t in ax.get_yticklabels()] == list(r.overall.index)
    lines = np.array([seg[:, 0] for seg in ax.collections[0].get_segments()])
    np.testing.assert_allclose(lines, r.overall[["lower", "upper"]].to_numpy())


def test_places_of_many_algorithms_show_the_first() -> None:
    values = np.random.default_rng(0).normal(size=(8, 60, 1)) + np.linspace(2, 0, 60)[:, None]
    r = bc.rank(table(values, names=[f"a{k}" for k in range(60)]), draws=200, rng=0)
    ax = r.plot(ax=axes())
    assert len(ax.get_yticklabels()) == 40
    assert "20 further back" in ax.get_ylabel()


def test_few_datasets_are_drawn_without_intervals() -> None:
    r = bc.rank(table(np.random.default_rng(0).random((3, 4, 2))), rng=0)
    ax = r.plot(ax=axes())
    assert len(ax.collections) == 2  # the points of two measures
    r.plot("front", ax=axes())


def test_better_is_up_and_to_the_right(uci: bc.Results) -> None:
    r = bc.rank(uci, by="value", draws=500, rng=0)
    ax = r.plot("cost", ax=axes())
    assert ax.xaxis.get_inverted()
    assert not ax.yaxis.get_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean brier", "mean auc")


def test_a_wide_cost_is_on_a_logarithmic_scale() -> None:
    values = np.random.default_rng(0).random((8, 5, 2)) + np.array([1.0, 1.0])
    values[:, :, 1] *= 10.0 ** np.arange(5)
    measures = {"accuracy": "max", "cost": bc.Measure("min", unit="$")}
    ax = bc.rank(table(values, measures=measures), by="value", draws=200, rng=0).plot(
        "cost", ax=axes()
    )
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "mean cost ($)")


def test_the_shares_of_weights_are_areas(uci: bc.Results) -> None:
    """By the drawn grid and by random weights."""
    centre = np.array([[3.0, 1, 1], [1, 3, 1], [1, 1, 3], [1.6, 1.6, 1.6]])
    values = np.repeat(centre[None], 6, axis=0)
    r = bc.rank(table(values), by="value", utility="unknown", draws=20_000, rng=0)
    ax = r.plot("weights", ax=axes())
    shares = {
        a: int(s.rstrip(" %")) / 100
        for a, s in (t.get_text().split(": ") for t in ax.get_legend().get_texts())
    }
    for name, share in shares.items():
        assert abs(share - r.overall["share"].loc[name]) < 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "plcaes"}, "Unknown plot 'plcaes'.*Did you mean 'places'"),
        ({"kind": "front", "measures": ["auc"]}, "in two measures"),
        ({"kind": "front", "measures": ["auc", "x"]}, "no measure called 'x'"),
        ({"kind": "weights", "measures": ["auc"]}, "two or three measures"),
        ({"measures": ["x"]}, "no measure called 'x'"),
        ({"ax": 3}, "ax is a int"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    ranking: bc.Ranking, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BayescompareError, match=message):
        ranking.plot(**options)


def test_weights_of_values_on_different_scales_are_refused(uci: bc.Results) -> None:
    with pytest.raises(BayescompareError, match="use by='rank'"):
        bc.rank(uci, by="value", draws=200, rng=0).plot("weights")
    with pytest.raises(BayescompareError, match="kind='cost' needs"):
        bc.rank(uci, measures=["auc", "accuracy"], draws=200, rng=0).plot("cost")
