"""ρ, the correlation of two replicates of one dataset: as given, or by what the replicates are."""

from __future__ import annotations

import numpy as np

from bayescompare._checks import is_number, is_whole
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, statistic_number_text

#: Replicates up to which they are taken for the folds of one cross-validation. Ten times ten folds
#: taken for a hundred folds have ρ = .01 for .1, which flips verdicts.
MOST_FOLDS = 20


def check_correlation(rho: object, folds: object) -> None:
    """Check the options ``rho=`` and ``folds=``, of which one may be given."""
    if rho is not None and folds is not None:
        raise BayescompareError(
            f"rho={rho!r} and folds={folds!r}: each determines the other; give one."
        )
    if rho is not None and not (is_number(rho) and 0.0 <= rho < 1.0):
        raise BayescompareError(
            f"rho={rho!r}: a correlation of replicates lies in [0, 1); 0 for independent seeds or "
            "items, 1/folds for cross-validation."
        )
    if folds is not None and not (is_whole(folds) and folds >= 2):
        raise BayescompareError(f"folds={folds!r}: must be an integer >= 2.")


def replicate_correlation(
    results: Results, number: FloatArray, rho: float | None, folds: int | None
) -> FloatArray:
    """ρ of every dataset.

    Seeds and items are independent; folds have one over their number, where that can be the number
    of folds.

    Parameters
    ----------
    results : Results
    number : array (n,)
        Replicates of each dataset.
    rho, folds : float, int, optional
        As given.
    """
    if rho is not None:
        return np.full(len(number), float(rho))
    if folds is not None:
        return np.full(len(number), 1.0 / folds)
    if results.replicates != "folds":
        return np.zeros(len(number))
    most = int(number.argmax())
    if number[most] > MOST_FOLDS:
        raise BayescompareError(
            f"rho= or folds= is missing: {results.datasets[most]!r} has {int(number[most])} "
            "replicates, and their correlation cannot be guessed; give folds=10 for ten times ten "
            "folds, rho=0 for independent seeds or items (or replicates='seeds' or 'items' in "
            "from_frame)."
        )
    return np.asarray(1.0 / number)


def correlation_words(
    results: Results,
    correlations: tuple[float, ...],
    numbers: tuple[float, ...],
    *,
    rho: float | None,
    folds: int | None,
) -> str:
    """Say which correlation the replicates were taken to have, and why."""
    ends = dict.fromkeys([min(correlations), max(correlations)])
    shown = " to ".join(statistic_number_text(end, significant=3) for end in ends)
    if rho is not None:
        return f"Replicates of one dataset were taken to have correlation {shown}, as given."
    if folds is not None:
        return f"Replicates were taken to have correlation {shown}, one over the folds."
    if results.replicates != "folds":
        return f"The replicates are {results.replicates} and were taken to be independent."
    fewest, most = min(numbers), max(numbers)
    many = count(fewest) if fewest == most else f"{count(fewest)}–{count(most)}"
    return (
        f"Replicates were taken to be the {many} folds of one cross-validation, with correlation "
        f"{shown}; for repeated cross-validation give folds=, for independent seeds rho=0."
    )
