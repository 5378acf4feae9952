"""`Decision`: what may be said of an answer, decided once; all words and plots use it.

That a joint statement leads does not make its parts true. A verdict has two levels: P(θ_s is the
largest), and for each measure P(the state that s names is the largest of that measure's states).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.outcome.answer import (
    ALONE,
    ALONE_LOWEST,
    LOWER,
    LOWEST,
    PROBABILITY,
    PVALUE,
    Answer,
)
from bayescompare.statements import Statement
from bayescompare.text.numbers import setting_number_text
from bayescompare.text.phrases import short_label_phrase

if TYPE_CHECKING:
    from bayescompare.table.results import Results


#: Probabilities from which a statement is called settled, or likely. Used nowhere else.
SETTLED = 0.95
LIKELY = 0.75
#: From here on one is ahead on a measure.
AHEAD = 0.80
#: The p-value up to which a test is significant: 1 − SETTLED, without the error of floats.
SIGNIFICANT = 0.05

#: Probabilities this close are the same probability.
_SAME = 1e-9

State = Literal["better", "trade-off", "equal", "leads", "open", "tied", "none"]
Word = Literal["better", "ahead", "level", "equal"]
Verdict = Literal["settled", "likely", "open", "tied"]


class Part(NamedTuple):
    """What a decision says of one measure: a row of `Decision.parts`, where each is explained."""

    measure: str
    ahead: str
    won: int
    lost: int
    tied: int
    #: P, or the p-value.
    figure: float
    alone: float
    word: Word


@dataclass(frozen=True)
class Decision:
    """The verdict on one comparison.

    Attributes
    ----------
    statement : str
        The most probable statement (frequentist: the most frequent one).
    probability : float
        Its probability, or the p-value.
    state : {"better", "trade-off", "equal", "leads", "open", "tied", "none"}
        The first three are settled: the statement has P ≥ 0.95 (or p ≤ 0.05), and so has what it
        says of every measure by itself. It *leads* where some measure falls short of that, and is
        *open* below 0.95. Tied: another statement has the same probability (frequentist: the same
        count). With a learned prior both P must reach the level, and with bounds the lower ones.
    rivals : tuple of str
        The statements tied with it.
    runner_up : tuple of (str, float), optional
        The next statement and its probability (frequentist: its count).
    alone : float, optional
        Its probability under the pair's own prior, where `probability` is under one learned from
        all pairs.
    lowest : float, optional
        The lowest probability that it has for any values of the missing cells, or for any prior
        mean, where these were bounded (under the learned and under the pair's own prior).
    least : float, optional
        The least P of what it says of each measure, under all priors and bounds (frequentist: the
        largest p-value); None where a method does not judge each measure.
    pvalue : bool
        Whether its figures are p-values.
    measured : tuple of Part
        The rows of `parts`.
    """

    statement: str
    probability: float
    state: State
    rivals: tuple[str, ...]
    runner_up: tuple[str, float] | None
    _: KW_ONLY
    alone: float | None = None
    lowest: float | None = None
    least: float | None = None
    pvalue: bool = False
    measured: tuple[Part, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def parts(self) -> pd.DataFrame:
        """What is said of each measure by itself.

        Indexed by measure: who is ``ahead`` there (empty if nobody is), how many datasets the first
        algorithm ``won``, ``lost`` and ``tied`` against the second (of more than two: the one ahead
        against the best of the others), the ``probability`` that this is the most frequent outcome
        on that measure, ``alone`` under the pair's own prior (or ``pvalue``), and the ``word``:
        "better" from 0.95 on, "ahead" from 0.80 on, "level", and "equal" within the rope from 0.95.
        """
        index = pd.Index([part.measure for part in self.measured], name="measure")
        rows = [part[1:6] + part[7:] if self.pvalue else part[1:] for part in self.measured]
        return parts_frame(rows, index, pvalue=self.pvalue)

    @property
    def settled(self) -> bool:
        """Whether it is asserted: better, a trade-off, or equal."""
        return self.state in ("better", "trade-off", "equal")

    @property
    def level(self) -> float:
        """The same as `probability`; the name of 0.1.0, kept for one release."""
        return self.probability

    @property
    def verdict(self) -> Verdict:
        """The word of 0.1.0 for the state, kept for one release."""
        if self.settled:
            return "settled"
        if self.state == "tied":
            return "tied"
        sure = [p for p in (self.probability, self.alone, self.lowest) if p is not None]
        return "likely" if not self.pvalue and min(sure) >= LIKELY else "open"

    def claim(self, measures: Sequence[str]) -> str:
        """Say the statement in words: "B is better than A on accuracy and time"."""
        return Statement.parse(self.statement).words(measures)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON's own types."""
        return {
            "state": self.state,
            "settled": self.settled,
            "statement": self.statement,
            "pvalue" if self.pvalue else "probability": self.probability,
            "parts": self.parts.reset_index().to_dict("records") if self.measured else [],
        }


@dataclass(frozen=True)
class Standing:
    """What may be said of a ranking or of a gate, with the fields that every decision has.

    Attributes
    ----------
    statement : str
        The verdict in one line.
    probability : float
        How sure it is; NaN where nothing is.
    state : {"better", "leads", "open", "worse", "none"}
        One is best, or the candidate is better on every measure; one leads, or is not worse
        everywhere; the candidate is worse somewhere; open; too few datasets to say.
    settled : bool
    parts : DataFrame
        Indexed by measure: ``ahead``, ``probability`` and ``word``, as in `Decision`.
    """

    statement: str
    probability: float
    state: Literal["better", "leads", "open", "worse", "none"]
    settled: bool
    parts: pd.DataFrame = field(compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON's own types."""
        return {
            "state": self.state,
            "settled": self.settled,
            "statement": self.statement,
            "probability": self.probability,
            "parts": self.parts.reset_index().to_dict("records"),
        }


def decide(answer: Answer, results: Results | None = None) -> Decision:
    """Decide what an answer shows; with the results, on each measure too.

    Ties are broken by count and then by label, so that listing the algorithms in another order
    names the same statement.
    """
    if answer.probability is None and answer.pvalue is None:
        # Something was computed and nothing judged.
        return Decision(answer.labels[0], math.nan, "open", (), None)
    parts = _figures_of_parts(answer)
    rows = () if results is None else _parts_of_answer(answer, results, parts)
    score = answer.counts if answer.probability is None else answer.probability
    rivals: tuple[str, ...] = ()
    runner: int | None = None
    if answer.tested is not None:
        chosen = answer.tested
    else:
        tied = np.flatnonzero(same_decision_score(score))
        chosen = first_named_in_decision(tied, answer.counts, answer.labels)
        # Where nothing ever leads, no two lead alike.
        if answer.pvalue is not None or score.any():
            rivals = tuple(answer.labels[k] for k in tied if k != chosen)
        others = np.delete(np.arange(len(score)), chosen)
        if len(others):
            next_ = others[same_decision_score(score[others])]
            runner = first_named_in_decision(next_, answer.counts, answer.labels)
    level = float(score[chosen]) if answer.pvalue is None else answer.pvalue
    own = answer.per_statement.get(ALONE)
    alone = None if own is None else float(own[chosen])
    bounds = [answer.per_statement.get(column) for column in (LOWER, LOWEST, ALONE_LOWEST)]
    lowest = min((float(bound[chosen]) for bound in bounds if bound is not None), default=None)
    sure = [figure for figure in (level, alone, lowest) if figure is not None]
    pvalue, least = answer.pvalue is not None, _least_part(parts, chosen)
    state: State = "tied"
    if not rivals:
        statement, lead = Statement.parse(answer.labels[chosen]), max(sure) if pvalue else min(sure)
        known = math.nan if least is None else least
        state = state_of(statement, lead, known, pvalue=pvalue)
    return Decision(
        statement=answer.labels[chosen],
        probability=level,
        state=state,
        rivals=rivals,
        runner_up=None if runner is None else (answer.labels[runner], float(score[runner])),
        alone=alone,
        lowest=lowest,
        least=least,
        pvalue=pvalue,
        measured=rows,
    )


def same_decision_score(score: FloatArray) -> BoolArray:
    """Which have the largest score, along the last axis, but for rounding."""
    top = score.max(axis=-1, keepdims=True)
    return np.asarray(score >= top - _SAME * np.maximum(1.0, np.abs(top)))


def first_named_in_decision(
    among: NDArray[np.intp], counts: FloatArray, labels: Sequence[str]
) -> int:
    """Return which of statements with the same score is named.

    That with more datasets, then by label.
    """
    if len(among) == 1:
        return int(among[0])

    def order(k: int) -> tuple[float, str]:
        # A label that does not depend on the order in which the algorithms are listed.
        return -round(float(counts[k]), 9), str(Statement.parse(labels[k]).canonical())

    return int(min(among, key=order))


# the state ----------------------------------------------------------------------------------------


def state_of(
    statement: Statement, lead: float, least: float, *, level: float = SETTLED, pvalue: bool = False
) -> State:
    """Return the state of a statement that is not tied.

    Parameters
    ----------
    statement : Statement
    lead, least : float
        How sure it leads, and how sure its least sure part is (NaN: parts are not judged).
    level : float
        What both are held against; p-values against one less it.
    pvalue : bool
        Whether the figures are p-values.

    Examples
    --------
    >>> joint = Statement.parse("A>B|A>B")
    >>> state_of(joint, 0.98, 0.97), state_of(joint, 0.98, 0.51), state_of(joint, 0.8, 0.97)
    ('better', 'leads', 'open')
    """
    # One less 0.95 is 0.050000000000000044.
    limit = round(1.0 - level, 12)
    if not (lead <= limit if pvalue else lead >= level):
        return "open"
    if not math.isnan(least) and not (least <= limit if pvalue else least >= level):
        return "leads"
    if statement.is_trade_off or "~" in statement.relations:
        return "trade-off"
    return "equal" if statement.relations == {"="} else "better"


def _least_part(parts: Mapping[str, FloatArray], k: int) -> float | None:
    """The least P of what a statement says of each measure, or the largest p-value.

    A part that is not known is not sure at all.
    """
    if not parts:
        return None
    if PVALUE in parts:
        return float(np.nan_to_num(parts[PVALUE][k], nan=1.0).max())
    return min(float(np.nan_to_num(figures[k], nan=0.0).min()) for figures in parts.values())


# the parts ----------------------------------------------------------------------------------------


def _figures_of_parts(answer: Answer) -> dict[str, FloatArray]:
    """The figures (S, m) of all parts; of one measure they are those of the whole."""
    if len(answer.states) != 1:
        if len(answer.states) > 1 and not answer.parts and answer.pvalue is None:
            # A probability of the whole whose parts are not known.
            return {PROBABILITY: np.full((len(answer.labels), len(answer.states)), np.nan)}
        return dict(answer.parts)
    if answer.probability is None:
        # The p-value is about one statement; of the others nothing is known.
        pvalue = np.full(len(answer.labels), np.nan)
        score = answer.counts
        pvalue[int(score.argmax()) if answer.tested is None else answer.tested] = answer.pvalue
        return {PVALUE: pvalue[:, None]}
    figures = {PROBABILITY: answer.probability[:, None]}
    if ALONE in answer.per_statement:
        figures[ALONE] = answer.per_statement[ALONE][:, None]
    bounds = [answer.per_statement.get(column) for column in (LOWER, LOWEST, ALONE_LOWEST)]
    known = [bound[:, None] for bound in bounds if bound is not None]
    if known:
        figures[LOWEST] = np.minimum.reduce(known)
    return figures


def part_word(figures: Iterable[float], *, equal: bool, level: float, pvalue: bool = False) -> Word:
    """Return the word for a measure, from the figures of its most probable state.

    Examples
    --------
    >>> [part_word([p, 0.99], equal=False, level=0.95) for p in (0.96, 0.9, 0.6)]
    ['better', 'ahead', 'level']
    >>> part_word([0.96], equal=True, level=0.95), part_word([0.9], equal=True, level=0.95)
    ('equal', 'level')
    """
    known = list(figures)
    if pvalue:
        if any(math.isnan(p) for p in known) or max(known) > round(1.0 - level, 12):
            return "level"
        return "equal" if equal else "better"
    least = math.nan if any(math.isnan(p) for p in known) else min(known)
    if equal:
        return "equal" if least >= level else "level"
    return "better" if least >= level else "ahead" if least >= AHEAD else "level"


def _parts_of_answer(
    answer: Answer, results: Results, parts: Mapping[str, FloatArray]
) -> tuple[Part, ...]:
    """What is said of each measure; nothing where measures are not judged."""
    if not parts or len(answer.states) != len(results.measures):
        return ()
    pvalue = answer.pvalue is not None
    found = []
    for j, measure in enumerate(results.measures):
        figures = {column: values[:, j] for column, values in parts.items()}
        main = figures[PVALUE if pvalue else PROBABILITY]
        known = ~np.isnan(main)
        state, best = None, -1
        if known.any():
            score = np.where(known, -main if pvalue else main, -np.inf)
            best = int(score.argmax())
            state = Statement.parse(answer.states[j][best], results.algorithms).states[0]
            # Two states that are as probable lead alike, and so neither does.
            same = same_decision_score(score)
            if len({answer.states[j][k] for k in np.flatnonzero(same)}) > 1:
                state = None
        leader = None if state is None else state.leader
        own = [float(values[best]) for values in figures.values()] if state else [math.nan]
        word = part_word(
            own, equal=state is not None and leader is None, level=SETTLED, pvalue=pvalue
        )
        figure, alone = float(main[best]), float(figures.get(ALONE, main)[best])
        found.append((measure, leader or "", figure, alone, word))
    records = records_in_table(results, [leader for _, leader, *_ in found])
    return tuple(
        Part(measure, leader, won, lost, tied, figure, alone, word)
        for (measure, leader, figure, alone, word), won, lost, tied in zip(
            found, *records, strict=True
        )
    )


def parts_frame(rows: Sequence[Sequence[object]], index: pd.Index, *, pvalue: bool) -> pd.DataFrame:
    """Return rows of parts as a table, with columns of the right types when there are none."""
    figures = [PVALUE] if pvalue else [PROBABILITY, ALONE]
    heads = ["ahead", "won", "lost", "tied", *figures, "word"]
    kinds = [object, *[np.int64] * 3, *[np.float64] * len(figures), object]
    columns = list(zip(*rows, strict=True)) or [()] * len(heads)
    # Column by column: from rows pandas guesses every type, which takes ten times as long.
    made = zip(heads, columns, kinds, strict=True)
    return pd.DataFrame({h: np.array(c, dtype=k) for h, c, k in made}, index=index)


def records_in_table(
    results: Results, leaders: Sequence[str] = ()
) -> tuple[list[int], list[int], list[int]]:
    """On how many datasets the first algorithm won, lost and tied on each measure.

    Of more than two, the leader of the measure against the best of the others.
    """
    values = results.average().oriented()
    ropes = [results[name].rope for name in results.measures]
    if len(results.algorithms) > 2:
        # The leader comes first; where there is none, the listing order stays.
        front = [results.algorithms.index(name) if name else 0 for name in leaders]
        values = np.stack([np.roll(values[..., j], -k, axis=1) for j, k in enumerate(front)], -1)
    first, others = values[:, 0], values[:, 1:]
    known = ~np.isnan(others).all(axis=1)
    rival = np.where(known, np.max(np.nan_to_num(others, nan=-np.inf), axis=1), np.nan)
    counts = wins_in_table(first[None], rival[None], ropes)
    won, lost, tied = (column[0].tolist() for column in counts)
    return won, lost, tied


def wins_in_table(
    first: FloatArray, second: FloatArray, ropes: Sequence[float | None]
) -> tuple[IntArray, IntArray, IntArray]:
    """Count datasets won, lost and tied by the first of each pair: (pairs, measures) each.

    Parameters
    ----------
    first, second : arrays (pairs, n, m)
        Higher is better; NaN is a missing cell, and counts nowhere.
    ropes : sequence of float or None
        Differences within it are ties.
    """
    signs = signs_in_table(first, second, ropes)
    return (signs > 0).sum(axis=1), (signs < 0).sum(axis=1), (signs == 0).sum(axis=1)


def signs_in_table(
    first: FloatArray, second: FloatArray, ropes: Sequence[float | None]
) -> FloatArray:
    """Return 1 where the first is better, −1 where it is worse, 0 within the rope, and NaN."""
    # The largest floats have differences beyond them, whose sign is right.
    with np.errstate(invalid="ignore", over="ignore"):
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
        difference = first - second
        far = np.abs(difference) > noise + np.array([rope or 0.0 for rope in ropes])
    return np.where(far | np.isnan(difference), np.sign(difference), 0.0)


# in words -----------------------------------------------------------------------------------------

#: Letters from which on the middle of long orders is left out.
_MOST = 160


def claim_words(label: str, algorithms: Sequence[str], measures: Sequence[str]) -> str:
    """Say a statement in words, a very long one shortened.

    Examples
    --------
    >>> claim_words("B>A|B>A", ["A", "B"], ["accuracy", "time"])
    'B is better than A on accuracy and time'
    """
    # With the algorithms, because a name may contain a tilde.
    statement = Statement.parse(label, algorithms)
    words = statement.words(measures)
    if len(words) > _MOST:
        words = statement.abridged().words(measures)
    return short_label_phrase(words, _MOST)


def claim_in_quotes(words: str) -> str:
    """Put a claim in quotation marks: it is mentioned, not made."""
    return f"“{words}”"


def certainty_words(decision: Decision) -> str:
    """Say what a probability means for the verdict, for the end of a sentence that gives it.

    Examples
    --------
    >>> certainty_words(Decision("A>B", 0.97, "better", (), None))
    ', which settles it'
    >>> certainty_words(Decision("A>B", 0.6, "open", (), None))
    ', which leaves the question open'
    """
    if decision.settled:
        return ", which settles it"
    if decision.state == "leads":
        return ": it leads, but what it says of each measure is not settled"
    if decision.verdict == "likely":
        return f": likely, but short of {setting_number_text(SETTLED)} and so not settled"
    return ", which leaves the question open"
