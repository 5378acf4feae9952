"""``bayescompare gate``: exit codes that a shell script can rely on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.commands import one_line, run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        # Alternating, so that "same" is equal on average.
        (f"d{i}", name, 0.8 + shift + (0.005 + 0.001 * rng.random()) * (-1) ** i * (name != "old"))
        for i in range(12)
        for name, shift in (("old", 0.0), ("new", 0.05), ("bad", -0.05), ("same", 0.0))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc"])
    path = tmp_path / "results.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("candidate", "measure", "code", "said"),
    [
        ("new", "acc:max", 0, "Passed"),
        ("same", "acc:max:rope=0.02", 0, "Passed"),
        ("bad", "acc:max:rope=0.02", 1, "Not passed"),
        ("same", "acc:max", 3, "Undecided"),
    ],
)
def test_exit_codes(file: Path, candidate: str, measure: str, code: int, said: str) -> None:
    asked = ("--candidate", candidate, "--baseline", "old", "--measure", measure)
    done = run("gate", file, *asked, code=code)
    assert said in done.stdout
    assert "P(better)" in done.stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--candidate", "nwe", "--baseline", "old"), "--candidate nwe"),
        (("--candidate", "new", "--baseline", "new"), "--candidate new is the baseline too"),
        (("--candidate", "new"), "--baseline"),
        (("--candidate", "new", "--baseline", "old", "--level", "2"), "--level 2"),
        (("--candidate", "new", "--baseline", "old", "--missing", "worst"), "--missing worst"),
    ],
)
def test_wrong_use_exits_with_2_and_one_line(file: Path, more: tuple[str, ...], said: str) -> None:
    done = run("gate", file, "--measure", "acc:max", *more, code=2)
    assert said in one_line(done.stderr)


def test_the_items_of_a_few_benchmarks(tmp_path: Path) -> None:
    rows = [
        (b, name, f"{b}{i}", 0.5 + 0.1 * (name == "new") + 0.01 * (i % 7))
        for b in ("a", "b", "c")
        for i in range(12)
        for name in ("new", "old")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "acc"])
    frame.to_csv(tmp_path / "items.csv", index=False)
    asked = ["gate", tmp_path / "items.csv", "--candidate", "new", "--baseline", "old"]
    asked += ["--measure", "acc:max", "--replicate-column", "item"]
    told = run(*asked, "--replicates", "items", code=3).stdout
    assert "--over items" in " ".join(told.split())
    done = run(*asked, "--replicates", "items", "--over", "items")
    assert "over 36 items of 3 benchmarks" in done.stdout
    assert "one-sided bounds: each by itself holds with 95 %" in " ".join(done.stdout.split())
    refused = run(*asked, "--replicates", "folds", "--over", "items", code=2)
    assert "--over items: the replicates are folds" in one_line(refused.stderr)


def test_json_and_save(file: Path, tmp_path: Path) -> None:
    asked = ("gate", file, "--candidate", "new", "--baseline", "old", "--measure", "acc:max")
    done = run(*asked, "--json", "--save", tmp_path / "gate.json")
    assert json.loads(done.stdout)["passed"] is True
    assert json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))["level"] == 0.95
    assert "exists" in one_line(run(*asked, "--save", tmp_path / "gate.json", code=2).stderr)


def test_verdicts_are_whole_in_80_columns(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = ("--candidate", "same", "--baseline", "old", "--measure", "acc:max:rope=0.02")
    lines = run("gate", file, *asked).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (row,) = (line.split() for line in lines if line.startswith(" acc "))
    assert row[1:3] == ["not", "worse"]
