"""The command line's options, and how each is read; `bayescompare.cli.app` has the commands.

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
    from bayescompare.comparison.method import Method
    from bayescompare.comparison.rule import Rule

__all__ = [
    "parse_measure",
    "read_counts",
    "read_method",
    "read_names",
    "read_rule",
    "read_table",
    "read_tool",
]

TABLES = ("csv", "tsv", "json", "parquet")
# What another tool wrote, and the function of bayescompare.io that reads it.
TOOLS = {"lm-eval": "read_lm_eval", "weka": "read_weka", "helm": "read_helm"}

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
        help="Table of results, long or wide: csv, tsv, json or parquet; or, with --format, what "
        "another tool wrote, which may be a directory.",
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
    option(
        "--replicate-column",
        "Folds or seeds; averaged, but for --method correlated-t.",
        TABLE,
        metavar="COLUMN",
    ),
]
Errors = Annotated[
    str | None,
    option(
        "--errors",
        "FILE holds counts of paired errors: the columns with the examples that only the first, "
        "and only the second algorithm got wrong; then any of both=COLUMN, n=COLUMN. "
        "--algorithms names the two.",
        TABLE,
        metavar="FIRST,SECOND",
    ),
]
Predictions = Annotated[
    str | None,
    option(
        "--predictions",
        "FILE holds one row per dataset, example and algorithm: correct=COLUMN, or "
        "y_true=COLUMN,y_pred=COLUMN; then example=COLUMN.",
        TABLE,
        metavar="NAME=COLUMN,…",
    ),
]
Layout = Annotated[
    str | None, option("--layout", "Default: auto.", TABLE, metavar="auto|long|wide")
]
Format = Annotated[
    str | None,
    option(
        "--format",
        "Default: as FILE's suffix says. The last three are other tools' files, whose measures "
        "may be named without their direction, and for lm-eval and weka not at all.",
        TABLE,
        metavar="|".join((*TABLES, *TOOLS)),
    ),
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
    option(
        "--method",
        "Default: dirichlet; see 'methods'. Also a model file, or a bundled model: see 'models'.",
        QUESTION,
        metavar="NAME|FILE.py",
    ),
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
Alternative = Annotated[
    str | None,
    option(
        "--alternative",
        "Direction of --method gsd: two-sided (default), or the algorithm listed first, or second, "
        "dominates, if that was asked before looking.",
        QUESTION,
        metavar="two-sided|first|second",
    ),
]
Choices = Annotated[
    list[str] | None,
    option(
        "--set",
        "Any option of the method, once per option, as in --set joint=true; see 'methods NAME'.",
        QUESTION,
        metavar="NAME=VALUE",
    ),
]
Seed = Annotated[
    int | None, option("--seed", "Makes sampling repeatable.", QUESTION, metavar="N", min=0)
]
Json = Annotated[bool, option("--json", "Print JSON and nothing else.", OUTPUT)]
Report = Annotated[
    Path | None,
    option("--report", "Write a report: .html, .md, .tex or .json.", OUTPUT, metavar="PATH.html"),
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


def read_method(name: str, choices: Sequence[str] | None = None, **given: Any) -> Method:
    """Make the method with the choices given, refusing those that it does not have."""
    chosen = {option: value for option, value in given.items() if value is not None}
    for text in choices or ():
        option, sign, value = text.partition("=")
        if not sign or not option:
            raise BayescompareError(f"--set {text}: write NAME=VALUE, as in --set joint=true.")
        if option in chosen:
            raise BayescompareError(f"--set {text}: {option} is given twice.")
        chosen[option] = _read_value(value)
    if name not in bc.methods.names() and (name.endswith(".py") or name in _models()):
        # A model's options are its priors; numbers are all that a command line can say.
        return bc.methods.ModelFile(name, priors=chosen or None)
    made = bc.methods.get(name)
    known = {field.name for field in fields(made) if field.init}
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


def read_rule(level: float | None, fdr: float | None) -> Rule:
    """Read the rule by which pairs are decided, in the command line's words."""
    from bayescompare.comparison.rule import as_rule

    if level is not None and fdr is not None:
        raise BayescompareError("--level and --fdr are two rules: give one.")
    return as_rule(level=level, fdr=fdr)


def _models() -> dict[str, Path]:
    from bayescompare.methods.model_file.source import bundled

    return bundled()


def _read_value(text: str) -> Any:
    """Read a bare value: true, false, none, a number, or else a word."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def read_counts(
    file: Path, kind: str, text: str, columns: dict[str, str], format: str | None, pair: str | None
) -> bc.ErrorCounts:
    """Read counts of paired errors, or predictions to count."""
    plain, named = [], dict[str, str]()
    for part in read_names(text) or []:
        name, sign, column = part.partition("=")
        if not sign:
            plain.append(name)
        elif name in named:
            raise BayescompareError(f"--{kind} {text}: {name} is given twice.")
        else:
            named[name] = column
    known = ("both", "n") if kind == "errors" else ("correct", "y_true", "y_pred", "example")
    if len(plain) != (2 if kind == "errors" else 0) or not set(named) <= set(known):
        wanted = "FIRST,SECOND[,both=COLUMN][,n=COLUMN]"
        if kind == "predictions":
            wanted = "correct=COLUMN or y_true=COLUMN,y_pred=COLUMN[,example=COLUMN]"
        raise BayescompareError(f"--{kind} {text}: write {wanted}.")
    if "replicate" in columns:
        raise BayescompareError(f"--replicate-column: --{kind} has no replicates.")
    more: dict[str, Any] = {**columns, "format": format}
    if kind == "predictions":
        return bc.read_predictions(file, **{**more, **named})
    more.pop("algorithm", None)
    both, n = named.get("both"), named.get("n")
    return bc.read_errors(
        file,
        first_wrong=plain[0],
        second_wrong=plain[1],
        both_wrong=both,
        n=n,
        algorithms=read_names(pair),
        **more,
    )


def read_tool(file: Path, tool: str, measures: Sequence[str] | None) -> bc.Results:
    """Read what another tool wrote, which mostly knows which way its measures are better."""
    chosen: Any = measures or None
    if measures and any(":" in text for text in measures):
        chosen = _read_measures(measures)
    read: Any = getattr(bc.io, TOOLS[tool])
    results: bc.Results = read(file, measures=chosen)
    return results


def _read_measures(texts: Sequence[str]) -> dict[str, bc.Measure]:
    spec: dict[str, bc.Measure] = {}
    for text in texts:
        name, measure = parse_measure(text)
        if name in spec:
            raise BayescompareError(f"--measure {text}: measure {name!r} is given twice.")
        spec[name] = measure
    return spec


def read_table(
    file: Path | None,
    example: str | None,
    measures: Sequence[str] | None,
    columns: tuple[str | None, str | None, str | None],
    layout: str | None,
    format: str | None,
    *,
    errors: str | None = None,
    predictions: str | None = None,
    algorithms: str | None = None,
) -> bc.Results:
    """Read the table that the options name."""
    if (file is None) == (example is None):
        seen = "neither is" if file is None else "both are"
        raise BayescompareError(f"FILE or --example NAME: {seen} given, and one is needed.")
    names = ("dataset", "algorithm", "replicate")
    chosen: dict[str, Any] = {**dict(zip(names, columns, strict=True)), "layout": layout}
    chosen = {name: value for name, value in {**chosen, "format": format}.items() if value}
    counted = {"errors": errors, "predictions": predictions}
    counted = {kind: text for kind, text in counted.items() if text is not None}
    if example is not None:
        if measures or chosen or counted:
            option = "--measure" if measures else f"--{next(iter(chosen or counted))}"
            raise BayescompareError(
                f"{option} is about FILE; an example knows its own table. Choose among its "
                "measures by --only."
            )
        return bc.load_example(example)
    assert file is not None
    if format is not None and format not in (*TABLES, *TOOLS):
        known = (*TABLES, *TOOLS)
        raise BayescompareError(
            f"format={format!r}: must be one of {', '.join(known)}.{closest(format, known)}"
        )
    if format in TOOLS:
        columned = [f"{name}-column" if name in names else name for name in chosen]
        for other in (*columned, *counted):
            if other != "format":
                raise BayescompareError(f"--{other} is about tables, not about --format {format}.")
        return read_tool(file, str(format), measures)
    if counted:
        kind, text = next(iter(counted.items()))
        also = [f"--{name}" for name in (*counted, "measure", "layout") if name != kind]
        given = {"--measure": measures, "--layout": layout, "--predictions": predictions}
        for option in also:
            if given.get(option):
                raise BayescompareError(f"{option} and --{kind}: FILE is one or the other.")
        named = {name: chosen[name] for name in names if name in chosen}
        return read_counts(file, kind, str(text), named, format, algorithms)
    if not measures:
        raise BayescompareError(
            "--measure is missing: say what was measured and which way is better, as in "
            "--measure accuracy:max --measure time:min."
        )
    spec: Any = _read_measures(measures)
    return bc.read_results(file, measures=spec, **chosen)
