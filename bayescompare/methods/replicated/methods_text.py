"""What a paper says of the test from replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescompare.methods.dirichlet.methods_text import prior_text
from bayescompare.methods.replicated.details import ReplicatedDetails
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer

__all__ = ["replicated_learned_text", "replicated_methods_text"]


def replicated_methods_text(method: Any, answer: Answer | None) -> str:
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
        f"dataset, and its replicates{_replicated_methods_text_rho(method)} weigh the statements "
        f"under {means}; "
        f"the probabilities θ of the statements have a {prior_text(method)}. Reported is the "
        f"posterior probability that a statement's θ is the largest"
        f"{how.get(kind, ', by NUTS in PyMC')}.{together}"
    )


def replicated_learned_text(pairs: int) -> str:
    """Describe how the prior of each pair came from all of them."""
    return (
        f"The prior of each pair is Dirichlet(Aφ), learned from all {pairs} pairs by "
        "empirical Bayes: the base φ is the pooled evidence of the pairs' datasets for the "
        "statements, made symmetric under swapping the two algorithms, plus one dataset spread "
        "evenly; the strengths A of the pairs come from one distribution over 16 values from 0.1 "
        "to 1000, found by EM on the exact evidences."
    )


def _replicated_methods_text_rho(method: Any) -> str:
    if method.rho is not None:
        return f" (correlation ρ = {setting_number_text(method.rho)})"
    return "" if method.folds is None else f" (correlation ρ = 1/{method.folds})"
