"""Inspect: evaluation logs, ``.eval`` or ``.json``, one for each task and model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.archives import member_names, read_members
from bayescompare.io.parsing.files import text_of_parsed_file
from bayescompare.io.parsing.json_files import loads_json, read_json
from bayescompare.io.parsing.paths import Paths, find_files, naming_path_in_errors
from bayescompare.io.parsing.runs import check_parsed_runs_once
from bayescompare.io.parsing.selection import Chosen, parsed_algorithm_label, select_parsed_measures
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.results.text import quoted_names_in_results
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


class _InspectLog(NamedTuple):
    """One log: the scores and costs of each sample and epoch."""

    file: Path
    task: str
    model: str
    samples: list[tuple[str, int, dict[str, Any]]]
    scorers: tuple[str, ...]
    #: Scorers whose accuracy the log reports, so that higher is better.
    accuracies: frozenset[str]
    failed: int


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
        averaged. C, I, P and N count 1, 0, 1/2 and 0, as Inspect does. Graded scores and those
        whose accuracy the log reports are better when higher; for other numbers say which way.

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
    if not kept:
        raise BayescompareError(f"{source}: no .eval or .json file.")
    logs = [_read_inspect_log(file, name) for file, name in kept]
    check_parsed_runs_once((log.task, log.model, log.file) for log in logs)
    known = _known_inspect_measures(logs)
    common = [name for name in logs[0].scorers if all(name in log.scorers for log in logs)]
    if not common and measures is None and "score" not in known:
        raise BayescompareError(
            f"no scorer is common to all logs: {_inspect_scorer_words(logs)}. Name some by "
            "measures=."
        )
    spec = select_parsed_measures(measures, known, common or ["score"])
    frame = pd.DataFrame([row for log in logs for row in _inspect_rows(log, spec)])
    results = Results.from_frame(
        frame,
        replicate="item",
        replicates="items",
        epoch="epoch" if frame["epoch"].nunique() > 1 else None,
        measures=spec,
        source=source,
    )
    failed = sum(log.failed for log in logs)
    notes = [f"{plural(failed, 'sample')} with an error, without a score"] if failed else []
    return results._with(notes=(*results.notes, *notes))


def is_inspect_json(data: object) -> bool:
    """Whether this is the content of an Inspect log."""
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "status" in data


# --------------------------------------------------------------------------------------- the files


def _read_inspect_log(file: Path, name: str | None) -> _InspectLog:
    with naming_path_in_errors(file):
        if file.suffix == ".eval":
            header, samples = _read_inspect_archive(file)
        else:
            header = read_json(file)
            samples = header.get("samples") if isinstance(header, dict) else None
        _check_inspect_header(header)
        if not isinstance(samples, list) or not samples:
            raise BayescompareError("the log has no samples.")
        facts = header["eval"]
        read = [_inspect_sample(sample, place) for place, sample in enumerate(samples)]
        scorers = dict.fromkeys(key for _, _, values in read for key in values)
        return _InspectLog(
            file,
            str(facts["task"]),
            parsed_algorithm_label(name or str(facts["model"])),
            read,
            tuple(key for key in scorers if key not in _COSTS),
            _inspect_accuracies(header),
            sum(1 for sample in samples if sample.get("error")),
        )


def _read_inspect_archive(file: Path) -> tuple[Any, Any]:
    """Return the header and the samples of an ``.eval`` file."""
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
    contents = read_members(file, ["header.json", *wanted])
    data = {
        name: loads_json(text_of_parsed_file(text), f" in {name}")
        for name, text in contents.items()
    }
    return data["header.json"], (
        data["summaries.json"] if whole else [data[name] for name in wanted]
    )


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
        if isinstance(score, dict) and "accuracy" in (score.get("metrics") or {})
    )


def _inspect_sample(sample: Any, place: int) -> tuple[str, int, dict[str, Any]]:
    """Return a sample's id, its epoch, and its scores and costs."""
    if not isinstance(sample, dict) or "id" not in sample:
        raise BayescompareError(f"samples[{place}] has no 'id'.")
    scores = sample.get("scores")
    values: dict[str, Any] = {}
    for name, score in (scores if isinstance(scores, dict) else {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            values |= {f"{name}/{part}": own for part, own in value.items()}
        else:
            values[str(name)] = value
    epoch = sample.get("epoch", 1)
    return str(sample["id"]), epoch, _inspect_costs(sample) | values


def _inspect_costs(sample: Mapping[str, Any]) -> dict[str, Any]:
    usage = sample.get("model_usage")
    models = [own for own in usage.values() if isinstance(own, dict)] if usage else []
    tokens = ("total_tokens", "input_tokens", "output_tokens")
    counts = {
        key.removeprefix("total_"): sum(own.get(key) or 0 for own in models) if models else None
        for key in tokens
    }
    times = {"time": sample.get("total_time"), "working_time": sample.get("working_time")}
    return counts | times


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
        or any(
            isinstance(value, (bool, str)) for _, _, own in log.samples for value in [own.get(name)]
        )
        for log in logs
    )


def _inspect_rows(log: _InspectLog, spec: Mapping[str, Measure]) -> Iterator[dict[str, Any]]:
    for item, epoch, values in log.samples:
        row: dict[str, Any] = {
            "dataset": log.task,
            "algorithm": log.model,
            "item": item,
            "epoch": str(epoch),
        }
        for name in spec:
            own = log.scorers[0] if name == "score" and name not in log.scorers else name
            with naming_path_in_errors(log.file):
                row[name] = _inspect_number(values.get(own), own, f"sample {item}, epoch {epoch}")
        yield row


def _inspect_number(value: Any, name: str, where: str) -> float:
    """Read a score as Inspect's ``value_to_float`` does."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or is_number(value):
        return float(value)
    if isinstance(value, str):
        grade = _GRADES.get(value, _WORDS.get(value.lower()))
        if grade is not None:
            return grade
        try:
            return float(value)
        except ValueError:
            pass
    raise BayescompareError(
        f"{where}: {name!r} is {show_checked_value_briefly(value)}, neither a grade nor a number."
    )


def _inspect_scorer_words(logs: list[_InspectLog]) -> str:
    by_task = {log.task: quoted_names_in_results(log.scorers, 3) for log in logs}
    return "; ".join([f"{name!r} has {words}" for name, words in list(by_task.items())[:4]])
