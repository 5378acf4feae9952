"""aeon, sktime and tsml-eval: one file of resamples for each estimator and measure."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    directed,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import content_of, number_or_text, text_of
from bayescompare.table.measure import Measure
from bayescompare.table.paths import (
    Paths,
    algorithm_label,
    find_files,
    list_paths,
    naming,
    parsed_name,
    repeatable_paths,
)
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, repeated_name

__all__ = ["AEON_HEADERS", "read_aeon"]

#: How the first line begins; tsml's Java version wrote folds.
AEON_HEADERS = ("resamples:", "folds:")

#: The statistics of tsml-eval, without spaces and underscores.
_MEASURES = directed(
    "accuracy acc balancedaccuracy balacc auroc f1 f1score sensitivity specificity precision "
    "recall clusteringaccuracy clacc ri rand ari adjustedrandindex mi mutualinformation ami nmi r2 "
    "pearson pearsoncorrelation",
    "error logloss nll mse rmse mae mape smape mase",
) | dict.fromkeys(
    ("fittime", "predicttime", "fitandpredicttime", "traintime", "testtime", "memoryusage"),
    Measure("min", bounds=(0, None)),
)


class _AeonResamples(NamedTuple):
    """One file: the values of an estimator's measure, by dataset and resample."""

    file: Path
    algorithm: str
    measure: str
    values: dict[tuple[str, str], float]


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
    kept = [pair for pair in files if pair[0] in named or _fits_aeon(pair[0])]
    if not kept:
        raise BayescompareError(
            f"{source}: no file whose first line begins with 'Resamples:', as aeon's do."
        )
    others = [file.name for file, name in files if (file, name) not in kept]
    parts = [_read_aeon_resamples(file, name) for file, name in kept]
    _check_aeon_parts(parts)
    names = dict.fromkeys(part.measure for part in parts)
    known = {name: _MEASURES.get(_plain_aeon_measure(name)) for name in names}
    default = [name for name, kind in known.items() if kind is not None]
    spec = select_measures(measures, known, default)
    cells: dict[tuple[str, str, str], tuple[Path, dict[str, float]]] = {}
    for part in parts:
        for (dataset, resample), value in part.values.items():
            cell = cells.setdefault((dataset, part.algorithm, resample), (part.file, {}))
            cell[1][part.measure] = value
    rows = [
        (file, dict(zip(_ROLES, key, strict=True)) | values)
        for key, (file, values) in cells.items()
    ]
    results = results_of_rows(rows, source, replicate="replicate", measures=spec)
    note = f"left out, not as aeon's result files are: {first_words(others, 4)}"
    return results._with(notes=(*results.notes, note)) if others else results


_ROLES = ("dataset", "algorithm", "replicate")


def _plain_aeon_measure(measure: str) -> str:
    return measure.lower().replace("_", "").replace("-", "").replace(" ", "")


def _fits_aeon(file: Path) -> bool:
    with naming(file):
        return text_of(content_of(file)).lstrip().lower().startswith(AEON_HEADERS)


def _read_aeon_resamples(file: Path, name: str | None) -> _AeonResamples:
    with naming(file):
        stem = file.name.partition(".csv")[0]
        estimator, _, measure = stem.rpartition("_")
        if not measure or not (estimator or name):
            raise BayescompareError(
                "the name of the file must be <estimator>_<measure>.csv, as in HC2_accuracy.csv."
            )
        header, *lines = _aeon_rows(text_of(content_of(file)))
        if header[1][0].lower() not in AEON_HEADERS:
            raise BayescompareError(
                f"line {header[0]} begins with {header[1][0]!r}, not with 'Resamples:', so this is "
                "not a result file of aeon or tsml-eval."
            )
        resamples = header[1][1:]
        if not resamples or not all(resamples):
            raise BayescompareError(
                f"line {header[0]} must name every resample, as in 'Resamples:,0,1,2'."
            )
        if repeated_name(resamples) is not None:
            raise BayescompareError(f"resample {repeated_name(resamples)!r} occurs twice.")
        if not lines:
            raise BayescompareError("the file has a header but no datasets.")
        values = _read_aeon_values(lines, resamples)
        return _AeonResamples(file, algorithm_label(name or estimator), measure, values)


def _aeon_rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the number and the cells of each line that is not empty."""
    lines = enumerate(text.splitlines(), 1)
    cells = [(n, [cell.strip() for cell in line.split(",")]) for n, line in lines if line.strip()]
    # A comma at the end of every line is usual.
    width = len(cells[0][1]) - (not cells[0][1][-1])
    return [(n, row[:-1] if len(row) == width + 1 and not row[-1] else row) for n, row in cells]


def _read_aeon_values(
    lines: list[tuple[int, list[str]]], resamples: list[str]
) -> dict[tuple[str, str], float]:
    values: dict[tuple[str, str], float] = {}
    for number, (dataset, *row) in lines:
        if len(row) != len(resamples):
            raise BayescompareError(
                f"line {number} has {len(row)} values, but there are {len(resamples)} resamples."
            )
        name = parsed_name(dataset, f"line {number}: the dataset")
        if name.lower() in AEON_HEADERS:
            raise BayescompareError(f"line {number} is a second header.")
        for resample, cell in zip(resamples, row, strict=True):
            value = number_or_text(cell)
            if isinstance(value, str):
                raise BayescompareError(
                    f"line {number}, resample {resample}: {cell!r} is not a number."
                )
            if (name, resample) in values:
                raise BayescompareError(f"line {number}: dataset {name!r} occurs twice.")
            values[name, resample] = parsed_number(value, f"line {number}, resample {resample}")
    return values


def _check_aeon_parts(parts: list[_AeonResamples]) -> None:
    """Refuse two files of one estimator and measure."""
    seen: dict[tuple[str, str], Path] = {}
    for part in parts:
        other = seen.setdefault((part.algorithm, part.measure), part.file)
        if other != part.file:
            raise BayescompareError(
                f"{other} and {part.file} both have the {part.measure} of {part.algorithm!r}: "
                "leave out one, or give them different names, as in {'first': ..., 'second': ...}."
            )
