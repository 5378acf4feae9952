"""The words true and false, which stand for booleans in a text file."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["truth_of_words"]

_TRUTH = {"true": 1.0, "false": 0.0}


def truth_of_words(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column with 1 for the word true and 0 for false; other cells as they are.

    Examples
    --------
    >>> truth_of_words(pd.Series(["True", "false", 0.5], dtype=object)).tolist()
    [1.0, 0.0, 0.5]
    """
    if column.dtype.kind in "iufb":
        return column
    cells = [_TRUTH.get(v.lower(), v) if isinstance(v, str) else v for v in column]
    read: pd.Series[Any] = pd.Series(cells, column.index)
    return read
