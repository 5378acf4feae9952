"""The verdict block: headline, measures, what is not known, what to be careful with, what next.

Every answer has one state, and the state has one headline. All sentences stand in
``text/sentences.txt``, each with the condition under which it is said; `say` fills them in, and
none is edited after it was made. The terminal, the first screen of a report, the card of a notebook
and Markdown write the same block (`bayescompare.report.card`).
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from bayescompare.outcome.answer import Found
from bayescompare.outcome.decision import AHEAD, SETTLED, SIGNIFICANT, Decision, Part
from bayescompare.outcome.method import is_bayesian
from bayescompare.statements import Statement
from bayescompare.text.names import spelled
from bayescompare.text.numbers import (
    count,
    format_probability,
    format_pvalue,
    percent_setting,
    plural,
    setting_number_text,
    standard_error_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.table.results import Results


#: Below so many units a verdict moves with each of them; ties from this share on are said.
FEW = 10
_TIES = 0.1
#: Methods to which the sizes of differences matter, as they do to models of the user's.
BY_SIZE = ("signed-rank", "model")
#: Letters of a claim that fits a headline.
_LONG = 110

Mark = Literal["settled", "leads", "level", "equal"]
#: The places of sentences in a block, by their titles.
TITLES = {"unknown": "Not known", "careful": "Careful", "next": "Next"}

ARROWS = {"max": "↑", "min": "↓"}

#: A sentence by its name, and what it is filled in with.
Said = tuple[str, Mapping[str, Any]]


# the table of sentences ---------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A row of the table of sentences."""

    slot: str
    when: str
    text: str


@cache
def sentences() -> dict[str, Sentence]:
    """Return the table of sentences by their names.

    Examples
    --------
    >>> sentences()["use"]
    Sentence(slot='next', when='wins, each, partequal or best', text='Use {w}.')
    """
    lines = files("bayescompare.text").joinpath("sentences.txt").read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return {name: Sentence(*row) for name, *row in rows}


class _Filler(string.Formatter):
    """Names are joined, ``4`` at most, with their verb (``is``); ``word`` spells a number."""

    verbs: ClassVar = {"": "", "is": " are", "has": " have"}

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            verb = format_spec.lstrip(string.digits)
            text = join_names(value, most=int(format_spec.removesuffix(verb) or 6))
            return f"{text} {verb}" if verb and len(value) == 1 else text + self.verbs[verb]
        word = spelled(value) if format_spec else count(value)
        return capital(word) if format_spec == "Word" else word


def say(name: str, **values: object) -> str:
    """Fill in a sentence of the table.

    Examples
    --------
    >>> say("drop", list=["CART"])
    'For CART, someone else is better on every measure.'
    >>> say("part", w="B", l="A", ms="auc", mo=["time", "size"])
    'B is better than A on auc; time and size are open.'
    """
    filled = {"level": percent_setting(SETTLED), **values}
    return _Filler().vformat(sentences()[name].text, (), filled)


def told(said: Iterable[Said]) -> list[str]:
    """Fill in several sentences."""
    return [say(name, **values) for name, values in said]


def placed(said: Iterable[Said]) -> dict[str, tuple[str, ...]]:
    """Fill in sentences and gather them by their places, in the order of the table."""
    order = {name: k for k, name in enumerate(sentences())}
    found: dict[str, list[str]] = {}
    for name, values in sorted(said, key=lambda one: order[one[0]]):
        found.setdefault(sentences()[name].slot, []).append(say(name, **values))
    return {slot: tuple(some) for slot, some in found.items()}


def capital(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def measures_words(some: Sequence[str], total: int) -> str:
    """Name measures, all of them by their number.

    Examples
    --------
    >>> measures_words(["auc", "time"], 2), measures_words(["auc", "time"], 3)
    ('both measures', 'auc and time')
    """
    if len(some) == total > 1:
        return "both measures" if total == 2 else f"all {spelled(total)} measures"
    return join_names(some)


def grouped[K, V](pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Gather values by their keys, both in order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def few_words(n: int, noun: str = "dataset") -> Said:
    """Say that there are few units."""
    return "few", {"n": f"{spelled(n)} {noun}{'' if n == 1 else 's'}"}


# the block ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One measure of a block.

    Attributes
    ----------
    measure : str
        With an arrow that says which way is better.
    mark : {"settled", "leads", "level", "equal"}
    side : {0, 1, 2}
        The first algorithm, the second, or neither.
    text, counts, figure : str
        Who is ahead; how many datasets each won; P or the p-value.
    share : (float, float), optional
        Shares of the datasets that the first won, and that tied.
    note : str
        A sentence below.
    """

    measure: str
    mark: Mark
    side: int
    text: str
    counts: str = ""
    figure: str = ""
    share: tuple[float, float] | None = None
    note: str = ""


@dataclass(frozen=True)
class Block:
    """What is said of an answer, the same in every format.

    Attributes
    ----------
    state : str
        Name of the headline's sentence.
    status : str
        "settled", "partly settled", "open", "trade-off", "pass", "fail" or "undecided".
    headline, about, meaning : str
        The verdict; of whom and on how many datasets; what "better" means.
    counts, figure : str
        Heads of the columns of counts and of P.
    rows : sequence of Row
    slots : mapping of str to sequence of str
        The sentences of "unknown", "careful" and "next".
    """

    state: str
    status: str
    headline: str
    about: str
    meaning: str
    counts: str
    figure: str
    rows: Sequence[Row]
    slots: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """The sentences by measure."""
        return [row.note for row in self.rows if row.note]

    @property
    def facts(self) -> dict[str, str]:
        """The sentences below the headline by their titles, each place as one paragraph."""
        said = {"Data": [f"{self.about}; {self.meaning}"], "By measure": self.notes}
        said |= {TITLES[slot]: list(some) for slot, some in self.slots.items()}
        return {title: " ".join(some) for title, some in said.items() if some}

    @property
    def sentences(self) -> list[str]:
        """Everything that is said, in order."""
        return [self.headline, *self.notes, *(s for slot in self.slots.values() for s in slot)]


def measure_head(results: Results, name: str) -> str:
    """Name a measure with the arrow that says which way is better."""
    return f"{name} {ARROWS[results[name].direction]}"


def part_row(results: Results, names: Sequence[str], part: Part, *, pvalue: bool) -> Row:
    """Say who of two is ahead on a measure, with the datasets that each won."""
    marks: dict[str, Mark] = {"better": "settled", "equal": "equal", "ahead": "leads"}
    text = {"level": "level", "equal": "practically equal"}
    total = part.won + part.lost + part.tied
    return Row(
        measure_head(results, part.measure),
        marks.get(part.word, "level"),
        2 if not part.ahead else int(part.ahead != names[0]),
        text.get(part.word, f"{part.ahead} {part.word}"),
        f"{part.won} : {part.lost}" + (f", {part.tied} tied" if part.tied else ""),
        "" if math.isnan(part.figure) else figure_of(part, pvalue=pvalue),
        (part.won / total, part.tied / total) if total else None,
    )


def figure_of(part: Part, *, pvalue: bool) -> str:
    """Write P, the smaller of the two priors', or the p-value."""
    if pvalue:
        return format_pvalue(part.figure, levels=[SIGNIFICANT])
    sure = part.figure if math.isnan(part.alone) else min(part.figure, part.alone)
    return format_probability(sure, levels=[SETTLED, AHEAD])


# the state of two algorithms ----------------------------------------------------------------------

#: Which sentence, by whether one is better somewhere (1) or each is (2), whether they are equal
#: somewhere, whether some measure is open, and whether the whole is settled. What is not here has
#: no settled part.
_STATES = {
    (1, False, False, True): "wins",
    (1, False, False, False): "each",
    (1, False, True, False): "part",
    (1, True, False, True): "partequal",
    (1, True, False, False): "eachequal",
    (1, True, True, False): "partmixed",
    (2, False, False, True): "trade",
    (2, False, False, False): "tradeeach",
    (2, False, True, False): "tradeopen",
    (2, True, False, True): "tradeequal",
    (2, True, False, False): "tradeeach",
    (2, True, True, False): "tradeopen",
    (0, True, False, True): "equal",
    (0, True, False, False): "equaleach",
    (0, True, True, False): "equalopen",
}


class PairState(NamedTuple):
    """The state of two algorithms, and the measures that its words name."""

    name: str
    #: On which measures the first is better, the second is, they are equal, and it is open.
    first: list[str]
    second: list[str]
    equal: list[str]
    open: list[str]

    @property
    def winner(self) -> int | None:
        """Which of the two is better somewhere and worse nowhere."""
        return None if bool(self.first) == bool(self.second) else int(not self.first)


def pair_state(
    first: str, words: Sequence[tuple[str, str, str]], state: str, leaders: Sequence[str | None]
) -> PairState:
    """Return the one state of two algorithms.

    Parameters
    ----------
    first : str
    words : sequence of (measure, who is ahead, word)
    state : str
        Of the whole statement, as in `Decision`.
    leaders : sequence of str or None
        Whom the whole statement names, by measure.

    Examples
    --------
    >>> words = [("auc", "A", "better"), ("time", "B", "level")]
    >>> pair_state("A", words, "open", ["A", "B"])
    PairState(name='part', first=['auc'], second=[], equal=[], open=['time'])
    """
    ours = [m for m, who, word in words if word == "better" and who == first]
    theirs = [m for m, who, word in words if word == "better" and who != first]
    equal = [m for m, _, word in words if word == "equal"]
    left = [m for m, _, word in words if word in ("ahead", "level")]
    settled = state in ("better", "trade-off", "equal")
    name = _STATES.get((bool(ours) + bool(theirs), bool(equal), bool(left), settled))
    if name is None:
        lone = len(words) == 1 and words[0][2] == "ahead"
        name = {"tied": "tied", "leads": "leadsplit"}.get(state, "ahead" if lone else "open")
        if state == "leads" and len(set(leaders)) == 1 and leaders[0]:
            name = "leads"
    return PairState(name, ours, theirs, equal, left)


# one comparison -----------------------------------------------------------------------------------


def comparison_block(c: Comparison) -> Block:
    """Return the verdict block of a comparison.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block = comparison_block(bc.compare(bc.load_example("benavoli-example1")))
    >>> block.headline, block.status
    ('B is better than A on accuracy; time is open.', 'partly settled')
    >>> block.slots["next"][0]
    'Use B if accuracy is what counts; time is open.'
    """
    d, results, names = c.decision, c.results, c.results.algorithms
    # Whether two algorithms were judged on each measure.
    state = _pair(c) if len(names) == 2 and len(d.measured) == len(results.measures) else None
    said, facts = _claim(c) if state is None else (state.name, _facts(c, state))
    if own := c.posterior.headline(d):
        said, facts = "own", {**facts, "claim": own if own.startswith(names) else capital(own)}
    partly = said != "own" and state is not None and any(state[1:4])
    status = "partly settled" if partly else "open"
    if d.settled:
        status = "trade-off" if state is not None and state.first and state.second else "settled"
    rows = [part_row(results, names, part, pvalue=d.pvalue) for part in d.measured]
    if state is None:
        # Of many, the figure is that of an order, and not of the datasets that its leader won.
        rows = [
            replace(row, text=f"the order led by {part.ahead}", counts="", share=None)
            if part.word in ("better", "ahead")
            else replace(row, counts="", share=None)
            for row, part in zip(rows, d.measured, strict=True)
            if len(names) > 2
        ]
    if state is None or len(rows) > 1:
        rows.append(_whole_row(c, judged=state is not None))
    return Block(
        said,
        status,
        say(said, **facts),
        f"{join_names(names, most=8)} · {plural(len(results.datasets), 'dataset')}",
        _meaning(c, state),
        "Datasets" if state is None else f"{names[0]} : {names[1]}",
        "p" if d.pvalue else "P",
        rows,
        placed([*_sentences(c, state, facts, said), *changes(c)]),
    )


def _pair(c: Comparison) -> PairState:
    words = [(part.measure, part.ahead, part.word) for part in c.decision.measured]
    return pair_state(c.results.algorithms[0], words, c.decision.state, _leaders(c))


def _leaders(c: Comparison) -> list[str | None]:
    """Whom the leading statement names, by measure."""
    return list(Statement.parse(c.decision.statement, c.results.algorithms).leaders)


def _support(c: Comparison) -> float:
    """On how many datasets the leading statement holds."""
    return float(c.answer.counts[c.answer.labels.index(c.decision.statement)])


def _sure(d: Decision) -> str:
    """Write the P that the whole rests on, the least of all priors and bounds, or the p-value."""
    if d.pvalue:
        return format_pvalue(d.probability, levels=[SIGNIFICANT])
    known = [p for p in (d.probability, d.alone, d.lowest) if p is not None]
    return format_probability(min(known), levels=[SETTLED])


def _facts(c: Comparison, state: PairState) -> dict[str, Any]:
    """What sentences about two algorithms name."""
    d, measures, (a, b) = c.decision, c.results.measures, c.results.algorithms
    leaders, part, winner = _leaders(c), d.measured[0], state.winner
    if state.name == "ahead":
        winner = int(part.ahead == b)
    elif winner is None:
        winner = int(leaders[0] == b)
    better = state.first + state.second
    return {
        **{"a": a, "b": b, "w": (a, b)[winner], "l": (b, a)[winner]},
        **{"ma": state.first, "mb": state.second, "me": state.equal, "mo": state.open},
        "ms": measures_words(better or measures, len(measures)),
        "many": "any measure" if len(measures) > 1 else measures[0],
        **{"p": figure_of(part, pvalue=d.pvalue), "joint": _sure(d)},
        **{"x": _support(c), "n": len(c.results.datasets), "k": len(d.rivals) + 1},
    }


def _claim(c: Comparison) -> Said:
    """Of more than two algorithms, or of a question about all measures at once."""
    d, l = c.decision, len(c.results.algorithms)
    claim = c.posterior.claim(d.statement)
    short = len(claim) <= _LONG and (l == 2 or len(claim.split()) <= 14)
    left = [part.measure for part in d.measured if part.word in ("ahead", "level")]
    name = "claimopen" if short else "orderopen"
    if math.isnan(d.probability):
        name = "norelation"
    elif d.state == "tied":
        name = "tied"
    elif d.settled:
        name = "order" if not short else "claim" if l == 2 else "ordered"
    elif d.state == "leads":
        name = "claimleads"
    many = "any measure" if len(c.results.measures) > 1 else c.results.measures[0]
    k, mo = len(d.rivals) + 1, left or "every measure"
    return name, {"claim": claim, "l": l, "k": k, "mo": mo, "many": many}


def _meaning(c: Comparison, state: PairState | None) -> str:
    """Say what "better" stands for."""
    if c.decision.pvalue:
        return f"better, settled: p ≤ {setting_number_text(SIGNIFICANT)}"
    level = setting_number_text(SETTLED)
    if state is None:
        return f"settled: P ≥ {level}"
    if any(c.results[name].rope is not None for name in c.results.measures):
        return f"better: the most frequent of better, practically equal and worse, P ≥ {level}"
    return f"better: wins most datasets like these, P ≥ {level}"


def _whole_row(c: Comparison, *, judged: bool) -> Row:
    """What is said of all measures at once."""
    d, head = c.decision, "all at once" if judged else "statement"
    if math.isnan(d.probability):
        return Row(head, "level", 2, "not judged")
    side, text, counts = 2, c.posterior.claim(d.statement), count(_support(c))
    if judged:
        on = grouped(zip((who or "equal" for who in _leaders(c)), c.results.measures, strict=True))
        total = len(c.results.measures)
        text = ", ".join(f"{who} on {measures_words(some, total)}" for who, some in on.items())
        if len(on) == 1 and next(iter(on)) in c.results.algorithms:
            side = c.results.algorithms.index(next(iter(on)))
        text = text if d.settled else f"most frequent: {text}"
        counts = f"{counts} of {len(c.results.datasets)}"
    if d.state == "tied":
        return Row(head, "level", side, "none leads", counts, _sure(d))
    return Row(head, "settled" if d.settled else "leads", side, text, counts, _sure(d))


def _sentences(
    c: Comparison, state: PairState | None, facts: Mapping[str, Any], said: str
) -> Iterator[Said]:
    """Yield what holds of a comparison besides its headline."""
    d, results, n = c.decision, c.results, len(c.results.datasets)
    counted, bayesian = c.method.accepts.judges == "counts", is_bayesian(c.method)
    if c.answer.none_leads:
        yield "nonelead", {"p": format_probability(c.answer.none_leads)}
    yield from (("told", {"text": text}) for text in c.caveats)
    if n < FEW:
        yield few_words(n)
    sampled = c.answer.tree is not None or c.method.needs_mcmc
    if sampled and not c.diagnose().ok:
        yield "sampling", {}
    elif c.answer.mcse is not None:
        yield "mcse", {"p": standard_error_text(float(c.answer.mcse.max()))}
    if d.pvalue and not d.settled:
        yield "pvalueopen", {}
    if state is None:
        if not d.settled and not d.pvalue:
            yield "notequal", {}
        if len(results.algorithms) > 2 and not d.settled and not c.method.scope.question:
            yield "askpairs", {}
        return
    left = [part for part in d.measured if part.word in ("ahead", "level")]
    leading = grouped((part.ahead, part.measure) for part in left if part.word == "ahead")
    if said != "ahead":
        yield from (("openone", {"w": who, "ml": some}) for who, some in leading.items())
    level = [part.measure for part in left if part.word == "level"]
    if level and len(d.measured) > 1:
        yield "levelone", {"ml": level}
    if d.state == "leads" and 0 < len(left) < len(d.measured) and not d.pvalue:
        yield "jointonly", facts
    elif d.state == "open" and any(state[1:4]) and said != "own" and not d.pvalue:
        yield "jointopen", facts
    bare = [part.measure for part in left if results[part.measure].rope is None]
    if bare and not (d.pvalue and not d.settled):
        yield "notequal", {}
    yield from _against(c)
    if c.method.accepts.judges == "cells" and bayesian and c.method.name not in BY_SIZE:
        yield "size", {}
    if said in ("wins", "each", "partequal", "eachequal"):
        yield "use", facts
    elif said.startswith("trade"):
        mine = f"{facts['a']} for {join_names(state.first)}"
        yield "choose", {"who": f"{mine}, {facts['b']} for {join_names(state.second)}"}
    elif said in ("part", "partmixed"):
        yield "cautious", {**facts, "ms": state.first + state.second}
    elif said in ("equal", "equaleach"):
        yield "either", {}
    if bare and bayesian and not counted:
        yield "rope", {}


def _against(c: Comparison) -> Iterator[Said]:
    """Say what speaks against who is ahead on a measure: the mean, and ties."""
    values, n = c.results.average().oriented(), len(c.results.datasets)
    for j, part in enumerate(c.decision.measured):
        spec = c.results[part.measure]
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = values[:, 0, j] - values[:, 1, j]
        if part.word in ("better", "ahead") and part.ahead and spec.scale != "ordinal":
            known = gaps[~np.isnan(gaps)]
            with np.errstate(invalid="ignore", over="ignore"):
                mean = float(known.mean()) if len(known) else 0.0
            favoured = c.results.algorithms[int(mean < 0.0)]
            if mean and favoured != part.ahead:
                yield "mean", {"m": part.measure, "b": favoured}
        if part.tied >= max(1.0, _TIES * n) and spec.rope is None:
            yield "ties", {"k": part.tied, "n": n, "m": part.measure}


# what would change a verdict ----------------------------------------------------------------------

#: Most further datasets that are tried; a larger number would help nobody.
MOST_ADDED = 1000


def datasets_needed(c: Comparison) -> int | None:
    """How many more datasets that support the leading statement would settle it and its parts.

    None where that is slow to say, or where it is settled; more than a thousand if these would not
    do.

    Examples
    --------
    >>> import bayescompare as bc
    >>> datasets_needed(bc.compare(bc.load_example("benavoli-example1")))
    3
    """
    settled = _settles(c)
    if settled is None or c.decision.settled or c.decision.state == "tied" or settled(0, 0):
        return None
    return _least(lambda k: settled(k, 0), MOST_ADDED) or MOST_ADDED + 1


def needed_by_measure(c: Comparison) -> dict[str, int | None]:
    """How many more datasets would settle each measure by itself, all won by who is ahead there.

    0 where it is settled; None where nobody is ahead, or where that is slow to say.

    Examples
    --------
    >>> import bayescompare as bc
    >>> needed_by_measure(bc.compare(bc.load_example("benavoli-example1")))
    {'accuracy': 0, 'time': 3}
    """
    found: dict[str, int | None] = {}
    for part in c.decision.measured:
        found[part.measure] = 0 if part.word in ("better", "equal") else None
        if part.word in ("ahead", "level") and part.ahead and len(c.decision.measured) == 1:
            found[part.measure] = datasets_needed(c)
        elif part.word in ("ahead", "level") and part.ahead and "on" in dir(c):
            found[part.measure] = datasets_needed(c.on([part.measure]))
    return found


def datasets_undoing(c: Comparison) -> int | None:
    """How many of its datasets would have to support the next statement for a verdict to be lost.

    None where that is slow to say, where nothing is settled, or where it cannot be lost so.
    """
    settled = _settles(c)
    if settled is None or not c.decision.settled:
        return None
    # It cannot lose more datasets than support it.
    own = int(c.answer.counts[c.answer.labels.index(c.decision.statement)])
    return _least(lambda k: k <= own and not settled(0, k), max(own, 1))


def _settles(c: Comparison) -> Callable[[int, int], bool] | None:
    """Whether so many datasets more, and so many turned, settle it; None where that is slow.

    So it is for bounds over priors or missing cells.
    """
    level = c.posterior.level_given(c.decision)
    if level is None or c.decision.lowest is not None:
        return None
    if c.answer.pvalue is None:
        return lambda more, moved: level(more, moved) >= SETTLED
    return lambda more, moved: level(more, moved) <= SIGNIFICANT


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """Least number from 1 on for which it holds, and for all above it, by doubling and halving."""
    high = 1
    while not holds(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def changes(c: Comparison) -> Iterator[Said]:
    """Say how many datasets would change the verdict, where that is quick to count."""
    d, lost = c.decision, datasets_undoing(c)
    if d.state == "tied" and len(c.results.algorithms) == 2:
        yield "tiebreak", {}
    if lost is not None:
        # Of counts, the datasets that are surest of the leader turn first.
        sure = "sure" if c.method.accepts.judges == "counts" else ""
        yield f"fragile{lost}{sure}" if lost < 3 else "sturdy", {"k": lost}
    leaders = _leaders(c)
    one = len(c.results.algorithms) == 2 and leaders[0] is not None and len(set(leaders)) == 1
    favoured = f"favoured {leaders[0]}" if one else "showed the same"
    if c.method.accepts.judges == "counts":
        favoured = f"surely {favoured}"
    needed = datasets_needed(c)
    if needed is not None:
        name = "more1" if needed == 1 else "more" if needed <= MOST_ADDED else "never"
        settled = "significant" if d.pvalue else "settled"
        k = min(needed, MOST_ADDED)
        yield name, {"k": k, "favoured": favoured, "settled": settled}


def comparison_words(c: Comparison) -> str:
    """Say at length what was found: the method's own words, and what would change them."""
    sentences, d = c.method.sentences(Found(c.results, c.answer, c.decision)), c.decision
    if len(c.results.algorithms) == 2 and len(d.measured) > 1 and not c.posterior.headline(d):
        # Of one measure the method says the verdict itself.
        sentences = [comparison_block(c).headline, *sentences]
    said: list[Said] = []
    if c.answer.none_leads:
        said.append(("nonelead", {"p": format_probability(c.answer.none_leads)}))
    said += [("levers", {"levers": c.method.phrases.levers}), *changes(c)]
    sampled = c.answer.tree is not None or c.method.needs_mcmc
    if sampled and not (diagnosis := c.diagnose()).ok:
        said.append(("sampled", {"verdict": diagnosis.verdict}))
    said += [("note", {"note": note}) for note in c.results.notes]
    return " ".join([*sentences, *told(said)])
