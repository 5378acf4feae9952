"""How the tests of pictures ask about dominance."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

import bayescompare as bc
from bayescompare.methods import GSD
from bayescompare.methods.gsd.comparison import GsdComparison
from tests.methods.gsd.cases import ask
from tests.tables import table


def arrows(ax: Axes) -> set[str]:
    return {str(text.get_label()) for text in ax.texts if text.get_label()}


def with_a_twin() -> GsdComparison:
    """A and B identical, C below both."""
    cells = np.random.default_rng(0).integers(3, 9, (5, 3, 2))
    cells[:, 1] = cells[:, 0]
    cells[:, 2] = cells[:, 0] - 1
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    return ask(table(cells, measures=measures), GSD(delta=0))


def leading_without_a_dataset() -> GsdComparison:
    """A is far better on the one and hardly worse on the other; one dataset is B's altogether."""
    cells = np.array(
        [[[9, 4], [1, 5]], [[9, 4], [1, 5]], [[8, 4], [1, 5]], [[8, 3], [2, 4]], [[3, 3], [4, 4]]]
    )
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    return ask(table(cells, measures=measures), GSD(epsilon=0.9))
