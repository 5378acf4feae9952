"""Which way is better, by every reader: ranks of what was read against ranks of what was written.

The files are written here as each tool documents them, in the forms of several of its versions. A
case says which way its figures are better by that documentation, and pandas ranks them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io

#: Four datasets and three algorithms whose order differs from one dataset to the next.
FIGURES = pd.DataFrame(
    np.random.default_rng(7).uniform(0.1, 0.9, (4, 3)).round(6),
    index=["d1", "d2", "d3", "d4"],
    columns=["A", "B", "C"],
)
CELLS = [(d, a, float(FIGURES.loc[d, a])) for d in FIGURES.index for a in FIGURES.columns]


def mean_ranks(figures: pd.DataFrame, lower: pd.Series[bool]) -> pd.Series[float]:
    """Rank 1 is best; `lower` says of each dataset whether lower is."""
    signed = figures.mul(np.where(lower, 1.0, -1.0), axis=0)
    return signed.rank(axis=1).mean()


def ranks_read(results: bc.Results, measure: str) -> pd.Series[float]:
    table = results.average().data[measure].to_pandas()
    lower = pd.Series(results[measure].direction == "min", index=table.index)
    return mean_ranks(table, lower)


def dump(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


# ------------------------------------------------------------------------- how the tools write them


def amlb(
    folder: Path, row: Callable[[str, float], dict[str, object]], **options: Any
) -> bc.Results:
    rows = [{"id": "t", "task": d, "framework": a, "fold": 0, "info": "", **row(d, x)}
            for d, a, x in CELLS]  # fmt: skip
    pd.DataFrame(rows).to_csv(folder / "results.csv", index=False)
    return io.read_amlb(folder, **options)


def mixed(dataset: str, x: float) -> dict[str, object]:
    """Two binary tasks by their AUC and two others by their log loss, as before May 2020."""
    binary = dataset in ("d1", "d2")
    return {"result": x, "acc": 0.5, "auc": x if binary else None, "logloss": 1.0 if binary else x}


def aeon(folder: Path, statistic: str, **options: Any) -> bc.Results:
    for a in FIGURES:
        lines = [f"{d},{x}" for d, x in FIGURES[a].items()]
        dump(folder / f"{a}_{statistic}.csv", "\n".join(["Resamples:,0", *lines]) + "\n")
    return io.read_aeon(folder, **options)


def every_eval(folder: Path, **config: Any) -> bc.Results:
    for a in FIGURES:
        entries = [
            {"evaluation_name": d, "score_details": {"score": x},
             "metric_config": {"metric_name": "m", "score_type": "continuous", **config}}
            for d, x in FIGURES[a].items()
        ]  # fmt: skip
        log = {"schema_version": "0.3.0", "model_info": {"id": a}, "evaluation_results": entries}
        dump(folder / f"{a}.json", log)
    return io.read_every_eval(folder)


def two_units(folder: Path) -> dict[str, Path]:
    for unit in ("percent", "proportion"):
        every_eval(folder / unit, lower_is_better=False, metric_unit=unit)
    return {unit: folder / unit / "A.json" for unit in ("percent", "proportion")}


def fev(_: Path, column: str) -> bc.Results:
    rows = [{"model_name": a, "task_name": d, "test_error": x, "MAE": x, "WAPEB": x,
             "inference_time_s": x, "fev_version": "0.9.0"} for d, a, x in CELLS]  # fmt: skip
    return io.from_fev(rows, measures=[column])


def helm(folder: Path, stat: str, schema: dict[str, bool] | None = None) -> bc.Results:
    for d, a, x in CELLS:
        spec = {"name": f"{d}:model={a}", "adapter_spec": {"model": a}}
        dump(folder / f"{d}_{a}" / "run_spec.json", spec)
        stats = [{"name": {"name": stat, "split": "test"}, "mean": x}]
        dump(folder / f"{d}_{a}" / "stats.json", stats)
    if schema is not None:
        metrics = [{"name": name, "lower_is_better": lower} for name, lower in schema.items()]
        dump(folder / "schema.json", {"metrics": metrics})
    return io.read_helm(folder, measures=[stat])


def inspect_logs(
    folder: Path, value: Callable[[float], Any], metric: str | None, measure: str = "s"
) -> bc.Results:
    for d, a, x in CELLS:
        sample = {"id": 1, "epoch": 1, "scores": {"s": {"value": value(x)}}, "total_time": x}
        log: dict[str, Any] = {"version": 2, "status": "success", "eval": {"task": d, "model": a}}
        if metric is not None:
            log["results"] = {"scores": [{"name": "s", "metrics": {metric: {"value": x}}}]}
        dump(folder / f"{d}_{a}.json", log | {"samples": [sample]})
    return io.read_inspect(folder, measures=[measure])


def ioh_json(folder: Path, **flag: bool) -> bc.Results:
    for n, d in enumerate(FIGURES.index, 1):
        for a in FIGURES:
            run = {"instance": 1, "evals": 100, "best": {"evals": 9, "y": float(FIGURES.loc[d, a])}}
            head = {"function_id": n, "function_name": d, "algorithm": {"name": a, "info": ""}}
            scenario = {"dimension": 2, "path": "x.dat", "runs": [run]}
            meta = {**head, **flag, "scenarios": [scenario]}
            dump(folder / a / f"IOHprofiler_f{n}_{d}.json", meta)
    return io.read_ioh(folder)


def info_files(folder: Path, header: str) -> bc.Results:
    for n, d in enumerate(FIGURES.index, 1):
        for a in FIGURES:
            lines = [f"{header}funcId = {n}, DIM = 2, algId = '{a}'", "%"]
            text = "\n".join([*lines, f"data_f{n}/f{n}_DIM2.dat, 1:200|{FIGURES.loc[d, a]}", ""])
            dump(folder / a / f"f{n}.info", text)
    return io.read_ioh(folder)


def lm_eval(folder: Path, key: str, higher: bool | None = None) -> bc.Results:
    for a in FIGURES:
        metric = key.partition(",")[0]
        runs: dict[str, Any] = {
            "results": {d: {key: x} for d, x in FIGURES[a].items()},
            "versions": dict.fromkeys(FIGURES.index, 1),
            "config": {"model": "hf", "model_args": f"pretrained={a}"},
        }
        if higher is not None:
            runs["higher_is_better"] = {d: {metric: higher} for d in FIGURES.index}
        dump(folder / a / "results_2026.json", runs)
    return io.read_lm_eval(folder, measures=[metric])


def lm_eval_items(folder: Path, metric: str) -> bc.Results:
    for d, a, x in CELLS:
        # A log-likelihood is negative: the least likely document has the lowest.
        value = x - 1.0 if metric == "perplexity" else float(x > 0.5)
        line = json.dumps({"doc_id": 0, "doc": {}, "metrics": [metric], metric: value})
        dump(folder / a / f"samples_{d}_2026.jsonl", line + "\n")
    return io.read_lm_eval_items(folder)


def mteb(folder: Path, measure: str = "main_score", *, old: bool = False) -> bc.Results:
    for d, a, x in CELLS:
        head = {"dataset_revision": "1", "mteb_version": "1.0.3" if old else "2.0.0"}
        scores: dict[str, Any] = {measure: x, "main_score": x}
        task = (
            {**head, "mteb_dataset_name": d, "test": {**scores, "evaluation_time": x}}
            if old
            else {**head, "task_name": d, "evaluation_time": x,
                  "scores": {"test": [{"hf_subset": "default", **scores}]}}
        )  # fmt: skip
        dump(folder / a / "1" / f"{d}.json", task)
    return io.read_mteb(folder, measures=[measure])


def openml(_: Path, function: str) -> bc.Results:
    rows = [{"run_id": n, "task_id": d, "data_name": d, "flow_name": a, "function": function,
             "value": x} for n, (d, a, x) in enumerate(CELLS)]  # fmt: skip
    return io.from_openml(pd.DataFrame(rows))


def mlflow(_: Path, direction: Any) -> bc.Results:
    rows = [{"status": "FINISHED", "tags.dataset": d, "params.model": a, "metrics.m": x}
            for d, a, x in CELLS]  # fmt: skip
    return io.from_mlflow(pd.DataFrame(rows), measures={"m": direction})


def promptfoo(folder: Path, measure: str) -> bc.Results:
    for d in FIGURES.index:
        results = [
            {"provider": {"id": a}, "promptIdx": 0, "testIdx": 0, "vars": {"x": 1},
             "success": x > 0.5, "score": x, "cost": x, "latencyMs": 1000 * x,
             "namedScores": {"tone": x}}
            for a, x in FIGURES.loc[d].items()
        ]  # fmt: skip
        dump(folder / f"{d}.json", {"evalId": d, "results": {"version": 3, "results": results}})
    return io.read_promptfoo(folder, measures=[measure])


def sklearn(_: Path, key: str) -> bc.Results:
    scores = {
        d: {a: {"test_score": [0.0], key: [x]} for a, x in FIGURES.loc[d].items()}
        for d in FIGURES.index
    }
    return io.from_cross_validate(scores, measures=[key.removeprefix("test_")])


def tabarena(_: Path, column: str) -> bc.Results:
    rows = [{"method": a, "dataset": d, "fold": 0, "metric": "roc_auc", "metric_error": x,
             "time_train_s": x, "time_infer_s": x} for d, a, x in CELLS]  # fmt: skip
    return io.from_tabarena(pd.DataFrame(rows), measures=[column])


def weka(folder: Path, field: str, **options: Any) -> bc.Results:
    lines = ["Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options," + field]
    lines += [f"{d},1,1,weka.classifiers.{a},'',{x}" for d, a, x in CELLS]
    dump(folder / "e.csv", "\n".join(lines) + "\n")
    return io.read_weka(folder / "e.csv", **options)


# ------------------------------------------------------------------------------------- what is told

type Case = tuple[Callable[..., bc.Results], tuple[Any, ...], dict[str, Any]]


def case(write: Callable[..., bc.Results], *given: Any, **options: Any) -> Case:
    """A file and its reading: a function from above, and what it is given beside the folder."""
    return write, given, options


def read_case(case: Case, folder: Path) -> bc.Results:
    write, given, options = case
    return write(folder, *given, **options)


#: The measure that is read, what is written, and whether lower is better by the tool's own word.
TOLD = [
    ("result", case(amlb, lambda d, x: {"result": x, "metric": "auc"}), False),
    ("result", case(amlb, lambda d, x: {"result": -x, "metric": "neg_logloss"}), True),
    # In 2020, in 2019, and in forms between.
    ("result", case(amlb, lambda d, x: {"result": x, "metric": "logloss"}), True),
    ("result", case(amlb, lambda d, x: {"result": x, "rmse": x}), True),
    ("result", case(amlb, lambda d, x: {"result": x, "rmse": 2 * x, "mae": x}), True),
    ("result", case(amlb, lambda d, x: {"result": -x, "logloss": x}), True),
    ("result", case(amlb, lambda d, x: {"result": -x}), True),
    ("accuracy", case(aeon, "accuracy"), False),
    ("ri", case(aeon, "ri"), False),
    ("logloss", case(aeon, "logloss"), True),
    ("fittime", case(aeon, "fittime"), True),
    ("m", case(every_eval, lower_is_better=False, min_score=0, max_score=1), False),
    ("m", case(every_eval, lower_is_better=True, min_score=0, max_score="Infinity"), True),
    ("test_error", case(fev, "test_error"), True),
    ("WAPEB", case(fev, "WAPEB"), True),
    ("inference_time_s", case(fev, "inference_time_s"), True),
    ("exact_match", case(helm, "exact_match"), False),
    ("ece_10_bin", case(helm, "ece_10_bin"), True),
    ("edit_similarity", case(helm, "edit_similarity", {"edit_similarity": True}), True),
    ("s", case(inspect_logs, float, "accuracy"), False),
    ("time", case(inspect_logs, float, None, "time"), True),
    ("y", case(ioh_json, maximization=True), False),
    ("y", case(ioh_json, maximization=False), True),
    ("y", case(info_files, 'maximization = "T", '), False),
    ("y", case(info_files, 'maximization = "F", '), True),
    # In 2018 files did not say it; PBO is maximized.
    ("y", case(info_files, "suite = 'PBO', "), False),
    ("precision", case(info_files, "Precision = 1e-08, "), True),
    ("acc", case(lm_eval, "acc,none", True), False),
    ("perplexity", case(lm_eval, "perplexity,none", False), True),
    ("bias", case(lm_eval, "bias,none", False), True),
    ("acc", case(lm_eval, "acc"), False),
    ("word_perplexity", case(lm_eval, "word_perplexity"), True),
    # Of a document it is the log-likelihood, of which the least is worst.
    ("perplexity", case(lm_eval_items, "perplexity"), False),
    ("m", case(mlflow, "max"), False),
    ("m", case(mlflow, "min"), True),
    ("main_score", case(mteb), False),
    ("main_score", case(mteb, old=True), False),
    ("evaluation_time", case(mteb, "evaluation_time", old=True), True),
    ("evaluation_time", case(mteb, "evaluation_time"), True),
    ("predictive_accuracy", case(openml, "predictive_accuracy"), False),
    ("root_mean_squared_error", case(openml, "root_mean_squared_error"), True),
    ("build_cpu_time", case(openml, "build_cpu_time"), True),
    ("score", case(promptfoo, "score"), False),
    ("tone", case(promptfoo, "tone"), False),
    ("cost", case(promptfoo, "cost"), True),
    ("latencyMs", case(promptfoo, "latencyMs"), True),
    ("score", case(sklearn, "test_score"), False),
    ("fit_time", case(sklearn, "fit_time"), True),
    ("metric_error", case(tabarena, "metric_error"), True),
    ("time_infer_s", case(tabarena, "time_infer_s"), True),
    ("Percent_correct", case(weka, "Percent_correct"), False),
    ("Root_relative_squared_error", case(weka, "Root_relative_squared_error"), True),
]


@pytest.mark.parametrize(("measure", "written", "lower"), TOLD)
def test_ranks_are_those_of_the_figures(
    measure: str, written: Case, lower: bool, tmp_path: Path
) -> None:
    expected = mean_ranks(FIGURES, pd.Series(lower, index=FIGURES.index))
    found = ranks_read(read_case(written, tmp_path), measure)
    assert found.to_dict() == pytest.approx(expected.to_dict())


def test_amlb_has_a_direction_for_each_task(tmp_path: Path) -> None:
    lower = pd.Series([False, False, True, True], index=FIGURES.index)
    expected = mean_ranks(FIGURES, lower).to_dict()
    for options in ({}, {"measures": {"result": "max"}}):
        results = amlb(tmp_path, mixed, **options)
        assert ranks_read(results, "result").to_dict() == pytest.approx(expected)
        assert results.notes == (
            "'result' is a loss in 2 tasks, and has a minus sign here: d3, d4",
        )


def test_grades_of_inspect(tmp_path: Path) -> None:
    results = inspect_logs(tmp_path, lambda x: "C" if x > 0.5 else "I", None)
    expected = mean_ranks((FIGURES > 0.5).astype(float), pd.Series(False, index=FIGURES.index))
    assert ranks_read(results, "s").to_dict() == pytest.approx(expected.to_dict())


def test_answers_to_documents(tmp_path: Path) -> None:
    lm_eval_items(tmp_path, "acc")
    counts = io.read_lm_eval_samples(tmp_path)
    right = FIGURES > 0.5
    for first, second in (("A", "B"), ("A", "C"), ("B", "C")):
        found = [only.tolist() for only in counts.pair(first, second)]
        expected = [right[second] & ~right[first], right[first] & ~right[second]]
        assert found == [only.astype(float).tolist() for only in expected]


# ---------------------------------------------------------------------------------- what is refused


def one_metric(d: str, x: float) -> dict[str, object]:
    return {"result": x, "metric": "auc"}


def two_metrics(d: str, x: float) -> dict[str, object]:
    high = x > 0.5
    return {"result": x, "auc": x if high else None, "logloss": None if high else x}


def in_two_units(folder: Path) -> bc.Results:
    return io.read_every_eval(two_units(folder))


UNCLEAR = "which way 'result' of d1, d2, d3 and 1 more is better"
#: What is written, and a part of the message.
UNTOLD = [
    (case(amlb, lambda d, x: {"result": x}), UNCLEAR + r".*measures=\{'result': 'max'\}"),
    (case(amlb, lambda d, x: {"result": x, "metric": "gmean"}), UNCLEAR),
    (case(amlb, two_metrics), r"'result' of 'd\d' is 'auc' in some rows and 'logloss' in others"),
    (
        case(amlb, one_metric, measures={"result": "min"}),
        "higher is better in 'result' of d1, d2, d3 and 1 more, as the file says",
    ),
    (case(in_two_units), "the m on 'd1' is in percent in .* and in proportion in"),
    (case(helm, "edit_similarity"), "way 'edit_similarity' is"),
    (case(inspect_logs, lambda x: x > 0.5, "mean"), "which way 's' is"),
    (case(info_files, ""), "which way 'y' is better"),
    (case(ioh_json), "which way 'y' is better"),
    # The harness's registry has this rate of errors as better when higher.
    (case(lm_eval, "ter,none", True), "which way 'ter' is better"),
    (case(lm_eval, "bias,none"), "which way 'bias' is better"),
    (case(mteb, "cosine_accuracy_threshold"), "which way 'cosine_accuracy_threshold' is better"),
    (case(aeon, "gain", measures=["gain"]), "which way 'gain' is better"),
    (case(openml, "scimark_benchmark"), "which way 'scimark_benchmark' is better"),
    (
        case(weka, "measureTreeSize", measures=["measureTreeSize"]),
        "which way 'measureTreeSize' is better",
    ),
]


@pytest.mark.parametrize(("written", "message"), UNTOLD)
def test_what_cannot_be_told_is_asked(written: Case, message: str, tmp_path: Path) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        read_case(written, tmp_path)


def test_a_direction_that_is_given(tmp_path: Path) -> None:
    for direction in ("max", "min"):
        results = amlb(tmp_path, lambda d, x: {"result": x}, measures={"result": direction})
        expected = mean_ranks(FIGURES, pd.Series(direction == "min", index=FIGURES.index))
        assert ranks_read(results, "result").to_dict() == pytest.approx(expected.to_dict())
