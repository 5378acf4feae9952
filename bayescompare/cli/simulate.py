"""The commands that simulate: ``sample``, the posterior by NUTS, and ``calibrate``."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import Options, argument, option
from bayescompare.cli.options import (
    Asked,
    Columns,
    Picture,
    Progress,
    Sampled,
    SampledMethod,
    Seed,
    Selection,
    Table,
)
from bayescompare.cli.outputs import announce, check_outputs, write_picture
from bayescompare.cli.process import stoppable_process
from bayescompare.cli.source import check_table, read_table
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


class Sampler(Options, panel="NUTS"):
    """How long and how carefully to sample."""

    draws: int = option("N", "Per chain. Default: 1000.", default=1000)
    chains: int = option("N", "How many chains. Default: 4.", default=4)
    tune: int = option("N", "Tuning steps per chain. Default: 1000.", default=1000)
    target_accept: float | None = option("P", "Between 0 and 1. Default: PyMC's.")
    cores: int | None = option("N", "Chains run at once. Default: PyMC's.", min=1)

    def check(self) -> None:
        """Refuse what PyMC would refuse late, and in words that name no flag."""
        if self.tune < 0:
            raise BayescompareError(f"--tune {self.tune}: must be an integer >= 0.")
        if self.target_accept is not None and not 0.0 < self.target_accept < 1.0:
            raise BayescompareError(
                f"--target-accept {self.target_accept}: must lie between 0 and 1."
            )


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
    check_outputs(check_table(table), output)
    nuts.check()
    from bayescompare.outcome.nuts import nuts_progress
    from bayescompare.outcome.saved import tree_as_netcdf

    test = method.read()
    results = read_table(table, selection.algorithms)
    names: Any = selection.names_in(results)
    c = bc.compare(results, method=test, **names, **vars(asked), sampler=progress.sampler)
    how = {name: value for name, value in vars(nuts).items() if value is not None}
    steps = max(nuts.chains, 0) * (max(nuts.draws, 0) + nuts.tune)
    with stoppable_process(signal.SIGINT), nuts_progress(steps, progress.shown) as count:
        tree = c.sample(**how, rng=asked.rng, progressbar=False, callback=count)
        # Written whole or not at all, and before the diagnosis, so that no long run is lost.
        write_bytes(output.out, tree_as_netcdf(tree))

    from bayescompare.cli.printing import console, print_diagnosis

    print_diagnosis(console(), c.diagnose(tree))
    announce(output.out)


class Simulation(Options, panel="SBC"):
    """What is simulated, how often, and the table whose sizes are used."""

    model: str = argument(
        "MODEL",
        "dirichlet, network, poisson-binomial, hierarchical; or a model file or bundled model, "
        "which takes --example.",
    )
    simulations: int | None = option("N", "Default: 1000, or 100 with NUTS.")
    draws: int = option("N", "Draws that the truth is ranked among. Default: 99.", default=99)
    bundled: str | None = option(
        "NAME", "Simulate tables of the size of this one.", flag="--example"
    )
    file: Path | None = option("FILE", "The same for a table in a file.", flag="--table")


def calibrate(
    simulation: Simulation, columns: Columns, selection: Selection, seed: Seed, picture: Picture
) -> None:
    """Check a model by simulation: is its posterior right as often as it claims?"""
    sources = [] if simulation.file is None else [simulation.file]
    check_outputs(sources, picture)
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
