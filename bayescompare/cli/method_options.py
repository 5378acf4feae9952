"""Which method, with which options: ``--method``, ``--set`` and its aliases.

``--set NAME=VALUE`` reaches every option of every method. A few have a flag of their own besides,
which is an alias of it.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.completion import complete_method
from bayescompare.cli.flags import Flag
from bayescompare.cli.groups import OptionGroup, command_line_option
from bayescompare.cli.options import QUESTION

if TYPE_CHECKING:
    from bayescompare.comparison.method import Method

__all__ = ["Aliases", "AllAliases", "MethodOptions", "SampledMethodOptions", "read_method"]

NETWORK = "The graph, for --method network"


@dataclass(frozen=True)
class Aliases(OptionGroup):
    """Options of methods that have a flag of their own: ``--ess 2`` is ``--set ess=2``.

    This is the table of them. A field is named after the option, and its type is checked before
    the method sees it.
    """

    prior: Annotated[
        str | None,
        command_line_option(
            "--prior",
            "symmetric (default), jeffreys, uniform, imprecise, α itself, or JSON: α by statement, "
            'or beliefs such as {"accuracy": {"B>A": 0.7}, "weight": 5}.',
            QUESTION,
            metavar="NAME|NUMBER|JSON",
        ),
    ] = None
    strength: Annotated[
        float | None,
        command_line_option(
            "--strength", "The prior's weight in datasets. Default: 1.", QUESTION, metavar="S"
        ),
    ] = None
    ess: Annotated[
        float | None,
        command_line_option("--ess", "Equivalent sample size. Default: 1.", NETWORK, metavar="S"),
    ] = None
    max_parents: Annotated[
        int | None,
        command_line_option(
            "--max-parents",
            "Most parents of a measure. Default: as many as the number of datasets allows.",
            NETWORK,
            metavar="K",
        ),
    ] = None
    search: Annotated[
        str | None,
        command_line_option(
            "--search",
            "How to look for the graph. Default: exact.",
            NETWORK,
            metavar="exact|hill-climb|ges",
        ),
    ] = None
    average: Annotated[
        bool | None,
        command_line_option(
            "--average/--no-average",
            "Average over all graphs, or take the best one (default).",
            NETWORK,
        ),
    ] = None

    @property
    def settings(self) -> dict[str, Any]:
        """The options that were typed, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class AllAliases(Aliases):
    """The same, with the options of methods that have no posterior to sample."""

    alternative: Annotated[
        str | None,
        command_line_option(
            "--alternative",
            "What --method gsd tests: two-sided (default), or that the first or the second "
            "algorithm dominates, if you chose it before you saw the results.",
            QUESTION,
            metavar="two-sided|first|second",
        ),
    ] = None


@dataclass(frozen=True)
class SampledMethodOptions(OptionGroup):
    """The method and its options, for a command that samples its posterior."""

    method: Annotated[
        str,
        command_line_option(
            "--method",
            "Default: dirichlet; see 'methods'. Also a model file, or a bundled model: see "
            "'models'.",
            QUESTION,
            metavar="NAME|FILE.py",
            autocompletion=complete_method,
        ),
    ] = "dirichlet"
    settings: Annotated[
        list[str] | None,
        command_line_option(
            "--set",
            "Any option of the method, once per option, as in --set joint=true; see 'methods "
            "NAME'.",
            QUESTION,
            metavar="NAME=VALUE",
        ),
    ] = None
    aliases: Aliases = field(default_factory=Aliases)

    @property
    def is_model_file(self) -> bool:
        """Whether the method is a model file, or a bundled model."""
        if self.method in bc.methods.names():
            return False
        return self.method.endswith(".py") or self.method in _models_for_method_flag()

    def arguments(self) -> dict[str, Flag]:
        """Return the flag of each option of the method too: its alias, or ``--set NAME``.

        An option that was typed with ``--set`` is named so, even if it has an alias.
        """
        flags = self.flags()
        if self.is_model_file:
            return flags | {"priors": Flag("--set")}
        typed = {text.partition("=")[0] for text in self.settings or ()}
        settings = (_option_names(self.method) - flags.keys()) | typed
        return flags | {name: Flag(f"--set {name}", "VALUE") for name in settings}


@dataclass(frozen=True)
class MethodOptions(SampledMethodOptions):
    """The method and its options, for a command that needs no posterior."""

    aliases: AllAliases = field(default_factory=AllAliases)


def read_method(options: SampledMethodOptions) -> "Method":
    """Make the method with the options that were typed, refusing those that it does not have."""
    settings = _settings_of_flags(options)
    if options.is_model_file:
        # A model's options are its priors, and numbers are all that a command line can say.
        return bc.methods.ModelFile(options.method, priors=settings or None)
    method = bc.methods.get(options.method)
    known = _option_names(options.method)
    for name in settings:
        if name not in known:
            raise BayescompareError(
                f"{options.arguments()[name].name}: method {options.method!r} has no such option "
                f"(it has {', '.join(sorted(known)) or 'none'})."
            )
    prior = settings.get("prior")
    if isinstance(prior, str) and prior.lstrip().startswith("{"):
        settings["prior"] = _read_flag_json(options.arguments()["prior"].name, prior)
    elif prior is not None:
        with suppress(ValueError):  # not a number but a name, which the method checks
            settings["prior"] = float(prior)
    return method(**settings)


def _read_flag_json(flag: str, text: str) -> Any:
    """Read a mapping that was typed; a name that is typed twice is no mapping."""
    try:
        return json.loads(text, object_pairs_hook=_flag_mapping_once)
    except (ValueError, RecursionError) as error:
        raise BayescompareError(
            f"{flag}: {text[:60]!r} is not JSON ({error}); write e.g. "
            '\'{"accuracy": {"B>A": 0.7}, "weight": 5}\'.'
        ) from None


def _flag_mapping_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for k, (name, _) in enumerate(pairs):
        if name in {other for other, _ in pairs[:k]}:
            raise ValueError(f"{name!r} occurs twice")
    return dict(pairs)


def _settings_of_flags(options: SampledMethodOptions) -> dict[str, Any]:
    """Merge ``--set`` and its aliases; every option may be typed once."""
    settings = options.aliases.settings
    for text in options.settings or ():
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise BayescompareError(f"--set {text}: write NAME=VALUE, as in --set joint=true.")
        if name in settings:
            raise BayescompareError(f"--set {text}: {name} is given twice.")
        settings[name] = _read_flag_value(value)
    return settings


def _read_flag_value(text: str) -> Any:
    """Read a bare value: true, false, none, a number, or else a word."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _option_names(method: str) -> set[str]:
    """Return the names of a method's options; of an unknown method none."""
    with suppress(BayescompareError):
        return {each.name for each in fields(bc.methods.get(method)) if each.init}
    return set()


def _models_for_method_flag() -> dict[str, Path]:
    from bayescompare._model_files import bundled

    return bundled()
