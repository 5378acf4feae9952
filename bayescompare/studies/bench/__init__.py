"""The package against others on the same data: time, memory, error and growth with size."""

from __future__ import annotations

from bayescompare.studies.bench.figure import draw_bench
from bayescompare.studies.bench.runner import run_bench
from bayescompare.studies.bench.table import BenchRow, BenchTable
from bayescompare.studies.bench.tasks import TASKS, BenchTask

__all__ = ["TASKS", "BenchRow", "BenchTable", "BenchTask", "draw_bench", "run_bench"]
