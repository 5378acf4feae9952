"""Pictures of rankings and of a gate: the figures of their tables, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.plots.ranking import gate_pen
from tests.plots.drawn import fresh, legend, title
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


# a gate -------------------------------------------------------------------------------------------


def gated(n: int = 12) -> bc.Gate:
    advantage = np.random.default_rng(0).normal([0.0, 3.0, -3.0], 1.0, (n, 3))
    values = np.stack([advantage, np.zeros_like(advantage)], axis=1)
    measures: Any = {"a": bc.Measure("max", rope=1.0), "b": "max", "$c_1$": "max"}
    results = table(values, names=["new", "old"], measures=measures)
    return bc.gate(results, candidate="new", baseline="old")


def test_bars_are_the_bounds_each_on_a_scale_of_its_own() -> None:
    g = gated()
    pen = gate_pen(g)
    shown = [v["words"] for kind, v in pen.items if kind == "text"]
    assert [text for text in shown if text in g.results.measures] == ["a", "b", "$c_1$"]
    (middle,) = (v["points"][0][0] for kind, v in pen.items if kind == "line")
    bars = [v for kind, v in pen.items if kind == "rect" and v["h"] == 6]
    (rope,) = (v for kind, v in pen.items if kind == "rect" and v["h"] == 20)
    assert rope["x"] + rope["w"] == pytest.approx(middle)
    dots = [v["x"] for kind, v in pen.items if kind == "dot"]
    for bar, dot, (_, row) in zip(bars, dots, g.table.iterrows(), strict=True):
        # Both ends and the mean lie in the same proportions as their figures.
        scale = (dot - middle) / row["difference"]
        ends = (bar["x"] - middle) / scale, (bar["x"] + bar["w"] - middle) / scale
        assert ends == pytest.approx((row["lower"], row["upper"]))
    verdicts = g.table["verdict"].tolist()
    assert verdicts == ["not worse", "superior", "worse"]
    assert [text for text in shown if text in verdicts] == verdicts


def test_too_few_datasets_have_no_bounds() -> None:
    g = gated(3)
    assert not any(kind == "rect" and v["h"] == 6 for kind, v in gate_pen(g).items)
    assert "too few" in title(g.plot(ax=fresh()))
