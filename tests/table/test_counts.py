"""`ErrorCounts` as a user makes and cuts them, and the frames that are refused."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import ErrorCounts
from tests.oracles.context import counts_of, predictions
from tests.table.made_counts import FRAME, NAMES, from_frame, refusal

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
    table = pd.read_csv(Path(__file__).parents[2] / "reproduction" / "data" / "lacoste_table5.csv")
    np.testing.assert_array_equal(counts.pair("svm", "parzen")[0], table["col1_kh"] - 10)
    np.testing.assert_array_equal(counts.pair("svm", "parzen")[1], table["col2_kg"] - 10)


F = FRAME
BOTH = {"both_wrong": "both"}
#: A frame, options, and words of the refusal.
BAD_FRAMES: list[tuple[Any, dict[str, Any], list[str]]] = [
    (F.assign(h=[-1, 2, 0]), {}, ["h", "-1", "'a'"]),
    (F.assign(g=[3, 0.5, 0]), {}, ["g", "0.5", "'b'"]),
    (F.assign(g=[3, np.nan, 0]), {}, ["g", "nan", "'b'"]),
    (F.assign(g=[3, np.inf, 0]), {}, ["g", "inf", "'b'"]),
    (F.assign(h=["1", "2", "0"]), {}, ["h", "'1'", "to_numeric"]),
    (F.assign(h=pd.Series(["1", 2, 0], dtype=object)), {}, ["h", "'1'", "row 0"]),
    (F.assign(h=[True, False, True]), {}, ["h", "True"]),
    (F.assign(h=[8, 0, 0]), {"n": "n"}, ["11 of 10", "'a'"]),
    (F.assign(both=[7, 0, 0]), {"n": "n", **BOTH}, ["11 of 10", "'a'"]),
    (F.assign(n=10.5), {"n": "n"}, ["n", "10.5", "'a'"]),
    (F.assign(n=[1, None, 9]), {"n": "n"}, ["n", "nan", "'b'"]),
    (F.assign(both=[0, -2, 0]), BOTH, ["both", "-2", "'b'"]),
    (F.assign(dataset=["a", "b", "a"]), {}, ["dataset", "'a'"]),
    (F.assign(dataset=pd.Series([1, "1", 2], dtype=object)), {}, ["dataset", "1", "'1'"]),
    (F.assign(dataset=["a", None, "b"]), {}, ["dataset", "row 1"]),
    (F, {"dataset": "task"}, ["dataset='task'", "'h'"]),
    (F.set_index("dataset"), {}, ["dataset", "reset_index"]),
    (F.iloc[:0], {}, ["df", "empty"]),
    ({"h": [1]}, {}, ["df", "dict", "DataFrame"]),
    # Its error is 0/0; later it would be called a missing cell, which it is not.
    (F.assign(h=0, g=0, n=[0, 10, 10]), {"n": "n"}, ["n", "'a'"]),
    # As int64 they read −9223372036854775808, and neighbouring floats are not one apart.
    (F.assign(h=[10**20, 0, 0]), {}, ["'a'"]),
    (F, {"algorithms": ("svm",)}, ["algorithms", "svm", "two"]),
    (F, {"algorithms": ("a", "b", "c")}, ["algorithms", "two"]),
    (F, {"algorithms": ("a", "a")}, ["algorithms", "'a'", "twice"]),
    (F, {"algorithms": "ab"}, ["algorithms", "'ab'"]),
    (F, {"algorithms": ("a>b", "c")}, ["'a>b'", "rename"]),
    (F, {"algorithms": ("a", "b|c")}, ["'b|c'", "rename"]),
    (F, {"algorithms": ("a=", "c")}, ["'a='", "rename"]),
    (F, {"algorithms": (" ", "c")}, ["algorithm", "blank"]),
    (F, {"algorithms": ("a\nb", "c")}, ["algorithm", "control"]),
    *((F, {"algorithms": other}, ["algorithms"]) for other in (None, 5, object())),
    *((F, {name: None}, [name]) for name in ("first_wrong", "second_wrong")),
    *(
        (F, {name: "zz"}, ["'zz'", "'h', 'g'", name])
        for name in ("first_wrong", "second_wrong", "both_wrong", "n")
    ),
]


@pytest.mark.parametrize(("frame", "options", "needed"), BAD_FRAMES)
def test_bad_frames_are_refused_by_name(
    frame: Any, options: dict[str, Any], needed: list[str]
) -> None:
    said = refusal(lambda: from_frame(frame, **options))
    for word in needed:
        assert word in said, said


@pytest.mark.parametrize(
    "pair", [("first_wrong", "second_wrong"), ("first_wrong", "n"), ("second_wrong", "n")]
)
def test_one_column_cannot_be_two_counts(pair: tuple[str, str]) -> None:
    """Taking one column twice would make every dataset a perfect tie, silently."""
    frame = FRAME.assign(n=100, h=0)
    column = "n" if "n" in pair else "h"
    said = refusal(lambda: from_frame(frame, **{"n": "n", **dict.fromkeys(pair, column)}))
    assert repr(column) in said


def test_large_counts_are_written_out_in_messages() -> None:
    frame = FRAME.assign(h=[123456789, 0, 0], g=0, n=[123456788, 9, 9])
    said = refusal(lambda: from_frame(frame, n="n")).replace(",", "").replace("_", "")
    assert "123456789" in said
    assert "123456788" in said


# -------------------------------------------------------------------------------------- parts of it


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
