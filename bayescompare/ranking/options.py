"""The choices behind a ranking, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from bayescompare._checks import check_count, check_word, is_number, is_whole, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.ranking.utility import Utility
from bayescompare.text.numbers import whole_number_text

__all__ = ["ENGINES", "RankOptions"]

#: What algorithms are scored by.
ENGINES = ("rank", "value", "strength")

#: Scores that are held at once: 800 MB.
_MOST_SCORES = 100_000_000


@dataclass(frozen=True, kw_only=True)
class RankOptions:
    """How a ranking was made.

    Attributes
    ----------
    by : {"rank", "value", "strength"}
    level : float
        Of the intervals, the top set and the verdicts on the front.
    draws : int
    seed : int
        Gives the draws again.
    utility : Utility or None
    """

    by: Literal["rank", "value", "strength"] = "rank"
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0
    utility: Utility | None = None

    def __post_init__(self) -> None:
        check_word("by", self.by, ENGINES)
        if not (is_number(self.level) and 0.5 <= self.level < 1.0 and math.isfinite(self.level)):
            raise BayescompareError(
                f"level={show_checked_value(self.level)}: must be a number from 0.5 to below 1."
            )
        check_count(draws=self.draws)
        if self.draws < 100:
            raise BayescompareError(f"draws={self.draws}: must be at least 100.")
        if not (is_whole(self.seed) and self.seed >= 0):
            raise BayescompareError(
                f"seed={show_checked_value(self.seed)}: must be an integer >= 0."
            )

    def check_size(self, algorithms: int, measures: int) -> None:
        """Refuse more scores than the memory should hold."""
        each = algorithms * measures
        if self.draws * each > _MOST_SCORES:
            raise BayescompareError(
                f"draws={self.draws}: {algorithms} algorithms on {measures} measures allow at most "
                f"{whole_number_text(_MOST_SCORES // each)}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON has them."""
        utility = None if self.utility is None else self.utility.written()
        if isinstance(utility, dict):
            utility = {k: list(v) if isinstance(v, tuple) else v for k, v in utility.items()}
        return {
            "by": self.by,
            "level": self.level,
            "draws": self.draws,
            "seed": self.seed,
            "utility": utility,
        }
