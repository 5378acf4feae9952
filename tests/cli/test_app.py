"""The command line says what the Python interface says, and keeps to its streams and files."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.cli.measures import parse_measure
from bayescompare.cli.options import read_names
from bayescompare.cli.process import Interrupted, stoppable
from bayescompare.text.numbers import probability

ANSI = "\x1b["
MEASURES = {"accuracy": "max", "time": "min"}
OPTIONS = ("--measure", "accuracy:max", "--measure", "time:min")

# Six datasets on which B is more accurate but slower, but for one each.
ROWS = [
    ("iris", "A", 0.91, 1.0),
    ("iris", "B", 0.93, 2.0),
    ("wine", "A", 0.88, 1.5),
    ("wine", "B", 0.90, 2.5),
    ("glass", "A", 0.71, 3.0),
    ("glass", "B", 0.70, 3.5),
    ("heart", "A", 0.80, 1.0),
    ("heart", "B", 0.84, 0.5),
    ("sonar", "A", 0.77, 2.0),
    ("sonar", "B", 0.79, 4.0),
    ("zoo", "A", 0.95, 0.1),
    ("zoo", "B", 0.96, 0.2),
]


def long_text(separator: str = ",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(["dataset", "algorithm", "accuracy", "time"])
    writer.writerows(ROWS)
    return out.getvalue()


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


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text(long_text(), encoding="utf-8")
    return path


def run(*args: object, code: int = 0) -> Any:
    """Run a command in this process; what it printed and how it ended."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def shell(*args: object, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does."""
    # What would colour a pipe, or let it be taken for a terminal of another width.
    drop = {"FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS", "TTY_COMPATIBLE"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    return subprocess.run(
        [sys.executable, "-m", "bayescompare.cli.app", *(str(arg) for arg in args)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **{"env": env, **kwargs},
    )


def one_line(text: str) -> str:
    """The error message: exactly one line."""
    (line,) = text.splitlines()
    assert line.startswith("error: ")
    return line


# ---------------------------------------------------------------------------------------- the same


def test_json_is_the_api_s(table: Path) -> None:
    printed = run("compare", table, *OPTIONS, "--json").stdout
    c = bc.compare(bc.read_results(table, measures=MEASURES))
    assert json.loads(printed) == json.loads(c.to_json())


def test_pairwise_json_is_the_api_s() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--json", "--jobs", 1).stdout
    p = bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)
    assert json.loads(printed) == json.loads(p.to_json())


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


# ------------------------------------------------------------------------------- what it looks like


def test_compare_prints_verdict_words_table_and_questions() -> None:
    printed = run("compare", "--example", "benavoli-example1").stdout
    c = bc.compare(bc.load_example("benavoli-example1"))
    flat = " ".join(printed.split())
    assert c.headline() in flat
    assert c.explain() in flat
    for label, row in c.summary().iterrows():
        assert re.search(rf"{re.escape(str(label))} +\d+ +{row['probability']:.3f}", printed)
    for question in c.questions.index:
        assert question in printed


def test_network_prints_the_groups_of_measures() -> None:
    options = ("--method", "network", "--algorithms", "GBM,RF", "--max-parents", 0)
    printed = run("compare", "--example", "jansen-uci", *options).stdout
    results = bc.load_example("jansen-uci")
    method = bc.methods.Network(max_parents=0)
    c = bc.compare(results, method=method, algorithms=["GBM", "RF"])
    _, _, groups = printed.partition("Independent groups of measures")
    rows = [line.split() for line in groups.splitlines()]
    for part in c.components.to_dict("records"):
        row = [*part["measures"], part["best"], "exact", f"{part['probability']:.3f}"]
        assert row in rows
    assert "groups" not in run("compare", "--example", "jansen-uci").stdout


def test_orderings_within_groups_are_split_by_measure() -> None:
    options = ("--method", "network", "--algorithms", "GBM,RF,CART", "--seed", 1)
    printed = run("compare", "--example", "jansen-uci", *options).stdout
    assert max(map(len, printed.splitlines())) <= 100
    _, _, groups = printed.partition("Independent groups of measures")
    assert " > RF" in groups or "RF > " in groups


def test_joint_test_stays_legible() -> None:
    printed = run("compare", "--example", "jansen-uci").stdout
    lines = [line.strip() for line in printed.splitlines()]
    assert max(map(len, lines)) <= 100
    assert "auc: GBM > RF > BDS > EN > LASSO > GLM > RIDGE > CART" in lines
    # One line for each measure of each statement shown.
    assert sum(line.startswith("brier: ") for line in lines) == 1 + 15
    assert "and 41,457 more" in lines
    assert "joint test over whole orderings" in " ".join(lines)


def test_pairwise_prints_matrix_decisions_and_words() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--jobs", 1).stdout
    p = bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)
    assert p.explain() in " ".join(printed.split())
    decided = p.decide()
    marked = [line for line in printed.splitlines() if re.match(r" \* +\S+, \S+ ", line)]
    assert len(marked) == decided["asserted"].sum()
    (row,) = [line.split() for line in printed.splitlines() if line.startswith(" GBM ")]
    cells = p.matrix.sel(algorithm="GBM").to_series()
    over = set(p.order().successors("GBM"))
    assert row[1:] == [
        (probability(value) or "·") + ("*" if name in over else "") for name, value in cells.items()
    ]
    assert ">0.999*" in row


def test_pairwise_against_a_reference() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--reference", "CART").stdout
    assert "against CART" in printed
    (row,) = [line.split() for line in printed.splitlines() if line.startswith(" GBM ")]
    assert row == ["GBM", ">0.999*", "<0.001"]


def test_level_and_fdr_change_the_verdicts() -> None:
    def verdicts(*options: object) -> int:
        printed = run("pairwise", "--example", "jansen-uci", *options).stdout
        found = re.search(r"For (\d+) of 28 pairs we can name a winner", " ".join(printed.split()))
        assert found is not None
        marked = [line for line in printed.splitlines() if re.match(r" \* +\S+, \S+ ", line)]
        assert len(marked) == int(found[1])
        return len(marked)

    p = bc.pairwise(bc.load_example("jansen-uci"))
    assert verdicts() == p.decide()["asserted"].sum()
    assert verdicts("--fdr", 0.1) == p.decide(fdr=0.1)["asserted"].sum()
    assert verdicts("--level", 0.8) == p.decide(level=0.8)["asserted"].sum()
    assert verdicts("--fdr", 0.1) > verdicts("--level", 0.8) > verdicts()


def test_fdr_reaches_json_and_report(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    options = ("--example", "jansen-uci", "--fdr", 0.1, "--jobs", 1)
    printed = run("pairwise", *options, "--json", "--report", report).stdout
    p = bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)
    assert json.loads(printed) == json.loads(p.to_json(fdr=0.1))
    asserted = int(p.decide(fdr=0.1)["asserted"].sum())
    page = report.read_text(encoding="utf-8")
    assert f"For {asserted} of 28 pairs we can name a winner" in page
    assert "if the prior is right, at most 10 % of the verdicts" in page


def test_pairwise_frequentist_prints_p_values() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--method", "glrt").stdout
    assert "p-value of each pair" in printed
    assert "Holm" in printed
    p = bc.pairwise(bc.load_example("jansen-uci"), method="glrt")
    value = float(p.matrix.sel(algorithm="BDS", opponent="EN"))
    (row,) = [line.split() for line in printed.splitlines() if line.startswith(" BDS ")]
    assert row[3].rstrip("*") == f"{value:.3f}"


def test_many_algorithms_are_numbered_and_split(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    names = [f"algorithm number {k}" for k in range(25)]
    rows = [
        f"d{d}," + ",".join(str((7 * d + 3 * k) % 31 + k / 100) for k in range(25))
        for d in range(5)
    ]
    path.write_text("dataset," + ",".join(names) + "\n" + "\n".join(rows) + "\n")
    printed = run("pairwise", path, "--measure", "accuracy:max").stdout
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 100
    assert [line for line in lines if line.startswith(" 25 algorithm number 24 ")]
    assert re.search(r"and 260 more, \d+ of them with a verdict", printed)


def test_names_are_printed_literally(tmp_path: Path) -> None:
    path = tmp_path / "markup.csv"
    text = long_text().replace(",A,", ",[red]x[/red],").replace(",B,", ",:smile: [/],")
    path.write_text(text.replace("accuracy", "[bold]acc"))
    measures = ("--measure", "[bold]acc:max", "--measure", "time:min")
    for command in ("compare", "pairwise"):
        printed = run(command, path, *measures).stdout
        assert "[red]x[/red]" in printed
        assert ":smile: [/]" in printed
        assert "[bold]acc" in printed
    message = one_line(run("compare", path, *measures, "--algorithms", "[b]y", code=2).stderr)
    assert "[b]y" in message
    assert "[red]x[/red]" in message


def test_examples_are_listed() -> None:
    printed = " ".join(run("examples").stdout.split())
    for example in bc.io.examples():
        assert example.name in printed
    assert "complexity min" in printed
    assert "arXiv:2209.01857" in printed


def test_one_example_is_its_repr() -> None:
    assert run("examples", "pnn").stdout == f"{bc.load_example('pnn')!r}\n"


def test_methods_are_listed() -> None:
    printed = " ".join(run("methods").stdout.split())
    for name, title in bc.methods.names().items():
        assert f"{name} {title}" in printed


def test_one_method_is_described() -> None:
    printed = " ".join(run("methods", "dirichlet").stdout.split())
    assert "How probable is it that one joint statement is the most probable of all?" in printed
    assert "strength 1.0 s, the prior's weight in datasets; 1 by default." in printed
    assert "de Campos & Benavoli (2016), Section 4" in printed
    for name in bc.methods.describe("dirichlet").index:
        assert name in printed
    assert "likelihood-ratio" in run("methods", "glrt").stdout


def test_the_network_s_options_are_described() -> None:
    printed = " ".join(run("methods", "network").stdout.split())
    for option in ("ess 1.0 Equivalent sample size", "max_parents None Most", "search exact How"):
        assert option in printed
    assert "average False Average P over the posterior of all graphs" in printed
    helped = run("compare", "--help").stdout
    for flag in ("--ess", "--max-parents", "exact|hill-climb|ges", "--no-average"):
        assert flag in helped


def test_help_has_an_example_for_every_question() -> None:
    for command in ("compare", "pairwise", "sample"):
        printed = run(command, "--help").stdout
        assert f"bayescompare {command} results.csv --measure accuracy:max" in printed
    assert "pairwise" in run("--help").stdout


def test_version() -> None:
    assert run("--version").stdout == f"bayescompare {bc.__version__}\n"


# ------------------------------------------------------------------------------------------- files


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


# --------------------------------------------------------------------------------------- sampling


def sample(path: Path, *options: object) -> Any:
    small = ("--draws", 60, "--chains", 2, "--tune", 150, "--cores", 1)
    return run("sample", "--example", "pnn", "--out", path, *small, *options)


def test_sample_writes_the_tree_and_the_diagnosis(tmp_path: Path) -> None:
    path = tmp_path / "posterior.nc"
    result = sample(path, "--seed", 5, "--target-accept", 0.9)
    assert result.stderr == ""
    assert "greatest R-hat" in result.stdout
    assert "divergences" in result.stdout
    assert result.stdout.endswith(f"wrote {path}\n")
    assert list(tmp_path.iterdir()) == [path]
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        posterior = tree["posterior"]
        assert posterior["theta"].sizes == {"chain": 2, "draw": 60, "statement": 4}
        assert tree.attrs["seed"] == 5
        groups = set(tree.children)
        first = posterior["theta"].load()
    assert {"sample_stats", "log_likelihood", "log_prior", "prior", "observed_data"} <= groups

    again = tmp_path / "again.nc"
    sample(again, "--seed", 5, "--target-accept", 0.9)
    with xr.open_datatree(again, engine="h5netcdf") as tree:
        xr.testing.assert_equal(tree["posterior"]["theta"].load(), first)


def test_sample_refuses_a_method_without_a_posterior(tmp_path: Path) -> None:
    path = tmp_path / "posterior.nc"
    result = run("sample", "--example", "pnn", "--method", "glrt", "--out", path, code=2)
    assert "dirichlet" in one_line(result.stderr)
    assert not path.exists()


def test_an_interrupt_in_compiled_code_is_an_interrupt() -> None:
    def as_numba_does() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except Interrupted as error:
            raise SystemError("returned a result with an exception set") from error

    # Whatever was there is put back; a shell's background job ignores the signal.
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Interrupted), stoppable():
        as_numba_does()
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(SystemError), stoppable():
        raise SystemError


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize("cores", [1, 2])
def test_interrupting_leaves_one_word_and_no_file(tmp_path: Path, cores: int) -> None:
    path = tmp_path / "posterior.nc"
    args = ["sample", "--example", "jansen-uci", "--algorithms", "GBM,RF", "--cores", cores]
    more = ["--draws", 200_000, "--chains", 2, "--out", path]
    command = [sys.executable, "-m", "bayescompare.cli.app", *(str(a) for a in [*args, *more])]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(15)  # past the imports and the compiler, into the sampling
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_keyboard_interrupt(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bayescompare.cli.app.bc.compare", interrupt)
    assert run("compare", table, *OPTIONS, code=130).stderr == "interrupted\n"


# --------------------------------------------------------------------------------- the real command


def test_a_pipe_gets_no_colour_and_100_columns() -> None:
    done = shell("pairwise", "--example", "jansen-uci")
    assert (done.returncode, done.stderr) == (0, "")
    assert ANSI not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "Statements by pair, * a verdict" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_colour_and_its_own_width() -> None:
    import pty

    drop = {"NO_COLOR", "TERM", "COLUMNS", "LINES"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    env |= {"TERM": "xterm-256color", "COLUMNS": "70"}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bayescompare.cli.app", "pairwise", "--example", "jansen-uci"]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=env) as process:
        os.close(theirs)
        chunks = []
        try:
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
        except OSError:  # the other end was closed
            pass
        assert process.wait(timeout=120) == 0
    os.close(ours)
    printed = b"".join(chunks).decode()
    assert ANSI in printed
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed)
    assert max(map(len, plain.splitlines())) <= 70


def test_the_real_command_fails_in_one_line(tmp_path: Path) -> None:
    done = shell("compare", tmp_path / "no.csv", *OPTIONS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in one_line(done.stderr)


def test_json_survives_a_narrow_encoding(tmp_path: Path) -> None:
    path = tmp_path / "greek.csv"
    path.write_text(long_text().replace(",A,", ",α,"), encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = shell("compare", path, *OPTIONS, "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["algorithms"] == ["α", "B"]
    assert shell("compare", path, *OPTIONS, env=env).returncode == 0


# ------------------------------------------------------------------------------------ usage errors


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["frobnicate"], "no such command 'frobnicate'"),
        (["--frobnicate"], "--frobnicate"),
        (["compare", "--frobnicate"], "--frobnicate"),
        (["compare", "--example", "pnn", "--strength", "much"], "'--strength'"),
        (["compare", "--example", "pnn", "--seed", "-1"], "'--seed'"),
        (["sample", "--example", "pnn"], "'--out'"),
        (["compare"], "neither is given"),
        (["compare", "a.csv", "--example", "pnn"], "both are given"),
        (["compare", "a.csv"], "--measure is missing"),
        (["compare", "--example", "pnn", "--measure", "accuracy:max"], "--only"),
        (["compare", "--example", "pnn", "--layout", "wide"], "--layout is about FILE"),
        (["compare", "--example", "pnn", "--method", "glrt", "--strength", "2"], "--strength"),
        (["compare", "--example", "pnn", "--method", "glrt", "--prior", "1"], "--prior"),
        (["compare", "--example", "pnn", "--algorithms", 'New,"'], "not a comma list"),
        (["pairwise", "--example", "pnn", "--fdr", "2", "--json"], "--fdr 2.0"),
        (["compare", "--example", "pnn", "--ess", "2"], "--ess: method 'dirichlet'"),
        (["compare", "--example", "pnn", "--max-parents", "2"], "--max-parents: method"),
        (["pairwise", "--example", "pnn", "--search", "exact", "--method", "glrt"], "--search"),
        (["sample", "--example", "pnn", "--no-average", "--out", "x.nc"], "--average"),
        (["compare", "--example", "pnn", "--method", "network", "--ess", "0"], "--ess 0.0"),
        (["compare", "--example", "pnn", "--method", "network", "--search", "gas"], "'ges'"),
        (
            ["compare", "--example", "pnn", "--method", "network", "--max-parents", "-1"],
            "--max-parents -1",
        ),
        (["compare", "--example", "pnn", "--method", "network", "--strength", "1"], "--strength"),
        (["compare", "--example", "pnn", "--report", "page.pdf"], "a report ends in .html"),
        (["pairwise", "--example", "pnn", "--report", "page"], "a report ends in .html"),
        (["sample", "--example", "pnn", "--tune", "-1", "--out", "x.nc"], "--tune -1"),
        (
            ["sample", "--example", "pnn", "--target-accept", "1", "--out", "x.nc"],
            "--target-accept 1",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_are_one_line(
    args: Sequence[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args, code=2)
    assert words in one_line(result.stderr)
    if "--frobnicate" in args:
        # Click has written the rest of this line in two ways.
        assert "no such option" in one_line(result.stderr)
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_no_command_prints_the_help() -> None:
    result = run(code=2)
    assert "Usage: bayescompare" in result.output


def test_line_breaks_in_a_message_collapse(tmp_path: Path) -> None:
    result = run("compare", tmp_path / "a\nb.csv", *OPTIONS, code=2)
    assert "a b.csv: no such file" in one_line(result.stderr)


# ------------------------------------------------------------------------------ the mini-languages


@pytest.mark.parametrize(
    ("text", "name", "measure"),
    [
        ("accuracy:max", "accuracy", bc.Measure("max")),
        ("time:min:rope=0.05:unit=s", "time", bc.Measure("min", rope=0.05, unit="s")),
        ("a:max:bounds=0..1", "a", bc.Measure("max", bounds=(0, 1))),
        ("a:max:bounds=0..", "a", bc.Measure("max", bounds=(0, None))),
        ("a:max:bounds=..-1.5", "a", bc.Measure("max", bounds=(None, -1.5))),
        ("rank:min:ordinal", "rank", bc.Measure("min", scale="ordinal")),
        ("F1:macro:max", "F1:macro", bc.Measure("max")),
        ("max:min", "max", bc.Measure("min")),
        ("x=y:max:rope=0", "x=y", bc.Measure("max", rope=0)),
        ("rope=1:max", "rope=1", bc.Measure("max")),
        ("time (s):min", "time (s)", bc.Measure("min")),
    ],
)
def test_measures_are_read(text: str, name: str, measure: bc.Measure) -> None:
    assert parse_measure(text) == (name, measure)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("accuracy", "has no direction: say accuracy:max"),
        ("accuracy:rope=0.1", "has no direction: say accuracy:max"),
        ("accuracy:higher", "direction='higher': must be 'max' or 'min'"),
        ("accuracy:mx", "Did you mean 'max'"),
        ("accuracy:max:rope=wide", "rope='wide': must be a number"),
        ("accuracy:max:rope=-1", "rope=-1"),
        ("accuracy:max:ropes=1", "Did you mean 'rope'"),
        ("accuracy:max:bounds=0-1", "LOW..HIGH"),
        ("accuracy:max:bounds=a..1", "bounds='a': must be a number"),
        ("accuracy:max:bounds=1..0", "least must be below"),
        ("accuracy:max:rope=1:rope=2", "rope is given twice"),
    ],
)
def test_measures_are_refused(text: str, words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=re.escape(words)):
        parse_measure(text)


def test_lists_of_names() -> None:
    assert read_names("--only", None) is None
    assert read_names("--only", "A,B") == ["A", "B"]
    assert read_names("--only", '"A, the first", B') == ["A, the first", "B"]
