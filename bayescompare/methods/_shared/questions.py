"""The four questions about a statement, for every method about θ."""

from __future__ import annotations

import pandas as pd

from bayescompare.comparison.answer import Answer

__all__ = ["Questions"]


class Questions:
    """The four questions about the best statement, for every method about θ."""

    answer: Answer
    best: str

    @property
    def questions(self) -> pd.Series[float]:
        """Four different questions about `best`: they have different answers.

        "most probable": P(its θ is the largest); "beats opposite": P(its θ exceeds that of the
        statement with every ordering reversed); "majority": P(its θ > ½); "expected": E θ, the
        probability that it holds on a new dataset.
        """
        return pd.Series(dict(self.answer.scalars), name=self.best, dtype=float)
