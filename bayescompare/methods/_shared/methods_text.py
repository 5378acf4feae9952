"""Pieces of the methods paragraphs: whose prior, how it was computed, what was chosen."""

from __future__ import annotations

from typing import Any

from bayescompare._checks import is_number
from bayescompare.methods._shared.priors import prior_options
from bayescompare.text.numbers import setting_number_text

__all__ = [
    "shared_option_as_given",
    "shared_own_priors",
    "shared_text_on_how",
    "shared_text_on_sampling",
    "shared_text_on_weight",
]


def shared_text_on_how(method: Any) -> str:
    """How P(max) was computed."""
    return "by NUTS in PyMC" if method.needs_mcmc else "by one-dimensional quadrature, exactly"


def shared_own_priors(method: Any) -> str:
    """The priors that the user gave, by name."""
    priors = prior_options(method.priors) or {}
    return ", ".join(f"{name} {value}" for name, value in priors.items())


def shared_text_on_sampling(method: Any) -> str:
    """Whose priors they were, where they are not the method's, and whether NUTS was needed."""
    own = f", under priors given by the user ({shared_own_priors(method)})" if method.priors else ""
    return own + (", sampled by NUTS" if method.needs_mcmc else "")


def shared_option_as_given(value: object) -> str:
    """An option as it was given: a number, or a word."""
    return setting_number_text(value) if is_number(value) else str(value)


def shared_text_on_weight(b: object) -> str:
    """The parameter b of a symmetric Beta prior."""
    return "b learned from all pairs" if b == "learned" else f"b = {shared_option_as_given(b)}"
