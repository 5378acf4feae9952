"""Sentence pieces that all methods share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescompare.methods.decision import LIKELY, SETTLED
from bayescompare.results import Results

__all__ = [
    "HEADS",
    "cell_text",
    "figure",
    "many",
    "number",
    "phrase",
    "plural",
    "share",
    "short_label",
]


#: What a column of `summary()` is headed.
HEADS = {
    "count": "datasets",
    "probability": "P",
    "mcse": "MCSE",
    "theta_mean": "θ mean",
    "theta_lower": "θ 2.5 %",
    "theta_upper": "θ 97.5 %",
    "lower": "P lower",
    "upper": "P upper",
    "opt": "opt",
    "share_below": "share below",
    "pvalue": "p",
}


def share(p: float) -> str:
    """Write a probability so that it never reads as certainty.

    Examples
    --------
    >>> share(0.79821), share(0.99999), share(2e-7)
    ('0.798', 'over 0.999', 'under 0.001')
    """
    if p >= 0.9995:
        return "over 0.999"
    return "under 0.001" if p < 0.0005 else _three_digits(p)


def _three_digits(p: float) -> str:
    """Round, but never up to a threshold that p itself misses."""
    rounded = round(p, 3)
    missed = any(p < threshold <= rounded for threshold in (LIKELY, SETTLED))
    return f"{rounded - 0.001 if missed else rounded:.3f}"


def figure(p: float) -> str:
    """Write a probability with its sign of equality: "= 0.798", "> 0.999".

    Examples
    --------
    >>> figure(0.79821), figure(0.99999)
    ('= 0.798', '> 0.999')
    """
    return "> 0.999" if p >= 0.9995 else "< 0.001" if p < 0.0005 else f"= {_three_digits(p)}"


def short_label(label: str, most: int = 160) -> str:
    """Leave out the middle of a very long statement."""
    return label if len(label) <= most else f"{label[: most * 2 // 3]} … {label[-most // 4 :]}"


def number(value: float) -> str:
    """Write a count, fractional or not, without needless digits."""
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.3g}"


def plural(n: float, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "dataset"), plural(12, "dataset")
    ('1 dataset', '12 datasets')
    """
    return f"{number(n)} {noun}{'' if n == 1 else 's'}"


def many(items: Sequence[str], *, most: int = 6) -> str:
    """Join names: ``"a, b and c"``, shortened when there are very many."""
    # "and 1 more" is no shorter than the one.
    if len(items) > most + 1:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))


def cell_text(head: str, value: object) -> str:
    """Write a cell of a table by what its column's head says it is.

    Examples
    --------
    >>> cell_text("P(A better)", 0.9999), cell_text("p-value", 1e-9), cell_text("errors", 3)
    ('>0.999', '<0.001', '3')
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, (float, np.floating)):
        return str(value)
    if head.startswith(("P(", "P ")):
        return "".join(figure(float(value)).removeprefix("= ").split())
    if head.startswith("p-value"):
        return "<0.001" if value < 0.0005 else f"{value:.3f}"
    return f"{value:.3f}" if "share" in head else f"{value:.4g}"


def phrase(results: Results, label: str) -> str:
    """Say a statement in words: "B is better than A on accuracy and time".

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> phrase(load_example("benavoli-example1"), "B>A|A>B")
    'B is better than A on accuracy, and A is better than B on time'
    """
    parts: dict[str, list[str]] = {}
    for measure, state in zip(results.measures, label.split("|"), strict=True):
        parts.setdefault(state, []).append(measure)
    said = [f"{_state(state)} on {many(measures)}" for state, measures in parts.items()]
    return ", and ".join(said)


def _state(state: str) -> str:
    if "=" in state:
        return " and ".join(state.split("=")) + " are equivalent"
    first, *rest = state.split(">")
    if len(rest) == 1:
        return f"{first} is better than {rest[0]}"
    return "the order is " + " > ".join([first, *rest])
