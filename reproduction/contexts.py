"""Contexts of Lacoste, Laviolette & Marchand (2012): on most datasets one of two is better.

`calibration`: is P(better on most datasets) right as often as it says? `success_study`: is a test
surer if it is right? That is the ROC curve of their Section 6.3, where the truth is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import betainc

from bayescompare._checks import check_count, check_jobs
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.classic import wilcoxon
from bayescompare.kernels.context.error_rates import first_error_rate_better
from bayescompare.kernels.context.poisson_binomial import (
    context,
)
from bayescompare.studies import Study
from bayescompare.studies.study import without_failed_cases

#: Simulations that share a stream of random numbers, whatever the number of jobs.
_BLOCK = 500
#: The order in which `_answers` has them.
_METHODS = ("poisson-binomial", "sign", "wilcoxon")


def calibration(
    *, simulations: int = 2000, datasets: int = 20, discordant: int = 10, rng: Rng = None
) -> pd.DataFrame:
    """Simulate contexts from the joint model's prior and apply both forms of the test.

    Every simulation draws r ~ Uniform(0, 1), then the better algorithm on each dataset, then errors
    on the discordant examples. As the truth comes from the prior, the posterior of the full model
    is calibrated by construction; the paper's formula is applied to the same counts.

    Parameters
    ----------
    simulations, datasets, discordant : int
        Contexts, datasets in each, and discordant examples on each dataset.
    rng : None, int or Generator

    Returns
    -------
    DataFrame
        One row per simulation: ``rate`` (the true r), ``truth`` (whether r > ½), ``cut`` and
        ``joint`` (P(r > ½) by each form).

    Examples
    --------
    >>> calibration(simulations=3, rng=1).columns.tolist()
    ['rate', 'truth', 'cut', 'joint']
    """
    check_count(simulations=simulations, datasets=datasets, discordant=discordant)
    generator, seed = as_rng(rng)
    rate = generator.random(simulations)
    better = generator.random((simulations, datasets)) < rate[:, None]
    low = 0.5 * generator.random(better.shape)
    wrong = generator.binomial(discordant, np.where(better, low, 1.0 - low))
    p = first_error_rate_better(wrong, discordant - wrong)
    study = pd.DataFrame(
        {
            "rate": rate,
            "truth": rate > 0.5,
            "cut": [context(row) for row in p],
            "joint": [context(row, joint=True) for row in p],
        }
    )
    study.attrs["seed"] = seed
    return study


def calibration_curve(
    stated: pd.Series[float], truth: pd.Series[bool], *, bins: int = 10
) -> pd.DataFrame:
    """Return how often statements of similar probability were true.

    Returns
    -------
    DataFrame
        One row per non-empty bin of equal width: ``stated`` (mean probability),
        ``true`` (share), ``n``.

    Examples
    --------
    >>> calibration_curve(pd.Series([0.1, 0.9, 0.9]), pd.Series([False, True, False]), bins=2)
       stated  true  n
    0     0.1   0.0  1
    1     0.9   0.5  2
    """
    cell = np.minimum((stated.to_numpy() * bins).astype(int), bins - 1)
    grouped = pd.DataFrame({"stated": stated, "true": truth.astype(float), "n": 1}).groupby(cell)
    return grouped.agg({"stated": "mean", "true": "mean", "n": "sum"})


def success_study(
    *,
    shapes: Sequence[Sequence[float]] = ((100.0, 110.0, 790.0),),
    weights: Sequence[float] | None = None,
    examples: int = 1001,
    datasets: int = 21,
    simulations: int = 2000,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Apply the Poisson-binomial, the sign and the signed-rank test in a known context.

    A dataset of the context has probabilities (only the first is wrong, only the second, both or
    neither) from one of several Dirichlet distributions. The first is better in the context if it
    is better on more than half of its datasets; half of the simulations swap the two.

    Parameters
    ----------
    shapes : sequence of (float, float, float)
        Parameters of the Dirichlet distributions; by default the paper's first context.
    weights : sequence of float, optional
        How often each is used; equally often by default.
    examples, datasets : int
        Test examples of each dataset, and datasets.
    simulations : int
    rng : None, int or Generator
    n_jobs : int
        For joblib; the answer is the same for any.

    Returns
    -------
    DataFrame
        One row per simulation and method: ``simulation``, ``method``, ``confidence`` (for the
        Poisson-binomial test the larger of the two probabilities, for the others one minus the
        p-value) and ``correct``. With equal wins or rank sums the answer is not correct.

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Section 6.

    Examples
    --------
    >>> success_study(simulations=2, rng=1)[["method", "correct"]].head(3)
                 method  correct
    0  poisson-binomial     True
    1              sign     True
    2          wilcoxon     True
    """
    check_count(examples=examples, datasets=datasets, simulations=simulations)
    check_jobs(n_jobs)
    shape, share = _check_context(shapes, weights)
    truth = _first_better(shape, share)
    study = Study(
        name="success",
        grid={},
        replications=simulations,
        block=_block,
        block_size=_BLOCK,
        constants={
            "shape": shape,
            "share": share,
            "examples": examples,
            "datasets": datasets,
            "truth": truth,
        },
        dims={"confidence": ["method"], "correct": ["method"]},
        coords={"method": _METHODS},
    )
    table = without_failed_cases(study.run(rng=rng, n_jobs=n_jobs))
    return pd.DataFrame(
        {
            "simulation": np.repeat(np.arange(simulations), len(_METHODS)),
            "method": np.tile(_METHODS, simulations),
            "confidence": table["confidence"].to_numpy().ravel(),
            "correct": table["correct"].to_numpy().ravel(),
        }
    )


# the context -------------------------------------------------------------------------------------


def _check_context(shapes: object, weights: object) -> tuple[FloatArray, FloatArray]:
    try:
        shape = np.asarray(shapes, dtype=np.float64)
        share = np.ones(len(shape)) if weights is None else np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise BayescompareError("shapes and weights: give numbers only.") from None
    if shape.ndim != 2 or shape.shape[1:] != (3,) or not (np.isfinite(shape) & (shape > 0)).all():
        raise BayescompareError(f"shapes={shapes!r}: give triples of finite numbers above 0.")
    if share.shape != (len(shape),) or not (np.isfinite(share) & (share >= 0)).all():
        raise BayescompareError(f"weights={weights!r}: give a number >= 0 for each of the shapes.")
    if not share.sum() > 0:
        raise BayescompareError(f"weights={weights!r}: some must be above 0.")
    return shape, share / share.sum()


def _first_better(shape: FloatArray, share: FloatArray) -> bool:
    """Whether P(first wrong alone < second wrong alone) is above ½ in the context."""
    rate = float(share @ betainc(shape[:, 0], shape[:, 1], 0.5))
    if abs(rate - 0.5) < 1e-12:
        raise BayescompareError(
            f"shapes={shape.tolist()}: neither algorithm is better in this context; change them."
        )
    return rate > 0.5


# the simulations ---------------------------------------------------------------------------------


def _block(
    rng: np.random.Generator,
    size: int,
    *,
    shape: FloatArray,
    share: FloatArray,
    examples: int,
    datasets: int,
    truth: bool,
) -> dict[str, AnyArray]:
    """Return confidence and correctness of every method: arrays (size, method)."""
    kind = rng.choice(len(shape), size=(size, datasets), p=share)
    gamma = rng.standard_gamma(shape[kind])
    counts = rng.multinomial(examples, gamma / gamma.sum(axis=-1, keepdims=True))
    swapped = rng.random(size) < 0.5
    first = np.where(swapped[:, None], counts[..., 1], counts[..., 0])
    second = np.where(swapped[:, None], counts[..., 0], counts[..., 1])
    confidence, lead = _answers(first, second)
    return {
        "confidence": confidence,
        "correct": (lead != 0) & ((lead > 0) == (truth ^ swapped)[:, None]),
    }


def _answers(first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Confidence of each test and how far the first is ahead by it, (size, method) both."""
    n = first.shape[1]
    better = first_error_rate_better(first, second)
    p = np.array([context(row) for row in better])
    ahead = second - first
    wins, losses = (ahead > 0).sum(axis=1), (ahead < 0).sum(axis=1)
    ranked = [
        wilcoxon.signed_rank_test(wilcoxon.doubled_ranks(row.astype(np.float64), np.ones(n)))
        for row in ahead
    ]
    sure, by_rank = zip(*((1.0 - t.pvalue, t.plus - t.minus) for t in ranked), strict=True)
    return (
        np.column_stack([np.maximum(p, 1.0 - p), sign_confidence(n)[wins, losses], sure]),
        np.column_stack([p - 0.5, wins - losses, by_rank]),
    )


def sign_confidence(datasets: int) -> FloatArray:
    r"""One minus the sign test's two-sided p-value, for every number of wins and of losses.

    .. math:: 1 - \min\Bigl(1,\; 2 \sum_{i=0}^{\min(\kappa^+, \kappa^-)}
              \binom{\kappa^+ + \kappa^-}{i} 2^{-(\kappa^+ + \kappa^-)}\Bigr)

    Computed in integers: for a p-value of 1 the confidence must be exactly 0, without float noise.

    Returns
    -------
    array (datasets + 1, datasets + 1)
        Zero where wins and losses together exceed `datasets`.

    Examples
    --------
    >>> sign_confidence(4)[[4, 3, 2], [0, 1, 2]].tolist()
    [0.875, 0.375, 0.0]
    """
    table = np.zeros((datasets + 1, datasets + 1))
    for n in range(1, datasets + 1):
        below = 0
        for fewer in range((n + 1) // 2):
            below += math.comb(n, fewer)
            left = max(2**n - 2 * below, 0) / 2**n
            table[fewer, n - fewer] = table[n - fewer, fewer] = left
    return table
