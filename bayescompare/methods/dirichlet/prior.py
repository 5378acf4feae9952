"""The `prior=` of the multinomial-Dirichlet test as users write it; `patterns` makes α of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from bayescompare._checks import MOST_WEIGHT, check_positive, is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray
from bayescompare.statements import DENSE, State, Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, setting_number_text
from bayescompare.text.phrases import join_names

PriorName = Literal["symmetric", "jeffreys", "uniform", "imprecise", "learned"]
Prior = PriorName | float | Mapping[str, float] | Mapping[str, float | Mapping[str, float]]

_NAMES = ("symmetric", "jeffreys", "uniform", "imprecise", "learned")
#: α of every statement, by the name of the prior.
ALPHAS = {"jeffreys": 0.5, "uniform": 1.0}
#: Key of a mapping that stands for every statement it does not name; any state of a measure.
REST = "*"
#: The key that holds the weight of beliefs in datasets, among the names of measures.
WEIGHT = "weight"
#: Probabilities sum to one within this.
_SUM = 1e-9


def is_elicited(prior: object) -> bool:
    """Whether a prior is beliefs about measures, not α by statement.

    Examples
    --------
    >>> is_elicited({"accuracy": {"B>A": 0.7}, "weight": 5}), is_elicited({"B>A": 2.0, "*": 1.0})
    (True, False)
    """
    return isinstance(prior, Mapping) and (
        WEIGHT in prior or any(isinstance(value, Mapping) for value in prior.values())
    )


def check_prior(prior: object, strength: float) -> None:
    """Check what can be checked before algorithms and measures are known."""
    check_positive(strength=strength)
    if isinstance(prior, str):
        if prior not in _NAMES:
            raise BayescompareError(
                f"prior={prior!r}: choose one of {', '.join(_NAMES)}, a number (α per statement) "
                f"or a mapping from statement to α.{did_you_mean(prior, _NAMES)}"
            )
    elif is_elicited(prior):
        _check_beliefs(cast("Mapping[str, Any]", prior))
    elif isinstance(prior, Mapping):
        if not prior:
            raise BayescompareError("prior={}: name at least one statement, or '*' for all.")
        for label, value in prior.items():
            _check_alpha(f"prior[{label!r}]", value)
    else:
        _check_alpha("prior", prior)
    if strength != 1.0 and not (isinstance(prior, str) and prior in ("symmetric", "imprecise")):
        fixes = "has its own 'weight'" if is_elicited(prior) else "fixes α itself"
        raise BayescompareError(
            f"strength={strength!r} goes with prior='symmetric' or 'imprecise'; prior={prior!r} "
            f"{'learns it' if prior == 'learned' else fixes}."
        )


def _check_alpha(argument: str, value: object) -> None:
    if not is_number(value) or not 0.0 < value <= MOST_WEIGHT:
        raise BayescompareError(
            f"{argument}={show_checked_value(value)}: α must be a finite number > 0, at most "
            f"{setting_number_text(MOST_WEIGHT)}."
        )


def _check_beliefs(prior: Mapping[str, Any]) -> None:
    weight = prior.get(WEIGHT, 1.0)
    beliefs = beliefs_of(prior)
    if isinstance(weight, Mapping):
        raise BayescompareError(
            "prior['weight'] is a mapping, but it must be the weight of the prior in datasets, a "
            "number; a measure called 'weight' must have another name here."
        )
    if is_number(weight) and weight == 0:
        raise BayescompareError(
            "prior['weight']=0 contradicts the beliefs: with no weight they say nothing. Give the "
            "number of datasets that they are worth, or leave out the prior."
        )
    if not (is_number(weight) and 0.0 < weight <= MOST_WEIGHT):
        raise BayescompareError(
            f"prior['weight']={show_checked_value(weight)}: must be the number of datasets that "
            f"the prior is worth, > 0 and at most {setting_number_text(MOST_WEIGHT)}."
        )
    for name, value in beliefs.items():
        if not isinstance(value, Mapping):
            raise BayescompareError(
                f"prior[{name!r}]={show_checked_value(value)} among beliefs about measures: "
                "give either beliefs and their weight, {'accuracy': {'B>A': 0.7}, 'weight': 5}, "
                "or α by statement, {'B>A|B>A': 2, '*': 0.5}, not both."
            )
    if not beliefs:
        raise BayescompareError(
            f"prior={dict(prior)!r} has a weight but no belief about a measure: add one, as in "
            f"{{'accuracy': {{'B>A': 0.7}}, 'weight': 5}}, or say strength={weight!r}."
        )
    for measure, belief in beliefs.items():
        if not belief:
            raise BayescompareError(
                f"prior[{measure!r}]={{}}: name at least one state with its probability, as in "
                "{'B>A': 0.7}, or leave the measure out."
            )
        for state, p in belief.items():
            if not (is_number(p) and 0.0 < p < 1.0):
                raise BayescompareError(
                    f"prior[{measure!r}][{state!r}]={show_checked_value(p)}: must be a probability "
                    "above 0 and below 1; what is certain needs no test."
                )
        if sum(belief.values()) > 1.0 + _SUM:
            raise BayescompareError(
                f"prior[{measure!r}]: the probabilities sum to "
                f"{setting_number_text(round(sum(belief.values()), 9))}, more than 1."
            )


def beliefs_of(prior: Mapping[str, Any]) -> dict[str, Any]:
    """What beliefs say of each measure."""
    return {name: belief for name, belief in prior.items() if name != WEIGHT}


def beliefs_words(prior: Mapping[str, Any]) -> str:
    """Say beliefs about measures in words.

    Examples
    --------
    >>> beliefs_words({"accuracy": {"B>A": 0.7}, "weight": 5})
    'B is better than A on accuracy with probability 0.7'
    """
    return join_names(
        [
            f"{State.parse(str(state)).words()} on {measure} with probability "
            f"{setting_number_text(p)}"
            for measure, belief in beliefs_of(prior).items()
            for state, p in belief.items()
        ]
    )


def prior_as_json(value: Any) -> Any:
    """Write numbers, and mappings of them, as JSON has them; a word stays."""
    if isinstance(value, Mapping):
        return {str(key): prior_as_json(each) for key, each in value.items()}
    return value if isinstance(value, str) else float(value)


def prior_of_vector(name: str, alpha: FloatArray, statements: Statements) -> dict[str, float]:
    """Read a vector of α, in the order in which the statements are listed, as a mapping."""
    if alpha.shape != (statements.size,) or statements.size > DENSE:
        raise BayescompareError(
            f"priors[{name!r}] has {alpha.size} parameter(s) for {count(statements.size)} "
            f"statements ({', '.join(statements.labels[:4])}…); give one each, at most {DENSE}."
        )
    for label, value in zip(statements.labels, alpha, strict=True):
        _check_alpha(f"priors[{name!r}] at {label!r}", float(value))
    return dict(zip(statements.labels, alpha.tolist(), strict=True))


def prior_of_pair(
    prior: Mapping[str, Any], results: Results, pair: tuple[str, str]
) -> tuple[Any, float]:
    """Keep what a prior says about a pair; return that and the strength of what is left.

    A belief about two algorithms is about their pair and no other; the measures on which nothing
    was said of a pair have all states alike.
    """
    if not is_elicited(prior):
        kept = {
            label: alpha
            for label, alpha in prior.items()
            if label == REST or _concerns(f"prior[{label!r}]", label, results, pair)
        }
        if not kept:
            raise BayescompareError(
                f"prior says nothing about {pair[0]} against {pair[1]}: name their statements too, "
                "or give '*' for the rest."
            )
        return kept[REST] if set(kept) == {REST} else kept, 1.0
    weight, beliefs = float(prior.get(WEIGHT, 1.0)), dict[str, Any]()
    for measure, belief in beliefs_of(prior).items():
        where = f"prior[{measure!r}]"
        own = {s: p for s, p in belief.items() if _concerns(f"{where}[{s!r}]", s, results, pair)}
        # A measure that does not exist must be refused even where no belief is left.
        if own or measure not in results.measures:
            beliefs[measure] = own or belief
    return ({**beliefs, WEIGHT: weight}, 1.0) if beliefs else ("symmetric", weight)


def _concerns(where: str, label: object, results: Results, pair: tuple[str, str]) -> bool:
    """Whether a statement is about this pair; one about a single pair is about no other."""
    states = Statement.parse(str(label)).states
    named = {name for state in states for name in state.names if state.names != (REST,)}
    for name in sorted(named):
        check_compared(where, name, results.algorithms)
    if len(named) > 2:
        raise BayescompareError(
            f"{where} is about {len(named)} algorithms, and pairwise() asks about two at a time: "
            "give what you believe of each pair, or ask compare()."
        )
    return named <= set(pair)


def check_compared(where: str, name: str, algorithms: Sequence[str]) -> None:
    """Refuse a name that is not that of an algorithm compared."""
    if name not in algorithms:
        raise BayescompareError(
            f"{where}: {name!r} is not one of the algorithms compared "
            f"({', '.join(algorithms)}).{did_you_mean(name, algorithms)}"
        )
