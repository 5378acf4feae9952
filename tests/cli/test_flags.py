"""Options: what each command has, that help shows them, and that errors name what was typed."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.main import get_command

import bayescompare as bc
from bayescompare.cli import options
from bayescompare.cli.app import app
from bayescompare.cli.options import ALIASES, METHOD, Flag, in_flags, split_names
from tests.cli.commands import refused, run, shell

FLAGS = {
    "algorithms": Flag("--algorithms", "A,B,…"),
    "average": Flag("--average/--no-average"),
    "fdr": Flag("--fdr", "RATE"),
    "folds": Flag("--set folds", "VALUE"),
    "joint": Flag("--set joint", "VALUE"),
    "measures": Flag("--measure", "NAME:DIRECTION"),
    "missing": Flag("--missing", "raise|drop|ignore|worst|bounds"),
    "overwrite": Flag("--force"),
    "prior": Flag("--prior", "NAME|NUMBER|JSON"),
    "replicate": Flag("--replicate-column", "COLUMN"),
}


def typed(message: str) -> str:
    return in_flags(message, FLAGS)


@pytest.mark.parametrize(
    ("message", "expected"),
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
        ("prior['weight']=0 contradicts.", "--prior ['weight']=0 contradicts."),
        ("prior['acc']['B>A']: no.", "--prior ['acc']['B>A']: no."),
        ("prior={'weight': 5} has none.", "--prior '{\"weight\": 5}' has none."),
        ("prior='x': no.", "--prior x: no."),
    ],
)
def test_arguments_are_written_as_flags(message: str, expected: str) -> None:
    assert typed(message) == expected


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
    assert typed(message) == message


# ------------------------------------------------------------------------- the options of a command

COLUMNS = (
    "--measure --dataset-column --algorithm-column --replicate-column --replicates --cluster "
    "--epoch --keep-items --group --weight"
)
TABLE = (
    f"{COLUMNS} files --label --example --errors --predictions --rename --drop-column --sheet "
    "--layout --format --reader --max-cells --max-bytes"
)
SELECTION = "--algorithms --only"
ASKED = "--seed --missing"
METHODS = "--method --set --prior --strength --ess --max-parents --search --average"
OUTPUT = "--force --json --markdown --save"

#: The options of every command, in the order of its help.
OPTIONS = {
    "compare": f"{TABLE} {SELECTION} {ASKED} {METHODS} --alternative --ci-prob --ci-kind --jobs "
    f"{OUTPUT} --report --no-progress",
    "pairwise": f"{TABLE} {SELECTION} {ASKED} {METHODS} --alternative --reference --level --fdr "
    f"--guard --jobs --effects {OUTPUT} --report --no-progress",
    "rank": f"{TABLE} {SELECTION} --by --utility --level --draws {ASKED} {OUTPUT} --report --plot",
    "sample": f"{TABLE} {SELECTION} {ASKED} {METHODS} --draws --chains --tune --target-accept "
    "--cores --out --force --no-progress",
    "look": TABLE,
    "gate": f"{TABLE} --candidate --baseline --only --level --over {ASKED} {OUTPUT} --report",
    "calibrate": "model --simulations --draws --example --table "
    f"{COLUMNS} {SELECTION} --seed --plot --force",
    "examples": "--json name",
    "methods": "--json method",
}
#: The commands, and what they need besides a file.
COMMANDS = {
    **dict.fromkeys(("compare", "pairwise", "rank", "look"), ()),
    "gate": ("--candidate", "A", "--baseline", "B"),
    "sample": ("--out", "x.nc"),
    **dict.fromkeys(("calibrate", "examples", "methods", "models copy"), ()),
}
#: Python's arguments whose flags are not their names.
NAMED = {
    **{name: f"--{name}-column" for name in ("dataset", "algorithm", "replicate")},
    **{"drop_columns": "--drop-column", "rng": "--seed", "n_jobs": "--jobs"},
}
#: Arguments without a flag of their own, or with two that exclude each other.
NO_FLAG = {"path", "results", "sampler", "progress", "frame", "guard", "overwrite"}


def named(argument: str) -> str:
    return NAMED.get(argument, f"--{argument.replace('_', '-')}")


def planted(where: str, door: Any, monkeypatch: pytest.MonkeyPatch, measures: str) -> str:
    """Let a door fail with all arguments that it has, and return what is to be read then."""
    arguments = [name for name in inspect.signature(door).parameters if name not in NO_FLAG]

    def fail(*args: Any, **kwargs: Any) -> None:
        raise bc.BayescompareError(" ".join(f"{name}='x', {name}=." for name in arguments))

    monkeypatch.setattr(f"bayescompare.{where}", fail)
    flags = [measures if name == "measures" else named(name) for name in arguments]
    return " ".join(f"{flag} x, {flag}." for flag in flags)


@pytest.mark.parametrize("command", OPTIONS)
def test_the_options_of_a_command(command: str) -> None:
    made: Any = get_command(app)
    names = [each.opts[0] for each in made.get_command(None, command).params]
    assert names == OPTIONS[command].split()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["compare", "pairwise", "rank", "gate"])
def test_every_argument_is_named_by_its_flag(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = planted(command, getattr(bc, command), monkeypatch, "--only")
    more = COMMANDS[command]
    assert refused(command, "results.csv", "-m", "accuracy:max", *more) == expected


@pytest.mark.usefixtures("folder")
def test_every_argument_of_the_reader_is_named_by_its_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = planted("readers.look.read_tables", bc.read_results, monkeypatch, "--measure")
    assert refused("compare", "results.csv", "-m", "accuracy:max") == expected


# -------------------------------------------------------------------------- the options of a method

#: A method that has the option, a value as Typer reads it, and the same after ``--set NAME=``.
VALUES: dict[str, tuple[str, Any, str]] = {
    "prior": ("dirichlet", "2", "2"),
    "strength": ("dirichlet", 3.0, "3.0"),
    "ess": ("network", 2.0, "2.0"),
    "max_parents": ("network", 1, "1"),
    "search": ("network", "hill-climb", "hill-climb"),
    "average": ("network", True, "true"),
    "alternative": ("gsd", "first", "first"),
}


def method(name: str, **typed: Any) -> SimpleNamespace:
    """What was typed about a method."""
    return SimpleNamespace(**{**dict.fromkeys(METHOD), "method": name, **typed})


def made(name: str, **typed: Any) -> Any:
    return options.read_method(method(name, **typed))


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_is_a_setting(name: str) -> None:
    has, value, text = VALUES[name]
    setting = made(has, settings=[f"{name}={text}"])
    assert made(has, **{name: value}) == setting != made(has)
    with pytest.raises(bc.BayescompareError, match=f"{name} is given twice"):
        made(has, settings=[f"{name}={text}"], **{name: value})
    message = f"^{named(name)}: method 'glrt' has no such option"
    with pytest.raises(bc.BayescompareError, match=message):
        made("glrt", **{name: value})


@pytest.mark.parametrize("name", list(bc.methods.names()))
def test_every_option_of_a_method_has_a_flag(name: str) -> None:
    flags = options.flags_of(METHOD, method(name))
    for field in fields(bc.methods.get(name)):
        if field.init:
            own = named(field.name) if field.name in ALIASES else f"--set {field.name}"
            assert flags[field.name].text.partition("/")[0] == own


BELIEFS = '{"accuracy": {"B>A": 0.7}, "weight": 5}'


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("poisson-binomial", "joint=true", bc.methods.PoissonBinomial(joint=True)),
        ("poisson-binomial", "joint=False", bc.methods.PoissonBinomial(joint=False)),
        ("poisson-binomial", "b=2", bc.methods.PoissonBinomial(b=2)),
        ("poisson-binomial", "b=5e-1", bc.methods.PoissonBinomial(b=0.5)),
        ("network", "max_parents=none", bc.methods.Network(max_parents=None)),
        ("dirichlet", "prior=2", bc.methods.Dirichlet(prior=2.0)),
        (
            "dirichlet",
            f"prior={BELIEFS}",
            bc.methods.Dirichlet(prior={"accuracy": {"B>A": 0.7}, "weight": 5}),
        ),
        (
            "dirichlet",
            'prior={"B>A|*": 3, "*": 0.5}',
            bc.methods.Dirichlet(prior={"B>A|*": 3, "*": 0.5}),
        ),
        (
            "plackett_luce",
            "sigma=0.5",
            bc.methods.ModelFile("plackett_luce", priors={"sigma": 0.5}),
        ),
    ],
)
def test_values_are_read(name: str, text: str, expected: object) -> None:
    assert made(name, settings=[text]) == expected


@pytest.mark.parametrize("text", ['{"a": ', '{"a": {"B>A": 0.7}, "a": {"B>A": 0.3}}', "{" * 9999])
def test_json_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(bc.BayescompareError, match=r"^--prior: .* is not JSON"):
        made("dirichlet", prior=text)


def test_lists_of_names() -> None:
    assert split_names("--only", None) is None
    assert split_names("--only", "A,B") == ["A", "B"]


# ------------------------------------------------------------------------------ help and completion


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_the_terminal(command: str) -> None:
    text = run(f"{command} --help").stdout  # which Typer's runner makes 80 columns wide
    assert max(map(len, text.splitlines())) <= 80
    assert "<bool>" not in text
    assert run(f"{command} -h").stdout == text


def test_help_has_topics_and_all_of_the_first_lines() -> None:
    text = run("pairwise --help").stdout
    topics = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert topics[:3] == ["Arguments:", "The question:", "The table:"]
    assert topics[-1] == "Options:"
    assert "--average / --no-average" in text
    assert "..." not in run("--help").stdout.partition("Commands:")[2]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["compare", "pairwise", "rank", "sample", "gate", "calibrate"])
def test_examples_of_the_help_can_be_pasted(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are parsed to the end, whatever becomes of them then."""

    def fail(*args: Any, **kwargs: Any) -> None:
        raise bc.BayescompareError("asked")

    for door in ("compare", "pairwise", "rank", "gate", "studies.sbc"):
        monkeypatch.setattr(f"bayescompare.{door}", fail)
    _, _, examples = run(f"{command} --help").stdout.partition("Examples:\n")
    lines = examples.replace("\\\n", " ").splitlines()
    assert len(lines) >= 2
    for line in lines:
        # Their files are not here, nor the columns of those that are.
        asked = line.replace("items.csv", "results.csv").split()[1:]
        assert re.match(r"asked|results.csv: (--\S+ )+|measure 'latency'", refused(*asked))


def test_version() -> None:
    assert run("--version").stdout == f"bayescompare {bc.__version__}\n"


def test_a_shell_is_offered_commands_and_the_columns_of_the_file(folder: Path) -> None:
    for words, expected in (
        (["pair"], ["pairwise"]),
        (["compare", "results.csv", "-m", "a"], ["algorithm", "accuracy"]),
    ):
        environment = {
            **os.environ,
            "_BAYESCOMPARE_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(["bayescompare", *words]),
            "COMP_CWORD": str(len(words)),
        }
        done = shell(env=environment, cwd=folder)
        assert (done.returncode, done.stderr, done.stdout.split()) == (0, "", expected)


def test_names_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    for known, word, name in (
        (options.known_methods, "glr", "glrt"),
        (options.known_models, "pl", "plackett_luce"),
        (options.known_examples, "jan", "jansen-uci"),
    ):
        assert [each for each, _ in options.beginning(known)(word)] == [name]
    monkeypatch.setenv("COMP_WORDS", "bayescompare rank --example jansen-uci --only auc,b")
    assert options.offer_measures("auc,b") == ["auc,brier"]
    monkeypatch.setenv("COMP_WORDS", "bayescompare rank 'x.csv -m time:min --only t")
    assert options.offer_measures("t") == ["time"]


@pytest.mark.parametrize("name", ["x.csv", "absent.csv", "x.parquet"])
def test_what_has_no_header_offers_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe")
    monkeypatch.setenv("COMP_WORDS", f"bayescompare compare {tmp_path / name}")
    assert options.typed_columns() == []
