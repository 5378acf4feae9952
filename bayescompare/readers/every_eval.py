"""Every Eval Ever: the shared schema of evaluation results, and its files of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    check_items_once,
    parsed_number,
    parsed_object,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import read_json, read_json_lines
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

__all__ = ["is_every_eval_json", "is_every_eval_sample", "read_every_eval"]

_SECONDS = Measure("min", bounds=(0, None), unit="ms")
#: What a line of samples says; the score's direction is in the file of results beside it.
_SAMPLE = {
    "is_correct": Measure("max", bounds=(0, 1)),
    "score": None,
    "tokens": Measure("min", bounds=(0, None)),
    "latency_ms": _SECONDS,
}


class _EveryEvalScore(NamedTuple):
    """One entry of ``evaluation_results``."""

    file: Path
    place: str
    dataset: str
    algorithm: str
    name: str
    value: float
    measure: Measure


def read_every_eval(
    paths: Paths, *, measures: Chosen | None = None, samples: bool | None = None
) -> Results:
    r"""Read evaluations in the schema of Every Eval Ever.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``<uuid>.json`` files, or directories with such files in or below them. A mapping names the
        models itself.
    measures : mapping or iterable of str, optional
        Names of metrics (``metric_name``, or else ``metric_id``, or else ``"score"``); by default
        those that every evaluation has. The file says which way is better and between which
        bounds. Of samples ``"is_correct"`` (the default), ``"score"``, ``"tokens"`` and
        ``"latency_ms"``.
    samples : bool, optional
        Whether to read the ``<uuid>_samples.jsonl`` files, with one line per sample, instead; the
        samples are then items, on which the models are paired. By default only if such files
        alone are named.

    Returns
    -------
    Results
        Evaluations are the datasets, models the algorithms.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, score in (("toy/small", 0.5), ("toy/large", 0.75)):
    ...     entry = {"evaluation_name": "gsm8k", "score_details": {"score": score},
    ...              "metric_config": {"metric_name": "accuracy", "lower_is_better": False,
    ...                                "min_score": 0, "max_score": 1}}
    ...     log = {"schema_version": "0.3.0", "model_info": {"id": model},
    ...            "evaluation_results": [entry]}
    ...     _ = (folder / f"{model[4:]}.json").write_text(json.dumps(log))
    >>> results = read_every_eval(folder)
    >>> results.algorithms, results["accuracy"].bounds
    (('toy/large', 'toy/small'), (0.0, 1.0))
    """
    if samples:
        return _read_every_eval_samples(paths, measures)
    files, source = find_files(paths, "*.json")
    if samples is None and all(file.suffix == ".jsonl" for file, _ in files):
        return _read_every_eval_samples(paths, measures)
    scores = [score for file, name in files for score in _read_every_eval_scores(file, name)]
    _check_every_eval_scores(scores)
    known = _every_eval_measures(scores)
    by_dataset: dict[str, set[str]] = {}
    for score in scores:
        by_dataset.setdefault(score.dataset, set()).add(score.name)
    common = [name for name in known if all(name in own for own in by_dataset.values())]
    if not common and measures is None:
        words = [f"{name!r} has {quoted_names(sorted(own), 3)}" for name, own in by_dataset.items()]
        raise BayescompareError(
            f"no metric is common to all evaluations: {'; '.join(words[:4])}. Name some by "
            "measures=."
        )
    spec = select_measures(measures, known, common)
    cells: dict[tuple[str, str], tuple[Path, dict[str, Any]]] = {}
    for score in scores:
        if score.name in spec:
            key = (score.dataset, score.algorithm)
            empty: dict[str, Any] = {"dataset": key[0], "algorithm": key[1]}
            empty |= dict.fromkeys(spec, math.nan)
            cells.setdefault(key, (score.file, empty))[1][score.name] = score.value
    return results_of_rows(list(cells.values()), source, measures=spec)


def is_every_eval_json(data: object) -> bool:
    """Whether this is the content of a file of results."""
    return isinstance(data, dict) and {"schema_version", "evaluation_results"} <= data.keys()


def is_every_eval_sample(row: Mapping[str, Any]) -> bool:
    """Whether this is a line of a file of samples."""
    return {"evaluation_id", "sample_id", "evaluation"} <= row.keys()


# ---------------------------------------------------------------------------------------- results


def _read_every_eval_scores(file: Path, name: str | None) -> Iterator[_EveryEvalScore]:
    with naming(file):
        data = read_json(file)
        if not is_every_eval_json(data) or not isinstance(data["evaluation_results"], list):
            raise BayescompareError(
                "not a file of Every Eval Ever, which has 'schema_version' and a list of "
                "'evaluation_results'."
            )
        _check_every_eval_version(data["schema_version"])
        info = parsed_object(data.get("model_info"), "model_info")
        model = name or info.get("id") or info.get("name")
        if not model:
            raise BayescompareError("no model_info.id: name the model, as in {'mine': path}.")
        label = algorithm_label(parsed_name(model, "model_info.id"))
        entries = data["evaluation_results"]
        if not entries:
            raise BayescompareError("evaluation_results is empty.")
        for place, entry in enumerate(entries):
            where = f"evaluation_results[{place}]"
            yield _EveryEvalScore(file, where, *_every_eval_entry(entry, where, label))


def _check_every_eval_version(version: object) -> None:
    text = str(version)
    if not text.startswith("0."):
        raise BayescompareError(
            f"schema_version {show_checked_value_briefly(version)}: this reader knows the "
            "versions 0.x."
        )


def _every_eval_entry(entry: Any, where: str, model: str) -> tuple[str, str, str, float, Measure]:
    config = entry.get("metric_config") if isinstance(entry, dict) else None
    if not isinstance(config, dict) or not isinstance(config.get("lower_is_better"), bool):
        raise BayescompareError(f"{where} has no metric_config.lower_is_better.")
    details = entry.get("score_details")
    score = details.get("score") if isinstance(details, dict) else None
    if not is_number(score):
        raise BayescompareError(
            f"{where}.score_details.score is {show_checked_value_briefly(score)}, not a number."
        )
    if not entry.get("evaluation_name"):
        raise BayescompareError(f"{where} has no evaluation_name.")
    name = config.get("metric_name") or config.get("metric_id") or "score"
    if math.isinf(score):
        raise BayescompareError(f"{where}.score_details.score is infinite: leave the entry out.")
    unit = config.get("metric_unit")
    # Of scores with levels, -1 stands for an unknown one.
    unknown = config.get("has_unknown_level") is True and score == -1
    measure = Measure(
        "min" if config["lower_is_better"] else "max",
        bounds=_every_eval_bounds(config, f"{where}.metric_config"),
        scale="ordinal" if config.get("score_type") == "levels" else "metric",
        unit=parsed_name(unit, f"{where}.metric_config.metric_unit") if unit else None,
    )
    return (
        parsed_name(entry["evaluation_name"], f"{where}.evaluation_name"),
        model,
        parsed_name(name, f"{where}.metric_config.metric_name"),
        math.nan if unknown else float(score),
        measure,
    )


def _every_eval_bounds(
    config: Mapping[str, Any], where: str
) -> tuple[float | None, float | None] | None:
    ends: list[float | None] = []
    for key in ("min_score", "max_score"):
        end = config.get(key)
        # A side without an end may be written as infinity, also as a word.
        end = None if end in ("Infinity", "-Infinity") else end
        if not (end is None or is_number(end)):
            parsed_number(end, f"{where}.{key}")
        ends.append(None if end is None or not math.isfinite(end) else float(end))
    low, high = ends
    if low is not None and high is not None and not low < high:
        raise BayescompareError(f"{where}: min_score {low} is not below max_score {high}.")
    return None if low is None and high is None else (low, high)


def _check_every_eval_scores(scores: list[_EveryEvalScore]) -> None:
    """Refuse two scores of one model on one evaluation by one metric, and two scales of one."""
    scales: dict[tuple[str, str], _EveryEvalScore] = {}
    for score in scores:
        other = scales.setdefault((score.dataset, score.name), score)
        pair = (other.measure.bounds, score.measure.bounds)
        if None not in pair and pair[0] != pair[1]:
            raise BayescompareError(
                f"the {score.name} on {score.dataset!r} is within {pair[0]} in {other.file}, "
                f"{other.place} and within {pair[1]} in {score.file}, {score.place}: bring both to "
                "one scale."
            )
        units = (other.measure.unit, score.measure.unit)
        if None not in units and units[0] != units[1]:
            raise BayescompareError(
                f"the {score.name} on {score.dataset!r} is in {units[0]} in {other.file}, "
                f"{other.place} and in {units[1]} in {score.file}, {score.place}: bring both to "
                "one scale."
            )
    seen: dict[tuple[str, str, str], _EveryEvalScore] = {}
    for score in scores:
        key = (score.dataset, score.algorithm, score.name)
        other = seen.setdefault(key, score)
        if other is not score:
            raise BayescompareError(
                f"{other.file}, {other.place} and {score.file}, {score.place} both have the "
                f"{score.name} of {score.algorithm!r} on {score.dataset!r}: leave out one, or give "
                "the files different names, as in {'first': ..., 'second': ...}."
            )


def _every_eval_measures(scores: list[_EveryEvalScore]) -> dict[str, Measure | None]:
    """Return what the files agree on; a metric with two directions has none."""
    kinds: dict[str, list[Measure]] = {}
    for score in scores:
        kinds.setdefault(score.name, []).append(score.measure)
    known: dict[str, Measure | None] = {}
    for name, own in kinds.items():
        first = own[0]
        same_way = all(kind.direction == first.direction for kind in own)
        same_bounds = all(kind.bounds == first.bounds for kind in own)
        bounds = first.bounds if same_bounds else None
        scale = "ordinal" if any(kind.scale == "ordinal" for kind in own) else first.scale
        unit = first.unit if all(kind.unit == first.unit for kind in own) else None
        kind = Measure(first.direction, bounds=bounds, scale=scale, unit=unit)
        known[name] = kind if same_way else None
    return known


# ---------------------------------------------------------------------------------------- samples


def _read_every_eval_samples(paths: Paths, measures: Chosen | None) -> Results:
    files, source = find_files(paths, "*_samples.jsonl")
    rows: list[tuple[Path, int, dict[str, Any]]] = []
    for file, name in files:
        with naming(file):
            rows += [
                (file, line, _every_eval_sample_row(line, row, name))
                for line, row in read_json_lines(file)
            ]
    check_items_once(
        ((row["dataset"], row["algorithm"], row["item"]), file, f"line {line}")
        for file, line, row in rows
    )
    spec = select_measures(measures, _SAMPLE, ["is_correct"])
    results = results_of_rows(
        [(file, row) for file, _, row in rows],
        source,
        replicate="item",
        replicates="items",
        measures=spec,
    )
    failed = sum(row["failed"] for _, _, row in rows)
    notes = [f"{plural(failed, 'sample')} with an error, without a score"] if failed else []
    return results._with(notes=(*results.notes, *notes))


def _every_eval_sample_row(line: int, row: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    if not is_every_eval_sample(row) or not isinstance(row["evaluation"], dict):
        raise BayescompareError(
            f"line {line} has no 'evaluation_id', 'sample_id' and 'evaluation', so this is not a "
            f"file of samples of Every Eval Ever; it has {quoted_names(row, 8)}."
        )
    judged = row["evaluation"]
    score = parsed_number(judged.get("score"), f"line {line}: evaluation.score")
    right = judged.get("is_correct")
    if not (right is None or isinstance(right, bool)):
        raise BayescompareError(
            f"line {line}: evaluation.is_correct is {show_checked_value_briefly(right)}, not "
            "true or false."
        )
    usage, speed = (
        parsed_object(row.get(key), f"line {line}: {key}") for key in ("token_usage", "performance")
    )
    model = name or row.get("model_id")
    if not model:
        raise BayescompareError(
            f"line {line} has no model_id: name the model, as in {{'mine': path}}."
        )
    # What ended with an error has no answer to judge.
    failed = bool(row.get("error"))
    named = "evaluation_name" if row.get("evaluation_name") else "evaluation_id"
    return {
        "dataset": parsed_name(row[named], f"line {line}: {named}"),
        "algorithm": algorithm_label(parsed_name(model, f"line {line}: model_id")),
        "item": parsed_name(row["sample_id"], f"line {line}: sample_id"),
        "is_correct": math.nan if right is None or failed else float(right),
        "score": math.nan if failed else score,
        "tokens": parsed_number(
            usage.get("total_tokens"), f"line {line}: token_usage.total_tokens"
        ),
        "latency_ms": parsed_number(
            speed.get("latency_ms"), f"line {line}: performance.latency_ms"
        ),
        "failed": failed,
    }
