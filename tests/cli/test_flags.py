"""Errors on the command line name the flag that was typed; those of Python name the argument."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.cli.flags import Flag, in_flags

FLAGS = {
    "algorithms": Flag("--algorithms", "A,B,…"),
    "average": Flag("--average/--no-average"),
    "fdr": Flag("--fdr", "RATE"),
    "folds": Flag("--set folds", "VALUE"),
    "joint": Flag("--set joint", "VALUE"),
    "measures": Flag("--measure", "NAME:DIRECTION"),
    "missing": Flag("--missing", "raise|drop|ignore|worst|bounds"),
    "overwrite": Flag("--force"),
    "replicate": Flag("--replicate-column", "COLUMN"),
}


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("fdr=2.0: must lie below 1.", "--fdr 2.0: must lie below 1."),
        ("fdr=-1e-05.", "--fdr -1e-05."),
        ("fdr=nan: no.", "--fdr nan: no."),
        ("choose fdr=0.", "choose --fdr 0."),
        ("say missing='drop'.", "say --missing drop."),
        ('say missing="drop".', "say --missing drop."),
        ("by replicate=, or", "by --replicate-column, or"),
        ("replicate='my fold': no", "--replicate-column 'my fold': no"),
        ("replicate=None: no", "--replicate-column: no"),
        ("algorithms=['A', 'B']: no", "--algorithms A,B: no"),
        ("fewer (algorithms=[...]), or", "fewer (--algorithms A,B,…), or"),
        ("algorithms: 'A' is named twice.", "--algorithms: 'A' is named twice."),
        ("measures={'a': 'max', 'b': 'min'}", "--measure a:max --measure b:min"),
        ("as in measures=['a', 'b']", "as in --measure a --measure b"),
        ("x.csv: measures['a']: no such column", "x.csv: --measure a: no such column"),
        ("average=True or average=False", "--average or --no-average"),
        ("or overwrite=True.", "or --force."),
        ("folds=10 and joint=True", "--set folds=10 and --set joint=true"),
        ("folds= is missing", "--set folds= is missing"),
        ("ask pairwise().", "ask 'bayescompare pairwise'."),
        ("bc.ErrorCounts.from_frame(...) or .from_predictions(...)", "--errors or --predictions"),
    ],
)
def test_arguments_are_written_as_flags(message: str, typed: str) -> None:
    assert in_flags(message, FLAGS) == typed


@pytest.mark.parametrize(
    "message",
    [
        "no algorithm called 'fdr=2': choose from 'a', 'missing=1'.",  # a name of the user's
        "dataset 'it''s fdr=1' occurs twice.",
        "a value such as Dirichlet(missing='drop') or f(1, fdr=2).",  # a call
        "results.sel(measures=[...])",
        "c.pairwise() or repairwise()",
        "fdr_x=1, xfdr=1, x.fdr=1, my-fdr=1, /data/fdr=1/x.csv, acc:max:fdr=1",  # another name
        "floor=0.4: must be a number.",  # no flag
        "--set fdr=2: no",  # as it was typed
        "missing cells; measures of fdr; level 0.95",  # words
    ],
)
def test_what_is_no_argument_stays(message: str) -> None:
    assert in_flags(message, FLAGS) == message


# ------------------------------------------------------------------------- every flag of a command

READ = {
    "measures": "--measure",
    "dataset": "--dataset-column",
    "algorithm": "--algorithm-column",
    "replicate": "--replicate-column",
    "replicates": "--replicates",
    "cluster": "--cluster",
    "epoch": "--epoch",
    "keep_items": "--keep-items",
    "group": "--group",
    "weight": "--weight",
    "rename": "--rename",
    "drop_columns": "--drop-column",
    "sheet": "--sheet",
    "layout": "--layout",
    "format": "--format",
    "max_cells": "--max-cells",
    "max_bytes": "--max-bytes",
}
ABOUT_FILES = (
    *("rename", "drop_columns", "sheet", "layout", "format"),
    *("max_cells", "max_bytes"),
)
ASKED = {
    **READ,
    "measures": "--only",
    "algorithms": "--algorithms",
    "missing": "--missing",
    "method": "--method",
    "prior": "--prior",
    "strength": "--strength",
    "ess": "--ess",
    "max_parents": "--max-parents",
    "search": "--search",
    "rng": "--seed",
    "overwrite": "--force",
}
NUTS = {name: f"--{name.replace('_', '-')}" for name in ("draws", "chains", "tune", "cores")}
COMMANDS = {
    "compare": {
        **ASKED,
        "alternative": "--alternative",
        "ci_prob": "--ci-prob",
        "ci_kind": "--ci-kind",
        "n_jobs": "--jobs",
    },
    "pairwise": {
        **ASKED,
        "alternative": "--alternative",
        "reference": "--reference",
        "level": "--level",
        "fdr": "--fdr",
        "n_jobs": "--jobs",
    },
    "rank": {
        **{k: v for k, v in ASKED.items() if k in READ or k in ("algorithms", "missing", "rng")},
        "overwrite": "--force",
        "by": "--by",
        "utility": "--utility",
        "level": "--level",
        "draws": "--draws",
    },
    "sample": {**ASKED, **NUTS, "target_accept": "--target-accept"},
    "calibrate": {
        **{name: flag for name, flag in READ.items() if name not in ABOUT_FILES},
        "measures": "--only",
        "algorithms": "--algorithms",
        "simulations": "--simulations",
        "draws": "--draws",
        "rng": "--seed",
        "overwrite": "--force",
    },
}
#: Flags that become no argument: what they say is read here, or is a path.
NO_ARGUMENT = {
    *(
        "--label",
        "--example",
        "--table",
        "--measure",
        "--errors",
        "--predictions",
        "--reader",
        "--set",
        "--average",
    ),
    *("--json", "--report", "--save", "--out", "--plot", "--no-progress", "--help", "--effects"),
}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results.csv"
    path.write_text("dataset,algorithm,accuracy\na,A,1\na,B,2\nb,A,2\nb,B,3\n")
    return path


def message_of(command: str, *more: object) -> str:
    """The error of a command, without its first word."""
    tables = {
        "sample": ("results.csv", "--measure", "accuracy:max", "--out", "x.nc"),
        "calibrate": ("dirichlet",),
    }
    arguments = tables.get(command, ("results.csv", "--measure", "accuracy:max"))
    result = CliRunner().invoke(app, [command, *arguments, *map(str, more)])
    assert result.exit_code == 2, result.output
    return result.stderr.removeprefix("error: ").removesuffix("\n")


def plant(monkeypatch: pytest.MonkeyPatch, where: str, message: str) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise bc.BayescompareError(message)

    monkeypatch.setattr(where, fail)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_in_the_table(command: str) -> None:
    options = get_command(app).commands[command].params  # type: ignore[attr-defined]
    flags = {option.opts[0] for option in options if option.opts[0].startswith("--")}
    assert flags - NO_ARGUMENT == set(COMMANDS[command].values())


@pytest.mark.parametrize(
    ("command", "argument"),
    [(command, argument) for command, arguments in COMMANDS.items() for argument in arguments],
)
def test_every_argument_is_named_by_its_flag(
    command: str, argument: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doors = {"pairwise": "pairwise", "rank": "rank", "calibrate": "studies.sbc"}
    door = doors.get(command, "compare")
    plant(monkeypatch, f"bayescompare.{door}", f"{argument}='x': no, leave {argument}= out.")
    flag = COMMANDS[command][argument]
    assert message_of(command) == f"{flag} x: no, leave {flag} out."


@pytest.mark.parametrize("argument", READ)
def test_every_argument_of_the_reader_is_named_by_its_flag(
    argument: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(
        monkeypatch, "bayescompare.table.reading.read_tables", f"results.csv: {argument}='x': no."
    )
    assert message_of("compare") == f"results.csv: {READ[argument]} x: no."


def test_every_argument_of_the_doors_has_a_flag() -> None:
    without = {"results", "path", "sampler", "progress", "frame"}
    doors = ((bc.compare, "compare"), (bc.pairwise, "pairwise"), (bc.rank, "rank"))
    for door, command in doors:
        assert set(inspect.signature(door).parameters) - without <= set(COMMANDS[command])
    assert set(inspect.signature(bc.read_results).parameters) - without == set(READ)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "gsd", "--set", "delta=2"), "--set delta=2: must be"),
        (("--method", "network", "--ess", "0"), "--ess 0.0: must be"),
        (("--method", "network", "--set", "ess=0"), "--set ess=0: must be"),
        (
            ("--method", "network", "--average", "--search", "ges"),
            "--average sums over all graphs: leave --search exact, or --no-average.",
        ),
        (("--method", "network", "--strength", "1"), "--strength: method 'network' has no such"),
        (("--set", "ess=1"), "--set ess: method 'dirichlet' has no such option"),
        (("--method", "plackett_luce", "--set", "scale=2"), "--set scale: "),
        (("--method", "poisson-binomial"), "by --errors or --predictions"),
        (("--method", "correlated-t"), "name their column by --replicate-column, or"),
        (("--only", "accuracy", "--algorithms", ""), "--algorithms is empty"),
        (("--ci-prob", "95"), "--ci-prob 95.0: give the probability inside the interval"),
        (("--ci-prob", "0.9", "--json"), "--ci-prob is about the printed table, and --json has"),
        (("--ci-kind", "hdi", "--json"), "--ci-kind is about the printed table"),
        (("--method", "sign", "--ci-prob", "0.9"), "intervals: this answer of method 'sign' has"),
        (("--report", "x.pdf"), "--report x.pdf: a report ends in"),
        (("--report", "results.txt"), "--report results.txt: a report ends in"),
        (("--save", "taken.nc"), "taken.nc exists: choose another name, or use --force."),
    ],
)
def test_what_was_typed_is_named(table: Path, arguments: tuple[str, ...], message: str) -> None:
    table.with_name("taken.nc").touch()
    assert message in message_of("compare", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--errors", "first,gone"),
            "--errors first,gone: counts.csv: SECOND='gone': no such column",
        ),
        (
            ("--errors", "first,second,both=gone"),
            "--errors first,second,both=gone: counts.csv: both='gone': no such column",
        ),
        (
            ("--predictions", "correct=first"),
            "--predictions correct=first: counts.csv: example='example': no such column",
        ),
        (
            ("--errors", "first,second", "--dataset-column", "task"),
            "counts.csv: --dataset-column task: no such column",
        ),
    ],
)
def test_columns_of_counts_are_named_as_typed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("counts.csv").write_text("dataset,first,second\na,1,2\nb,3,4\n")
    result = CliRunner().invoke(app, ["compare", "counts.csv", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("methods", "bayes"), "NAME bayes is unknown"),
        (("calibrate", "bayes", "--example", "pnn"), "MODEL bayes: must be one of dirichlet"),
    ],
)
def test_what_has_no_flag_is_named_as_in_the_help(arguments: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {message}")


def test_a_value_stays_printable(table: Path) -> None:
    message = message_of("compare", "--replicate-column", "\x1b[31m")
    assert r"--replicate-column \x1b[31m: no such column" in message


def test_an_example_refuses_what_is_about_a_file() -> None:
    for name in ("dataset", "algorithm", "replicate"):
        flag = f"--{name}-column"
        result = CliRunner().invoke(app, ["compare", "--example", "pnn", flag, "x"])
        assert result.stderr.startswith(f"error: {flag} is about FILE")


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("prior['weight']=0 contradicts.", "--prior ['weight']=0 contradicts."),
        ("prior['acc']['B>A']: no.", "--prior ['acc']['B>A']: no."),
        ("prior={'weight': 5} has none.", "--prior '{\"weight\": 5}' has none."),
        ("prior='x': no.", "--prior x: no."),
    ],
)
def test_a_prior_typed_as_json(message: str, typed: str) -> None:
    assert in_flags(message, {"prior": Flag("--prior", "NAME|NUMBER|JSON")}) == typed
