"""What was done to a table of items, in words."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import BoolArray, IntArray
from bayescompare.results.items.frame import item_epoch_note
from bayescompare.results.items.matching import MatchedItems
from bayescompare.results.text import first_words_in_results
from bayescompare.text.numbers import count, plural, whole_number_text

__all__ = ["ItemNotes"]


class ItemNotes:
    """Collects what a table's notes tell: epochs, items that are not whole or unmatched."""

    def __init__(self) -> None:
        self._epochs: list[IntArray] = []
        self._broken = 0
        self._unmatched: list[str] = []
        self._number = 0
        self._shared: list[int] = []

    def hear(self, name: str, items: MatchedItems, complete: BoolArray) -> None:
        """Take note of one dataset."""
        if items.epochs is not None:
            self._epochs.append(np.array([items.epochs.min(), items.epochs.max()]))
        present = ~np.isnan(items.values).all(axis=2)
        self._broken += int((present & ~complete).sum())
        some = complete[complete.any(axis=1)]
        shared, union = some.all(axis=0), some.any(axis=0)
        self._shared.append(int(shared.sum()))
        lost = int((union & ~shared).sum())
        if lost:
            self._number += lost
            self._unmatched.append(f"{count(lost)} of {count(int(union.sum()))} on {name}")

    def words(self, rows: int, algorithms: int) -> tuple[str, ...]:
        """Return the notes."""
        fewest, most = min(self._shared), max(self._shared)
        span = plural(most, "item") if fewest == most else f"{count(fewest)} to {count(most)} items"
        notes = [
            f"each cell is the mean of {span}; {whole_number_text(rows)} rows read, statistics kept"
        ]
        if self._epochs:
            notes.append(item_epoch_note(np.concatenate(self._epochs)))
        if self._broken:
            notes.append(
                f"{plural(self._broken, 'row')} without a value for every measure left out"
            )
        if self._unmatched:
            are = "is" if self._number == 1 else "are"
            each = "" if algorithms == 2 else "; each pair is compared on those that both have"
            notes.append(
                f"{plural(self._number, 'item')} that some algorithm lacks {are} left out for "
                f"all: {first_words_in_results(self._unmatched)}{each}"
            )
        return tuple(notes)
