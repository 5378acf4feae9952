"""Every sentence that a method says, one file each; English, and nowhere else.

A method's `words` hand over its figures and the `Decision` read off them; here they become
sentences, so that words and numbers cannot disagree. `pieces` are what all share, and `change`
says what would change a verdict.
"""

from __future__ import annotations

from bayescompare.methods.words.pieces import (
    HEADS,
    cell_text,
    figure_text,
    many,
    none_leads_words,
    phrase,
    short_label,
)

__all__ = [
    "HEADS",
    "cell_text",
    "figure_text",
    "many",
    "none_leads_words",
    "phrase",
    "short_label",
]
