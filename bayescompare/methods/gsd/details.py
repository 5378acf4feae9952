"""What answers by dominance tell beyond the statements: who dominates whom, and at which δ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, cast

from bayescompare.comparison.details import Details

__all__ = [
    "GsdDetails",
    "OrderDetails",
    "PairDetails",
    "PermutationDetails",
    "Square",
]

#: A number for each algorithm against each; None on the diagonal.
Square = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class GsdDetails(Details):
    """Of two algorithms the test, of more the order: `PermutationDetails` or `OrderDetails`."""

    @classmethod
    def from_dict(cls, facts: object, *, where: str = "details") -> Self:
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
