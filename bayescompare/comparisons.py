"""What a comparison by one method has of its own: a small subclass of `Comparison` each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare import methods
from bayescompare._errors import BayescompareError, MissingQuantity
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.method import Answer, Method, Sampling
from bayescompare.methods.gsd.comparison import GsdComparison
from bayescompare.results.results import Results
from bayescompare.text.numbers import rank

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork

    from bayescompare.methods.network import Network
    from bayescompare.methods.network.graph import Graph, Scores

__all__ = [
    "ContextComparison",
    "DirichletComparison",
    "GsdComparison",
    "ModelComparison",
    "NetworkComparison",
    "PerMeasureComparison",
    "RankComparison",
    "comparison_of",
]


class _Questions:
    """The four questions about the best statement, for every method about θ."""

    answer: Answer
    best: str

    @property
    def questions(self) -> pd.Series[float]:
        """Four different questions about `best`: they have different answers.

        "most probable": P(its θ is the largest); "beats opposite": P(its θ exceeds that of the
        statement with every ordering reversed); "majority": P(its θ > ½); "expected": E θ, the
        probability that it holds on a new dataset.
        """
        return pd.Series(dict(self.answer.figures), name=self.best, dtype=float)


@dataclass(frozen=True, eq=False, repr=False)
class DirichletComparison(_Questions, Comparison):
    """A comparison by the multinomial-Dirichlet test, with its own questions."""

    @property
    def bounds(self) -> xr.DataArray:
        """Lower and upper P over all prior means, for ``prior="imprecise"``."""
        if "lower" not in self.answer.extra:
            raise MissingQuantity("bounds: only Dirichlet(prior='imprecise') has them.")
        both = [self._over_statements("bounds", self.answer.extra[b]) for b in ("lower", "upper")]
        return xr.concat(both, pd.Index(["lower", "upper"], name="bound")).transpose()

    def _lacking(self) -> set[str]:
        without = {"bounds"} if "lower" not in self.answer.extra else set()
        return super()._lacking() | without

    def on(self, measures: Sequence[str]) -> DirichletComparison:
        """Ask again about a subset of the measures, summing θ over the others.

        The posterior stays this one: the prior is summed, not set anew, which makes a difference
        for every prior but "symmetric".
        """
        subset = self.results.sel(measures=measures)
        assert isinstance(self.method, methods.Dirichlet)
        method = self.method.on(self.results, list(subset.measures))
        answer = method.answer(subset, Sampling(np.random.default_rng()))
        return DirichletComparison(subset, method, answer)


@dataclass(frozen=True, eq=False, repr=False)
class NetworkComparison(_Questions, Comparison):
    """A comparison by the network test, with the graph it learned."""

    @cached_property
    def network(self) -> DiscreteBayesianNetwork:
        """The graph with posterior-mean tables, for pgmpy's inference."""
        self._require("network")
        from bayescompare.methods.network.to_pgmpy import pgmpy_network

        method, scores, graph = self._learned()
        _check_fixed_ess(method, "network")
        layout = method.layout(self.results, scores, graph)
        return pgmpy_network(scores.statements, graph, layout.tables)

    @cached_property
    def edges(self) -> xr.DataArray:
        """P(parent → child) over all graphs with at most so many parents, exactly."""
        self._require("edges")
        method, scores, _ = self._learned()
        names = list(self.results.measures)
        coords = {"parent": names, "child": names}
        values = method.edges(self.results)
        attrs = {"max_parents": scores.max_parents, "ess": scores.ess}
        return xr.DataArray(values, coords, ("parent", "child"), name="edges", attrs=attrs)

    @property
    def score(self) -> float:
        """Log BDeu of the graph."""
        self._require("score")
        return float(self.answer.details["score"])

    @property
    def components(self) -> pd.DataFrame:
        """The independent groups of measures, each with its own best statement."""
        return pd.DataFrame(self.answer.details["components"])

    def on(self, measures: Sequence[str]) -> Comparison:
        """Ask again about a subset of the measures, summing θ over the others.

        Exact where the subset holds its own ancestors in an equivalent graph; the graph is kept.
        """
        from bayescompare.methods.network.subset import on

        self._require("on")
        subset = self.results.sel(measures=measures)
        method, scores, graph = self._learned()
        _check_fixed_ess(method, "on()")
        if method.average:
            raise BayescompareError(
                "on() follows one graph, and average=True mixes them: ask compare() on "
                "results.sel(measures=[...]) with average=True, or on() with average=False."
            )
        smaller = on(method, scores, graph, list(subset.measures))
        answer = smaller.answer(subset, Sampling(np.random.default_rng(0), 0))
        return comparison_of(subset, smaller, answer)

    def _lacking(self) -> set[str]:
        lacking = super()._lacking()
        assert isinstance(self.method, methods.Network)
        if self.method.average:
            lacking.add("on")
        if self.method.samples:
            lacking.update(("network", "on"))
        return lacking

    def _learned(self) -> tuple[Network, Scores, Graph]:
        from bayescompare.methods.network.graph import graph_of
        from bayescompare.methods.network.subset import SummedNetwork

        if isinstance(self.method, SummedNetwork):
            if self.method.whole is None:
                raise MissingQuantity("on: ask the comparison that this one was summed from.")
            return self.method, self.method.whole, self.method.graph
        assert isinstance(self.method, methods.Network)
        edges = [tuple(edge) for edge in self.answer.details["edges"]]
        graph = graph_of(edges, self.results.measures)
        return self.method, self.method.scores(self.results), graph


@dataclass(frozen=True, eq=False, repr=False)
class ContextComparison(Comparison):
    """A comparison about a context of datasets, with what was found on each of them."""

    @property
    def per_dataset(self) -> pd.DataFrame:
        """One row per dataset; ``probability`` is P(the first algorithm is better there).

        ``alone``, where it is there, is the same by the dataset's own data only.
        """
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(self.answer.details["per_dataset"], index=index)
        whole = ("first_wrong", "second_wrong", "replicates")
        return table.astype({name: int for name in whole if name in table})

    @property
    def rate(self) -> pd.Series[float]:
        """The share of datasets on which the first is better: mean, sd and 95 % interval.

        The mean is also the probability that it is better on a dataset not yet seen. The interval
        of ``"hierarchical"`` is good to about 0.002, all else to the last digits.
        """
        return self._figures("rate")

    @property
    def pooling(self) -> pd.DataFrame:
        """Hierarchical: mean and sd of μ, the mean error share, and ρ, how little is in common."""
        self._require("pooling")
        return pd.DataFrame({name: self._figures(name) for name in ("mu", "rho")}).T

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, headed to be printed."""
        first, second = self.results.algorithms
        heads = {
            "probability": f"P({first} better)",
            "second_better": f"P({second} better)",
            "equivalent": "P(equivalent)",
            "alone": "P by itself",
            "first_wrong": f"only {first} wrong",
            "second_wrong": f"only {second} wrong",
            "advantage": "mean advantage",
            "share_alone": "error share by itself",
            "share": "error share",
            "rho": "ρ",
        }
        table = self.per_dataset
        shown = [name for name in heads if name in table]
        rest = [name for name in table if name not in heads]
        return {"Datasets": table[[*shown, *rest]].rename(columns=heads)}

    def _figures(self, name: str) -> pd.Series[float]:
        found = {
            key.removeprefix(f"{name}_"): value
            for key, value in self.answer.figures.items()
            if key.startswith(f"{name}_")
        }
        return pd.Series(found, name=name, dtype=float)


@dataclass(frozen=True, eq=False, repr=False)
class RankComparison(Comparison):
    """A comparison by mean ranks, with the pairs that differ."""

    @property
    def ranks(self) -> pd.Series[float]:
        """Mean rank of every algorithm, 1 being best."""
        from bayescompare.methods.classic.friedman import ranks

        return ranks(self.answer.details)

    @property
    def nemenyi(self) -> pd.DataFrame:
        """P-values of all pairs by Nemenyi's test, which corrects for their number."""
        from bayescompare.methods.classic.friedman import nemenyi

        return nemenyi(self.answer.details)

    @property
    def critical_difference(self) -> float:
        """How far apart two mean ranks must be to differ significantly."""
        from bayescompare.methods.classic.friedman import critical_difference

        return critical_difference(self.answer.details)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Mean ranks and pairs, headed to be printed."""
        apart = f"Mean ranks; {rank(self.critical_difference)} apart is significant"
        ranked = self.ranks.sort_values(kind="stable").rename("mean rank").to_frame()
        pairs = itertools.combinations(ranked.index, 2)
        rows = {
            f"{a}, {b}": (self.ranks[b] - self.ranks[a], self.nemenyi.loc[a, b]) for a, b in pairs
        }
        apart_by = pd.DataFrame.from_dict(
            rows, orient="index", columns=["ranks apart", "p-value"]
        ).sort_values("p-value", kind="stable")
        return {apart: ranked, "Pairs by Nemenyi's test": apart_by.rename_axis("pair")}


@dataclass(frozen=True, eq=False, repr=False)
class PerMeasureComparison(Comparison):
    """A comparison put together from a test on each measure."""

    @property
    def per_measure(self) -> pd.DataFrame:
        """One row per measure: the statistic, the p-value and the better algorithm."""
        from bayescompare.methods.classic.per_measure import per_measure

        return per_measure(self.answer.details)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every measure, headed to be printed."""
        heads = {"pvalue": "p-value", "better": "favours"}
        return {"Measures": self.per_measure.rename(columns=heads)}


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(Comparison):
    """A comparison by a model file, with who is ahead of whom where it has strengths."""

    @property
    def ahead(self) -> xr.DataArray:
        """P(algorithm is ahead of opponent on every measure), by the model's strengths."""
        if "ahead" in self._lacking():
            raise MissingQuantity(
                "ahead: this answer is not about strengths of algorithms; models with "
                "'strength' or 'better' have it."
            )
        names = list(self.results.algorithms)
        values = np.array(self.answer.details["ahead"], dtype=float)
        np.fill_diagonal(values, np.nan)
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(
            values, coords, ("algorithm", "opponent"), name="ahead", attrs=self.attrs
        )

    def _lacking(self) -> set[str]:
        there = "ahead" in self.answer.details and "together" not in self.answer.details
        return super()._lacking() | (set() if there else {"ahead"})

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Who is ahead of whom, of more than two algorithms, headed to be printed."""
        if "ahead" not in self.answer.details or len(self.results.algorithms) < 3:
            return {}
        names = pd.Index(self.results.algorithms, name="algorithm")
        heads = [f"P (ahead of {name})" for name in names]
        everywhere = " on every measure" if len(self.results.measures) > 1 else ""
        return {f"Who is ahead{everywhere}": pd.DataFrame(self.ahead.values, names, heads)}


def _check_fixed_ess(method: Network, what: str) -> None:
    if method.samples:
        raise BayescompareError(
            f"{what} needs a fixed ess, and here it has a prior of your own; the sampled tables "
            "are in c.tree."
        )


_TYPES: dict[str, type[Comparison]] = {
    "dirichlet": DirichletComparison,
    "network": NetworkComparison,
    **dict.fromkeys(("poisson-binomial", "hierarchical", "correlated-t"), ContextComparison),
    **dict.fromkeys(("gsd", "gsd-bootstrap"), GsdComparison),
    "friedman": RankComparison,
    "model": ModelComparison,
    **dict.fromkeys(("all-test", "one-test"), PerMeasureComparison),
}


def comparison_of(results: Results, method: Method, answer: Answer) -> Comparison:
    """Put results, method and answer into the comparison type of the method."""
    return _TYPES.get(method.name, Comparison)(results, method, answer)
