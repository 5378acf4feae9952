"""Statements and verdicts in words, short enough for a headline or a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.outcome.decision import SETTLED, Decision, Part
from bayescompare.statements import Statement
from bayescompare.text.numbers import probability_equation, pvalue_equation, setting_number_text
from bayescompare.text.phrases import join_names, short_label_phrase

if TYPE_CHECKING:
    pass


#: Characters from which on the middle of long orders is left out.
_MOST = 160


def claim_words(label: str, algorithms: Sequence[str], measures: Sequence[str]) -> str:
    """Say a statement in words, a very long one shortened.

    Examples
    --------
    >>> claim_words("B>A|B>A", ["A", "B"], ["accuracy", "time"])
    'B is better than A on accuracy and time'
    """
    # With the algorithms, because a name may contain a tilde.
    statement = Statement.parse(label, algorithms)
    words = statement.words(measures)
    if len(words) > _MOST:
        words = statement.abridged().words(measures)
    return short_label_phrase(words, _MOST)


def claim_in_quotes(words: str) -> str:
    """Put a claim in quotation marks: it is mentioned, not made."""
    return f"“{words}”"


def certainty_words(decision: Decision) -> str:
    """Say what a probability means for the verdict, for the end of a sentence that gives it.

    Examples
    --------
    >>> certainty_words(Decision("A>B", 0.97, "better", (), None))
    ', which settles it'
    >>> certainty_words(Decision("A>B", 0.6, "open", (), None))
    ', which leaves the question open'
    """
    if decision.settled:
        return ", which settles it"
    if decision.state == "leads":
        return f": it leads, but is not settled; {short_parts_words(decision)}"
    if decision.verdict == "likely":
        return f": likely, but short of {setting_number_text(SETTLED)} and so not settled"
    return ", which leaves the question open"


def short_parts_words(decision: Decision) -> str:
    """Say on which measures a leading statement is not sure, with the datasets won and lost.

    Examples
    --------
    >>> import bayescompare as bc
    >>> short_parts_words(bc.compare(bc.load_example("benavoli-example1")).decision)
    'on time B is ahead, short of 0.95 (8 : 4)'
    """
    leaders = Statement.parse(decision.statement).leaders
    unsure = [
        part
        for part, leader in zip(decision.measured, leaders, strict=False)
        if part.word not in ("better", "equal") or part.ahead != (leader or "")
    ]
    if not unsure or all(math.isnan(part.figure) for part in decision.measured):
        return "how sure each measure is by itself is not known"
    return join_names(_parts_in_words(decision, unsure))


def settled_parts_words(decision: Decision) -> str:
    """Say which measures are settled one at a time, where the whole is not; "" if none is.

    Examples
    --------
    >>> import bayescompare as bc
    >>> settled_parts_words(bc.compare(bc.load_example("benavoli-example1")).decision)
    'Taken one at a time: on accuracy B is better (9 : 3, P = 0.961).'
    """
    if decision.settled or len(decision.measured) < 2:
        return ""
    sure = [part for part in decision.measured if part.word in ("better", "equal")]
    if not sure:
        return ""
    pieces = _parts_in_words(decision, sure, figure=True)
    return f"Taken one at a time: {join_names(pieces)}."


def _parts_in_words(
    decision: Decision, parts: Sequence[Part], *, figure: bool = False
) -> list[str]:
    """Say who is ahead on some measures, those of which the same is said together."""
    said: dict[str, list[str]] = {}
    records = {}
    for part in parts:
        said.setdefault(_part_in_words(decision, part), []).append(part.measure)
        records[part.measure] = _record_in_words(decision, part, figure=figure)
    pieces = []
    for words, measures in said.items():
        if len(measures) == 1:
            pieces.append(f"on {measures[0]} {words}{records[measures[0]]}")
        else:
            listed = join_names([f"{measure}{records[measure]}" for measure in measures])
            pieces.append(f"on {listed} {words}")
    return pieces


def _part_in_words(decision: Decision, part: Part) -> str:
    """Say who is ahead on a measure: "they are level"."""
    ahead, word = part.ahead, part.word
    if len(Statement.parse(decision.statement).states[0].names) > 2:
        return f"the order is {'sure' if word in ('better', 'equal') else 'open'}"
    if word == "equal":
        return "they are practically equal"
    if word == "level":
        return "they are level"
    if word == "better":
        return f"{ahead} is better"
    return f"{ahead} is ahead, short of {setting_number_text(SETTLED)}"


def _record_in_words(decision: Decision, part: Part, *, figure: bool) -> str:
    """Datasets won and lost by whoever is ahead: " (51 : 49)"; of whole orders they say little."""
    record = []
    names = Statement.parse(decision.statement).states[0].names
    if len(names) == 2:
        won, lost = part.won, part.lost
        if part.ahead:
            won, lost = max(won, lost), min(won, lost)
        record.append(f"{won} : {lost}")
    if figure:
        equation = pvalue_equation if decision.pvalue else probability_equation
        record.append(equation(min(part.figure, part.alone)))
    return f" ({', '.join(record)})" if record else ""
