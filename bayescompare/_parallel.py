"""The one door to parallel work: joblib, with a progress bar and errors in one line.

Whatever runs through it runs on the cores of this machine, on a Dask cluster or on Ray, as
``joblib.parallel_config`` says. Results come in the order of the tasks. A task brings its own
stream of random numbers, so that the answer is the same for any number of jobs.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import length_hint
from typing import Any, Literal

from bayescompare._checks import check_jobs
from bayescompare._errors import BayescompareError, error_in_one_line

#: Errors by which joblib, loky and Dask tell that workers are gone, not that a task is wrong.
_LOST = frozenset(
    {
        *("TerminatedWorkerError", "BrokenProcessPool", "ShutdownExecutorError", "CancelledError"),
        *("FutureCancelledError", "FuturesCancelledError", "KilledWorker", "CommClosedError"),
        *("SchedulerStillAlive", "NoValidWorkerError", "RayActorError", "NodeDiedError"),
    }
)

#: Backends whose workers are children of this process; those of a cluster have other parents.
_LOCAL = frozenset({"LokyBackend", "MultiprocessingBackend"})

#: Tasks of each worker in a round, where a backend cannot give results one by one.
_ROUND = 8


def run_in_parallel[T](
    function: Callable[..., T],
    tasks: Iterable[Sequence[Any]],
    *,
    n_jobs: int | None = 1,
    prefer: Literal["processes", "threads"] | None = None,
    progress: bool = False,
    label: str = "working",
    total: int | None = None,
) -> Iterator[T]:
    """Yield ``function(*task)`` for every task, in the order of the tasks.

    Tasks are taken from the iterable as workers become free, so neither they nor the results are
    all in memory at once.

    Parameters
    ----------
    function : callable
    tasks : iterable of sequences
        The arguments of each call.
    n_jobs : int, optional
        For joblib; None is what ``joblib.parallel_config`` says, else 1. With 1 given, everything
        runs in this process, whatever the backend.
    prefer : {"processes", "threads"}, optional
        A hint for joblib, which ``joblib.parallel_config`` overrules.
    progress : bool
        Show a bar with the time left on standard error.
    label : str
        What the bar says.
    total : int, optional
        Number of tasks, for the bar, where these do not know how many they are.

    Examples
    --------
    >>> list(run_in_parallel(max, [(1, 2), (4, 3)]))
    [2, 4]
    """
    if n_jobs is not None:
        check_jobs(n_jobs)
    if n_jobs == 1:
        results: Iterable[T] = (function(*task) for task in tasks)
    else:
        results = _results_by_joblib(function, tasks, n_jobs, prefer)
    if not progress:
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    size, console = total or length_hint(tasks) or None, Console(stderr=True)
    yield from track(results, label, total=size, console=console, transient=True)


def _results_by_joblib[T](
    function: Callable[..., T],
    tasks: Iterable[Sequence[Any]],
    n_jobs: int | None,
    prefer: Literal["processes", "threads"] | None,
) -> Iterator[T]:
    from joblib import Parallel, delayed, effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer=prefer)
    # Bound arguments travel with their task: large ones that Dask keeps on one worker for all
    # tasks would be lost with it.
    if type(backend).__name__ in _LOCAL:
        function = partial(_call_in_child, os.getpid(), function)
    calls = (delayed(partial(function, *task))() for task in tasks)
    with _one_line_for_lost_workers():
        if backend.supports_return_generator:
            yield from Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")(calls)
            return
        # Ray and multiprocessing return whole lists: one round after the other.
        with Parallel(n_jobs=n_jobs, prefer=prefer) as parallel:
            for some in itertools.batched(calls, _ROUND * effective_n_jobs(n_jobs)):
                yield from parallel(some)


def _call_in_child[T](parent: int, function: Callable[..., T], *task: Any) -> T:
    """Call the function in a process that ends when the one that started it does."""
    if os.getpid() != parent:  # joblib runs a single job where it is
        _end_child_with(parent)
    return function(*task)


@functools.cache
def _end_child_with(parent: int) -> None:
    """Let this process end with its parent: joblib's would wait for minutes, or for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _one_line_for_lost_workers() -> Iterator[None]:
    """Say in one line that workers were lost; errors of the tasks themselves pass."""
    try:
        yield
    except BayescompareError:
        raise
    except Exception as error:
        names = {kind.__name__ for kind in type(error).__mro__}
        if not names & _LOST:
            raise
        if "serialize" in str(error):
            raise BayescompareError(
                f"n_jobs: a worker could not load a function or its arguments "
                f"({error_in_one_line(error.__cause__ or error)}): define them where workers can "
                "import them, or use n_jobs=1."
            ) from None
        raise BayescompareError(
            f"n_jobs: workers were lost before their work was done ({error_in_one_line(error)}): "
            "the memory may have run out, or the cluster has gone; use fewer jobs, or run again."
        ) from None


@contextmanager
def use_dask(*, address: str | None = None, timeout: float = 10.0) -> Iterator[Any]:
    """Run whatever is parallel inside the block on a Dask cluster.

    Parameters
    ----------
    address : str, optional
        Of the scheduler, such as "tcp://10.0.0.1:8786"; without it, the client that is active.
    timeout : float
        Seconds to wait for the scheduler, and for its first worker.

    Yields
    ------
    distributed.Client
    """
    import joblib

    try:
        import distributed
    except ImportError:
        raise BayescompareError(
            "use_dask needs the package distributed: pip install 'bayescompare[distributed]'."
        ) from None
    where = f"address={address!r}"
    dask: Any = distributed  # parts of which have no types
    try:
        client = dask.get_client() if address is None else dask.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise BayescompareError(
            f"{where}: no Dask scheduler answered within {timeout} seconds "
            f"({error_in_one_line(error)}): check the address, and that the scheduler runs."
        ) from None
    try:
        try:
            client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            raise BayescompareError(
                f"{where}: the scheduler has no worker after {timeout} seconds: start some."
            ) from None
        with joblib.parallel_config(backend="dask", client=client):
            yield client
    finally:
        if address is not None:
            client.close()
