"""What a method from outside must have, and what its answers must look like."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import MISSING, fields, replace
from typing import Any, get_args

from bayescompare._errors import BayescompareError
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.facts import Facts, check_facts_type
from bayescompare.outcome.method import Accepts, Judges, Method, Phrases, Scope
from bayescompare.outcome.posterior import Lack, Tested
from bayescompare.table.results import Results

#: What a class must declare, and as what.
_NEEDED: dict[str, type] = {"name": str, "title": str, "citations": tuple}


#: What classes for 0.1.0 declared about their answers, which is one class now.
_OLD_TYPES = ("details_type", "scalars_type", "facts_type")


#: What a class may declare about tables and words, and the class of that.
_PARTS = {"scope": Scope, "accepts": Accepts, "phrases": Phrases}


#: What classes for 0.1.0 could define, and what is now asked of their `posterior_type`.
_OF_POSTERIOR = (
    *("approximate", "check_scale", "claim", "headline"),
    *("model_name", "own_likelihood", "valid_pvalue"),
)
#: Functions of the table that are its methods now; an option may have such a name.
_HOOKS = (
    *("draws", "exact_draws", "to_tree", "own_sample", "leads", "leave_one_out"),
    *("predictive_simulator", "likelihood_of_more", "replicate_simulator", "level_given"),
    *("predictive_statistics", "predict", "simulate", "lever"),
)


def is_built_in_method(method: type[Method]) -> bool:
    """Whether a method's class comes with this package."""
    return method.__module__.partition(".")[0] == __name__.partition(".")[0]


#: What a class for 0.1.0 declared, and how that is declared now.
_DECLARED_BEFORE = {
    "kind": "posterior_type = bc.methods.Tested for a test without a posterior",
    "provides": "nothing: it follows from posterior_type",
    "input_kind": "accepts = bc.methods.Accepts(judges=...)",
    "reference": "phrases = bc.methods.Phrases(reference=...)",
    "levers": "phrases = bc.methods.Phrases(levers=...)",
    "verdict_phrase": "phrases = bc.methods.Phrases(verdict=...)",
    "prior_weight": "weighed_by of posterior_type",
    "lacks": "lacks of posterior_type",
}
#: What it defined that has no such place any more.
_DEFINED_BEFORE = {
    "comparison_type": "define what it adds as properties of posterior_type",
    "nuts_model": "take form= in model(results, form)",
    "of_pair": "define for_table(results, pair=None)",
    "unlearned": "let learn(()) return the test with its own prior",
}


def adapt_class(method: type[Method]) -> None:
    """Let a class of the shape that 0.1.0 documented work as it is, with a warning; in place.

    This goes with the release after the next.
    """
    for name, now in _DEFINED_BEFORE.items():
        if hasattr(method, name):
            raise BayescompareError(
                f"method class {method.__qualname__} defines {name}, which nothing asks for now: "
                f"{now}."
            )
    # What it inherits from a class that comes with the package is of the new shape already.
    before = {name: getattr(method, name) for name in _DECLARED_BEFORE if hasattr(method, name)}
    said: Any = method.sentences
    takes = list(inspect.signature(said).parameters) if callable(said) else []
    if takes[1:] == ["results", "answer", "decision"]:
        adapted: Any = method
        adapted.sentences = lambda self, found: said(self, *found)
        before["sentences(results, answer, decision)"] = None
    if not before:
        return
    kind: dict[str, Any] = {}
    if before.get("prior_weight") is not None:
        kind["weighed_by"] = before["prior_weight"]
    if before.get("lacks"):
        kind["lacks"] = {name: Lack(why) for name, why in before["lacks"].items()}
    bases = (Tested,) if before.get("kind") == "frequentist" else ()
    if kind or bases:
        base = method.posterior_type
        own = (
            base
            if issubclass(base, Tested) or not bases
            else type(base.__name__, (*bases, base), {})
        )
        method.posterior_type = type(base.__name__, (own,), kind)
    if "input_kind" in before:
        method.accepts = replace(method.accepts, judges=before["input_kind"])
    words = {"reference": "reference", "levers": "levers", "verdict": "verdict_phrase"}
    said_before = {now: before[then] for now, then in words.items() if then in before}
    method.phrases = replace(method.phrases, **said_before)
    for name in before:
        if name in vars(method):
            delattr(method, name)
    places = {**_DECLARED_BEFORE, "sentences(results, answer, decision)": "sentences(found)"}
    listed = "; ".join(f"{name}: {places[name]}" for name in before)
    warnings.warn(
        f"method class {method.__qualname__} is of the shape of 0.1.0, which works for one more "
        f"release. Declare now: {listed}.",
        DeprecationWarning,
        stacklevel=3,
    )


def check_class(method: object) -> None:
    """Reject a class that lacks what every door needs, in one line."""
    if not (isinstance(method, type) and issubclass(method, Method)):
        raise BayescompareError(
            f"register({method!r}): give a class derived from bc.methods.Method."
        )
    adapt_class(method)
    where = f"method class {method.__qualname__}"
    if missing := sorted(method.__abstractmethods__):
        raise BayescompareError(f"{where} lacks {', '.join(f'{name}()' for name in missing)}.")
    if all(getattr(method, n) is getattr(Method, n) for n in ("answer", "posterior", "evidence")):
        raise BayescompareError(f"{where} lacks posterior(), or evidence() and prior_on().")
    _check_declared(method, where)
    _check_options(method, where)


def _check_declared(method: Any, where: str) -> None:
    for name, kind in _NEEDED.items():
        value = getattr(method, name, None)
        if not isinstance(value, kind) or value == "":
            raise BayescompareError(f"{where} lacks {name}: declare it as a {kind.__name__}.")
    for name, kind in _PARTS.items():
        value = getattr(method, name)
        if not isinstance(value, kind | property):
            raise BayescompareError(
                f"{where}: {name}={value!r}; give a bc.methods.{kind.__name__}."
            )
    judges = get_args(Judges)
    if isinstance(method.accepts, Accepts) and method.accepts.judges not in judges:
        raise BayescompareError(
            f"{where}: judges={method.accepts.judges!r}; choose one of "
            f"{', '.join(map(repr, judges))}."
        )
    for name in (*_OF_POSTERIOR, *_HOOKS):
        found = getattr(method, name, None)
        if callable(found) if name in _HOOKS else found is not None:
            raise BayescompareError(
                f"{where} defines {name}, which is asked of the posterior: define it on a class "
                "derived from bayescompare.outcome.posterior.Posterior, and name that as "
                "posterior_type."
            )
    for name in _OLD_TYPES:
        if hasattr(method, name):
            raise BayescompareError(
                f"{where} declares {name}: declare one class derived from bc.methods.Facts as "
                "facts_type of its posterior_type, numbers by field(metadata={'figure': True})."
            )
    facts = method.posterior_type.facts_type
    if not (isinstance(facts, type) and issubclass(facts, Facts)):
        raise BayescompareError(
            f"{where}: facts_type={facts!r} is not a class derived from bc.methods.Facts."
        )
    try:
        check_facts_type(facts)
    except BayescompareError as error:
        raise BayescompareError(f"{where}: facts_type: {error}") from None


def _check_options(method: type[Method], where: str) -> None:
    """Its options are fields of a frozen dataclass, and each has a default."""
    if "__init__" in vars(method) and "__dataclass_params__" not in vars(method):
        raise BayescompareError(
            f"{where} has an __init__ of its own: declare its options as fields of a frozen "
            "dataclass, so that they can be saved."
        )
    for field in fields(method):
        bare = field.default is MISSING and field.default_factory is MISSING
        if field.init and bare:
            raise BayescompareError(
                f"{where}: option {field.name!r} has no default, so method={method.name!r} alone "
                "could not be asked."
            )
    weight = method.posterior_type.weighed_by
    if weight is not None and weight not in inspect.signature(method).parameters:
        raise BayescompareError(
            f"{where}: weighed_by={weight!r} of its posterior_type is not one of its options."
        )


def check_answer(results: Results, method: Method, answer: object) -> None:
    """Reject an answer of the wrong shape, in one line that names the method."""
    if not isinstance(answer, Answer):
        raise BayescompareError(
            f"method {method.name!r} returned a {type(answer).__name__} from answer(): it must "
            "be a bc.methods.Answer."
        )
    # Only an answer from outside is checked, so only that loads the checks.
    from bayescompare.outcome.checks import check_fields

    try:
        _check_facts(answer.facts, method.posterior_type.facts_type)
        check_fields(results, method, answer)
    except BayescompareError as error:
        raise BayescompareError(
            f"method {method.name!r} returned a wrong answer: {error}"
        ) from None


def _check_facts(facts: object, declared: type[Facts]) -> None:
    """Reject fields of another type than declared, or that would not come back from a file."""
    if not isinstance(facts, declared):
        raise BayescompareError(
            f"facts is a {type(facts).__name__}: it must be the {declared.__qualname__} that the "
            "posterior_type declares as facts_type."
        )
    declared.from_dict(facts.to_dict(), where="facts")


def comparison_of(
    results: Results, method: Method, answer: Answer, *, loaded: bool = False
) -> Comparison:
    """Put results, method and answer into a comparison.

    What was `loaded` from a file is checked by whoever did that.
    """
    outside = not is_built_in_method(type(method))
    if outside:
        check_answer(results, method, answer)
    bounded = answer.bounded(foreign=outside or loaded)
    return Comparison(results, method, bounded)
