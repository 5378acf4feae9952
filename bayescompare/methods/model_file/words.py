"""The words of a model file."""

from __future__ import annotations

import math

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import SETTLED, Decision
from bayescompare.methods.model_file.details import ModelDetails
from bayescompare.results.results import Results
from bayescompare.text.numbers import error, plural, probability_words, setting
from bayescompare.text.phrases import join_names, short_label

__all__ = ["model_file_words", "model_methods_text"]


def model_file_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict of the model, and that it is the model's."""
    n = plural(len(results.datasets), "dataset")
    details = ModelDetails.of(answer)
    assert answer.mcse is not None
    mcse = float(answer.mcse[answer.labels.index(decision.statement)])
    start = (
        f"By the model {details.model} ({details.title.rstrip('.')}) on {n} the most probable "
        f"statement is {short_label(decision.statement)}, with probability "
        f"{probability_words(decision.level)}"
    )
    if math.isfinite(mcse):
        start += f" (Monte Carlo standard error {error(mcse)})"
    verdict = {
        "settled": ", which settles it.",
        "likely": f": likely, but short of {setting(SETTLED)} and so not settled.",
        "open": ", which leaves the question open.",
        "tied": ", as another statement has.",
    }[decision.verdict]
    return [
        start + verdict,
        *_pair_words(results, answer),
        "The figure is that model's: see diagnose() for its sampling and loo() for how it "
        "compares with others.",
    ]


def _pair_words(results: Results, answer: Answer) -> list[str]:
    """Say who is ahead of whom, where the model has a strength for each of many algorithms."""
    details = ModelDetails.of(answer)
    if details.together is not None:
        return [
            f"It is one model of {plural(len(details.together), 'algorithm')} together, "
            "of which this pair was read."
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
    least = f"{setting(SETTLED)} or more"
    if not sure:
        return [f"No algorithm is ahead of another{everywhere} with probability {least}."]
    return [f"Pair by pair{everywhere}, with probability {least} each: {'; '.join(sure)}."]


def model_methods_text(answer: Answer | None) -> str:
    """Describe the model for a methods section."""
    named = "a generative model of their own"
    if answer is not None:
        named = f"the generative model {ModelDetails.of(answer).model}"
    return f"by {named}, sampled by NUTS in PyMC."
