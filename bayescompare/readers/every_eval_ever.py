"""Every Eval Ever: the shared schema of evaluation results, and its files of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    naming,
    read_json,
    read_json_lines,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

#: What a line of samples says; the score's direction is in the file of results beside it.
_SAMPLE: dict[str, Measure | None] = {
    "is_correct": Measure("max", bounds=(0, 1)),
    "score": None,
    **records.costs("tokens"),
    **records.costs("latency_ms", "ms"),
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


def _label(name: str | None, *own: Field) -> str:
    """Return the label of a model: as the caller says, or else the first name that there is."""
    named = [field for field in own if field.value]
    if name is None and not named:
        raise BayescompareError(
            f"{own[0].where} is missing: name the model, as in {{'mine': path}}."
        )
    return algorithm_label(name or named[0].name())


# ---------------------------------------------------------------------------------------- results


def _scores(file: Path, name: str | None) -> Iterator[tuple[Record, Measure]]:
    """Yield each entry of ``evaluation_results``, and what is measured there."""
    with naming(file):
        data = Field(read_json(file))
        version, entries = data["schema_version"], data["evaluation_results"]
        if not _is_results(data.value) or not isinstance(entries.value, list):
            raise BayescompareError(
                "not a file of Every Eval Ever, which has 'schema_version' and a list of "
                "'evaluation_results'."
            )
        if not str(version.value).startswith("0."):
            raise version.wrong("0.x, whose versions this reader knows")
        info = data["model_info"]
        info.mapping()
        label = _label(name, info["id"], info["name"])
        if not entries.value:
            raise BayescompareError("evaluation_results is empty.")
        for entry in entries.each():
            dataset, metric, value, measure = _entry(entry)
            yield Record(file, dataset, label, {metric: value}, entry.where), measure


def _entry(entry: Field) -> tuple[str, str, float, Measure]:
    config, score = entry["metric_config"], entry["score_details"]["score"]
    lower = config["lower_is_better"].value
    if not isinstance(lower, bool):
        raise BayescompareError(f"{entry.where} has no metric_config.lower_is_better.")
    if score.value is None:
        raise score.wrong("a number")
    value = score.number()
    if not entry["evaluation_name"].value:
        raise BayescompareError(f"{entry.where} has no evaluation_name.")
    named = [config[key] for key in ("metric_name", "metric_id") if config[key].value]
    unit = config["metric_unit"]
    measure = Measure(
        "min" if lower else "max",
        bounds=_bounds(config),
        scale="ordinal" if config["score_type"].value == "levels" else "metric",
        unit=unit.name() if unit.value else None,
    )
    # Of scores with levels, -1 stands for an unknown one.
    unknown = config["has_unknown_level"].value is True and value == -1
    metric = named[0].name() if named else "score"
    return entry["evaluation_name"].name(), metric, math.nan if unknown else value, measure


def _bounds(config: Field) -> tuple[float | None, float | None] | None:
    ends: list[float | None] = []
    for key in ("min_score", "max_score"):
        end = config[key].value
        # A side without an end may be written as infinity, also as a word.
        end = None if end in ("Infinity", "-Infinity") else end
        if not (end is None or is_number(end)):
            config[key].number()  # which says what is wrong
        ends.append(None if end is None or not math.isfinite(end) else float(end))
    low, high = ends
    if low is not None and high is not None and not low < high:
        raise BayescompareError(f"{config.where}: min_score {low} is not below max_score {high}.")
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
    keys = (
        ((*one.values, one.algorithm, one.dataset), f"{one.file}, {one.place}") for one, _ in scores
    )
    records.once(keys, lambda key: f"the {key[0]} of {key[1]!r} on {key[2]!r}")
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
    sample = Field(row, f"{line}: ")
    right, score = sample["evaluation"]["is_correct"], sample["evaluation"]["score"].number()
    is_right = None if right.value is None else float(right.truth())
    failed = bool(row.get("error"))
    for key in ("token_usage", "performance"):
        sample[key].mapping()
    values = {
        "is_correct": None if failed else is_right,
        "score": None if failed else score,
        "tokens": sample["token_usage"]["total_tokens"].number(),
        "latency_ms": sample["performance"]["latency_ms"].number(),
    }
    dataset = sample["evaluation_name" if row.get("evaluation_name") else "evaluation_id"].name()
    label = _label(name, sample["model_id"])
    return Record(file, dataset, label, values, line, sample["sample_id"].name())


FORMATS = {
    "every-eval-ever": Format(
        "evaluations of Every Eval Ever", read_every_eval, json=_is_results, line=_is_sample
    )
}
