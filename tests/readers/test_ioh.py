"""IOHprofiler and COCO: meta files of the form that their loggers write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.io import read_ioh
from tests.readers.written import DATA


def meta(name: str, best: float, **changes: Any) -> dict[str, Any]:
    runs = [
        {"instance": k, "evals": 100, "best": {"evals": 90, "y": best + k, "x": [0.0, 0.0]}}
        for k in (1, 2, 2)
    ]
    scenario = {"dimension": 2, "path": "data_f1_Sphere/IOHprofiler_f1_DIM2.dat", "runs": runs}
    return {
        "version": "0.3.18",
        "suite": "BBOB",
        "function_id": 1,
        "function_name": "Sphere",
        "maximization": False,
        "algorithm": {"name": name, "info": ""},
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [scenario],
        **changes,
    }


INFO = """\
suite = 'bbob', funcId = 3, DIM = 2, Precision = 1.000e-08, algId = 'RS, plain', logger = 'bbob'
% coco
data_f3/bbobexp_f3_DIM2.dat, 1:200|1.2e+00, 2:200|3.0e-01
suite = 'bbob', funcId = 3, DIM = 5, Precision = 1.000e-08, algId = 'RS, plain', logger = 'bbob'
%
data_f3/bbobexp_f3_DIM5.dat, 1:500|1.2e+01, 2:500|8.0e+00
"""
IOH_INFO = (
    'suite = "PBO", funcId = 1, funcName = "OneMax", DIM = 16, maximization = "T", '
    'algId = "ea", algInfo = "x"\n%\ndata_f1/IOHprofiler_f1_DIM16.dat, 1:40|16;0.5, 2:60|15;0.5\n'
)


def written(folder: Path, *metas: dict[str, Any]) -> Path:
    for k, data in enumerate(metas):
        (folder / str(k)).mkdir()
        path = folder / str(k) / "IOHprofiler_f1_Sphere.json"
        path.write_text(json.dumps(data))
        (path.parent / "data.dat").write_text("evaluations raw_y\n1 2.0\n")
    return folder


def test_files_of_iohprofiler_itself() -> None:
    results = read_ioh(DATA / "ioh", measures=["y", "evals"])
    assert results.algorithms == ("climber", "random")
    assert results.datasets == (
        *("f1 Sphere d2", "f1 Sphere d5", "f8 Rosenbrock d2", "f8 Rosenbrock d5"),
    )
    assert results.n_replicates == 3
    cell = results.data["y"].sel(dataset="f1 Sphere d2", algorithm="random")
    assert cell.values.tolist() == [0.1364046237269195, 0.4006545424694641, 0.15617290247143256]
    assert set(results.data["evals"].values.ravel()) == {101.0}


def test_files_of_coco_itself() -> None:
    results = read_ioh(DATA / "coco")
    assert results.algorithms == ("climber", "random")
    assert results.datasets == ("f1 d2", "f1 d5", "f8 d2", "f8 d5")
    cell = results.data["precision"].sel(dataset="f8 d2", algorithm="random")
    assert cell.values.tolist() == [2.8, 2.7, 1.1]


def test_runs_of_iohprofiler(tmp_path: Path) -> None:
    results = read_ioh(written(tmp_path, meta("RS", 5.0), meta("ES", 1.0)))
    assert results.algorithms == ("RS", "ES")
    assert results.datasets == ("f1 Sphere d2",)
    assert (results.measures, results["y"].direction) == (("y",), "min")
    assert results.data["replicate"].values.tolist() == ["1", "2", "2.2"]
    assert results.replicates == "seeds"
    assert results.data["y"].sel(algorithm="ES").values.ravel().tolist() == [2.0, 3.0, 3.0]


def test_what_is_maximized(tmp_path: Path) -> None:
    path = tmp_path / "IOHprofiler_f1_OneMax.info"
    path.write_text(IOH_INFO)
    results = read_ioh(path, measures=["y", "evals"])
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    assert (results.algorithms, results.datasets) == (("ea",), ("f1 OneMax d16",))
    assert results.data["y"].values.ravel().tolist() == [16.0, 15.0]


def test_runs_of_coco(tmp_path: Path) -> None:
    (tmp_path / "bbobexp_f3.info").write_text(INFO)
    results = read_ioh(tmp_path)
    assert (results.algorithms, results.datasets) == (("RS, plain",), ("f3 d2", "f3 d5"))
    assert results.measures == ("precision",)
    assert results.data["precision"].values.ravel().tolist() == [1.2, 0.3, 12.0, 8.0]
    assert read_ioh({"mine": tmp_path}).algorithms == ("mine",)


def test_mixtures(tmp_path: Path) -> None:
    folder = written(tmp_path, meta("RS", 5.0), meta("ES", 1.0, maximization=True))
    with pytest.raises(bc.BayescompareError, match=r"is minimized .* is maximized .* read them ap"):
        read_ioh(folder)
    (folder / "1" / "IOHprofiler_f1_Sphere.json").unlink()
    (folder / "1" / "bbobexp_f3.info").write_text(INFO)
    with pytest.raises(bc.BayescompareError, match=r"is of IOHprofiler and .* of COCO"):
        read_ioh(folder)


def test_functions_of_two_suites(tmp_path: Path) -> None:
    for name, suite in (("a", "bbob"), ("b", "bbob-biobj")):
        (tmp_path / name).mkdir()
        text = INFO.replace("'bbob', funcId", f"'{suite}', funcId").replace("RS, plain", name)
        (tmp_path / name / "bbobexp_f3.info").write_text(text)
    with pytest.raises(
        bc.BayescompareError, match=r"'f3 d2' is of the suite 'bbob' in .* and of 'bbob-biobj' in"
    ):
        read_ioh(tmp_path)


def test_two_folders_of_one_algorithm(tmp_path: Path) -> None:
    folder = written(tmp_path, meta("RS", 5.0), meta("RS", 5.0))
    with pytest.raises(bc.BayescompareError, match="both have 'f1 Sphere d2' by 'RS'"):
        read_ioh(folder)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("IOHprofiler_f1.json", "", "IOHprofiler_f1.json: the file is empty"),
        ("IOHprofiler_f1.json", json.dumps(meta("RS", 1.0))[:200], "malformed JSON"),
        ("IOHprofiler_f1.json", "{}", "not a meta file of IOHprofiler"),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0)).replace('"y": 2.0', '"y": "low"'),
            r"scenarios\[0\].runs\[0\] has no number as best.y",
        ),
        ("IOHprofiler_f1.json", json.dumps(meta("RS", 1.0, scenarios=[])), "no run in this file"),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0, maximization="false")),
            "maximization is 'false', not true or false",
        ),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0, algorithm={})),
            "algorithm.name is None, not a name",
        ),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0)).replace('"dimension": 2', '"dimension": [2]'),
            r"scenarios\[0\].dimension is \[2\], not a name",
        ),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0)).replace('"instance": 1', '"instance": null'),
            r"scenarios\[0\].runs\[0\].instance is None, not a name",
        ),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0)).replace('"y": 2.0', '"y": 1e999'),
            r"f1.json: scenarios\[0\].runs\[0\].best.y is infinite",
        ),
        (
            "IOHprofiler_f1.json",
            json.dumps(meta("RS", 1.0, scenarios=2 * meta("RS", 1.0)["scenarios"])),
            r"scenarios\[0\] and scenarios\[1\] are both of 'data_f1_Sphere/IOHprof",
        ),
        ("bbobexp_f3.info", INFO + INFO, "line 3 and line 9 are both of 'data_f3/bbobexp_f3_DIM2"),
        (
            "bbobexp_f3.info",
            INFO.replace("data_f3/bbobexp_f3_DIM2.dat, ", ""),
            "line 3 has no data",
        ),
        ("bbobexp_f3.info", INFO.partition("data_f3/bbobexp_f3_DIM5")[0], "no run after line 4"),
        (
            "bbobexp_f3.info",
            INFO.replace("1.2e+00", "1e999"),
            "line 3: '1:200|1e999': the value is",
        ),
        ("bbobexp_f3.info", "hello\n", "line 1 is not a header"),
        ("bbobexp_f3.info", INFO.replace("algId", "who"), "line 1 has no 'algId'"),
        ("bbobexp_f3.info", INFO.replace("2:200|3.0e-01", "2:200|"), "line 3: '2:200|' is not a"),
        ("bbobexp_f3.info", INFO.replace("3.0e-01", "best"), "line 3: '2:200|best' is not a run"),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(bc.BayescompareError, match=message):
        read_ioh(path)
