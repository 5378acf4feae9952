"""What one reproduction found: figures beside the published ones, claims, curves, remarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

__all__ = ["AGREE", "CURVE_COLUMNS", "Claim", "Figure", "Outcome", "figures_table"]

#: Standard errors by which a published and an obtained figure may differ.
AGREE = 3.0

#: Columns of an outcome's curves; ``low`` and ``high`` are a band, NaN where there is none.
CURVE_COLUMNS = ("panel", "line", "x", "y", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number: where it stands, what the paper says, and what came out here.

    Attributes
    ----------
    case, quantity : str
        The row and the column of the paper's table, or words like them.
    obtained : float
    mcse : float
        Its Monte Carlo standard error; 0 if exact.
    published : float, optional
        None where the paper gives no number.
    rounding : float
        Half a unit of the last digit that the paper prints.
    published_mcse : float
        Standard error of the published number, where it was simulated too.
    target : bool
        Whether the published number can be had at all.
    """

    case: str
    quantity: str
    obtained: float
    mcse: float = 0.0
    published: float | None = None
    rounding: float = 0.0
    published_mcse: float = 0.0
    target: bool = True

    @property
    def verdict(self) -> str:
        """``agrees``, ``differs``, ``no target``, or nothing where nothing was published."""
        if self.published is None:
            return ""
        if not self.target:
            return "no target"
        error = math.hypot(self.mcse, self.published_mcse)
        # Rounding of decimals in binary is no difference.
        close = abs(self.obtained - self.published) <= self.rounding + AGREE * error + 1e-12
        return "agrees" if close else "differs"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in words, whether it holds here, and by what."""

    text: str
    holds: bool
    seen: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All that a reproduction returns.

    Attributes
    ----------
    figures : sequence of Figure
    claims : sequence of Claim
    notes : sequence of str
        How it was done where the paper leaves it open, and why figures differ.
    curves : DataFrame, optional
        With the columns `CURVE_COLUMNS`.
    axes : (str, str)
        What the curves' axes are.
    """

    figures: Sequence[Figure]
    claims: Sequence[Claim] = ()
    notes: Sequence[str] = ()
    curves: pd.DataFrame | None = None
    axes: tuple[str, str] = ("", "")


def figures_table(figures: Sequence[Figure]) -> pd.DataFrame:
    """Put figures into a table, one row each.

    Examples
    --------
    >>> one = Figure(case="n=10", quantity="AUC", obtained=0.69, mcse=0.01, published=0.7)
    >>> figures_table([one])[["published", "obtained", "verdict"]].values.tolist()
    [[0.7, 0.69, 'agrees']]
    """
    rows = [
        {
            "case": f.case,
            "quantity": f.quantity,
            "published": math.nan if f.published is None else f.published,
            "obtained": f.obtained,
            "mcse": f.mcse,
            "verdict": f.verdict,
        }
        for f in figures
    ]
    columns = ["case", "quantity", "published", "obtained", "mcse", "verdict"]
    return pd.DataFrame(rows, columns=columns)
