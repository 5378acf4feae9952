"""`Posterior`: what an answer can be asked beyond its figures, once for all methods.

Where the answer is a distribution of θ, the questions are answered here. Families whose parameters
are others derive from it; what they do not define, their answers do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.numerics.intervals import Betas
from bayescompare.outcome.answer import Answer, TestResult
from bayescompare.outcome.claims import claim_words
from bayescompare.outcome.decision import decide
from bayescompare.outcome.of_posterior import (
    grown,
    level_with_more,
    listed_in_answer,
    pvalue_with_more,
    under_other_priors,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayescompare.outcome.decision import Decision
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.table.results import Results

__all__ = ["Posterior", "Tested", "by_prior_weight"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answer of a method to one table can be asked.

    Attributes
    ----------
    method : Method
    results : Results
    answer : Answer
    """

    method: Any
    results: Results
    answer: Answer

    #: The option that weighs its prior, where there is one.
    weighed_by: ClassVar[str | None] = None
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
        """Why these options, or this table, leave out a quantity; empty where they do not."""
        refusal: str = self.method.refuses(quantity)
        return refusal

    def claim(self, statement: str) -> str:
        """Say a statement in words, as headlines do."""
        return claim_words(statement, self.results.algorithms, self.results.measures)

    def headline(self, decision: Decision) -> str:
        """Return the verdict where the question is not about a statement; else ""."""
        return ""

    # draws ----------------------------------------------------------------------------------------

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw from the posterior without MCMC."""
        raise self.method.unavailable("draws")

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring a tree that NUTS made into the shape that `draws` gives."""
        raise self.method.unavailable("sample")

    def pointwise(self) -> Callable[[xr.Dataset], xr.DataArray] | None:
        """Return what gives the log likelihood by dataset; None where it is the model's own."""
        return None

    def own_sample(
        self, *, draws: int, chains: int, rng: np.random.Generator, options: Mapping[str, Any]
    ) -> xr.DataTree | None:
        """Sample in a way of its own; None where NUTS of the model for it does."""
        return None

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

    # the same question of other data --------------------------------------------------------------

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset: given the others, and given all."""
        if self.theta is None:
            raise self.method.unavailable("loo")
        if self.theta.states is not None:
            raise BayescompareError(
                "loo: there are too many statements and datasets with gaps to leave each out "
                "exactly; pass tree=, from sample(), for PSIS."
            )
        return self.theta.leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return a function that adds so many predicted datasets and answers again."""
        if self.theta is None:
            raise self.method.unavailable("plan")
        return grown(self.theta)

    def with_replicates(self) -> Callable[[float, np.random.Generator], FloatArray]:
        """Return a function that makes each dataset's replicates so many times as many.

        It simulates them and answers again.
        """
        raise BayescompareError(
            f"replicates: method {self.method.name!r} does not plan more replicates, only more "
            "datasets (more=); 'replicated' plans both."
        )

    def likelihood_of_more(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what plans with a sampled answer, by reweighting its draws.

        The function predicts so many datasets at one draw of the posterior, and returns their log
        likelihood at every draw (chain, draw).
        """
        raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")

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

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Statements of so many new datasets, (draws, number), from the posterior predictive."""
        raise self.method.unavailable("predict")

    def simulate(self, rng: np.random.Generator) -> Results:
        """Return a table like this one drawn from the prior, with the truth that it came from."""
        raise self.method.unavailable("simulate")

    # criticism ------------------------------------------------------------------------------------

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

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]] | None:
        """Return what `check` compares: by name, predicted values (n,) and what was seen.

        What was seen is one number, or one for each prediction where it is itself uncertain. None
        where the usual statistics will do.
        """
        return None


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
