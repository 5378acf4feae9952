"""Generalised stochastic dominance on simulated data: the paper's design, and pure noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_count, check_jobs, check_positive, is_number
from bayescompare._compare import compare
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.methods.gsd import GSD
from bayescompare.outcome.answer import PVALUE
from bayescompare.studies import Study
from bayescompare.studies.study import without_failed_cases
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results

#: How far the expected quality of the seven classifiers is below (1, 1), in units of η.
_BELOW = ((0, 0), (1, 2), (2, 1), (1.5, 2.5), (1.25, 3), (3, 1.25), (2.5, 1.5))

#: The ten pairs of which the first is better on both measures in expectation.
DOMINANCES = tuple(
    (f"C{i + 1}", f"C{j + 1}")
    for i, a in enumerate(_BELOW)
    for j, b in enumerate(_BELOW)
    if i != j and a[0] <= b[0] and a[1] <= b[1]
)


def simulated_classifiers(
    *, eta: float = 0.1, datasets: int = 15, noise: float = 0.05, rng: Rng = None
) -> Results:
    """Draw seven classifiers on two metric measures, as in the paper's Section 5.1.

    Parameters
    ----------
    eta : float
        Separation of the classifiers.
    datasets : int
    noise : float
        Standard deviation of every value.
    rng : None, int or Generator

    Examples
    --------
    >>> simulated_classifiers(rng=1).algorithms
    ('C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7')
    """
    if not (is_number(eta) and np.isfinite(eta) and eta >= 0.0):
        raise BayescompareError(f"eta={eta!r}: must be a finite number >= 0.")
    check_positive(noise=noise)
    check_count(datasets=datasets)
    generator, seed = as_rng(rng)
    values = generator.normal(1.0 - eta * np.array(_BELOW), noise, (datasets, 7, 2))
    names = [f"C{k + 1}" for k in range(7)]
    source = "simulated" if seed is None else f"simulated, rng={seed}"
    return _results(values, names, ("first", "second"), source)


def false_alarms(
    *,
    simulations: int = 200,
    datasets: int = 12,
    measures: int = 2,
    method: GSD | None = None,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Test two algorithms that do not differ, many times, and return the p-values.

    Quality vectors are normal; datasets differ in difficulty, which is the same for both
    algorithms. A valid p-value is at most α in at most a share α of the simulations.

    Parameters
    ----------
    simulations, datasets, measures : int
    method : GSD, optional
        The test, by default with 199 permutations.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        One row per simulation: ``first`` and ``second`` (p-values of the two directions), and
        ``pvalue``, that of the comparison by its ``alternative``.

    Examples
    --------
    >>> false_alarms(simulations=2, datasets=4, rng=1).columns.tolist()
    ['first', 'second', 'pvalue']
    """
    check_count(simulations=simulations, datasets=datasets, measures=measures)
    check_jobs(n_jobs)
    study = Study(
        name="false alarms",
        grid={},
        replications=simulations,
        case=_false_alarm,
        constants={
            "datasets": datasets,
            "measures": measures,
            "method": GSD(permutations=199) if method is None else method,
        },
    )
    table = without_failed_cases(study.run(rng=rng, n_jobs=n_jobs))
    frame = pd.DataFrame({name: table[name].to_numpy() for name in ("first", "second", "pvalue")})
    frame.attrs["seed"] = table.attrs["seed"]
    return frame


def _false_alarm(
    rng: np.random.Generator, *, datasets: int, measures: int, method: GSD
) -> dict[str, float]:
    """Test one table of two algorithms that do not differ."""
    difficulty = rng.normal(0.0, 1.0, (datasets, 1, measures))
    values = difficulty + rng.normal(0.0, 1.0, (datasets, 2, measures))
    results = _results(values, ["A", "B"], [f"m{j}" for j in range(measures)])
    c = compare(results, method=method, rng=rng)
    first, second = c.answer.per_statement[PVALUE]
    return {"first": float(first), "second": float(second), "pvalue": c.pvalue}


def _results(
    values: FloatArray,
    algorithms: Sequence[str],
    measures: Sequence[str],
    source: str | None = None,
) -> Results:
    """Put names on values (dataset, algorithm, measure)."""
    dims = ("dataset", "algorithm")
    coords = {"dataset": [f"d{k + 1}" for k in range(len(values))], "algorithm": algorithms}
    data = xr.Dataset({m: (dims, values[:, :, j]) for j, m in enumerate(measures)}, coords)
    return Results(data, {m: Measure("max") for m in measures}, source=source)
