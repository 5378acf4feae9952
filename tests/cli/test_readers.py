"""Other tools' files on the command line: recognised, or by ``--format``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.io import read_helm, read_lm_eval, read_weka
from tests.io.tools.written import DATA

WEKA = DATA / "weka" / "experiment.arff"


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, result.stdout, result.stderr


def run_json(*arguments: object) -> Any:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_lm_eval() -> None:
    path = DATA / "lm_eval"
    found = run_json("compare", path, "--format", "lm-eval", "--measure", "acc")
    asked = bc.compare(read_lm_eval(path, measures=["acc"]))
    assert found == json.loads(asked.to_json())


def test_the_format_is_recognised_and_said() -> None:
    code, out, err = run("compare", WEKA, "--algorithms", "NaiveBayes,IBk", "--json")
    assert (code, err) == (0, "read as an experiment of Weka (--format weka)\n")
    asked = bc.compare(bc.read(WEKA), algorithms=["NaiveBayes", "IBk"])
    assert json.loads(out) == json.loads(asked.to_json())


def test_weka_knows_what_to_read() -> None:
    found = run_json("compare", WEKA, "--format", "weka", "--algorithms", "NaiveBayes,IBk")
    asked = bc.compare(read_weka(WEKA), algorithms=["NaiveBayes", "IBk"])
    assert found == json.loads(asked.to_json())
    code, out, err = run("pairwise", WEKA, "--format", "weka", "--jobs", 1, "--no-progress")
    assert code == 0, err
    assert "NaiveBayes" in out


def test_helm_with_directions() -> None:
    measures = ("--measure", "exact_match:max:rope=0.01", "--measure", "inference_runtime:min")
    found = run_json("compare", DATA / "helm", "--format", "helm", *measures)
    spec: Any = {"exact_match": bc.Measure("max", rope=0.01), "inference_runtime": "min"}
    asked = bc.compare(read_helm(DATA / "helm", measures=spec))
    assert found["best"] == asked.best


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (WEKA, "--format", "wekka"),
            "must be one of csv, tsv, json, jsonl, parquet, xlsx, lm-eval, lm-eval-items, inspect",
        ),
        ((WEKA, "--format", "wekka"), "Did you mean 'weka'"),
        ((WEKA, "--format", "weka", "--layout", "long"), "--layout is about tables"),
        ((WEKA, "--format", "weka", "--dataset-column", "x"), "--dataset-column is about tables"),
        ((WEKA, "--format", "weka", "--errors", "a,b"), "--errors is about tables"),
        ((WEKA, "--format", "weka", "--measure", "measureTreeSize"), "is better: use --measure"),
        (
            (DATA / "helm", "--format", "helm"),
            "--measure: name the measures to read, as in --measure",
        ),
        ((Path("absent"), "--format", "lm-eval"), "no such file or directory"),
        (("--example", "pnn", "--format", "weka"), "--format is about FILE"),
    ],
)
def test_one_line_for_what_is_wrong(arguments: tuple[object, ...], message: str) -> None:
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
