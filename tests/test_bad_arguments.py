"""Values that nobody means, in every argument: refused in one line, or taken."""

from __future__ import annotations

import inspect
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
from tests.tables import FRAME

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
    yield "render", bc.report.render, (bc.compare(results, method="glrt"), "markdown"), {}
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
