"""``bayescompare gate``: may a candidate replace the baseline? The exit code says."""

from pathlib import Path
from typing import Annotated

import typer

import bayescompare as bc
from bayescompare.cli.groups import command_line_option, with_groups
from bayescompare.cli.options import (
    OUTPUT,
    QUESTION,
    Missing,
    Overwrite,
    Seed,
    TableOptions,
    measures_meant,
    read_names_flag,
)
from bayescompare.cli.outputs import announce_output_files, check_outputs, print_json
from bayescompare.cli.table_sources import check_table, read_table

__all__ = ["EXAMPLES", "EXIT_CODES", "gate"]

#: What the shell gets for each outcome; 2 is wrong use.
EXIT_CODES = {True: 0, False: 1, None: 3}

EXAMPLES = """Exit codes: 0 passed, 1 worse on some measure, 3 undecided, 2 wrong use.

Examples:

  bayescompare gate results.csv --candidate new --baseline old --measure accuracy:max:rope=0.01

  bayescompare gate results.csv --candidate new --baseline old --measure accuracy:max:rope=0.01 \
--measure latency:min:rope=5:unit=ms --json

  bayescompare gate items.csv --candidate new --baseline old --measure correct:max:rope=0.01 \
--replicate-column item --replicates items --over items

  bayescompare gate --example jansen-uci --candidate GBM --baseline CART"""


@with_groups
def gate(
    *,
    table: TableOptions,
    candidate: Annotated[
        str,
        command_line_option(
            "--candidate", "The algorithm that is to be shipped.", QUESTION, metavar="A"
        ),
    ],
    baseline: Annotated[
        str,
        command_line_option(
            "--baseline", "The algorithm that it would replace.", QUESTION, metavar="B"
        ),
    ],
    measures: Annotated[
        str | None,
        command_line_option("--only", "Use only these measures.", QUESTION, metavar="M1,M2,…"),
    ] = None,
    level: Annotated[
        float,
        command_line_option(
            "--level", "Probability that a verdict needs. Default: 0.95.", QUESTION, metavar="P"
        ),
    ] = 0.95,
    over: Annotated[
        str,
        command_line_option(
            "--over",
            "Resample the datasets (default), or the items of each dataset: then the verdict is "
            "about these datasets only.",
            QUESTION,
            metavar="datasets|items",
        ),
    ] = "datasets",
    missing: Missing = "raise",
    rng: Seed = None,
    as_json: Annotated[
        bool, command_line_option("--json", "Print JSON instead of a table.", OUTPUT)
    ] = False,
    save: Annotated[
        Path | None,
        command_line_option("--save", "Save the gate as JSON.", OUTPUT, metavar="PATH.json"),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """May the candidate replace the baseline? Exit with 0 if so, 1 if worse, 3 if undecided."""
    check_table(table)
    check_outputs(table.paths, overwrite=overwrite, save=save)
    results = read_table(table, None)
    g = bc.gate(
        results,
        candidate=candidate,
        baseline=baseline,
        measures=measures_meant(read_names_flag("--only", measures), results),
        level=level,
        over=over,  # type: ignore[arg-type]
        missing=missing,  # type: ignore[arg-type]
        rng=rng,
    )
    if save is not None:
        g.to_json(save, overwrite=overwrite)
    if as_json:
        print_json(g.to_json())
    else:
        from bayescompare.cli.gate_table import print_gate

        print_gate(g)
    announce_output_files(save, err=as_json)
    raise typer.Exit(EXIT_CODES[g.passed])
