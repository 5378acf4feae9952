"""Every task by everybody, one process after the other."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bayescompare import BayescompareError, __version__
from bayescompare._errors import did_you_mean
from benchmarks.peers.table import OURS, BenchRow, BenchTable
from benchmarks.peers.tasks import TASKS, BenchTask

__all__ = ["run_bench"]

_HERE = Path(__file__).parent
#: Files of `peers`, the names of their packages, and whether they need the peers' interpreter.
_PACKAGES = {
    "ours": (OURS, False),
    "scipy_peer": ("scipy", False),
    "naive": ("plain code", False),
    "baycomp_peer": ("baycomp", True),
    "autorank_peer": ("autorank", True),
    "posthocs_peer": ("scikit-posthocs", True),
    "pgmpy_peer": ("pgmpy", False),  # a requirement of ours
}
#: Seconds after which a process is given up; a loaded machine needs many.
_PATIENCE = 1800


def run_bench(
    *,
    tasks: Sequence[str] | None = None,
    sizes: int | None = None,
    peers: str | os.PathLike[str] | None = None,
    seed: int = 0,
    tell: Callable[[str], object] | None = None,
) -> BenchTable:
    """Time this package against others on the same data.

    Every package runs each task in a process of its own. Times are of the processor, so that other
    load on the machine matters little.

    Parameters
    ----------
    tasks : sequence of str, optional
        Names from `TASKS`; all by default.
    sizes : int, optional
        Only so many sizes of each task, the smallest first.
    peers : path, optional
        The Python interpreter that has the other packages; this one by default. A package that it
        lacks is listed as not installed.
    seed : int
    tell : callable, optional
        Called with a line before each process starts.

    Returns
    -------
    BenchTable

    Examples
    --------
    >>> table = run_bench(tasks=["fold_t"], sizes=1)  # doctest: +SKIP
    >>> [row.package for row in table.rows]  # doctest: +SKIP
    ['bayescompare', 'baycomp', 'scipy']
    """
    chosen = _chosen_tasks(tasks)
    if sizes is not None and sizes < 1:
        raise BayescompareError(f"sizes={sizes!r}: give 1 or more.")
    interpreter = _peer_interpreter(peers)
    rows: list[BenchRow] = []
    versions = {OURS: __version__}
    for task in chosen:
        cases = task.cases(seed, task.sizes[:sizes])
        reports = {}
        for name in ("ours", *task.others):
            package, foreign = _PACKAGES[name]
            if tell is not None:
                tell(f"{task.title}: {package}")
            reports[package] = _run_peer(interpreter if foreign else sys.executable, name,
                                         {"task": task.name, "cases": cases})  # fmt: skip
            if reports[package].get("version"):
                own = "numpy" if name == "naive" else package
                versions.setdefault(own, reports[package]["version"])
        rows += _bench_rows(task, cases, reports)
    return BenchTable(tuple(rows), _machine(), versions, seed)


def _chosen_tasks(names: Sequence[str] | None) -> tuple[BenchTask, ...]:
    if names is None:
        return TASKS
    known = {task.name: task for task in TASKS}
    for name in names:
        if name not in known:
            raise BayescompareError(
                f"tasks={name!r}: unknown task.{did_you_mean(name, known)} Choose from "
                f"{', '.join(known)}."
            )
    if not names:
        raise BayescompareError(f"tasks=[]: choose from {', '.join(known)}.")
    return tuple(known[name] for name in dict.fromkeys(names))


def _peer_interpreter(peers: str | os.PathLike[str] | None) -> str:
    if peers is None:
        return sys.executable
    # A link is kept: a virtual environment is recognised by the name its interpreter is called by.
    path = Path(os.path.abspath(os.fspath(peers)))
    if not path.is_file() or not os.access(path, os.X_OK):
        raise BayescompareError(
            f"peers={os.fspath(peers)!r}: no Python interpreter is there; `make bench` creates "
            ".venv-bench/bin/python."
        )
    return str(path)


def _run_peer(interpreter: str, name: str, job: dict[str, Any]) -> dict[str, Any]:
    """What a process reports: cases, or what is missing, or what failed."""
    command = [interpreter, "-P", str(_HERE / "job.py"), str(_HERE / "packages" / f"{name}.py")]
    # One thread for everybody: threads that wait by turning would count as work.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        done = subprocess.run(
            command,
            input=json.dumps(job),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            env={**os.environ, **threads, "PYTHONIOENCODING": "utf-8"},
        )
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer after {_PATIENCE} s"}
    except (OSError, ValueError) as error:
        return {"failed": f"{interpreter} gave no answer ({error})"}
    return report if isinstance(report, dict) else {"failed": f"answered {report!r}"}


def _bench_rows(
    task: BenchTask, cases: Sequence[dict[str, Any]], reports: dict[str, dict[str, Any]]
) -> Iterable[BenchRow]:
    for number, (case, size) in enumerate(zip(cases, task.sizes, strict=False)):
        answers = {
            package: report["cases"][number]["values"]
            for package, report in reports.items()
            if "cases" in report
        }
        errors = task.errors(case, answers)
        ours = reports[OURS].get("cases")
        for package, report in reports.items():
            head = (task.name, task.title, task.size_name, size, package)
            if "cases" in report:
                measured = report["cases"][number]
                seconds = measured["seconds"]
                ratio = seconds / ours[number]["seconds"] if ours else None
                memory = measured["megabytes"]
                yield BenchRow(*head, "ok", seconds, memory, errors[package], ratio)
            elif "missing" in report:
                yield BenchRow(*head, "not installed", note=f"{report['missing']} is missing")
            else:
                yield BenchRow(*head, "failed", note=str(report.get("failed", report)))


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
