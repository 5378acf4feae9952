"""The tab key: methods, models, examples, formats and columns, without anything heavy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bayescompare.cli.completion import (
    columns_of_typed_file,
    complete_example,
    complete_format,
    complete_method,
    complete_model,
    complete_only,
)


def offered(*words: str, folder: Path) -> list[str]:
    """What bash would be offered after some words; the last is not finished."""
    environment = {
        **os.environ,
        "_BAYESCOMPARE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["bayescompare", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "bayescompare"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_a_shell_is_offered_the_columns_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("dataset,algorithm,accuracy,auc,time\n")
    assert offered("compare", "t.csv", "-m", "a", folder=tmp_path) == [
        *("algorithm", "accuracy", "auc"),
    ]


def test_a_shell_is_offered_commands(tmp_path: Path) -> None:
    assert offered("pair", folder=tmp_path) == ["pairwise"]


def test_names() -> None:
    assert [name for name, _ in complete_method("glr")] == ["glrt"]
    assert "plackett_luce" in complete_model("pl")
    assert [name for name, _ in complete_example("jan")] == ["jansen-uci"]
    assert complete_format("lm") == ["lm-eval", "lm-eval-items"]


@pytest.mark.parametrize("name", ["x.csv", "absent.csv", "x.parquet"])
def test_what_has_no_header_offers_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe")
    assert columns_of_typed_file(["compare", str(tmp_path / name)]) == []


def test_measures_of_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "bayescompare rank --example jansen-uci --only auc,b")
    assert complete_only("auc,b") == ["auc,brier"]
    monkeypatch.setenv("COMP_WORDS", "bayescompare rank 'x.csv -m time:min --only t")
    assert complete_only("t") == ["time"]
