"""Do the intervals of `rank` hold what they promise? A study on simulated tables.

Results are normal, so the expected rank of every algorithm is known, and with it its true place
and the true best. Both bootstraps see the same tables: Rubin's, and the widened one of `rank`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from bayescompare._checks import check_count
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.bootstrap import FEWEST, ranking_concentration
from bayescompare.kernels.ranking.places import doubled_places, standings
from bayescompare.studies.decisions import Scenario, simulate_table

__all__ = ["ranking_study"]

#: Names of the figures, in the order in which a table's are counted.
_FIGURES = ("mean", "place", "top", "size")

#: Tables that share a stream of random numbers, whatever the number of jobs.
_TABLES = 50


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

    Examples
    --------
    >>> study = ranking_study([Scenario(effect=1.0, datasets=10)], tables=20, draws=200, rng=0)
    >>> study["bootstrap"].tolist(), bool((study["top"] > 0.6).all())
    (['Rubin', 'widened'], True)
    """
    check_count(tables=tables, draws=draws)
    for scenario in scenarios:
        if scenario.measures != 1 or not scenario.effect or scenario.datasets < FEWEST:
            raise BayescompareError(
                f"scenarios: {scenario}: needs one measure, an effect above 0 and at least "
                f"{FEWEST} datasets."
            )
    generator, seed = as_rng(rng)
    sizes = [min(_TABLES, tables - k) for k in range(0, tables, _TABLES)]
    work = [(scenario, size) for scenario in scenarios for size in sizes]
    streams = generator.spawn(len(work))
    tasks = (
        (scenario, size, draws, level, own)
        for (scenario, size), own in zip(work, streams, strict=True)
    )
    blocks = list(run_in_parallel(_ranking_study_tables_held, tasks, n_jobs=n_jobs))
    rows = []
    for k, scenario in enumerate(scenarios):
        held = np.concatenate(blocks[k * len(sizes) : (k + 1) * len(sizes)])
        rows += [
            _study_row(scenario, name, held[:, j]) for j, name in enumerate(("Rubin", "widened"))
        ]
    study = pd.DataFrame(rows)
    study.attrs["seed"] = seed
    return study


def _study_row(scenario: Scenario, name: str, held: FloatArray) -> dict[str, object]:
    """Average over tables; by Laplace's rule a share of 1 has an error above 0 too."""
    n = len(held)
    p = (held[:, 2].sum() + 1.0) / (n + 2.0)
    return {
        "effect": scenario.effect,
        "datasets": scenario.datasets,
        "bootstrap": name,
        **dict(zip(_FIGURES, held.mean(axis=0).tolist(), strict=True)),
        "mcse": math.sqrt(p * (1.0 - p) / n),
    }


def _ranking_study_tables_held(
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
        for j, shape in enumerate((1.0, ranking_concentration(n))):
            weights = rng.dirichlet(np.full(n, shape), draws)
            held[k, j] = _ranking_study_held_by(
                weights @ scores, scores.mean(axis=0), l + 1.0 - expected, level
            )
    return held


def _ranking_study_held_by(
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
