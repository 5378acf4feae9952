"""The methods by name, as strings: listing them imports none, asking for one imports that one."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, NamedTuple

from bayescompare._errors import BayescompareError, QuantityNotAvailableError, did_you_mean

if TYPE_CHECKING:
    from bayescompare.outcome.method import Method


class _RegistryEntry(NamedTuple):
    """Where a method's class is, as ``"module:Class"``, and its one line."""

    where: str
    title: str


_BUILT_IN = {
    "glrt": _RegistryEntry(
        "bayescompare.methods.classic.glrt:GLRT",
        "likelihood-ratio test that one joint statement is the most probable",
    ),
    "dirichlet": _RegistryEntry(
        "bayescompare.methods.dirichlet:Dirichlet",
        "multinomial-Dirichlet test: P(each joint statement is the most probable)",
    ),
    "network": _RegistryEntry(
        "bayescompare.methods.network:Network",
        "the dirichlet test factored by a learned Bayesian network of measures",
    ),
    "replicated": _RegistryEntry(
        "bayescompare.methods.replicated:Replicated",
        "the dirichlet test when folds, seeds or items leave each dataset uncertain",
    ),
    "poisson-binomial": _RegistryEntry(
        "bayescompare.methods.context.poisson_binomial:PoissonBinomial",
        "P(one algorithm is better on most datasets), from paired error counts",
    ),
    "hierarchical": _RegistryEntry(
        "bayescompare.methods.context.hierarchical:Hierarchical",
        "the same with partial pooling: datasets borrow from each other",
    ),
    "correlated-t": _RegistryEntry(
        "bayescompare.methods.context.correlated_t:CorrelatedT",
        "the same for any measure, from replicated results (folds, seeds)",
    ),
    "gsd": _RegistryEntry(
        "bayescompare.methods.gsd:GSD",
        "generalised stochastic dominance: better for every sensible utility",
    ),
    "gsd-bootstrap": _RegistryEntry(
        "bayescompare.methods.gsd.bootstrap:GSDBootstrap",
        "the same as probabilities, by the Bayesian bootstrap over datasets",
    ),
    "sign": _RegistryEntry(
        "bayescompare.methods.classic.pair_tests:Sign",
        "sign test: is one algorithm better on more datasets?",
    ),
    "signed-rank": _RegistryEntry(
        "bayescompare.methods.classic.signed_rank:SignedRank",
        "Bayesian signed-rank test: P(one algorithm is better on the whole)",
    ),
    "wilcoxon": _RegistryEntry(
        "bayescompare.methods.classic.pair_tests:Wilcoxon",
        "Wilcoxon signed-rank test, exact with ties",
    ),
    "friedman": _RegistryEntry(
        "bayescompare.methods.classic.friedman:Friedman",
        "Friedman test of mean ranks (Iman-Davenport), with Nemenyi's pairs",
    ),
    "all-test": _RegistryEntry(
        "bayescompare.methods.classic.per_measure:AllTest",
        "all-test: is one algorithm significantly better on every measure?",
    ),
    "one-test": _RegistryEntry(
        "bayescompare.methods.classic.per_measure:OneTest",
        "one-test: significantly better on some measure, worse on none?",
    ),
}

#: What the method is called whose model is a file or a function.
MODEL_FILE = "model"

#: Saved by this name, but asked for by a file or a function.
_UNLISTED = {
    MODEL_FILE: _RegistryEntry(
        "bayescompare.methods.model_file:ModelFile",
        "a generative model in plain PyMC, from a file or a function",
    )
}

_REGISTERED: dict[str, type[Method]] = {}

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def get(name: object) -> type[Method]:
    """Return the class of the method called `name`."""
    if isinstance(name, str) and name in _REGISTERED:
        return _REGISTERED[name]
    if isinstance(name, str) and name in _BUILT_IN:
        return _load_from_registry(_BUILT_IN[name])
    known = names()
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
    built_in = {name: entry.title for name, entry in _BUILT_IN.items()}
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
    from bayescompare.outcome.abilities import has_quantity

    return [name for name in names() if has_quantity(get(name), quantity)]


def unavailable(method: Method, quantity: str) -> QuantityNotAvailableError:
    """Return the error that names the methods with a quantity this one lacks, and says why."""
    key = "evidence" if quantity == "log_evidence" else quantity
    lack = method.posterior_type.lacks.get(key)
    return QuantityNotAvailableError(
        f"{quantity!r} is not something that method {method.name!r} has; methods with it: "
        f"{', '.join(having(quantity)) or 'none'}.{f' {lack.why}' if lack else ''}"
    )


def title_in_registry(name: str) -> str:
    """Return the one line about a built-in method."""
    return {**_BUILT_IN, **_UNLISTED}[name].title


def module_in_registry(attribute: str) -> str | None:
    """Return the module of the built-in method whose class has this name; None of any other."""
    for entry in _BUILT_IN.values():
        module, _, name = entry.where.partition(":")
        if name == attribute:
            return module
    return None


def saved_class_in_registry(name: object) -> type[Method]:
    """Return the class that a saved comparison names."""
    if isinstance(name, str) and name in _UNLISTED:
        return _load_from_registry(_UNLISTED[name])
    if isinstance(name, str) and name not in names():
        raise BayescompareError(
            f"it was made by method {name!r}, which is not known here: if that is a method of "
            "yours, register it first by bc.methods.register()."
        )
    return get(name)


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
    before = _REGISTERED.get(name)
    again = before is not None and _place_in_registry(before) == _place_in_registry(method)
    if name in _BUILT_IN or name in _UNLISTED or not (before is None or again):
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


def _place_in_registry(method: type[Method]) -> tuple[str, str]:
    return method.__module__, method.__qualname__


def _load_from_registry(entry: _RegistryEntry) -> type[Method]:
    module, _, attribute = entry.where.partition(":")
    method: type[Method] = getattr(importlib.import_module(module), attribute)
    return method
