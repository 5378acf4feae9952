"""Generalised stochastic dominance in plain words, without decision theory."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
from bayescompare.outcome.answer import OPT, SHARE_BELOW, Answer
from bayescompare.outcome.decision import Decision, certainty_words
from bayescompare.outcome.words import Said, say, told
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
    significant = decision.settled
    verdict = "significant" if significant else "not significant"
    # Opt may be unusually high, and negative all the same.
    but = f", but the labels matter in favour of {ahead}" if significant and not over else ""
    tested = "" if method.sides == 2 else f" for {ahead} over {behind}"
    return f"{relation}{but} ({_pvalue_words(method, decision)}{tested}, {verdict})"


def pair_words(method: GSD, results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the relation in the data, the result of the test, and what neither shows."""
    ahead, behind = ahead_and_behind(results, answer)
    dominates = PermutationDetails.of(answer).dominates
    facts = {"a": ahead, "b": behind, "p": _pvalue_words(method, decision)}
    said = [_relation_said(f"On {plural(len(results.datasets), 'dataset')}", results, dominates)]
    if not all(dominates):
        said.append(("leastfavourable", {**facts, **_least_facts(results, answer)}))
    if method.sides == 1:
        said.append(("onesided", facts))
    rejected = "labelsmatter" if decision.settled else "labelsopen"
    said.append(("labelsalike" if rejected == "labelsopen" and all(dominates) else rejected, facts))
    return told([*said, *_small_print(method, results, answer)])


def bootstrap_words(
    method: GsdMethod, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the most probable relation, the others, and what the bootstrap assumes."""
    claim, best = method.posterior_type(method, results, answer).claim, decision.statement
    assert answer.probability is not None
    figures = zip(answer.labels, answer.probability.tolist(), strict=True)
    tied = ", as probable as another relation"
    facts: dict[str, Any] = {
        **{"n": plural(len(results.datasets), "dataset"), "claim": claim(best)},
        **{"p": probability_words(decision.probability), "how": exactness_phrase(answer, best)},
        "sure": tied if decision.state == "tied" else certainty_words(decision),
        "list": [f"{claim(label)} {probability_words(p)}" for label, p in figures if label != best],
    }
    dominates = PairDetails.of(answer).dominates
    in_data = _relation_said("In the data themselves", results, dominates)
    said = [("dominance", facts), ("dominanceother", facts), in_data]
    return told([*said, *_small_print(method, results, answer), ("seenkinds", {})])


def order_words(method: GSD, results: Results, answer: Answer) -> list[str]:
    """The order of all algorithms, its front, and the pairs without one."""
    return told([*_order(results, answer), *_small_print(method, results, answer)])


def _order(results: Results, answer: Answer) -> Iterator[Said]:
    details, names = OrderDetails.of(answer), results.algorithms
    relation = np.array(details.relation)
    above = strict_order(relation)

    def pairs(held: BoolArray) -> str:
        found = [f"{names[i]} and {names[j]}" for i, j in np.argwhere(np.triu(held, 1)).tolist()]
        more = f" and {len(found) - 12} more" if len(found) > 12 else ""
        return f"{'; '.join(found[:12])}{more}"

    wins = [
        f"{name} dominates {join_names([names[j] for j in np.flatnonzero(above[i])])}"
        for i, name in enumerate(names)
        if above[i].any()
    ]
    yield (
        "orderedpairs",
        {
            "n": plural(len(results.datasets), "dataset"),
            "m": plural(len(results.measures), "measure"),
            **{"k": int(above.sum()), "all": math.comb(len(names), 2)},
            "wins": "; ".join(wins) or "none dominates another",
        },
    )
    if alike := pairs(relation & relation.T):
        yield "equivalent", {"pairs": alike}
    if apart := pairs(~(relation | relation.T)):
        yield "incomparable", {"pairs": apart}
    if triples := intransitive_triples(relation, names):
        (a, b, c), more = triples[0], len(triples) - 1
        cases = f" (and {more} more such cases)" if more else ""
        yield "intransitive", {"a": a, "b": b, "c": c, "more": cases}
    whole = len(details.front) == len(names)
    yield "frontall" if whole else "frontnone", {"list": list(details.front)}
    yield "orderseen", {}


def _sides(method: GSD) -> str:
    return "two-sided" if method.sides == 2 else "one-sided"


def _pvalue_words(method: GSD, decision: Decision) -> str:
    return pvalue_equation(decision.probability, f"{_sides(method)} p")


def _least_facts(results: Results, answer: Answer) -> dict[str, str]:
    """The statistic of the tested direction, and how many resamples stay below it."""
    _, behind = ahead_and_behind(results, answer)
    details, lead = PermutationDetails.of(answer), answer.tested or 0
    opt, below = (float(answer.per_statement[name][lead]) for name in (OPT, SHARE_BELOW))
    worth = f"as much as {behind}"
    if abs(opt) > TOLERANCE:
        more = "more" if opt > 0 else "less"
        worth = f"{statistic_number_text(abs(opt))} {more} than {behind}"
    total = details.resamples[lead]
    tried = f"all {plural(total, 'relabelling')}"
    if not details.enumerated:
        tried = plural(total, "random resample")
    return {"worth": worth, "lower": count(round(below * total)) if below else "none", "all": tried}


def _relation_said(where: str, results: Results, dominates: tuple[bool, bool]) -> Said:
    why = ": no utility tells them apart" if all(dominates) else ""
    if not any(dominates):
        why = ": each is better for some utility (see witness)"
    return "relation", {"where": where, "relation": _relation(results, dominates), "why": why}


def _relation(results: Results, dominates: tuple[bool, bool]) -> str:
    first, second = results.algorithms
    if all(dominates):
        return f"{first} and {second} are equivalent"
    if not any(dominates):
        return f"neither {first} nor {second} dominates the other"
    return f"{first} dominates {second}" if dominates[0] else f"{second} dominates {first}"


def _small_print(method: GsdMethod, results: Results, answer: Answer) -> Iterator[Said]:
    """Say what dominance means here, and what was assumed."""
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
    yield "utilities", {"over": over, "scales": scales}
    missing = np.isnan(declared_bounds(results)).any(axis=0)
    if loose := [name for name, lacks in zip(results.measures, missing, strict=True) if lacks]:
        yield "loosebounds", {"list": loose}
    details = answer.facts
    if isinstance(details, PairDetails) and method.epsilon is None:
        asked, largest = method.delta, details.delta_max
        if asked > largest:
            reduced = statistic_number_text(largest, levels=[asked])
            yield "reduced", {"x": setting_number_text(asked), "y": reduced}
    if any(results[name].rope is not None for name in results.measures):
        yield "norope", {}


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
    return say(
        "resolution",
        n=plural(method.permutations, "resample"),
        sides=_sides(method),
        least=f"{method.sides}/{count(method.permutations + 1)}",
        tests=plural(tests, "test"),
        wanted=f"{setting_number_text(alpha)}/{tests}",
        more=str(math.ceil(2 * method.sides * tests / alpha)),
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
