"""Sampled DAGs against their probabilities, by the sampler's own steps and by counting."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayescompare.kernels.network.dag_posterior import edge_probabilities_of_dags, is_acyclic
from bayescompare.kernels.network.dag_sampling import (
    DagSampler,
    _dag_layer_weights,
    _dag_parent_weights,
    sample_dags,
)
from bayescompare.kernels.network.dag_search import _dag_mask_without_gap
from tests.cases import few_quick
from tests.kernels.network.cases import scored
from tests.oracles import network as no


def layers_of(graph: list[int]) -> list[int]:
    """The roots, then what has its parents among them, and so on."""
    union, found = 0, []
    while union != (1 << len(graph)) - 1:
        layer = sum(1 << j for j, p in enumerate(graph) if not union >> j & 1 and not p & ~union)
        found.append(layer)
        union |= layer
    return found


def squeeze(layer: int, union: int, m: int) -> int:
    """A layer as a subset of the measures that are not in the union."""
    free = [j for j in range(m) if not union >> j & 1]
    return sum(1 << k for k, j in enumerate(free) if layer >> j & 1)


def log_probability(sampler: DagSampler, graph: list[int]) -> float:
    """How probable the sampler's steps make a graph."""
    m = len(graph)
    last, union, found = 0, 0, 0.0
    for layer in layers_of(graph):
        layers = _dag_layer_weights(sampler._sums, sampler._log_q, last, union)
        steps = [(layers, squeeze(layer, union, m))]
        for j in no.bits(layer) if union else []:
            own = _dag_parent_weights(
                sampler._local[j], _dag_mask_without_gap(last, j), _dag_mask_without_gap(union, j)
            )
            steps.append((own, _dag_mask_without_gap(graph[j], j)))
        for weights, chosen in steps:
            if weights[chosen] == 0.0:
                return -math.inf
            found += math.log(weights[chosen] / weights.sum())
        last, union = layer, union | layer
    return float(found)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_steps_multiply_to_the_posterior(seed: int, m: int) -> None:
    """Every graph, nothing drawn; scores over hundreds of nats, some parents forbidden."""
    rng = np.random.default_rng(seed)
    local = rng.normal(0.0, 10.0 ** rng.uniform(-1, 2.5), (m, 1 << m))
    forbidden = rng.random(local.shape) < 0.2
    local[forbidden & (np.arange(1 << m) > 0)] = -np.inf
    dags = no.every_dag(m)
    scores = no.dag_scores(local, dags)
    sampler = DagSampler(no.squeezed(local))
    found = np.exp([log_probability(sampler, graph) for graph in dags.tolist()])
    np.testing.assert_allclose(found, np.exp(scores - logsumexp(scores)), atol=1e-10)


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_the_steps_on_five_measures(strength: float) -> None:
    mine, textbook = scored(3, 5, 4, strength=strength)
    dags = no.every_dag(5)[::97]
    scores = no.dag_scores(textbook, no.every_dag(5))
    p = np.exp(scores - logsumexp(scores))[::97]
    sampler = DagSampler(mine)
    found = np.exp([log_probability(sampler, graph) for graph in dags.tolist()])
    np.testing.assert_allclose(found, p, atol=1e-11)


@pytest.mark.parametrize(
    ("m", "most", "strength"),
    few_quick([(4, 3, 0.3), (3, 1, 0.0), (2, 1, 0.3), (3, 2, 0.5), (4, 1, 0.5)], 2, several=True),
)
def test_sampled_dags_have_their_posterior_frequencies(m: int, most: int, strength: float) -> None:
    mine, textbook = scored(5 * m + most, m, most, n=25, strength=strength)
    size = 20_000
    drawn = Counter(sample_dags(mine, size, np.random.default_rng(8)))
    dags = no.every_dag(m)
    scores = no.dag_scores(textbook, dags)
    p = np.exp(scores - logsumexp(scores))
    assert set(drawn) <= set(map(tuple, dags[p > 0].tolist()))
    share = np.array([drawn[tuple(row)] for row in dags.tolist()]) / size
    # Rare graphs are counted, not normal: a count of 5 is possible wherever 0.5 is expected.
    np.testing.assert_array_less(np.abs(share - p), 4 * np.sqrt(p * (1 - p) / size) + 5 / size)
    # Pearson's statistic over the graphs expected at least five times.
    often = p * size >= 5
    chi2 = float((size * (share - p)[often] ** 2 / p[often]).sum())
    freedom = int(often.sum())
    assert chi2 < freedom + 4 * math.sqrt(2 * freedom)


def test_the_same_seed_draws_the_same_dags() -> None:
    mine, _ = scored(3, 4, 3)
    one, two = (sample_dags(mine, 50, np.random.default_rng(1)) for _ in range(2))
    assert one == two
    assert all(is_acyclic(graph) for graph in one)


@pytest.mark.parametrize("shift", [-300.0, -800.0, -5000.0])
def test_the_level_of_the_scores_does_not_matter(shift: float) -> None:
    """A thousand datasets put every local score below −700: a constant per measure cancels."""
    mine, _ = scored(11, 4, 3)
    expected = sample_dags(mine, 200, np.random.default_rng(2))
    np.testing.assert_allclose(
        edge_probabilities_of_dags(mine + shift), edge_probabilities_of_dags(mine), atol=1e-9
    )
    assert sample_dags(mine + shift, 200, np.random.default_rng(2)) == expected


def test_edges_of_ten_measures() -> None:
    """Shares of edges in samples against the sum over all graphs, in four standard errors."""
    mine, _ = scored(6, 10, 2, n=60, strength=0.6, textbook=False)
    size = 3000
    drawn = np.array(sample_dags(mine, size, np.random.default_rng(4)))
    share = np.array([[(drawn[:, j] >> i & 1).mean() for j in range(10)] for i in range(10)])
    exact = edge_probabilities_of_dags(mine)
    assert ((exact > 0.05) & (exact < 0.95)).sum() > 20
    error = np.sqrt(exact * (1 - exact) / size)
    np.testing.assert_array_less(np.abs(share - exact), 4 * error + 5 / size)
