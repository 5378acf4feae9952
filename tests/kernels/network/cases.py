"""Local scores that the tests of sums and samples over graphs share."""

from __future__ import annotations

import numpy as np

from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets
from bayescompare.kernels.network.dag_posterior import local_scores
from tests.oracles import network as no


def scored(
    seed: int, m: int, most: int, *, n: int = 40, strength: float = 0.5, textbook: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's local scores, and the textbook's by full mask."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, n, strength)
    g = bdeu_scores_of_subsets(states, counts, np.log(arities), 1.0, most + 1)
    slow = no.local_table(states, counts, arities, 1.0, most) if textbook else np.empty(0)
    return local_scores(g, m, most), slow
