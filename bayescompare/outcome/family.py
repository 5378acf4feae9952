"""Verdicts about pairs that hold whoever else is in the table: a guard, and sign flips of datasets.

`Guard` is for methods that learn nothing from the other pairs: a verdict of theirs also needs the
Dirichlet test with the prior learned from all pairs, on the same datasets (SPEC 8).

`decide_for_family` asks no posterior (SPEC 16). A pair's figure on a measure is the number of
datasets won less those lost. If two algorithms are alike, each dataset's sign could as well be the
other, whatever the other pairs do; so all signs of a dataset are flipped together, and a figure
counts only where the largest of all figures seldom reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescompare._checks import is_number, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.ranking.tiers import TOO_FEW, adjusted_pvalues
from bayescompare.outcome.decision import signs_in_table, state_of
from bayescompare.outcome.verdicts import dataset_importance
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.outcome.pairwise import Pairwise


@dataclass(frozen=True)
class Guard:
    """What the Dirichlet test with a learned prior says of every pair.

    Attributes
    ----------
    pairs : tuple of (str, str)
    statements : tuple of str
        The most probable statement of each.
    levels : tuple of float
        The least probability that a verdict on it rests on.
    ahead : tuple of tuple of str
        Who is ahead on each measure.
    parts : tuple of tuple of float
        The least probability that this rests on.
    """

    pairs: tuple[tuple[str, str], ...]
    statements: tuple[str, ...]
    levels: tuple[float | None, ...]
    ahead: tuple[tuple[str, ...], ...]
    parts: tuple[tuple[float | None, ...], ...]

    @classmethod
    def of(cls, law: Pairwise) -> Guard:
        """Collect what the test says."""
        table = law.decide().set_index(["first", "second"])
        names = [name for name in ("probability", "alone", "lowest", "parts") if name in table]
        pairs, parts = law.figures.pairs, law.parts
        sure = parts[["probability", "alone"]].min(axis=1)
        table = table.reindex(pd.MultiIndex.from_tuples(pairs))
        shape = len(pairs), len(law.results.measures)
        return cls(
            tuple(pairs),
            tuple(table["statement"].tolist()),
            tuple(table[names].min(axis=1).tolist()),
            tuple(map(tuple, parts["ahead"].to_numpy().reshape(shape).tolist())),
            tuple(map(tuple, sure.to_numpy().reshape(shape).tolist())),
        )

    @cached_property
    def _place(self) -> dict[frozenset[str], int]:
        return {frozenset(pair): k for k, pair in enumerate(self.pairs)}

    def sure_of(self, pair: tuple[str, str], label: str) -> float:
        """Return the least probability of the same statement; NaN where it names another.

        A statement about all measures at once, such as a dominance, is the same as one that names
        its winner on every measure.
        """
        place = self._place.get(frozenset(pair))
        if place is None or not (label and self.statements[place]):
            return math.nan
        one, other = (Statement.parse(text, pair) for text in (label, self.statements[place]))
        alike = one.winner == other.winner if one.winner else one.canonical() == other.canonical()
        level = self.levels[place]
        return level if alike and level is not None else math.nan

    def decided(self, table: pd.DataFrame, threshold: float) -> pd.DataFrame:
        """Return the verdicts that stand, and what the guard says of each statement."""
        rows = zip(table["first"], table["second"], table["statement"], strict=True)
        sure = np.array([self.sure_of((first, second), label) for first, second, label in rows])
        stands = table["asserted"].to_numpy(dtype=bool) & (sure >= threshold)
        lost = table["asserted"].to_numpy(dtype=bool) & ~stands
        found = table.assign(
            asserted=stands, decision=np.where(lost, "open", table["decision"].to_numpy())
        )
        found.insert(list(found).index("decision"), "guard", sure)
        return found

    def parted(self, parts: pd.DataFrame, level: float) -> pd.DataFrame:
        """Return `Pairwise.parts` in which "better" holds here too; "ahead" where it does not."""
        words = []
        names = {name: j for j, name in enumerate(dict.fromkeys(parts.index.get_level_values(2)))}
        index = parts.index.tolist()
        for (first, second, measure), who, word in zip(
            index, parts["ahead"], parts["word"], strict=True
        ):
            k, j = self._place.get(frozenset((first, second))), names[measure]
            same = k is not None and self.ahead[k][j] == who and (self.parts[k][j] or 0.0) >= level
            words.append("ahead" if word == "better" and not same else word)
        return parts.assign(word=words)


def check_family(family: object) -> float:
    """Return the error rate of a whole table, if it is one.

    Examples
    --------
    >>> check_family(0.7)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: family=0.7: must be a number above 0, at most 0.5.
    """
    if not (is_number(family) and 0.0 < family <= 0.5):
        raise BayescompareError(
            f"family={show_checked_value(family)}: must be a number above 0, at most 0.5."
        )
    return float(family)


def decide_for_family(
    results: Results, pairs: Sequence[tuple[str, str]], family: float
) -> pd.DataFrame:
    """Decide about all pairs and measures together; with probability 1 − `family` none is false.

    Returns
    -------
    DataFrame
        The surest pair first: first, second, n (datasets on which both have a value), statement
        (who won more datasets on each measure; empty where both won as many somewhere), adjusted
        (the largest p-value of a measure), separated (the measures on which the two are
        separated), decision ("better" or "trade-off" where that is all of them, else "open"), and
        asserted.
    """
    signs, both = _signs(results, pairs)
    n, number, m = signs.shape
    adjusted = np.ones((number, m))
    if n > TOO_FEW:
        columns = np.column_stack([signs.reshape(n, -1), np.zeros(n)])
        every = np.arange(number * m)
        nobody = np.full_like(every, number * m)
        # The flips of more than eleven datasets are drawn, the same ones every time.
        found = adjusted_pvalues(columns, every, nobody, np.random.default_rng(0))
        adjusted = found.reshape(number, m)
    sums = signs.sum(axis=0)
    rows = []
    for k, (first, second) in enumerate(pairs):
        states = [
            State.order(*((first, second) if total > 0 else (second, first))) for total in sums[k]
        ]
        statement = Statement(tuple(states)) if sums[k].all() else None
        largest, apart = float(adjusted[k].max()), adjusted[k] <= family
        holds = statement is not None and bool(apart.all())
        names = tuple(np.array(results.measures)[apart].tolist())
        decision = state_of(statement, 1.0, 1.0) if statement and holds else "open"
        label = "" if statement is None else str(statement)
        rows.append((first, second, int(both[k]), label, largest, names, decision, holds))
    heads = ["first", "second", "n", "statement", "adjusted", "separated", "decision", "asserted"]
    rows.sort(key=lambda row: (row[4], -len(row[5])))
    return pd.DataFrame(rows, columns=heads)


def _signs(results: Results, pairs: Sequence[tuple[str, str]]) -> tuple[FloatArray, IntArray]:
    """Who won on each unit, 1, 0 or −1, (n, pairs, m); on how many datasets both have a value.

    Units are domains, or datasets; they count by their weights. A missing cell is no sign.
    """
    place = {name: k for k, name in enumerate(results.algorithms)}
    first, second = np.array([[place[name] for name in pair] for pair in pairs]).T
    values = results.average().oriented()
    one, other = values[:, first], values[:, second]
    signs = signs_in_table(one, other, [results[name].rope for name in results.measures])
    known = ~np.isnan(signs)
    signs = np.nan_to_num(signs) * dataset_importance(results)[:, None, None]
    if results.groups is not None:
        _, of = np.unique(results.groups, return_inverse=True)
        merged = np.zeros((of.max() + 1, *signs.shape[1:]))
        np.add.at(merged, of, signs)
        signs = merged
    return signs, known.any(axis=2).sum(axis=0)
