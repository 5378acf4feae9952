"""``bayescompare compare``: one question."""

from pathlib import Path
from typing import Annotated, Any

import bayescompare as bc
from bayescompare.cli.groups import option, with_groups
from bayescompare.cli.method_options import MethodOptions, read_method
from bayescompare.cli.options import (
    OUTPUT,
    Missing,
    OutputOptions,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import announce, check_outputs, print_json, typed_command
from bayescompare.cli.table_sources import read_table

__all__ = ["EXAMPLES", "compare"]

EXAMPLES = """Examples:

  bayescompare compare results.csv --measure accuracy:max --measure time:min --algorithms A,B

  bayescompare compare results.csv --measure accuracy:max:rope=0.01 --algorithms A,B --method glrt

  bayescompare compare --example benavoli-example1 --prior imprecise --json

  bayescompare compare results.csv --measure accuracy:max --measure time:min --method network

  bayescompare compare --example lacoste-svm-parzen --method poisson-binomial --set joint=true

  bayescompare compare folds.csv --measure auc:max:rope=0.01 --replicate-column fold \
--algorithms A,B --method correlated-t"""


@with_groups
def compare(
    *,
    table: TableOptions,
    selection: SelectionOptions,
    missing: Missing = "raise",
    method: MethodOptions,
    rng: Seed = None,
    output: OutputOptions,
    save: Annotated[
        Path | None,
        option("--save", "Save the comparison as netCDF, or as .json.", OUTPUT, metavar="PATH.nc"),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Ask one question: which ordering of the algorithms, jointly on all measures, leads?"""
    check_outputs(table.file, overwrite=overwrite, report=output.report, save=save)
    test = read_method(method)
    results = read_table(table, selection.algorithms)
    question: dict[str, Any] = {**selection.names, "missing": missing, "rng": rng}
    c = bc.compare(results, method=test, **question)
    text = c.to_json() if output.as_json else None
    if output.report is not None:
        c.report(output.report, overwrite=overwrite, command=typed_command())
    if save is not None:
        (c.to_json if save.suffix == ".json" else c.to_netcdf)(save, overwrite=overwrite)
    if text is not None:
        print_json(text)
    else:
        from bayescompare.cli import tables as cli_tables

        cli_tables.print_comparison(cli_tables.console(), c)
    announce(output.report, save, err=output.as_json)
