"""Is a test surer where it is right? Its successes and its errors above each level of confidence.

This is the ROC curve of Lacoste, Laviolette & Marchand (2012), Section 6.3, for answers of which
the truth is known, as in a simulation.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray


def success_errors(confidence: ArrayLike, correct: ArrayLike) -> pd.DataFrame:
    r"""Return the share of the successes and of the errors above each threshold.

    .. math:: s_\tau / s_0 \quad\text{and}\quad e_\tau / e_0

    with :math:`s_\tau` and :math:`e_\tau` the right and the wrong answers of confidence above
    :math:`\tau`. Answers of equal confidence form one step.

    Parameters
    ----------
    confidence : array (M,)
        From 0 to 1; 0 means no answer and does not count.
    correct : array (M,) of bool

    Returns
    -------
    DataFrame
        Columns ``threshold`` (falling, to 0), ``success`` and ``error``; `attrs` has the counts
        ``successes`` and ``errors`` above 0.

    Examples
    --------
    >>> success_errors([0.9, 0.8, 0.8, 0.6], [True, True, False, False])
       threshold  success  error
    0        0.9      0.0    0.0
    1        0.8      0.5    0.0
    2        0.6      1.0    0.5
    3        0.0      1.0    1.0
    """
    sure, right = _check_answers(confidence, correct)
    answered = sure > 0.0
    level, step = np.unique(-sure[answered], return_inverse=True)
    # Above the highest level there is nothing; above the next one, the first step; and so on.
    counts = [
        np.append(0, np.cumsum(np.bincount(step, weights=kind[answered], minlength=len(level))))
        for kind in (right, ~right)
    ]
    successes, errors = (each.astype(np.int64) for each in counts)
    threshold = np.append(-level, 0.0)
    for count, what in ((successes[-1], "correct"), (errors[-1], "wrong")):
        if count == 0:
            raise BayescompareError(
                f"correct has no {what} answer of confidence above 0, which the curve needs: "
                "simulate more."
            )
    table = {"threshold": threshold}
    table |= {"success": successes / successes[-1], "error": errors / errors[-1]}
    curve = pd.DataFrame(table)
    curve.attrs.update(successes=int(successes[-1]), errors=int(errors[-1]))
    return curve


def auc(curve: pd.DataFrame) -> float:
    """Area under a curve of `success_errors`; ½ means that the confidence is uninformative.

    Examples
    --------
    >>> auc(success_errors([0.9, 0.8, 0.8, 0.6], [True, True, False, False]))
    0.875
    """
    return float(np.trapezoid(curve["success"], curve["error"]))


def success_curves(study: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a curve for each method in a table of answers, for `plot_success`.

    Parameters
    ----------
    study : DataFrame
        One row per answer: ``method``, ``confidence`` and ``correct``.

    Examples
    --------
    >>> rows = [("a", 0.9, True), ("a", 0.6, False), ("b", 0.7, False), ("b", 0.6, True)]
    >>> curves = success_curves(pd.DataFrame(rows, columns=["method", "confidence", "correct"]))
    >>> {name: auc(curve) for name, curve in curves.items()}
    {'a': 1.0, 'b': 0.0}
    """
    grouped = study.groupby("method", sort=False)
    return {str(name): success_errors(g["confidence"], g["correct"]) for name, g in grouped}


def _check_answers(confidence: object, correct: object) -> tuple[FloatArray, BoolArray]:
    try:
        sure = np.asarray(confidence, dtype=np.float64)
    except (TypeError, ValueError):
        raise BayescompareError("confidence: give numbers only.") from None
    right = np.asarray(correct)
    if sure.ndim != 1 or sure.shape != right.shape or not len(sure):
        raise BayescompareError(
            f"confidence and correct have shapes {sure.shape} and {right.shape}: give one number "
            "and one boolean per answer."
        )
    outside = ~((sure >= 0.0) & (sure <= 1.0))
    if outside.any():
        raise BayescompareError(
            f"confidence has {sure[outside][0]} at place {int(outside.argmax())}: must lie between "
            "0 (no answer) and 1."
        )
    if right.dtype != np.bool_:
        if not np.isin(right, [0, 1]).all():
            raise BayescompareError("correct: give booleans only.")
        right = right.astype(np.bool_)
    return sure, right
