"""The command line: ``bayescompare compare results.csv --measure accuracy:max``.

A command reads what was typed, asks the door of the same name, and delivers the answer. What the
door checks is not checked here.
"""

from __future__ import annotations

import io
import json
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.cli import options as o
from bayescompare.cli.process import (
    Command,
    Commands,
    prepare_folders,
    prepare_streams,
    stoppable_process,
)
from bayescompare.cli.source import check_table, look_at, read_table
from bayescompare.table.writing import check_file_is_writable, write_bytes, write_text

#: What the shell gets for each outcome of a gate; 2 is wrong use.
EXIT_CODES = {True: 0, False: 1, None: 3}

_HOW: dict[str, Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "no_args_is_help": True,
    # Both spellings of help, and as wide as the terminal up to where lines get too long.
    "context_settings": {"help_option_names": ["--help", "-h"], "max_content_width": 100},
}
app = typer.Typer(
    name="bayescompare",
    cls=Commands,
    help="Which algorithm is better, jointly over several measures, and how sure are we?",
    epilog="Start with: bayescompare pairwise --example jansen-uci",
    **_HOW,
)


def _command(
    *groups: o.Options, to: typer.Typer = app, name: str | None = None, examples: str = ""
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Add a command; the examples end its help, printed as they are."""

    def add(command: Callable[[Any], None]) -> Callable[[Any], None]:
        before, _, lines = examples.rpartition("\n\n")
        epilog = f"{before}\n\n\b\nExamples:\n{lines}" if examples else None
        how = _HOW["context_settings"]
        to.command(name, cls=Command, epilog=epilog, context_settings=how)(
            o.takes(*groups)(command)
        )
        return command

    return add


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayescompare {bc.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    prepare_streams()
    prepare_folders()
    app(prog_name="bayescompare")


# the commands that ask ----------------------------------------------------------------------------


def _selected(asked: SimpleNamespace, results: bc.Results) -> dict[str, list[str] | None]:
    """Return the algorithms and measures that are compared; a measure's beginning will do."""
    from bayescompare.text.names import meant_name

    names = o.split_names("--only", asked.measures)
    return {
        "algorithms": o.split_names("--algorithms", getattr(asked, "algorithms", None)),
        "measures": names and [meant_name(name, results.measures) for name in names],
    }


def _question(asked: SimpleNamespace) -> dict[str, Any]:
    """Read the method and the table, and return the arguments of `compare` and `pairwise`."""
    method = o.read_method(asked)
    results = read_table(asked, asked.algorithms)
    return {
        "results": results,
        "method": method,
        **_selected(asked, results),
        "rng": asked.rng,
        "missing": asked.missing,
        # NUTS says that it answers even without a bar, which is for somebody who watches.
        "sampler": {"progressbar": None} if asked.no_progress else None,
        "progress": not asked.no_progress and sys.stderr.isatty(),
        "n_jobs": getattr(asked, "n_jobs", 1),
    }


@_command(
    *(o.TABLE, o.SELECTION, o.ASKED, o.METHOD),
    o.panel(
        "The question",
        ci_prob=o.option(
            "--ci-prob P",
            "Mass of the intervals in the table of statements, below 1. Default: 0.95; with "
            "--ci-kind alone, that of ArviZ.",
            float,
        ),
        ci_kind=o.option(
            "--ci-kind eti|hdi",
            "Equal-tailed intervals, or the shortest (highest density). Default: eti; with "
            "--ci-prob alone, that of ArviZ.",
        ),
        n_jobs=o.option(
            "--jobs N",
            "Parallel jobs for the resamples of gsd, -1 for all cores. Default: 1.",
            int,
            1,
        ),
    ),
    *(o.OUTPUT, o.REPORT, o.PROGRESS),
    examples="""\
  bayescompare compare results.csv --algorithms A,B \\
      --measure accuracy:max --measure time:min
  bayescompare compare results.csv --measure accuracy:max:rope=0.01 \\
      --algorithms A,B --method glrt
  bayescompare compare --example benavoli-example1 --prior imprecise --json
  bayescompare compare results.csv --method network \\
      --measure accuracy:max --measure time:min
  bayescompare compare --example lacoste-svm-parzen \\
      --method poisson-binomial --set joint=true
  bayescompare compare --example benavoli-example1 --ci-prob 0.9 --ci-kind hdi
  bayescompare compare folds.csv --measure auc:max:rope=0.01 \\
      --replicate-column fold --algorithms A,B --method correlated-t""",
)
def compare(asked: SimpleNamespace) -> None:
    """Ask one question: which ordering leads, on all measures?"""
    _check_outputs(asked)
    intervals = {"ci_prob": asked.ci_prob, "ci_kind": asked.ci_kind}
    given = [name for name, value in intervals.items() if value is not None]
    if given:
        from bayescompare.outcome.questions import interval_choice

        interval_choice(**intervals)
    if given and asked.as_json:
        raise BayescompareError(
            f"{given[0]}= is about the printed table, and --json has the equal-tailed 95 %: leave "
            "one of the two out."
        )
    c = bc.compare(**_question(asked))
    summary = c.summary(**intervals)
    from bayescompare.cli import printing

    _deliver(c, asked, lambda out: printing.print_comparison(out, c, summary))


@_command(
    *(o.TABLE, o.SELECTION, o.ASKED, o.METHOD),
    o.panel(
        "The question",
        reference=o.option("--reference A", "Compare the others with this one."),
        level=o.option(
            "--level P",
            "Probability that each pair by itself needs for a verdict. Default: 0.95.",
            float,
        ),
        fdr=o.option(
            "--fdr RATE",
            "Instead of --level: expected share of false verdicts, if the prior is right.",
            float,
        ),
        guard=o.option(
            "--guard/--no-guard",
            "Let methods that learn nothing ask the law that the table teaches, too (default).",
            bool,
            True,
        ),
        n_jobs=o.option("--jobs N", "Parallel jobs, -1 (default) for all cores.", int, -1),
        effects=o.option(
            "--effects", "Print effect sizes of pairs without a verdict too.", bool, False
        ),
    ),
    *(o.OUTPUT, o.REPORT, o.PROGRESS),
    examples="""\
  bayescompare pairwise results.csv --measure accuracy:max \\
      --measure time:min --report report.html
  bayescompare pairwise --example jansen-uci --only auc,brier \\
      --reference GBM --fdr 0.1""",
)
def pairwise(asked: SimpleNamespace) -> None:
    """Compare every pair of algorithms: who wins which?"""
    from bayescompare.outcome.verdicts import as_rule

    _check_outputs(asked)
    if asked.level is not None and asked.fdr is not None:
        raise BayescompareError("--level and --fdr are two rules: give one.")
    rule = as_rule(level=asked.level, fdr=asked.fdr)
    p = bc.pairwise(**_question(asked), reference=asked.reference, guard=asked.guard)
    from bayescompare.cli import printing

    _deliver(
        p,
        asked,
        lambda out: printing.print_pairwise(out, p, rule, effects=asked.effects),
        **rule.options,
    )


@_command(
    *(o.TABLE, o.SELECTION),
    o.panel(
        "The question",
        by=o.option(
            "--by rank|value|strength",
            "What is averaged over datasets: ranks (default) or the values themselves; or the "
            "strengths of the Plackett-Luce model.",
            default="rank",
        ),
        utility=o.option(
            "--utility NAME=WEIGHT,…",
            "Weights of the measures, as a=1,b=0.5, or their bounds, as a=0.5..1,b=0..0.5, or "
            "'unknown' for all weights.",
        ),
        level=o.option("--level P", "Of intervals and verdicts. Default: 0.95.", float, 0.95),
        draws=o.option("--draws N", "Default: 10000.", int, 10_000),
    ),
    *(o.asked("raise|drop|worst"), o.OUTPUT, o.REPORT),
    o.panel("The output", plot=o.option("--plot PATH.png", "Draw the places.", Path)),
    examples="""\
  bayescompare rank results.csv --measure accuracy:max --measure time:min
  bayescompare rank results.csv --measure accuracy:max --measure cost:min \\
      --by value --utility accuracy=1,cost=-0.1
  bayescompare rank --example jansen-uci --plot places.png \\
      --utility auc=0.5..1,brier=0..0.5""",
)
def rank(asked: SimpleNamespace) -> None:
    """Rank all algorithms: who is best, and how sure are we?"""
    _check_outputs(asked)
    results = read_table(asked, asked.algorithms)
    named = ("by", "level", "draws", "rng", "missing")
    how = {name: getattr(asked, name) for name in named} | _selected(asked, results)
    r = bc.rank(results, **how, utility=asked.utility and read_utility(asked.utility))
    from bayescompare.cli import printing

    _deliver(r, asked, lambda out: printing.print_ranking(out, r))


def read_utility(text: str) -> Any:
    """Read ``a=1,b=0.5..1``, or the word "unknown".

    Examples
    --------
    >>> read_utility("accuracy=1,time=0..0.5"), read_utility("unknown")
    ({'accuracy': 1.0, 'time': (0.0, 0.5)}, 'unknown')
    """
    if text.strip() == "unknown":
        return "unknown"
    weights: dict[str, float | tuple[float, ...]] = {}
    for piece in text.split(","):
        name, sign, value = (part.strip() for part in piece.rpartition("="))
        try:
            ends = tuple(float(end) for end in value.split(".."))
        except ValueError:
            ends = ()
        if not (sign and name) or len(ends) not in (1, 2):
            raise BayescompareError(
                f"--utility {text}: {piece.strip()!r} is no weight; write name=1 or name=0.5..1, "
                "with commas between them, or the word unknown."
            )
        if name in weights:
            raise BayescompareError(f"--utility {text}: {name!r} is named twice.")
        weights[name] = ends[0] if len(ends) == 1 else ends
    return weights


@_command(
    o.TABLE,
    o.panel(
        "The question",
        candidate=o.option("--candidate A", "The algorithm that is to be shipped.", default=...),
        baseline=o.option("--baseline B", "The algorithm that it would replace.", default=...),
        **o.ONLY,
        level=o.option(
            "--level P", "Probability that a verdict needs. Default: 0.95.", float, 0.95
        ),
        over=o.option(
            "--over datasets|items",
            "Resample the datasets (default), or the items of each dataset: then the verdict is "
            "about these datasets only.",
            default="datasets",
        ),
    ),
    *(o.asked("raise|drop"), o.OUTPUT, o.REPORT),
    examples="""Exit codes: 0 passed, 1 worse on some measure, 3 undecided, 2 wrong use.

  bayescompare gate results.csv --candidate new --baseline old \\
      --measure accuracy:max:rope=0.01
  bayescompare gate results.csv --candidate new --baseline old --json \\
      --measure accuracy:max:rope=0.01 --measure latency:min:rope=5:unit=ms
  bayescompare gate items.csv --candidate new --baseline old \\
      --measure correct:max:rope=0.01 --replicate-column item \\
      --replicates items --over items
  bayescompare gate --example jansen-uci --candidate GBM --baseline CART""",
)
def gate(asked: SimpleNamespace) -> None:
    """May the candidate replace the baseline? The exit code says."""
    _check_outputs(asked)
    results = read_table(asked)
    named = ("candidate", "baseline", "level", "over", "rng", "missing")
    how = {name: getattr(asked, name) for name in named}
    g = bc.gate(results, **how, measures=_selected(asked, results)["measures"])
    from bayescompare.cli import printing

    _deliver(g, asked, lambda out: printing.print_gate(out, g))
    raise typer.Exit(EXIT_CODES[g.passed])


@_command(
    o.TABLE,
    examples="""\
  bayescompare look results.csv
  bayescompare look results.csv -m score:max""",
)
def look(asked: SimpleNamespace) -> None:
    """Say what is in FILE, what can be asked, and what to type next."""
    flags = o.flags_of(o.TABLE | o.ASKED, asked)
    flags = {**flags, "measures": flags["measure"]}
    for name in ("candidate", "baseline"):
        flags[name] = o.Flag(f"--{name}", "A")
    for line in str(look_at(asked)).splitlines():
        typer.echo(o.in_flags(line, flags))


# the commands that simulate -----------------------------------------------------------------------


@_command(
    *(o.TABLE, o.SELECTION, o.ASKED),
    {name: each for name, each in o.METHOD.items() if name != "alternative"},
    o.panel(
        "NUTS",
        draws=o.option("--draws N", "Per chain. Default: 1000.", int, 1000),
        chains=o.option("--chains N", "How many chains. Default: 4.", int, 4),
        tune=o.option("--tune N", "Tuning steps per chain. Default: 1000.", int, 1000),
        target_accept=o.option("--target-accept P", "Between 0 and 1. Default: PyMC's.", float),
        cores=o.option("--cores N", "Chains run at once. Default: PyMC's.", int, min=1),
    ),
    o.panel(
        "The output",
        out=o.option("--out PATH.nc", "Write the posterior to this file.", Path, ...),
    ),
    *(o.FORCE, o.PROGRESS),
    examples="""\
  bayescompare sample results.csv --measure accuracy:max \\
      --algorithms A,B --out posterior.nc
  bayescompare sample --example pnn --draws 2000 --out posterior.nc""",
)
def sample(asked: SimpleNamespace) -> None:
    """Sample the posterior with NUTS, for ArviZ."""
    _check_outputs(asked)
    # PyMC would refuse these late, and in words that name no flag.
    if asked.tune < 0:
        raise BayescompareError(f"tune={asked.tune}: must be an integer >= 0.")
    if asked.target_accept is not None and not 0.0 < asked.target_accept < 1.0:
        raise BayescompareError(f"target_accept={asked.target_accept}: must lie between 0 and 1.")
    from bayescompare.outcome.nuts import nuts_progress
    from bayescompare.outcome.saved import tree_as_netcdf

    question = _question(asked)
    shown = question.pop("progress")
    c = bc.compare(**question)
    named = ("draws", "chains", "tune", "target_accept", "cores")
    how = {name: value for name in named if (value := getattr(asked, name)) is not None}
    steps = max(asked.chains, 0) * (max(asked.draws, 0) + asked.tune)
    with stoppable_process(signal.SIGINT), nuts_progress(steps, shown) as count:
        tree = c.sample(**how, rng=asked.rng, progressbar=False, callback=count)
        # Written whole or not at all, and before the diagnosis, so that no long run is lost.
        write_bytes(asked.out, tree_as_netcdf(tree))
    from bayescompare.cli.printing import console, print_diagnosis

    print_diagnosis(console(), c.diagnose(tree))
    _announce(asked.out)


@_command(
    o.panel(
        "SBC",
        model=o.option(
            "MODEL",
            "dirichlet, network, poisson-binomial, hierarchical; or a model file or bundled "
            "model, which takes --example.",
            default=...,
        ),
        simulations=o.option("--simulations N", "Default: 300, or 100 with NUTS.", int),
        draws=o.option("--draws N", "Draws that the truth is ranked among. Default: 99.", int, 99),
        bundled=o.option("--example NAME", "Simulate tables of the size of this one."),
        table=o.option("--table FILE", "The same for a table in a file.", Path),
    ),
    *(o.COLUMNS, o.SELECTION, o.SEED),
    o.panel("The output", plot=o.option("--plot PATH.png", "Draw the ranks.", Path)),
    o.FORCE,
    examples="""\
  bayescompare calibrate dirichlet --simulations 500
  bayescompare calibrate poisson-binomial --plot ranks.png
  bayescompare calibrate dirichlet_hyperprior \\
      --example benavoli-example1 --simulations 100""",
)
def calibrate(asked: SimpleNamespace) -> None:
    """Check a model by simulation: is it as right as it claims?"""
    _check_outputs(asked, [] if asked.table is None else [asked.table])
    calibration = _calibration(asked)
    from bayescompare.cli.printing import console, print_calibration

    print_calibration(console(), calibration)
    if asked.plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        calibration.plot(ax=figure.subplots())
        _write_picture(figure, asked.plot)
    _announce(asked.plot)
    if not calibration.ok:
        raise typer.Exit(1)


def _calibration(asked: SimpleNamespace) -> Any:
    """Simulate tables like one that is given, or like a method's example."""
    from bayescompare import studies

    usual = 300 if asked.model in studies.CALIBRATED else 100
    count = usual if asked.simulations is None else asked.simulations
    how: dict[str, Any] = {"draws": asked.draws, "rng": asked.rng, "simulations": count}
    if asked.bundled is None and asked.table is None:
        if asked.model not in studies.CALIBRATED:
            raise BayescompareError(
                f"{asked.model}: its sizes are those of a table: give --example NAME or --table "
                f"FILE. These need none: {', '.join(studies.CALIBRATED)}."
            )
        return studies.sbc(asked.model, **how)
    asked.files = None if asked.table is None else [asked.table]
    table = SimpleNamespace(**{**dict.fromkeys(o.TABLE), **vars(asked)})
    results = read_table(table)
    results = results.sel(**_selected(asked, results))
    return studies.sbc(asked.model, results, **how)


# what there is ------------------------------------------------------------------------------------

_JSON = o.panel("Options", as_json=o.option("--json", "Print JSON.", bool, False))


def _one(offer: Any, typed: str = "NAME", default: Any = None, name: str = "name") -> o.Options:
    return {name: o.option(typed, "", str, default, o.beginning(offer))}


def _list(entries: Iterable[dict[str, Any]], asked: SimpleNamespace, heads: list[str]) -> None:
    if asked.as_json:
        _print_json(json.dumps(list(entries), indent=1, ensure_ascii=False))
    else:
        from bayescompare.cli.printing import console, print_table
        from bayescompare.report.page import Table

        rows = [[str(each[head]) for head in heads] for each in entries]
        print_table(console(), Table("", heads, rows, text=len(heads)), None)


@_command(_JSON, _one(o.known_examples))
def examples(asked: SimpleNamespace) -> None:
    """List the bundled tables, or describe one."""
    if asked.name is not None and not asked.as_json:
        from bayescompare.cli.printing import console

        console().print(repr(bc.load_example(asked.name)), soft_wrap=True)
        return
    if asked.name is not None:
        bc.load_example(asked.name)  # says which names there are

    def entry(example: Any) -> dict[str, Any]:
        about = {"name": example.name, "description": example.description}
        if asked.as_json:
            return about | {"measures": list(example.measures), "source": example.source}
        table = bc.load_example(example.name)
        measures = "\n".join(f"{name} {table[name].direction}" for name in table.measures)
        sizes = {"datasets": len(table.datasets), "algorithms": len(table.algorithms)}
        return about | sizes | {"measures": f"{measures}\n"}

    chosen = [each for each in bc.io.examples() if asked.name in (None, each.name)]
    heads = ["name", "datasets", "algorithms", "measures", "description"]
    _list(map(entry, chosen), asked, heads)


@_command(_JSON, _one(o.known_methods, name="method"))
def methods(asked: SimpleNamespace) -> None:
    """List the methods, or describe one: options, priors, reference."""
    name = asked.method
    if name is None:
        titles = bc.methods.names().items()
        _list([{"name": each, "title": title} for each, title in titles], asked, ["name", "title"])
    elif asked.as_json:
        found = bc.methods.get(name)
        about = {"name": name, "title": found.title, "reference": found.phrases.reference}
        _print_json(json.dumps(about, indent=1, ensure_ascii=False))
    elif o.is_model_file(name):
        raise BayescompareError(
            f"{name} is a model file: 'bayescompare models show {name}' prints it."
        )
    else:
        from bayescompare.cli import printing

        printing.print_method(printing.console(), name)


models = typer.Typer(
    help="Generative models in plain PyMC: list, show, copy to edit.",
    **_HOW,
)
app.add_typer(models, name="models")


@_command(to=models, name="list")
def list_models(asked: SimpleNamespace) -> None:
    """List the bundled models."""
    import ast

    # Read, not run: listing models runs no code.
    sources = {name: _model_file(name).read_text(encoding="utf-8") for name in o.known_models()}
    docs = {name: ast.get_docstring(ast.parse(text)) or "" for name, text in sources.items()}
    titles = [{"model": name, "what it is": doc.split("\n", 1)[0]} for name, doc in docs.items()]
    _list(titles, SimpleNamespace(as_json=False), ["model", "what it is"])
    typer.echo("Use one with --method NAME; copy one to edit it with 'models copy NAME'.")


@_command(_one(o.known_models, "NAME|FILE.py", ...), to=models)
def show(asked: SimpleNamespace) -> None:
    """Print a model's file."""
    typer.echo(_model_file(asked.name).read_text(encoding="utf-8"), nl=False)


@_command(
    _one(o.known_models, default=...),
    {"to": o.option("PATH.py", "Default: NAME.py here.", Path)},
    o.FORCE,
    to=models,
)
def copy(asked: SimpleNamespace) -> None:
    """Copy a bundled model to edit it; use the copy with --method."""
    source = _model_file(asked.name)
    place = asked.to or Path(f"{source.stem}.py")
    target = check_file_is_writable(place, overwrite=asked.overwrite)
    if target.suffix != ".py":
        raise BayescompareError(f"{target}: a model file ends in .py.")
    write_text(target, source.read_text(encoding="utf-8"))
    _announce(target)


def _model_file(name: str) -> Path:
    from bayescompare._model_files import bundled

    models = bundled()
    if name.endswith(".py") and Path(name).is_file():
        return Path(name)
    if name not in models:
        raise BayescompareError(
            f"no model called {name!r}: there is {', '.join(models)}.{did_you_mean(name, models)}"
        )
    return models[name]


# what commands write ------------------------------------------------------------------------------

_FILES = ("save", "report", "plot", "out")


def _check_outputs(asked: SimpleNamespace, sources: list[Path] | None = None) -> None:
    """Check every file to be written before anything is computed; the tables are no outputs."""
    if getattr(asked, "as_json", False) and asked.as_markdown:
        raise BayescompareError("--json and --markdown are two outputs: choose one of them.")
    sources = check_table(asked) if sources is None else sources
    taken = {source.resolve(): "FILE" for source in sources}
    files = {f"--{name}": path for name in _FILES if (path := getattr(asked, name, None))}
    for flag, path in files.items():
        other = taken.setdefault(path.resolve(), flag)
        if other != flag:
            raise BayescompareError(f"{flag} {path}: that is {other} too; choose another name.")
    for flag, path in files.items():
        check: Any = check_file_is_writable
        if flag == "--report":
            from bayescompare.report import check_report_path as check
        with o.naming_flags(lambda flag=flag: {"path": o.Flag(flag, "PATH")}):  # type: ignore[misc]
            check(path, overwrite=asked.overwrite)
        if flag == "--plot":
            from matplotlib.backend_bases import FigureCanvasBase

            if path.suffix[1:].lower() not in FigureCanvasBase.get_supported_filetypes():
                raise BayescompareError(
                    f"--plot {path}: cannot be written as a picture; end its name in .png, .svg "
                    "or .pdf."
                )


def _write_picture(figure: Any, path: Path) -> None:
    """Write a matplotlib figure, whole or not at all."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    write_bytes(path, picture.getvalue())


def _deliver(answer: Any, asked: SimpleNamespace, show: Callable[[Any], None], **rule: Any) -> None:
    """Write the files that were asked for, and print the answer or its JSON.

    `rule` is how the answer decides, for its files.
    """
    text = answer.to_json(**rule) if asked.as_json else ""
    plot, report = getattr(asked, "plot", None), getattr(asked, "report", None)
    if asked.save is not None:
        netcdf = isinstance(answer, bc.Comparison) and asked.save.suffix != ".json"
        save = answer.to_netcdf if netcdf else answer.to_json
        save(asked.save, overwrite=asked.overwrite, **rule)
    if plot is not None:
        _write_picture(answer.plot().figure, plot)
    if report is not None:
        command = shlex.join(["bayescompare", *sys.argv[1:]])
        answer.report(report, overwrite=asked.overwrite, command=command, **rule)
    if asked.as_json:
        _print_json(text)
    elif asked.as_markdown:
        from bayescompare.report.card import block_of, card_markdown

        typer.echo(card_markdown(block_of(answer, **rule)))
    else:
        from bayescompare.cli.printing import console

        show(console())
    _announce(asked.save, plot, report, err=asked.as_json or asked.as_markdown)


def _print_json(text: str) -> None:
    """Print JSON, with escapes where the output cannot show a character."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text), indent=1)
    sys.stdout.write(f"{text}\n")


def _announce(*written: Path | None, err: bool = False) -> None:
    for path in written:
        if path is not None:
            typer.echo(f"wrote {path}", err=err)


if __name__ == "__main__":
    main()
