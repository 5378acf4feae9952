"""What a paper says of the test from replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescompare.methods._shared.methods_text import own_priors
from bayescompare.methods.replicated.details import ReplicatedDetails
from bayescompare.text.numbers import setting

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer

__all__ = ["replicated_methods_text"]


def replicated_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the model, the evidence of each dataset and how it was computed."""
    effects = method.effects if answer is None else ReplicatedDetails.of(answer).effects
    means = (
        "a normal prior on the mean differences whose scale was learned from all datasets, with "
        "variances moderated over datasets"
        if effects == "learned"
        else "a flat prior on the mean differences"
    )
    prior = (
        f"prior given by the user ({own_priors(method)})"
        if method.priors
        else f"Dirichlet prior (strength s = {setting(method.strength)})"
        if method.prior == "symmetric"
        else "Dirichlet prior"
    )
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
        f"dataset, and its replicates weigh the statements under {means}; the probabilities θ of "
        f"the statements have a {prior}. Reported is the posterior probability that a statement's "
        f"θ is the largest{how.get(kind, ', by NUTS in PyMC')}.{together}"
    )
