"""What an answer of the multinomial-Dirichlet test can be asked, and the comparison that has it.

``missing="bounds"`` adds the lowest and the highest P over all values that missing cells could have
had.

References
----------
Manski (2003), Partial Identification of Probability Distributions, for bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.completions import (
    MOST_VECTORS,
    completion_bounds,
)
from bayescompare.kernels.dirichlet.pmax import imprecise_bounds
from bayescompare.kernels.leading import sole_leader
from bayescompare.learned import Board
from bayescompare.methods._shared.domains import DomainDetails
from bayescompare.methods._shared.new_datasets import (
    categorical_labels,
    drawn_labels,
    sampled_posterior,
    share_labels,
    table_of_statements,
    thinned_draws,
    truth_in_tree,
    urn_labels,
)
from bayescompare.methods._shared.trees import answer_of_draws, posterior_tree
from bayescompare.methods.dirichlet.law import StatementPosterior
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import (
    ALONE_LOWEST,
    HIGHEST,
    LOWER,
    LOWEST,
    PROBABILITY,
    UPPER,
    Answer,
    Facts,
)
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.method import STATEMENTS, Sampling
from bayescompare.outcome.posterior import listed_in_answer
from bayescompare.partly_seen import partial_table
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.mixture import Mixture
from bayescompare.posterior.partition import Groups
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet


#: How a table is read that keeps its missing cells.
GAPS = ("ignore", "bounds")


#: Columns of bounds: over prior means, or over the values of missing cells.
_BOUNDS = ((LOWER, UPPER), (LOWEST, HIGHEST))
NO_BOUNDS = (
    "bounds: only Dirichlet(prior='imprecise') has them, and compare(..., missing='bounds') of a "
    "table with missing cells."
)


@dataclass(frozen=True, kw_only=True)
class PartialDetails(DomainDetails):
    """How much of a table was seen, and how its missing cells were bounded.

    Attributes
    ----------
    partly_seen : int, optional
        Datasets with missing cells, where there are any.
    bounds_exact : bool, optional
        Whether all completions were tried; a search may miss some. None without bounds.
    """

    partly_seen: int | None = None
    bounds_exact: bool | None = None


class DirichletPosterior(StatementPosterior):
    """θ after the data, with its draws, predictions and tables from the prior."""

    facts_type: ClassVar[type[Facts]] = PartialDetails

    method: Dirichlet

    @property
    def unobserved(self) -> float | None:
        """P(the most probable statement is one never observed)."""
        return self.answer.unobserved

    @property
    def data_scale(self) -> str:
        """Its datasets are probabilities of statements."""
        return STATEMENTS

    def why_not(self, quantity: str) -> str:
        """Say what bounds and missing cells leave out."""
        if quantity == "bounds":
            there = any(columns[0] in self.answer.per_statement for columns in _BOUNDS)
            return "" if there else NO_BOUNDS
        gaps = self.results.gaps in GAPS and self.results.weights is None
        if gaps and quantity == "on" and not self.method.in_domains:
            return (
                "on: with missing cells the measures inform each other, so a subset is another "
                "question; ask compare(..., measures=[...])."
            )
        return super().why_not(quantity)

    def leads(self) -> FloatArray:
        """P(max) given each draw; given α it is exact."""
        if self.method.in_domains:
            return super().leads()
        assert self.answer.tree is not None
        drawn = self.answer.tree["posterior"].to_dataset()
        return lead_given_draws(self.method, drawn, Evidence.from_table(self.results))[0]

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]] | None:
        """Refuse a table with gaps: what such a dataset shows was not seen."""
        if self.results.gaps not in GAPS:
            return None
        raise BayescompareError(
            "check: the statements of datasets with missing cells were not seen, so predictions "
            "have nothing to be compared with; ask compare(..., missing='drop')."
        )

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the statements of new datasets: by Pólya's urn where datasets were counted.

        Under a prior of the user's, given each draw of it.
        """
        if self.results.gaps in GAPS:
            return share_labels(self, number, draws, rng)
        method, (statements, _) = self.method, self.method.cells(self.results)
        if self.theta is not None:
            return _urn_labels(method, statements, self.theta, number, draws, rng)
        posterior = sampled_posterior(self.answer)
        if "theta" in method.nonconjugate_priors:
            theta = posterior["theta"]
            labels = [str(label) for label in theta["statement"].values.tolist()]
            return categorical_labels(thinned_draws(theta, draws, rng), labels, number, rng)
        name, counts = hyperparameter(posterior), statements.table.counts
        given = (
            scaled(name, value, statements) for value in thinned_draws(posterior[name], draws, rng)
        )
        return np.concatenate([urn_labels(statements, a, counts, 1, number, rng) for a in given])

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw θ from the prior, and a statement for each dataset; gaps stay where they are."""
        table = simulated(self.method, self.results, rng)
        if self.results.gaps not in GAPS:
            return table
        kept = table.data.where(self.results.data.notnull())
        return table._with(data=kept, gaps=self.results.gaps)

    @property
    def bounds(self) -> xr.DataArray:
        """Lower and upper P over all prior means, or over all values of missing cells.

        The first for ``prior="imprecise"``, the second for ``missing="bounds"``.
        """
        columns = next(c for c in _BOUNDS if c[0] in self.answer.per_statement)
        both = [self.over_statements("bounds", self.answer.per_statement[c]) for c in columns]
        return xr.concat(both, pd.Index([LOWER, UPPER], name="bound")).transpose()

    def on(self, measures: Sequence[str]) -> Comparison:
        """Ask again about a subset of the measures, summing θ over the others.

        The posterior stays this one: the prior is summed, not set anew, which makes a difference
        for every prior but "symmetric".
        """
        from bayescompare.outcome.comparison import comparison_of

        subset = self.results.sel(measures=measures)
        method = self.method.on(self.results, list(subset.measures))
        answer = method.answer(subset, Sampling(np.random.default_rng()))
        return comparison_of(subset, method, answer)


def with_prior_bounds(strength: float, posterior: DirichletMixture, answer: Answer) -> Answer:
    """Add the bounds of P, and of its parts from below, over all prior means."""
    statements, (component,) = posterior.evidence.statements, posterior.components
    counts, parts, unlisted = posterior.evidence.counts, dict(answer.parts), bool(component.lumps)
    lower, upper = imprecise_bounds(counts, strength, unlisted=unlisted)
    if parts:
        lowest = []
        for j in range(len(statements.measures)):
            groups = Groups.states(statements, j)
            unlisted = bool(component.events(groups).lumps)
            low, _ = imprecise_bounds(groups.total(counts), strength, unlisted=unlisted)
            lowest.append(low[groups.of])
        parts[LOWEST] = np.stack(lowest, axis=1)
    columns = {**answer.per_statement, LOWER: lower, UPPER: upper}
    return replace(answer, per_statement=columns, parts=parts)


def completion_bounds_of(results: Results, posterior: DirichletMixture, answer: Answer) -> Answer:
    """Add the bounds of P, and of its parts, over all values of the missing cells."""
    options, listed = partial_table(results).completions(), listed_in_answer(posterior.evidence)
    columns, parts = dict(answer.per_statement), dict(answer.parts)
    lowest = []
    for each, names in ((posterior, (LOWEST, HIGHEST)), (posterior.alone, (ALONE_LOWEST,))):
        if each is None:
            continue
        lower, upper = _bounds(each, options)
        # They contain P itself, which values tied beside a gap could otherwise put outside.
        probability = each.p_max()[:-1]
        ends = np.minimum(lower, probability), np.maximum(upper, probability)
        columns |= {name: end[listed] for name, end in zip(names, ends, strict=False)}
        if parts:
            lowest.append(_lowest_parts(each, options)[listed])
    if parts:
        parts[LOWEST] = np.min([parts[PROBABILITY], *lowest], axis=0)
    facts = replace(PartialDetails.of(answer), bounds_exact=True)
    return replace(answer, per_statement=columns, parts=parts, facts=facts)


def _bounds(
    posterior: DirichletMixture, options: list[FloatArray], groups: Groups | None = None
) -> tuple[FloatArray, FloatArray]:
    """Bound P(max) over all completions, of statements or of sums of them."""

    def maxima(vectors: FloatArray) -> FloatArray:
        board = Board.of(posterior.prior, vectors)
        return (board if groups is None else board.events(groups)).p_max()[:, :-1]

    evidence = posterior.evidence
    bounds = completion_bounds(evidence.counts, options, maxima)
    if bounds is None:
        raise BayescompareError(
            f"missing='bounds': the missing cells of {len(evidence.uncounted)} datasets have more "
            f"than {count(MOST_VECTORS)} completions that differ: compare fewer algorithms or "
            "measures, or use missing='ignore'."
        )
    return bounds


def _lowest_parts(posterior: DirichletMixture, options: list[FloatArray]) -> FloatArray:
    """The least P of each part over all completions, (S, m)."""
    statements = posterior.evidence.statements
    every = [Groups.states(statements, j) for j in range(len(statements.measures))]
    return np.stack([_bounds(posterior, options, g)[0][g.of] for g in every], axis=1)


# under a prior of the user's ----------------------------------------------------------------------


def sampled_answer(
    method: Dirichlet, results: Results, tree: xr.DataTree, seed: int | None
) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    evidence = Evidence.from_table(results)
    each, lump = lead_given_draws(method, tree["posterior"].to_dataset(), evidence)
    unseen = ~evidence.possible
    # Given α the cells are continuous, and so never equal; a prior on θ may have them so.
    counted = "theta" not in method.nonconjugate_priors and not len(evidence.uncounted)
    return answer_of_draws(
        method.cells(results)[0],
        tree,
        "theta",
        each,
        unobserved=float(each.mean(axis=(0, 1))[unseen].sum() + lump.mean()),
        none_leads=0.0 if counted else 1.0 - float(each.any(axis=-1).mean()),
        seed=seed,
        facts=PartialDetails(partly_seen=len(evidence.uncounted) or None),
    )


def lead_given_draws(
    method: Dirichlet, posterior: xr.Dataset, evidence: Evidence
) -> tuple[FloatArray, FloatArray]:
    """P(max) of each listed statement given each draw, and of those not listed together.

    Given α it is exact where every dataset was counted: conditionally the model is conjugate.
    Averaging these (Rao–Blackwell) has far less Monte Carlo error than counting which θ is
    largest, and needs no aggregate however many statements there are.
    """
    if "theta" in method.nonconjugate_priors or len(evidence.uncounted):
        theta = posterior["theta"].transpose("chain", "draw", "statement").values
        return sole_leader(theta).astype(np.float64), np.zeros(theta.shape[:2])
    statements, name = evidence.statements, hyperparameter(posterior)
    drawn = posterior[name].transpose("chain", "draw", ...).values
    counts = statements.table.counts[None]
    largest = np.array(
        [[scaled(name, value, statements).p_max(counts)[0] for value in chain] for chain in drawn]
    )
    return largest[..., :-1], largest[..., -1]


def hyperparameter(posterior: xr.Dataset) -> str:
    """Name of the parameter that a user's prior is on."""
    return "strength" if "strength" in posterior else "alpha"


def scaled(name: str, value: FloatArray, statements: Statements) -> Component:
    """Return the Dirichlet given one draw of the strength, or of α."""
    log_alpha = np.log(value) - (statements.log_size if name == "strength" else 0.0)
    listed = np.broadcast_to(log_alpha, statements.n_listed).astype(np.float64)
    return Component.listed(listed, (float(listed[0]), statements.log_unlisted))


# statements of new datasets, tables and truths from the prior -------------------------------------


def _urn_labels(
    method: Dirichlet,
    statements: Statements,
    theta: Mixture,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw a component for each draw, and statements by its urn."""
    if not any(component.lumps for component in theta.components):
        return np.array(statements.labels)[theta.predict(number, draws, rng)]
    patterns = None if method.learned else method.patterns(statements)
    draw = patterns.draw_unlisted if patterns and patterns.blocks else None
    component, _ = theta.draw_place(draws, rng)
    labels = np.empty((draws, number), dtype=object)
    for k in np.unique(component).tolist():
        here = component == k
        own, size = theta.components[k], int(here.sum())
        labels[here] = urn_labels(statements, own, theta.counts[0], size, number, rng, draw)
    return labels.astype(np.str_)


def simulated(method: Dirichlet, results: Results, rng: np.random.Generator) -> Results:
    """Draw the statements of all datasets from the prior, and then θ given them.

    The joint distribution is that of θ and statements given it, and however many statements there
    are, those that were drawn can be listed.
    """
    hyper = xr.Dataset()
    if method.needs_mcmc:
        tree = nuts.draw_prior_as_nuts(method.model(results), rng)
        truth = truth_in_tree(tree)
        if "theta" in method.nonconjugate_priors:
            return table_of_statements(results, drawn_labels(tree), truth)
        hyper = truth[[hyperparameter(truth)]]
        given = {str(name): value.values.tolist() for name, value in hyper.items()}
        method = replace(method, priors=given)
    statements, _ = method.cells(results)
    prior = method.prior_on(Evidence.counted(statements))
    before = Mixture(
        components=prior.components,
        counts=np.zeros((1, statements.n_listed)),
        weight=np.exp(prior.log_weight)[:, None],
    )
    (labels,) = _urn_labels(method, statements, before, len(results.datasets), 1, rng)
    table = table_of_statements(results, labels.tolist(), hyper)
    theta, listing = method.posterior(table), method.listing(table)
    tree = posterior_tree(table, listing, theta, method.learned, (1, 1), rng)
    drawn = tree["posterior"].to_dataset().isel(chain=0, draw=0, drop=True)
    return table._with(truth=drawn.merge(hyper))
