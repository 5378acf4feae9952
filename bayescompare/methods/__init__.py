"""The tests, one frozen dataclass each; `names()` lists them, `describe()` tells their priors."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayescompare._errors import BayescompareError
from bayescompare.outcome import registry
from bayescompare.outcome.registry import MODEL_FILE, get, having, names

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GLRT",
    "GSD",
    "Accepts",
    "AllTest",
    "Answer",
    "CorrelatedT",
    "Decision",
    "Dirichlet",
    "Elicitation",
    "Facts",
    "Friedman",
    "GSDBootstrap",
    "Hierarchical",
    "Lack",
    "LearnedPrior",
    "Method",
    "ModelFile",
    "Network",
    "OneTest",
    "Parameter",
    "Phrases",
    "PoissonBinomial",
    "Posterior",
    "Replicated",
    "Sampling",
    "Scope",
    "Sign",
    "SignedRank",
    "TestResult",
    "Tested",
    "ThetaPosterior",
    "Wilcoxon",
    "abilities",
    "describe",
    "elicit",
    "get",
    "having",
    "names",
    "register",
    "unregister",
]

#: Everything else that is found here, by its module.
_ELSEWHERE = {
    "Accepts": "bayescompare.outcome.method",
    "Answer": "bayescompare.outcome.answer",
    "Decision": "bayescompare.outcome.decision",
    "Facts": "bayescompare.outcome.answer",
    "Elicitation": "bayescompare.methods.dirichlet.elicit",
    "Lack": "bayescompare.outcome.posterior",
    "LearnedPrior": "bayescompare.learned",
    "Method": "bayescompare.outcome.method",
    "ModelFile": "bayescompare.methods.model_file",
    "Parameter": "bayescompare.outcome.method",
    "Phrases": "bayescompare.outcome.method",
    "Posterior": "bayescompare.outcome.posterior",
    "Sampling": "bayescompare.outcome.method",
    "Scope": "bayescompare.outcome.method",
    "TestResult": "bayescompare.outcome.answer",
    "Tested": "bayescompare.outcome.posterior",
    "ThetaPosterior": "bayescompare.outcome.posterior",
    "elicit": "bayescompare.methods.dirichlet.elicit",
}


def register(method: type[Method]) -> type[Method]:
    """Make a method of yours known by its name: every door then takes it as ``method="name"``.

    Parameters
    ----------
    method : type
        A class derived from `Method` that declares ``name`` and ``title`` and defines
        ``sentences``, and ``posterior`` or ``evidence`` and ``prior_on``. What it lacks is said at
        once. It is returned, so that this can be used as a decorator.

    Examples
    --------
    >>> import bayescompare as bc
    >>> @bc.methods.register
    ... class Half(bc.methods.Dirichlet):
    ...     name = "half"
    ...     title = "the Dirichlet test, called by another name"
    >>> bc.compare(bc.load_example("pnn"), method="half").best
    'New>State of art|New>State of art'
    >>> bc.methods.unregister("half")
    """
    from bayescompare._model_files import bundled
    from bayescompare.outcome.outside import check_class

    check_class(method)
    if method.name in bundled():
        raise BayescompareError(
            f"name={method.name!r} of {method.__qualname__}: a bundled model has this name; "
            "choose another."
        )
    registry.add(method)
    return method


def unregister(name: str) -> None:
    """Forget a method that `register` made known; built-in ones stay."""
    registry.remove_from_registry(name)


def describe(method: str | Method | type[Method] | Callable[..., Any]) -> pd.DataFrame:
    """Tabulate the priors of a method, or of a model file, that ``priors={name: value}`` replaces.

    `method` is whatever ``method=`` takes: a method's name, class or object, a model file, a
    bundled model, or a function that builds a model. Of a method that has no priors the options
    are tabulated instead, and the index is then called "option". Of a model the dims and meanings
    are those of the "Parameters" in the docstring of its build function, or of its file.

    Examples
    --------
    >>> describe("dirichlet").index.tolist()
    ['theta', 'alpha', 'strength', 'kappa']
    >>> describe("plackett_luce").loc["sigma", ["dims", "default"]].tolist()
    ['measure', '1']
    >>> describe("friedman").index.name
    'option'
    """
    from bayescompare.methods._shared.option_tables import options_table, priors_table
    from bayescompare.methods.model_file import ModelFile
    from bayescompare.outcome.method import Method as Base

    if isinstance(method, str) and method in names():
        method = get(method)
    if isinstance(method, ModelFile):
        return _describe_model_as_method(method.source)
    own = method if isinstance(method, type) else type(method)
    if issubclass(own, Base):
        return priors_table(own) if own.parameters else options_table(own)
    return _describe_model_as_method(method)


def abilities(method: str | Method | type[Method] | None = None) -> pd.DataFrame:
    """Tabulate what each method can do, or what one method can do and why it lacks the rest.

    Parameters
    ----------
    method : str, class or object, optional
        A method's name, class or object, or ``"model"`` for model files. All methods by default.

    Returns
    -------
    DataFrame
        Of all methods: a row for each, a column for each ability, and as cells "yes", the options
        that it takes, or "". Of one: a row for each ability, with its meaning or the reason why
        there is none.

    Examples
    --------
    >>> abilities().loc["poisson-binomial", ["draws", "model"]].tolist()
    ['yes', 'joint=True']
    >>> print(abilities("model").loc["draws", "meaning"])
    Its posterior is known only through NUTS; the draws of its answer are in c.tree.
    """
    from bayescompare.outcome.method import Method as Base
    from bayescompare.outcome.registry import abilities_of, abilities_table

    if method is None:
        return abilities_table()
    if isinstance(method, str):
        return abilities_of(
            get(method) if method != MODEL_FILE else registry.saved_class_in_registry(method)
        )
    own: type = method if isinstance(method, type) else type(method)
    return abilities_of(own if issubclass(own, Base) else get(method))


def _describe_model_as_method(source: object) -> pd.DataFrame:
    """Tabulate what the build function of a model takes."""
    from bayescompare.methods.model_file import source as files

    named = isinstance(source, str) and not source.endswith(".py") and source not in files.bundled()
    other = not (isinstance(source, (str, os.PathLike)) or callable(source))
    if named or other or isinstance(source, type):
        get(source)  # refuses, and says what there is
    return files.describe(files.find_source(source))


def __getattr__(attribute: str) -> Any:
    """Load a class when it is first asked for: ``bc.methods.Dirichlet``."""
    module = _ELSEWHERE.get(attribute) or registry.module_in_registry(attribute)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from bayescompare.learned import LearnedPrior
    from bayescompare.methods.classic.friedman import Friedman
    from bayescompare.methods.classic.hypotheses import GLRT, Sign, Wilcoxon
    from bayescompare.methods.classic.per_measure import AllTest, OneTest
    from bayescompare.methods.classic.signed_rank import SignedRank
    from bayescompare.methods.context.correlated_t import CorrelatedT
    from bayescompare.methods.context.hierarchical import Hierarchical
    from bayescompare.methods.context.poisson_binomial import PoissonBinomial
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.methods.dirichlet.elicit import Elicitation, elicit
    from bayescompare.methods.gsd import GSD
    from bayescompare.methods.gsd.bootstrap import GSDBootstrap
    from bayescompare.methods.model_file import ModelFile
    from bayescompare.methods.network import Network
    from bayescompare.methods.replicated import Replicated
    from bayescompare.outcome.answer import Answer, Facts, TestResult
    from bayescompare.outcome.decision import Decision
    from bayescompare.outcome.method import (
        Accepts,
        Method,
        Parameter,
        Phrases,
        Sampling,
        Scope,
    )
    from bayescompare.outcome.posterior import Lack, Posterior, Tested, ThetaPosterior
