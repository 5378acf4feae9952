r"""The multinomial-Dirichlet test of a table with missing cells.

A dataset with a gap shows no single statement, but it agrees with some. Under ``missing="ignore"``
and ``"bounds"`` it contributes the sum of their probabilities,

.. math:: p(\text{dataset } i \mid \theta) = \sum_{s \text{ agrees}} \theta_s ,

which takes cells to be missing at random. ``"bounds"`` adds the lowest and the highest P over all
values that the missing cells could have had.

References
----------
Rubin (1976), Biometrika 63, 581–592, for data missing at random. Manski (2003), Partial
Identification of Probability Distributions, for bounds.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import BetaMixture, Method, Sampling
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.completion_bounds import Maxima, dirichlet_maxima_of_vectors
from bayescompare.kernels.replicated.partial import PartialPosterior, partial_posterior
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.prediction import share_labels
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.partial_answer import (
    PartialDetails,
    partial_dirichlet_left_out,
    partial_dirichlet_listed,
    partial_figures,
    sampled_partial_answer,
)
from bayescompare.methods.dirichlet.partial_posterior import observe_partial_dirichlet, partial_tree
from bayescompare.methods.dirichlet.words import bounds_words
from bayescompare.partly_seen import PartialTable, partial_table
from bayescompare.results.gaps import Reading
from bayescompare.results.results import Results
from bayescompare.statements import DENSE, Statements

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["PartialDirichlet", "PartlySeen", "partial_dirichlet"]


@dataclass(frozen=True, kw_only=True)
class PartlySeen(Dirichlet):
    """What the test of a table with missing cells has in common, whatever its prior."""

    details_type: ClassVar[type[Details]] = PartialDetails

    # the prior, by subclass -----------------------------------------------------------------------

    @abstractmethod
    def components(self, table: PartialTable) -> tuple[FloatArray, FloatArray]:
        """Return the Dirichlets (R, K) of which the prior is a mixture, and their weights (R,)."""

    @abstractmethod
    def maxima(self, table: PartialTable, fold: FloatArray | None = None) -> Maxima:
        """Return what gives P(max) of count vectors, or of their sums by `fold` (K, states)."""

    def strengths(self) -> FloatArray | None:
        """Return the strength of each component, where these differ in nothing else."""
        return None

    # the answer -----------------------------------------------------------------------------------

    def for_table(self, results: Results) -> Method:
        """Return itself: it is the test for gaps."""
        return self

    def cells(self, results: Results) -> tuple[Statements, DirichletCells]:
        """Return all statements with the counts of complete datasets, and the prior on them."""
        return self.cells_of(partial_table(results).statements)

    def partial_posterior(self, table: PartialTable, rng: np.random.Generator) -> PartialPosterior:
        """Return the posterior of θ."""
        posterior = partial_posterior(*self.components(table), table.counts, table.rows, rng)
        if posterior is None:
            raise BayescompareError(
                f"missing={table.results.gaps!r}: {len(table.rows)} datasets with gaps and "
                f"{table.statements.size} statements are too many for a learned prior; use "
                "Dirichlet(prior='symmetric'), fewer measures, or missing='drop'."
            )
        return posterior

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, by Gibbs sampling, or by NUTS."""
        if self.prior == "learned" and self.strengths() is None:
            return super().answer(results, sampling)
        table = partial_table(results)
        if self.needs_mcmc:
            return sampled_partial_answer(self, table, sampling)
        posterior = self.partial_posterior(table, sampling.rng)
        maxima = functools.partial(self.maxima, table) if results.gaps == "bounds" else None
        return partial_figures(table, posterior, maxima, sampling)

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Betas of every listed θ, one for each count of the datasets partly seen."""
        if self.needs_mcmc:
            return None
        table = partial_table(results)
        posterior = self.partial_posterior(table, np.random.default_rng(0))
        return [posterior.betas(int(k)) for k in partial_dirichlet_listed(table)]

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, as a difference of log evidences."""
        if self.needs_mcmc:
            raise self.unavailable("exact loo with a custom prior")
        table = partial_table(results)
        return partial_dirichlet_left_out(
            table, self.partial_posterior(table, np.random.default_rng(0))
        )

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Add complete datasets drawn from the posterior predictive, and answer again."""
        if self.needs_mcmc:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        table = partial_table(results)
        alpha, prior = self.components(table)
        posterior = self.partial_posterior(table, np.random.default_rng(0))
        listed = partial_dirichlet_listed(table)

        def simulate(more: int, rng: np.random.Generator) -> FloatArray:
            ((component,),), ((counts,),) = posterior.draw((1, 1), rng)
            theta = rng.dirichlet(np.maximum(alpha[component] + counts, 1e-300))
            new = table.counts + rng.multinomial(more, theta)
            again = partial_posterior(alpha, prior, new, table.rows, rng)
            assert again is not None, "the same rows were exact before"
            if len(results.measures) == 1:
                return again.probability[listed]
            own = table.statements
            parts = again.part_maxima(own.table.states, own.arities).min(axis=1)
            return np.minimum(again.probability, parts)[listed]

        return simulate

    def level_given(
        self, results: Results, answer: Answer, decision: Decision
    ) -> Callable[[int, int], float] | None:
        """Return nothing: every number of datasets would be a recursion."""
        return None

    def refuses(self, quantity: str) -> str:
        """Say what gaps do not leave."""
        if quantity == "on":
            return (
                "on: with missing cells the measures inform each other, so a subset is another "
                "question; ask compare(..., measures=[...])."
            )
        return super().refuses(quantity)

    def prior_bounds(
        self, results: Results, statement: str, weight: float
    ) -> tuple[float, float] | None:
        """Return nothing: bounds over prior means are known for complete datasets only."""
        return None

    # posterior ------------------------------------------------------------------------------------

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells; a dataset with a gap has its weight spread over what it leaves."""
        table = partial_table(results)
        if table.statements.size > DENSE:
            raise BayescompareError(
                f"draws and models list at most {DENSE} statements where cells are missing, and "
                f"there are {table.statements.size}: compare fewer algorithms or measures."
            )
        return partial_listing(self, table)

    def observe(self, results: Results, log_theta: Any, weights: Any) -> None:
        """Add the likelihood of complete and of partly seen datasets."""
        observe_partial_dirichlet(partial_table(results), log_theta, weights)

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the statements of partly seen datasets, and θ given all."""
        if self.needs_mcmc:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        listing, table = self.listing(results), partial_table(results)
        posterior = self.partial_posterior(table, rng)
        return partial_tree(table, listing, posterior, self.strengths(), (chains, draws), rng)

    def predictive_statistics(
        self, results: Results, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]] | None:
        """Refuse: what a dataset with a gap shows was not seen."""
        raise BayescompareError(
            "check: the statements of datasets with missing cells were not seen, so predictions "
            "have nothing to be compared with; ask compare(..., missing='drop')."
        )

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw θ, and the statements of new datasets from it."""
        return share_labels(self, results, answer, number, draws, rng)

    def simulate(self, results: Results, rng: np.random.Generator) -> Results:
        """Draw a table from the prior, with gaps where this one has them."""
        table = super().simulate(results, rng)
        data = table.data.where(results.data.notnull())
        return table._with(data=data, gaps=results.gaps)

    # words ----------------------------------------------------------------------------------------

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and what the missing cells could do to it."""
        sentences = super().sentences(results, answer, decision)
        return [*sentences, *bounds_words(results, answer, decision)]


@dataclass(frozen=True, kw_only=True)
class PartialDirichlet(PartlySeen):
    """`Dirichlet` of a table with missing cells."""

    def components(self, table: PartialTable) -> tuple[FloatArray, FloatArray]:
        """Return the one Dirichlet."""
        _, cells = self.cells_of(table.statements)
        return np.exp(cells.log_alpha)[None], np.ones(1)

    def maxima(self, table: PartialTable, fold: FloatArray | None = None) -> Maxima:
        """P(max) under the one Dirichlet."""
        log_alpha = self.cells_of(table.statements)[1].log_alpha
        if fold is None:
            return dirichlet_maxima_of_vectors(log_alpha)
        summed = dirichlet_maxima_of_vectors(np.log(np.exp(log_alpha) @ fold))
        return lambda vectors: summed(vectors @ fold)


def partial_dirichlet(method: Dirichlet, gaps: Reading) -> PartialDirichlet:
    """Return the test with the same options for a table with missing cells."""
    if method.prior == "imprecise":
        raise BayescompareError(
            f"missing={gaps!r}: prior='imprecise' bounds P for complete datasets only; use "
            "missing='drop' or 'worst', or another prior."
        )
    if gaps == "bounds" and method.needs_mcmc:
        raise BayescompareError(
            "missing='bounds': a prior of yours is answered by NUTS, which cannot try all "
            "completions; use missing='ignore', or a conjugate prior."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    partial = PartialDirichlet(**options)
    # What was not given stays so: the call that a report shows is the user's.
    object.__setattr__(partial, "learns", method.learns)
    return partial


def partial_listing(method: Dirichlet, table: PartialTable) -> LumpedStatements:
    """List all statements, with the weights of every dataset."""
    statements, cells = method.cells(table.results)
    listing = LumpedStatements.from_cells(statements, cells)
    spread = np.exp(table.rows - logsumexp(table.rows, axis=1, keepdims=True))
    weights = listing.weights.copy()
    weights[table.gap] = spread
    return LumpedStatements(
        **{f.name: getattr(listing, f.name) for f in fields(listing) if f.name != "weights"},
        weights=weights,
    )
