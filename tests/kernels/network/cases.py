"""Graphs and local scores that the tests share."""

from __future__ import annotations

import itertools

import numpy as np

from bayescompare.kernels.network.scores import CellPrior, local_scores
from tests.oracles import network as no


def scored(
    seed: int, m: int, most: int, *, n: int = 40, strength: float = 0.5, textbook: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's local scores, and the textbook's by full mask."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, n, strength)
    slow = no.local_table(states, counts, arities, 1.0, most) if textbook else np.empty(0)
    return local_scores(states, counts, arities, CellPrior(), most), slow


def random_graph(rng: np.random.Generator, m: int, density: float) -> list[int]:
    """A DAG along a random order."""
    order, graph = rng.permutation(m).tolist(), [0] * m
    for a, b in itertools.combinations(order, 2):
        if rng.random() < density:
            graph[b] |= 1 << a
    return graph
