"""The command line: ``bayescompare compare results.csv --measure accuracy:max``.

The commands are put together here (`bayescompare.cli.commands` has one file for each), and
whatever is wrong becomes one line. Nothing heavy is imported before a command runs, so that
``--help`` answers at once, and of the commands only the one that was typed.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command, get_group

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.help_page import HELP_SETTINGS, HelpfulCommand
from bayescompare.cli.plain_values import PlainGroup
from bayescompare.cli.process import (
    HUNG_UP,
    HungUp,
    Interrupted,
    prepare_folders,
    prepare_streams,
    settle_streams,
    stoppable_process,
)

__all__ = ["app", "main"]


# commands -----------------------------------------------------------------------------------------

#: The file of each command, in the order of --help.
_FILES = {
    "compare": "compare",
    "pairwise": "pairwise",
    "rank": "rank",
    "sample": "sample",
    "gate": "gate",
    "examples": "catalogue",
    "methods": "catalogue",
    "calibrate": "calibrate",
    "models": "models",
}


class _CommandTable(Mapping[str, Any]):
    """The commands by name; each is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in _FILES:
            raise KeyError(name)
        return _load_command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


@functools.cache
def _load_command(name: str) -> Any:
    module = importlib.import_module(f"bayescompare.cli.commands.{_FILES[name]}")
    if name == "models":
        return get_group(module.app)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(
        name,
        cls=HelpfulCommand,
        context_settings=HELP_SETTINGS,
        epilog=getattr(module, "EXAMPLES", None),
    )(getattr(module, name))
    return get_command(alone)


class Commands(PlainGroup):
    """The commands; whatever is wrong becomes one line on standard error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands: Any = _CommandTable()

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names alone: Typer's own would make every command."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with all of their first line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, (command.help or "").partition("\n")[0])
            for name, command in commands
            if command is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with 0, or with 2 for what the user can mend.

        Ctrl-C gives 130 and SIGTERM 143, and either ends parallel workers.
        If nobody reads the output any more (``| head``), exit silently with 141, as other
        programs do.
        """
        try:
            with stoppable_process(signal.SIGTERM):
                code = super().main(*args, **{**kwargs, "standalone_mode": False})
            sys.stdout.flush()
        except HungUp:
            _stop_command_line("", HUNG_UP)
        except (BayescompareError, OSError) as error:
            _print_json_error(str(error), kwargs.get("args", args[0] if args else None))
            _stop_command_line(f"error: {error}", 2)
        except Interrupted as stopped:
            (number,) = stopped.args
            word = "terminated" if number == signal.SIGTERM else "interrupted"
            _stop_command_line(word, 128 + number)
        except typer.Abort as error:
            if isinstance(error.__cause__, EOFError):  # Typer takes it for Ctrl-D at a prompt
                raise error.__cause__ from None
            _stop_command_line("interrupted", 130)
        except Exception as error:
            # Typer's usage errors; their class has moved between its versions.
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":  # there was no command
                typer.echo(error.ctx.get_help(), err=True)  # type: ignore[attr-defined]
                _stop_command_line("", 2)
            usage = _cli_usage_error(error)
            _print_json_error(usage.removeprefix("error: "), kwargs.get("args"))
            _stop_command_line(usage, 2)
        if code == 130:  # Typer's own handling of Ctrl-C
            _stop_command_line("interrupted", 130)
        sys.exit(code if isinstance(code, int) else 0)


# errors -------------------------------------------------------------------------------------------


def _print_json_error(message: str, typed: Sequence[str] | None) -> None:
    """Print an error for a program that asked for JSON, and reads it from standard output."""
    if "--json" not in (sys.argv[1:] if typed is None else typed):
        return
    with suppress(HungUp):
        sys.stdout.write(json.dumps({"error": message}) + "\n")


def _cli_usage_error(error: Any) -> str:
    message = str(error.format_message()).strip()
    if not message:  # there was no command, and Typer has printed the help
        return ""
    line = f"error: {message[0].lower()}{message[1:]}"
    path = getattr(getattr(error, "ctx", None), "command_path", None)
    return f"{line.rstrip('.')}; see '{path} --help'." if path else line


def _stop_command_line(message: str, code: int) -> NoReturn:
    if message:
        with suppress(HungUp):
            typer.echo(re.sub(r"\s*[\r\n]+\s*", " ", message), err=True)
    settle_streams()
    sys.exit(code)


# the program --------------------------------------------------------------------------------------

app = typer.Typer(
    name="bayescompare",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=HELP_SETTINGS,
    pretty_exceptions_enable=False,
    help="Which algorithm is better, jointly over several measures, and how sure are we?",
    epilog="Start with: bayescompare pairwise --example jansen-uci",
)


def _show_cli_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayescompare {bc.__version__}")
        raise typer.Exit


@app.callback()
def _cli_root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_show_cli_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    prepare_streams()
    prepare_folders()
    app(prog_name="bayescompare")


if __name__ == "__main__":
    main()
