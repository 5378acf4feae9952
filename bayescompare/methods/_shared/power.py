"""Weights of datasets as a power likelihood, in words."""

from __future__ import annotations

import math

from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text, statistic_number_text

__all__ = ["NO_EVIDENCE", "NO_LOO", "power_words"]

NO_EVIDENCE = (
    "With weight= the likelihood is raised to a power, which is no probability of the data: there "
    "is no evidence."
)
NO_LOO = (
    "with weight= the likelihood is raised to a power, which is no probability of a dataset, so "
    "leaving one out scores nothing; ask without weight=."
)


def power_words(results: Results) -> str:
    """Say how the weights run, and what they do."""
    assert results.weights is not None
    total = math.fsum(effective_weights(results.weights))
    return (
        f"The datasets have weights from {setting_number_text(min(results.weights))} to "
        f"{setting_number_text(max(results.weights))}: each likelihood is raised to its weight "
        "(a power "
        "likelihood), and together they count as much as "
        f"{statistic_number_text(total, significant=3)} of "
        f"{len(results.datasets)} datasets."
    )
