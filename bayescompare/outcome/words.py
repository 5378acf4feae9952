"""The verdict block: headline, measures, what is not known, what to be careful with, what next.

Every answer has one state, and the state has one headline. All sentences stand in
``text/sentences.txt``, each with the condition under which it is said; none is edited after it was
made. The terminal, the first screen of a report, the card of a notebook and Markdown write the
same block (`bayescompare.report.card`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from bayescompare.outcome.change import datasets_needed, datasets_undoing
from bayescompare.outcome.decision import AHEAD, SETTLED, SIGNIFICANT, Decision, Part
from bayescompare.outcome.method import is_bayesian
from bayescompare.statements import Statement
from bayescompare.text.names import spelled
from bayescompare.text.numbers import (
    count,
    difference_number_text,
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
    from bayescompare.ranking.gate import Gate
    from bayescompare.table.results import Results


#: Below so many datasets a verdict moves with each of them; ties from this share on are said.
_FEW, _TIES = 10, 0.1
#: Further datasets that are worth advice, and letters of a claim that fits a headline.
_MOST_MORE, _LONG = 50, 110

Mark = Literal["settled", "leads", "level", "equal"]
#: The places of sentences, by their titles.
TITLES = {"unknown": "Not known", "careful": "Careful", "next": "Next"}

ARROWS = {"max": "↑", "min": "↓"}


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


def say(name: str, **values: object) -> str:
    """Fill in a sentence of the table.

    Examples
    --------
    >>> say("drop", list="CART")
    'For CART, someone else is better on every measure.'
    """
    return sentences()[name].text.format(**{"level": percent_setting(SETTLED), **values})


def _capital(text: str) -> str:
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


def _is(names: Sequence[object]) -> str:
    return "is" if len(names) == 1 else "are"


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
    def facts(self) -> dict[str, str]:
        """The sentences below the headline by their titles, each place as one paragraph."""
        notes = [row.note for row in self.rows if row.note]
        about = [f"{self.about}; {self.meaning}"]
        said = {
            "Data": about,
            "By measure": notes,
            **{TITLES[slot]: some for slot, some in self.slots.items()},
        }
        return {title: " ".join(some) for title, some in said.items() if some}

    @property
    def sentences(self) -> list[str]:
        """Everything that is said, in order."""
        notes = [row.note for row in self.rows if row.note]
        return [self.headline, *notes, *(s for slot in self.slots.values() for s in slot)]


def slots_of(**said: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Gather the sentences of each place; a place without any is left out."""
    found = {slot: tuple(filter(None, some)) for slot, some in said.items()}
    return {slot: some for slot, some in found.items() if some}


def measure_head(results: Results, name: str) -> str:
    """Name a measure with the arrow that says which way is better."""
    return f"{name} {ARROWS[results[name].direction]}"


def part_row(
    results: Results, names: Sequence[str], part: Part, *, pvalue: bool, note: str = ""
) -> Row:
    """Say who of two is ahead on a measure, with the datasets that each won."""
    won, lost, tied = part.won, part.lost, part.tied
    side = 2 if not part.ahead else int(part.ahead != names[0])
    marks: dict[str, Mark] = {"better": "settled", "equal": "equal", "ahead": "leads"}
    text = {"level": "level", "equal": "practically equal"}.get(
        part.word, f"{part.ahead} {part.word}"
    )
    total = won + lost + tied
    counts = f"{won} : {lost}" + (f", {tied} tied" if tied else "")
    share = (won / total, tied / total) if total else None
    mark = marks.get(part.word, "level")
    figure = "" if math.isnan(part.figure) else figure_of(part, pvalue=pvalue)
    return Row(measure_head(results, part.measure), mark, side, text, counts, figure, share, note)


def figure_of(part: Part, *, pvalue: bool) -> str:
    """Write P, the smaller of the two priors', or the p-value."""
    if pvalue:
        return format_pvalue(part.figure, levels=[SIGNIFICANT])
    sure = part.figure if math.isnan(part.alone) else min(part.figure, part.alone)
    return format_probability(sure, levels=[SETTLED, AHEAD])


# the state of two algorithms ----------------------------------------------------------------------

#: Which sentence, by whether there are measures on which one is better, the other is, both are
#: equal, some are open, and by whether the whole is settled. What is not here has no settled part.
_STATES = {
    (1, 0, 0, 0, True): "wins",
    (1, 0, 0, 0, False): "each",
    (1, 0, 0, 1, False): "part",
    (1, 0, 1, 0, True): "partequal",
    (1, 0, 1, 0, False): "eachequal",
    (1, 0, 1, 1, False): "partmixed",
    (1, 1, 0, 0, True): "trade",
    (1, 1, 0, 0, False): "tradeeach",
    (1, 1, 0, 1, False): "tradeopen",
    (1, 1, 1, 0, True): "tradeequal",
    (1, 1, 1, 0, False): "tradeeach",
    (1, 1, 1, 1, False): "tradeopen",
    (0, 0, 1, 0, True): "equal",
    (0, 0, 1, 0, False): "equaleach",
    (0, 0, 1, 1, False): "equalopen",
}

_STATUS = {
    **dict.fromkeys(("wins", "partequal", "equal", "claim", "ordered", "order"), "settled"),
    **dict.fromkeys(("trade", "tradeequal"), "trade-off"),
    **dict.fromkeys(("part", "partmixed", "tradeopen", "equalopen"), "partly settled"),
    **dict.fromkeys(("each", "eachequal", "tradeeach", "equaleach"), "partly settled"),
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
    better = [(m, who == first) for m, who, word in words if word == "better"]
    ours, theirs = ([m for m, own in better if own is side] for side in (True, False))
    equal = [m for m, _, word in words if word == "equal"]
    left = [m for m, _, word in words if word in ("ahead", "level")]
    sides = int(bool(ours)) + int(bool(theirs))
    settled = state in ("better", "trade-off", "equal")
    key = (int(sides > 0), int(sides == 2), int(bool(equal)), int(bool(left)), settled)
    name = _STATES.get(key)
    if name is None:
        if state == "tied":
            name = "tied"
        elif state == "leads":
            name = "leads" if len(set(leaders)) == 1 and leaders[0] else "leadsplit"
        else:
            name = "ahead" if len(words) == 1 and words[0][2] == "ahead" else "open"
    return PairState(name, ours, theirs, equal, left)


# one comparison -----------------------------------------------------------------------------------


def comparison_headline(c: Comparison) -> str:
    """Return the verdict on one comparison in one sentence."""
    return _headline(c)[1]


def _judged(c: Comparison) -> bool:
    """Whether two algorithms were judged on each measure."""
    return len(c.results.algorithms) == 2 and len(c.decision.measured) == len(c.results.measures)


def _headline(c: Comparison) -> tuple[str, str]:
    """The state of a comparison and its sentence."""
    d, measures, names = c.decision, c.results.measures, c.results.algorithms
    if own := c.posterior.headline(d):
        return "own", say("own", claim=own if own.startswith(names) else _capital(own))
    if not _judged(c):
        return _headline_of_claim(c, d)
    state, leaders = _state(c)
    winner = state.winner
    if winner is None and leaders:
        winner = int(leaders[0] == names[1])
    w, l = (names[1], names[0]) if winner else names
    ms = state.first + state.second
    if state.name in ("equal", "equaleach", "leads"):
        ms = list(measures)
    part = d.measured[0]
    text = say(
        state.name,
        a=names[0],
        b=names[1],
        w=part.ahead if state.name == "ahead" else w,
        l=(names[1] if part.ahead == names[0] else names[0]) if state.name == "ahead" else l,
        ms=measures_words(ms, len(measures)),
        ma=join_names(state.first),
        mb=join_names(state.second),
        me=join_names(state.equal),
        mo=join_names(state.open),
        ml=measures[0],
        many="any measure" if len(measures) > 1 else measures[0],
        is_=_is(state.open),
        p=figure_of(part, pvalue=d.pvalue),
        x=count(_support(c)),
        n=len(c.results.datasets),
        k=_capital(spelled(len(d.rivals) + 1)),
    )
    return state.name, text


def _state(c: Comparison) -> tuple[PairState, tuple[str | None, ...]]:
    d = c.decision
    leaders = Statement.parse(d.statement, c.results.algorithms).leaders
    words = [(part.measure, part.ahead, part.word) for part in d.measured]
    return pair_state(c.results.algorithms[0], words, d.state, leaders), tuple(leaders)


def _support(c: Comparison) -> float:
    """On how many datasets the leading statement holds."""
    return float(c.answer.counts[c.answer.labels.index(c.decision.statement)])


def _headline_of_claim(c: Comparison, d: Decision) -> tuple[str, str]:
    """Of more than two algorithms, or of a question about all measures at once."""
    claim, l = c.posterior.claim(d.statement), len(c.results.algorithms)
    short = len(claim) <= _LONG and (l == 2 or len(claim.split()) <= 14)
    open_on = [part.measure for part in d.measured if part.word in ("ahead", "level")]
    values = {
        "claim": claim,
        "l": spelled(l),
        "k": _capital(spelled(len(d.rivals) + 1)),
        "mo": join_names(open_on) or "every measure",
        "many": "any measure" if len(c.results.measures) > 1 else c.results.measures[0],
    }
    if math.isnan(d.probability):
        name = "norelation"
    elif d.state == "tied":
        name = "tied"
    elif d.settled:
        name = ("claim" if l == 2 else "ordered") if short else "order"
    elif d.state == "leads":
        name = "claimleads"
    else:
        name = "claimopen" if short else "orderopen"
    return name, say(name, **values)


def _meaning(c: Comparison) -> str:
    """Say what "better" stands for."""
    if c.decision.pvalue:
        return f"better, settled: p ≤ {setting_number_text(SIGNIFICANT)}"
    level = setting_number_text(SETTLED)
    if not _judged(c):
        return f"settled: P ≥ {level}"
    if any(c.results[name].rope is not None for name in c.results.measures):
        return f"better: the most frequent of better, practically equal and worse, P ≥ {level}"
    return f"better: wins most datasets like these, P ≥ {level}"


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
    d, results = c.decision, c.results
    name, headline = _headline(c)
    names = results.algorithms
    rows = [part_row(results, names, part, pvalue=d.pvalue) for part in d.measured]
    if not _judged(c):
        rows = [_statement_row(c)] if len(names) == 2 or not rows else [*rows, _statement_row(c)]
    elif len(rows) > 1:
        rows.append(_whole_row(c, name))
    measured = _judged(c)
    status = _STATUS.get(name, "open")
    if name == "own" and d.settled:
        status = "settled"
    about = f"{join_names(names, most=8)} · {plural(len(results.datasets), 'dataset')}"
    return Block(
        name,
        status,
        headline,
        about,
        _meaning(c),
        f"{names[0]} : {names[1]}" if measured else "Datasets",
        "p" if d.pvalue else "P",
        rows,
        slots_of(
            unknown=_unknown(c, name, measured=measured),
            careful=_careful(c),
            next=_next(c, name) if measured else (),
        ),
    )


def _whole_row(c: Comparison, state: str) -> Row:
    """What is said of all measures at once."""
    d, (a, b) = c.decision, c.results.algorithms
    leaders = Statement.parse(d.statement, (a, b)).leaders
    on: dict[str, list[str]] = {}
    for who, measure in zip(leaders, c.results.measures, strict=True):
        on.setdefault(who or "equal", []).append(measure)
    text = ", ".join(f"{who} on {measures_words(some, len(leaders))}" for who, some in on.items())
    side = 2
    if len(on) == 1:
        side = {a: 0, b: 1}.get(next(iter(on)), 2)
    if d.state == "tied":
        text = "none leads"
    elif not d.settled:
        text = f"leads: {text}"
    mark: Mark = "settled" if d.settled else "level" if d.state == "tied" else "leads"
    figures = [p for p in (d.probability, d.alone, d.lowest) if p is not None]
    figure = (
        format_pvalue(d.probability, levels=[SIGNIFICANT])
        if d.pvalue
        else format_probability(min(figures), levels=[SETTLED])
    )
    counts = f"{count(_support(c))} of {len(c.results.datasets)}"
    return Row("all at once", mark, side, text, counts, figure)


def _statement_row(c: Comparison) -> Row:
    """The leading statement, where measures are not judged one by one."""
    d = c.decision
    if math.isnan(d.probability):
        return Row("statement", "level", 2, "not judged")
    write = format_pvalue if d.pvalue else format_probability
    figure = write(d.probability, levels=[SIGNIFICANT if d.pvalue else SETTLED])
    mark: Mark = "settled" if d.settled else "leads"
    text = c.posterior.claim(d.statement)
    return Row("statement", mark, 2, text, count(_support(c)), figure)


def _unknown(c: Comparison, state: str, *, measured: bool) -> list[str]:
    d, said = c.decision, []
    left = [part for part in d.measured if part.word in ("ahead", "level")] if measured else []
    by: dict[str, list[str]] = {}
    for part in left:
        by.setdefault(part.ahead if part.word == "ahead" else "", []).append(part.measure)
    if state != "ahead":
        said += [say("openone", w=who, ml=join_names(some)) for who, some in by.items() if who]
    if "" in by and len(d.measured) > 1:
        said.append(say("levelone", ml=join_names(by[""])))
    if measured and len(d.measured) > 1 and not d.pvalue and d.state != "tied":
        sure = min(p for p in (d.probability, d.alone, d.lowest) if p is not None)
        p = format_probability(sure, levels=[SETTLED])
        mo = join_names([part.measure for part in left])
        if d.state == "leads" and left and len(left) < len(d.measured):
            said.append(say("jointonly", p=p, mo=mo, is_=_is(left)))
        elif d.state == "open" and _STATUS.get(state, "open") != "open":
            said.append(say("jointopen", p=p))
    if c.answer.none_leads:
        said.append(say("nonelead", p=format_probability(c.answer.none_leads)))
    bare = any(c.results[part.measure].rope is None for part in left)
    if d.pvalue and not d.settled:
        said.append(say("pvalueopen"))
    elif bare or (not measured and not d.settled and not d.pvalue):
        said.append(say("notequal"))
    return said


def _careful(c: Comparison) -> list[str]:
    d, results, said = c.decision, c.results, list(c.caveats)
    n = len(results.datasets)
    if n < _FEW:
        said.append(say("few", n=_capital(spelled(n))))
    if (lost := datasets_undoing(c)) in (1, 2):
        said.append(say(f"fragile{lost}"))
    if _judged(c):
        means = _mean_sides(results)
        for j, part in enumerate(d.measured):
            if part.word in ("better", "ahead") and means[j] and part.ahead:
                favoured = results.algorithms[0 if means[j] > 0 else 1]
                if favoured != part.ahead:
                    said.append(say("mean", m=part.measure, b=favoured))
            if part.tied >= max(1.0, _TIES * n) and results[part.measure].rope is None:
                said.append(say("ties", k=part.tied, n=n, m=part.measure))
    sampled = c.answer.tree is not None or c.method.needs_mcmc
    if sampled and not c.diagnose().ok:
        said.append(say("sampling"))
    elif c.answer.mcse is not None:
        said.append(say("mcse", p=standard_error_text(float(c.answer.mcse.max()))))
    if c.method.accepts.judges == "cells" and is_bayesian(c.method) and _judged(c):
        said.append(say("size"))
    return said


def _mean_sides(results: Results) -> list[float]:
    """The sign of the mean difference on each measure; 0 where values have only an order."""
    values = results.average().oriented()
    difference = values[:, 0] - values[:, 1]
    with np.errstate(invalid="ignore", over="ignore"):
        means = [
            0.0
            if results[name].scale == "ordinal" or np.isnan(difference[:, j]).all()
            else float(np.nanmean(difference[:, j]))
            for j, name in enumerate(results.measures)
        ]
    return [0.0 if math.isnan(mean) else mean for mean in means]


def _next(c: Comparison, name: str) -> list[str]:
    (a, b), d = c.results.algorithms, c.decision
    state, leaders = _state(c)
    w = (a, b)[state.winner or 0]
    said = []
    if name in ("wins", "each", "partequal", "eachequal"):
        said.append(say("use", w=w))
    elif name.startswith("trade"):
        who = f"{a} for {join_names(state.first)}, {b} for {join_names(state.second)}"
        said.append(say("choose", who=who))
    elif name in ("part", "partmixed"):
        ms = state.first + state.second
        mo = join_names(state.open)
        said.append(
            say("cautious", w=w, ms=join_names(ms), is_=_is(ms), mo=mo, is2_=_is(state.open))
        )
    elif name in ("equal", "equaleach"):
        said.append(say("either"))
    needed = None
    one = len(set(leaders)) == 1 and leaders[0]
    if one and not d.settled and d.state != "tied":
        needed = datasets_needed(c)
    if needed == 1:
        said.append(say("more1", w=leaders[0]))
    elif needed is not None and needed <= _MOST_MORE:
        said.append(say("more", k=spelled(needed), w=leaders[0]))
    turns = datasets_undoing(c)
    if turns is not None and turns > 2:
        said.append(say("sturdy", k=_capital(spelled(turns))))
    bare = [m for m in state.open if c.results[m].rope is None]
    may = is_bayesian(c.method) and c.method.accepts.judges != "counts"
    if bare and may and needed is None:
        said.append(say("rope"))
    return said


# a gate -------------------------------------------------------------------------------------------


def gate_block(g: Gate) -> Block:
    """Return the verdict block of a gate.

    Examples
    --------
    >>> import bayescompare as bc
    >>> g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    >>> gate_block(g).headline
    'Pass: GBM is better than CART on all three measures.'
    """
    c, b, measures = g.candidate, g.baseline, g.results.measures
    by: dict[str, list[str]] = {}
    for measure, verdict in g.table["verdict"].items():
        by.setdefault(str(verdict), []).append(str(measure))
    better, worse = by.get("superior", []), by.get("worse", [])
    same, left = by.get("not worse", []), by.get("undecided", [])
    status, advice = "pass", "merge"
    if not g.answer.has_verdicts:
        name, status, advice = "toofew", "undecided", "wait"
    elif worse:
        name, status, advice = "fail", "fail", "keep"
    elif left:
        name, status, advice = "undecided", "undecided", "wait"
    else:
        name = "pass" if not same else "passmixed" if better else "passequal"
    from bayescompare.kernels.ranking.bootstrap import FEWEST

    values = {
        "c": c,
        "b": b,
        "ms": measures_words(worse if worse else better, len(measures)),
        "me": measures_words(same, len(measures)),
        "mo": measures_words(left, len(measures)),
        "n": plural(g.answer.n, g.answer.noun),
        "k": spelled(FEWEST),
    }
    units = min(g.answer.benchmarks, default=g.answer.effective)
    few = say("few", n=_capital(count(g.answer.n))) if min(units, g.answer.differing) < _FEW else ""
    bare = [m for m in left if g.results[m].rope is None]
    items = ""
    if name == "toofew" and g.results.replicates in ("items", "seeds"):
        items = say("items", what=g.results.replicates)
    return Block(
        name,
        status,
        say(name, **values),
        f"{c} for {b} · {plural(g.answer.n, g.answer.noun)}",
        f"better: higher on average, P ≥ {setting_number_text(g.level)}",
        f"Mean gain ({percent_setting(g.level)} sure: ≥)",
        "P",
        [_gate_row(g, measure) for measure in measures],
        slots_of(
            unknown=[say("notequal")] if left else [],
            careful=[*g.caveats, few, say("meangate")],
            next=[say(advice, b=b, c=c), items, say("rope") if bare and status != "fail" else ""],
        ),
    )


def _gate_row(g: Gate, measure: str) -> Row:
    rows, spec = g.table.to_dict("index"), g.results[measure]
    row = rows[measure]
    verdict, unit = str(row["verdict"]), spec.unit or ""
    words = {"superior": "better"}
    marks: dict[str, Mark] = {"superior": "settled", "worse": "settled", "not worse": "equal"}
    gain = difference_number_text(float(row["difference"]), unit)
    lower = float(row["lower"])
    bound = "" if math.isnan(lower) else f" (≥ {difference_number_text(lower, unit)})"
    p = float(row["p_not_worse"] if verdict == "not worse" else row["p_better"])
    figure = "" if math.isnan(p) else format_probability(p, levels=[g.level])
    return Row(
        measure_head(g.results, measure),
        marks.get(verdict, "leads"),
        int(verdict == "worse"),
        words.get(verdict, verdict),
        gain + bound,
        figure,
    )
