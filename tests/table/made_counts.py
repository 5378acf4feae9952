"""Counts of errors for tests, and how a test reads what a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from bayescompare import BayescompareError, ErrorCounts
from tests.oracles.context import predictions

FRAME = pd.DataFrame(
    {
        "dataset": ["a", "b", "c"],
        "h": [1, 2, 0],
        "g": [3, 0, 0],
        "both": [1, 4, 2],
        "n": [10, 20, 30],
    }
)

NAMES = ("svm", "nn")


def from_frame(frame: pd.DataFrame = FRAME, **options: Any) -> ErrorCounts:
    given = {"first_wrong": "h", "second_wrong": "g", "algorithms": NAMES, **options}
    return ErrorCounts.from_frame(frame, **given)


def refusal(ask: Callable[[], object]) -> str:
    """The message of a BayescompareError; any other exception is a failure of the test."""
    with pytest.raises(BayescompareError) as caught:
        ask()
    said = str(caught.value)
    assert "\n" not in said
    assert "np." not in said, f"a numpy repr in a message: {said}"
    return said


P = predictions(2, 6, "ABC", seed=3).reset_index(drop=True)
