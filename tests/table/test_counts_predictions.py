"""`ErrorCounts.from_predictions` against going through the examples one by one."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare import ErrorCounts
from tests.oracles.context import only_wrong, predictions
from tests.table.made_counts import P, refusal


@pytest.mark.parametrize("names", ["AB", "ABCD"])
@pytest.mark.parametrize("by", ["correct", "classes"])
def test_every_pair_by_going_through_the_examples(names: str, by: str) -> None:
    frame = predictions(3, 25, names, seed=len(names))
    columns = {"correct": "correct"} if by == "correct" else {"y_true": "y", "y_pred": "guess"}
    counts = ErrorCounts.from_predictions(frame, **columns)
    assert set(counts.algorithms) == set(names)
    for first, second in itertools.permutations(names, 2):
        expected = [only_wrong(frame, d, first, second) for d in counts.datasets]
        assert counts.pair(first, second)[0].tolist() == expected
        assert counts.pair(second, first)[1].tolist() == expected
    for d, a in itertools.product(counts.datasets, names):
        rows = frame[(frame["dataset"] == d) & (frame["algorithm"] == a)]
        assert counts.counts["wrong"].sel(dataset=d, algorithm=a) == (rows["correct"] == 0).sum()
        assert counts.counts["n"].sel(dataset=d) == len(rows)
        assert counts.data["error"].sel(dataset=d, algorithm=a) == pytest.approx(
            1 - rows["correct"].mean()
        )


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_the_order_of_rows_changes_names_order_only(seed: int) -> None:
    frame = predictions(2, 8, "ABC", seed=1)
    counts = ErrorCounts.from_predictions(frame, correct="correct")
    mixed = ErrorCounts.from_predictions(
        frame.sample(frac=1, random_state=seed % 2**31), correct="correct"
    )
    again = mixed.sel(algorithms=counts.algorithms, datasets=counts.datasets)
    assert again.counts.equals(counts.counts)


@pytest.mark.parametrize(
    "dtype", ["bool", "int64", "float64", "Int64", "boolean", "object", "category", "bool[pyarrow]"]
)
def test_correctness_of_any_type(dtype: str) -> None:
    frame = predictions(2, 8, "AB")
    kept = ErrorCounts.from_predictions(frame, correct="correct")
    typed = frame["correct"].astype(bool) if "bool" in dtype else frame["correct"]
    assert (
        ErrorCounts.from_predictions(frame.assign(correct=typed.astype(dtype)), correct="correct")
        == kept
    )


@pytest.mark.parametrize("dtype", ["int64", "float64", "str", "string", "category", "Int64"])
def test_classes_of_any_type(dtype: str) -> None:
    frame = predictions(2, 8, "AB")
    kept = ErrorCounts.from_predictions(frame, correct="correct")
    typed = frame.astype({"y": dtype, "guess": dtype})
    assert ErrorCounts.from_predictions(typed, y_true="y", y_pred="guess") == kept


def test_the_index_does_not_matter() -> None:
    frame = predictions(2, 8, "AB")
    kept = ErrorCounts.from_predictions(frame, correct="correct")
    assert ErrorCounts.from_predictions(frame.set_axis([0] * len(frame)), correct="correct") == kept


FIRST = P.iloc[0]


def with_correct(value: object) -> pd.DataFrame:
    return P.assign(correct=P["correct"].astype(object).where(P.index != 4, value))


RIGHT = {"correct": "correct"}
CLASSES = {"y_true": "y", "y_pred": "guess"}
#: A frame, the columns that are named, and words of the refusal.
BAD_PREDICTIONS: list[tuple[Any, dict[str, str], list[str]]] = [
    (with_correct(2), RIGHT, ["correct='correct'", " 2 ", "row 4", "0", "1"]),
    (with_correct(0.5), RIGHT, ["correct='correct'", " 0.5 ", "row 4"]),
    (with_correct("1"), RIGHT, ["correct='correct'", "'1'", "row 4"]),
    (with_correct(float("nan")), RIGHT, ["correct='correct'", "nan", "row 4"]),
    (with_correct(None), RIGHT, ["correct='correct'", "None", "row 4"]),
    (P, {}, ["correct=None", "y_true=None", "y_pred=None"]),
    (P, RIGHT | CLASSES, ["correct='correct'", "y_true='y'", "y_pred='guess'"]),
    (P, {"y_true": "y"}, ["y_true='y'", "y_pred=None"]),
    (P, {"correct": "corect"}, ["correct='corect'", "no such column", "Did you mean 'correct'"]),
    (P, CLASSES | {"y_true": "z"}, ["y_true='z'"]),
    (P, RIGHT | {"example": "z"}, ["example='z'"]),
    (P, RIGHT | {"algorithm": "z"}, ["algorithm='z'"]),
    (P.assign(y=P["y"].where(P.index != 4)), CLASSES, ["y_true", "row 4"]),
    (P.assign(guess=P["guess"].where(P.index != 4)), CLASSES, ["y_pred", "row 4"]),
    (P.astype({"guess": str}), CLASSES, ["y_true='y'", "y_pred='guess'", "convert"]),
    (
        pd.concat([P, P.iloc[:1]]),
        RIGHT,
        ["more than one row", repr(str(FIRST["example"])), FIRST["dataset"], FIRST["algorithm"]],
    ),
    (
        P.drop(index=0),
        RIGHT,
        [repr(str(FIRST["example"])), repr(FIRST["dataset"]), repr(FIRST["algorithm"])],
    ),
    (
        P.assign(example=P["example"] + 100 * (P["algorithm"] == "B")),
        RIGHT,
        ["(none by 'B')", "same examples"],
    ),
    (P[(P["dataset"] != "d1") | (P["algorithm"] != "C")], RIGHT, ["'d1'", "'C'"]),
    (
        P.assign(algorithm=P["algorithm"].map({"A": 1, "B": "1", "C": 2})),
        RIGHT,
        ["algorithm", "'1'"],
    ),
    (P.assign(algorithm=P["algorithm"] + ">"), RIGHT, [">'", "rename"]),
    (P.iloc[:0], RIGHT, ["df", "empty"]),
    (pd.DataFrame(), RIGHT, ["d"]),
    ([1, 2], RIGHT, ["df", "list", "DataFrame"]),
]


@pytest.mark.parametrize(("frame", "columns", "needed"), BAD_PREDICTIONS)
def test_bad_predictions_are_refused_by_name(
    frame: Any, columns: dict[str, str], needed: list[str]
) -> None:
    said = refusal(lambda: ErrorCounts.from_predictions(frame, **columns))
    for word in needed:
        assert word in said, said


def test_text_against_numbers_row_by_row() -> None:
    """Both columns hold text and numbers, but "1" stands against 1: nothing would be right."""
    y = pd.Series([(1, "1")[i % 2] for i in range(len(P))], dtype=object)
    guess = pd.Series([("1", 1)[i % 2] for i in range(len(P))], dtype=object)
    said = refusal(
        lambda: ErrorCounts.from_predictions(P.assign(y=y, guess=guess), y_true="y", y_pred="guess")
    )
    assert "y_true" in said


@pytest.mark.parametrize("kind", [list, tuple, frozenset])
def test_several_labels_at_once(kind: Any) -> None:
    """Multi-label predictions are right where all labels are."""
    labels = {name: P[name].map(lambda v: kind([v, 9])) for name in ("y", "guess")}
    found = ErrorCounts.from_predictions(P.assign(**labels), y_true="y", y_pred="guess")
    assert found == ErrorCounts.from_predictions(P, correct="correct")


def test_an_example_has_one_truth() -> None:
    """Where algorithms disagree about y_true of an example, it is not the same example."""
    frame = P.assign(y=P["y"].where(P["algorithm"] != "B", (P["y"] + 1) % 3))
    said = refusal(lambda: ErrorCounts.from_predictions(frame, y_true="y", y_pred="guess"))
    assert "y_true" in said
