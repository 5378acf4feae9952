"""Where the table comes from: an example, a table in a file, counts of errors, another tool.

Standard input and other pipes have no suffix and can be read only once, so each is first written to
a scratch file whose suffix says what it holds; messages name it as it was typed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import typer

import bayescompare as bc
from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.cli.options import TABLE, Flag, flags_of, naming_flags, pairs_of
from bayescompare.cli.options import split_names as names_in
from bayescompare.readers import FORMATS, TOOLS
from bayescompare.table.input import TABLES, input_limits, read_file, read_to_limit
from bayescompare.table.measure import Measure
from bayescompare.table.writing import write_bytes

#: For --errors and --predictions: the parts that the reader's arguments are, and the form.
_COUNTED = {
    "errors": (
        {"first_wrong": "FIRST", "second_wrong": "SECOND", "both_wrong": "both", "n": "n"},
        "FIRST,SECOND[,both=COLUMN][,n=COLUMN]",
    ),
    "predictions": (
        {name: name for name in ("correct", "y_true", "y_pred", "example")},
        "correct=COLUMN or y_true=COLUMN,y_pred=COLUMN[,example=COLUMN]",
    ),
}

#: What goes with each kind of FILE besides limits.
_ABOUT_COUNTS = {"dataset", "algorithm", "group", "weight", "format"}
_ABOUT_TOOLS = {"measure", "format", "reader", "label"}


def check_table(asked: SimpleNamespace) -> list[Path]:
    """Refuse what is seen to be wrong before anything heavy is loaded, and return the files."""
    if bool(asked.files or asked.label) == (asked.bundled is not None):
        seen = "both are" if asked.bundled else "neither is"
        raise BayescompareError(f"FILE and --example NAME: {seen} given; give one of them.")
    if asked.format is not None and asked.format not in FORMATS:
        raise BayescompareError(
            f"--format {asked.format}: must be one of {', '.join(FORMATS)}."
            f"{did_you_mean(asked.format, FORMATS)}"
        )
    paths = [path for each in _by_label(asked).values() for path in each]
    for path in paths:
        check_path(path)
        if not (_is_pipe(path) or path.exists() or any(mark in str(path) for mark in "*?[")):
            raise BayescompareError(f"{path}: no such file or directory{_similar_file(path)}")
    if list(map(str, paths)).count("-") > 1:
        raise BayescompareError("FILE - is given twice, but there is one standard input.")
    read_measures(asked.measure)
    _renamed(asked)
    return paths


def read_table(asked: SimpleNamespace, algorithms: str | None = None) -> bc.Results:
    """Read the table that the options name; `algorithms` names the two of ``--errors``."""
    with _paths_of(asked) as (paths, called):
        if paths is None:
            _refuse_others(asked, "--example", {"bundled"})
            return bc.load_example(asked.bundled)
        results = _read(asked, paths, algorithms)
        if results.source is not None and called:
            return results._with(source=_as_typed(results.source, called))
        return results


def look_at(asked: SimpleNamespace) -> Any:
    """Look at what the options name, without reading more than that needs."""
    with _paths_of(asked) as (paths, called):
        if paths is None:
            return bc.look(bc.load_example(asked.bundled).to_frame())
        if asked.format in TOOLS:
            how = {"measures": _measures_of_tool(asked), **_options_of_tool(asked, asked.format)}
            found = bc.look(paths, format=asked.format, **how)
        else:
            found = bc.look(paths, **_reading(asked))
        return _as_typed(str(found), called)


@contextmanager
def _paths_of(asked: SimpleNamespace) -> Iterator[tuple[Any, dict[str, str]]]:
    """Yield the paths that the options name, None for an example, and what pipes are called."""
    typed = check_table(asked)
    with (
        naming_flags(lambda: _reading_flags(asked)),
        input_limits(max_cells=asked.max_cells, max_bytes=asked.max_bytes),
        _files_of_pipes(typed) as (files, called),
    ):
        named = _by_label(asked)
        paths: Any = {name: [files[path] for path in each] for name, each in named.items()}
        if set(paths) == {None}:
            paths = paths[None][0] if len(paths[None]) == 1 else paths[None]
        yield paths or None, called


def _reading_flags(asked: SimpleNamespace) -> dict[str, Flag]:
    from bayescompare.readers.formats import tools

    flags = flags_of(TABLE, asked)
    of_tools = {name for tool in tools().values() for name in tool.options}
    more = {name: Flag(f"--reader {name}") for name in of_tools - flags.keys()}
    return {**flags, **more, "measures": flags["measure"]}


def _read(asked: SimpleNamespace, paths: Any, algorithms: str | None) -> bc.Results:
    given = _given(asked)
    if not given.keys() - {"measure", "label", "reader"}:
        from bayescompare.readers.formats import read_as, recognised, tools

        kind: str = recognised(paths)
        if kind not in TABLES:
            typer.echo(f"read as {tools()[kind].title} (--format {kind})", err=True)
            options = _options_of_tool(asked, kind)
            return read_as(kind, paths, _measures_of_tool(asked), **options)
    if asked.format in TOOLS:
        _refuse_others(asked, f"--format {asked.format}", _ABOUT_TOOLS)
        options = _options_of_tool(asked, asked.format)
        return bc.read(paths, measures=_measures_of_tool(asked), format=asked.format, **options)
    if asked.reader:
        raise BayescompareError(
            f"--reader {asked.reader[0]} is about what another tool wrote, and FILE is taken for "
            "a table: name the tool by --format."
        )
    if asked.errors is not None or asked.predictions is not None:
        return _read_counts(asked, paths, algorithms)
    from bayescompare.readers.look import read_guessed

    results = read_guessed(paths, **_reading(asked), loosely=True)
    for note in results.notes:
        if note.startswith("guessed: "):
            typer.echo(note, err=True)
    return results


def _reading(asked: SimpleNamespace) -> dict[str, Any]:
    """Return the arguments of `read_results` that were typed."""
    given = {k: v for k, v in _given(asked).items() if k not in ("measure", "label", "reader")}
    more = {"measures": read_measures(asked.measure) or None, "rename": _renamed(asked) or None}
    return given | {name: value for name, value in more.items() if value}


def _read_counts(asked: SimpleNamespace, paths: Any, algorithms: str | None) -> bc.Results:
    """Read counts of paired errors, or predictions."""
    kind = "errors" if asked.errors is not None else "predictions"
    text = getattr(asked, kind)
    _refuse_others(asked, f"--{kind}", {kind, *_ABOUT_COUNTS})
    if not isinstance(paths, Path):
        raise BayescompareError(f"--{kind} takes one FILE, without a label.")
    arguments, form = _COUNTED[kind]
    named = {part: name for name, part in arguments.items()}
    bare = [part for part in arguments.values() if part.isupper()]
    parts: dict[str, Any] = {}
    for typed in names_in(f"--{kind}", text) or ():
        part, sign, column = typed.partition("=")
        if not sign and bare:
            part, column = bare.pop(0), part
        elif not sign or part not in named or part.isupper():
            raise BayescompareError(f"--{kind} {text}: write {form}.")
        if named[part] in parts:
            raise BayescompareError(f"--{kind} {text}: {part} is given twice.")
        parts[named[part]] = column
    if bare:
        raise BayescompareError(f"--{kind} {text}: write {form}.")
    more = {name: value for name, value in _given(asked).items() if name in _ABOUT_COUNTS}
    flags = {name: Flag(f"--{kind} {part}") for name, part in arguments.items()}
    with naming_flags(lambda: flags):
        if kind == "predictions":
            return bc.read_predictions(paths, **more, **parts)
        more.pop("algorithm", None)  # each of the two has its own column
        names = names_in("--algorithms", algorithms)
        return bc.read_errors(paths, algorithms=names, **more, **parts)


def _given(asked: SimpleNamespace) -> dict[str, Any]:
    """Return the options about FILE that were typed."""
    apart = ("files", "bundled", "max_cells", "max_bytes")
    every = {name: getattr(asked, name) for name in TABLE if name not in apart}
    return {name: value for name, value in every.items() if value not in (None, [])}


def _refuse_others(asked: SimpleNamespace, source: str, known: set[str]) -> None:
    """Refuse the options that are about another source."""
    flags = flags_of(TABLE, asked)
    for name in _given(asked).keys() - known:
        hint = "; choose among its measures by --only" if source == "--example" else ""
        flag = flags[name].text.partition("/")[0]
        raise BayescompareError(f"{flag} does not go with {source}{hint}.")


def _by_label(asked: SimpleNamespace) -> dict[str | None, list[Path]]:
    """Return the files by their labels; those without one under None."""
    named: dict[str | None, list[Path]] = {None: list(asked.files)} if asked.files else {}
    for name, path in pairs_of("--label", asked.label, "NAME=FILE, as in --label 5-shot=a.csv"):
        named.setdefault(name, []).append(Path(path))
    return named


def _renamed(asked: SimpleNamespace) -> dict[str, str]:
    renamed: dict[str, str] = {}
    form = "OLD=NEW, as in --rename acc=accuracy"
    for old, new in pairs_of("--rename", asked.rename, form):
        if old in renamed:
            raise BayescompareError(f"--rename {old}={new}: {old!r} is renamed twice.")
        renamed[old] = new
    return renamed


def _similar_file(path: Path) -> str:
    """Suggest a file of a similar name in the same folder."""
    folder = path.parent
    if not folder.is_dir():
        return f": there is no folder {folder}."
    near = did_you_mean(path.name, [file.name for file in sorted(folder.iterdir())[:1000]])
    return f".{near}"


def _options_of_tool(asked: SimpleNamespace, tool: str) -> dict[str, Any]:
    """Read every ``--reader NAME=VALUE`` that was typed."""
    from bayescompare.readers.formats import tools

    known, given = tools()[tool].options, dict[str, str | bool]()
    for text in asked.reader or ():
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


# measures -----------------------------------------------------------------------------------------


def read_measures(texts: Iterable[str] | None) -> dict[str, Any]:
    """Read every ``--measure`` that was typed, each about a measure of its own."""
    spec: dict[str, Any] = {}
    for text in texts or ():
        name, measure = parse_measure(text)
        if name in spec:
            raise BayescompareError(f"--measure {text}: measure {name!r} is given twice.")
        spec[name] = measure
    return spec


def _measures_of_tool(asked: SimpleNamespace) -> Any:
    """Read the measures of what another tool wrote, which mostly knows which way is better."""
    spec = read_measures(asked.measure)
    bare = [name for name, measure in spec.items() if isinstance(measure, dict)]
    if bare and len(bare) < len(spec):
        raise BayescompareError(
            f"--measure {bare[0]}: give every measure a direction, as in {bare[0]}:max, or none."
        )
    return list(spec) if bare else spec or None


def parse_measure(text: str) -> tuple[str, Any]:
    """Read ``name[:direction][:rope=R][:unit=U][:bounds=LOW..HIGH][:ordinal]``.

    Read from the right, so that the name itself may hold colons. Without a direction the details
    are returned, and the name may tell.

    Examples
    --------
    >>> parse_measure("F1:macro:max:rope=0.01")[0], parse_measure("time:unit=s")
    ('F1:macro', ('time', {'unit': 's'}))
    """
    *parts, last = text.split(":")
    details: dict[str, Any] = {}
    try:
        while parts:
            key, sign, value = last.partition("=")
            if key in ("ordinal", "metric") and not sign:
                key, value = "scale", key
            elif not sign:
                break
            if key in details:
                raise BayescompareError(f"{key} is given twice.")
            details[key] = _measure_detail(key, value)
            *parts, last = parts
        if not parts:
            Measure("max", **details)  # whether they are right
            return last, details
        return ":".join(parts), Measure(last, **details)  # type: ignore[arg-type]
    except BayescompareError as error:
        raise BayescompareError(f"--measure {text}: {error}") from None


def _measure_detail(key: str, value: str) -> Any:
    """Read the value of a field of `Measure`."""
    match key:
        case "scale" | "unit":
            return value
        case "rope":
            return _number(key, value)
        case "bounds":
            low, dots, high = value.partition("..")
            if not dots:
                raise BayescompareError(f"bounds={value!r}: write LOW..HIGH, as in 0..1 or 0.. .")
            return tuple(_number(key, end) if end else None for end in (low, high))
    known = ("rope", "unit", "bounds", "ordinal")
    raise BayescompareError(
        f"{key!r} is not a part of a measure; the parts are rope=, unit=, bounds= and ordinal."
        f"{did_you_mean(key, known)}"
    )


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BayescompareError(f"{key}={text!r}: must be a number.") from None


# pipes --------------------------------------------------------------------------------------------


def _is_pipe(path: Path) -> bool:
    """Whether a path is standard input or another stream that can be read only once."""
    text = str(path)
    streams = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
    return text == "-" or text.startswith(streams) or path.is_fifo()


@contextmanager
def _files_of_pipes(paths: Sequence[Path]) -> Iterator[tuple[dict[Path, Path], dict[str, str]]]:
    """Yield a file for each path, itself or what was read from a pipe, and what pipes are called.

    Errors that are raised inside name the pipe, not the scratch file.
    """
    files, called = {path: path for path in paths}, dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="bayescompare-") as folder:
        for number, path in enumerate(filter(_is_pipe, list(files))):
            name = "standard input" if str(path) == "-" else str(path)
            try:
                files[path] = _pipe_as_file(path, Path(folder) / str(number))
            except BayescompareError as error:
                raise BayescompareError(f"{name}: {error}") from None
            called[str(files[path])] = name
        try:
            yield files, called
        except BayescompareError as error:
            error.args = (_as_typed(str(error), called),)
            raise


def _as_typed(text: str, called: dict[str, str]) -> str:
    """Write a text with pipes in place of scratch files."""
    for file, name in called.items():
        text = text.replace(file, name)
    return text


def _pipe_as_file(path: Path, place: Path) -> Path:
    """Write what comes out of a pipe to a file, and give it the suffix of its content."""
    if str(path) != "-":
        piped = read_file(path)
    elif sys.stdin is None or sys.stdin.isatty():
        raise BayescompareError("nothing is piped in; name a file instead of -.")
    else:
        stream: Any = getattr(sys.stdin, "buffer", None)
        piped = sys.stdin.read().encode() if stream is None else read_to_limit(stream)
    write_bytes(place, piped, flush=False)  # removed again when the command ends
    content = read_file(place)  # decompressed
    if not content.strip():
        raise BayescompareError("is empty: pipe a table in.")
    return place.rename(place.with_suffix(suffix_of_content(content)))


def suffix_of_content(content: bytes) -> str:
    r"""Return the suffix that a file of this content should have.

    Examples
    --------
    >>> suffix_of_content(b"dataset\tsvm\niris\t0.9\n"), suffix_of_content(b'[{"a": 1}]')
    ('.tsv', '.json')
    """
    if content.startswith(b"PAR1"):
        return ".parquet"
    if content.startswith(b"PK\x03\x04"):
        return ".xlsx" if b"[Content_Types].xml" in content else ".eval"
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    first, _, rest = start.partition(b"\n")
    if start[:1] in (b"{", b"["):
        with suppress(ValueError, RecursionError):
            if rest.strip() and isinstance(json.loads(first), dict):
                return ".jsonl"
        return ".json"
    if start[:9].lower() == b"@relation":
        return ".arff"
    return ".tsv" if first.count(b"\t") > first.count(b",") else ".csv"
