"""What answers about a context of datasets tell, in figures and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from bayescompare._typing import AnyArray, FloatArray, StrArray
from bayescompare.methods._shared.new_datasets import share_labels, table_of_counts, truth_in_tree
from bayescompare.methods._shared.pair_answer import WRONG
from bayescompare.methods._shared.words import leading_words, outcome_words
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import (
    THETA_LOWER,
    THETA_MEAN,
    THETA_UPPER,
    Answer,
    Facts,
    Found,
    theta_columns,
)
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.posterior import Posterior
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent, plural, probability_words

if TYPE_CHECKING:
    import xarray as xr

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

    @property
    def both(self) -> dict[str, FloatArray]:
        """Mean and interval of the share of datasets on which each of the two is better."""
        mean, low, high = self.rate_mean, self.rate_lower, self.rate_upper
        return theta_columns(
            np.array([mean, 1.0 - mean]), np.array([low, 1.0 - high]), np.array([high, 1.0 - low])
        )


def by_dataset(**columns: FloatArray) -> dict[str, tuple[float, ...]]:
    """Return columns over datasets as `ContextDetails` has them."""
    return {name: tuple(values.tolist()) for name, values in columns.items()}


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

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the shares of datasets, and who is better on new datasets."""
        return share_labels(self, number, draws, rng)

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


class CountsPosterior(ContextPosterior):
    """The same from counts of errors, which its model draws."""

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw parameters from the prior, and errors on each dataset."""
        if self.method.needs_mcmc:
            tree = nuts.draw_prior_as_nuts(self.method.model(self.results, "nuts"), rng)
        else:
            exact: Any = self
            tree = exact.draws(1, 1, rng)
        (wrong,) = drawn(tree, WRONG, group="prior_predictive")
        return table_of_counts(self.results, wrong[0, 0].astype(np.float64), truth_in_tree(tree))


def drawn(tree: xr.DataTree, *names: str, group: str = "posterior") -> list[AnyArray]:
    """Return variables of a tree, chain and draw first."""
    return [tree[group][name].transpose("chain", "draw", ...).values for name in names]


def context_words(found: Found) -> list[str]:
    """Say who is better on most datasets of the kind, how sure that is, and what the data were."""
    results, answer, decision = found
    three = len(answer.labels) == 3
    if decision.verdict == "tied" and not three:
        first, second = results.algorithms
        return [
            f"On {plural(len(results.datasets), 'dataset')} neither {first} nor {second} leads on "
            f"{results.measures[0]}: each is as probable as the other to be better on most "
            f"datasets of this kind ({probability_words(decision.level)} each)."
        ]
    # Of three outcomes the most frequent one need not be that of most datasets.
    often = "on most datasets of this kind"
    if three:
        often = "on datasets of this kind more often than either other outcome"
    among = "to be the most frequent on datasets of this kind"
    return leading_words(found, among, often, "lean that way")


def rate_words(answer: Answer, decision: Decision) -> str:
    """Say on what share of datasets the leading statement is expected to hold."""
    mean, low, high = (
        percent(answer.column_at(column, decision.statement))
        for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
    )
    return (
        f"It is expected that {outcome_words(decision.statement)} on {mean} of datasets of this "
        f"kind (95 % interval {low} to {high})."
    )
