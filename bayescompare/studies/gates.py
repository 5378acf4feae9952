"""How often a gate is wrong: candidates that are truly no better, or truly worse, in simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from bayescompare._checks import check_count, check_word
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.mean_law import mean_above

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
    generator, seed = as_rng(rng)
    streams = generator.spawn(len(kinds))
    tasks = (
        (law, n, rope, tables, level, own) for (law, n), own in zip(kinds, streams, strict=True)
    )
    rows = run_in_parallel(_gate_study_rates, tasks, n_jobs=n_jobs)
    index = pd.MultiIndex.from_tuples(kinds, names=["differences", "datasets"])
    heads = ["false_superior", "false_not_worse", "false_worse", "passed"]
    study = pd.DataFrame(list(rows), index=index, columns=heads)
    study.attrs["seed"] = seed
    study["mcse"] = math.sqrt(level * (1.0 - level) / tables)
    return study


def _gate_study_rates(
    law: str, n: int, rope: float, tables: int, level: float, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Share of each verdict for one law and number of datasets."""
    verdicts = np.array(
        [
            _gate_study_errors(_LAWS[law](rng, n), _LAWS[law](rng, n), rope, level)
            for _ in range(tables)
        ]
    )
    false_superior, false_not_worse, false_worse, passed = verdicts.mean(axis=0).tolist()
    return false_superior, false_not_worse, false_worse, passed


def _gate_study_errors(
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
