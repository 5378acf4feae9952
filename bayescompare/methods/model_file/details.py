"""What answers by a model file tell beyond the statements: the model, and who is ahead of whom."""

from __future__ import annotations

from dataclasses import dataclass

from bayescompare.comparison.details import Details

__all__ = ["ModelDetails", "StrengthDetails"]


@dataclass(frozen=True, kw_only=True)
class StrengthDetails(Details):
    """P(each algorithm is ahead of each on every measure), where the model has strengths."""

    ahead: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ModelDetails(StrengthDetails):
    """The model, and all algorithms that it was of where a pair was read from it."""

    model: str
    title: str
    together: tuple[str, ...] | None = None
