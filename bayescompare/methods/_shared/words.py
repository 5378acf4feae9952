"""Pieces of the methods paragraphs: whose prior, how it was computed, what was chosen."""

from __future__ import annotations

import math
from typing import Any

from bayescompare._checks import is_number
from bayescompare.methods._shared.priors import prior_options
from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text, statistic_number_text


def text_on_how(method: Any) -> str:
    """How P(max) was computed."""
    return "by NUTS in PyMC" if method.needs_mcmc else "by one-dimensional quadrature, exactly"


def own_priors_text(method: Any) -> str:
    """The priors that the user gave, by name."""
    priors = prior_options(method.priors) or {}
    return ", ".join(f"{name} {value}" for name, value in priors.items())


def text_on_sampling(method: Any) -> str:
    """Whose priors they were, where they are not the method's, and whether NUTS was needed."""
    own = f", under priors given by the user ({own_priors_text(method)})" if method.priors else ""
    return own + (", sampled by NUTS" if method.needs_mcmc else "")


def option_as_given(value: object) -> str:
    """An option as it was given: a number, or a word."""
    return setting_number_text(value) if is_number(value) else str(value)


def text_on_weight(b: object) -> str:
    """The parameter b of a symmetric Beta prior."""
    return "b learned from all pairs" if b == "learned" else f"b = {option_as_given(b)}"


# weights of datasets -----------------------------
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
