"""The table of effect sizes: how large the differences are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.comparison.effects import EFFECTS_TITLE, printed_comparison_effects
from bayescompare.report.tables import MOST_PAIRS, Table

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["effect_tables"]


def effect_tables(comparisons: Sequence[Comparison]) -> list[Table]:
    """Return the table of these pairs; none where there is nothing to subtract."""
    rows = printed_comparison_effects(comparisons)
    if rows.empty:
        return []
    words = list(rows.columns).index("measure") + 1
    body = rows.head(MOST_PAIRS).astype(str).to_numpy().tolist()
    more = max(0, len(rows) - MOST_PAIRS)
    return [Table(EFFECTS_TITLE, [str(head) for head in rows], body, text=words, more=more)]
