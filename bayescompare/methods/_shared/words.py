"""Pieces of the methods paragraphs: whose prior, how it was computed, what was chosen."""

from __future__ import annotations

import math
from typing import Any

from bayescompare._checks import is_number
from bayescompare.methods._shared.priors import prior_options
from bayescompare.outcome.answer import Found
from bayescompare.outcome.decision import certainty_words
from bayescompare.statements import Statement
from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    plural,
    probability_words,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import exactness_phrase


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


# which outcome leads -----------------------------


def outcome_words(label: str) -> str:
    """Say a statement about one pair and one measure."""
    (state,) = Statement.parse(label).states
    if state.relation == "=":
        return f"{' and '.join(state.names)} are practically equivalent"
    return state.words()


def leading_words(found: Found, among: str, often: str, lean: str) -> list[str]:
    """Say which outcome leads and how sure that is, and how many datasets lean to it.

    `among` says of what tied outcomes are equally probable, `often` what the leading one is, and
    `lean` what the datasets do.
    """
    results, answer, decision = found
    (measure,), best = results.measures, decision.statement
    n, level = plural(len(results.datasets), "dataset"), probability_words(decision.level)
    if decision.verdict == "tied":
        tied = " and that ".join(map(outcome_words, (best, *decision.rivals)))
        return [
            f"On {n} no outcome on {measure} leads: that {tied} are equally probable {among} "
            f"({level} each)."
        ]
    own, whole = answer.counts[answer.labels.index(best)], answer.counts.sum()
    return [
        f"On {n} the probability that {outcome_words(best)} on {measure}, {often}, is {level} "
        f"({exactness_phrase(answer, best)}){certainty_words(decision)}.",
        f"Of the datasets seen, {count(float(own))} of {count(float(whole))} {lean}.",
    ]


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
