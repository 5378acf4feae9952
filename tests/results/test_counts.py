"""`ErrorCounts` as a user makes, cuts, stores and misuses them; risks and one dataset alone."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescompare as bc
from bayescompare import BayescompareError, ErrorCounts
from tests.oracles.context import (
    better,
    better_by_two_integrals,
    counts_of,
    folds_frame,
    only_wrong,
    predictions,
    replicated,
)

FRAME = pd.DataFrame(
    {
        "dataset": ["a", "b", "c"],
        "h": [1, 2, 0],
        "g": [3, 0, 0],
        "both": [1, 4, 2],
        "n": [10, 20, 30],
    }
)
NAMES = ("svm", "nn")


def from_frame(frame: pd.DataFrame = FRAME, **options: Any) -> ErrorCounts:
    given = {"first_wrong": "h", "second_wrong": "g", "algorithms": NAMES, **options}
    return ErrorCounts.from_frame(frame, **given)


def refusal(ask: Callable[[], object]) -> str:
    """The message of a BayescompareError; any other exception is a failure of the test."""
    with pytest.raises(BayescompareError) as caught:
        ask()
    said = str(caught.value)
    assert "\n" not in said
    assert "np." not in said, f"a numpy repr in a message: {said}"
    return said


# ------------------------------------------------------------------------------------ from a frame


def test_the_counts_are_those_of_the_frame() -> None:
    counts = from_frame(both_wrong="both", n="n")
    assert counts.datasets == ("a", "b", "c")
    assert counts.algorithms == NAMES
    assert counts.measures == ("error",)
    assert counts["error"].direction == "min"
    assert [v.tolist() for v in counts.pair("svm", "nn")] == [[1, 2, 0], [3, 0, 0]]
    assert [v.tolist() for v in counts.pair("nn", "svm")] == [[3, 0, 0], [1, 2, 0]]
    errors = counts.data["error"].transpose("dataset", "algorithm").values
    np.testing.assert_allclose(errors, [[2 / 10, 4 / 10], [6 / 20, 4 / 20], [2 / 30, 2 / 30]])


def test_without_sizes_the_differences_are_still_true_ones() -> None:
    full, bare = from_frame(both_wrong="both", n="n"), from_frame()
    difference = [
        (c.data["error"].sel(algorithm="svm") - c.data["error"].sel(algorithm="nn")).values
        for c in (full, bare)
    ]
    np.testing.assert_allclose(difference[0] * FRAME["n"], difference[1])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "Int64", "Float64", "object"])
def test_counts_of_any_numeric_type(dtype: str) -> None:
    assert from_frame(FRAME.astype({"h": dtype, "g": dtype})) == from_frame()


def test_names_need_not_be_text_nor_columns_called_so() -> None:
    frame = FRAME.rename(columns={"dataset": "task", "h": 0, "g": 1}).assign(task=[7, 8, 9])
    counts = ErrorCounts.from_frame(
        frame, dataset="task", first_wrong="0", second_wrong="1", algorithms=("x", "y")
    )
    assert counts.datasets == ("7", "8", "9")
    assert counts.pair("x", "y")[0].tolist() == [1, 2, 0]


def test_the_bundled_counts_are_the_papers() -> None:
    counts = bc.load_example("lacoste-svm-parzen")
    assert isinstance(counts, ErrorCounts)
    table = pd.read_csv(Path(__file__).parents[1] / "data" / "lacoste_table5.csv")
    np.testing.assert_array_equal(counts.pair("svm", "parzen")[0], table["col1_kh"] - 10)
    np.testing.assert_array_equal(counts.pair("svm", "parzen")[1], table["col2_kg"] - 10)


BAD_FRAMES: dict[str, tuple[Callable[[], object], list[str]]] = {
    "negative": (lambda: from_frame(FRAME.assign(h=[-1, 2, 0])), ["h", "-1", "'a'"]),
    "fractional": (lambda: from_frame(FRAME.assign(g=[3, 0.5, 0])), ["g", "0.5", "'b'"]),
    "missing": (lambda: from_frame(FRAME.assign(g=[3, np.nan, 0])), ["g", "nan", "'b'"]),
    "infinite": (lambda: from_frame(FRAME.assign(g=[3, np.inf, 0])), ["g", "inf", "'b'"]),
    "text": (lambda: from_frame(FRAME.assign(h=["1", "2", "0"])), ["h", "'1'", "to_numeric"]),
    "mixed": (
        lambda: from_frame(FRAME.assign(h=pd.Series(["1", 2, 0], dtype=object))),
        ["h", "'1'", "row 0"],
    ),
    "booleans": (lambda: from_frame(FRAME.assign(h=[True, False, True])), ["h", "True"]),
    "more than n": (lambda: from_frame(FRAME.assign(h=[8, 0, 0]), n="n"), ["11 of 10", "'a'"]),
    "with both more than n": (
        lambda: from_frame(FRAME.assign(both=[7, 0, 0]), n="n", both_wrong="both"),
        ["11 of 10", "'a'"],
    ),
    "n fractional": (lambda: from_frame(FRAME.assign(n=10.5), n="n"), ["n", "10.5", "'a'"]),
    "n missing": (lambda: from_frame(FRAME.assign(n=[1, None, 9]), n="n"), ["n", "nan", "'b'"]),
    "both negative": (
        lambda: from_frame(FRAME.assign(both=[0, -2, 0]), both_wrong="both"),
        ["both", "-2", "'b'"],
    ),
    "dataset twice": (
        lambda: from_frame(FRAME.assign(dataset=["a", "b", "a"])),
        ["dataset", "'a'"],
    ),
    "1 and '1'": (
        lambda: from_frame(FRAME.assign(dataset=pd.Series([1, "1", 2], dtype=object))),
        ["dataset", "1", "'1'"],
    ),
    "no name": (lambda: from_frame(FRAME.assign(dataset=["a", None, "b"])), ["dataset", "row 1"]),
    "no such dataset column": (lambda: from_frame(dataset="task"), ["dataset='task'", "'h'"]),
    "in the index": (lambda: from_frame(FRAME.set_index("dataset")), ["dataset", "reset_index"]),
    "no rows": (lambda: from_frame(FRAME.iloc[:0]), ["df", "empty"]),
    "no frame": (lambda: from_frame({"h": [1]}), ["df", "dict", "DataFrame"]),  # type: ignore[arg-type]
    "one name": (lambda: from_frame(algorithms=("svm",)), ["algorithms", "svm", "two"]),
    "three names": (lambda: from_frame(algorithms=("a", "b", "c")), ["algorithms", "two"]),
    "the same name": (lambda: from_frame(algorithms=("a", "a")), ["algorithms", "'a'", "twice"]),
    "names as text": (lambda: from_frame(algorithms="ab"), ["algorithms", "'ab'"]),
    "ambiguous name": (lambda: from_frame(algorithms=("a>b", "c")), ["'a>b'", "rename"]),
    "ambiguous bar": (lambda: from_frame(algorithms=("a", "b|c")), ["'b|c'", "rename"]),
    "ambiguous equals": (lambda: from_frame(algorithms=("a=", "c")), ["'a='", "rename"]),
    "blank name": (lambda: from_frame(algorithms=(" ", "c")), ["algorithm", "blank"]),
    "line break": (lambda: from_frame(algorithms=("a\nb", "c")), ["algorithm", "control"]),
}


@pytest.mark.parametrize("case", BAD_FRAMES)
def test_bad_frames_are_refused_by_name(case: str) -> None:
    ask, needed = BAD_FRAMES[case]
    said = refusal(ask)
    for word in needed:
        assert word in said, said


@pytest.mark.parametrize("argument", ["first_wrong", "second_wrong", "both_wrong", "n"])
def test_an_absent_column_is_named_with_its_argument(argument: str) -> None:
    said = refusal(lambda: from_frame(**{argument: "zz"}))
    assert "'zz'" in said
    assert "'h', 'g'" in said
    # `dataset='task': no such column` names its argument, and so must the four others.
    assert argument in said, said


@pytest.mark.parametrize(
    "pair", [("first_wrong", "second_wrong"), ("first_wrong", "n"), ("second_wrong", "n")]
)
def test_one_column_cannot_be_two_counts(pair: tuple[str, str]) -> None:
    """Taking one column twice would make every dataset a perfect tie, silently."""
    frame = FRAME.assign(n=100, h=0)
    column = "n" if "n" in pair else "h"
    said = refusal(lambda: from_frame(frame, **{"n": "n", **dict.fromkeys(pair, column)}))
    assert repr(column) in said


@pytest.mark.parametrize("algorithms", [None, 5, object()])
def test_algorithms_that_are_no_names_are_refused(algorithms: object) -> None:
    assert "algorithms" in refusal(lambda: from_frame(algorithms=algorithms))


@pytest.mark.parametrize("argument", ["first_wrong", "second_wrong"])
def test_a_column_that_is_none_is_refused(argument: str) -> None:
    assert argument in refusal(lambda: from_frame(**{argument: None}))


def test_a_test_set_without_examples_is_refused() -> None:
    """Its error is 0/0; later it would be called a missing cell, which it is not."""
    frame = FRAME.assign(h=0, g=0, n=[0, 10, 10])
    said = refusal(lambda: from_frame(frame, n="n"))
    assert "n" in said
    assert "'a'" in said


def test_counts_beyond_what_integers_hold_are_refused() -> None:
    """As int64 they read −9223372036854775808, and neighbouring floats are not one apart."""
    assert "'a'" in refusal(lambda: from_frame(FRAME.assign(h=[10**20, 0, 0])))


def test_large_counts_are_written_out_in_messages() -> None:
    frame = FRAME.assign(h=[123456789, 0, 0], g=0, n=[123456788, 9, 9])
    said = refusal(lambda: from_frame(frame, n="n")).replace(",", "").replace("_", "")
    assert "123456789" in said
    assert "123456788" in said


# ------------------------------------------------------------------------------- from predictions


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


P = predictions(2, 6, "ABC", seed=3).reset_index(drop=True)
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
        ["(not by 'B')", "same examples"],
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


# -------------------------------------------------------------------------------------- parts of it


@pytest.fixture(scope="module")
def four() -> ErrorCounts:
    return ErrorCounts.from_predictions(predictions(4, 12, "ABCD"), correct="correct")


def test_a_selection_keeps_every_count(four: ErrorCounts) -> None:
    part = four.sel(algorithms=["D", "B"], datasets=["d2", "d0"])
    assert isinstance(part, ErrorCounts)
    assert (part.algorithms, part.datasets) == (("D", "B"), ("d2", "d0"))
    for first, second in itertools.permutations("DB", 2):
        whole = dict(zip(four.datasets, four.pair(first, second)[0], strict=True))
        assert part.pair(first, second)[0].tolist() == [whole["d2"], whole["d0"]]
    assert part.counts["n"].values.tolist() == [
        float(four.counts["n"].sel(dataset=d)) for d in ("d2", "d0")
    ]
    assert part.sel(algorithms=["B", "D"]) == four.sel(algorithms=["B", "D"], datasets=["d2", "d0"])


def test_what_is_not_there_cannot_be_selected(four: ErrorCounts) -> None:
    assert "'Z'" in refusal(lambda: four.pair("A", "Z"))
    assert "'Z'" in refusal(lambda: four.sel(algorithms=["A", "Z"]))
    assert "'Z'" in refusal(lambda: four.sel(datasets=["Z"]))
    assert "'Z'" in refusal(lambda: four.sel(measures=["Z"]))
    assert "twice" in refusal(lambda: four.sel(algorithms=["A", "A"]))


def test_counts_cannot_be_changed(four: ErrorCounts) -> None:
    with pytest.raises(ValueError, match="read-only"):
        four.pair("A", "B")[0][0] = 9
    with pytest.raises(ValueError, match="read-only"):
        four.counts["n"].values[0] = 9


def test_equality(four: ErrorCounts) -> None:
    same = ErrorCounts.from_predictions(predictions(4, 12, "ABCD"), correct="correct")
    other = ErrorCounts.from_predictions(predictions(4, 12, "ABCD", seed=1), correct="correct")
    assert four == same
    assert four != other
    assert four == copy.deepcopy(four) == pickle.loads(pickle.dumps(four))
    assert four.sel(algorithms=["A", "B"]) != four.sel(algorithms=["B", "A"])
    assert from_frame() != from_frame(n="n")


def test_discordance_counts_even_where_the_rates_agree() -> None:
    """(1, 1) and (5, 5) are the same difference of errors and not the same counts."""
    one, five = (counts_of([(k, k)] * 2, n=20, both=5 - k) for k in (1, 5))
    assert one.data.equals(five.data)
    assert one != five


def test_counts_are_not_the_same_as_their_error_rates(four: ErrorCounts) -> None:
    rates = bc.Results(four.data, four.spec)
    assert four != rates
    assert rates != four


def test_the_repr_tells_what_is_there() -> None:
    said = repr(from_frame(n="n"))
    for word in ("3 datasets", "2 algorithms", "svm, nn", "60", "1 dataset"):
        assert word in said


def test_the_repr_of_one_algorithm(four: ErrorCounts) -> None:
    assert "inf" not in repr(four.sel(algorithms=["A"]))


def test_no_more_discordant_examples_than_examples_in_the_repr(four: ErrorCounts) -> None:
    """Summed over all pairs an example is counted several times."""
    (least, most) = re.findall(r"discordant\s+(\d+) to (\d+)", repr(four))[0]
    assert int(least) <= int(most) <= four.counts["n"].max()


# ---------------------------------------------------------------------------------------- as files


@pytest.mark.parametrize("options", [{}, {"n": "n"}, {"both_wrong": "both", "n": "n"}])
def test_a_dataset_and_back(options: dict[str, str], tmp_path: Path) -> None:
    counts = from_frame(source="somewhere", **options)
    assert ErrorCounts.from_dataset(counts.to_dataset()) == counts
    counts.to_dataset().to_netcdf(tmp_path / "counts.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "counts.nc", engine="h5netcdf") as opened:
        assert ErrorCounts.from_dataset(opened.load()) == counts


def test_a_foreign_dataset_is_refused(four: ErrorCounts) -> None:
    refusal(lambda: ErrorCounts.from_dataset(bc.load_example("pnn").to_dataset()))
    refusal(lambda: bc.Results.from_dataset(four.to_dataset()))
    refusal(lambda: ErrorCounts.from_dataset(four.to_dataset().drop_vars("n")))
    refusal(lambda: ErrorCounts.from_dataset(xr.Dataset(attrs={"schema": "bayescompare.counts/1"})))


def test_counts_by_hand_are_checked(four: ErrorCounts) -> None:
    refusal(lambda: ErrorCounts.from_counts(xr.Dataset()))
    refusal(lambda: ErrorCounts.from_counts(P))  # type: ignore[arg-type]
    for name, at, value in [
        ("wrong", (0, 0), -1.0),
        ("wrong", (0, 0), 0.5),
        ("wrong", (0, 0), 0.0),  # fewer than those that it alone got wrong
        ("wrong_only", (0, 0, 1), -1.0),
        ("wrong_only", (0, 0, 0), 1.0),  # wrong where it was right
        ("n", (0,), 1.0),
        ("n", (0,), 20.5),
    ]:
        changed = four.counts.copy(deep=True)
        values = np.array(changed[name].values)
        values[at] = value
        changed[name] = (changed[name].dims, values)
        said = refusal(lambda changed=changed: ErrorCounts.from_counts(changed))  # type: ignore[misc]
        assert "'d" in said, said


METHODS: dict[str, Callable[[], Any]] = {
    "cut": lambda: bc.methods.PoissonBinomial(),
    "joint": lambda: bc.methods.PoissonBinomial(joint=True, a=0.5, b=2.0),
    "b as a prior": lambda: bc.methods.PoissonBinomial(joint=True, priors={"b": 3.0}),
    "hierarchical": lambda: bc.methods.Hierarchical(),
    "correlated-t": lambda: bc.methods.CorrelatedT(rho=0.25),
    "correlated-t joint": lambda: bc.methods.CorrelatedT(joint=True),
    "correlated-t rope": lambda: bc.methods.CorrelatedT(folds=3),
    "sign": lambda: bc.methods.Sign(),
}


def saved(name: str) -> Any:
    if name.startswith("correlated-t"):
        # Datasets with different numbers of replicates leave NaN in the table.
        frame = folds_frame([[0.1, 0.2, 0.0], [0.1, -0.3], [0.2, 0.3, 0.1, 0.15]])
        results: bc.Results = replicated(frame, rope=0.05 if name.endswith("rope") else None)
    else:
        results = from_frame(both_wrong="both", n="n", source="x")
    return bc.compare(results, method=METHODS[name]())


@pytest.mark.parametrize("suffix", ["json", "nc"])
@pytest.mark.parametrize("name", METHODS)
def test_a_comparison_and_back(name: str, suffix: str, tmp_path: Path) -> None:
    c = saved(name)
    path = tmp_path / f"c.{suffix}"
    (c.to_json if suffix == "json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    assert type(again) is type(c)
    assert type(again.results) is type(c.results)
    assert again.results == c.results
    assert again.method == c.method
    assert again.explain() == c.explain()
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    if name != "sign":
        pd.testing.assert_frame_equal(again.per_dataset, c.per_dataset)
        pd.testing.assert_series_equal(again.rate, c.rate)
        first, second = (x.draws(4, chains=1, rng=3) for x in (c, again))
        for group in first.children:
            xr.testing.assert_equal(first[group].to_dataset(), second[group].to_dataset())
    if name in ("joint", "hierarchical"):
        assert again.log_evidence == c.log_evidence
        np.testing.assert_array_equal(again.loo().elpd_i, c.loo().elpd_i)


@pytest.mark.parametrize("name", METHODS)
def test_every_key_of_the_json_is_documented(name: str) -> None:
    told = json.loads(saved(name).to_json())
    text = (Path(__file__).parents[2] / "docs" / "json-schema.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`\"?([\w-]+)\"?`", text))
    own = {*told, *told["results"], *told["details"], *told["statements"][0]}
    assert own <= documented, sorted(own - documented)


# ---------------------------------------------------------------------------- what takes the counts


@pytest.mark.parametrize("method", ["poisson-binomial", "hierarchical", "sign", "wilcoxon", "glrt"])
def test_datasets_without_discordant_examples_do_no_harm(method: str) -> None:
    c = bc.compare(counts_of([(0, 0), (2, 5), (0, 3), (0, 0), (1, 4)]), method=method)
    assert c.best == "A>B"
    c.explain()
    c.summary()


@pytest.mark.parametrize("joint", [False, True])
def test_nothing_discordant_at_all_is_even_odds(joint: bool) -> None:
    c: Any = bc.compare(counts_of([(0, 0)] * 3), method=bc.methods.PoissonBinomial(joint=joint))
    assert c.probability.values.tolist() == pytest.approx([0.5, 0.5], abs=1e-12)
    assert c.decision.verdict == "tied"
    assert "neither" in c.explain()
    h: Any = bc.compare(counts_of([(0, 0)] * 3), method="hierarchical")
    assert h.probability.values.tolist() == pytest.approx([0.5, 0.5], abs=1e-12)
    assert h.log_evidence == pytest.approx(0.0, abs=1e-10)
    # The prior: μ and ρ are uniform, q is symmetric about ½.
    assert h.rate["mean"] == pytest.approx(0.5, abs=1e-9)
    assert h.pooling["mean"].tolist() == pytest.approx([0.5, 0.5], abs=1e-6)


def test_other_methods_judge_the_errors() -> None:
    counts = counts_of([(1, 4), (2, 5), (3, 3), (6, 2), (0, 1), (2, 7)])
    k_h, k_g = counts.pair("A", "B")
    difference = k_g - k_h
    sign = bc.compare(counts, method="sign")
    assert sign.best == "A>B"
    assert sign.pvalue == pytest.approx(stats.binomtest(4, 5).pvalue)
    wilcoxon = bc.compare(counts, method="wilcoxon")
    moved = difference[difference != 0]
    oracle = stats.wilcoxon(moved, method=stats.PermutationMethod())
    assert wilcoxon.pvalue == pytest.approx(oracle.pvalue)
    dirichlet = bc.compare(counts, method="dirichlet")
    assert dirichlet.probability["count"].values.tolist() == [4.5, 1.5]
    assert float(dirichlet.probability[0]) == pytest.approx(stats.beta.sf(0.5, 5, 2), abs=1e-12)
    assert bc.compare(counts, method="glrt").best == "A>B"


def test_many_algorithms_go_to_friedman(four: ErrorCounts) -> None:
    c: Any = bc.compare(four, method="friedman")
    ranks = four.data["error"].transpose("dataset", "algorithm").values
    expected = stats.rankdata(ranks, axis=1).mean(axis=0)
    assert c.ranks.loc[list(four.algorithms)].tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("method", ["poisson-binomial", "hierarchical"])
def test_what_cannot_be_compared_is_refused(method: str, four: ErrorCounts) -> None:
    assert "two algorithms" in refusal(lambda: bc.compare(four, method=method))
    assert "two" in refusal(lambda: bc.compare(four.sel(algorithms=["A"]), method=method))
    one = four.sel(datasets=["d1"])
    assert "'d1'" in refusal(lambda: bc.compare(one, method=method, algorithms=["A", "B"]))
    assert "ErrorCounts" in refusal(
        lambda: bc.compare(bc.load_example("jansen-uci"), method=method, measures=["auc"])
    )
    assert "DataFrame" in refusal(lambda: bc.compare(P, method=method))  # type: ignore[arg-type]


def test_counts_have_no_replicates(four: ErrorCounts) -> None:
    said = refusal(lambda: bc.compare(four, method="correlated-t", algorithms=["A", "B"]))
    assert "replicate" in said


# -------------------------------------------------------------------------------- one dataset alone


def test_first_better_is_theorem_4_1() -> None:
    counts = counts_of([(1, 4), (0, 0), (3, 2)], n=9)
    table = bc.first_better(counts)
    assert table.columns.tolist() == ["first_wrong", "second_wrong", "probability"]
    assert table.index.tolist() == list(counts.datasets)
    for (h, g), p in zip([(1, 4), (0, 0), (3, 2)], table["probability"], strict=True):
        assert p == pytest.approx(better(h, g), abs=1e-14)
        assert p == pytest.approx(better_by_two_integrals(h, g, 9 - h - g), abs=1e-8)
    swapped = bc.first_better(counts, algorithms=("B", "A"))
    np.testing.assert_allclose(table["probability"] + swapped["probability"], 1.0)
    halved = bc.first_better(counts, a=0.5)["probability"].tolist()
    assert halved == pytest.approx([better(1, 4, 0.5), 0.5, better(3, 2, 0.5)], abs=1e-13)


def test_first_better_of_one_dataset_and_of_named_pairs(four: ErrorCounts) -> None:
    one = four.sel(datasets=["d1"])
    assert len(bc.first_better(one)) == 1
    named = bc.first_better(four, algorithms=("C", "A"))
    assert named["first_wrong"].tolist() == four.pair("C", "A")[0].tolist()
    assert "two" in refusal(lambda: bc.first_better(four, algorithms=("C",)))  # type: ignore[arg-type]
    assert "'Z'" in refusal(lambda: bc.first_better(four, algorithms=("C", "Z")))
    assert "a=0" in refusal(lambda: bc.first_better(four, a=0))
    assert "ErrorCounts" in refusal(lambda: bc.first_better(P))  # type: ignore[arg-type]


def test_risks_are_beta_posteriors_with_their_bounds() -> None:
    counts = from_frame(both_wrong="both", n="n")
    table = bc.risks(counts, delta=0.1, prior=(2.0, 3.0))
    assert table.index.names == ["dataset", "algorithm"]
    wrong = {"a": (2, 4), "b": (6, 4), "c": (2, 2)}
    for (dataset, algorithm), row in table.iterrows():
        k = wrong[dataset][NAMES.index(algorithm)]
        n = int(FRAME.set_index("dataset").loc[dataset, "n"])
        posterior = stats.beta(2 + k, 3 + n - k)
        assert (row["wrong"], row["n"]) == (k, n)
        assert row["mean"] == pytest.approx(posterior.mean())
        assert row["sd"] == pytest.approx(posterior.std())
        assert row["bound"] == pytest.approx(posterior.ppf(0.9), rel=1e-9)
        # Langford: the largest risk under which k errors or fewer are still δ-probable.
        assert stats.binom.cdf(k, n, row["langford"]) == pytest.approx(0.1, rel=1e-6)


def test_all_wrong_bounds_nothing() -> None:
    counts = counts_of([(0, 0), (0, 0)], n=5, both=5)
    assert bc.risks(counts)["langford"].tolist() == [1.0] * 4


def test_langford_by_mpmath() -> None:
    row = bc.risks(counts_of([(3, 0), (1, 1)], n=40, both=2)).loc[("d0", "A")]
    with mp.workdps(30):
        inside = mp.betainc(6, 35, 0, mp.mpf(row["langford"]), regularized=True)
    assert float(inside) == pytest.approx(0.95, abs=1e-10)


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ({"delta": 0}, "delta=0"),
        ({"delta": 1.0}, "delta=1"),
        ({"delta": "a"}, "delta='a'"),
        ({"delta": None}, "delta=None"),
        ({"delta": float("nan")}, "delta=nan"),
        ({"prior": (1, 0)}, "prior"),
        ({"prior": (1,)}, "prior"),
        ({"prior": 1}, "prior"),
        ({"prior": ("a", 1)}, "prior"),
    ],
)
def test_bad_choices_about_risks(options: dict[str, Any], needed: str) -> None:
    counts = from_frame(both_wrong="both", n="n")
    assert needed in refusal(lambda: bc.risks(counts, **options))


def test_risks_need_sizes_and_all_errors() -> None:
    for options in ({}, {"n": "n"}, {"both_wrong": "both"}):
        said = refusal(lambda options=options: bc.risks(from_frame(**options)))  # type: ignore[misc]
        assert "both_wrong=" in said
        assert "n=" in said
