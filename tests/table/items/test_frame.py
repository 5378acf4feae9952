"""Tables of items: epochs, clusters, True and False, and what is refused, both ways of reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError

MEASURES: dict[str, Any] = {"correct": "max", "cost": "min", "latency": "min"}
KEPT = pytest.mark.parametrize("keep_items", [True, False])


def read(frame: pd.DataFrame, **options: Any) -> bc.Results:
    given = {"replicate": "item", "replicates": "items", "measures": MEASURES, **options}
    return bc.Results.from_frame(frame, **given)


@KEPT
def test_epochs_are_averaged_within_the_item(frame: pd.DataFrame, keep_items: bool) -> None:
    """Three runs of A and two of B: one replicate per item, each the mean of its runs."""
    runs = []
    for run, shift in enumerate([0.0, 0.3, -0.3]):
        part = frame.assign(run=run, cost=frame["cost"] + shift)
        runs.append(part if run < 2 else part[part["algorithm"] == "A"])
    several = read(pd.concat(runs), epoch="run", keep_items=keep_items)
    once = read(frame, keep_items=keep_items)
    shift = several.average().data["cost"] - once.average().data["cost"]
    np.testing.assert_allclose(shift.sel(algorithm="A"), 0.0, atol=1e-12)
    np.testing.assert_allclose(shift.sel(algorithm="B"), 0.15, atol=1e-12)
    assert "each item is the mean of 2 to 3 epochs" in several.notes
    a, b = (bc.compare(r, method="replicated").per_dataset["replicates"] for r in (several, once))
    assert a.tolist() == b.tolist() == [40, 50, 60, 70]


@KEPT
def test_an_epoch_without_a_value_is_left_out_of_its_mean(
    frame: pd.DataFrame, keep_items: bool
) -> None:
    again = frame.assign(run=1, cost=np.nan)
    both = read(pd.concat([frame.assign(run=0), again]), epoch="run", keep_items=keep_items)
    np.testing.assert_allclose(
        both.average().data["cost"], read(frame).average().data["cost"], atol=1e-12
    )


@KEPT
def test_true_and_false_are_right_and_wrong(frame: pd.DataFrame, keep_items: bool) -> None:
    words = frame.assign(correct=frame["correct"] == 1.0)
    assert read(words, keep_items=keep_items) == read(frame, keep_items=keep_items)


def test_clusters_and_epochs_are_about_items(frame: pd.DataFrame) -> None:
    results = bc.Results.from_frame(frame, replicate="item", cluster="passage", measures=MEASURES)
    assert results.replicates == "items"
    assert "in clusters" in repr(results)
    with pytest.raises(BayescompareError, match="cluster='passage' is about items, and replicates"):
        read(frame, cluster="passage", replicates="seeds")
    with pytest.raises(BayescompareError, match="name the column of their ids by replicate="):
        bc.Results.from_frame(frame, epoch="passage", measures=MEASURES)


def test_clusters_go_along(frame: pd.DataFrame) -> None:
    results = read(frame, cluster="passage")
    assert results.item_data is not None
    part = results.sel(datasets=["d2", "d0"], algorithms=["B", "A"])
    assert part.item_data is not None
    number = part.item_data["cluster"]
    assert number.sel(dataset="d2").values[:60].tolist() == sorted(number.values[0, :60].tolist())
    assert (number.sel(dataset="d0").values[40:] == -1).all()
    again = bc.Results.from_frame(
        results.to_frame().dropna(), replicate="replicate", cluster="cluster", measures=MEASURES
    )
    assert bc.compare(again, method="replicated").probability.equals(
        bc.compare(results, method="replicated").probability
    )
    assert results.average().item_data is None
    assert results != read(frame)


@KEPT
@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            lambda f: pd.concat([f, f.iloc[[0, 3]]]),
            {},
            r"2 items occur more than once: item 'q0' of 'A' on 'd0', item 'q1' of 'B' on 'd0'; if "
            "the rows are repeated runs of an item, name their column by epoch=; else keep one.",
        ),
        (
            lambda f: pd.concat([f, f.iloc[[0]]]).assign(run=1),
            {"epoch": "run"},
            r"1 item occurs more than once: item 'q0' of 'A' on 'd0' in epoch '1'; keep one row",
        ),
        (
            lambda f: f.assign(passage=f["passage"].str.partition("/")[2]),
            {"cluster": "passage"},
            "cluster '0' is in the datasets 'd0' and 'd1': a cluster lies within one dataset",
        ),
        (
            lambda f: f.assign(passage=f["passage"].where(f.index != 0, "0/x")),
            {"cluster": "passage"},
            "item 'q0' of 'd0' is in the clusters '0/.' and '0/.': an item belongs to one cluster",
        ),
        (lambda f: f.assign(item=None), {}, "replicate name missing in row 0, row 1"),
        (lambda f: f.assign(item=f["item"].where(f.index != 5, "")), {}, "missing in row 5"),
        (lambda f: f.assign(cost="cheap"), {}, "measure 'cost' must be numbers: row 0 has 'cheap'"),
        (lambda f: f.assign(cost=np.inf), {}, "infinite cells"),
        (lambda f: f.drop(columns="item"), {}, "replicate='item': no such column"),
        (lambda f: f, {"cluster": "pasage"}, "Did you mean 'passage'"),
        (
            lambda f: f,
            {"measures": {"cost": bc.Measure("min", bounds=(0, 1))}},
            r"cells outside bounds=\(0.0, 1.0\) of 'cost'",
        ),
    ],
)
def test_bad_items_are_refused_in_one_line(
    frame: pd.DataFrame, keep_items: bool, change: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BayescompareError, match=message) as caught:
        read(change(frame), **options, keep_items=keep_items)
    assert "\n" not in str(caught.value)


@KEPT
def test_unmatched_items_are_left_out_and_counted(frame: pd.DataFrame, keep_items: bool) -> None:
    some = frame[
        ~((frame["dataset"] == "d1") & (frame["algorithm"] == "A") & (frame.index % 3 == 0))
    ]
    results = read(some, keep_items=keep_items)
    c = bc.compare(results, method="replicated")
    notes = " ".join(c.results.notes)
    lost = len(frame) - len(some)
    assert f"that some algorithm lacks are left out for all: {lost} of 50 on d1" in notes
    assert c.per_dataset.loc["d1", "replicates"] == 50 - lost


@KEPT
def test_items_without_a_match_are_refused_with_their_number(
    frame: pd.DataFrame, keep_items: bool
) -> None:
    apart = (frame["dataset"] == "d1") & (frame["algorithm"] == "A")
    results = read(
        frame.assign(item=frame["item"].where(~apart, "x" + frame["item"])), keep_items=keep_items
    )
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method="replicated")
    assert str(caught.value) == (
        "100 items of 'd1' are unmatched ('A' has 50, 'B' has 50, and none of them in common), and "
        "at least two must be matched: give an item the same id for every algorithm, or use "
        "missing='drop' to leave out the dataset."
    )
    left = bc.compare(results, method="replicated", missing="drop")
    assert left.results.datasets == ("d0", "d2", "d3")


@KEPT
def test_one_item_is_no_replicate(frame: pd.DataFrame, keep_items: bool) -> None:
    alone = frame[(frame["dataset"] != "d1") | (frame["item"] == "q0")]
    with pytest.raises(BayescompareError, match="at least two must be matched"):
        bc.compare(read(alone, keep_items=keep_items), method="replicated")
