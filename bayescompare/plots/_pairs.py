"""What the pictures of all pairs share: the verdicts, how sure they are, and who is ahead."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.comparison.pairwise import Pairwise
from bayescompare.comparison.pairwise_notes import spread_words
from bayescompare.comparison.rule import Rule, as_rule
from bayescompare.kernels.classic.wilcoxon import differences
from bayescompare.statements import State, Statement
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.comparison import Comparison

__all__ = [
    "ABOVE",
    "APART",
    "BELOW",
    "SAME",
    "ahead",
    "datasets_words",
    "level_of",
    "no_winner_words",
    "ranked_measure",
    "rule_of",
    "sign_lines",
    "signs",
    "verdicts_words",
]

#: Row better, row worse, equivalent, incomparable.
ABOVE, BELOW, SAME, APART = "≻", "≺", "=", "~"

#: Measures up to which each has a sign of its own.
_MOST_SIGNS = 6


def rule_of(p: object, level: object, fdr: object) -> Rule:
    """Check that this is about pairs, and by which rule they are decided."""
    if not isinstance(p, Pairwise):
        raise BayescompareError(
            f"p={type(p).__name__}: this picture is one of all pairs; give what `pairwise` returns."
        )
    return as_rule(level=level, fdr=fdr)


def level_of(p: Pairwise) -> str:
    """Return the column of `Pairwise.decide` that says how sure a statement is."""
    return "probability" if p.bayesian else "pvalue"


# Every picture of all pairs asks for the same ones again.
@lru_cache(maxsize=1024)
def signs(statement: str, row: str, column: str) -> tuple[str, ...]:
    """Say for each measure what a statement about a pair says of `row`.

    Examples
    --------
    >>> signs("B>A|A>B|A=B", "A", "B")
    ('≺', '≻', '=')
    """
    order = State.order(row, column)
    known = {order: ABOVE, order.reversed(): BELOW}
    return tuple(
        APART if state.relation == "~" else known.get(state, SAME)
        for state in Statement.parse(statement).states
    )


def sign_lines(found: tuple[str, ...]) -> list[str]:
    """Stack the signs, or, where they are many, say how often each occurs.

    Examples
    --------
    >>> sign_lines(("≻", "≺")), sign_lines(("≻",) * 7 + ("=",))
    (['≻', '≺'], ['7 ≻', '1 ='])
    """
    if len(found) <= _MOST_SIGNS:
        return list(found)
    times = Counter(found)
    return [f"{times[sign]} {sign}" for sign in (ABOVE, BELOW, SAME, APART) if times[sign]]


def verdicts_words(p: Pairwise, table: pd.DataFrame, rule: Rule) -> str:
    """Say how many pairs have a verdict and by which rule."""
    found = f"{int(table['asserted'].sum())} of {plural(len(table), 'pair')}"
    return f"a verdict for {found} ({rule.name(bayesian=p.bayesian)}){datasets_words(p)}"


def no_winner_words(number: int) -> str:
    """Say how many verdicts no arrow shows: trade-offs, and ties on some or all measures.

    Examples
    --------
    >>> no_winner_words(1)
    '1 verdict names no winner on every measure'
    """
    name = "names" if number == 1 else "name"
    return f"{plural(number, 'verdict')} {name} no winner on every measure"


def datasets_words(p: Pairwise) -> str:
    """Say, where pairs rest on different datasets, on how many; to end a title with."""
    found = spread_words([c.results for c in p.comparisons])
    return f"; on different datasets, {found} each" if found else ""


def ranked_measure(p: Pairwise, measure: object) -> str | None:
    """Return the measure to rank by; None where one question is asked about all of them.

    Ranks on several measures are never averaged: which of them matters is the reader's to say.
    """
    names = p.results.measures
    if p.bayesian and p.method.one_question:
        if measure is not None:
            raise BayescompareError(
                f"measure={measure!r}: {p.method.name} asks one question about all measures; leave "
                "measure= out."
            )
        return None
    if measure is None and len(names) > 1:
        raise BayescompareError(
            f"measure= is missing: ranks are shown on one measure at a time, here on one of "
            f"{', '.join(names)}, as in plot('critical', measure={names[0]!r})."
        )
    if measure is not None and measure not in names:
        raise BayescompareError(
            f"measure={measure!r}: these pairs were compared on {', '.join(names)}."
            f"{did_you_mean(str(measure), names)}"
        )
    return names[0] if measure is None else str(measure)


def ahead(c: Comparison, first: str, second: str, measure: str | None = None) -> float:
    """Say how far a pair's first algorithm is ahead of the second on a measure: from 0 to 1.

    Bayesian: the probability of the statements that favour the first there, or, without a measure,
    of those that favour it by the one question asked. Frequentist: the share of datasets. Ties
    count half, and so do statements that are not listed.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method="glrt")
    >>> [round(ahead(c, "A", "B", measure), 3) for measure in c.results.measures]
    [0.25, 0.333]
    """
    place = 0 if measure is None else c.results.measures.index(measure)
    if c.answer.probability is None:
        rope = c.results[c.results.measures[place]].rope
        found = differences(c.results.oriented()[:, :, place], rope)
        return float(np.mean((np.sign(found) + 1.0) / 2.0))
    worth = {ABOVE: 1.0, BELOW: 0.0}
    share = [worth.get(signs(label, first, second)[place], 0.5) for label in c.answer.labels]
    listed = c.answer.probability
    return float(np.clip(listed @ share + 0.5 * (1.0 - listed.sum()), 0.0, 1.0))
