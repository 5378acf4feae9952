"""Damaged files of every tool: each is read, or refused in one line that names the file.

What the refusals say is tested beside each reader; here it is that nothing else is ever raised.
"""

from __future__ import annotations

import json
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io
from tests.cases import few_quick
from tests.readers import (
    mutants,
    test_amlb,
    test_every_eval_ever,
    test_fev,
    test_inspect,
    test_mteb,
    test_tabarena,
)
from tests.readers.written import DATA

type Mutants = Callable[[bytes], Iterator[mutants.Mutant]]

#: Fields of logs that no reader looks at.
UNREAD = ("config", "pretty_env", "plan", "stats", "messages", "metadata", "source_data", "prompt")
UNREAD += ("input", "output", "target", "arguments", "resps", "doc.", "response", "explanation")
UNREAD += ("sha", "time", "hash", "languages", "git", "revision", "max_length", "events", "params")
UNREAD += ("task_hashes", "n-", "group_subtasks.", "system", "chat", "fewshot", "model_")
UNREAD += ("lm_eval_version", "transformers", "eot", "bos", "upper_git", "date", "alias", "stderr")
UNREAD += ("adapter_spec.", "scenario_spec.", "metric_specs", "versions", "x.", "testCase", "id.")


def of_json(raw: bytes) -> Iterator[mutants.Mutant]:
    yield from mutants.of_json(json.loads(raw), UNREAD)
    yield from mutants.of_bytes(raw)


def of_lines(raw: bytes) -> Iterator[mutants.Mutant]:
    yield from mutants.of_lines(raw, UNREAD)
    yield from mutants.of_bytes(raw)


def of_table(raw: bytes) -> Iterator[mutants.Mutant]:
    yield from mutants.of_cells(raw)
    yield from mutants.of_bytes(raw)


@dataclass(frozen=True)
class Door:
    """A reader, what it reads, and how one of the files is damaged."""

    make: Callable[[Path], object]
    file: str
    read: Callable[[Path], object]
    damage: Mutants


def copied(*names: str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        for name in names:
            source = DATA / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / source.name)

    return make


def mteb(folder: Path) -> None:
    for model, score in (("toy__small", 0.5), ("toy__large", 0.6)):
        run = folder / model / "e8c3b32"
        run.mkdir(parents=True)
        (run / "Massive.json").write_text(json.dumps(test_mteb.task("Massive", score, score)))
        (run / "model_meta.json").write_text(json.dumps({"name": model, "revision": "e8c3b32"}))


def every_eval(folder: Path) -> None:
    for model, better in (("small", 0.0), ("large", 0.1)):
        log, rows = test_every_eval_ever.log(model, better), range(3)
        lines = [json.dumps(test_every_eval_ever.sample(model, k, k == 1)) for k in rows]
        (folder / f"{model}.json").write_text(json.dumps(log))
        (folder / f"{model}_samples.jsonl").write_text("\n".join(lines))


def archive(folder: Path) -> None:
    log = inspect_log()
    with zipfile.ZipFile(folder / "sums.eval", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("summaries.json", json.dumps(log.pop("samples")))
        file.writestr("header.json", json.dumps(log))


def inspect_log() -> dict[str, Any]:
    scores = [{"name": "match", "metrics": {"accuracy": {"value": 0.5}}}]
    return test_inspect.log("small", "CI", results={"scores": scores})


LM_EVAL = "lm_eval/toy__small/results_2026-11-16T08-44-59.275634.json"
SAMPLES = "lm_eval/toy__small/samples_toy_sums_2026-11-16T08-44-59.275634.jsonl"


def samples(folder: Path) -> list[Path]:
    return sorted(folder.rglob("samples_toy_sums*"))


DOORS = {
    "inspect": Door(
        lambda folder: (folder / "a.json").write_text(json.dumps(inspect_log())),
        "a.json",
        lambda folder: io.read_inspect(folder, measures=["score", "tokens", "time"]),
        of_json,
    ),
    "inspect archive": Door(archive, "sums.eval", io.read_inspect, mutants.of_bytes),
    "Every Eval Ever": Door(every_eval, "small.json", io.read_every_eval, of_json),
    "its samples": Door(
        every_eval,
        "small_samples.jsonl",
        lambda folder: io.read_every_eval(folder, samples=True, measures=["tokens", "is_correct"]),
        of_lines,
    ),
    "AutoML benchmark": Door(
        lambda folder: test_amlb.written(folder),
        "results.csv",
        lambda folder: io.read_amlb(folder, measures=["result", "duration"]),
        of_table,
    ),
    "MTEB": Door(
        mteb,
        "toy__small/e8c3b32/Massive.json",
        lambda folder: io.read_mteb(folder, measures=["main_score", "evaluation_time"]),
        of_json,
    ),
    "MTEB's model": Door(mteb, "toy__small/e8c3b32/model_meta.json", io.read_mteb, of_json),
    "promptfoo": Door(
        copied("promptfoo/sums.json"),
        "sums.json",
        lambda folder: io.read_promptfoo(folder, measures=["success", "tokens", "cost"]),
        of_json,
    ),
    "aeon": Door(
        copied("aeon"),
        "aeon/HC2_accuracy.csv",
        lambda folder: io.read_aeon(folder / "aeon" / "HC2_accuracy.csv"),
        of_table,
    ),
    "IOHprofiler": Door(copied("ioh"), "ioh/random/IOHprofiler_f1_Sphere.json", bc.read, of_json),
    "COCO": Door(copied("coco"), "coco/random/bbobexp_f1.info", io.read_ioh, of_table),
    "TabArena": Door(
        lambda folder: test_tabarena.frame().to_csv(folder / "t.csv", index=False),
        "t.csv",
        lambda folder: bc.read(folder / "t.csv", format="tabarena"),
        of_table,
    ),
    "fev": Door(
        lambda folder: pd.DataFrame(test_fev.summaries()).to_csv(folder / "t.csv", index=False),
        "t.csv",
        lambda folder: bc.read(folder / "t.csv", format="fev"),
        of_table,
    ),
    "fev as JSON": Door(
        lambda folder: (folder / "t.json").write_text(json.dumps(test_fev.summaries())),
        "t.json",
        lambda folder: bc.read(folder / "t.json", format="fev"),
        of_json,
    ),
    "lm-eval": Door(
        copied("lm_eval"),
        LM_EVAL,
        lambda folder: io.read_lm_eval(folder, measures=["acc"]),
        of_json,
    ),
    "its items": Door(
        copied("lm_eval"),
        SAMPLES,
        lambda folder: io.read_lm_eval_items(samples(folder), measures=["acc"]),
        of_lines,
    ),
    "its documents": Door(
        copied("lm_eval"),
        SAMPLES,
        lambda folder: io.read_lm_eval_samples(samples(folder), metric="acc"),
        of_lines,
    ),
    "HELM": Door(
        copied("helm"),
        "helm/simple_mcqa-small/stats.json",
        lambda folder: io.read_helm(folder, measures=["exact_match"]),
        of_json,
    ),
    "HELM's run": Door(
        copied("helm"),
        "helm/simple_mcqa-small/run_spec.json",
        lambda folder: io.read_helm(folder, measures=["exact_match"]),
        of_json,
    ),
    "HELM's schema": Door(
        copied("helm"),
        "helm/schema.json",
        lambda folder: io.read_helm(folder, measures=["exact_match"]),
        of_json,
    ),
    "Weka": Door(
        copied("weka/regression.csv"),
        "regression.csv",
        lambda folder: io.read_weka(folder / "regression.csv"),
        of_table,
    ),
}


@pytest.mark.parametrize("name", few_quick(DOORS, 12))
def test_damage_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    door = DOORS[name]
    door.make(tmp_path)
    file = tmp_path / door.file
    whole = file.read_bytes()
    door.read(tmp_path)
    faults: list[str] = []
    refused = 0
    for words, damaged in door.damage(whole):
        file.write_bytes(damaged)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="the .* names .* look the same")
                door.read(tmp_path)
        except bc.BayescompareError as error:
            refused += 1
            # A measure that is not there any more is a fault of the argument.
            named = file.name in str(error) or str(error).startswith("measures:")
            if not named or "\n" in str(error):
                faults.append(f"{words}: {error}")
        except Exception as error:
            faults.append(f"{words}: {type(error).__name__} {error}")
    assert faults == []
    assert refused > 10
