r"""One run of the simulation of Jansen et al.: seven classifiers, of which ten pairs dominate.

Quality vectors are normal around the classifiers' expectations and brought to [0, 1]. Orders and
significant pairs are compared with the ten true dominances by the F-score

.. math:: F = \frac{2\,TP}{2\,TP + FP + FN} .

The paper does not give the noise, nor the number of resamples. Here the standard deviation is 0.05,
and there are 1,000 resamples, or all if there are fewer. A test stops at the n-th resample if that
is the tenth to reach the observed statistic, with p = 10/n (Besag & Clifford).

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Sections 4.3 and 5.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.gsd.optimum import TOLERANCE, Solver
from bayescompare.kernels.gsd.permutation import Scheme, permutation_test
from bayescompare.kernels.gsd.system import build_system
from reproduction.dominance import DOMINANCES, simulated_classifiers

__all__ = [
    "ALPHA",
    "DELTAS",
    "ORDERS",
    "SCHEMES",
    "TESTED",
    "f_score",
    "order_scores",
    "rank_wins",
    "significance_scores",
]

DELTAS = {"GSD": 0.0, "GSD-delta": 1e-5}
SCHEMES: tuple[Scheme, ...] = ("pooled", "paired")
ORDERS = [*DELTAS, "mean ranks"]
TESTED = [*(f"{name} {scheme}" for scheme in SCHEMES for name in DELTAS), "all-test", "one-test"]
ALPHA = 0.05
_RESAMPLES, _STOP_AFTER = 1000, 10

_TRUE = np.zeros((7, 7), dtype=np.bool_)
for _winner, _loser in DOMINANCES:
    _TRUE[int(_winner[1:]) - 1, int(_loser[1:]) - 1] = True


def _draw_classifiers(rng: np.random.Generator, eta: float, datasets: int) -> FloatArray:
    """Values (dataset, classifier, measure), brought to [0, 1] measure by measure."""
    values = simulated_classifiers(eta=eta, datasets=datasets, rng=rng).oriented()
    low, high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
    return np.asarray((values - low) / (high - low))


def _solvers(values: FloatArray) -> dict[tuple[int, int], Solver]:
    """A solver for every pair of classifiers."""
    metric = np.ones(2, dtype=np.bool_)
    return {
        (i, j): Solver(build_system(values[:, i], values[:, j], [0, 0], [1, 1], metric))
        for i, j in itertools.combinations(range(values.shape[1]), 2)
    }


def f_score(found: BoolArray) -> float:
    """F-score of a relation between the seven classifiers against the truth.

    Examples
    --------
    >>> f_score(np.zeros((7, 7), dtype=bool))
    0.0
    """
    hits = int((found & _TRUE).sum())
    return 2.0 * hits / (int(found.sum()) + int(_TRUE.sum()))


def order_scores(rng: np.random.Generator, *, eta: float, datasets: int) -> dict[str, FloatArray]:
    """F-scores of the orders in the sample: dominance at two δ, and both mean ranks better."""
    values = _draw_classifiers(rng, eta, datasets)
    scores = []
    solvers = _solvers(values)
    for delta in DELTAS.values():
        found = np.zeros((7, 7), dtype=np.bool_)
        for (i, j), solver in solvers.items():
            used, w = solver.clip(delta), solver.system.objective()
            found[i, j] = solver.optimum(w, used).value >= -TOLERANCE
            found[j, i] = solver.optimum(-w, used).value >= -TOLERANCE
        scores.append(f_score(found))
    mean = _mean_ranks(values)
    scores.append(f_score((mean[:, None] < mean[None, :]).all(axis=-1)))
    return {"f": np.array(scores)}


def _mean_ranks(values: FloatArray) -> FloatArray:
    """Mean rank of each classifier on each measure, 1 the best: (classifier, measure)."""
    return np.asarray(rankdata(-values, axis=1).mean(axis=0))


def rank_wins(values: FloatArray, level: float) -> BoolArray:
    """Whether each is better than each other at a level, by mean ranks: (i, j, measure).

    Demšar's test: the difference of mean ranks over its standard error is normal.

    Examples
    --------
    >>> values = np.arange(3.0)[None, :, None] * np.ones((30, 1, 1))
    >>> rank_wins(values, 0.05)[..., 0].astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    """
    n, l = values.shape[:2]
    mean = _mean_ranks(values)
    z = (mean[None, :] - mean[:, None]) / math.sqrt(l * (l + 1) / (6.0 * n))
    return np.asarray(2.0 * ndtr(-z) <= level)


def significance_scores(
    rng: np.random.Generator, *, eta: float, datasets: int
) -> dict[str, FloatArray]:
    """What four tests find significant, with Bonferroni's correction and without, and their errors.

    The dominance tests are done with paired and with pooled resamples.

    Returns
    -------
    dict
        For each of `TESTED` the F-score ``f``, the number of dominances found that are ``false``
        and of those ``missed``, all corrected, and ``f_alone``, the F-score of tests that are each
        made at the level.
    """
    values = _draw_classifiers(rng, eta, datasets)
    solvers = _solvers(values)
    pvalues = [
        _pvalues(solvers, delta, scheme, rng) for scheme in SCHEMES for delta in DELTAS.values()
    ]
    pairs = len(solvers)
    found = _found(pvalues, values, ALPHA / (2 * pairs), ALPHA / pairs)
    return {
        "f": np.array([f_score(relation) for relation in found]),
        "false": np.array([float((relation & ~_TRUE).sum()) for relation in found]),
        "missed": np.array([float((_TRUE & ~relation).sum()) for relation in found]),
        "f_alone": np.array(
            [f_score(relation) for relation in _found(pvalues, values, ALPHA, ALPHA)]
        ),
    }


def _found(
    pvalues: list[FloatArray], values: FloatArray, one_sided: float, two_sided: float
) -> list[BoolArray]:
    """What each of `TESTED` finds; the dominance tests have a side, those of ranks two."""
    wins = rank_wins(values, two_sided)
    every, some = wins.all(axis=-1), wins.any(axis=-1)
    return [*(p <= one_sided for p in pvalues), every, some & ~some.T]


def _pvalues(
    solvers: dict[tuple[int, int], Solver],
    delta: float,
    scheme: Scheme,
    rng: np.random.Generator,
) -> FloatArray:
    """p-value of each classifier's dominance over each other."""
    found = np.ones((7, 7))
    for (i, j), solver in solvers.items():
        test = permutation_test(
            solver,
            solver.clip(delta),
            rng,
            permutations=_RESAMPLES,
            scheme=scheme,
            stop_after=_STOP_AFTER,
        )
        found[i, j], found[j, i] = test.pvalue
    return found
