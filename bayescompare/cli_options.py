"""The command line's options, and how each is read; `bayescompare.cli` has the commands.

Light, like the commands: ``--help`` needs all of this.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError, closest

if TYPE_CHECKING:
    from bayescompare.methods.base import Method

__all__ = ["parse_measure", "read_method", "read_names", "read_table"]

TABLE, QUESTION, OUTPUT = "The table", "The question", "The output"
NETWORK = "The graph, for --method network"


def option(flag: str, text: str, panel: str, **more: Any) -> Any:
    """Return an option whose default, where it has one, is told in its text."""
    return typer.Option(flag, help=text, rich_help_panel=panel, show_default=False, **more)


File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Table of results, long or wide: csv, tsv, json or parquet.",
    ),
]
Example = Annotated[
    str | None,
    option("--example", "A bundled table instead of FILE.", TABLE, metavar="NAME"),
]
Measures = Annotated[
    list[str] | None,
    option(
        "--measure",
        "What was measured and which way is better, once per measure: name:max or name:min, then "
        "any of :rope=R :unit=U :bounds=LOW..HIGH :ordinal.",
        TABLE,
        metavar="NAME:DIRECTION",
    ),
]
DatasetColumn = Annotated[
    str | None,
    option("--dataset-column", "Default: dataset.", TABLE, metavar="COLUMN"),
]
AlgorithmColumn = Annotated[
    str | None,
    option("--algorithm-column", "Default: algorithm.", TABLE, metavar="COLUMN"),
]
ReplicateColumn = Annotated[
    str | None,
    option("--replicate-column", "Folds or seeds, which are averaged.", TABLE, metavar="COLUMN"),
]
Layout = Annotated[
    str | None, option("--layout", "Default: auto.", TABLE, metavar="auto|long|wide")
]
Format = Annotated[
    str | None,
    option("--format", "Default: as FILE's suffix says.", TABLE, metavar="csv|tsv|json|parquet"),
]
Algorithms = Annotated[
    str | None,
    option("--algorithms", "Which, in this order. Default: all.", QUESTION, metavar="A,B,…"),
]
Only = Annotated[
    str | None,
    option("--only", "Which of the measures. Default: all.", QUESTION, metavar="M1,M2,…"),
]
Missing = Annotated[
    str,
    option(
        "--missing",
        "Datasets that lack a cell: refuse them (default) or leave them out.",
        QUESTION,
        metavar="raise|drop",
    ),
]
MethodName = Annotated[
    str,
    option("--method", "Default: dirichlet; see 'methods'.", QUESTION, metavar="NAME"),
]
Prior = Annotated[
    str | None,
    option(
        "--prior",
        "symmetric (default), jeffreys, uniform, imprecise, or α itself.",
        QUESTION,
        metavar="NAME|NUMBER",
    ),
]
Strength = Annotated[
    float | None,
    option("--strength", "The prior's weight in datasets. Default: 1.", QUESTION, metavar="S"),
]
Ess = Annotated[
    float | None,
    option("--ess", "Equivalent sample size. Default: 1.", NETWORK, metavar="S"),
]
MaxParents = Annotated[
    int | None,
    option(
        "--max-parents",
        "Most parents of a measure. Default: what the number of datasets affords.",
        NETWORK,
        metavar="K",
    ),
]
Search = Annotated[
    str | None,
    option("--search", "Default: exact.", NETWORK, metavar="exact|hill-climb|ges"),
]
Average = Annotated[
    bool | None,
    option(
        "--average/--no-average",
        "Average over all graphs, or take the best one (default).",
        NETWORK,
    ),
]
Seed = Annotated[
    int | None, option("--seed", "Makes sampling repeatable.", QUESTION, metavar="N", min=0)
]
Json = Annotated[bool, option("--json", "Print JSON and nothing else.", OUTPUT)]
Report = Annotated[
    Path | None, option("--report", "Write a self-contained page.", OUTPUT, metavar="PATH.html")
]
Force = Annotated[bool, option("--force", "Overwrite files.", OUTPUT)]
NoProgress = Annotated[bool, option("--no-progress", "Show no progress bar.", OUTPUT)]

# reading options ----------------------------------------------------------------------------------


def parse_measure(text: str) -> tuple[str, bc.Measure]:
    """Read ``name:direction[:rope=R][:unit=U][:bounds=LOW..HIGH][:ordinal]``.

    Read from the right, so that the name itself may hold colons.

    Examples
    --------
    >>> parse_measure("F1:macro:max:rope=0.01")[0]
    'F1:macro'
    """
    parts, given = text.split(":"), dict[str, Any]()
    while len(parts) > 1 and parts[-1] not in ("max", "min"):
        key, sign, value = parts[-1].partition("=")
        if not sign and key not in ("ordinal", "metric"):
            break
        name, read = _read_choice(text, key, value if sign else None)
        if name in given:
            raise BayescompareError(f"--measure {text}: {name} is given twice.")
        given[name] = read
        parts.pop()
    if len(parts) < 2:
        bare = parts[0]
        raise BayescompareError(
            f"--measure {text} has no direction: say {bare}:max (higher is better) or {bare}:min."
        )
    *name_parts, direction = parts
    try:
        return ":".join(name_parts), bc.Measure(direction, **given)  # type: ignore[arg-type]
    except BayescompareError as error:
        raise BayescompareError(f"--measure {text}: {error}") from None


def _read_choice(text: str, key: str, value: str | None) -> tuple[str, Any]:
    """Read one part of a measure: a field of `bc.Measure` and its value."""
    match key, value:
        case (("ordinal" | "metric"), None):
            return "scale", key
        case "rope", str():
            return "rope", _number(f"--measure {text}: rope", value)
        case "unit", str():
            return "unit", value
        case "bounds", str():
            low, dots, high = value.partition("..")
            if not dots:
                raise BayescompareError(
                    f"--measure {text}: bounds={value!r}: write LOW..HIGH, as in 0..1 or 0.. ."
                )
            ends = [
                _number(f"--measure {text}: bounds", end) if end else None for end in (low, high)
            ]
            return "bounds", tuple(ends)
    known = ("rope", "unit", "bounds", "ordinal")
    raise BayescompareError(
        f"--measure {text}: {key!r} is nothing a measure has; known are rope=, unit=, bounds= and "
        f"ordinal.{closest(key, known)}"
    )


def _number(argument: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BayescompareError(f"{argument}={text!r}: must be a number.") from None


def read_names(text: str | None) -> list[str] | None:
    """Read a comma list; a name with a comma in it goes in double quotes."""
    if text is None:
        return None
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise BayescompareError(f"{text!r} is not a comma list of names ({error}).") from None


def read_method(name: str, **given: Any) -> Method:
    """Make the method with the choices given, refusing those that it does not have."""
    made = bc.methods.get(name)
    chosen = {option: value for option, value in given.items() if value is not None}
    known = {field.name for field in fields(made)}
    for option in chosen:
        if option not in known:
            raise BayescompareError(
                f"--{option.replace('_', '-')}: method {name!r} has no such option (it has "
                f"{', '.join(sorted(known)) or 'none'})."
            )
    prior = chosen.get("prior")
    if prior is not None:
        with suppress(ValueError):  # not a number but a name, which the method checks
            chosen["prior"] = float(prior)
    return made(**chosen)


def read_table(
    file: Path | None,
    example: str | None,
    measures: Sequence[str] | None,
    columns: tuple[str | None, str | None, str | None],
    layout: str | None,
    format: str | None,
) -> bc.Results:
    """Read the table that the options name."""
    if (file is None) == (example is None):
        seen = "neither is" if file is None else "both are"
        raise BayescompareError(f"FILE or --example NAME: {seen} given, and one is needed.")
    names = ("dataset", "algorithm", "replicate")
    chosen: dict[str, Any] = {**dict(zip(names, columns, strict=True)), "layout": layout}
    chosen = {name: value for name, value in {**chosen, "format": format}.items() if value}
    if example is not None:
        if measures or chosen:
            option = "--measure" if measures else f"--{next(iter(chosen))}"
            raise BayescompareError(
                f"{option} is about FILE; an example knows its own table. Choose among its "
                "measures by --only."
            )
        return bc.load_example(example)
    if not measures:
        raise BayescompareError(
            "--measure is missing: say what was measured and which way is better, as in "
            "--measure accuracy:max --measure time:min."
        )
    spec: dict[str, Any] = {}
    for text in measures:
        name, measure = parse_measure(text)
        if name in spec:
            raise BayescompareError(f"--measure {text}: measure {name!r} is given twice.")
        spec[name] = measure
    assert file is not None
    return bc.read_results(file, measures=spec, **chosen)
