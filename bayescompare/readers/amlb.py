"""AutoML benchmark: the ``results.csv`` that it adds every run to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format
from bayescompare.table.files import parse_table
from bayescompare.table.frames import numbers_in
from bayescompare.table.input import Paths, algorithm_labels, find_files, labelled_run, naming
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

#: The columns by which the file is recognised.
_OWN = frozenset({"task", "framework", "fold", "result", "info"})
#: The metrics, in the directions that the benchmark's own functions declare (nrmse and ncrps were
#: in it for some months of 2023). None of the losses can be below zero.
_METRICS = records.directed(
    "acc auc auc_ovo auc_ovr balacc f05 f1 f2 pr_auc r2",
    "logloss max_pce mean_pce mae mse msle rmse rmsle nrmse smape mape wape mase mql wql sql ncrps",
)
_TIMES = records.costs("duration training_duration predict_duration", "s")
_COLUMNS = {"result": Measure("max")} | _METRICS | _TIMES
_WORDS = frozenset({"id", "task", "framework", "constraint", "fold", "metric", "info"})


def read_amlb(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read results of the AutoML benchmark.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``results.csv`` files, or directories with such files in or below them. A mapping names the
        frameworks itself.
    measures : mapping or iterable of str, optional
        Columns of the file: ``"result"`` (the default: the metric of each task), single metrics
        such as ``"logloss"``, or the times, as in ``"training_duration"``. A direction of
        ``"result"`` is that of the tasks whose metric the file does not tell.

    Returns
    -------
    Results
        Tasks are the datasets, frameworks the algorithms and folds the replicates. If a framework
        ran under several constraints, each of these is an algorithm. A run that failed has no
        result but an ``info``: its cell is missing, and ``missing="worst"`` counts it as lost.

    Notes
    -----
    Since April 2021 the benchmark writes a loss as a negative ``result`` and its metric as
    ``neg_logloss``; before, it wrote the loss itself, and before May 2020 no ``metric`` at all. Of
    each task the metric says which way is better, or else a ``result`` below zero, or the column
    that ``result`` is equal to. Losses get a minus sign, so that higher is better in all tasks. A
    task of which none of these tells is refused, unless `measures` has a direction of ``"result"``.

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
    tables = {file: _runs(file, name) for file, name in files}
    table = pd.concat(tables.values())
    known = {name: _COLUMNS[name] for name in _COLUMNS if name in table}
    # Within each file that was checked; two files may still disagree.
    with naming(Path(source)):
        records.one_metric_each(table, "task", "result")
    spec = records.select(measures, known, ["result"])
    for file, own in tables.items():
        with naming(file):
            for name in [name for name in spec if name in own]:
                numbers_in(own[name], f"column {name!r}")
    table = _with_constraints(table)
    with naming(Path(source)):
        table, turned = _all_one_way(table, spec, given=isinstance(measures, Mapping))
    failed = table[pd.to_numeric(table["result"], errors="coerce").isna()]
    pairs = dict.fromkeys(zip(failed["framework"], failed["task"], strict=True))
    words = first_words([f"{framework!r} on {task!r}" for framework, task in pairs], 3)
    notes = [f"{plural(len(failed), 'failed run')} without a result: {words}"] if words else []
    ends = itertools.pairwise(itertools.accumulate(map(len, tables.values()), initial=0))
    parts = ((file, table[start:end]) for file, (start, end) in zip(tables, ends, strict=True))
    columns = {"dataset": "task", "algorithm": "framework", "replicate": "fold"}
    results = records.results_of_frame(table, parts, source, measures=spec, **columns)
    return results._with(notes=(*results.notes, *turned, *notes))


def _runs(file: Path, name: str | None) -> pd.DataFrame:
    with naming(file):
        table = parse_table(file, "csv", names=_WORDS)
        absent = [column for column in sorted(_OWN) if column not in table]
        if absent:
            raise BayescompareError(
                f"no column {quoted_names(absent)}, so this is not a results.csv of the AutoML "
                f"benchmark; the columns are {quoted_names([str(c) for c in table.columns], 6)}."
            )
        records.one_metric_each(table, "task", "result")
        alone = table["framework"].nunique() == 1
        labels = algorithm_labels(table["framework"])
        return table.assign(framework=[labelled_run(name, own, alone=alone) for own in labels])


def _with_constraints(table: pd.DataFrame) -> pd.DataFrame:
    """Tell the runs of a framework apart by their constraint, if it had several."""
    if "constraint" not in table:
        return table
    several = table.groupby("framework")["constraint"].transform("nunique") > 1
    names = table["framework"].where(~several, table["framework"] + " " + table["constraint"])
    return table.assign(framework=names.str.strip())


def _all_one_way(
    table: pd.DataFrame, spec: Mapping[str, Measure], *, given: bool
) -> tuple[pd.DataFrame, list[str]]:
    """Turn the sign of ``result`` in the tasks that are measured the other way, and say so."""
    if "result" not in spec:
        return table, []
    wanted = spec["result"].direction
    values = pd.to_numeric(table["result"], errors="coerce")
    scored = table.assign(result=values)[values.notna().to_numpy()]
    ways = {str(task): _direction(str(task), own) for task, own in scored.groupby("task")}
    unclear = [task for task, way in ways.items() if way is None]
    if unclear and not given:
        raise BayescompareError(
            f"it is not known which way 'result' of {first_words(unclear, 3)} is better: no column "
            "'metric' names a metric of the benchmark, nor does 'result' equal a column such as "
            "'auc' or 'logloss': use measures={'result': 'max'} (higher is better) or 'min'."
        )
    others = [task for task, way in ways.items() if way not in (wanted, None)]
    if not others:
        return table, []
    words = first_words(others, 3)
    if wanted == "min":
        raise BayescompareError(
            f"measures={{'result': 'min'}}: higher is better in 'result' of {words}, as the file "
            "says: leave out the direction."
        )
    sign = np.where(table["task"].isin(others), -1.0, 1.0)
    note = (
        f"'result' is a loss in {plural(len(others), 'task')}, and has a minus sign here: {words}"
    )
    return table.assign(result=values * sign), [note]


def _direction(task: str, own: pd.DataFrame) -> Direction | None:
    """Return which way the results of one task are better, if the file tells."""
    named = {str(name).strip() for name in own.get("metric", pd.Series()).dropna()} - {""}
    if any(name.startswith("neg_") for name in named):
        return "max"
    if not named:
        columns = {
            name: pd.to_numeric(own[name], errors="coerce") for name in _METRICS if name in own
        }
        equal = {name: cells for name, cells in columns.items() if _is_result(own, cells)}
        for one, other in itertools.combinations(equal, 2):
            if not (equal[one].notna() & equal[other].notna()).any():
                raise BayescompareError(
                    f"column 'result' of {task!r} is {one!r} in some rows and {other!r} in others: "
                    f"keep the rows of one metric, or read one by measures=[{other!r}]."
                )
        named = set(equal)
    if named <= _METRICS.keys() and (own["result"] < 0).any():
        return "max"
    ways = {_METRICS[name].direction if name in _METRICS else None for name in named}
    return ways.pop() if len(ways) == 1 else None


def _is_result(own: pd.DataFrame, column: pd.Series[float]) -> bool:
    """Whether a column is the result, perhaps but for its sign, wherever it has a value."""
    there = column.notna()
    # Both are written with six digits.
    return bool(there.any()) and np.allclose(
        own["result"][there].abs(), column[there].abs(), rtol=1e-5, atol=0
    )


FORMATS = {"amlb": Format("results of the AutoML benchmark", read_amlb, columns=_OWN)}
