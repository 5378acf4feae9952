"""Where the table comes from: an example, a table in a file, counts of errors, another tool.

One function for each source. Each refuses the options that are about another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import bayescompare as bc
from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.cli.flags import Flag, naming_flags
from bayescompare.cli.measures import read_measures
from bayescompare.cli.options import TableOptions, read_names_flag
from bayescompare.cli.pipes import STANDARD_INPUT, called_as_typed, files_of_pipes, is_pipe
from bayescompare.readers import FORMATS, TOOLS
from bayescompare.table.input import TABLES, input_limits
from bayescompare.text.names import any_name_pattern

__all__ = ["check_table", "read_table"]

#: For --errors and --predictions: the number of bare columns, the named ones, and the form.
_COUNTED = {
    "errors": (2, ("both", "n"), "FIRST,SECOND[,both=COLUMN][,n=COLUMN]"),
    "predictions": (
        0,
        ("correct", "y_true", "y_pred", "example"),
        "correct=COLUMN or y_true=COLUMN,y_pred=COLUMN[,example=COLUMN]",
    ),
}

#: Options that are not about a kind of FILE.
_ANY_SOURCE = ("files", "example", "columns", "max_cells", "max_bytes")

#: Flags about replicates and items, which counts of errors are without.
_ABOUT_REPLICATES = (
    *("--replicate-column", "--replicates"),
    *("--cluster", "--epoch", "--keep-items"),
)

#: The arguments of `read_errors` that --errors writes in another way.
_PARTS = {"first_wrong": "FIRST", "second_wrong": "SECOND", "both_wrong": "both"}
_PART = re.compile(rf"\b{any_name_pattern(_PARTS)}(?==)")


def check_table(options: TableOptions) -> None:
    """Refuse what can be seen to be wrong before anything is read, or heavy modules are loaded."""
    with naming_flags(options.arguments, whole=True):
        given = bool(options.files or options.labels)
        if given == (options.example is not None):
            seen = "both are" if given else "neither is"
            raise BayescompareError(f"FILE and --example NAME: {seen} given; give one of them.")
        if options.format is not None and options.format not in FORMATS:
            raise BayescompareError(
                f"--format {options.format}: must be one of {', '.join(FORMATS)}."
                f"{did_you_mean(options.format, FORMATS)}"
            )
        paths = [path for each in _named_paths(options).values() for path in each]
        for path in paths:
            check_path(path)
            if not (is_pipe(path) or path.exists() or _is_pattern(path)):
                raise BayescompareError(f"{path}: no such file or directory{_similar_file(path)}")
        if [str(path) for path in paths].count(STANDARD_INPUT) > 1:
            raise BayescompareError("FILE - is given twice, but there is one standard input.")
        texts = options.columns.measures or ()
        if any(":" in text for text in texts):
            read_measures(texts)
        renamed_columns(options.rename or ())


def read_table(options: TableOptions, algorithms: str | None = None) -> bc.Results:
    """Read the table that the options name; `algorithms` names the two of ``--errors``."""
    check_table(options)
    with (
        naming_flags(lambda: {**options.arguments(), **_flags_of_readers()}),
        input_limits(max_cells=options.max_cells, max_bytes=options.max_bytes),
    ):
        if options.example is not None:
            return _read_example_for_cli(options, options.example)
        named = _named_paths(options)
        with files_of_pipes([path for each in named.values() for path in each]) as files:
            paths = _paths_for_reading(
                {name: [files[path] for path in each] for name, each in named.items()}
            )
            recognised = _recognised_table_source(options, paths)
            if recognised is not None:
                results = _read_tool_for_cli(options, paths, recognised)
            else:
                results = _reader_for_flags(options)(options, paths, algorithms)
        if results.source is not None and any(map(is_pipe, files)):
            shown = {
                str(file): "standard input" if str(path) == STANDARD_INPUT else str(path)
                for path, file in files.items()
            }
            return results._with(source=called_as_typed(results.source, shown))
        return results


def _named_paths(options: TableOptions) -> dict[str | None, list[Path]]:
    """Return the files by their labels; those without one under None."""
    named: dict[str | None, list[Path]] = {None: list(options.files)} if options.files else {}
    for text in options.labels or ():
        name, sign, path = text.partition("=")
        if not (name and sign and path):
            raise BayescompareError(f"--label {text}: write NAME=FILE, as in --label 5-shot=a.csv.")
        named.setdefault(name, []).append(Path(path))
    return named


def _paths_for_reading(named: dict[str | None, list[Path]]) -> Any:
    """Return the paths as Python's readers take them."""
    if set(named) != {None}:
        return named
    paths = named[None]
    return paths[0] if len(paths) == 1 else paths


def _is_pattern(path: Path) -> bool:
    return any(mark in str(path) for mark in "*?[")


def _similar_file(path: Path) -> str:
    """Suggest a file of a similar name in the same folder."""
    folder = path.parent
    if not folder.is_dir():
        return f": there is no folder {folder}."
    near = did_you_mean(path.name, [file.name for file in sorted(folder.iterdir())[:1000]])
    return f".{near}"


def renamed_columns(texts: Sequence[str]) -> dict[str, str]:
    """Read every ``--rename OLD=NEW`` that was typed."""
    renamed: dict[str, str] = {}
    for text in texts:
        old, sign, new = text.rpartition("=")
        if not (old and sign and new):
            raise BayescompareError(f"--rename {text}: write OLD=NEW, as in --rename acc=accuracy.")
        if old in renamed:
            raise BayescompareError(f"--rename {text}: {old!r} is renamed twice.")
        renamed[old] = new
    return renamed


def _recognised_table_source(options: TableOptions, paths: Any) -> str | None:
    """Recognise what another tool wrote, and say so, unless an option is about tables."""
    about_tables = set(_typed_flags(options)) - {"--measure", "--label", "--reader"}
    if about_tables:
        return None
    from bayescompare.readers.formats import recognised, tools

    format: str = recognised(paths)
    if format in TABLES:
        return None
    typer.echo(f"read as {tools()[format].title} (--format {format})", err=True)
    return format


def _reader_for_flags(
    options: TableOptions,
) -> Callable[[TableOptions, Any, str | None], bc.Results]:
    if options.format in TOOLS:
        return lambda options, paths, _: _read_tool_for_cli(options, paths)
    if options.reader:
        raise BayescompareError(
            f"--reader {options.reader[0]} is about what another tool wrote, and FILE is taken for "
            "a table: name the tool by --format."
        )
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
        if name not in _ANY_SOURCE and value not in (None, [])
    ]


def _read_example_for_cli(options: TableOptions, name: str) -> bc.Results:
    for flag in _typed_flags(options):
        raise BayescompareError(
            f"{flag} is about FILE, and not for an example. Choose among its measures with --only."
        )
    return bc.load_example(name)


def _read_measured_for_cli(options: TableOptions, paths: Any, _: str | None) -> bc.Results:
    """Read tables of measures."""
    if not options.columns.measures:
        raise BayescompareError(
            "--measure is missing: say what was measured and which way is better, as in "
            f"--measure accuracy:max --measure time:min{_columns_to_choose(options, paths)}."
        )
    from bayescompare.table.reading import read_tables, table_reading

    measures: Any = read_measures(options.columns.measures)
    how = {"layout": options.layout, "format": options.format, "sheet": options.sheet}
    more: dict[str, Any] = {name: value for name, value in how.items() if value}
    reading = table_reading(
        measures=measures,
        rename=renamed_columns(options.rename or ()),
        drop_columns=options.drop_columns or (),
        loosely=True,
        **options.columns.named,
        **more,
    )
    return read_tables(paths, reading)


def _columns_to_choose(options: TableOptions, paths: Any) -> str:
    """List the columns of the first file, to choose the measures from."""
    from bayescompare.table.paths import list_paths
    from bayescompare.table.pieces import header_of_pieces
    from bayescompare.text.names import quoted_names

    with suppress(BayescompareError):
        file = list_paths(paths)[0][0][0]
        columns = [str(column) for column in header_of_pieces(file, options.format).columns]
        return f" (the columns are {quoted_names(columns)})"
    return ""


#: Flags that go with what another tool wrote.
_FLAGS_OF_TOOLS = ("--measure", "--format", "--label", "--reader", "--max-cells", "--max-bytes")


def _read_tool_for_cli(
    options: TableOptions, paths: Any, recognised: str | None = None
) -> bc.Results:
    """Read what another tool wrote, which mostly knows which way its measures are better."""
    for flag in _typed_flags(options):
        if flag not in _FLAGS_OF_TOOLS:
            raise BayescompareError(f"{flag} is about tables, not about --format {options.format}.")
    texts = options.columns.measures or None
    has_directions = any(":" in text for text in texts or ())
    measures: Any = read_measures(texts) if texts and has_directions else texts
    kind = recognised or options.format or ""
    more: dict[str, Any] = dict(_options_of_reader(options.reader or (), kind))
    if recognised is None:
        return bc.read(paths, measures=measures, format=options.format, **more)
    from bayescompare.readers.formats import read_as

    results: bc.Results = read_as(recognised, paths, measures, **more)
    return results


def _flags_of_readers() -> dict[str, Flag]:
    """Return how the arguments of all readers are typed."""
    from bayescompare.readers.formats import tools

    names = [name for tool in tools().values() for name in tool.options]
    return {name: Flag(f"--reader {name}", "VALUE") for name in names}


def _options_of_reader(texts: Sequence[str], tool: str) -> dict[str, str | bool]:
    """Read every ``--reader NAME=VALUE`` that was typed."""
    from bayescompare.readers.formats import tools

    known, given = tools()[tool].options, dict[str, str | bool]()
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            raise BayescompareError(
                f"--reader {text}: --format {tool} has no such option (it has "
                f"{', '.join(known) or 'none'})."
            )
        switch = known[name] is bool
        if not value or (switch and value not in ("true", "false")):
            form = "=true or false" if switch else "=VALUE"
            raise BayescompareError(f"--reader {text}: write {name}{form}.")
        if name in given:
            raise BayescompareError(f"--reader {text}: {name} is given twice.")
        given[name] = value == "true" if switch else value
    return given


def _only_file(kind: str, paths: Any) -> Path:
    """Return the one file of counts or predictions."""
    if isinstance(paths, Path):
        return paths
    raise BayescompareError(f"--{kind} takes one FILE, without a label.")


def _read_errors_for_cli(options: TableOptions, paths: Any, algorithms: str | None) -> bc.Results:
    """Read counts of paired errors."""
    file = _only_file("errors", paths)
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


def _read_predictions_for_cli(options: TableOptions, paths: Any, _: str | None) -> bc.Results:
    """Read predictions, and count the errors."""
    file = _only_file("predictions", paths)
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
        if flag in ("--rename", "--drop-column", "--sheet"):
            raise BayescompareError(f"{flag} is about tables of measures, not about --{kind}.")


@contextmanager
def _naming_flag_of_column(kind: str, options: TableOptions) -> Iterator[None]:
    """Begin an error about a column with the option that named the column."""
    try:
        yield
    except BayescompareError as error:
        message = _PART.sub(lambda part: _PARTS[part[0]], str(error))
        if re.search(rf"\b{any_name_pattern((*_PARTS.values(), *_COUNTED[kind][1]))}=", message):
            message = f"--{kind} {getattr(options, kind)}: {message}"
        error.args = (message,)
        raise
