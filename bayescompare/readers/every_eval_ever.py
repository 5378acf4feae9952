"""Every Eval Ever: the shared schema of evaluation results, and its files of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format, Record, mapping_at, number_at
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    naming,
    parsed_name,
    read_json,
    read_json_lines,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

#: What a line of samples says; the score's direction is in the file of results beside it.
_SAMPLE = {
    "is_correct": Measure("max", bounds=(0, 1)),
    "score": None,
    "tokens": records.COUNT,
    "latency_ms": Measure("min", bounds=(0, None), unit="ms"),
}
type _Scores = list[tuple[Record, Measure]]


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
        return _read_samples(paths, measures)
    files, source = find_files(paths, "*.json")
    if samples is None and all(file.suffix == ".jsonl" for file, _ in files):
        return _read_samples(paths, measures)
    scores = [score for file, name in files for score in _scores(file, name)]
    known = _measures(scores)
    by_dataset: dict[str, dict[str, None]] = {}
    for one, _ in scores:
        by_dataset.setdefault(one.dataset, {}).update(dict.fromkeys(one.values))
    common = records.common_to(by_dataset, measures, "no metric is common to all evaluations")
    spec = records.select(measures, known, common)
    wanted = [one for one, _ in scores if not spec.keys().isdisjoint(one.values)]
    return records.results_of(records.joined(wanted), source, spec)


def _is_results(data: object) -> bool:
    return isinstance(data, dict) and {"schema_version", "evaluation_results"} <= data.keys()


def _is_sample(row: Mapping[str, Any]) -> bool:
    return {"evaluation_id", "sample_id", "evaluation"} <= row.keys()


# ---------------------------------------------------------------------------------------- results


def _scores(file: Path, name: str | None) -> Iterator[tuple[Record, Measure]]:
    """Yield each entry of ``evaluation_results``, and what is measured there."""
    with naming(file):
        data = read_json(file)
        if not _is_results(data) or not isinstance(data["evaluation_results"], list):
            raise BayescompareError(
                "not a file of Every Eval Ever, which has 'schema_version' and a list of "
                "'evaluation_results'."
            )
        version = data["schema_version"]
        if not str(version).startswith("0."):
            raise BayescompareError(
                f"schema_version {show_checked_value_briefly(version)}: this reader knows the "
                "versions 0.x."
            )
        info = mapping_at(data.get("model_info"), "model_info")
        model = name or info.get("id") or info.get("name")
        if not model:
            raise BayescompareError("no model_info.id: name the model, as in {'mine': path}.")
        label = algorithm_label(parsed_name(model, "model_info.id"))
        if not data["evaluation_results"]:
            raise BayescompareError("evaluation_results is empty.")
        for k, entry in enumerate(data["evaluation_results"]):
            where = f"evaluation_results[{k}]"
            dataset, metric, value, measure = _entry(entry, where)
            yield Record(file, dataset, label, {metric: value}, where), measure


def _entry(entry: Any, where: str) -> tuple[str, str, float, Measure]:
    config = records.part(entry, "metric_config")
    if not isinstance(config, dict) or not isinstance(config.get("lower_is_better"), bool):
        raise BayescompareError(f"{where} has no metric_config.lower_is_better.")
    score = records.part(entry, "score_details", "score")
    if score is None:
        raise BayescompareError(f"{where}.score_details.score is None, not a number.")
    value = number_at(score, f"{where}.score_details.score")
    if not entry.get("evaluation_name"):
        raise BayescompareError(f"{where} has no evaluation_name.")
    metric = config.get("metric_name") or config.get("metric_id") or "score"
    unit = config.get("metric_unit")
    measure = Measure(
        "min" if config["lower_is_better"] else "max",
        bounds=_bounds(config, f"{where}.metric_config"),
        scale="ordinal" if config.get("score_type") == "levels" else "metric",
        unit=parsed_name(unit, f"{where}.metric_config.metric_unit") if unit else None,
    )
    # Of scores with levels, -1 stands for an unknown one.
    unknown = config.get("has_unknown_level") is True and score == -1
    return (
        parsed_name(entry["evaluation_name"], f"{where}.evaluation_name"),
        parsed_name(metric, f"{where}.metric_config.metric_name"),
        math.nan if unknown else value,
        measure,
    )


def _bounds(config: Mapping[str, Any], where: str) -> tuple[float | None, float | None] | None:
    ends: list[float | None] = []
    for key in ("min_score", "max_score"):
        end = config.get(key)
        # A side without an end may be written as infinity, also as a word.
        end = None if end in ("Infinity", "-Infinity") else end
        if not (end is None or is_number(end)):
            number_at(end, f"{where}.{key}")
        ends.append(None if end is None or not math.isfinite(end) else float(end))
    low, high = ends
    if low is not None and high is not None and not low < high:
        raise BayescompareError(f"{where}: min_score {low} is not below max_score {high}.")
    return None if low is None and high is None else (low, high)


def _measures(scores: _Scores) -> dict[str, Measure | None]:
    """Return what the files agree on; a metric with two directions has none.

    Two scales of one metric on one evaluation are refused, and so are two scores of a model.
    """
    kinds: dict[str, list[Measure]] = {}
    firsts: dict[tuple[str, str], tuple[Record, Measure]] = {}
    for one, kind in scores:
        (metric,) = one.values
        kinds.setdefault(metric, []).append(kind)
        other, before = firsts.setdefault((one.dataset, metric), (one, kind))
        for own, theirs, word in (
            (kind.bounds, before.bounds, "within"),
            (kind.unit, before.unit, "in"),
        ):
            if own is not None and theirs is not None and own != theirs:
                raise BayescompareError(
                    f"the {metric} on {one.dataset!r} is {word} {theirs} in {other.file}, "
                    f"{other.place} and {word} {own} in {one.file}, {one.place}: bring both to one "
                    "scale."
                )
    records.once(
        (
            ((*one.values, one.algorithm, one.dataset), f"{one.file}, {one.place}")
            for one, _ in scores
        ),
        lambda key: f"the {key[0]} of {key[1]!r} on {key[2]!r}",
    )
    return {name: _agreed(own) for name, own in kinds.items()}


def _agreed(kinds: list[Measure]) -> Measure | None:
    def alike[T](values: list[T]) -> T | None:
        return values[0] if all(value == values[0] for value in values) else None

    direction = alike([kind.direction for kind in kinds])
    return direction and Measure(
        direction,
        bounds=alike([kind.bounds for kind in kinds]),
        scale="ordinal" if any(kind.scale == "ordinal" for kind in kinds) else "metric",
        unit=alike([kind.unit for kind in kinds]),
    )


# ---------------------------------------------------------------------------------------- samples


def _read_samples(paths: Paths, measures: Chosen | None) -> Results:
    files, source = find_files(paths, "*_samples.jsonl")
    samples: list[Record] = []
    failed = 0
    for file, name in files:
        with naming(file):
            for line, row in read_json_lines(file):
                # What ended with an error has no answer to judge.
                failed += bool(row.get("error"))
                samples.append(_sample(file, f"line {line}", row, name))
    records.one_place_each(samples)
    spec = records.select(measures, _SAMPLE, ["is_correct"])
    notes = [f"{plural(failed, 'sample')} with an error, without a score"] if failed else []
    return records.results_of(samples, source, spec, replicates="items", notes=notes)


def _sample(file: Path, line: str, row: Mapping[str, Any], name: str | None) -> Record:
    if not _is_sample(row) or not isinstance(row["evaluation"], dict):
        raise BayescompareError(
            f"{line} has no 'evaluation_id', 'sample_id' and 'evaluation', so this is not a file "
            f"of samples of Every Eval Ever; it has {quoted_names(row, 8)}."
        )
    judged = row["evaluation"]
    score = number_at(judged.get("score"), f"{line}: evaluation.score")
    right = judged.get("is_correct")
    if right is not None:
        records.truth_at(right, f"{line}: evaluation.is_correct")
    usage, speed = (
        mapping_at(row.get(key), f"{line}: {key}") for key in ("token_usage", "performance")
    )
    model = name or row.get("model_id")
    if not model:
        raise BayescompareError(f"{line} has no model_id: name the model, as in {{'mine': path}}.")
    named = "evaluation_name" if row.get("evaluation_name") else "evaluation_id"
    failed = bool(row.get("error"))
    values = {
        "is_correct": None if right is None or failed else float(right),
        "score": None if failed else score,
        "tokens": number_at(usage.get("total_tokens"), f"{line}: token_usage.total_tokens"),
        "latency_ms": number_at(speed.get("latency_ms"), f"{line}: performance.latency_ms"),
    }
    return Record(
        file,
        parsed_name(row[named], f"{line}: {named}"),
        algorithm_label(parsed_name(model, f"{line}: model_id")),
        values,
        line,
        parsed_name(row["sample_id"], f"{line}: sample_id"),
    )


FORMAT = Format(
    "evaluations of Every Eval Ever", read_every_eval, json=_is_results, line=_is_sample
)
