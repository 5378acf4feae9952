"""Do the intervals of `rank` and the verdicts of `gate` hold what they promise?

`ranking_study`: results are normal, so the expected rank of every algorithm is known, and with it
its true place and the true best. Both bootstraps see the same tables: Rubin's, and the widened one
of `rank`. `gate_study`: candidates that are truly no better, or truly worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from bayescompare import BayescompareError
from bayescompare._rng import Rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.bootstrap import FEWEST, concentration_of, mean_above
from bayescompare.kernels.ranking.leaderboard import doubled_places, standings
from reproduction.verdicts import Scenario, laplace_error, simulate_table, simulated

__all__ = ["gate_study", "ranking_study"]

#: Names of the figures, in the order in which a table's are counted.
_FIGURES = ("mean", "place", "top", "size")


def ranking_study(
    scenarios: Sequence[Scenario],
    *,
    tables: int = 2000,
    draws: int = 2000,
    level: float = 0.95,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Simulate tables and count how often intervals and top sets hold the truth.

    Parameters
    ----------
    scenarios : sequence of Scenario
        With one measure, an effect above 0 and at least five datasets.
    tables : int
        Number of simulated tables per scenario.
    draws : int
        Draws of the bootstrap for each table.
    level : float
        Of intervals and top sets.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        A row per scenario and bootstrap ("Rubin", "widened"): ``mean`` (share of the intervals of
        mean ranks that hold the expected rank), ``place`` (share of the intervals of places that
        hold the true place), ``top`` (share of top sets that hold the true best), ``size`` (mean
        size of the top set) and ``mcse`` of ``top``.

    """
    for scenario in scenarios:
        if scenario.measures != 1 or not scenario.effect or scenario.datasets < FEWEST:
            raise BayescompareError(
                f"scenarios: {scenario}: needs one measure, an effect above 0 and at least "
                f"{FEWEST} datasets."
            )
    held, seed = simulated(_tables_held, scenarios, tables, draws, level, rng=rng, n_jobs=n_jobs)
    rows = [
        {
            "effect": scenario.effect,
            "datasets": scenario.datasets,
            "bootstrap": name,
            **dict(zip(_FIGURES, own[:, j].mean(axis=0).tolist(), strict=True)),
            "mcse": laplace_error(own[:, j, 2].sum(), tables),
        }
        for scenario, own in zip(scenarios, held, strict=True)
        for j, name in enumerate(("Rubin", "widened"))
    ]
    study = pd.DataFrame(rows)
    study.attrs["seed"] = seed
    return study


def _tables_held(
    scenario: Scenario, tables: int, draws: int, level: float, rng: np.random.Generator
) -> FloatArray:
    """Return the figures of each table under either bootstrap: array (tables, 2, 4)."""
    held = np.zeros((tables, 2, len(_FIGURES)))
    n, l = scenario.datasets, scenario.algorithms
    for k in range(tables):
        values, true = simulate_table(scenario, rng)
        # The expected rank: one more than the expected number of those ahead.
        expected = 0.5 + ndtr((true[:, 0] - true[:, :1]) / math.sqrt(2.0)).sum(axis=1)
        scores = l + 1.0 - doubled_places(values[:, :l, 0]) / 2.0
        for j, shape in enumerate((1.0, concentration_of(n))):
            weights = rng.dirichlet(np.full(n, shape), draws)
            held[k, j] = _held_by(weights @ scores, scores.mean(axis=0), l + 1.0 - expected, level)
    return held


def _held_by(
    drawn: FloatArray, centre: FloatArray, expected: FloatArray, level: float
) -> tuple[float, float, float, float]:
    """Return which shares of the truth the intervals and the top set hold, and the set's size."""
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    rows, _ = standings(drawn, centre, level)
    place = doubled_places(expected[None, :])[0] / 2.0
    order = np.argsort(-rows.best, kind="stable")
    size = int(np.searchsorted(rows.best[order].cumsum(), level - 1e-9)) + 1
    return (
        float(((low <= expected) & (expected <= high)).mean()),
        float(((rows.lower <= place) & (place <= rows.upper)).mean()),
        float(expected.argmax() in order[:size]),
        float(size),
    )


# gates ------------------------------------------------------------------------------------------

#: Laws of the differences between datasets, with mean 0 and standard deviation 1.
_LAWS: Mapping[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "heavy tails (t3)": lambda rng, n: rng.standard_t(3, n) / math.sqrt(3.0),
    "skewed (exponential)": lambda rng, n: rng.standard_exponential(n) - 1.0,
    "skewed the other way": lambda rng, n: 1.0 - rng.standard_exponential(n),
}


def gate_study(
    sizes: Sequence[int] = (5, 10, 20, 50),
    *,
    laws: Sequence[str] = tuple(_LAWS),
    rope: float = 0.5,
    tables: int = 500,
    level: float = 0.95,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Count wrong verdicts of gates whose truth is known.

    Differences between datasets have a standard deviation of 1. Three candidates are tried: one
    whose mean advantage is exactly 0, so that "superior" is wrong; one whose mean loss is exactly
    the rope, so that "not worse" is wrong; and one that is better by 1, which should pass. The
    first two are the same question, moved by the rope: both columns estimate one error rate, from
    different tables.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of datasets.
    laws : sequence of str
        Of the differences: "normal", "heavy tails (t3)", "skewed (exponential)" or
        "skewed the other way".
    rope : float
        In standard deviations of the differences.
    tables : int
        Number of simulated tables of each kind.
    level : float
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        Indexed by law and number of datasets: shares ``false_superior`` and ``false_not_worse``,
        which should be at most 1 − level, ``false_worse`` (of a candidate that loses the rope
        exactly: the one with advantage 0, shifted), ``passed`` (of the better one), and ``mcse``
        of an error rate of 1 − level.

    """
    kinds = [(law, n) for law in laws for n in sizes]
    judged, seed = simulated(
        _gate_errors, kinds, tables, rope, level, block=tables, rng=rng, n_jobs=n_jobs
    )
    index = pd.MultiIndex.from_tuples(kinds, names=["differences", "datasets"])
    heads = ["false_superior", "false_not_worse", "false_worse", "passed"]
    study = pd.DataFrame([own.mean(axis=0) for own in judged], index=index, columns=heads)
    study.attrs["seed"] = seed
    study["mcse"] = math.sqrt(level * (1.0 - level) / tables)
    return study


def _gate_errors(
    kind: tuple[str, int], tables: int, rope: float, level: float, rng: np.random.Generator
) -> FloatArray:
    """Which verdicts the three candidates get: (tables, 4)."""
    law, n = kind
    return np.array(
        [
            judge_candidates(_LAWS[law](rng, n), _LAWS[law](rng, n), rope, level)
            for _ in range(tables)
        ],
        dtype=np.float64,
    )


def judge_candidates(
    noise: FloatArray, other: FloatArray, rope: float, level: float
) -> tuple[bool, bool, bool, bool]:
    """Judge the three candidates by the rules of `gate`, without its bounds, which take longest.

    The candidate with advantage 0 has differences `noise`, the one that loses the rope ``other −
    rope``, and the better one ``other + 1``. Who is superior is also not worse.
    """
    every = np.ones(len(noise))
    better = mean_above(noise, every)
    worse = mean_above(-noise, every)
    at_rope = 1.0 - mean_above(rope - other, every, rope)
    ahead = 1.0 - mean_above(-1.0 - other, every, rope)
    return better >= level, at_rope >= level, worse >= level, ahead >= level
