"""Every Eval Ever: files of its schema 0.3, and its files of samples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_every_eval

type Change = Callable[[dict[str, Any]], object]


def entry(name: str, metric: str, score: float, **config: Any) -> dict[str, Any]:
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name, "source_type": "other"},
        "metric_config": {
            "metric_name": metric,
            "lower_is_better": metric == "ece",
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            **config,
        },
        "score_details": {"score": score},
    }


def log(model: str, better: float) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"toy/{model}/1706000000",
        "retrieved_timestamp": "1706000000",
        "source_metadata": {"source_type": "evaluation_run", "evaluator_relationship": "other"},
        "eval_library": {"name": "inspect_ai", "version": "0.3"},
        "model_info": {"name": model, "id": f"toy/{model}"},
        "evaluation_results": [
            entry("gsm8k", "accuracy", 0.5 + better),
            entry("gsm8k", "ece", 0.2 - better),
            entry("mmlu", "accuracy", 0.6 + better),
        ],
    }


def sample(model: str, number: int, right: bool) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"toy/{model}/1706000000",
        "model_id": f"toy/{model}",
        "evaluation_name": "gsm8k",
        "sample_id": f"gsm8k_{number}",
        "interaction_type": "single_turn",
        "input": {"raw": "1+1?", "reference": ["2"]},
        "answer_attribution": [],
        "evaluation": {"score": float(right), "is_correct": right},
        "token_usage": {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8},
        "performance": {"latency_ms": 30.5},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for model, better, rights in (("small", 0.0, "100"), ("large", 0.1, "110")):
        (tmp_path / model).mkdir()
        (tmp_path / model / "1.json").write_text(json.dumps(log(model, better)))
        lines = [json.dumps(sample(model, k, right == "1")) for k, right in enumerate(rights)]
        (tmp_path / model / "1_samples.jsonl").write_text("\n".join(lines))
    return tmp_path


def test_evaluations_and_models(folder: Path) -> None:
    results = read_every_eval(folder)
    assert results.algorithms == ("toy/large", "toy/small")
    assert results.datasets == ("gsm8k", "mmlu")
    assert results.measures == ("accuracy",)
    assert (results["accuracy"].direction, results["accuracy"].bounds) == ("max", (0.0, 1.0))
    assert results.values()[..., 0].ravel().tolist() == pytest.approx([0.6, 0.5, 0.7, 0.6])


def test_bounds_that_differ_are_left_out(folder: Path) -> None:
    changed(folder, lambda d: d["evaluation_results"].append(percent()))
    assert read_every_eval(folder)["accuracy"].bounds is None


def percent() -> dict[str, Any]:
    return entry("arc", "accuracy", 61.0, max_score=100.0)


def test_samples_are_items(folder: Path) -> None:
    results = read_every_eval(folder, samples=True)
    assert (results.replicates, results.measures) == ("items", ("is_correct",))
    np.testing.assert_array_equal(results.data["is_correct"].values[0], [[1, 1, 0], [1, 0, 0]])
    costs = read_every_eval(folder, samples=True, measures=["tokens", "latency_ms"])
    assert [costs[name].direction for name in costs.measures] == ["min", "min"]


def test_samples_with_an_error_are_counted(folder: Path) -> None:
    file = folder / "small" / "1_samples.jsonl"
    first, *rest = file.read_text().split("\n")
    file.write_text("\n".join([json.dumps(json.loads(first) | {"error": "timeout"}), *rest]))
    results = read_every_eval(folder, samples=True)
    assert results.notes == ("1 sample with an error, without a score",)


def changed(folder: Path, change: Change) -> None:
    file = folder / "small" / "1.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("evaluation_results"), r"1.json: not a file of Every Eval Ever"),
        (lambda d: d.update(evaluation_results=[]), "evaluation_results is empty"),
        (lambda d: d.update(schema_version="2.0"), "schema_version is '2.0', not 0.x"),
        (lambda d: d.pop("model_info"), "model_info.id is missing"),
        (
            lambda d: d["evaluation_results"][1]["score_details"].update(score="high"),
            r"evaluation_results\[1\].score_details.score is 'high', not a number",
        ),
        (
            lambda d: d["evaluation_results"][0]["metric_config"].pop("lower_is_better"),
            r"evaluation_results\[0\] has no metric_config.lower_is_better",
        ),
        (lambda d: d.update(model_info=[1]), r"model_info is \[1\], not an object"),
        (lambda d: d["model_info"].update(id=["x"]), r"model_info.id is \['x'\], not a name"),
        (
            lambda d: d["evaluation_results"][0].update(evaluation_name={"a": 1}),
            r"evaluation_results\[0\].evaluation_name is {'a': 1}, not a name",
        ),
        (
            lambda d: d["evaluation_results"][0]["score_details"].update(score=1e999),
            r"1.json: evaluation_results\[0\].score_details.score is infinite",
        ),
        (
            lambda d: d["evaluation_results"][0]["score_details"].update(score=7),
            r"1.json: cells outside bounds=\(0.0, 1.0\) of 'accuracy'",
        ),
        (
            lambda d: d["evaluation_results"][0]["metric_config"].update(min_score="0"),
            r"evaluation_results\[0\].metric_config.min_score is '0', not a number",
        ),
        (
            lambda d: d["evaluation_results"][0]["metric_config"].update(min_score=2),
            r"min_score 2.0 is not below max_score 1.0",
        ),
        (
            lambda d: d["evaluation_results"][0]["metric_config"].update(max_score=100),
            r"the accuracy on 'gsm8k' is within \(0.0, 1.0\) in .*, .*\[0\] and within \(0.0, 100",
        ),
        (
            lambda d: d["evaluation_results"].append(d["evaluation_results"][0]),
            r"evaluation_results\[0\] and .*\[3\] both have the accuracy of 'toy/small'",
        ),
        (
            lambda d: d["evaluation_results"].append(entry("arc", "f1", 0.5)),
            "no metric is common to all evaluations",
        ),
    ],
)
def test_one_line_for_what_is_wrong(folder: Path, change: Change, message: str) -> None:
    changed(folder, change)
    with pytest.raises(bc.BayescompareError, match=message):
        read_every_eval(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('{"evaluation_id"', "malformed JSON in line 1"),
        ('{"doc_id": 3}', "line 1 has no 'evaluation_id'"),
        (
            json.dumps(sample("x", 1, True) | {"model_id": None}),
            "line 1: model_id is missing: name the model",
        ),
        (
            json.dumps(sample("x", 1, True) | {"token_usage": [1]}),
            r"1_samples.jsonl: line 1: token_usage is \[1\], not an object",
        ),
        (
            json.dumps(sample("x", 1, True) | {"performance": {"latency_ms": "quick"}}),
            "line 1: performance.latency_ms is 'quick', not a number",
        ),
        (
            json.dumps(sample("x", 1, True) | {"sample_id": []}),
            r"line 1: sample_id is \[\], not a name",
        ),
        (
            json.dumps(sample("x", 1, True)).replace('"score": 1.0', '"score": "A"'),
            "line 1: evaluation.score is 'A'",
        ),
        (
            json.dumps(sample("x", 1, True)).replace('"is_correct": true', '"is_correct": 1'),
            "line 1: evaluation.is_correct is 1, not true",
        ),
        (f"{json.dumps(sample('x', 1, True))}\n" * 2, r"jsonl: line 1 and line 2 are both item"),
    ],
)
def test_samples_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "1_samples.jsonl"
    path.write_text(text)
    with pytest.raises(bc.BayescompareError, match=message):
        read_every_eval(path, samples=True)
