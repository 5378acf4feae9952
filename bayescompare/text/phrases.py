"""Sentence pieces that all methods share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.text import numbers

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer


#: Titles of the columns of `summary()`.
COLUMN_TITLES = {
    "count": "datasets",
    "probability": "P",
    "mcse": "MCSE",
    "alone": "P (own prior)",
    "theta_mean": "θ mean",
    # The equal-tailed interval that answers store; others by `interval_title_phrases`.
    "theta_lower": "θ 2.5 %",
    "theta_upper": "θ 97.5 %",
    "lower": "P lower",
    "upper": "P upper",
    "lowest": "P lowest",
    "highest": "P highest",
    "alone_lowest": "P lowest (own prior)",
    "parts": "least measure",
    "coverage": "coverage",
    "opt": "opt",
    "share_below": "share below",
    "pvalue": "one-sided p",
}


def interval_title_phrases(ci_prob: float, ci_kind: str) -> dict[str, str]:
    """Return the titles of the columns of `summary()` that have an interval of θ.

    Examples
    --------
    >>> interval_title_phrases(0.95, "eti")
    {'theta_lower': 'θ 2.5 %', 'theta_upper': 'θ 97.5 %'}
    >>> interval_title_phrases(0.89, "hdi")
    {'theta_lower': 'θ 89 % HDI, lower', 'theta_upper': 'θ 89 % HDI, upper'}
    """
    ends = [numbers.percent_setting((1.0 + side * ci_prob) / 2.0) for side in (-1.0, 1.0)]
    if ci_kind == "hdi":
        ends = [f"{numbers.percent_setting(ci_prob)} HDI, {end}" for end in ("lower", "upper")]
    return {f"theta_{end}": f"θ {text}" for end, text in zip(("lower", "upper"), ends, strict=True)}


#: Columns of `summary()` that no level applies to.
_COLUMNS: dict[str, Callable[[float], str]] = {
    "count": numbers.count,
    "mcse": numbers.standard_error_text,
    "opt": numbers.statistic_number_text,
    "share_below": numbers.share_number_text,
    "coverage": numbers.share_number_text,
}


def short_label_phrase(label: str, most: int = 160) -> str:
    """Shorten a very long statement in the middle."""
    return label if len(label) <= most else f"{label[: most * 2 // 3]} … {label[-most // 4 :]}"


def join_names(items: Sequence[str], *, most: int = 6) -> str:
    """Join names: ``"a, b and c"``, shortened if there are very many."""
    # "and 1 more" would not be shorter than the name itself.
    if len(items) > most + 1:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def cell_text(head: str, value: object, limit: float | None = None) -> str:
    """Write a cell of a table in the format that its column's head implies.

    Examples
    --------
    >>> cell_text("P(A better)", 0.9999), cell_text("p-value", 1e-9), cell_text("errors", 3)
    ('>0.999', '<0.001', '3')
    >>> cell_text("P", 1.0)
    '>0.999'
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, (float, np.floating)):
        return str(value)
    if head == "P" or head.startswith(("P(", "P ")):
        return numbers.format_probability(float(value))
    if head.startswith("p-value"):
        return numbers.format_pvalue(float(value))
    if "share" in head:
        return numbers.share_number_text(float(value))
    # On its own side of a limit.
    return numbers.statistic_number_text(float(value), levels=() if limit is None else [limit])


def figure_text(column: str, value: float, *, levels: Sequence[float] = ()) -> str:
    """Write a figure of `summary()` or `decide()`; rounding keeps to the `levels` of its column.

    Examples
    --------
    >>> figure_text("count", 2.5), figure_text("pvalue", 1e-9), figure_text("probability", 0.9496)
    ('2.5', '<0.001', '0.9496')
    """
    if column in _COLUMNS:
        return _COLUMNS[column](value)
    if column == "running_fdr":
        return numbers.error_rate_text(value, levels=levels)
    if column in ("pvalue", "adjusted"):
        return numbers.format_pvalue(value, levels=levels)
    # Columns that a method adds are probabilities, or figures of another kind.
    if math.isnan(value) or 0.0 <= value <= 1.0:
        return numbers.format_probability(value, levels=levels)
    return numbers.statistic_number_text(value)


def exactness_phrase(answer: Answer, label: str) -> str:
    """Say how a statement's probability is known: exactly, or with which Monte Carlo error."""
    if answer.mcse is None:
        return "exact"
    mcse = float(answer.mcse[answer.labels.index(label)])
    return f"Monte Carlo standard error {numbers.standard_error_text(mcse)}"
