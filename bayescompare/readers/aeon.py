"""aeon, sktime and tsml-eval: one file of resamples for each estimator and measure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format, Record
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    list_paths,
    naming,
    number_or_text,
    parsed_name,
    read_text,
    repeatable_paths,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, repeated_name

#: How the first line begins; tsml's Java version wrote folds.
_HEADS = ("resamples:", "folds:")

#: The statistics of tsml-eval, without spaces and underscores.
_MEASURES = records.directed(
    "accuracy acc balancedaccuracy balacc auroc f1 f1score sensitivity specificity precision "
    "recall clusteringaccuracy clacc ri rand ari adjustedrandindex mi mutualinformation ami nmi r2 "
    "pearson pearsoncorrelation",
    "error logloss nll mse rmse mae mape smape mase",
) | records.costs("fittime predicttime fitandpredicttime traintime testtime memoryusage")


def read_aeon(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read the result files of aeon, sktime and tsml-eval.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Files called ``<estimator>_<measure>.csv``, whose first line is ``Resamples:,0,1,...`` and
        whose others are a dataset and its value on each resample; or directories with such files
        in or below them. A mapping names the estimators itself.
    measures : mapping or iterable of str, optional
        By default every measure that has a file and whose direction is known.

    Returns
    -------
    Results
        Estimators are the algorithms, resamples the replicates. Resamples draw on the same cases
        again, so they are correlated as folds are.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, value in (("TSF", 0.9), ("ROCKET", 0.95)):
    ...     text = f"Resamples:,0,1\nChinatown,{value},0.9\n"
    ...     _ = (folder / f"{name}_accuracy.csv").write_text(text)
    >>> results = read_aeon(folder)
    >>> results.algorithms, results.n_replicates
    (('ROCKET', 'TSF'), 2)
    """
    paths = repeatable_paths(paths)
    files, source = find_files(paths, "*.csv")
    named = {path for path, _ in list_paths(paths)[0]}
    # A directory may hold other tables, such as tsml-eval's summaries.
    kept = [(file, name) for file, name in files if file in named or _fits(file)]
    if not kept:
        raise BayescompareError(
            f"{source}: no file whose first line begins with 'Resamples:', as aeon's do."
        )
    parts = [record for file, name in kept for record in _records(file, name)]
    places = (((*one.values, one.algorithm), str(one.file)) for one in parts)
    records.once(places, lambda key: f"the {key[0]} of {key[1]!r}")
    known: dict[str, Measure | None] = {
        name: _MEASURES.get(re.sub("[-_ ]", "", name.lower()))
        for one in parts
        for name in one.values
    }
    spec = records.select(measures, known, [name for name, kind in known.items() if kind])
    others = [file.name for file, name in files if (file, name) not in kept]
    notes = [f"left out, not as aeon's result files are: {first_words(others, 4)}"]
    return records.results_of(records.joined(parts), source, spec, notes=notes if others else ())


def _fits(file: Path) -> bool:
    with naming(file):
        return read_text(file).lstrip().lower().startswith(_HEADS)


def _records(file: Path, name: str | None) -> Iterator[Record]:
    with naming(file):
        estimator, _, measure = file.name.partition(".csv")[0].rpartition("_")
        if not measure or not (estimator or name):
            raise BayescompareError(
                "the name of the file must be <estimator>_<measure>.csv, as in HC2_accuracy.csv."
            )
        (top, (head, *resamples)), *lines = _cells(read_text(file))
        if head.lower() not in _HEADS:
            raise BayescompareError(
                f"line {top} begins with {head!r}, not with 'Resamples:', so this is not a result "
                "file of aeon or tsml-eval."
            )
        if not resamples or not all(resamples):
            raise BayescompareError(
                f"line {top} must name every resample, as in 'Resamples:,0,1,2'."
            )
        if repeated_name(resamples) is not None:
            raise BayescompareError(f"resample {repeated_name(resamples)!r} occurs twice.")
        if not lines:
            raise BayescompareError("the file has a header but no datasets.")
        label = algorithm_label(name or estimator)
        seen: set[str] = set()
        for number, (dataset, *row) in lines:
            if len(row) != len(resamples):
                raise BayescompareError(
                    f"line {number} has {len(row)} values, but there are {len(resamples)} "
                    "resamples."
                )
            task = parsed_name(dataset, f"line {number}: the dataset")
            if task.lower() in _HEADS:
                raise BayescompareError(f"line {number} is a second header.")
            if task in seen:
                raise BayescompareError(f"line {number}: dataset {task!r} occurs twice.")
            seen.add(task)
            for resample, cell in zip(resamples, row, strict=True):
                place = f"line {number}, resample {resample}"
                value = number_or_text(cell)
                if isinstance(value, str):
                    raise BayescompareError(f"{place}: {cell!r} is not a number.")
                values = {measure: records.number_at(value, place)}
                yield Record(file, task, label, values, place, resample)


def _cells(text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the cells of each line that is not empty."""
    lines = enumerate(text.splitlines(), 1)
    cells = [(n, [cell.strip() for cell in line.split(",")]) for n, line in lines if line.strip()]
    # A comma at the end of every line is usual.
    width = len(cells[0][1]) - (not cells[0][1][-1])
    return [(n, row[:-1] if len(row) == width + 1 and not row[-1] else row) for n, row in cells]


FORMATS = {"aeon": Format("result files of aeon", read_aeon, heads=_HEADS)}
