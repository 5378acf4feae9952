"""A study's table: what is in it, that it is the same however it is run, and what is refused."""

from __future__ import annotations

import tracemalloc
from typing import Any

import joblib
import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.studies import Study
from tests.studies.simple import GRID, block, case, cases


def test_a_table_is_what_the_function_returns_case_by_case() -> None:
    """Against a plain loop over scenarios and cases, with streams made by hand."""
    study = cases()
    table = study.run(rng=3)
    assert dict(table.sizes) == {"n": 2, "effect": 3, "replication": 30, "ends_dim0": 2}
    failed = 0
    for scenario in study._scenarios:
        for k in range(30):
            key = (*scenario.spawn_key, k)
            rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=key))
            row = table.sel(**scenario.values, replication=k)
            try:
                made = case(rng, **scenario.values)
            except RuntimeError:
                failed += 1
                assert row["errors"] == "RuntimeError: unlucky"
                assert np.isnan(row["mean"])
                assert np.isnan(row["ends"]).all()
                continue
            assert row["errors"] == ""
            assert row["mean"] == made["mean"]
            assert row["positive"] == made["positive"]
            assert (row["ends"].to_numpy() == made["ends"]).all()
    assert 0 < failed == table.attrs["failed"]


def test_streams_of_cases_differ() -> None:
    draws = Study(
        name="draws", grid={"a": [0, 1], "b": ["x", "y"]}, replications=20, case=one_draw
    ).run(rng=1)["draw"]
    assert len(np.unique(draws)) == 80


def one_draw(rng: np.random.Generator, **scenario: Any) -> dict[str, Any]:
    return {"draw": rng.random()}


def test_the_table_is_the_same_however_it_is_run() -> None:
    one = cases().run(rng=3)
    for choices in ({"block_size": 1}, {"block_size": 7}, {"block_size": 1000}):
        xr.testing.assert_identical(one, cases(**choices).run(rng=3))
    with joblib.parallel_config(backend="threading", n_jobs=3):
        xr.testing.assert_identical(one, cases().run(rng=3))
    xr.testing.assert_identical(one, cases(block_size=11).run(rng=3, n_jobs=2))
    assert not one["mean"].equals(cases().run(rng=4)["mean"])


def test_a_smaller_study_has_the_same_numbers() -> None:
    one = cases().run(rng=3)
    few = cases(grid={"effect": [1.0, 0.0], "n": [5]}, replications=12).run(rng=3)
    part = one.sel(n=[5], effect=[1.0, 0.0], replication=few["replication"])
    # Another order of the axes is another scenario only if its content is.
    np.testing.assert_array_equal(
        part["mean"].transpose(*few["mean"].dims).to_numpy(), few["mean"].to_numpy()
    )


def test_batches() -> None:
    study = Study(name="b", grid=GRID, replications=130, block=block, block_size=50)
    table = study.run(rng=5)
    xr.testing.assert_identical(table, study.run(rng=5, n_jobs=2))
    scenario = study._scenarios[4]
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(*scenario.spawn_key, 2)))
    last = table["mean"].sel(**scenario.values)[100:]
    np.testing.assert_array_equal(last, block(rng, 30, **scenario.values)["mean"])


def test_a_batch_that_fails_is_recorded_whole() -> None:
    def sometimes(rng: np.random.Generator, size: int, *, bad: bool) -> dict[str, Any]:
        if bad:
            raise ValueError("no")
        return {"x": np.ones(size)}

    table = Study(name="b", grid={"bad": [True, False]}, replications=4, block=sometimes).run()
    assert table["x"].sel(bad=False).to_numpy().tolist() == [1, 1, 1, 1]
    assert (table["errors"].sel(bad=True) == "ValueError: no").all()
    assert table["x"].sel(bad=True).isnull().all()


def test_a_summary_is_that_of_the_table() -> None:
    study = cases(replications=40)
    table, short = study.run(rng=2), study.run(rng=2, summary=True)
    mean = short["mean"].sel(statistic="mean")
    np.testing.assert_allclose(mean, table["mean"].mean("replication"), rtol=1e-13)
    n = (table["errors"] == "").sum("replication")
    np.testing.assert_array_equal(short["mean"].sel(statistic="n"), n)
    np.testing.assert_array_equal(short["failed"], 40 - n)
    np.testing.assert_allclose(
        short["ends"].sel(statistic="mcse"),
        table["ends"].std("replication", ddof=1) / np.sqrt(n),
        rtol=1e-12,
    )


def test_labels_stand_for_objects_and_dims_have_names() -> None:
    def ask(rng: np.random.Generator, *, method: Any, level: float) -> dict[str, Any]:
        return {"p": [level, 1.0 - level], "directed": method.name == "gsd"}

    table = Study(
        name="objects",
        grid={"method": {"sign": bc.methods.Sign(), "gsd": bc.methods.GSD()}},
        replications=2,
        case=ask,
        constants={"level": 0.25},
        dims={"p": ["statement"]},
        coords={"statement": ["A>B", "B>A"]},
    ).run()
    gsd = table.sel({"method": "gsd"})
    assert gsd["p"].sel(statement="B>A", replication=1) == 0.75
    assert table["directed"].dtype == bool
    assert gsd["directed"].all()


def test_values_reach_the_function_as_they_are_given() -> None:
    seen = []

    def look(rng: np.random.Generator, **scenario: Any) -> dict[str, Any]:
        seen.append(scenario)
        return {"x": 1}

    grid = {"flag": [True], "word": ["a"], "mixed": [1, "one"], "number": [np.float64(0.5)]}
    table = Study(name="v", grid=grid, replications=1, case=look).run()
    assert [s["mixed"] for s in seen] == [1, "one"]
    assert seen[0]["flag"] is True
    assert type(seen[0]["number"]) is float
    assert table["mixed"].to_numpy().tolist() == [1, "one"]


def test_a_generator_gives_another_study_every_time() -> None:
    rng = np.random.default_rng(1)
    one, other = (cases(replications=3).run(rng=rng) for _ in range(2))
    assert not one["mean"].equals(other["mean"])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"replications": 0}, r"replications=0: must be an integer >= 1"),
        ({"name": "../x"}, "name='../x'"),
        ({"grid": [1]}, r"grid=\[1\]: give a mapping"),
        ({"grid": {"rng": [1]}}, "'rng' cannot be the name of an axis"),
        ({"grid": {"n": []}}, "n has no values"),
        ({"grid": {"n": 3}}, "n=3: give a list"),
        ({"grid": {"n": "abc"}}, "n='abc': give a list"),
        ({"grid": {"n": [2, 2], "effect": [0.0]}}, "every value may occur once"),
        ({"grid": {"n": [object()]}}, "give numbers, strings"),
        ({"grid": {"n": [2]}}, r"cannot be called with \(rng, n=\): missing"),
        ({"block": block}, "give one of the two"),
        ({"case": None}, "give one of the two"),
        ({"case": 3}, "case=3: give a function"),
        ({"block_size": 0}, "block_size=0"),
        ({"constants": {"n": 3}}, "n is an axis of the grid too"),
    ],
)
def test_what_is_not_a_study_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        cases(**choices)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"rng": -1}, "rng=-1"),
        ({"part": (0, 2)}, "needs a store"),
        ({"part": (2, 2), "store": "s"}, "i must lie from 0"),
        ({"part": 1, "store": "s"}, r"part=1: give \(i, n\)"),
    ],
)
def test_bad_options_of_a_run(options: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        cases().run(**options)


def test_outputs_that_no_table_can_hold() -> None:
    def uneven(rng: np.random.Generator, *, n: int) -> dict[str, Any]:
        return {"x": np.zeros(n)}

    study = {"name": "x", "grid": {"n": [1, 2]}, "replications": 2}
    with pytest.raises(bc.BayescompareError, match="all cases must return the same"):
        Study(**study, case=uneven).run()  # type: ignore[arg-type]
    words = Study(**study, case=lambda rng, n: {"x": "yes"}).run()  # type: ignore[arg-type]
    assert "output 'x' is not a number" in str(words["errors"].to_numpy()[0, 0])
    wrong = Study(**study, block=lambda rng, size, n: {"x": np.zeros(7)}).run()  # type: ignore[arg-type]
    assert "has shape (7,)" in str(wrong["errors"].to_numpy()[0, 0])
    with pytest.raises(bc.BayescompareError, match="output 'x' has 0 dimensions"):
        Study(**study, case=lambda rng, n: {"x": 1}, dims={"x": ["a"]}).run()  # type: ignore[arg-type]


def peak(replications: int) -> int:
    study = Study(name="m", grid={}, replications=replications, block=wide, block_size=100)
    tracemalloc.start()
    study.run(rng=1, summary=True)
    high = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return high


def wide(rng: np.random.Generator, size: int) -> dict[str, Any]:
    return {"x": rng.random((size, 100))}


def test_memory_of_a_summary_does_not_grow_with_the_replications() -> None:
    peak(200)
    assert peak(20_000) < 2 * peak(1_000)
