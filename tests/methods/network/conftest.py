"""Networks that several files ask about, computed once."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.comparisons import NetworkComparison
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


@pytest.fixture(scope="session")
def walk() -> tuple[np.ndarray, Results]:
    values = no.linked(40, 3, seed=1)
    return values, table(values)


@pytest.fixture(scope="session")
def chain4() -> NetworkComparison:
    results = table(no.linked(60, 4, seed=0))
    return ask(results, search=[("m0", "m1"), ("m1", "m2"), ("m2", "m3")], mcse=3e-3)


@pytest.fixture(scope="session")
def averaged(walk: tuple[np.ndarray, Results]) -> NetworkComparison:
    return ask(walk[1], average=True, max_parents=2)
