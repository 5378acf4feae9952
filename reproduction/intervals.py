"""Do the intervals of `rank` and the verdicts of `gate` hold what they promise?

`ranking_study`: the true order of the algorithms is known, and with it the true places and the
true best. Three bootstraps see the same tables: Rubin's, the one of 0.1.0, widened for small
numbers, and that of `rank`. `gate_study`: candidates that are truly no better, or truly worse.

``python -m reproduction.intervals FOLDER`` writes the figures that docs/ranking.md reads.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bayescompare import BayescompareError
from bayescompare._rng import Rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.bootstrap import (
    FEWEST,
    concentration_of,
    differing_number,
    mean_above,
    resampled_means,
)
from bayescompare.kernels.ranking.leaderboard import doubled_places, standings
from reproduction.verdicts import laplace_error, simulated

__all__ = ["DESIGNS", "RankingDesign", "gate_study", "ranking_study"]

#: Names of the bootstraps, in the order in which a table's figures are counted.
_BOOTSTRAPS = ("Rubin", "0.1.0", "now")


@dataclass(frozen=True, kw_only=True)
class RankingDesign:
    """One kind of table.

    Attributes
    ----------
    datasets, algorithms : int
    tied : float
        Share of the datasets on which all algorithms tie.
    freedom : float
        Degrees of freedom of the noise, which is Student's t; normal for infinitely many.
    by : {"rank", "value"}
    effect : float
        Standard deviation of the true means, in units of the noise.
    """

    datasets: int = 10
    algorithms: int = 5
    tied: float = 0.0
    freedom: float = math.inf
    by: str = "rank"
    effect: float = 0.5

    def __post_init__(self) -> None:
        if self.datasets < FEWEST or not self.effect > 0.0:
            raise BayescompareError(
                f"{self}: needs an effect above 0 and at least {FEWEST} datasets."
            )


#: SPEC 11's, and more datasets.
DESIGNS = (
    RankingDesign(datasets=6),
    RankingDesign(datasets=10),
    RankingDesign(datasets=20),
    RankingDesign(datasets=10, algorithms=12),
    RankingDesign(datasets=20, tied=0.7),
    RankingDesign(datasets=10, freedom=2.0, by="value"),
    RankingDesign(datasets=10, freedom=2.0),
)


def ranking_study(
    designs: Sequence[RankingDesign] = DESIGNS,
    *,
    tables: int = 2000,
    draws: int = 2000,
    level: float = 0.95,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Simulate tables and count how often intervals and top sets hold the truth.

    Returns
    -------
    DataFrame
        A row per design and bootstrap ("Rubin", "0.1.0", "now"): ``place`` (share of the intervals
        of places that hold the true place), ``top`` (share of top sets that hold the true best),
        ``size`` (mean size of the top set), ``best`` (share of tables in which P(best) reaches the
        level for some algorithm), ``right`` (share of these in which that is the true best), and
        ``mcse`` of ``top``. Tables in which too few datasets tell the algorithms apart get no
        verdict and hold the truth.

    """
    held, seed = simulated(_tables_held, designs, tables, draws, level, rng=rng, n_jobs=n_jobs)
    rows = []
    for design, own in zip(designs, held, strict=True):
        for j, name in enumerate(_BOOTSTRAPS):
            place, top, size, best, right = own[:, j].mean(axis=0)
            figures = {"place": place, "top": top, "size": size, "best": best}
            figures["right"] = right / best if best else math.nan
            mcse = laplace_error(own[:, j, 1].sum(), tables)
            rows.append({**asdict(design), "bootstrap": name, **figures, "mcse": mcse})
    study = pd.DataFrame(rows)
    study.attrs["seed"] = seed
    return study


def _tables_held(
    design: RankingDesign, tables: int, draws: int, level: float, rng: np.random.Generator
) -> FloatArray:
    """Return the figures of each table under each bootstrap: array (tables, 3, 5)."""
    held = np.zeros((tables, len(_BOOTSTRAPS), 5))
    n, l = design.datasets, design.algorithms
    for k in range(tables):
        true = design.effect * rng.standard_normal(l)
        noise = rng.standard_normal((n, l))
        if math.isfinite(design.freedom):
            noise /= np.sqrt(rng.chisquare(design.freedom, (n, l)) / design.freedom)
        values = np.where(rng.random((n, 1)) < design.tied, 0.0, true + noise)
        scores = values if design.by == "value" else l + 1.0 - doubled_places(values) / 2.0
        number = differing_number(scores[:, :, None], np.ones(n))
        wide = 0.5 * (1.0 + level)
        for j, shape in enumerate((1.0, concentration_of(n))):
            drawn = rng.dirichlet(np.full(n, shape), draws) @ scores
            held[k, j] = _held_by(drawn, scores.mean(axis=0), true, level, level)
        held[k, 2] = (1.0, 1.0, l, 0.0, 0.0)
        if number > FEWEST - 1:
            drawn = resampled_means(scores[:, :, None], np.ones(n), number, draws, rng)[0]
            held[k, 2] = _held_by(drawn, scores.mean(axis=0), true, level, wide)
    return held


def _held_by(
    drawn: FloatArray, centre: FloatArray, true: FloatArray, level: float, wide: float
) -> tuple[float, float, float, float, float]:
    """Return what of the truth the intervals and the top set hold, its size, and who is best."""
    rows, _ = standings(drawn, centre, level)
    place = doubled_places(true[None, :])[0] / 2.0
    order = np.argsort(-rows.best, kind="stable")
    size = int(np.searchsorted(rows.best[order].cumsum(), wide - 1e-9)) + 1
    named = bool(rows.best[order[0]] >= level)
    return (
        float(((rows.lower <= place) & (place <= rows.upper)).mean()),
        float(true.argmax() in order[:size]),
        float(size),
        float(named),
        float(named and true.argmax() == order[0]),
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


if __name__ == "__main__":
    ranking_study(rng=2026).round(4).to_csv(Path(sys.argv[1]) / "ranking-study.csv", index=False)
