"""MTEB: folders of results, one file for each model, revision and task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    check_runs_once,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import read_json
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

__all__ = ["is_mteb_json", "read_mteb"]

#: How the names of metrics begin that are better when higher; of what a name that ends as below
#: holds, neither end is better.
_HIGHER = (
    *("main_score", "accuracy", "f1", "ap", "ndcg", "map", "mrr", "recall", "precision"),
    *("v_measure", "cosine", "dot", "manhattan", "euclidean", "similarity", "max_", "hit_rate"),
    *("spearman", "pearson", "cv_recall", "lrap", "nauc_"),
)
_NEITHER = ("_threshold", "_stderr")
_COSTS = {
    "evaluation_time": Measure("min", bounds=(0, None), unit="s"),
    "kg_co2_emissions": Measure("min", bounds=(0, None), unit="kg"),
}


class _MtebTask(NamedTuple):
    """One file: the scores of a model on the splits and subsets of a task."""

    file: Path
    model: str
    revision: str
    name: str
    #: By split and subset.
    scores: dict[tuple[str, str], Mapping[str, Any]]
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
    several = len(files) > 1
    tasks: list[_MtebTask] = []
    for file, name in files:
        if several and file.name in ("model_meta.json", "paths.json"):
            continue
        tasks.append(_read_mteb_task(file, name))
    tasks, left_out = _mteb_with_split(tasks, split, source)
    tasks = _mteb_with_revisions(tasks)
    check_runs_once((task.name, task.model, task.file) for task in tasks)
    names = dict.fromkeys(key for task in tasks for own in task.scores.values() for key in own)
    known: dict[str, Measure | None] = {
        key: Measure("max") if key.startswith(_HIGHER) and not key.endswith(_NEITHER) else None
        for key in names
    }
    spec = select_measures(measures, known | _COSTS, ["main_score"])
    rows = [(task.file, row) for task in tasks for row in _mteb_rows_of(task, spec, subsets)]
    if not set(spec) <= set(_COSTS):
        _check_same_mteb_parts(tasks, split, subsets)
    results = results_of_rows(
        rows, source, measures=spec, group="group" if subsets and domains else None
    )
    bare = sum(any(own["main_score"] is None for own in task.scores.values()) for task in tasks)
    note = f"{plural(bare, 'file')} without a main_score, which an MTEB before 1.11 did not write"
    more = [note] if bare and "main_score" in spec else []
    return results._with(notes=(*results.notes, *left_out, *more, *_mteb_revision_notes(tasks)))


def is_mteb_json(data: object) -> bool:
    """Whether this is the content of a file that MTEB wrote."""
    return isinstance(data, dict) and {"mteb_version", "dataset_revision"} <= data.keys()


def _read_mteb_task(file: Path, name: str | None) -> _MtebTask:
    model, revision = _mteb_model_of(file)
    with naming(file):
        data = read_json(file)
        if isinstance(data, dict) and "mteb_dataset_name" in data and "scores" not in data:
            data = _mteb_before_1_11(data)
        scores = data.get("scores") if isinstance(data, dict) else None
        if not isinstance(scores, dict) or not scores:
            raise BayescompareError(
                "not a result of MTEB, which has 'task_name' and 'scores' by split."
            )
        task = parsed_name(data.get("task_name") or file.stem, "task_name")
        costs = {key: parsed_number(data.get(key), key) for key in _COSTS}
        entries = dict(_mteb_entries(scores))
        label = algorithm_label(name or model)
        data_revision = str(data.get("dataset_revision"))
        return _MtebTask(file, label, revision, task, entries, costs, data_revision)


def _mteb_before_1_11(data: Mapping[str, Any]) -> dict[str, Any]:
    """Write a file of an MTEB before version 1.11 as later ones do: a list of subsets by split."""
    splits = {name: own for name, own in data.items() if isinstance(own, dict)}
    times = [own["evaluation_time"] for own in splits.values() if "evaluation_time" in own]
    return {
        **data,
        "task_name": data["mteb_dataset_name"],
        "evaluation_time": sum(times) if times and all(map(is_number, times)) else None,
        "scores": {split: list(_mteb_subsets_before_1_11(own)) for split, own in splits.items()},
    }


def _mteb_subsets_before_1_11(own: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kinds = {
        "cos_sim": "cosine",
        **{name: name for name in ("manhattan", "euclidean", "dot", "max")},
    }
    named: dict[str, Mapping[str, Any]] = {
        k: v for k, v in own.items() if isinstance(v, dict) and k not in kinds
    }
    for subset, scores in (named or {"default": own}).items():
        flat = {k: v for k, v in scores.items() if k not in kinds}
        for old, new in kinds.items():
            if isinstance(scores.get(old), dict):
                flat |= {f"{new}_{k}": v for k, v in scores[old].items()}
        # The main score was often known to MTEB alone, which is then missing here.
        yield {"main_score": None, **flat, "hf_subset": subset}


def _mteb_entries(scores: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
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


def _mteb_model_of(file: Path) -> tuple[str, str]:
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


def _mteb_with_split(
    tasks: list[_MtebTask], split: str | None, source: str
) -> tuple[list[_MtebTask], list[str]]:
    """Keep the files that have a split, and of these that split alone."""
    if split is None:
        return tasks, []
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
    gone = len(tasks) - len(kept)
    return kept, [f"{plural(gone, 'file')} without the split {split!r} left out"] if gone else []


def _mteb_with_revisions(tasks: list[_MtebTask]) -> list[_MtebTask]:
    """Tell the revisions of a model apart, if it has several."""
    revisions: dict[str, set[str]] = {}
    for task in tasks:
        revisions.setdefault(task.model, set()).add(task.revision)
    # A hash is known by its beginning; a word such as "external" is not.
    short = {r: r[:7] if len(r) == 40 else r for own in revisions.values() for r in own}
    return [
        task._replace(model=f"{task.model} ({short[task.revision]})")
        if len(revisions[task.model]) > 1
        else task
        for task in tasks
    ]


def _check_same_mteb_parts(tasks: list[_MtebTask], split: str | None, subsets: bool) -> None:
    """Refuse means over different splits or subsets, which cannot be compared."""
    seen: dict[tuple[str, str], tuple[_MtebTask, set[tuple[str, str]]]] = {}
    for task in tasks:
        parts: dict[str, set[tuple[str, str]]] = {}
        for key in task.scores:
            parts.setdefault(key[1] if subsets else "", set()).add(key)
        for part, own in parts.items():
            other, theirs = seen.setdefault((task.name, part), (task, own))
            if own != theirs:
                ways = ["choose a split by split="] if split is None else []
                # Subsets may differ in the splits that they have, too.
                ways += [] if subsets else ["use subsets=True"]
                words = _different_mteb_parts(task, own, other, theirs)
                raise BayescompareError(f"{words}: {', or '.join(ways)}.")


def _different_mteb_parts(
    one: _MtebTask, own: set[tuple[str, str]], other: _MtebTask, theirs: set[tuple[str, str]]
) -> str:
    gone, poor, rich = (theirs - own, one, other) if theirs - own else (own - theirs, other, one)
    words = [f"{subset!r} of split {split!r}" for split, subset in sorted(gone)]
    return (
        f"{poor.file}: lacks {first_words(words, 3)}, which {rich.file} has, so that "
        "their means are of different things"
    )


def _mteb_revision_notes(tasks: list[_MtebTask]) -> list[str]:
    """Note the tasks whose data were of several revisions."""
    revisions: dict[str, set[str]] = {}
    for task in tasks:
        revisions.setdefault(task.name, set()).add(task.data_revision)
    differ = [name for name, own in revisions.items() if len(own) > 1]
    if not differ:
        return []
    return [f"the models ran {first_words(differ)} on different revisions of the data"]


def _mteb_rows_of(
    task: _MtebTask, spec: Mapping[str, Measure], subsets: bool
) -> Iterator[dict[str, Any]]:
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for (_, subset), own in task.scores.items():
        parts.setdefault(subset if subsets else "", []).append(own)
    for subset, entries in parts.items():
        # The time is that of the whole task.
        costs = task.costs if not subsets else {}
        dataset = f"{task.name} ({subset})" if subset and subset != "default" else task.name
        row: dict[str, Any] = {"dataset": dataset, "group": task.name, "algorithm": task.model}
        yield row | {name: costs.get(name, _mteb_mean_of(entries, name, task)) for name in spec}


def _mteb_mean_of(entries: list[Mapping[str, Any]], name: str, task: _MtebTask) -> float:
    with naming(task.file):
        values = [parsed_number(entry.get(name), repr(name)) for entry in entries]
    # A mean over some of the subsets would be of something else.
    return sum(values) / len(values)
