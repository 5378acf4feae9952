"""What a method is, before any method.

A method is a small frozen dataclass of choices. It turns `Results` into an `Answer` (plain arrays
and labels), builds its PyMC model, draws from its posterior and has its own words;
`bayescompare.outcome.comparison.Comparison` is what the user sees of all this.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._parallel import run_in_parallel
from bayescompare.outcome import registry
from bayescompare.outcome.answer import Answer, Found, TestResult
from bayescompare.outcome.posterior import Posterior, Tested

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.evidence import Evidence
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.prior import DirichletPrior
    from bayescompare.table.cells import Reading
    from bayescompare.table.results import Results


Judges = Literal["cells", "replicates", "either", "counts"]
#: A model's form: as a textbook writes it, or parametrised for NUTS.
Form = Literal["textbook", "nuts"]
#: Pairs from which a prior can be learned.
LEAST_PAIRS = 3
#: The scale of models that predict joint statements.
STATEMENTS = "statements"


@dataclass(frozen=True)
class Parameter:
    """A quantity of a method's model whose prior the user may replace by ``priors=``.

    Attributes
    ----------
    name, default, meaning : str
    dims : tuple of str
    low, high : float
        Where it lies: a number must be above `low`, a distribution must not leave the range.
    simplex : bool
        Whether it is a probability vector along its last dim.
    fixed_vector : bool
        Whether a fixed vector, or a mapping by statement, may stand for a number.
    """

    name: str
    dims: tuple[str, ...]
    default: str
    meaning: str
    _: KW_ONLY
    low: float = 0.0
    high: float = math.inf
    simplex: bool = False
    fixed_vector: bool = False


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What a test is about: two algorithms only, one measure only, one question about all measures.

    And the fewest algorithms and datasets that it can judge.
    """

    pair: bool = False
    measure: bool = False
    question: bool = False
    algorithms: int = 2
    datasets: int = 2


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """What words say of a test, whatever its answer.

    Attributes
    ----------
    reference : str
        Where it is published.
    verdict : str
        What the headline says about the leading statement, after its claim.
    levers : str
        What would change a verdict besides the data.
    """

    reference: str = ""
    verdict: str = "is the most probable statement"
    levers: str = "more datasets"


@dataclass(frozen=True, kw_only=True)
class Accepts:
    """What a test takes of a table, and how its model can be asked for.

    Attributes
    ----------
    judges : {"cells", "replicates", "either", "counts"}
        What it judges: a number per cell, replicates of each, either (replicates where there are
        any), or counts of errors.
    missing : frozenset of str
        How it can read missing cells that stay.
    domains : bool
        Domains (``group=``) and weights of datasets.
    weights : bool
        Weights of datasets, without domains.
    items : bool
        Clusters of items, and statistics that stand for items.
    forms : tuple of str
        The forms in which its PyMC model can be asked for.
    predicts : {"textbook", "nuts"}
        Through which of them `sample` predicts.
    sampler : mapping
        Options for `pymc.sample` where the user says nothing else.
    """

    judges: Judges = "cells"
    missing: frozenset[Reading] = frozenset()
    domains: bool = False
    weights: bool = False
    items: bool = False
    forms: tuple[Form, ...] = ("textbook",)
    predicts: Form = "textbook"
    sampler: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Sampling:
    """How to sample when an answer needs it: seed, options for `pymc.sample`, and parallel jobs."""

    rng: np.random.Generator
    _: KW_ONLY
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    n_jobs: int | None = 1
    progress: bool = False

    def spread(self, label: str) -> Callable[..., Iterator[Any]]:
        """Return a way to call a function with each of several tuples of arguments, in parallel."""
        return partial(run_in_parallel, n_jobs=self.n_jobs, progress=self.progress, label=label)


@dataclass(frozen=True)
class Method(ABC):
    """One test: its choices, its kernel calls, its PyMC model, its words."""

    name: ClassVar[str]
    title: ClassVar[str]
    #: What its report cites, its own paper first: keys of report/references.bib, or BibTeX entries.
    citations: ClassVar[tuple[str, ...]] = ()
    #: What words say of it that do not depend on an answer.
    phrases: ClassVar[Phrases] = Phrases()
    #: What its answers can be asked.
    posterior_type: ClassVar[type[Posterior]] = Posterior
    #: The priors that a user may replace.
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    #: How many algorithms, measures and datasets it is about, and what it takes of a table.
    scope: ClassVar[Scope] = Scope()
    accepts: ClassVar[Accepts] = Accepts()

    def evidence(self, results: Results) -> Evidence:
        """Return what each dataset says about each statement."""
        raise NotImplementedError

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return what is believed of θ before; of a learned prior, what the pairs taught."""
        raise NotImplementedError

    def posterior(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> DirichletMixture | TestResult | None:
        """Return θ after the data, by Bayes' rule from `evidence` and `prior_on`.

        A test without a posterior returns what it found; None is for an answer of another kind,
        which then defines `answer`.
        """
        if type(self).evidence is Method.evidence:
            return None
        from bayescompare.evidence import TooManyVectors
        from bayescompare.posterior.dirichlet import DirichletMixture
        from bayescompare.posterior.drawn import DrawnMixture

        evidence = self.evidence(results)
        prior = self.prior_on(evidence)
        try:
            return DirichletMixture.of(evidence, prior)
        except TooManyVectors:
            return DrawnMixture.sampled(evidence, prior, rng or np.random.default_rng(0))

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Read the answer off the posterior; `results` are what it judges, and complete."""
        from bayescompare.outcome.posterior import posterior_answer

        found = self.posterior(results, sampling.rng)
        if isinstance(found, TestResult):
            return found.answer(results, question=self.scope.question)
        assert found is not None, "a method has a posterior or an answer of its own"
        return posterior_answer(found, seed=sampling.seed if found.states is not None else None)

    @abstractmethod
    def sentences(self, found: Found) -> list[str]:
        """Return what this method's numbers mean, and what they do not say, in sentences."""

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return the test as it is asked about one table, or about one pair of a larger one.

        Itself, unless missing cells that stay, domains or weights change how it computes, or its
        options name algorithms.
        """
        return self

    @property
    def learns_from_pairs(self) -> bool:
        """Whether `pairwise` is to ask `learn`."""
        return False

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with the prior learned from all pairs of a table.

        Itself, where nothing is learned. `asked` are the pairs, in the form that is judged; none
        teach nothing, and give the pair's own prior back.
        """
        return self

    @property
    def needs_mcmc(self) -> bool:
        """Whether the answer needs MCMC, so that parallel work wants processes, not threads."""
        return False

    def options(self) -> dict[str, Any]:
        """Return the options by name, as passed."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model as a textbook writes it, or in the form for NUTS if it has one."""
        raise registry.unavailable(self, "model")

    def methods_text(self, answer: Answer | None) -> str:
        """Return what a paper's methods section says of it, from "by the ... test" on.

        ``{cited}`` and ``{aside}`` stand for the first of `citations`: "Demšar (2006)" and
        "Demšar 2006". `answer` is None where there are many.
        """
        where = self.phrases.reference
        return f"by {self.title}{f' ({where})' if where else ''}."


def chosen_options(method: Method) -> dict[str, Any]:
    """Return the options that are not the defaults: what to write in a call.

    What pairs taught is left out, for `pairwise` learns it again; a symmetric prior is written
    where it turns learning off.
    """
    given: Any = method
    rest, usual = method.options(), {}
    for inside in ("saved", "among"):
        rest.pop(inside, None)
    if rest.pop("learned", None) is not None and rest.get("prior") == "learned":
        del rest["prior"]
    if all(field.default is not MISSING for field in fields(method) if field.init):
        usual = type(method)().options()
    changed = {k: v for k, v in rest.items() if v != usual.get(k)}
    learns_not = getattr(given, "learns", True) is False and getattr(given, "joint", True)
    if learns_not and given.learned is None and not {"prior", "strength", "priors"} & set(changed):
        return {"prior": given.prior, **changed}
    return changed


def is_bayesian(method: Method | type[Method]) -> bool:
    """Whether its answers are posteriors, and not p-values.

    Examples
    --------
    >>> import bayescompare as bc
    >>> is_bayesian(bc.methods.Dirichlet), is_bayesian(bc.methods.GLRT)
    (True, False)
    """
    return not issubclass(method.posterior_type, Tested)


def is_built_in_method(method: type[Method]) -> bool:
    """Whether a method's class comes with this package."""
    return method.__module__.partition(".")[0] == __name__.partition(".")[0]


def is_simultaneous(method: Method) -> bool:
    """Whether its p-values hold for all pairs of a table at once, so that none is corrected."""
    return bool(getattr(method, "simultaneous", False))


def has_valid_pvalue(method: Method | type[Method]) -> bool:
    """Whether its answers are p-values for which corrections for many tests keep their promise."""
    kind = method.posterior_type
    return issubclass(kind, Tested) and kind.valid_pvalue
