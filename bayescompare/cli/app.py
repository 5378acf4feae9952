"""The command line: ``bayescompare compare results.csv --measure accuracy:max``.

The commands are put together here, and whatever is wrong becomes one line. Nothing heavy is
imported before a command runs, so that ``--help`` answers at once, and only the command that was
typed is made.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import with_groups
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

#: Both spellings of help, and as wide as the terminal up to where lines get too long.
_SETTINGS = {"help_option_names": ["--help", "-h"], "max_content_width": 100}

#: Where each command is, in the order of --help.
_PLACES = {
    "compare": "ask",
    "pairwise": "ask",
    "rank": "ask",
    "sample": "simulate",
    "gate": "ask",
    "examples": "catalogue",
    "methods": "catalogue",
    "calibrate": "simulate",
    "models": "catalogue",
}


class _Reader:
    """Typer's reader of an option, made only if a value is more than words or a path.

    Newer releases load pydantic for it, a tenth of a second, even for an option that was left out.
    """

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self) -> _Reader:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as the command takes it."""
        several = param.multiple or param.nargs == -1
        kind = param.type_descriptor.annotation
        if value is None:
            return () if several else None
        if type(value) is kind or kind == list[str]:
            return value
        if kind is Path:
            return Path(value)
        if kind == list[Path]:
            return [Path(each) for each in value]
        return self._make().coerce(value, param=param, ctx=ctx)


class _Lightly:
    """A command or group whose options are read by `_Reader`; older releases of Typer need none."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, --help included."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in params:
            make = getattr(each, "get_runtime_param", None)
            if make is not None and not isinstance(make, _Reader):
                each.get_runtime_param = _Reader(make)
        return params


class _Group(_Lightly, TyperGroup):
    """A group of commands."""


class _Command(_Lightly, TyperCommand):
    """A command whose help lists the options under their panels, as plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, a section for each topic."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for each in self.get_params(ctx):
            if record := each.get_help_record(ctx):
                panel, name = getattr(each, "rich_help_panel", None), record[0]
                if each.param_type_name == "argument":
                    panel, name = "Arguments", each.metavar or name
                sections.setdefault(panel or "Options", []).append((name, record[1]))
        # What every command has comes last.
        sections["Options"] = sections.pop("Options", [])
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _first_line(name: str) -> str:
    about = getattr(importlib.import_module(f"bayescompare.cli.{_PLACES[name]}"), name)
    return (about if isinstance(about, str) else about.__doc__ or "").partition("\n")[0]


@functools.cache
def _load(name: str) -> Any:
    """Make a command."""
    module = importlib.import_module(f"bayescompare.cli.{_PLACES[name]}")
    if name != "models":
        made = _typer()
        _add(made, name, getattr(module, name), getattr(module, "EPILOGS", {}).get(name))
        return get_command(made)
    made = _typer(cls=_Group, help=module.models)
    _add(made, "list", module.list_models)
    _add(made, "show", module.show)
    _add(made, "copy", module.copy)
    return get_group(made)


def _typer(*, add_completion: bool = False, **options: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=add_completion,
        no_args_is_help="help" in options,
        rich_markup_mode=None,
        context_settings=_SETTINGS,
        pretty_exceptions_enable=False,
        **options,
    )


def _add(to: typer.Typer, name: str, command: Any, epilog: str | None = None) -> None:
    to.command(
        name,
        cls=_Command,
        context_settings=_SETTINGS,
        epilog=epilog,
    )(with_groups(command))


class _Commands(_Group):
    """The commands; whatever is wrong becomes one line on standard error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands: Any = dict.fromkeys(_PLACES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Make a command when it is asked for."""
        return _load(cmd_name) if cmd_name in _PLACES else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with all of their first line, without making them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_line(name)) for name in _PLACES])

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with 0, or with 2 for what the user can mend.

        Ctrl-C gives 130 and SIGTERM 143, and either ends parallel workers. If nobody reads the
        output any more (``| head``), exit silently with 141, as other programs do.
        """
        try:
            with stoppable_process(signal.SIGTERM):
                code = super().main(*args, **{**kwargs, "standalone_mode": False})
            sys.stdout.flush()
        except HungUp:
            _stop("", HUNG_UP)
        except (BayescompareError, OSError) as error:
            _fail(str(error), kwargs.get("args"))
        except Interrupted as stopped:
            (number,) = stopped.args
            _stop("terminated" if number == signal.SIGTERM else "interrupted", 128 + number)
        except typer.Abort as error:
            if isinstance(error.__cause__, EOFError):  # Typer takes it for Ctrl-D at a prompt
                raise error.__cause__ from None
            _stop("interrupted", 130)
        except Exception as error:
            # Typer's usage errors; their class has moved between its versions.
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":  # there was no command
                typer.echo(error.ctx.get_help(), err=True)  # type: ignore[attr-defined]
                _stop("", 2)
            message = error.format_message().strip().rstrip(".")
            context = getattr(error, "ctx", None)
            see = f"; see '{context.command_path} --help'." if context else ""
            _fail(f"{message[:1].lower()}{message[1:]}{see}", kwargs.get("args"))
        if code == 130:  # Typer's own handling of Ctrl-C
            _stop("interrupted", 130)
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, typed: list[str] | None) -> NoReturn:
    """Print an error; a program that asked for JSON reads it from standard output."""
    if "--json" in (sys.argv[1:] if typed is None else typed):
        with suppress(HungUp):
            sys.stdout.write(json.dumps({"error": message}) + "\n")
    _stop(f"error: {message}", 2)


def _stop(message: str, code: int) -> NoReturn:
    if message:
        with suppress(HungUp):
            typer.echo(re.sub(r"\s*[\r\n]+\s*", " ", message), err=True)
    settle_streams()
    sys.exit(code)


# the program --------------------------------------------------------------------------------------

app = _typer(
    name="bayescompare",
    add_completion=True,
    cls=_Commands,
    help="Which algorithm is better, jointly over several measures, and how sure are we?",
    epilog="Start with: bayescompare pairwise --example jansen-uci",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayescompare {bc.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
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
