"""What every method about one pair and one question shares: its two statements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._typing import FloatArray
from bayescompare.outcome.answer import Answer
from bayescompare.statements import State, Statement
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results

#: The observed variable: a dataset's discordant examples that the first algorithm got wrong.
WRONG = "first_wrong"


def pair_answer(results: Results, support: ArrayLike, **figures: Any) -> Answer:
    """Build the answer over "A>B", perhaps "A=B", and "B>A" (on every measure alike).

    Parameters
    ----------
    results : Results
        Of two algorithms, in this order.
    support : array (2,) or (3,)
        Weight of the datasets for each statement; of three the middle one is equivalence.
    **figures
        Other fields of `Answer`.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> pair_answer(load_example("pnn"), [3, 1]).labels
    ('New>State of art|New>State of art', 'State of art>New|State of art>New')
    """
    first, second = results.algorithms
    counts = np.asarray(support, dtype=np.float64)
    states = [State.order(first, second), State.order(second, first)]
    if len(counts) == 3:
        states.insert(1, State.equal(first, second))
    measures = len(results.measures)
    return Answer(
        labels=tuple(str(Statement.of(state, measures=measures)) for state in states),
        states=(tuple(map(str, states)),) * measures,
        counts=counts,
        n_statements=len(states),
        n_observed=int((counts > 0).sum()),
        **figures,
    )


def pair_counts(results: Results) -> tuple[FloatArray, FloatArray]:
    """Return how many examples only the first, and only the second, of the pair got wrong."""
    assert isinstance(results, ErrorCounts)
    first, second = results.algorithms
    return results.pair(first, second)


def leanings(alone: FloatArray) -> FloatArray:
    """How many datasets lean to each statement, by P of each (n, S); one in doubt is split.

    Examples
    --------
    >>> leanings(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])).tolist()
    [1.5, 1.5]
    """
    largest = alone == alone.max(axis=1, keepdims=True)
    return np.asarray((largest / largest.sum(axis=1, keepdims=True)).sum(axis=0))
