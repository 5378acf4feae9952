"""Answers that several pictures show, computed once."""

from __future__ import annotations

from typing import Any

import pytest

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from tests.methods.gsd.cases import ask
from tests.plots.drawn import network_of, results_of


@pytest.fixture(scope="session")
def three_states() -> bc.Comparison:
    difference = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, -3.0, -3.0]
    return bc.compare(results_of({"A": difference, "B": [0.0] * 10}, rope=1.0))


@pytest.fixture(scope="session")
def network() -> Any:
    c = network_of(4, 3, 1)
    assert sorted(len(part) for part in c.components["measures"]) == [1, 3, 4]
    return c


@pytest.fixture(scope="session")
def mixed(uci: bc.Results) -> bc.Pairwise:
    return bc.pairwise(uci, measures=["auc", "brier"], n_jobs=1)


@pytest.fixture(scope="session")
def against_glm(uci: bc.Results) -> bc.Pairwise:
    return bc.pairwise(uci, reference="GLM", n_jobs=1)


@pytest.fixture(scope="session")
def bootstrapped(uci: bc.Results) -> bc.Pairwise:
    """One question about all measures, of which some answer is incomparable."""
    method = GSDBootstrap(delta=0, resamples=60)
    return bc.pairwise(
        uci, method=method, algorithms=["BDS", "RF", "EN"], rng=1, n_jobs=1, guard=False
    )


@pytest.fixture(scope="session")
def whole(uci: bc.Results) -> Any:
    return ask(uci, GSD(delta=0))


@pytest.fixture(scope="session")
def ranking(uci: bc.Results) -> bc.Ranking:
    return bc.rank(uci, draws=500, rng=0)
