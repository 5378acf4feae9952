"""The multinomial-Dirichlet test in plain words, and what a paper says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from bayescompare.methods._shared.words import own_priors_text, power_words, text_on_how
from bayescompare.methods.dirichlet.prior import WEIGHT, beliefs_words, is_elicited
from bayescompare.outcome.answer import HIGHEST, LOWER, LOWEST, THETA_MEAN, UPPER, Answer
from bayescompare.outcome.decision import (
    SETTLED,
    Decision,
    certainty_words,
    claim_in_quotes,
    claim_words,
)
from bayescompare.outcome.words import Said, say, told
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural, probability_words, setting_number_text
from bayescompare.text.phrases import exactness_phrase

if TYPE_CHECKING:
    from bayescompare.learned import LearnedPrior
    from bayescompare.methods.dirichlet import Dirichlet


def dirichlet_words(
    method: Dirichlet, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the verdict, the prior, the rivals, what the figure does not mean, and cautions."""
    l, n = len(results.algorithms), len(results.datasets)
    said: list[Said] = list(_bounds(answer, LOWER, UPPER, decision, "overpriors"))
    sizes = {"n": plural(n, "dataset"), "k": count(answer.n_observed), "l": l}
    few = n < 2 * answer.n_observed  # hardly any statement has been seen twice
    if l > 2:
        said.append(("jointtest", {**sizes, "all": count(answer.n_statements)}))
        said.append(("jointfew" if few else "jointmany", {}))
        if method.prior not in ("symmetric", "imprecise"):
            said.append(("jointprior", {}))
    elif few:
        said.append(("sparse", sizes))
    learned = method.learned
    prior = _prior_words(method) if learned is None else learned_pair_words(learned, decision)
    weights = [] if results.weights is None else [power_words(results)]
    gaps = "overgaps" if getattr(answer.facts, "bounds_exact", True) else "overgapstried"
    return [
        *lead_words(results, answer, decision),
        prior,
        *told(said),
        size_words(results, alike=results.weights is None),
        *weights,
        *told(_bounds(answer, LOWEST, HIGHEST, decision, gaps) if decision.state != "tied" else ()),
    ]


def _prior_words(method: Dirichlet) -> str:
    """Say under which prior the probabilities hold."""
    prior: Any = method.prior
    if method.priors:
        return say("chosenpriors", list=list(method.priors))
    if prior in ("symmetric", "imprecise"):
        return say("priorsymmetric", k=plural(method.strength, "dataset"))
    if is_elicited(prior):
        weight = plural(prior.get(WEIGHT, 1.0), "dataset")
        return say("priorbeliefs", beliefs=beliefs_words(prior), k=weight)
    if isinstance(prior, Mapping):
        return say("priorstatements")
    named = {"jeffreys": "½ (Jeffreys)", "uniform": "1 (uniform)"}
    return say("prioralpha", a=named.get(prior) or setting_number_text(float(prior)))


def learned_pair_words(learned: LearnedPrior, decision: Decision) -> str:
    """Say that the prior was learned, and what the pair's own prior says."""
    some = learned.folds and learned.lenders < learned.pairs
    alone = ""
    if decision.state != "tied" and decision.alone is not None:
        alone = say("learnedalone", p=probability_words(decision.alone))
    facts = {"k": learned.lenders, "n": plural(learned.pairs, "pair"), "alone": alone}
    return say("learnedsome" if some else "learnedall", **facts)


def size_words(results: Results, *, alike: bool = False) -> str:
    """Say what counts about a difference: its direction, and with a rope whether it is small."""
    rope = any(results[name].rope is not None for name in results.measures)
    return say("directionrope" if rope else "direction", alike=say("alldatasets") if alike else "")


def lead_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say which statement leads, that leading is not frequency, and what comes next."""
    return told(_lead(results, answer, decision))


def _lead(results: Results, answer: Answer, d: Decision) -> Iterator[Said]:
    def claim(label: str) -> str:
        return claim_words(label, results.algorithms, results.measures)

    facts = {"n": plural(len(results.datasets), "dataset"), "p": probability_words(d.probability)}
    if d.state == "tied":
        tied = (d.statement, *d.rivals)
        # Orderings of many algorithms are too long to be listed in a sentence.
        named = [f"{len(tied)} orderings"]
        if len(results.algorithms) == 2:
            named = [claim_in_quotes(claim(label)) for label in tied]
        yield "tiedlead", {**facts, "list": named}
        return
    sure = certainty_words(d)
    if d.lowest is not None:
        over = "for any prior mean" if LOWER in answer.per_statement else "whatever is missing"
        sure = f", and at least {probability_words(d.lowest)} {over}{sure}"
    if d.alone is not None and d.alone < d.probability:
        sure = f", but {probability_words(d.alone)} under the pair's own prior{sure}"
    how = exactness_phrase(answer, d.statement)
    yield "lead", {**facts, "claim": claim(d.statement), "how": how, "sure": sure}
    yield "newdataset", {"p": probability_words(answer.column_at(THETA_MEAN, d.statement))}
    if d.runner_up is not None:
        label, p = d.runner_up
        rest = answer.unobserved if answer.n_statements > len(answer.labels) else None
        facts = {"claim": claim(label), "p": probability_words(p)}
        facts["rest"] = "" if rest is None else say("unobserved", p=probability_words(rest))
        yield "nextstatement", facts


def _bounds(answer: Answer, low: str, high: str, d: Decision, name: str) -> Iterator[Said]:
    """Say the bounds of the leader's P, and whether all, some or none of it settle the lead."""
    if low in answer.per_statement:
        ends = [answer.column_at(end, d.statement) for end in (low, high)]
        surely = "surelyall" if ends[0] >= SETTLED else "surelysome"
        surely = surely if ends[1] >= SETTLED else "surelynone"
        p, q = map(probability_words, ends)
        yield name, {"p": p, "q": q, "surely": say(surely)}


def methods_text(method: Any, answer: Answer | None) -> str:
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
    prior = method.prior
    if set(method.priors or {}) - {"kappa"}:
        return f"prior given by the user ({own_priors_text(method)})"
    if prior == "learned":
        return "prior learned from all pairs"
    if prior in ("symmetric", "imprecise"):
        return f"Dirichlet prior (symmetric, strength s = {setting_number_text(method.strength)})"
    if is_elicited(prior):
        beliefs = cast("Mapping[str, Any]", prior)
        return (
            f"Dirichlet prior elicited measure by measure (that {beliefs_words(beliefs)}; "
            f"independent over measures) and worth {plural(beliefs.get(WEIGHT, 1.0), 'dataset')}"
        )
    if isinstance(prior, Mapping):
        return "Dirichlet prior with parameters given for single statements"
    parameter = {"jeffreys": "α = 1/2, Jeffreys'", "uniform": "α = 1, uniform"}
    return f"Dirichlet prior ({parameter.get(str(prior), f'α = {prior}')})"
