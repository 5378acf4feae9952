r"""A table with missing cells: what bounds P over all completions, and its likelihood in PyMC.

A dataset with a gap shows no single statement, but it agrees with some. Under ``missing="ignore"``
and ``"bounds"`` it contributes the sum of their probabilities,

.. math:: p(\text{dataset } i \mid \theta) = \sum_{s \text{ agrees}} \theta_s ,

which takes cells to be missing at random: its row of the evidence. ``"bounds"`` adds the lowest and
the highest P over all values that the missing cells could have had.

References
----------
Rubin (1976), Biometrika 63, 581–592, for data missing at random. Manski (2003), Partial
Identification of Probability Distributions, for bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import softmax

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.completions import (
    MOST_SEARCHED,
    MOST_VECTORS,
    CompletionBounds,
    completion_bounds,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import weighted_logs
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import ALONE_LOWEST, HIGHEST, LOWEST, PROBABILITY
from bayescompare.outcome.details import Details
from bayescompare.outcome.of_posterior import listed_in_answer
from bayescompare.partly_seen import partial_table
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import Board, DirichletMixture
from bayescompare.posterior.partition import Groups
from bayescompare.statements import DENSE, OUTCOME
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

__all__ = [
    "PartialDetails",
    "completion_bounds_of",
    "observe_partly_seen",
    "partly_seen_listing",
]


@dataclass(frozen=True, kw_only=True)
class PartialDetails(Details):
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
    details = PartialDetails(partly_seen=len(posterior.evidence.uncounted), bounds_exact=is_exact)
    return replace(answer, per_statement=columns, parts=parts, details=details)


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


# draws and models ---------------------------------------------------------------------------------


def partly_seen_listing(evidence: Evidence, cells: Component) -> LumpedStatements:
    """List all statements; a dataset with a gap has its weight spread over what it leaves."""
    statements = evidence.statements
    if statements.size > DENSE:
        raise BayescompareError(
            f"draws and models list at most {DENSE} statements where cells are missing, and "
            f"there are {statements.size}: compare fewer algorithms or measures."
        )
    listing = LumpedStatements.from_cells(statements, cells)
    weights = listing.weights.copy()
    weights[evidence.uncounted] = softmax(evidence.rows[0], axis=1)
    return replace(listing, weights=weights)


def observe_partly_seen(evidence: Evidence, log_theta: Any, weights: Any) -> None:
    """Observe every dataset: Σ w log θ where it is complete, else log Σ θ over what it leaves.

    A new dataset is one statement.
    """
    import pymc as pm
    import pytensor.tensor as pt

    partly = np.zeros(len(evidence.statements.datasets))
    partly[evidence.uncounted] = 1.0
    # What the ties among the values seen leave of each statement's weight.
    scale = np.zeros_like(partly)
    scale[evidence.uncounted] = evidence.rows[0].max(axis=1)

    def logp(value: Any, log_p: Any, part: Any, log_scale: Any) -> Any:
        left = pt.switch(pt.gt(value, 0.0), log_p, -np.inf)
        together = log_scale + pm.math.logsumexp(left, axis=-1, keepdims=False)
        return pt.switch(pt.gt(part, 0.0), together, weighted_logs(value, log_p))

    def dist(log_p: Any, part: Any, log_scale: Any, size: Any) -> Any:
        alike = 0.0 * (part + log_scale)[..., None]
        return pm.Multinomial.dist(1, pt.exp(log_p) + alike, size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        log_theta,
        partly,
        scale,
        logp=logp,
        dist=dist,
        observed=weights,
        dims=("dataset", "statement"),
        signature="(s),(),()->(s)",
    )
