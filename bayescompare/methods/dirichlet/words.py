"""The multinomial-Dirichlet test in plain words, and what a paper says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bayescompare.methods._shared.words import own_priors_text, power_words, text_on_how
from bayescompare.methods.dirichlet.prior import WEIGHT, beliefs_words, is_elicited
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import HIGHEST, LOWER, LOWEST, THETA_MEAN, UPPER
from bayescompare.outcome.decision import (
    SETTLED,
    Decision,
    certainty_words,
    claim_in_quotes,
    claim_words,
)
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural, probability_words, setting_number_text
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    from bayescompare.learned import LearnedPrior
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.outcome.answer import Answer


def dirichlet_words(
    method: Dirichlet, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the verdict, the prior, the rivals, what the figure does not mean, and cautions."""
    verdict, not_frequency, others = lead_words(results, answer, decision)
    joint = len(results.algorithms) > 2
    sentences = [verdict, not_frequency]
    if method.learned is not None:
        sentences.append(learned_pair_words(method.learned, decision))
    else:
        sentences.append(_prior_words(method))
    sentences += [
        others,
        _bounds_words(
            answer,
            (LOWER, UPPER),
            decision,
            "Over all prior means of this strength",
            "so that it leads does not depend on the prior mean",
            "so with some prior means it leads surely and with others not",
            "so with no prior mean does it lead surely",
        ),
        _joint_words(results, answer) if joint else _sparse_words(results, answer),
    ]
    if joint and method.prior not in ("symmetric", "imprecise"):
        sentences.append(
            "With this prior the joint test judges a pair differently than a test of that pair "
            "alone; the two agree only for prior='symmetric'."
        )
    alike = ", and every dataset counts the same" if results.weights is None else ""
    sentences.append(f"{size_words(results)}{alike}.")
    if results.weights is not None:
        sentences.append(power_words(results))
    tried = "a search tried (there are too many to try all),"
    every = getattr(answer.facts, "bounds_exact", True)
    where = "Over all values that the missing cells could have,"
    sentences.append(
        _bounds_words(
            answer,
            (LOWEST, HIGHEST),
            decision,
            where if every else f"Over the values of the missing cells that {tried}",
            "so that it leads does not depend on the gaps",
            "so it depends on the missing values whether it leads surely",
            "so with no missing values would it lead surely",
        )
    )
    return [sentence for sentence in sentences if sentence]


def _prior_words(method: Dirichlet) -> str:
    """Say under which prior the probabilities hold."""
    prior: Any = method.prior
    if method.priors:
        return f"You chose the prior of {join_names(list(method.priors))}."
    if prior in ("symmetric", "imprecise"):
        weight = plural(method.strength, "dataset")
        return f"The prior treats all statements alike and weighs as much as {weight}."
    if is_elicited(prior):
        return (
            f"You chose the prior: it expects that {beliefs_words(prior)}, and weighs as much as "
            f"{plural(prior.get(WEIGHT, 1.0), 'dataset')}."
        )
    if isinstance(prior, Mapping):
        return "You chose the prior of each statement."
    named = {"jeffreys": "½ (Jeffreys)", "uniform": "1 (uniform)"}
    alpha = named[prior] if prior in named else setting_number_text(float(prior))
    return f"The prior gives every statement α = {alpha}."


def learned_pair_words(learned: LearnedPrior, decision: Decision) -> str:
    """Say that the prior was learned, and what the pair's own prior says."""
    source = f"The prior was learned from all {plural(learned.pairs, 'pair')} of the table"
    if learned.folds and learned.lenders < learned.pairs:
        source = (
            f"The prior was learned from {learned.lenders} of the {learned.pairs} pairs of the "
            "table, without decided ones of algorithms that stand apart from these two"
        )
    if decision.verdict == "tied" or decision.alone is None:
        return f"{source}."
    alone = probability_words(decision.alone)
    return (
        f"{source}; under the pair's own prior, which compare() uses, the probability is {alone}."
    )


def size_words(results: Results) -> str:
    """Say what counts about a difference: its direction, and with a rope whether it is small."""
    if any(results[name].rope is not None for name in results.measures):
        return "Only the direction of each difference counts, and whether it is within the rope"
    return "Only the direction of each difference counts, not its size"


def lead_words(results: Results, answer: Answer, decision: Decision) -> tuple[str, str, str]:
    """Say which statement leads, that leading is not frequency, and what comes next."""

    def claim(label: str) -> str:
        return claim_words(label, results.algorithms, results.measures)

    n, level = plural(len(results.datasets), "dataset"), probability_words(decision.level)
    if decision.verdict == "tied":
        tied = (decision.statement, *decision.rivals)
        # Orderings of many algorithms are too long to be listed in a sentence.
        named = f"{len(tied)} orderings"
        if len(results.algorithms) == 2:
            named = join_names([claim_in_quotes(claim(label)) for label in tied], most=4)
        lead = (
            f"On {n} no single statement leads: {named} are equally likely to be the most probable "
            f"one ({level} each)."
        )
        return lead, "", ""
    lead = (
        f"On {n} the most probable statement is that {claim(decision.statement)}. The probability "
        f"that it is the most probable one is {level} "
        f"({exactness_phrase(answer, decision.statement)})"
        f"{_held_back_words(answer, decision)}{certainty_words(decision)}."
    )
    mean = probability_words(answer.column_at(THETA_MEAN, decision.statement))
    frequency = (
        "That is how sure we are that it leads, not how often it holds: on a new dataset it is "
        f"expected to hold with probability {mean}."
    )
    if decision.runner_up is None:
        return lead, frequency, ""
    label, probability = decision.runner_up
    others = f"The next statement, with {probability_words(probability)}, is that {claim(label)}"
    if answer.n_statements > len(answer.labels) and answer.unobserved is not None:
        rest = probability_words(answer.unobserved)
        others += f"; all statements never observed have {rest} together"
    return lead, frequency, f"{others}."


def _held_back_words(answer: Answer, decision: Decision) -> str:
    """Say what else the verdict rests on, where that is less sure."""
    words = ""
    if decision.alone is not None and decision.alone < decision.level:
        words = f", but {probability_words(decision.alone)} under the pair's own prior"
    if decision.lowest is not None:
        over = "for any prior mean" if LOWER in answer.per_statement else "whatever is missing"
        words += f", and at least {probability_words(decision.lowest)} {over}"
    return words


def _bounds_words(
    answer: Answer, ends: tuple[str, str], decision: Decision, over: str, *meanings: str
) -> str:
    """Say the bounds of the leader's P, and whether all, some or none of it settle the lead."""
    if ends[0] not in answer.per_statement or (ends[0] == LOWEST and decision.verdict == "tied"):
        return ""
    low, high = (answer.column_at(end, decision.statement) for end in ends)
    meaning = meanings[0 if low >= SETTLED else 1 if high >= SETTLED else 2]
    return (
        f"{over} the probability of the leader lies between {probability_words(low)} and "
        f"{probability_words(high)}, {meaning}."
    )


def _sparse_words(results: Results, answer: Answer) -> str:
    n = len(results.datasets)
    if n >= 2 * answer.n_observed:
        return ""
    return (
        f"Caution: {plural(n, 'dataset')} support {answer.n_observed} different statements. With "
        "so few per statement the prior weighs heavily, and a single dataset can already push "
        "its statement to a probability of about 0.6."
    )


def _joint_words(results: Results, answer: Answer) -> str:
    """Say what a joint test over orderings can and cannot show with this many datasets."""
    n = len(results.datasets)
    start = (
        f"This is the joint test over whole orderings of {len(results.algorithms)} algorithms: "
        f"{count(answer.n_statements)} statements are possible, and the {plural(n, 'dataset')} "
        f"support {count(answer.n_observed)} of them."
    )
    # With fewer datasets than statements observed, no ordering has been seen twice.
    if n < 2 * answer.n_observed:
        return (
            f"{start} So it can say which complete ordering leads, but with so few datasets hardly "
            "any ordering recurs, and it cannot say who beats whom; pairwise() can. The leading "
            "ordering need not agree with each pair's own most probable statement."
        )
    return (
        f"{start} It says which complete ordering leads; that ordering need not agree with each "
        "pair's own most probable statement, which pairwise() gives."
    )


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
