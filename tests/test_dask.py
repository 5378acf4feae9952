"""A Dask cluster of two worker processes gives what one process gives, bit for bit."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.studies import use_dask
from reproduction.dominance import simulated_classifiers
from tests.cases import few_quick
from tests.studies.simple import cases, notes

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two workers of one thread each, in processes of their own."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.parametrize("workers", few_quick([1, 2], 1))
def test_a_study_on_a_cluster(workers: int, tmp_path: Path) -> None:
    one = cases(replications=20).run(rng=3)
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        use_dask(address=cluster.scheduler_address, timeout=60) as client,
    ):
        pids = set(client.run(os.getpid).values())
        assert len(pids | {os.getpid()}) == 1 + workers
        xr.testing.assert_identical(one, cases(replications=20).run(rng=3))
        xr.testing.assert_identical(one, cases(replications=20).run(rng=3, store=tmp_path / "s"))


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(address: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    study = notes(log, 0.3, replications=10)
    with use_dask(address=address, timeout=60) as client:
        killed: list[int] = []

        def kill() -> None:
            """Kill the worker that has finished a case first, in the middle of its next."""
            deadline = time.monotonic() + 60
            while not killed and time.monotonic() < deadline:
                time.sleep(0.05)
                for path in log.glob("*.txt"):
                    killed.append(int(path.stem))
                    os.kill(killed[0], signal.SIGKILL)
                    break

        killer = threading.Thread(target=kill)
        killer.start()
        table = study.run(rng=7, store=tmp_path / "s")
        killer.join()
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
    expected = study.run(rng=7)
    assert table["draw"].equals(expected["draw"])


@pytest.mark.slow
def test_a_dominance_test_on_a_cluster(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eighty datasets: the resamples of one comparison are shared out, here one by one."""
    monkeypatch.setattr("bayescompare.kernels.gsd.verdicts._CHUNK", 1)
    table = simulated_classifiers(eta=0.01, datasets=80, rng=1).sel(algorithms=["C2", "C3"])
    method = bc.methods.GSD(permutations=300)
    one = bc.compare(table, method=method, rng=1)
    with use_dask(address=address, timeout=60):
        shared = bc.compare(table, method=method, rng=1, n_jobs=-1)
    assert shared.to_json() == one.to_json()
