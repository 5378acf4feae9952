"""What further datasets would show: by the bootstrap they are of the kinds already seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.methods.gsd.posterior import draw_gsd_weights
from bayescompare.methods.gsd.relations import Relations
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd.bootstrap import GSDBootstrap

__all__ = ["plan_bootstrap"]

#: Draws of weights by which each simulated table is judged; the error of P is at most 0.035.
_DRAWS = 200


def plan_bootstrap(
    method: GSDBootstrap, results: Results
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds so many datasets, drawn by the weights, and answers again."""
    alpha = method.weight_alpha(results)
    relations = Relations(method.pair(results))

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        (weights,) = draw_gsd_weights(alpha, 1, rng)
        more = rng.multinomial(number, weights)
        held = relations.hold(draw_gsd_weights(alpha + more, _DRAWS, rng))
        return np.asarray(held.mean(axis=0))

    return simulate
