"""Friedman's diagram of mean ranks, and the bars that join what does not differ."""

from __future__ import annotations

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.plots.critical import joined_ranks
from tests.cases import few_quick
from tests.plots.drawn import fresh


def test_the_critical_difference_diagram() -> None:
    c = bc.compare(bc.load_example("jansen-uci"), measures=["auc"], method="friedman")
    ax = c.plot(ax=fresh())
    shown = [text.get_text() for text in ax.texts]
    for name, rank in c.ranks.items():
        assert f"{name} {rank:.2f}" in shown
    assert f"critical difference {c.critical_difference:.2f}" in shown


@pytest.mark.parametrize("seed", few_quick(range(20), 5))
def test_bars_join_exactly_the_pairs_that_do_not_differ(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, apart = np.sort(rng.uniform(1, 9, 9)), float(rng.uniform(0.2, 5))
    bars = joined_ranks(ranks, apart)
    for i in range(9):
        for j in range(i + 1, 9):
            together = any(start <= i and j <= stop for start, stop in bars)
            assert together == (ranks[j] - ranks[i] < apart)
