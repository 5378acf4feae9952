"""lm-evaluation-harness: files that the harness itself wrote, and files that are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare import io
from bayescompare.io import read_lm_eval, read_lm_eval_items, read_lm_eval_samples
from tests.readers.written import DATA

RUNS = DATA / "lm_eval"
METRICS = {"toy_addition": "acc", "toy_sums": "acc", "toy_carry": "exact_match"}

type Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(RUNS, tmp_path / "runs"))


def file_of(runs: Path, model: str, pattern: str = "results_*.json") -> Path:
    (found,) = (runs / f"toy__{model}").glob(pattern)
    return found


def changed(file: Path, change: Change) -> Path:
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    return file


# --------------------------------------------------------------------------------------- results


def test_tasks_and_models() -> None:
    results = read_lm_eval(RUNS, measures=["acc"])
    assert results.datasets == ("toy_addition", "toy_sums")
    assert results.algorithms == ("toy/large", "toy/small")
    assert results["acc"].direction == "max"
    assert results.values()[..., 0].tolist() == [[1.0, 0.5], [1.0, 0.3]]
    assert results.source == str(RUNS)
    assert results.notes == ("left out, without acc: toy_carry, toy_text",)


def test_directions_are_those_of_the_file(runs: Path) -> None:
    names = ["bits_per_byte,none", "word_perplexity"]
    results = read_lm_eval(RUNS, measures=names)
    assert results.measures == ("bits_per_byte,none", "word_perplexity")
    assert [results[name].direction for name in names] == ["min", "min"]
    for model in ("small", "large"):
        changed(
            file_of(runs, model),
            lambda d: d["higher_is_better"]["toy_text"].update(bits_per_byte=True),
        )
    # The file contradicts the metric.
    with pytest.raises(bc.BayescompareError, match="it is not known which way 'bits_per_byte' is"):
        read_lm_eval(runs, measures=["bits_per_byte"])


def test_files_that_contradict_each_other(runs: Path) -> None:
    changed(file_of(runs, "small"), lambda d: d["higher_is_better"]["toy_sums"].update(acc=False))
    with pytest.raises(bc.BayescompareError, match="it is not known which way 'acc' is better"):
        read_lm_eval(runs, measures=["acc"])
    assert read_lm_eval(runs, measures={"acc": "max"})["acc"].direction == "max"


def test_parts_of_another_shape_say_nothing(runs: Path) -> None:
    def odd(data: dict[str, Any]) -> None:
        data["higher_is_better"] = {"toy_sums": "yes", "toy_addition": {"acc": [1]}}
        data["group_subtasks"] = {"toy_choice": 3}
        data["versions"] = None

    files = [changed(file_of(runs, model), odd) for model in ("small", "large")]
    results = read_lm_eval(files, measures=["acc"])
    assert (results["acc"].direction, len(results.datasets)) == ("max", 2)


def test_what_every_task_has_is_the_default(runs: Path) -> None:
    with pytest.raises(bc.BayescompareError, match="no metric is common to all tasks: 'toy_add"):
        read_lm_eval(runs)
    for model in ("small", "large"):
        changed(
            file_of(runs, model), lambda d: [d["results"].pop(t) for t in ("toy_carry", "toy_text")]
        )
    results = read_lm_eval(runs)
    assert results.measures == ("acc,none",)
    assert "toy_choice" not in results.datasets


def test_groups_in_the_place_of_their_tasks() -> None:
    results = read_lm_eval(RUNS, measures=["acc", "word_perplexity"], groups=True)
    assert set(results.datasets) == {"toy_choice", "toy_text"}
    assert len(results.missing()) == 4


def test_groups_of_groups(runs: Path) -> None:
    def nest(data: dict[str, Any]) -> None:
        data["results"]["outer"] = {"alias": "outer"}
        data["group_subtasks"] |= {"outer": ["toy_choice", "toy_carry"], "toy_sums": ["toy_sums"]}

    files = [changed(file_of(runs, model), nest) for model in ("small", "large")]
    assert set(read_lm_eval(files, measures=["acc"], groups=True).datasets) == {"toy_choice"}
    assert read_lm_eval(files, measures=["acc"]).datasets == ("toy_addition", "toy_sums")


def test_a_filter_must_be_named() -> None:
    with pytest.raises(bc.BayescompareError, match="'exact_match' with several filters"):
        read_lm_eval(RUNS, measures=["exact_match"])
    results = read_lm_eval(RUNS, measures=["exact_match,strict-match"])
    assert results.values().ravel().tolist() == [0.5, 0.375]


def test_names_of_ones_own(runs: Path) -> None:
    given = {"A=1": file_of(runs, "small"), "B": [runs / "toy__large"]}
    assert read_lm_eval(given, measures=["acc"]).algorithms == ("A:1", "B")
    same = {name: file_of(runs, "small") for name in ("one", "two")}
    assert read_lm_eval(same, measures=["acc"]).algorithms == ("one", "two")


def test_paths_may_be_a_generator_and_overlap(runs: Path) -> None:
    results = read_lm_eval(runs.rglob("results_*.json"), measures=["acc"])
    assert len(results.algorithms) == 2
    assert read_lm_eval([runs, file_of(runs, "small")], measures=["acc"]).sel(
        algorithms=["toy/small"]
    )


def test_the_newer_file_counts(runs: Path) -> None:
    old = file_of(runs, "small")
    new = old.with_name("results_2026-12-01T00-00-00.json")
    shutil.copy(old, new)

    def later(data: dict[str, Any]) -> None:
        data["date"] += 1000
        data["results"]["toy_sums"]["acc,none"] = 0.9

    changed(new, later)
    results = read_lm_eval(runs, measures=["acc"])
    assert results.data["acc"].sel(dataset="toy_sums", algorithm="toy/small").item() == 0.9
    assert results.notes[-1] == "4 older runs of a task left out"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: None, "neither is newer"),
        (lambda d: d.pop("date"), "neither is newer"),
        (lambda d: d["config"].update(limit=10), "they differ in limit"),
    ],
)
def test_two_files_that_cannot_stand_for_each_other(
    runs: Path, change: Change, message: str
) -> None:
    old = file_of(runs, "small")
    new = old.with_name("results_other.json")
    shutil.copy(old, new)
    changed(new, change)
    with pytest.raises(bc.BayescompareError, match=f"both have 'toy_addition'.*{message}"):
        read_lm_eval(runs, measures=["acc"])


def test_files_of_early_versions(tmp_path: Path) -> None:
    for model, acc in (("gpt2", 0.4), ("gpt2-xl", 0.5)):
        data = {
            "results": {"piqa": {"acc": acc, "acc_stderr": 0.01, "mine": 1.0}},
            "versions": {"piqa": 0},
            "config": {"model": "hf-causal", "model_args": f"pretrained={model},dtype=float16"},
        }
        (tmp_path / f"results_{model}.json").write_text(json.dumps(data))
    results = read_lm_eval(tmp_path, measures=["acc"])
    assert (results.algorithms, results["acc"].direction) == (("gpt2-xl", "gpt2"), "max")
    with pytest.raises(bc.BayescompareError, match=r"measures={'mine': 'max'}"):
        read_lm_eval(tmp_path, measures=["mine"])


def test_a_model_without_a_name_is_called_by_its_directory(runs: Path) -> None:
    def forget(data: dict[str, Any]) -> None:
        del data["model_name"]
        data["config"] = None

    changed(file_of(runs, "small"), forget)
    assert "toy__small" in read_lm_eval(runs, measures=["acc"]).algorithms


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"{", "malformed JSON"),
        (b"[1]", "not a results file of lm-evaluation-harness"),
        (b'{"results": [1]}', "not a results file of lm-evaluation-harness"),
        (b'{"results": {"a": 1}}', "not a results file of lm-evaluation-harness"),
        (b'{"results": {}}', "no task with a metric"),
        (b'{"results": {"a": {"alias": "a", "acc,none": "N/A"}}}', "no task with a metric"),
        (b'{"results": {"caf\xe9": {}}}', "not UTF-8"),
        (
            b'{"results": {"a": {"acc,none": Infinity}}}',
            "results_1.json: results.a: 'acc,none' is infinite",
        ),
        (
            b'{"results": {"a": {"acc,none": 1}}, "model_name": ["x"]}',
            r"results_1.json: the model's name is \['x'\], not a name",
        ),
        (b'{"results": {"a": {"f1": 1, "f1": 0}}}', "an object has the key 'f1' twice"),
    ],
)
def test_what_is_no_results_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "results_1.json"
    path.write_bytes(content)
    with pytest.raises(bc.BayescompareError, match=message):
        read_lm_eval(path)


def test_a_metric_that_is_no_number_in_one_file(tmp_path: Path) -> None:
    for name, acc in (("small", 0.5), ("large", "high")):
        data = {"results": {"arc": {"acc,none": acc, "f1,none": 0.5}}, "model_name": name}
        (tmp_path / f"results_{name}.json").write_text(json.dumps(data))
    for measures in (None, ["acc"], ["acc,none"]):
        with pytest.raises(
            bc.BayescompareError,
            match=r"large.json: results.arc: 'acc(,none)?' is 'high', not a num",
        ):
            read_lm_eval(tmp_path, measures=measures)
    assert read_lm_eval(tmp_path, measures=["f1"]).values().ravel().tolist() == [0.5, 0.5]


def test_items_of_tasks_without_the_metric_are_told(tmp_path: Path) -> None:
    for task, metric in (("arc", "acc"), ("gsm", "exact_match")):
        (tmp_path / f"samples_{task}_1.jsonl").write_text(json.dumps({"doc_id": 0, metric: 1}))
    results = read_lm_eval_items(tmp_path, measures=["ACC"])
    assert (results.datasets, results.notes) == (("arc",), ("left out, without acc: gsm",))


# --------------------------------------------------------------------------------------- samples


def test_documents_are_paired() -> None:
    counts = read_lm_eval_samples(RUNS, metric=METRICS, filter="strict-match")
    assert counts.datasets == ("toy_addition", "toy_carry", "toy_sums")
    assert counts.algorithms == ("toy/large", "toy/small")
    assert counts.counts["n"].values.tolist() == [12, 8, 10]
    means = read_lm_eval(RUNS, measures=["acc", "exact_match,strict-match"])
    for name in counts.datasets:
        told = means.data.sel(dataset=name).to_array().max("variable")
        assert (1 - counts.data["error"].sel(dataset=name)).values.tolist() == pytest.approx(
            told.values.tolist()
        )


def test_a_test_on_paired_errors() -> None:
    counts = read_lm_eval_samples(RUNS, metric={"toy_addition": "acc", "toy_sums": "acc"})
    c = bc.compare(counts, method="poisson-binomial")
    assert c.best == "toy/large>toy/small"
    assert list(c.per_dataset.index) == ["toy_addition", "toy_sums"]


def test_filters_of_samples() -> None:
    files = list(RUNS.rglob("samples_toy_carry_*.jsonl"))
    with pytest.raises(bc.BayescompareError, match="'flexible-extract': choose one by filter="):
        read_lm_eval_samples(files, metric="exact_match")
    loose = read_lm_eval_samples(files, metric="exact_match", filter="flexible-extract")
    assert loose.counts["wrong"].values.tolist() == [[1.0, 3.0]]


def test_metrics_of_samples() -> None:
    with pytest.raises(
        bc.BayescompareError, match=r"metric='acc': not in line 1, which has 'exact"
    ):
        read_lm_eval_samples(RUNS, filter="strict-match")
    files = list(RUNS.rglob("samples_toy_text_*.jsonl"))
    with pytest.raises(bc.BayescompareError, match="need 1 for right and 0 for wrong"):
        read_lm_eval_samples(files, metric="word_perplexity")
    with pytest.raises(bc.BayescompareError, match="names none of the tasks"):
        read_lm_eval_samples(files, metric={"mmlu": "acc"})


def test_names_of_models_in_samples(runs: Path) -> None:
    for file in runs.rglob("results_*.json"):
        file.unlink()
    pair = {"toy_sums": "acc"}
    assert read_lm_eval_samples(runs, metric=pair).algorithms == ("toy__large", "toy__small")
    named = {"A": runs / "toy__small", "B": runs / "toy__large"}
    assert read_lm_eval_samples(named, metric=pair).algorithms == ("A", "B")


def edit(file: Path, change: Change) -> None:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    change(rows[0])
    file.write_text("\n".join(json.dumps(row) for row in rows))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.update(doc_hash="0"), r"line 1: document 0 .*doc_hash differs"),
        (lambda row: row.update(doc_id=99), "lacks predictions for some examples"),
        (lambda row: row.update(doc_id=1, doc_hash="0"), r"document 1 .*doc_hash differs"),
        (lambda row: row.pop("doc_id"), "line 1 has no 'doc_id'"),
        (lambda row: row.update(acc=0.5), "acc' is 0.5 in line 1"),
        (lambda row: row.update(acc=None), "acc' is None in line 1"),
    ],
)
def test_documents_that_are_not_the_same(runs: Path, change: Change, message: str) -> None:
    edit(file_of(runs, "small", "samples_toy_sums_*"), change)
    with pytest.raises(bc.BayescompareError, match=message):
        read_lm_eval_samples(runs, metric={"toy_sums": "acc"})


def test_documents_without_hashes_are_compared_themselves(runs: Path) -> None:
    for file in runs.rglob("samples_toy_sums_*"):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        for row in rows:
            del row["doc_hash"]
        file.write_text("\n".join(map(json.dumps, rows)))
    assert read_lm_eval_samples(runs, metric={"toy_sums": "acc"})
    edit(file_of(runs, "small", "samples_toy_sums_*"), lambda row: row["doc"].update(question="?"))
    with pytest.raises(bc.BayescompareError, match="doc differs"):
        read_lm_eval_samples(runs, metric={"toy_sums": "acc"})


def test_a_document_twice(runs: Path) -> None:
    file = file_of(runs, "small", "samples_toy_sums_*")
    whole = file.read_text()
    file.write_text(whole * 2)
    with pytest.raises(bc.BayescompareError, match=r"jsonl: line 1 and line \d+ are both item"):
        read_lm_eval_samples(runs, metric={"toy_sums": "acc"})
    file.write_text(whole)
    shutil.copy(file, file.with_name("samples_toy_sums_2027.jsonl"))
    with pytest.raises(bc.BayescompareError, match="both have 'toy_sums' by"):
        read_lm_eval_samples({"a": runs / "toy__small"}, metric={"toy_sums": "acc"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b'{"doc_id": 0, "acc": 1}\n{', "malformed JSON in line 2"),
        (b"[1]", "line 1 is a list: every line must be a JSON object"),
        (b'{"doc_id": "\xff"}', "not UTF-8"),
    ],
)
def test_what_is_no_file_of_samples(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "samples_arc_2026.jsonl"
    path.write_bytes(content)
    with pytest.raises(bc.BayescompareError, match=message) as caught:
        read_lm_eval_samples(path)
    assert str(path) in str(caught.value)


# ------------------------------------------------------------------------------- groups of groups


def grouped(runs: Path, children: dict[str, Any]) -> list[Path]:
    files = [file_of(runs, model) for model in ("small", "large")]
    return [changed(f, lambda data: data["group_subtasks"].update(children)) for f in files]


def test_a_group_that_holds_itself_is_refused(runs: Path) -> None:
    files = grouped(runs, {"top": ["a"], "a": ["b"], "b": ["toy_sums", "a"]})
    for groups in (True, False):
        with pytest.raises(bc.BayescompareError, match=r"the group '(a|b)' contains itself"):
            read_lm_eval(files, measures=["acc"], groups=groups)


def test_groups_may_be_nested_as_deep_as_a_file_likes(runs: Path) -> None:
    depth = 5000
    chain = {f"g{k}": [f"g{k + 1}"] for k in range(depth)} | {f"g{depth}": ["toy_sums"]}
    results = read_lm_eval(grouped(runs, chain), measures=["acc"], groups=True)
    assert "toy_sums" in results.datasets


def test_groups_that_share_groups_are_opened_once(runs: Path) -> None:
    """Two ways to each of 60 groups are 2⁶⁰ ways to the last."""
    shared: dict[str, Any] = {f"g{k}": [f"g{k + 1}", f"h{k + 1}"] for k in range(60)}
    shared |= {f"h{k}": [f"g{k + 1}", f"h{k + 1}"] for k in range(1, 60)}
    shared |= {"g60": ["toy_sums"], "h60": ["toy_addition", ["no name"], 5]}
    results = read_lm_eval(grouped(runs, shared), measures=["acc"], groups=True)
    assert {"toy_sums", "toy_addition"} <= set(results.datasets)


def samples(folder: Path, told: dict[str, str]) -> Path:
    for model, judged_by in told.items():
        (folder / model).mkdir()
        lines = [{"doc_id": k, "filter": judged_by, "exact_match": k % 2} for k in range(3)]
        text = "\n".join(map(json.dumps, lines))
        (folder / model / "samples_gsm8k_2026.jsonl").write_text(text)
    return folder


@pytest.mark.parametrize("asked", [None, "strict-match"])
def test_samples_judged_by_different_filters_are_no_pairs(tmp_path, asked):
    folder = samples(tmp_path, {"a": "strict-match", "b": "flexible-extract"})
    with pytest.raises(bc.BayescompareError, match="filter"):
        io.read_lm_eval_samples(folder, metric="exact_match", filter=asked)


def test_a_filter_that_no_file_has_is_refused(tmp_path):
    folder = samples(tmp_path, {"a": "strict-match", "b": "strict-match"})
    with pytest.raises(bc.BayescompareError, match="filter"):
        io.read_lm_eval_samples(folder, metric="exact_match", filter="strict_match")


@pytest.mark.parametrize("what", ["versions", "limit"])
def test_models_run_on_different_tasks_are_not_compared_in_silence(tmp_path, what):
    for k, model in enumerate("ab"):
        told = (
            {"versions": {"t": k + 1}} if what == "versions" else {"config": {"limit": k or None}}
        )
        data = {
            "results": {"t": {"acc,none": 0.5 + k / 10}},
            "higher_is_better": {"t": {"acc": True}},
            "model_name": model,
        }
        (tmp_path / f"results_{model}.json").write_text(json.dumps(data | told))
    assert any(f"different {what}" in note for note in io.read_lm_eval(tmp_path).notes)


# ----------------------------------------------------------------------- any name, shots, items


def test_files_of_any_name(runs: Path) -> None:
    for model in ("small", "large"):
        file_of(runs, model).rename(runs / f"{model}.json")
    (runs / "config.json").write_text('{"hidden_size": 8}')
    results = read_lm_eval(runs, measures=["acc"])
    assert results.algorithms == ("toy/large", "toy/small")
    assert bc.read(runs / "small.json", measures=["acc"]).algorithms == ("toy/small",)
    for model in ("small", "large"):
        (runs / f"{model}.json").write_text("{}")
    with pytest.raises(bc.BayescompareError, match="no results of lm-evaluation-harness in any"):
        read_lm_eval(runs)


def test_shots_side_by_side(runs: Path) -> None:
    def shots(data: dict[str, Any]) -> None:
        data["n-shot"]["toy_sums"] = 5
        data["n-shot"]["toy_addition"] = 5

    more = runs / "more"
    more.mkdir()
    copy = Path(shutil.copy(file_of(runs, "small"), more / "results_2.json"))
    changed(copy, shots)
    results = read_lm_eval(runs, measures=["acc"])
    assert results.algorithms == ("toy/small (5-shot)", "toy/large", "toy/small (0-shot)")


def test_samples_as_items() -> None:
    results = io.read_lm_eval_items(RUNS, measures=["acc"], filter="strict-match")
    assert (results.datasets, results.replicates) == (("toy_addition", "toy_sums"), "items")
    means = results.data["acc"].mean("replicate").values
    assert means.tolist() == read_lm_eval(RUNS, measures=["acc"]).values()[..., 0].tolist()
    with pytest.raises(bc.BayescompareError, match="no metric is common to all tasks"):
        io.read_lm_eval_items(RUNS, filter="strict-match")
    with pytest.raises(
        bc.BayescompareError, match=r"line 1: 'word_perplexity' is \[.*not a number"
    ):
        io.read_lm_eval_items(RUNS, measures={"word_perplexity": "min"}, filter="strict-match")
