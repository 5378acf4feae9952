"""How a benchmark times and reports: ratios within one run, never absolute assertions."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report: ours against a baseline timed in the same run."""

    what: str
    ours: float
    baseline: float
    goal: str
    met: bool
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.baseline / self.ours


def cpu_seconds() -> float:
    """Processor time of this process and of those that it has waited for.

    A loaded machine lengthens the time on the clock, of a long run more than of a short one; the
    ratio of two processor times stays.
    """
    return sum(os.times()[:4])


def median_seconds(
    work: Callable[[], object],
    *,
    repeat: int = 3,
    least: float = 0.2,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Median over `repeat` rounds of a call's mean processor time; a round is at least `least`."""
    work()
    rounds = []
    for _ in range(repeat):
        calls, start = 0, clock()
        while (spent := clock() - start) < least:
            work()
            calls += 1
        rounds.append(spent / calls)
    return statistics.median(rounds)
