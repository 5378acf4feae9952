"""The words of a model file."""

from __future__ import annotations

import math

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import certainty_words, claim_words
from bayescompare.comparison.decision import SETTLED, Decision
from bayescompare.methods.model_file.details import ModelDetails
from bayescompare.methods.model_file.source import UNNAMED
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    plural,
    probability_words,
    setting_number_text,
    standard_error_text,
)
from bayescompare.text.phrases import join_names

__all__ = ["model_file_words", "model_methods_text"]


def model_file_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, and that it depends on the model."""
    n = plural(len(results.datasets), "dataset")
    details = ModelDetails.of(answer)
    assert answer.mcse is not None
    mcse = float(answer.mcse[answer.labels.index(decision.statement)])
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    start = (
        f"By {_model_words(details)} on {n} the most probable statement is that {claim}, with "
        f"probability {probability_words(decision.level)}"
    )
    if math.isfinite(mcse):
        start += f" (Monte Carlo standard error {standard_error_text(mcse)})"
    tied = decision.state == "tied"
    verdict = ", and so has another statement" if tied else certainty_words(decision)
    return [
        f"{start}{verdict}.",
        *_pair_words(results, answer),
        "The figure is only as good as that model: see diagnose() for its sampling and loo() for "
        "how it compares with others.",
    ]


def _model_words(details: ModelDetails) -> str:
    """Name the model, with its title where that says more."""
    if details.model == UNNAMED:
        return "a model of your own"
    title = details.title.rstrip(".")
    return f"the model {details.model}" + ("" if title == details.model else f" ({title})")


def _pair_words(results: Results, answer: Answer) -> list[str]:
    """Say who is ahead of whom, where the model has a strength for each of many algorithms."""
    details = ModelDetails.of(answer)
    if details.together is not None:
        return [
            f"It is one model of {plural(len(details.together), 'algorithm')} together, "
            "and this pair is one of its pairs."
        ]
    ahead, names = details.ahead, results.algorithms
    if ahead is None or len(names) < 3:
        return []
    everywhere = " on every measure" if len(results.measures) > 1 else ""
    sure = [
        f"{first} is ahead of {join_names(behind)}"
        for first, row in zip(names, ahead, strict=True)
        if (behind := [name for name, p in zip(names, row, strict=True) if p >= SETTLED])
    ]
    least = f"{setting_number_text(SETTLED)} or more"
    if not sure:
        return [f"No algorithm is ahead of another{everywhere} with probability {least}."]
    return [f"Pair by pair{everywhere}, with probability {least} each: {'; '.join(sure)}."]


def model_methods_text(answer: Answer | None) -> str:
    """Describe the model for a methods section."""
    named = "a custom generative model"
    if answer is not None and ModelDetails.of(answer).model != UNNAMED:
        named = f"the generative model {ModelDetails.of(answer).model}"
    return f"by {named}, sampled by NUTS in PyMC."
