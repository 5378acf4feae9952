"""What an answer of the test from replicates can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.words import NO_EVIDENCE, NO_LOO
from bayescompare.methods.replicated.words import dataset_headline
from bayescompare.outcome.of_posterior import grown_by_resemblance
from bayescompare.outcome.posterior import Posterior
from bayescompare.prior import POWER

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayescompare.methods.replicated import Replicated
    from bayescompare.outcome.decision import Decision

__all__ = ["ReplicatedPosterior"]


class ReplicatedPosterior(Posterior):
    """θ after uncertain datasets, with its draws and what more datasets or replicates would say."""

    method: Replicated

    weighed_by: ClassVar[str | None] = "strength"
    draws_are: ClassVar[str] = "exact"

    def headline(self, decision: Decision) -> str:
        """Say of one dataset that the answer is about that one only."""
        if len(self.results.datasets) == 1:
            return dataset_headline(self.results, decision)
        return super().headline(decision)

    def why_not(self, quantity: str) -> str:
        """Say what the cut, NUTS, a learned prior and a power likelihood do not have."""
        method = self.method
        if quantity == "uncertainty" and method.learned is not None:
            return (
                "uncertainty: here a part of it is the prior's, which was learned from all pairs; "
                "compare() the two algorithms by themselves."
            )
        if quantity == "uncertainty" and method.needs_mcmc:
            return (
                "uncertainty: it is split over counts of statements, and an answer by NUTS has "
                "none; leave out priors=."
            )
        if not method.joint and quantity in ("model", "sample", "log_evidence", "loo", "psis"):
            return (
                f"{quantity}: with joint=False each dataset is judged by itself, which is a "
                "formula and not the posterior of a model; use joint=True."
            )
        if self.results.weights is None:
            return ""
        sampled = "draws: with weight= the answer is sampled by NUTS; use c.tree or sample()."
        return {
            "evidence": NO_EVIDENCE,
            "loo": f"loo: {NO_LOO}",
            "plan": "plan: with weight= it is not known what new datasets would weigh.",
            "draws": sampled if method.needs_mcmc else "",
        }.get(quantity, "")

    # draws ----------------------------------------------------------------------------------------

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw scale, counts and θ from their posterior, without MCMC where it is exact."""
        if self.theta is None:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        from bayescompare.methods._shared.trees import posterior_tree

        method, theta = self.method, self.theta
        if theta.states is not None:
            # Count vectors that were drawn are drawn anew, by this generator.
            theta = method.posterior_of(theta.evidence, rng)
        shown = theta.evidence.each_alone(theta.version)
        listing = replace(method.listing(self.results), weights=shown)
        scales = method.table_evidence(self.results).evidence.scales
        size = chains, draws
        tree = posterior_tree(self.results, listing, theta, method.learned, size, rng, scales)
        return self._with_log_prior(tree, listing)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        from bayescompare.methods.dirichlet.learned_model import dirichlet_without_choice
        from bayescompare.methods.replicated.model import finish_replicated_tree

        tree = tree if self.method.learned is None else dirichlet_without_choice(tree)
        listing = self.method.listing(self.results)
        tree = finish_replicated_tree(tree, self.results, listing, rng)
        return self._with_log_prior(tree, listing)

    def _with_log_prior(self, tree: xr.DataTree, listing: LumpedStatements) -> xr.DataTree:
        from bayescompare.methods.dirichlet.learned_model import dirichlet_with_log_prior

        learned = self.method.learned
        return tree if learned is None else dirichlet_with_log_prior(tree, listing, learned)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw θ, and the statements of new datasets from it."""
        from bayescompare.methods._shared.new_datasets import share_labels

        return share_labels(self, number, draws, rng)

    # the same question of other data --------------------------------------------------------------

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset; of a single one there are none."""
        if len(self.results.datasets) == 1:
            raise BayescompareError(
                "loo: there is only one dataset, and nothing to predict it from."
            )
        if self.theta is None:
            raise self.method.unavailable("exact loo with a custom prior")
        return super().leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Add datasets that are as informative as those seen."""
        if self.theta is None:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        return grown_by_resemblance(self.theta)

    def with_replicates(self) -> Callable[[float, np.random.Generator], FloatArray]:
        """Multiply the replicates of the datasets seen."""
        if self.theta is None:
            raise BayescompareError(
                "plan(replicates=) needs a conjugate prior: this one is answered by NUTS."
            )
        if self.results.gaps is not None:
            raise BayescompareError(
                f"plan(replicates=): with missing={self.results.gaps!r} some cells have no "
                "replicates to add to; ask of a table without missing cells, or plan() about more "
                "datasets."
            )
        from bayescompare.methods.replicated.planning import more_replicates

        return more_replicates(self.method.table_evidence(self.results), self.theta)

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the weight of the prior; anew, where that is about the only dataset."""
        theta = None if len(self.results.datasets) == 1 else self.theta
        prior = None if theta is None else theta.prior.own or theta.prior
        is_weighed = prior is not None and prior.weighed_by != POWER
        return super().under_other_priors(values) if is_weighed else None
