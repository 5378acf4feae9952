"""One task of one package, timed in a process of its own.

Started by path, ``python -P job.py peers/naive.py``, with the interpreter that has the package;
it need not have bayescompare. The task and its data come as JSON on standard input;
seconds, megabytes and values go as JSON to standard output.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["measure_job", "run_job"]

#: Rounds whose median counts, and the processor seconds that a round lasts at least.
_ROUNDS, _LEAST = 3, 0.1
#: The first call may load and compile what later ones use, so the second one counts, unless the
#: first takes longer than this; and further ones too, unless the second takes longer than a second.
_TOO_LONG, _LONG = 20.0, 1.0


def run_job(script: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Return what a script of `peers` measures on the cases of a task.

    Parameters
    ----------
    script : Path
        It defines ``PACKAGE``, and a function for every task that makes a call from a case.
    job : dict
        ``task`` and ``cases``.
    """
    peer = _load_peer(script)
    try:
        made = [getattr(peer, job["task"])(case) for case in job["cases"]]
        measured = [measure_job(call) for call in made]
    except ModuleNotFoundError as error:
        return {"missing": error.name or str(error)}
    except Exception as error:  # a peer's failure is a row of the table, not the end of it
        return {"failed": f"{type(error).__name__}: {error}"}
    return {"version": _version_of(peer.PACKAGE), "cases": measured}


def measure_job(call: Callable[[], Sequence[float]]) -> dict[str, Any]:
    """Return processor seconds, megabytes above what was there, and the values of one call."""
    values, seconds, megabytes = _one_call(call)
    if seconds <= _TOO_LONG:
        values, seconds, megabytes = _one_call(call)
    if seconds <= _LONG:
        seconds = statistics.median(_seconds_per_call(call) for _ in range(_ROUNDS))
    return {"seconds": seconds, "megabytes": megabytes, "values": values}


def _one_call(call: Callable[[], Sequence[float]]) -> tuple[list[float], float, float]:
    """Values, processor seconds, and megabytes at the peak above what was in use."""
    before, start = _memory_in_use(), _processor_seconds()
    values = [float(value) for value in call()]
    return values, _processor_seconds() - start, max(_peak_memory() - before, 0.0)


def _seconds_per_call(call: Callable[[], object]) -> float:
    calls, start = 0, _processor_seconds()
    while (spent := _processor_seconds() - start) < _LEAST:
        call()
        calls += 1
    return spent / calls


def _processor_seconds() -> float:
    """Processor time of this process and its children: other people's load does not count."""
    return time.process_time() + sum(os.times()[2:4])


def _memory_in_use() -> float:
    with suppress(OSError, AttributeError):
        # glibc keeps what earlier calls gave back, which the next would use again unseen.
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        # Let the peak begin again at what is in use now.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status_megabytes("VmRSS")


def _peak_memory() -> float:
    return _status_megabytes("VmHWM")


def _status_megabytes(field: str) -> float:
    """A line of Linux's status of this process; elsewhere the peak, which only grows."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(field):
                return float(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**20 if sys.platform == "darwin" else 2**10
    )


def _load_peer(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with redirect_stdout(sys.stderr):  # what a peer prints is not the answer
        answer = run_job(Path(sys.argv[1]), json.load(sys.stdin))
    json.dump(answer, sys.stdout)
