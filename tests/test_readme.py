"""What the README shows is what a user gets: its output and its Python are run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


@pytest.mark.parametrize("block", blocks("console"))
def test_the_output_shown_is_the_output_had(block: str, tmp_path, monkeypatch):
    """Line by line, in order; "…" stands for what is left out."""
    from bayescompare.cli.app import app

    shutil.copy(ROOT / "docs" / "data" / "results.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    command, _, shown = block.partition("\n")
    result = CliRunner().invoke(app, command.split()[2:])
    assert result.exit_code == 0
    squeezed, at = " ".join(result.stdout.split()), 0
    for part in shown.split("…"):
        words = " ".join(part.split())
        assert words in squeezed[at:]
        at = squeezed.index(words, at) + len(words)


@pytest.mark.slow
def test_the_python_shown_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), namespace)
    assert (tmp_path / "report.html").is_file()


def test_pictures_are_there():
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / name).stat().st_size > 1000
