"""`Gate`: one candidate against one baseline, measure by measure, and whether it may pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import (
    FEWEST,
    FEWEST_APART,
    MOST_EXACT_UNITS,
    bootstrap_weights,
    effective_number,
    mean_above,
    mean_quantile,
)
from bayescompare.kernels.ranking.leaderboard import share_error
from bayescompare.outcome.answer import Shown
from bayescompare.outcome.decision import Standing, Word
from bayescompare.outcome.saved import results_document, saved_head
from bayescompare.outcome.verdicts import dataset_importance
from bayescompare.ranking.answer import units_of
from bayescompare.ranking.words import gate_block, gate_units, gate_words
from bayescompare.table.results import Results
from bayescompare.table.words import table_figures
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


GateVerdict = Literal["superior", "not worse", "worse", "undecided"]

#: Draws where there are too many units for the integral; the error of P is at most 0.0023.
_DRAWS = 50_000


@dataclass(frozen=True)
class MeasureGate:
    """The candidate against the baseline on one measure, positive where the candidate is better.

    Attributes
    ----------
    difference : float
        Mean advantage of the candidate.
    lower, upper : float
        One-sided: each bound by itself holds with probability `level`; NaN where there are too
        few datasets.
    p_better, p_not_worse, p_worse : float
        P(advantage > 0), P(advantage ≥ −rope) where there is a rope, P(advantage < −rope).
    mcse : float
        Of the probabilities, at most; 0 where they are exact.
    verdict : {"superior", "not worse", "worse", "undecided"}
    differing : int
        On how many units the two differ.
    """

    difference: float
    lower: float
    upper: float
    p_better: float
    p_not_worse: float
    p_worse: float
    mcse: float
    verdict: GateVerdict
    differing: int = 0

    @property
    def sure(self) -> float:
        """P of the verdict; of an open one, P(better)."""
        own = {"worse": self.p_worse, "not worse": self.p_not_worse}
        return own.get(self.verdict, self.p_better)


@dataclass(frozen=True)
class GateAnswer:
    """All measures, and what was resampled: so many datasets or domains, or items of datasets.

    Attributes
    ----------
    measures : tuple of MeasureGate
    n : int
    effective : float
        How many of equal weight they are worth.
    noun : str
        "dataset", "domain", "item", "cluster" or "seed".
    benchmarks : tuple of int
        How many of the `n` each dataset has, where the datasets are fixed; else empty.
    differing : int
        On how many of them the two differ, on the measure (and fixed dataset) with the fewest.
    """

    measures: tuple[MeasureGate, ...]
    n: int
    effective: float
    noun: str
    benchmarks: tuple[int, ...] = ()
    differing: int = 0

    @property
    def has_verdicts(self) -> bool:
        """Whether there are enough datasets for any verdict; too few items are refused."""
        return bool(self.benchmarks) or self.effective >= FEWEST

    @property
    def exact(self) -> bool:
        """Whether no draws were needed."""
        return all(measure.mcse == 0.0 for measure in self.measures)


def gate_answer(results: Results, level: float, rng: np.random.Generator) -> GateAnswer:
    """Judge every measure; `results` has the candidate first, then the baseline.

    With replicates, the datasets are fixed and the items of each are resampled.
    """
    fixed = results.n_replicates is not None
    every = range(len(results.datasets)) if fixed else range(1)
    parts = [_part_of(results, i) for i in every]
    numbers = [effective_number(part.importance) for part in parts]
    shares = np.ones(1)
    if fixed:
        _refuse_few_items(results, parts, numbers)
        shares = dataset_importance(results)
        shares = shares / shares.sum()
    n = [len(part.importance) for part in parts]
    few = numbers[0] < FEWEST and not fixed
    exact = few or (len(parts) == 1 and n[0] <= MOST_EXACT_UNITS)
    means = None if exact else _drawn_means(parts, shares, rng)
    centre = shares @ [part.importance @ part.advantage / part.importance.sum() for part in parts]
    noise = np.max([part.noise for part in parts], axis=0)
    judged = []
    for j, name in enumerate(results.measures):
        law = (parts[0].advantage[:, j], parts[0].importance) if means is None else means[:, j]
        rope = results[name].rope
        found = _judged(None if few else law, float(centre[j]), rope, float(noise[j]), level)
        apart = sum(int(np.count_nonzero(part.advantage[:, j])) for part in parts)
        if fixed and apart < FEWEST_APART and found.verdict in ("superior", "worse"):
            safe = found.p_not_worse >= level
            found = replace(found, verdict="not worse" if safe else "undecided")
        judged.append(replace(found, differing=apart))
    differing = int(np.min([np.count_nonzero(part.advantage, axis=0) for part in parts]))
    benchmarks = tuple(n) if fixed else ()
    return GateAnswer(tuple(judged), sum(n), sum(numbers), parts[0].noun, benchmarks, differing)


class _Part(NamedTuple):
    """Units that are resampled together: all of them, or those of one dataset.

    Attributes
    ----------
    advantage : array (n, m)
        Of the candidate over the baseline.
    noise : array (m,)
        Differences up to this are none.
    importance : array (n,)
    noun : str
    """

    advantage: FloatArray
    noise: FloatArray
    importance: FloatArray
    noun: str


def _part_of(results: Results, dataset: int) -> _Part:
    units = units_of(results, ranks=False, dataset=dataset)
    noise = RELATIVE_TOLERANCE * np.abs(units.scores).max(axis=1)
    advantage = units.scores[:, 0] - units.scores[:, 1]
    advantage = np.where(np.abs(advantage) <= noise, 0.0, advantage)
    return _Part(advantage, noise.max(axis=0), units.importance, units.noun)


def _refuse_few_items(results: Results, parts: Sequence[_Part], numbers: Sequence[float]) -> None:
    """Refuse a dataset whose items do not show how they vary."""
    for name, part, effective in zip(results.datasets, parts, numbers, strict=True):
        if effective <= FEWEST - 1:
            units = plural(len(part.importance), part.noun)
            unequal = " of very unequal size" if len(part.importance) >= FEWEST else ""
            raise BayescompareError(
                f"over='items': {name!r} has {units}{unequal} that both algorithms have, and a "
                f"benchmark needs {FEWEST}: leave this dataset out of the table, or resample the "
                "datasets instead by over='datasets'."
            )


def _drawn_means(
    parts: Sequence[_Part], shares: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean advantage on every measure, (draws, m); units that are alike, together."""
    means = np.zeros((_DRAWS, parts[0].advantage.shape[1]))
    for part, share in zip(parts, shares, strict=True):
        rows = np.column_stack([part.importance, part.advantage])
        alike, times = np.unique(rows, axis=0, return_counts=True)
        start = 0
        for weights in bootstrap_weights(alike[:, 0], _DRAWS, rng, times):
            means[start : start + len(weights)] += share * (weights @ alike[:, 1:])
            start += len(weights)
    return means


def _judged(
    law: tuple[FloatArray, FloatArray] | FloatArray | None,
    centre: float,
    rope: float | None,
    noise: float,
    level: float,
) -> MeasureGate:
    """Judge one measure, by the exact law of the mean (advantages, importances), or by draws."""
    width, mcse = rope or 0.0, 0.0
    if law is None:
        better = worse = lower = upper = np.nan
    elif isinstance(law, tuple):
        advantage, v = law
        better = mean_above(advantage, v, noise=noise)
        worse = mean_above(-advantage, v, width, noise=noise)
        lower, upper = (mean_quantile(advantage, v, p) for p in (1.0 - level, level))
    else:
        better = float((law > noise).mean())
        worse = float((law < -width - noise).mean())
        lower, upper = map(float, np.quantile(law, (1.0 - level, level)))
        mcse = float(share_error(np.array([better, worse]), _DRAWS).max())
    verdict: GateVerdict = "undecided"
    if better >= level:
        verdict = "superior"
    elif rope is not None and 1.0 - worse >= level:
        verdict = "not worse"
    elif worse >= level:
        verdict = "worse"
    safe = np.nan if rope is None else 1.0 - worse
    return MeasureGate(centre, lower, upper, better, safe, worse, mcse, verdict)


# the answer as users have it ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Shown):
    """Whether a candidate may replace a baseline: `gate` returns one.

    Attributes
    ----------
    results : Results
        The candidate and the baseline, in this order, complete; with items, if these were
        resampled.
    level : float
    answer : GateAnswer
    seed : int, optional
        Of the draws, where there were any.

    Examples
    --------
    >>> import bayescompare as bc
    >>> g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    >>> g.passed
    True
    >>> g.table["verdict"].to_dict()
    {'auc': 'superior', 'accuracy': 'superior', 'brier': 'superior'}
    """

    results: Results
    level: float
    answer: GateAnswer
    seed: int | None = field(default=None, kw_only=True)

    @property
    def candidate(self) -> str:
        """Name of the candidate."""
        return self.results.algorithms[0]

    @property
    def baseline(self) -> str:
        """Name of the baseline."""
        return self.results.algorithms[1]

    @property
    def table(self) -> pd.DataFrame:
        """A row for each measure, with positive differences where the candidate is better.

        ``difference`` is the mean over datasets. ``lower`` and ``upper`` are one-sided: each by
        itself holds with probability `level` (both together with 2·`level` − 1), so that the
        verdict can be read off them: superior if `lower` > 0, not worse if `lower` > −rope, worse
        if `upper` < −rope; over items, neither superior nor worse before the two differ on ten of
        them. ``p_not_worse`` is NaN without a rope.
        """
        heads = ["difference", "lower", "upper", "p_better", "p_not_worse", "verdict"]
        index = pd.Index(self.results.measures, name="measure")
        return pd.DataFrame(list(self.answer.measures), index=index)[heads]

    @property
    def passed(self) -> bool | None:
        """Whether every measure is superior or not worse; None where that is undecided."""
        verdicts = {judged.verdict for judged in self.answer.measures}
        if "worse" in verdicts:
            return False
        return None if "undecided" in verdicts else True

    @property
    def decision(self) -> Standing:
        """What may be said, with the fields that every decision has; `passed` says the same."""
        words: dict[str, Word] = {"superior": "better", "worse": "better"}
        ahead = {"superior": self.candidate, "worse": self.baseline}
        parts = pd.DataFrame(
            {
                "ahead": [ahead.get(judged.verdict, "") for judged in self.answer.measures],
                "probability": [judged.sure for judged in self.answer.measures],
                "word": [words.get(judged.verdict, "level") for judged in self.answer.measures],
            },
            pd.Index(self.results.measures, name="measure"),
        )
        superior = (self.table["verdict"] == "superior").all()
        state: Literal["better", "leads", "worse", "open"] = "better" if superior else "leads"
        if self.passed is not True:
            state = "open" if self.passed is None else "worse"
        named = parts[parts["ahead"] == self.baseline] if state == "worse" else parts
        least = float(named["probability"].min())
        return Standing(self.headline(), least, state, self.passed is not None, parts)

    @property
    def over(self) -> Literal["datasets", "items"]:
        """What was resampled: the datasets, or the items of each dataset."""
        return "items" if self.answer.benchmarks else "datasets"

    @property
    def exact(self) -> bool:
        """Whether the figures carry no Monte Carlo error."""
        return self.answer.exact

    def headline(self) -> str:
        """Return the verdict in one line."""
        return gate_block(self).headline

    def explain(self) -> str:
        """Say what was found on each measure, how sure that is, and under what assumption."""
        return gate_words(self)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the mean advantage on each measure with its bounds, and the rope."""
        from bayescompare import plots

        return plots.plot_gate(self, ax=ax)

    def _document(self) -> dict[str, Any]:
        """Return what its file holds (docs/json-schema.md)."""
        answer = self.answer
        return {
            **saved_head("gate"),
            "candidate": self.candidate,
            "baseline": self.baseline,
            "level": self.level,
            "passed": self.passed,
            "decision": self.decision.to_dict() | table_figures(self.results),
            "caveats": self.caveats,
            "exact": self.exact,
            "seed": None if self.exact else self.seed,
            "over": self.over,
            "resampled": {
                "what": answer.noun,
                "n": answer.n,
                "effective": answer.effective,
                "benchmarks": answer.benchmarks or None,
            },
            "bounds": "one-sided",
            "measures": [
                {"measure": name, "rope": self.results[str(name)].rope, **row}
                for name, row in self.table.to_dict("index").items()
            ],
            "mcse": max(judged.mcse for judged in answer.measures),
            "results": results_document(self.results),
            "explanation": self.explain(),
        }

    def __repr__(self) -> str:
        measures = ", ".join(self.results.measures)
        return (
            f"Gate: {self.candidate} against {self.baseline} on {measures} over "
            f"{gate_units(self)}\n"
            f"  {self.headline()}\n"
            "  see .table, .passed, .explain(), .plot(), .report(), .to_json()"
        )
