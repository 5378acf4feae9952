"""`ErrorCounts` and comparisons of them are written and read again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare import ErrorCounts
from tests.oracles.context import folds_frame, replicated
from tests.table.made_counts import P, from_frame, refusal


@pytest.mark.parametrize("options", [{}, {"n": "n"}, {"both_wrong": "both", "n": "n"}])
def test_a_dataset_and_back(options: dict[str, str], tmp_path: Path) -> None:
    counts = from_frame(source="somewhere", **options)
    assert ErrorCounts.from_dataset(counts.to_dataset()) == counts
    counts.to_dataset().to_netcdf(tmp_path / "counts.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "counts.nc", engine="h5netcdf") as opened:
        assert ErrorCounts.from_dataset(opened.load()) == counts


def test_a_foreign_dataset_is_refused(four: ErrorCounts) -> None:
    refusal(lambda: ErrorCounts.from_dataset(bc.load_example("pnn").to_dataset()))
    refusal(lambda: bc.Results.from_dataset(four.to_dataset()))
    refusal(lambda: ErrorCounts.from_dataset(four.to_dataset().drop_vars("n")))
    refusal(lambda: ErrorCounts.from_dataset(xr.Dataset(attrs={"schema": "bayescompare.counts/1"})))


def test_counts_by_hand_are_checked(four: ErrorCounts) -> None:
    refusal(lambda: ErrorCounts.from_counts(xr.Dataset()))
    refusal(lambda: ErrorCounts.from_counts(P))  # type: ignore[arg-type]
    for name, at, value in [
        ("wrong", (0, 0), -1.0),
        ("wrong", (0, 0), 0.5),
        ("wrong", (0, 0), 0.0),  # fewer than those that it alone got wrong
        ("wrong_only", (0, 0, 1), -1.0),
        ("wrong_only", (0, 0, 0), 1.0),  # wrong where it was right
        ("n", (0,), 1.0),
        ("n", (0,), 20.5),
    ]:
        changed = four.counts.copy(deep=True)
        values = np.array(changed[name].values)
        values[at] = value
        changed[name] = (changed[name].dims, values)
        said = refusal(lambda changed=changed: ErrorCounts.from_counts(changed))  # type: ignore[misc]
        assert "'d" in said, said


METHODS: dict[str, Callable[[], Any]] = {
    "cut": lambda: bc.methods.PoissonBinomial(),
    "joint": lambda: bc.methods.PoissonBinomial(joint=True, a=0.5, b=2.0),
    "b as a prior": lambda: bc.methods.PoissonBinomial(joint=True, priors={"b": 3.0}),
    "hierarchical": lambda: bc.methods.Hierarchical(),
    "correlated-t": lambda: bc.methods.CorrelatedT(rho=0.25),
    "correlated-t joint": lambda: bc.methods.CorrelatedT(joint=True),
    "correlated-t rope": lambda: bc.methods.CorrelatedT(folds=3),
    "sign": lambda: bc.methods.Sign(),
}


@cache
def saved(name: str) -> Any:
    if name.startswith("correlated-t"):
        # Datasets with different numbers of replicates leave NaN in the table.
        frame = folds_frame([[0.1, 0.2, 0.0], [0.1, -0.3], [0.2, 0.3, 0.1, 0.15]])
        results: bc.Results = replicated(frame, rope=0.05 if name.endswith("rope") else None)
    else:
        results = from_frame(both_wrong="both", n="n", source="x")
    return bc.compare(results, method=METHODS[name]())


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "json") for name in METHODS if name != "hierarchical"),
        *((name, "nc") for name in ("joint", "hierarchical", "correlated-t rope")),
        pytest.param("hierarchical", "json", marks=pytest.mark.slow),
        *(
            pytest.param(name, "nc", marks=pytest.mark.slow)
            for name in METHODS
            if name not in ("joint", "hierarchical", "correlated-t rope")
        ),
    ],
)
def test_a_comparison_and_back(name: str, suffix: str, tmp_path: Path) -> None:
    c = saved(name)
    path = tmp_path / f"c.{suffix}"
    (c.to_json if suffix == "json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    assert type(again) is type(c)
    assert type(again.results) is type(c.results)
    assert again.results == c.results
    assert again.method == c.method
    assert again.explain() == c.explain()
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    if name != "sign":
        pd.testing.assert_frame_equal(again.per_dataset, c.per_dataset)
        pd.testing.assert_series_equal(again.rate, c.rate)
        first, second = (x.draws(4, chains=1, rng=3) for x in (c, again))
        for group in first.children:
            xr.testing.assert_equal(first[group].to_dataset(), second[group].to_dataset())
    if name in ("joint", "hierarchical"):
        assert again.log_evidence == c.log_evidence
        np.testing.assert_array_equal(again.loo().elpd_i, c.loo().elpd_i)


@pytest.mark.parametrize("name", METHODS)
def test_every_key_of_the_json_is_documented(name: str) -> None:
    told = json.loads(saved(name).to_json())
    text = (Path(__file__).parents[2] / "docs" / "json-schema.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`\"?([\w-]+)\"?`", text))
    own = {*told, *told["results"], *told["details"], *told["statements"][0]}
    assert own <= documented, sorted(own - documented)
