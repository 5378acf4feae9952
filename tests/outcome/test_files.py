"""Files: what is written comes back, JSON is strict, and what is not ours is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import GLRT, Dirichlet
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.method import Method
from bayescompare.outcome.saved import SCHEMA_VERSION
from bayescompare.table.results import Results
from tests.cases import few_quick
from tests.tables import table


def values(n: int, l: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (n, l, m)).astype(float)


def save(c: Comparison, kind: str, folder: Path) -> Path:
    path = folder / f"c.{kind}"
    if kind == "json":
        c.to_json(path)
        return path
    return c.to_netcdf(path)


def check_same(again: Comparison, c: Comparison) -> None:
    """Everything a user can ask gives the same answer."""
    assert again.to_json() == c.to_json()
    assert (again.results, again.method) == (c.results, c.method)
    assert again.answer.facts == c.answer.facts
    assert repr(again) == repr(c)
    assert again.summary().equals(c.summary())


METHODS: dict[str, Method] = {
    "symmetric": Dirichlet(),
    "strength": Dirichlet(strength=2.5),
    "jeffreys": Dirichlet(prior="jeffreys"),
    "uniform": Dirichlet(prior="uniform"),
    "number": Dirichlet(prior=0.125),
    "integer": Dirichlet(prior=2),
    "mapping": Dirichlet(prior={"A>B|B>A": 0.5, "*": 0.25}),
    "imprecise": Dirichlet(prior="imprecise", strength=2.0),
    "alpha": Dirichlet(priors={"alpha": 0.5}),
    "glrt": GLRT(),
}


#: NetCDF holds the method's options as the JSON that a JSON file holds.
AS_NETCDF = ("symmetric", "mapping", "imprecise", "alpha", "glrt")


@pytest.mark.parametrize(
    ("name", "kind"), [*((n, "json") for n in METHODS), *((n, "nc") for n in AS_NETCDF)]
)
def test_round_trips(name: str, kind: str, tmp_path: Path) -> None:
    method = METHODS[name]
    c = bc.compare(table(values(6, 2, 2)), method=method)
    again = bc.load_comparison(save(c, kind, tmp_path))
    check_same(again, c)
    if method.name == "dirichlet":
        # And it can still be asked: the method has come back, not only its figures.
        assert again.loo().elpd == c.loo().elpd
        np.testing.assert_array_equal(
            again.draws(5, rng=1)["posterior"]["theta"], c.draws(5, rng=1)["posterior"]["theta"]
        )
        assert again.on(["m0"]).questions.equals(c.on(["m0"]).questions)


@pytest.mark.parametrize("kind", ["json", "nc"])
@pytest.mark.parametrize("method", [Dirichlet(), GLRT()], ids=["dirichlet", "glrt"])
@pytest.mark.parametrize(
    ("n", "l", "m"), few_quick([(5, 3, 1), (5, 8, 3), (5, 3, 2), (5, 3, 4)], 2, several=True)
)
def test_round_trips_of_joint_tests(
    n: int, l: int, m: int, method: Method, kind: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    c = bc.compare(table(rng.random((n, l, m))), method=method)
    check_same(bc.load_comparison(save(c, kind, tmp_path)), c)


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_round_trips_with_a_rope_and_a_figure_that_is_not_a_number(
    kind: str, tmp_path: Path
) -> None:
    # Equivalent on every measure is its own opposite: "beats opposite" is NaN.
    made = table([[[1.0], [1.0]], [[2.0], [2.0]], [[1.0], [2.0]]], rope=0.1)
    c = bc.compare(made)
    assert c.best == "A=B"
    assert np.isnan(c.questions["beats opposite"])
    document = json.loads(c.to_json(), parse_constant=refuse)
    assert document["figures"]["beats opposite"] is None
    check_same(bc.load_comparison(save(c, kind, tmp_path)), c)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["json", "nc"])
def test_round_trips_beyond_float_range(kind: str, wide: Results, tmp_path: Path) -> None:
    c = bc.compare(wide)
    again = bc.load_comparison(save(c, kind, tmp_path))
    assert again.answer.n_statements == 2**1200
    check_same(again, c)


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_names_from_everywhere(kind: str, tmp_path: Path) -> None:
    results = table(
        values(4, 2, 2),
        names=["случайный лес 🌲", "勾配ブースティング"],
        measures={"точность/%": "max", "время 'с' \"q\"": "min"},
        datasets=["ä b", "🐍", "a/b", "c\\d"],
    )
    c = bc.compare(results)
    again = bc.load_comparison(save(c, kind, tmp_path))
    check_same(again, c)
    assert again.results.algorithms == ("случайный лес 🌲", "勾配ブースティング")


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_measures_sources_and_notes_come_back(kind: str, tmp_path: Path) -> None:
    frame = table(values(4, 2, 2)).to_frame()
    frame.loc[0, "m0"] = np.nan
    measures: dict[str, Any] = {
        "m0": bc.Measure("max", bounds=(0, None), unit="points"),
        "m1": bc.Measure("min", rope=0.5, scale="ordinal"),
    }
    results = Results.from_frame(frame, measures=measures, source="a “paper”")
    c = bc.compare(results, missing="drop")
    assert "dropped" in c.explain()
    again = bc.load_comparison(save(c, kind, tmp_path))
    check_same(again, c)
    assert again.results["m1"].rope == 0.5
    assert again.results.source == "a “paper”"
    assert again.results.notes == c.results.notes


@pytest.mark.parametrize("measure", ["probability", "label", "states", "value", "best"])
def test_measures_named_like_a_field(measure: str, tmp_path: Path) -> None:
    c = bc.compare(table(values(4, 2, 1), measures={measure: "max"}))
    for kind in ("json", "nc"):
        check_same(bc.load_comparison(save(c, kind, tmp_path)), c)
    assert float(c.probability.sum()) == pytest.approx(1.0)


# -------------------------------------------------------------------------------------- strict JSON


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_json_is_strict(method: Method) -> None:
    c = bc.compare(table(values(6, 2, 2)), method=method)
    document = json.loads(c.to_json(), parse_constant=refuse)
    assert document["schema"] == "bayescompare/comparison"
    assert document["schema_version"] == SCHEMA_VERSION
    assert document["best"] == c.best
    assert document["explanation"] == c.explain()
    assert document["n_statements"] == "4"
    for row in document["statements"]:
        if "probability" in row:
            expected = float(c.probability.sel(statement=row["label"]))
            assert row["probability"] == expected


def test_every_json_key_is_documented() -> None:
    written = Path(__file__).resolve().parents[2] / "docs" / "json-schema.md"
    told = written.read_text(encoding="utf-8")
    keys: set[str] = set()
    for method in METHODS.values():
        c = bc.compare(table(values(6, 2, 2)), method=method)
        document = json.loads(c.to_json(), parse_constant=refuse)
        assert (document["schema"], document["n_statements"]) == ("bayescompare/comparison", "4")
        assert (document["best"], document["explanation"]) == (c.best, c.explain())
        keys |= {*document, *document["results"], *document["statements"][0]}
    assert [key for key in sorted(keys) if f"`{key}`" not in told] == []


def test_the_netcdf_file_reads_as_a_plain_tree(tmp_path: Path) -> None:
    path = bc.compare(table(values(6, 2, 2))).to_netcdf(tmp_path / "c.nc")
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        assert set(tree.children) == {"results", "answer"}
        assert tree.attrs["method"] == "dirichlet"
        assert "explanation" in tree.attrs


# ---------------------------------------------------------------------------------- what is refused


def comparison() -> Comparison:
    return bc.compare(table(values(4, 2, 1)))


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_nothing_is_overwritten_unasked(kind: str, tmp_path: Path) -> None:
    path = save(comparison(), kind, tmp_path)
    before = path.read_bytes()
    other = bc.compare(table(values(9, 2, 1)))
    with pytest.raises(BayescompareError, match=r"exists.*overwrite=True"):
        save(other, kind, tmp_path)
    assert path.read_bytes() == before
    if kind == "json":
        other.to_json(path, overwrite=True)
    else:
        other.to_netcdf(path, overwrite=True)
    check_same(bc.load_comparison(path), other)


@pytest.mark.parametrize("kind", ["json", "nc"])
def test_places_that_cannot_be_written(kind: str, tmp_path: Path) -> None:
    c = comparison()
    write = c.to_json if kind == "json" else c.to_netcdf
    with pytest.raises(BayescompareError, match="is a folder"):
        write(tmp_path)
    with pytest.raises(BayescompareError, match="does not exist"):
        write(tmp_path / "nowhere" / f"c.{kind}")
    assert list(tmp_path.iterdir()) == []


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    told = rf"schema version {SCHEMA_VERSION + 1}.*upgrade"
    path = save(comparison(), "json", tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["schema_version"] = SCHEMA_VERSION + 1
    path.write_text(json.dumps(document), encoding="utf-8")
    with xr.open_datatree(save(comparison(), "nc", tmp_path), engine="h5netcdf") as opened:
        tree = opened.load()
    tree.attrs["schema_version"] = SCHEMA_VERSION + 1
    tree.to_netcdf(tmp_path / "newer.nc", engine="h5netcdf")
    for newer in (path, tmp_path / "newer.nc"):
        with pytest.raises(BayescompareError, match=told):
            bc.load_comparison(newer)


GARBAGE = {
    "empty": "",
    "not json": "once upon a time",
    "another object": "{}",
    "a list": "[]",
    "a list of lists": "[[1, 2]]",
    "a word": '"comparison"',
    "a number": "3",
    "null": "null",
    "a bare schema": '{"schema": "bayescompare/comparison", "schema_version": 1}',
    "a schema of words": '{"schema": "bayescompare/comparison", "schema_version": "x"}',
    "a pairwise file": '{"schema": "bayescompare/pairwise", "schema_version": 1}',
}


@pytest.mark.parametrize("suffix", ["json", "nc"])
@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_refused(text: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"c.{suffix}"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BayescompareError, match=r"c\.(json|nc)"):
        bc.load_comparison(path)


def test_files_that_are_cut_of_something_else_or_not_there(tmp_path: Path) -> None:
    path = save(comparison(), "nc", tmp_path)
    (tmp_path / "cut.nc").write_bytes(path.read_bytes()[:1000])
    xr.Dataset({"x": ("a", [1.0, 2.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    for name in ("cut", "other"):
        with pytest.raises(BayescompareError, match=rf"{name}\.nc"):
            bc.load_comparison(tmp_path / f"{name}.nc")
    with pytest.raises(BayescompareError, match="no such file"):
        bc.load_comparison(tmp_path / "none.nc")
    with pytest.raises(BayescompareError, match="is a directory"):
        bc.load_comparison(tmp_path)
