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
    MOST_SEARCHED,
    MOST_VECTORS,
    CompletionBounds,
    completion_bounds,
)
from bayescompare.kernels.dirichlet.pmax import imprecise_bounds
from bayescompare.learned import Board
from bayescompare.methods._shared.domains import Domains
from bayescompare.methods._shared.words import NO_EVIDENCE, NO_LOO
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import ALONE_LOWEST, HIGHEST, LOWER, LOWEST, PROBABILITY, UPPER
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.facts import Facts, FourQuestions
from bayescompare.outcome.method import STATEMENTS, Sampling
from bayescompare.outcome.posterior import Questions, ThetaPosterior, listed_in_answer
from bayescompare.partly_seen import partial_table
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.partition import Groups
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
class PartialDetails(FourQuestions):
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


class DirichletPosterior(Domains, Questions, ThetaPosterior):
    """θ after the data, with its draws, predictions and tables from the prior."""

    facts_type: ClassVar[type[Facts]] = PartialDetails

    method: Dirichlet

    weighed_by: ClassVar[str | None] = "strength"

    @property
    def unobserved(self) -> float | None:
        """P(the most probable statement is one never observed)."""
        return self.answer.unobserved

    @property
    def data_scale(self) -> str:
        """Its datasets are probabilities of statements."""
        return STATEMENTS

    def why_not(self, quantity: str) -> str:
        """Say what weights and missing cells leave out."""
        if quantity == "domains":
            return super().why_not(quantity)
        if quantity == "bounds":
            there = any(columns[0] in self.answer.per_statement for columns in _BOUNDS)
            return "" if there else NO_BOUNDS
        if self.results.weights is not None:
            return {"evidence": NO_EVIDENCE, "loo": f"loo: {NO_LOO}"}.get(quantity, "")
        if self.results.gaps in GAPS and quantity == "on":
            return (
                "on: with missing cells the measures inform each other, so a subset is another "
                "question; ask compare(..., measures=[...])."
            )
        return ""

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw from the Dirichlet posterior."""
        if self.theta is None:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        from bayescompare.methods._shared.trees import posterior_tree

        method, theta = self.method, self.theta
        if theta.states is not None:
            # Count vectors that were drawn are drawn anew, by this generator.
            theta = method.posterior(self.results, rng)
        listing = method.listing(self.results)
        return posterior_tree(self.results, listing, theta, method.learned, (chains, draws), rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        from bayescompare.methods._shared.trees import finish_tree

        listing = self.method.listing(self.results)
        return finish_tree(tree, self.results, listing, rng, self.method.learned)

    def leads(self) -> FloatArray:
        """P(max) given each draw; given α it is exact."""
        from bayescompare.methods.dirichlet.model import lead_given_draws

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
        """Draw the statements of new datasets: by Pólya's urn where datasets were counted."""
        from bayescompare.methods._shared.new_datasets import share_labels
        from bayescompare.methods.dirichlet.draws import predict_dirichlet

        if self.results.gaps in GAPS:
            return share_labels(self, number, draws, rng)
        return predict_dirichlet(self, number, draws, rng)

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw θ from the prior, and a statement for each dataset; gaps stay where they are."""
        from bayescompare.methods.dirichlet.draws import simulated

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

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The domains, where there are any."""
        return {} if self.results.groups is None else {"Domains": self.domains}

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
    lowest, is_exact = [], True
    for each, names in ((posterior, (LOWEST, HIGHEST)), (posterior.alone, (ALONE_LOWEST,))):
        if each is None:
            continue
        bounds = _bounds(each, options)
        is_exact = bounds.exact
        # They contain P itself, which values tied beside a gap could otherwise put outside.
        probability = each.p_max()[:-1]
        ends = np.minimum(bounds.lower, probability), np.maximum(bounds.upper, probability)
        columns |= {name: end[listed] for name, end in zip(names, ends, strict=False)}
        if parts:
            lowest.append(_lowest_parts(each, options) if bounds.exact else None)
    if parts:
        # What a search cannot bound is taken for nothing.
        found = [parts[PROBABILITY]]
        found += [np.zeros_like(found[0]) if low is None else low[listed] for low in lowest]
        parts[LOWEST] = np.min(found, axis=0)
    facts = replace(PartialDetails.of(answer), bounds_exact=is_exact)
    return replace(answer, per_statement=columns, parts=parts, facts=facts)


def _bounds(
    posterior: DirichletMixture, options: list[FloatArray], groups: Groups | None = None
) -> CompletionBounds:
    """Bound P(max) over all completions, of statements or of sums of them."""

    def maxima(vectors: FloatArray) -> FloatArray:
        board = Board.of(posterior.prior, vectors)
        return (board if groups is None else board.events(groups)).p_max()[:, :-1]

    evidence = posterior.evidence
    bounds = completion_bounds(evidence.counts, options, maxima)
    if bounds is None:
        raise BayescompareError(
            f"missing='bounds': the missing cells of {len(evidence.uncounted)} datasets have more "
            f"than {count(MOST_VECTORS)} completions that differ, and {evidence.statements.size} "
            f"statements are too many to search (at most {MOST_SEARCHED}): compare fewer "
            "algorithms or measures, or use missing='ignore'."
        )
    return bounds


def _lowest_parts(posterior: DirichletMixture, options: list[FloatArray]) -> FloatArray:
    """The least P of each part over all completions, (S, m)."""
    statements = posterior.evidence.statements
    every = [Groups.states(statements, j) for j in range(len(statements.measures))]
    return np.stack([_bounds(posterior, options, g).lower[g.of] for g in every], axis=1)
