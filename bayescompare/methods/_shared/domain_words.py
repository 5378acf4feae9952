"""Domains in plain words: the average one, the old ones, and a new one."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.methods._shared.domains import KAPPA
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import certainty_words, claim_words
from bayescompare.outcome.decision import Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    plural,
    probability_words,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import exactness_phrase, join_names

#: What a methods section says.
DOMAIN_TEXT = (
    "The datasets come from several domains. The probabilities θ_g of the statements in a domain "
    "vary around those of the average domain, θ_g ~ Dirichlet(κφ), with φ under the prior named "
    f"above and κ ~ Gamma({setting_number_text(KAPPA[0])}, {setting_number_text(KAPPA[1])}). "
    "Reported is the probability "
    "that a statement's φ is the largest; φ and κ were sampled by NUTS in PyMC, with every θ_g "
    "integrated out."
)


def domain_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict on the average domain, on each old one, and on a new one."""
    details: Any = answer.details
    k = answer.labels.index(decision.statement)
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    each = np.array(details.domain_probability)
    sentences = [
        f"On {plural(len(results.datasets), 'dataset')} of "
        f"{plural(len(details.domains), 'domain')} the most probable statement in the average "
        f"domain is that {claim}. The probability that it is the most probable one there is "
        f"{probability_words(decision.probability)} "
        f"({exactness_phrase(answer, decision.statement)}){certainty_words(decision)}.",
        _domain_words_on_old(details.domains, each, answer.labels, k),
        "A new domain differs from the average one as much as the old ones differ from each "
        "other: there the same statement is the most probable one with probability "
        f"{probability_words(details.new_domain[k])}.",
        _domain_words_on_likeness(details.kappa),
    ]
    return sentences


def _domain_words_on_old(
    names: tuple[str, ...], each: FloatArray, labels: tuple[str, ...], k: int
) -> str:
    """Say where a new dataset of an old domain stands."""
    leads = each.argmax(axis=1)
    same = [name for name, lead in zip(names, leads, strict=True) if lead == k]
    other = [
        f"{name} ({labels[lead]}, {probability_words(float(row[lead]))})"
        for name, lead, row in zip(names, leads, each, strict=True)
        if lead != k
    ]
    start = "A new dataset of an old domain follows that domain's own probabilities: the statement "
    if not other:
        low, high = float(each[:, k].min()), float(each[:, k].max())
        return (
            f"{start}leads in all {count(len(names))} of them, with probabilities from "
            f"{probability_words(low)} to {probability_words(high)} (see c.domains)."
        )
    where = f"leads in {join_names(same, most=6)}" if same else "leads in none of them"
    return f"{start}{where}; another one does in {join_names(other, most=6)} (see c.domains)."


def _domain_words_on_likeness(kappa: tuple[float, ...]) -> str:
    mean, low, high = (statistic_number_text(value, significant=2) for value in kappa)
    return (
        f"How alike domains are, κ, is {mean} ({low} to {high}): a domain is known beforehand as "
        "well as that many of its datasets would tell."
    )
