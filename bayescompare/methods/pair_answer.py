"""What every method about one pair and one question shares: its two statements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescompare.methods.base import Answer
from bayescompare.results import Results

__all__ = ["pair_answer"]


def pair_answer(results: Results, support: ArrayLike, **found: Any) -> Answer:
    """Build the answer over "A>B" and "B>A" (on every measure, where there are several).

    Parameters
    ----------
    results : Results
        Of two algorithms, in this order.
    support : array (2,)
        Weight of the datasets for each statement.
    **found
        Other fields of `Answer`.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> pair_answer(load_example("pnn"), [3, 1]).labels
    ('New>State of art|New>State of art', 'State of art>New|State of art>New')
    """
    first, second = results.algorithms
    states = (f"{first}>{second}", f"{second}>{first}")
    counts = np.asarray(support, dtype=np.float64)
    return Answer(
        labels=tuple("|".join([state] * len(results.measures)) for state in states),
        states=tuple(states for _ in results.measures),
        counts=counts,
        size=2,
        n_observed=int((counts > 0).sum()),
        **found,
    )
