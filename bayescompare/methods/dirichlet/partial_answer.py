"""The answer to a table with missing cells, and its leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import HIGHEST, LOWEST, PROBABILITY, theta_columns
from bayescompare.comparison.decision import decide
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Sampling
from bayescompare.kernels.dirichlet.completion_bounds import (
    MOST_SEARCHED,
    MOST_VECTORS,
    CompletionBounds,
    Maxima,
    completion_bounds,
)
from bayescompare.kernels.dirichlet.parts import fold_of_states
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.orders import WeightTable
from bayescompare.kernels.replicated.partial import PartialPosterior
from bayescompare.methods._shared.drawn import (
    drawn_parts,
    drawn_theta_summary,
    shared_sampled_questions,
)
from bayescompare.methods._shared.priors import check_shared_prior_support
from bayescompare.methods._shared.questions import FourQuestions
from bayescompare.methods._shared.trees import finish_shared_tree
from bayescompare.partly_seen import PartialTable
from bayescompare.statements import DENSE, Statements
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet.partial import PartlySeen

__all__ = [
    "PartialDetails",
    "bounded_partial_dirichlet",
    "partial_dirichlet_left_out",
    "partial_dirichlet_listed",
    "partial_figures",
    "sampled_partial_answer",
]


@dataclass(frozen=True, kw_only=True)
class PartialDetails(Details):
    """How much of a table was seen, and how its missing cells were bounded.

    Attributes
    ----------
    partly_seen : int
        Datasets with missing cells.
    bounds_exact : bool, optional
        Whether all completions were tried; a search may miss some. None without bounds.
    """

    partly_seen: int
    bounds_exact: bool | None = None


def partial_figures(
    table: PartialTable,
    posterior: PartialPosterior,
    maxima: Callable[[FloatArray | None], Maxima] | None,
    sampling: Sampling,
) -> Answer:
    """Return the answer, with bounds over all completions where `maxima` is given.

    It gives P(max), of statements or summed as a matrix says, from count vectors.
    """
    listed = partial_dirichlet_listed(table)
    ends = np.array([posterior.theta_interval(int(k)) for k in listed])
    mean, mcse = posterior.theta_mean[listed], posterior.mcse
    columns = theta_columns(mean, ends[:, 0], ends[:, 1])
    exact = None
    statements = table.statements
    parts = {}
    if len(statements.measures) > 1:
        every = posterior.part_maxima(statements.table.states, statements.arities)
        parts[PROBABILITY] = every[listed]
    if maxima is not None:
        bounds = bounded_partial_dirichlet(table, maxima(None))
        exact = bounds.exact
        # They contain P itself, which values tied beside a gap could otherwise put outside.
        columns[LOWEST] = np.minimum(bounds.lower, posterior.probability)[listed]
        columns[HIGHEST] = np.maximum(bounds.upper, posterior.probability)[listed]
        if parts:
            lowest = _lowest_partial_parts(table, maxima) if exact else np.nan
            # What a search cannot bound is taken for nothing.
            parts[LOWEST] = np.fmin(np.nan_to_num(lowest), every)[listed]
    answer = Answer.over(
        _dirichlet_partial_listing(table, listed),
        probability=posterior.probability[listed],
        mcse=None if mcse is None else mcse[listed],
        unobserved=float(posterior.probability[~table.possible].sum()),
        log_evidence=posterior.log_evidence,
        per_statement=columns,
        parts=parts,
        seed=None if mcse is None else sampling.seed,
        details=PartialDetails(partly_seen=len(table.rows), bounds_exact=exact),
    )
    return replace(answer, scalars=_dirichlet_partial_questions(table, posterior, answer))


def _lowest_partial_parts(
    table: PartialTable, maxima: Callable[[FloatArray | None], Maxima]
) -> FloatArray:
    """The least P of each part over all completions, (K, m)."""
    states, completions = table.statements.table.states, table.completions()
    lowest = np.empty(states.shape)
    for j, arity in enumerate(table.statements.arities):
        bounds = completion_bounds(
            table.counts, completions, maxima(fold_of_states(states[:, j], arity))
        )
        assert bounds is not None, "all completions were tried before"
        lowest[:, j] = bounds.lower[states[:, j]]
    return lowest


def bounded_partial_dirichlet(table: PartialTable, maxima: Maxima) -> CompletionBounds:
    """Bound P of every statement over all values of the missing cells."""
    bounds = completion_bounds(table.counts, table.completions(), maxima)
    if bounds is None:
        raise BayescompareError(
            f"missing='bounds': the missing cells of {len(table.rows)} datasets have more than "
            f"{count(MOST_VECTORS)} completions that differ, and {table.statements.size} "
            f"statements are too many to search (at most {MOST_SEARCHED}): compare fewer "
            "algorithms or measures, or use missing='ignore'."
        )
    return bounds


def sampled_partial_answer(method: PartlySeen, table: PartialTable, sampling: Sampling) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    results = table.results
    model = method.model(results)
    check_shared_prior_support(method.nonconjugate_priors, method.parameters, model)
    tree = nuts.sample_nuts_as_asked(sampling, method.nuts_model(results), through=model)
    tree = finish_shared_tree(tree, results, method.listing(results), sampling.rng)
    theta = tree["posterior"].to_dataset()["theta"].transpose("chain", "draw", "statement")
    each = sole_leader(theta.values).astype(np.float64)
    probability = each.mean(axis=(0, 1))
    answer = Answer.over(
        table.statements,
        probability=probability,
        unobserved=float(probability[~table.possible].sum()),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=1.0 - float(each.any(axis=-1).mean()),
        per_statement=drawn_theta_summary(theta, table.statements),
        parts=drawn_parts(theta, table.statements),
        tree=tree,
        seed=sampling.seed,
        details=PartialDetails(partly_seen=len(table.rows)),
    )
    return replace(answer, scalars=shared_sampled_questions(theta, table.statements, answer))


def partial_dirichlet_left_out(
    table: PartialTable, posterior: PartialPosterior
) -> tuple[FloatArray, FloatArray]:
    """Log predictive density of every dataset given the others, and given all."""
    n = len(table.gap)
    without, within = np.empty(n), np.empty(n)
    partly = posterior.left_out()
    if partly is None:
        raise BayescompareError(
            "loo: there are too many statements and datasets with gaps to leave each out exactly; "
            "pass tree=, from sample(), for PSIS."
        )
    without[table.gap], within[table.gap] = partly
    weights = np.zeros((n, table.statements.size))
    own = table.statements.table
    weights[own.dataset, own.statement] = own.weight
    kinds, kind = np.unique(weights[~table.gap], axis=0, return_inverse=True)
    each = [posterior.left_out_complete(one) for one in kinds]
    figures = np.array([pair for pair in each if pair is not None]).reshape(-1, 2)
    without[~table.gap], within[~table.gap] = figures[kind.ravel()].T
    return without, within


def partial_dirichlet_listed(table: PartialTable) -> IntArray:
    """Positions of the statements that an answer lists: all, or beyond 256 the possible ones."""
    if table.statements.size <= DENSE:
        return np.arange(table.statements.size)
    return np.flatnonzero(table.possible)


def _dirichlet_partial_listing(table: PartialTable, listed: IntArray) -> Statements:
    """The listed statements by themselves."""
    if len(listed) == table.statements.size:
        return table.statements
    own = table.statements.table
    place = np.full(table.statements.size, -1)
    place[listed] = np.arange(len(listed))
    return replace(
        table.statements,
        table=WeightTable(
            own.states[listed],
            own.counts[listed],
            own.dataset,
            place[own.statement],
            own.weight,
        ),
    )


def _dirichlet_partial_questions(
    table: PartialTable, posterior: PartialPosterior, answer: Answer
) -> FourQuestions:
    """Four different questions about the best statement."""
    statements = table.statements
    best = decide(answer).statement
    k, opposite = statements.find(best), statements.opposite(best)
    other = statements.find(opposite)
    assert k is not None
    assert other is not None
    return FourQuestions(
        most_probable=float(posterior.probability[k]),
        beats_opposite=None if opposite == best else posterior.order(k, other),
        majority=posterior.majority(k),
        expected=float(posterior.theta_mean[k]),
    )
