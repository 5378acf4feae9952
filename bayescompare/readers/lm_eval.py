"""lm-evaluation-harness: the ``results_*.json`` of its runs, and its ``samples_*.jsonl``.

Samples are the answers to single documents. They are read as items, with any of their metrics, or
as counts of paired errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format, Record, number_at
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.input import (
    MISSING_WORDS,
    Named,
    Paths,
    algorithm_label,
    find_files,
    fingerprint,
    naming,
    parsed_name,
    read_json,
    read_json_lines,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

#: The metrics of the harness's own registry, for the files of versions that did not write
#: ``higher_is_better``. The registry has TER, a rate of errors, as better when higher, and so have
#: the files of tasks that do not say otherwise.
_METRICS = records.directed(
    "acc acc_norm acc_mutual_info acc_bytes acc_all exact_match likelihood mcc f1 bleu chrf chrf++",
    "brier_score perplexity word_perplexity byte_perplexity bits_per_byte ter",
)
#: Of a document, what is called perplexity is the log-likelihood, from which that of all documents
#: is computed.
_OF_DOCUMENTS = {**_METRICS, "perplexity": Measure("max")}

#: The fields of a line of samples that are no metric, where a line does not list its metrics.
_NO_METRICS = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)

_NO_COMMON, _LEFT_OUT = "no metric is common to all tasks", "; tasks without them are left out."


class _Task(NamedTuple):
    """One file's results of one task."""

    file: Path
    date: float
    model: str
    name: str
    #: By metric; entries that should be metrics may be no numbers.
    values: dict[str, Any]
    higher: Mapping[str, Any]
    settings: dict[str, Any]
    #: The group that holds it, as mmlu holds its subjects.
    group: str | None = None


def read_lm_eval(paths: Paths, *, measures: Chosen | None = None, groups: bool = False) -> Results:
    r"""Read results of lm-evaluation-harness.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``results_*.json`` files, or files of that form under any name, or directories with such
        files in or below them. A mapping names the models itself: ``{"mine": "a.json"}``.
    measures : mapping or iterable of str, optional
        Metrics as the file has them, with their filter (``"acc,none"``), or without it if a task
        has only one (``"acc"``). By default those that every task has; tasks with none of the
        named metrics are left out. The file says which way is better (``higher_is_better``).
    groups : bool
        Whether a group that has a score itself, such as mmlu, is one dataset in place of its
        tasks. By default every task is a dataset, and groups, which would count them twice, are
        left out.

    Returns
    -------
    Results
        Tasks are the datasets, models the algorithms. A model that ran a task with several numbers
        of shots is several algorithms, as in ``"gpt2 (5-shot)"``. If a model ran a task twice with
        the same settings, the newer file counts.

    See Also
    --------
    read_lm_eval_items : the scores of single documents, as items.
    read_lm_eval_samples : the answers to single documents, for tests on paired errors.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, acc in (("small", 0.5), ("large", 0.75)):
    ...     results = {
    ...         "results": {"arc_easy": {"acc,none": acc, "acc_stderr,none": 0.01}},
    ...         "higher_is_better": {"arc_easy": {"acc": True}}, "model_name": model,
    ...     }
    ...     _ = (folder / f"results_{model}.json").write_text(json.dumps(results))
    >>> read_lm_eval(folder).algorithms
    ('large', 'small')
    """
    files, source = find_files(paths, "results_*.json", "*.json")
    runs: list[_Task] = []
    for file, name in files:
        with naming(file):
            data = read_json(file)
            # Beside files of any name there may be others, such as a model's configuration.
            if len(files) == 1 or file.name.startswith("results_") or _is_results(data):
                runs += _read_tasks(data, file, name, groups)
    if not runs:
        raise BayescompareError(f"{source}: no results of lm-evaluation-harness in any .json file.")
    runs = _with_shots(runs)
    tasks = _newest(runs)
    by_task: dict[str, list[str]] = {}
    for task in tasks:
        own = by_task.setdefault(task.name, list(task.values))
        by_task[task.name] = [metric for metric in own if metric in task.values]
    numeric = {metric for task in tasks for metric, v in task.values.items() if is_number(v)}
    common = records.common_to(by_task, measures, _NO_COMMON, clear=numeric, more=_LEFT_OUT)
    full = [key for task in tasks for key in task.values]
    names = dict.fromkeys([*full, *(key.partition(",")[0] for key in full)])
    spec = records.select(measures, {name: _direction(name, tasks) for name in names}, common)
    found = [_record(task, spec) for task in tasks]
    results = records.results_of(found, source, spec)
    there = results.data.to_array().notnull().any(["variable", "algorithm"])
    kept, gone = (results.data["dataset"].values[where].tolist() for where in (there, ~there))
    older = len(runs) - len(tasks)
    notes = _left_out(gone, spec)
    notes += [f"{plural(older, 'older run')} of a task left out"] if older else []
    for key in tasks[0].settings:
        differ = records.several((task.name, str(task.settings[key])) for task in tasks)
        # Settings may be what is compared.
        notes += [f"the models ran {first_words(differ)} with different {key}"] if differ else []
    whole = results.sel(datasets=kept) if gone else results
    return whole._with(notes=tuple(notes))


def _is_results(data: object) -> bool:
    results = records.part(data, "results")
    tasks = list(results.values()) if isinstance(results, dict) else []
    marks = {"versions", "configs", "config", "n-shot", "higher_is_better"}
    return (
        isinstance(data, dict)
        and bool(tasks)
        and all(isinstance(own, dict) for own in tasks)
        and not marks.isdisjoint(data)
    )


# ------------------------------------------------------------------------------------ reading files


def _read_tasks(data: Any, file: Path, name: str | None, groups: bool) -> Iterator[_Task]:
    """Yield a file's results of each of its tasks."""
    results = records.part(data, "results")
    if not isinstance(results, dict) or not all(isinstance(own, dict) for own in results.values()):
        raise BayescompareError(
            "not a results file of lm-evaluation-harness, which has 'results' with an object for "
            "each task."
        )
    values = {parsed_name(task, "a task in 'results'"): _metrics(results[task]) for task in results}
    names = [task for task in _task_names(data, results, groups) if values.get(task)]
    if not names:
        raise BayescompareError("no task with a metric in 'results'.")
    model = algorithm_label(name or _model_of(data) or file.parent.name)
    date = data.get("date")
    parents = {child: group for group, own in _groups(data).items() for child in own}
    for task in names:
        group = parents.get(task)
        while group in parents:
            group = parents[group]
        yield _Task(
            file=file,
            date=float(date) if is_number(date) else math.nan,
            model=model,
            name=task,
            values=values[task],
            higher=_part(_part(data, "higher_is_better"), task),
            settings=_settings(data, task),
            group=group,
        )


def _part(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _metrics(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's metrics, without standard errors and entries that are not metrics.

    Examples
    --------
    >>> _metrics({"alias": "arc", "sample_len": 9, "acc,none": 0.5, "acc_stderr,none": 0.1})
    {'acc,none': 0.5}
    >>> _metrics({"acc,none": "high", "f1,none": "N/A"})
    {'acc,none': 'high'}
    """
    numbers = {key: float(value) for key, value in entries.items() if is_number(value)}
    filtered = {key: value for key, value in entries.items() if "," in key}
    # Before version 0.4 there were no filters, and nothing but metrics.
    plain = numbers if filtered.keys().isdisjoint(numbers) else {}
    return {
        key: numbers.get(key, value)
        for key, value in {**plain, **filtered}.items()
        if not key.partition(",")[0].endswith("_stderr")
        # A group without a score of its own has a blank.
        and (key in numbers or str(value).strip().lower() not in MISSING_WORDS)
    }


def _task_names(data: Mapping[str, Any], results: Mapping[str, Any], groups: bool) -> list[str]:
    """Return the tasks that count as datasets, each once."""
    children = _groups(data)
    try:
        TopologicalSorter(children).prepare()
    except CycleError as error:
        cycle = [str(group) for group in error.args[1]]
        raise BayescompareError(
            f"group_subtasks: the group {cycle[0]!r} contains itself, through "
            f"{first_words(cycle[1:], 4)}."
        ) from None
    if not groups:
        return [task for task in results if task not in {*children, *_part(data, "groups")}]
    inner = {child for own in children.values() for child in own}
    tops = [task for task in dict.fromkeys([*results, *children]) if task not in inner]
    # A stack instead of recursion: groups may be nested arbitrarily deep. Each is opened once.
    kept, opened, waiting = dict[str, None](), set[str](), tops[::-1]
    while waiting:
        task = waiting.pop()
        if task not in children or any(map(is_number, _metrics(results.get(task, {})).values())):
            kept[task] = None
        elif task not in opened:
            opened.add(task)
            waiting.extend(reversed(children[task]))
    return list(kept)


def _groups(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the tasks of each group; a task may be listed as a group of none, or of itself."""
    lists = {
        group: [child for child in own if isinstance(child, str) and child != group]
        for group, own in _part(data, "group_subtasks").items()
        if isinstance(own, list)
    }
    return {group: own for group, own in lists.items() if own}


def _model_of(data: Mapping[str, Any]) -> str | None:
    """Return the model's name, which early versions left in its arguments.

    Examples
    --------
    >>> _model_of({"config": {"model": "hf", "model_args": "pretrained=gpt2,dtype=float16"}})
    'gpt2'
    """
    config = _part(data, "config")
    raw = config.get("model_args")
    if isinstance(raw, str):
        raw = dict(part.partition("=")[::2] for part in raw.split(","))
    arguments = raw if isinstance(raw, dict) else {}
    # In the harness's own order: an adapter is listed together with its base model.
    keys = ("peft", "delta", "pretrained", "model", "path", "engine")
    candidates = [data.get("model_name"), *map(arguments.get, keys), config.get("model")]
    return next((parsed_name(name, "the model's name") for name in candidates if name), None)


def _settings(data: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return the settings that must agree for one run of a task to replace another."""
    own = {key: _part(data, key).get(task) for key in ("versions", "n-shot", "n-samples")}
    run = ("system_instruction_sha", "chat_template_sha", "fewshot_as_multiturn")
    return own | {key: data.get(key) for key in run} | {"limit": _part(data, "config").get("limit")}


# ------------------------------------------------------------------------------------- many of them


def _with_shots(runs: list[_Task]) -> list[_Task]:
    """Tell the runs of a model apart that differ in the number of shots."""
    shots: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        shots.setdefault((run.model, run.name), set()).add(str(run.settings["n-shot"]))
    # A file's other tasks may have a number of shots of their own.
    by_file: dict[Path, dict[str, None]] = {}
    for run in runs:
        if len(shots[run.model, run.name]) > 1:
            by_file.setdefault(run.file, {})[str(run.settings["n-shot"])] = None
    return [
        run._replace(model=f"{run.model} ({'/'.join(by_file[run.file])}-shot)")
        if run.file in by_file
        else run
        for run in runs
    ]


def _newest(runs: list[_Task]) -> list[_Task]:
    """Keep one run of each task by each model: the newest, if their settings agree."""
    kept: dict[tuple[str, str], _Task] = {}
    for task in runs:
        other = kept.setdefault((task.name, task.model), task)
        if other.file == task.file:
            continue
        differ = [key for key in task.settings if other.settings[key] != task.settings[key]]
        dated = other.date != task.date and not math.isnan(other.date + task.date)
        if differ or not dated:
            reason = f"they differ in {first_words(differ)}" if differ else "neither is newer"
            raise BayescompareError(
                f"{other.file} and {task.file} both have {task.name!r} by {task.model!r}, and "
                f"{reason}: leave out one, or give them different names, as in {{'first': ..., "
                "'second': ...}."
            )
        kept[task.name, task.model] = max(other, task, key=lambda own: own.date)
    return list(kept.values())


def _record(task: _Task, spec: Mapping[str, Measure]) -> Record:
    """Return a task's values of the measures, each by itself or by the only filter that it has."""
    values: dict[str, Any] = {}
    for name in spec:
        keys = [key for key in task.values if key == name or key.partition(",")[0] == name]
        if len(keys) > 1:
            raise BayescompareError(
                f"measures: {task.name!r} has {name!r} with several filters, "
                f"{quoted_names(keys)}: name one of these."
            )
        values[name] = task.values[keys[0]] if keys else None
    place = f"results.{task.name}"
    return Record(task.file, task.name, task.model, values, place, benchmark=task.group)


def _direction(name: str, tasks: list[_Task]) -> Measure | None:
    """Return the direction that the files give, unless they contradict each other or the metric."""
    metric = name.partition(",")[0]
    flags = {v for task in tasks if isinstance(v := task.higher.get(metric), bool)}
    said = [Measure("max" if flag else "min") for flag in flags]
    said += [_METRICS[metric]] if metric in _METRICS else []
    return said[0] if said and all(kind == said[0] for kind in said) else None


# ---------------------------------------------------------------------------------------- samples


def read_lm_eval_items(
    paths: Paths, *, measures: Chosen | None = None, filter: str | None = None
) -> Results:
    r"""Read the scores of single documents, paired on the document.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``samples_<task>_<date>.jsonl`` files, as for `read_lm_eval_samples`.
    measures : mapping or iterable of str, optional
        Metrics of a document, as in ``["acc"]``; by default those that every task has and whose
        direction the harness knows. Tasks with none of them are left out. The ``"perplexity"`` of
        a document is its log-likelihood, and higher is better.
    filter : str, optional
        The filter whose answers are read; needed for tasks that have several.

    Returns
    -------
    Results
        Tasks are the datasets, models the algorithms, documents the items.

    See Also
    --------
    read_lm_eval_samples : counts of paired errors, from the same files.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, right in (("small", (1, 0)), ("large", (1, 1))):
    ...     (folder / model).mkdir()
    ...     lines = [json.dumps({"doc_id": k, "acc": acc}) for k, acc in enumerate(right)]
    ...     _ = (folder / model / "samples_arc_2026.jsonl").write_text("\n".join(lines))
    >>> results = read_lm_eval_items(folder)
    >>> results.algorithms, results.n_replicates, results.replicates
    (('large', 'small'), 2, 'items')
    """
    files, source = find_files(paths, "samples_*.jsonl")
    runs = list(_runs(files, None, filter))
    by_task: dict[str, dict[str, None]] = {}
    for first, *_ in runs:
        listed = first.values.get("metrics")
        names = listed if isinstance(listed, list) else first.values.keys() - _NO_METRICS
        by_task.setdefault(first.dataset, {}).update(dict.fromkeys(sorted(map(str, names))))
    known = {name: _OF_DOCUMENTS.get(name) for own in by_task.values() for name in own}
    clear = [name for name, kind in known.items() if kind]
    common = records.common_to(by_task, measures, _NO_COMMON, clear=clear, more=_LEFT_OUT)
    spec = records.select(measures, known, common)
    gone = [task for task, own in by_task.items() if spec.keys().isdisjoint(own)]
    documents = [one for run in runs for one in run if one.dataset not in gone]
    how: dict[str, Any] = {"number": _score, "replicates": "items"}
    return records.results_of(documents, source, spec, notes=_left_out(gone, spec), **how)


def _left_out(tasks: Sequence[str], spec: Iterable[str]) -> list[str]:
    """Note which tasks have none of the measures."""
    return [f"left out, without {' and '.join(spec)}: {first_words(tasks)}"] if tasks else []


def _score(value: Any, where: str) -> float:
    if isinstance(value, (list, dict)):
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, not a number: it is computed over "
            "all documents at once, and format='lm-eval' reads its value."
        )
    return float(value) if isinstance(value, bool) else number_at(value, where)


def read_lm_eval_samples(
    paths: Paths, *, metric: str | Mapping[str, str] = "acc", filter: str | None = None
) -> ErrorCounts:
    r"""Read which documents each model got wrong, paired on the document.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``samples_<task>_<date>.jsonl`` files, which the harness writes with ``--log_samples``, or
        directories with such files in or below them. The model's name is in the
        ``results_<date>.json`` beside a file, or else is that of its directory; a mapping names
        the models itself.
    metric : str or mapping of str to str
        The metric that is 1 for a right and 0 for a wrong answer; a mapping names one for each
        task, and other tasks are left out.
    filter : str, optional
        The filter whose answers are read, as in ``"strict-match"``; needed for tasks that have
        several. A filter that a task does not have is refused.

    Returns
    -------
    ErrorCounts
        Tasks are the datasets, documents the examples, for every pair of models.

    Raises
    ------
    BayescompareError
        Also if the models did not see the same documents.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, right in (("small", (1, 0)), ("large", (1, 1))):
    ...     (folder / model).mkdir()
    ...     lines = [json.dumps({"doc_id": k, "acc": acc}) for k, acc in enumerate(right)]
    ...     _ = (folder / model / "samples_arc_2026.jsonl").write_text("\n".join(lines))
    >>> counts = read_lm_eval_samples(folder)
    >>> [only.tolist() for only in counts.pair("small", "large")]
    [[1.0], [0.0]]
    """
    files, source = find_files(paths, "samples_*.jsonl")
    rows: list[dict[str, Any]] = []
    for documents in _runs(files, metric, filter):
        for one in documents:
            with naming(one.file):
                wanted = metric[one.dataset] if isinstance(metric, Mapping) else metric
                right = _right(one, wanted)
            cell = {"dataset": one.dataset, "example": one.replicate, "algorithm": one.algorithm}
            rows.append({**cell, "correct": right})
    if not rows:
        raise BayescompareError(f"metric={metric!r} names none of the tasks read.")
    with naming(Path(source)):
        return ErrorCounts.from_predictions(pd.DataFrame(rows), correct="correct", source=source)


def _right(one: Record, metric: str) -> float:
    if metric not in one.values:
        names = one.values.get("metrics")
        there = list(map(str, names)) if isinstance(names, list) else list(one.values)
        raise BayescompareError(
            f"metric={metric!r}: not in {one.place}, which has {quoted_names(there)}; name one for "
            "each task, as in metric={'gsm8k': 'exact_match'}."
        )
    value = one.values[metric]
    if value not in (0, 1):
        raise BayescompareError(
            f"metric={metric!r} is {show_checked_value_briefly(value)} in {one.place}: paired "
            "errors need 1 for right and 0 for wrong. read_lm_eval compares means of other metrics."
        )
    return float(value)


# --------------------------------------------------------------------------------------- documents


def _runs(
    files: Iterable[Named], tasks: str | Mapping[str, str] | None, filter: str | None
) -> Iterator[list[Record]]:
    """Yield the documents of each file of samples, with the whole line as their values.

    A mapping `tasks` leaves out the tasks that it does not name. The models must have seen the
    same documents by the same filter.
    """
    firsts: list[Record] = []
    filters: dict[str, str] = {}
    prints: dict[tuple[str, str | None, str], tuple[str, Path]] = {}
    for file, name in files:
        # The date in samples_<task>_<date>.jsonl has no underscore.
        stem = file.name.partition(".jsonl")[0].removeprefix("samples_")
        task = stem.rpartition("_")[0] or stem
        if isinstance(tasks, Mapping) and task not in tasks:
            continue
        model = algorithm_label(name or _model_beside(file))
        records.one_file_each([*firsts, Record(file, task, model, {})])
        with naming(file):
            read = [
                _document(Record(file, task, model, row, f"line {line}"))
                for line, row in read_json_lines(file)
            ]
            documents = _by_filter(read, filter)
            own = _filter_of(documents[0])
            known = filters.setdefault(task, own)
            if known != own:
                raise BayescompareError(
                    f"the answers to {task!r} have the filter {own!r} here and {known!r} in "
                    "another file, so they cannot be paired: run the models with the same filter."
                )
            for one in documents:
                kind = "doc_hash" if "doc_hash" in one.values else "doc"
                content = fingerprint(one.values.get(kind))
                key = (task, one.replicate, kind)
                before, where = prints.setdefault(key, (content, file))
                if before != content:
                    raise BayescompareError(
                        f"{one.place}: document {one.replicate} of {task!r} is not the one in "
                        f"{where} ({kind} differs); run the models on the same version of the task."
                    )
        records.one_place_each(documents)
        firsts.append(documents[0])
        yield documents


def _model_beside(file: Path) -> str:
    stamp = file.name.rpartition("_")[2].partition(".jsonl")[0]
    beside = file.with_name(f"results_{stamp}.json")
    if not beside.exists():
        return file.parent.name
    with naming(beside):
        data = read_json(beside)
        model = _model_of(data) if isinstance(data, dict) else None
    return model or file.parent.name


def _document(one: Record) -> Record:
    if "doc_id" not in one.values:
        raise BayescompareError(
            f"{one.place} has no 'doc_id', so lm-evaluation-harness did not write this file of "
            f"samples; it has {quoted_names(one.values, 8)}."
        )
    _filter_of(one)
    return one._replace(replicate=parsed_name(one.values["doc_id"], f"{one.place}: doc_id"))


def _filter_of(one: Record) -> str:
    by = one.values.get("filter", "none")
    return parsed_name(by, f"{one.place}: filter")


def _by_filter(documents: list[Record], filter: str | None) -> list[Record]:
    """Keep the answers by one filter."""
    filters = dict.fromkeys(map(_filter_of, documents))
    # The choice of a filter does not apply to a task that has none.
    if list(filters) == ["none"] or (filter is None and len(filters) == 1):
        return documents
    if filter not in filters:
        given = "" if filter is None else f"filter={filter!r}: "
        raise BayescompareError(
            f"{given}the answers have the filters {quoted_names(filters)}: choose one by filter=."
        )
    return [one for one in documents if _filter_of(one) == filter]


FORMATS = {
    "lm-eval": Format("results of lm-evaluation-harness", read_lm_eval, json=_is_results),
    "lm-eval-items": Format(
        "samples of lm-evaluation-harness", read_lm_eval_items, line=lambda row: "doc_id" in row
    ),
}
