"""Is P(better on most datasets) right as often as it says? Simulated from the prior."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayescompare._checks import check_count
from bayescompare._rng import Rng, as_rng
from bayescompare.kernels.context.error_rates import first_error_rate_better
from bayescompare.kernels.context.poisson_binomial import context
from bayescompare.kernels.context.poisson_binomial_joint import joint_context

__all__ = ["calibration", "calibration_curve"]


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
            "joint": [joint_context(row) for row in p],
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
