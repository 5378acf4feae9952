r"""The test of joint dominance factored by a learned Bayesian network.

Story: the measures are the variables of a network G; each dataset draws one state per measure,

.. math:: \theta(x) = \prod_i \theta_{i \mid pa_i}(x_i), \qquad
          \theta_{i \mid c} \sim \mathrm{Dirichlet}(ESS/(q_i r_i)),

with far fewer parameters than the plain multinomial. G is the graph of highest BDeu score, found
exactly, or the answer is averaged over all graphs.

References
----------
Benavoli & de Campos (2015), Section 5; de Campos & Benavoli (2016), Section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._checks import check_flag, check_positive
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import PROBABILITY
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details, Scalars
from bayescompare.comparison.method import (
    STATEMENTS,
    Accepts,
    Form,
    Kind,
    Method,
    Parameter,
    Replicate,
    Sampling,
)
from bayescompare.comparison.questions import FourQuestions
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.network.dag_posterior import log_number_of_dags, log_sum_over_dags
from bayescompare.kernels.network.statements import is_complete_network_part
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    is_number,
    is_shared_prior_fixed,
    prior_options,
)
from bayescompare.methods.dirichlet import dirichlet_theta_summary, questions
from bayescompare.methods.dirichlet.prior import dirichlet_prior_cells
from bayescompare.methods.network.answer import (
    NetworkMaximum,
    average_graph_maximum,
    graph_maximum,
    graph_weights,
    network_part_maxima,
    network_tables_of,
)
from bayescompare.methods.network.average import averaged_draws, averaged_sample
from bayescompare.methods.network.comparison import NetworkComparison
from bayescompare.methods.network.details import Component, NetworkDetails
from bayescompare.methods.network.edges import EdgeProbabilities, edge_posterior
from bayescompare.methods.network.family import Families
from bayescompare.methods.network.graph import (
    SEARCHES,
    Graph,
    GraphScores,
    default_max_parents,
    edges_of,
)
from bayescompare.methods.network.loo import averaged_loo, table_loo
from bayescompare.methods.network.methods_text import network_methods_text
from bayescompare.methods.network.posterior import (
    NetworkLayout,
    build,
    finish_network_tree,
    single_network_tree,
)
from bayescompare.methods.network.prior import check_network_cell_alpha, network_cell_alpha
from bayescompare.methods.network.search import find_graph
from bayescompare.methods.network.theta import MOST_DRAWN, drawn_theta
from bayescompare.methods.network.words import NOT_EQUIVALENT, GraphKind, network_words
from bayescompare.statements import Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, memory_size_text, setting_number_text

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["Network"]


_PARAMETERS = (
    Parameter("ess", (), "1", "equivalent sample size: the weight of each table's prior"),
    Parameter(
        "alpha",
        ("measure",),
        "ess/(q r)",
        "α of each cell in a measure's table, whatever its parents; a mapping may go by state",
        fixed_vector=True,
    ),
)

_NO_NUTS_FORM = (
    "average=True: sample() draws graphs exactly and their tables by NUTS, so there is no model "
    "in the form for NUTS; log_evidence and loo() are exact, model() has the textbook form, and "
    "average=False has both forms of one graph."
)

#: Monte Carlo errors below this take more than 10⁹ draws.
_LEAST_MCSE = 1e-5


@dataclass(frozen=True, kw_only=True)
class Network(Method):
    """How probable is it that a joint statement leads, given which measures depend on each other?

    Parameters
    ----------
    ess : float
        Equivalent sample size of BDeu and of the tables' priors.
    max_parents : int, optional
        Most parents of a measure; by default max(1, min(m − 1, ⌊log_r(n/10)⌋)), which keeps BDeu
        from finding spurious dense graphs. The result records it.
    search : {"exact", "hill-climb", "ges"} or graph
        How the graph is found, or a pgmpy ``DAG``, a networkx ``DiGraph`` or pairs of names.
    average : bool
        Average P over the posterior of all graphs instead of taking the best one.
    mcse : float
        Monte Carlo standard error to reach where P has no exact form.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("network")``.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=Network())
    >>> c.best, c.exact
    ('B>A|B>A', True)
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = title_in_registry("network")
    citations: ClassVar[tuple[str, ...]] = (
        "benavoli2015joint",
        "decampos2016joint",
        "heckerman1995learning",
    )
    comparison_type: ClassVar[type[Comparison] | None] = NetworkComparison
    details_type: ClassVar[type[Details]] = NetworkDetails
    scalars_type: ClassVar[type[Scalars]] = FourQuestions
    prior_weight: ClassVar[str | None] = "ess"
    levers: ClassVar[str] = (
        "another graph (see edges), another ess (see sensitivity()), or more datasets"
    )
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "Benavoli & de Campos (2015), Section 5"
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "unobserved",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "questions",
            "on",
            "network",
            "edges",
            "score",
            "components",
            "predict",
            "simulate",
            "plan",
        }
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    forms: ClassVar[tuple[Form, ...]] = ("textbook", "nuts")
    data_scale: ClassVar[str | None] = STATEMENTS

    ess: float = 1.0
    max_parents: int | None = None
    search: Any = "exact"
    average: bool = False
    mcse: float = 1e-3
    priors: Priors | None = None

    def __post_init__(self) -> None:
        self._check_priors()
        check_positive(ess=self.ess, mcse=self.mcse)
        if self.mcse < _LEAST_MCSE:
            raise BayescompareError(
                f"mcse={self.mcse!r}: must be at least {setting_number_text(_LEAST_MCSE)}; the "
                "draws it takes "
                "grow with the square of its inverse."
            )
        most: object = self.max_parents
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
            raise BayescompareError(f"max_parents={self.max_parents!r}: an integer >= 0, or None.")
        if isinstance(self.search, str) and self.search not in SEARCHES:
            raise BayescompareError(
                f"search={self.search!r}: choose one of {', '.join(SEARCHES)}, or give a graph."
                f"{did_you_mean(self.search, SEARCHES)}"
            )
        check_flag(average=self.average)
        if self.average and not (isinstance(self.search, str) and self.search == "exact"):
            raise BayescompareError(
                "average=True sums over all graphs: leave search='exact', or average=False."
            )
        if self.average and self.needs_mcmc:
            given = ", ".join(self.nonconjugate_priors)
            raise BayescompareError(
                f"average=True needs graphs with closed evidence, and priors gives {given} a "
                "distribution: give a number, or average=False."
            )

    def _check_priors(self) -> None:
        priors: Any = self.priors
        by_name = priors.get("alpha") if isinstance(priors, Mapping) else None
        if isinstance(by_name, Mapping):
            check_network_cell_alpha(by_name)
            priors = {**priors, "alpha": 1.0}
        check_priors(priors, self.parameters)
        if priors and len(priors) > 1:
            raise BayescompareError("priors names ess and alpha: alpha replaces ess; give one.")
        if self._fixed_alpha is not None and self.ess != 1.0:
            raise BayescompareError(
                f"ess={self.ess!r}: priors['alpha'] replaces ess=; give one or the other."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a graph as its edges, a prior that is an object by name."""
        options = super().options()
        if not isinstance(self.search, str):
            options["search"] = _plain_network_test_edges(self.search)
        return {**options, "priors": prior_options(self.priors)}

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that leave the tables' posterior without a closed form."""
        return {k: v for k, v in (self.priors or {}).items() if not is_shared_prior_fixed(v)}

    @property
    def _fixed_alpha(self) -> Any:
        """What the user gave as α, where it is numbers."""
        alpha = (self.priors or {}).get("alpha")
        return alpha if alpha is not None and is_shared_prior_fixed(alpha) else None

    @property
    def needs_mcmc(self) -> bool:
        """Whether the answer needs MCMC."""
        return bool(self.nonconjugate_priors)

    # the graph -----------------------------------------------------------------------------------

    def scores(self, results: Results) -> GraphScores:
        """Scores of graphs on the results' statements."""
        statements = Statements.of(results)
        if len(statements.measures) < 2:
            raise BayescompareError(
                "a network needs at least two measures; on one it is the plain test: "
                "method='dirichlet'."
            )
        ess = (self.priors or {}).get("ess", self.ess)
        limit = default_max_parents(statements) if self.max_parents is None else self.max_parents
        given = self._fixed_alpha
        alpha = None if given is None else network_cell_alpha(given, statements)
        return GraphScores(statements, float(ess) if is_number(ess) else self.ess, limit, alpha)

    def graph(self, scores: GraphScores) -> Graph:
        """Find the graph, or read the user's."""
        return find_graph(scores, self.search)

    def edges(self, results: Results) -> EdgeProbabilities:
        """P(row → column) over all graphs; where they are sampled, by a seed of their own."""
        return edge_posterior(self.scores(results), np.random.default_rng(0))

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) under the best graph, or averaged over all of them."""
        scores = self.scores(results)
        graph = self.graph(scores)
        if self.needs_mcmc:
            from bayescompare.methods.network.sampled import sampled_answer

            return sampled_answer(self, results, scores, graph, sampling)
        maximum, parts = graph_maximum(
            scores.statements, graph, scores.prior, self.mcse, sampling.rng
        )
        if self.average:
            maximum = average_graph_maximum(scores, self.mcse, sampling.rng)
        answer = self.describe(scores, graph, maximum, parts, sampling)
        graphs = self.graphs(scores, graph, sampling.rng)
        # A seed of their own, as the intervals of θ have.
        own = network_part_maxima(scores, graphs, np.random.default_rng(0))
        answer = replace(answer, parts={PROBABILITY: own})
        if (
            is_complete_network_part(graph, range(len(graph)))
            and not self.average
            and scores.prior.equivalent
        ):
            _, cells = dirichlet_prior_cells("symmetric", scores.ess, scores.statements)
            figures = questions(scores.statements, cells, answer)
            return replace(answer, per_statement=dirichlet_theta_summary(cells), scalars=figures)
        layouts = [self.layout(results, scores, one) for one in graphs]
        weights = np.array(list(graphs.values()))
        extra, figures = drawn_theta(scores.statements, layouts, weights, answer)
        return replace(answer, per_statement=extra, scalars=figures)

    def describe(
        self,
        scores: GraphScores,
        graph: Graph,
        maximum: NetworkMaximum,
        parts: list[tuple[list[int], NetworkMaximum]],
        sampling: Sampling,
    ) -> Answer:
        """Put probabilities and what was learned into an answer."""
        statements = scores.statements
        seen = statements.table.counts > 0
        return Answer.over(
            statements,
            probability=maximum.probability,
            unobserved=max(0.0, 1.0 - float(maximum.probability[seen].sum())),
            mcse=None if maximum.exact else np.sqrt(maximum.variance),
            log_evidence=self._log_evidence(scores, graph),
            details=NetworkDetails(
                edges=tuple(edges_of(graph, statements.measures)),
                score=scores.graph(graph),
                max_parents=scores.max_parents,
                components=tuple(_network_test_component(statements, *part) for part in parts),
            ),
            seed=None if maximum.exact else sampling.seed,
        )

    def _log_evidence(self, scores: GraphScores, graph: Graph) -> float | None:
        if self.needs_mcmc:
            return None
        if not self.average:
            return scores.graph(graph)
        m = len(graph)
        number = log_number_of_dags(m, min(scores.max_parents, m - 1))
        return log_sum_over_dags(scores.local_table) - number

    def graphs(
        self, scores: GraphScores, graph: Graph, rng: np.random.Generator
    ) -> dict[Graph, float]:
        """Return the graph, or with average one for each class of graphs, with its weight."""
        return graph_weights(scores, rng) if self.average else {graph: 1.0}

    def layout(self, results: Results, scores: GraphScores, graph: Graph) -> NetworkLayout:
        """Lay out the tables of a graph."""
        tables = network_tables_of(scores.statements, graph, range(len(graph)), scores.prior)
        # The tables have a cell for every state, observed or not.
        statements = scores.statements.complete_levels()
        return NetworkLayout.of(results, statements, tables, self._listing(statements))

    def _listing(self, statements: Statements) -> LumpedStatements:
        return LumpedStatements.from_cells(*dirichlet_prior_cells("symmetric", 1.0, statements))

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results) -> pm.Model:
        """Build the PyMC model of the graph, or of all: a Dirichlet for every row of a table."""
        if self.average:
            from bayescompare.methods.network.average_model import build_average

            return build_average(self.families(results))
        return self._model(results, "textbook")

    def nuts_model(self, results: Results) -> pm.Model:
        """Build it parametrised for NUTS."""
        if self.average:
            raise BayescompareError(_NO_NUTS_FORM)
        return self._model(results, "nuts")

    def evidence_model(self, results: Results) -> pm.Model:
        """Build the model without a discrete variable: the graph is summed out."""
        if not self.average:
            return self.model(results)
        from bayescompare.methods.network.average_model import build_summed_network

        return build_summed_network(self.families(results))

    def families(self, results: Results) -> Families:
        """The families of measures and parents, from which all graphs are made."""
        scores = self.scores(results)
        return Families(results, scores, self._listing(scores.statements.complete_levels()))

    def _model(self, results: Results, form: Form) -> pm.Model:
        scores = self.scores(results)
        return build(
            self.layout(results, scores, self.graph(scores)), self.nonconjugate_priors, form
        )

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the tables, and θ with them, from their posterior."""
        if self.needs_mcmc:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        if self.average:
            return averaged_draws(self.families(results), draws=draws, chains=chains, rng=rng)
        scores = self.scores(results)
        layout = self.layout(results, scores, self.graph(scores))
        cells = len(layout.tables.alpha)
        if chains * draws * cells > MOST_DRAWN:
            raise BayescompareError(
                f"draws={draws}, chains={chains}: the tables have {count(cells)} cells, so these "
                f"draws would take {memory_size_text(chains * draws * cells * 8)} several times "
                "over; ask "
                f"for at most {max(1, MOST_DRAWN // (chains * cells))} draws, or compare fewer "
                "algorithms."
            )
        return single_network_tree(layout, draws=draws, chains=chains, rng=rng)

    def own_sample(
        self,
        results: Results,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
        options: Mapping[str, Any],
    ) -> xr.DataTree | None:
        """With average=True: graphs exactly, their tables by NUTS."""
        if not self.average:
            return None
        return averaged_sample(
            self.families(results), draws=draws, chains=chains, rng=rng, options=options
        )

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        if self.average:
            from bayescompare.methods.network.average_model import finish_average

            return finish_average(self.families(results), tree)
        scores = self.scores(results)
        return finish_network_tree(self.layout(results, scores, self.graph(scores)), tree)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw tables, with average=True a graph before them, and new statements from them."""
        from bayescompare.methods.network.prediction import predict_by_network

        return predict_by_network(self, results, answer, number, draws, rng)

    def simulate(self, results: Results, rng: np.random.Generator) -> Results:
        """Draw the tables from their prior, and the states of each dataset from them."""
        from bayescompare.methods.network.prediction import simulated

        return simulated(self, results, rng)

    def leads(self, results: Results, answer: Answer) -> FloatArray:
        """Which statement has the largest θ in each draw of the tables."""
        from bayescompare.methods.network.sampled import lead_in_network_draws

        assert answer.tree is not None
        scores = self.scores(results)
        layout = self.layout(results, scores, self.graph(scores))
        return lead_in_network_draws(layout, answer.tree["posterior"].to_dataset())

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out; what was learned is learned anew without the dataset.

        A graph that all data chose would have seen the dataset that it predicts.
        """
        scores = self.scores(results)
        if self.average:
            return averaged_loo(results, scores)
        layout = self.layout(results, scores, self.graph(scores))
        without, within = table_loo(layout)
        if isinstance(self.search, str):
            without = self._learned_without(results, scores)
        return without, within

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets by the network, and learn and answer anew with them."""
        if self.needs_mcmc:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        from bayescompare.methods.network.plan import plan_network

        return plan_network(self, results)

    def _learned_without(self, results: Results, scores: GraphScores) -> FloatArray:
        """Log predictive density of each dataset under the graph that the others choose."""
        density = np.empty(len(results.datasets))
        for i, left_out in enumerate(results.datasets):
            others = [name for name in results.datasets if name != left_out]
            rest = self.scores(results.sel(datasets=others))
            graph = self.graph(rest)
            density[i] = scores.graph(graph) - rest.graph(graph)
        return density

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Network:
        """Make the method again, with a mark if it was summed over other measures."""
        from bayescompare.methods.network.subset import SummedNetwork

        return SummedNetwork(**options) if "summed_from" in options else cls(**options)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.network.calibration import simulate

        return simulate

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return network_methods_text(self, answer)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, which measures depend on each other, and which decide it."""
        kind: GraphKind = "learned" if isinstance(self.search, str) else "given"
        if self.average:
            kind = "averaged"
        sentences = network_words(kind, results, answer, decision)
        return [*sentences, *([NOT_EQUIVALENT] if self._fixed_alpha is not None else [])]


def _network_test_component(
    statements: Statements, members: list[int], part: NetworkMaximum
) -> Component:
    """The answer of one component by itself: its own best statement."""
    best = int(np.argmax(part.probability))
    label = str(Statement.parse(statements.labels[best]).on(members))
    return Component(
        measures=tuple(statements.measures[j] for j in members),
        best=label,
        probability=float(part.probability[best]),
        exact=part.exact,
    )


def _plain_network_test_edges(graph: Any) -> list[list[str]]:
    edges = graph.edges() if hasattr(graph, "edges") else graph
    return [[str(a), str(b)] for a, b, *_ in edges]
