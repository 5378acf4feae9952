"""AutoML benchmark: the ``results.csv`` that it adds every run to."""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.files import parse_table_file
from bayescompare.io.parsing.paths import Paths, find_files, naming_path_in_errors
from bayescompare.io.parsing.runs import (
    check_metric_of_runs,
    labelled_parsed_run,
    results_of_parsed_tables,
)
from bayescompare.io.parsing.selection import (
    Chosen,
    directed_measure_selection,
    parsed_algorithm_labels,
    select_parsed_measures,
)
from bayescompare.results.frames import numbers_in_frame
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.results.text import first_words_in_results, quoted_names_in_results
from bayescompare.text.numbers import plural

__all__ = ["AMLB_COLUMNS", "read_amlb"]

#: The columns by which the file is recognised.
AMLB_COLUMNS = frozenset({"task", "framework", "fold", "result", "info"})

#: ``result`` is the metric of the task, with the sign turned where lower is better. Other metrics
#: have the directions that the benchmark's own functions declare.
_COLUMNS = (
    {"result": Measure("max")}
    | directed_measure_selection(
        "acc auc auc_ovo auc_ovr balacc f05 f1 f2 pr_auc r2",
        "logloss max_pce mean_pce mae mse msle rmse rmsle smape mape wape mase mql wql sql",
    )
    | dict.fromkeys(
        ("duration", "training_duration", "predict_duration"),
        Measure("min", bounds=(0, None), unit="s"),
    )
)


def read_amlb(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read results of the AutoML benchmark.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``results.csv`` files, or directories with such files in or below them. A mapping names the
        frameworks itself.
    measures : mapping or iterable of str, optional
        Columns of the file: ``"result"`` (the default: the metric of each task, higher is better),
        single metrics such as ``"logloss"``, or the times, as in ``"training_duration"``.

    Returns
    -------
    Results
        Tasks are the datasets, frameworks the algorithms and folds the replicates. If a framework
        ran under several constraints, each of these is an algorithm. A run that failed has no
        result but an ``info``: its cell is missing, and ``missing="worst"`` counts it as lost.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text(
    ...     "id,task,framework,constraint,fold,result,metric,duration,info\n"
    ...     "1,iris,forest,1h8c,0,-0.1,neg_logloss,3.2,\n"
    ...     "1,iris,boost,1h8c,0,,neg_logloss,60.0,TimeoutError: interrupted\n"
    ... )
    >>> results = read_amlb(path)
    >>> results.algorithms, results.notes
    (('forest', 'boost'), ("1 failed run without a result: 'boost' on 'iris'",))
    """
    files, source = find_files(paths, "results.csv")
    tables = [_read_amlb_runs(file, name) for file, name in files]
    table = pd.concat(tables)
    # Within each file that was checked; two files may still disagree.
    with naming_path_in_errors(Path(source)):
        check_metric_of_runs(table, "task", "result")
    known = {name: _COLUMNS[name] for name in _COLUMNS if name in table}
    spec = select_parsed_measures(measures, known, ["result"])
    for (file, _), one in zip(files, tables, strict=True):
        with naming_path_in_errors(file):
            for name in set(spec) & set(one.columns):
                numbers_in_frame(one[name], f"column {name!r}")
    table = _amlb_with_constraints(table)
    ends = itertools.pairwise(itertools.accumulate(map(len, tables), initial=0))
    results = results_of_parsed_tables(
        table,
        [(file, table[start:end]) for (file, _), (start, end) in zip(files, ends, strict=True)],
        source,
        dataset="task",
        algorithm="framework",
        replicate="fold",
        measures=spec,
    )
    return results._with(notes=(*results.notes, *_amlb_failure_notes(table)))


def _read_amlb_runs(file: Path, name: str | None) -> pd.DataFrame:
    with naming_path_in_errors(file):
        words = {"id", "task", "framework", "constraint", "fold", "metric", "info"}
        table = parse_table_file(file, "csv", names=words)
        absent = [column for column in sorted(AMLB_COLUMNS) if column not in table]
        if absent:
            raise BayescompareError(
                f"no column {quoted_names_in_results(absent)}, so this is not a results.csv of "
                "the AutoML "
                "benchmark; the columns are "
                f"{quoted_names_in_results([str(c) for c in table.columns], 6)}."
            )
        check_metric_of_runs(table, "task", "result")
        alone = table["framework"].nunique() == 1
        labels = parsed_algorithm_labels(table["framework"])
        return table.assign(
            framework=[labelled_parsed_run(name, own, alone=alone) for own in labels]
        )


def _amlb_with_constraints(table: pd.DataFrame) -> pd.DataFrame:
    """Tell the runs of a framework apart by their constraint, if it had several."""
    if "constraint" not in table:
        return table
    several = table.groupby("framework")["constraint"].transform("nunique") > 1
    names = table["framework"].where(~several, table["framework"] + " " + table["constraint"])
    return table.assign(framework=names.str.strip())


def _amlb_failure_notes(table: pd.DataFrame) -> list[str]:
    failed = table[pd.to_numeric(table["result"], errors="coerce").isna()]
    pairs = dict.fromkeys(zip(failed["framework"], failed["task"], strict=True))
    words = [f"{framework!r} on {task!r}" for framework, task in pairs]
    if not words:
        return []
    return [
        f"{plural(len(failed), 'failed run')} without a result: {first_words_in_results(words, 3)}"
    ]
