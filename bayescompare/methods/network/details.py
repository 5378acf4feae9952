"""What an answer of the network test tells beyond the statements: the graph and its groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayescompare.comparison.details import Details

__all__ = ["Component", "NetworkDetails"]


@dataclass(frozen=True)
class Component(Details):
    """A group of measures that the graph links with no other, and its answer by itself.

    Attributes
    ----------
    measures : tuple of str
    best : str
        The most probable statement about these measures.
    probability : float
        P(it is the most probable one).
    exact : bool
        Whether that carries no Monte Carlo error.
    """

    measures: tuple[str, ...]
    best: str
    probability: float
    exact: bool


@dataclass(frozen=True)
class NetworkDetails(Details):
    """The graph that was learned, or given.

    Attributes
    ----------
    edges : tuple of (str, str)
        Its arrows, from parent to child.
    score : float, optional
        Its log BDeu; None where measures of it were summed over.
    max_parents : int
        How many parents a measure could have.
    components : tuple of Component
        Its independent groups of measures; none where they were not asked by themselves.
    """

    edges: tuple[tuple[str, str], ...]
    score: float | None
    max_parents: int
    components: tuple[Component, ...]

    @property
    def log_bdeu(self) -> float:
        """The score; NaN where there is none."""
        return math.nan if self.score is None else self.score
