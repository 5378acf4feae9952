"""HELM: runs that HELM itself wrote, and files that are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import io
from bayescompare.io import read_helm
from tests.readers.written import DATA

SUITE = DATA / "helm"
ONE = "simple_mcqa-small"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(SUITE, tmp_path / "suite"))


def test_a_suite() -> None:
    results = read_helm(SUITE, measures=["exact_match", "inference_runtime"])
    assert results.datasets == ("simple_classification", "simple_mcqa:data_augmentation=lower")
    assert results.algorithms == ("toy/large", "toy/small")
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    stats = json.loads((SUITE / ONE / "stats.json").read_text())
    (mean,) = [
        stat["mean"] for stat in stats if stat["name"] == {"name": "exact_match", "split": "test"}
    ]
    assert results.values()[1, 1, 0] == mean
    assert results.source == str(SUITE)


def test_a_perturbation() -> None:
    plain = read_helm(SUITE, measures=["exact_match"])
    worst = read_helm(SUITE, measures=["exact_match"], perturbation="robustness")
    assert (worst.values() <= plain.values()).all()
    assert (worst.values() < plain.values()).any()


def test_a_measure_of_some_scenarios_only() -> None:
    results = read_helm(SUITE, measures=["classification_macro_f1", "exact_match"])
    assert results.missing()["dataset"].unique().tolist() == ["simple_mcqa:data_augmentation=lower"]


def test_the_direction_is_that_of_the_schema(suite: Path) -> None:
    schema = json.loads((suite / "schema.json").read_text())
    for metric in schema["metrics"]:
        if metric["name"] in ("exact_match", "batch_size"):
            metric["lower_is_better"] = True
    (suite / "schema.json").write_text(json.dumps(schema))
    results = read_helm(suite, measures=["exact_match", "batch_size"])
    assert [results[name].direction for name in results.measures] == ["min", "min"]


def test_a_suite_without_a_schema(suite: Path) -> None:
    (suite / "schema.json").unlink()
    assert read_helm(suite, measures=["exact_match"])["exact_match"].direction == "max"
    with pytest.raises(bc.BayescompareError, match=r"measures={'batch_size': 'max'}"):
        read_helm(suite, measures=["batch_size"])
    assert read_helm(suite, measures={"batch_size": "min"})["batch_size"].direction == "min"


def test_runs_by_themselves_and_by_name() -> None:
    runs = {"small": SUITE / ONE, "large": SUITE / "simple_mcqa-large" / "stats.json"}
    results = read_helm(runs, measures=["exact_match"])
    assert results.algorithms == ("small", "large")


def test_measures_must_be_named() -> None:
    with pytest.raises(
        bc.BayescompareError, match=r"as in measures=\['classification_macro_f1'\]; choose from"
    ):
        read_helm(SUITE)
    with pytest.raises(bc.BayescompareError, match="Did you mean 'exact_match'"):
        read_helm(SUITE, measures=["exact_matsch"])
    # Counted on nothing: HELM writes no mean.
    with pytest.raises(bc.BayescompareError, match="no measure called 'training_co2_cost'"):
        read_helm(SUITE, measures=["training_co2_cost"])


def test_a_split_that_is_not_there() -> None:
    with pytest.raises(
        bc.BayescompareError, match=r"split='valid'.* the splits 'test' and the per"
    ):
        read_helm(SUITE, measures=["exact_match"], split="valid")
    with pytest.raises(bc.BayescompareError, match=r"'robustness', 'fairness'"):
        read_helm(SUITE, measures=["exact_match"], perturbation="typos")


def test_one_run_twice(suite: Path) -> None:
    shutil.copytree(suite / ONE, suite / "again")
    with pytest.raises(bc.BayescompareError, match=r"both have 'simple_mcqa.*' by 'toy/small'"):
        read_helm(suite, measures=["exact_match"])


def test_a_deployment_stands_in_for_a_model(suite: Path) -> None:
    file = suite / ONE / "run_spec.json"
    spec = json.loads(file.read_text())
    del spec["adapter_spec"]["model"]
    file.write_text(json.dumps(spec | {"name": "mmlu:subject=x,model_deployment=a,model=b"}))
    results = read_helm(suite / ONE, measures=["exact_match"])
    assert (results.datasets, results.algorithms) == (("mmlu:subject=x",), ("toy/small",))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("stats.json", "", "the file is empty"),
        ("stats.json", "{", "malformed JSON"),
        ("stats.json", "{}", "not HELM's stats.json"),
        ("stats.json", '[{"name": "exact_match"}]', "not HELM's stats.json"),
        ("stats.json", "[]", "no stat with split='test'"),
        ("run_spec.json", "[]", "not HELM's run_spec.json"),
        ("run_spec.json", '{"name": "x"}', "not HELM's run_spec.json"),
        ("run_spec.json", '{"name": "x", "adapter_spec": {"k": 1}}', "no model in 'adapter_spec'"),
        ("run_spec.json", '{"name": "x", "adapter_spec": {"model": [1]}}', "adapter_spec.model is"),
        (
            "stats.json",
            '[{"name": {"name": "exact_match", "split": "test"}, "mean": "high"}]',
            r"\[0\] \(exact_match\): mean is 'high', not a number",
        ),
        (
            "stats.json",
            '[{"name": {"name": "exact_match", "split": "test"}, "mean": Infinity}]',
            "stats.json: 'exact_match' is infinite",
        ),
        ("../schema.json", "[]", "not HELM's schema.json"),
        (
            "../schema.json",
            '{"metrics": [{"name": "exact_match", "lower_is_better": "no"}]}',
            r"metrics\[0\].lower_is_better is 'no', not true or false",
        ),
        (
            "../schema.json",
            '{"metrics": [{"name": "a", "lower_is_better": true},'
            ' {"name": "a", "lower_is_better": false}]}',
            "'a' occurs twice, with both directions",
        ),
    ],
)
def test_what_helm_did_not_write(suite: Path, name: str, content: str, message: str) -> None:
    (suite / ONE / name).write_text(content)
    with pytest.raises(bc.BayescompareError, match=message) as caught:
        read_helm(suite, measures=["exact_match"])
    assert Path(name).name in str(caught.value)


def changed(file: Path, change: Callable[[list[Any]], object]) -> None:
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


def test_a_stat_twice(suite: Path) -> None:
    name = {"name": "exact_match", "split": "test"}
    changed(suite / ONE / "stats.json", lambda stats: stats.append({"name": name, "mean": 0.123}))
    with pytest.raises(bc.BayescompareError, match="'exact_match' occurs twice"):
        read_helm(suite, measures=["exact_match"])


def test_a_run_without_its_spec(suite: Path) -> None:
    (suite / ONE / "run_spec.json").unlink()
    with pytest.raises(bc.BayescompareError, match=r"run_spec.json: no such file"):
        read_helm(suite, measures=["exact_match"])


def test_a_run_without_its_stats_is_told(suite: Path) -> None:
    (suite / ONE / "stats.json").unlink()
    results = read_helm(suite, measures=["exact_match"])
    assert results.notes == (f"1 run without stats.json: {ONE}",)


def test_two_suites_that_disagree_on_a_direction(suite: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(suite, tmp_path / "other"))
    schema = (other / "schema.json").read_text()
    (other / "schema.json").write_text(schema.replace("false", "true"))
    paths = {"first": suite / ONE, "second": other / ONE}
    with pytest.raises(bc.BayescompareError, match="not known which way 'exact_match' is better"):
        read_helm(paths, measures=["exact_match"])


def test_helm_does_not_call_a_single_nan_two_values(tmp_path):
    for model, mean in (("a", 0.5), ("b", float("nan"))):
        (tmp_path / model).mkdir()
        spec = {"name": f"boolq:model={model}", "adapter_spec": {"model": model}}
        stat = {"name": {"name": "exact_match", "split": "test"}, "mean": mean}
        (tmp_path / model / "run_spec.json").write_text(json.dumps(spec))
        (tmp_path / model / "stats.json").write_text(json.dumps([stat]))
    try:
        told = (
            f"{np.isnan(io.read_helm(tmp_path, measures=['exact_match']).values()).sum()} missing"
        )
    except bc.BayescompareError as error:
        told = str(error)
    assert "twice" not in told
