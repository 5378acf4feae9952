"""`Rule`: which pairs of many get a verdict, decided once for tables, words and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray
from bayescompare.comparison.decision import LIKELY, SETTLED, State, state_of
from bayescompare.kernels.classic.holm import holm
from bayescompare.statements import Statement
from bayescompare.text.numbers import percent_setting, setting_number_text

__all__ = ["Rule", "as_rule"]


@dataclass(frozen=True)
class Rule:
    """When a pair gets a verdict.

    Attributes
    ----------
    level : float, optional
        Each pair by itself: its best statement has at least this probability, and so has what it
        says of every measure by itself, under the learned prior and under the pair's own
        (frequentist: Holm's p-value is at most one less this).
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
        probable = ("probability", "alone", "lowest", "parts")
        return [self.threshold if column in probable else self.alpha]

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
        """Decide on probabilities; the table is sorted by the least that a verdict rests on."""
        leads = ["probability", *(["lowest"] if "lowest" in table else [])]
        # A pair is as sure as it is for the least favourable values of its missing cells. NaN, of
        # a pair without datasets, reaches no level; parts that are not judged are NaN, too.
        lead = table[leads].min(axis=1, skipna=False).to_numpy(dtype=float)
        least = np.fmin(lead, table["parts"].to_numpy(dtype=float))
        least[np.isnan(lead)] = np.nan
        alone = table["alone"].to_numpy(dtype=float)
        if self.level is not None:
            ahead = (lead >= self.level) & (alone >= self.level)
            asserted = ahead & (least >= self.level)
            return table.assign(decision=_states(table, ahead, asserted), asserted=asserted)
        # Sorted by P the running mean only grows, so the largest allowed set is a beginning.
        running = np.cumsum(1.0 - least) / np.arange(1, len(least) + 1)
        asserted = (running <= self.alpha) & (least >= self.floor)
        states = _states(table, lead >= SETTLED, asserted)
        return table.assign(running_fdr=running, decision=states, asserted=asserted)

    def significant(self, table: pd.DataFrame) -> pd.DataFrame:
        """Decide on p-values; a pair without one (NaN) is not tested and does not count.

        Where each measure has a p-value, too, all of them must be small: the largest is corrected.
        """
        lead = table["pvalue"].to_numpy(dtype=float, copy=True)
        largest = np.fmax(lead, table["parts"].to_numpy(dtype=float))
        tested = np.isfinite(lead)
        adjusted = lead.copy()
        adjusted[tested] = holm(largest[tested])
        ahead = lead.copy()
        ahead[tested] = holm(lead[tested])
        asserted = adjusted <= self.alpha
        states = _states(table, ahead <= self.alpha, asserted)
        return table.assign(adjusted=adjusted, decision=states, asserted=asserted)


def _states(table: pd.DataFrame, ahead: BoolArray, asserted: BoolArray) -> list[State]:
    """The state of each pair: asserted by what its statement says, else whether that leads."""
    states: list[State] = []
    columns = table["first"], table["second"], table["statement"], ahead, asserted
    for first, second, label, leads, holds in zip(*columns, strict=True):
        if holds:
            states.append(state_of(Statement.parse(label, (first, second)), 1.0, 1.0))
        else:
            states.append("leads" if leads else "open")
    return states


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
