"""What is asked of a ranking: the scale, the level, and what a point on each measure is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bayescompare._checks import (
    check_count,
    check_word,
    is_number,
    is_whole,
    show_checked_value,
    show_checked_value_briefly,
)
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import box_weights, simplex_weights
from bayescompare.table.results import Results
from bayescompare.text.names import unknown_name
from bayescompare.text.numbers import (
    setting_number_text,
    statistic_number_text,
    whole_number_text,
)
from bayescompare.text.phrases import join_names

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
        check_word("by", self.by, ("rank", "value", "strength"))
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
        return {**vars(self), "utility": utility}


# what a point on each measure is worth ---------------------------------------------------------

Engine = Literal["rank", "value", "strength"]

_HELP = (
    "give a mapping of measures to weights, as {'accuracy': 1, 'time': 0.5}, or to bounds of the "
    "weights, as {'accuracy': (0.5, 1)}, or 'unknown' for all weights"
)

#: Measures whose ranges differ by more than this factor are not on one scale.
_SAME_SCALE = 10.0


@dataclass(frozen=True)
class Utility:
    """Weights of the measures, larger is better, with their bounds.

    Attributes
    ----------
    kind : {"given", "bounded", "unknown"}
    low, high : mapping of str to float
        Bounds of each measure's weight as the user wrote them; equal where it is given.
    shares : bool
        Whether weights are shares that sum to one (of places and strengths), or worth per unit
        of the measure (of values).
    """

    kind: Literal["given", "bounded", "unknown"]
    low: Mapping[str, float]
    high: Mapping[str, float]
    shares: bool

    def weights(self, results: Results, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw weights (draws, m) of scores that are larger the better; one row if given."""
        signs = [1 if self.shares else results[name].sign for name in results.measures]
        ends = np.array([[end[name] for name in results.measures] for end in (self.low, self.high)])
        low, high = np.sort(ends * signs, axis=0)
        if self.kind == "given":
            return np.asarray(low / low.sum() if self.shares else low)[None, :]
        if not self.shares:
            return box_weights(low, high, draws, rng)
        weights = simplex_weights(low, high, draws, rng)
        if weights is None:
            raise BayescompareError(
                f"utility={show_checked_value_briefly(self.written())}: no weights that sum to "
                "one, or next to none, lie within these bounds: widen them."
            )
        return weights

    def written(self) -> Any:
        """Return the utility as the user gives it."""
        if self.kind == "unknown":
            return "unknown"
        ends = ((name, low, self.high[name]) for name, low in self.low.items())
        return {
            name: low if low == high else (low, high) for name, low, high in ends if low or high
        }

    def words(self) -> str:
        """Say what the measures are worth."""
        if self.kind == "unknown":
            return "under weights of the measures that are unknown, all equally probable"
        parts = []
        for name, value in self.written().items():
            ends = value if isinstance(value, tuple) else (value,)
            parts.append(f"{name} {' to '.join(setting_number_text(end) for end in ends)}")
        return f"with the weights {join_names(parts)}"


def as_utility(utility: object, results: Results, by: Engine) -> Utility | None:
    """Check the ``utility=`` argument against the measures and the way they are scored."""
    if utility is None:
        return None
    names = results.measures
    shares = by != "value"
    if isinstance(utility, str) and utility == "unknown":
        if not shares:
            _check_scale(results)
        # Of scores that are larger the better, on one scale: only their proportions matter.
        return Utility("unknown", dict.fromkeys(names, 0.0), dict.fromkeys(names, 1.0), True)
    if not isinstance(utility, Mapping) or not utility:
        raise BayescompareError(f"utility={show_checked_value_briefly(utility)}: {_HELP}.")
    for name in utility:
        if name not in results:
            raise BayescompareError(f"utility: {unknown_name('measure', name, names)}")
    bounds = {name: _bounds(name, utility.get(name, 0.0)) for name in names}
    for name, (low, high) in bounds.items():
        _check_sign(results, by, name, low, high)
    if not any(end for ends in bounds.values() for end in ends):
        raise BayescompareError(
            f"utility={show_checked_value_briefly(dict(utility))}: every weight is 0, so nothing "
            "is worth anything: give one measure a weight."
        )
    given = all(low == high for low, high in bounds.values())
    lows, highs = ({name: ends[k] for name, ends in bounds.items()} for k in (0, 1))
    return Utility("given" if given else "bounded", lows, highs, shares)


def _bounds(name: str, value: object) -> tuple[float, float]:
    ends = value if isinstance(value, (tuple, list)) else (value, value)
    seen = f"utility: {name!r} has the weight {show_checked_value_briefly(value)}"
    if len(ends) != 2 or not all(is_number(end) and math.isfinite(end) for end in ends):
        raise BayescompareError(f"{seen}; give a finite number, or (lowest, highest).")
    low, high = (float(end) for end in ends)
    if low > high:
        raise BayescompareError(f"{seen}; the lowest must not be above the highest.")
    return low, high


def _check_sign(results: Results, by: Engine, name: str, low: float, high: float) -> None:
    """Refuse a weight that would reward what the direction of the measure calls worse."""
    worst = low if by != "value" or results[name].sign > 0 else -high
    if worst >= 0.0:
        return
    seen = setting_number_text(low if worst == low else high)
    if by != "value":
        raise BayescompareError(
            f"utility: {name!r} has the weight {seen}, and by={by!r} turns every measure so that "
            "larger is better; give weights >= 0, or use by='value'."
        )
    up = results[name].sign > 0
    direction, better, sign = ("max", "higher", "positive") if up else ("min", "lower", "negative")
    raise BayescompareError(
        f"utility: {name!r} has the weight {seen}; it is {direction!r}, so {better} is better and "
        f"its weight must be {sign} or 0; or use by='rank', where all weights are >= 0."
    )


def _check_scale(results: Results) -> None:
    """Refuse unknown weights of measures whose values are not on one scale."""
    names = results.measures
    kinds = {(results[name].unit, results[name].bounds) for name in names}
    values = {name: results.data[name].values for name in names}
    spread = {name: float(np.nanmax(own) - np.nanmin(own)) for name, own in values.items()}
    widest, narrowest = max(spread, key=spread.__getitem__), min(spread, key=spread.__getitem__)
    why = "their units or bounds differ"
    if spread[widest] > _SAME_SCALE * spread[narrowest]:
        wide, narrow = (
            f"{name!r} spans {statistic_number_text(spread[name], significant=3)}"
            for name in (widest, narrowest)
        )
        why = f"{wide} and {narrow}"
    elif len(kinds) == 1:
        return
    raise BayescompareError(
        f"utility='unknown' with by='value': the values of {join_names(list(names))} cannot be "
        f"added, since {why}; use by='rank', or give each measure a weight per unit."
    )
