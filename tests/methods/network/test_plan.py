"""Planning with networks: predicted datasets leave P where it is, on average."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.methods import Network
from bayescompare.posterior.network import MonteCarlo
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


@pytest.mark.parametrize(
    "choices",
    [
        {"search": no.COLLIDER, "priors": {"alpha": 0.5}},
        {"average": True, "max_parents": 2},
        pytest.param({"search": no.CHAIN}, marks=pytest.mark.slow),
        pytest.param(
            {"average": True, "max_parents": 1, "priors": {"alpha": {"m0": 2.0, "*": 0.3}}},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_probabilities_are_a_martingale(
    choices: dict[str, Any], walk: tuple[np.ndarray, Results]
) -> None:
    """E P(max | old and predicted data) = P(max | old data), where graph and limit are fixed."""
    _, results = walk
    c = ask(results, mcse=3e-3, **choices)
    posterior = c.posterior.learned  # type: ignore[attr-defined]
    rng, size = np.random.default_rng(5), 60
    rough = MonteCarlo(0.01, rng, is_rough=True)
    found = np.array(
        [
            posterior.with_more(posterior.predict(15, 1, rng)[0], rough).p_max()[:-1]
            for _ in range(size)
        ]
    )
    error = np.hypot(found.std(axis=0) / math.sqrt(size), 3e-3)
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - c.probability.values), 4 * error)


def test_statements_never_seen_are_listed_after_the_others() -> None:
    """Of 512 statements some fifteen are listed; predictions see more."""
    results = table(no.linked(15, 9, seed=3))
    c = ask(results, mcse=0.05, search=[])
    listed = len(c.answer.labels)
    found = c.posterior.grown()(40, np.random.default_rng(1))
    assert len(found) > listed
    assert found.sum() <= 1.0 + 1e-9


def test_the_table_of_an_average() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method=Network(average=True), rng=0)
    found = c.plan([5, 50], simulations=40, rng=1)
    assert found.index.tolist() == [5, 50]
    assert found.loc[50, "settled"] > found.loc[5, "settled"]
