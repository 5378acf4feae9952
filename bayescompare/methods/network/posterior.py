"""What an answer of the network test can be asked, and the comparison that has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison import nuts
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Method, Sampling
from bayescompare.comparison.method_checks import comparison_of
from bayescompare.comparison.posterior import Posterior
from bayescompare.comparison.questions import Questions
from bayescompare.kernels.network.graphs import Graph, closed_graph
from bayescompare.methods._shared.prediction import shared_sampled_posterior
from bayescompare.methods._shared.simulated import (
    shared_table_of_statements,
    shared_truth_in_tree,
)
from bayescompare.methods._shared.trees import make_shared_tree
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.network.trees import Layout, draws_tree, finished_tree
from bayescompare.posterior.graphs import edge_posterior, edges_of, graph_of, graph_weights
from bayescompare.posterior.network import MonteCarlo, NetworkPosterior
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork

    from bayescompare.methods.network import Network

__all__ = ["OF_SUMS", "Component", "NetworkAnswer", "NetworkComparison", "NetworkDetails"]

#: What a sum over measures of a network can still be asked.
OF_SUMS = frozenset({"probability", "unobserved", "questions", "components", "on"})


@dataclass(frozen=True)
class Component(Details):
    """A group of measures that the graph links with no other, and its answer by itself.

    Attributes
    ----------
    measures : tuple of str
    best : str
        The most probable statement about these measures.
    probability : float
        P(it is the most probable one).
    exact : bool
        Whether that carries no Monte Carlo error.
    """

    measures: tuple[str, ...]
    best: str
    probability: float
    exact: bool


@dataclass(frozen=True)
class NetworkDetails(Details):
    """The graph that was learned, or given.

    Attributes
    ----------
    edges : tuple of (str, str)
        Its arrows, from parent to child.
    score : float, optional
        Its log BDeu; None where measures of it were summed over.
    max_parents : int
        How many parents a measure could have.
    components : tuple of Component
        Its independent groups of measures; none where they were not asked by themselves.
    """

    edges: tuple[tuple[str, str], ...]
    score: float | None
    max_parents: int
    components: tuple[Component, ...]

    @property
    def log_bdeu(self) -> float:
        """The score; NaN where there is none."""
        return math.nan if self.score is None else self.score


class NetworkAnswer(Posterior):
    """θ after the data, with its draws, predictions and tables from the prior."""

    method: Network

    @cached_property
    def network(self) -> NetworkPosterior:
        """The posterior, of a graph that is found once."""
        return self.method.posterior_of(self.results)

    @cached_property
    def _layout(self) -> tuple[Layout, Graph]:
        return Layout.of(self.results, self.network.learned.scores), self.network.learned.graph

    def why_not(self, quantity: str) -> str:
        """Say what an average, and a sum over measures, cannot be asked."""
        if self.method.summed_from is not None and quantity not in OF_SUMS:
            return "this answer was summed from a network by on(); ask the whole one."
        if self.method.average and quantity == "sample":
            return "sample: with average=True draws() are exact, and NUTS has nothing to add."
        if self.method.average and quantity == "evidence":
            return "Averaged over graphs it is known exactly, see log_evidence."
        return ""

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the tables, and θ with them, from their posterior."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        layout, graph = self._layout
        return draws_tree(layout, None if self.method.average else graph, (chains, draws), rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        return finished_tree(*self._layout, tree)

    def leads(self) -> FloatArray:
        """Which statement has the largest θ in each draw of the tables."""
        assert self.answer.tree is not None
        layout, graph = self._layout
        drawn = self.answer.tree["posterior"].to_dataset()
        return layout.leads(graph, drawn, self.network.evidence.statements)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out; what was learned is learned anew without the dataset."""
        return self.network.leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets by the network, and learn and answer anew with them."""

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            (states,) = self.network.predict(number, 1, rng)
            after = self.network.with_more(states, MonteCarlo(0.01, rng, is_rough=True))
            # A verdict rests on what is said of each measure, too.
            return np.fmin(after.p_max()[:-1], after.parts().min(axis=1))

        return simulate

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw tables, with average=True a graph before them, and new statements from them."""
        layout, graph = self._layout
        if not self.method.needs_mcmc:
            return layout.labels(self.network.predict(number, draws, rng))
        tables = layout.scores.tables(graph)
        logs = layout.log_cells(tables, shared_sampled_posterior(self.answer))
        flat = logs.reshape(-1, logs.shape[-1])
        taken = rng.choice(len(flat), size=draws, replace=draws > len(flat))
        return layout.labels(tables.new_states(flat[taken], number, rng))

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw the tables from their prior, and the states of each dataset from them.

        The graph is the one of this answer, as `model()` has it; with average=True it is drawn too,
        all graphs being alike probable.
        """
        results, average = self.results, self.method.average
        layout, graph = self._layout
        if average:
            weights = graph_weights(layout.scores, rng, prior=True)
            graph = list(weights)[int(rng.choice(len(weights), p=list(weights.values())))]
        tables, hyper = layout.scores.tables(graph), xr.Dataset()
        if self.method.needs_mcmc:
            model = self.method.model(results)
            prior = shared_truth_in_tree(nuts.draw_prior_as_nuts(model, rng))
            logs = layout.log_cells(tables, prior)[None]
            hyper = prior[[name for name in ("ess", "alpha") if name in prior]]
        else:
            logs = tables.log_draws(1, rng, prior=True)
        (states,) = tables.new_states(logs, len(results.datasets), rng)
        labels = layout.labels(states).tolist()
        table = shared_table_of_statements(results, labels, hyper)
        shown = layout.showing(table, dict(zip(labels, states, strict=True)))
        variables = shown.drawn(tables, logs[None], with_tables=not average)
        del variables["log_theta"]
        named = [] if average else layout.tables(graph)
        tree = make_shared_tree({"prior": variables}, shown.dims(named), shown.coords(named))
        truth = shared_truth_in_tree(tree)
        truth.attrs["edges"] = str(edges_of(graph, results.measures))
        return table._with(truth=truth.merge(hyper))


@dataclass(frozen=True, eq=False, repr=False)
class NetworkComparison(Questions, Comparison):
    """A comparison by the network test, with the graph it learned."""

    @cached_property
    def network(self) -> DiscreteBayesianNetwork:
        """The graph with posterior-mean tables, for pgmpy's inference."""
        self._require("network")
        from bayescompare.methods.network.to_pgmpy import pgmpy_network

        scores, graph, _ = self._whole("network").learned
        return pgmpy_network(scores.statements, graph, scores.tables(graph))

    @cached_property
    def edges(self) -> xr.DataArray:
        """P(parent → child) over all graphs with at most so many parents.

        Exact up to 16 measures, and with ``max_parents=1`` for any number. Otherwise graphs are
        sampled: then the coordinate ``mcse`` is the standard error of every figure, and the
        attributes ``mcse`` and ``rhat`` are the greatest of all.
        """
        self._require("edges")
        scores = self._asked.network.learned.scores
        names = list(self.results.measures)
        coords = {"parent": names, "child": names}
        dims = ("parent", "child")
        # Where graphs are sampled, by a seed of their own.
        found = edge_posterior(scores, np.random.default_rng(0))
        alpha = scores.prior.alpha
        weight = {"ess": scores.prior.ess} if alpha is None else {"alpha": str(alpha)}
        attrs = {"max_parents": scores.max_parents, **weight, "exact": found.mcse is None}
        array = xr.DataArray(found.probability, coords, dims, name="edges", attrs=attrs)
        if found.mcse is None:
            return array
        array.attrs |= {"mcse": float(found.mcse.max()), "rhat": found.rhat}
        return array.assign_coords(mcse=(dims, found.mcse))

    @property
    def score(self) -> float:
        """Log score of the graph: BDeu, or BD under ``priors={"alpha": ...}``."""
        self._require("score")
        return self._details.log_bdeu

    @property
    def components(self) -> pd.DataFrame:
        """The independent groups of measures, each with its own best statement."""
        return pd.DataFrame([part.to_dict() for part in self._details.components])

    def on(self, measures: Sequence[str]) -> Comparison:
        """Ask again about a subset of the measures, summing θ over the others.

        Exact where the subset holds its own ancestors in an equivalent graph; the graph is kept.
        """
        self._require("on")
        subset = self.results.sel(measures=measures)
        if cast("Network", self.method).average:
            raise BayescompareError(
                "on() follows one graph, and average=True mixes them: ask compare() on "
                "results.sel(measures=[...]) with average=True, or on() with average=False."
            )
        smaller = self._on(list(subset.measures))
        answer = smaller.answer(subset, Sampling(np.random.default_rng(0), seed=0))
        return comparison_of(subset, smaller, answer)

    def _on(self, measures: list[str]) -> Method:
        """Return the method that has this network's posterior, summed over the other measures.

        One measure alone is the plain test, of strength ESS, or with its α.
        """
        method, whole = cast("Network", self.method), self._whole("on()")
        scores, graph, _ = whole.learned
        names, prior = scores.statements.measures, scores.prior
        places = {name: names.index(name) for name in measures}
        kept = sum(1 << j for j in places.values())
        closed = closed_graph(graph, kept, equivalent=prior.equivalent)
        if closed is None:
            return replace(
                method,
                ess=prior.ess,
                max_parents=None,
                search="exact",
                priors=None if prior.alpha is None else method.priors,
                summed_from=edges_of(graph, names),
                whole=whole,
            )
        priors = None
        if prior.alpha is not None:
            each = {
                name: dict(zip(scores.statements.state_names(j), prior.alpha[j], strict=True))
                for name, j in places.items()
            }
            priors = {"alpha": each}
        if len(measures) == 1:
            if priors is None:
                return Dirichlet(strength=prior.ess)
            return Dirichlet(prior=priors["alpha"][measures[0]])
        edges = [edge for edge in edges_of(closed, names) if set(edge) <= set(measures)]
        return replace(
            method,
            ess=prior.ess,
            search=edges,
            priors=priors,
            max_parents=None,
            summed_from=None,
            whole=None,
        )

    @property
    def _asked(self) -> NetworkAnswer:
        return cast("NetworkAnswer", self.posterior)

    @property
    def _details(self) -> NetworkDetails:
        return NetworkDetails.of(self.answer)

    def _lacking(self) -> set[str]:
        lacking = super()._lacking()
        if cast("Network", self.method).average:
            lacking.add("on")
        if self.method.needs_mcmc:
            lacking.update(("network", "on"))
        return lacking

    def _whole(self, what: str) -> NetworkPosterior:
        """The posterior of the graph that was found, without another search."""
        method = cast("Network", self.method)
        if method.needs_mcmc:
            (name,) = method.nonconjugate_priors
            raise BayescompareError(
                f"{what} needs a fixed {name}, and here it has a custom prior; the sampled tables "
                "are in c.tree."
            )
        if method.summed_from is not None:
            if method.whole is None:
                raise QuantityNotAvailableError(
                    "on: ask the comparison that this one was summed from."
                )
            return method.whole
        graph = graph_of(self._details.edges, self.results.measures)
        posterior = method.posterior_of(self.results)
        prior = replace(posterior.prior, find=lambda _: graph, is_averaged=False)
        return replace(posterior, prior=prior)
