"""lm-evaluation-harness: the ``samples_*.jsonl``, one line for each document.

They are read as items, with any of their metrics, or as counts of paired errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers import lm_eval, records
from bayescompare.readers.records import Chosen, Format, Record, number_at
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.input import (
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

#: Of a document, what is called perplexity is the log-likelihood, from which that of all documents
#: is computed.
_METRICS = {**lm_eval.METRICS, "perplexity": Measure("max")}

#: The fields of a line that are no metric, where a line does not list its metrics.
_OTHERS = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)


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
        names = listed if isinstance(listed, list) else first.values.keys() - _OTHERS
        by_task.setdefault(first.dataset, {}).update(dict.fromkeys(sorted(map(str, names))))
    known = {name: _METRICS.get(name) for own in by_task.values() for name in own}
    clear = [name for name, kind in known.items() if kind]
    common = records.common_to(
        by_task, measures, lm_eval.NO_COMMON, clear=clear, more=lm_eval.LEFT_OUT
    )
    spec = records.select(measures, known, common)
    gone = [task for task, own in by_task.items() if spec.keys().isdisjoint(own)]
    documents = [one for run in runs for one in run if one.dataset not in gone]
    note = f"left out, without {' and '.join(spec)}: {first_words(gone)}"
    return records.results_of(
        documents,
        source,
        spec,
        number=_score,
        replicates="items",
        notes=[note] if gone else [],
    )


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
        model = algorithm_label(name or _model(file))
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


def _model(file: Path) -> str:
    stamp = file.name.rpartition("_")[2].partition(".jsonl")[0]
    beside = file.with_name(f"results_{stamp}.json")
    if not beside.exists():
        return file.parent.name
    with naming(beside):
        data = read_json(beside)
        model = lm_eval.model_of(data) if isinstance(data, dict) else None
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


FORMAT = Format(
    "samples of lm-evaluation-harness", read_lm_eval_items, line=lambda row: "doc_id" in row
)
