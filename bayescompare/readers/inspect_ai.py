"""Inspect: evaluation logs, ``.eval`` or ``.json``, one for each task and model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    check_items_once,
    check_runs_once,
    member_names,
    parsed_number,
    parsed_object,
    read_members,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import loads_json, read_json, text_of
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

__all__ = ["is_inspect_json", "read_inspect"]

#: The versions of logs whose fields are known.
_VERSIONS = (1, 2)

#: Inspect's own reading of grades: correct, incorrect, partly correct, no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

_COUNT = Measure("min", bounds=(0, None))
_SECONDS = Measure("min", bounds=(0, None), unit="s")
#: Costs, which every sample has; the names of scorers come before them.
_COSTS = {
    "tokens": _COUNT,
    "input_tokens": _COUNT,
    "output_tokens": _COUNT,
    "time": _SECONDS,
    "working_time": _SECONDS,
}


#: What Inspect writes beside its logs: a listing of them, and what a set of evaluations is.
_BESIDE = frozenset({"logs.json", "eval-set.json"})


class _InspectSample(NamedTuple):
    """One sample in one epoch."""

    place: str
    id: str
    epoch: str
    scores: dict[str, Any]
    costs: dict[str, float]
    failed: bool


class _InspectLog(NamedTuple):
    """One log: the scores and costs of each sample and epoch."""

    file: Path
    task: str
    model: str
    samples: list[_InspectSample]
    scorers: tuple[str, ...]
    #: Scorers whose accuracy the log reports, so that higher is better.
    accuracies: frozenset[str]


def read_inspect(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read evaluation logs of Inspect, paired on the samples.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``.eval`` or ``.json`` logs, or directories with such files in or below them. A mapping
        names the models itself, as ``{"no tools": "a.eval", "tools": "b.eval"}``.
    measures : mapping or iterable of str, optional
        Names of scorers (``"match"``; ``"grader/style"`` where a score has parts), and the costs
        of a sample: ``"tokens"``, ``"input_tokens"``, ``"output_tokens"``, ``"time"`` and
        ``"working_time"``. ``"score"`` stands for the only scorer of each log. By default the
        scorers that every log has, or else ``"score"``.

    Returns
    -------
    Results
        Tasks are the datasets, models the algorithms, samples the items; epochs of a sample are
        averaged. C, I, P and N count 1, 0, 1/2 and 0, as Inspect does. Such grades, and scores
        whose accuracy the log reports, are better when higher; of others say which way.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, grades in (("small", "CI"), ("large", "CC")):
    ...     samples = [
    ...         {"id": k, "epoch": 1, "scores": {"match": {"value": grade}}}
    ...         for k, grade in enumerate(grades)
    ...     ]
    ...     log = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model},
    ...            "samples": samples}
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(log))
    >>> results = read_inspect(folder)
    >>> results.algorithms, results.measures, results.n_replicates
    (('large', 'small'), ('match',), 2)
    """
    files, source = find_files(paths, "*")
    kept = [pair for pair in files if pair[0].suffix in (".eval", ".json")]
    if len(kept) > 1:
        kept = [pair for pair in kept if pair[0].name not in _BESIDE]
    if not kept:
        raise BayescompareError(f"{source}: no .eval or .json file.")
    logs = [_read_inspect_log(file, name) for file, name in kept]
    check_runs_once((log.task, log.model, log.file) for log in logs)
    known = _known_inspect_measures(logs)
    common = [name for name in logs[0].scorers if all(name in log.scorers for log in logs)]
    if not common and measures is None and "score" not in known:
        raise BayescompareError(
            f"no scorer is common to all logs: {_inspect_scorer_words(logs)}. Name some by "
            "measures=."
        )
    spec = select_measures(measures, known, common or ["score"])
    rows = [(log.file, row) for log in logs for row in _inspect_rows(log, spec)]
    results = results_of_rows(
        rows,
        source,
        replicate="item",
        replicates="items",
        epoch="epoch" if len({row["epoch"] for _, row in rows}) > 1 else None,
        measures=spec,
    )
    return results._with(notes=(*results.notes, *_inspect_notes(logs)))


def _inspect_notes(logs: list[_InspectLog]) -> list[str]:
    """Count the samples that have no score, by whatever scorer."""
    bare = [
        sample
        for log in logs
        for sample in log.samples
        # A score of NaN is none; it is the only value that is not equal to itself.
        if not any(value is not None and value == value for value in sample.scores.values())
    ]
    failed = sum(sample.failed for sample in bare)
    notes = [f"{plural(failed, 'sample')} with an error, without a score"] if failed else []
    other = len(bare) - failed
    return [*notes, f"{plural(other, 'sample')} without a score"] if other else notes


def is_inspect_json(data: object) -> bool:
    """Whether this is the content of an Inspect log."""
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "status" in data


# --------------------------------------------------------------------------------------- the files


def _read_inspect_log(file: Path, name: str | None) -> _InspectLog:
    with naming(file):
        if file.suffix == ".eval":
            header, samples, places = _read_inspect_archive(file)
        else:
            header, places = read_json(file), None
            samples = header.get("samples") if isinstance(header, dict) else None
        _check_inspect_header(header)
        if not isinstance(samples, list) or not samples:
            raise BayescompareError("the log has no samples.")
        names = [f"samples[{k}]" for k in range(len(samples))] if places is None else places
        read = [_inspect_sample(*pair) for pair in zip(samples, names, strict=True)]
        task = parsed_name(header["eval"]["task"], "eval.task")
        model = algorithm_label(name or parsed_name(header["eval"]["model"], "eval.model"))
    check_items_once(
        ((task, model, sample.id, sample.epoch), file, sample.place) for sample in read
    )
    scorers = dict.fromkeys(key for sample in read for key in sample.scores)
    return _InspectLog(file, task, model, read, tuple(scorers), _inspect_accuracies(header))


def _read_inspect_archive(file: Path) -> tuple[Any, Any, list[str] | None]:
    """Return the header and the samples of an ``.eval`` file, and where these are."""
    names = member_names(file)
    if "header.json" not in names:
        raise BayescompareError(
            "no header.json in the archive: the evaluation has not ended, or Inspect did not write "
            "this file."
        )
    # The summaries hold scores, usage and times; the samples would add whole transcripts.
    whole = "summaries.json" in names
    wanted = (
        ["summaries.json"]
        if whole
        else [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    )
    data = {
        name: _inspect_member(name, content)
        for name, content in read_members(file, ["header.json", *wanted]).items()
    }
    header = data.pop("header.json")
    if not whole:
        return header, list(data.values()), list(data)
    samples = data["summaries.json"]
    length = len(samples) if isinstance(samples, list) else 0
    return header, samples, [f"summaries.json[{k}]" for k in range(length)]


def _inspect_member(name: str, content: bytes) -> Any:
    """Parse a file of the archive; its name is in the error."""
    try:
        text = text_of(content)
    except BayescompareError as error:
        raise BayescompareError(f"{name} in the archive: {error}") from None
    return loads_json(text, f" in {name}")


def _check_inspect_header(header: Any) -> None:
    if not is_inspect_json(header):
        raise BayescompareError("not a log of Inspect, which has 'status' and 'eval'.")
    if header.get("version", 1) not in _VERSIONS:
        raise BayescompareError(
            f"a log of version {show_checked_value_briefly(header['version'])}: this reader "
            "knows the versions 1 and "
            "2. Convert it by: inspect log convert."
        )
    if header["status"] != "success":
        raise BayescompareError(
            "the evaluation did not end well (status "
            f"{show_checked_value_briefly(header['status'])}), so samples are "
            "missing: finish it by inspect eval-retry, or leave it out."
        )
    for key in ("task", "model"):
        if not header["eval"].get(key):
            raise BayescompareError(f"no eval.{key} in the log.")


def _inspect_accuracies(header: Mapping[str, Any]) -> frozenset[str]:
    results = header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    return frozenset(
        str(score.get("name"))
        for score in (scores if isinstance(scores, list) else [])
        if isinstance(score, dict)
        and isinstance(metrics := score.get("metrics"), dict)
        and "accuracy" in metrics
    )


def _inspect_sample(sample: Any, place: str) -> _InspectSample:
    """Check a sample: its id, its epoch, and its scores and costs."""
    if not isinstance(sample, dict) or "id" not in sample:
        raise BayescompareError(f"{place} has no 'id'.")
    values: dict[str, Any] = {}
    for name, score in parsed_object(sample.get("scores"), f"{place}.scores").items():
        if isinstance(score, dict) and "value" not in score:
            raise BayescompareError(f"{place}.scores.{name} has no 'value'.")
        value = score["value"] if isinstance(score, dict) else score
        if isinstance(value, dict):
            values |= {f"{name}/{part}": own for part, own in value.items()}
        else:
            values[name] = value
    return _InspectSample(
        place,
        parsed_name(sample["id"], f"{place}.id"),
        parsed_name(sample.get("epoch", 1), f"{place}.epoch"),
        values,
        _inspect_costs(sample, place),
        bool(sample.get("error")),
    )


def _inspect_costs(sample: Mapping[str, Any], place: str) -> dict[str, float]:
    usage = parsed_object(sample.get("model_usage"), f"{place}.model_usage")
    models = {
        f"{place}.model_usage.{model}": parsed_object(own, f"{place}.model_usage.{model}")
        for model, own in usage.items()
    }
    costs: dict[str, float] = {}
    for key in ("total_tokens", "input_tokens", "output_tokens"):
        counts = [parsed_number(own.get(key), f"{at}.{key}", least=0) for at, own in models.items()]
        costs[key.removeprefix("total_")] = sum(counts) if counts else math.nan
    for name, key in (("time", "total_time"), ("working_time", "working_time")):
        costs[name] = parsed_number(sample.get(key), f"{place}.{key}", least=0)
    return costs


# ------------------------------------------------------------------------------------ the measures


def _known_inspect_measures(logs: list[_InspectLog]) -> dict[str, Measure | None]:
    known: dict[str, Measure | None] = dict(_COSTS)
    scorers = dict.fromkeys(name for log in logs for name in log.scorers)
    if all(len(log.scorers) == 1 for log in logs):
        kinds = {_is_graded_by_inspect(log.scorers[0], [log]) for log in logs}
        known["score"] = Measure("max") if kinds == {True} else None
    for name in scorers:
        own = [log for log in logs if name in log.scorers]
        known[name] = Measure("max") if _is_graded_by_inspect(name, own) else None
    return known


def _is_graded_by_inspect(name: str, logs: Iterable[_InspectLog]) -> bool:
    """Whether right and wrong are clear: the log reports an accuracy, or gives grades."""
    base = name.partition("/")[0]
    return all(
        name in log.accuracies
        or base in log.accuracies
        or any(_is_inspect_grade(sample.scores.get(name)) for sample in log.samples)
        for log in logs
    )


def _is_inspect_grade(value: object) -> bool:
    """Whether a score is a letter; true, "yes" or "7" may just as well be bad."""
    return isinstance(value, str) and value in _GRADES


def _inspect_rows(log: _InspectLog, spec: Mapping[str, Measure]) -> Iterator[dict[str, Any]]:
    for sample in log.samples:
        row: dict[str, Any] = {
            "dataset": log.task,
            "algorithm": log.model,
            "item": sample.id,
            "epoch": sample.epoch,
        }
        where = f"sample {sample.id}, epoch {sample.epoch}"
        for name in spec:
            is_only = name == "score" and name not in log.scorers and len(log.scorers) == 1
            own = log.scorers[0] if is_only else name
            if own in sample.costs and own not in log.scorers:
                row[name] = sample.costs[own]
                continue
            with naming(log.file):
                row[name] = _inspect_number(sample.scores.get(own), own, where)
        yield row


def _inspect_number(value: Any, name: str, where: str) -> float:
    """Read a score as Inspect's ``value_to_float`` does."""
    number: object = float(value) if isinstance(value, bool) else value
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
        number = _GRADES.get(value, _WORDS.get(value.lower(), number))
    if not (number is None or is_number(number)):
        raise BayescompareError(
            f"{where}: {name!r} is {show_checked_value_briefly(value)}, neither a grade nor a "
            "number."
        )
    return parsed_number(number, f"{where}: {name!r}")


def _inspect_scorer_words(logs: list[_InspectLog]) -> str:
    by_task = {log.task: quoted_names(log.scorers, 3) or "none" for log in logs}
    return "; ".join([f"{name!r} has {words}" for name, words in list(by_task.items())[:4]])
