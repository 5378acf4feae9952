r"""From results to preference systems, pair by pair, and what is computed from them.

**Contamination** (`contaminated_pvalues`). If a share γ of either distribution is anything at all,
the worst case takes from the statistic what it can and gives a resample what it can: with utilities
between 0 and 1,

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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.gsd.optimum import TOLERANCE, Solver, delta_threshold
from bayescompare.kernels.gsd.permutation import permuted_objectives
from bayescompare.kernels.gsd.system import PairRule, PreferenceSystem, build_system
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.outcome.facts import Facts
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd import GSD


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
    prefers, prefers_more : callable, optional
        R1 and R2 of the user's own, as functions of vectors in the table's units.
    shared : DominanceProblem, optional
        That of the first two of all algorithms, where all share one system.
    """

    results: Results
    rule: PairRule
    delta: float
    epsilon: float | None = None
    prefers: Callable[..., bool] | None = None
    prefers_more: Callable[..., bool] | None = None
    shared: DominanceProblem | None = None

    @cached_property
    def system(self) -> PreferenceSystem:
        """Points, order and gains."""
        if self.shared is not None:
            names = self.shared.results.algorithms
            return self.shared.system.between(*map(names.index, self.results.algorithms))
        results = self.results
        values = results.oriented()
        low, high = _bounds(results, values)
        metric = [results[name].scale == "metric" for name in results.measures]
        try:
            return build_system(
                values[:, 0],
                values[:, 1],
                low,
                high,
                metric,
                rule=self.rule,
                weights=results.weights,
                others=values,
                prefers=self._in_units(self.prefers),
                prefers_more=self._in_units(self.prefers_more),
            )
        except BayescompareError as error:
            raise BayescompareError(f"{self._names}: {error}") from None

    @property
    def _names(self) -> str:
        return " against ".join(self.results.algorithms[:2])

    def _in_units(self, asked: Callable[..., bool] | None) -> Callable[..., bool] | None:
        """Make a user's function of vectors one of vectors in which every measure is turned up."""
        if asked is None:
            return None
        signs = np.array([self.results[name].sign for name in self.results.measures])
        return lambda *vectors: asked(*(signs * vector for vector in vectors))

    @cached_property
    def solver(self) -> Solver:
        """The solver, which keeps what it learned from one question to the next."""
        if self.shared is not None:
            return self.shared.solver.fork(self.system)
        solver = Solver(self.system)
        if self.rule == "jansen2022":
            self._check_some_utility(solver)
        if self.system.given is not None:
            self._check_consistent(solver)
        return solver

    def _check_consistent(self, solver: Solver) -> None:
        """Preferences of a user's own may leave no utility."""
        try:
            largest = solver.delta_max
        except ArithmeticError:
            largest = 0.0
        if largest <= TOLERANCE:
            raise BayescompareError(
                f"{self._names}: prefers and prefers_more contradict themselves: no utility keeps "
                "to all of them."
            )

    def _check_some_utility(self, solver: Solver) -> None:
        """Equation (2) to the letter may ask of all gains to be equal, and so zero."""
        try:
            solver.optimum(self.system.objective(), 0.0)
        except ArithmeticError:
            raise BayescompareError(
                f"{self._names}: rule='jansen2022' leaves no utility at all, because metric "
                "measures tie where ordinal ones differ; use rule='interval'."
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
        return _or_zero(first), _or_zero(second)

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


def _or_zero(value: float) -> float:
    return 0.0 if abs(value) <= TOLERANCE else value


def _bounds(results: Results, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest of every measure, oriented; where not declared, what the pair shows."""
    seen_low, seen_high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
    low, high = np.empty(len(seen_low)), np.empty(len(seen_low))
    for j, name in enumerate(results.measures):
        least, greatest = _finite(results[name].bounds)
        if results[name].direction == "min":
            least, greatest = (None if end is None else -end for end in (greatest, least))
        low[j] = seen_low[j] if least is None else least
        high[j] = seen_high[j] if greatest is None else greatest
    return low, high


def _finite(
    bounds: tuple[float | None, float | None] | None,
) -> tuple[float | None, float | None]:
    """Bounds to compute with: an infinite one bounds nothing."""
    low, high = bounds or (None, None)
    return (
        None if low is None or math.isinf(low) else low,
        None if high is None or math.isinf(high) else high,
    )


def unbounded_measures(results: Results) -> list[str]:
    """Measures without both bounds, for which the range of the pair stands in.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> (
    ...     unbounded_measures(load_example("benavoli-example1")),
    ...     unbounded_measures(load_example("jansen-uci")),
    ... )
    (['accuracy', 'time'], [])
    """
    ends = {name: _finite(results[name].bounds) for name in results.measures}
    return [name for name, bounds in ends.items() if None in bounds]


# -------------------------------------------------------------------------------- what answers tell

#: A number for each algorithm against each; None on the diagonal.
Square = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class GsdDetails(Facts):
    """Of two algorithms the test, of more the order: `PermutationDetails` or `OrderDetails`."""

    @classmethod
    def from_dict(cls, facts: object, *, where: str = "figures and details") -> Self:
        """Make the details again, of two algorithms or of more."""
        if cls is not GsdDetails:
            return super().from_dict(facts, where=where)
        ordered = isinstance(facts, Mapping) and "front" in facts
        kind = OrderDetails if ordered else PermutationDetails
        return cast("Self", kind.from_dict(facts, where=where))


@dataclass(frozen=True)
class PairDetails(GsdDetails):
    """What both forms of the test tell of two algorithms.

    Attributes
    ----------
    delta, delta_max : float
        The δ that was used, and the largest that some utility allows.
    dominates : (bool, bool)
        Whether the first dominates the second, and the second the first.
    """

    delta: float
    delta_max: float
    dominates: tuple[bool, bool]


@dataclass(frozen=True)
class PermutationDetails(PairDetails):
    """The permutation test of two algorithms.

    Attributes
    ----------
    resamples : (int, int)
        How many labellings were looked at for each direction.
    enumerated : bool
        Whether these were all there are.
    """

    resamples: tuple[int, int]
    enumerated: bool


@dataclass(frozen=True)
class OrderDetails(GsdDetails):
    """The order of more than two algorithms.

    Attributes
    ----------
    relation : tuple of tuple of bool
        Whether each dominates each.
    opt, delta_max : Square
        The statistic, and the largest δ that some utility allows.
    front : tuple of str
        The algorithms that no other strictly dominates.
    """

    relation: tuple[tuple[bool, ...], ...]
    opt: Square
    delta_max: Square
    front: tuple[str, ...]

    @property
    def own_labels(self) -> tuple[str, ...]:
        """The front, which is the label of such an answer."""
        return (", ".join(self.front),)


# --------------------------------------------------------------------------------- the order of all


def strict_order(relation: BoolArray) -> BoolArray:
    """Who dominates whom and is not dominated in turn."""
    return np.asarray(relation & ~relation.T)


def intransitive_triples(relation: BoolArray, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return who dominates a second that dominates a third which the first does not dominate.

    Examples
    --------
    >>> relation = np.array([[True, True, False], [False, True, True], [False, False, True]])
    >>> intransitive_triples(relation, ["A", "B", "C"])
    [('A', 'B', 'C')]
    """
    path = relation[:, :, None] & relation[None] & ~relation[:, None, :]
    return [(names[i], names[j], names[k]) for i, j, k in np.argwhere(path).tolist()]


def front_of(relation: BoolArray, names: Sequence[str]) -> tuple[str, ...]:
    """The algorithms that no other strictly dominates.

    Examples
    --------
    >>> front_of(np.array([[True, True], [False, True]]), ["A", "B"])
    ('A',)
    """
    beaten = strict_order(relation).any(axis=0)
    return tuple(name for name, lost in zip(names, beaten, strict=True) if not lost)


def thresholds_of(
    pairs: Mapping[tuple[str, str], DominanceProblem], names: Sequence[str]
) -> FloatArray:
    """Smallest δ at which each dominates each, exactly; infinite where none does."""
    place = {name: k for k, name in enumerate(names)}
    thresholds = np.full((len(names),) * 2, np.nan)
    for (first, second), pair in pairs.items():
        i, j = place[first], place[second]
        thresholds[i, j] = delta_threshold(pair.solver, pair.objective)
        thresholds[j, i] = delta_threshold(pair.solver, -pair.objective)
    return thresholds


# ---------------------------------------------------------------------------------------- resamples


def contaminated_pvalues(
    method: GSD,
    pair: DominanceProblem,
    sign: float,
    gammas: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """P-values of one direction under contamination by each γ."""
    objectives, verdicts, exact = _resampled(method, pair, rng)
    statistic = pair.solver.optimum(sign * pair.objective, pair.used_delta).value
    below = verdicts.below(objectives, statistic - 2.0 * gammas / (1.0 - gammas))
    reached = (~below).sum(axis=0)
    n = len(objectives)
    return np.asarray(reached / n if exact else (reached + 1.0) / (n + 1.0))


def not_dominated_pvalues(
    method: GSD, pair: DominanceProblem, rng: np.random.Generator
) -> tuple[float, float]:
    """P-values of two hypotheses: the first dominates the second, and the second the first.

    Each is the share of resamples at or below its statistic; one set of them serves both.
    """
    objectives, verdicts, exact = _resampled(method, pair, rng)
    statistics = [
        pair.solver.optimum(sign * pair.objective, pair.used_delta).value for sign in (1.0, -1.0)
    ]
    # Twice the tolerance: what is equal to the statistic is below this.
    at_most = verdicts.below(objectives, np.array(statistics) + 2.0 * TOLERANCE)
    reached, n = at_most.sum(axis=0), len(objectives)
    first, second = reached / n if exact else (reached + 1.0) / (n + 1.0)
    return float(first), float(second)


def _resampled(
    method: GSD, pair: DominanceProblem, rng: np.random.Generator
) -> tuple[FloatArray, Verdicts, bool]:
    objectives, exact = permuted_objectives(
        pair.system,
        rng,
        permutations=method.permutations,
        scheme=method.scheme,
    )
    return objectives, Verdicts(pair.solver, pair.used_delta), exact
