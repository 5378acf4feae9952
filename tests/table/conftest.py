"""Counts of errors that several files cut, store and compare."""

from __future__ import annotations

import pytest

from bayescompare import ErrorCounts
from tests.oracles.context import predictions


@pytest.fixture(scope="session")
def four() -> ErrorCounts:
    return ErrorCounts.from_predictions(predictions(4, 12, "ABCD"), correct="correct")
