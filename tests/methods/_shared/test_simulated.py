"""Tables that show statements: directions, bounds and ropes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.methods._shared.new_datasets import (
    table_of_counts,
    table_of_ranks,
    table_of_statements,
)
from bayescompare.statements import Statements
from tests.oracles.statements import every_label
from tests.tables import table

TRUTH = xr.Dataset({"theta": 0.5})
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def measures(draw: st.DrawFn, l: int) -> bc.Measure:
    low = draw(st.none() | NUMBERS)
    high = draw(st.none() | st.floats(1e-3, 1e6))
    ends = (low, None if high is None else (0.0 if low is None else low) + high)
    rope = draw(st.none() | st.floats(0.0, 0.9).map(lambda share: share * (high or 10.0)))
    return bc.Measure(
        draw(st.sampled_from(["max", "min"])), rope=rope if l == 2 else None, bounds=ends
    )


@given(st.data())
def test_a_table_shows_the_statements_it_was_made_from(data: Any) -> None:
    l = data.draw(st.integers(2, 4))
    spec = {f"m{j}": data.draw(measures(l)) for j in range(data.draw(st.integers(1, 3)))}
    inside = [(m.bounds[0] or 0.0) if m.bounds[1] is None else m.bounds[1] for m in spec.values()]
    results = table(np.broadcast_to(inside, (3, l, len(spec))), measures=spec)
    names = results.algorithms
    orders = [">".join(p) for p in (names, names[::-1])]
    parts = [
        st.sampled_from([*orders, "=".join(names)] if m.rope is not None else orders)
        for m in spec.values()
    ]
    labels = ["|".join(data.draw(part) for part in parts) for _ in range(3)]
    found = table_of_statements(results, labels, TRUTH)
    shown = Statements.from_results(found)
    pairs = zip(shown.table.dataset, shown.table.statement, strict=True)
    assert [shown.labels[k] for _, k in sorted(pairs)] == labels
    assert (found.datasets, found.algorithms, dict(found.spec)) == (
        results.datasets,
        results.algorithms,
        spec,
    )


def test_every_statement_of_three_algorithms_is_shown() -> None:
    labels = every_label("ABC", 2)
    results = table(np.random.default_rng(0).random((len(labels), 3, 2)))
    shown = Statements.from_results(table_of_statements(results, labels, TRUTH))
    assert [shown.labels[k] for k in shown.table.statement] == labels


def test_a_rope_as_wide_as_the_bounds_is_refused() -> None:
    results = table(np.zeros((2, 2, 1)), measures={"auc": bc.Measure("max", rope=1, bounds=(0, 1))})
    with pytest.raises(bc.BayescompareError, match=r"simulate: the rope of 'auc', 1, is as wide"):
        table_of_statements(results, ["A>B", "B>A"], TRUTH)


@pytest.mark.parametrize("ranks", [[[1, 2]], np.ones((2, 2, 2)), [[1, 2], [1, np.nan]], 3.0])
def test_ranks_of_another_shape_are_refused(ranks: Any) -> None:
    results = table([[[1.0], [2.0]], [[3.0], [4.0]]])
    with pytest.raises(bc.BayescompareError, match="ranks has the shape"):
        table_of_ranks(ranks, results)


def test_the_truth_stays_with_the_table_and_leaves_with_the_statements() -> None:
    results = table(np.random.default_rng(0).random((3, 3, 2)))
    found = table_of_ranks(np.argsort(results.values(), axis=1), results, truth=TRUTH)
    assert found.truth is TRUTH
    assert bc.compare(found).results.truth is TRUTH
    assert found.sel(datasets=["d0", "d2"]).truth is TRUTH
    assert found.sel(algorithms=["A", "B"]).truth is None
    assert found.sel(measures=["m0"]).truth is None
    assert found == found._with(truth=None)
    assert bc.Results.from_dataset(found.to_dataset()).truth is None
    with pytest.raises(bc.BayescompareError, match="truth=3"):
        bc.Results(found.data, found.spec, truth=3)  # type: ignore[arg-type]


def test_counts_keep_what_both_got_wrong_and_the_sizes() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"dataset": ["a", "b"], "f": [1, 4], "s": [3, 2], "both": [5, 0], "n": [20, 30]}
    )
    counts = bc.ErrorCounts.from_frame(
        frame, first_wrong="f", second_wrong="s", both_wrong="both", n="n", algorithms=("x", "y")
    )
    found = table_of_counts(counts, np.array([0.0, 5.0]), TRUTH)
    assert [only.tolist() for only in found.pair("x", "y")] == [[0, 5], [4, 1]]
    assert found.counts["wrong"].values.tolist() == [[5, 9], [5, 1]]
    assert found.counts["n"].values.tolist() == [20, 30]
    assert found.truth is TRUTH
