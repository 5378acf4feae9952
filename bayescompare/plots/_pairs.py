"""What the plots of all pairs share: the verdicts in words and signs, and who is ahead."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.kernels.classic import wilcoxon
from bayescompare.outcome.columns import PROBABILITY
from bayescompare.outcome.pair_figures import datasets_spread
from bayescompare.statements import State, Statement
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import Rule

#: Row better, row worse, equivalent, incomparable.
ABOVE, BELOW, SAME, APART = "≻", "≺", "=", "~"


# Every picture of all pairs asks for the same ones again.
@lru_cache(maxsize=1024)
def signs(statement: str, row: str, column: str) -> tuple[str, ...]:
    """Return for each measure how `row` compares with `column` in a statement about the pair.

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


def verdicts_words(p: Pairwise, table: pd.DataFrame, rule: Rule) -> str:
    """Say how many pairs have a verdict and by which rule."""
    pairs = f"{int(table['asserted'].sum())} of {plural(len(table), 'pair')}"
    return f"a verdict for {pairs} ({rule.name(bayesian=p.bayesian)}){datasets_words(p)}"


def no_winner_words(number: int) -> str:
    """Say how many verdicts have no arrow: trade-offs, and ties on some or all measures.

    Examples
    --------
    >>> no_winner_words(1)
    '1 verdict names no winner on every measure'
    """
    name = "names" if number == 1 else "name"
    return f"{plural(number, 'verdict')} {name} no winner on every measure"


def datasets_words(p: Pairwise) -> str:
    """Say for the end of a title how many datasets pairs have, if they have different ones."""
    spread = datasets_spread(p.tables)
    return f"; on different datasets, {spread} each" if spread else ""


def ranked_measure(p: Pairwise, measure: object) -> str | None:
    """Return the measure to rank by; None if the method asks one question about all of them.

    Ranks on several measures are never averaged: the reader decides which of them matters.
    """
    names = p.results.measures
    if p.bayesian and p.method.scope.question:
        if measure is not None:
            raise BayescompareError(
                f"measure={measure!r}: {p.method.name} asks one question about all measures; leave "
                "out measure=."
            )
        return None
    if measure is None and len(names) > 1:
        raise BayescompareError(
            f"measure= is missing: ranks are shown on one measure at a time; choose one of "
            f"{', '.join(names)}, as in plot('critical', measure={names[0]!r})."
        )
    if measure is not None and measure not in names:
        raise BayescompareError(
            f"measure={measure!r}: these pairs were compared on {', '.join(names)}."
            f"{did_you_mean(str(measure), names)}"
        )
    return names[0] if measure is None else str(measure)


def ahead(c: Comparison, first: str, second: str, measure: str | None = None) -> float:
    """Return how far a pair's first algorithm is ahead of the second on a measure, from 0 to 1.

    Bayesian: the probability that this is the most frequent outcome on that measure by itself or,
    without a measure, in the method's one question. Frequentist: the share of datasets. Ties count
    half, and so does what is not listed.

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
        advantage = wilcoxon.differences(c.results.oriented()[:, :, place], rope)
        return float(np.mean((np.sign(advantage) + 1.0) / 2.0))
    own = [signs(label, first, second)[place] for label in c.answer.labels]
    listed = c.answer.probability
    if c.answer.parts:
        # Statements that say the same of this measure have the same figure.
        by_sign = dict(zip(own, c.answer.parts[PROBABILITY][:, place], strict=True))
        own, listed = list(by_sign), np.nan_to_num(np.array(list(by_sign.values())))
    share = [{ABOVE: 1.0, BELOW: 0.0}.get(sign, 0.5) for sign in own]
    return float(np.clip(listed @ share + 0.5 * (1.0 - listed.sum()), 0.0, 1.0))
