"""Turning covered edges round visits a class of equivalent graphs evenly; layers by their depth."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bayescompare.kernels.network.covered_edges import turn_covered_edge, write_dag_layers
from tests.oracles import network as no


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
    write_dag_layers(np.array([0, 0b1, 0b11, 0, 0b1000]), layers)
    assert layers.tolist() == [0b01001, 0b10010, 0b00100, 0, 0, 0]
