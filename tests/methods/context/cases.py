"""How the tests of the Poisson-binomial test ask it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.methods import PoissonBinomial
from tests.oracles.context import better, counts_of

BOTH = pytest.mark.parametrize("joint", [False, True], ids=["cut", "joint"])

pairs_of_counts = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=7
)


def ask(pairs: Any, **choices: Any) -> Any:
    counts = pairs if isinstance(pairs, bc.Results) else counts_of(pairs)
    return bc.compare(counts, method=PoissonBinomial(**choices))


def alone(pairs: Any, a: float = 1.0) -> list[float]:
    return [better(h, g, a) for h, g in pairs]
