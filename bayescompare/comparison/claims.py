"""Statements in words, short enough for a headline or a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from bayescompare.statements import Statement
from bayescompare.text.phrases import short_label_phrase

__all__ = ["claim_in_quotes", "claim_words"]

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
