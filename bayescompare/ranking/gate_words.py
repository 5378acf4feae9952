"""A gate in words: whether the candidate passes, measure by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.kernels.ranking.bootstrap import FEWEST
from bayescompare.ranking.gate_answer import MeasureGate
from bayescompare.table.measure import Measure
from bayescompare.text.numbers import (
    difference_number_text,
    plural,
    probability_equation,
    setting_number_text,
    standard_error_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.ranking.gate import Gate

__all__ = ["gate_headline", "gate_units", "gate_words"]

#: Below this many units the error rate is known to exceed what is stated, for skewed differences.
_FEW = 10


def gate_headline(g: Gate) -> str:
    """Return the verdict in one line."""
    if not g.answer.has_verdicts:
        n = plural(g.answer.n, g.answer.noun)
        few = f"Undecided: {n} are too few for a verdict, which takes {FEWEST}"
        if g.results.replicates == "folds":
            return f"{few}."
        # Folds are the default, so whoever has items or seeds has said so.
        return (
            f"{few}; over='items' (--over items) judges these {g.answer.noun}s themselves by "
            f"their {g.results.replicates}."
        )
    named = {
        verdict: [str(name) for name, v in g.table["verdict"].items() if v == verdict]
        for verdict in ("superior", "not worse", "worse", "undecided")
    }
    parts = [
        f"{'better' if verdict == 'superior' else verdict} on {join_names(names)}"
        for verdict, names in named.items()
        if names
    ]
    start = {True: "Passed", False: "Not passed", None: "Undecided"}[g.passed]
    return f"{start}: {g.candidate} is {'; '.join(parts)}, compared with {g.baseline}."


def gate_units(g: Gate) -> str:
    """Say how many of what were resampled: "814 items of 3 benchmarks"."""
    units, fixed = plural(g.answer.n, g.answer.noun), len(g.answer.benchmarks)
    return f"{units} of {plural(fixed, 'benchmark')}" if fixed else units


def gate_words(g: Gate) -> str:
    """Return the paragraph."""
    sentences = [gate_headline(g)]
    if g.answer.has_verdicts:
        for name, judged in zip(g.results.measures, g.answer.measures, strict=True):
            sentences.append(_gate_words_on_measure(name, g.results[name], judged, g.level))
        sentences += [*_gate_words_without_rope(g), _gate_words_on_basis(g)]
    else:
        sentences += [
            f"On {name} {_gate_words_on_size(judged.difference, g.results[name])} on average."
            for name, judged in zip(g.results.measures, g.answer.measures, strict=True)
        ]
    fewest = min(g.answer.benchmarks, default=g.answer.effective)
    if g.answer.has_verdicts and min(fewest, g.answer.differing) < _FEW:
        few = plural(fewest if g.answer.benchmarks else g.answer.n, g.answer.noun)
        if g.answer.differing < fewest:
            few = f"{plural(g.answer.differing, g.answer.noun)} on which the two differ"
        sentences.append(
            f"Caution: {few} are few, and skewed differences or many ties can make false verdicts "
            "more frequent than stated."
        )
    return " ".join([*sentences, *(f"Note: {note}." for note in g.results.notes)])


def _gate_words_on_measure(name: str, spec: Measure, judged: MeasureGate, level: float) -> str:
    better = probability_equation(judged.p_better, "P(better)", levels=[level])
    mean = _gate_words_on_size(judged.difference, spec)
    start = f"On {name} {mean} on average"
    not_worse = probability_equation(judged.p_not_worse, "P(not worse)", levels=[level])
    worse = probability_equation(judged.p_worse, "P(worse)", levels=[level])
    rope = (
        f" (by more than the rope of {_gate_words_plain_difference(spec.rope, spec)})"
        if spec.rope
        else ""
    )
    match judged.verdict:
        case "superior":
            return f"{start}: superior, {better}."
        case "not worse":
            return f"{start}: not worse{rope}, {not_worse}; {better}."
        case "worse":
            return f"{start}: worse{rope}, {worse}."
    both = better if spec.rope is None else f"{better}, {not_worse}"
    return f"{start}: undecided, {both}."


def _gate_words_on_size(advantage: float, spec: Measure) -> str:
    """Say the mean advantage in the measure's unit."""
    if advantage == 0.0:
        return "both are equal"
    side = "better" if advantage > 0 else "worse"
    return f"the candidate is {side} by {_gate_words_plain_difference(abs(advantage), spec)}"


def _gate_words_plain_difference(value: float | None, spec: Measure) -> str:
    return difference_number_text(value or 0.0, spec.unit or "").removeprefix("+")


def _gate_words_without_rope(g: Gate) -> list[str]:
    """Say for which measures only superiority can pass."""
    bare = [name for name in g.results.measures if g.results[name].rope is None]
    if not bare:
        return []
    has = "has" if len(bare) == 1 else "have"
    return [
        f"{join_names(bare)} {has} no rope, so only superiority passes there: for “not worse”, say "
        f"how large a loss does not matter, as in rope=0.01."
    ]


def _gate_words_on_basis(g: Gate) -> str:
    units = plural(g.answer.n, g.answer.noun)
    if g.answer.effective < g.answer.n - 1e-9:
        units += (
            f" (worth {statistic_number_text(g.answer.effective, significant=2)} of equal weight)"
        )
    how = "exact"
    if not g.exact:
        mcse = max(judged.mcse for judged in g.answer.measures)
        how = f"Monte Carlo standard error at most {standard_error_text(mcse)}"
    about = f"{g.answer.noun}s like these {units},"
    if g.answer.benchmarks:
        about = f"{_gate_words_on_benchmarks(g)}; {units} are resampled"
    level = setting_number_text(g.level)
    return (
        f"A verdict needs P ≥ {level}. The probabilities are about the mean over {about} by the "
        f"Bayesian bootstrap widened for small numbers ({how}). Each bound is one-sided: by itself "
        f"it holds with P = {level}. Each measure is judged by itself."
    )


def _gate_words_on_benchmarks(g: Gate) -> str:
    """Name the datasets that are fixed, and how they count."""
    names = g.results.datasets
    if len(names) == 1:
        return f"{names[0]} alone (nothing follows for other benchmarks)"
    how = "of equal weight"
    if g.results.weights is not None:
        how = "by their weights"
    elif g.results.groups is not None:
        how = "each domain of equal weight"
    return (
        f"the {len(names)} benchmarks {join_names(names)} themselves ({how}; nothing follows for "
        "other benchmarks)"
    )
