"""From results to preference systems: orientation, bounds and scales, pair by pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.optimum import TOLERANCE, Solver
from bayescompare.kernels.gsd.system import PairRule, PreferenceSystem, build_system
from bayescompare.table.results import Results

__all__ = ["DominanceProblem", "PairRule", "gsd_unbounded_measures"]


@dataclass(frozen=True, eq=False)
class DominanceProblem:
    """Two algorithms' quality vectors, and the solver over their preference system.

    Attributes
    ----------
    results : Results
        Of the two, complete and without replicates.
    rule : str
        What ordinal measures mean for gains.
    delta, epsilon : float
        The regularisation: δ itself, or as a share of the pair's δ_max.
    """

    results: Results
    rule: PairRule
    delta: float
    epsilon: float | None = None

    @cached_property
    def system(self) -> PreferenceSystem:
        """Points, order and gains."""
        values = self.results.oriented()
        low, high = _gsd_problem_bounds(self.results, values)
        metric = np.array([self.results[name].scale == "metric" for name in self.results.measures])
        try:
            return build_system(values[:, 0], values[:, 1], low, high, metric, rule=self.rule)
        except BayescompareError as error:
            first, second = self.results.algorithms
            raise BayescompareError(f"{first} against {second}: {error}") from None

    @cached_property
    def solver(self) -> Solver:
        """The solver, which keeps what it learned from one question to the next."""
        solver = Solver(self.system)
        if self.rule == "jansen2022":
            self._check_some_utility(solver)
        return solver

    def _check_some_utility(self, solver: Solver) -> None:
        """Equation (2) to the letter may ask of all gains to be equal, and so zero."""
        try:
            solver.optimum(self.system.objective(), 0.0)
        except ArithmeticError:
            first, second = self.results.algorithms
            raise BayescompareError(
                f"{first} against {second}: rule='jansen2022' leaves no utility at all, because "
                "metric measures tie where ordinal ones differ; use rule='interval'."
            ) from None

    @property
    def delta_max(self) -> float:
        """The largest δ that some utility allows."""
        return self.solver.delta_max

    @cached_property
    def used_delta(self) -> float:
        """The δ that holds for this pair: never above its δ_max."""
        wanted = self.delta if self.epsilon is None else self.epsilon * self.delta_max
        return self.solver.clip(wanted)

    @cached_property
    def objective(self) -> FloatArray:
        """W with w·u = E u of the first less E u of the second."""
        return self.system.objective()

    def optimum(self, delta: float | None = None) -> tuple[float, float]:
        """Opt of the first over the second, and of the second over the first."""
        used = self.used_delta if delta is None else delta
        first, second = (
            self.solver.optimum(sign * self.objective, used).value for sign in (1.0, -1.0)
        )
        # What is zero up to the tolerance of every verdict is shown as zero.
        return _gsd_problem_or_zero(first), _gsd_problem_or_zero(second)

    def witnesses(self) -> tuple[FloatArray, FloatArray]:
        """Utilities that attain both optima.

        There may be many, and which of them a solver finds depends on its earlier questions. A new
        solver finds the same ones each time.
        """
        solver = Solver(self.system)
        first, second = (
            solver.optimum(sign * self.objective, self.used_delta).u for sign in (1.0, -1.0)
        )
        return first, second

    def dominates(self, delta: float | None = None) -> tuple[bool, bool]:
        """Whether the first dominates the second, and the second the first."""
        first, second = self.optimum(delta)
        return bool(first >= -TOLERANCE), bool(second >= -TOLERANCE)

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Objectives of the same pair with other weights of the datasets, (n, points)."""
        return self.system.objective(weights)


def _gsd_problem_or_zero(value: float) -> float:
    return 0.0 if abs(value) <= TOLERANCE else value


def _gsd_problem_bounds(results: Results, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest of every measure, oriented; where not declared, what the pair shows."""
    seen_low, seen_high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
    low, high = np.empty(len(seen_low)), np.empty(len(seen_low))
    for j, name in enumerate(results.measures):
        least, greatest = _finite_gsd_problem_bounds(results[name].bounds)
        if results[name].direction == "min":
            least, greatest = (None if end is None else -end for end in (greatest, least))
        low[j] = seen_low[j] if least is None else least
        high[j] = seen_high[j] if greatest is None else greatest
    return low, high


def _finite_gsd_problem_bounds(
    bounds: tuple[float | None, float | None] | None,
) -> tuple[float | None, float | None]:
    """Bounds to compute with: an infinite one bounds nothing."""
    low, high = bounds or (None, None)
    return (
        None if low is None or math.isinf(low) else low,
        None if high is None or math.isinf(high) else high,
    )


def gsd_unbounded_measures(results: Results) -> list[str]:
    """Measures without both bounds, for which the range of the pair stands in.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> (
    ...     gsd_unbounded_measures(load_example("benavoli-example1")),
    ...     gsd_unbounded_measures(load_example("jansen-uci")),
    ... )
    (['accuracy', 'time'], [])
    """
    ends = {name: _finite_gsd_problem_bounds(results[name].bounds) for name in results.measures}
    return [name for name, bounds in ends.items() if None in bounds]
