"""The door to parallel work: order, laziness, and errors in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import joblib
import pytest
from joblib.parallel import ThreadingBackend

import bayescompare as bc
from bayescompare._parallel import run_in_parallel
from bayescompare.studies import use_dask


@pytest.mark.parametrize("n_jobs", [1, 3, None])
def test_results_come_in_the_order_of_the_tasks(n_jobs: int | None) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert list(run_in_parallel(divmod, [(7, 2), (9, 4)], n_jobs=n_jobs)) == [(3, 1), (2, 1)]


def test_tasks_are_taken_as_results_are_read() -> None:
    taken = []

    def tasks() -> Iterator[tuple[int]]:
        for k in range(1000):
            taken.append(k)
            yield (k,)

    results = run_in_parallel(abs, tasks(), n_jobs=1)
    assert next(results) == 0
    assert len(taken) == 1


class WholeLists(ThreadingBackend):
    """A backend that cannot give results one by one, as those of Ray and multiprocessing."""

    supports_return_generator = False


@pytest.mark.parametrize("n_jobs", [None, 2, -1])
def test_a_backend_that_returns_whole_lists(n_jobs: int | None) -> None:
    """In rounds, so that not all tasks are in memory at once."""
    joblib.register_parallel_backend("whole-lists", WholeLists)
    taken = []

    def tasks() -> Iterator[tuple[int]]:
        for k in range(1000):
            taken.append(k)
            yield (-k,)

    with joblib.parallel_config(backend="whole-lists", n_jobs=2):
        results = run_in_parallel(abs, tasks(), n_jobs=n_jobs)
        assert next(results) == 0
        assert len(taken) <= 8 * (os.cpu_count() or 1)
        assert list(results) == list(range(1, 1000))
        with pytest.raises(ZeroDivisionError):
            list(run_in_parallel(divmod, [(1, 0)], n_jobs=n_jobs))


def test_a_bar_is_shown_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    done = list(run_in_parallel(abs, [(-1,), (2,)], progress=True, label="counting", total=2))
    assert done == [1, 2]
    out, _ = capsys.readouterr()
    assert out == ""


def test_an_error_of_a_task_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        list(run_in_parallel(divmod, [(1, 0)], n_jobs=1))
    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError):
        list(run_in_parallel(divmod, [(1, 0)], n_jobs=2))


def test_jobs_that_are_none() -> None:
    with pytest.raises(bc.BayescompareError, match="n_jobs=0: give an integer"):
        list(run_in_parallel(abs, [(1,)], n_jobs=0))


@pytest.mark.slow
def test_a_worker_that_dies_is_told_in_one_line() -> None:
    def die(_: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(bc.BayescompareError, match="workers were lost before their work was done"):
        list(run_in_parallel(die, [(1,), (2,)], n_jobs=2))


#: Prints as soon as a worker is at work, and works for an hour.
HOUR = """
import time
from bayescompare._parallel import run_in_parallel

def work(_):
    print("begun", flush=True)
    time.sleep(3600)

list(run_in_parallel(work, [(1,), (2,)], n_jobs=2))
"""


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_workers_end_with_the_process_that_started_them() -> None:
    """A library handles no signals, so they must notice it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOUR],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
            process.terminate()
            # Its streams end when the last worker does: they have them too.
            process.communicate(timeout=20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGTERM


def test_a_scheduler_that_cannot_be_reached_is_told_in_one_line() -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(bc.BayescompareError) as told,
        use_dask(address="tcp://127.0.0.1:9", timeout=0.3),
    ):
        pass
    assert str(told.value).startswith("address='tcp://127.0.0.1:9': no Dask scheduler answered")
    assert "\n" not in str(told.value)
    with pytest.raises(bc.BayescompareError, match="address=None: no Dask scheduler"), use_dask():
        pass


def test_answers_do_not_depend_on_jobs(uci: Any) -> None:
    """Of a single comparison too: resamples of a dominance test are judged in chunks."""
    from bayescompare.kernels.gsd import verdicts

    pair = uci.sel(algorithms=["GBM", "RF"])
    method = bc.methods.GSD(permutations=150)
    usual = bc.compare(pair, method=method, rng=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts, "_CHUNK", 20)
        one = bc.compare(pair, method=method, rng=1)
        with joblib.parallel_config(backend="threading"):
            two = bc.compare(pair, method=method, rng=1, n_jobs=2, progress=False)
    assert usual.to_json() == one.to_json() == two.to_json()
    with pytest.raises(bc.BayescompareError, match="n_jobs=0"):
        bc.compare(pair, method=method, n_jobs=0)
