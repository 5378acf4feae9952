"""The command line: ``bayescompare compare results.csv --measure accuracy:max``.

The commands, what they write and how they fail. Options are read by `bayescompare.cli.options`,
figures come from the package's public functions, tables from `bayescompare.cli.tables`. Nothing
heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare._files import new_file, write_bytes, write_text
from bayescompare.cli import options as opt
from bayescompare.cli.process import (
    HUNG_UP,
    HungUp,
    prepare_folders,
    prepare_streams,
    settle_streams,
)

__all__ = ["app", "main"]


# errors -------------------------------------------------------------------------------------------


class Interrupted(BaseException):
    """Ctrl-C while sampling, in a form that PyMC does not take for "keep what there is"."""


class Commands(TyperGroup):
    """The commands; whatever is wrong becomes one line on standard error."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit: 0, or 2 for what the user can mend, or 130 for Ctrl-C.

        Where nobody reads what is printed (``| head``), 141 and not a word, as of other programs.
        """
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
            sys.stdout.flush()
        except HungUp:
            _stop("", HUNG_UP)
        except (BayescompareError, OSError) as error:
            _stop(f"error: {error}", 2)
        except (Interrupted, typer.Abort):
            _stop("interrupted", 130)
        except Exception as error:
            # Typer's usage errors; their class has moved between its versions.
            if not hasattr(error, "format_message"):
                raise
            _stop(_usage(error), 2)
        if code == 130:  # Typer's own handling of Ctrl-C
            _stop("interrupted", 130)
        sys.exit(code if isinstance(code, int) else 0)


def _usage(error: Any) -> str:
    message = str(error.format_message()).strip()
    if not message:  # no command at all: Typer has printed the help
        return ""
    told = f"error: {message[0].lower()}{message[1:]}"
    path = getattr(getattr(error, "ctx", None), "command_path", None)
    return f"{told.rstrip('.')}; see '{path} --help'." if path else told


def _stop(message: str, code: int) -> NoReturn:
    if message:
        with suppress(HungUp):
            typer.echo(re.sub(r"\s*[\r\n]+\s*", " ", message), err=True)
    settle_streams()
    sys.exit(code)


_COMPARE = """Examples:

  bayescompare compare results.csv --measure accuracy:max --measure time:min --algorithms A,B

  bayescompare compare results.csv --measure accuracy:max:rope=0.01 --algorithms A,B --method glrt

  bayescompare compare --example benavoli-example1 --prior imprecise --json

  bayescompare compare results.csv --measure accuracy:max --measure time:min --method network

  bayescompare compare --example lacoste-svm-parzen --method poisson-binomial --set joint=true

  bayescompare compare folds.csv --measure auc:max:rope=0.01 --replicate-column fold \
--algorithms A,B --method correlated-t"""

_CALIBRATE = """Examples:

  bayescompare calibrate dirichlet --simulations 2000

  bayescompare calibrate poisson-binomial --plot ranks.png

  bayescompare calibrate dirichlet_hyperprior --example benavoli-example1 --simulations 100"""

_PAIRWISE = """Examples:

  bayescompare pairwise results.csv --measure accuracy:max --measure time:min --report report.html

  bayescompare pairwise --example jansen-uci --only auc,brier --reference GBM --fdr 0.1"""

_SAMPLE = """Examples:

  bayescompare sample results.csv --measure accuracy:max --algorithms A,B --out posterior.nc

  bayescompare sample --example pnn --draws 2000 --out posterior.nc"""

app = typer.Typer(
    name="bayescompare",
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which algorithm is better, jointly over several measures, and how sure are we?",
    epilog="Start with: bayescompare pairwise --example jansen-uci",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayescompare {bc.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass


# commands -----------------------------------------------------------------------------------------


@app.command(epilog=_COMPARE)
def compare(
    file: opt.File = None,
    example: opt.Example = None,
    measure: opt.Measures = None,
    dataset_column: opt.DatasetColumn = None,
    algorithm_column: opt.AlgorithmColumn = None,
    replicate_column: opt.ReplicateColumn = None,
    errors: opt.Errors = None,
    predictions: opt.Predictions = None,
    layout: opt.Layout = None,
    format: opt.Format = None,
    algorithms: opt.Algorithms = None,
    only: opt.Only = None,
    missing: opt.Missing = "raise",
    method: opt.MethodName = "dirichlet",
    choices: opt.Choices = None,
    prior: opt.Prior = None,
    strength: opt.Strength = None,
    alternative: opt.Alternative = None,
    ess: opt.Ess = None,
    max_parents: opt.MaxParents = None,
    search: opt.Search = None,
    average: opt.Average = None,
    seed: opt.Seed = None,
    as_json: opt.Json = False,
    report: opt.Report = None,
    save: Annotated[
        Path | None,
        opt.option(
            "--save", "Keep the comparison: netCDF, or .json.", opt.OUTPUT, metavar="PATH.nc"
        ),
    ] = None,
    force: opt.Force = False,
) -> None:
    """Ask one question: which ordering of the algorithms, jointly on all measures, leads?"""
    _check_outputs(file, force, report=report, save=save)
    graph = {"ess": ess, "max_parents": max_parents, "search": search, "average": average}
    chosen = {"prior": prior, "strength": strength, "alternative": alternative, **graph}
    test = opt.read_method(method, choices, **chosen)
    columns = (dataset_column, algorithm_column, replicate_column)
    counted = {"errors": errors, "predictions": predictions, "algorithms": algorithms}
    results = opt.read_table(file, example, measure, columns, layout, format, **counted)
    c = bc.compare(results, method=test, **_question(algorithms, only, missing, seed))
    text = c.to_json() if as_json else None
    if report is not None:
        c.report(report, overwrite=force, command=_command())
    if save is not None:
        (c.to_json if save.suffix == ".json" else c.to_netcdf)(save, overwrite=force)
    if text is not None:
        _print_json(text)
    else:
        from bayescompare.cli import tables as cli_tables

        cli_tables.print_comparison(cli_tables.console(), c)
    _tell(report, save, err=as_json)


@app.command(epilog=_PAIRWISE)
def pairwise(
    file: opt.File = None,
    example: opt.Example = None,
    measure: opt.Measures = None,
    dataset_column: opt.DatasetColumn = None,
    algorithm_column: opt.AlgorithmColumn = None,
    replicate_column: opt.ReplicateColumn = None,
    errors: opt.Errors = None,
    predictions: opt.Predictions = None,
    layout: opt.Layout = None,
    format: opt.Format = None,
    algorithms: opt.Algorithms = None,
    only: opt.Only = None,
    reference: Annotated[
        str | None,
        opt.option("--reference", "Compare the others with this one.", opt.QUESTION, metavar="A"),
    ] = None,
    missing: opt.Missing = "raise",
    method: opt.MethodName = "dirichlet",
    choices: opt.Choices = None,
    prior: opt.Prior = None,
    strength: opt.Strength = None,
    alternative: opt.Alternative = None,
    ess: opt.Ess = None,
    max_parents: opt.MaxParents = None,
    search: opt.Search = None,
    average: opt.Average = None,
    level: Annotated[
        float | None,
        opt.option(
            "--level",
            "Least probability of a verdict, each pair by itself. Default: 0.95.",
            opt.QUESTION,
            metavar="P",
        ),
    ] = None,
    fdr: Annotated[
        float | None,
        opt.option(
            "--fdr",
            "Instead of --level: expected share of false verdicts, if the prior is right.",
            opt.QUESTION,
            metavar="RATE",
        ),
    ] = None,
    seed: opt.Seed = None,
    jobs: Annotated[
        int,
        opt.option(
            "--jobs", "Parallel jobs, -1 (default) for all cores.", opt.QUESTION, metavar="N"
        ),
    ] = -1,
    as_json: opt.Json = False,
    report: opt.Report = None,
    force: opt.Force = False,
    no_progress: opt.NoProgress = False,
) -> None:
    """Ask about every pair of algorithms, and for which of them a winner can be named."""
    _check_outputs(file, force, report=report)
    graph = {"ess": ess, "max_parents": max_parents, "search": search, "average": average}
    chosen = {"prior": prior, "strength": strength, "alternative": alternative, **graph}
    test = opt.read_method(method, choices, **chosen)
    columns = (dataset_column, algorithm_column, replicate_column)
    counted = {"errors": errors, "predictions": predictions, "algorithms": algorithms}
    results = opt.read_table(file, example, measure, columns, layout, format, **counted)
    p = bc.pairwise(
        results,
        method=test,
        reference=reference,
        **_question(algorithms, only, missing, seed),
        n_jobs=jobs,
        progress=_shows_progress(no_progress),
    )
    rule = opt.read_rule(level, fdr)
    text = p.to_json(**rule.options) if as_json else None
    if report is not None:
        p.report(report, overwrite=force, **rule.options, command=_command())
    if text is not None:
        _print_json(text)
    else:
        from bayescompare.cli import tables as cli_tables

        cli_tables.print_pairwise(cli_tables.console(), p, rule)
    _tell(report, err=as_json)


@app.command(epilog=_SAMPLE)
def sample(
    out: Annotated[
        Path, opt.option("--out", "Where the posterior goes.", opt.OUTPUT, metavar="PATH.nc")
    ],
    file: opt.File = None,
    example: opt.Example = None,
    measure: opt.Measures = None,
    dataset_column: opt.DatasetColumn = None,
    algorithm_column: opt.AlgorithmColumn = None,
    replicate_column: opt.ReplicateColumn = None,
    errors: opt.Errors = None,
    predictions: opt.Predictions = None,
    layout: opt.Layout = None,
    format: opt.Format = None,
    algorithms: opt.Algorithms = None,
    only: opt.Only = None,
    missing: opt.Missing = "raise",
    method: opt.MethodName = "dirichlet",
    choices: opt.Choices = None,
    prior: opt.Prior = None,
    strength: opt.Strength = None,
    ess: opt.Ess = None,
    max_parents: opt.MaxParents = None,
    search: opt.Search = None,
    average: opt.Average = None,
    seed: opt.Seed = None,
    draws: Annotated[
        int, opt.option("--draws", "Per chain. Default: 1000.", "NUTS", metavar="N")
    ] = 1000,
    chains: Annotated[int, opt.option("--chains", "Default: 4.", "NUTS", metavar="N")] = 4,
    tune: Annotated[int, opt.option("--tune", "Default: 1000.", "NUTS", metavar="N")] = 1000,
    target_accept: Annotated[
        float | None,
        opt.option("--target-accept", "Between 0 and 1. Default: PyMC's.", "NUTS", metavar="P"),
    ] = None,
    cores: Annotated[
        int | None,
        opt.option("--cores", "Chains run at once. Default: PyMC's.", "NUTS", metavar="N", min=1),
    ] = None,
    force: opt.Force = False,
    no_progress: opt.NoProgress = False,
) -> None:
    """Sample the posterior by NUTS, diagnose it and keep it as netCDF for ArviZ."""
    _check_outputs(file, force, out=out)
    if tune < 0:
        raise BayescompareError(f"tune={tune}: must be an integer >= 0.")
    if target_accept is not None and not 0.0 < target_accept < 1.0:
        raise BayescompareError(f"target_accept={target_accept}: must lie between 0 and 1.")
    from bayescompare.comparison.files import netcdf

    graph = {"ess": ess, "max_parents": max_parents, "search": search, "average": average}
    test = opt.read_method(method, choices, prior=prior, strength=strength, **graph)
    columns = (dataset_column, algorithm_column, replicate_column)
    counted = {"errors": errors, "predictions": predictions, "algorithms": algorithms}
    results = opt.read_table(file, example, measure, columns, layout, format, **counted)
    c = bc.compare(results, method=test, **_question(algorithms, only, missing, seed))
    options = {"tune": tune, "target_accept": target_accept, "cores": cores}
    chosen = {name: value for name, value in options.items() if value is not None}
    steps = max(chains, 0) * (max(draws, 0) + tune)
    with _stoppable(), _counting(steps, _shows_progress(no_progress)) as count:
        tree = c.sample(draws, chains=chains, rng=seed, progressbar=False, callback=count, **chosen)
        # Whole or not at all, and before the diagnosis: a long run is not to be lost.
        write_bytes(out, netcdf(tree))

    from bayescompare.cli import tables as cli_tables

    cli_tables.print_diagnosis(cli_tables.console(), c.diagnose(tree))
    _tell(out)


@app.command()
def examples(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="Show this one.")
    ] = None,
) -> None:
    """List the bundled tables, or describe one."""
    from bayescompare.cli import tables as cli_tables

    out = cli_tables.console()
    if name is None:
        cli_tables.print_examples(out)
    else:
        out.print(repr(bc.load_example(name)), soft_wrap=True)


@app.command()
def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="Show this one.")
    ] = None,
) -> None:
    """List the methods, or describe one: options, priors, reference."""
    from bayescompare.cli import tables as cli_tables
    from bayescompare.methods.model_file.source import bundled

    out = cli_tables.console()
    if name is None:
        cli_tables.print_methods(out)
    elif name in bundled() or name.endswith(".py"):
        raise BayescompareError(
            f"{name} is a model file: `bayescompare models show {name}` prints it."
        )
    else:
        cli_tables.print_method(out, name)


@app.command(epilog=_CALIBRATE)
def calibrate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="dirichlet, network, poisson-binomial, hierarchical; or a model file or bundled "
            "model, which takes --example.",
        ),
    ],
    simulations: Annotated[
        int | None, opt.option("--simulations", "Default: 1000, 100 by NUTS.", "SBC", metavar="N")
    ] = None,
    draws: Annotated[
        int, opt.option("--draws", "To rank the truth among. Default: 99.", "SBC", metavar="N")
    ] = 99,
    example: Annotated[
        str | None,
        opt.option("--example", "A table whose sizes are simulated.", "SBC", metavar="NAME"),
    ] = None,
    table: Annotated[
        Path | None,
        opt.option("--table", "The same, from a file.", "SBC", metavar="FILE"),
    ] = None,
    measure: opt.Measures = None,
    dataset_column: opt.DatasetColumn = None,
    algorithm_column: opt.AlgorithmColumn = None,
    replicate_column: opt.ReplicateColumn = None,
    algorithms: opt.Algorithms = None,
    only: opt.Only = None,
    seed: opt.Seed = None,
    plot: Annotated[
        Path | None, opt.option("--plot", "Draw the ranks.", opt.OUTPUT, metavar="PATH.png")
    ] = None,
    force: opt.Force = False,
) -> None:
    """Check a model by simulation: is the truth where the posterior says, as often as it says?"""
    from bayescompare import studies
    from bayescompare.cli import tables as cli_tables

    _check_outputs(table, force, plot=plot)
    if plot is not None:
        _check_picture(plot)
    given = example or table
    if model in studies.CALIBRATED and given is not None:
        raise BayescompareError(
            f"--{'example' if example else 'table'} {given}: {model} is calibrated on sizes of its "
            "own and takes no table; leave the option out."
        )
    if model in studies.CALIBRATED:
        count = 1000 if simulations is None else simulations
        found = studies.sbc(model, simulations=count, draws=draws, rng=seed)
    elif given is None:
        raise BayescompareError(
            f"{model}: a model file needs a table whose sizes are simulated: give --example NAME "
            f"or --table FILE (built in, without one: {', '.join(studies.CALIBRATED)})."
        )
    else:
        columns = (dataset_column, algorithm_column, replicate_column)
        results = opt.read_table(table, example, measure, columns, None, None).sel(
            algorithms=opt.read_names(algorithms), measures=opt.read_names(only)
        )
        count = 100 if simulations is None else simulations
        found = studies.sbc_model(model, results, simulations=count, draws=draws, rng=seed)
    cli_tables.print_calibration(cli_tables.console(), found)
    if plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        found.plot(ax=figure.subplots())
        _write_picture(figure, plot)
    _tell(plot)
    if not found.ok:
        raise typer.Exit(1)


models_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Generative models in plain PyMC: list them, show one, copy one to edit.",
)
app.add_typer(models_app, name="models")


@models_app.command("list")
def models_list() -> None:
    """List the bundled models."""
    from bayescompare.cli import tables as cli_tables

    cli_tables.print_models(cli_tables.console())


@models_app.command("show")
def models_show(name: Annotated[str, typer.Argument(metavar="NAME|FILE.py")]) -> None:
    """Print a model's file."""
    typer.echo(_model_file(name).read_text(encoding="utf-8"), nl=False)


@models_app.command("copy")
def models_copy(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    to: Annotated[
        Path | None,
        typer.Argument(metavar="PATH.py", show_default=False, help="Default: NAME.py here."),
    ] = None,
    force: opt.Force = False,
) -> None:
    """Copy a bundled model, to edit it and name the copy by --method."""
    source = _model_file(name)
    target = new_file(Path(f"{source.stem}.py") if to is None else to, overwrite=force)
    if target.suffix != ".py":
        raise BayescompareError(f"{target}: a model file ends in .py.")
    write_text(target, source.read_text(encoding="utf-8"))
    _tell(target)


def _model_file(name: str) -> Path:
    from bayescompare._errors import closest
    from bayescompare.methods.model_file.source import bundled

    known = bundled()
    if name.endswith(".py") and Path(name).is_file():
        return Path(name)
    if name not in known:
        raise BayescompareError(
            f"no model called {name!r}: there is {', '.join(known)}.{closest(name, known)}"
        )
    return known[name]


# input --------------------------------------------------------------------------------------------


def _question(
    algorithms: str | None, only: str | None, missing: str, seed: int | None
) -> dict[str, Any]:
    """Return what `bc.compare` and `bc.pairwise` are asked alike; they check it."""
    names = {"algorithms": opt.read_names(algorithms), "measures": opt.read_names(only)}
    return {**names, "missing": missing, "rng": seed}


# output -------------------------------------------------------------------------------------------


def _check_outputs(source: Path | None, force: bool, **paths: Path | None) -> None:
    """Check every file to be written before anything is computed."""
    from bayescompare.report import check_report_path

    given = {option: path for option, path in paths.items() if path is not None}
    taken = {} if source is None else {source.resolve(): "FILE"}
    for option, path in given.items():
        other = taken.setdefault(path.resolve(), f"--{option}")
        if other != f"--{option}":
            raise BayescompareError(f"--{option} {path}: that is {other} too; name another.")
    for option, path in given.items():
        (check_report_path if option == "report" else new_file)(path, overwrite=force)


def _check_picture(path: Path) -> None:
    """Refuse a kind of picture that matplotlib cannot write, before the work is done."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise BayescompareError(
            f"--plot {path}: no such kind of picture; end its name in .png, .svg or .pdf."
        )


def _write_picture(figure: Any, path: Path) -> None:
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:].lower(), dpi=150)
    write_bytes(path, drawn.getvalue())


def _command() -> str:
    """The command line as it could be typed again."""
    return shlex.join(["bayescompare", *sys.argv[1:]])


def _print_json(text: str) -> None:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text), indent=1)
    sys.stdout.write(f"{text}\n")


def _tell(*written: Path | None, err: bool = False) -> None:
    for path in written:
        if path is not None:
            typer.echo(f"wrote {path}", err=err)


def _shows_progress(unwanted: bool) -> bool:
    return not unwanted and sys.stderr.isatty()


@contextmanager
def _counting(steps: int, shown: bool) -> Iterator[Any]:
    """Count NUTS steps on standard error; PyMC's own bar goes to standard output."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not shown) as progress:
        task = progress.add_task("sampling", total=steps)
        yield lambda trace, draw: progress.advance(task)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let Ctrl-C end the command: PyMC would stop early and go on with the draws it has."""
    parent, stopped = os.getpid(), False

    def stop(*_: object) -> NoReturn:
        nonlocal stopped
        stopped = True
        raise Interrupted if os.getpid() == parent else KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except Exception:
        if stopped:  # compiled code makes a SystemError of what is raised in the midst of it
            raise Interrupted from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def main() -> None:
    """Run the command line."""
    prepare_streams()
    prepare_folders()
    app(prog_name="bayescompare")


if __name__ == "__main__":
    main()
