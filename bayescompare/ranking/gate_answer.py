"""What a gate finds on each measure: the law of the mean advantage, and the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import (
    FEWEST,
    MOST_EXACT_UNITS,
    bootstrap_weights,
    effective_number,
    mean_above,
    mean_quantile,
)
from bayescompare.ranking.units import Units, unit_weights, units_of
from bayescompare.table.results import Results
from bayescompare.text.numbers import plural

__all__ = ["GateAnswer", "GatePart", "GateVerdict", "MeasureGate", "gate_answer"]

GateVerdict = Literal["superior", "not worse", "worse", "undecided"]

#: Draws where there are too many units for the integral; the error of P is at most 0.0023.
_DRAWS = 50_000


@dataclass(frozen=True)
class MeasureGate:
    """The candidate against the baseline on one measure, positive where the candidate is better.

    Attributes
    ----------
    difference : float
        Mean advantage of the candidate.
    lower, upper : float
        One-sided: each bound by itself holds with probability `level`; NaN where there are too
        few datasets.
    p_better, p_not_worse, p_worse : float
        P(advantage > 0), P(advantage ≥ −rope), P(advantage < −rope).
    mcse : float
        Of the probabilities, at most; 0 where they are exact.
    verdict : {"superior", "not worse", "worse", "undecided"}
    """

    difference: float
    lower: float
    upper: float
    p_better: float
    p_not_worse: float
    p_worse: float
    mcse: float
    verdict: GateVerdict


@dataclass(frozen=True)
class GateAnswer:
    """All measures, and what was resampled: so many datasets or domains, or items of datasets.

    Attributes
    ----------
    measures : tuple of MeasureGate
    n : int
    effective : float
        How many of equal weight they are worth.
    noun : str
        "dataset", "domain", "item", "cluster" or "seed".
    benchmarks : tuple of int
        How many of the `n` each dataset has, where the datasets are fixed; else empty.
    differing : int
        On how many of them the two differ, on the measure (and fixed dataset) with the fewest.
    """

    measures: tuple[MeasureGate, ...]
    n: int
    effective: float
    noun: str
    benchmarks: tuple[int, ...] = ()
    differing: int = 0

    @property
    def has_verdicts(self) -> bool:
        """Whether there are enough datasets for any verdict; too few items are refused."""
        return bool(self.benchmarks) or self.effective >= FEWEST

    @property
    def exact(self) -> bool:
        """Whether no draws were needed."""
        return all(measure.mcse == 0.0 for measure in self.measures)


def gate_answer(results: Results, level: float, rng: np.random.Generator) -> GateAnswer:
    """Judge every measure; `results` has the candidate first, then the baseline.

    With replicates, the datasets are fixed and the items of each are resampled.
    """
    fixed = results.n_replicates is not None
    every = range(len(results.datasets)) if fixed else [0]
    parts = [GatePart.of(units_of(results, "value", dataset=i)) for i in every]
    shares = _benchmark_shares(results) if fixed else np.ones(1)
    numbers = [effective_number(part.importance) for part in parts]
    if fixed:
        _refuse_few_items(results, parts, numbers)
    has_verdicts = fixed or numbers[0] >= FEWEST
    centre = shares @ [part.importance @ part.advantage / part.importance.sum() for part in parts]
    noise = np.max([part.noise for part in parts], axis=0)
    exact = len(parts) == 1 and len(parts[0].importance) <= MOST_EXACT_UNITS
    means = None if exact or not has_verdicts else _drawn_gate_means(parts, shares, rng)
    judged = []
    for j, name in enumerate(results.measures):
        rope = results[name].rope
        if not has_verdicts:
            nan = float("nan")
            found = MeasureGate(float(centre[j]), nan, nan, nan, nan, nan, 0.0, "undecided")
        else:
            law = (parts[0].advantage[:, j], parts[0].importance) if means is None else means[:, j]
            found = _judge_gate_measure(law, float(centre[j]), rope, float(noise[j]), level)
        judged.append(found)
    n = [len(part.importance) for part in parts]
    benchmarks = tuple(n) if fixed else ()
    differing = int(np.min([np.count_nonzero(part.advantage, axis=0) for part in parts]))
    return GateAnswer(tuple(judged), sum(n), sum(numbers), parts[0].noun, benchmarks, differing)


@dataclass(frozen=True)
class GatePart:
    """Units that are resampled together: all of them, or those of one dataset.

    Attributes
    ----------
    advantage : array (n, m)
        Of the candidate over the baseline.
    noise : array (m,)
        Differences up to this are none.
    importance : array (n,)
    noun : str
    """

    advantage: FloatArray
    noise: FloatArray
    importance: FloatArray
    noun: str

    @classmethod
    def of(cls, units: Units) -> GatePart:
        """Subtract the second algorithm from the first."""
        noise = RELATIVE_TOLERANCE * np.abs(units.scores).max(axis=1)
        advantage = units.scores[:, 0] - units.scores[:, 1]
        advantage = np.where(np.abs(advantage) <= noise, 0.0, advantage)
        return cls(advantage, noise.max(axis=0), units.importance, units.noun)


def _refuse_few_items(
    results: Results, parts: Sequence[GatePart], numbers: Sequence[float]
) -> None:
    """Refuse a dataset whose items do not show how they vary."""
    for name, part, effective in zip(results.datasets, parts, numbers, strict=True):
        if effective <= FEWEST - 1:
            units = plural(len(part.importance), part.noun)
            unequal = " of very unequal size" if len(part.importance) >= FEWEST else ""
            raise BayescompareError(
                f"over='items': {name!r} has {units}{unequal} that both algorithms have, and a "
                f"benchmark needs {FEWEST}: leave this dataset out of the table, or resample the "
                "datasets instead by over='datasets'."
            )


def _benchmark_shares(results: Results) -> FloatArray:
    """Return how much each fixed dataset counts: alike, or by its weight; domains alike."""
    weights = unit_weights(results)
    if results.groups is not None:
        of = np.unique(results.groups, return_inverse=True)[1]
        weights = weights / np.bincount(of)[of]
    return np.asarray(weights / weights.sum())


def _drawn_gate_means(
    parts: Sequence[GatePart], shares: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean advantage on every measure, (draws, m); units that are alike, together."""
    means = np.zeros((_DRAWS, parts[0].advantage.shape[1]))
    for part, share in zip(parts, shares, strict=True):
        rows = np.column_stack([part.importance, part.advantage])
        alike, times = np.unique(rows, axis=0, return_counts=True)
        start = 0
        for weights in bootstrap_weights(alike[:, 0], _DRAWS, rng, times):
            means[start : start + len(weights)] += share * (weights @ alike[:, 1:])
            start += len(weights)
    return means


def _judge_gate_measure(
    law: tuple[FloatArray, FloatArray] | FloatArray,
    centre: float,
    rope: float | None,
    noise: float,
    level: float,
) -> MeasureGate:
    """Judge one measure, by the exact law of the mean (advantages, importances), or by draws."""
    width = rope or 0.0
    if isinstance(law, tuple):
        advantage, v = law
        better = mean_above(advantage, v, noise=noise)
        worse = mean_above(-advantage, v, width, noise=noise)
        lower, upper = (mean_quantile(advantage, v, p) for p in (1.0 - level, level))
        mcse = 0.0
    else:
        better = float((law > noise).mean())
        worse = float((law < -width - noise).mean())
        lower, upper = map(float, np.quantile(law, (1.0 - level, level)))
        # Laplace's rule keeps the error of 0 and 1 from being none.
        widest = max(
            _smooth_gate_answer_share(better),
            _smooth_gate_answer_share(worse),
            key=lambda p: p * (1.0 - p),
        )
        mcse = float(np.sqrt(widest * (1.0 - widest) / _DRAWS))
    verdict = _gate_answer_verdict(better, worse, rope, level)
    return MeasureGate(centre, lower, upper, better, 1.0 - worse, worse, mcse, verdict)


def _smooth_gate_answer_share(share: float) -> float:
    return (share * _DRAWS + 1.0) / (_DRAWS + 2.0)


def _gate_answer_verdict(
    better: float, worse: float, rope: float | None, level: float
) -> GateVerdict:
    """Return the first that holds; without a rope nothing can be "not worse"."""
    if better >= level:
        return "superior"
    if rope is not None and 1.0 - worse >= level:
        return "not worse"
    return "worse" if worse >= level else "undecided"
