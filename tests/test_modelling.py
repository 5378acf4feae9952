"""What a model file gets from this package: ranks and the table of statements."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.modelling import ranks, statement_table


def test_ranks_share_ties() -> None:
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": list("ABC"), "time": [2.0, 1.0, 2.0], "auc": [0.1, 0.2, 0.3]}
    )
    both = bc.Results.from_frame(frame, measures={"time": "min", "auc": "max"})
    assert ranks(both)[0].tolist() == [[2.5, 3.0], [1.0, 2.0], [2.5, 1.0]]


def test_the_statement_table_is_that_of_the_test() -> None:
    table = statement_table(bc.load_example("pnn"))
    assert table.weights.sum(axis=0).tolist() == [3.0, 1.0, 0.0, 0.0]
    np.testing.assert_allclose(table.weights.sum(axis=1), 1.0)
    assert [tuple(s) for s in table.states] == list(itertools.product((0, 1), repeat=2))
    with pytest.raises(bc.BayescompareError, match="too many"):
        statement_table(bc.load_example("jansen-uci"))
