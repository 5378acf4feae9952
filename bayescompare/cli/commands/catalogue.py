"""``bayescompare examples`` and ``bayescompare methods``: what there is."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.completion import complete_example, complete_method
from bayescompare.cli.groups import with_groups
from bayescompare.cli.outputs import print_json

__all__ = ["examples", "methods"]

ExampleName = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        show_default=False,
        help="Show this one.",
        autocompletion=complete_example,
    ),
]
MethodName = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        show_default=False,
        help="Show this one.",
        autocompletion=complete_method,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", show_default=False, help="Print JSON.")]


def examples(name: ExampleName = None, as_json: AsJson = False) -> None:
    """List the bundled tables, or describe one."""
    if as_json:
        print_json(json.dumps(_examples_data(name), indent=1, ensure_ascii=False))
        return
    from bayescompare.cli import tables as cli_tables

    out = cli_tables.console()
    if name is None:
        cli_tables.print_examples(out)
    else:
        out.print(repr(bc.load_example(name)), soft_wrap=True)


def _examples_data(name: str | None) -> list[dict[str, Any]]:
    """Return what there is to know of each bundled table without reading it, or of one."""
    known = bc.io.examples()
    if name is not None:
        bc.load_example(name)  # says which names there are
    return [
        {
            "name": example.name,
            "description": example.description,
            "measures": list(example.measures),
            "source": example.source,
        }
        for example in known
        if name in (None, example.name)
    ]


@with_groups
def methods(method: MethodName = None, as_json: AsJson = False) -> None:
    """List the methods, or describe one: options, priors, reference."""
    if as_json:
        titles = bc.methods.names()
        if method is not None:
            found = bc.methods.get(method)
            text: Any = {"name": method, "title": found.title, "reference": found.reference}
        else:
            text = [{"name": name, "title": title} for name, title in titles.items()]
        print_json(json.dumps(text, indent=1, ensure_ascii=False))
        return
    from bayescompare.cli import tables as cli_tables

    out = cli_tables.console()
    if method is None:
        cli_tables.print_methods(out)
        return
    # Listing the names imports no method, and this belongs to one.
    from bayescompare._model_files import bundled

    if method in bundled() or method.endswith(".py"):
        raise BayescompareError(
            f"{method} is a model file: 'bayescompare models show {method}' prints it."
        )
    cli_tables.print_method(out, method)
