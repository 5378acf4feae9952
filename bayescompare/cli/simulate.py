"""The commands that simulate: ``sample``, the posterior by NUTS, and ``calibrate``."""

import signal
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import Options, argument, group, option
from bayescompare.cli.options import (
    OUTPUT,
    Asked,
    Columns,
    Progress,
    SampledMethod,
    Seed,
    Selection,
    Table,
)
from bayescompare.cli.outputs import announce, check_outputs, write_picture
from bayescompare.cli.process import stoppable_process
from bayescompare.cli.source import check_table, paths_of, read_table
from bayescompare.table.writing import write_bytes

if TYPE_CHECKING:
    from bayescompare.studies.sbc import SBC

__all__ = ["EPILOGS", "calibrate", "sample"]

EPILOGS = {
    "sample": """\b
Examples:
  bayescompare sample results.csv --measure accuracy:max \\
      --algorithms A,B --out posterior.nc
  bayescompare sample --example pnn --draws 2000 --out posterior.nc""",
    "calibrate": """\b
Examples:
  bayescompare calibrate dirichlet --simulations 2000
  bayescompare calibrate poisson-binomial --plot ranks.png
  bayescompare calibrate dirichlet_hyperprior \\
      --example benavoli-example1 --simulations 100""",
}


@group("NUTS")
class Sampler(Options):
    """How long and how carefully to sample."""

    draws: int = option("--draws", "N", "Per chain. Default: 1000.", default=1000)
    chains: int = option("--chains", "N", "How many chains. Default: 4.", default=4)
    tune: int = option("--tune", "N", "Tuning steps per chain. Default: 1000.", default=1000)
    target_accept: float | None = option(
        "--target-accept", "P", "Between 0 and 1. Default: PyMC's."
    )
    cores: int | None = option("--cores", "N", "Chains run at once. Default: PyMC's.", min=1)

    def check(self) -> None:
        """Refuse what PyMC would refuse late, and in words that name no flag."""
        if self.tune < 0:
            raise BayescompareError(f"--tune {self.tune}: must be an integer >= 0.")
        if self.target_accept is not None and not 0.0 < self.target_accept < 1.0:
            raise BayescompareError(
                f"--target-accept {self.target_accept}: must lie between 0 and 1."
            )


@group(OUTPUT)
class Sampled(Options):
    """Where the posterior goes."""

    out: Path = option("--out", "PATH.nc", "Write the posterior to this file.", default=MISSING)
    overwrite: bool = option("--force", None, "Overwrite existing files.", default=False)


def sample(
    table: Table,
    selection: Selection,
    asked: Asked,
    method: SampledMethod,
    nuts: Sampler,
    output: Sampled,
    progress: Progress,
) -> None:
    """Sample the posterior with NUTS, diagnose it and save it as netCDF for ArviZ."""
    check_table(table)
    check_outputs(paths_of(table), overwrite=output.overwrite, out=output.out)
    nuts.check()
    from bayescompare.comparison.files import comparison_tree_as_netcdf
    from bayescompare.comparison.nuts import nuts_progress

    test = method.read()
    results = read_table(table, selection.algorithms)
    names: Any = selection.names_in(results)
    c = bc.compare(
        results,
        method=test,
        **names,
        missing=asked.missing,  # type: ignore[arg-type]
        rng=asked.rng,
        sampler=progress.sampler,
    )
    more = {"tune": nuts.tune, "target_accept": nuts.target_accept, "cores": nuts.cores}
    steps = max(nuts.chains, 0) * (max(nuts.draws, 0) + nuts.tune)
    with stoppable_process(signal.SIGINT), nuts_progress(steps, progress.shown) as count:
        tree = c.sample(
            nuts.draws,
            chains=nuts.chains,
            rng=asked.rng,
            progressbar=False,
            callback=count,
            **{name: value for name, value in more.items() if value is not None},
        )
        # Written whole or not at all, and before the diagnosis, so that no long run is lost.
        write_bytes(output.out, comparison_tree_as_netcdf(tree))

    from bayescompare.cli.printing import console, print_diagnosis

    print_diagnosis(console(), c.diagnose(tree))
    announce(output.out)


@group("SBC")
class Simulation(Options):
    """What is simulated, how often, and the table whose sizes are used."""

    model: str = argument(
        "MODEL",
        "dirichlet, network, poisson-binomial, hierarchical; or a model file or bundled model, "
        "which takes --example.",
    )
    simulations: int | None = option("--simulations", "N", "Default: 1000, or 100 with NUTS.")
    draws: int = option(
        "--draws", "N", "Draws that the truth is ranked among. Default: 99.", default=99
    )
    bundled: str | None = option("--example", "NAME", "Simulate tables of the size of this one.")
    file: Path | None = option("--table", "FILE", "The same for a table in a file.")


@group(OUTPUT)
class Picture(Options):
    """Where the picture goes."""

    plot: Path | None = option("--plot", "PATH.png", "Draw the ranks.")
    overwrite: bool = option("--force", None, "Overwrite existing files.", default=False)


def calibrate(
    simulation: Simulation, columns: Columns, selection: Selection, seed: Seed, picture: Picture
) -> None:
    """Check a model by simulation: is its posterior right as often as it claims?"""
    sources = [] if simulation.file is None else [simulation.file]
    check_outputs(sources, overwrite=picture.overwrite, plot=picture.plot)
    calibration = _calibration(simulation, columns, selection, seed)
    from bayescompare.cli.printing import console, print_calibration

    print_calibration(console(), calibration)
    if picture.plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        calibration.plot(ax=figure.subplots())
        write_picture(figure, picture.plot)
    announce(picture.plot)
    if not calibration.ok:
        raise typer.Exit(1)


def _calibration(asked: Simulation, columns: Columns, selection: Selection, seed: Seed) -> "SBC":
    """Simulate a method on the sizes that it chooses, or a model file on those of a table."""
    from bayescompare import studies

    how: dict[str, Any] = {"draws": asked.draws, "rng": seed.rng}
    source = f"--example {asked.bundled}" if asked.bundled else f"--table {asked.file}"
    named = asked.bundled is not None or asked.file is not None
    if asked.model in studies.CALIBRATED:
        if named:
            raise BayescompareError(
                f"{source}: {asked.model} chooses the sizes itself and takes no table; leave the "
                "option out."
            )
        count = 1000 if asked.simulations is None else asked.simulations
        return studies.sbc(asked.model, simulations=count, **how)
    if not named:
        raise BayescompareError(
            f"{asked.model}: a model file needs a table, whose sizes are simulated: give --example "
            f"NAME or --table FILE. These need none: {', '.join(studies.CALIBRATED)}."
        )
    files = None if asked.file is None else [asked.file]
    results = read_table(Table(files=files, bundled=asked.bundled, **vars(columns)))
    results = results.sel(**selection.names_in(results))
    count = 100 if asked.simulations is None else asked.simulations
    return studies.sbc(asked.model, results, simulations=count, **how)
