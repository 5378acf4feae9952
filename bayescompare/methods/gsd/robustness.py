r"""How much of the data could be corrupted before the conclusion falls.

If a share γ of either distribution is anything at all, the worst case takes from the statistic
what it can and gives a resample what it can: with utilities between 0 and 1,

.. math:: (1 - \gamma)\,\mathrm{opt} - \gamma \quad\text{against}\quad
          (1 - \gamma)\,\mathrm{opt}_I + \gamma,

so that a resample counts as at or above the statistic unless
:math:`\mathrm{opt}_I < \mathrm{opt} - 2\gamma/(1 - \gamma)`.

References
----------
Jansen, Schollmeyer, Blocher, Rodemann & Augustin (2023), Robust statistical comparison of random
variables with locally varying scale of measurement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.optimum import TOLERANCE
from bayescompare.kernels.gsd.permutation import permuted_objectives
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.methods.gsd.problem import DominanceProblem

if TYPE_CHECKING:
    from bayescompare.methods.gsd import GSD
    from bayescompare.methods.gsd.base import GsdMethod

__all__ = ["gsd_contaminated_pvalues", "gsd_not_dominated"]


def gsd_contaminated_pvalues(
    method: GSD, pair: DominanceProblem, sign: float, gammas: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """P-values of one direction under contamination by each γ."""
    objectives, verdicts, exact = _resampled_gsd_robustness(method, pair, rng)
    statistic = pair.solver.optimum(sign * pair.objective, pair.used_delta).value
    below = verdicts.below(objectives, statistic - 2.0 * gammas / (1.0 - gammas))
    reached = (~below).sum(axis=0)
    n = len(objectives)
    return np.asarray(reached / n if exact else (reached + 1.0) / (n + 1.0))


def gsd_not_dominated(
    method: GSD, pair: DominanceProblem, rng: np.random.Generator
) -> tuple[float, float]:
    """P-values of two hypotheses: the first dominates the second, and the second the first.

    Each is the share of resamples at or below its statistic; one set of them serves both.
    """
    objectives, verdicts, exact = _resampled_gsd_robustness(method, pair, rng)
    statistics = [
        pair.solver.optimum(sign * pair.objective, pair.used_delta).value for sign in (1.0, -1.0)
    ]
    # Twice the tolerance: what is equal to the statistic is below this.
    at_most = verdicts.below(objectives, np.array(statistics) + 2.0 * TOLERANCE)
    reached, n = at_most.sum(axis=0), len(objectives)
    first, second = reached / n if exact else (reached + 1.0) / (n + 1.0)
    return float(first), float(second)


def _resampled_gsd_robustness(
    method: GsdMethod, pair: DominanceProblem, rng: np.random.Generator
) -> tuple[FloatArray, Verdicts, bool]:
    objectives, exact = permuted_objectives(
        pair.system,
        rng,
        permutations=getattr(method, "permutations", 1000),
        scheme=getattr(method, "scheme", "paired"),
    )
    return objectives, Verdicts(pair.solver, pair.used_delta), exact
