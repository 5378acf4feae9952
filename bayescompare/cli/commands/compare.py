"""``bayescompare compare``: one question."""

from pathlib import Path
from typing import Annotated, Any, Literal

import bayescompare as bc
from bayescompare.cli.groups import command_line_option, with_groups
from bayescompare.cli.method_options import MethodOptions, read_method
from bayescompare.cli.options import (
    OUTPUT,
    QUESTION,
    Missing,
    NoProgress,
    OutputOptions,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    print_json,
    sampler_options,
    shows_progress,
    typed_command,
)
from bayescompare.cli.table_sources import check_table, read_table

__all__ = ["EXAMPLES", "compare"]

EXAMPLES = """Examples:

  bayescompare compare results.csv --measure accuracy:max --measure time:min --algorithms A,B

  bayescompare compare results.csv --measure accuracy:max:rope=0.01 --algorithms A,B --method glrt

  bayescompare compare --example benavoli-example1 --prior imprecise --json

  bayescompare compare results.csv --measure accuracy:max --measure time:min --method network

  bayescompare compare --example lacoste-svm-parzen --method poisson-binomial --set joint=true

  bayescompare compare --example benavoli-example1 --ci-prob 0.9 --ci-kind hdi

  bayescompare compare folds.csv --measure auc:max:rope=0.01 --replicate-column fold \
--algorithms A,B --method correlated-t"""


@with_groups
def compare(
    *,
    table: TableOptions,
    selection: SelectionOptions,
    missing: Missing = "raise",
    method: MethodOptions,
    ci_prob: Annotated[
        float | None,
        command_line_option(
            "--ci-prob",
            "Mass of the intervals in the table of statements, below 1. Default: 0.95; with "
            "--ci-kind alone, that of ArviZ.",
            QUESTION,
            metavar="P",
        ),
    ] = None,
    ci_kind: Annotated[
        Literal["eti", "hdi"] | None,
        command_line_option(
            "--ci-kind",
            "Equal-tailed intervals, or the shortest (highest density). Default: eti; with "
            "--ci-prob alone, that of ArviZ.",
            QUESTION,
        ),
    ] = None,
    rng: Seed = None,
    n_jobs: Annotated[
        int,
        command_line_option(
            "--jobs",
            "Parallel jobs for the resamples of gsd, -1 for all cores. Default: 1.",
            QUESTION,
            metavar="N",
        ),
    ] = 1,
    output: OutputOptions,
    save: Annotated[
        Path | None,
        command_line_option(
            "--save", "Save the comparison as netCDF, or as .json.", OUTPUT, metavar="PATH.nc"
        ),
    ] = None,
    overwrite: Overwrite = False,
    no_progress: NoProgress = False,
) -> None:
    """Ask one question: which ordering of the algorithms, jointly on all measures, leads?"""
    check_table(table)
    check_outputs(table.paths, overwrite=overwrite, report=output.report, save=save)
    if not (ci_prob is None and ci_kind is None):
        _check_command_interval(ci_prob, ci_kind, as_json=output.as_json)
    test = read_method(method)
    results = read_table(table, selection.algorithms)
    question: dict[str, Any] = {**selection.names_in(results), "missing": missing, "rng": rng}
    c = bc.compare(
        results,
        method=test,
        **question,
        sampler=sampler_options(no_progress),
        n_jobs=n_jobs,
        progress=shows_progress(no_progress),
    )
    text = c.to_json() if output.as_json else None
    summary = c.summary(ci_prob=ci_prob, ci_kind=ci_kind)
    if output.report is not None:
        c.report(output.report, overwrite=overwrite, command=typed_command())
    if save is not None:
        (c.to_json if save.suffix == ".json" else c.to_netcdf)(save, overwrite=overwrite)
    if text is not None:
        print_json(text)
    else:
        from bayescompare.cli import tables as cli_tables

        cli_tables.print_comparison(cli_tables.console(), c, summary)
    announce_output_files(output.report, save, err=output.as_json)


def _check_command_interval(ci_prob: float | None, ci_kind: str | None, *, as_json: bool) -> None:
    """Refuse an interval before anything is computed."""
    from bayescompare.comparison.intervals import interval_choice

    interval_choice(ci_prob, ci_kind)
    if as_json:
        given = "ci_kind=" if ci_prob is None else "ci_prob="
        raise bc.BayescompareError(
            f"{given} is about the printed table, and --json has the equal-tailed 95 %: leave one "
            "of the two out."
        )
