"""promptfoo: exports of the form that its version 3 of results has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_promptfoo
from tests.readers.written import DATA

type Change = Callable[[list[dict[str, Any]]], object]


def results(repeat: int = 1, prompts: int = 1) -> list[dict[str, Any]]:
    rows = []
    for test in range(3 * repeat):
        for prompt in range(prompts):
            both = (("openai:small", test % 3 == 0), ("openai:large", True))
            for column, (provider, right) in enumerate(both):
                rows.append(
                    {
                        "cost": 0.001 * (1 + right),
                        "failureReason": 0 if right else 1,
                        "gradingResult": {"pass": right, "score": float(right)},
                        "id": f"{test}-{prompt}-{provider}",
                        "latencyMs": 120 + test,
                        "namedScores": {"Tone": 0.5},
                        "prompt": {"raw": "Add {{x}}", "label": ("brief", "Long " * 20)[prompt]},
                        # The column of promptfoo's table, not the prompt.
                        "promptIdx": column * prompts + prompt,
                        "promptId": f"hash of prompt {prompt}",
                        "provider": {"id": provider, "label": ""},
                        "score": float(right),
                        "success": right,
                        "testCase": {"vars": {"x": test % 3}, "assert": [{"type": "equals"}]},
                        "testIdx": test,
                        "tokenUsage": {"total": 20, "prompt": 15, "completion": 5},
                        "vars": {"x": test % 3},
                    }
                )
    return rows


def export(folder: Path, rows: Any, **config: Any) -> Path:
    path = folder / "out.json"
    data = {
        "evalId": "eval-abc-2026-01-01T00:00:00",
        "results": {"version": 3, "timestamp": "2026-01-01", "prompts": [], "results": rows},
        "config": config,
        "shareableUrl": None,
    }
    path.write_text(json.dumps(data))
    return path


def test_providers_and_tests(tmp_path: Path) -> None:
    read = read_promptfoo(export(tmp_path, results(), description="adding"))
    assert read.algorithms == ("openai:small", "openai:large")
    assert (read.datasets, read.measures, read.replicates) == (("adding",), ("success",), "items")
    cells = read.data["success"].sel(dataset="adding").values
    np.testing.assert_array_equal(cells, [[1, 0, 0], [1, 1, 1]])
    assert read_promptfoo(export(tmp_path, results())).datasets == ("out",)


def test_costs_and_named_scores(tmp_path: Path) -> None:
    names = ["score", "cost", "latencyMs", "tokens", "Tone"]
    read = read_promptfoo(export(tmp_path, results()), measures=names)
    assert [read[name].direction for name in names] == ["max", "min", "min", "min", "max"]
    assert (read["cost"].unit, read["latencyMs"].unit) == ("USD", "ms")


def test_repeats_are_averaged(tmp_path: Path) -> None:
    rows = results(repeat=2)
    rows[0]["success"] = False
    read = read_promptfoo(export(tmp_path, rows))
    assert read.notes == ("each item is the mean of 2 epochs",)
    assert read.data["success"].values[0].tolist() == [[0.5, 0, 0], [1, 1, 1]]


def test_prompts_are_told_apart(tmp_path: Path) -> None:
    read = read_promptfoo(export(tmp_path, results(prompts=2)))
    assert read.algorithms[:2] == ("openai:small (brief)", "openai:large (brief)")
    assert read.algorithms[2] == "openai:small (prompt 2)"


def test_a_real_export() -> None:
    read = bc.read(DATA / "promptfoo" / "sums.json", measures=["success", "tokens", "corr"])
    assert (read.algorithms, read.datasets) == (("small", "large"), ("sums",))
    assert read.notes[1:] == ("1 test without an answer of the provider",)
    assert read.measures == ("success", "tokens", "correct")
    wrong = [1, 0, 1, 0, np.nan, 1]  # where a carry is needed, and where the toy was tired
    np.testing.assert_array_equal(read.data["success"].sel(algorithm="small").values[0], wrong)
    np.testing.assert_array_equal(read.data["correct"].sel(algorithm="large").values[0], [1] * 6)
    assert set(read.data["tokens"].sel(algorithm="large").values[0]) == {40}


def test_a_real_export_of_two_prompts_and_two_repeats() -> None:
    read = read_promptfoo(DATA / "promptfoo" / "prompts_repeated.json")
    names = ("small (plain)", "small (polite)", "large (plain)", "large (polite)")
    assert read.algorithms == names
    assert read.n_replicates == 6
    assert read.notes[0] == "each item is the mean of 2 epochs"


def test_providers_of_one_label_are_told_apart(tmp_path: Path) -> None:
    rows = results()
    for row in rows:
        row["provider"]["label"] = "file://provider.js"  # as a provider of one's own may have it
    assert read_promptfoo(export(tmp_path, rows)).algorithms == ("openai:small", "openai:large")
    for row in rows:
        row["provider"]["id"] = "openai:same"  # two settings of one model
    names = ("file://provider.js #1", "file://provider.js #2")
    assert read_promptfoo(export(tmp_path, rows)).algorithms == names


def test_an_error_of_the_provider_is_missing(tmp_path: Path) -> None:
    rows = results()
    rows[0] |= {"success": False, "failureReason": 2, "error": "429"}
    read = read_promptfoo(export(tmp_path, rows))
    assert np.isnan(read.data["success"].values[0, 0, 0])
    assert read.notes == ("1 test without an answer of the provider",)


def test_two_exports_under_two_names(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        one = [row for row in results() if "large" in row["provider"]["id"]]
        export(tmp_path / name, one, description="adding")
    read = read_promptfoo({"old": tmp_path / "a", "new": tmp_path / "b"})
    assert (read.algorithms, read.datasets) == (("old", "new"), ("adding",))
    with pytest.raises(bc.BayescompareError, match="both have 'adding' by 'openai:large'"):
        read_promptfoo(tmp_path)


def test_two_exports_of_different_tests(tmp_path: Path) -> None:
    """The first test of the second export is another one, and is not averaged with its second."""
    other = [row for row in results() if "large" in row["provider"]["id"]]
    for row in other:
        row["vars"] = {"x": {0: 9, 1: 0, 2: 1}[row["vars"]["x"]]}
    for name, rows in (("a", results()[::2]), ("b", other)):
        (tmp_path / name).mkdir()
        export(tmp_path / name, rows, description="adding")
    read = read_promptfoo(tmp_path)
    assert read.n_replicates == 4  # x is 0, 1, 2 and 9
    assert read.notes == ()
    assert int(read.data["success"].isnull().sum()) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.clear(), "out.json: results.results is empty"),
        (
            lambda rows: rows.append(rows[0]),
            r"results.results\[6\] is the second of 'openai:small'",
        ),
        (lambda rows: rows[1].pop("testIdx"), r"results.results\[1\] has no 'testIdx'"),
        (lambda rows: rows[1].pop("provider"), r"results.results\[1\] has no 'provider'"),
        (
            lambda rows: rows[1].update(success="yes"),
            r"results\[1\].success is 'yes', not true or false",
        ),
        (lambda rows: rows.append(3), r"results.results\[6\] is not an object"),
        (lambda rows: rows[1].update(provider={"x": 1}), r"results\[1\].provider is None, not a n"),
        (lambda rows: rows[1].update(testIdx=[1]), r"results\[1\].testIdx is \[1\], not a name"),
        (lambda rows: rows[1].update(tokenUsage=7), r"results\[1\].tokenUsage is 7, not an object"),
        (lambda rows: rows[1].update(namedScores=[]), r"\[1\].namedScores is \[\], not an object"),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, change: Change, message: str) -> None:
    rows = results()
    change(rows)
    with pytest.raises(bc.BayescompareError, match=message):
        read_promptfoo(export(tmp_path, rows))


def test_a_score_that_is_no_number(tmp_path: Path) -> None:
    rows = results()
    rows[2]["score"] = "good"
    with pytest.raises(bc.BayescompareError, match=r"results\[2\]: 'score' is 'good', not a num"):
        read_promptfoo(export(tmp_path, rows), measures=["score"])


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ('{"results"', "malformed JSON"), ('{"results": {}}', "not an export of")],
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "out.json"
    path.write_text(text)
    with pytest.raises(bc.BayescompareError, match=message):
        read_promptfoo(path)
