"""Other tools' files on the command line: recognised, or by ``--format``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pymc.exceptions import SamplingError
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.io import read_helm, read_lm_eval, read_weka
from tests.readers.written import DATA

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
            "must be one of csv, tsv, json, jsonl, parquet, xlsx, aeon, amlb, every-eval-ever, fev",
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
        (("--example", "pnn", "--reader", "split=test"), "--reader is about FILE"),
        (
            (WEKA, "--format", "weka", "--reader", "split=test"),
            "--reader split=test: --format weka has no such option (it has none).",
        ),
        (
            (
                DATA / "helm",
                "--format",
                "helm",
                "--measure",
                "exact_match",
                "--reader",
                "split=dev",
            ),
            "no stat with --reader split=dev without a perturbation: there are the splits 'test'",
        ),
        (
            (DATA / "lm_eval", "--format", "lm-eval", "--reader", "groups=yes"),
            "--reader groups=yes: write --reader groups=true or false.",
        ),
        (
            (DATA / "lm_eval", "--format", "lm-eval-items"),
            "the answers have the filters 'strict-match', 'flexible-extract': choose one by "
            "--reader filter=.",
        ),
        (
            (DATA / "mlflow_runs.csv", "--measure", "a:max", "--reader", "split=test"),
            "--reader split=test is about what another tool wrote, and FILE is taken for a table",
        ),
    ],
)
def test_one_line_for_what_is_wrong(arguments: tuple[object, ...], message: str) -> None:
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


# ------------------------------------------------------------ the repository of MTEB's results


def write_mteb(file: Path, split: str, **scores: float) -> None:
    """Write a task as MTEB does, with a score for each subset."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = json.loads(file.read_text()) if file.exists() else {"scores": {}}
    data |= {"task_name": file.stem, "mteb_version": "1.38.0", "dataset_revision": "1"}
    entries = [{"hf_subset": name, "main_score": score} for name, score in scores.items()]
    data["scores"][split] = entries
    file.write_text(json.dumps(data))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Models that were run on different splits and subsets, and tasks in several forms."""
    results = tmp_path / "results"
    for model, better in (("toy__a", 0.1), ("toy__b", 0.0)):
        run = results / model / ("0" * 40)
        for task, score in (("Massive", 0.5), ("Tatoeba", 0.4), ("Flores", 0.3)):
            write_mteb(run / f"{task}.json", "test", deu=score + better, fra=score - 0.1 + better)
        write_mteb(run / "Bengali.json", "train", default=0.5 + better)
        (run / "model_meta.json").write_text(json.dumps({"name": model.replace("__", "/")}))
    first, second = results / "toy__a" / ("0" * 40), results / "toy__b" / ("0" * 40)
    write_mteb(first / "Massive.json", "validation", deu=0.5)
    write_mteb(first / "Tatoeba.json", "test", deu=0.5, fra=0.4, ita=0.6)
    # Newer files may have the name under which older ones had it.
    named = json.loads((first / "Flores.json").read_text()) | {"mteb_dataset_name": "Flores"}
    (first / "Flores.json").write_text(json.dumps(named))
    old = {"mteb_dataset_name": "Scala", "mteb_version": "1.0.3", "dataset_revision": "1"}
    for run, score in ((first, 0.55), (second, 0.45)):
        scores = {"accuracy": score, "main_score": score, "evaluation_time": 1.0}
        (run / "Scala.json").write_text(json.dumps(old | {"test": scores}))
    return results


@pytest.mark.parametrize("command", ["compare", "pairwise", "rank"])
@pytest.mark.parametrize("format", [(), ("--format", "mteb")])
def test_what_errors_tell_to_do_can_be_done(
    command: str, format: tuple[str, ...], repository: Path
) -> None:
    asked = (command, repository, *format)
    err = run(*asked)[2]
    assert "choose a split by --reader split=, or use --reader subsets=true" in err
    err = run(*asked, "--reader", "subsets=true")[2]
    assert "are of different things: choose a split by --reader split=" in err
    asked = (*asked, "--reader", "split=test")
    err = run(*asked)[2]
    assert "are of different things: use --reader subsets=true" in err
    asked = (*asked, "--reader", "subsets=true", "--reader", "domains=false")
    err = run(*asked)[2]
    assert "1 missing cell: main_score of 'toy/b' on 'Tatoeba (ita)'" in err
    assert "--missing drop" in err
    code, out, err = run(*asked, "--missing", "drop")
    assert code == 0, err
    assert "toy/a" in out
    assert "NUTS" not in err


def test_the_repository_is_read_as_in_python(repository: Path) -> None:
    typed = ("--reader", "split=test", "--reader", "subsets=true", "--reader", "domains=false")
    found = run_json("compare", repository, *typed, "--missing", "drop", "--format", "mteb")
    results = bc.read(repository, format="mteb", split="test", subsets=True, domains=False)
    assert "2 files without the split 'test' left out" in results.notes
    assert found == json.loads(bc.compare(results, missing="drop").to_json())
    assert results.groups is None


@pytest.mark.parametrize("flag", [(), ("--no-progress",)])
@pytest.mark.parametrize("command", ["compare", "pairwise"])
def test_nuts_does_not_start_without_a_word(
    command: str, flag: tuple[str, ...], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sample(*_: object, **__: object) -> None:
        raise SamplingError("stopped")

    monkeypatch.setattr("pymc.sample", sample)
    typed = ("--reader", "split=test", "--reader", "subsets=true", "--missing", "drop")
    code, _, err = run(command, repository, *typed, *flag)
    said, sampled, stopped = err.splitlines()
    assert (code, said) == (2, "read as results of MTEB (--format mteb)")
    assert "sampled by NUTS" in sampled
    assert "--reader domains=false" in sampled
    assert "NUTS cannot start" in stopped
