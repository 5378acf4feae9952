"""`Results.from_frame`: wide and melted frames, two header levels, index levels, odd types."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.table.results import Results

AUC: Any = {"auc": "max"}
BOTH: Any = {"auc": "max", "time": "min"}


def long_frame() -> pd.DataFrame:
    rows = [
        {"dataset": f"d{i}", "algorithm": name, "auc": 0.5 + i / 10 + k / 100, "time": 1.0 + i + k}
        for i in range(3)
        for k, name in enumerate(("svm", "forest"))
    ]
    return pd.DataFrame(rows)


def same(one: Results, other: Results) -> bool:
    return one.data.equals(other.data.sel(algorithm=one.data["algorithm"]))


WHOLE = Results.from_frame(long_frame(), measures=BOTH)


def pivoted(values: Any) -> pd.DataFrame:
    return long_frame().pivot(index="dataset", columns="algorithm", values=values)


def test_a_column_for_each_algorithm() -> None:
    wide = pivoted("auc")
    expected = WHOLE.sel(measures=["auc"])
    assert same(Results.from_frame(wide, measures=AUC), expected)
    assert same(Results.from_frame(wide.reset_index(), measures=AUC), expected)
    # Without a name, the labels of the rows are the datasets.
    assert same(Results.from_frame(wide.rename_axis(index=None), measures=AUC), expected)


def test_names_of_pairs_and_two_header_levels() -> None:
    wide = pivoted(["auc", "time"])
    assert same(Results.from_frame(wide, measures=BOTH), WHOLE)
    assert same(Results.from_frame(wide.reset_index(), measures=BOTH), WHOLE)
    swapped = wide.swaplevel(axis=1)
    assert same(Results.from_frame(swapped, measures=BOTH), WHOLE)
    # Other measures of two levels are ignored.
    assert Results.from_frame(wide, measures=AUC).measures == ("auc",)
    flat = wide.set_axis([f"{name}_{measure}" for measure, name in wide.columns], axis=1)
    assert same(Results.from_frame(flat, measures=BOTH), WHOLE)


def test_two_header_levels_of_a_long_frame() -> None:
    """As `agg` makes them: the statistics are no algorithms."""
    long = long_frame().groupby(["dataset", "algorithm"]).agg({"auc": ["mean", "std"]})
    for frame in (long, long.reset_index()):
        with pytest.raises(bc.BayescompareError, match=r"two levels .* 'auc mean'.*\.strip\('_'\)"):
            Results.from_frame(frame, measures=AUC)
    flat = long.reset_index()
    flat.columns = pd.Index(["_".join(map(str, name)).strip("_") for name in flat.columns])
    assert Results.from_frame(flat, measures={"auc_mean": "max"}).datasets == WHOLE.datasets
    three = pd.concat({"run": long}, axis=1)
    with pytest.raises(bc.BayescompareError, match=r"df has 3 levels .*\.strip\('_'\)"):
        Results.from_frame(three, measures=AUC)


def test_index_levels_are_columns() -> None:
    indexed = long_frame().set_index(["dataset", "algorithm"])
    assert same(Results.from_frame(indexed, measures=BOTH), WHOLE)
    assert same(Results.from_frame(long_frame().set_index("dataset"), measures=BOTH), WHOLE)


def test_melted() -> None:
    melted = long_frame().melt(["dataset", "algorithm"], var_name="measure")
    assert same(Results.from_frame(melted, measures=BOTH), WHOLE)
    with pytest.raises(bc.BayescompareError, match=r"measures\['f1'\]: not in the column 'meas"):
        Results.from_frame(melted, measures={"f1": "max"})


def test_domains_and_weights_of_a_wide_frame() -> None:
    wide = pivoted("auc").reset_index().assign(field=["a", "a", "b"], w=[1, 1, 2])
    results = Results.from_frame(wide, measures=AUC, group="field", weight="w")
    assert results.algorithms == ("forest", "svm")
    assert (results.groups, results.weights) == (("a", "a", "b"), (1.0, 1.0, 2.0))


@pytest.mark.parametrize(
    ("change", "measures", "message"),
    [
        (lambda df: df.assign(auc=df["auc"].astype(str)), AUC, "Numbers written as text"),
        (lambda df: df.assign(auc=pd.Timestamp("2026-01-01", tz="UTC")), AUC, "must be numbers"),
        (lambda df: df.assign(auc=df["auc"].astype(str).astype("category")), AUC, "as text are"),
        (lambda df: df.set_axis(["dataset", "algorithm", "auc", "auc"], axis=1), AUC, "2 such"),
        (lambda df: df.rename(columns={"algorithm": "who"}), AUC, "algorithm='algorithm': no su"),
        (lambda _: pivoted(["auc", "time"]), {"f1": "max"}, "must all be in one of the two lev"),
        (lambda _: pivoted("auc").assign(note="x"), AUC, r"not numeric: 'note' \(row 0 has"),
        (
            lambda _: pivoted("auc").set_axis(["svm", "svm"], axis=1),
            AUC,
            "column 'svm' occurs twice",
        ),
        (lambda df: df["auc"], AUC, "df is a Series: give a frame"),
    ],
)
def test_one_line_for_what_is_wrong(change: Any, measures: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        Results.from_frame(change(long_frame()), measures=measures)


# --------------------------------------------------------------------------------- other libraries


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(long_frame().to_dict("list"))
    assert same(Results.from_frame(frame, measures=BOTH), WHOLE)
    assert same(Results.from_frame(frame.lazy(), measures=BOTH), WHOLE)
    wide = frame.pivot(on="algorithm", index="dataset", values="auc")
    assert same(Results.from_frame(wide, measures=AUC), WHOLE.sel(measures=["auc"]))
    gaps = frame.with_columns(
        pl.when(pl.col("time") > 1).then(pl.col("auc")).alias("auc"),
        pl.col("dataset").cast(pl.Categorical),
        pl.lit(1).alias("fold"),
    )
    results = Results.from_frame(gaps, measures=AUC, replicate="fold")
    assert results.missing()["dataset"].tolist() == ["d0"]
    with pytest.raises(bc.BayescompareError, match="df cannot be collected"):
        Results.from_frame(frame.lazy().select("absent"), measures=AUC)


def test_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(long_frame().to_dict("list"))
    assert same(Results.from_frame(table, measures=BOTH), WHOLE)
