"""Bounds over completions, against trying each one."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.completions import Maxima, completion_bounds
from bayescompare.kernels.dirichlet.pmax import p_max

EITHER = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])


def maxima_of(log_alpha: np.ndarray) -> Maxima:
    return lambda vectors: p_max(log_alpha, vectors)[:, :-1]


def options_of(kinds: list[int]) -> list[np.ndarray]:
    """Two measures: 0 has the first missing, 1 the second, 2 both."""
    first, second = np.eye(2)[:1], np.eye(2)[1:]
    parts = {
        0: [np.kron(a, b) for a in EITHER for b in second],
        1: [np.kron(a, b) for a in first for b in EITHER],
        2: [np.kron(a, b) for a in EITHER for b in EITHER],
    }
    return [np.array(parts[kind]) for kind in kinds]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=4),
    st.lists(st.integers(0, 2), min_size=1, max_size=3),
)
def test_bounds_are_the_extremes_of_all_completions(counts: list[int], kinds: list[int]) -> None:
    known, log_alpha = np.array(counts, float), np.log(np.full(4, 0.25))
    options = options_of(kinds)
    ways = np.array([known + sum(way) for way in itertools.product(*options)])
    each = np.concatenate([p_max(log_alpha, way[None])[:, :-1] for way in ways])
    bounds = completion_bounds(known, options, maxima_of(log_alpha))
    assert bounds is not None
    np.testing.assert_allclose(bounds, [each.min(axis=0), each.max(axis=0)], atol=1e-10)


def test_too_many_completions_are_refused() -> None:
    """Nine completions of each of eight datasets, over eight statements."""
    options = [np.random.default_rng(k).dirichlet(np.ones(8), 9) for k in range(8)]
    assert completion_bounds(np.zeros(8), options, maxima_of(np.full(8, -np.log(8)))) is None
