"""What a prior implies before any data: table, measures, predictions, words and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pytest
from matplotlib.figure import Figure
from scipy import stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet, elicit
from tests.oracles.context import near
from tests.oracles.dirichlet import largest

SEVEN = {"accuracy": {"B>A": 0.7}, "weight": 5}
TWO: dict[str, Any] = {"algorithms": ["A", "B"], "measures": ["accuracy", "time"]}
ALPHA = [0.75, 0.75, 1.75, 1.75]


@pytest.fixture(scope="module")
def seven() -> Any:
    return elicit(SEVEN, **TWO)


def test_the_table_is_the_prior(seven: Any) -> None:
    table = seven.table
    assert table.index.tolist() == ["A>B|A>B", "A>B|B>A", "B>A|A>B", "B>A|B>A"]
    np.testing.assert_allclose(table["alpha"], ALPHA)
    np.testing.assert_allclose(table["mean"], np.array(ALPHA) / 5)
    np.testing.assert_allclose(table["p_max"], largest(ALPHA), atol=1e-10)
    for a, (_, row) in zip(ALPHA, table.iterrows(), strict=True):
        assert (row["lower"], row["upper"]) == pytest.approx(stats.beta(a, 5 - a).interval(0.95))
    assert seven.weight == pytest.approx(5.0)


def test_the_measures_are_as_they_were_elicited(seven: Any) -> None:
    means = seven.measures["mean"]
    assert means["accuracy", "B>A"] == pytest.approx(0.7)
    assert means["time"].tolist() == pytest.approx([0.5, 0.5])
    low, high = stats.beta(3.5, 1.5).interval(0.95)
    row = seven.measures.loc[("accuracy", "B>A")]
    assert (row["lower"], row["upper"]) == pytest.approx((low, high))


def test_predictions_are_those_of_the_draws(seven: Any) -> None:
    found = seven.predict(8)
    np.testing.assert_allclose(found[list(range(9))].sum(axis=1), 1.0)
    np.testing.assert_allclose(found[list(range(9))].to_numpy() @ np.arange(9), found["mean"])
    tree = seven.draws(20_000, datasets=8, rng=1)
    assert set(tree.children) == {"prior", "prior_predictive"}
    seen = tree["prior_predictive"]["outcome"].sum("dataset").values.reshape(-1, 4)
    for k in range(4):
        assert near(seen[:, k].astype(float), float(found["mean"].iloc[k]))
        for n in (0, 3):
            assert near((seen[:, k] == n).astype(float), float(found[n].iloc[k]))
    assert near(1 - tree["prior"]["marginal"].sel(measure="accuracy").values, 0.7)
    np.testing.assert_allclose(tree["prior"]["theta"].sum("statement"), 1.0)


def test_it_agrees_with_the_comparison_that_uses_it(seven: Any, results: bc.Results) -> None:
    c = bc.compare(results, method=seven.method)
    np.testing.assert_allclose(np.exp(c.method.cells(c.results)[1].log_alpha), seven.table["alpha"])
    same = elicit(SEVEN, results=results)
    np.testing.assert_array_equal(same.table, seven.table)
    part = elicit(SEVEN, results=results, measures=["accuracy"])
    assert part.table["mean"].tolist() == pytest.approx([0.3, 0.7])


def test_words(seven: Any) -> None:
    text = seven.explain()
    assert "B is better than A on accuracy with probability 0.7. This weighs as much as" in text
    assert "expected to hold with probability 0.350 (95 % interval 0.046 to 0.764)" in text
    assert "Of 20 datasets the prior expects 7 to support it" in text
    assert "20 % of the say" in text
    assert "5 datasets" in repr(seven)
    one = elicit(
        {"accuracy": {"B>A": 0.7}, "weight": 5}, algorithms=["A", "B"], measures=["accuracy"]
    )
    assert "“B is better than A on accuracy” is the most probable of 2 statements" in one.explain()
    plain = elicit("jeffreys", **TWO)
    assert "the prior weighs as much as 2 datasets" in plain.explain()


def test_pictures(seven: Any) -> None:
    """What the table and the predictions look like is in tests/plots."""
    curves = seven.plot("measures", ax=Figure().subplots())
    x, y = curves.get_lines()[0].get_data()
    np.testing.assert_allclose(y, stats.beta(3.5, 1.5).pdf(x))
    for kind, options in (("statements", {}), ("predictive", {"n": 9})):
        shown = [t.get_text() for t in seven.plot(kind, ax=Figure().subplots(), **options).texts]
        assert shown.count("B better") == 1


def test_many_statements_are_shown_in_part(uci: bc.Results) -> None:
    many = elicit(
        {"auc": {"GBM>CART": 0.9}, "weight": 3},
        results=uci,
        algorithms=["GBM", "CART", "RF"],
        measures=["auc", "brier"],
    )
    assert len(many.table) == 36
    shown = [t.get_text() for t in many.plot(ax=Figure().subplots()).texts]
    assert any("16 statements expected less often not shown" in text for text in shown)


@pytest.mark.parametrize(
    ("prior", "names", "words"),
    [
        (SEVEN, {"algorithms": ["A", "B"]}, "measures= is missing"),
        (SEVEN, {"measures": ["accuracy"]}, "algorithms= is missing"),
        (SEVEN, {"algorithms": "AB", "measures": ["accuracy"]}, "algorithms='AB'"),
        (SEVEN, {"algorithms": ["A"], "measures": ["accuracy"]}, "at least two"),
        (SEVEN, {"algorithms": ["A", "A"], "measures": ["accuracy"]}, "named twice"),
        (SEVEN, {"algorithms": ["A", "B>C"], "measures": ["accuracy"]}, "cannot be a name"),
        (SEVEN, {"algorithms": ["A", "B"], "measures": ["time"]}, "no such measure"),
        (SEVEN, {"results": 3}, "results is a int"),
        ("learned", TWO, "learned from data"),
        ("flat", TWO, "prior='flat'"),
        (Dirichlet(priors={"strength": pm.Gamma.dist(2, 1)}), TWO, "random parameters"),
        (SEVEN, {"algorithms": list("ABCD"), "measures": ["accuracy", "time"]}, "576 statements"),
        (
            SEVEN,
            {"algorithms": list("ABC"), "measures": {"accuracy": bc.Measure("max", rope=1)}},
            "a rope is about two",
        ),
        (SEVEN, {"algorithms": list("AB"), "measures": {"accuracy": "up"}}, "accuracy"),
    ],
)
def test_what_cannot_be_shown_is_refused(prior: Any, names: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        elicit(prior, **names)


def test_bad_options(seven: Any) -> None:
    for wrong in (lambda: seven.plot("bars"), lambda: seven.predict(0), lambda: seven.draws(0)):
        with pytest.raises(BayescompareError):
            wrong()


def test_a_rope_has_a_third_state() -> None:
    measures = {"accuracy": bc.Measure("max", rope=0.01)}
    e = elicit({"accuracy": {"A=B": 0.5}, "weight": 4}, algorithms=["A", "B"], measures=measures)
    assert e.table["mean"].to_dict() == pytest.approx({"A>B": 0.25, "A=B": 0.5, "B>A": 0.25})
