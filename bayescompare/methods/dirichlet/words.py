"""The multinomial-Dirichlet test in plain words, and what a paper says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bayescompare.methods._shared.words import own_priors_text, power_words, text_on_how
from bayescompare.methods.dirichlet.prior import WEIGHT, beliefs_words, is_elicited
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import (
    certainty_words,
    claim_in_quotes,
    claim_words,
    settled_parts_words,
)
from bayescompare.outcome.columns import HIGHEST, LOWER, LOWEST, THETA_MEAN, UPPER
from bayescompare.outcome.decision import SETTLED, Decision
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
    prior = method.prior
    verdict, not_frequency, others = lead_words(results, answer, decision)
    sentences = [
        verdict,
        not_frequency,
        _prior_words(method),
        others,
        _imprecise_words(answer, decision),
    ]
    sentences.append(
        _joint_words(results, answer)
        if len(results.algorithms) > 2
        else _sparse_words(results, answer)
    )
    if len(results.algorithms) > 2 and prior not in ("symmetric", "imprecise"):
        sentences.append(
            "With this prior the joint test judges a pair differently than a test of that pair "
            "alone; the two agree only for prior='symmetric'."
        )
    alike = ", and every dataset counts the same" if results.weights is None else ""
    sentences.append(f"{size_words(results)}{alike}.")
    if results.weights is not None:
        sentences.append(power_words(results))
    sentences += bounds_words(results, answer, decision)
    said = [sentence for sentence in sentences if sentence]
    if method.learned is not None:
        # After the verdict and what it does not mean; a tie has only the first.
        lead = 1 if decision.verdict == "tied" else 2
        said.insert(lead, learned_pair_words(method.learned, decision))
    return said


def _prior_words(method: Dirichlet) -> str:
    """Say under which prior the probabilities hold; `learned_pair_words` covers a learned one."""
    if method.prior == "learned":
        return ""
    if method.priors:
        return f"You chose the prior of {join_names(list(method.priors))}."
    if method.prior in ("symmetric", "imprecise"):
        weight = plural(method.strength, "dataset")
        return f"The prior treats all statements alike and weighs as much as {weight}."
    if is_elicited(method.prior):
        return _belief_words(cast("Mapping[str, Any]", method.prior))
    if isinstance(method.prior, Mapping):
        return "You chose the prior of each statement."
    alpha = {"jeffreys": "½ (Jeffreys)", "uniform": "1 (uniform)"}.get(str(method.prior))
    value = alpha or setting_number_text(float(str(method.prior)))
    return f"The prior gives every statement α = {value}."


def _belief_words(prior: Mapping[str, Any]) -> str:
    weight = plural(prior.get(WEIGHT, 1.0), "dataset")
    return (
        f"You chose the prior: it expects that {beliefs_words(prior)}, and weighs as "
        "much as "
        f"{weight}."
    )


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


def lead_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say which statement leads, that leading is not frequency, and what comes next."""
    return [
        _dirichlet_verdict_words(results, answer, decision),
        _dirichlet_frequency_words(answer, decision),
        _dirichlet_others_words(results, answer, decision),
    ]


def _dirichlet_verdict_words(results: Results, answer: Answer, decision: Decision) -> str:
    n = plural(len(results.datasets), "dataset")
    if decision.verdict == "tied":
        tied = (decision.statement, *decision.rivals)
        # Orderings of many algorithms are too long to be listed in a sentence.
        named = f"{len(tied)} orderings"
        if len(results.algorithms) == 2:
            named = join_names(
                [claim_in_quotes(_dirichlet_claim_words(results, label)) for label in tied], most=4
            )
        return (
            f"On {n} no single statement leads: {named} are equally likely to be the most probable "
            f"one ({probability_words(decision.level)} each)."
        )
    how = exactness_phrase(answer, decision.statement)
    start = (
        f"On {n} the most probable statement is that "
        f"{_dirichlet_claim_words(results, decision.statement)}. The "
        "probability that it is the most probable one is "
        f"{probability_words(decision.level)} ({how}){_dirichlet_held_back_words(answer, decision)}"
    )
    return f"{start}{certainty_words(decision)}."


def _lowest_over_words(answer: Answer) -> str:
    return "for any prior mean" if LOWER in answer.per_statement else "whatever is missing"


def _dirichlet_held_back_words(answer: Answer, decision: Decision) -> str:
    """Say what else the verdict rests on, where that is less sure."""
    words = ""
    if decision.alone is not None and decision.alone < decision.level:
        words = f", but {probability_words(decision.alone)} under the pair's own prior"
    if decision.lowest is not None:
        lowest = probability_words(decision.lowest)
        words += f", and at least {lowest} {_lowest_over_words(answer)}"
    return words


def _dirichlet_others_words(results: Results, answer: Answer, decision: Decision) -> str:
    if decision.runner_up is None or decision.verdict == "tied":
        return ""
    label, probability = decision.runner_up
    level = probability_words(probability)
    sentence = f"The next statement, with {level}, is that {_dirichlet_claim_words(results, label)}"
    if answer.n_statements > len(answer.labels) and answer.unobserved is not None:
        rest = probability_words(answer.unobserved)
        sentence += f"; all statements never observed have {rest} together"
    return f"{sentence}."


def _dirichlet_claim_words(results: Results, label: str) -> str:
    return claim_words(label, results.algorithms, results.measures)


def _imprecise_words(answer: Answer, decision: Decision) -> str:
    if LOWER not in answer.per_statement:
        return ""
    low, high = (answer.column_at(end, decision.statement) for end in (LOWER, UPPER))
    if low >= SETTLED:
        meaning = "so that it leads does not depend on the prior mean"
    elif high >= SETTLED:
        meaning = "so with some prior means it leads surely and with others not"
    else:
        meaning = "so with no prior mean does it lead surely"
    return (
        f"Over all prior means of this strength the probability of the leader lies between "
        f"{probability_words(low)} and {probability_words(high)}, {meaning}."
    )


def bounds_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say what P the leading statement has for all values that missing cells could have."""
    if LOWEST not in answer.per_statement or decision.verdict == "tied":
        return []
    low, high = (answer.column_at(end, decision.statement) for end in (LOWEST, HIGHEST))
    how = (
        "Over all values that the missing cells could have"
        if getattr(answer.facts, "bounds_exact", True)
        else "Over the values of the missing cells that a search tried (there are too many to try "
        "all)"
    )
    if low >= SETTLED:
        meaning = "so that it leads does not depend on the gaps"
    elif high >= SETTLED:
        meaning = "so it depends on the missing values whether it leads surely"
    else:
        meaning = "so with no missing values would it lead surely"
    return [
        f"{how}, the probability of the leader lies between {probability_words(low)} and "
        f"{probability_words(high)}, {meaning}."
    ]


def _dirichlet_frequency_words(answer: Answer, decision: Decision) -> str:
    if decision.verdict == "tied":
        return ""
    mean = answer.column_at(THETA_MEAN, decision.statement)
    one_by_one = settled_parts_words(decision)
    return (
        "That is how sure we are that it leads, not how often it holds: on a new dataset it is "
        f"expected to hold with probability {probability_words(mean)}."
        f"{f' {one_by_one}' if one_by_one else ''}"
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
    n, l = len(results.datasets), len(results.algorithms)
    start = (
        f"This is the joint test over whole orderings of {l} algorithms: "
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
