"""All pairs at once in plain words: who wins, what is open, and what that does not say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from bayescompare.outcome.method import LEAST_PAIRS, Method, has_valid_pvalue, is_bayesian
from bayescompare.outcome.verdicts import Rule
from bayescompare.statements import Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent_setting, plural, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bayescompare.prior import Learned, LearnedPrior

__all__ = [
    "closing_words",
    "doubt_words",
    "learned_words",
    "pairs_words",
    "verdict_words",
]

#: Winners, cycles and statements that a paragraph names; of more it says how many.
_MOST = 12
#: Characters that a list in a sentence may take, and the losers of one winner in it: beyond, long
#: names are a wall, and the table below reads better.
_ROOM, _LOSERS_ROOM = 600, 160


def verdict_words(decided: pd.DataFrame, graph: nx.DiGraph[str]) -> str:
    """Say in a few words for how many pairs there is a winner, or a trade-off."""
    total, mixed = len(decided), len(graph.graph["mixed"])
    winners = int(decided["asserted"].sum()) - mixed
    words = f"for {winners} of {plural(total, 'pair')} we can name a winner"
    if not winners:
        words = f"for none of {plural(total, 'pair')} can we name a winner"
    return f"{words}, for {mixed} a trade-off or a tie" if mixed else words


def pairs_words(
    method: Method, results: Results, decided: pd.DataFrame, graph: nx.DiGraph[str], rule: Rule
) -> list[str]:
    """Say how many winners there are and at what risk, who beats whom, and what is open."""
    joint = "jointly " if len(results.measures) > 1 else ""
    verdict = verdict_words(decided, graph)
    sentences = [
        f"{method.name} compared {plural(len(decided), 'pair')} of "
        f"{plural(len(results.algorithms), 'algorithm')}, {joint}on "
        f"{join_names(results.measures)}.",
        f"{verdict[0].upper()}{verdict[1:]}{_pairwise_words_on_promise(method, decided, rule)}",
        _pairwise_words_on_winners(method, results, graph),
        *_cycle_words(graph.graph["cycles"]),
        _pairwise_words_on_mixed(results, graph.graph["mixed"]),
        _pairwise_words_on_leads(decided),
        _pairwise_words_on_open(decided),
        _pairwise_words_on_uncompared(decided),
    ]
    return [sentence for sentence in sentences if sentence]


def learned_words(
    learned: Learned | LearnedPrior | None, method: Method, decided: pd.DataFrame, rule: Rule
) -> str:
    """Say what prior was learned, or that none was, and which pairs only look sure alone."""
    if not is_bayesian(method) or len(decided) < LEAST_PAIRS:
        return ""
    if learned is None:
        return (
            "Each pair was judged under its own prior; nothing was learned from the other pairs, "
            "so among many pairs some may reach a high probability by chance."
        )
    prior = (
        f"The prior was learned from all {plural(learned.pairs, 'pair')} (empirical Bayes: the "
        "pairs share algorithms and are not independent)."
    )
    if rule.level is None:
        return prior
    lone = decided[(decided["alone"] >= rule.level) & (decided["probability"] < rule.level)]
    if lone.empty:
        return prior
    pairs = lone[["first", "second"]].to_numpy().tolist()
    return (
        f"{prior} Judged alone, {join_names([f'{a} and {b}' for a, b in pairs], most=4)} would "
        f"reach {setting_number_text(rule.level)} too; among so many pairs some do by chance, "
        "and the "
        "learned prior allows for that."
    )


def closing_words(
    method: Method,
    results: Results,
    decided: pd.DataFrame,
    relaxed: tuple[Rule, int] | None,
) -> list[str]:
    """Say what the verdicts do not show, and what would change them."""
    sentences = []
    if not has_valid_pvalue(method):
        sentences.append(
            f"The p-values of {method.name} are not valid, so this guarantees no error rate."
        )
    if not decided["asserted"].all():
        may = (
            is_bayesian(method) and method.accepts.judges != "counts" and not method.scope.question
        )
        lacking = may and all(results[name].rope is None for name in results.measures)
        remedy = "; give the measures a rope to find out which are equal" if lacking else ""
        sentences.append(f"A pair left open is not shown to be equal{remedy}.")
        sentences.append(_pairwise_words_on_change(method, relaxed))
    return sentences


def doubt_words(pairs: Sequence[str], models: int) -> str:
    """Say for which pairs the sampling is not trustworthy; one model of all has no pairs.

    Examples
    --------
    >>> doubt_words([], 3), doubt_words(["A and B"], 3)
    ('', 'Caution: the sampling is not trustworthy for A and B; see diagnose() of each.')
    """
    if not pairs:
        return ""
    where = "" if models == 1 else f" for {join_names(pairs, most=4)}"
    return f"Caution: the sampling is not trustworthy{where}; see diagnose() of each."


def _pairwise_words_on_change(method: Method, relaxed: tuple[Rule, int] | None) -> str:
    others = "more datasets, or another prior or test, may change any verdict"
    if relaxed is None:
        return f"What would change it: {others}."
    rule, number = relaxed
    name = rule.name(bayesian=is_bayesian(method))
    return (
        f"What would change it: with {name} there would be {plural(number, 'verdict')}; {others}."
    )


def _pairwise_words_on_promise(method: Method, decided: pd.DataFrame, rule: Rule) -> str:
    """Say what a verdict needs, and how often it may be wrong."""
    if not is_bayesian(method):
        rate = percent_setting(rule.alpha)
        if not has_valid_pvalue(method):
            return f": its p-value after Holm's correction is at most {rate}."
        return (
            f": p after {_pairwise_words_on_holm(method)} is at most "
            f"{setting_number_text(rule.alpha)}, so the probability of "
            f"even one false verdict is at most {rate}."
        )
    if rule.level is None:
        return (
            f": if the prior is right, at most {percent_setting(rule.alpha)} of the verdicts are "
            "expected to be false."
        )
    both = not (decided["alone"] == decided["probability"]).all()
    under = " under the prior learned from all pairs and under the pair's own" if both else ""
    gaps = ", whatever values the missing cells would have had" if "lowest" in decided else ""
    each = ""
    if decided["parts"].notna().any() and (decided["parts"] != decided["probability"]).any():
        each = ", and what it says of each measure by itself reaches that too"
    return (
        f": its statement leads with P of at least {setting_number_text(rule.level)}{each}"
        f"{',' if each and under else ''}{under}{gaps}."
    )


def _pairwise_words_on_holm(method: Method) -> str:
    """Name the corrected p-values, where the matrix shows uncorrected ones."""
    alternative = getattr(method, "alternative", None)
    if alternative is None:
        return "Holm's correction"
    sides = "two-sided" if alternative == "two-sided" else "one-sided"
    return f"Holm's correction of {sides} p-values"


def _pairwise_words_on_winners(method: Method, results: Results, graph: nx.DiGraph[str]) -> str:
    winners = [name for name in graph if graph.out_degree(name)]
    if not winners:
        return ""
    # Of very many, those with the most wins are named.
    named = winners
    if len(winners) > _MOST:
        named = sorted(winners, key=lambda name: -graph.out_degree(name))[:_MOST]
    wins = [f"{name} over {_losers_words(list(graph.successors(name)))}" for name in named]
    wins = wins[: _number_that_fits(wins, _ROOM)]
    rest = len(winners) - len(wins)
    more = f"; and {plural(rest, 'further algorithm')} over some" if rest else ""
    better = "Better on every measure" if len(results.measures) > 1 else "Better"
    if method.scope.question:
        better = "Dominant" if "relation" in method.provides else "Better by the rule"
    return f"{better}: {'; '.join(wins)}{more}."


def _losers_words(names: Sequence[str]) -> str:
    return join_names(names, most=min(6, _number_that_fits(names, _LOSERS_ROOM)))


def _number_that_fits(phrases: Sequence[str], room: int) -> int:
    """How many of the first phrases fit into so many characters; two in any case."""
    ends = accumulate(len(phrase) + 2 for phrase in phrases)
    return min(len(phrases), max(2, sum(end <= room for end in ends)))


def _cycle_words(cycles: Sequence[Sequence[str]]) -> list[str]:
    sentences = [
        f"Not transitive: {' over '.join([*cycle, cycle[0]])}. Each of these holds on most "
        "datasets, but not on the same ones, so no ranking of these algorithms agrees with all of "
        "them."
        for cycle in cycles[:_MOST]
    ]
    rest = len(cycles) - len(sentences)
    more = [f"There {'is' if rest == 1 else 'are'} {plural(rest, 'further cycle')}."]
    return [*sentences, *more] if rest else sentences


def _pairwise_words_on_mixed(results: Results, verdicts: Sequence[tuple[str, str, str]]) -> str:
    """Name the trade-offs and the equivalent pairs in words."""
    if not verdicts:
        return ""
    parsed = [Statement.parse(label, pair) for *pair, label in verdicts]
    shown = [statement.words(results.measures) for statement in parsed[:_MOST]]
    shown = shown[: _number_that_fits(shown, _ROOM)]
    rest = len(parsed) - len(shown)
    more = f"; and {rest} more" if rest > 0 else ""
    kind = "No winner"
    if any(">" in statement.relations for statement in parsed):
        kind = "Trade-off"
    elif all(statement.relations == {"="} for statement in parsed):
        kind = "Equivalent"
    return f"{kind}: {'; '.join(shown)}{more}."


def _pairwise_words_on_leads(decided: pd.DataFrame) -> str:
    """Name the pairs in which one statement leads and some measure is not sure by itself."""
    left = decided[decided["decision"] == "leads"]
    pairs = [f"{a} against {b}" for a, b in left[["first", "second"]].to_numpy().tolist()]
    if not pairs:
        return ""
    return (
        "One outcome is the most frequent, but some measure is not sure by itself: "
        f"{_losers_words(pairs)}."
    )


def _pairwise_words_on_open(decided: pd.DataFrame) -> str:
    left = decided[(decided["decision"] == "open") & (decided["statement"] != "")]
    pairs = left[["first", "second"]].to_numpy().tolist()
    if not pairs:
        return ""
    return f"Left open: {_losers_words([f'{a} against {b}' for a, b in pairs])}."


def _pairwise_words_on_uncompared(decided: pd.DataFrame) -> str:
    """Name the pairs that have too few datasets in common to be compared."""
    pairs = decided[decided["statement"] == ""][["first", "second"]].to_numpy().tolist()
    if not pairs:
        return ""
    return (
        f"Not compared, because they have fewer than two datasets in common: "
        f"{join_names([f'{a} against {b}' for a, b in pairs])}."
    )
