r"""Would more datasets settle it? Of a sampled answer, by reweighting its draws.

New datasets :math:`y'` are predicted at one draw of the posterior; with them draw d has the weight
:math:`w_d \propto p(y' \mid \theta_d)`, smoothed by a generalised Pareto distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.loo import MOST_KHAT
from bayescompare.comparison.planning import plan_table
from bayescompare.comparison.reweighting import (
    LEAST_EFFECTIVE,
    ReweightingWeights,
    leads_for_reweighting,
    smoothed_reweighting,
)
from bayescompare.text.numbers import count, plural

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["REWEIGHTED", "reweighted_plan"]

#: What the attribute "how" of the table says.
REWEIGHTED = "reweighted draws"
#: The share of simulations whose weights may fail; it counts as error.
_MOST_FAILED = 0.05


def reweighted_plan(
    c: Comparison,
    best: int,
    more: Sequence[int],
    threshold: float,
    simulations: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Tabulate how often so many further datasets settle the question; see `Comparison.plan`."""
    weigh, each = c.posterior.likelihood_of_more(), leads_for_reweighting(c, "plan")
    parts, failed, ess = [], [], []
    for k, number in enumerate(more):
        simulate = _ReweightedPlanSimulator(weigh, each, simulations, more[:k])
        parts.append(plan_table(simulate, best, [number], threshold, simulations, rng))
        failed.append(simulate.failed / simulations)
        ess.append(float(np.median(simulate.effective)))
    table = pd.concat(parts)
    table["mcse"] = np.hypot(table["mcse"], failed)
    table.attrs.update(how=REWEIGHTED, failed=failed, ess=ess)
    return table


@dataclass(eq=False)
class _ReweightedPlanSimulator:
    """Adds predicted datasets and answers again, by weights; gives up where too many fail."""

    weigh: Callable[[int, np.random.Generator], FloatArray]
    each: FloatArray
    simulations: int
    held: Sequence[int]
    effective: list[float] = field(default_factory=list)
    failed: int = 0

    def __call__(self, number: int, rng: np.random.Generator) -> FloatArray:
        weights: ReweightingWeights = smoothed_reweighting(self.weigh(number, rng))
        self.effective.append(weights.effective)
        self.failed += not weights.hold
        if self.failed > max(1.0, _MOST_FAILED * self.simulations):
            raise BayescompareError(self._too_far(number))
        return weights.mean(self.each)

    def _too_far(self, number: int) -> str:
        fine = f" (here {max(self.held)} is fine)" if self.held else ""
        return (
            f"plan: {plural(number, 'more dataset')} would move the posterior too far for its "
            f"{count(self.each[..., 0].size)} draws to be reweighted: in "
            f"{plural(self.failed, 'simulation')} of the first {count(len(self.effective))}, k-hat "
            f"is above {MOST_KHAT} or fewer than {LEAST_EFFECTIVE} draws are left. Ask for fewer "
            f"datasets{fine}, or sample more draws (sampler={{'draws': ...}})."
        )
