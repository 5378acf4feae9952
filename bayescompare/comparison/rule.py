"""`Rule`: which pairs of many get a verdict, decided once for tables, words and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.comparison.decision import LIKELY, SETTLED
from bayescompare.kernels.classic.holm import holm
from bayescompare.text.numbers import percent_setting, setting_number_text

__all__ = ["Rule", "as_rule"]


@dataclass(frozen=True)
class Rule:
    """When a pair gets a verdict.

    Attributes
    ----------
    level : float, optional
        Each pair by itself: its best statement has at least this probability, under the learned
        prior and under the pair's own (frequentist: Holm's p-value is at most one less this).
    fdr : float, optional
        All pairs together: the largest set whose expected share of false statements is at most
        this, every one with at least probability `floor` (frequentist: Holm's p-value is at most
        this). Either this or `level` is given.
    floor : float
        With `fdr`, the least probability that may get a verdict.
    """

    level: float | None = SETTLED
    fdr: float | None = None
    floor: float = LIKELY

    @property
    def threshold(self) -> float:
        """What a probability is held against where it stands by itself."""
        return self.floor if self.level is None else self.level

    @property
    def alpha(self) -> float:
        """The error rate that p-values are corrected for."""
        if self.fdr is not None:
            return self.fdr
        assert self.level is not None
        # One less 0.95 is 0.050000000000000044.
        return round(1.0 - self.level, 12)

    def held(self, column: str) -> list[float]:
        """Return what the figures of a column of `decide` are held against."""
        return [self.threshold if column in ("probability", "alone", "lowest") else self.alpha]

    @property
    def options(self) -> dict[str, Any]:
        """The rule as the options that make it."""
        if self.level is not None:
            return {"level": self.level}
        assert self.fdr is not None
        return {"fdr": self.fdr} if self.floor == LIKELY else {"fdr": self.fdr, "floor": self.floor}

    def name(self, *, bayesian: bool) -> str:
        """Name the rule for a table or a picture.

        Examples
        --------
        >>> Rule().name(bayesian=True), Rule().name(bayesian=False)
        ('P at least 0.95', 'Holm at 0.05')
        """
        if not bayesian:
            return f"Holm at {setting_number_text(self.alpha)}"
        if self.level is not None:
            return f"P at least {setting_number_text(self.level)}"
        return f"expected share of false ones at most {percent_setting(self.alpha)}"

    def looser(self) -> Rule | None:
        """Return the rule with twice the error rate; None where that is no rule."""
        if self.level is None:
            return Rule(None, 2.0 * self.alpha, self.floor) if self.alpha < 0.5 else None
        level = round(1.0 - 2.0 * (1.0 - self.level), 12)
        return Rule(level) if level > 0.5 else None

    def probable(self, table: pd.DataFrame) -> pd.DataFrame:
        """Decide on probabilities; the table is sorted by them, the largest first."""
        figure = "probability"
        if "lowest" in table:
            # A pair is as sure as it is for the least favourable values of its missing cells.
            figure = "lowest"
            table = table.sort_values(figure, ascending=False, kind="stable", ignore_index=True)
        p, alone = table[figure].to_numpy(), table["alone"].to_numpy()
        if self.level is not None:
            # A NaN, of a pair without datasets, reaches no level.
            asserted = (p >= self.level) & (alone >= self.level)
            return table.assign(asserted=asserted)
        # Sorted by P the running mean only grows, so the largest allowed set is a beginning.
        running = np.cumsum(1.0 - p) / np.arange(1, len(p) + 1)
        return table.assign(
            running_fdr=running, asserted=(running <= self.alpha) & (p >= self.floor)
        )

    def significant(self, table: pd.DataFrame) -> pd.DataFrame:
        """Decide on p-values; a pair without one (NaN) is not tested and does not count."""
        adjusted = table["pvalue"].to_numpy(dtype=float, copy=True)
        tested = np.isfinite(adjusted)
        adjusted[tested] = holm(adjusted[tested])
        return table.assign(adjusted=adjusted, asserted=adjusted <= self.alpha)


def as_rule(*, level: object = None, fdr: object = None, floor: object = LIKELY) -> Rule:
    """Check the options of a decision; by default every pair by itself at 0.95.

    Examples
    --------
    >>> as_rule(), as_rule(fdr=0.05).options
    (Rule(level=0.95, fdr=None, floor=0.75), {'fdr': 0.05})
    """
    if level is not None and fdr is not None:
        raise BayescompareError(
            f"level={level!r} and fdr={fdr!r} are two rules: give one. level= judges each "
            "pair by itself, fdr= all of them together."
        )
    if not (is_number(floor) and 0.5 <= floor < 1.0):
        raise BayescompareError(f"floor={floor!r}: must be a number from 0.5 to below 1.")
    if fdr is not None:
        if not (is_number(fdr) and 0.0 < fdr < 1.0):
            raise BayescompareError(f"fdr={fdr!r}: must be a number between 0 and 1.")
        return Rule(None, float(fdr), float(floor))
    if floor != LIKELY:
        raise BayescompareError(f"floor={floor!r} applies only to fdr=; level= is a floor itself.")
    if level is None:
        return Rule()
    if not (is_number(level) and 0.5 < level < 1.0):
        raise BayescompareError(f"level={level!r}: must be a number between 0.5 and 1.")
    return Rule(float(level))
