"""Frames with columns of every type: the right table, or one line that says what is wrong."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.table.results import Results

ACC: Any = {"acc": "max"}
VALUES = [0.9, 0.8, 0.7, 0.75, 0.6, 0.5]
BERLIN = pd.Timestamp("2026-03-01", tz="Europe/Berlin")


def frame(**columns: Any) -> pd.DataFrame:
    names = {"dataset": ["d1", "d1", "d2", "d2", "d3", "d3"], "algorithm": list("ABABAB")}
    return pd.DataFrame({**names, "acc": VALUES}).assign(**columns)


def read(df: Any, **options: Any) -> Results:
    return Results.from_frame(df, measures=ACC, **options)


# ------------------------------------------------------------------------------------------- cells


@pytest.mark.parametrize(
    "cells",
    [
        np.array(VALUES, dtype=object),
        [Decimal(str(value)) for value in VALUES],
        [Fraction(str(value)) for value in VALUES],
        [0.9, Decimal("0.8"), Fraction("0.7"), np.float64(0.75), 0.6, np.float32(0.5)],
        pd.array(VALUES, dtype="Float64"),
        pd.Categorical(VALUES, categories=[*sorted(VALUES), 2.0], ordered=True),
        pd.arrays.SparseArray(VALUES),
        np.array(VALUES, dtype=np.longdouble),
    ],
    ids=lambda cells: type(cells).__name__,
)
def test_numbers_of_other_types(cells: Any) -> None:
    np.testing.assert_allclose(read(frame(acc=cells)).values()[..., 0].ravel(), VALUES, rtol=1e-7)


@pytest.mark.parametrize(
    "cells",
    [
        [0.9, None, *VALUES[2:]],
        [0.9, pd.NA, *VALUES[2:]],
        [0.9, pd.NaT, *VALUES[2:]],
        [Decimal("0.9"), Decimal("NaN"), *VALUES[2:]],
        pd.array([0.9, None, *VALUES[2:]], dtype="Float64"),
        pd.Categorical([0.9, None, *VALUES[2:]]),
    ],
    ids=["None", "NA", "NaT", "Decimal", "Float64", "Categorical"],
)
def test_missing_cells_of_every_kind(cells: Any) -> None:
    cells = cells if hasattr(cells, "dtype") else pd.Series(cells, dtype=object)
    missing = read(frame(acc=cells)).missing()
    assert missing.to_numpy().tolist() == [["d1", "B", "acc"]]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([str(value) for value in VALUES], r"row 0 has '0.9', .* use pandas.to_numeric first"),
        ([0.9, "0.8", *VALUES[2:]], "must be numbers: row 1 has '0.8'"),
        (pd.array([True, None, True, False, True, False], dtype="boolean"), "row 0 has True"),
        (pd.Series(VALUES).astype(str).astype("string"), "row 0 has '0.9'"),
        ([10**400, *VALUES[1:]], r"row 0 has 1000\d+\.\.\."),
        ([10**5000, *VALUES[1:]], "row 0 has an integer of 16610 bits"),
        ([Decimal("Infinity"), *VALUES[1:]], "infinite cells: acc of 'A' on 'd1'"),
        ([Decimal("1e400"), *VALUES[1:]], "infinite cells: acc of 'A' on 'd1'"),
        ([Decimal("sNaN"), *VALUES[1:]], r"Decimal\('sNaN'\), which cannot be compared"),
        ([[1]] * 6, r"row 0 has \[1\]"),
        ([1j] * 6, "row 0 has 1j"),
        ([BERLIN] * 6, r"row 0 has Timestamp\('2026-03-01"),
        ([pd.Timedelta("1s")] * 6, "row 0 has Timedelta"),
    ],
)
def test_cells_that_are_no_numbers(cells: Any, message: str) -> None:
    column = cells if hasattr(cells, "dtype") else pd.Series(cells, dtype=object)
    with pytest.raises(bc.BayescompareError, match=message):
        read(frame(acc=column))


def test_right_and_wrong_of_items() -> None:
    truths = [np.True_, None, np.True_, np.False_, True, False]
    with pytest.raises(bc.BayescompareError, match="must be numbers"):
        read(frame(acc=pd.Series(truths, dtype=object)))
    results = read(
        frame(item=1, acc=pd.Series(truths, dtype=object)), replicate="item", replicates="items"
    )
    np.testing.assert_array_equal(results.data["acc"].values.ravel(), [1, np.nan, 1, 0, 1, 0])


# ------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("names", "datasets"),
    [
        (pd.Categorical(list("ccbbaa"), ["a", "b", "c", "unused"], ordered=True), ("c", "b", "a")),
        (pd.Categorical([3, 3, 2, 2, 1, 1]), ("3", "2", "1")),
        (pd.array([1, 1, 2, 2, 3, 3], dtype="Int64"), ("1", "2", "3")),
        (pd.Series(list("aabbcc"), dtype="string"), ("a", "b", "c")),
        (
            pd.DatetimeIndex([BERLIN + pd.Timedelta(days=k // 2) for k in range(6)]),
            tuple(f"2026-03-0{k} 00:00:00+01:00" for k in (1, 2, 3)),
        ),
    ],
    ids=["categories", "numbers", "Int64", "string", "timezone"],
)
def test_names_of_other_types(names: Any, datasets: tuple[str, ...]) -> None:
    results = read(frame(dataset=names))
    assert (results.datasets, results.algorithms) == (datasets, ("A", "B"))
    assert results.values().ravel().tolist() == VALUES


class Silent:
    """A name that cannot be written."""

    def __str__(self) -> str:
        raise RuntimeError("no name")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (pd.array([1, None, 2, 2, 3, 3], dtype="Int64"), "dataset name missing in row 1"),
        (pd.Categorical(["a", None, "b", "b", "c", "c"]), "dataset name missing in row 1"),
        ([BERLIN, pd.NaT, BERLIN, BERLIN, BERLIN, BERLIN], "dataset name missing in row 1"),
        ([1, 1, "1", "1", 3, 3], "names 1 and '1' are different values with the same text"),
        ([["a"]] * 6, "dataset name in row 0, .* is not a name"),
        ([10**5000] * 6, "dataset name, a int, cannot be written as text"),
        ([Silent()] * 6, r"dataset name, a Silent, .* \(RuntimeError: no name\)"),
        (["\ud800"] * 2 + ["b"] * 4, r"dataset name '\\ud800' contains half a char"),
        (["\ud800"] * 6, r"dataset name '\\ud800' contains half a char"),
    ],
)
def test_names_that_are_none(names: Any, message: str) -> None:
    column = names if hasattr(names, "dtype") else pd.Series(names, dtype=object)
    with pytest.raises(bc.BayescompareError, match=message):
        read(frame(dataset=column))


# ----------------------------------------------------------------------------------------- columns


def twice(df: pd.DataFrame, column: str) -> pd.DataFrame:
    return pd.concat([df, df[[column]]], axis=1)


MELTED = frame(measure="acc", value=VALUES).drop(columns="acc")
WIDE = pd.DataFrame({"dataset": ["d1", "d2"], "A": [0.9, 0.8], "B": [0.7, 0.6]})
TWO = pd.concat({"acc": WIDE.set_index("dataset")}, axis=1)


@pytest.mark.parametrize(
    ("df", "message"),
    [
        (twice(frame(), "acc"), r"measures\['acc'\]: the table has 2 such columns"),
        (twice(frame(), "dataset"), "dataset='dataset': the table has 2 such columns"),
        (twice(MELTED, "value"), "column 'value': the table has 2 such columns"),
        (twice(MELTED, "measure"), "column 'measure': the table has 2 such columns"),
        (twice(WIDE, "A"), "column 'A' occurs twice"),
        (pd.concat([TWO, TWO], axis=1), "column 'acc A' occurs twice"),
        (WIDE.rename(columns={"A": 1, "B": "1"}), "column '1' occurs twice"),
        (WIDE.rename(columns={"A": np.nan}), "column 'nan' has no name, so it cannot be an alg"),
        (
            WIDE.assign(fold=1).set_index(["dataset", "fold"]),
            "the index has a level 'fold', which is no algorithm: name it by dataset= or repl",
        ),
        (WIDE.rename(columns={"dataset": "data"}).set_index("data"), "a level 'data', which is no"),
        (frame().iloc[:0], "df is empty"),
        (TWO.iloc[:0], "df is empty"),
    ],
)
def test_columns_that_are_wrong(df: pd.DataFrame, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        read(df)


def test_an_unrelated_column_twice_is_ignored() -> None:
    assert read(twice(frame(x=1), "x")).algorithms == ("A", "B")


def test_levels_of_the_index_that_are_named() -> None:
    results = read(WIDE.assign(fold=1).set_index(["dataset", "fold"]), replicate="fold")
    assert (results.algorithms, results.n_replicates) == (("A", "B"), 1)
    domains = WIDE.assign(field="x").set_index(["dataset", "field"])
    assert read(domains, group="field").groups == ("x", "x")
    assert read(frame().set_index(["dataset", "algorithm"])).algorithms == ("A", "B")


# --------------------------------------------------------------------------- polars and pyarrow


def test_types_of_polars() -> None:
    pl = pytest.importorskip("polars")
    df = pl.from_pandas(frame())
    typed = df.with_columns(
        pl.col("dataset").cast(pl.Categorical),
        pl.col("algorithm").cast(pl.Enum(["C", "B", "A"])),
        pl.col("acc").cast(pl.Decimal(10, 3)),
    )
    assert read(typed.lazy()).data.equals(read(frame()).data)
    for cells in (
        pl.Series([2**64 - 1, None, 3, 4, 5, 6], dtype=pl.UInt64),
        pl.Series([2**100, None, 3, 4, 5, 6], dtype=pl.Int128),
        pl.Series([1.5, None, 3.0, 4.0, 5.0, 6.0], dtype=pl.Float32),
    ):
        results = read(df.with_columns(acc=cells))
        assert len(results.missing()) == 1
        assert results.values()[1:].ravel().tolist() == [3.0, 4.0, 5.0, 6.0]
    days = [datetime.date(2026, 3, 1 + k // 2) for k in range(6)]
    assert read(df.with_columns(dataset=pl.Series(days))).datasets[0] == "2026-03-01"


def test_types_of_polars_that_are_none() -> None:
    pl = pytest.importorskip("polars")
    df = pl.from_pandas(frame())
    for change, message in (
        ({"acc": pl.Series([[1.0]] * 6)}, r"row 0 has \[1.0\]"),
        ({"acc": pl.struct("acc")}, r"row 0 has {'acc': 0.9}"),
        ({"acc": pl.col("acc").cast(pl.String)}, "row 0 has '0.9'"),
        ({"dataset": pl.Series([["a"]] * 6)}, "is not a name"),
        ({"dataset": pl.struct("acc")}, "is not a name"),
    ):
        with pytest.raises(bc.BayescompareError, match=message):
            read(df.with_columns(**change))
    with pytest.raises(bc.BayescompareError, match="df cannot be collected"):
        read(df.lazy().select("absent"))


def test_a_table_of_pyarrow_with_a_column_twice() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table([["d"], ["A"], [0.5], [0.5]], names=["dataset", "algorithm", "acc", "acc"])
    for door in (read, lambda df: bc.compare(df, measures=ACC)):
        with pytest.raises(bc.BayescompareError, match=r"df has a column twice .*'acc' 2 times"):
            door(table)
