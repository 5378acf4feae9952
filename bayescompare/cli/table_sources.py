"""Where the table comes from: an example, a table in a file, counts of errors, another tool.

One function for each source. Each refuses the options that are about another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import bayescompare as bc
from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._formats import FORMATS, TABLES, TOOLS
from bayescompare.cli.flags import naming_flags
from bayescompare.cli.measures import read_measures
from bayescompare.cli.options import TableOptions, read_names_flag

__all__ = ["read_table"]

#: For --errors and --predictions: the number of bare columns, the named ones, and the form.
_COUNTED = {
    "errors": (2, ("both", "n"), "FIRST,SECOND[,both=COLUMN][,n=COLUMN]"),
    "predictions": (
        0,
        ("correct", "y_true", "y_pred", "example"),
        "correct=COLUMN or y_true=COLUMN,y_pred=COLUMN[,example=COLUMN]",
    ),
}

#: Flags about replicates and items, which counts of errors are without.
_ABOUT_REPLICATES = (
    *("--replicate-column", "--replicates"),
    *("--cluster", "--epoch", "--keep-items"),
)

#: The arguments of `read_errors` that --errors writes in another way.
_PARTS = {"first_wrong": "FIRST", "second_wrong": "SECOND", "both_wrong": "both"}
_PART = re.compile(rf"\b({'|'.join(_PARTS)})(?==)")


def read_table(options: TableOptions, algorithms: str | None = None) -> bc.Results:
    """Read the table that the options name; `algorithms` names the two of ``--errors``."""
    with naming_flags(options.arguments):
        if (options.file is None) == (options.example is None):
            seen = "neither is" if options.file is None else "both are"
            raise BayescompareError(f"FILE and --example NAME: {seen} given; give one of them.")
        if options.example is not None:
            return _read_example_for_cli(options, options.example)
        assert options.file is not None
        recognised = _recognised_table_source(options, options.file)
        if recognised is not None:
            return _read_tool_for_cli(options, options.file, recognised)
        return _reader_for_flags(options)(options, options.file, algorithms)


def _recognised_table_source(options: TableOptions, file: Path) -> str | None:
    """Recognise what another tool wrote, and say so, unless an option is about tables."""
    # A pipe can be read only once.
    about_tables = set(_typed_flags(options)) - {"--measure"}
    check_path(file)
    if about_tables or not (file.is_file() or file.is_dir()):
        return None
    from bayescompare.io.reading import recognised_for_reading

    format = recognised_for_reading(file)
    if format in TABLES:
        return None
    typer.echo(f"read as {TOOLS[format].title} (--format {format})", err=True)
    return format


def _reader_for_flags(
    options: TableOptions,
) -> Callable[[TableOptions, Path, str | None], bc.Results]:
    if options.format is not None and options.format not in FORMATS:
        raise BayescompareError(
            f"--format {options.format}: must be one of {', '.join(FORMATS)}."
            f"{did_you_mean(options.format, FORMATS)}"
        )
    if options.format in TOOLS:
        return lambda options, file, _: _read_tool_for_cli(options, file)
    if options.errors is not None:
        return _read_errors_for_cli
    return _read_measured_for_cli if options.predictions is None else _read_predictions_for_cli


def _typed_flags(options: TableOptions) -> list[str]:
    """Return the flags about FILE that were typed."""
    values = {**vars(options.columns), **vars(options)}
    flags = options.flags()
    return [
        flags[name].name
        for name, value in values.items()
        if name not in ("file", "example", "columns") and value not in (None, [])
    ]


def _read_example_for_cli(options: TableOptions, name: str) -> bc.Results:
    for flag in _typed_flags(options):
        raise BayescompareError(
            f"{flag} is about FILE, and not for an example. Choose among its measures with --only."
        )
    return bc.load_example(name)


def _read_measured_for_cli(options: TableOptions, file: Path, _: str | None) -> bc.Results:
    """Read a table of measures."""
    if not options.columns.measures:
        raise BayescompareError(
            "--measure is missing: say what was measured and which way is better, as in "
            "--measure accuracy:max --measure time:min."
        )
    measures: Any = read_measures(options.columns.measures)
    how = {"layout": options.layout, "format": options.format}
    more: dict[str, Any] = {name: value for name, value in how.items() if value}
    return bc.read_results(file, measures=measures, **options.columns.named, **more)


def _read_tool_for_cli(
    options: TableOptions, file: Path, recognised: str | None = None
) -> bc.Results:
    """Read what another tool wrote, which mostly knows which way its measures are better."""
    for flag in _typed_flags(options):
        if flag not in ("--measure", "--format"):
            raise BayescompareError(f"{flag} is about tables, not about --format {options.format}.")
    texts = options.columns.measures or None
    has_directions = any(":" in text for text in texts or ())
    measures: Any = read_measures(texts) if texts and has_directions else texts
    if recognised is None:
        return bc.read(file, measures=measures, format=options.format)
    from bayescompare.io.reading import read_recognised

    return read_recognised(recognised, file, measures)


def _read_errors_for_cli(options: TableOptions, file: Path, algorithms: str | None) -> bc.Results:
    """Read counts of paired errors."""
    (first, second), columns = _columns_of_flag("errors", options)
    roles = replace(options.columns, algorithm=None).named  # each of the two has its own column
    more: dict[str, Any] = {**roles, "format": options.format}
    with _naming_flag_of_column("errors", options):
        return bc.read_errors(
            file,
            first_wrong=first,
            second_wrong=second,
            both_wrong=columns.get("both"),
            n=columns.get("n"),
            algorithms=read_names_flag("--algorithms", algorithms),
            **more,
        )


def _read_predictions_for_cli(options: TableOptions, file: Path, _: str | None) -> bc.Results:
    """Read predictions, and count the errors."""
    columns = _columns_of_flag("predictions", options)[1]
    with _naming_flag_of_column("predictions", options):
        more: dict[str, Any] = {**options.columns.named, **columns, "format": options.format}
        return bc.read_predictions(file, **more)


def _columns_of_flag(kind: str, options: TableOptions) -> tuple[list[str], dict[str, str]]:
    """Read the value of --errors or --predictions: bare columns, and those with a name."""
    text = getattr(options, kind)
    bare: list[str] = []
    named: dict[str, str] = {}
    for part in read_names_flag(f"--{kind}", text) or []:
        name, sign, column = part.partition("=")
        if not sign:
            bare.append(name)
        elif name in named:
            raise BayescompareError(f"--{kind} {text}: {name} is given twice.")
        else:
            named[name] = column
    n_bare, known, form = _COUNTED[kind]
    if len(bare) != n_bare or not set(named) <= set(known):
        raise BayescompareError(f"--{kind} {text}: write {form}.")
    _refuse_other_flags(kind, options)
    return bare, named


def _refuse_other_flags(kind: str, options: TableOptions) -> None:
    for flag in _typed_flags(options):
        if flag in _ABOUT_REPLICATES:
            raise BayescompareError(f"{flag}: --{kind} has no replicates.")
        if flag in {"--predictions", "--measure", "--layout"} - {f"--{kind}"}:
            raise BayescompareError(f"{flag} and --{kind}: FILE is one or the other.")


@contextmanager
def _naming_flag_of_column(kind: str, options: TableOptions) -> Iterator[None]:
    """Begin an error about a column with the option that named the column."""
    try:
        yield
    except BayescompareError as error:
        message = _PART.sub(lambda part: _PARTS[part[0]], str(error))
        if re.search(rf"\b({'|'.join((*_PARTS.values(), *_COUNTED[kind][1]))})=", message):
            message = f"--{kind} {getattr(options, kind)}: {message}"
        error.args = (message,)
        raise
