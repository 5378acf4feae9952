"""The learned prior: very many pairs worked out together, against one by one."""

from __future__ import annotations

import numpy as np

from bayescompare.learned import Board
from bayescompare.posterior.mixture import Mixture
from benchmarks.timing import Row, median_seconds

_ALGORITHMS, _SOME, _STATEMENTS, _DATASETS = 100, 100, 8, 60


def run() -> list[Row]:
    """One hundred algorithms, three measures, sixty datasets: P(max) of every pair."""
    rng = np.random.default_rng(0)
    who = np.stack(np.triu_indices(_ALGORITHMS, 1), axis=1)
    theta = rng.dirichlet(np.full(_STATEMENTS, 0.3), size=len(who))
    counts = np.array([rng.multinomial(_DATASETS, t) for t in theta], dtype=float)
    board = Board.learned(counts, who)
    together = board.p_max()

    def one_by_one() -> np.ndarray:
        pairs = (
            Mixture(components=board.components, counts=counts[[p]], weight=board.weight[:, [p]])
            for p in range(_SOME)
        )
        return np.array([pair.p_max() for pair in pairs])

    error = float(np.abs(together[:_SOME] - one_by_one()).max())
    ours = median_seconds(board.p_max)
    # One by one takes as long for each pair; a hundred of them are timed.
    baseline = median_seconds(one_by_one) * len(who) / _SOME
    what = f"P(max) of {len(who)} pairs under a learned prior, against one by one"
    met = baseline / ours >= 3 and error <= 1e-10
    return [Row(f"{what} ({error:.0e} apart)", ours, baseline, "≥ 3× and error ≤ 1e-10", met)]
