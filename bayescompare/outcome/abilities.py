"""What each method can do, read off its class: a table that the documentation shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from bayescompare._checks import check_word
from bayescompare._errors import QuantityNotAvailableError
from bayescompare.outcome import registry
from bayescompare.outcome.method import Method

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ABILITIES",
    "abilities_of",
    "abilities_table",
    "has_ability",
    "options_for_ability",
    "require_ability",
]

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

_RULES: Mapping[str, Callable[[type[Method]], bool]] = {
    # Closed, or estimated from a model.
    "evidence": lambda method: not method.provides.isdisjoint({"log_evidence", "model"}),
    # What is checked are predictions, and they come from a model.
    "check": lambda method: "model" in method.provides,
    "sensitivity": lambda method: (
        method.posterior_type.weighed_by is not None or "sensitivity" in method.provides
    ),
    "priors": lambda method: "priors" in {option.name for option in fields(method)},
}


def has_ability(method: type[Method], ability: str) -> bool:
    """Whether a method has an ability, perhaps only with certain options.

    Examples
    --------
    >>> import bayescompare as bc
    >>> has_ability(bc.methods.Dirichlet, "loo"), has_ability(bc.methods.GLRT, "loo")
    (True, False)
    """
    check_word("ability", ability, tuple(ABILITIES))
    if ability in method.lacks:
        return False
    rule = _RULES.get(ability)
    return ability in method.provides if rule is None else rule(method)


def options_for_ability(method: type[Method], ability: str) -> str:
    """Write the options without which a method lacks an ability, as in ``"joint=True"``."""
    needed = method.only_with.get(ability, {})
    return ", ".join(f"{name}={value!r}" for name, value in needed.items())


def require_ability(method: Method, ability: str) -> None:
    """Refuse what a method lacks: say why, and which methods have it."""
    if has_ability(type(method), ability):
        return
    named = [name for name in registry.names() if has_ability(registry.get(name), ability)]
    why = f"{method.why_not(ability)} " if method.why_not(ability) else ""
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
        (_cell_of_abilities(method, a), meaning if has_ability(method, a) else method.why_not(a))
        for a, meaning in ABILITIES.items()
    ]
    index = pd.Index(ABILITIES, name="ability")
    return pd.DataFrame(rows, index=index, columns=[method.name, "meaning"])


def _cell_of_abilities(method: type[Method], ability: str) -> str:
    return (options_for_ability(method, ability) or "yes") if has_ability(method, ability) else ""
