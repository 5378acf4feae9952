"""`PairVerdicts`: where each algorithm stands after all pairs, and whom it beats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.kernels.orders import win_shares
from bayescompare.outcome.decision import LIKELY, SETTLED, Part, State, state_of
from bayescompare.statements import Statement
from bayescompare.table.cells import cell_means
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent_setting, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.outcome.pairwise import Pairwise


@dataclass(frozen=True)
class Rule:
    """When a pair gets a verdict.

    Attributes
    ----------
    level : float, optional
        Each pair by itself: its best statement has at least this probability, and so has what it
        says of every measure by itself, under the learned prior and under the pair's own
        (frequentist: Holm's p-value is at most one less this).
    fdr : float, optional
        All pairs together: the largest set whose expected share of false statements is at most
        this, every one with at least probability `floor` (frequentist: Holm's p-value is at most
        this). Either this or `level` is given.
    floor : float
        With `fdr`, the least probability that may get a verdict.
    """

    level: float | None = SETTLED
    fdr: float | None = None
    floor: float = LIKELY

    @property
    def threshold(self) -> float:
        """What a probability is held against where it stands by itself."""
        return self.floor if self.level is None else self.level

    @property
    def alpha(self) -> float:
        """The error rate that p-values are corrected for."""
        if self.fdr is not None:
            return self.fdr
        assert self.level is not None
        # One less 0.95 is 0.050000000000000044.
        return round(1.0 - self.level, 12)

    def held(self, column: str) -> list[float]:
        """Return what the figures of a column of `decide` are held against."""
        probable = ("probability", "alone", "lowest", "parts")
        return [self.threshold if column in probable else self.alpha]

    @property
    def options(self) -> dict[str, Any]:
        """The rule as the options that make it."""
        if self.level is not None:
            return {"level": self.level}
        assert self.fdr is not None
        return {"fdr": self.fdr} if self.floor == LIKELY else {"fdr": self.fdr, "floor": self.floor}

    def name(self, *, bayesian: bool) -> str:
        """Name the rule for a table or a picture.

        Examples
        --------
        >>> Rule().name(bayesian=True), Rule().name(bayesian=False)
        ('P at least 0.95', 'Holm at 0.05')
        """
        if not bayesian:
            return f"Holm at {setting_number_text(self.alpha)}"
        if self.level is not None:
            return f"P at least {setting_number_text(self.level)}"
        return f"expected share of false ones at most {percent_setting(self.alpha)}"

    def looser(self) -> Rule | None:
        """Return the rule with twice the error rate; None where that is no rule."""
        if self.level is None:
            return Rule(None, 2.0 * self.alpha, self.floor) if self.alpha < 0.5 else None
        level = round(1.0 - 2.0 * (1.0 - self.level), 12)
        return Rule(level) if level > 0.5 else None

    def probable(self, table: pd.DataFrame) -> pd.DataFrame:
        """Decide on probabilities; the table is sorted by the least that a verdict rests on."""
        leads = ["probability", *(["lowest"] if "lowest" in table else [])]
        # A pair is as sure as it is for the least favourable values of its missing cells. NaN, of
        # a pair without datasets, reaches no level; parts that are not judged are NaN, too.
        lead = table[leads].min(axis=1, skipna=False).to_numpy(dtype=float)
        least = np.fmin(lead, table["parts"].to_numpy(dtype=float))
        least[np.isnan(lead)] = np.nan
        alone = table["alone"].to_numpy(dtype=float)
        if self.level is not None:
            ahead = (lead >= self.level) & (alone >= self.level)
            asserted = ahead & (least >= self.level)
            return table.assign(decision=_states(table, ahead, asserted), asserted=asserted)
        # Sorted by P the running mean only grows, so the largest allowed set is a beginning.
        running = np.cumsum(1.0 - least) / np.arange(1, len(least) + 1)
        asserted = (running <= self.alpha) & (least >= self.floor)
        states = _states(table, lead >= SETTLED, asserted)
        return table.assign(running_fdr=running, decision=states, asserted=asserted)

    def significant(self, table: pd.DataFrame, *, simultaneous: bool = False) -> pd.DataFrame:
        """Decide on p-values; a pair without one (NaN) is not tested and does not count.

        Where each measure has a p-value, too, all of them must be small: the largest is corrected.
        Those that are `simultaneous` hold for all pairs as they are.
        """
        corrected = (lambda pvalues: pvalues) if simultaneous else holm
        lead = table["pvalue"].to_numpy(dtype=float, copy=True)
        largest = np.fmax(lead, table["parts"].to_numpy(dtype=float))
        tested = np.isfinite(lead)
        adjusted = lead.copy()
        adjusted[tested] = corrected(largest[tested])
        ahead = lead.copy()
        ahead[tested] = corrected(lead[tested])
        asserted = adjusted <= self.alpha
        states = _states(table, ahead <= self.alpha, asserted)
        return table.assign(adjusted=adjusted, decision=states, asserted=asserted)


def _states(table: pd.DataFrame, ahead: BoolArray, asserted: BoolArray) -> list[State]:
    """The state of each pair: asserted by what its statement says, else whether that leads."""
    states: list[State] = []
    columns = table["first"], table["second"], table["statement"], ahead, asserted
    for first, second, label, leads, holds in zip(*columns, strict=True):
        if holds:
            states.append(state_of(Statement.parse(label, (first, second)), 1.0, 1.0))
        else:
            # A pair with too few datasets in common has no statement.
            states.append(("leads" if leads else "open") if label else "none")
    return states


def as_rule(*, level: object = None, fdr: object = None, floor: object = LIKELY) -> Rule:
    """Check the options of a decision; by default every pair by itself at 0.95.

    Examples
    --------
    >>> as_rule(), as_rule(fdr=0.05).options
    (Rule(level=0.95, fdr=None, floor=0.75), {'fdr': 0.05})
    """
    if level is not None and fdr is not None:
        raise BayescompareError(
            f"level={level!r} and fdr={fdr!r} are two rules: give one. level= judges each "
            "pair by itself, fdr= all of them together."
        )
    if not (is_number(floor) and 0.5 <= floor < 1.0):
        raise BayescompareError(f"floor={floor!r}: must be a number from 0.5 to below 1.")
    if fdr is not None:
        if not (is_number(fdr) and 0.0 < fdr < 1.0):
            raise BayescompareError(f"fdr={fdr!r}: must be a number between 0 and 1.")
        return Rule(None, float(fdr), float(floor))
    if floor != LIKELY:
        raise BayescompareError(f"floor={floor!r} applies only to fdr=; level= is a floor itself.")
    if level is None:
        return Rule()
    if not (is_number(level) and 0.5 < level < 1.0):
        raise BayescompareError(f"level={level!r}: must be a number between 0.5 and 1.")
    return Rule(float(level))


def mean_places(results: Results) -> pd.DataFrame:
    """Return the place of each algorithm on each measure, sorted by their mean; ties share.

    The place is that of the mean rank; with missing cells, that of the mean share of wins over the
    datasets that each pair has in common.

    Examples
    --------
    >>> import bayescompare as bc
    >>> mean_places(bc.load_example("jansen-uci")).loc[["GBM", "CART"]].to_numpy().tolist()
    [[1.0, 1.0, 1.0], [8.0, 8.0, 8.0]]
    """
    values, weights = cell_means(results), dataset_importance(results)
    columns = {}
    for j, name in enumerate(results.measures):
        shares = win_shares(values[:, :, j] * results[name].sign, weights)
        # Equal shares may differ by float noise.
        columns[name] = pd.Series(shares).round(12).rank(ascending=False).to_numpy()
    places = pd.DataFrame(columns, index=pd.Index(results.algorithms, name="algorithm"))
    order = np.argsort(places.mean(axis=1).fillna(np.inf).to_numpy(), kind="stable")
    return places.iloc[order]


def dataset_importance(results: Results) -> FloatArray:
    """Return how much each dataset counts: domains alike, however many datasets they have."""
    weights = np.ones(len(results.datasets))
    if results.weights is not None:
        weights = np.array(results.weights, dtype=np.float64)
    if results.groups is not None:
        of = np.unique(results.groups, return_inverse=True)[1]
        weights = weights / np.bincount(of)[of]
    return weights


def pair_kind(statement: Statement) -> str:
    """Return what a statement about a pair is: "winner", "trade-off" or "tie".

    Examples
    --------
    >>> [pair_kind(Statement.parse(label)) for label in ("A>B|A>B", "A>B|B>A", "A=B|A>B")]
    ['winner', 'trade-off', 'tie']
    """
    if statement.is_dominance:
        return "winner"
    return "trade-off" if statement.is_trade_off else "tie"


@dataclass(frozen=True, eq=False)
class PairVerdicts:
    """Who stands where, who beats whom, and who may be advised: decided once for all pairs.

    Headline, advice, tables, pictures and files name algorithms as this object does. To beat is to
    be better on every measure, each of them by itself too.

    Attributes
    ----------
    pairs : Pairwise
    rule : Rule
    """

    pairs: Pairwise
    rule: Rule = field(default_factory=Rule)

    @cached_property
    def places(self) -> pd.DataFrame:
        """The place of each algorithm (index, by mean place) on each measure (columns)."""
        return mean_places(self.pairs.results)

    @cached_property
    def parts(self) -> pd.DataFrame:
        """`Pairwise.parts`, with words for the rule's level."""
        return self.pairs.parts_at(SETTLED if self.rule.level is None else self.rule.level)

    @property
    def reference(self) -> str | None:
        """The algorithm that all others were compared with."""
        return self.pairs.reference

    @property
    def cycles(self) -> Sequence[tuple[str, ...]]:
        """Circles of winners."""
        cycles: Sequence[tuple[str, ...]] = self.pairs.ordered(self.rule).graph["cycles"]
        return cycles

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The algorithms by place."""
        return tuple(map(str, self.places.index))

    # who beats whom -------------------------------------------------------------------------------

    @cached_property
    def statements(self) -> dict[frozenset[str], Statement]:
        """What was decided, by pair."""
        table = self.pairs.decided(self.rule)
        rows = table.loc[table["asserted"], ["first", "second", "statement"]]
        return {
            frozenset(pair): Statement.parse(label, pair)
            for *pair, label in rows.itertuples(index=False)
        }

    def _others(self, holds: Callable[[Statement, str], bool]) -> dict[str, tuple[str, ...]]:
        """By algorithm, the others about whom such a statement was decided, by place."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for pair, statement in self.statements.items():
            for name in pair:
                if holds(statement, name):
                    found[name].extend(pair - {name})
        return {name: self._by_place(others) for name, others in found.items()}

    def _by_place(self, some: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(some, key=self._at.__getitem__))

    @cached_property
    def _at(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def beats(self) -> dict[str, tuple[str, ...]]:
        """Whom each is better than on every measure."""
        return self._others(lambda s, name: s.winner == name)

    @cached_property
    def beaten_by(self) -> dict[str, tuple[str, ...]]:
        """Who is better than each on every measure."""
        return self._others(lambda s, name: s.winner not in (None, name))

    @cached_property
    def trades(self) -> dict[str, tuple[str, ...]]:
        """With whom each has a trade-off."""
        return self._others(lambda s, _: s.winner is None and s.is_trade_off)

    @cached_property
    def ties(self) -> dict[str, tuple[str, ...]]:
        """With whom each has a verdict that names neither a winner nor a trade-off."""
        return self._others(lambda s, _: s.winner is None and not s.is_trade_off)

    def apart(self, name: str) -> tuple[str, ...]:
        """Return the others about whom there is no verdict with this one, by place."""
        compared = self.names if self.reference in (None, name) else (str(self.reference),)
        known = self.statements
        return tuple(
            other for other in compared if other != name and frozenset((name, other)) not in known
        )

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """The algorithms that none beats on every measure, by place."""
        return tuple(name for name in self.names if not self.beaten_by[name])

    # measure by measure ---------------------------------------------------------------------------

    def leaders(self) -> dict[str, tuple[str, ...]]:
        """Return who has the best place on each measure; several may share it."""
        return {
            str(measure): tuple(map(str, place.index[place == place.min()]))
            for measure, place in self.places.items()
        }

    def behind(self, *words: str) -> dict[str, dict[str, tuple[str, ...]]]:
        """By measure and algorithm, those who are "better" there, or "ahead", by place.

        Empty for questions about all measures at once.
        """
        found: dict[str, dict[str, list[str]]] = {str(measure): {} for measure in self.places}
        rows = self.parts[self.parts["word"].isin(words)] if len(self.parts) else self.parts
        for (first, second, measure), who in zip(rows.index, rows.get("ahead", ()), strict=True):
            loser = second if who == first else first
            found[measure].setdefault(loser, []).append(who)
        return {
            measure: {name: self._by_place(who) for name, who in each.items()}
            for measure, each in found.items()
        }

    def choices(self) -> dict[str, str | None]:
        """Return whom to advise for each measure: the best place, if nobody is ahead of it there.

        None where somebody is, on that measure, or beats it.
        """
        behind, chosen = self.behind("better", "ahead"), {}
        for measure, leaders in self.leaders().items():
            free = [n for n in leaders if not behind[measure].get(n) and not self.beaten_by[n]]
            chosen[measure] = free[0] if free else None
        return chosen

    def part(self, one: str, two: str, measure: str) -> Part | None:
        """Return what is said of a pair on a measure, seen from `one`; None if it is not judged."""
        for pair in ((one, two), (two, one)):
            if (*pair, measure) in self.parts.index:
                (row,) = self.parts.loc[[(*pair, measure)]].to_dict("records")
                won, lost = (row["won"], row["lost"])[:: 1 if pair[0] == one else -1]
                figure = float(row["probability" if self.pairs.bayesian else "pvalue"])
                alone = float(row["alone"]) if self.pairs.bayesian else figure
                counts = int(won), int(lost), int(row["tied"])
                return Part(measure, row["ahead"], *counts, figure, alone, row["word"])
        return None

    # what every decision has ----------------------------------------------------------------------

    @property
    def statement(self) -> str:
        """Who stands first, in words."""
        first: dict[tuple[str, ...], list[str]] = {}
        for measure, names in self.leaders().items():
            first.setdefault(names, []).append(measure)
        each = (f"{join_names(who)} first on {join_names(on)}" for who, on in first.items())
        return "; ".join(each)

    @property
    def probability(self) -> float:
        """The least P that a verdict rests on, or the largest p-value; NaN without verdicts."""
        bayesian = self.pairs.bayesian
        names = ["probability", "alone", "parts", "guard"] if bayesian else ["adjusted"]
        table = self.pairs.decided(self.rule)
        held = table.loc[table["asserted"], [name for name in names if name in table]].to_numpy()
        return float((np.nanmin if bayesian else np.nanmax)(held)) if held.size else math.nan

    @property
    def settled(self) -> bool:
        """Whether the whole board is settled: one beats all others, or all are equal."""
        return self.state in ("better", "equal")

    @property
    def state(self) -> State:
        """Whether one beats all others, some pairs have a verdict, or none has."""
        others = len(self.names) - 1
        if self.reference is None and any(len(self.beats[n]) == others for n in self.names):
            return "better"
        if not self.statements:
            return "open"
        equal = all(s.relations == {"="} for s in self.statements.values())
        return "equal" if equal and not any(map(self.apart, self.names)) else "leads"

    def to_dict(self) -> dict[str, Any]:
        """Return who is named where, as JSON's own types."""
        return {
            "state": self.state,
            "settled": self.settled,
            "first": {measure: list(names) for measure, names in self.leaders().items()},
            "use": self.choices(),
            "unbeaten": list(self.unbeaten),
            "beats": {name: list(others) for name, others in self.beats.items() if others},
        }

    def printed(self, *, most: int = 4) -> pd.DataFrame:
        """Return a row of figures for each algorithm, by place, with heads for printing.

        Of more than `most` measures there is only the mean place.
        """
        table = self.places.rename(columns=lambda measure: f"place on {measure}")
        if table.shape[1] > most:
            table = self.places.mean(axis=1).to_frame("mean place")
        counted = {"beats": self.beats, "beaten by": self.beaten_by, "trade-offs": self.trades}
        for head, each in {**counted, "ties": self.ties}.items():
            numbers = [len(each[name]) for name in self.names]
            if any(numbers) or head in ("beats", "beaten by"):
                table[head] = numbers
        return table.assign(open=[len(self.apart(name)) for name in self.names])
