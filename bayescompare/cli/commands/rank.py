"""``bayescompare rank``: who is best, in what place, on the front."""

from pathlib import Path
from typing import Annotated, Any

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.groups import command_line_option, with_groups
from bayescompare.cli.options import (
    OUTPUT,
    QUESTION,
    Missing,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    check_picture_output,
    print_json,
    typed_command,
    write_picture_output,
)
from bayescompare.cli.table_sources import check_table, read_table

__all__ = ["EXAMPLES", "rank", "read_utility_flag"]

EXAMPLES = """Examples:

  bayescompare rank results.csv --measure accuracy:max --measure time:min

  bayescompare rank results.csv --measure accuracy:max --measure cost:min --by value \
--utility accuracy=1,cost=-0.1

  bayescompare rank --example jansen-uci --utility auc=0.5..1,brier=0..0.5 --plot places.png"""


@with_groups
def rank(
    *,
    table: TableOptions,
    selection: SelectionOptions,
    by: Annotated[
        str,
        command_line_option(
            "--by",
            "What is averaged over datasets: ranks (default) or the values themselves; or the "
            "strengths of the Plackett-Luce model.",
            QUESTION,
            metavar="rank|value|strength",
        ),
    ] = "rank",
    utility: Annotated[
        str | None,
        command_line_option(
            "--utility",
            "Weights of the measures, as a=1,b=0.5, or their bounds, as a=0.5..1,b=0..0.5, or "
            "'unknown' for all weights.",
            QUESTION,
            metavar="NAME=WEIGHT,…",
        ),
    ] = None,
    level: Annotated[
        float,
        command_line_option(
            "--level", "Of intervals and verdicts. Default: 0.95.", QUESTION, metavar="P"
        ),
    ] = 0.95,
    draws: Annotated[
        int, command_line_option("--draws", "Default: 10000.", QUESTION, metavar="N")
    ] = 10_000,
    missing: Missing = "raise",
    rng: Seed = None,
    as_json: Annotated[
        bool, command_line_option("--json", "Print JSON instead of tables.", OUTPUT)
    ] = False,
    save: Annotated[
        Path | None,
        command_line_option("--save", "Save the ranking as JSON.", OUTPUT, metavar="PATH.json"),
    ] = None,
    plot: Annotated[
        Path | None,
        command_line_option(
            "--plot", "Draw the places with their intervals.", OUTPUT, metavar="PATH.png"
        ),
    ] = None,
    report: Annotated[
        Path | None,
        command_line_option(
            "--report",
            "Write a report: .html, .md, .tex or .json.",
            OUTPUT,
            metavar="PATH.html",
        ),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Rank all algorithms: who is best, in what place, on the front, and how sure are we?"""
    check_table(table)
    check_outputs(table.paths, overwrite=overwrite, save=save, plot=plot, report=report)
    if plot is not None:
        check_picture_output(plot)
    results = read_table(table, selection.algorithms)
    question: dict[str, Any] = {**selection.names_in(results), "missing": missing, "rng": rng}
    r = bc.rank(
        results,
        by=by,  # type: ignore[arg-type]
        utility=None if utility is None else read_utility_flag(utility),
        level=level,
        draws=draws,
        **question,
    )
    text = r.to_json() if as_json else None
    if save is not None:
        r.to_json(save, overwrite=overwrite)
    if plot is not None:
        write_picture_output(r.plot().figure, plot)
    if report is not None:
        r.report(report, overwrite=overwrite, command=typed_command())
    if text is not None:
        print_json(text)
    else:
        from bayescompare.cli import ranking_tables
        from bayescompare.cli.tables import console

        ranking_tables.print_ranking(console(), r)
    announce_output_files(save, plot, report, err=as_json)


def read_utility_flag(text: str) -> Any:
    """Read ``a=1,b=0.5..1``, or the word "unknown".

    Examples
    --------
    >>> read_utility_flag("accuracy=1,time=0..0.5"), read_utility_flag("unknown")
    ({'accuracy': 1.0, 'time': (0.0, 0.5)}, 'unknown')
    """
    if text.strip() == "unknown":
        return "unknown"
    weights: dict[str, float | tuple[float, float]] = {}
    for piece in text.split(","):
        name, sign, value = (part.strip() for part in piece.rpartition("="))
        ends = value.split("..")
        try:
            numbers = [float(end) for end in ends]
        except ValueError:
            numbers = []
        if not (sign and name) or len(numbers) not in (1, 2):
            raise BayescompareError(
                f"--utility {text}: {piece.strip()!r} is no weight; write name=1 or name=0.5..1, "
                "with commas between them, or the word unknown."
            )
        if name in weights:
            raise BayescompareError(f"--utility {text}: {name!r} is named twice.")
        weights[name] = numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])
    return weights
