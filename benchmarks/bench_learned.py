"""The learned prior: very many pairs worked out together, against one by one."""

from __future__ import annotations

import math

import numpy as np

from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    DirichletPairCounts,
    dirichlet_strength_evidence,
    dirichlet_strength_weights,
    learn_weights,
    learned_base,
)
from bayescompare.kernels.dirichlet.learned_maximum import mixed_maximum
from bayescompare.kernels.dirichlet.mixture import Mixture
from benchmarks.timing import Row, median_seconds

_PAIRS, _SOME, _STATEMENTS, _DATASETS = 4950, 100, 8, 60


def run() -> list[Row]:
    """One hundred algorithms, three measures, sixty datasets: P(max) of every pair."""
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(_STATEMENTS, 0.3), size=_PAIRS)
    counts = np.array([rng.multinomial(_DATASETS, t) for t in theta], dtype=float)
    rows, cells = np.nonzero(counts)
    table = DirichletPairCounts(rows, cells, counts[rows, cells], _PAIRS)
    log_base, _ = learned_base(counts.sum(axis=0), math.log(_STATEMENTS))
    evidence = dirichlet_strength_evidence(table, log_base)
    prior = learn_weights(evidence)
    weights = dirichlet_strength_weights(evidence, prior)
    together = mixed_maximum(table, log_base, weights)

    def one_by_one() -> np.ndarray:
        return np.array(
            [
                Mixture(DirichletCells(log_base, n), STRENGTHS, prior).maximum()[0]
                for n in counts[:_SOME]
            ]
        )

    error = float(np.abs(together[:_SOME] - one_by_one()).max())
    ours = median_seconds(lambda: mixed_maximum(table, log_base, weights))
    # One by one takes as long for each pair; a hundred of them are timed.
    baseline = median_seconds(one_by_one) * _PAIRS / _SOME
    what = f"P(max) of {_PAIRS} pairs under a learned prior, against one by one ({error:.0e} apart)"
    met = baseline / ours >= 3 and error <= 1e-10
    return [Row(what, ours, baseline, "≥ 3× and error ≤ 1e-10", met)]
