"""All pairs at once in plain words: what is asserted, what is not, and what that does not say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.methods.base import Method
from bayescompare.methods.words.pieces import many, short_label
from bayescompare.results import Results
from bayescompare.text.numbers import count, percent_setting, plural, setting

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bayescompare.methods.gsd import GSD

__all__ = ["closing_words", "doubt_words", "pairs_words", "resolution_words"]

#: Winners, cycles and statements that a paragraph names; of more it says how many.
_MOST = 12


def pairs_words(
    method: Method, results: Results, decided: pd.DataFrame, graph: nx.DiGraph[str], fdr: float
) -> list[str]:
    """Sentences: how much is asserted and at what risk, who is over whom, what is left open."""
    said = [
        _asserted(method, results, decided, fdr),
        _winners(method, results, graph),
        *_cycles(graph.graph["cycles"]),
        _mixed([statement for _, _, statement in graph.graph["mixed"]]),
        _open(decided),
    ]
    return [sentence for sentence in said if sentence]


def closing_words(
    method: Method,
    results: Results,
    decided: pd.DataFrame,
    at_twice: tuple[float, int],
    fdr: float,
) -> list[str]:
    """What the assertions do not say, and what would change them."""
    said = []
    if not method.keeps_level:
        said.append(
            f"The p-values of {method.name} are not valid ones, so that this promises no rate of "
            "error."
        )
    if not decided["asserted"].all():
        may = method.kind == "bayesian" and method.judges != "counts" and not method.one_question
        lacking = may and all(results[name].rope is None for name in results.measures)
        remedy = ": for that give the measures a rope" if lacking else ""
        said.append(f"A pair left open is not a pair shown equal{remedy}.")
        said.append(_changed(*at_twice, fdr))
    return said


def doubt_words(pairs: Sequence[str], models: int) -> str:
    """Say of which pairs the sampling is not trustworthy; one model of all has no pairs.

    Examples
    --------
    >>> doubt_words([], 3), doubt_words(["A and B"], 3)
    ('', 'Caution: the sampling is not trustworthy for A and B; see diagnose() of each.')
    """
    if not pairs:
        return ""
    where = "" if models == 1 else f" for {many(pairs, most=4)}"
    return f"Caution: the sampling is not trustworthy{where}; see diagnose() of each."


def _changed(rate: float, number: int, fdr: float) -> str:
    others = "more datasets, or another prior or test, may change any of them"
    if rate <= fdr:
        return f"What would change it: {others}."
    return (
        f"What would change it: with an error rate of {percent_setting(rate)} {number} could "
        f"be asserted; {others}."
    )


def resolution_words(method: GSD, tests: int, fdr: float) -> str:
    """Say where resamples are too few for any p-value to pass the correction.

    Examples
    --------
    >>> from bayescompare.methods import GSD
    >>> resolution_words(GSD(permutations=1000), 10, 0.05)
    ''
    """
    if tests * method.least_pvalue <= fdr:
        return ""
    sides = "two-sided" if method.sides == 2 else "one-sided"
    least = f"{method.sides}/{count(method.permutations + 1)}"
    wanted = math.ceil(2 * method.sides * tests / fdr)
    return (
        f"With {plural(method.permutations, 'resample')} no {sides} p-value is below "
        f"{least}, and Holm's correction for {plural(tests, 'test')} asks for "
        f"{setting(fdr)}/{tests} or less: take permutations={wanted} or more."
    )


def _asserted(method: Method, results: Results, decided: pd.DataFrame, fdr: float) -> str:
    bayesian = method.kind == "bayesian"
    rate = (
        f"the expected share of false ones is at most {percent_setting(fdr)}"
        if bayesian
        else f"the probability of any false one is at most {percent_setting(fdr)} ({_holm(method)})"
    )
    if not method.keeps_level:
        rate = f"their p-values after Holm's correction are at most {percent_setting(fdr)}"
    joint = "jointly " if len(results.measures) > 1 else ""
    return (
        f"{method.name} on {plural(len(decided), 'pair')} of "
        f"{plural(len(results.algorithms), 'algorithm')}, {joint}on {many(results.measures)}: "
        f"{int(decided['asserted'].sum())} of {len(decided)} "
        f"{'most probable' if bayesian else 'leading'} statements can be asserted so that {rate}."
    )


def _holm(method: Method) -> str:
    """What was corrected, where the matrix shows p-values that were not."""
    if not method.directed:
        return "Holm"
    sides = "two-sided" if getattr(method, "sides", 1) == 2 else "one-sided"
    return f"Holm's correction of {sides} p-values"


def _winners(method: Method, results: Results, graph: nx.DiGraph[str]) -> str:
    winners = [name for name in graph if graph.out_degree(name)]
    if not winners:
        return ""
    # Of very many those that are over most are named.
    named = winners
    if len(winners) > _MOST:
        named = sorted(winners, key=lambda name: -graph.out_degree(name))[:_MOST]
    told = "; ".join(f"{name} over {many(list(graph.successors(name)))}" for name in named)
    rest = len(winners) - len(named)
    more = f"; and {plural(rest, 'further algorithm')} over some" if rest else ""
    better = "better on every measure" if len(results.measures) > 1 else "better"
    if method.one_question:
        better = "dominant" if "relation" in method.provides else "better by the rule"
    lead = "Most probably" if method.kind == "bayesian" else "Significantly"
    return f"{lead} {better}: {told}{more}."


def _cycles(cycles: Sequence[Sequence[str]]) -> list[str]:
    said = [
        f"Not transitive: {' over '.join([*cycle, cycle[0]])}. Each of these holds on most "
        "datasets, but on other ones, so that no ranking of these algorithms has them all."
        for cycle in cycles[:_MOST]
    ]
    rest = len(cycles) - len(said)
    return [*said, f"There are {plural(rest, 'further cycle')}."] if rest else said


def _mixed(statements: Sequence[str]) -> str:
    if not statements:
        return ""
    shown = "; ".join(short_label(statement) for statement in statements[:_MOST])
    rest = len(statements) - _MOST
    more = f"; and {rest} more" if rest > 0 else ""
    return f"Asserted, but no order: {shown}{more}."


def _open(decided: pd.DataFrame) -> str:
    pairs = decided[~decided["asserted"]][["first", "second"]].to_numpy().tolist()
    if not pairs:
        return ""
    return f"Nothing can be asserted about {many([f'{a} against {b}' for a, b in pairs])}."
