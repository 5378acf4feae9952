"""Statements and verdicts in words, short enough for a headline or a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from bayescompare.outcome.decision import SETTLED, Decision
from bayescompare.statements import Statement
from bayescompare.text.numbers import setting_number_text
from bayescompare.text.phrases import short_label_phrase

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
        return ": it leads, but what it says of each measure is not settled"
    if decision.verdict == "likely":
        return f": likely, but short of {setting_number_text(SETTLED)} and so not settled"
    return ", which leaves the question open"
