"""Failed folds: the mean of a cell is over the replicates that every algorithm asked about has."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.table.results import Results

NAN = float("nan")


def replicated(values: Any, measures: tuple[str, ...] = ("auc",)) -> Results:
    """Results of scores (dataset, algorithm, replicate[, measure]), called d0…, A…, 1…."""
    scores = np.asarray(values, dtype=float)
    scores = scores[..., None] if scores.ndim == 3 else scores
    rows = [
        (f"d{i}", "ABCDEFGH"[j], str(k + 1), *scores[i, j, k])
        for i, j, k in np.ndindex(*scores.shape[:3])
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", *measures])
    return Results.from_frame(frame, replicate="fold", measures=dict.fromkeys(measures, "max"))


def ten_folds(seed: int = 0, datasets: int = 6, algorithms: int = 3) -> np.ndarray[Any, Any]:
    """Scores around a level of each algorithm, the first the best."""
    noise = np.random.default_rng(seed).normal(0, 0.01, (datasets, algorithms, 10))
    return noise + 0.9 - 0.05 * np.arange(algorithms)[:, None]


# ----------------------------------------------------------------------------------------- the mean


def test_a_failed_fold_is_left_out_for_both_and_told() -> None:
    """A scores 0 on the fold that B lacks: over its own folds A would lose, over B's it wins."""
    scores = [[[0.0, 0.8, 0.8], [NAN, 0.7, 0.7]], [[0.9, 0.9, 0.9], [0.8, 0.8, 0.8]]]
    mean = replicated(scores).average()
    np.testing.assert_allclose(mean.values()[..., 0], [[0.8, 0.7], [0.9, 0.8]])
    assert mean.notes == (
        "each cell is the mean of 2 to 3 replicates",
        "1 replicate that some algorithm lacks is left out for all: 1 of 3 on d0",
    )
    assert mean.complete() is mean


def test_only_a_cell_without_any_replicate_is_missing() -> None:
    mean = replicated([[[0.5, 0.7], [NAN, NAN], [NAN, 0.3]]]).average()
    np.testing.assert_array_equal(mean.values().ravel(), [0.7, NAN, 0.3])
    with pytest.raises(BayescompareError, match=r"^1 missing cell: auc of 'B' on 'd0'\. Fill"):
        mean.complete()


def test_no_fold_in_common_is_a_missing_cell_and_the_error_says_why() -> None:
    results = replicated([[[0.5, NAN], [NAN, 0.4]], [[0.9, 0.8], [0.8, 0.7]]])
    with pytest.raises(
        BayescompareError, match=r"'A' on 'd0'.*'B' on 'd0' \(no replicate that every.* on d0"
    ):
        results.average().complete()
    dropped = results.average().complete(missing="drop")
    assert dropped.datasets == ("d1",)


def test_measures_lose_only_their_own_folds() -> None:
    scores = np.array([[[[0.5, 1.0], [0.7, 3.0]], [[NAN, 2.0], [0.4, 4.0]]]])
    mean = replicated(scores, ("auc", "time")).average()
    np.testing.assert_allclose(mean.values(), [[[0.7, 2.0], [0.4, 3.0]]])


@given(
    st.lists(
        st.sampled_from([NAN, 0.1, 0.2, 0.3, 0.7]), min_size=2 * 3 * 4, max_size=2 * 3 * 4
    ).map(lambda flat: np.reshape(flat, (2, 3, 4)))
)
def test_the_mean_by_brute_force(scores: np.ndarray[Any, Any]) -> None:
    mean = replicated(scores).average().values()[..., 0]
    for i, j in itertools.product(range(2), range(3)):
        rivals = [row for row in scores[i] if not np.isnan(row).all()]
        folds = [k for k in range(4) if rivals and all(not np.isnan(row[k]) for row in rivals)]
        if np.isnan(scores[i, j]).all() or not folds:
            assert np.isnan(mean[i, j])
        else:
            exact = sum(Fraction(float(scores[i, j, k])) for k in folds) / len(folds)
            assert mean[i, j] == pytest.approx(float(exact), abs=1e-15)


def test_items_that_a_dataset_does_not_have_are_not_missing() -> None:
    rows = [
        (dataset, name, item, float(item))
        for dataset, size in (("small", 2), ("large", 5))
        for name in "AB"
        for item in range(size)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "score"])
    items = bc.Results.from_frame(
        frame, replicate="item", replicates="items", measures={"score": "max"}
    )
    assert "replicates  2 to 5 items\n" in repr(items)
    assert "missing     0 of 4 cells\n" in repr(items)


def test_the_spec_sheet_counts_failed_folds_apart_from_missing_cells() -> None:
    whole = replicated([[[0.5, 0.7, 0.6], [0.4, 0.6, 0.3]]])
    failed = replicated([[[0.5, 0.7, NAN], [NAN, NAN, NAN]]])
    assert "missing     0 of 2 cells\n" in repr(whole)
    assert "missing     1 of 2 cells, and 1 replicate of the others\n" in repr(failed)


# ------------------------------------------------------------------------------------------ asking


def test_one_failed_fold_of_ten_needs_no_permission() -> None:
    scores = ten_folds()
    scores[2, 1, 3] = NAN
    c = bc.compare(replicated(scores), algorithms=["A", "B"])
    assert len(c.results.datasets) == 6
    assert "1 of 10 on d2" in c.explain()


def test_each_pair_keeps_the_folds_that_both_have() -> None:
    """C has no fold in common with the rest on d0, which must not cost A and B anything."""
    scores = ten_folds()
    scores[0, 2, 1:] = NAN
    scores[0, 1, 0] = NAN
    results = replicated(scores)
    p = bc.pairwise(results, missing="drop", n_jobs=1)
    assert [len(c.results.datasets) for c in p.comparisons] == [6, 6, 5]
    means = p["A", "B"].results.values()[0, :, 0]
    np.testing.assert_allclose(means, scores[0, :2, 1:].mean(axis=-1))
    alone = bc.compare(results, algorithms=["A", "B"])
    np.testing.assert_array_equal(alone.results.values(), p["A", "B"].results.values())
    with pytest.raises(BayescompareError, match=r"B against C.*no replicate that every"):
        bc.pairwise(results, n_jobs=1)


def test_even_tables_are_averaged_once() -> None:
    scores = ten_folds()
    assert bc.pairwise(replicated(scores), n_jobs=1).results.n_replicates is None
    scores[:, :, 9] = NAN  # lacking for all alike
    assert bc.pairwise(replicated(scores), n_jobs=1).results.n_replicates is None


def test_paired_methods_use_the_folds_that_both_have() -> None:
    scores = ten_folds(algorithms=2)
    scores[2, 1, 3] = scores[2, 0, 5] = NAN
    c: Any = bc.compare(replicated(scores), method="correlated-t")
    assert c.per_dataset["replicates"].tolist() == [10, 10, 8, 10, 10, 10]
    assert "2 replicates that some algorithm lacks are left out for all: 2 of 10 on d2" in (
        c.explain()
    )
    whole: Any = bc.compare(replicated(np.delete(scores, [3, 5], axis=2)), method="correlated-t")
    assert c.per_dataset.loc["d2", "probability"] == whole.per_dataset.loc["d2", "probability"]


def test_paired_methods_need_two_folds_that_both_have() -> None:
    scores = ten_folds(algorithms=2)
    scores[2, 1, 1:] = NAN
    results = replicated(scores)
    with pytest.raises(BayescompareError, match=r"fewer than two replicates that every.*'d2'"):
        bc.compare(results, method="correlated-t")
    c = bc.compare(results, method="correlated-t", missing="drop")
    assert c.results.datasets == ("d0", "d1", "d3", "d4", "d5")
    assert "1 dataset with fewer than two replicates dropped: d2" in c.results.notes


def test_paired_replicates_are_complete_for_every_measure() -> None:
    scores = np.repeat(ten_folds(algorithms=2)[..., None], 2, axis=-1)
    scores[1, 0, 4, 1] = NAN
    paired = replicated(scores, ("auc", "brier")).paired()
    assert np.isnan(paired._cells()[1, :, :, 4]).all()
    assert not np.isnan(np.delete(paired._cells(), 4, axis=-1)).any()
