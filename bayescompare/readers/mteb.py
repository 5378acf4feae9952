"""MTEB: folders of results, one file for each model, revision and task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format, Record, number_at
from bayescompare.table.input import (
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

#: How the names of metrics begin that are better when higher; of what a name that ends as below
#: holds, neither end is better.
_HIGHER = (
    *("main_score", "accuracy", "f1", "ap", "ndcg", "map", "mrr", "recall", "precision"),
    *("v_measure", "cosine", "dot", "manhattan", "euclidean", "similarity", "max_", "hit_rate"),
    *("spearman", "pearson", "cv_recall", "lrap", "nauc_"),
)
_NEITHER = ("_threshold", "_stderr")
_COSTS = records.costs("evaluation_time", "s") | records.costs("kg_co2_emissions", "kg")
#: How files before version 1.11 called the kinds of score that later ones put before a name.
_KINDS = {"cos_sim": "cosine"} | {k: k for k in ("manhattan", "euclidean", "dot", "max")}

#: The types of tasks, which MTEB's files do not name but the names of nearly all tasks do.
_TYPE = re.compile(
    "BitextMining|PairClassification|MultilabelClassification|Classification|Clustering"
    "|Reranking|Retrieval|STS|Summarization"
)

#: A split and a subset.
type Part = tuple[str, str]


class _Task(NamedTuple):
    """One file: the scores of a model on the splits and subsets of a task."""

    file: Path
    model: str
    revision: str
    name: str
    scores: dict[Part, Mapping[str, Any]]
    costs: dict[str, float]
    data_revision: str


def read_mteb(
    paths: Paths,
    *,
    measures: Chosen | None = None,
    split: str | None = None,
    subsets: bool = False,
    domains: bool = True,
) -> Results:
    r"""Read a folder of MTEB results.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Directories such as ``results`` or ``results/<model>/<revision>``, or files of tasks. The
        model's name is in ``model_meta.json`` beside a task, or else that of the folder. A mapping
        names the models itself.
    measures : mapping or iterable of str, optional
        By default ``"main_score"``; other scores by MTEB's names, as ``"ndcg_at_10"``, and
        ``"evaluation_time"``, ``"kg_co2_emissions"``.
    split : str, optional
        Read this split, as in ``"test"``, and leave out the files that lack it. By default the
        mean over all splits of a file, as MTEB's own ``get_score()``.
    subsets : bool
        Whether each subset, such as a language, is a dataset in place of its task. By default a
        task's score is the mean over its subsets.
    domains : bool
        Whether a task is the domain (``group=``) of its subsets, where they are datasets.

    Returns
    -------
    Results
        Tasks are the datasets, models the algorithms. Several revisions of a model are told apart.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, score in (("toy__small", 0.5), ("toy__large", 0.75)):
    ...     (folder / model / "1").mkdir(parents=True)
    ...     task = {"task_name": "STS12", "mteb_version": "2.0.0",
    ...             "scores": {"test": [{"hf_subset": "default", "main_score": score}]}}
    ...     _ = (folder / model / "1" / "STS12.json").write_text(json.dumps(task))
    >>> read_mteb(folder).algorithms
    ('toy/large', 'toy/small')
    """
    files, source = find_files(paths, "*.json")
    beside = ("model_meta.json", "paths.json") if len(files) > 1 else ()
    tasks = [_read_task(file, name) for file, name in files if file.name not in beside]
    notes: list[str] = []
    if split is not None:
        kept = _of_split(tasks, split, source)
        gone = len(tasks) - len(kept)
        notes += [f"{plural(gone, 'file')} without the split {split!r} left out"] if gone else []
        tasks = kept
    tasks = _with_revisions(tasks)
    records.one_file_each(Record(task.file, task.name, task.model, {}) for task in tasks)
    known: dict[str, Measure | None] = {
        key: Measure("max") if key.startswith(_HIGHER) and not key.endswith(_NEITHER) else None
        for task in tasks
        for own in task.scores.values()
        for key in own
    }
    spec = records.select(measures, known | _COSTS, ["main_score"])
    found = [record for task in tasks for record in _records(task, spec, subsets, domains)]
    if not set(spec) <= set(_COSTS):
        _check_same_parts(tasks, split, subsets)
    bare = sum(any(own["main_score"] is None for own in task.scores.values()) for task in tasks)
    if bare and "main_score" in spec:
        why = "without a main_score, which an MTEB before 1.11 did not write"
        notes.append(f"{plural(bare, 'file')} {why}")
    differ = first_words(records.several((task.name, task.data_revision) for task in tasks))
    notes += [f"the models ran {differ} on different revisions of the data"] if differ else []
    return records.results_of(found, source, spec, notes=notes)


# --------------------------------------------------------------------------------------- the files


def _is_task(data: object) -> bool:
    return isinstance(data, dict) and {"mteb_version", "dataset_revision"} <= data.keys()


def _read_task(file: Path, name: str | None) -> _Task:
    model, revision = _model_of(file)
    with naming(file):
        data = read_json(file)
        if isinstance(data, dict) and "mteb_dataset_name" in data and "scores" not in data:
            data = _before_1_11(data)
        scores = records.part(data, "scores")
        if not isinstance(scores, dict) or not scores:
            raise BayescompareError(
                "not a result of MTEB, which has 'task_name' and 'scores' by split."
            )
        task = parsed_name(data.get("task_name") or file.stem, "task_name")
        costs = {key: number_at(data.get(key), key) for key in _COSTS}
        entries = dict(_entries(scores))
        label = algorithm_label(name or model)
        return _Task(file, label, revision, task, entries, costs, str(data.get("dataset_revision")))


def _before_1_11(data: Mapping[str, Any]) -> dict[str, Any]:
    """Write a file of an MTEB before version 1.11 as later ones do: a list of subsets by split."""
    splits = {name: own for name, own in data.items() if isinstance(own, dict)}
    times = [own["evaluation_time"] for own in splits.values() if "evaluation_time" in own]
    return {
        **data,
        "task_name": data["mteb_dataset_name"],
        "evaluation_time": sum(times) if times and all(map(is_number, times)) else None,
        "scores": {split: list(_subsets_before_1_11(own)) for split, own in splits.items()},
    }


def _subsets_before_1_11(own: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    named: dict[str, Mapping[str, Any]] = {
        key: part for key, part in own.items() if isinstance(part, dict) and key not in _KINDS
    }
    for subset, scores in (named or {"default": own}).items():
        flat = {key: value for key, value in scores.items() if key not in _KINDS}
        for old, new in _KINDS.items():
            if isinstance(scores.get(old), dict):
                flat |= {f"{new}_{key}": value for key, value in scores[old].items()}
        # The main score was often known to MTEB alone, which is then missing here.
        yield {"main_score": None, **flat, "hf_subset": subset}


def _entries(scores: Mapping[str, Any]) -> Iterator[tuple[Part, Mapping[str, Any]]]:
    for split, entries in scores.items():
        if not isinstance(entries, list) or not all(isinstance(own, dict) for own in entries):
            raise BayescompareError(f"scores.{split} is not a list of objects, one per subset.")
        if not entries:
            raise BayescompareError(f"scores.{split} is empty.")
        seen: set[str] = set()
        for place, entry in enumerate(entries):
            where = f"scores.{split}[{place}]"
            subset = parsed_name(entry.get("hf_subset", "default"), f"{where}.hf_subset")
            if subset in seen:
                raise BayescompareError(f"scores.{split}: the subset {subset!r} occurs twice.")
            seen.add(subset)
            main = entry.get("main_score", "")
            if main is not None and not is_number(main):
                raise BayescompareError(f"{where} ({subset}) has no number as main_score.")
            yield (split, subset), entry


def _model_of(file: Path) -> tuple[str, str]:
    """Return the model's name and revision: of the file beside the task, or of its folders."""
    meta = file.with_name("model_meta.json")
    folder = file.parent.parent.name.replace("__", "/")
    if meta.exists():
        with naming(meta):
            data = read_json(meta)
            if isinstance(data, dict) and data.get("name"):
                revision = parsed_name(data.get("revision") or file.parent.name, "revision")
                return parsed_name(data["name"], "name"), revision
    return folder or file.parent.name, file.parent.name


def _of_split(tasks: list[_Task], split: str, source: str) -> list[_Task]:
    """Keep the files that have a split, and of these that split alone."""
    kept = [
        task._replace(scores={key: own for key, own in task.scores.items() if key[0] == split})
        for task in tasks
    ]
    kept = [task for task in kept if task.scores]
    if not kept:
        splits = dict.fromkeys(key[0] for task in tasks for key in task.scores)
        raise BayescompareError(
            f"{source}: split={split!r}: there are the splits {quoted_names(splits)}."
        )
    return kept


def _with_revisions(tasks: list[_Task]) -> list[_Task]:
    """Tell the revisions of a model apart, if it has several."""
    several = records.several((task.model, task.revision) for task in tasks)
    # A hash is known by its beginning; a word such as "external" is not.
    short = {t.revision: t.revision[:7] if len(t.revision) == 40 else t.revision for t in tasks}
    return [
        task._replace(model=f"{task.model} ({short[task.revision]})")
        if task.model in several
        else task
        for task in tasks
    ]


# --------------------------------------------------------------------------------------- the means


def _parts(task: _Task, subsets: bool) -> dict[str, list[Part]]:
    """Return what the mean of each dataset is over: a subset, or the whole task."""
    parts: dict[str, list[Part]] = {}
    for key in task.scores:
        parts.setdefault(key[1] if subsets else "", []).append(key)
    return parts


def _records(
    task: _Task, spec: Mapping[str, Measure], subsets: bool, domains: bool
) -> Iterator[Record]:
    for subset, keys in _parts(task, subsets).items():
        dataset = f"{task.name} ({subset})" if subset not in ("", "default") else task.name
        # The time is that of the whole task.
        values = {} if subsets else dict(task.costs)
        for name in [name for name in spec if name not in values]:
            with naming(task.file):
                # A mean over some of the subsets would be of something else.
                scores = [number_at(task.scores[key].get(name), repr(name)) for key in keys]
            values[name] = sum(scores) / len(scores)
        group = task.name if subsets and domains else None
        kind = _TYPE.search(task.name)
        belongs = task.name if subsets else kind and kind[0]
        yield Record(task.file, dataset, task.model, values, group=group, benchmark=belongs)


def _check_same_parts(tasks: list[_Task], split: str | None, subsets: bool) -> None:
    """Refuse means over different splits or subsets, and say all that it takes to compare them."""
    seen: dict[tuple[str, str], tuple[_Task, set[Part]]] = {}
    lacks, ways = "", dict[str, None]()
    for task in tasks:
        for part, keys in _parts(task, subsets).items():
            other, theirs = seen.setdefault((task.name, part), (task, set(keys)))
            if theirs == set(keys):
                continue
            if not lacks:
                gone, poor, rich = theirs - set(keys), task, other
                if not gone:
                    gone, poor, rich = set(keys) - theirs, other, task
                words = first_words([f"{sub!r} of split {own!r}" for own, sub in sorted(gone)], 3)
                lacks = f"{poor.file}: lacks {words}, which {rich.file} has"
            if split is None and {own for own, _ in keys} != {own for own, _ in theirs}:
                ways["choose a split by split="] = None
            if not subsets and {sub for _, sub in keys} != {sub for _, sub in theirs}:
                ways["use subsets=True"] = None
    if lacks:
        remedy = " and ".join(ways) or "choose a split by split="
        raise BayescompareError(f"{lacks}, so that their means are of different things: {remedy}.")


FORMATS = {"mteb": Format("results of MTEB", read_mteb, json=_is_task)}
