"""How a benchmark times and reports: ratios within one run, never absolute assertions."""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


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


def peak_megabytes() -> float:
    """The largest memory of this process alone: on Linux `getrusage` begins with its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return float(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


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
