"""What each method can do, read off its class: a table that the documentation shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from bayescompare._checks import check_word
from bayescompare._errors import QuantityNotAvailableError
from bayescompare.outcome import registry
from bayescompare.outcome.method import Method, is_bayesian

if TYPE_CHECKING:
    import pandas as pd


#: The abilities that the table is about, in words.
ABILITIES: Mapping[str, str] = {
    "model": "a PyMC model to look at or to edit: c.model()",
    "sample": "its posterior by NUTS: c.sample()",
    "draws": "exact, independent draws: c.draws()",
    "loo": "leave-one-dataset-out predictive accuracy: c.loo()",
    "evidence": "the log marginal likelihood: c.log_evidence, or c.estimate_evidence()",
    "check": "predictive checks: c.check()",
    "sensitivity": "the answer under weaker and stronger priors: c.sensitivity()",
    "plan": "what further datasets would settle: c.plan()",
    "predict": "statements of new datasets: c.predict()",
    "simulate": "a table drawn from the prior: c.simulate()",
    "priors": "priors that you may replace: priors={...}",
}

#: Why frequentist tests lack what a posterior gives.
FREQUENTIST = (
    "It is a frequentist test: it has a null hypothesis in place of a prior, and so no posterior "
    "to draw from, to weigh or to predict with."
)


def _defines(*names: str) -> Callable[[type[Method]], bool]:
    """Whether the posterior of a method defines one of these."""
    return lambda method: any(hasattr(method.posterior_type, name) for name in names)


#: What is not there simply where the posterior's type defines it.
def _has_model(method: type[Method]) -> bool:
    return method.model is not Method.model


#: What is not there simply where the posterior's type, or that of the facts, defines it.
_QUANTITIES: Mapping[str, Callable[[type[Method]], bool]] = {
    "probability": is_bayesian,
    "none_leads": is_bayesian,
    "pvalue": lambda method: not is_bayesian(method),
    "statistic": lambda method: not is_bayesian(method),
    "model": _has_model,
    "sample": lambda method: _has_model(method) and _defines("from_nuts", "own_sample")(method),
    "loo": _defines("leave_one_out", "pointwise"),
    "plan": _defines("grown", "likelihood_of_more"),
    "sensitivity": _defines("under_other_priors"),
}
#: Abilities that are more than one quantity.
_ABILITIES: Mapping[str, Callable[[type[Method]], bool]] = {
    # Closed, or estimated from a model.
    "evidence": lambda method: has_quantity(method, "log_evidence") or _has_model(method),
    # What is checked are predictions, and they come from a model.
    "check": _has_model,
    "sensitivity": lambda method: (
        method.posterior_type.weighed_by is not None or has_quantity(method, "sensitivity")
    ),
    "priors": lambda method: "priors" in {option.name for option in fields(method)},
}


def has_quantity(method: type[Method], quantity: str) -> bool:
    """Whether the comparisons of a method have a quantity, perhaps only with certain options.

    Examples
    --------
    >>> import bayescompare as bc
    >>> has_quantity(bc.methods.Dirichlet, "questions"), has_quantity(bc.methods.GLRT, "pvalue")
    (True, True)
    """
    lack = method.posterior_type.lacks.get("evidence" if quantity == "log_evidence" else quantity)
    if lack is not None and not lack.unless and quantity != "evidence":
        return False
    return _QUANTITIES.get(quantity, _defines(quantity))(method)


def has_ability(method: type[Method], ability: str) -> bool:
    """Whether a method has an ability, perhaps only with certain options.

    Examples
    --------
    >>> import bayescompare as bc
    >>> has_ability(bc.methods.Dirichlet, "loo"), has_ability(bc.methods.GLRT, "loo")
    (True, False)
    """
    check_word("ability", ability, tuple(ABILITIES))
    lack = method.posterior_type.lacks.get(ability)
    if lack is not None and not lack.unless:
        return False
    rule = _ABILITIES.get(ability)
    return has_quantity(method, ability) if rule is None else rule(method)


def why_not(method: type[Method], ability: str) -> str:
    """Say in one sentence why a method lacks an ability; empty where it gives no reason."""
    lack = method.posterior_type.lacks.get(ability)
    if lack is not None:
        return lack.why
    return "" if is_bayesian(method) else FREQUENTIST


def options_for_ability(method: type[Method], ability: str) -> str:
    """Write the options without which a method lacks an ability, as in ``"joint=True"``."""
    lack = method.posterior_type.lacks.get(ability)
    needed = {} if lack is None else lack.unless
    return ", ".join(f"{name}={value!r}" for name, value in needed.items())


def require_ability(method: Method, ability: str) -> None:
    """Refuse what a method lacks: say why, and which methods have it."""
    if has_ability(type(method), ability):
        return
    named = [name for name in registry.names() if has_ability(registry.get(name), ability)]
    reason = why_not(type(method), ability)
    why = f"{reason} " if reason else ""
    raise QuantityNotAvailableError(
        f"{ability}: method {method.name!r} has none. {why}Methods with it: {', '.join(named)}."
    )


def abilities_table() -> pd.DataFrame:
    """Tabulate all methods and abilities: "yes", the options that it takes, or nothing."""
    import pandas as pd

    rows = {
        name: registry.saved_class_in_registry(name)
        for name in (*registry.names(), registry.MODEL_FILE)
    }
    cells = {
        name: [_cell_of_abilities(method, a) for a in ABILITIES] for name, method in rows.items()
    }
    return pd.DataFrame.from_dict(cells, orient="index", columns=list(ABILITIES)).rename_axis(
        "method"
    )


def abilities_of(method: type[Method]) -> pd.DataFrame:
    """Tabulate one method's abilities: whether it has each, and what that is or why not."""
    import pandas as pd

    rows = [
        (_cell_of_abilities(method, a), meaning if has_ability(method, a) else why_not(method, a))
        for a, meaning in ABILITIES.items()
    ]
    index = pd.Index(ABILITIES, name="ability")
    return pd.DataFrame(rows, index=index, columns=[method.name, "meaning"])


def _cell_of_abilities(method: type[Method], ability: str) -> str:
    return (options_for_ability(method, ability) or "yes") if has_ability(method, ability) else ""
