"""``bayescompare reproduce``: tables and figures of the papers, computed again."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescompare._errors import BayescompareError
from bayescompare._files import write_text
from bayescompare.cli.groups import command_line_option, with_groups
from bayescompare.cli.options import OUTPUT, NoProgress, Overwrite, Seed
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    check_picture_output,
    print_json,
    shows_progress,
    write_picture_output,
)

if TYPE_CHECKING:
    from bayescompare.studies.reproduction import Reproduced, Reproduction

__all__ = ["EXAMPLES", "reproduce"]

EXAMPLES = """Examples:

  bayescompare reproduce

  bayescompare reproduce lacoste-2012-bimodal --quick --seed 1

  bayescompare reproduce all --jobs 2 --store runs --seed 1 --save reproduction.json"""

_SIMULATION = "The simulation"


@with_groups
def reproduce(
    *,
    table: Annotated[
        str | None,
        typer.Argument(metavar="TABLE", help="Its name, or 'all'. Without it: what there is."),
    ] = None,
    quick: Annotated[
        bool, command_line_option("--quick", "Fewer replications, larger errors.", _SIMULATION)
    ] = False,
    replications: Annotated[
        int | None,
        command_line_option(
            "--replications", "So many instead; not with 'all'.", _SIMULATION, metavar="N"
        ),
    ] = None,
    rng: Seed = None,
    n_jobs: Annotated[
        int,
        command_line_option(
            "--jobs", "Processes; -1 for all cores. Default: 1.", _SIMULATION, metavar="N"
        ),
    ] = 1,
    store: Annotated[
        Path | None,
        command_line_option(
            "--store",
            "Keep finished blocks in this folder, so that a stopped run resumes.",
            _SIMULATION,
            metavar="FOLDER",
        ),
    ] = None,
    as_json: Annotated[
        bool, command_line_option("--json", "Print JSON instead of tables.", OUTPUT)
    ] = False,
    save: Annotated[
        Path | None,
        command_line_option("--save", "Save as JSON.", OUTPUT, metavar="PATH.json"),
    ] = None,
    plot: Annotated[
        Path | None,
        command_line_option(
            "--plot", "Draw the figure, or published beside obtained.", OUTPUT, metavar="PATH.png"
        ),
    ] = None,
    no_progress: NoProgress = False,
    overwrite: Overwrite = False,
) -> None:
    """Reproduce a table or figure of the papers, published beside obtained."""
    from bayescompare import studies
    from bayescompare._rng import as_rng
    from bayescompare.cli.reproduction_tables import print_reproduced, print_reproductions
    from bayescompare.cli.tables import console

    if table is None:
        _check_nothing_asked(quick or as_json, replications, store, save, plot)
        print_reproductions(console(), studies.reproductions())
        return
    check_outputs((), overwrite=overwrite, save=save, plot=plot)
    chosen = _chosen_reproductions(table, replications, plot)
    options: dict[str, Any] = {
        "quick": quick,
        "replications": replications,
        # One seed for all tables, drawn if none is given.
        "rng": as_rng(rng)[1],
        "n_jobs": n_jobs,
        "store": store,
        "progress": shows_progress(no_progress),
    }
    done = []
    for one in chosen:
        done.append(studies.reproduce(one.key, **options))
        if not as_json:
            print_reproduced(console(), done[-1])
    text = _reproduction_json(done, table)
    if as_json:
        print_json(text)
    if save is not None:
        write_text(save, text)
    if plot is not None:
        write_picture_output(done[0].plot(), plot)
    announce_output_files(save, plot, err=as_json)


def _check_nothing_asked(flag: bool, *values: object) -> None:
    if flag or any(value is not None for value in values):
        raise BayescompareError(
            "TABLE: name a table, or 'all'; 'bayescompare reproduce' alone lists them."
        )


def _chosen_reproductions(
    table: str, replications: int | None, plot: Path | None
) -> "tuple[Reproduction, ...]":
    """One table, or all; what is meant for one is refused for all."""
    from bayescompare.studies.reproduction import reproductions
    from bayescompare.studies.reproduction.catalogue import find_reproduction

    if plot is not None:
        check_picture_output(plot)
    if table != "all":
        return (find_reproduction(table),)
    for flag, value in (("--plot", plot), ("--replications", replications)):
        if value is not None:
            raise BayescompareError(f"{flag} {value}: is for one table, not for 'all'.")
    return reproductions()


def _reproduction_json(done: "list[Reproduced]", table: str) -> str:
    """One document, or an array of them for 'all'."""
    if table != "all":
        return done[0].to_json()
    return json.dumps(
        [one.to_dict() for one in done], ensure_ascii=False, allow_nan=False, indent=1
    )
