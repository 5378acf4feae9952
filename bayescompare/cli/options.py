"""The options that commands share; each is declared here and nowhere else.

Light, like the commands: ``--help`` needs all of this.
"""

import csv
import json
import sys
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli import completion
from bayescompare.cli.flags import Flag, Options, argument, option, switch
from bayescompare.readers import FORMATS

if TYPE_CHECKING:
    from bayescompare.outcome.method import Method as AnyMethod
    from bayescompare.table.results import Results

__all__ = [
    "OUTPUT",
    "QUESTION",
    "Asked",
    "Columns",
    "Drawn",
    "Method",
    "Output",
    "Picture",
    "Progress",
    "Report",
    "Sampled",
    "SampledMethod",
    "Seed",
    "Selection",
    "Table",
    "measures_meant",
    "split_names",
]

#: The panels of --help.
TABLE, QUESTION, OUTPUT = "The table", "The question", "The output"
NETWORK = "The graph, for --method network"


# the table ----------------------------------------------------------------------------------------


class Columns(Options, panel=TABLE):
    """What the columns of a table are."""

    measures: list[str] | None = option(
        "NAME:DIRECTION",
        "What was measured and which way is better, once per measure: name:max or name:min, then "
        "any of :rope=R :unit=U :bounds=LOW..HIGH :ordinal. The beginning of the name will do.",
        short="-m",
        autocompletion=completion.measures,
        flag="--measure",
    )
    dataset: str | None = option("COLUMN", "Default: dataset.", flag="--dataset-column")
    algorithm: str | None = option("COLUMN", "Default: algorithm.", flag="--algorithm-column")
    replicate: str | None = option(
        "COLUMN",
        "Folds, seeds or items. They are averaged, except with --method replicated or "
        "correlated-t.",
        flag="--replicate-column",
    )
    replicates: str | None = option(
        "KIND", "What they are: folds (correlated, the default), seeds or items (independent)."
    )
    cluster: str | None = option(
        "COLUMN",
        "What items belong to, such as a passage: items are independent across clusters only.",
    )
    epoch: str | None = option("COLUMN", "Repeated runs of one item, which are averaged.")
    keep_items: bool | None = option(
        None,
        "Keep every item, or only their statistics. Default: up to a million rows (parquet) or "
        "64 MiB.",
        flag="--keep-items/--no-keep-items",
    )
    group: str | None = option(
        "COLUMN", "The domain of each dataset, for --method dirichlet or replicated."
    )
    weight: str | None = option(
        "COLUMN", "The weight of each dataset, above 0, for the same methods."
    )


class Table(Columns, panel=TABLE):
    """Where the table is, and how it is read."""

    files: list[Path] | None = argument(
        "FILE",
        "Table of results, long or wide: csv, tsv, json, jsonl, parquet or xlsx; or what another "
        "tool wrote (see --format), which may be a directory. Several are read as one. - is "
        "standard input.",
        default=None,
    )
    labels: list[str] | None = option(
        "NAME=FILE",
        "A file and the name of its run, as in --label 5-shot=a.csv: the algorithm, or what goes "
        "before its own names if it has several.",
        flag="--label",
    )
    bundled: str | None = option(
        "NAME",
        "A bundled table instead of FILE; see 'examples'.",
        autocompletion=completion.examples,
        flag="--example",
    )
    errors: str | None = option(
        "FIRST,SECOND",
        "FILE has counts of paired errors. Name the column of the examples that only the first "
        "algorithm got wrong, then that of the second; both=COLUMN and n=COLUMN may follow. "
        "--algorithms names the two.",
    )
    predictions: str | None = option(
        "NAME=COLUMN,…",
        "FILE has one row per dataset, example and algorithm. Name its columns: correct=COL, or "
        "y_true=COL,y_pred=COL; example=COL may follow.",
    )
    rename: list[str] | None = option(
        "OLD=NEW",
        "Another name for a column, as in --rename acc=accuracy, which other options then use.",
    )
    drop_columns: list[str] | None = option(
        "COLUMN",
        "Leave out a column, which a wide table would take for an algorithm.",
        flag="--drop-column",
    )
    sheet: str | None = option("NAME", "The sheet of an xlsx file that has several.")
    layout: str | None = option("auto|long|wide", "Default: auto.")
    format: str | None = option(
        "FORMAT",
        f"Default: what FILE looks like. One of {', '.join(FORMATS)}. What another tool wrote "
        "often needs no --measure, or none with a direction.",
        autocompletion=completion.formats,
    )
    readers: list[str] | None = option(
        "NAME=VALUE",
        "An option for what another tool wrote, as in --reader split=test. A NAME that a format "
        "does not have is answered by those that it has.",
        flag="--reader",
    )
    max_cells: int | None = option(
        "N", "The most cells that the table may have, gaps included. Default: 50 million."
    )
    max_bytes: int | None = option(
        "N", "The most bytes of a file that are read, unpacked. Default: 512 MiB."
    )


# the question -------------------------------------------------------------------------------------


class Seed(Options, panel=QUESTION):
    """The random numbers."""

    rng: int | None = option(
        "N",
        "Seed of the random numbers. Default: 0 for an answer, a new one for draws.",
        min=0,
        flag="--seed",
    )


class Asked(Seed, panel=QUESTION):
    """What goes with every question."""

    missing: str = option(
        "raise|drop|ignore|worst|bounds",
        "If a cell is missing: stop (default); drop its dataset; ignore the cell but keep what was "
        "seen beside it; take it for a failed run (worst); or bound P over all values.",
        default="raise",
    )


class Selection(Options, panel=QUESTION):
    """What of the table is compared."""

    algorithms: str | None = option(
        "A,B,…", "Compare these, in this order. Default: all.", short="-a"
    )
    measures: str | None = option(
        "M1,M2,…",
        "Compare on these measures. Default: all.",
        autocompletion=completion.only,
        flag="--only",
    )

    def names_in(self, results: "Results") -> dict[str, list[str] | None]:
        """Return both as Python's arguments."""
        return {
            "algorithms": split_names("--algorithms", self.algorithms),
            "measures": measures_meant(self.measures, results),
        }


def measures_meant(text: str | None, results: "Results") -> list[str] | None:
    """Return the measures of a table that ``--only`` means: in any case, by their beginnings."""
    from bayescompare.text.names import meant_name

    names = split_names("--only", text)
    return None if names is None else [meant_name(name, results.measures) for name in names]


def split_names(flag: str, text: str | None) -> list[str] | None:
    """Read a comma list; a name with a comma in it goes in double quotes.

    Examples
    --------
    >>> split_names("--only", '"A, the first", B')
    ['A, the first', 'B']
    """
    if text is None:
        return None
    try:
        names = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise BayescompareError(f"{flag} {text}: not a comma list of names ({error}).") from None
    if not names:
        raise BayescompareError(f"{flag} is empty: name at least one, or leave it out.")
    return names


# the method ---------------------------------------------------------------------------------------


class SampledMethod(Options, panel=QUESTION):
    """The method and its options: ``--ess 2`` is an alias of ``--set ess=2``.

    An alias is named after the option, and its type is checked before the method sees it.
    """

    method: str = option(
        "NAME|FILE.py",
        "Default: dirichlet; see 'methods'. Also a model file, or a bundled model: see 'models'.",
        default="dirichlet",
        autocompletion=completion.methods,
    )
    settings: list[str] | None = option(
        "NAME=VALUE",
        "Any option of the method, once per option, as in --set joint=true; see 'methods NAME'.",
        flag="--set",
    )
    prior: str | None = option(
        "NAME|NUMBER|JSON",
        "symmetric (default), jeffreys, uniform, imprecise, α itself, or JSON: α by statement, or "
        'beliefs such as {"accuracy": {"B>A": 0.7}, "weight": 5}.',
    )
    strength: float | None = option("S", "The prior's weight in datasets. Default: 1.")
    ess: float | None = option("S", "Equivalent sample size. Default: 1.", rich_help_panel=NETWORK)
    max_parents: int | None = option(
        "K",
        "Most parents of a measure. Default: as many as the number of datasets allows.",
        rich_help_panel=NETWORK,
    )
    search: str | None = option(
        "exact|hill-climb|ges",
        "How to look for the graph. Default: exact.",
        rich_help_panel=NETWORK,
    )
    average: bool | None = option(
        None,
        "Average over all graphs, or take the best one (default).",
        rich_help_panel=NETWORK,
        flag="--average/--no-average",
    )

    @property
    def is_model_file(self) -> bool:
        """Whether the method is a model file, or a bundled model."""
        if self.method in bc.methods.names():
            return False
        from bayescompare._model_files import bundled

        return self.method.endswith(".py") or self.method in bundled()

    def flag(self, name: str) -> Flag | None:
        """Return how an option of the method is typed: by its alias, or ``--set NAME``.

        An option that was typed with ``--set`` is named so, even if it has an alias.
        """
        if self.is_model_file and name == "priors":
            return Flag("--set")
        own = super().flag(name)
        known = () if own or self.is_model_file else _options_of(self.method)
        typed = {text.partition("=")[0] for text in self.settings or ()}
        return Flag(f"--set {name}") if name in typed or name in known else own

    def read(self) -> "AnyMethod":
        """Make the method with the options that were typed, refusing those it does not have."""
        aliases = [name for name in self.declared if name not in ("method", "settings")]
        typed: dict[str, Any] = {name: getattr(self, name) for name in aliases}
        given = {name: value for name, value in typed.items() if value is not None}
        for text in self.settings or ():
            name, sign, value = text.partition("=")
            if not sign or not name:
                raise BayescompareError(f"--set {text}: write NAME=VALUE, as in --set joint=true.")
            if name in given:
                raise BayescompareError(f"--set {text}: {name} is given twice.")
            given[name] = _bare_value(value)
        if self.is_model_file:
            # A model's options are its priors, and numbers are all that a command line can say.
            return bc.methods.ModelFile(self.method, priors=given or None)
        method, known = bc.methods.get(self.method), _options_of(self.method)
        for name in given.keys() - known:
            flag = self.flag(name) or Flag(f"--set {name}")
            raise BayescompareError(
                f"{flag.name}: method {self.method!r} has no such option (it has "
                f"{', '.join(sorted(known)) or 'none'})."
            )
        if isinstance(given.get("prior"), str):
            given["prior"] = _prior(given["prior"])
        return method(**given)


class Method(SampledMethod, panel=QUESTION):
    """The same, with the options of methods that have no posterior to sample."""

    alternative: str | None = option(
        "two-sided|first|second",
        "What --method gsd tests: two-sided (default), or that the first or the second algorithm "
        "dominates, if you chose it before you saw the results.",
    )


def _options_of(method: str) -> set[str]:
    """Return the names of a method's options; of an unknown method none."""
    with suppress(BayescompareError):
        return {each.name for each in fields(bc.methods.get(method)) if each.init}
    return set()


def _bare_value(text: str) -> Any:
    """Read true, false, none, a number, or else a word."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _prior(text: str) -> Any:
    """Read α, a name, or a mapping as JSON; a name that is typed twice is no mapping."""
    if not text.lstrip().startswith("{"):
        try:
            return float(text)
        except ValueError:  # not a number but a name, which the method checks
            return text

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name occurs twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise BayescompareError(
            f"--prior: {text[:60]!r} is not JSON ({error}); write e.g. "
            '\'{"accuracy": {"B>A": 0.7}, "weight": 5}\'.'
        ) from None


# the output ---------------------------------------------------------------------------------------


class Output(Options, panel=OUTPUT):
    """What is printed, and the file of the answer."""

    as_json: bool = switch("Print JSON and nothing else.", flag="--json")
    save: Path | None = option(
        "PATH.json", "Save the answer as JSON, or a comparison as netCDF (.nc)."
    )
    overwrite: bool = switch("Overwrite existing files.", flag="--force")


class Report(Output, panel=OUTPUT):
    """The same, with a report."""

    report: Path | None = option(
        "PATH.html", "Write a report: .html, .md, .tex or .json.", short="-r"
    )


class Drawn(Report, panel=OUTPUT):
    """The same, with a picture."""

    plot: Path | None = option("PATH.png", "Draw the places with their intervals.")


class Picture(Options, panel=OUTPUT):
    """Where the picture goes, where nothing else is written."""

    plot: Path | None = option("PATH.png", "Draw the ranks.")
    overwrite: bool = switch("Overwrite existing files.", flag="--force")


class Sampled(Options, panel=OUTPUT):
    """Where the posterior goes."""

    out: Path = option("PATH.nc", "Write the posterior to this file.", default=...)
    overwrite: bool = switch("Overwrite existing files.", flag="--force")


class Progress(Options, panel=OUTPUT):
    """Whether somebody watches."""

    no_progress: bool = switch("Show no progress bar.")

    @property
    def shown(self) -> bool:
        """Whether to show a progress bar: only to somebody who watches."""
        return not self.no_progress and sys.stderr.isatty()

    @property
    def sampler(self) -> dict[str, Any] | None:
        """The options of NUTS where it answers: it says so even without a bar."""
        return {"progressbar": None} if self.no_progress else None
