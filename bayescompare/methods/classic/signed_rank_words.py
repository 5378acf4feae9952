"""The Bayesian signed-rank test in plain words, and its paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import certainty_words
from bayescompare.comparison.columns import THETA_LOWER, THETA_MEAN, THETA_UPPER
from bayescompare.comparison.decision import Decision
from bayescompare.methods._shared.methods_text import shared_text_on_sampling
from bayescompare.statements import Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent, plural, probability_words, setting_number_text
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    from bayescompare.methods.classic.signed_rank import SignedRank

__all__ = ["signed_rank_text", "signed_rank_words"]


def signed_rank_words(
    method: SignedRank, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say which outcome is the most probable on the whole, and what that assumes."""
    sentences = [_signed_rank_finding_words(results, answer, decision)]
    if decision.verdict != "tied":
        sentences += [
            _signed_rank_support_words(answer, decision),
            _signed_rank_pair_share_words(answer, decision),
        ]
    rope = results[results.measures[0]].rope
    if rope:
        sentences.append(
            f"Differences of at most {setting_number_text(rope)} count as equivalent; a pair of "
            "datasets is "
            "judged by the mean of its two differences."
        )
    if method.priors:
        sentences.append(f"You chose the prior of {join_names(list(method.priors))}.")
    else:
        sentences.append(
            f"The prior weighs as much as {setting_number_text(method.strength)} of a dataset on "
            "which the two "
            "are equal."
        )
    sentences.append(
        "Sizes of differences count, so they must be comparable between datasets; where they are "
        "not, use method='dirichlet'. The test knows no kinds of datasets besides those seen."
    )
    return sentences


def _signed_rank_finding_words(results: Results, answer: Answer, decision: Decision) -> str:
    (measure,) = results.measures
    n = plural(len(results.datasets), "dataset")
    level = probability_words(decision.level)
    if decision.verdict == "tied":
        tied = [_signed_rank_claim_words(label) for label in (decision.statement, *decision.rivals)]
        return (
            f"On {n} no outcome on {measure} leads: that {' and that '.join(tied)} are equally "
            f"probable on the whole ({level} each)."
        )
    start = (
        f"On {n} the probability that {_signed_rank_claim_words(decision.statement)} on "
        f"{measure}, on the whole, is "
        f"{level} ({exactness_phrase(answer, decision.statement)})"
    )
    return f"{start}{certainty_words(decision)}."


def _signed_rank_support_words(answer: Answer, decision: Decision) -> str:
    own = float(answer.counts[answer.labels.index(decision.statement)])
    total = float(answer.counts.sum())
    return f"Of the datasets seen, {count(own)} of {count(total)} support it."


def _signed_rank_pair_share_words(answer: Answer, decision: Decision) -> str:
    mean, low, high = (
        percent(answer.column_at(column, decision.statement))
        for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
    )
    return (
        "For two datasets taken at random, the mean of the two differences supports it in "
        f"{mean} of all pairs (95 % interval {low} to {high})."
    )


def _signed_rank_claim_words(statement: str) -> str:
    (state,) = Statement.parse(statement).states
    if state.relation == "=":
        return f"{' and '.join(state.names)} are practically equivalent"
    return state.words()


def signed_rank_text(method: SignedRank, answer: Answer | None) -> str:
    """Describe the test for a methods section."""
    if method.needs_mcmc:
        how = f"weights of the datasets{shared_text_on_sampling(method)}"
    elif answer is not None and answer.exact:
        how = f"the posterior computed exactly{_signed_rank_prior_words(method)}"
    else:
        prior = _signed_rank_prior_words(method)
        how = f"from {plural(method.draws, 'draw')} of the datasets' weights{prior}"
    return (
        f"by the Bayesian signed-rank test ({{aside}}), {how}. Reported is the posterior "
        "probability that each outcome holds for the largest share of pairs of datasets."
    )


def _signed_rank_prior_words(method: SignedRank) -> str:
    if method.priors:
        return shared_text_on_sampling(method)
    return f", with a prior of strength {setting_number_text(method.strength)} at a tie"
