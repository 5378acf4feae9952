"""How often a gate is wrong: candidates that are truly no better, or truly worse, in simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from bayescompare._checks import check_count, check_word
from bayescompare._errors import BayescompareError
from bayescompare._gate import gate
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results

__all__ = ["gate_study"]

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
    the rope, so that "not worse" is wrong; and one that is better by 1, which should pass.

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
        which should be at most 1 − level, ``false_worse`` (of the candidate with advantage 0),
        ``passed`` (of the better one), and ``mcse`` of an error rate of 1 − level.

    Examples
    --------
    >>> study = gate_study([8], laws=["normal"], tables=20, rng=0)
    >>> study.columns.tolist()
    ['false_superior', 'false_not_worse', 'false_worse', 'passed', 'mcse']
    """
    check_count(tables=tables)
    for law in laws:
        check_word("laws", law, tuple(_LAWS))
    if not rope > 0:
        raise BayescompareError(f"rope={rope!r}: give a number > 0.")
    kinds = [(law, n) for law in laws for n in sizes]
    streams = as_rng(rng)[0].spawn(len(kinds))
    tasks = (
        (law, n, rope, tables, level, own) for (law, n), own in zip(kinds, streams, strict=True)
    )
    rows = run_in_parallel(_gate_study_rates, tasks, n_jobs=n_jobs)
    index = pd.MultiIndex.from_tuples(kinds, names=["differences", "datasets"])
    heads = ["false_superior", "false_not_worse", "false_worse", "passed"]
    study = pd.DataFrame(list(rows), index=index, columns=heads)
    study["mcse"] = math.sqrt(level * (1.0 - level) / tables)
    return study


def _gate_study_rates(
    law: str, n: int, rope: float, tables: int, level: float, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Share of each verdict for one law and number of datasets."""
    counts = np.zeros(4)
    for _ in range(tables):
        noise = _LAWS[law](rng, n)
        equal = _gate_study_verdict(noise, None, level)
        at_rope = _gate_study_verdict(noise - rope, rope, level)
        better = _gate_study_verdict(noise + 1.0, rope, level)
        counts += (
            equal == "superior",
            at_rope in ("superior", "not worse"),
            equal == "worse",
            better in ("superior", "not worse"),
        )
    false_superior, false_not_worse, false_worse, passed = (counts / tables).tolist()
    return false_superior, false_not_worse, false_worse, passed


def _gate_study_verdict(advantage: FloatArray, rope: float | None, level: float) -> str:
    """Judge one table, through the public door."""
    n = len(advantage)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([str(i) for i in range(n)], 2),
            "algorithm": ["new", "old"] * n,
            "score": np.stack([advantage, np.zeros(n)], axis=1).ravel(),
        }
    )
    results = Results.from_frame(frame, measures={"score": Measure("max", rope=rope)})
    judged = gate(results, candidate="new", baseline="old", level=level)
    return str(judged.table["verdict"].item())
