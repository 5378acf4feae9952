"""``bayescompare calibrate``: a model checked by simulation."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayescompare._errors import BayescompareError
from bayescompare.cli.groups import OptionGroup, command_line_option, with_groups
from bayescompare.cli.options import (
    OUTPUT,
    ColumnOptions,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    check_picture_output,
    write_picture_output,
)
from bayescompare.cli.table_sources import read_table

if TYPE_CHECKING:
    from bayescompare.studies.sbc import SBC

__all__ = ["EXAMPLES", "calibrate"]

EXAMPLES = """Examples:

  bayescompare calibrate dirichlet --simulations 2000

  bayescompare calibrate poisson-binomial --plot ranks.png

  bayescompare calibrate dirichlet_hyperprior --example benavoli-example1 --simulations 100"""


@dataclass(frozen=True)
class SimulationOptions(OptionGroup):
    """How much is simulated, and the table whose sizes are used."""

    simulations: Annotated[
        int | None,
        command_line_option(
            "--simulations", "Default: 1000, or 100 with NUTS.", "SBC", metavar="N"
        ),
    ] = None
    draws: Annotated[
        int,
        command_line_option(
            "--draws", "Draws that the truth is ranked among. Default: 99.", "SBC", metavar="N"
        ),
    ] = 99
    example: Annotated[
        str | None,
        command_line_option(
            "--example", "Simulate tables of the size of this one.", "SBC", metavar="NAME"
        ),
    ] = None
    table: Annotated[
        Path | None,
        command_line_option("--table", "The same for a table in a file.", "SBC", metavar="FILE"),
    ] = None
    columns: ColumnOptions = field(default_factory=ColumnOptions)

    @property
    def source(self) -> str | None:
        """The option that names a table, as it was typed."""
        if self.example:
            return f"--example {self.example}"
        return f"--table {self.table}" if self.table else None


@with_groups
def calibrate(
    *,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="dirichlet, network, poisson-binomial, hierarchical; or a model file or bundled "
            "model, which takes --example.",
        ),
    ],
    simulation: SimulationOptions,
    selection: SelectionOptions,
    rng: Seed = None,
    plot: Annotated[
        Path | None, command_line_option("--plot", "Draw the ranks.", OUTPUT, metavar="PATH.png")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Check a model by simulation: is its posterior right as often as it claims?"""
    from bayescompare.cli import tables as cli_tables

    sources = [] if simulation.table is None else [simulation.table]
    check_outputs(sources, overwrite=overwrite, plot=plot)
    if plot is not None:
        check_picture_output(plot)
    calibration = _calibration_for_command(model, simulation, selection, rng)
    cli_tables.print_calibration(cli_tables.console(), calibration)
    if plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        calibration.plot(ax=figure.subplots())
        write_picture_output(figure, plot)
    announce_output_files(plot)
    if not calibration.ok:
        raise typer.Exit(1)


def _calibration_for_command(
    method: str, options: SimulationOptions, selection: SelectionOptions, rng: int | None
) -> "SBC":
    """Simulate a method on the sizes that it chooses, or a model file on those of a table."""
    from bayescompare import studies

    count = options.simulations
    if method in studies.CALIBRATED:
        if options.source is not None:
            raise BayescompareError(
                f"{options.source}: {method} chooses the sizes itself and takes no table; leave "
                "the option out."
            )
        count = 1000 if count is None else count
        return studies.sbc(method, simulations=count, draws=options.draws, rng=rng)
    if options.source is None:
        raise BayescompareError(
            f"{method}: a model file needs a table, whose sizes are simulated: give --example NAME "
            f"or --table FILE. These need none: {', '.join(studies.CALIBRATED)}."
        )
    files = None if options.table is None else [options.table]
    results = read_table(
        TableOptions(files=files, example=options.example, columns=options.columns)
    )
    results = results.sel(**selection.names_in(results))
    count = 100 if count is None else count
    return studies.sbc(method, results, simulations=count, draws=options.draws, rng=rng)
