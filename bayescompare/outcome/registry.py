"""The methods by name, and what each can do.

Names, titles and places are strings: listing the methods imports none, asking for one imports that
one. What a method can do is read off its class: a table that the documentation shows.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError, QuantityNotAvailableError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.method import Method


#: What the method is called whose model is a file or a function: saved by this name, but asked for
#: by that.
MODEL_FILE = "model"

_TITLES = {
    "glrt": "likelihood-ratio test that one joint statement is the most probable",
    "dirichlet": "multinomial-Dirichlet test: P(each joint statement is the most probable)",
    "network": "the dirichlet test factored by a learned Bayesian network of measures",
    "replicated": "the dirichlet test when folds, seeds or items leave each dataset uncertain",
    "poisson-binomial": "P(one algorithm is better on most datasets), from paired error counts",
    "hierarchical": "the same with partial pooling: datasets borrow from each other",
    "correlated-t": "the same for any measure, from replicated results (folds, seeds)",
    "gsd": "generalised stochastic dominance: better for every sensible utility",
    "gsd-bootstrap": "the same as probabilities, by the Bayesian bootstrap over datasets",
    "sign": "sign test: is one algorithm better on more datasets?",
    "signed-rank": "Bayesian signed-rank test: P(one algorithm is better on the whole)",
    "wilcoxon": "Wilcoxon signed-rank test, exact with ties",
    "friedman": "Friedman test of mean ranks (Iman-Davenport), with Nemenyi's pairs",
    "all-test": "all-test: is one algorithm significantly better on every measure?",
    "one-test": "one-test: significantly better on some measure, worse on none?",
    MODEL_FILE: "a generative model in plain PyMC, from a file or a function",
}

#: Where each class is, below `bayescompare.methods`.
_PLACES = {
    "glrt": "classic.hypotheses:GLRT",
    "dirichlet": "dirichlet:Dirichlet",
    "network": "network:Network",
    "replicated": "replicated:Replicated",
    "poisson-binomial": "context.poisson_binomial:PoissonBinomial",
    "hierarchical": "context.hierarchical:Hierarchical",
    "correlated-t": "context.correlated_t:CorrelatedT",
    "gsd": "gsd:GSD",
    "gsd-bootstrap": "gsd.bootstrap:GSDBootstrap",
    "sign": "classic.hypotheses:Sign",
    "signed-rank": "classic.signed_rank:SignedRank",
    "wilcoxon": "classic.hypotheses:Wilcoxon",
    "friedman": "classic.friedman:Friedman",
    "all-test": "classic.per_measure:AllTest",
    "one-test": "classic.per_measure:OneTest",
    MODEL_FILE: "model_file:ModelFile",
}

_REGISTERED: dict[str, type[Method]] = {}

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def get(name: object) -> type[Method]:
    """Return the class of the method called `name`."""
    known = names()
    if isinstance(name, str) and name in known:
        return _class_of(name)
    raise BayescompareError(
        f"method={name!r} is unknown: choose one of {', '.join(known)}."
        f"{did_you_mean(str(name), known)}"
    )


def names() -> dict[str, str]:
    """Return every method's name with one line about it. No method is imported.

    Examples
    --------
    >>> list(names())[:3]
    ['glrt', 'dirichlet', 'network']
    """
    built_in = {name: title for name, title in _TITLES.items() if name != MODEL_FILE}
    return {**built_in, **{name: method.title for name, method in _REGISTERED.items()}}


def having(quantity: str) -> list[str]:
    """Return the names of the methods whose comparisons have `quantity`.

    Examples
    --------
    >>> having("network")
    ['network']
    """
    if not isinstance(quantity, str):
        raise BayescompareError(f"quantity={quantity!r}: give its name, such as 'questions'.")
    return [name for name in names() if has_quantity(get(name), quantity)]


def unavailable(method: Method, quantity: str) -> QuantityNotAvailableError:
    """Return the error that names the methods with a quantity this one lacks, and says why."""
    why = why_not(type(method), _LACKED_AS.get(quantity, quantity))
    return QuantityNotAvailableError(
        f"{quantity!r} is not something that method {method.name!r} has; methods with it: "
        f"{', '.join(having(quantity)) or 'none'}. {why}".rstrip()
    )


def title_in_registry(name: str) -> str:
    """Return the one line about a built-in method."""
    return _TITLES[name]


def module_in_registry(attribute: str) -> str | None:
    """Return the module of the built-in method whose class has this name; None of any other."""
    for name, place in _PLACES.items():
        module, _, of_class = place.partition(":")
        if of_class == attribute and name != MODEL_FILE:
            return f"bayescompare.methods.{module}"
    return None


def saved_class_in_registry(name: object) -> type[Method]:
    """Return the class that a saved comparison names."""
    if isinstance(name, str) and name not in (*names(), MODEL_FILE):
        raise BayescompareError(
            f"it was made by method {name!r}, which is not known here: if that is a method of "
            "yours, register it first by bc.methods.register()."
        )
    return _class_of(name) if name == MODEL_FILE else get(name)


def add(method: type[Method]) -> None:
    """Make a class known by its name, which must be new.

    A class of the same module and name, as a notebook makes when a cell is run twice, replaces
    the one before.
    """
    name = method.name
    if not _NAME.fullmatch(name):
        raise BayescompareError(
            f"name={name!r} of {method.__qualname__}: use lower-case words joined by hyphens, as "
            "in 'my-test'."
        )
    before = _REGISTERED.get(name, method)
    again = (before.__module__, before.__qualname__) == (method.__module__, method.__qualname__)
    if name in _PLACES or not again:
        raise BayescompareError(
            f"name={name!r} of {method.__qualname__}: there is a method of this name already; "
            "choose another."
        )
    _REGISTERED[name] = method


def remove_from_registry(name: str) -> None:
    """Forget a registered method; built-in ones stay."""
    if name not in _REGISTERED:
        raise BayescompareError(f"name={name!r}: no method was registered by this name.")
    del _REGISTERED[name]


def _class_of(name: str) -> type[Method]:
    if name in _REGISTERED:
        return _REGISTERED[name]
    module, _, of_class = _PLACES[name].partition(":")
    method: type[Method] = getattr(
        importlib.import_module(f"bayescompare.methods.{module}"), of_class
    )
    return method


# what each can do ---------------------------------------------------------------------------------

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

#: What a posterior must define one of, where that has another name.
_DEFINED_AS = {
    "sample": ("from_nuts", "own_sample"),
    "loo": ("leave_one_out", "pointwise"),
    "plan": ("grown", "likelihood_of_more"),
    "sensitivity": ("under_other_priors",),
}
#: The name under which a posterior says why it lacks a quantity, where that is another.
_LACKED_AS = {"log_evidence": "evidence", "estimate_evidence": "evidence"}
#: What a PyMC model is enough for.
_OF_MODEL = ("model", "check", "estimate_evidence")


def has_quantity(method: type[Method], quantity: str) -> bool:
    """Whether the comparisons of a method have a quantity, perhaps only with certain options.

    Examples
    --------
    >>> import bayescompare as bc
    >>> has_quantity(bc.methods.Dirichlet, "questions"), has_quantity(bc.methods.GLRT, "pvalue")
    (True, True)
    """
    from bayescompare.outcome.method import Method, is_bayesian

    # Of the two things called evidence this is the one of each dataset, which is never denied.
    if quantity != "evidence" and _never(method, _LACKED_AS.get(quantity, quantity)):
        return False
    if quantity in ("probability", "none_leads"):
        return is_bayesian(method)
    if quantity in ("pvalue", "statistic"):
        return not is_bayesian(method)
    if quantity in (*_OF_MODEL, "sample") and method.model is Method.model:
        return False
    needed = _DEFINED_AS.get(quantity, (quantity,))
    return quantity in _OF_MODEL or any(hasattr(method.posterior_type, n) for n in needed)


def has_ability(method: type[Method], ability: str) -> bool:
    """Whether a method has an ability, perhaps only with certain options.

    Examples
    --------
    >>> import bayescompare as bc
    >>> has_ability(bc.methods.Dirichlet, "loo"), has_ability(bc.methods.GLRT, "loo")
    (True, False)
    """
    check_word("ability", ability, tuple(ABILITIES))
    if _never(method, ability):
        return False
    if ability == "evidence":  # closed, or estimated from a model
        return any(has_quantity(method, each) for each in ("log_evidence", "estimate_evidence"))
    if ability == "priors":
        return "priors" in {option.name for option in fields(method)}
    weighed = ability == "sensitivity" and method.posterior_type.weighed_by is not None
    return weighed or has_quantity(method, ability)


def _never(method: type[Method], ability: str) -> bool:
    """Whether a method lacks this whatever its options are."""
    lack = method.posterior_type.lacks.get(ability)
    return lack is not None and not lack.unless


def why_not(method: type[Method], ability: str) -> str:
    """Say in one sentence why a method lacks an ability; empty where it gives no reason."""
    from bayescompare.outcome.method import is_bayesian

    lack = method.posterior_type.lacks.get(ability)
    return lack.why if lack is not None else "" if is_bayesian(method) else FREQUENTIST


def options_for_ability(method: type[Method], ability: str) -> str:
    """Write the options without which a method lacks an ability, as in ``"joint=True"``."""
    lack = method.posterior_type.lacks.get(ability)
    needed = {} if lack is None else lack.unless
    return ", ".join(f"{name}={value!r}" for name, value in needed.items())


def abilities_table() -> pd.DataFrame:
    """Tabulate all methods and abilities: "yes", the options that it takes, or nothing."""
    import pandas as pd

    methods = [saved_class_in_registry(name) for name in (*names(), MODEL_FILE)]
    rows = {method.name: [_cell(method, ability) for ability in ABILITIES] for method in methods}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(ABILITIES))
    return table.rename_axis("method")


def abilities_of(method: type[Method]) -> pd.DataFrame:
    """Tabulate one method's abilities: whether it has each, and what that is or why not."""
    import pandas as pd

    rows = [
        (_cell(method, a), meaning if has_ability(method, a) else why_not(method, a))
        for a, meaning in ABILITIES.items()
    ]
    index = pd.Index(ABILITIES, name="ability")
    return pd.DataFrame(rows, index=index, columns=[method.name, "meaning"])


def _cell(method: type[Method], ability: str) -> str:
    return (options_for_ability(method, ability) or "yes") if has_ability(method, ability) else ""
