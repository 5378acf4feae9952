"""Inspect: logs that Inspect itself wrote, and files that are none."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_inspect
from bayescompare.table import input as _input
from tests.readers.written import DATA

LOGS = DATA / "inspect"

type Change = Callable[[dict[str, Any]], object]


def log(model: str, grades: str, **changes: Any) -> dict[str, Any]:
    samples = [
        {
            "id": k,
            "epoch": 1,
            "scores": {"match": {"value": grade, "answer": "4"}},
            "model_usage": {f"mock/{model}": {"input_tokens": 9, "total_tokens": 10 + k}},
            "total_time": 0.5,
        }
        for k, grade in enumerate(grades)
    ]
    facts = {"task": "sums", "model": f"mock/{model}"}
    return {"version": 2, "status": "success", "eval": facts, "samples": samples, **changes}


def archive(path: Path, data: dict[str, Any], **members: str) -> Path:
    """An .eval file, deflated as older versions of Inspect wrote it."""
    header = {key: value for key, value in data.items() if key != "samples"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header))
        file.writestr("summaries.json", json.dumps(data["samples"]))
        for name, text in members.items():
            file.writestr(name, text)
    return path


# -------------------------------------------------------------------------------- of Inspect itself


def test_logs_of_inspect_in_both_formats() -> None:
    plain = read_inspect(LOGS / "json")
    assert plain.algorithms == ("mockllm/large", "mockllm/small")
    assert plain.datasets == ("more_sums", "sums")
    # sums is scored by match, more_sums by includes.
    assert plain.measures == ("score",)
    assert plain.replicates == "items"
    assert plain.notes == ("each item is the mean of 2 epochs",)
    pytest.importorskip("zstandard")
    assert read_inspect(LOGS / "eval").data.equals(plain.data)


def test_their_figures() -> None:
    """Inspect's own accuracy, which is in the header, is the mean over samples and epochs."""
    results = read_inspect(LOGS / "json")
    for file in sorted((LOGS / "json").glob("*.json")):
        data = json.loads(file.read_text())
        accuracy = data["results"]["scores"][0]["metrics"]["accuracy"]["value"]
        cell = results.data["score"].sel(
            dataset=data["eval"]["task"], algorithm=data["eval"]["model"]
        )
        assert float(cell.mean()) == pytest.approx(accuracy)


def test_tokens_and_times() -> None:
    results = read_inspect(LOGS / "json", measures=["score", "tokens", "time"])
    assert [results[name].direction for name in results.measures] == ["max", "min", "min"]
    assert results["time"].unit == "s"
    assert np.isfinite(results.data["tokens"].values).any()
    assert bc.compare(results).best


# -------------------------------------------------------------------------------------- of its form


def test_grades_and_pairing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(log("small", "CIPN")))
    archive(tmp_path / "b.eval", log("large", "CCCI"))
    results = read_inspect(tmp_path)
    assert results.algorithms == ("mock/small", "mock/large")
    cells = results.data["match"].sel(dataset="sums").values
    np.testing.assert_array_equal(cells, [[1, 0, 0.5, 0], [1, 1, 1, 0]])
    assert read_inspect({"now": tmp_path / "a.json"}).algorithms == ("now",)


def test_samples_where_there_are_no_summaries(tmp_path: Path) -> None:
    data = log("small", "CI")
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps({**data, "samples": None}))
        for sample in data["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert read_inspect(path).data["match"].values.ravel().tolist() == [1.0, 0.0]


def test_numbers_need_a_direction_and_parts_have_names(tmp_path: Path) -> None:
    data = log("small", "CC")
    for k, sample in enumerate(data["samples"]):
        sample["scores"] = {"judge": {"value": {"style": k, "length": 3}}}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    with pytest.raises(bc.BayescompareError, match="which way 'judge/style', 'judge/length' is"):
        read_inspect(path)
    results = read_inspect(path, measures={"judge/style": "max"})
    assert results.data["judge/style"].values.ravel().tolist() == [0.0, 1.0]


def test_a_sample_with_an_error_is_missing(tmp_path: Path) -> None:
    data = log("small", "CCI")
    data["samples"][1] |= {"error": "timeout", "scores": None}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    results = read_inspect(path)
    assert results.notes == ("1 sample with an error, without a score",)
    np.testing.assert_array_equal(results.data["match"].values.ravel(), [1.0, np.nan, 0.0])


def test_samples_without_a_score_are_counted(tmp_path: Path) -> None:
    data = log("small", "CCI", results={"scores": [{"name": "match", "metrics": 3}]})
    data["samples"][1] |= {"scores": None}
    # An error that did not keep the sample from being scored.
    data["samples"][2] |= {"error": "late"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    results = read_inspect(path)
    assert results.notes == ("1 sample without a score",)
    np.testing.assert_array_equal(results.data["match"].values.ravel(), [1.0, np.nan, 0.0])


def test_score_is_not_the_first_of_several_scorers(tmp_path: Path) -> None:
    two = log("large", "CC")
    for sample in two["samples"]:
        sample["scores"] |= {"style": {"value": "I"}}
    one = log("small", "CI")
    for sample in one["samples"]:
        sample["scores"] = {"score": sample["scores"]["match"]}
    for name, data in (("one", one), ("two", two)):
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    results = read_inspect(tmp_path, measures=["score"])
    assert np.isnan(results.data["score"].sel(algorithm="mock/large")).all()


def test_a_scorer_called_time_is_a_scorer(tmp_path: Path) -> None:
    data = log("small", "CI")
    for sample in data["samples"]:
        sample["scores"] = {"time": sample["scores"]["match"]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    results = read_inspect(path)
    assert results["time"].direction == "max"
    assert results.data["time"].values.ravel().tolist() == [1.0, 0.0]


def test_what_lies_beside_logs(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(log("small", "CI")))
    for name in ("logs.json", "eval-set.json"):
        (tmp_path / name).write_text("{}")
    assert read_inspect(tmp_path).algorithms == ("mock/small",)


def test_two_logs_of_one_model(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(log("small", "CI")))
    with pytest.raises(bc.BayescompareError, match=r"a.json and .*b.json both have 'sums' by"):
        read_inspect(tmp_path)


def test_no_scorer_in_common(tmp_path: Path) -> None:
    data = log("small", "CI", eval={"task": "other", "model": "mock/small"})
    for sample in data["samples"]:
        sample["scores"] = {"a": {"value": "C"}, "b": {"value": "I"}}
    (tmp_path / "a.json").write_text(json.dumps(log("small", "CI")))
    (tmp_path / "b.json").write_text(json.dumps(data))
    with pytest.raises(bc.BayescompareError, match="no scorer is common to all logs: 'sums' has"):
        read_inspect(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(version=7), "a log of version 7: this reader knows"),
        (lambda d: d.update(status="error"), r"did not end well \(status 'error'\)"),
        (lambda d: d.update(samples=[]), "the log has no samples"),
        (lambda d: d.pop("eval"), "not a log of Inspect"),
        (lambda d: d["eval"].pop("model"), "no eval.model in the log"),
        (lambda d: d["samples"][1].pop("id"), r"samples\[1\] has no 'id'"),
        (
            lambda d: d["samples"][1]["scores"]["match"].update(value="maybe"),
            "a.json: samples\\[1\\]: 'match' is 'maybe', neither a grade nor a number",
        ),
        (
            lambda d: d["samples"][1]["scores"]["match"].update(value=[1, 2]),
            r"'match' is \[1, 2\], neither",
        ),
        (lambda d: d["eval"].update(model=[1]), r"eval.model is \[1\], not a name"),
        (lambda d: d["samples"][1].update(id=None), r"samples\[1\].id is None, not a name"),
        (lambda d: d["samples"][1].update(epoch=[2]), r"samples\[1\].epoch is \[2\], not a name"),
        (lambda d: d["samples"][1].update(scores=[1]), r"samples\[1\].scores is \[1\], not an obj"),
        (
            lambda d: d["samples"][1].update(model_usage=[1]),
            r"a.json: samples\[1\].model_usage is \[1\], not an object",
        ),
        (
            lambda d: d["samples"][1]["model_usage"]["mock/small"].update(total_tokens="many"),
            r"samples\[1\].model_usage.mock/small.total_tokens is 'many', not a number",
        ),
        (
            lambda d: d["samples"][1]["model_usage"]["mock/small"].update(total_tokens=-1),
            r"samples\[1\].model_usage.mock/small.total_tokens is -1, less than 0",
        ),
        (
            lambda d: d["samples"][1]["scores"]["match"].pop("value"),
            r"samples\[1\].scores.match has no 'value'",
        ),
        (
            lambda d: d["samples"][1].update(total_time="C"),
            r"\[1\].total_time is 'C', not a number",
        ),
        (
            lambda d: d["samples"][1]["scores"]["match"].update(value=1e999),
            "a.json: samples\\[1\\]: 'match' is infinite",
        ),
        (
            lambda d: d["samples"].append(d["samples"][0]),
            r"a.json: samples\[0\] and samples\[2\] are both",
        ),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, change: Change, message: str) -> None:
    data = log("small", "CI")
    change(data)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    with pytest.raises(bc.BayescompareError, match=message):
        read_inspect(path)


# ------------------------------------------------------------------------------------- the archives


def test_archives_that_are_none(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.eval", log("small", "CI"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(bc.BayescompareError, match=r"a.eval: not a whole zip archive"):
        read_inspect(path)
    path.write_bytes(b"")
    with pytest.raises(bc.BayescompareError, match=r"a.eval: not a whole zip archive"):
        read_inspect(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", "{}")
    with pytest.raises(bc.BayescompareError, match=r"no header.json in the archive"):
        read_inspect(path)
    archive(path, log("small", "CI"))
    data = bytearray(path.read_bytes())
    data[60:64] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(data))
    with pytest.raises(bc.BayescompareError, match=r"'header.json' in the archive cannot be decom"):
        read_inspect(path)


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_input, "MOST_BYTES", 2**20)
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({**log("small", "C"), "samples": None}))
        file.writestr("summaries.json", " " * 2**21)
    assert path.stat().st_size < 2**13
    with pytest.raises(bc.BayescompareError, match="holds more than 1 MiB"):
        read_inspect(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_members(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("summaries.json", json.dumps(log("small", "CI")["samples"]))
        file.writestr("header.json", json.dumps(log("small", "CI") | {"samples": None}))
    whole = path.read_bytes()
    for place in range(40, 120, 8):
        path.write_bytes(whole[:place] + b"\xff\xff\xff" + whole[place + 3 :])
        with pytest.raises(bc.BayescompareError, match=r"a.eval: '\w+.json' in the archive cannot"):
            read_inspect(path)


def test_hostile_archives(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.eval", log("small", "CI"), **{"../../out.json": "{}"})
    assert read_inspect(path).algorithms == ("mock/small",)
    assert list(tmp_path.rglob("*")) == [path]  # nothing is unpacked to disk

    with pytest.warns(UserWarning, match="Duplicate name"):
        archive(path, log("small", "CI"), **{"header.json": "{}"})
    with pytest.raises(bc.BayescompareError, match=r"a.eval: 'header.json' occurs twice in the ar"):
        read_inspect(path)

    whole = bytearray(archive(path, log("small", "CI")).read_bytes())
    listing = whole.index(b"PK\x01\x02")
    whole[listing + 8] |= 1  # the flag of a password
    path.write_bytes(bytes(whole))
    with pytest.raises(bc.BayescompareError, match=r"a.eval: 'header.json' in .* is encrypted"):
        read_inspect(path)

    many = {f"samples/{k}_epoch_1.json": "{}" for k in range(2000)}
    archive(path, log("small", "CI"), **many)
    assert read_inspect(path).n_replicates == 2  # the summaries are read, and no sample


def test_text_in_an_archive_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    for content, message in (
        (b"\xff", r"header.json in the archive: not UTF-8"),
        (b"{", r"malformed JSON in header.json"),
        (b'{"a": 1, "a": 2}', r"malformed JSON in header.json \(an object has the key 'a' twice"),
    ):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("header.json", content)
        with pytest.raises(bc.BayescompareError, match=f"a.eval: {message}"):
            read_inspect(path)


def test_the_checksum_of_zstandard(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    whole = bytearray((LOGS / "eval" / "sums_small.eval").read_bytes())
    entry = whole.index(b"PK\x01\x02")
    while b"header.json" not in whole[entry : entry + 60]:
        entry = whole.index(b"PK\x01\x02", entry + 1)
    whole[entry + 16] ^= 1
    path = tmp_path / "a.eval"
    path.write_bytes(bytes(whole))
    with pytest.raises(bc.BayescompareError, match=r"'header.json' in the archive is damaged"):
        read_inspect(path)


def test_zstandard_is_an_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    source = next((LOGS / "eval").glob("*.eval"))
    path = Path(shutil.copy(source, tmp_path))
    with pytest.raises(bc.BayescompareError, match=r"pip install \"bayescompare\[zst\]\""):
        read_inspect(path)
