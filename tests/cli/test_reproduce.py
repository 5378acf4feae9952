"""The command `reproduce`: the list, a table, JSON, a picture, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bayescompare.cli.app import app


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout if done.exit_code == 0 else done.stderr


def test_without_a_table_it_lists_them() -> None:
    code, said = run("reproduce")
    assert code == 0
    for word in ("benavoli-2015-table2", "jansen-2022-figure4", "exact", "12 min"):
        assert word in said


def test_a_table_in_the_terminal_and_as_a_picture(tmp_path: Path) -> None:
    picture, file = tmp_path / "x.png", tmp_path / "x.json"
    code, said = run(
        "reproduce", "lacoste-2012-table2", "--plot", str(picture), "--save", str(file)
    )
    assert code == 0
    assert "0.720" in said
    assert "4 of 4 published figures agree" in said
    assert "cannot be had" in said
    assert picture.stat().st_size > 1000
    assert json.loads(file.read_text("utf-8"))["key"] == "lacoste-2012-table2"


def test_json_and_seed() -> None:
    options = ("benavoli-2016-theorem2", "--replications", "100", "--seed", "5", "--json")
    code, said = run("reproduce", *options)
    assert code == 0
    document = json.loads(said)
    assert (document["seed"], document["replications"]) == (5, 100)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["jansen-2022-tabl3"], "Did you mean 'jansen-2022-table3'?"),
        (["--quick"], "name a table"),
        (["all", "--plot", "x.png"], "--plot x.png"),
        (["all", "--replications", "5"], "--replications 5"),
        (["lacoste-2012-bimodal", "--quick", "--replications", "5"], "--replications"),
        (["lacoste-2012-bimodal", "--jobs", "0"], "--jobs 0"),
        (["lacoste-2012-table2", "--plot", "x.xyz"], "x.xyz"),
    ],
)
def test_one_line_says_what_is_wrong(options: list[str], words: str) -> None:
    code, said = run("reproduce", *options)
    assert (code, said.count("\n")) == (2, 1)
    assert words in said
