"""Tables with missing cells by enumeration: every way to fill them in, one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def filled(values: FloatArray, choices: Sequence[FloatArray]) -> Iterator[FloatArray]:
    """Every table (n, l, m) with its NaN replaced by the choices of each measure."""
    holes = np.argwhere(np.isnan(values))
    for numbers in itertools.product(*(choices[j].tolist() for _, _, j in holes)):
        table = values.copy()
        table[tuple(holes.T)] = numbers
        yield table


def enough_values(column: FloatArray, missing: int) -> FloatArray:
    """Numbers that show every order of a missing value among those seen, ties included."""
    known = np.unique(column[~np.isnan(column)])
    if not len(known):
        return np.arange(float(missing))
    edges = [known[0] - 1.0, *known, known[-1] + 1.0]
    # As many as there are missing values fit between two that were seen.
    inside = [np.linspace(a, b, missing + 2)[1:-1] for a, b in itertools.pairwise(edges)]
    return np.concatenate([known, *inside])


def mixture(
    alpha: FloatArray, complete: FloatArray, agree: Sequence[Sequence[int]]
) -> list[tuple[float, FloatArray]]:
    """Posterior of θ as a mixture of Dirichlets: one for each way to choose agreeing statements.

    Returns pairs of weight and parameters; the weights sum to the evidence.
    """
    total = float(alpha.sum())
    out = []
    for z in itertools.product(*agree):
        counts = complete.copy()
        for s in z:
            counts[s] += 1.0
        log = math.lgamma(total) - math.lgamma(total + counts.sum())
        log += sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(alpha, counts, strict=True))
        out.append((math.exp(log), alpha + counts))
    return out
