"""Orders, statements and decisions by trying every one there is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# ------------------------------------------------------------------------------------------ orders


def consistent_orders(values: Sequence[float]) -> list[tuple[int, ...]]:
    """Every permutation best to worst that no value contradicts, by trying them all."""
    n = len(values)
    return [
        order
        for order in itertools.permutations(range(n))
        if all(values[i] >= values[j] for i, j in itertools.combinations(order, 2))
    ]


def statement_weights(values: FloatArray, names: Sequence[str]) -> list[dict[str, Fraction]]:
    """Each dataset's weight on every label, for values (n, l, m) where higher is better."""
    found = []
    for dataset in values:
        per_measure = [consistent_orders(column) for column in dataset.T.tolist()]
        combinations = list(itertools.product(*per_measure))
        labels = ["|".join(">".join(names[i] for i in o) for o in row) for row in combinations]
        found.append({label: Fraction(1, len(labels)) for label in labels})
    return found


def statement_counts(values: FloatArray, names: Sequence[str]) -> dict[str, Fraction]:
    """Total weight of every label that has any."""
    total: dict[str, Fraction] = {}
    for weights in statement_weights(values, names):
        for label, weight in weights.items():
            total[label] = total.get(label, Fraction(0)) + weight
    return total


def every_label(names: Sequence[str], m: int) -> list[str]:
    """All (l!)^m labels, first measure most significant."""
    orders = [">".join(order) for order in itertools.permutations(names)]
    return ["|".join(row) for row in itertools.product(orders, repeat=m)]


# -------------------------------------------------------------------------------------- decisions


def largest_assertable(probabilities: Sequence[float], fdr: float) -> int:
    """Size of the largest set with mean(1 − P) <= fdr and every P >= ¾, over all subsets."""
    best = 0
    for size in range(1, len(probabilities) + 1):
        for chosen in itertools.combinations(probabilities, size):
            if min(chosen) >= 0.75 and sum(1 - p for p in chosen) / size <= fdr:
                best = size
    return best
