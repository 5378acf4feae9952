"""What comes from outside: a class of the user's, and the answers of such classes and of files.

A class must have what every door needs. An answer must have the types and shapes, labels that say
something about these algorithms, and probabilities between 0 and 1 that words and pictures rely on.
"""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.outcome.answer import SHARES, Answer, Facts, check_facts_type
from bayescompare.outcome.codec import numbers
from bayescompare.outcome.method import Accepts, Judges, Method, Phrases, Scope, is_bayesian
from bayescompare.outcome.posterior import Lack, Tested
from bayescompare.statements import OTHERS, State, Statement
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.table.results import Results


#: What a class must declare, and as what; and what it may declare about tables and words.
_NEEDED: dict[str, type] = {"name": str, "title": str, "citations": tuple}
_PARTS = {"scope": Scope, "accepts": Accepts, "phrases": Phrases}

_OF_POSTERIOR = (
    ", which is asked of the posterior: define it on a class derived from "
    "bayescompare.outcome.posterior.Posterior, and name that as posterior_type"
)
_ONE_TYPE = (
    ": declare one class derived from bc.methods.Facts as facts_type of its posterior_type, "
    "numbers by field(metadata={'figure': True})"
)
_GONE = ", which nothing asks for now: "
#: What a class for 0.1.0 could define or declare, unless it is an option, and where that is now.
_MOVED = {
    **dict.fromkeys(("details_type", "scalars_type", "facts_type"), _ONE_TYPE),
    **dict.fromkeys(
        (
            *("approximate", "check_scale", "claim", "headline", "model_name", "own_likelihood"),
            *("valid_pvalue", "draws", "exact_draws", "to_tree", "own_sample", "leads", "lever"),
            *("leave_one_out", "predictive_simulator", "likelihood_of_more", "level_given"),
            *("replicate_simulator", "predictive_statistics", "predict", "simulate"),
        ),
        _OF_POSTERIOR,
    ),
    "comparison_type": f"{_GONE}define what it adds as properties of posterior_type",
    "nuts_model": f"{_GONE}take form= in model(results, form)",
    "of_pair": f"{_GONE}define for_table(results, pair=None)",
    "unlearned": f"{_GONE}let learn(()) return the test with its own prior",
}
#: What the class of a method of 0.1.0 declares still works, with a warning that says what to write.
_STILL = {
    "kind": "posterior_type = bc.methods.Tested for a test without a posterior",
    "provides": "nothing: it follows from posterior_type",
    "input_kind": "accepts = bc.methods.Accepts(judges=...)",
    "reference": "phrases = bc.methods.Phrases(reference=...)",
    "levers": "phrases = bc.methods.Phrases(levers=...)",
    "verdict_phrase": "phrases = bc.methods.Phrases(verdict=...)",
    "prior_weight": "weighed_by of posterior_type",
    "lacks": "lacks of posterior_type",
    "sentences(results, answer, decision)": "sentences(found)",
}


# classes ------------------------------------------------------------------------------------------


def check_class(method: Any) -> None:
    """Reject a class that lacks what every door needs, in one line."""
    if not (isinstance(method, type) and issubclass(method, Method)):
        raise BayescompareError(
            f"register({method!r}): give a class derived from bc.methods.Method."
        )
    where = f"method class {method.__qualname__}"
    options = {option.name for option in fields(method)}
    for name, now in _MOVED.items():
        if name not in options and getattr(method, name, None) is not None:
            does = "declares" if now is _ONE_TYPE else "defines"
            raise BayescompareError(f"{where} {does} {name}{now}.")
    _adapt_class(method)
    if missing := sorted(method.__abstractmethods__):
        raise BayescompareError(f"{where} lacks {', '.join(f'{name}()' for name in missing)}.")
    if all(getattr(method, n) is getattr(Method, n) for n in ("answer", "posterior", "evidence")):
        raise BayescompareError(f"{where} lacks posterior(), or evidence() and prior_on().")
    for name, kind in _NEEDED.items():
        value = getattr(method, name, None)
        if not isinstance(value, kind) or value == "":
            raise BayescompareError(f"{where} lacks {name}: declare it as a {kind.__name__}.")
    parts: Any = method  # whatever it declares
    for name, kind in _PARTS.items():
        value = getattr(method, name)
        if not isinstance(value, kind | property):
            raise BayescompareError(
                f"{where}: {name}={value!r}; give a bc.methods.{kind.__name__}."
            )
    judges, takes = get_args(Judges), parts.accepts
    if isinstance(takes, Accepts) and takes.judges not in judges:
        raise BayescompareError(
            f"{where}: judges={takes.judges!r}; choose one of {', '.join(map(repr, judges))}."
        )
    facts = parts.posterior_type.facts_type
    if not (isinstance(facts, type) and issubclass(facts, Facts)):
        raise BayescompareError(
            f"{where}: facts_type={facts!r} is not a class derived from bc.methods.Facts."
        )
    try:
        check_facts_type(facts)
    except BayescompareError as error:
        raise BayescompareError(f"{where}: facts_type: {error}") from None
    _check_options(method, where)


def _check_options(method: type[Method], where: str) -> None:
    """Its options are fields of a frozen dataclass, and each has a default."""
    if "__init__" in vars(method) and "__dataclass_params__" not in vars(method):
        raise BayescompareError(
            f"{where} has an __init__ of its own: declare its options as fields of a frozen "
            "dataclass, so that they can be saved."
        )
    for field in fields(method):
        if field.init and field.default is field.default_factory is MISSING:
            raise BayescompareError(
                f"{where}: option {field.name!r} has no default, so method={method.name!r} alone "
                "could not be asked."
            )
    weight = method.posterior_type.weighed_by
    if weight is not None and weight not in inspect.signature(method).parameters:
        raise BayescompareError(
            f"{where}: weighed_by={weight!r} of its posterior_type is not one of its options."
        )


def _adapt_class(method: type[Method]) -> None:
    """Let a class of the shape that 0.1.0 documented work as it is, with a warning; in place.

    This goes with the release after the next.
    """
    # What it inherits from a class that comes with the package is of the new shape already.
    before = {name: getattr(method, name) for name in _STILL if hasattr(method, name)}
    said: Any = method.sentences
    takes = list(inspect.signature(said).parameters) if callable(said) else []
    if takes[1:] == ["results", "answer", "decision"]:
        adapted: Any = method
        adapted.sentences = lambda self, found: said(self, *found)
        before["sentences(results, answer, decision)"] = None
    if not before:
        return
    kind: dict[str, Any] = {"weighed_by": before.get("prior_weight")}
    kind["lacks"] = {name: Lack(why) for name, why in (before.get("lacks") or {}).items()}
    base = method.posterior_type
    tested = before.get("kind") == "frequentist" and not issubclass(base, Tested)
    own = {name: value for name, value in kind.items() if value}
    if own or tested:
        bases = (Tested, base) if tested else (base,)
        method.posterior_type = type(base.__name__, bases, own)
    if "input_kind" in before:
        method.accepts = replace(method.accepts, judges=before["input_kind"])
    words = {"reference": "reference", "levers": "levers", "verdict": "verdict_phrase"}
    said_before = {now: before[then] for now, then in words.items() if then in before}
    method.phrases = replace(method.phrases, **said_before)
    for name in before:
        if name in vars(method):
            delattr(method, name)
    listed = "; ".join(f"{name}: {_STILL[name]}" for name in before)
    warnings.warn(
        f"method class {method.__qualname__} is of the shape of 0.1.0, which works for one more "
        f"release. Declare now: {listed}.",
        DeprecationWarning,
        stacklevel=3,
    )


# answers ------------------------------------------------------------------------------------------


def check_answer(results: Results, method: Method, answer: object) -> None:
    """Reject an answer of the wrong shape, in one line that names the method."""
    declared = method.posterior_type.facts_type
    if not isinstance(answer, Answer):
        raise BayescompareError(
            f"method {method.name!r} returned a {type(answer).__name__} from answer(): it must "
            "be a bc.methods.Answer."
        )
    try:
        if not isinstance(answer.facts, declared):
            raise BayescompareError(
                f"facts is a {type(answer.facts).__name__}: it must be the "
                f"{declared.__qualname__} that the posterior_type declares as facts_type."
            )
        # Fields of another type than declared would not come back from a file.
        declared.from_dict(answer.facts.to_dict(), where="facts")
        check_fields(results, method, answer)
    except BayescompareError as error:
        raise BayescompareError(
            f"method {method.name!r} returned a wrong answer: {error}"
        ) from None


def check_fields(results: Results, method: Method, answer: Answer) -> None:
    """Reject an answer whose fields are not what its results and method say they are."""
    _check_labels(results, answer)
    size = len(answer.labels)
    given, none = ("probability", "pvalue") if is_bayesian(method) else ("pvalue", "probability")
    if getattr(answer, none) is not None:
        raise BayescompareError(f"{none} is given, and method {method.name!r} has none.")
    if given == "probability" and answer.probability is None:
        raise BayescompareError(f"probability is missing, which method {method.name!r} gives.")
    columns = {"count": answer.counts, "probability": answer.probability, "mcse": answer.mcse}
    for name, values in {**columns, **answer.per_statement}.items():
        if values is None:
            continue
        is_share = name in ("probability", "mcse", *SHARES)
        least = 0.0 if is_share or name == "count" else -math.inf
        numbers(values, f"statements: {name}", (size,), (least, 1.0 if is_share else math.inf))
        if name in ("count", "probability") and np.isnan(values).any():
            raise BayescompareError(f"statements: {name} is nan: it must be a number.")
    if answer.probability is not None and (total := float(answer.probability.sum())) > 1.0 + 1e-6:
        raise BayescompareError(f"statements: probability sums to {setting_number_text(total)}.")
    for name, values in answer.parts.items():
        numbers(values, f"statements: part_{name}", (size, len(results.measures)), (0.0, 1.0))
    whole = {name: getattr(answer, name) for name in ("unobserved", "pvalue", "none_leads")}
    for name, value in {**whole, **answer.facts.figures()}.items():
        if value is not None and (name in whole or name in SHARES):
            numbers(value, name, (), (0.0, 1.0))
    for name in ("statistic", "log_evidence"):
        if getattr(answer, name) is not None:
            numbers(getattr(answer, name), name, ())
    if answer.tree is not None:
        _check_draws(answer.tree)


def _check_labels(results: Results, answer: Answer) -> None:
    labels, states, measures = answer.labels, answer.states, len(results.measures)
    if not labels:
        raise BayescompareError("statements: there are none.")
    if len(set(labels)) != len(labels):
        raise BayescompareError("statements: a label occurs twice.")
    for label in labels:
        if not (_is_statement(label, results) or label in answer.facts.own_labels):
            raise BayescompareError(
                f"statements: label {show_checked_value_briefly(label)} is no statement about "
                f"{', '.join(results.algorithms)} on {measures} measure(s)."
            )
    if states and len(states) != measures:
        raise BayescompareError(
            f"statements: states are of {len(states)} measures, and there are {measures}."
        )


def _is_statement(label: object, results: Results) -> bool:
    """Whether a label names one ordering, or one for every measure."""
    if not isinstance(label, str):
        return False
    states = Statement.parse(label, results.algorithms).states
    return len(states) in (1, len(results.measures)) and all(
        _is_state(state, results.algorithms) for state in set(states)
    )


def _is_state(state: State, algorithms: tuple[str, ...]) -> bool:
    names = state.names
    if state.relation != ">":
        return names == algorithms
    return 2 <= len(names) == len(set(names)) and {*algorithms, OTHERS}.issuperset(names)


def _check_draws(tree: xr.DataTree) -> None:
    """Reject a posterior that cannot be diagnosed: every group of draws has the same ones."""
    sizes = tree["posterior"].to_dataset().sizes if "posterior" in tree else {}
    if not {"chain", "draw"} <= set(sizes):
        raise BayescompareError("posterior: it has no dims 'chain' and 'draw'.")
    draws = {dim: sizes[dim] for dim in ("chain", "draw")}
    for group in ("posterior", "sample_stats", "log_likelihood"):
        variables = tree[group].to_dataset().data_vars if group in tree else {}
        for name, values in variables.items():
            of = {dim: values.sizes.get(dim) for dim in draws}
            if of != draws or values.dtype.kind not in "iufb" or not values.size:
                raise BayescompareError(
                    f"{group}: {name} has {values.dtype} over {dict(values.sizes)}: it must be "
                    f"numbers for each of {draws}."
                )
