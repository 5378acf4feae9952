"""What a paper says of the multinomial-Dirichlet test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayescompare.methods._shared.words import own_priors_text, text_on_how
from bayescompare.methods.dirichlet.prior import WEIGHT, beliefs_words, is_elicited
from bayescompare.text.numbers import count, plural, setting_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer

__all__ = ["dirichlet_methods_text", "prior_text"]


def dirichlet_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test, its prior and what is reported."""
    size = "" if answer is None else f" (of which there are {count(answer.n_statements)})"
    reported = "the posterior probability that a statement's θ is the largest"
    if method.prior == "imprecise":
        reported += ", and its lower and upper bounds over all prior means"
    return (
        "by the multinomial-Dirichlet test of {cited}: every dataset supports one joint statement "
        f"about who is better on each measure{size}; their probabilities θ have a "
        f"{prior_text(method)}. Reported is {reported}, computed {text_on_how(method)}."
    )


def prior_text(method: Any) -> str:
    """Describe the prior of the statements."""
    if method.priors:
        return f"prior given by the user ({own_priors_text(method)})"
    if method.prior == "learned":
        return "prior learned from all pairs"
    if method.prior in ("symmetric", "imprecise"):
        return f"Dirichlet prior (symmetric, strength s = {setting_number_text(method.strength)})"
    if is_elicited(method.prior):
        return (
            "Dirichlet prior elicited measure by measure (that "
            f"{beliefs_words(method.prior)}; independent over measures) and worth "
            f"{plural(method.prior.get(WEIGHT, 1.0), 'dataset')}"
        )
    if isinstance(method.prior, Mapping):
        return "Dirichlet prior with parameters given for single statements"
    parameter = {"jeffreys": "α = 1/2, Jeffreys'", "uniform": "α = 1, uniform"}
    return f"Dirichlet prior ({parameter.get(str(method.prior), f'α = {method.prior}')})"
