"""`Posterior`: what an answer can be asked beyond its figures, once for all methods.

Where the answer is a distribution of θ, the questions are answered here. Families whose parameters
are others derive from it; what they do not define, their answers do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.numerics.intervals import Betas
from bayescompare.outcome.answer import Answer, TestResult
from bayescompare.outcome.claims import claim_words
from bayescompare.outcome.decision import decide
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.of_posterior import (
    grown,
    level_with_more,
    listed_in_answer,
    pvalue_with_more,
    under_other_priors,
)
from bayescompare.outcome.registry import unavailable

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayescompare.outcome.decision import Decision
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.table.results import Results


@dataclass(frozen=True)
class Lack:
    """Why there is no such quantity, unless the method has certain options.

    Attributes
    ----------
    why : str
        A sentence.
    unless : mapping
        The options with which there is one; none where it is never there.
    """

    why: str
    _: KW_ONLY
    unless: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answer of a method to one table can be asked.

    A quantity exists where a type defines it: `draws`, `from_nuts` (what `sample` made),
    `leave_one_out`, `grown` or `likelihood_of_more` (for plans), `with_replicates`, `predict`,
    `simulate`, `under_other_priors`, `statistics` (for checks), and what users ask of one method.

    Attributes
    ----------
    method : Method
    results : Results
    answer : Answer
    """

    method: Any
    results: Results
    answer: Answer

    #: What only its answers tell, as files hold it.
    facts_type: ClassVar[type[Facts]] = Facts
    #: The option that weighs its prior, where there is one.
    weighed_by: ClassVar[str | None] = None
    #: What its answers lack that others have, and why.
    lacks: ClassVar[Mapping[str, Lack]] = MappingProxyType({})
    #: How `draws` are made; their tree records it.
    draws_are: ClassVar[str] = "conjugate"

    @property
    def data_scale(self) -> str | None:
        """What its likelihood of a dataset is the probability of, if other models may say that too.

        ``"statements"`` for the dataset's joint statement, whatever it is read from.
        """
        return None

    @cached_property
    def theta(self) -> DirichletMixture | None:
        """The distribution of θ, made again where a file gave the figures.

        None where the answer is of another kind, or came from draws (`Answer.tree`).
        """
        if self.answer.tree is not None or self.method.needs_mcmc:
            return None
        held = self.answer.posterior
        found = self.method.posterior(self.results) if held is None else held
        return None if isinstance(found, TestResult) else found

    def why_not(self, quantity: str) -> str:
        """Why this answer leaves out a quantity; empty where it does not."""
        lack = self.lacks.get(quantity)
        if lack is None:
            return ""
        options = [getattr(self.method, name) == value for name, value in lack.unless.items()]
        return "" if options and all(options) else lack.why

    def claim(self, statement: str) -> str:
        """Say a statement in words, as headlines do."""
        return claim_words(statement, self.results.algorithms, self.results.measures)

    def headline(self, decision: Decision) -> str:
        """Return the verdict where the question is not about a statement; else ""."""
        return ""

    @property
    def attrs(self) -> dict[str, Any]:
        """How the answer was made, for attributes of arrays and files."""
        answer, exactness = self.answer, "Monte Carlo, see mcse"
        if answer.exact or answer.resampled_pvalue:
            exactness = "exact" if answer.exact else "p-value from random resamples"
        attrs: dict[str, Any] = {
            "method": self.method.name,
            "options": str(self.method.options()),
            "exactness": exactness,
            "version": __version__,
        }
        return attrs if answer.seed is None else {**attrs, "seed": answer.seed}

    def over_statements(self, name: str, values: Any) -> xr.DataArray:
        """Return figures over "statement", with what each says of every measure."""
        import xarray as xr

        answer = self.answer
        coords: dict[str, Any] = {"statement": list(answer.labels)}
        # A question about all measures at once has no state for each.
        for measure, states in zip(self.results.measures, answer.states, strict=False):
            coords[measure] = ("statement", list(states))
        coords["count"] = ("statement", answer.counts)
        return xr.DataArray(np.array(values), coords, dims="statement", name=name, attrs=self.attrs)

    # draws ----------------------------------------------------------------------------------------

    def leads(self) -> FloatArray:
        """P(each statement leads) given each draw of a sampled answer: (chain, draw, statement)."""
        assert self.answer.tree is not None, "only a sampled answer has draws"
        posterior = self.answer.tree["posterior"].to_dataset()
        if "theta" not in posterior or "statement" not in posterior["theta"].dims:
            raise BayescompareError(
                "the draws of this answer have no 'theta' over 'statement' from which to read who "
                "leads."
            )
        theta = posterior["theta"].transpose("chain", "draw", "statement")
        leads = sole_leader(theta.values).astype(np.float64)
        place = {str(label): k for k, label in enumerate(theta["statement"].values.tolist())}
        return np.asarray(leads[..., [place[label] for label in self.answer.labels]])

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the level for other data; None where that is slow.

        The function takes how many datasets more support the leading statement, and how many of
        its own went to the next one instead; it returns the statement's P, or the p-value.
        """
        return None

    def shares(self) -> list[Betas] | None:
        """Return each listed θ as a mixture of Betas; None where it has no such form."""
        return None


class ThetaPosterior(Posterior):
    """The posterior of θ as a mixture of Dirichlets, what it is asked written once for all."""

    @property
    def log_evidence(self) -> float | None:
        """The log evidence of its figures."""
        return self.answer.log_evidence

    # the same question of other data --------------------------------------------------------------

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset: given the others, and given all."""
        if self.theta is None:
            raise unavailable(self.method, "loo")
        if self.theta.states is not None:
            raise BayescompareError(
                "loo: there are too many statements and datasets with gaps to leave each out "
                "exactly; pass tree=, from sample(), for PSIS."
            )
        return self.theta.leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return a function that adds so many predicted datasets and answers again."""
        if self.theta is None:
            raise unavailable(self.method, "plan")
        return grown(self.theta)

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the level for other data; None where that is slow.

        The function takes how many datasets more support the leading statement, and how many of
        its own went to the next one instead; it returns the statement's P, or the p-value.
        """
        labels = self.answer.labels
        best = labels.index(decision.statement)
        rival = None if decision.runner_up is None else labels.index(decision.runner_up[0])
        if self.theta is None or rival is None or len(self.theta.evidence.uncounted):
            return None
        return level_with_more(self.theta, best, rival)

    def shares(self) -> list[Betas] | None:
        """Return each listed θ as a mixture of Betas; None where it has no such form."""
        if self.theta is None:
            return None
        return [self.theta.betas(s) for s in listed_in_answer(self.theta.evidence).tolist()]

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the weight of the prior; None where draws must be weighed for that."""
        if self.theta is None:
            return None
        best = self.answer.labels.index(decide(self.answer).statement)
        return under_other_priors(self.theta.alone or self.theta, best, values)


class Tested(Posterior):
    """What a test can be asked: it has no posterior, and its p-value may follow for other data."""

    #: Whether its p-value is valid, so that corrections for many tests keep their promise.
    valid_pvalue: ClassVar[bool] = True

    @cached_property
    def test(self) -> TestResult | None:
        """What the test found, made again where a file gave the figures."""
        held = self.answer.posterior
        found = self.method.posterior(self.results) if held is None else held
        return found if isinstance(found, TestResult) else None

    @property
    def approximate(self) -> bool:
        """Whether its p-value is a large-sample approximation."""
        return self.test is not None and self.test.approximate

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the p-value for other data, as that of a posterior does."""
        if self.test is None or self.test.level_given is None:
            return None
        labels, runner = self.answer.labels, decision.runner_up
        rival = None if runner is None else labels.index(runner[0])
        best = labels.index(decision.statement)
        return pvalue_with_more(self.test.level_given, self.answer.counts, best, rival)


def likelihood_of(posterior: Posterior) -> Callable[[xr.Dataset], xr.DataArray] | None:
    """Return what gives the log likelihood by dataset; None where it is the PyMC model's own."""
    own = getattr(posterior, "pointwise", None)
    return None if own is None else own()


def by_prior_weight(
    name: str,
    values: FloatArray,
    labels: Sequence[str],
    probabilities: Callable[[float], Sequence[float]],
) -> pd.DataFrame:
    """Tabulate P of every statement by what weighs the prior."""
    import pandas as pd

    rows = [list(probabilities(value)) for value in values.tolist()]
    return pd.DataFrame(rows, index=pd.Index(values, name=name), columns=list(labels))
