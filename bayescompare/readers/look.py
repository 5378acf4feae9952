"""`look`: what is in a file or a frame, what can be asked of it, and what to type next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from bayescompare._checks import check_options
from bayescompare._errors import BayescompareError
from bayescompare.readers.formats import read_as, recognised, tools
from bayescompare.table.files import first_rows
from bayescompare.table.frames import is_dataframe
from bayescompare.table.given import FrameOptions
from bayescompare.table.guess import Guess, as_it_looks, guess
from bayescompare.table.input import (
    TABLES,
    Paths,
    input_limits,
    list_paths,
    naming,
    repeatable_paths,
)
from bayescompare.table.measure import Measure
from bayescompare.table.reading import TableReading, edited, read_tables
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, shell_word
from bayescompare.text.numbers import count, percent, plural

#: What tables are read by that a guess does not need.
_READING = ("rename", "drop_columns", "format", "sheet")


@dataclass(frozen=True, eq=False)
class Look:
    """What is in a file or a frame, as `look` found it; printed, it says so.

    Attributes
    ----------
    source : str
        The file, or the kind of frame.
    title : str
        What that was taken for.
    problems : tuple of str
        What has to be said before anything can be asked, each with the argument that says it.
    columns : dict
        For each column what it was taken for, and why.
    """

    source: str
    title: str
    problems: tuple[str, ...]
    columns: Mapping[str, tuple[str, str]]
    _options: Mapping[str, Any]
    _read: Callable[[], Results]

    @cached_property
    def results(self) -> Results:
        """The table, read as guessed."""
        return self._read()

    @property
    def command(self) -> str:
        """The next command, ready to paste; empty for a frame."""
        if self.problems or "df" in self._options:
            return ""
        words = ["bayescompare", self._asks[0], *self._options["files"]]
        for name, measure in self._options.get("measures", {}).items():
            words += ["-m", f"{name}:{measure.direction}"]
        for name, value in self._options.get("roles", {}).items():
            column = name in ("dataset", "algorithm", "replicate")
            words += [f"--{name}-column" if column else f"--{name}", str(value)]
        if self.results.absent().any():
            # What a failed run means is known; what another gap means the user must say.
            failed = any("failed run" in note for note in self.results.notes)
            words += ["--missing", "worst" if failed else "ignore"]
        return " ".join(map(shell_word, words))

    @property
    def code(self) -> str:
        """The same in Python."""
        if self.problems:
            return ""
        spec = {name: each.direction for name, each in self._options.get("measures", {}).items()}
        options = [f"measures={spec!r}"] if spec else []
        options += [f"{k}={v!r}" for k, v in self._options.get("roles", {}).items()]
        if "df" in self._options:
            return f"results = bc.Results.from_frame({', '.join(['df', *options])})"
        files = self._options["files"]
        what = repr(files[0] if len(files) == 1 else files)
        reader = "read_results" if spec else "read"
        return f"results = bc.{reader}({', '.join([what, *options])})"

    @cached_property
    def _asks(self) -> list[str]:
        two = len(self.results.algorithms) == 2
        return ["compare", "gate"] if two else ["pairwise", "rank", "gate"]

    def __str__(self) -> str:
        rows = [(role, name, why) for name, (role, why) in self.columns.items()]
        lines = [f"{self.source}: {self.title}"]
        widths = [max((len(row[k]) for row in rows), default=0) for k in (0, 1)]
        for role, name, why in rows:
            lines.append(f"  {role:<{widths[0]}}  {name:<{widths[1]}}  {why}".rstrip())
        if self.problems:
            lines += ["", "To be said first:", *(f"  {each}" for each in self.problems)]
            return "\n".join(lines)
        try:
            facts = list(_facts(self.results))
        except BayescompareError as error:
            return "\n".join([*lines, "", f"It cannot be read so: {error}"])
        lines += ["", *(f"{head:<9}{text}" for head, text in facts)]
        named = self.results.algorithms[:2]
        about = {
            "compare": "which of the two is better, on all measures together",
            "pairwise": "which pairs have a winner",
            "rank": "who is best, and in which place",
            "gate": f"may one replace another: candidate={named[-1]!r}, baseline={named[0]!r}",
        }
        if len(named) < 2:
            return "\n".join([*lines, "", "There is one algorithm: nothing can be compared."])
        if len(self.results.datasets) < 2:
            why = "There is one dataset, and nothing says how datasets vary: name more files."
            return "\n".join([*lines, "", why])
        lines += [
            f"{'Ask' if k == 0 else '':<9}{a:<9} {about[a]}" for k, a in enumerate(self._asks)
        ]
        return "\n".join([*lines, f"{'Next':<9}{self.command or self.code}"])

    __repr__ = __str__


def _facts(results: Results) -> Iterable[tuple[str, str]]:
    """Say what is missing, constant or tied."""
    cells = results._cells()
    algorithms = first_words([repr(name) for name in results.algorithms], 4)
    sizes = plural(len(results.datasets), "dataset"), plural(len(results.algorithms), "algorithm")
    yield "Table", f"{', '.join(sizes)} ({algorithms})"
    if (n := results.n_replicates or 1) > 1:
        yield "", f"up to {n} {results.replicates} of each cell"
    absent = results.absent()
    if absent.any():
        where = plural(int(absent.any(axis=(1, 2)).sum()), "dataset")
        yield "Missing", f"{count(int(absent.sum()))} of {plural(absent.size, 'cell')}, on {where}"
        yield "", "missing='ignore' counts what was seen beside them"
        yield "", "missing='worst' takes them for failed runs"
        yield "", "missing='drop' leaves out their datasets"
    if lost := len(results.missing()) - int(absent.sum()) * n:
        yield "Failed", f"{plural(lost, results._noun)} of other cells, left out for all algorithms"
    means = results.average()._cells() if results.n_replicates is not None else cells
    first, second = np.triu_indices(means.shape[1], 1)
    for j, name in enumerate(results.measures):
        own = means[:, :, j]
        present = own[~np.isnan(own)]
        if present.size and present.min() == present.max():
            yield "Constant", f"{name} is the same in every cell, and orders nothing"
            continue
        apart = own[:, first] - own[:, second]
        ties = float((apart == 0).sum()) / max(1, int((~np.isnan(apart)).sum()))
        if ties >= 0.01:
            yield "Tied", f"{percent(ties)} of pairs are equal on {name}"
    if len(results.datasets) < 5:
        yield "Few", "fewer than 5 datasets do not show how they vary"


def look(data: Any, **options: Any) -> Look:
    """Look what is in a file or a frame: names, measures, which way is better, and what to ask.

    Parameters
    ----------
    data : path, paths or frame
        As for `read`: a table in a file, what another tool wrote, or a frame of pandas or polars.
    **options
        What is known already: ``measures=``, with or without directions, and the other options of
        `read_results` or `Results.from_frame`.

    Returns
    -------
    Look
        Printed, it says what every column was taken for and why, what is missing, constant or
        tied, and what to type next; `results` is the table, `command` and `code` the next step.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "task": ["a", "a", "b", "b"], "clf": ["x", "y"] * 2, "logloss": [0.4, 0.5, 0.3, 0.6],
    ... })
    >>> found = look(frame)
    >>> print(found.code)  # doctest: +NORMALIZE_WHITESPACE
    results = bc.Results.from_frame(df, measures={'logloss': 'min'}, dataset='task',
        algorithm='clf')
    >>> found.results.algorithms
    ('x', 'y')
    """
    given = {name: value for name, value in options.items() if value is not None}
    measures = given.pop("measures", None)
    if is_dataframe(data):
        check_options(given, FrameOptions.__annotations__, "a frame")
        found = guess(data, measures=measures, **given)

        def make() -> Results:
            options = found.checked().options
            return Results.from_frame(data, measures=found.measures, **options)

        return _look(f"a frame of {type(data).__module__.partition('.')[0]}", found, make, df=True)
    limits = {name: given.pop(name, None) for name in ("max_cells", "max_bytes")}
    with input_limits(**limits):
        paths = repeatable_paths(data)
        named, source = list_paths(paths)
        kind = recognised(paths, given.get("format"))
        files = [str(path) for path, _ in named] if isinstance(paths, (list, dict)) else [source]
        if kind not in TABLES:
            read: Callable[[], Results] = partial(read_as, kind, paths, measures, **given)
            return Look(source, f"read as {tools()[kind].title}", (), {}, {"files": files}, read)
        found, reading = guessed_table(paths, measures, **given)
        return _look(source, found, partial(read_tables, paths, reading), files=files, kind=kind)


def _look(
    source: str, found: Guess, read: Callable[[], Results], kind: str = "table", **options: Any
) -> Look:
    columns = {}
    for role in ("dataset", "algorithm", "replicate", "cluster", "epoch", "group", "weight"):
        name = found.options.get(role)
        if name is not None:
            columns[str(name)] = (role, found.why.get(name, "given"))
    if "replicates" in found.options and "replicate" in found.options:
        name = str(found.options["replicate"])
        columns[name] = (found.options["replicates"], columns[name][1])
    ways = {"max": "higher is better", "min": "lower is better"}
    for name, measure in found.measures.items():
        lies = f"{found.ranges[name]}; " if name in found.ranges else ""
        why = f"{ways[measure.direction]}: {lies}{found.why.get(name, 'given')}"
        columns[name] = ("measure", why)
    columns |= {name: ("left out", why) for name, why in found.left_out.items()}
    roles = {k: v for k, v in found.options.items() if (k, v) != (k, k) and k not in _READING}
    options |= {"measures": found.measures, "roles": roles}
    return Look(source, f"a {kind} of results", tuple(found.problems), columns, options, read)


def guessed_table(
    paths: Paths, measures: Any = None, *, loosely: bool = False, **given: Any
) -> tuple[Guess, TableReading]:
    """Guess what was not given about tables in files, by the first of them.

    The guess may have problems, and then the reading cannot be used.
    """
    known = {each.name for each in fields(TableReading)}
    check_options(given, sorted(known), "read_results()")
    (file, label), *_ = list_paths(paths)[0]
    with naming(file):
        table = first_rows(file, given.get("format"), sheet=given.get("sheet"))
        table = edited(table, given.get("rename") or {}, given.get("drop_columns") or ())
        about = {name: value for name, value in given.items() if name not in _READING}
        found = guess(
            table, measures=measures, labelled=label is not None, loosely=loosely, **about
        )
    spec = found.measures or {"value": Measure("max")}
    try:
        reading = TableReading(measures=spec, **{**given, **found.options}, loosely=loosely)
    except BayescompareError as error:
        found = replace(found, problems=[*found.problems, str(error)])
        reading = TableReading(measures=spec)
    return found, reading


def read_guessed(paths: Paths, measures: Any = None, **given: Any) -> Results:
    """Read tables with what was not given as it looks; a note says what was guessed."""
    paths = repeatable_paths(paths)

    def exact() -> Results:
        return read_tables(paths, TableReading(measures=measures, **given))

    def guessed() -> tuple[Guess, Callable[[], Results]]:
        found, reading = guessed_table(paths, measures, **given)
        return found, partial(read_tables, paths, reading)

    # Details of a measure, such as its rope, may come without its direction.
    said = isinstance(measures, Mapping) and bool(measures)
    said = said and not any(isinstance(each, dict) for each in measures.values())
    return as_it_looks(exact if said else None, guessed, list_paths(paths)[1])
