"""The bundled table of the GSD paper, and its dominance, computed once."""

from __future__ import annotations

import pytest

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD
from tests.methods.gsd.cases import ask


@pytest.fixture(scope="session")
def whole(uci: bc.Results) -> GsdComparison:
    return ask(uci, GSD(delta=0))


@pytest.fixture(scope="session")
def everything(uci: bc.Results) -> bc.pairs.Pairwise:
    return bc.pairwise(uci, method=GSD(permutations=120), rng=1, n_jobs=1)
