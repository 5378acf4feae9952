"""Statements drawn from tables, against the products of their cells."""

from __future__ import annotations

import numpy as np

from bayescompare.kernels.network.ancestral import ancestral_states
from bayescompare.kernels.network.statements import NetworkTables
from tests.oracles.network import joint_states

ARITIES = (2, 3, 2)
#: The third measure depends on the first, the second on both.
PARENTS = (0, 0b101, 0b001)


def tables() -> NetworkTables:
    states = joint_states(ARITIES)
    weights = np.random.default_rng(4).random(len(states))
    return NetworkTables.count(states, weights, ARITIES, PARENTS, range(3), 1.0)


def test_every_statement_is_as_frequent_as_its_cells_say() -> None:
    drawn, number = tables(), 60_000
    logs = drawn.log_draws(2, np.random.default_rng(5))
    found = ancestral_states(drawn, logs, number, np.random.default_rng(6))
    assert found.shape == (2, number, 3)
    every = joint_states(ARITIES)
    theta = np.exp(logs[:, drawn.cells(every)].sum(axis=-1))
    np.testing.assert_allclose(theta.sum(axis=1), 1.0)
    for one, expected in zip(found, theta, strict=True):
        code = np.ravel_multi_index(tuple(one.T), ARITIES)
        shares = np.bincount(code, minlength=len(every)) / number
        assert (np.abs(shares - expected) <= 4 * np.sqrt(expected / number) + 1e-9).all()


def test_a_certain_row_is_always_drawn() -> None:
    drawn = tables()
    with np.errstate(divide="ignore"):
        logs = drawn.normalised(np.where(np.arange(len(drawn.alpha)) % 2 == 0, 0.0, -1e9)[None])
    states = ancestral_states(drawn, logs, 5, np.random.default_rng(0))
    assert np.exp(logs[0, drawn.cells(states[0])]).min() > 0.0
