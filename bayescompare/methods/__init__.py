"""The tests, one frozen dataclass each; `names()` lists them, `describe()` tells their priors."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayescompare._errors import BayescompareError, closest

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.method import Method

__all__ = [
    "GLRT",
    "GSD",
    "AllTest",
    "CorrelatedT",
    "Dirichlet",
    "Friedman",
    "GSDBootstrap",
    "Hierarchical",
    "LearnedPrior",
    "ModelFile",
    "Network",
    "OneTest",
    "PoissonBinomial",
    "Sign",
    "Wilcoxon",
    "describe",
    "get",
    "having",
    "names",
]

#: Method name → (module, class). The one place where a new method is entered.
_METHODS = {
    "glrt": ("bayescompare.methods.classic.glrt", "GLRT"),
    "dirichlet": ("bayescompare.methods.dirichlet", "Dirichlet"),
    "network": ("bayescompare.methods.network", "Network"),
    "poisson-binomial": ("bayescompare.methods.context.poisson_binomial", "PoissonBinomial"),
    "hierarchical": ("bayescompare.methods.context.hierarchical", "Hierarchical"),
    "correlated-t": ("bayescompare.methods.context.correlated_t", "CorrelatedT"),
    "gsd": ("bayescompare.methods.gsd", "GSD"),
    "gsd-bootstrap": ("bayescompare.methods.gsd.bootstrap", "GSDBootstrap"),
    "sign": ("bayescompare.methods.classic.sign", "Sign"),
    "wilcoxon": ("bayescompare.methods.classic.wilcoxon", "Wilcoxon"),
    "friedman": ("bayescompare.methods.classic.friedman", "Friedman"),
    "all-test": ("bayescompare.methods.classic.all_test", "AllTest"),
    "one-test": ("bayescompare.methods.classic.one_test", "OneTest"),
}


def get(name: object) -> type[Method]:
    """Return the class of the method called `name`."""
    if not isinstance(name, str) or name not in _METHODS:
        raise BayescompareError(
            f"method={name!r} is unknown: choose one of {', '.join(_METHODS)}."
            f"{closest(str(name), _METHODS)}"
        )
    module, cls = _METHODS[name]
    found: type[Method] = getattr(importlib.import_module(module), cls)
    return found


def names() -> dict[str, str]:
    """Return every method's name with one line about it.

    Examples
    --------
    >>> list(names())[:3]
    ['glrt', 'dirichlet', 'network']
    """
    return {name: get(name).title for name in _METHODS}


def having(quantity: str) -> list[str]:
    """Return the names of the methods whose comparisons have `quantity`.

    Examples
    --------
    >>> having("network")
    ['network']
    """
    if not isinstance(quantity, str):
        raise BayescompareError(f"quantity={quantity!r}: give its name, such as 'questions'.")
    return [name for name in _METHODS if quantity in get(name).provides]


def describe(method: str | Method | type[Method] | Callable[..., Any]) -> pd.DataFrame:
    """Tabulate the priors of a method, or of a model file, that ``priors={name: value}`` replaces.

    `method` is whatever ``method=`` takes: a method's name, class or object, a model file, a
    bundled model, or a function that builds a model. Of a method that has no priors the options
    are tabulated instead, and the index is then called "option".

    Examples
    --------
    >>> describe("dirichlet").index.tolist()
    ['theta', 'alpha', 'strength']
    >>> describe("friedman").index.name
    'option'
    """
    from bayescompare.comparison.method import Method
    from bayescompare.methods._shared.option_tables import options_table, priors_table
    from bayescompare.methods.model_file import ModelFile

    if isinstance(method, str) and method in _METHODS:
        method = get(method)
    if isinstance(method, ModelFile):
        return _describe_model(method.source)
    own = method if isinstance(method, type) else type(method)
    if issubclass(own, Method):
        return priors_table(own) if own.parameters else options_table(own)
    return _describe_model(method)


def _describe_model(source: object) -> pd.DataFrame:
    """Tabulate what the build function of a model takes."""
    import pandas as pd

    from bayescompare.methods._shared.priors import describe_prior
    from bayescompare.methods.model_file.source import bundled, find_source

    named = isinstance(source, str) and not source.endswith(".py") and source not in bundled()
    other = not (isinstance(source, (str, os.PathLike)) or callable(source))
    if named or other or isinstance(source, type):
        get(source)  # refuses, and says what there is
    taken = find_source(source).parameters()
    rows = [(k, "" if v is None else describe_prior(v)) for k, v in taken.items()]
    return pd.DataFrame(rows, columns=["name", "default"]).set_index("name")


def __getattr__(attribute: str) -> Any:
    """Load a method's class when it is first asked for: ``bc.methods.Dirichlet``."""
    for name, (_, cls) in _METHODS.items():
        if cls == attribute:
            return get(name)
    if attribute == "LearnedPrior":
        from bayescompare.methods._shared.learned_prior import LearnedPrior

        return LearnedPrior
    if attribute == "ModelFile":
        from bayescompare.methods.model_file import ModelFile

        return ModelFile
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from bayescompare.methods._shared.learned_prior import LearnedPrior
    from bayescompare.methods.classic.all_test import AllTest
    from bayescompare.methods.classic.friedman import Friedman
    from bayescompare.methods.classic.glrt import GLRT
    from bayescompare.methods.classic.one_test import OneTest
    from bayescompare.methods.classic.sign import Sign
    from bayescompare.methods.classic.wilcoxon import Wilcoxon
    from bayescompare.methods.context.correlated_t import CorrelatedT
    from bayescompare.methods.context.hierarchical import Hierarchical
    from bayescompare.methods.context.poisson_binomial import PoissonBinomial
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.methods.gsd import GSD
    from bayescompare.methods.gsd.bootstrap import GSDBootstrap
    from bayescompare.methods.model_file import ModelFile
    from bayescompare.methods.network import Network
