"""The command line says what the Python interface says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from tests.cli.commands import OPTIONS, ROWS, long_text, run

MEASURES = {"accuracy": "max", "time": "min"}


def wide_text() -> str:
    names = list(dict.fromkeys(row[0] for row in ROWS))
    cell = {(row[0], row[1]): row[2:] for row in ROWS}
    head = "dataset,A_accuracy,A_time,B_accuracy,B_time\n"
    return head + "".join(
        f"{name},{','.join(str(v) for a in 'AB' for v in cell[name, a])}\n" for name in names
    )


def json_text() -> str:
    names = ("dataset", "algorithm", "accuracy", "time")
    return json.dumps([dict(zip(names, row, strict=True)) for row in ROWS])


# ---------------------------------------------------------------------------------------- the same


def test_json_is_the_api_s(table: Path) -> None:
    printed = run("compare", table, *OPTIONS, "--json").stdout
    c = bc.compare(bc.read_results(table, measures=MEASURES))
    assert json.loads(printed) == json.loads(c.to_json())


def test_pairwise_json_is_the_api_s(uci: bc.Results) -> None:
    some = ["GBM", "RF", "EN"]
    options = ("--algorithms", ",".join(some), "--json", "--jobs", 1)
    printed = run("pairwise", "--example", "jansen-uci", *options).stdout
    pairs = bc.pairwise(uci, algorithms=some, n_jobs=1)
    assert json.loads(printed) == json.loads(pairs.to_json())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", long_text()),
        ("long.tsv", long_text("\t")),
        ("wide.csv", wide_text()),
        ("long.json", json_text()),
    ],
)
def test_every_kind_of_file_gives_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = json.loads(run("compare", path, *OPTIONS, "--json").stdout)
    assert found["best"] == "B>A|A>B"
    counts = {row["label"]: row["count"] for row in found["statements"]}
    assert counts == {"A>B|A>B": 1.0, "A>B|B>A": 0.0, "B>A|A>B": 4.0, "B>A|B>A": 1.0}


def test_format_layout_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "results.dat"
    head, rest = long_text("\t").split("\n", 1)
    path.write_text(head.replace("dataset", "task").replace("algorithm", "who") + "\n" + rest)
    options = ["--format", "tsv", "--dataset-column", "task", "--algorithm-column", "who"]
    found = json.loads(
        run("compare", path, *OPTIONS, *options, "--layout", "long", "--json").stdout
    )
    assert found["best"] == "B>A|A>B"


def test_replicates_are_averaged(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    lines = [f"{d},{a},{fold},{value + 0.001 * fold}" for d, a, value, _ in ROWS for fold in (1, 2)]
    path.write_text("dataset,algorithm,fold,accuracy\n" + "\n".join(lines) + "\n")
    printed = run("compare", path, "--measure", "accuracy:max", "--replicate-column", "fold").stdout
    assert "mean of 2 replicates" in " ".join(printed.split())


def test_items_in_clusters_and_epochs(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    lines = [
        f"{d},{a},q{k},{d}-{k // 3},{run_},{(7 * k + 5 * len(d) + run_ * (a == 'A')) % 5 > 1}"
        for d in ("math", "code", "law")
        for a in "AB"
        for k in range(12)
        for run_ in (1, 2)
    ]
    path.write_text("dataset,algorithm,item,text,run,right\n" + "\n".join(lines) + "\n")
    options = ("--measure", "right:max", "--replicate-column", "item", "--method", "replicated")
    items = ("--cluster", "text", "--epoch", "run")
    whole, pieces = (
        json.loads(run("compare", path, *options, *items, keep, "--json").stdout)
        for keep in ("--keep-items", "--no-keep-items")
    )
    assert whole["details"]["replicates"] == pieces["details"]["replicates"] == [4.0] * 3
    assert whole["best"] == pieces["best"]
    assert "each item is the mean of 2 epochs" in whole["results"]["notes"]
    refused = run("compare", path, *options, "--cluster", "text", "--replicates", "items", code=2)
    assert "name their column by --epoch; else keep one." in refused.stderr
    one = tmp_path / "one.csv"
    one.write_text("\n".join(path.read_text().split("\n")[:49]))
    printed = " ".join(run("compare", one, *options, *items).stdout.split())
    assert "nothing follows for other datasets" in printed


def test_the_order_of_algorithms_is_the_one_given(table: Path) -> None:
    found = json.loads(run("compare", table, *OPTIONS, "--algorithms", "B,A", "--json").stdout)
    assert found["results"]["algorithms"] == ["B", "A"]


def test_only_selects_measures() -> None:
    printed = run("compare", "--example", "pnn", "--only", "complexity", "--json").stdout
    assert list(json.loads(printed)["results"]["measures"]) == ["complexity"]


@pytest.mark.parametrize(
    ("options", "method"),
    [
        (["--prior", "jeffreys"], bc.methods.Dirichlet(prior="jeffreys")),
        (["--prior", "2"], bc.methods.Dirichlet(prior=2.0)),
        (["--prior", "imprecise"], bc.methods.Dirichlet(prior="imprecise")),
        (["--strength", "3"], bc.methods.Dirichlet(strength=3.0)),
        (["--method", "glrt"], bc.methods.GLRT()),
        (["--method", "network"], bc.methods.Network()),
        (["--method", "network", "--ess", "2"], bc.methods.Network(ess=2.0)),
        (["--method", "network", "--max-parents", "0"], bc.methods.Network(max_parents=0)),
        (["--method", "network", "--search", "ges"], bc.methods.Network(search="ges")),
        (["--method", "network", "--average"], bc.methods.Network(average=True)),
        (["--method", "network", "--no-average"], bc.methods.Network(average=False)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_methods_and_priors(table: Path, options: list[str], method: Any) -> None:
    printed = run("compare", table, *OPTIONS, *options, "--seed", 3, "--json").stdout
    c = bc.compare(bc.read_results(table, measures=MEASURES), method=method, rng=3)
    assert json.loads(printed) == json.loads(c.to_json())


@pytest.mark.parametrize(
    ("command", "asked"), [("compare", "compare"), ("pairwise", "pairwise"), ("sample", "compare")]
)
def test_the_graph_s_options_reach_every_command(
    command: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def stop(*args: Any, method: Any, **kwargs: Any) -> None:
        seen.append(method)
        raise bc.BayescompareError("seen")

    monkeypatch.setattr(f"bayescompare.cli.app.bc.{asked}", stop)
    graph = ("--ess", 2, "--max-parents", 1, "--search", "hill-climb", "--no-average")
    out = ("--out", tmp_path / "x.nc") if command == "sample" else ()
    run(command, "--example", "pnn", "--method", "network", *graph, *out, code=2)
    expected = bc.methods.Network(ess=2.0, max_parents=1, search="hill-climb", average=False)
    assert seen == [expected]


def test_rope_reaches_the_comparison(table: Path) -> None:
    printed = run("compare", table, "--measure", "accuracy:max:rope=0.015", "--json").stdout
    found = json.loads(printed)
    assert found["results"]["measures"]["accuracy"]["rope"] == 0.015
    assert "A=B" in [row["label"] for row in found["statements"]]


def test_missing_drop(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(long_text().replace("zoo,B,0.96,0.2", "zoo,B,,0.2"))
    printed = run("compare", path, *OPTIONS, "--missing", "drop").stdout
    assert "dropped: zoo" in " ".join(printed.split())


# for programs -------------------------------------------------------------------------------------


def test_lists_and_errors_as_json() -> None:
    runner = CliRunner()
    listed = json.loads(runner.invoke(app, ["methods", "--json"]).stdout)
    assert {"name", "title"} == set(listed[0])
    one = json.loads(runner.invoke(app, ["methods", "dirichlet", "--json"]).stdout)
    assert one["reference"]
    tables = json.loads(runner.invoke(app, ["examples", "--json"]).stdout)
    assert [table["name"] for table in tables] == [example.name for example in bc.io.examples()]
    failed = runner.invoke(app, ["compare", "--example", "pnn", "-a", "New,X", "--json"])
    assert failed.exit_code == 2
    message = json.loads(failed.stdout)["error"]
    assert failed.stderr == f"error: {message}\n"
    assert message.startswith("--algorithms: no algorithm called 'X'")


def test_short_flags(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("dataset,A,B\n" + "".join(f"d{k},0.{9 - k},0.{8 - k}\n" for k in range(5)))
    report = tmp_path / "report.json"
    arguments = ["compare", str(path), "-m", "auc:max", "-a", "B,A", "-r", str(report)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    assert report.exists()
