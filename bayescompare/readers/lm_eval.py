"""lm-evaluation-harness: the ``results_*.json`` of its runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    directed,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import MISSING_WORDS, read_json
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

__all__ = ["LM_EVAL_METRICS", "is_lm_eval_json", "model_of_lm_eval", "read_lm_eval"]

#: The metrics of the harness's own registry, for the files of versions that did not write
#: ``higher_is_better``. The registry has TER, a rate of errors, as better when higher, and so have
#: the files of tasks that do not say otherwise.
LM_EVAL_METRICS = directed(
    "acc acc_norm acc_mutual_info acc_bytes acc_all exact_match likelihood mcc f1 bleu chrf chrf++",
    "brier_score perplexity word_perplexity byte_perplexity bits_per_byte ter",
)


class _LmEvalTask(NamedTuple):
    """One file's results of one task."""

    file: Path
    date: float
    model: str
    name: str
    values: dict[str, float]
    #: Entries that should be metrics, and are no numbers.
    faults: dict[str, Any]
    higher: Mapping[str, Any]
    settings: dict[str, Any]


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
    runs: list[_LmEvalTask] = []
    for file, name in files:
        with naming(file):
            data = read_json(file)
            # Beside files of any name there may be others, such as a model's configuration.
            if len(files) == 1 or file.name.startswith("results_") or is_lm_eval_json(data):
                runs += _read_lm_eval_tasks(data, file, name, groups)
    if not runs:
        raise BayescompareError(f"{source}: no results of lm-evaluation-harness in any .json file.")
    runs = _lm_eval_with_shots(runs)
    tasks = _newest_lm_eval_runs(runs)
    numeric = dict.fromkeys(metric for task in tasks for metric in task.values)
    common = [m for m in numeric if all(m in task.values or m in task.faults for task in tasks)]
    if not common and measures is None:
        raise BayescompareError(
            f"no metric is common to all tasks: {_lm_eval_metrics_words(tasks)}. Name some by "
            "measures=; "
            "tasks without them are left out."
        )
    full = [key for task in tasks for key in (*task.values, *task.faults)]
    names = dict.fromkeys([*full, *(key.partition(",")[0] for key in full)])
    spec = select_measures(
        measures, {name: _lm_eval_direction(name, tasks) for name in names}, common
    )
    rows = [
        (
            task.file,
            {"dataset": task.name, "algorithm": task.model}
            | {name: _lm_eval_value(name, task) for name in spec},
        )
        for task in tasks
    ]
    results = _without_empty_lm_eval_tasks(results_of_rows(rows, source, measures=spec))
    older = len(runs) - len(tasks)
    notes = [f"{plural(older, 'older run')} of a task left out"] if older else []
    notes += _lm_eval_settings_notes(tasks)
    return replace(results, notes=(*results.notes, *notes)) if notes else results


def is_lm_eval_json(data: object) -> bool:
    """Whether this is the content of a file of results."""
    results = data.get("results") if isinstance(data, dict) else None
    tasks = list(results.values()) if isinstance(results, dict) else []
    marks = {"versions", "configs", "config", "n-shot", "higher_is_better"}
    return (
        isinstance(data, dict)
        and bool(tasks)
        and all(isinstance(own, dict) for own in tasks)
        and not marks.isdisjoint(data)
    )


def _lm_eval_with_shots(runs: list[_LmEvalTask]) -> list[_LmEvalTask]:
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


def _lm_eval_settings_notes(tasks: list[_LmEvalTask]) -> list[str]:
    """Note the tasks that models ran with different settings, which may be what is compared."""
    notes = []
    for key in tasks[0].settings:
        by_task: dict[str, set[str]] = {}
        for task in tasks:
            by_task.setdefault(task.name, set()).add(str(task.settings[key]))
        differ = [name for name, seen in by_task.items() if len(seen) > 1]
        if differ:
            notes.append(f"the models ran {first_words(differ)} with different {key}")
    return notes


def _without_empty_lm_eval_tasks(results: Results) -> Results:
    """Leave out the tasks that have none of the measures."""
    there = results.data.to_array().notnull().any(["variable", "algorithm"])
    kept, gone = (results.data["dataset"].values[where].tolist() for where in (there, ~there))
    if not gone:
        return results
    note = f"left out, without {' and '.join(results.measures)}: {first_words(gone)}"
    return replace(results.sel(datasets=kept), notes=(note,))


# ------------------------------------------------------------------------------------ reading files


def _read_lm_eval_tasks(
    data: Any, file: Path, name: str | None, groups: bool
) -> Iterator[_LmEvalTask]:
    """Yield a file's results of each of its tasks."""
    results = data.get("results") if isinstance(data, dict) else None
    if not isinstance(results, dict) or not all(isinstance(own, dict) for own in results.values()):
        raise BayescompareError(
            "not a results file of lm-evaluation-harness, which has 'results' with an object for "
            "each task."
        )
    for task in results:
        parsed_name(task, "a task in 'results'")
    values = {task: _lm_eval_metrics(own) for task, own in results.items()}
    faults = {task: _lm_eval_faults(own) for task, own in results.items()}
    names = [
        task
        for task in _lm_eval_task_names(data, values, groups)
        if values.get(task) or faults.get(task)
    ]
    if not names:
        raise BayescompareError("no task with a metric in 'results'.")
    model = algorithm_label(name or model_of_lm_eval(data) or file.parent.name)
    date = data.get("date")
    for task in names:
        yield _LmEvalTask(
            file=file,
            date=float(date) if is_number(date) else math.nan,
            model=model,
            name=task,
            values=values[task],
            faults=faults[task],
            higher=_part_of_lm_eval_file(_part_of_lm_eval_file(data, "higher_is_better"), task),
            settings=_lm_eval_settings(data, task),
        )


def _part_of_lm_eval_file(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _lm_eval_metrics(entries: Mapping[str, Any]) -> dict[str, float]:
    """Return a task's metrics, without standard errors and entries that are not metrics.

    Examples
    --------
    >>> _lm_eval_metrics({"alias": "arc", "sample_len": 9, "acc,none": 0.5, "acc_stderr,none": 0.1})
    {'acc,none': 0.5}
    """
    numbers = {key: float(value) for key, value in entries.items() if is_number(value)}
    # Before version 0.4 there were no filters, and nothing but metrics.
    filtered = {key: value for key, value in numbers.items() if "," in key} or numbers
    return {k: v for k, v in filtered.items() if not k.partition(",")[0].endswith("_stderr")}


def _lm_eval_faults(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries with a filter, as metrics have one, that are no numbers.

    Examples
    --------
    >>> _lm_eval_faults({"alias": "arc", "acc,none": "high", "acc_stderr,none": "N/A"})
    {'acc,none': 'high'}
    """
    return {
        key: value
        for key, value in entries.items()
        if "," in key
        and not key.partition(",")[0].endswith("_stderr")
        and not is_number(value)
        # A group without a score of its own has a blank.
        and str(value).strip().lower() not in MISSING_WORDS
    }


def _lm_eval_task_names(
    data: Mapping[str, Any], values: Mapping[str, Any], groups: bool
) -> list[str]:
    """Return the tasks that count as datasets, each once."""
    listed = {
        g: own
        for g, own in _part_of_lm_eval_file(data, "group_subtasks").items()
        if isinstance(own, list)
    }
    # A task may be listed as a group of none, or of itself.
    lists = {g: [c for c in own if isinstance(c, str) and c != g] for g, own in listed.items()}
    children = {group: rest for group, rest in lists.items() if rest}
    _check_no_lm_eval_cycle(children)
    grouped = {*children, *_part_of_lm_eval_file(data, "groups")}
    if not groups:
        return [task for task in values if task not in grouped]

    inner = {child for own in children.values() for child in own}
    tops = [task for task in dict.fromkeys([*values, *children]) if task not in inner]
    # A stack instead of recursion: groups may be nested arbitrarily deep. Each is opened once.
    kept, opened, waiting = dict[str, None](), set[str](), tops[::-1]
    while waiting:
        task = waiting.pop()
        if task not in children or values.get(task):
            kept[task] = None
        elif task not in opened:
            opened.add(task)
            waiting.extend(reversed(children[task]))
    return list(kept)


def _check_no_lm_eval_cycle(children: Mapping[str, list[str]]) -> None:
    try:
        TopologicalSorter(children).prepare()
    except CycleError as error:
        cycle = [str(group) for group in error.args[1]]
        raise BayescompareError(
            f"group_subtasks: the group {cycle[0]!r} contains itself, through "
            f"{first_words(cycle[1:], 4)}."
        ) from None


def model_of_lm_eval(data: Mapping[str, Any]) -> str | None:
    """Return the model's name, which early versions left in its arguments.

    Examples
    --------
    >>> model_of_lm_eval({"config": {"model": "hf", "model_args": "pretrained=gpt2,dtype=float16"}})
    'gpt2'
    """
    config = _part_of_lm_eval_file(data, "config")
    raw = config.get("model_args")
    if isinstance(raw, str):
        raw = dict(part.partition("=")[::2] for part in raw.split(","))
    arguments = raw if isinstance(raw, dict) else {}
    # In the harness's own order: an adapter is listed together with its base model.
    keys = ("peft", "delta", "pretrained", "model", "path", "engine")
    candidates = [data.get("model_name"), *map(arguments.get, keys), config.get("model")]
    return next((parsed_name(name, "the model's name") for name in candidates if name), None)


def _lm_eval_settings(data: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return the settings that must agree for one run of a task to replace another."""
    own = {
        key: _part_of_lm_eval_file(data, key).get(task)
        for key in ("versions", "n-shot", "n-samples")
    }
    run = ("system_instruction_sha", "chat_template_sha", "fewshot_as_multiturn")
    limit = {"limit": _part_of_lm_eval_file(data, "config").get("limit")}
    return own | {key: data.get(key) for key in run} | limit


# ------------------------------------------------------------------------------------- many of them


def _newest_lm_eval_runs(runs: list[_LmEvalTask]) -> list[_LmEvalTask]:
    """Keep one run of each task by each model: the newest, if their settings agree."""
    kept: dict[tuple[str, str], _LmEvalTask] = {}
    for task in runs:
        other = kept.setdefault((task.name, task.model), task)
        if other.file != task.file:
            _check_same_lm_eval_run(other, task)
            kept[task.name, task.model] = max(other, task, key=lambda own: own.date)
    return list(kept.values())


def _check_same_lm_eval_run(one: _LmEvalTask, other: _LmEvalTask) -> None:
    differ = [key for key in one.settings if one.settings[key] != other.settings[key]]
    reason = f"they differ in {first_words(differ)}"
    if not differ and one.date != other.date and not math.isnan(one.date + other.date):
        return
    raise BayescompareError(
        f"{one.file} and {other.file} both have {one.name!r} by {one.model!r}, and "
        f"{reason if differ else 'neither is newer'}: leave out one, or give them different names, "
        "as in {'first': ..., 'second': ...}."
    )


def _lm_eval_value(name: str, task: _LmEvalTask) -> float:
    key = _lm_eval_metric_key(name, task)
    with naming(task.file):
        value = task.values.get(key, task.faults.get(key))
        return parsed_number(value, f"results.{task.name}: {key!r}")


def _lm_eval_metric_key(name: str, task: _LmEvalTask) -> str:
    """Return the metric that a name refers to: itself, or the only one that adds a filter."""
    there = [*task.values, *task.faults]
    keys = [key for key in there if key == name or key.partition(",")[0] == name]
    if len(keys) > 1:
        raise BayescompareError(
            f"measures: {task.name!r} has {name!r} with several filters, "
            f"{quoted_names(keys)}: name one "
            "of these."
        )
    return keys[0] if keys else name


def _lm_eval_direction(name: str, tasks: list[_LmEvalTask]) -> Measure | None:
    """Return the direction that the files give, unless they contradict each other or the metric."""
    metric = name.partition(",")[0]
    flags = {v for task in tasks if isinstance(v := task.higher.get(metric), bool)}
    said = [Measure("max" if flag else "min") for flag in flags]
    said += [LM_EVAL_METRICS[metric]] if metric in LM_EVAL_METRICS else []
    return said[0] if said and all(kind == said[0] for kind in said) else None


def _lm_eval_metrics_words(tasks: list[_LmEvalTask]) -> str:
    by_task = {task.name: quoted_names(task.values, 3) for task in tasks}
    return "; ".join([f"{name!r} has {words}" for name, words in list(by_task.items())[:4]])
