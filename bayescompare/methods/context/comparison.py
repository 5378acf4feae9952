"""What answers about a context of datasets tell, in figures and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from bayescompare._typing import FloatArray
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import THETA_LOWER, THETA_MEAN, THETA_UPPER, theta_columns
from bayescompare.outcome.decision import Decision, certainty_words
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.posterior import Posterior
from bayescompare.statements import Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent, plural, probability_words
from bayescompare.text.phrases import exactness_phrase

_WHOLE = ("first_wrong", "second_wrong", "replicates")


#: How a number about the whole comparison is declared.
FIGURE = {"figure": True}


@dataclass(frozen=True, kw_only=True)
class ContextDetails(Facts):
    """What is known of the share, and of each dataset.

    Attributes
    ----------
    rate_mean, rate_sd, rate_lower, rate_upper : float
        Mean, sd and central 95 % interval of the share; with a rope there is no sd.
    per_dataset : mapping
        A table with a row for each dataset: its columns by name.
    """

    rate_mean: float = field(metadata=FIGURE)
    rate_sd: float | None = field(default=None, metadata=FIGURE)
    rate_lower: float = field(metadata=FIGURE)
    rate_upper: float = field(metadata=FIGURE)
    per_dataset: Mapping[str, tuple[float, ...]]

    def by_dataset(self, **columns: FloatArray) -> Self:
        """Return the same with columns over datasets."""
        table = {name: tuple(values.tolist()) for name, values in columns.items()}
        return replace(self, per_dataset=table)

    @classmethod
    def of_rate(cls, mean: float, sd: float | None, low: float, high: float) -> Self:
        """Return the figures of the share as plain numbers."""
        return cls(
            rate_mean=float(mean),
            rate_sd=None if sd is None else float(sd),
            rate_lower=float(low),
            rate_upper=float(high),
            per_dataset={},
        )

    @property
    def both(self) -> dict[str, FloatArray]:
        """Mean and interval of the share of datasets on which each of the two is better."""
        mean, low, high = self.rate_mean, self.rate_lower, self.rate_upper
        return theta_columns(
            np.array([mean, 1.0 - mean]), np.array([low, 1.0 - high]), np.array([high, 1.0 - low])
        )


class ContextPosterior(Posterior):
    """An answer about a context of datasets, with what was found on each of them."""

    facts_type: ClassVar[type[Facts]] = ContextDetails

    @property
    def per_dataset(self) -> pd.DataFrame:
        """One row per dataset; ``probability`` is P(the first algorithm is better there).

        ``alone``, where it is there, is the same by the dataset's own data only.
        """
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(dict(ContextDetails.of(self.answer).per_dataset), index=index)
        return table.astype({name: int for name in _WHOLE if name in table})

    @property
    def rate(self) -> pd.Series[float]:
        """The share of datasets on which the first is better: mean, sd and 95 % interval.

        The mean is also the probability that it is better on a dataset not yet seen. The interval
        of ``"hierarchical"`` is good to about 0.002, all else to the last digits.
        """
        found = ContextDetails.of(self.answer).figures()
        figures = {name: found.get(f"rate_{name}") for name in ("mean", "sd", "lower", "upper")}
        return pd.Series(figures, name="rate", dtype=float).dropna()

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, headed to be printed."""
        first, second = self.results.algorithms
        heads = {
            "probability": f"P({first} better)",
            "second_better": f"P({second} better)",
            "equivalent": "P(equivalent)",
            "alone": "P by itself",
            "first_wrong": f"only {first} wrong",
            "second_wrong": f"only {second} wrong",
            "advantage": "mean advantage",
            "share_alone": "error share by itself",
            "share": "error share",
            "rho": "ρ",
        }
        table = self.per_dataset
        shown = [name for name in heads if name in table]
        rest = [name for name in table if name not in heads]
        return {"Datasets": table[[*shown, *rest]].rename(columns=heads)}


def context_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say who is better on most datasets of the kind, how sure that is, and what the data were."""
    first, second = results.algorithms
    (measure,) = results.measures
    n, three = plural(len(results.datasets), "dataset"), len(answer.labels) == 3
    level = probability_words(decision.level)
    if decision.verdict == "tied" and three:
        tied = " and that ".join(map(_claim, (decision.statement, *decision.rivals)))
        return [
            f"On {n} no outcome on {measure} leads: that {tied} are equally probable to be the "
            f"most frequent on datasets of this kind ({level} each)."
        ]
    if decision.verdict == "tied":
        return [
            f"On {n} neither {first} nor {second} leads on {measure}: each is as probable as the "
            f"other to be better on most datasets of this kind ({level} each)."
        ]
    # Of three outcomes the most frequent one need not be that of most datasets.
    often = "on most datasets of this kind"
    if three:
        often = "on datasets of this kind more often than either other outcome"
    how = exactness_phrase(answer, decision.statement)
    leaning = count(float(answer.counts[answer.labels.index(decision.statement)]))
    return [
        f"On {n} the probability that {_claim(decision.statement)} on {measure}, {often}, is "
        f"{level} ({how}){certainty_words(decision)}.",
        f"Of the datasets seen, {leaning} of {count(float(answer.counts.sum()))} lean that way.",
    ]


def rate_words(answer: Answer, decision: Decision) -> str:
    """Say on what share of datasets the leading statement is expected to hold."""
    mean, low, high = (
        percent(answer.column_at(column, decision.statement))
        for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
    )
    return (
        f"It is expected that {_claim(decision.statement)} on {mean} of datasets of this kind "
        f"(95 % interval {low} to {high})."
    )


def _claim(statement: str) -> str:
    (state,) = Statement.parse(statement).states
    if state.relation == "=":
        return f"{' and '.join(state.names)} are practically equivalent"
    return state.words()
