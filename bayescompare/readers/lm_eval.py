"""lm-evaluation-harness: the ``results_*.json`` of its runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format, Record
from bayescompare.table.input import (
    MISSING_WORDS,
    Paths,
    algorithm_label,
    find_files,
    naming,
    parsed_name,
    read_json,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

#: The metrics of the harness's own registry, for the files of versions that did not write
#: ``higher_is_better``. The registry has TER, a rate of errors, as better when higher, and so have
#: the files of tasks that do not say otherwise.
METRICS = records.directed(
    "acc acc_norm acc_mutual_info acc_bytes acc_all exact_match likelihood mcc f1 bleu chrf chrf++",
    "brier_score perplexity word_perplexity byte_perplexity bits_per_byte ter",
)


NO_COMMON, LEFT_OUT = "no metric is common to all tasks", "; tasks without them are left out."


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
    common = records.common_to(by_task, measures, NO_COMMON, clear=numeric, more=LEFT_OUT)
    full = [key for task in tasks for key in task.values]
    names = dict.fromkeys([*full, *(key.partition(",")[0] for key in full)])
    spec = records.select(measures, {name: _direction(name, tasks) for name in names}, common)
    found = [_record(task, spec) for task in tasks]
    results = records.results_of(found, source, spec)
    there = results.data.to_array().notnull().any(["variable", "algorithm"])
    kept, gone = (results.data["dataset"].values[where].tolist() for where in (there, ~there))
    older = len(runs) - len(tasks)
    notes = [f"left out, without {' and '.join(spec)}: {first_words(gone)}"] if gone else []
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
    model = algorithm_label(name or model_of(data) or file.parent.name)
    date = data.get("date")
    parents = {
        child: group
        for group, own in _part(data, "group_subtasks").items()
        if isinstance(own, list)
        for child in own
        if isinstance(child, str) and child != group
    }
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
    # A task may be listed as a group of none, or of itself.
    lists = {
        group: [child for child in own if isinstance(child, str) and child != group]
        for group, own in _part(data, "group_subtasks").items()
        if isinstance(own, list)
    }
    children = {group: own for group, own in lists.items() if own}
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


def model_of(data: Mapping[str, Any]) -> str | None:
    """Return the model's name, which early versions left in its arguments.

    Examples
    --------
    >>> model_of({"config": {"model": "hf", "model_args": "pretrained=gpt2,dtype=float16"}})
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
    said += [METRICS[metric]] if metric in METRICS else []
    return said[0] if said and all(kind == said[0] for kind in said) else None


FORMAT = Format("results of lm-evaluation-harness", read_lm_eval, json=_is_results)
