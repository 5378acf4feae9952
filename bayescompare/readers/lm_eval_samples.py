"""lm-evaluation-harness: the ``samples_*.jsonl``, one line for each document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.lm_eval import model_of_lm_eval
from bayescompare.readers.records import check_items_once
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.files import fingerprint, read_json, read_json_lines
from bayescompare.table.paths import Named, Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.text.names import quoted_names

__all__ = ["LmEvalDocument", "read_lm_eval_documents", "read_lm_eval_samples"]


class LmEvalDocument(NamedTuple):
    """One document of a task, with its filter and its metrics."""

    line: int
    id: str
    print: tuple[str, str]
    filter: str
    judged: dict[str, Any]


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
    for file, task, model, documents in read_lm_eval_documents(files, metric, filter):
        wanted = metric[task] if isinstance(metric, Mapping) else metric
        with naming(file):
            right = [_lm_eval_sample_right(document, wanted) for document in documents]
        rows += [
            {"dataset": task, "example": document.id, "algorithm": model, "correct": correct}
            for document, correct in zip(documents, right, strict=True)
        ]
    if not rows:
        raise BayescompareError(f"metric={metric!r} names none of the tasks read.")
    with naming(Path(source)):
        return ErrorCounts.from_predictions(pd.DataFrame(rows), correct="correct", source=source)


def read_lm_eval_documents(
    files: Iterable[Named], tasks: str | Mapping[str, str] | None, filter: str | None
) -> Iterator[tuple[Path, str, str, list[LmEvalDocument]]]:
    """Yield the file, the task, the model and the documents of each file of samples.

    A mapping `tasks` leaves out the tasks that it does not name. The models must have seen the
    same documents by the same filter.
    """
    seen: dict[tuple[str, str], Path] = {}
    by_task: dict[str, str] = {}
    prints: dict[tuple[str, str, str], tuple[str, Path]] = {}
    for file, name in files:
        task = _task_of_lm_eval_samples(file)
        if isinstance(tasks, Mapping) and task not in tasks:
            continue
        model = algorithm_label(name or _model_of_lm_eval_samples(file))
        _check_one_lm_eval_file(seen.setdefault((task, model), file), file, task, model)
        with naming(file):
            documents = _choose_lm_eval_samples(
                [_lm_eval_document(*row) for row in read_json_lines(file)], filter
            )
            _check_lm_eval_filter(
                by_task.setdefault(task, documents[0].filter), documents[0].filter, task
            )
            for document in documents:
                _check_same_lm_eval_sample(document, task, file, prints)
        check_items_once(
            ((task, model, document.id), file, f"line {document.line}") for document in documents
        )
        yield file, task, model, documents


# --------------------------------------------------------------------------------- files and names


def _task_of_lm_eval_samples(file: Path) -> str:
    """Return the task in ``samples_<task>_<date>.jsonl``, whose date has no underscore."""
    stem = file.name.partition(".jsonl")[0].removeprefix("samples_")
    return stem.rpartition("_")[0] or stem


def _model_of_lm_eval_samples(file: Path) -> str:
    stamp = file.name.rpartition("_")[2].partition(".jsonl")[0]
    beside = file.with_name(f"results_{stamp}.json")
    if beside.exists():
        with naming(beside):
            data = read_json(beside)
            model = model_of_lm_eval(data) if isinstance(data, dict) else None
        return model or file.parent.name
    return file.parent.name


def _check_one_lm_eval_file(other: Path, file: Path, task: str, model: str) -> None:
    if other != file:
        raise BayescompareError(
            f"{other} and {file} both have {task!r} by {model!r}: leave out one, or give them "
            "different names, as in {'first': ..., 'second': ...}."
        )


# --------------------------------------------------------------------------------------- documents


def _lm_eval_document(line: int, row: dict[str, Any]) -> LmEvalDocument:
    if "doc_id" not in row:
        raise BayescompareError(
            f"line {line} has no 'doc_id', so lm-evaluation-harness did not write this file of "
            f"samples; it has {quoted_names(row, 8)}."
        )
    kind = "doc_hash" if "doc_hash" in row else "doc"
    shown = kind, fingerprint(row.get(kind))
    name = parsed_name(row["doc_id"], f"line {line}: doc_id")
    by = parsed_name(row.get("filter", "none"), f"line {line}: filter")
    return LmEvalDocument(line, name, shown, by, row)


def _choose_lm_eval_samples(
    documents: list[LmEvalDocument], filter: str | None
) -> list[LmEvalDocument]:
    """Keep the answers by one filter."""
    filters = list(dict.fromkeys(document.filter for document in documents))
    # The choice of a filter does not apply to a task that has none.
    if filters == ["none"] or (filter is None and len(filters) == 1):
        return documents
    if filter not in filters:
        given = "" if filter is None else f"filter={filter!r}: "
        raise BayescompareError(
            f"{given}the answers have the filters {quoted_names(filters)}: choose one by filter=."
        )
    return [document for document in documents if document.filter == filter]


def _check_lm_eval_filter(known: str, own: str, task: str) -> None:
    if known != own:
        raise BayescompareError(
            f"the answers to {task!r} have the filter {own!r} here and {known!r} in another file, "
            "so they cannot be paired: run the models with the same filter."
        )


def _lm_eval_sample_right(document: LmEvalDocument, metric: str) -> float:
    if metric not in document.judged:
        names = document.judged.get("metrics")
        there = list(map(str, names)) if isinstance(names, list) else list(document.judged)
        raise BayescompareError(
            f"metric={metric!r}: not in line {document.line}, which has "
            f"{quoted_names(there)}; name one "
            "for each task, as in metric={'gsm8k': 'exact_match'}."
        )
    value = document.judged[metric]
    if value not in (0, 1):
        raise BayescompareError(
            f"metric={metric!r} is {show_checked_value_briefly(value)} in line {document.line}: "
            "paired errors need 1 for right and 0 for wrong. read_lm_eval compares means of other "
            "metrics."
        )
    return float(value)


def _check_same_lm_eval_sample(
    document: LmEvalDocument,
    task: str,
    file: Path,
    prints: dict[tuple[str, str, str], tuple[str, Path]],
) -> None:
    """Refuse different documents under one number: the models answered different questions."""
    kind, content = document.print
    known, where = prints.setdefault((task, document.id, kind), (content, file))
    if known != content:
        raise BayescompareError(
            f"line {document.line}: document {document.id} of {task!r} is not the one in {where} "
            f"({kind} differs); run the models on the same version of the task."
        )
