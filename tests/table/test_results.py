"""`Results`: what it takes, what it refuses, what it gives back."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.table.checks import RESERVED
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from tests.tables import FRAME

# A machine shared with others is slow at times; that is no failure.
UNHURRIED = settings(deadline=None, max_examples=60)
NAN = float("nan")


def frame(**columns: Any) -> pd.DataFrame:
    """Two datasets, two algorithms, two measures; `columns` replaces or adds."""
    table = {
        "dataset": ["iris", "iris", "wine", "wine"],
        "algorithm": ["B", "A", "B", "A"],
        "auc": [0.9, 0.8, 0.7, 0.6],
        "time": [1.0, 2.0, 3.0, 4.0],
    }
    return pd.DataFrame({**table, **columns})


def read(table: pd.DataFrame, **options: Any) -> Results:
    return Results.from_frame(table, **{"measures": {"auc": "max", "time": "min"}, **options})


def folds(auc: list[Any]) -> Results:
    """One dataset and as many algorithms as there are triples in `auc`."""
    n = len(auc) // 3
    table = pd.DataFrame(
        {
            "dataset": "iris",
            "algorithm": np.repeat([f"A{i}" for i in range(n)], 3),
            "fold": [1, 2, 3] * n,
            "auc": auc,
        }
    )
    return Results.from_frame(table, replicate="fold", measures={"auc": "max"})


# ---------------------------------------------------------------------------------- what is in it


def test_names_come_in_order_of_first_appearance_and_measures_as_declared() -> None:
    results = read(frame(), measures={"time": "min", "auc": "max"})
    assert (results.datasets, results.algorithms) == (("iris", "wine"), ("B", "A"))
    assert (results.measures, results.n_replicates) == (("time", "auc"), None)
    assert results.values().tolist() == [[[1, 0.9], [2, 0.8]], [[3, 0.7], [4, 0.6]]]
    assert results.oriented()[1, 0].tolist() == [-3.0, 0.7]
    assert results.data["time"].dims == ("dataset", "algorithm")
    part = results.sel(algorithms=["A"], datasets=["wine"])
    assert (part.algorithms, part.datasets) == (("A",), ("wine",))
    assert results.algorithms == ("B", "A")


def test_what_changes_nothing_is_the_same() -> None:
    results = read(frame())
    assert results.average() is results.complete() is results.complete(missing="drop") is results
    assert results.sel() == results
    assert results.missing().empty


@pytest.mark.parametrize(
    ("auc", "missing", "message"),
    [
        ([0.9, NAN, 0.7, 0.6], "raise", r"1 missing cell: auc of 'A' on 'iris'.*'drop'"),
        ([0.9, NAN, 0.7, NAN], "drop", r"leaves no dataset.*B 100 %, A 50 %"),
        ([0.9, 0.8, 0.7, 0.6], "dropp", r"missing='dropp'.*Did you mean 'drop'"),
    ],
)
def test_gaps_are_refused(auc: list[float], missing: Any, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        read(frame(auc=auc)).complete(missing=missing)


def test_a_measure_is_found_by_its_name() -> None:
    assert read(frame())["time"] == Measure("min")
    with pytest.raises(BayescompareError, match=r"no measure called 'tme'.*Did you mean 'time'"):
        read(frame())["tme"]


def test_the_measures_are_what_is_in_results() -> None:
    results = read(frame())
    assert "time" in results
    assert list(results) == list(results.measures)
    assert not any(other in results for other in ("tme", 0, None, ["time"]))
    with pytest.raises(BayescompareError, match=r"no measure called \['time'\]"):
        _ = results[["time"]]  # type: ignore[index]


@UNHURRIED
@given(st.permutations(range(4)))
def test_the_order_of_rows_changes_only_the_order_of_names(order: list[int]) -> None:
    shuffled = read(frame().iloc[order])
    assert shuffled.sel(datasets=["iris", "wine"], algorithms=["B", "A"]) == read(frame())


# ------------------------------------------------------------------------ what cannot be a table


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (frame().to_dict(), {}, "df is a dict: give a frame of pandas"),
        (frame().iloc[:0], {}, "df is empty: 0 rows, 4 columns"),
        (frame(), {"dataset": "Dataset"}, "dataset='Dataset'.*'time'.* Did you mean 'dataset'"),
        (frame(), {"replicate": "fold"}, "replicate='fold': no such column"),
        (frame(), {"measures": {"acu": "max"}}, r"measures\['acu'\].*Did you mean 'auc'"),
        (frame(), {"dataset": "algorithm"}, "'algorithm' cannot be both dataset and algorithm"),
        (frame(), {"replicate": "auc"}, "'auc' cannot be both replicate and auc"),
        (pd.concat([frame(), frame()[["auc"]]], axis=1), {}, "2 such columns"),
        (frame(dataset=["iris", None, "wine", "wine"]), {}, "dataset name missing in row 1:"),
        (frame(algorithm=["B", "A", "B", " "]), {}, "algorithm name missing in row 3:"),
        (frame(dataset=[1, "1", 2, 2]), {}, "dataset names 1 and '1' are different values"),
        (frame(algorithm=["A\nx", "A", "B", "C"]), {}, "control character"),
        (frame(algorithm="A"), {}, r"\('iris', 'A'\), \('wine', 'A'\).*replicate="),
        (frame(auc=["high", 0.8, "low", 0.6]), {}, r"row 0 has 'high', row 2 has 'low'\.$"),
        (frame(auc=[True, False, True, True]), {}, "measure 'auc' must be numbers: row 0 has True"),
        (frame(auc=[np.inf, 1, 1, -np.inf]), {}, "auc of 'B' on 'iris' is inf, auc of 'A' on 'wi"),
        (
            frame(auc=[0.5, 0.5, 1.2, 0.5]),
            {"measures": {"auc": Measure("max", bounds=(0, 1))}},
            "outside bounds.*auc of 'B' on 'wine' is 1.2.",
        ),
        (
            frame(auc=[0.5, -0.1, 1.2, 0.5]),
            {"measures": {"auc": Measure("max", bounds=(0, None))}},
            "'A' on 'iris' is -0.1. Correct",
        ),
        (frame(), {"measures": ["auc"]}, "each measure needs a direction"),
        (frame(), {"source": 3}, "source=3: give a string"),
    ],
)
def test_bad_frames_are_refused(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BayescompareError, match=message) as caught:
        read(table, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", RESERVED)
def test_a_measure_cannot_take_the_name_of_a_dimension(name: str) -> None:
    with pytest.raises(BayescompareError, match=f"cannot be called '{name}'.*rename"):
        read(frame(), measures={name: "max"})


@pytest.mark.parametrize("sign", [">", "|", "="])
def test_signs_of_labels_are_not_for_algorithms_but_for_datasets(sign: str) -> None:
    with pytest.raises(BayescompareError, match="ambiguous: rename"):
        read(frame(algorithm=["B", f"k{sign}3", "B", "C"]))
    assert read(frame(dataset=[f"n{sign}3"] * 2 + ["wine"] * 2)).datasets[0] == f"n{sign}3"


def test_many_duplicates_are_counted_not_listed() -> None:
    table = pd.DataFrame({"dataset": np.repeat(range(20), 2), "algorithm": "A", "auc": 0.5})
    with pytest.raises(BayescompareError, match="and 12 more"):
        read(table, measures={"auc": "max"})


def test_replicates_must_differ_within_a_cell() -> None:
    with pytest.raises(BayescompareError, match=r"\('iris', 'A', '1'\).*Replicates must differ"):
        read(frame(algorithm="A", fold=[1, 1, 1, 2]), replicate="fold")


# --------------------------------------------------------------------------------- construction


def dataset(**changes: Any) -> xr.Dataset:
    return read(frame()).data.assign(**changes)


SPEC = {"auc": Measure("max"), "time": Measure("min")}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (frame(), "data is a DataFrame: .*Results.from_frame"),
        (dataset().rename(dataset="task"), "has the dimensions .*'task'"),
        (dataset().expand_dims("seed"), "has the dimensions .*'seed'"),
        (dataset().drop_vars("dataset"), "no names along 'dataset'"),
        (dataset().isel(algorithm=[]), "data has no algorithm"),
        (dataset().drop_vars("auc"), r"data holds \['time'\] but spec describes"),
        (dataset(auc=dataset()["auc"].isel(dataset=0)), "measure 'auc' has dimensions"),
        (dataset(auc=dataset()["auc"].astype(str)), "measure 'auc' holds <U"),
        (dataset().isel(dataset=[0, 0]), "dataset 'iris' occurs twice"),
        (dataset().assign_coords(dataset=["", "wine"]), "dataset name '' is blank"),
        (dataset(auc=dataset()["auc"] / 0.0), "infinite cells: auc of 'B' on 'iris'"),
    ],
)
def test_bad_datasets_are_refused(data: Any, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        Results(data, SPEC)


def test_parts_of_the_wrong_kind_are_refused() -> None:
    spec: Any = {"auc": 1, "time": "min"}
    with pytest.raises(BayescompareError, match=r"measures\['auc'\]"):
        Results(dataset(), spec)
    notes: Any = "one"
    with pytest.raises(BayescompareError, match="give a tuple of strings"):
        Results(dataset(), SPEC, notes=notes)


def test_dimensions_are_put_in_order() -> None:
    assert Results(dataset().transpose("algorithm", "dataset"), SPEC) == read(frame())


def test_results_do_not_follow_changes_of_their_input() -> None:
    data = dataset().copy(deep=True)
    results = Results(data, SPEC)
    data["auc"][0, 0] = 0.0
    assert results == read(frame())


def test_checked_cells_cannot_be_overwritten() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read(frame()).data["auc"][0, 0] = 99.0


def test_equality_sees_every_part() -> None:
    results = read(frame())
    assert results == read(frame())
    assert results != read(frame(auc=0.5))
    assert results != read(frame(), measures={"time": "min", "auc": "max"})
    assert results != read(frame(), measures={"auc": "max", "time": "max"})
    assert results != replace(results, source="a file")
    assert results != replace(results, notes=("changed",))
    assert results != "results"


def test_results_can_be_copied_and_pickled() -> None:
    results = read(frame(), source="here")
    assert pickle.loads(pickle.dumps(results)) == results
    assert copy.deepcopy(results) == results


# -------------------------------------------------------------------------------------- selection


def test_sel_keeps_the_order_named() -> None:
    results = read(frame(), source="here")
    part = results.sel(algorithms=["A", "B"], measures=["time"], datasets=("wine",))
    assert (part.algorithms, part.measures, part.datasets) == (("A", "B"), ("time",), ("wine",))
    np.testing.assert_array_equal(part.values(), [[[4.0], [3.0]]])
    assert part.source == "here"


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"algorithms": ["C"]}, "algorithms: no algorithm called 'C'"),
        ({"datasets": ["irsi"]}, "datasets: no dataset called 'irsi'.*Did you mean 'iris'"),
        ({"measures": ["tim"]}, "measures: no measure called 'tim'.*Did you mean 'time'"),
        ({"algorithms": ["A", "B", "A"]}, "algorithms: 'A' is named twice"),
        ({"algorithms": "A"}, r"algorithms='A': give a list, as in \['A'\]"),
        ({"datasets": 3}, "datasets=3: give a list"),
        ({"measures": []}, r"measures=\[\]: name at least one"),
    ],
)
def test_bad_selections_are_refused(selection: dict[str, Any], message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        read(frame()).sel(**selection)


# ------------------------------------------------------------------------------------- replicates


def test_replicates_are_a_dimension() -> None:
    results = folds([0.7, 0.8, 0.9])
    assert results.n_replicates == 3
    assert results.data["auc"].dims == ("dataset", "algorithm", "replicate")
    with pytest.raises(BayescompareError, match=r"3 replicates per cell: call results.average\(\)"):
        results.values()
    with pytest.raises(BayescompareError, match="replicates"):
        results.oriented()


@example([0.3, 0.2, 0.1])  # the plain sums of these differ from those of 0.1, 0.2, 0.3
@UNHURRIED
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).flatmap(st.permutations))
def test_the_same_replicates_in_another_order_tie(auc: list[float]) -> None:
    first, second = folds([*auc, *sorted(auc)]).average().values().ravel()
    assert first == second
    assert min(auc) <= first <= max(auc)


# ---------------------------------------------------------------------------------- missing cells


def test_missing_lists_empty_and_absent_cells() -> None:
    table = frame(auc=[0.9, NAN, 0.7, 0.6]).iloc[:3]
    assert read(table).missing().to_dict("records") == [
        {"dataset": "iris", "algorithm": "A", "measure": "auc"},
        {"dataset": "wine", "algorithm": "A", "measure": "auc"},
        {"dataset": "wine", "algorithm": "A", "measure": "time"},
    ]


def test_missing_names_the_replicate() -> None:
    missing = folds([0.7, NAN, 0.9]).missing()
    assert list(missing.columns) == ["dataset", "algorithm", "measure", "replicate"]
    assert missing.iloc[0].tolist() == ["iris", "A0", "auc", "2"]


def test_coverage_is_the_share_of_measures_and_replicates() -> None:
    coverage = read(frame(auc=[0.9, NAN, 0.7, 0.6]).iloc[:3]).coverage()
    assert coverage.index.name == "dataset"
    assert coverage.to_dict("index") == {
        "iris": {"B": 1.0, "A": 0.5},
        "wine": {"B": 1.0, "A": 0.0},
    }
    assert folds([0.7, NAN, 0.9]).coverage().loc["iris", "A0"] == pytest.approx(2 / 3)


def test_drop_judges_only_what_was_selected() -> None:
    results = read(frame(auc=[0.9, NAN, 0.7, 0.6]))
    assert results.sel(algorithms=["B"]).complete().datasets == ("iris", "wine")
    assert results.sel(measures=["time"]).complete().datasets == ("iris", "wine")


# ------------------------------------------------------------------------------------- round trips

# A unit with a character that a terminal would obey is refused.
printable = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
text = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6
).filter(lambda name: name.strip() != "")
algorithm_names = text.filter(lambda name: not set(name) & set(">|="))
cells = st.floats(-1e6, 1e6) | st.just(NAN)
specs = st.builds(
    Measure,
    st.sampled_from(["max", "min"]),
    rope=st.none() | st.floats(0, 1),
    scale=st.sampled_from(["metric", "ordinal"]),
    bounds=st.sampled_from([None, (None, 1e6), (-1e6, None), (-1e6, 1e6)]),
    unit=st.none() | st.text(printable, max_size=3),
)


@st.composite
def any_results(draw: st.DrawFn) -> Results:
    coords = {
        "dataset": draw(st.lists(text, min_size=1, max_size=3, unique=True)),
        "algorithm": draw(st.lists(algorithm_names, min_size=1, max_size=3, unique=True)),
    }
    if draw(st.booleans()):
        coords["replicate"] = draw(st.lists(text, min_size=1, max_size=2, unique=True))
    spec = draw(st.dictionaries(text.filter(lambda n: n not in RESERVED), specs, min_size=1))
    shape = tuple(len(names) for names in coords.values())
    size = int(np.prod(shape))
    variables = {
        name: (
            tuple(coords),
            np.reshape(draw(st.lists(cells, min_size=size, max_size=size)), shape),
        )
        for name in spec
    }
    return Results(
        xr.Dataset(variables, coords=coords),
        spec,
        source=draw(st.none() | st.text(max_size=5)),
        notes=tuple(draw(st.lists(st.text(max_size=5), max_size=2))),
    )


@UNHURRIED
@given(any_results())
def test_a_frame_gives_the_same_results_back(results: Results) -> None:
    replicate = None if results.n_replicates is None else "replicate"
    back = Results.from_frame(
        results.to_frame(), replicate=replicate, measures=results.spec, source=results.source
    )
    assert back == replace(results, notes=())


@UNHURRIED
@given(any_results())
def test_a_stored_dataset_gives_the_same_results_back(results: Results) -> None:
    stored = results.to_dataset()
    assert all(isinstance(value, str) for value in stored.attrs.values())
    assert Results.from_dataset(stored) == results


@pytest.mark.parametrize("engine", ["scipy", "h5netcdf"])
@pytest.mark.parametrize("averaged", [True, False])
def test_netcdf_gives_the_same_results_back(tmp_path: Path, engine: Any, averaged: bool) -> None:
    table = frame(**{"F1/macro": [0.1, NAN, 0.3, 1 / 3]}, fold="α").replace({"iris": "Ирис"})
    measures = {"time": Measure("min", bounds=(0, None), unit="µs"), "F1/macro": Measure("max")}
    results = read(table, replicate="fold", measures=measures, source="Tables 4–6")
    results = results.average() if averaged else results
    results.to_dataset().to_netcdf(tmp_path / "results.nc", engine=engine)
    assert Results.from_dataset(xr.load_dataset(tmp_path / "results.nc", engine=engine)) == results


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (xr.Dataset(), "'schema'.* is None"),
        (read(frame()).data, "only the output of Results.to_dataset"),
        (read(frame()).to_dataset().assign_attrs(measures="{"), "not a stored Results"),
        (read(frame()).to_dataset().drop_vars("value"), "not a stored Results"),
        (read(frame()).to_dataset().assign_attrs(measures='{"auc": 3}'), "not a stored Results"),
    ],
)
def test_other_datasets_are_not_read_back(stored: xr.Dataset, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        Results.from_dataset(stored)


# ------------------------------------------------------------------------------------------- repr


def test_repr_is_a_spec_sheet() -> None:
    results = read(
        frame(auc=[0.9, NAN, 0.7, 0.6]),
        measures={
            "auc": Measure("max", rope=0.01, bounds=(0, 1)),
            "time": Measure("min", unit="s"),
        },
        source="a paper",
    )
    assert repr(replace(results, notes=("one thing",))).splitlines() == [
        "Results: 2 datasets, 2 algorithms, 2 measures",
        "  datasets    iris, wine",
        "  algorithms  B, A",
        "  replicates  none",
        "  measure     direction  rope  scale   bounds  unit  observed",
        "  auc         max        0.01  metric  0..1    none  0.6 to 0.9",
        "  time        min        none  metric  none    s     1 to 4",
        "  missing     1 of 8 cells",
        "  source      a paper",
        "  note        one thing",
    ]


def test_repr_stays_short() -> None:
    names = [f"algorithm-{'x' * i}" for i in range(200)]
    table = pd.DataFrame({"dataset": "d", "algorithm": names, "fold": 1})
    measures = {f"measure-{i}": Measure("max") for i in range(30)}
    results = read(
        table.assign(**dict.fromkeys(measures, NAN)), replicate="fold", measures=measures
    )
    lines = repr(replace(results, source="s" * 500, notes=("n" * 500,) * 9)).splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 100
    assert "and 25 more" in "\n".join(lines)
    assert "observed" in "\n".join(lines)


TWINS = {
    "zero-width space": ("svm", "sv\u200bm"),
    "no-break space": ("my svm", "my\u00a0svm"),
    "decomposed": ("na\u00efve", "nai\u0308ve"),
    "trailing space": ("svm", "svm "),
    "two spaces": ("my svm", "my  svm"),
}


def named(names: tuple[str, str], column: str) -> pd.DataFrame:
    return FRAME.assign(**{column: [*names] * 3}).drop_duplicates(["dataset", "algorithm"])


@pytest.mark.parametrize("names", TWINS.values(), ids=TWINS)
def test_names_that_look_the_same_are_warned_of(names: tuple[str, str]) -> None:
    with pytest.warns(UserWarning, match="algorithm names .* look the same"):
        results = bc.Results.from_frame(named(names, "algorithm"), measures={"auc": "max"})
    assert results.algorithms == names
    with pytest.warns(UserWarning, match="measure names .* look the same"):
        bc.Results.from_frame(
            FRAME.assign(**{names[0]: 1.0, names[1]: 2.0}), measures=dict.fromkeys(names, "max")
        )


def test_names_that_differ_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.Results.from_frame(named(("na\u00efve", "naive"), "algorithm"), measures={"auc": "max"})
