"""``bayescompare sample``: the posterior by NUTS, in a file."""

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.groups import OptionGroup, command_line_option, with_groups
from bayescompare.cli.method_options import SampledMethodOptions, read_method
from bayescompare.cli.options import (
    OUTPUT,
    Missing,
    NoProgress,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    sampler_options,
    shows_progress,
)
from bayescompare.cli.process import stoppable_process
from bayescompare.cli.table_sources import check_table, read_table
from bayescompare.table.writing import write_bytes

__all__ = ["EXAMPLES", "sample"]

EXAMPLES = """Examples:

  bayescompare sample results.csv --measure accuracy:max --algorithms A,B --out posterior.nc

  bayescompare sample --example pnn --draws 2000 --out posterior.nc"""


@dataclass(frozen=True)
class NutsOptions(OptionGroup):
    """How long and how carefully to sample."""

    draws: Annotated[
        int, command_line_option("--draws", "Per chain. Default: 1000.", "NUTS", metavar="N")
    ] = 1000
    chains: Annotated[
        int, command_line_option("--chains", "How many chains. Default: 4.", "NUTS", metavar="N")
    ] = 4
    tune: Annotated[
        int,
        command_line_option(
            "--tune", "Tuning steps per chain. Default: 1000.", "NUTS", metavar="N"
        ),
    ] = 1000
    target_accept: Annotated[
        float | None,
        command_line_option(
            "--target-accept", "Between 0 and 1. Default: PyMC's.", "NUTS", metavar="P"
        ),
    ] = None
    cores: Annotated[
        int | None,
        command_line_option(
            "--cores", "Chains run at once. Default: PyMC's.", "NUTS", metavar="N", min=1
        ),
    ] = None

    def check(self) -> None:
        """Refuse what PyMC would refuse late, and in words that name no flag."""
        if self.tune < 0:
            raise BayescompareError(f"--tune {self.tune}: must be an integer >= 0.")
        if self.target_accept is not None and not 0.0 < self.target_accept < 1.0:
            raise BayescompareError(
                f"--target-accept {self.target_accept}: must lie between 0 and 1."
            )

    @property
    def steps(self) -> int:
        """How many steps all chains take together."""
        return max(self.chains, 0) * (max(self.draws, 0) + self.tune)

    @property
    def sampler(self) -> dict[str, Any]:
        """The options of `pymc.sample` besides draws and chains."""
        options = {"tune": self.tune, "target_accept": self.target_accept, "cores": self.cores}
        return {name: value for name, value in options.items() if value is not None}


@with_groups
def sample(
    *,
    out: Annotated[
        Path,
        command_line_option(
            "--out", "Write the posterior to this file.", OUTPUT, metavar="PATH.nc"
        ),
    ],
    table: TableOptions,
    selection: SelectionOptions,
    missing: Missing = "raise",
    method: SampledMethodOptions,
    rng: Seed = None,
    nuts: NutsOptions,
    overwrite: Overwrite = False,
    no_progress: NoProgress = False,
) -> None:
    """Sample the posterior with NUTS, diagnose it and save it as netCDF for ArviZ."""
    check_table(table)
    check_outputs(table.paths, overwrite=overwrite, out=out)
    nuts.check()
    from bayescompare.comparison.files import comparison_tree_as_netcdf
    from bayescompare.comparison.nuts import nuts_progress

    test = read_method(method)
    results = read_table(table, selection.algorithms)
    question: dict[str, Any] = {**selection.names_in(results), "missing": missing, "rng": rng}
    c = bc.compare(results, method=test, **question, sampler=sampler_options(no_progress))
    with (
        stoppable_process(signal.SIGINT),
        nuts_progress(nuts.steps, shows_progress(no_progress)) as count,
    ):
        tree = c.sample(
            nuts.draws,
            chains=nuts.chains,
            rng=rng,
            progressbar=False,
            callback=count,
            **nuts.sampler,
        )
        # Written whole or not at all, and before the diagnosis, so that no long run is lost.
        write_bytes(out, comparison_tree_as_netcdf(tree))

    from bayescompare.cli import tables as cli_tables

    cli_tables.print_diagnosis(cli_tables.console(), c.diagnose(tree))
    announce_output_files(out)
