"""Options read plain values as Typer reads them, and leave it the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.core import TyperCommand
from typer.main import get_command
from typer.testing import CliRunner

from bayescompare.cli.app import app
from bayescompare.cli.plain_values import PlainCommand
from tests.cli.commands import OPTIONS

PLAIN = (
    "",
    "--text é",
    "--text=",
    "--seed 3",
    "--seed 0 --whole -12",
    "--number 0.25",
    "--number -3",
    "--number 1e-3",
    "--kind hdi",
    "--path some/file.csv",
    "--path -",
    "--word a --word b",
    "one.csv two.csv",
    "--flag --maybe",
    "--no-maybe",
)
NOT_PLAIN = (
    "--seed -1",
    "--seed x",
    "--seed 1.0",
    "--seed 1.5",
    "--whole 1_000",
    "--whole 123456789012345678901234567890",
    "--number .5",
    "--number nan",
    "--number x",
    "--kind HDI",
    "--kind x",
    "--there no/such/file",
    "--there .",
)


def program(cls: type[TyperCommand]) -> typer.Typer:
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    @made.command(cls=cls)
    def show(
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        text: Annotated[str | None, typer.Option("--text")] = None,
        seed: Annotated[int | None, typer.Option("--seed", min=0)] = None,
        whole: Annotated[int, typer.Option("--whole")] = 1,
        number: Annotated[float | None, typer.Option("--number")] = None,
        kind: Annotated[Literal["eti", "hdi"] | None, typer.Option("--kind")] = None,
        path: Annotated[Path | None, typer.Option("--path")] = None,
        there: Annotated[Path | None, typer.Option("--there", exists=True)] = None,
        word: Annotated[list[str] | None, typer.Option("--word")] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
        maybe: Annotated[bool | None, typer.Option("--maybe/--no-maybe")] = None,
    ) -> None:
        print(files, text, seed, whole, number, kind, path, there, word, flag, maybe)

    return made


def shown(cls: type[TyperCommand], typed: str) -> tuple[int, str]:
    result = CliRunner().invoke(program(cls), typed.split())
    return result.exit_code, result.output


@pytest.fixture
def without_typers_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: Any) -> None:
        raise AssertionError(descriptor)

    monkeypatch.setattr("typer.core.build_runtime_param", refuse, raising=False)


@pytest.mark.parametrize("typed", [*PLAIN, *NOT_PLAIN])
def test_they_read_what_typer_reads(typed: str) -> None:
    assert shown(PlainCommand, typed) == shown(TyperCommand, typed)


@pytest.mark.usefixtures("without_typers_readers")
@pytest.mark.parametrize("typed", PLAIN)
def test_plain_values_do_not_need_typer(typed: str) -> None:
    assert shown(PlainCommand, typed)[0] == 0


@pytest.mark.usefixtures("without_typers_readers")
def test_nor_do_those_of_our_commands(table: Path) -> None:
    more = ("--seed", "3", "--ci-prob", "0.9", "--ci-kind", "hdi", "--jobs", "1", "--no-progress")
    result = CliRunner().invoke(app, ["compare", str(table), *OPTIONS, *more])
    assert result.exit_code == 0, result.output
    assert CliRunner().invoke(app, ["models", "list"]).exit_code == 0


def test_a_command_is_made_once() -> None:
    first, second = get_command(app), get_command(app)
    assert first.commands["compare"] is second.commands["compare"]  # type: ignore[attr-defined]
    assert "no-such-command" not in first.commands  # type: ignore[attr-defined]
