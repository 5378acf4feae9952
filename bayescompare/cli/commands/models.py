"""``bayescompare models``: the bundled model files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.cli.completion import complete_model
from bayescompare.cli.groups import with_groups
from bayescompare.cli.help_page import HELP_SETTINGS, HelpfulCommand
from bayescompare.cli.options import Overwrite
from bayescompare.cli.outputs import announce_output_files
from bayescompare.cli.plain_values import PlainGroup
from bayescompare.table.writing import check_file_is_writable, write_text

__all__ = ["app"]

app = typer.Typer(
    name="models",
    cls=PlainGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=HELP_SETTINGS,
    help="Generative models in plain PyMC: list them, show one, copy one to edit.",
)


@app.command("list", cls=HelpfulCommand, context_settings=HELP_SETTINGS)
def list_models() -> None:
    """List the bundled models."""
    from bayescompare.cli import tables as cli_tables

    cli_tables.print_models(cli_tables.console())


@app.command("show", cls=HelpfulCommand, context_settings=HELP_SETTINGS)
def show_model(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE.py", autocompletion=complete_model)],
) -> None:
    """Print a model's file."""
    typer.echo(_model_file(name).read_text(encoding="utf-8"), nl=False)


@app.command("copy", cls=HelpfulCommand, context_settings=HELP_SETTINGS)
@with_groups
def copy_model(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_model)],
    to: Annotated[
        Path | None,
        typer.Argument(metavar="PATH.py", show_default=False, help="Default: NAME.py here."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Copy a bundled model to edit it; use the copy with --method."""
    source = _model_file(name)
    target = check_file_is_writable(
        Path(f"{source.stem}.py") if to is None else to, overwrite=overwrite
    )
    if target.suffix != ".py":
        raise BayescompareError(f"{target}: a model file ends in .py.")
    write_text(target, source.read_text(encoding="utf-8"))
    announce_output_files(target)


def _model_file(name: str) -> Path:
    from bayescompare._model_files import bundled

    models = bundled()
    if name.endswith(".py") and Path(name).is_file():
        return Path(name)
    if name not in models:
        raise BayescompareError(
            f"no model called {name!r}: there is {', '.join(models)}.{did_you_mean(name, models)}"
        )
    return models[name]
