"""From results to preference systems, pair by pair, and what answers tell of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.gsd.optimum import TOLERANCE, Optimum, Solver
from bayescompare.kernels.gsd.system import PreferenceSystem, build_system
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.outcome.answer import Facts
from bayescompare.statements import State
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd import GsdMethod


@dataclass(frozen=True, eq=False)
class DominanceProblem:
    """Two algorithms' quality vectors, and the solver over their preference system.

    Attributes
    ----------
    method : GsdMethod
    results : Results
        Of the two, complete and without replicates.
    shared : DominanceProblem, optional
        That of the first two of all algorithms, where all share one system.
    """

    method: GsdMethod
    results: Results
    shared: DominanceProblem | None = None

    @cached_property
    def system(self) -> PreferenceSystem:
        """Points, order and gains."""
        if self.shared is not None:
            names = self.shared.results.algorithms
            return self.shared.system.between(*map(names.index, self.results.algorithms))
        results, values = self.results, self.results.oriented()
        ends, seen = declared_bounds(results), [values.min(axis=(0, 1)), values.max(axis=(0, 1))]
        low, high = np.where(np.isnan(ends), seen, ends)
        try:
            return build_system(
                values[:, 0],
                values[:, 1],
                low,
                high,
                [results[name].scale == "metric" for name in results.measures],
                rule=self.method.rule or "interval",
                weights=results.weights,
                others=values,
                prefers=self._given("prefers"),
                prefers_more=self._given("prefers_more"),
            )
        except BayescompareError as error:
            raise self._refused(str(error)) from None

    def _given(self, name: str) -> Callable[..., bool] | None:
        """Make a user's function of vectors one of vectors in which every measure is turned up."""
        asked = getattr(self.method, name)
        if isinstance(asked, str):
            raise BayescompareError(
                f"{name}: {asked} was a function of yours, which a file does not hold; ask "
                "compare() again with it."
            )
        signs = np.array([self.results[measure].sign for measure in self.results.measures])
        return asked and (lambda *vectors: asked(*(signs * vector for vector in vectors)))

    def _refused(self, why: str) -> BayescompareError:
        return BayescompareError(f"{' against '.join(self.results.algorithms[:2])}: {why}")

    @cached_property
    def solver(self) -> Solver:
        """The solver, which keeps what it learned from one question to the next."""
        if self.shared is not None:
            return self.shared.solver.fork(self.system)
        solver = Solver(self.system)
        try:
            # Equation (2) to the letter may ask of all gains to be equal, and so zero.
            if self.method.rule == "jansen2022":
                solver.optimum(self.system.objective(), 0.0)
            contradictory = self.system.given is not None and solver.delta_max <= TOLERANCE
        except ArithmeticError:
            contradictory = True
        if contradictory and self.system.given is None:
            raise self._refused(
                "rule='jansen2022' leaves no utility at all, because metric measures tie where "
                "ordinal ones differ; use rule='interval'."
            )
        if contradictory:
            raise self._refused(
                "prefers and prefers_more contradict themselves: no utility keeps to all of them."
            )
        return solver

    @property
    def delta_max(self) -> float:
        """The largest δ that some utility allows."""
        return self.solver.delta_max

    @cached_property
    def used_delta(self) -> float:
        """The δ that holds for this pair: never above its δ_max."""
        epsilon = self.method.epsilon
        wanted = self.method.delta if epsilon is None else epsilon * self.delta_max
        return self.solver.clip(float(wanted))

    def optima(self, solver: Solver | None = None) -> tuple[Optimum, Optimum]:
        """Opt of the first over the second, and of the second over the first, with utilities."""
        w, by = self.system.objective(), solver or self.solver
        return by.optimum(w, self.used_delta), by.optimum(-w, self.used_delta)

    @cached_property
    def opt(self) -> tuple[float, float]:
        """Both values; what is zero up to the tolerance of every verdict is shown as zero."""
        first, second = (
            0.0 if abs(best.value) <= TOLERANCE else best.value for best in self.optima()
        )
        return first, second

    @property
    def dominates(self) -> tuple[bool, bool]:
        """Whether the first dominates the second, and the second the first."""
        return self.opt[0] >= 0.0, self.opt[1] >= 0.0

    # the relation under other weights of the datasets ---------------------------------------------

    @property
    def directions(self) -> list[str]:
        """Both directions as statements: the first over the second, and the reverse."""
        first = State.order(*self.results.algorithms)
        return [str(first), str(first.reversed())]

    @property
    def relations(self) -> tuple[str, str, str, str]:
        """As statements: the first dominates, neither does, the second does, both do."""
        names, (first, second) = self.results.algorithms, self.directions
        return first, str(State.apart(*names)), second, str(State.equal(*names))

    @cached_property
    def _verdicts(self) -> Verdicts:
        return Verdicts(self.solver, self.used_delta)

    def held(self, weights: FloatArray) -> BoolArray:
        """Return which of the four relations holds under each row of weights, (n, 4).

        What was learned about one row is kept for the next.
        """
        objectives, zero = self.system.objective(weights), np.zeros(1)
        first, second = (
            ~self._verdicts.below(sign * objectives, zero)[:, 0] for sign in (1.0, -1.0)
        )
        return np.stack([first & ~second, ~first & ~second, second & ~first, first & second], -1)


def declared_bounds(results: Results) -> FloatArray:
    """Least and greatest of every measure, oriented, (2, k).

    NaN where none was declared, or an infinite one, which bounds nothing: then the range of the
    pair stands in.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> declared_bounds(load_example("jansen-uci").sel(measures=["auc", "brier"])) + 0.0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    measures = [results[name] for name in results.measures]
    ends = np.array([each.bounds or (None, None) for each in measures], dtype=np.float64).T
    ends[np.isinf(ends)] = np.nan
    return np.where([each.sign > 0 for each in measures], ends, -ends[::-1])


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


def over_pairs(
    pairs: Mapping[tuple[str, str], DominanceProblem],
    names: Sequence[str],
    of: Callable[[DominanceProblem], tuple[float, float]],
) -> FloatArray:
    """Tabulate a figure of both directions of every pair; NaN on the diagonal."""
    square, place = np.full((len(names),) * 2, np.nan), {name: k for k, name in enumerate(names)}
    for (first, second), pair in pairs.items():
        i, j = place[first], place[second]
        square[i, j], square[j, i] = of(pair)
    return square


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
