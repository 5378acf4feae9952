"""How ``--measure`` is written: ``accuracy:max:rope=0.01``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.table.measure import Measure

__all__ = ["parse_measure", "read_measures"]


def read_measures(texts: Sequence[str]) -> dict[str, Measure]:
    """Read every ``--measure`` that was typed, each about a measure of its own."""
    spec: dict[str, Measure] = {}
    for text in texts:
        name, measure = parse_measure(text)
        if name in spec:
            raise BayescompareError(f"--measure {text}: measure {name!r} is given twice.")
        spec[name] = measure
    return spec


def parse_measure(text: str) -> tuple[str, Measure]:
    """Read ``name:direction[:rope=R][:unit=U][:bounds=LOW..HIGH][:ordinal]``.

    Read from the right, so that the name itself may hold colons.

    Examples
    --------
    >>> parse_measure("F1:macro:max:rope=0.01")[0]
    'F1:macro'
    """
    parts, details = text.split(":"), dict[str, Any]()
    while len(parts) > 1 and parts[-1] not in ("max", "min"):
        key, sign, value = parts[-1].partition("=")
        if not sign and key not in ("ordinal", "metric"):
            break
        name, detail = _read_measure_flag_detail(text, key, value if sign else None)
        if name in details:
            raise BayescompareError(f"--measure {text}: {name} is given twice.")
        details[name] = detail
        parts.pop()
    if len(parts) < 2:
        bare = parts[0]
        raise BayescompareError(
            f"--measure {text} has no direction: say {bare}:max (higher is better) or {bare}:min."
        )
    *name_parts, direction = parts
    try:
        return ":".join(name_parts), Measure(direction, **details)  # type: ignore[arg-type]
    except BayescompareError as error:
        raise BayescompareError(f"--measure {text}: {error}") from None


def _read_measure_flag_detail(text: str, key: str, value: str | None) -> tuple[str, Any]:
    """Read one part of a measure: a field of `Measure` and its value."""
    match key, value:
        case (("ordinal" | "metric"), None):
            return "scale", key
        case "rope", str():
            return "rope", _number_in_measure_flag(f"--measure {text}: rope", value)
        case "unit", str():
            return "unit", value
        case "bounds", str():
            low, dots, high = value.partition("..")
            if not dots:
                raise BayescompareError(
                    f"--measure {text}: bounds={value!r}: write LOW..HIGH, as in 0..1 or 0.. ."
                )
            ends = [
                _number_in_measure_flag(f"--measure {text}: bounds", end) if end else None
                for end in (low, high)
            ]
            return "bounds", tuple(ends)
    known = ("rope", "unit", "bounds", "ordinal")
    raise BayescompareError(
        f"--measure {text}: {key!r} is not a part of a measure; the parts are rope=, unit=, "
        f"bounds= and ordinal.{did_you_mean(key, known)}"
    )


def _number_in_measure_flag(argument: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BayescompareError(f"{argument}={text!r}: must be a number.") from None
