"""Standard input, several files, labels and edits of columns on the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.cli.pipes import suffix_of_content
from tests.cli.commands import OPTIONS, long_text, one_line, run
from tests.readers.written import DATA

MEASURES: Any = {"accuracy": "max", "time": "min"}


def piped(content: bytes, *arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(a) for a in arguments], input=content)
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text(long_text())
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "json", "jsonl", "parquet"])
def test_standard_input_is_recognised(kind: str, table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table)
    content = {
        "csv": lambda: long_text().encode(),
        "tsv": lambda: long_text("\t").encode(),
        "csv.gz": lambda: gzip.compress(long_text().encode()),
        "json": lambda: frame.to_json(orient="records").encode(),
        "jsonl": lambda: frame.to_json(orient="records", lines=True).encode(),
        "parquet": lambda: frame.to_parquet(),
    }[kind]()
    found = json.loads(piped(content, "compare", "-", *OPTIONS, "--json").stdout)
    asked = json.loads(bc.compare(bc.read_results(table, measures=MEASURES)).to_json())
    assert found["results"].pop("source") == "standard input"
    asked["results"].pop("source")
    assert found == asked


def test_a_tool_on_standard_input() -> None:
    content = (DATA / "weka" / "experiment.arff").read_bytes()
    done = piped(content, "compare", "-", "-a", "NaiveBayes,IBk", "--json")
    assert done.stderr == "read as an experiment of Weka (--format weka)\n"
    done = piped(content, "compare", "-", "--format", "weka", "-a", "NaiveBayes,IBk", "--json")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input: is empty"),
        (b"dataset,algorithm,accuracy,time\niris,A,x,1\n", "standard input: measure 'accuracy'"),
        (b"\x1f\x8bnothing", "standard input: cannot be decompressed"),
    ],
)
def test_bad_standard_input(content: bytes, message: str) -> None:
    line = one_line(piped(content, "compare", "-", *OPTIONS, code=2).stderr)
    assert line.startswith(f"error: {message}")
    assert "/tmp" not in line


def test_standard_input_once(table: Path) -> None:
    done = piped(b"", "compare", "-", "-", *OPTIONS, code=2)
    assert "there is one standard input" in one_line(done.stderr)


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (b"PAR1...", ".parquet"),
        (b"PK\x03\x04...[Content_Types].xml", ".xlsx"),
        (b"PK\x03\x04...header.json", ".eval"),
        (b'{"a": 1}\n', ".json"),
        (b'{"a": 1}\n{"a": 2}\n', ".jsonl"),
        (b'{\n"a": 1}\n', ".json"),
        (b"\xef\xbb\xbfa,b\n1,2\n", ".csv"),
        (b"a\tb,c\td\n", ".tsv"),
        (b"@RELATION x\n", ".arff"),
    ],
)
def test_content_tells_the_suffix(content: bytes, suffix: str) -> None:
    assert suffix_of_content(content) == suffix


# -------------------------------------------------------------------------------- several files


def halves(table: Path) -> list[Path]:
    header, *rows = table.read_text().splitlines(keepends=True)
    files = [table.with_name(f"half{k}.csv") for k in (1, 2)]
    for file, part in zip(files, (rows[:6], rows[6:]), strict=True):
        file.write_text(header + "".join(part))
    return files


def test_several_files_are_one_table(table: Path) -> None:
    asked = bc.compare(bc.read_results(table, measures=MEASURES))
    for files in (halves(table), [table.with_name("half*.csv")]):
        found = json.loads(run("compare", *files, *OPTIONS, "--json").stdout)
        assert (found["best"], found["statements"]) == (
            asked.best,
            json.loads(asked.to_json())["statements"],
        )


def test_labels_are_algorithms(table: Path) -> None:
    options = ("--label", f"old={table}", "--label", f"new={table}", *OPTIONS)
    found = json.loads(run("compare", *options, "-a", "old A,new B", "--json").stdout)
    assert found["results"]["algorithms"] == ["old A", "new B"]


def test_labels_for_another_tool() -> None:
    folder = DATA / "inspect" / "eval"
    labels = [f"{name}={path}" for name in ("small", "large") for path in folder.glob(f"*{name}*")]
    options = [word for label in labels for word in ("--label", label)]
    done = run("compare", *options, "-m", "Score", "-m", "OUTPUT", "--json")
    assert done.stderr == "read as logs of Inspect (--format inspect)\n"
    found = json.loads(done.stdout)
    assert found["results"]["algorithms"] == ["small", "large"]
    assert list(found["results"]["measures"]) == ["score", "output_tokens"]


def test_format_for_several_paths() -> None:
    files = sorted((DATA / "inspect" / "eval").glob("*.eval"))
    options = ("--format", "inspect", "--measure", "score")
    found = json.loads(run("compare", *files, *options, "--json").stdout)
    asked = bc.compare(bc.io.read_inspect(files, measures=["score"]))
    assert found["statements"] == json.loads(asked.to_json())["statements"]


def test_columns_are_renamed_dropped_and_meant(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(long_text().replace("accuracy", "Test_Accuracy").replace("time", "n"))
    options = ("-m", "test_acc:max", "--rename", "algorithm=Model", "--algorithm-column", "Model")
    found = json.loads(run("compare", path, *options, "--json").stdout)
    assert list(found["results"]["measures"]) == ["Test_Accuracy"]
    wide = tmp_path / "wide.csv"
    wide.write_text("dataset,n,A,B\niris,150,1,2\nwine,178,1,2\n")
    found = json.loads(run("compare", wide, "-m", "x:max", "--drop-column", "n", "--json").stdout)
    assert found["results"]["algorithms"] == ["A", "B"]
    found = json.loads(run("compare", path, "-m", "Test_Accuracy:max", "-m", "n:min", "--only",
                           "test", "--json").stdout)  # fmt: skip
    assert list(found["results"]["measures"]) == ["Test_Accuracy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("results.cvs", *OPTIONS),
            "results.cvs: no such file or directory. Did you mean 'results.csv'?",
        ),
        (
            ("no/results.csv", *OPTIONS),
            "no/results.csv: no such file or directory: there is no folder no.",
        ),
        (("results.csv",), "(the columns are 'dataset', 'algorithm', 'accuracy', 'time')"),
        (("results.csv", "-m", "accuracy:max", "-m", "acc:max"), "'accuracy' is given twice"),
        (("results.csv", *OPTIONS, "--label", "x"), "--label x: write NAME=FILE"),
        (("results.csv", *OPTIONS, "--rename", "x"), "--rename x: write OLD=NEW"),
        (("results.csv", *OPTIONS, "--rename", "a=b", "--rename", "a=c"), "renamed twice"),
        (("results.csv", *OPTIONS, "--rename", "x=y"), "--rename names no column: there is no 'x'"),
        (
            ("results.csv", *OPTIONS, "--drop-column", "x"),
            "--drop-column names no column: there is no 'x'",
        ),
        (("results.csv", *OPTIONS, "--sheet", "x"), "--sheet x: only .xlsx files have sheets"),
        (("results.csv", "results.csv", *OPTIONS), "as in --label first=PATH"),
        (("results.csv", "results.csv", "--errors", "a,b"), "--errors takes one FILE"),
        (("results.csv", "--errors", "a,b", "--sheet", "x"), "--sheet is about tables of measures"),
        ((), "FILE and --example NAME: neither is given"),
        (("results.csv", "--example", "pnn"), "FILE and --example NAME: both are given"),
    ],
)
def test_one_line_for_what_is_wrong(
    arguments: tuple[str, ...], message: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    assert message in one_line(run("compare", *arguments, code=2).stderr)


def test_an_output_is_no_input(table: Path) -> None:
    files = halves(table)
    report = table.with_name("half2.html")
    done = run("compare", *files, report, *OPTIONS, "--report", report, code=2)
    assert "no such file" in done.stderr
    report.write_text("x")
    done = run("compare", *files, report, *OPTIONS, "--report", report, code=2)
    assert "that is FILE too" in one_line(done.stderr)
