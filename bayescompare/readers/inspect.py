"""Inspect: evaluation logs, ``.eval`` or ``.json``, one for each task and model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record, number_at
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    archive_names,
    find_files,
    loads_json,
    naming,
    read_archived,
    read_json,
    text_of,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.numbers import plural

#: Inspect's own reading of grades: correct, incorrect, partly correct, no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

#: Costs, which every sample has, and where they are; the names of scorers come before them.
_TOKENS = {"tokens": "total_tokens", "input_tokens": "input_tokens"}
_TOKENS |= {"output_tokens": "output_tokens"}
_TIMES = {"time": "total_time", "working_time": "working_time"}
_COSTS = records.costs(" ".join(_TOKENS)) | records.costs(" ".join(_TIMES), "s")

#: What Inspect writes beside its logs: a listing of them, and what a set of evaluations is.
_BESIDE = frozenset({"logs.json", "eval-set.json"})


class _Log(NamedTuple):
    """One log: the values of each sample and epoch, and its scorers."""

    samples: list[Record]
    scorers: list[str]
    #: Scorers whose accuracy the log reports, so that higher is better.
    accuracies: frozenset[str]
    #: How many samples ended with an error, and how many are without a score for no such reason.
    failed: int
    bare: int


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
    logs = [_read_log(file, name) for file, name in kept]
    records.one_file_each(log.samples[0] for log in logs)
    known = _known_measures(logs)
    by_task: dict[str, list[str]] = {}
    for log in logs:
        own = by_task.setdefault(log.samples[0].dataset, log.scorers)
        by_task[log.samples[0].dataset] = [name for name in own if name in log.scorers]
    asked = () if "score" in known else measures
    default = records.common_to(by_task, asked, "no scorer is common to all logs")
    spec = records.select(measures, known, default or ["score"])
    numbers = {
        "with an error, without a score": sum(log.failed for log in logs),
        "without a score": sum(log.bare for log in logs),
    }
    notes = [f"{plural(number, 'sample')} {why}" for why, number in numbers.items() if number]
    samples = [sample for log in logs for sample in log.samples]
    return records.results_of(samples, source, spec, number=_grade, replicates="items", notes=notes)


def _is_log(data: object) -> bool:
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "status" in data


# --------------------------------------------------------------------------------------- the files


def _read_log(file: Path, name: str | None) -> _Log:
    with naming(file):
        if file.suffix == ".eval":
            header, samples = _read_archive(file)
        else:
            header = Field(read_json(file))
            listed = header["samples"]
            samples = list(listed.each()) if isinstance(listed.value, list) else []
        _check_header(header)
        if not samples:
            raise BayescompareError("the log has no samples.")
        task = header["eval"]["task"].name()
        model = algorithm_label(name or header["eval"]["model"].name())
        scores = [_scores(sample) for sample in samples]
        scorers = list(dict.fromkeys(key for own in scores for key in own))
        read, failed, bare = list[Record](), 0, 0
        for sample, own in zip(samples, scores, strict=True):
            only = {"score": own.get(scorers[0])} if len(scorers) == 1 else {}
            epoch = sample["epoch"].name() if "epoch" in sample.value else "1"
            values = {**_costs(sample), **only, **own}
            item = sample["id"].name()
            read.append(Record(file, task, model, values, sample.where, item, epoch))
            # A score of NaN is none; it is the only value that is not equal to itself.
            if not any(value is not None and value == value for value in own.values()):
                failed += bool(sample["error"].value)
                bare += not sample["error"].value
    records.one_place_each(read)
    return _Log(read, scorers, _accuracies(header), failed, bare)


def _read_archive(file: Path) -> tuple[Field, list[Field]]:
    """Return the header and the samples of an ``.eval`` file."""
    names = archive_names(file)
    if "header.json" not in names:
        raise BayescompareError(
            "no header.json in the archive: the evaluation has not ended, or Inspect did not write "
            "this file."
        )
    # The summaries hold scores, usage and times; the samples would add whole transcripts.
    singly = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    wanted = ["summaries.json"] if "summaries.json" in names else singly
    read = read_archived(file, ["header.json", *wanted])
    data = {name: Field(_member(name, content), name) for name, content in read.items()}
    header = Field(data["header.json"].value)
    if wanted == singly:
        return header, [data[name] for name in data if name != "header.json"]
    summaries = data["summaries.json"]
    return header, list(summaries.each()) if isinstance(summaries.value, list) else []


def _member(name: str, content: bytes) -> Any:
    """Parse a file of the archive; its name is in the error."""
    try:
        text = text_of(content)
    except BayescompareError as error:
        raise BayescompareError(f"{name} in the archive: {error}") from None
    return loads_json(text, f" in {name}")


def _check_header(header: Field) -> None:
    if not _is_log(header.value):
        raise BayescompareError("not a log of Inspect, which has 'status' and 'eval'.")
    if (version := header.value.get("version", 1)) not in (1, 2):
        raise BayescompareError(
            f"a log of version {show_checked_value_briefly(version)}: this reader knows the "
            "versions 1 and 2. Convert it by: inspect log convert."
        )
    if (status := header["status"].value) != "success":
        raise BayescompareError(
            f"the evaluation did not end well (status {show_checked_value_briefly(status)}), so "
            "samples are missing: finish it by inspect eval-retry, or leave it out."
        )
    for key in ("task", "model"):
        if not header["eval"][key].value:
            raise BayescompareError(f"no eval.{key} in the log.")


def _accuracies(header: Field) -> frozenset[str]:
    scores = header["results"]["scores"]
    return frozenset(
        str(score["name"].value)
        for score in (scores.each() if isinstance(scores.value, list) else ())
        if isinstance(score["metrics"].value, dict) and "accuracy" in score["metrics"].value
    )


def _scores(sample: Field) -> dict[str, Any]:
    """Return the scores of a sample as they are, those with parts by part."""
    if not isinstance(sample.value, dict) or "id" not in sample.value:
        raise BayescompareError(f"{sample.where} has no 'id'.")
    values: dict[str, Any] = {}
    for name, score in sample["scores"].mapping().items():
        if isinstance(score, dict) and "value" not in score:
            raise BayescompareError(f"{sample['scores'][name].where} has no 'value'.")
        value = score["value"] if isinstance(score, dict) else score
        parts = value if isinstance(value, dict) else None
        values |= {name: value} if parts is None else {f"{name}/{k}": v for k, v in parts.items()}
    return values


def _costs(sample: Field) -> dict[str, float]:
    usage = sample["model_usage"]
    models = [usage[model] for model in usage.mapping()]
    for model in models:
        model.mapping()
    costs = {key: sample[place].number(least=0) for key, place in _TIMES.items()}
    for key, place in _TOKENS.items():
        counts = [model[place].number(least=0) for model in models]
        costs[key] = sum(counts) if counts else math.nan
    return costs


# ------------------------------------------------------------------------------------ the measures


def _known_measures(logs: list[_Log]) -> dict[str, Measure | None]:
    known: dict[str, Measure | None] = dict(_COSTS)
    if all(len(log.scorers) == 1 for log in logs):
        graded = all(_is_graded(log.scorers[0], [log]) for log in logs)
        known["score"] = Measure("max") if graded else None
    for name in dict.fromkeys(name for log in logs for name in log.scorers):
        graded = _is_graded(name, [log for log in logs if name in log.scorers])
        known[name] = Measure("max") if graded else None
    return known


def _is_graded(name: str, logs: Iterable[_Log]) -> bool:
    """Whether right and wrong are clear: the log reports an accuracy, or gives grades.

    A grade is a letter; true, "yes" or "7" may just as well be bad.
    """
    return all(
        not log.accuracies.isdisjoint((name, name.partition("/")[0]))
        or any(
            isinstance(value := sample.values.get(name), str) and value in _GRADES
            for sample in log.samples
        )
        for log in logs
    )


def _grade(value: Any, where: str) -> float:
    """Read a score as Inspect's ``value_to_float`` does."""
    number: object = float(value) if isinstance(value, bool) else value
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
        number = _GRADES.get(value, _WORDS.get(value.lower(), number))
    if not (number is None or is_number(number)):
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, neither a grade nor a number."
        )
    return number_at(number, where)


FORMATS = {"inspect": Format("logs of Inspect", read_inspect, suffixes=(".eval",), json=_is_log)}
