"""The Bayesian bootstrap over datasets: what the next ones show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.urn import draw_urn_cells, polya_urn
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.methods._shared.bootstrap import WEIGHT
from bayescompare.methods._shared.prediction import shared_sampled_posterior, thinned_shared_draws
from bayescompare.statements import State
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd.bootstrap import GSDBootstrap

__all__ = ["gsd_resampled_labels"]


def gsd_resampled_labels(
    method: GSDBootstrap,
    results: Results,
    answer: Answer,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw new datasets among those seen, by the posterior of their weights, and compare on each.

    On one dataset an algorithm dominates the other if it is at least as good on every measure and
    better on one: the order of two point masses.
    """
    if method.needs_mcmc:
        chosen = draw_urn_cells(
            thinned_shared_draws(shared_sampled_posterior(answer)[WEIGHT], draws, rng), number, rng
        )
    else:
        alpha = method.weight_alpha(results)
        cells = DirichletCells(np.log(alpha), np.zeros_like(alpha))
        chosen = np.take_along_axis(*polya_urn(cells, draws, number, rng), axis=1)
    return _gsd_prediction_relations(results)[chosen]


def _gsd_prediction_relations(results: Results) -> StrArray:
    """How the two algorithms compare on each dataset."""
    first, second = results.oriented().transpose(1, 0, 2)
    noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    ahead, behind = (first - second > noise).any(axis=1), (second - first > noise).any(axis=1)
    order = State.order(*results.algorithms)
    apart, equal = State.apart(*results.algorithms), State.equal(*results.algorithms)
    labels = np.array([str(equal), str(order), str(order.reversed()), str(apart)], dtype=np.str_)
    return np.asarray(labels[ahead + 2 * behind])
