"""Statistics of items say what the items say: counts, means, covariances, patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Replicated
from tests.cases import few_quick
from tests.table.items.made import MEASURES, make_items


def both_ways(frame: pd.DataFrame, **options: Any) -> tuple[bc.Results, bc.Results]:
    given = {"replicate": "item", "replicates": "items", "measures": MEASURES, **options}
    return tuple(bc.Results.from_frame(frame, keep_items=k, **given) for k in (True, False))  # type: ignore[return-value]


def assert_same(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one.probability, other.probability, atol=1e-10)
    np.testing.assert_allclose(one.evidence, other.evidence, atol=1e-10)
    np.testing.assert_allclose(one.per_dataset, other.per_dataset, atol=1e-10)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-9)
    assert one.best == other.best


@pytest.mark.parametrize("cluster", [None, "passage"])
@pytest.mark.parametrize(
    "measures",
    few_quick([None, ["latency", "correct"], ["correct"], ["cost"]], 2),
    ids=["all", "two", "right", "one"],
)
@pytest.mark.parametrize("effects", ["flat", "learned"])
def test_replicated_answers_from_them_as_from_the_items(
    frame: pd.DataFrame, cluster: str | None, measures: list[str] | None, effects: Any
) -> None:
    kept, statistics = both_ways(frame, cluster=cluster)
    method = Replicated(effects=effects)
    assert_same(
        *(bc.compare(results, method=method, measures=measures) for results in (kept, statistics))
    )


def test_gaps_ropes_and_rho(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(3)
    holes = frame[rng.random(len(frame)) > 0.15].copy()
    holes.loc[rng.random(len(holes)) < 0.05, "cost"] = np.nan
    ropes = {
        "correct": bc.Measure("max", rope=0.05),
        "cost": "min",
        "latency": bc.Measure("min", rope=0.1),
    }
    results = both_ways(holes, measures=ropes)
    assert_same(*(bc.compare(r, method=Replicated()) for r in results))
    assert_same(*(bc.compare(r, method=Replicated(rho=0.02)) for r in results))
    assert "without a value for every measure left out" in " ".join(results[1].notes)


def test_pairs_of_many_algorithms_have_their_own_items() -> None:
    """Each pair on the items that both have, whoever else lacks some."""
    frame = make_items(datasets=3, algorithms="ABC", seed=4)
    holes = frame[np.random.default_rng(5).random(len(frame)) > 0.2]
    one, other = (
        bc.pairwise(r, method=Replicated(prior="symmetric"), n_jobs=1) for r in both_ways(holes)
    )
    np.testing.assert_allclose(one.matrix, other.matrix, atol=1e-10)
    for pair in (("A", "C"), ("B", "C")):
        assert_same(one[pair], other[pair])
    means = [bc.compare(r, algorithms=["A", "C"]).probability for r in both_ways(holes)]
    np.testing.assert_allclose(*means, atol=1e-10)


def test_a_measure_binary_here_and_numeric_there() -> None:
    """Exact match on two datasets, a score in [0, 1] on the others: each by its own items."""
    frame = make_items(datasets=4, items=30, seed=6)
    scored = frame["dataset"].isin(["d0", "d2"])
    frame["correct"] = frame["correct"].where(~scored, 0.5 * frame["correct"] + 0.1)
    for measures in (["correct"], ["correct", "cost"]):
        answers = [bc.compare(r, method="replicated", measures=measures) for r in both_ways(frame)]
        assert_same(*answers)
        counted = answers[0].answer.facts.counted  # type: ignore[attr-defined]
        assert counted == (("d1", "d3") if len(measures) == 1 else None)


def test_the_order_and_the_pieces_of_the_table_do_not_matter(frame: pd.DataFrame) -> None:
    _, whole = both_ways(frame)
    _, mixed = both_ways(frame.sample(frac=1.0, random_state=1))
    assert whole.item_data is not None
    again = mixed.sel(datasets=whole.datasets, algorithms=whole.algorithms)
    assert again.data.equals(whole.data)  # sums are correctly rounded
    np.testing.assert_allclose(
        again.item_data["covariance"],
        whole.item_data["covariance"],
        atol=1e-12,  # type: ignore[index]
    )


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.booleans(), st.booleans()),
        min_size=3,
        max_size=12,
    )
)
def test_the_numbers_are_those_of_numpy(rows: list[tuple[int, int, bool, bool]]) -> None:
    frame = pd.DataFrame(
        [("d", a, k, float(row[i]), row[i + 2]) for k, row in enumerate(rows) for i, a in
         enumerate("AB")],
        columns=["dataset", "algorithm", "item", "score", "right"],
    )  # fmt: skip
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", keep_items=False,
        measures={"score": "max", "right": "max"},
    )  # fmt: skip
    assert results.item_data is not None
    items = results.item_data.sel(algorithm="A", opponent="B", dataset="d")
    x = np.array([(a - b, float(c) - float(d)) for a, b, c, d in rows])
    assert items["items"] == len(rows)
    np.testing.assert_allclose(items["difference"], x.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(items["covariance"], np.cov(x.T), atol=1e-12)
    right = (x[:, 1] == 1).sum(), (x[:, 1] == 0).sum(), (x[:, 1] == -1).sum()
    assert results.sel(measures=["right"]).item_data["patterns"].sel(  # type: ignore[index]
        algorithm="A", opponent="B", dataset="d"
    ).values.tolist() == list(right)


def test_too_many_patterns_are_refused() -> None:
    names = [f"m{j}" for j in range(7)]
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": ["A", "B"] * 3, "item": [0, 0, 1, 1, 2, 2]}
    ).assign(**{name: [0, 1, 1, 0, 0, 0] for name in names})
    with pytest.raises(BayescompareError, match="7 measures are 0 or 1 on every item"):
        bc.Results.from_frame(
            frame, replicate="item", replicates="items", keep_items=False,
            measures=dict.fromkeys(names, "max"),
        )  # fmt: skip


@pytest.mark.parametrize("missing", ["raise", "drop", "ignore", "worst", "bounds"])
@pytest.mark.parametrize("method", ["dirichlet", "replicated"])
def test_a_model_without_a_benchmark_is_a_missing_cell(
    frame: pd.DataFrame, method: str, missing: Any
) -> None:
    """Both ways of keeping items have the same answer, or the same refusal."""
    some = frame[(frame["dataset"] != "d2") | (frame["algorithm"] == "A")]
    said = []
    for results in both_ways(some):
        try:
            c = bc.compare(results, method=method, missing=missing)
            said.append(f"{c.best}: {float(c.probability.max()):.9f}")
        except BayescompareError as error:
            said.append(str(error))
    if (method, missing) == ("replicated", "worst"):
        # Statistics do not tell a failed run from items that lack a measure.
        assert "keep_items=True" in said[1]
    else:
        assert said[0] == said[1]
