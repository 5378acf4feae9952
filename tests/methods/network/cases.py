"""How the tests of the network test ask it, and how they compare it with draws."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Network
from bayescompare.table.results import Results


def ask(results: Results, *, rng: int = 0, **choices: Any) -> NetworkComparison:
    c = bc.compare(results, method=Network(**choices), rng=rng)
    assert isinstance(c, NetworkComparison)
    return c


def error_of(c: Any) -> np.ndarray:
    """The Monte Carlo error of every probability; 0 where it is exact."""
    return np.zeros(len(c.probability)) if c.exact else c.mcse.values


def agree(c: Any, share: np.ndarray, size: int) -> None:
    """An answer with its MCSE and an independent share of so many draws: four combined errors."""
    p = c.probability.values
    safe = np.clip(p, 1 / size, 1 - 1 / size)
    error = np.hypot(error_of(c), np.sqrt(safe * (1 - safe) / size))
    np.testing.assert_array_less(np.abs(p - share), 4 * error)
