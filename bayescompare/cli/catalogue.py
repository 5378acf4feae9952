"""The commands that show what there is: ``examples``, ``methods`` and ``models``."""

import json
from pathlib import Path
from typing import Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.cli import completion
from bayescompare.cli.flags import Options, argument, switch
from bayescompare.cli.outputs import announce, print_json
from bayescompare.table.writing import check_file_is_writable, write_text

__all__ = ["copy", "examples", "list_models", "methods", "models", "show"]


class Listed(Options, panel="Options"):
    """How a list is printed."""

    as_json: bool = switch("Print JSON.", flag="--json")


class Example(Listed, panel="Options"):
    """One example, or all."""

    name: str | None = argument(
        "NAME", "Show this one.", default=None, autocompletion=completion.examples
    )


class OneMethod(Listed, panel="Options"):
    """One method, or all."""

    method: str | None = argument(
        "NAME", "Show this one.", default=None, autocompletion=completion.methods
    )


def examples(asked: Example) -> None:
    """List the bundled tables, or describe one."""
    if asked.as_json:
        if asked.name is not None:
            bc.load_example(asked.name)  # says which names there are
        _print_data(
            [
                {
                    "name": each.name,
                    "description": each.description,
                    "measures": list(each.measures),
                    "source": each.source,
                }
                for each in bc.io.examples()
                if asked.name in (None, each.name)
            ]
        )
        return
    from bayescompare.cli import printing

    if asked.name is None:
        printing.print_examples(printing.console())
    else:
        printing.console().print(repr(bc.load_example(asked.name)), soft_wrap=True)


def methods(asked: OneMethod) -> None:
    """List the methods, or describe one: options, priors, reference."""
    name = asked.method
    if asked.as_json:
        titles = [{"name": each, "title": title} for each, title in bc.methods.names().items()]
        if name is None:
            _print_data(titles)
        else:
            found = bc.methods.get(name)
            _print_data({"name": name, "title": found.title, "reference": found.phrases.reference})
        return
    from bayescompare._model_files import bundled
    from bayescompare.cli import printing

    if name is None:
        printing.print_methods(printing.console())
    elif name in bundled() or name.endswith(".py"):
        raise BayescompareError(
            f"{name} is a model file: 'bayescompare models show {name}' prints it."
        )
    else:
        printing.print_method(printing.console(), name)


def _print_data(data: Any) -> None:
    print_json(json.dumps(data, indent=1, ensure_ascii=False))


#: What the group of commands about models is for.
models = "Generative models in plain PyMC: list them, show one, copy one to edit."

# models -------------------------------------------------------------------------------------------


class Shown(Options, panel="Options"):
    """A model."""

    name: str = argument("NAME|FILE.py", autocompletion=completion.models)


class Copied(Options, panel="Options"):
    """A model, and where its copy goes."""

    name: str = argument("NAME", autocompletion=completion.models)
    to: Path | None = argument("PATH.py", "Default: NAME.py here.", default=None)
    overwrite: bool = switch("Overwrite existing files.", flag="--force")


def list_models() -> None:
    """List the bundled models."""
    from bayescompare.cli import printing

    printing.print_models(printing.console())


def show(asked: Shown) -> None:
    """Print a model's file."""
    typer.echo(_model_file(asked.name).read_text(encoding="utf-8"), nl=False)


def copy(asked: Copied) -> None:
    """Copy a bundled model to edit it; use the copy with --method."""
    source = _model_file(asked.name)
    place = Path(f"{source.stem}.py") if asked.to is None else asked.to
    target = check_file_is_writable(place, overwrite=asked.overwrite)
    if target.suffix != ".py":
        raise BayescompareError(f"{target}: a model file ends in .py.")
    write_text(target, source.read_text(encoding="utf-8"))
    announce(target)


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
