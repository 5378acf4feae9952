"""What an answer of the network test can be asked, and the comparison that has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.kernels.leading import parts_of_draws, sole_leader
from bayescompare.kernels.network.graphs import Graph
from bayescompare.methods._shared.new_datasets import (
    sampled_posterior,
    table_of_statements,
    truth_in_tree,
)
from bayescompare.methods._shared.trees import answer_of_draws, make_tree
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.network.trees import Layout, draws_tree, finished_tree
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import PROBABILITY, Answer, Facts, FourQuestions, theta_columns
from bayescompare.outcome.comparison import Comparison, comparison_of
from bayescompare.outcome.decision import decide
from bayescompare.outcome.method import STATEMENTS, Method, Sampling
from bayescompare.outcome.posterior import Posterior, Questions
from bayescompare.posterior.graphs import (
    GraphScores,
    edge_posterior,
    edges_of,
    graph_of,
    graph_weights,
)
from bayescompare.posterior.network import DrawnSums, MonteCarlo, NetworkPosterior
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork

    from bayescompare.methods.network import Network

#: Why an average over graphs is no PyMC model.
NO_MODEL_OF_ALL = (
    "draws() draw graphs and their tables exactly, and log_evidence and loo() are exact, so there "
    "is no model of all graphs; average=False has that of one."
)

#: What a sum over measures of a network can still be asked.
OF_SUMS = frozenset({"probability", "none_leads", "unobserved", "questions", "components", "on"})


@dataclass(frozen=True)
class Component(Facts):
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
class NetworkDetails(FourQuestions):
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


#: Of a sum over measures of a network, which has no graph.
NO_GRAPH = NetworkDetails(edges=(), score=None, max_parents=0, components=())


class NetworkAnswer(Questions, Posterior):
    """θ after the data, with its draws, predictions and tables from the prior."""

    facts_type: ClassVar[type[Facts]] = NetworkDetails

    method: Network

    weighed_by: ClassVar[str | None] = "ess"

    @property
    def unobserved(self) -> float | None:
        """P(the most probable statement is one never observed)."""
        return self.answer.unobserved

    @property
    def log_evidence(self) -> float | None:
        """The log evidence of the graph, or of all of them."""
        return self.answer.log_evidence

    @property
    def data_scale(self) -> str:
        """Its datasets are probabilities of statements."""
        return STATEMENTS

    @cached_property
    def learned(self) -> NetworkPosterior:
        """The posterior, of a graph that is found once."""
        return self.method.posterior_of(self.results)

    @cached_property
    def _layout(self) -> tuple[Layout, Graph]:
        return Layout.of(self.results, self.learned.learned.scores), self.learned.learned.graph

    def why_not(self, quantity: str) -> str:
        """Say what an average, and a sum over measures, cannot be asked."""
        if self.method.summed_from is not None and quantity not in OF_SUMS:
            return "this answer was summed from a network by on(); ask the whole one."
        if quantity in ("network", "on") and self.method.needs_mcmc:
            (name,) = self.method.nonconjugate_priors
            return (
                f"{quantity} needs a fixed {name}, and here it has a custom prior; the sampled "
                "tables are in c.tree."
            )
        if self.method.average and quantity == "on":
            return (
                "on() follows one graph, and average=True mixes them: ask compare() on "
                "results.sel(measures=[...]) with average=True, or on() with average=False."
            )
        if self.method.average and quantity == "model":
            return f"with average=True {NO_MODEL_OF_ALL}"
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
        return layout.leads(graph, drawn, self.learned.evidence.statements)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out; what was learned is learned anew without the dataset."""
        return self.learned.leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets by the network, and learn and answer anew with them."""

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            (states,) = self.learned.predict(number, 1, rng)
            after = self.learned.with_more(states, MonteCarlo(0.01, rng, is_rough=True))
            # A verdict rests on what is said of each measure, too.
            return np.fmin(after.p_max()[:-1], after.parts().min(axis=1))

        return simulate

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw tables, with average=True a graph before them, and new statements from them."""
        layout, graph = self._layout
        if not self.method.needs_mcmc:
            return layout.labels(self.learned.predict(number, draws, rng))
        tables = layout.scores.tables(graph)
        logs = layout.log_cells(tables, sampled_posterior(self.answer))
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
            prior = truth_in_tree(nuts.draw_prior_as_nuts(model, rng))
            logs = layout.log_cells(tables, prior)[None]
            hyper = prior[[name for name in ("ess", "alpha") if name in prior]]
        else:
            logs = tables.log_draws(1, rng, prior=True)
        (states,) = tables.new_states(logs, len(results.datasets), rng)
        labels = layout.labels(states).tolist()
        table = table_of_statements(results, labels, hyper)
        shown = layout.showing(table, dict(zip(labels, states, strict=True)))
        variables = shown.drawn(tables, logs[None], with_tables=not average)
        del variables["log_theta"]
        coords = shown.coords(None if average else tables)
        tree = make_tree({"prior": variables}, shown.dims, coords)
        truth = truth_in_tree(tree)
        truth.attrs["edges"] = str(edges_of(graph, results.measures))
        return table._with(truth=truth.merge(hyper))

    @cached_property
    def network(self) -> DiscreteBayesianNetwork:
        """The graph with posterior-mean tables, for pgmpy's inference."""
        from bayescompare.methods.network.to_pgmpy import pgmpy_network

        scores = self._scores
        graph = graph_of(self._details.edges, self.results.measures)
        return pgmpy_network(scores.statements, graph, scores.tables(graph))

    @cached_property
    def edges(self) -> xr.DataArray:
        """P(parent → child) over all graphs with at most so many parents.

        Exact up to 16 measures, and with ``max_parents=1`` for any number. Otherwise graphs are
        sampled: then the coordinate ``mcse`` is the standard error of every figure, and the
        attributes ``mcse`` and ``rhat`` are the greatest of all.
        """
        scores = self._scores
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
        return self._details.log_bdeu

    @property
    def components(self) -> pd.DataFrame:
        """The independent groups of measures, each with its own best statement."""
        return pd.DataFrame([part.to_dict() for part in self._details.components])

    def on(self, measures: Sequence[str]) -> Comparison:
        """Ask again about a subset of the measures, summing θ over the others.

        Exact where the subset holds its own ancestors in an equivalent graph; the graph is kept.
        """
        subset, method = self.results.sel(measures=measures), self.method
        whole = method.whole
        if method.summed_from is None:
            # The graph that was found, without another search.
            graph = graph_of(self._details.edges, self.results.measures)
            whole = method.posterior_of(self.results)
            whole = replace(whole, prior=replace(whole.prior, find=lambda _: graph))
        if whole is None:
            raise QuantityNotAvailableError("on: ask the comparison that this one was summed from.")
        rng, draws = np.random.default_rng(0), max(1, math.ceil(0.25 / method.mcse**2))
        smaller = whole.events(subset.measures, draws, rng)
        own = self._method_of(smaller, whole)
        if isinstance(smaller, DrawnSums):
            return comparison_of(subset, own, answer_of_sums(smaller))
        return comparison_of(subset, own, own.answer(subset, Sampling(rng, seed=0)))

    def _method_of(
        self, posterior: NetworkPosterior | DrawnSums, whole: NetworkPosterior
    ) -> Method:
        """Return the method with this posterior; one measure alone is the plain test."""
        kept: dict[str, Any] = {"max_parents": "auto", "required": (), "forbidden": ()}
        own, cells = whole.evidence.statements.measures, whole.prior.cells
        if isinstance(posterior, DrawnSums):
            edges = edges_of(whole.learned.graph, own)
            priors = None if cells.alpha is None else self.method.priors
            kept |= {"search": "exact", "priors": priors, "summed_from": edges, "whole": whole}
            return replace(self.method, ess=cells.ess, **kept)
        statements, alpha = posterior.evidence.statements, None
        if posterior.prior.cells.alpha is not None:
            alpha = {
                name: dict(zip(statements.state_names(j), states, strict=True))
                for j, (name, states) in enumerate(
                    zip(statements.measures, posterior.prior.cells.alpha, strict=True)
                )
            }
        if len(statements.measures) == 1:
            (name,) = statements.measures
            return Dirichlet(strength=cells.ess) if alpha is None else Dirichlet(prior=alpha[name])
        edges = edges_of(posterior.learned.graph, statements.measures)
        priors = None if alpha is None else {"alpha": alpha}
        kept |= {"search": edges, "priors": priors, "summed_from": None, "whole": None}
        return replace(self.method, ess=cells.ess, **kept)

    @property
    def _scores(self) -> GraphScores:
        statements = Statements.of(self.results)
        return self.method.prior_of(statements).scores(statements)

    @property
    def _details(self) -> NetworkDetails:
        return NetworkDetails.of(self.answer)


def answer_of(posterior: NetworkPosterior, **more: Any) -> Answer:
    """Read P(max), shares, parts and the four questions off a posterior."""
    statements = posterior.evidence.statements
    p, mcse, mean = posterior.p_max()[:-1], posterior.mcse(), posterior.mean()
    answer = Answer.over(
        statements,
        probability=p,
        mcse=None if mcse is None else mcse[:-1],
        unobserved=max(0.0, 1.0 - float(p[statements.table.counts > 0].sum())),
        parts={PROBABILITY: posterior.parts()},
        **more,
    )
    best = answer.labels.index(decide(answer).statement)
    intervals, beats, majority = posterior.shares(best)
    questions = FourQuestions(
        most_probable=float(p[best]),
        beats_opposite=beats,
        majority=majority,
        expected=float(mean[best]),
    )
    columns = theta_columns(mean, *intervals)
    return replace(answer, per_statement=columns, facts=answer.facts.told(questions))


def answer_of_sums(drawn: DrawnSums) -> Answer:
    """Count which statement is the largest in draws of sums of θ."""
    statements, states, theta = drawn
    labels = statements.labels_of(states)
    at = [labels.index(label) for label in statements.labels]
    leads, draws = np.asarray(sole_leader(theta), dtype=np.float64), len(theta)
    p, none = leads[:, at].mean(axis=0), 1.0 - float(leads.any(axis=1).mean())
    # Laplace's rule where one never, or always, led.
    safe = (p * draws + 1.0) / (draws + 2.0)
    parts = {PROBABILITY: parts_of_draws(theta, states)[at]} if states.shape[1] > 1 else {}
    groups, dims = {"posterior": {"theta": theta[None]}}, {"theta": ("statement",)}
    answer = answer_of_draws(
        statements,
        make_tree(groups, dims, {"statement": labels}),
        "theta",
        leads[None][..., at],
        unobserved=max(0.0, 1.0 - none - float(p[statements.table.counts > 0].sum())),
        none_leads=none,
        facts=NO_GRAPH,
        seed=0,
    )
    return replace(answer, mcse=np.sqrt(safe * (1.0 - safe) / draws), parts=parts, tree=None)
