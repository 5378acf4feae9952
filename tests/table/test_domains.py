"""Domains and weights of datasets: how they are read, kept and refused."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results

MEASURES = {"auc": "max"}


def frame(**columns: list[object]) -> pd.DataFrame:
    rows = {"dataset": list("aabbcc"), "algorithm": ["A", "B"] * 3, "auc": [1, 2, 3, 4, 6, 5]}
    return pd.DataFrame({**rows, **columns})


def made(**columns: list[object]) -> Results:
    return bc.Results.from_frame(
        frame(**columns), measures=MEASURES, **{name: name for name in columns}
    )


def test_facts_follow_a_selection_and_a_file(tmp_path: Path) -> None:
    results = made(group=list("xxyyxx"), weight=[1, 1, 2, 2, 3, 3])
    assert results.groups == ("x", "y", "x")
    assert results.weights == (1.0, 2.0, 3.0)
    assert results.sel(datasets=["c", "b"]).groups == ("x", "y")
    assert Results.from_dataset(results.to_dataset()) == results
    assert results != made(weight=[1, 1, 2, 2, 3, 3])
    c = bc.compare(made(weight=[1, 1, 2, 2, 3, 3]))
    assert bc.load_comparison(c.to_netcdf(tmp_path / "c.nc")).results == c.results
    c.to_json(tmp_path / "c.json")
    assert bc.load_comparison(tmp_path / "c.json").results == c.results


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_columns_of_a_file(tmp_path: Path, layout: str) -> None:
    table = frame(field=list("xxyyxx"), w=[1, 1, 2, 2, 3, 3])
    if layout == "wide":
        wide = table.pivot(index=["dataset", "field", "w"], columns="algorithm", values="auc")
        table = wide.reset_index()
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    results = bc.read_results(path, measures=MEASURES, group="field", weight="w")
    assert results.algorithms == ("A", "B")
    assert (results.groups, results.weights) == (("x", "y", "x"), (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"weight": [1, 1, 0, 0, 1, 1]}, "weight=: 0.0 of 'b'; a weight is a finite number above"),
        ({"weight": [1, 1, -2, -2, 1, 1]}, "weight=: -2.0 of 'b'"),
        ({"weight": [1, 1, math.nan, math.nan, 1, 1]}, "weight=: nan of 'b'"),
        ({"weight": [1, 1, math.inf, math.inf, 1, 1]}, "weight=: inf of 'b'"),
        ({"weight": [1, 2, 1, 1, 1, 1]}, "dataset 'a' has both 1.0 and 2.0"),
        ({"weight": [1, 1, "two", "two", 1, 1]}, "two"),
        ({"group": list("xyxxyy")}, "dataset 'a' has both 'x' and 'y'"),
        ({"group": ["x", "x", None, None, "y", "y"]}, "group name missing"),
    ],
)
def test_what_is_refused_in_one_line(columns: dict[str, list[object]], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words) as error:
        made(**columns)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (list("xxxxxx"), "one domain cannot show how domains vary"),
        (list("xxyyzz"), "each of the 3 datasets is a domain by itself"),
    ],
)
def test_what_is_no_grouping(groups: list[object], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(made(group=groups))


def test_other_methods_do_without_domains_and_refuse_weights() -> None:
    c = bc.compare(made(group=list("xxyyxx")), method="glrt")
    assert "domains (group=) are not used" in c.explain()
    with pytest.raises(bc.BayescompareError, match="counts every dataset the same"):
        bc.compare(made(weight=[1, 1, 2, 2, 3, 3]), method="glrt")
    gap = frame(weight=[1, 1, 2, 2, 3, 3], time=[1, 2, 3, math.nan, 5, 6])
    both = bc.Results.from_frame(gap, measures={"auc": "max", "time": "min"}, weight="weight")
    with pytest.raises(bc.BayescompareError, match="with weight= every dataset must be complete"):
        bc.compare(both, missing="ignore")


def test_effective_weights_sum_to_the_effective_number() -> None:
    weights = (1.0, 2.0, 5.0)
    assert math.fsum(effective_weights(weights)) == pytest.approx(64.0 / 30.0)
    assert effective_weights((3.0, 3.0)) == [1.0, 1.0]
