"""Starting costs what the libraries cost that an answer needs, and little more."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys

from benchmarks.timing import Row

REPEATS = 7

LIBRARIES = (
    "import pandas, scipy.special, typer, rich.table, xarray; xarray.Dataset({'x': ('d', [1.])})"
)

SHOWING_HELP = "import typer, rich.table, rich.panel, rich.markdown"

#: As installed: modules are compiled once, in the run before the timed ones.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def start(*arguments: str) -> None:
    """Run a new interpreter."""
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)


def cpu(*arguments: str) -> float:
    """Return the seconds of processor, user and system, that a new interpreter takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def medians(ours: tuple[str, ...], baseline: tuple[str, ...]) -> tuple[float, float]:
    """Return the median processor times of two commands that take turns."""
    start(*ours)
    start(*baseline)
    pairs = [(cpu(*ours), cpu(*baseline)) for _ in range(REPEATS)]
    mine, theirs = zip(*pairs, strict=True)
    return statistics.median(mine), statistics.median(theirs)


def run() -> list[Row]:
    importing = medians(("-c", "import bayescompare"), ("-c", "import numpy, scipy.special"))
    command = ("-m", "bayescompare", "compare", "--example", "benavoli-example1")
    comparing = medians(command, ("-c", LIBRARIES))
    asking = medians(("-m", "bayescompare", "--help"), ("-c", SHOWING_HELP))
    return [
        Row(
            "CPU of `bayescompare --help` against its libraries'",
            *asking,
            "≥ 0.5×",
            asking[0] <= 2.0 * asking[1],
        ),
        Row(
            "import bayescompare against import numpy, scipy.special",
            *importing,
            "≥ 0.67×",
            importing[0] <= 1.5 * importing[1],
        ),
        Row(
            "CPU of `bayescompare compare --example benavoli-example1` against its libraries'",
            *comparing,
            "≥ 0.71×",
            comparing[0] <= 1.4 * comparing[1],
        ),
    ]
