"""The comparison with other packages: rows, errors, missing packages, and what is refused."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bayescompare import BayescompareError
from benchmarks.peers import runner as bench_runner
from benchmarks.peers.__main__ import main, print_table
from benchmarks.peers.job import run_job
from benchmarks.peers.references import best_graph, graph_score, rank_sum_p, win_counts
from benchmarks.peers.runner import run_bench
from benchmarks.peers.table import OURS, BenchTable
from benchmarks.peers.tasks import TASKS

PEERS = Path(bench_runner.__file__).parent / "packages"
FIELDS = {"task", "title", "size_name", "size", "package", "status", "seconds", "megabytes"}
FIELDS |= {"error", "ratio", "note"}


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs without their processes, calls without repetition; what comes from elsewhere is gone."""

    def run(interpreter: str, name: str, job: dict[str, Any]) -> dict[str, Any]:
        if bench_runner._PACKAGES[name][1]:
            return {"missing": "it"}
        return run_job(PEERS / f"{name}.py", job)

    monkeypatch.setattr(bench_runner, "_run_peer", run)
    for limit in ("_TOO_LONG", "_LONG"):
        monkeypatch.setattr(f"benchmarks.peers.job.{limit}", -1.0)


# ------------------------------------------------------------------------------------- the command


@pytest.mark.usefixtures("in_this_process")
def test_the_command_prints_json_that_reads_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, saved = tmp_path / "bench.png", tmp_path / "bench.json"
    asked = ["fold_t", "win_counts", "--sizes", "1", "--json"]
    assert main([*asked, "--figure", str(picture), "--save", str(saved)]) == 0
    said = capsys.readouterr().out
    tree = json.loads(said)
    assert tree["schema"] == 1
    assert {"processor", "cores", "system", "python"} <= tree["machine"].keys()
    assert tree["versions"][OURS]
    assert all(row.keys() == FIELDS for row in tree["rows"])
    by = {(row["task"], row["package"]): row for row in tree["rows"]}
    assert by["fold_t", "baycomp"]["status"] == "not installed"
    assert by["fold_t", "baycomp"]["seconds"] is None
    assert by["fold_t", OURS]["ratio"] == 1.0
    assert by["fold_t", OURS]["error"] < 1e-12
    assert by["win_counts", "plain code"]["error"] < 1e-15
    assert by["win_counts", OURS]["error"] < 1e-15
    table = BenchTable.from_json(said)
    assert table.to_json() == said.strip() == saved.read_text("utf-8").strip()
    assert picture.read_bytes().startswith(b"\x89PNG")
    print_table(table)
    printed = capsys.readouterr().out
    for words in ("Correlated t-test", "not installed", f"{OURS} "):
        assert words in printed


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["fold"], "fold_t"),
        (["--sizes", "0"], "sizes"),
        (["--python", "no/such/python"], "no/such/python"),
        (["--figure", "picture.xyz"], "--figure picture.xyz"),
        (["--figure", "no-folder/picture.png"], "no-folder"),
    ],
)
def test_wrong_use_is_one_line(
    line: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


# ---------------------------------------------------------------------------------------- the jobs


def test_every_task_is_there_for_everyone_named() -> None:
    for task in TASKS:
        for name in ("ours", *task.others):
            assert name in bench_runner._PACKAGES
            spec = importlib.util.spec_from_file_location(name, PEERS / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            assert callable(getattr(module, task.name)), (name, task.name)
            assert module.PACKAGE


def test_the_same_data_for_the_same_seed() -> None:
    for task in TASKS:
        small = task.sizes[:1]
        assert task.cases(3, small) == task.cases(3, small)
        assert task.cases(3, small) != task.cases(4, small)
        assert json.loads(json.dumps(task.cases(3, small))) == task.cases(3, small)


def test_a_missing_package_and_a_failing_one_are_reported(tmp_path: Path) -> None:
    script = tmp_path / "peer.py"
    script.write_text(
        "PACKAGE = 'x'\n"
        "def gone(case):\n    import no_such_package_at_all\n"
        "def bad(case):\n    raise ValueError('too few')\n"
    )
    assert run_job(script, {"task": "gone", "cases": [{}]}) == {"missing": "no_such_package_at_all"}
    assert run_job(script, {"task": "bad", "cases": [{}]}) == {"failed": "ValueError: too few"}


# -------------------------------------------------------------------------------- the exact values


def test_references_by_hand() -> None:
    # Of the 8 sign patterns two have a rank sum of at most 1 on one side: none, or rank 1.
    assert rank_sum_p({"x": [-0.1, 0.5, 0.7]}) == [0.5]
    assert win_counts({"p": [0.5, 0.25]}) == [0.375, 0.5, 0.125]
    case = {"wins": [[0, 0], [1, 1]] * 20 + [[0, 1], [1, 0]], "parents": 1}
    empty, edge = np.zeros((2, 2)), np.array([[0.0, 1.0], [0.0, 0.0]])
    assert graph_score(case, edge) == pytest.approx(graph_score(case, edge.T), abs=1e-10)
    assert best_graph(case) == pytest.approx(graph_score(case, edge), abs=1e-10)
    assert graph_score(case, edge) > graph_score(case, empty) + 5


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "rows": [{"task": 1}]}', "null"])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(BayescompareError, match="bench table"):
        BenchTable.from_json(text)


def test_a_later_schema_is_refused() -> None:
    text = json.dumps({"schema": 2, "machine": {}, "versions": {}, "seed": 0, "rows": []})
    with pytest.raises(BayescompareError, match="schema 2"):
        BenchTable.from_json(text)


# ---------------------------------------------------------------------------------------- all of it


@pytest.mark.slow
def test_everything_at_the_smallest_size_in_processes() -> None:
    table = run_bench(sizes=1, peers=sys.executable)
    ours = [row for row in table.rows if row.package == OURS]
    assert {row.task for row in ours} == {task.name for task in TASKS}
    for row in table.rows:
        assert row.status in ("ok", "not installed"), row
        if row.status == "ok":
            assert row.seconds is not None
            assert row.seconds > 0
            assert math.isfinite(row.seconds)
    for row in ours:
        assert row.error is None or row.error <= 1e-9, row
