"""The one file that knows pgmpy: its searches by our score, and its network of our answer.

Its limits, as of 1.1: its own BDeu is wrong when a child's state is unobserved, has no weights and
defaults to an equivalent sample size of 10; hill climbing depends on the order of sets of names,
which ``PYTHONHASHSEED`` moves (so it is given integers); `pgmpy.estimators` goes away in 1.3.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.graphs import Graph
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.posterior.graphs import GraphScores, edges_of, graph_of
from bayescompare.statements import Statements

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork


def search_by_pgmpy(scores: GraphScores, how: str) -> Graph:
    """Run a pgmpy search by our BDeu.

    The measures go in as 0, 1, …: the order of sets of integers is the same in every process, that
    of sets of names is not.
    """
    from pgmpy.causal_discovery import GES, ExpertKnowledge, HillClimbSearch

    score, frame = pgmpy_score(scores), _frame_for_pgmpy(scores.statements)
    if how == "exhaustive":
        return _exhaustive(scores, frame)
    options: dict[str, Any] = {"scoring_method": score, "return_type": "dag"}
    if how == "hill-climb":
        options.update(max_indegree=scores.max_parents, show_progress=False)
        if scores.required:
            required, forbidden = (
                edges_of(masks, list(frame.columns))
                for masks in (scores.required, scores.forbidden)
            )
            options["expert_knowledge"] = ExpertKnowledge(
                required_edges=required, forbidden_edges=forbidden
            )
    finder = (HillClimbSearch if how == "hill-climb" else GES)(**options)
    with contextlib.redirect_stdout(io.StringIO()):
        finder.fit(frame)
    return graph_of(finder.causal_graph_, list(frame.columns))


def _exhaustive(scores: GraphScores, frame: pd.DataFrame) -> Graph:
    """Score every graph by pgmpy's own class; of equal ones take the first, as it lists them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pgmpy.estimators import ExhaustiveSearch, StructureScore
        except ImportError:
            raise BayescompareError(
                "search='exhaustive' is pgmpy's ExhaustiveSearch, which this pgmpy no longer has; "
                "search='exact' finds the same score."
            ) from None

        class OurScore(StructureScore):  # type: ignore[misc]
            """The score as this class of pgmpy's wants it."""

            def local_score(self, variable: int, parents: list[int]) -> float:
                return _local(scores, variable, parents)

        found = ExhaustiveSearch(frame, scoring_method=OurScore(frame)).estimate()
    return graph_of(found, list(frame.columns))


def _local(scores: GraphScores, variable: int, parents: Sequence[int]) -> float:
    mask = sum(1 << int(name) for name in parents)
    if mask.bit_count() > scores.max_parents:
        return -np.inf
    return scores.local(int(variable), mask)


def pgmpy_score(scores: GraphScores) -> Any:
    """Our BDeu as a pgmpy score: right for unobserved states and fractional weights."""
    from pgmpy.structure_score import BaseStructureScore

    class WeightedBDeu(BaseStructureScore):  # type: ignore[misc]
        """Local scores from `Scores`; the frame only names the variables."""

        _tags: ClassVar[dict[str, Any]] = {
            "name": "weighted-bdeu",
            "supported_datatype": "discrete",
        }

        def _local_score(self, variable: int, parents: tuple[int, ...]) -> float:
            return _local(scores, variable, parents)

    return WeightedBDeu(_frame_for_pgmpy(scores.statements))


def pgmpy_network(
    statements: Statements, graph: Graph, tables: NetworkTables
) -> DiscreteBayesianNetwork:
    """Return the graph with posterior-mean tables, ready for pgmpy's inference."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    names = statements.measures
    network = DiscreteBayesianNetwork()
    network.add_nodes_from(names)
    network.add_edges_from(edges_of(graph, names))
    states = {name: statements.state_names(j) for j, name in enumerate(names)}
    means = np.exp(tables.log_mean())
    for k, j in enumerate(tables.members):
        above = [names[tables.members[p]] for p in tables.parents[k]]
        cells = tables.rows(means, k)
        network.add_cpds(
            TabularCPD(
                names[j],
                int(tables.arities[k]),
                cells.T,
                evidence=above or None,
                evidence_card=[len(states[name]) for name in above] or None,
                state_names={name: states[name] for name in (names[j], *above)},
            )
        )
    network.check_model()
    return network


def _frame_for_pgmpy(statements: Statements) -> pd.DataFrame:
    """One row per statement; only names and kinds of columns matter to the search."""
    columns = dict(enumerate(statements.table.states.T))
    return pd.DataFrame(columns).astype("category")
