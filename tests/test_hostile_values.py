"""Values that nobody means: every public door refuses them in one line, or takes them."""

from __future__ import annotations

import inspect
import io
import json
import math
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.io import read_lm_eval, read_weka
from tests.tables import table

#: What may land in any argument by a slip of the hand, a broken file or bad will.
HOSTILE: dict[str, Any] = {
    "None": None,
    "True": True,
    "-1": -1,
    "0": 0,
    "1e308": 1e308,
    "nan": math.nan,
    "10**9": 10**9,
    "10**400": 10**400,
    "empty": "",
    "word": "x",
    "escape": "\x1b[31mred",
    "NUL": "a\0b",
    "long": "x" * 5000,
    "bytes": b"x",
    "list": ["x"],
    "nested": [[]],
    "mapping": {"x": []},
    "object": object(),
    "array": np.array([1.0, 2.0]),
    "frame": pd.DataFrame(),
    "function": lambda *_, **__: None,
}

FRAME = pd.DataFrame(
    {
        "dataset": ["a", "a", "b", "b", "c", "c"],
        "algorithm": ["A", "B"] * 3,
        "auc": [0.1, 0.2, 0.3, 0.25, 0.5, 0.6],
        "time": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "fw": [1, 2, 3, 4, 5, 6],
        "sw": [2, 1, 3, 4, 6, 5],
    }
)
ERRORS = FRAME.drop_duplicates("dataset")


@cache
def asked() -> bc.Comparison:
    return bc.compare(bc.Results.from_frame(FRAME, measures={"auc": "max", "time": "min"}))


@cache
def counted() -> bc.ErrorCounts:
    return bc.ErrorCounts.from_frame(ERRORS, first_wrong="fw", second_wrong="sw")


def doors() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    """Public functions with arguments that they take; each argument is then replaced."""
    c, counts = asked(), counted()
    results = c.results
    yield "Measure", bc.Measure, ("max",), {}
    yield "Measure.from_dict", bc.Measure.from_dict, ({"direction": "max"},), {}
    yield "from_frame", bc.Results.from_frame, (FRAME,), {"measures": {"auc": "max"}}
    yield "from_dataset", bc.Results.from_dataset, (results.to_dataset(),), {}
    for name in ("sel", "complete", "paired", "__getitem__", "__contains__"):
        yield name, getattr(results, name), ("auc",) if name.startswith("__") else (), {}
    wrong = {"first_wrong": "fw", "second_wrong": "sw"}
    yield "ErrorCounts.from_frame", bc.ErrorCounts.from_frame, (ERRORS,), wrong
    yield "ErrorCounts.from_counts", bc.ErrorCounts.from_counts, (counts.counts,), {}
    yield "pair", counts.pair, ("first", "second"), {}
    yield "read_results", bc.read_results, ("r.csv",), {"measures": {"auc": "max"}}
    yield "read_errors", bc.read_errors, ("r.csv",), wrong
    yield "read_predictions", bc.read_predictions, ("r.csv",), {"correct": "correct"}
    yield "read_weka", read_weka, ("r.csv",), {}
    yield "read_lm_eval", read_lm_eval, ("r.csv",), {}
    yield "load_example", bc.load_example, ("pnn",), {}
    yield "load_comparison", bc.load_comparison, ("c.json",), {}
    yield "context_probability", bc.context_probability, ([0.1, 0.9],), {}
    yield "first_better", bc.first_better, (counts,), {}
    yield "describe", bc.methods.describe, ("dirichlet",), {}
    yield "having", bc.methods.having, ("questions",), {}
    for name in bc.methods.names():
        yield name, bc.methods.get(name), (), {}
    yield "compare", bc.compare, (results,), {}
    yield "draws", c.draws, (2,), {"chains": 1}
    yield "plan", c.plan, ([1],), {"simulations": 2}
    yield "check", c.check, (), {}
    yield "sensitivity", c.sensitivity, ([1.0],), {}
    yield "rope_sensitivity", c.rope_sensitivity, ("auc",), {"ropes": [0.0]}
    yield "on", c.on, (["auc"],), {}  # type: ignore[attr-defined]
    yield "render", bc.report.render, (c, "markdown"), {}
    yield "check_report_path", bc.report.check_report_path, ("x.md",), {}


DOORS = {name: (call, args, options) for name, call, args, options in doors()}


def calls(name: str) -> Iterator[tuple[str, Callable[[], object]]]:
    call, args, options = DOORS[name]
    for place, parameter in enumerate(inspect.signature(call).parameters.values()):
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for label, value in HOSTILE.items():
            given = [*args[:place], value, *args[place + 1 :]] if place < len(args) else [*args]
            more = options if place < len(args) else {**options, parameter.name: value}
            yield f"{parameter.name}={label}", lambda given=given, more=more: call(*given, **more)


@pytest.mark.parametrize("name", DOORS)
def test_hostile_values_are_taken_or_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("r.csv", index=False)
    for label, run in calls(name):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run()
        except BayescompareError as error:
            text = str(error)
            assert text.isprintable(), label
            assert 0 < len(text) < 2100, label
        except Exception as error:
            error.add_note(f"{name}({label})")
            raise


# what a file may hold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "metadata",
    [b"{bad", b'{"index_columns": 5}', b"[]", b'{"index_columns": ["no"], "columns": []}', b"\xff"],
)
def test_parquet_with_bad_metadata_is_refused(metadata: bytes, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    cells = pa.table({name: FRAME[name].tolist() for name in FRAME})
    pq.write_table(cells.replace_schema_metadata({b"pandas": metadata}), stream)
    file = tmp_path / "r.parquet"
    file.write_bytes(stream.getvalue())
    with pytest.raises(BayescompareError, match="not a readable parquet file"):
        bc.read_results(file, measures={"auc": "max"})


def test_what_a_model_file_says_does_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def build(results):\n    raise RuntimeError('\\x1b]0;owned\\x07\\x1b[2J')\n")
    with pytest.raises(BayescompareError, match=r"build\(\) failed: RuntimeError") as caught:
        bc.compare(asked().results, method=file)
    assert str(caught.value).isprintable()
    assert r"\x1b[2J" in str(caught.value)


# names --------------------------------------------------------------------------------------------

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


# K ------------------------------------------------------------------------------------------------


def test_more_statements_than_python_writes_digits(tmp_path: Path) -> None:
    """40,320 orders of 8 algorithms on each of 950 measures: K has more than 4,300 digits."""
    values = np.random.default_rng(0).random((3, 8, 950))
    c = bc.compare(table(values))
    assert c.answer.size > 10**4300
    document = json.loads(c.to_json(tmp_path / "c.json"))
    assert len(document["n_statements"]) > 4300
    for file in (tmp_path / "c.json", c.to_netcdf(tmp_path / "c.nc")):
        assert bc.load_comparison(file).answer.size == c.answer.size
    assert "statements are possible" in c.explain()
    with pytest.raises(BayescompareError, match=r"there are about \d\.\de\d+ statements"):
        bc.modelling.statement_table(c.results)
