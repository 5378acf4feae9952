"""Sampled graphs: their steps and frequencies, chains against sums, turns within a class."""

from __future__ import annotations

import math
from collections import Counter

import arviz as az
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayescompare.kernels.network.graphs import edge_probabilities
from bayescompare.kernels.network.sampling import (
    DagSampler,
    PartitionChain,
    _layer_weights,
    _parent_weights,
    sample_dags,
    turn_covered_edge,
    write_layers,
)
from bayescompare.kernels.network.scores import CellPrior, ParentSets, mask_without_gap
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


def log_probability(sampler: DagSampler, graph: list[int]) -> float:
    """How probable the sampler's steps make a graph."""
    last, union, found = 0, 0, 0.0
    for layer in layers_of(graph):
        sets, layers = _layer_weights(sampler._sums, sampler._log_q, last, union)
        steps = [(layers, sets.tolist().index(layer))]
        for j in no.bits(layer) if union else []:
            own = _parent_weights(
                sampler._local[j], mask_without_gap(last, j), mask_without_gap(union, j)
            )
            steps.append((own, mask_without_gap(graph[j], j)))
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


@pytest.mark.parametrize("shift", [-300.0, -800.0, -5000.0])
def test_the_level_of_the_scores_does_not_matter(shift: float) -> None:
    """A thousand datasets put every local score below −700: a constant per measure cancels."""
    mine, _ = scored(11, 4, 3)
    expected = sample_dags(mine, 200, np.random.default_rng(2))
    np.testing.assert_allclose(
        edge_probabilities(mine + shift), edge_probabilities(mine), atol=1e-9
    )
    assert sample_dags(mine + shift, 200, np.random.default_rng(2)) == expected


def test_edges_of_ten_measures() -> None:
    """Shares of edges in samples against the sum over all graphs, in four standard errors."""
    mine, _ = scored(6, 10, 2, n=60, strength=0.6, textbook=False)
    size = 3000
    drawn = np.array(sample_dags(mine, size, np.random.default_rng(4)))
    share = np.array([[(drawn[:, j] >> i & 1).mean() for j in range(10)] for i in range(10)])
    exact = edge_probabilities(mine)
    assert ((exact > 0.05) & (exact < 0.95)).sum() > 20
    error = np.sqrt(exact * (1 - exact) / size)
    np.testing.assert_array_less(np.abs(share - exact), 4 * error + 5 / size)


# ----------------------------------------------------------------------------------------- a chain


def sampled(
    sets: ParentSets, draws: int, *, seed: int = 0, table: bool = True
) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, standard error and greatest R-hat of every edge that varies, from four chains."""
    m = len(sets.masks)
    rng = np.random.default_rng(seed)
    sums = sets.subset_sums() if table else np.zeros((m, 0))
    chains = [PartitionChain(sets, sums, rng) for _ in range(4)]
    for chain in chains:
        chain.sample(200, rng)
    kept = np.stack([chain.sample(draws, rng) for chain in chains])
    x = xr.DataArray(kept.reshape(4, draws, m * m), dims=("chain", "draw", "edge"))
    moving = x.std(("chain", "draw")).values > 1e-3
    error, rhat = np.zeros(m * m), float(az.rhat(x[:, :, moving]).max())
    error[moving] = az.mcse(x[:, :, moving], method="mean")
    ess = float(az.ess(x[:, :, moving], method="mean").min())
    return kept.mean(axis=(0, 1)), np.hypot(error, 1 / ess).reshape(m, m), rhat


def parent_sets(
    seed: int, m: int, most: int, *, n: int = 40, strength: float = 0.6
) -> tuple[ParentSets, np.ndarray]:
    """Sets of parents, and P(edge) by adding up all graphs."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, n, strength)
    return summed(ParentSets.score(states, counts, arities, CellPrior(), most))


def summed(sets: ParentSets) -> tuple[ParentSets, np.ndarray]:
    m = len(sets.masks)
    local = np.full((m, 1 << m), -np.inf)
    np.put_along_axis(local, sets.masks, sets.scores, axis=1)
    return sets, edge_probabilities(no.squeezed(local))


@pytest.mark.parametrize(("m", "most", "n"), [(3, 2, 5), (5, 2, 40), (8, 3, 40)])
def test_edges_by_summing_over_all_graphs(m: int, most: int, n: int) -> None:
    sets, expected = parent_sets(m + most, m, most, n=n)
    found, error, rhat = sampled(sets, 1000)
    assert rhat < 1.02
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_without_the_table_of_sums_the_chain_is_the_same() -> None:
    sets, _ = parent_sets(1, 6, 3)
    one, two = (sampled(sets, 200, table=table)[0] for table in (True, False))
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_scores_that_differ_within_a_class() -> None:
    """Under BD turning a covered edge round changes the score."""
    rng = np.random.default_rng(5)
    states, counts = no.random_table(rng, [2] * 5, 30, 0.6)
    prior = CellPrior(alpha=tuple((0.2 + j, 1.0) for j in range(5)))
    sets, expected = summed(ParentSets.score(states, counts, [2] * 5, prior, 2))
    assert np.abs(expected - expected.T).max() > 0.3
    found, error, _ = sampled(sets, 2000)
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_measures_that_copy_each_other() -> None:
    """A thousand datasets: all sets but a few are hundreds of nats below the best."""
    rng = np.random.default_rng(2)
    states = (rng.random((1000, 1)) < 0.5) ^ (rng.random((1000, 6)) < 0.02).cumsum(axis=1) % 2
    rows, place = np.unique(states.astype(np.int64), axis=0, return_inverse=True)
    counts = np.bincount(place.ravel()).astype(float)
    sets, expected = summed(ParentSets.score(rows, counts, [2] * 6, CellPrior(), 2))
    assert sets.scores[:, 0].max() - sets.scores[:, -1].max() > 300
    found, error, _ = sampled(sets, 1500)
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_every_sample_is_a_distribution_over_parents() -> None:
    sets, _ = parent_sets(3, 6, 2)
    rng = np.random.default_rng(0)
    edges = PartitionChain(sets, sets.subset_sums(), rng).sample(300, rng)
    assert (edges >= 0).all()
    assert (edges <= 1 + 1e-9).all()
    assert (edges.sum(axis=1) <= 2 + 1e-9).all(), "at most two parents"
    assert (edges[:, np.arange(6), np.arange(6)] == 0).all()
    # A layering allows one direction only.
    assert (np.minimum(edges, edges.transpose(0, 2, 1)) < 1e-12).all()


@pytest.mark.slow
def test_edges_of_twelve_measures() -> None:
    m, most = 12, 4
    sets, expected = parent_sets(m + most, m, most, n=80)
    found, error, rhat = sampled(sets, 8000)
    print(
        f"m = {m}, at most {most} parents: largest difference {np.abs(found - expected).max():.4f},"
        f" standard error at most {error.max():.4f}, R-hat {rhat:.4f}"
    )
    assert rhat < 1.01
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


# ---------------------------------------------------------------------------- turns within a class


def flat(m: int) -> tuple[np.ndarray, np.ndarray]:
    """All sets of parents, by mask, with one score."""
    masks = np.array([[p for p in range(1 << m) if not p >> v & 1] for v in range(m)])
    return masks, np.zeros(masks.shape)


@pytest.mark.slow
@pytest.mark.parametrize("graph", [[0, 1, 2, 2], [0, 1, 0b11, 0b100], [0, 0, 0b11, 0b100]])
def test_equal_scores_visit_the_whole_class_evenly(graph: list[int]) -> None:
    dags = no.every_dag(4)
    own = no.markov_class(graph)
    members = {tuple(map(int, d)) for d in dags if no.markov_class(d) == own}
    rng, now, seen = np.random.default_rng(0), np.array(graph), Counter[tuple[int, ...]]()
    for _ in range(4000):
        turn_covered_edge(*flat(4), now, rng.random(2))
        seen[tuple(now.tolist())] += 1
    assert set(seen) == members
    share = np.array(list(seen.values())) / 4000
    np.testing.assert_allclose(share, 1 / len(members), atol=0.05)


def test_a_better_score_is_met_more_often() -> None:
    """Two measures, one direction e² times as probable as the other."""
    masks, scores = flat(2)
    scores[1, 1] = 2.0
    rng, now, forth = np.random.default_rng(1), np.array([0, 1]), 0
    for _ in range(8000):
        turn_covered_edge(masks, scores, now, rng.random(2))
        forth += int(now[1] == 1)
    assert forth / 8000 == pytest.approx(np.e**2 / (1 + np.e**2), abs=0.02)


def test_layers_are_the_longest_paths_from_a_root() -> None:
    layers = np.zeros(6, dtype=np.int64)
    write_layers(np.array([0, 0b1, 0b11, 0, 0b1000]), layers)
    assert layers.tolist() == [0b01001, 0b10010, 0b00100, 0, 0, 0]
