"""The comparison type of the network test, with the graph that it learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.compose import comparison_of
from bayescompare.comparison.method import Sampling
from bayescompare.comparison.questions import Questions
from bayescompare.methods.network.details import NetworkDetails

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork

    from bayescompare.methods.network import Network
    from bayescompare.methods.network.graph import Graph, GraphScores

__all__ = ["NetworkComparison"]


@dataclass(frozen=True, eq=False, repr=False)
class NetworkComparison(Questions, Comparison):
    """A comparison by the network test, with the graph it learned."""

    @cached_property
    def network(self) -> DiscreteBayesianNetwork:
        """The graph with posterior-mean tables, for pgmpy's inference."""
        self._require("network")
        from bayescompare.methods.network.to_pgmpy import pgmpy_network

        method, scores, graph = self._learned()
        _check_network_comparison_prior(method, "network")
        layout = method.layout(self.results, scores, graph)
        return pgmpy_network(scores.statements, graph, layout.tables)

    @cached_property
    def edges(self) -> xr.DataArray:
        """P(parent → child) over all graphs with at most so many parents.

        Exact up to 16 measures, and with ``max_parents=1`` for any number. Otherwise graphs are
        sampled: then the coordinate ``mcse`` is the standard error of every figure, and the
        attributes ``mcse`` and ``rhat`` are the greatest of all.
        """
        self._require("edges")
        method, scores, _ = self._learned()
        names = list(self.results.measures)
        coords = {"parent": names, "child": names}
        dims = ("parent", "child")
        found = method.edges(self.results)
        weight = {"ess": scores.ess} if scores.alpha is None else {"alpha": str(scores.alpha)}
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
        from bayescompare.methods.network.subset import network_on_subset

        self._require("on")
        subset = self.results.sel(measures=measures)
        method, scores, graph = self._learned()
        _check_network_comparison_prior(method, "on()")
        if method.average:
            raise BayescompareError(
                "on() follows one graph, and average=True mixes them: ask compare() on "
                "results.sel(measures=[...]) with average=True, or on() with average=False."
            )
        smaller = network_on_subset(method, scores, graph, list(subset.measures))
        answer = smaller.answer(subset, Sampling(np.random.default_rng(0), seed=0))
        return comparison_of(subset, smaller, answer)

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

    def _learned(self) -> tuple[Network, GraphScores, Graph]:
        from bayescompare.methods.network.graph import graph_of
        from bayescompare.methods.network.subset import SummedNetwork

        if isinstance(self.method, SummedNetwork):
            if self.method.whole is None:
                raise QuantityNotAvailableError(
                    "on: ask the comparison that this one was summed from."
                )
            return self.method, self.method.whole, self.method.graph
        method = cast("Network", self.method)
        graph = graph_of(self._details.edges, self.results.measures)
        return method, method.scores(self.results), graph


def _check_network_comparison_prior(method: Network, what: str) -> None:
    if method.needs_mcmc:
        (name,) = method.nonconjugate_priors
        raise BayescompareError(
            f"{what} needs a fixed {name}, and here it has a custom prior; the sampled tables "
            "are in c.tree."
        )
