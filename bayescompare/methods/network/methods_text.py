"""What a paper says of the network test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescompare.methods._shared.methods_text import shared_option_as_given, shared_own_priors
from bayescompare.methods.network.details import NetworkDetails
from bayescompare.text.numbers import plural, setting_number_text, standard_error_text

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer

__all__ = ["network_methods_text"]


def network_methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test, its graph and what is reported."""
    limit = method.max_parents if answer is None else NetworkDetails.of(answer).max_parents
    choices = ["BDeu score", f"equivalent sample size {shared_option_as_given(method.ess)}"]
    if method.priors:
        choices[1] = f"prior given by the user: {shared_own_priors(method)}"
    if "alpha" in (method.priors or {}) and not method.needs_mcmc:
        choices[0] = "BD score"
    if isinstance(method.search, str):
        most = "as many parents as the datasets allow" if limit is None else plural(limit, "parent")
        choices.append(f"at most {most} each")
    graph = "of a graph given by the user"
    if method.average:
        graph = "averaged over all graphs within the limit on parents"
    elif isinstance(method.search, str):
        graph = "of the graph with the best score"
        choices.append(f"{method.search} search")
    return (
        "by the test of {cited} with the joint distribution factored by a Bayesian network over "
        f"the measures, {graph} ({', '.join(choices)}). Reported is the posterior "
        f"probability that a joint statement is the most probable one, computed "
        f"{_network_methods_text_error(method, answer)}."
    )


def _network_methods_text_error(method: Any, answer: Answer | None) -> str:
    if answer is not None and answer.mcse is not None:
        most = standard_error_text(float(answer.mcse.max()))
        return (
            f"by {'NUTS' if method.needs_mcmc else 'Monte Carlo'} (standard error at most {most})"
        )
    if answer is None and not method.needs_mcmc:
        wanted = setting_number_text(method.mcse)
        return f"exactly where it can be, else by Monte Carlo to a standard error of {wanted}"
    return "by NUTS in PyMC" if method.needs_mcmc else "exactly"
