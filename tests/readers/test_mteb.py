"""MTEB: a folder of results as MTEB 1.11 to 2 writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.io import read_mteb

type Change = Callable[[dict[str, Any]], object]


def task(name: str, *scores: float) -> dict[str, Any]:
    entries = [
        {
            "hf_subset": subset,
            "languages": [f"{subset}-Latn"],
            "main_score": score,
            "cosine_spearman": score,
            "perplexity": 3.0,
        }
        for subset, score in zip(("default", "deu", "fra"), scores, strict=False)
    ]
    return {
        "dataset_revision": "a0d554a64d88156834ff5ae9920b964011b16384",
        "task_name": name,
        "mteb_version": "2.1.0",
        "scores": {"test": entries},
        "evaluation_time": 4.5,
        "kg_co2_emissions": None,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for model, better in (("toy__small", 0.0), ("toy__large", 0.1)):
        run = tmp_path / "results" / model / "e8c3b32"
        run.mkdir(parents=True)
        (run / "STS12.json").write_text(json.dumps(task("STS12", 0.5 + better)))
        (run / "Massive.json").write_text(json.dumps(task("Massive", 0.4 + better, 0.6 + better)))
    # The other model's name is that of its folder.
    meta = {"name": "toy/Small-v1", "revision": "e8c3b32"}
    (tmp_path / "results" / "toy__small" / "e8c3b32" / "model_meta.json").write_text(
        json.dumps(meta)
    )
    return tmp_path / "results"


def changed(folder: Path, change: Change, model: str = "toy__small") -> Path:
    file = folder / model / "e8c3b32" / "STS12.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    return folder


def test_tasks_and_models(folder: Path) -> None:
    results = read_mteb(folder)
    assert results.algorithms == ("toy/large", "toy/Small-v1")
    assert results.datasets == ("Massive", "STS12")
    assert results["main_score"].direction == "max"
    assert results.values()[..., 0].ravel().tolist() == pytest.approx([0.6, 0.5, 0.6, 0.5])


def test_subsets_as_datasets_of_a_group(folder: Path) -> None:
    results = read_mteb(folder, subsets=True)
    assert results.datasets == ("Massive", "Massive (deu)", "STS12")
    assert results.groups == ("Massive", "Massive", "STS12")


def test_other_scores_and_the_time(folder: Path) -> None:
    results = read_mteb(folder, measures=["cosine_spearman", "evaluation_time"])
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    assert results["evaluation_time"].unit == "s"
    with pytest.raises(bc.BayescompareError, match="not known which way 'perplexity' is better"):
        read_mteb(folder, measures=["perplexity"])


def test_revisions_are_told_apart(folder: Path) -> None:
    run = folder / "toy__large" / "ffff000"
    run.mkdir()
    (run / "STS12.json").write_text(json.dumps(task("STS12", 0.9)))
    names = read_mteb(folder).algorithms
    assert set(names) == {"toy/large (e8c3b32)", "toy/large (ffff000)", "toy/Small-v1"}


def test_splits(folder: Path) -> None:
    both = changed(folder, lambda d: d["scores"].update(dev=[{"main_score": 0.9}]))
    with pytest.raises(
        bc.BayescompareError, match=r"large.*: lacks 'default' of split 'dev', which .*small.* has"
    ):
        read_mteb(both)
    with pytest.raises(bc.BayescompareError, match=r"things: choose a split by split=\.$"):
        read_mteb(both, subsets=True)
    changed(folder, lambda d: d["scores"].update(dev=[{"main_score": 0.9}]), "toy__large")
    results = read_mteb(both)
    assert float(results.data["main_score"].sel(dataset="STS12")[1]) == pytest.approx(0.7)
    results = read_mteb(both, split="test")
    assert float(results.data["main_score"].sel(dataset="STS12")[1]) == pytest.approx(0.5)
    with pytest.raises(bc.BayescompareError, match="split='train': there are the splits 'test'"):
        read_mteb(both, split="train")


def test_a_subset_that_one_model_lacks(folder: Path) -> None:
    file = folder / "toy__small" / "e8c3b32" / "Massive.json"
    file.write_text(json.dumps(task("Massive", 0.4)))
    with pytest.raises(
        bc.BayescompareError, match=r"lacks 'deu' of split 'test'.* subsets=True\.$"
    ):
        read_mteb(folder)
    assert len(read_mteb(folder, subsets=True).missing()) == 1
    # The time is that of the task, whatever its parts.
    assert read_mteb(folder, measures=["evaluation_time"]).missing().empty


def test_data_of_different_revisions_are_noted(folder: Path) -> None:
    read = read_mteb(changed(folder, lambda d: d.update(dataset_revision="0ld")))
    assert read.notes == ("the models ran STS12 on different revisions of the data",)


def test_two_files_of_one_task(folder: Path) -> None:
    run = folder / "toy__large" / "e8c3b32"
    (run / "copy.json").write_text((run / "STS12.json").read_text())
    with pytest.raises(bc.BayescompareError, match=r"STS12.json and .*copy.json|both have 'STS12'"):
        read_mteb(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("scores"), r"STS12.json: not a result of MTEB"),
        (lambda d: d["scores"].update(test={}), "scores.test is not a list of objects"),
        (
            lambda d: d["scores"]["test"][0].update(main_score="high"),
            r"scores.test\[0\] \(default\) has no number as main_score",
        ),
        (lambda d: d["scores"].update(test=[]), "STS12.json: scores.test is empty"),
        (lambda d: d.update(task_name=["x"]), r"task_name is \['x'\], not a name"),
        (lambda d: d.update(task_name="\ud800"), "task_name is .*, not a name"),
        (lambda d: d.update(evaluation_time="long"), "evaluation_time is 'long', not a number"),
        (
            lambda d: d["scores"]["test"][0].update(hf_subset=None),
            r"scores.test\[0\].hf_subset is None, not a name",
        ),
        (
            lambda d: d["scores"]["test"][0].update(main_score=1e999),
            "STS12.json: 'main_score' is infinite",
        ),
        (
            lambda d: d["scores"]["test"].append(d["scores"]["test"][0]),
            "scores.test: the subset 'default' occurs twice",
        ),
    ],
)
def test_one_line_for_what_is_wrong(folder: Path, change: Change, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        read_mteb(changed(folder, change))
