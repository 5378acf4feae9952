"""The four questions about a statement, for every method about θ."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import decide
from bayescompare.outcome.details import Scalars

__all__ = ["FourQuestions", "Questions"]


@dataclass(frozen=True)
class FourQuestions(Scalars):
    """Four different questions about the best statement; None where one has no answer.

    Attributes
    ----------
    most_probable : float
        P(its θ is the largest).
    beats_opposite : float, optional
        P(its θ exceeds that of the statement with every ordering reversed).
    majority : float, optional
        P(its θ > ½).
    expected : float, optional
        E θ, the probability that it holds on a new dataset.
    """

    most_probable: float = field(metadata={"name": "most probable"})
    beats_opposite: float | None = field(metadata={"name": "beats opposite"})
    majority: float | None
    expected: float | None


class Questions:
    """The four questions about the best statement, for every method about θ."""

    answer: Answer

    @property
    def questions(self) -> pd.Series[float]:
        """Four different questions about `best`: they have different answers.

        "most probable": P(its θ is the largest); "beats opposite": P(its θ exceeds that of the
        statement with every ordering reversed); "majority": P(its θ > ½); "expected": E θ, the
        probability that it holds on a new dataset.
        """
        return pd.Series(
            FourQuestions.of(self.answer).to_dict(), name=decide(self.answer).statement, dtype=float
        )
