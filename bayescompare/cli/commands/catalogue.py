"""``bayescompare examples`` and ``bayescompare methods``: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.groups import with_groups

__all__ = ["examples", "methods"]

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", show_default=False, help="Show this one.")
]


def examples(name: Name = None) -> None:
    """List the bundled tables, or describe one."""
    from bayescompare.cli import tables as cli_tables

    out = cli_tables.console()
    if name is None:
        cli_tables.print_examples(out)
    else:
        out.print(repr(bc.load_example(name)), soft_wrap=True)


@with_groups
def methods(method: Name = None) -> None:
    """List the methods, or describe one: options, priors, reference."""
    from bayescompare.cli import tables as cli_tables

    out = cli_tables.console()
    if method is None:
        cli_tables.print_methods(out)
        return
    # Listing the names imports no method, and this belongs to one.
    from bayescompare.methods.model_file.source import bundled

    if method in bundled() or method.endswith(".py"):
        raise BayescompareError(
            f"{method} is a model file: 'bayescompare models show {method}' prints it."
        )
    cli_tables.print_method(out, method)
