"""The options of all commands, each declared once; and how errors name them.

An option is called what the Python argument is called that it becomes, so that an error about
``replicate=`` is one about ``--replicate-column``. Light: ``--help`` needs all of this.
"""

from __future__ import annotations

import ast
import csv
import inspect
import itertools
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, get_args

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.readers import FORMATS
from bayescompare.text.names import shell_word

type Options = dict[str, tuple[Any, Any]]

# what the tab key offers --------------------------------------------------------------------------


def beginning(known: Callable[[], Iterable[str] | Mapping[str, str]]) -> Callable[[str], Any]:
    """Return what offers the names that begin with what was typed."""

    def offer(incomplete: str) -> list[Any]:
        names = known()
        titled = names.items() if isinstance(names, Mapping) else ((name, "") for name in names)
        return [(name, title) for name, title in titled if name.startswith(incomplete)]

    return offer


def known_models() -> list[str]:
    """Return the bundled models."""
    from bayescompare._model_files import bundled

    return list(bundled())


def known_methods() -> dict[str, str]:
    """Return the methods and the bundled models, with titles."""
    return {**bc.methods.names(), **dict.fromkeys(known_models(), "a model file")}


def known_examples() -> dict[str, str]:
    """Return the bundled tables, with their descriptions."""
    return {each.name: each.description for each in bc.io.examples()}


def typed_columns() -> list[str]:
    """Return the header of the csv or tsv file on the line that is being typed."""
    from bayescompare.table.input import name_unpacked, open_unpacked

    for path in map(Path, _typed_words()):
        delimiter = {".csv": ",", ".tsv": "\t"}.get(Path(name_unpacked(path)).suffix)
        if delimiter is not None and path.is_file():
            with suppress(Exception), open_unpacked(path) as file:
                line = file.readline(2**16).decode("utf-8-sig")
                return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return []


def offer_measures(incomplete: str) -> list[str]:
    """Offer the measures that were declared, or those of the example, for a comma list."""
    after = list(itertools.pairwise(_typed_words()))
    chosen = [value for flag, value in after if flag == "--example"]
    known = [name for one in bc.io.examples() if one.name in chosen for name in one.measures]
    known += [text.partition(":")[0] for flag, text in after if flag in ("-m", "--measure")]
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in known if name.startswith(last)]


def _typed_words() -> list[str]:
    """Return the words of the command line, which Typer cannot parse while an option is open."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)
    except ValueError:  # a quotation is open, too
        return line.split()


# the options --------------------------------------------------------------------------------------


def option(
    typed: str, text: str, kind: Any = str, default: Any = None, offer: Any = None, **more: Any
) -> tuple[Any, Any]:
    """Return the annotation that Typer reads and the default, which the text says.

    `typed` has the flags, and the placeholder of their value; an argument has no flags.
    """
    flags = [word for word in typed.split() if word.startswith("-")]
    placeholder = " ".join(word for word in typed.split() if word not in flags) or None
    make: Any = typer.Option if flags else typer.Argument
    how = {"metavar": placeholder, "help": text, "show_default": False, "autocompletion": offer}
    made = make(..., *flags, **how, **more)
    return Annotated[kind if default is not None else kind | None, made], default


def panel(title: str, **options: tuple[Any, Any]) -> Options:
    """Put options into a panel of the help."""
    for annotation, _ in options.values():
        get_args(annotation)[1].rich_help_panel = title
    return options


COLUMNS = panel(
    "The table",
    measure=option(
        "--measure -m NAME:DIRECTION",
        "What was measured and which way is better, once per measure: name:max or name:min, then "
        "any of :rope=R :unit=U :bounds=LOW..HIGH :ordinal. The beginning of the name will do.",
        list[str],
        offer=beginning(typed_columns),
    ),
    dataset=option("--dataset-column COLUMN", "Default: dataset."),
    algorithm=option("--algorithm-column COLUMN", "Default: algorithm."),
    replicate=option(
        "--replicate-column COLUMN",
        "Folds, seeds or items. They are averaged, except with --method replicated or "
        "correlated-t.",
    ),
    replicates=option(
        "--replicates KIND",
        "What they are: folds (correlated, the default), seeds or items (independent).",
    ),
    cluster=option(
        "--cluster COLUMN",
        "What items belong to, such as a passage: items are independent across clusters only.",
    ),
    epoch=option("--epoch COLUMN", "Repeated runs of one item, which are averaged."),
    keep_items=option(
        "--keep-items/--no-keep-items",
        "Keep every item, or only their statistics. Default: up to a million rows (parquet) or "
        "64 MiB.",
        bool,
    ),
    group=option(
        "--group COLUMN", "The domain of each dataset, for --method dirichlet or replicated."
    ),
    weight=option("--weight COLUMN", "The weight of each dataset, above 0, for the same methods."),
)

#: Where the table is, and how it is read.
TABLE = COLUMNS | panel(
    "The table",
    files=option(
        "FILE",
        "Table of results, long or wide: csv, tsv, json, jsonl, parquet or xlsx; or what another "
        "tool wrote (see --format), which may be a directory. Several are read as one. - is "
        "standard input.",
        list[Path],
    ),
    label=option(
        "--label NAME=FILE",
        "A file and the name of its run, as in --label 5-shot=a.csv: the algorithm, or what goes "
        "before its own names if it has several.",
        list[str],
    ),
    bundled=option(
        "--example NAME",
        "A bundled table instead of FILE; see 'examples'.",
        offer=beginning(known_examples),
    ),
    errors=option(
        "--errors FIRST,SECOND",
        "FILE has counts of paired errors. Name the column of the examples that only the first "
        "algorithm got wrong, then that of the second; both=COLUMN and n=COLUMN may follow. "
        "--algorithms names the two.",
    ),
    predictions=option(
        "--predictions NAME=COLUMN,…",
        "FILE has one row per dataset, example and algorithm. Name its columns: correct=COL, or "
        "y_true=COL,y_pred=COL; example=COL may follow.",
    ),
    rename=option(
        "--rename OLD=NEW",
        "Another name for a column, as in --rename acc=accuracy, which other options then use.",
        list[str],
    ),
    drop_columns=option(
        "--drop-column COLUMN",
        "Leave out a column, which a wide table would take for an algorithm.",
        list[str],
    ),
    sheet=option("--sheet NAME", "The sheet of an xlsx file that has several."),
    layout=option("--layout auto|long|wide", "Default: auto."),
    format=option(
        "--format FORMAT",
        f"Default: what FILE looks like. One of {', '.join(FORMATS)}. What another tool wrote "
        "often needs no --measure, or none with a direction.",
        offer=beginning(lambda: FORMATS),
    ),
    reader=option(
        "--reader NAME=VALUE",
        "An option for what another tool wrote, as in --reader split=test. A NAME that a format "
        "does not have is answered by those that it has.",
        list[str],
    ),
    max_cells=option(
        "--max-cells N",
        "The most cells that the table may have, gaps included. Default: 50 million.",
        int,
    ),
    max_bytes=option(
        "--max-bytes N",
        "The most bytes of a file that are read, unpacked. Default: 512 MiB.",
        int,
    ),
)

ONLY = panel(
    "The question",
    measures=option(
        "--only M1,M2,…", "Compare on these measures. Default: all.", offer=offer_measures
    ),
)
SELECTION = (
    panel(
        "The question",
        algorithms=option("--algorithms -a A,B,…", "Compare these, in this order. Default: all."),
    )
    | ONLY
)
SEED = panel(
    "The question",
    rng=option(
        "--seed N",
        "Seed of the random numbers. Default: 0 for an answer, a new one for draws.",
        int,
        min=0,
    ),
)
_MISSING = {
    "raise": "stop, by default",
    "drop": "drop its dataset",
    "ignore": "ignore the cell but keep what was seen beside it",
    "worst": "take it for a failed run",
    "bounds": "bound P over all values",
}


def asked(ways: str = "|".join(_MISSING)) -> Options:
    """Return the options of every question; `ways` are those to treat missing cells."""
    *first, last = [f"{_MISSING[way]} ({way})" for way in ways.split("|")]
    text = f"If a cell is missing: {'; '.join(first)}; or {last}."
    return SEED | panel("The question", missing=option(f"--missing {ways}", text, default="raise"))


ASKED = asked()

#: Options of methods that have a flag of their own: ``--ess 2`` is ``--set ess=2``.
ALIASES = (
    panel(
        "The question",
        prior=option(
            "--prior NAME|NUMBER|JSON",
            "symmetric (default), jeffreys, uniform, imprecise, α itself, or JSON: α by "
            'statement, or beliefs such as {"accuracy": {"B>A": 0.7}, "weight": 5}.',
        ),
        strength=option("--strength S", "The prior's weight in datasets. Default: 1.", float),
    )
    | panel(
        "The graph, for --method network",
        ess=option("--ess S", "Equivalent sample size. Default: 1.", float),
        max_parents=option(
            "--max-parents K",
            "Most parents of a measure. Default: as many as the number of datasets allows.",
            int,
        ),
        search=option(
            "--search exact|hill-climb|ges|exhaustive", "How to look for the graph. Default: exact."
        ),
        average=option(
            "--average/--no-average",
            "Average over all graphs, or take the best one (default).",
            bool,
        ),
    )
    | panel(
        "The question",
        alternative=option(
            "--alternative two-sided|first|second",
            "What --method gsd tests: two-sided (default), or that the first or the second "
            "algorithm dominates, if you chose it before you saw the results.",
        ),
    )
)
METHOD = (
    panel(
        "The question",
        method=option(
            "--method NAME|FILE.py",
            "Default: dirichlet; see 'methods'. Also a model file, or a bundled model: see "
            "'models'.",
            default="dirichlet",
            offer=beginning(known_methods),
        ),
        settings=option(
            "--set NAME=VALUE",
            "Any option of the method, once per option, as in --set joint=true; see 'methods "
            "NAME'.",
            list[str],
        ),
    )
    | ALIASES
)
FORCE = panel("The output", overwrite=option("--force", "Overwrite existing files.", bool, False))
OUTPUT = FORCE | panel(
    "The output",
    as_json=option("--json", "Print JSON and nothing else.", bool, False),
    as_markdown=option(
        "--markdown", "Print the verdict as Markdown, for a comment, and nothing else.", bool, False
    ),
    save=option(
        "--save PATH.json", "Save the answer as JSON, or a comparison as netCDF (.nc).", Path
    ),
)
REPORT = panel(
    "The output",
    report=option("--report -r PATH.html", "Write a report: .html, .md, .tex or .json.", Path),
)
PROGRESS = panel(
    "The output", no_progress=option("--no-progress", "Show no progress bar.", bool, False)
)

# a command ----------------------------------------------------------------------------------------


def takes(*groups: Options) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Let a command take options as one object, and name flags in its errors."""
    options = {name: each for group in groups for name, each in group.items()}

    def decorate(command: Callable[[Any], None]) -> Callable[..., None]:
        def run(**typed: Any) -> None:
            asked = SimpleNamespace(**typed)
            with naming_flags(lambda: flags_of(options, asked)):
                command(asked)

        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is ... else default,
                annotation=annotation,
            )
            for name, (annotation, default) in options.items()
        ]
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorate


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


def pairs_of(flag: str, texts: Iterable[str] | None, form: str) -> Iterator[tuple[str, str]]:
    """Split texts such as ``NAME=VALUE``; `form` says how they are to be written."""
    for text in texts or ():
        name, sign, value = text.rpartition("=") if flag == "--rename" else text.partition("=")
        if not (name and sign and value):
            raise BayescompareError(f"{flag} {text}: write {form}.")
        yield name, value


# errors -------------------------------------------------------------------------------------------


class Flag(NamedTuple):
    """How a Python argument is typed: a flag, and the placeholder of its value in the help.

    A flag may stand for two, ``--average/--no-average``; be followed by the name of what an equals
    sign follows, ``--set joint``; or be no flag, ``FILE``.
    """

    text: str
    metavar: str = ""

    def typed(self, value: str | None) -> str:
        """Write the flag with a value that was written as Python.

        Examples
        --------
        >>> Flag("--only", "M1,M2,…").typed("['auc', 'time']")
        '--only auc,time'
        >>> Flag("--average/--no-average").typed("False"), Flag("--set joint").typed("True")
        ('--no-average', '--set joint=true')
        """
        yes, _, no = self.text.partition("/")
        if value in ("True", "False") and not self.metavar and " " not in self.text:
            return (no or yes) if value == "False" else yes
        try:
            read = None if value is None else ast.literal_eval(value)
        except (ValueError, SyntaxError):  # a word
            read = value
        if " " in yes:
            return f"{yes}={'' if value is None else shell_word(read)}"
        if "JSON" in self.metavar and isinstance(read, dict):
            words = [shlex.quote(json.dumps(read, ensure_ascii=False))]
        elif isinstance(read, dict):
            words = [shell_word(f"{name}:{way}") for name, way in read.items()]
        elif read == [...]:
            words = [self.metavar]
        elif isinstance(read, list):
            words = [",".join(read)] if "," in self.metavar else read
            words = [shell_word(word) for word in words]
        else:
            words = ["" if read is None else shell_word(read)]
        return " ".join(f"{yes} {word}".rstrip() for word in words)


_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_VALUE = (
    rf"{_QUOTED}|\[[^\[\]]*\]|\{{[^{{}}]*\}}|\([^()]*\)"
    r"|[-+]?(?:inf|nan|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b|(?:True|False|None)\b"
)
_TOKEN = re.compile(
    rf"(?<!\w)(?:{_QUOTED})(?!\w)|--\w+ [\w-]+=|\w\([^()]+\)"  # names, what was typed, calls
    r"|(?<![\w.])(?P<command>compare|pairwise|sample)\(\)"
    rf"|(?<![\w.:/\-])(?P<argument>[a-z]\w*)(?:=(?P<value>{_VALUE})?|\[(?P<key>{_QUOTED})\](?P<sign>=?))"
)

#: Python's ways to make a table, and the flags that do.
_MAKERS = {
    "bc.ErrorCounts.from_frame(...)": "--errors",
    ".from_predictions(...)": "--predictions",
    "as in {'first': ..., 'second': ...}": "as in --label first=PATH",
    "as in {'mine': path}": "as in --label mine=PATH",
}


def in_flags(message: str, flags: Mapping[str, Flag]) -> str:
    """Write a text with flags in place of the arguments that have one.

    Text in quotes stays, since it is a name or a value of the user; so does a call such as
    ``Dirichlet(prior='jeffreys')``.

    Examples
    --------
    >>> flags = {"fdr": Flag("--fdr", "RATE"), "replicate": Flag("--replicate-column", "COLUMN")}
    >>> in_flags("fdr=2.0: must be a number between 0 and 1.", flags)
    '--fdr 2.0: must be a number between 0 and 1.'
    >>> in_flags("name their column by replicate=, not 'fdr=1'.", flags)
    "name their column by --replicate-column, not 'fdr=1'."
    """
    for call, typed_so in _MAKERS.items():
        message = message.replace(call, typed_so)

    def typed(token: re.Match[str]) -> str:
        if token["command"]:
            return f"'bayescompare {token['command']}'"
        flag = flags.get(token["argument"] or "")
        if flag is None:
            return token[0]
        if token["key"] and (flag.text == "--set" or "JSON" in flag.metavar):
            # A parameter of a model file, or a part of what was typed as JSON.
            part = ast.literal_eval(token["key"]) if flag.text == "--set" else f"[{token['key']}]"
            return f"{flag.text} {part}{token['sign']}"
        return flag.typed(token["value"] or token["key"])

    message = _TOKEN.sub(typed, message)
    about, colon, rest = message.partition(": ")
    return flags[about].text.partition("/")[0] + colon + rest if about in flags else message


@contextmanager
def naming_flags(flags: Callable[[], Mapping[str, Flag]]) -> Iterator[None]:
    """Name flags in the errors raised inside."""
    try:
        yield
    except BayescompareError as error:
        # As a new error, so that a value read off the message is printable again.
        error.args = BayescompareError(in_flags(str(error), flags())).args
        raise


def flags_of(options: Options, asked: SimpleNamespace) -> dict[str, Flag]:
    """Return how the arguments of Python's doors are typed, those of the method included."""
    flags = {}
    for name, (annotation, _) in options.items():
        made = get_args(annotation)[1]
        flags[name] = Flag((*(made.param_decls or ()), made.metavar)[0], made.metavar or "")
    if "settings" in options:
        typed = {text.partition("=")[0] for text in asked.settings or ()}
        known: Iterable[str] = {"priors"} if is_model_file(asked.method) else ()
        if not known:
            with suppress(BayescompareError):
                known = method_options(asked.method)
        # An option that was typed with --set is named so, even if it has an alias.
        more = {name: Flag(f"--set {name}") for name in {*typed, *known}}
        if is_model_file(asked.method):
            more["priors"] = Flag("--set")
        flags |= {name: flag for name, flag in more.items() if name in typed or name not in flags}
    return flags


# the method ---------------------------------------------------------------------------------------


def is_model_file(method: str) -> bool:
    """Whether a method is a model file, or a bundled model."""
    return method not in bc.methods.names() and (method.endswith(".py") or method in known_models())


def method_options(name: str) -> set[str]:
    """Return the names of a method's options."""
    from dataclasses import fields

    return {each.name for each in fields(bc.methods.get(name)) if each.init}


def read_method(asked: SimpleNamespace) -> Any:
    """Make the method with the options that were typed, refusing those it does not have."""
    given: dict[str, Any] = {
        name: value for name in ALIASES if (value := getattr(asked, name, None)) is not None
    }
    for name, value in pairs_of("--set", asked.settings, "NAME=VALUE, as in --set joint=true"):
        if name in given:
            raise BayescompareError(f"--set {name}={value}: {name} is given twice.")
        given[name] = bare_value(value)
    if is_model_file(asked.method):
        # A model's options are its priors, and numbers are all that a command line can say.
        return bc.methods.ModelFile(asked.method, priors=given or None)
    method, known = bc.methods.get(asked.method), method_options(asked.method)
    for name in sorted(given.keys() - known):
        flag = flags_of(METHOD, asked).get(name) or Flag(f"--set {name}")
        raise BayescompareError(
            f"{flag.text.partition('/')[0]}: method {asked.method!r} has no such option (it has "
            f"{', '.join(sorted(known)) or 'none'})."
        )
    if isinstance(given.get("prior"), str):
        given["prior"] = read_prior(given["prior"])
    return method(**given)


def bare_value(text: str) -> Any:
    """Read true, false, none, a number, or else a word."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def read_prior(text: str) -> Any:
    """Read α, a name, or a mapping as JSON; a name that is typed twice is no mapping."""
    if not text.lstrip().startswith("{"):
        with suppress(ValueError):
            return float(text)
        return text  # a name, which the method checks
    from bayescompare.table.input import distinct_keys

    try:
        return json.loads(text, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:
        raise BayescompareError(
            f"--prior: {text[:60]!r} is not JSON ({error}); write e.g. "
            '\'{"accuracy": {"B>A": 0.7}, "weight": 5}\'.'
        ) from None
