"""What every test runs under: no window, and the same examples on every machine.

``make test-all`` tries more examples of each property (``HYPOTHESIS_PROFILE=whole``), and
``HYPOTHESIS_PROFILE=explore`` looks for new counterexamples, with many times as many.

Without the slow tests PyTensor interprets its graphs: the models are small and few draws are taken
of each, so compiling them would take most of the time. A test that must go the way of a user takes
the fixture `compiled`, and ``make test-all`` compiles everything.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.table.counts import ErrorCounts
    from bayescompare.table.results import Results

# Before anything imports matplotlib; it is not loaded here, since some tests check that it is not.
os.environ["MPLBACKEND"] = "Agg"
# Workers of xdist say 80, and a pipe is as wide as this says.
os.environ.pop("COLUMNS", None)
# Commands that tests start would compile the package's source anew, half a second each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile(
    "whole",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
QUICK_EXAMPLES = 6
settings.register_profile("quick", settings.get_profile("whole"), max_examples=QUICK_EXAMPLES)
settings.register_profile(
    "explore", settings.get_profile("whole"), derandomize=False, max_examples=500
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
settings.load_profile(PROFILE)


def pytest_configure(config: pytest.Config) -> None:
    """Let PyTensor interpret where no slow test is run; it reads this when it is imported."""
    if config.option.markexpr == "not slow":
        # Nor does it remember for each variable which line made it.
        os.environ.setdefault("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=,traceback__limit=0")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings only where there are any: it takes as long as the imports."""
    found = yield
    if file_path.suffix == ".py" and b">>>" not in file_path.read_bytes():
        return [one for one in found if not isinstance(one, DoctestModule)]
    return found


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let a property that asks for many examples have them in ``make test-all`` only."""
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if PROFILE == "quick" and asked is not None and asked.max_examples > QUICK_EXAMPLES:
        fewer = settings(asked, max_examples=QUICK_EXAMPLES)
        test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def pytest_sessionstart() -> None:
    """Compile while the other worker collects, and leaves the bytecode of all tests behind."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        from tests.kernels_compiled import compile_gsd

        compile_gsd()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect ten thousand tests without looking for garbage among them, and later look rarely.

    What is imported is left out for good: statsmodels asks for a collection at each call. Others
    are rare, since numba makes very many objects that are no garbage.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(400_000, 50, 100)
        gc.enable()
        if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
            from tests.kernels_compiled import compile_others

            compile_others()


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Close what a test drew and left open: matplotlib warns of the twenty-first figure."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def compiled() -> Iterator[None]:
    """PyTensor's own way, which users have: compile."""
    from pytensor import config

    with config.change_flags(mode="Mode"):
        yield


@pytest.fixture(scope="session")
def wide() -> Results:
    """Two algorithms on twelve hundred measures: K = 2^1200 is beyond float range."""
    import numpy as np

    from tests.tables import table

    return table(np.random.default_rng(0).random((4, 2, 1200)))


@pytest.fixture(scope="session")
def wide_answer(wide: Results) -> Comparison:
    """The default method's answer about them."""
    import bayescompare as bc

    return bc.compare(wide)


@pytest.fixture(scope="session")
def uci() -> Results:
    """Eight classifiers on sixteen datasets and three measures."""
    import bayescompare as bc

    return bc.load_example("jansen-uci")


@pytest.fixture(scope="session")
def results() -> Results:
    """Example 1 of Benavoli: two algorithms on two measures, the smallest table there is."""
    import bayescompare as bc

    return bc.load_example("benavoli-example1")


@pytest.fixture(scope="session")
def counts() -> ErrorCounts:
    """Errors of two classifiers that were tested on the same examples."""
    import bayescompare as bc

    errors = bc.load_example("lacoste-svm-parzen")
    assert isinstance(errors, bc.ErrorCounts)
    return errors


@pytest.fixture(scope="session")
def own(results: Results) -> Comparison:
    """A model of the user's own whose observed variable is none of ours, sampled briefly."""
    import bayescompare as bc
    from tests.methods.model_file.own import QUICK, by_measure

    return bc.compare(results, method=by_measure, rng=1, sampler=QUICK)


@pytest.fixture(scope="session")
def example1(results: Results) -> Comparison:
    """Example 1 of Benavoli as the default method answers it."""
    import bayescompare as bc

    return bc.compare(results)


@pytest.fixture(scope="session")
def pairs(uci: Results) -> Pairwise:
    """Every pair of the eight classifiers, as the default method answers."""
    import bayescompare as bc

    return bc.pairwise(uci, n_jobs=1)


@pytest.fixture(scope="session")
def tested(uci: Results) -> Pairwise:
    """Every pair of the eight classifiers with its p-value."""
    import bayescompare as bc

    return bc.pairwise(uci, method="glrt", n_jobs=1)
