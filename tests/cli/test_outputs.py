"""Files that the commands write: where asked, nowhere else, and never over the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayescompare as bc
from tests.cli.commands import OPTIONS, one_line, run


def test_files_are_written_where_asked_and_nowhere_else(table: Path, tmp_path: Path) -> None:
    report, saved = tmp_path / "report.html", tmp_path / "c.nc"
    before = set(tmp_path.iterdir())
    run("compare", table, *OPTIONS)
    assert set(tmp_path.iterdir()) == before
    printed = run("compare", table, *OPTIONS, "--report", report, "--save", saved).stdout
    assert set(tmp_path.iterdir()) == before | {report, saved}
    assert f"wrote {report}\nwrote {saved}\n" in printed
    assert report.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    assert bc.load_comparison(saved).best == "B>A|A>B"


def test_json_stands_alone_beside_a_report(table: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    result = run("pairwise", table, *OPTIONS, "--json", "--report", report)
    assert json.loads(result.stdout)["schema"] == "bayescompare/pairwise"
    assert result.stderr == f"wrote {report}\n"
    assert report.exists()


def test_save_as_json(table: Path, tmp_path: Path) -> None:
    saved = tmp_path / "c.json"
    run("compare", table, *OPTIONS, "--save", saved)
    assert bc.load_comparison(saved).best == "B>A|A>B"


def test_force_overwrites(table: Path, tmp_path: Path) -> None:
    saved = tmp_path / "c.nc"
    saved.write_text("mine")
    message = one_line(run("compare", table, *OPTIONS, "--save", saved, code=2).stderr)
    assert "--force" in message
    assert saved.read_text() == "mine"
    run("compare", table, *OPTIONS, "--save", saved, "--force")
    assert bc.load_comparison(saved).best == "B>A|A>B"


@pytest.mark.parametrize("option", ["--report", "--save"])
def test_the_table_is_never_overwritten(table: Path, option: str) -> None:
    before = table.read_bytes()
    message = one_line(run("compare", table, *OPTIONS, option, table, "--force", code=2).stderr)
    assert "FILE" in message
    assert table.read_bytes() == before


def test_two_outputs_need_two_names(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "out"
    result = run("compare", table, *OPTIONS, "--report", path, "--save", path, code=2)
    assert "--report too" in one_line(result.stderr)
    assert not path.exists()


def test_outputs_are_checked_before_anything_is_computed(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("computed before the output was checked")

    monkeypatch.setattr("bayescompare.cli.app.bc.compare", never)
    monkeypatch.setattr("bayescompare.cli.app.bc.pairwise", never)
    nowhere = tmp_path / "no" / "folder.html"
    for command, option in (
        ("compare", "--report"),
        ("compare", "--save"),
        ("pairwise", "--report"),
        ("sample", "--out"),
    ):
        result = run(command, table, *OPTIONS, option, nowhere, code=2)
        assert "does not exist" in one_line(result.stderr)
    for command in ("compare", "pairwise"):
        result = run(command, table, *OPTIONS, "--report", tmp_path / "page.pdf", code=2)
        assert "HTML" in one_line(result.stderr)
