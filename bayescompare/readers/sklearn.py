"""scikit-learn: `cross_validate` and the ``cv_results_`` of a search over parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.readers.records import Chosen, Format, costs, select
from bayescompare.table.files import parse_table
from bayescompare.table.input import Paths, algorithm_label, find_files, naming
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, repeated_name

_TIMES = costs("fit_time score_time", "s")
# Whatever a scorer is called, scikit-learn's convention is that greater is better.
_SCORE = Measure("max")

#: The values of each split, by measure.
type Columns = dict[str, FloatArray]
#: A dataset, an algorithm and its columns.
type Run = tuple[str, str, Columns]


def from_cross_validate(
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    *,
    measures: Chosen | None = None,
    source: str = "scikit-learn cross_validate",
) -> Results:
    """Build results from `sklearn.model_selection.cross_validate`, with folds as replicates.

    Parameters
    ----------
    scores : mapping of str to mapping of str to dict
        ``{dataset: {algorithm: cross_validate(...)}}``, with the same splits for every algorithm
        of a dataset; datasets may have different numbers of splits.
    measures : mapping or iterable of str, optional
        By default every test score (``"accuracy"`` for ``test_accuracy``; ``"score"`` if there
        was one scorer without a name) and, in seconds, ``"fit_time"`` and ``"score_time"``. Train
        scores are read if they are named, as in ``"train_accuracy"``.
    source : str
        Where the scores came from.

    Returns
    -------
    Results
        Higher scores are better, even of ``neg_mean_squared_error``, which keeps its sign. A
        failed fit leaves a score of NaN, which is a missing fold.

    Examples
    --------
    >>> folds = {"test_score": [0.9, 0.8], "fit_time": [0.1, 0.1], "score_time": [0.01, 0.01]}
    >>> results = from_cross_validate({"iris": {"svm": folds, "tree": folds}})
    >>> results.measures, results.n_replicates
    (('score', 'fit_time', 'score_time'), 2)
    """
    form = "{dataset: {algorithm: cross_validate(...)}}"
    runs: list[Run] = []
    for dataset, results in _named(scores, "scores", form).items():
        where = f"scores[{dataset!r}]"
        own = {
            name: _folds(result, f"{where}[{name!r}]", form)
            for name, result in _named(results, where, "{algorithm: cross_validate(...)}").items()
        }
        _check_same_splits(where, own, results)
        runs += [(dataset, name, columns) for name, columns in own.items()]
    known = {name: _TIMES.get(name, _SCORE) for _, _, columns in runs for name in columns}
    tests = [name for name in known if name not in _TIMES and not name.startswith("train_")]
    times = [name for name in _TIMES if name in known]
    return _results(runs, select(measures, known, [*tests, *times]), source)


def _named(value: object, argument: str, form: str) -> Mapping[str, Any]:
    """Check a mapping, and write its keys as text."""
    if not isinstance(value, Mapping):
        raise BayescompareError(f"{argument} is a {type(value).__name__}: give {form}.")
    if not value:
        raise BayescompareError(f"{argument} is empty: give {form}.")
    twice = repeated_name([str(name) for name in value])
    if twice is not None:
        raise BayescompareError(
            f"{argument} has {twice!r} twice, as a number and as text: rename one."
        )
    return {str(name): own for name, own in value.items()}


def _folds(result: object, where: str, form: str) -> Columns:
    if not isinstance(result, Mapping) or not any(str(k).startswith("test_") for k in result):
        seen = list(map(str, result)) if isinstance(result, Mapping) else type(result).__name__
        raise BayescompareError(
            f"{where} is not a result of cross_validate, which has a key such as 'test_score' "
            f"(seen: {seen}): give {form}."
        )
    columns = {
        str(key).removeprefix("test_"): _numbers(values, f"{where}[{key!r}]")
        for key, values in result.items()
        if re.match(r"(test|train)_|(fit|score)_time$", str(key))
    }
    if len({len(values) for values in columns.values()}) > 1:
        sizes = {name: len(values) for name, values in columns.items()}
        raise BayescompareError(f"{where} has different numbers of splits: {sizes}.")
    return columns


def _numbers(values: object, where: str) -> FloatArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not numbers.size:
        raise BayescompareError(f"{where}: must be a list of numbers, one for each split.")
    return numbers


def _check_same_splits(
    where: str, own: Mapping[str, Columns], results: Mapping[Any, Mapping[str, Any]]
) -> None:
    """Refuse algorithms that were scored on different splits: their folds cannot be paired."""
    sizes = {name: len(next(iter(columns.values()))) for name, columns in own.items()}
    if len(set(sizes.values())) > 1:
        raise BayescompareError(
            f"{where}: different numbers of splits, {sizes}; give every algorithm of a dataset the "
            "same cv=."
        )
    splits = {
        name: [list(map(int, test)) for test in result["indices"]["test"]]
        for name, result in results.items()
        if isinstance(result.get("indices"), Mapping) and "test" in result["indices"]
    }
    for other in splits:
        one = next(iter(splits))
        if splits[one] != splits[other]:
            raise BayescompareError(
                f"{where}: {one!r} and {other!r} were tested on different splits; give both the "
                "same cv=, with a random_state if it shuffles."
            )


# ------------------------------------------------------------------------- searches over parameters


def from_grid_search(
    searches: Mapping[str, Any],
    *,
    measures: Chosen | None = None,
    name: Callable[[Mapping[str, Any]], str] | None = None,
    failed: Literal["raise", "drop"] = "raise",
    source: str = "scikit-learn search",
) -> Results:
    """Build results from fitted searches: candidates are algorithms, splits replicates.

    Parameters
    ----------
    searches : mapping of str to search, dict or DataFrame
        ``{dataset: search}``: fitted ``GridSearchCV`` or ``RandomizedSearchCV`` objects, or their
        ``cv_results_``, as a dict or DataFrame.
    measures : mapping or iterable of str, optional
        By default every test score: ``"score"``, or the names of the scorers if there are
        several. Times are not available: a search keeps only their means over the splits.
    name : callable, optional
        A function that names a candidate by its parameters. By default the parameters that vary,
        as in ``"C 10, kernel rbf"``.
    failed : {"raise", "drop"}
        What to do about candidates that have no score on some dataset, because every fit failed:
        refuse them, or leave them out on all datasets. If only some splits failed, those are
        missing replicates.
    source : str
        Where the searches came from.

    Examples
    --------
    >>> cv_results = {
    ...     "params": [{"C": 1}, {"C": 10}],
    ...     "split0_test_score": [0.9, 0.8], "split1_test_score": [0.8, 0.9],
    ... }
    >>> from_grid_search({"iris": cv_results}).algorithms
    ('C 1', 'C 10')
    """
    check_word("failed", failed, ("raise", "drop"))
    given = _named(searches, "searches", "{dataset: GridSearchCV(...).fit(X, y)}")
    found = {dataset: _cv_results(search, dataset) for dataset, search in given.items()}
    names = _candidate_names({d: results["params"] for d, results in found.items()}, name)
    runs: list[Run] = [
        (dataset, candidate, columns)
        for dataset, results in found.items()
        for candidate, columns in zip(names[dataset], _scores(results, dataset), strict=True)
    ]
    known = {measure: _SCORE for _, _, columns in runs for measure in columns}
    spec = select(measures, known, known)
    bad = {c: d for d, c, columns in runs if any(np.isnan(columns[m]).all() for m in spec)}
    if bad and failed == "raise":
        words = [f"{candidate!r} on {dataset!r}" for candidate, dataset in bad.items()]
        raise BayescompareError(
            "scores of NaN on every split, so the fits or their scoring failed: "
            f"{first_words(words)}. Correct the search, or use failed='drop' to leave out such "
            "candidates."
        )
    if bad and len(bad) == len({candidate for _, candidate, _ in runs}):
        raise BayescompareError("every candidate has scores of NaN: no fit succeeded.")
    results = _results([run for run in runs if run[1] not in bad], spec, source)
    note = f"left out, with scores of NaN: {first_words(list(bad))}"
    return results._with(notes=(note,)) if bad else results


def read_grid_search(
    paths: Paths,
    *,
    measures: Chosen | None = None,
    failed: Literal["raise", "drop"] = "raise",
) -> Results:
    r"""Read searches that were saved by ``pd.DataFrame(search.cv_results_).to_csv(...)``.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        A file for each dataset, which is called like the file or by the mapping.
    measures, failed
        As for `from_grid_search`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "iris.csv"
    >>> _ = path.write_text(
    ...     "param_C,params,split0_test_score,split1_test_score\n"
    ...     "1,{'C': 1},0.9,0.8\n10,{'C': 10},0.8,0.9\n"
    ... )
    >>> results = read_grid_search(path)
    >>> results.datasets, results.algorithms
    (('iris',), ('C 1', 'C 10'))
    """
    files, source = find_files(paths, "*.csv")
    searches = {}
    for file, name in files:
        with naming(file):
            table = parse_table(file, None, names=())
            # Whole numbers are written as such.
            searches[name or file.name.partition(".")[0]] = table.convert_dtypes().astype(object)
    if len(searches) < len(files):
        raise BayescompareError(f"{source}: two files are of one dataset: name them by a mapping.")
    return from_grid_search(searches, measures=measures, failed=failed, source=source)


def _cv_results(search: object, dataset: str) -> dict[str, Any]:
    where = f"searches[{dataset!r}]"
    results = getattr(search, "cv_results_", search)
    if isinstance(results, pd.DataFrame):
        results = {str(column): results[column].tolist() for column in results.columns}
    if not isinstance(results, Mapping) or not {"params", "split0_test"} <= {
        re.sub(r"_test_.*", "_test", str(key)) for key in results
    }:
        raise BayescompareError(
            f"{where} is a {type(search).__name__} without cv_results_ of its splits ('params', "
            "'split0_test_score'): give a fitted search or its cv_results_."
        )
    if "iter" in results:
        raise BayescompareError(
            f"{where} is a halving search, whose candidates were scored on different amounts of "
            "data: compare the survivors by cross_validate instead."
        )
    results = {str(key): values for key, values in results.items()}
    if not all(isinstance(params, Mapping) for params in results["params"]):
        # A file has their text, and a column for each.
        own = {k.removeprefix("param_"): results[k] for k in results if k.startswith("param_")}
        if not own:
            raise BayescompareError(
                f"{where}['params'] must hold a dict for each candidate; a table read from a file "
                "has their text, and no columns param_…: give the search itself."
            )
        rows = zip(*own.values(), strict=True)
        told = [dict(zip(own, row, strict=True)) for row in rows]
        results["params"] = [{k: v for k, v in row.items() if not pd.isna(v)} for row in told]
    return results


def _scores(results: Mapping[str, Any], dataset: str) -> list[Columns]:
    """Return each candidate's scores, one for each split."""
    candidates = range(len(results["params"]))
    splits: dict[str, dict[int, FloatArray]] = {}
    for key, values in results.items():
        if match := re.fullmatch(r"split(\d+)_test_(.+)", key):
            where = f"searches[{dataset!r}][{key!r}]"
            numbers = _numbers(values, where)
            if len(numbers) != len(candidates):
                raise BayescompareError(f"{where}: must have a score for each of 'params'.")
            splits.setdefault(match[2], {})[int(match[1])] = numbers
    if len({frozenset(own) for own in splits.values()}) > 1:
        raise BayescompareError(f"searches[{dataset!r}]: its scores are not of the same splits.")
    tables = {
        measure: np.stack([own[k] for k in sorted(own)], axis=1) for measure, own in splits.items()
    }
    return [{measure: table[i] for measure, table in tables.items()} for i in candidates]


def _candidate_names(
    grids: Mapping[str, Sequence[Mapping[str, Any]]],
    name: Callable[[Mapping[str, Any]], str] | None,
) -> dict[str, list[str]]:
    """Name every candidate of every dataset, equal candidates alike."""
    call = name or _namer([params for grid in grids.values() for params in grid])
    names = {d: [algorithm_label(str(call(p))) for p in grid] for d, grid in grids.items()}
    for dataset, own in names.items():
        twice = repeated_name(own)
        if twice is not None:
            raise BayescompareError(
                f"searches[{dataset!r}]: two candidates are called {twice!r}; distinguish them by "
                "name=, a function of the parameters."
            )
    return names


def _namer(candidates: Sequence[Mapping[str, Any]]) -> Callable[[Mapping[str, Any]], str]:
    keys = list(dict.fromkeys(key for params in candidates for key in params))
    values = {key: {_text(p[key]) if key in p else None for p in candidates} for key in keys}
    varying = [key for key in keys if len(values[key]) > 1] or keys
    # "C" for "svc__C", unless another step of the pipeline has a C too.
    last = [key.rpartition("__")[2] for key in varying]
    short = {k: s if last.count(s) == 1 else k for k, s in zip(varying, last, strict=True)}

    def call(params: Mapping[str, Any]) -> str:
        parts = [f"{short[key]} {_text(params[key])}" for key in varying if key in params]
        return ", ".join(parts) or "default"

    return call


def _text(value: object) -> str:
    """Write a parameter's value in short, an estimator or a function by its name."""
    if hasattr(value, "get_params"):
        return type(value).__name__
    return str(getattr(value, "__name__", value))


def _results(runs: Iterable[Run], spec: Mapping[str, Measure], source: str) -> Results:
    rows = [
        {"dataset": dataset, "algorithm": algorithm, "replicate": str(k + 1)}
        | {name: float(columns[name][k]) for name in spec if name in columns}
        for dataset, algorithm, columns in runs
        for k in range(len(next(iter(columns.values()))))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replicate", *spec])
    return Results.from_frame(frame, replicate="replicate", measures=spec, source=source)


FORMATS = {
    "sklearn": Format(
        "a search of scikit-learn",
        read_grid_search,
        columns=frozenset({"params", "mean_fit_time", "std_fit_time"}),
    )
}
