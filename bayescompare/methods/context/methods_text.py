"""What a paper says of the tests about a context of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescompare._checks import is_number
from bayescompare.methods._shared.words import (
    option_as_given,
    text_on_sampling,
    text_on_weight,
)
from bayescompare.methods.context.details import CorrelatedTDetails
from bayescompare.text.numbers import setting_number_text, statistic_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer

__all__ = [
    "correlated_t_methods_text",
    "hierarchical_methods_text",
    "poisson_binomial_methods_text",
]


def poisson_binomial_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test of error counts."""
    model = "jointly with the share of datasets" if method.joint else "dataset by dataset"
    prior = ""
    if not method.priors:
        prior = (
            ", under a Dirichlet prior of each dataset's error probabilities "
            f"(a = {option_as_given(method.a)}) and a Beta prior of the share of datasets "
            f"({text_on_weight(method.b)})"
        )
    return (
        "by the Poisson binomial test of {cited}: from the counts of examples that only one of the "
        f"two gets wrong, {model}{prior}{text_on_sampling(method)}. Reported is the "
        "posterior probability "
        "that one is better on most datasets of the context."
    )


def hierarchical_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test with partial pooling."""
    return (
        "by a hierarchical Beta model of the counts of examples that only one of the two gets "
        f"wrong (after {{aside}}), in which datasets learn from each "
        f"other{text_on_sampling(method)}. "
        "Reported is the posterior probability that one is better on most datasets of the context."
    )


def correlated_t_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test of replicates."""
    rho = "ρ, one over the number of folds"
    if answer is not None:
        seen = CorrelatedTDetails.of(answer).per_dataset.rho
        ends = dict.fromkeys([min(seen), max(seen)])
        rho = f"ρ = {' to '.join(statistic_number_text(end, significant=3) for end in ends)}"
    elif method.rho is not None:
        rho = f"ρ = {setting_number_text(method.rho)}"
    elif method.folds is not None:
        rho = f"ρ = 1/{method.folds}"
    outcome = "one is better on most datasets"
    if answer is not None and len(answer.labels) == 3:
        outcome = "an outcome (one better, the other better, equivalent) is the most frequent one"
    joint = "joint model, " if method.joint else ""
    own = {k: v for k, v in (method.priors or {}).items() if not is_number(v)}
    b = text_on_weight("learned" if method.b == "learned" else method.weight)
    prior = f"symmetric prior of the shares of datasets with {b}"
    if own:
        prior = "a prior of the shares of datasets"
    return (
        "by the Bayesian correlated t-test on each dataset's replicates, of which every two have "
        f"the correlation {rho}, and the Poisson binomial over datasets ({joint}{prior}; "
        f"{{aside}}){text_on_sampling(method) if own else ''}. Reported is the posterior "
        "probability that "
        f"{outcome}."
    )
