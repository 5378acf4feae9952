"""`bc.read`: any known format, recognised by its content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io
from bayescompare.readers.formats import recognise, tools
from tests.readers import (
    test_amlb,
    test_every_eval_ever,
    test_fev,
    test_mteb,
    test_promptfoo,
    test_tabarena,
)
from tests.readers.written import DATA, mlflow_frame, openml_frame

MEASURES: Any = {"accuracy": "max"}


@pytest.mark.parametrize(
    ("path", "format"),
    [
        (DATA / "lm_eval", "lm-eval"),
        (DATA / "helm", "helm"),
        (DATA / "helm" / "simple_mcqa-large" / "stats.json", "helm"),
        (DATA / "lm_eval" / "toy__large", "lm-eval"),
        (next(DATA.glob("lm_eval/*/samples_toy_sums*")), "lm-eval-items"),
        (DATA / "inspect" / "eval", "inspect"),
        (DATA / "inspect" / "json", "inspect"),
        (DATA / "ioh", "ioh"),
        (DATA / "promptfoo", "promptfoo"),
        (DATA / "aeon", "aeon"),
        (DATA / "weka" / "experiment.arff", "weka"),
        (DATA / "weka" / "experiment.csv", "weka"),
    ],
)
def test_files_of_tools(path: Path, format: str) -> None:
    assert recognise(path) == format


def test_every_format_has_its_public_reader_and_its_lines_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "readers.md").read_text(encoding="utf-8")
    for tool in tools().values():
        name = tool.read.__name__
        assert getattr(io, name) is tool.read
        assert f"| `{name}` |" in page, name


def test_what_it_took_it_for_is_noted() -> None:
    results = bc.read(DATA / "weka" / "experiment.arff")
    assert results.notes == ("read as an experiment of Weka",)
    own = io.read_weka(DATA / "weka" / "experiment.arff")
    assert results.data.equals(own.data)
    assert bc.read(DATA / "weka" / "experiment.arff", format="weka") == own
    assert bc.read(DATA / "lm_eval", measures=["acc"]).algorithms == ("toy/large", "toy/small")


def test_tables_are_told_by_their_columns(tmp_path: Path) -> None:
    test_amlb.written(tmp_path)
    assert recognise(tmp_path) == recognise(tmp_path / "results.csv") == "amlb"
    test_tabarena.frame().to_csv(tmp_path / "arena.csv", index=False)
    test_tabarena.frame().to_parquet(tmp_path / "arena.parquet")
    pd.DataFrame(test_fev.summaries()).to_csv(tmp_path / "fev.csv", index=False)
    (tmp_path / "fev.json").write_text(json.dumps(test_fev.summaries()))
    for name in ("arena.csv", "arena.parquet"):
        assert bc.read(tmp_path / name).algorithms == ("LightGBM", "TabPFN")
    for name in ("fev.csv", "fev.json"):
        results = bc.read(tmp_path / name)
        assert results.algorithms == ("ets", "chronos")
        assert results.notes == (
            "read as summaries of fev",
            "1 result comes from a model trained on that very dataset",
        )


def test_frames_of_trackers_and_searches_may_be_files(tmp_path: Path) -> None:
    for name in ("evaluations", "per_fold"):
        frame, path = openml_frame(name), tmp_path / f"{name}.csv"
        frame.to_csv(path)  # with a nameless column of row numbers
        own = io.from_openml(frame)
        assert bc.read(path).data.equals(own.data)
        assert bc.look(path).command == f"bayescompare pairwise {path}"
    path = DATA / "mlflow_runs.csv"
    options: dict[str, Any] = {"measures": {"accuracy": "max"}, "replicate": "params.seed"}
    results = bc.read(path, unfinished="drop", **options)
    assert results.data.equals(io.from_mlflow(mlflow_frame(), unfinished="drop", **options).data)
    searches = {}
    for k, dataset in enumerate(("iris", "wine")):
        candidates = {"param_C": [1, 10], "param_kernel": ["rbf", None]}
        scores = {"split0_test_score": [0.9, 0.8 + k], "split1_test_score": [0.7, 0.9]}
        params: list[dict[str, Any]] = [{"C": 1, "kernel": "rbf"}, {"C": 10}]
        times = {"mean_fit_time": [1.0, 1.0], "std_fit_time": [0.0, 0.0]}
        search = {**times, **candidates, "params": params, **scores}
        pd.DataFrame(search).to_csv(tmp_path / f"{dataset}.csv")
        searches[dataset] = search
    own = io.from_grid_search(searches)
    read = bc.read([tmp_path / "iris.csv", tmp_path / "wine.csv"])
    assert read.algorithms == own.algorithms == ("C 1, kernel rbf", "C 10")
    assert read.data.equals(own.data)
    assert "There is one dataset" in str(bc.look(tmp_path / "iris.csv"))


def test_look_says_what_gaps_ask_for(tmp_path: Path) -> None:
    path = test_amlb.written(tmp_path, test_amlb.ROWS.replace(",0.851,", ",,"))
    found = bc.look(path)
    assert "Missing  1 of 4 cells, on 1 dataset" in str(found)
    assert found.command == f"bayescompare compare {path} --missing worst"
    failed = bc.look(test_amlb.written(tmp_path))
    assert "Failed   1 replicate of other cells" in str(failed)
    assert failed.command == f"bayescompare compare {path}"


def test_json_is_told_by_its_shape(tmp_path: Path) -> None:
    shapes: dict[str, Any] = {
        "promptfoo": {"evalId": "e", "results": {"results": test_promptfoo.results()}},
        "mteb": test_mteb.task("STS12", 0.5),
        "every-eval-ever": test_every_eval_ever.log("small", 0.1),
    }
    for format, data in shapes.items():
        path = tmp_path / f"{format}.json"
        path.write_text(json.dumps(data))
        assert recognise(path) == format
        assert bc.read(path).notes[0].startswith("read as ")
    path = tmp_path / "1_samples.jsonl"
    path.write_text(json.dumps(test_every_eval_ever.sample("small", 1, True)))
    assert bc.read(path).measures == ("is_correct",)
    path.write_text('{"dataset": "iris", "A": 1, "B": 2}\n{"dataset": "001", "A": 1, "B": 3}\n')
    assert recognise(path) == "jsonl"
    assert bc.read(path, measures=MEASURES).datasets == ("iris", "001")


def test_a_plain_table_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("dataset,svm,forest\niris,0.9,0.8\nwine,0.7,0.6\n")
    results = bc.read(path, measures=MEASURES)
    assert results == bc.read_results(path, measures=MEASURES)
    assert bc.read(path, measures=MEASURES, layout="wide", format="csv") == results
    with pytest.raises(bc.BayescompareError, match="nothing says what was measured"):
        bc.read(path)
    with pytest.raises(bc.BayescompareError, match=r"not an option of read_results\(\): groups"):
        bc.read(path, measures=MEASURES, groups=True)


def test_errors_say_what_it_was_taken_for(tmp_path: Path) -> None:
    path = test_amlb.written(tmp_path, test_amlb.ROWS[:-30])
    with pytest.raises(bc.BayescompareError, match=r"line 9 .* \(read as results of the AutoML"):
        bc.read(path)
    with pytest.raises(bc.BayescompareError, match=r"header has 22\.$"):
        bc.read(path, format="amlb")
    with pytest.raises(bc.BayescompareError, match=r"not an option of io.read_amlb\(\): split"):
        bc.read(path, split="test")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "", "x.csv: the file is empty"),
        ("x.json", "{", "x.json: malformed JSON"),
        ("x.parquet", "PAR1", "x.parquet: not a readable parquet file"),
        ("x.docx", "text", "x.docx: unknown suffix '.docx'"),
    ],
)
def test_what_cannot_be_recognised(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(bc.BayescompareError, match=message):
        bc.read(path)


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(bc.BayescompareError, match="no such file or directory"):
        bc.read(tmp_path / "absent")
    with pytest.raises(bc.BayescompareError, match="no file in it is of a known tool"):
        bc.read(tmp_path)
    with pytest.raises(bc.BayescompareError, match="paths is empty"):
        bc.read([])
    with pytest.raises(bc.BayescompareError, match="format='lm_eval'"):
        bc.read(tmp_path, format="lm_eval")


#: What each reader looks for in a directory that has none of it.
LOOKED_FOR: dict[str, tuple[Any, str]] = {
    "aeon": (io.read_aeon, "no file whose first line begins with 'Resamples:'"),
    "amlb": (io.read_amlb, "no results.csv in or below this directory"),
    "helm": (io.read_helm, "no stats.json in or below"),
    "hub": (io.read_hub, "no .eval_results/.*yaml"),
    "inspect": (io.read_inspect, "no .eval or .json file"),
    "ioh": (io.read_ioh, r"no IOHprofiler_\*.json and no \*.info"),
    "lm-eval": (io.read_lm_eval, r"no results_\*.json or \*.json in or below"),
    "mteb": (io.read_mteb, r"no \*.json in or below"),
    "promptfoo": (io.read_promptfoo, r"no \*.json in or below"),
    "weka": (io.read_weka, r"no \*.arff or \*.csv in or below"),
}


@pytest.mark.parametrize("name", LOOKED_FOR)
def test_paths_without_files(name: str, tmp_path: Path) -> None:
    read, looked_for = LOOKED_FOR[name]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / ("a_x.csv" if name == "aeon" else "notes.txt")).write_text("p,q\n1,2\n")
    for paths, message in (
        (folder, looked_for),
        (tmp_path / "absent", "no such file or directory"),
        ([], "paths is empty"),
        (5, "paths contains a int"),
        ([5], "5 is a int"),
        ({"a": {"b": tmp_path}}, "paths contains a dict"),
    ):
        with pytest.raises(bc.BayescompareError, match=message):
            read(paths)
