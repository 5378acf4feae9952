"""Evaluation results in model repositories of the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.io import read_hub

MAX: Any = {"value": "max"}

#: As the Hub's documentation shows them: with all attributes, and with those required alone.
WHOLE = """\
# with and without tools
- dataset:
    id: cais/hle
    task_id: default
    revision: abc
  value: 20.90
  date: 2025-01-15T10:30:00Z
  source:
    url: https://huggingface.co/spaces/someone/traces
    name: Eval traces
    user: someone
- dataset:
    id: cais/hle
    task_id: default
  value: 44.9
  notes: With tools
"""
SHORT = """\
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
  value: 0.412
"""


def write(folder: Path, model: str, **files: str) -> Path:
    place = folder / model / ".eval_results"
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / f"{name}.yaml").write_text(text)
    return place


def test_entries_are_cells(tmp_path: Path) -> None:
    write(tmp_path, "large", hle=WHOLE, gpqa=SHORT)
    write(
        tmp_path,
        "models--org--small/snapshots/0123",
        gpqa=SHORT.replace("0.412", "0.3").replace("task_id", "config"),
    )
    results = read_hub(tmp_path, measures=MAX)
    assert results.datasets == ("Idavidrein/gpqa gpqa_diamond", "cais/hle")
    assert results.algorithms == ("large", "large (With tools)", "org/small")
    frame = results.to_frame().set_index(["algorithm", "dataset"])["value"]
    assert frame["large", "cais/hle"] == 20.9
    assert frame["large (With tools)", "cais/hle"] == 44.9
    assert frame["org/small", "Idavidrein/gpqa gpqa_diamond"] == 0.3
    assert results.notes == ("the models ran cais/hle on different revisions of the data",)


def test_it_is_recognised_and_other_yaml_is_not(tmp_path: Path) -> None:
    place = write(tmp_path, "large", gpqa=SHORT)
    results = bc.read(tmp_path, measures=MAX)
    assert results.notes == ("read as evaluation results of the Hub",)
    named = bc.read({"mine": place / "gpqa.yaml"}, measures=MAX)
    assert named.algorithms == ("mine",)
    (tmp_path / "config.yaml").write_text("model: gpt2\n")
    with pytest.raises(bc.BayescompareError, match="unknown suffix"):
        bc.read(tmp_path / "config.yaml", measures=MAX)


def test_the_direction_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "large", gpqa=SHORT)
    with pytest.raises(bc.BayescompareError, match=r"which way 'value' is better"):
        read_hub(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n", "not evaluation results of the Hub"),
        ("- dataset: x\n  value: 1\n", r"\[0\] has no 'dataset'"),
        (SHORT.replace("    id: Idavidrein/gpqa\n", ""), r"dataset.id is None"),
        (SHORT.replace("  value: 0.412\n", ""), r"\[0\] has no 'value'"),
        (SHORT.replace("0.412", "good"), r"\[0\].value is 'good', not a number"),
        (SHORT.replace("0.412", ".inf"), "is infinite"),
        (SHORT + "  value: 0.5\n", "the key 'value' twice"),
        (SHORT + SHORT, r"\[0\] and .*\[1\] both have 'Idavidrein/gpqa gpqa_diamond' by 'm'"),
        (SHORT + "- *a\n", "malformed YAML"),
        ("- dataset: &a {id: x}\n  value: 1\n- dataset: *a\n  value: 2\n", "aliases"),
        ("- dataset: !!python/object/apply:os.getcwd []\n  value: 1\n", "malformed YAML"),
        ("- dataset: [\n", "malformed YAML"),
        ("[" * 100_000, "too deeply nested"),
        ("[" * 1000, "malformed YAML"),
    ],
)
def test_damaged_files_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    place = write(tmp_path, "m", a=text)
    with pytest.raises(bc.BayescompareError, match=message) as refused:
        read_hub(place / "a.yaml", measures=MAX)
    assert "a.yaml" in str(refused.value)
    assert "\n" not in str(refused.value)
