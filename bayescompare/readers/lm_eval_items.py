"""lm-evaluation-harness: the ``samples_*.jsonl`` as items, with any of their metrics."""

from __future__ import annotations

from pathlib import Path

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.lm_eval import LM_EVAL_METRICS
from bayescompare.readers.lm_eval_samples import LmEvalDocument, read_lm_eval_documents
from bayescompare.readers.records import (
    Chosen,
    ParsedRow,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, find_files, naming
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names

__all__ = ["read_lm_eval_items"]

#: Of a document, what is called perplexity is the log-likelihood, from which that of all documents
#: is computed.
_METRICS = {**LM_EVAL_METRICS, "perplexity": Measure("max")}

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
    by_task: dict[str, set[str]] = {}
    runs = list(read_lm_eval_documents(files, None, filter))
    for _, task, _, documents in runs:
        by_task.setdefault(task, set()).update(_lm_eval_item_metrics(documents[0]))
    known: dict[str, Measure | None] = {
        name: _METRICS.get(name) for own in by_task.values() for name in sorted(own)
    }
    common = [
        name
        for name, kind in known.items()
        if kind is not None and all(name in own for own in by_task.values())
    ]
    if not common and measures is None:
        words = [f"{task!r} has {quoted_names(sorted(own), 3)}" for task, own in by_task.items()]
        raise BayescompareError(
            f"no metric is common to all tasks: {'; '.join(words[:4])}. Name some by measures=; "
            "tasks without them are left out."
        )
    spec = select_measures(measures, known, common)
    rows: list[ParsedRow] = []
    for file, task, model, documents in runs:
        if not by_task[task].isdisjoint(spec):
            cell = {"dataset": task, "algorithm": model}
            for document in documents:
                scores = {name: _lm_eval_item_score(file, document, name) for name in spec}
                rows.append((file, {**cell, "item": document.id, **scores}))
    results = results_of_rows(rows, source, replicate="item", replicates="items", measures=spec)
    gone = [task for task in by_task if task not in results.datasets]
    note = f"left out, without {' and '.join(spec)}: {first_words(gone)}"
    return results._with(notes=(*results.notes, note)) if gone else results


def _lm_eval_item_metrics(document: LmEvalDocument) -> set[str]:
    listed = document.judged.get("metrics")
    if isinstance(listed, list):
        return {str(name) for name in listed}
    return {name for name in document.judged if name not in _OTHERS}


def _lm_eval_item_score(file: Path, document: LmEvalDocument, name: str) -> float:
    value = document.judged.get(name)
    if isinstance(value, bool):
        return float(value)
    with naming(file):
        if isinstance(value, (list, dict)):
            raise BayescompareError(
                f"line {document.line}: {name!r} is {show_checked_value_briefly(value)}, not a "
                "number: it is computed over all documents at once, and format='lm-eval' reads its "
                "value."
            )
        return parsed_number(value, f"line {document.line}: {name!r}")
