"""The test from replicates in plain words: of an answer, and of the test in a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.methods._shared.correlation import correlation_words
from bayescompare.methods._shared.words import power_words
from bayescompare.methods.dirichlet.methods_text import prior_text
from bayescompare.methods.dirichlet.words import lead_words, learned_pair_words
from bayescompare.methods.replicated.comparison import ReplicatedDetails
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import claim_words
from bayescompare.outcome.decision import SETTLED, Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    format_probability,
    plural,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated

__all__ = ["assumption_words", "dataset_headline", "methods_text", "replicated_words"]

#: A statement of a dataset is sure from here on.
_SURE = 0.95


def replicated_words(
    method: Replicated, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the verdict, which datasets are sure, and what was assumed of the replicates."""
    details = ReplicatedDetails.of(answer)
    if len(results.datasets) == 1:
        sentences = _one_dataset_words(results, answer, decision)
    else:
        verdict, not_frequency, others = lead_words(results, answer, decision)
        sentences = [
            verdict,
            not_frequency,
            others,
            _sureness_words(results, details),
            _shift_words(details),
        ]
        sentences += [
            _uncertainty_words(results, details, decision),
            _prior_words(method),
        ]
    sentences += assumption_words(method, results, details)
    if not method.joint:
        sentences.append("Each dataset was judged by itself, without hearing the others.")
    if results.weights is not None:
        sentences.append(power_words(results))
    said = [sentence for sentence in sentences if sentence]
    if method.learned is not None:
        # After the verdict and what it does not mean; a tie has only the first.
        lead = 1 if decision.verdict == "tied" else 2
        said.insert(lead, learned_pair_words(method.learned, decision))
    return said


def assumption_words(method: Replicated, results: Results, details: ReplicatedDetails) -> list[str]:
    """Say what was assumed of effects and replicates."""
    sentences = [
        _effect_words(method, results, details),
        _counted_words(details),
        _few_words(results, details),
    ]
    return [sentence for sentence in (*sentences, _rho_words(method, results, details)) if sentence]


def dataset_headline(results: Results, decision: Decision) -> str:
    """Say that the answer is about one dataset."""
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    level = format_probability(decision.level)
    return (
        f"On {results.datasets[0]}: {claim}, with P = {level}; nothing follows for other datasets"
    )


def _one_dataset_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    level = format_probability(decision.level)
    sure = "which settles it there" if decision.level >= SETTLED else "which leaves it open"
    return [
        f"On {results.datasets[0]} the most probable statement is that {claim}, with probability "
        f"{level}, {sure}.",
        "This is about that dataset alone. How other datasets would turn out is not known from "
        f"one, however many {_noun(results)} it has.",
    ]


def _noun(results: Results) -> str:
    return "items" if results.replicates == "items" else "replicates"


def _sureness_words(results: Results, details: ReplicatedDetails) -> str:
    """Say which datasets are certain of their statement by themselves, and which are not."""
    top = np.array(details.evidence).max(axis=1)
    sure = int((top >= _SURE).sum())
    n = len(top)
    if sure == n:
        return f"By its own {_noun(results)} every dataset is sure of its statement."
    unsure = [name for name, p in zip(results.datasets, top, strict=True) if p < _SURE]
    named = join_names(unsure, most=4)
    return (
        f"By their own {_noun(results)} {count(sure)} of {plural(n, 'dataset')} "
        f"{'is' if sure == 1 else 'are'} sure of a statement (P ≥ {setting_number_text(_SURE)}); "
        f"{named} "
        f"{'is' if len(unsure) == 1 else 'are'} not."
    )


def _shift_words(details: ReplicatedDetails) -> str:
    """Say how many datasets the others bring to certainty, or turn."""
    alone, after = np.array(details.evidence), np.array(details.per_dataset)
    turned = int((alone.argmax(axis=1) != after.argmax(axis=1)).sum())
    gained = int(((after.max(axis=1) >= _SURE) & (alone.max(axis=1) < _SURE)).sum())
    parts = []
    if gained:
        parts.append(f"makes {plural(gained, 'more dataset')} sure")
    if turned:
        parts.append(f"changes the leading statement of {plural(turned, 'dataset')}")
    return f"What the other datasets show {' and '.join(parts)}." if parts else ""


def _prior_words(method: Replicated) -> str:
    if method.learned is not None:
        return ""
    if method.priors:
        return f"You chose the prior of {join_names(list(method.priors))}."
    if method.prior == "symmetric":
        weight = plural(method.strength, "dataset")
        return f"The prior treats all statements alike and weighs as much as {weight}."
    return "You chose the prior of the statements."


def _effect_words(method: Replicated, results: Results, details: ReplicatedDetails) -> str:
    if details.effects == "learned" and details.scales:
        scale = float(np.dot(details.scales, details.scale_weights))
        return (
            "How large mean differences tend to be was learned from all datasets (scale "
            f"{statistic_number_text(scale, significant=2)} of what is seen), so noise is not "
            "mistaken for "
            "effects."
        )
    if details.effects in ("learned", "counts"):
        return ""
    why = ""
    if method.effects == "learned":
        few = len(results.datasets) < 3
        why = (
            " because fewer than three datasets cannot teach it"
            if few
            else " because no scale fits the ropes"
        )
    return (
        f"Mean differences have a flat prior{why}, which is overconfident where the noise is "
        "large against the differences."
    )


def _counted_words(details: ReplicatedDetails) -> str:
    """Say which datasets were judged by counts of right and wrong items."""
    if details.counted is None:
        return ""
    if details.effects == "counts":
        where = "On every dataset"
    else:
        where = f"On {join_names(list(details.counted), most=4)}"
    drawn = (
        ""
        if not details.error
        else f" (standard error up to {statistic_number_text(details.error)})"
    )
    return (
        f"{where} items are right or wrong, and what counts is how many of them only one of the "
        f"two gets right{drawn}."
    )


def _few_words(results: Results, details: ReplicatedDetails) -> str:
    if not details.few:
        return ""
    named = join_names(list(details.few), most=4)
    noun = "clusters of items" if results.item_data is not None else _noun(results)
    return (
        f"{named} {'has' if len(details.few) == 1 else 'have'} no more {noun} than measures: "
        "there the measures are taken as independent."
    )


def _rho_words(method: Replicated, results: Results, details: ReplicatedDetails) -> str:
    items = results.item_data
    if items is not None and ("cluster" in items or "clusters" in items):
        fewest, most = min(details.replicates), max(details.replicates)
        many = count(most) if fewest == most else f"{count(fewest)} to {count(most)}"
        return (
            f"Items come in {many} clusters per dataset and were taken to be independent only "
            "across clusters."
        )
    return correlation_words(
        results, details.rho, details.replicates, rho=method.rho, folds=method.folds
    )


def _uncertainty_words(results: Results, details: ReplicatedDetails, decision: Decision) -> str:
    """Say what the remaining uncertainty comes from, and so what to collect next."""
    split = details.uncertainty
    if split is None or decision.level >= SETTLED or len(results.datasets) == 1:
        return ""
    parts = split.total, split.replicates, split.datasets
    total, replicates, datasets = map(format_probability, parts)
    start = (
        f"Of the uncertainty that is left ({total}), {replicates} comes from too few replicates, "
        f"which leave datasets unsure of their statement, and {datasets} from too few datasets: "
    )
    if split.replicates <= split.datasets:
        advice = "most of it would remain with endless replicates, so collect more datasets"
    elif max(details.rho) == 0.0:
        advice = "most of it would go with endless replicates, so collect more of them first"
    else:
        # More of them approach ρ/(1 − ρ), not certainty: the datasets can be the better buy.
        advice = (
            "most of it would go with endless independent replicates, but those of one "
            "cross-validation share their data, so collect independent ones or more datasets"
        )
    return f"{start}{advice}; plan() says how many of either would settle it."


# the test in a paper -----------------------------------------------------------------------------


def methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the model, the evidence of each dataset and how it was computed."""
    effects = method.effects if answer is None else ReplicatedDetails.of(answer).effects
    means = {
        "learned": "a normal prior on the mean differences whose scale was learned from all "
        "datasets, with variances moderated over datasets and integrated out",
        "flat": "a flat prior on the mean differences",
        "counts": "a Dirichlet prior on the patterns of right and wrong answers to an item "
        "(3^(1 − m) for each pattern of m measures)",
    }[effects]
    how = {
        None: "",
        "exact": ", computed exactly",
        "gibbs": ", computed by collapsed Gibbs sampling",
    }
    kind = None if answer is None else ReplicatedDetails.of(answer).how
    together = "" if method.joint else " Each dataset was judged by itself (the cut model)."
    return (
        "by a joint test of replicated results, which extends the multinomial-Dirichlet test of "
        "{cited}: the joint statement about who is better on each measure is unknown on every "
        f"dataset, and its replicates{_rho_text(method)} weigh the statements "
        f"under {means}; "
        f"the probabilities θ of the statements have a {prior_text(method)}. Reported is the "
        f"posterior probability that a statement's θ is the largest"
        f"{how.get(kind, ', by NUTS in PyMC')}.{together}"
    )


def _rho_text(method: Any) -> str:
    if method.rho is not None:
        return f" (correlation ρ = {setting_number_text(method.rho)})"
    return "" if method.folds is None else f" (correlation ρ = 1/{method.folds})"
