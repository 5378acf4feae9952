"""`Gate`: one candidate against one baseline, measure by measure, and whether it may pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from bayescompare.outcome.codec import dumps
from bayescompare.outcome.decision import Standing, Word
from bayescompare.outcome.saved import results_document, saved_head
from bayescompare.ranking.gate_answer import GateAnswer
from bayescompare.ranking.gate_words import gate_headline, gate_units, gate_words
from bayescompare.table.results import Results
from bayescompare.table.words import caveats_of
from bayescompare.table.writing import check_file_is_writable, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Gate"]


@dataclass(frozen=True, eq=False, repr=False)
class Gate:
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
        if `upper` < −rope. ``p_not_worse`` is NaN without a rope.
        """
        rows = [
            (
                judged.difference,
                judged.lower,
                judged.upper,
                judged.p_better,
                judged.p_not_worse if self.results[name].rope is not None else np.nan,
                judged.verdict,
            )
            for name, judged in zip(self.results.measures, self.answer.measures, strict=True)
        ]
        heads = ["difference", "lower", "upper", "p_better", "p_not_worse", "verdict"]
        index = pd.Index(self.results.measures, name="measure")
        return pd.DataFrame(rows, index=index, columns=heads)

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
        rows = []
        for judged in self.answer.measures:
            worse = judged.verdict == "worse"
            word: Word = "better" if judged.verdict in ("superior", "worse") else "level"
            ahead = "" if word == "level" else self.baseline if worse else self.candidate
            # Worse is beyond the rope; without one that is the same as not better.
            sure = judged.p_better
            if judged.verdict in ("worse", "not worse"):
                sure = 1.0 - judged.p_not_worse if worse else judged.p_not_worse
            rows.append((ahead, float(sure), word))
        parts = pd.DataFrame(
            rows,
            index=pd.Index(self.results.measures, name="measure"),
            columns=["ahead", "probability", "word"],
        )
        superior = all(judged.verdict == "superior" for judged in self.answer.measures)
        state: Literal["better", "leads", "worse", "open"] = "better" if superior else "leads"
        if self.passed is not True:
            state = "open" if self.passed is None else "worse"
        named = parts[parts["ahead"] == self.baseline] if state == "worse" else parts
        least = float(named["probability"].min())
        return Standing(self.headline(), least, state, self.passed is not None, parts)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could turn this answer, a sentence each: leaks, gaps, averages, one benchmark."""
        return caveats_of(self.results)

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
        return gate_headline(self)

    def explain(self) -> str:
        """Say what was found on each measure, how sure that is, and under what assumption."""
        return gate_words(self)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the mean advantage on each measure with its bounds, and the rope."""
        from bayescompare import plots

        return plots.plot_gate(self, ax=ax)

    def to_json(self, path: str | Path | None = None, *, overwrite: bool = False) -> str:
        """Return the gate as JSON (docs/json-schema.md); also write it to `path`."""
        document = {
            **saved_head("gate"),
            "candidate": self.candidate,
            "baseline": self.baseline,
            "level": self.level,
            "passed": self.passed,
            "decision": self.decision.to_dict(),
            "caveats": list(self.caveats),
            "exact": self.exact,
            "seed": None if self.exact else self.seed,
            "over": self.over,
            "resampled": {
                "what": self.answer.noun,
                "n": self.answer.n,
                "effective": self.answer.effective,
                "benchmarks": list(self.answer.benchmarks) or None,
            },
            "bounds": "one-sided",
            "measures": [
                {"measure": name, "rope": self.results[name].rope, **row}
                for name, row in zip(
                    self.results.measures, self.table.to_dict("records"), strict=True
                )
            ],
            "mcse": max(judged.mcse for judged in self.answer.measures),
            "results": results_document(self.results),
            "explanation": self.explain(),
        }
        text = dumps(document)
        if path is not None:
            write_text(check_file_is_writable(path, overwrite=overwrite), text)
        return text

    def __repr__(self) -> str:
        measures = ", ".join(self.results.measures)
        return (
            f"Gate: {self.candidate} against {self.baseline} on {measures} over "
            f"{gate_units(self)}\n"
            f"  {self.headline()}\n"
            "  see .table, .passed, .explain(), .plot(), .to_json()"
        )
