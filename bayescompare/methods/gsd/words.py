"""Generalised stochastic dominance in plain words, without decision theory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import BoolArray
from bayescompare.kernels.gsd.optimum import TOLERANCE
from bayescompare.methods._shared.words import text_on_sampling
from bayescompare.methods.gsd.problem import (
    OrderDetails,
    PairDetails,
    PermutationDetails,
    declared_bounds,
    intransitive_triples,
    strict_order,
)
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import OPT, SHARE_BELOW
from bayescompare.outcome.decision import Decision, certainty_words
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    plural,
    probability_words,
    pvalue_equation,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    from bayescompare.methods.gsd import GSD, GsdMethod


def ahead_and_behind(results: Results, answer: Answer) -> tuple[str, str]:
    """The two algorithms in the direction that the p-value is about."""
    first, second = results.algorithms
    return (second, first) if answer.tested else (first, second)


def pair_headline(method: GSD, results: Results, answer: Answer, decision: Decision) -> str:
    """The relation in the data, and what the test makes of it, in one line."""
    ahead, behind = ahead_and_behind(results, answer)
    dominates = PermutationDetails.of(answer).dominates
    over = dominates[answer.tested or 0]
    relation = _relation(results, dominates) + (" in these data" if any(dominates) else "")
    significant = decision.verdict == "settled"
    verdict = "significant" if significant else "not significant"
    # Opt may be unusually high, and negative all the same.
    but = f", but the labels matter in favour of {ahead}" if significant and not over else ""
    tested = "" if method.sides == 2 else f" for {ahead} over {behind}"
    return f"{relation}{but} ({_pvalue_words(method, decision)}{tested}, {verdict})"


def pair_words(method: GSD, results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the relation in the data, the result of the test, and what neither shows."""
    ahead, behind = ahead_and_behind(results, answer)
    alike, p = all(PermutationDetails.of(answer).dominates), _pvalue_words(method, decision)
    sentences = [_relation_words("On {n}", results, answer)]
    if not alike:
        sentences.append(_least_words(results, answer))
    if method.sides == 1:
        sentences.append(
            f"The test asked only whether {ahead} dominates {behind}, not the reverse."
        )
    caution = "" if alike else "; that does not show that the two are equal or incomparable"
    found = f"not rejected ({p}){caution}"
    if decision.verdict == "settled":
        found = f"rejected in favour of {ahead} ({p})"
    sentences.append(f"The hypothesis that the labels do not matter is {found}.")
    return [*sentences, _meaning_words(method, results), *_small_print(method, results, answer)]


def bootstrap_words(
    method: GsdMethod, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the most probable relation, the others, and what the bootstrap assumes."""
    claim = method.posterior_type(method, results, answer).claim
    assert answer.probability is not None
    tied = decision.state == "tied"
    verdict = ", as probable as another relation" if tied else certainty_words(decision)
    others = [
        f"{claim(label)} {probability_words(float(p))}"
        for label, p in zip(answer.labels, answer.probability, strict=True)
        if label != decision.statement
    ]
    return [
        f"On {plural(len(results.datasets), 'dataset')} the probability that "
        f"{claim(decision.statement)} is {probability_words(decision.level)} "
        f"({exactness_phrase(answer, decision.statement)}){verdict}.",
        f"The others: {join_names(others)}.",
        _relation_words("In the data themselves", results, answer),
        _meaning_words(method, results),
        "The bootstrap assumes that only the kinds of datasets seen exist, with unknown weights; "
        "with few datasets it is overconfident.",
        *_small_print(method, results, answer),
    ]


def order_words(method: GSD, results: Results, answer: Answer) -> list[str]:
    """The order of all algorithms, its front, and the pairs without one."""
    details, names = OrderDetails.of(answer), results.algorithms
    relation = np.array(details.relation)
    above = strict_order(relation)

    def pairs(held: BoolArray) -> list[str]:
        return [f"{names[i]} and {names[j]}" for i, j in np.argwhere(np.triu(held, 1)).tolist()]

    wins = [
        f"{name} dominates {join_names([names[j] for j in np.flatnonzero(above[i])])}"
        for i, name in enumerate(names)
        if above[i].any()
    ]
    sentences = [
        f"On {plural(len(results.datasets), 'dataset')} and "
        f"{plural(len(results.measures), 'measure')}, {int(above.sum())} of "
        f"{math.comb(len(names), 2)} pairs of algorithms are ordered: "
        f"{'; '.join(wins) or 'none dominates another'}."
    ]
    if alike := pairs(relation & relation.T):
        sentences.append(
            f"These are equivalent, because no utility tells them apart: {'; '.join(alike)}."
        )
    if apart := pairs(~(relation | relation.T)):
        more = f" and {len(apart) - 12} more" if len(apart) > 12 else ""
        sentences.append(
            "These are incomparable, because each is better for some utilities: "
            f"{'; '.join(apart[:12])}{more}."
        )
    if triples := intransitive_triples(relation, names):
        a, b, c = triples[0]
        more = f" (and {len(triples) - 1} more such cases)" if len(triples) > 1 else ""
        sentences.append(
            f"{a} dominates {b} and {b} dominates {c}, but {a} does not dominate {c}{more}: each "
            "pair is judged on its own results; system='all' judges all on one scale."
        )
    sentences.append(
        f"No other algorithm dominates {join_names(details.front)}."
        if len(details.front) < len(names)
        else "No algorithm is dominated by another."
    )
    return [
        *sentences,
        _meaning_words(method, results),
        "This is the order in these data; pairwise() tests, pair by pair, whether it could be "
        "chance.",
        *_small_print(method, results, answer),
    ]


def _sides(method: GSD) -> str:
    return "two-sided" if method.sides == 2 else "one-sided"


def _pvalue_words(method: GSD, decision: Decision) -> str:
    return pvalue_equation(decision.level, f"{_sides(method)} p")


def _least_words(results: Results, answer: Answer) -> str:
    """The statistic of the tested direction, and how many resamples stay below it."""
    ahead, behind = ahead_and_behind(results, answer)
    details, lead = PermutationDetails.of(answer), answer.tested or 0
    opt, below = (float(answer.per_statement[name][lead]) for name in (OPT, SHARE_BELOW))
    worth = f"as much as {behind}"
    if abs(opt) > TOLERANCE:
        more = "more" if opt > 0 else "less"
        worth = f"{statistic_number_text(abs(opt))} {more} than {behind}"
    total = details.resamples[lead]
    lower = round(below * total)
    tried = f"all {plural(total, 'relabelling')}"
    if not details.enumerated:
        tried = plural(total, "random resample")
    return (
        f"By the utility least favourable to {ahead}, {ahead} is on average worth {worth} "
        f"(utilities run from 0 to 1); {count(lower) if lower else 'none'} of {tried} gave a lower "
        "value."
    )


def _relation_words(where: str, results: Results, answer: Answer) -> str:
    dominates = PairDetails.of(answer).dominates
    why = ": no utility tells them apart" if all(dominates) else ""
    if not any(dominates):
        why = ": each is better for some utility (see witness)"
    start = where.format(n=plural(len(results.datasets), "dataset"))
    return f"{start} {_relation(results, dominates)}{why}."


def _relation(results: Results, dominates: tuple[bool, bool]) -> str:
    first, second = results.algorithms
    if all(dominates):
        return f"{first} and {second} are equivalent"
    if not any(dominates):
        return f"neither {first} nor {second} dominates the other"
    return f"{first} dominates {second}" if dominates[0] else f"{second} dominates {first}"


def _meaning_words(method: GsdMethod, results: Results) -> str:
    metric, ordinal = (
        [name for name in results.measures if results[name].scale == scale]
        for scale in ("metric", "ordinal")
    )
    scales = ["better values as better" if method.prefers is None else "what you prefer as better"]
    if method.prefers_more is not None:
        scales.append("gains as you do")
    elif method.prefers is None:
        if metric:
            scales.append(f"larger gains on {join_names(metric)} as worth more than smaller ones")
        if ordinal:
            scales.append(f"{join_names(ordinal)} by order alone")
    over = "the results of the two" if method.system == "pair" else "the results of all algorithms"
    return (
        "An algorithm dominates another if it is at least as good on average for every utility of "
        f"{over} that counts {' and '.join(scales)}; you need no weights."
    )


def _small_print(method: GsdMethod, results: Results, answer: Answer) -> list[str]:
    sentences = []
    missing = np.isnan(declared_bounds(results)).any(axis=0)
    if loose := [name for name, lacks in zip(results.measures, missing, strict=True) if lacks]:
        sentences.append(
            f"Caution: {join_names(loose)} came without both bounds, so the range seen in the pair "
            "is taken for the least and greatest possible value; pass bounds= if you know them."
        )
    details = answer.facts
    if isinstance(details, PairDetails) and method.epsilon is None:
        asked, largest = method.delta, details.delta_max
        if asked > largest:
            sentences.append(
                f"δ = {setting_number_text(asked)} is more than this pair allows and was reduced "
                f"to {statistic_number_text(largest, levels=[asked])}."
            )
    if any(results[name].rope is not None for name in results.measures):
        sentences.append("This test ignores the rope.")
    return sentences


def resolution_words(method: GSD, tests: int, alpha: float) -> str:
    """Say where resamples are too few for any p-value to pass the correction.

    Examples
    --------
    >>> from bayescompare.methods import GSD
    >>> resolution_words(GSD(permutations=1000), 10, 0.05)
    ''
    """
    if tests * method.least_pvalue <= alpha:
        return ""
    least = f"{method.sides}/{count(method.permutations + 1)}"
    wanted = math.ceil(2 * method.sides * tests / alpha)
    return (
        f"With {plural(method.permutations, 'resample')} no {_sides(method)} p-value is below "
        f"{least}, and Holm's correction for {plural(tests, 'test')} asks for "
        f"{setting_number_text(alpha)}/{tests} or less: use permutations={wanted} or more."
    )


# ---------------------------------------------------------------------------- for a methods section


def methods_text_of_test(method: Any, answer: Answer | None) -> str:
    """Describe the relation and its test."""
    relation = (
        "by generalised stochastic dominance ({aside}), which asks whether every utility in "
        "keeping with the measures' scales prefers one, "
        f"{_text_on_delta(method, answer)}{_text_on_utilities(method)}"
    )
    if answer is not None and answer.pvalue is None:
        return f"{relation}. The order is that of these data; it was not tested."
    test = f"{method.scheme}, {_text_on_resamples(method, answer)}"
    sides = _sides(method) + ("" if method.sides == 2 else ", in a direction named beforehand")
    return f"{relation}; the p-value is that of a permutation test ({sides}; {test})."


def methods_text_of_bootstrap(method: Any, answer: Answer | None) -> str:
    """Describe the relation under the Bayesian bootstrap."""
    draws = f"from {plural(method.resamples, 'draw')} of the datasets' weights"
    if method.needs_mcmc:
        draws = f"with weights of the datasets{text_on_sampling(method)}"
    elif method.priors:
        draws += text_on_sampling(method)
    elif method.concentration != 1.0:
        draws += f", a Dirichlet with every parameter {setting_number_text(method.concentration)}"
    return (
        "by generalised stochastic dominance ({aside}) under the Bayesian bootstrap over datasets, "
        f"{_text_on_delta(method, answer)}{_text_on_utilities(method)}, {draws}. Reported is the "
        "posterior probability of dominance."
    )


def _text_on_utilities(method: Any) -> str:
    """Say over which vectors utilities range, and whose preferences they keep."""
    text = ", with utilities over the vectors of all algorithms" if method.system == "all" else ""
    if method.prefers is not None or method.prefers_more is not None:
        text += ", with preferences given by the user"
        text += "" if method.prefers_more is None else " (also between gains)"
    return text


def _text_on_delta(method: Any, answer: Answer | None) -> str:
    """The δ that was used, as it was asked for: itself, or as a share ε of δ_max."""
    details = answer and answer.facts
    used = details.delta if isinstance(details, PairDetails) else None
    shown = "" if used is None else statistic_number_text(used, significant=3)
    at_delta = f"at δ = {setting_number_text(method.delta)}"
    if method.epsilon is not None:
        at_delta = f"at δ = ε·δ_max with ε = {setting_number_text(method.epsilon)}"
        at_delta += f" (δ = {shown})" if shown else ""
    elif used is not None and used < method.delta:
        at_delta += f", cut to the largest that the pair allows, {shown}"
    return at_delta + (f" (rule of gains: {method.rule})" if method.rule is not None else "")


def _text_on_resamples(method: Any, answer: Answer | None) -> str:
    """How many labellings were tried, which need not be how many were asked for."""
    stop, details = method.stop_after, None if answer is None else PermutationDetails.of(answer)
    if details is not None and details.enumerated:
        return f"all {plural(max(details.resamples), 'swap')} of labels"
    tried = f"at most {plural(method.permutations, 'resample')}"
    if details is not None:
        tried = plural(max(details.resamples), "resample")
    return tried + (f", at most until {stop} of them reach the statistic" if stop else "")
