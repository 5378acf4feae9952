"""Groups of options are the options of a command, and reach it as one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from bayescompare.cli.app import app
from bayescompare.cli.groups import OptionGroup, command_line_option, with_groups

COLUMNS = (
    "--measure --dataset-column --algorithm-column --replicate-column --replicates --cluster "
    "--epoch --keep-items --group --weight"
)
TABLE = (
    f"--label --example {COLUMNS} --errors --predictions --rename --drop-column --sheet --layout "
    "--format --reader --max-cells --max-bytes"
)
METHOD = "--method --set --prior --strength --ess --max-parents --search --average"
NUTS = "--draws --chains --tune --target-accept --cores"

#: The options of every command, in the order of its help.
OPTIONS = {
    "compare": f"files {TABLE} --algorithms --only --missing {METHOD} --alternative --ci-prob "
    "--ci-kind --seed --jobs --json --report --save --force --no-progress",
    "pairwise": f"files {TABLE} --algorithms --only --reference --missing {METHOD} --alternative "
    "--level --fdr --seed --jobs --effects --json --report --save --force --no-progress",
    "rank": f"files {TABLE} --algorithms --only --by --utility --level --draws --missing --seed "
    "--json --save --plot --report --force",
    "sample": f"--out files {TABLE} --algorithms --only --missing {METHOD} --seed {NUTS} --force "
    "--no-progress",
    "calibrate": f"model --simulations --draws --example --table {COLUMNS} --algorithms --only "
    "--seed --plot --force",
    "gate": f"files {TABLE} --candidate --baseline --only --level --over --missing --seed --json "
    "--save --force",
    "examples": "name --json",
    "methods": "method --json",
}


@pytest.mark.parametrize("command", OPTIONS)
def test_the_options_of_a_command(command: str) -> None:
    parameters = get_command(app).commands[command].params  # type: ignore[attr-defined]
    names = [parameter.opts[0].rpartition("_")[2] for parameter in parameters]
    assert names == OPTIONS[command].split()


@dataclass(frozen=True)
class Inner(OptionGroup):
    seed: Annotated[int | None, command_line_option("--seed", "A seed.", "Inside")] = None


@dataclass(frozen=True)
class Outer(OptionGroup):
    needed: Annotated[str, command_line_option("--needed", "Needed.", "Outside")]
    inner: Inner = field(default_factory=Inner)
    both: Annotated[bool | None, command_line_option("--yes/--no", "Either.", "Outside")] = None


def run(*arguments: str) -> tuple[list[object], str]:
    """Run a command of two groups; what it was called with, and what it printed."""
    calls: list[object] = []
    toy = typer.Typer(add_completion=False)

    @toy.command()
    @with_groups
    def command(
        *,
        outer: Outer,
        last: Annotated[int, command_line_option("--last", "The last.", "Outside")] = 3,
    ) -> None:
        """Do something."""
        calls.extend((outer, last))

    return calls, CliRunner().invoke(toy, arguments).output


def test_a_command_gets_one_object_for_each_group() -> None:
    calls, _ = run("--needed", "x", "--seed", "2", "--no")
    assert calls == [Outer("x", Inner(2), both=False), 3]
    calls, _ = run("--needed", "x", "--last", "4")
    assert calls == [Outer("x"), 4]


def test_what_is_needed_is_needed() -> None:
    calls, printed = run()
    assert calls == []
    assert "Missing option '--needed'" in printed


def test_the_help_is_of_single_options() -> None:
    _, printed = run("--help")
    assert "Do something." in printed
    places = [printed.index(text) for text in ("--needed", "--yes", "--last", "--seed")]
    assert places == sorted(places)  # by panel, and in a panel as declared
    assert "[required]" in printed


def test_flags_of_fields() -> None:
    flags = {name: flag.text for name, flag in Outer("x").flags().items()}
    assert flags == {"needed": "--needed", "seed": "--seed", "both": "--yes/--no"}
