"""What datasets belong to: readers say it where the format does, and only words use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayescompare as bc

SUBJECTS = [f"mmlu_{name}" for name in ("anatomy", "logic", "law", "virology", "history", "ethics")]


def lm_eval(folder: Path) -> bc.Results:
    """Six subjects in two groups of MMLU, and two other tasks."""
    for model, better in (("small", 0.0), ("large", 0.05)):
        tasks = [*SUBJECTS, "arc", "piqa"]
        entry = {
            "results": {task: {"acc,none": 0.4 + k / 50 + better} for k, task in enumerate(tasks)},
            "group_subtasks": {
                "mmlu": ["mmlu_stem", "mmlu_other"],
                "mmlu_stem": SUBJECTS[:3],
                "mmlu_other": SUBJECTS[3:],
                "arc": [],
            },
            "higher_is_better": {task: {"acc": True} for task in tasks},
            "model_name": model,
        }
        (folder / f"results_{model}.json").write_text(json.dumps(entry))
    return bc.read(folder)


def helm(folder: Path) -> bc.Results:
    """Six scenarios of MMLU, and two others."""
    runs = [*(f"mmlu:subject={name}" for name in SUBJECTS), "boolq", "imdb"]
    for model in ("a", "b"):
        for k, run in enumerate(runs):
            own = folder / f"{k}-{model}"
            own.mkdir()
            spec = {"name": f"{run}{',' if ':' in run else ':'}model={model}"}
            spec["adapter_spec"] = {"model": model}  # type: ignore[assignment]
            (own / "run_spec.json").write_text(json.dumps(spec))
            stat = {"name": {"name": "em", "split": "test"}, "count": 1, "mean": 0.1 * k}
            (own / "stats.json").write_text(json.dumps([stat]))
    return bc.io.read_helm(folder, measures={"em": "max"})


def test_types_of_mteb_tasks_are_told_by_their_names(tmp_path: Path) -> None:
    tasks = [f"{name}Retrieval" for name in ("Legal", "CQA", "Touche", "Sci", "Arguana")]
    tasks += ["STS12", "Banking77Classification", "Tatoeba"]
    for model in ("a", "b"):
        for k, name in enumerate(tasks):
            own = tmp_path / model / "1" / f"{name}.json"
            own.parent.mkdir(parents=True, exist_ok=True)
            scores = {"test": [{"hf_subset": "default", "main_score": 0.1 * k}]}
            task = {"task_name": name, "mteb_version": "2", "dataset_revision": "1"}
            own.write_text(json.dumps(task | {"scores": scores}))
    c = bc.compare(bc.read(tmp_path))
    assert c.results.benchmark_of is not None
    assert c.results.benchmark_of["STS12"] == "STS"
    assert "Tatoeba" not in c.results.benchmark_of
    assert "5 of 8 datasets belong to one benchmark, Retrieval." in c.caveats


@pytest.mark.parametrize("read", [lm_eval, helm])
def test_a_reader_knows_what_datasets_belong_to(read: object, tmp_path: Path) -> None:
    results: bc.Results = read(tmp_path)  # type: ignore[operator]
    assert results.benchmark_of is not None
    assert set(results.benchmark_of.values()) - {"boolq", "imdb"} == {"mmlu"}
    assert results.groups is None  # which would change the model
    c = bc.compare(results)
    said = "6 of 8 datasets belong to one benchmark, mmlu."
    assert said in c.caveats
    c.to_json(tmp_path / "c.json")
    assert said in bc.load_comparison(tmp_path / "c.json").caveats
    again = bc.Results.from_dataset(results.to_dataset())
    assert again.benchmark_of == results.benchmark_of
    assert bc.compare(results.sel(datasets=results.datasets[4:])).caveats == ()
