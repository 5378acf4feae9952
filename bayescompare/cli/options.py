"""The options that commands share, one dataclass for each group.

A field is named after the Python argument that it becomes (`rng` is ``--seed``); its flag, its help
and its default are declared here and nowhere else. `bayescompare.cli.groups` turns the fields into
options of a command. Light, like the commands: ``--help`` needs all of this.
"""

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescompare._errors import BayescompareError
from bayescompare.cli.completion import (
    complete_example,
    complete_format,
    complete_measure,
    complete_only,
)
from bayescompare.cli.flags import Flag
from bayescompare.cli.groups import OptionGroup, command_line_option
from bayescompare.readers import FORMATS

if TYPE_CHECKING:
    from bayescompare.table.results import Results

__all__ = [
    "OUTPUT",
    "QUESTION",
    "ColumnOptions",
    "Missing",
    "NoProgress",
    "OutputOptions",
    "Overwrite",
    "Seed",
    "SelectionOptions",
    "TableOptions",
    "measures_meant",
    "read_names_flag",
]

#: The panels of --help.
TABLE, QUESTION, OUTPUT = "The table", "The question", "The output"

# options that stand alone -------------------------------------------------------------------------

Missing = Annotated[
    str,
    command_line_option(
        "--missing",
        "If a cell is missing: stop (default); drop its dataset; ignore the cell but keep what "
        "was seen beside it; take it for a failed run (worst); or bound P over all values.",
        QUESTION,
        metavar="raise|drop|ignore|worst|bounds",
    ),
]
Seed = Annotated[
    int | None,
    command_line_option(
        "--seed",
        "Seed of the random numbers. Default: 0 for an answer, a new one for draws.",
        QUESTION,
        metavar="N",
        min=0,
    ),
]
Overwrite = Annotated[bool, command_line_option("--force", "Overwrite existing files.", OUTPUT)]
NoProgress = Annotated[bool, command_line_option("--no-progress", "Show no progress bar.", OUTPUT)]


# the table ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnOptions(OptionGroup):
    """What the columns of a table are."""

    measures: Annotated[
        list[str] | None,
        command_line_option(
            "--measure",
            "What was measured and which way is better, once per measure: name:max or name:min, "
            "then any of :rope=R :unit=U :bounds=LOW..HIGH :ordinal. The beginning of the name "
            "will do.",
            TABLE,
            short="-m",
            metavar="NAME:DIRECTION",
            autocompletion=complete_measure,
        ),
    ] = None
    dataset: Annotated[
        str | None,
        command_line_option("--dataset-column", "Default: dataset.", TABLE, metavar="COLUMN"),
    ] = None
    algorithm: Annotated[
        str | None,
        command_line_option("--algorithm-column", "Default: algorithm.", TABLE, metavar="COLUMN"),
    ] = None
    replicate: Annotated[
        str | None,
        command_line_option(
            "--replicate-column",
            "Folds, seeds or items. They are averaged, except with --method replicated or "
            "correlated-t.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None
    replicates: Annotated[
        str | None,
        command_line_option(
            "--replicates",
            "What they are: folds (correlated, the default), seeds or items (independent).",
            TABLE,
            metavar="KIND",
        ),
    ] = None

    cluster: Annotated[
        str | None,
        command_line_option(
            "--cluster",
            "What items belong to, such as a passage: items are independent across clusters only.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None
    epoch: Annotated[
        str | None,
        command_line_option(
            "--epoch",
            "Repeated runs of one item, which are averaged.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None
    keep_items: Annotated[
        bool | None,
        command_line_option(
            "--keep-items/--no-keep-items",
            "Keep every item, or only their statistics. Default: up to a million rows (parquet) "
            "or 64 MiB.",
            TABLE,
        ),
    ] = None

    group: Annotated[
        str | None,
        command_line_option(
            "--group",
            "The domain of each dataset, for --method dirichlet or replicated.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None
    weight: Annotated[
        str | None,
        command_line_option(
            "--weight",
            "The weight of each dataset, above 0, for the same methods.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None

    @property
    def named(self) -> dict[str, Any]:
        """The columns that were named, by what they hold."""
        roles = (
            "dataset",
            "algorithm",
            "replicate",
            "replicates",
            "cluster",
            "epoch",
            "group",
            "weight",
        )
        columns = {role: getattr(self, role) for role in roles}
        named = {role: column for role, column in columns.items() if column}
        return named if self.keep_items is None else {**named, "keep_items": self.keep_items}


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """Where the table is, and how it is read."""

    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="Table of results, long or wide: csv, tsv, json, jsonl, parquet or xlsx; or what "
            "another tool wrote (see --format), which may be a directory. Several are read as "
            "one. - is standard input.",
        ),
    ] = None
    labels: Annotated[
        list[str] | None,
        command_line_option(
            "--label",
            "A file and the name of its run, as in --label 5-shot=a.csv: the algorithm, or what "
            "goes before its own names if it has several.",
            TABLE,
            metavar="NAME=FILE",
        ),
    ] = None
    example: Annotated[
        str | None,
        command_line_option(
            "--example",
            "A bundled table instead of FILE; see 'examples'.",
            TABLE,
            metavar="NAME",
            autocompletion=complete_example,
        ),
    ] = None
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    errors: Annotated[
        str | None,
        command_line_option(
            "--errors",
            "FILE has counts of paired errors. Name the column of the examples that only the "
            "first algorithm got wrong, then that of the second; both=COLUMN and n=COLUMN may "
            "follow. --algorithms names the two.",
            TABLE,
            metavar="FIRST,SECOND",
        ),
    ] = None
    predictions: Annotated[
        str | None,
        command_line_option(
            "--predictions",
            "FILE has one row per dataset, example and algorithm. Name its columns: "
            "correct=COL, or y_true=COL,y_pred=COL; example=COL may follow.",
            TABLE,
            metavar="NAME=COLUMN,…",
        ),
    ] = None
    rename: Annotated[
        list[str] | None,
        command_line_option(
            "--rename",
            "Another name for a column, as in --rename acc=accuracy, which other options then use.",
            TABLE,
            metavar="OLD=NEW",
        ),
    ] = None
    drop_columns: Annotated[
        list[str] | None,
        command_line_option(
            "--drop-column",
            "Leave out a column, which a wide table would take for an algorithm.",
            TABLE,
            metavar="COLUMN",
        ),
    ] = None
    sheet: Annotated[
        str | None,
        command_line_option(
            "--sheet", "The sheet of an xlsx file that has several.", TABLE, metavar="NAME"
        ),
    ] = None
    layout: Annotated[
        str | None,
        command_line_option("--layout", "Default: auto.", TABLE, metavar="auto|long|wide"),
    ] = None
    format: Annotated[
        str | None,
        command_line_option(
            "--format",
            f"Default: what FILE looks like. One of {', '.join(FORMATS)}. What another tool wrote "
            "often needs no --measure, or none with a direction.",
            TABLE,
            metavar="FORMAT",
            autocompletion=complete_format,
        ),
    ] = None
    reader: Annotated[
        list[str] | None,
        command_line_option(
            "--reader",
            "An option for what another tool wrote, as in --reader split=test. A NAME that a "
            "format does not have is answered by those that it has.",
            TABLE,
            metavar="NAME=VALUE",
        ),
    ] = None
    max_cells: Annotated[
        int | None,
        command_line_option(
            "--max-cells",
            "The most cells that the table may have, gaps included. Default: 50 million.",
            TABLE,
            metavar="N",
        ),
    ] = None
    max_bytes: Annotated[
        int | None,
        command_line_option(
            "--max-bytes",
            "The most bytes of a file that are read, unpacked. Default: 512 MiB.",
            TABLE,
            metavar="N",
        ),
    ] = None

    @property
    def paths(self) -> list[Path]:
        """The files that were typed, those with a label included."""
        labelled = [text.partition("=")[2] for text in self.labels or ()]
        return [*(self.files or ()), *(Path(path) for path in labelled if path)]

    def arguments(self) -> dict[str, Flag]:
        """Leave out what is no argument of a reader: its ``example=`` is a column."""
        flags = self.flags()
        return {
            name: flags[name]
            for name in flags.keys()
            - {"files", "labels", "example", "errors", "predictions", "reader"}
        }


# the question -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SelectionOptions(OptionGroup):
    """What of the table is compared."""

    algorithms: Annotated[
        str | None,
        command_line_option(
            "--algorithms",
            "Compare these, in this order. Default: all.",
            QUESTION,
            short="-a",
            metavar="A,B,…",
        ),
    ] = None
    measures: Annotated[
        str | None,
        command_line_option(
            "--only",
            "Compare on these measures. Default: all.",
            QUESTION,
            metavar="M1,M2,…",
            autocompletion=complete_only,
        ),
    ] = None

    @property
    def names(self) -> dict[str, list[str] | None]:
        """The algorithms and the measures, as Python's arguments."""
        names = {
            "algorithms": read_names_flag("--algorithms", self.algorithms),
            "measures": read_names_flag("--only", self.measures),
        }
        for argument, listed in names.items():
            if listed == []:
                flag = self.flags()[argument].name
                raise BayescompareError(f"{flag} is empty: name at least one, or leave it out.")
        return names

    def names_in(self, results: "Results") -> dict[str, list[str] | None]:
        """Return the same, with the measures that the beginnings of their names mean."""
        names = self.names
        return {**names, "measures": measures_meant(names["measures"], results)}


def measures_meant(names: list[str] | None, results: "Results") -> list[str] | None:
    """Return the measures of a table that were typed, in any case and as far as needed."""
    if names is None:
        return None
    from bayescompare.text.names import meant_name

    return [meant_name(name, results.measures) for name in names]


def read_names_flag(flag: str, text: str | None) -> list[str] | None:
    """Read a comma list; a name with a comma in it goes in double quotes."""
    if text is None:
        return None
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise BayescompareError(f"{flag} {text}: not a comma list of names ({error}).") from None


# the output ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """What is printed, and the report."""

    as_json: Annotated[
        bool, command_line_option("--json", "Print JSON and nothing else.", OUTPUT)
    ] = False
    report: Annotated[
        Path | None,
        command_line_option(
            "--report",
            "Write a report: .html, .md, .tex or .json.",
            OUTPUT,
            short="-r",
            metavar="PATH.html",
        ),
    ] = None
