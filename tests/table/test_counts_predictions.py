"""`ErrorCounts.from_predictions` against going through the examples one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
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


def test_names_come_in_order_of_first_appearance() -> None:
    frame = predictions(3, 10, "ABC", seed=4)
    counts = ErrorCounts.from_predictions(frame, correct="correct")
    assert counts.algorithms == tuple(dict.fromkeys(frame["algorithm"]))
    assert counts.datasets == tuple(dict.fromkeys(frame["dataset"]))


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


BAD_PREDICTIONS: dict[str, tuple[Callable[[], object], list[str]]] = {
    "two": (
        lambda: ErrorCounts.from_predictions(
            P.assign(correct=P["correct"].where(P.index != 4, 2)), correct="correct"
        ),
        ["correct='correct'", " 2 ", "row 4", "0", "1"],
    ),
    "a half": (
        lambda: ErrorCounts.from_predictions(
            P.assign(correct=P["correct"].astype(float).where(P.index != 4, 0.5)), correct="correct"
        ),
        ["correct='correct'", " 0.5 ", "row 4"],
    ),
    "text": (
        lambda: ErrorCounts.from_predictions(with_correct("1"), correct="correct"),
        ["correct='correct'", "'1'", "row 4"],
    ),
    "NaN": (
        lambda: ErrorCounts.from_predictions(with_correct(float("nan")), correct="correct"),
        ["correct='correct'", "nan", "row 4"],
    ),
    "None": (
        lambda: ErrorCounts.from_predictions(with_correct(None), correct="correct"),
        ["correct='correct'", "None", "row 4"],
    ),
    "nothing": (
        lambda: ErrorCounts.from_predictions(P),
        ["correct=None", "y_true=None", "y_pred=None"],
    ),
    "everything": (
        lambda: ErrorCounts.from_predictions(P, correct="correct", y_true="y", y_pred="guess"),
        ["correct='correct'", "y_true='y'", "y_pred='guess'"],
    ),
    "half": (lambda: ErrorCounts.from_predictions(P, y_true="y"), ["y_true='y'", "y_pred=None"]),
    "no such correct": (
        lambda: ErrorCounts.from_predictions(P, correct="corect"),
        ["correct='corect'", "no such column", "Did you mean 'correct'"],
    ),
    "no such truth": (
        lambda: ErrorCounts.from_predictions(P, y_true="z", y_pred="guess"),
        ["y_true='z'"],
    ),
    "no such example": (
        lambda: ErrorCounts.from_predictions(P, example="z", correct="correct"),
        ["example='z'"],
    ),
    "no such algorithm": (
        lambda: ErrorCounts.from_predictions(P, algorithm="z", correct="correct"),
        ["algorithm='z'"],
    ),
    "truth missing": (
        lambda: ErrorCounts.from_predictions(
            P.assign(y=P["y"].where(P.index != 4)), y_true="y", y_pred="guess"
        ),
        ["y_true", "row 4"],
    ),
    "prediction missing": (
        lambda: ErrorCounts.from_predictions(
            P.assign(guess=P["guess"].where(P.index != 4)), y_true="y", y_pred="guess"
        ),
        ["y_pred", "row 4"],
    ),
    "text against numbers": (
        lambda: ErrorCounts.from_predictions(P.astype({"guess": str}), y_true="y", y_pred="guess"),
        ["y_true='y'", "y_pred='guess'", "convert"],
    ),
    "row twice": (
        lambda: ErrorCounts.from_predictions(pd.concat([P, P.iloc[:1]]), correct="correct"),
        ["more than one row", repr(str(FIRST["example"])), FIRST["dataset"], FIRST["algorithm"]],
    ),
    "unpaired": (
        lambda: ErrorCounts.from_predictions(P.drop(index=0), correct="correct"),
        [repr(str(FIRST["example"])), repr(FIRST["dataset"]), repr(FIRST["algorithm"])],
    ),
    "other examples": (
        lambda: ErrorCounts.from_predictions(
            P.assign(example=P["example"] + 100 * (P["algorithm"] == "B")), correct="correct"
        ),
        ["(none by 'B')", "same examples"],
    ),
    "an algorithm absent": (
        lambda: ErrorCounts.from_predictions(
            P[(P["dataset"] != "d1") | (P["algorithm"] != "C")], correct="correct"
        ),
        ["'d1'", "'C'"],
    ),
    "1 and '1'": (
        lambda: ErrorCounts.from_predictions(
            P.assign(algorithm=P["algorithm"].map({"A": 1, "B": "1", "C": 2})), correct="correct"
        ),
        ["algorithm", "'1'"],
    ),
    "ambiguous name": (
        lambda: ErrorCounts.from_predictions(
            P.assign(algorithm=P["algorithm"] + ">"), correct="correct"
        ),
        [">'", "rename"],
    ),
    "no rows": (
        lambda: ErrorCounts.from_predictions(P.iloc[:0], correct="correct"),
        ["df", "empty"],
    ),
    "no columns": (lambda: ErrorCounts.from_predictions(pd.DataFrame(), correct="c"), ["d"]),
    "no frame": (
        lambda: ErrorCounts.from_predictions([1, 2], correct="c"),  # type: ignore[arg-type]
        ["df", "list", "DataFrame"],
    ),
}


@pytest.mark.parametrize("case", BAD_PREDICTIONS)
def test_bad_predictions_are_refused_by_name(case: str) -> None:
    ask, needed = BAD_PREDICTIONS[case]
    said = refusal(ask)
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
