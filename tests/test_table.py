"""Frames and arrays given straight to compare, pairwise, rank and gate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError

MEASURES: Any = {"accuracy": "max", "time": "min"}
RNG = np.random.default_rng(0)


def long_frame() -> pd.DataFrame:
    rows = [
        {"task": f"d{i}", "model": model, "accuracy": base + i / 100, "time": 5.0 + i * base}
        for i in range(6)
        for model, base in (("svm", 0.8), ("forest", 0.7), ("bayes", 0.6))
    ]
    return pd.DataFrame(rows)


LONG: Any = {"dataset": "task", "algorithm": "model", "measures": MEASURES}


def results() -> bc.Results:
    return bc.Results.from_frame(long_frame(), **LONG)


def test_every_door_takes_a_frame() -> None:
    df, table = long_frame(), results()
    pair: Any = {"algorithms": ["svm", "forest"]}
    assert bc.compare(df, **LONG, **pair).to_json() == bc.compare(table, **pair).to_json()
    assert bc.pairwise(df, n_jobs=1, **LONG).to_json() == bc.pairwise(table, n_jobs=1).to_json()
    assert bc.rank(df, rng=0, **LONG).to_json() == bc.rank(table, rng=0).to_json()
    names: Any = {"candidate": "svm", "baseline": "forest"}
    assert bc.gate(df, **LONG, **names).table.equals(bc.gate(table, **names).table)


def test_arrays_by_name_and_two_alone() -> None:
    a, b = RNG.normal(size=(2, 12))
    named = bc.compare({"svm": a, "forest": b}, measures={"score": "max"})
    frame = pd.DataFrame(
        {
            "dataset": [*map(str, range(1, 13))] * 2,
            "algorithm": ["svm"] * 12 + ["forest"] * 12,
            "score": [*a, *b],
        }
    )
    assert named.to_json() == bc.compare(frame, measures={"score": "max"}).to_json()
    alone = bc.compare((a, b), measures={"score": "max"}, algorithms=["svm", "forest"])
    assert alone.best == named.best
    assert bc.compare([a, b], measures={"score": "max"}).results.algorithms == ("first", "second")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["1", "2"], r"results\['A'\]: give an array of numbers"),
        (np.array(["1", 2], dtype=object), r"results\['A'\]: give an array of numbers"),
        (pd.date_range("2026-01-01", periods=2), r"results\['A'\]: give an array of numbers"),
        ([10**400, 2], r"results\['A'\]: give an array of numbers"),
        (np.ma.array([1, 2], mask=[False, True]), "1 missing cell: score of 'A' on '2'"),
        (pd.array([1, None], dtype="Float64"), "1 missing cell: score of 'A' on '2'"),
    ],
)
def test_arrays_that_are_none(wrong: Any, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        bc.compare({"A": wrong, "B": [1.0, 2.0]}, measures={"score": "max"})


def test_series_with_labels_in_another_order() -> None:
    a = pd.Series([1.0, 2.0, 3.0], index=["x", "y", "z"])
    with pytest.raises(BayescompareError, match="the same labels in different orders"):
        bc.compare({"A": a, "B": a[::-1]}, measures={"score": "max"})
    assert bc.compare({"A": a, "B": a + 1}, measures={"score": "max"}).best == "B>A"
    # Every other row of a column, whose labels say nothing.
    assert bc.compare({"A": a[:2], "B": a[1:]}, measures={"score": "max"}).best == "B>A"


def test_arrays_of_replicates() -> None:
    a, b = RNG.normal(size=(2, 5, 10))
    c = bc.compare({"A": a, "B": b}, measures={"score": "max"}, method="correlated-t")
    assert c.results.n_replicates == 10


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (3, {}, "results is a int: give Results"),
        ("table.csv", {}, "results is a str"),
        ({"A": [1.0, 2.0], "B": [1.0]}, {"measures": {"x": "max"}}, "the arrays differ in shape"),
        ({"A": ["a", "b"]}, {"measures": {"x": "max"}}, r"results\['A'\]: give an array of numb"),
        ({"A": 3.0}, {"measures": {"x": "max"}}, r"results\['A'\] has the shape \(\)"),
        ({"A": [1.0], "B": [2.0]}, {"measures": MEASURES}, "measures has 2 measures, and arrays"),
        ({"A": [1.0], "B": [2.0]}, {}, "does not say which way is better"),
        ({"A": [1.0], "B": [2.0]}, {"measures": {"x": "max"}, "dataset": "d"}, "arrays have none"),
        (([1.0], [2.0]), {"measures": {"x": "max"}, "algorithms": ["A"]}, "name the two arrays"),
        (long_frame(), {**LONG, "datasets": "task"}, r"results\.sel\(datasets"),
        (long_frame(), {**LONG, "sets": "task"}, "sets=: there is no such option"),
        (results(), {"dataset": "task"}, "dataset= is about frames, and results is a Results"),
        (results(), {"measures": MEASURES}, "measures is a mapping, and results has its direct"),
    ],
)
def test_one_line_for_what_is_wrong(given: Any, options: Any, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        bc.compare(given, **options)
