"""The table of effect sizes: how large the differences are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.comparison.effects import EFFECTS_TITLE, printed_comparison_effects
from bayescompare.report.tables import MOST_PAIRS, Table

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.pairwise import Pairwise

__all__ = ["effect_tables"]


def effect_tables(
    thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> list[Table]:
    """Return the table of a comparison, or of these pairs; none without anything to subtract."""
    rows = printed_comparison_effects(thing, pairs)
    if rows.empty:
        return []
    words = list(rows.columns).index("measure") + 1
    body = rows.head(MOST_PAIRS).astype(str).to_numpy().tolist()
    more = max(0, len(rows) - MOST_PAIRS)
    return [Table(EFFECTS_TITLE, [str(head) for head in rows], body, text=words, more=more)]
