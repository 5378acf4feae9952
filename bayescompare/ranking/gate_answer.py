"""What a gate finds on each measure: the law of the mean advantage, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import (
    FEWEST,
    bootstrap_weights,
    effective_ranking_number,
)
from bayescompare.kernels.ranking.mean_law import MOST_EXACT_UNITS, mean_above, mean_quantile
from bayescompare.ranking.units import Units, units_of
from bayescompare.results.results import Results

__all__ = ["GateAnswer", "GateVerdict", "MeasureGate", "gate_answer"]

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
        Each bound holds with probability `level`; NaN where there are too few datasets.
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
    """All measures, and what was resampled: so many datasets, domains or items."""

    measures: tuple[MeasureGate, ...]
    n: int
    effective: float
    noun: str

    @property
    def has_verdicts(self) -> bool:
        """Whether there are enough datasets for any verdict."""
        return self.effective >= FEWEST

    @property
    def exact(self) -> bool:
        """Whether no draws were needed."""
        return all(measure.mcse == 0.0 for measure in self.measures)


def gate_answer(results: Results, level: float, rng: np.random.Generator) -> GateAnswer:
    """Judge every measure; `results` has the candidate first, then the baseline."""
    units = units_of(results, "value")
    effective = effective_ranking_number(units.importance)
    judged = []
    for j, name in enumerate(results.measures):
        pair = units.scores[:, :, j]
        noise = RELATIVE_TOLERANCE * np.abs(pair).max(axis=1)
        advantage = pair[:, 0] - pair[:, 1]
        advantage = np.where(np.abs(advantage) <= noise, 0.0, advantage)
        centre = float(units.importance @ advantage / units.importance.sum())
        if effective < FEWEST:
            nan = float("nan")
            found = MeasureGate(centre, nan, nan, nan, nan, nan, 0.0, "undecided")
        else:
            found = _judge_gate_measure(
                units, advantage, centre, results[name].rope, float(noise.max()), level, rng
            )
        judged.append(found)
    return GateAnswer(tuple(judged), len(units.scores), effective, units.noun)


def _judge_gate_measure(
    units: Units,
    advantage: FloatArray,
    centre: float,
    rope: float | None,
    noise: float,
    level: float,
    rng: np.random.Generator,
) -> MeasureGate:
    """Judge one measure, by the exact law of the mean or, of very many units, by draws."""
    v, width = units.importance, rope or 0.0
    if len(v) <= MOST_EXACT_UNITS:
        better = mean_above(advantage, v, noise=noise)
        worse = mean_above(-advantage, v, width, noise=noise)
        lower, upper = (mean_quantile(advantage, v, p) for p in (1.0 - level, level))
        mcse = 0.0
    else:
        means = np.concatenate([w @ advantage for w in bootstrap_weights(v, _DRAWS, rng)])
        better = float((means > noise).mean())
        worse = float((means < -width - noise).mean())
        lower, upper = map(float, np.quantile(means, (1.0 - level, level)))
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
