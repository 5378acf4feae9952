"""What a paper says of generalised stochastic dominance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescompare.methods._shared.methods_text import shared_text_on_sampling
from bayescompare.methods.gsd.details import PairDetails, PermutationDetails
from bayescompare.text.numbers import plural, setting_number_text, statistic_number_text

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer

__all__ = ["gsd_bootstrap_methods_text", "gsd_methods_text"]


def gsd_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the relation and its test."""
    relation = (
        "by generalised stochastic dominance ({aside}), which asks whether every utility in "
        "keeping with the measures' scales prefers one, "
        f"{_gsd_methods_text_on_delta(method, answer)}"
    )
    if answer is not None and answer.pvalue is None:
        return f"{relation}. The order is that of these data; it was not tested."
    test = f"{method.scheme}, {_gsd_methods_text_on_resamples(method, answer)}"
    sides = "two-sided" if method.sides == 2 else "one-sided, in a direction named beforehand"
    return f"{relation}; the p-value is that of a permutation test ({sides}; {test})."


def gsd_bootstrap_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the relation under the Bayesian bootstrap."""
    draws = f"from {plural(method.resamples, 'draw')} of the datasets' weights"
    if method.needs_mcmc:
        draws = f"with weights of the datasets{shared_text_on_sampling(method)}"
    elif method.priors:
        draws += shared_text_on_sampling(method)
    elif method.concentration != 1.0:
        draws += f", a Dirichlet with every parameter {setting_number_text(method.concentration)}"
    return (
        "by generalised stochastic dominance ({aside}) under the Bayesian bootstrap over datasets, "
        f"{_gsd_methods_text_on_delta(method, answer)}, {draws}. Reported is the posterior "
        "probability of dominance."
    )


def _gsd_methods_text_on_delta(method: Any, answer: Answer | None) -> str:
    """The δ that was used, as it was asked for: itself, or as a share ε of δ_max."""
    used = None
    if answer is not None and isinstance(answer.details, PairDetails):
        used = answer.details.delta
    at_delta = f"at δ = {setting_number_text(method.delta)}"
    if method.epsilon is not None:
        at_delta = f"at δ = ε·δ_max with ε = {setting_number_text(method.epsilon)}"
        at_delta += (
            f" (δ = {statistic_number_text(used, significant=3)})" if used is not None else ""
        )
    elif used is not None and used < method.delta:
        largest = statistic_number_text(used, significant=3)
        at_delta += f", cut to the largest that the pair allows, {largest}"
    if method.rule is not None:
        at_delta += f" (rule of gains: {method.rule})"
    return at_delta


def _gsd_methods_text_on_resamples(method: Any, answer: Answer | None) -> str:
    """How many labellings were tried, which need not be how many were asked for."""
    stop = method.stop_after
    until = "" if stop is None else f", at most until {stop} of them reach the statistic"
    if answer is None:
        return f"at most {plural(method.permutations, 'resample')}{until}"
    details = PermutationDetails.of(answer)
    tried = max(details.resamples)
    if details.enumerated:
        return f"all {plural(tried, 'swap')} of labels"
    return f"{plural(tried, 'resample')}{until}"
