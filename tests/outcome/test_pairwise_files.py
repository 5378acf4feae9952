"""Saved pairs: read back as they were, and refused where no method could have found them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from tests.cli.commands import run

type Change = Callable[[dict[str, Any]], object]


def table(seed: int = 0) -> bc.Results:
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{k}", name, level + rng.normal(0, 0.05), rng.uniform(1, 2))
        for k in range(8)
        for name, level in (("A", 0.7), ("B", 0.8), ("C", 0.75))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "auc", "time"])
    frame.loc[(frame["algorithm"] == "C") & (frame.index % 5 == 0), "time"] = np.nan
    return bc.Results.from_frame(frame, measures={"auc": "max", "time": "min"})


@pytest.fixture(scope="module")
def pairs() -> bc.Pairwise:
    return bc.pairwise(table(), missing="drop", n_jobs=1)


@pytest.fixture
def saved(pairs: bc.Pairwise, tmp_path: Path) -> Path:
    pairs.to_json(tmp_path / "p.json")
    return tmp_path / "p.json"


def test_everything_is_read_back(pairs: bc.Pairwise, saved: Path) -> None:
    again = bc.load_pairwise(saved)
    assert again.to_json() == pairs.to_json()
    assert again.explain(fdr=0.1) == pairs.explain(fdr=0.1)
    assert again.matrix.equals(pairs.matrix)
    pd.testing.assert_frame_equal(again.decide(), pairs.decide())
    pd.testing.assert_frame_equal(again.effects, pairs.effects)
    assert again.learned == pairs.learned
    assert again["A", "B"].probability.equals(pairs["A", "B"].probability)


@pytest.mark.parametrize("method", ["glrt", "sign", "gsd"])
def test_other_methods_and_a_reference(method: str, tmp_path: Path) -> None:
    results = (
        table().sel(measures=["auc"]) if method == "sign" else table().sel(algorithms=["A", "B"])
    )
    p = bc.pairwise(results, method=method, reference="B", n_jobs=1, rng=0, missing="drop")
    p.to_json(tmp_path / "p.json", level=0.9)
    again = bc.load_pairwise(tmp_path / "p.json")
    assert again.to_json() == p.to_json()
    assert again.reference == "B"


def test_a_pair_without_datasets_in_common(tmp_path: Path) -> None:
    frame = table().data["auc"].to_dataframe().reset_index()
    frame = frame[~((frame["algorithm"] == "C") & (frame["dataset"] > "d0"))]
    p = bc.pairwise(frame, measures={"auc": "max"}, missing="drop", n_jobs=1)
    p.to_json(tmp_path / "p.json")
    again = bc.load_pairwise(tmp_path / "p.json")
    assert again.skipped == p.skipped == (("A", "C", 1), ("B", "C", 1))


def test_the_command_saves(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    options = ("--example", "benavoli-example1", "--jobs", 1, "--save", path)
    assert f"wrote {path}" in run("pairwise", *options).stdout
    assert bc.load_pairwise(path).method.name == "dirichlet"
    assert "use --force" in run("pairwise", *options, code=2).stderr


def first(document: dict[str, Any]) -> dict[str, Any]:
    one: dict[str, Any] = document["comparisons"][0]
    return one


BAD: dict[str, tuple[Change, str]] = {
    "other schema": (lambda d: d.update(schema="x"), "not a comparison of all pairs"),
    "newer": (lambda d: d.update(schema_version=3), "schema version 3, .* upgrade it"),
    "older": (lambda d: d.pop("results"), "no table, because an older bayescompare wrote it"),
    "no method": (lambda d: d.update(method="x"), "method: .*'x'"),
    "no comparisons": (lambda d: d.update(comparisons=[]), "comparisons is empty"),
    "probability": (
        lambda d: first(d)["statements"][0].update(probability=1.5),
        r"comparisons\[0\].*1.5",
    ),
    "stranger": (
        lambda d: d["results"].update(algorithms=["A", "B", "X"]),
        r"comparisons\[1\]: .* no algorithm called 'C'",
    ),
    "dataset": (
        lambda d: d["results"]["datasets"].__setitem__(0, "new"),
        r"comparisons\[0\]: .* no dataset called 'd0'",
    ),
    "twice": (
        lambda d: d["comparisons"].append(first(d)),
        "two algorithms are compared twice",
    ),
    "reference": (lambda d: d.update(reference="X"), "not all pairs are of the reference 'X'"),
    "not of the reference": (
        lambda d: d.update(reference="C"),
        "not all pairs are of the reference 'C'",
    ),
    "skipped": (lambda d: d.update(skipped=[["A", "B", 7]]), "two algorithms are compared twice"),
    "other method": (
        lambda d: d.update(method="glrt", options={}),
        r"comparisons\[0\]: it is not of two algorithms by 'glrt'",
    ),
    "list": (lambda d: d.update(comparisons=3), "comparisons is 3: it must be a list"),
}


@pytest.mark.parametrize("name", BAD)
def test_impossible_files_are_refused(name: str, saved: Path) -> None:
    change, message = BAD[name]
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    with pytest.raises(bc.BayescompareError, match=message) as error:
        bc.load_pairwise(saved)
    assert str(saved) in str(error.value)


def test_other_files_are_refused(pairs: bc.Pairwise, saved: Path, tmp_path: Path) -> None:
    with pytest.raises(bc.BayescompareError, match=r"read it by load_pairwise\(\)"):
        bc.load_comparison(saved)
    one = tmp_path / "c.json"
    pairs[0].to_json(one)
    with pytest.raises(bc.BayescompareError, match=r"read it by load_comparison\(\)"):
        bc.load_pairwise(one)
    saved.write_text(saved.read_text()[:-20])
    with pytest.raises(bc.BayescompareError, match="JSONDecodeError"):
        bc.load_pairwise(saved)
    with pytest.raises(bc.BayescompareError, match="no such file"):
        bc.load_pairwise(tmp_path / "absent.json")
