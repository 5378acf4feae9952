"""`Measure`: the properties of a performance measure, apart from its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from typing import Any, Literal, cast

from bayescompare._checks import check_word, is_number, show_checked_value
from bayescompare._errors import UNPRINTABLE, BayescompareError

Direction = Literal["max", "min"]
Scale = Literal["metric", "ordinal"]

#: Other words for the directions.
_DIRECTIONS: dict[str, Direction] = {
    **dict.fromkeys(("higher", "larger", "maximize", "maximise", "greater"), "max"),
    **dict.fromkeys(("lower", "smaller", "minimize", "minimise", "less"), "min"),
}


@dataclass(frozen=True)
class Measure:
    """Properties of a performance measure: which way is better, and which differences matter.

    Parameters
    ----------
    direction : {"max", "min"}
        Whether higher or lower values are better; ``"higher"`` and ``"lower"`` are understood.
    rope : float, optional
        Region of practical equivalence: two algorithms whose values differ by at most this much
        are called equivalent. ``None`` (default) has no such region and splits exact ties evenly;
        ``0`` keeps exact ties as a separate state.
    scale : {"metric", "ordinal"}
        Whether differences of the measure are meaningful, or only its order.
    bounds : tuple of (float or None, float or None), optional
        The lowest and the highest value that the measure can take; ``None`` for an open side.
    unit : str, optional
        For labels, as in ``"s"``.

    Examples
    --------
    >>> Measure("min", rope=0.05, bounds=(0, None), unit="s")
    Measure(direction='min', rope=0.05, scale='metric', bounds=(0.0, None), unit='s')
    """

    direction: Direction
    _: KW_ONLY
    rope: float | None = None
    scale: Scale = "metric"
    bounds: tuple[float | None, float | None] | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        words: object = self.direction
        known = _DIRECTIONS.get(words.lower()) if isinstance(words, str) else None
        object.__setattr__(self, "direction", known or self.direction)
        check_word("direction", self.direction, ("max", "min"))
        check_word("scale", self.scale, ("metric", "ordinal"))
        _check_unit(self.unit)
        if self.rope is not None:
            rope = _as_number("rope", self.rope)
            if not (math.isfinite(rope) and rope >= 0):
                raise BayescompareError(
                    f"rope={self.rope!r}: a region of practical equivalence is a finite number "
                    ">= 0, or None for no such region."
                )
            object.__setattr__(self, "rope", rope)
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _check_bounds(self.bounds))

    @property
    def sign(self) -> int:
        """``+1`` when higher is better, ``-1`` when lower is."""
        return 1 if self.direction == "max" else -1

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready values."""
        fields = asdict(self)
        fields["bounds"] = None if self.bounds is None else list(self.bounds)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Measure:
        """Build the measure that `to_dict` described."""
        argument: object = fields
        known = set(cls.__dataclass_fields__)
        if (
            not isinstance(argument, Mapping)
            or "direction" not in argument
            or not set(argument) <= known
        ):
            raise BayescompareError(
                f"fields={show_checked_value(fields)}: give the output of Measure.to_dict(), as in "
                "{'direction': 'max'}."
            )
        bounds = fields.get("bounds")
        ends = tuple(bounds) if isinstance(bounds, list) else bounds
        return cls(**{**fields, "bounds": ends})


def as_measures(measures: Mapping[str, Direction | Measure]) -> dict[str, Measure]:
    """Check the ``measures=`` argument and return name → `Measure`.

    Examples
    --------
    >>> as_measures({"accuracy": "max"})["accuracy"].direction
    'max'
    """
    if not isinstance(measures, Mapping):
        raise BayescompareError(
            f"measures={measures!r}: each measure needs a direction; give a mapping such as "
            "{'accuracy': 'max', 'time': 'min'}."
        )
    if not measures:
        raise BayescompareError("measures={}: name at least one measure and its direction.")
    return {str(name): _as_measure(str(name), value) for name, value in measures.items()}


def _as_measure(name: str, value: object) -> Measure:
    if isinstance(value, Measure):
        return value
    if value is None:
        raise BayescompareError(
            f"measures[{name!r}] has no direction: give 'max' (higher is better) or 'min'."
        )
    try:
        return Measure(cast(Direction, value))
    except BayescompareError as error:
        raise BayescompareError(f"measures[{name!r}]: {error}") from None


def _check_unit(unit: object) -> None:
    if not (unit is None or isinstance(unit, str)):
        raise BayescompareError(
            f"unit={show_checked_value(unit)}: give a string, such as 's', or None."
        )
    # A unit is printed wherever its measure is, terminals included.
    if unit is not None and UNPRINTABLE.search(unit):
        raise BayescompareError(
            f"unit={unit!r} contains a line break or another control character: leave it out."
        )


def _as_number(argument: str, value: object) -> float:
    if not is_number(value):
        raise BayescompareError(f"{argument}={show_checked_value(value)}: must be a number.")
    return float(value)


def _check_bounds(bounds: object) -> tuple[float | None, float | None]:
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise BayescompareError(
            f"bounds={bounds!r}: give (lowest, highest), with None for an open side."
        )
    low, high = (None if b is None else _as_number("bounds", b) for b in bounds)
    if any(b is not None and math.isnan(b) for b in (low, high)):
        raise BayescompareError(f"bounds={bounds!r}: must not be NaN.")
    if low is not None and high is not None and not low < high:
        raise BayescompareError(f"bounds={bounds!r}: the lowest must be below the highest.")
    return low, high
