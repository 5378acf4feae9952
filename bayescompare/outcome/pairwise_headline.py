"""All pairs in one sentence: who stands first, whom they beat, and what is not separated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.statements import Statement
from bayescompare.text.names import spelled
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.outcome.method import Method
    from bayescompare.outcome.verdicts import PairVerdicts

__all__ = ["FIRST", "SECOND", "pairwise_headline", "trade_off_words"]

#: Stand for the algorithms of a trade-off that several pairs share.
FIRST, SECOND = "first", "second"

#: Names that a headline lists; of more it says how many.
_MOST = 4


def pairwise_headline(verdicts: PairVerdicts, method: Method) -> str:
    """Say in one sentence who stands first and what the pairs say of the others."""
    if verdicts.reference is not None:
        return _against(verdicts, verdicts.reference, method)
    leaders = verdicts.leaders()
    first = set.intersection(*(set(names) for names in leaders.values()))
    if len(first) == 1:
        return _one_leader(verdicts, first.pop(), method)
    return _several_leaders(verdicts, leaders)


def trade_off_words(
    pattern: Statement, measures: Sequence[str], firsts: Sequence[str], seconds: Sequence[str]
) -> str:
    """Say a trade-off between `FIRST` and `SECOND`, who may be several.

    Examples
    --------
    >>> pattern = Statement.parse("first>second|second>first|first=second")
    >>> trade_off_words(pattern, ["accuracy", "time", "auc"], ["GBM", "Forest"], ["Tree"])
    'GBM and Forest are better on accuracy, Tree on time, neither on auc'
    """
    on: dict[str, list[str]] = {}
    for leader, measure in zip(pattern.leaders, measures, strict=True):
        on.setdefault(leader or "", []).append(measure)
    named = {FIRST: join_names(firsts, most=_MOST), SECOND: join_names(seconds, most=_MOST)}
    are = "is" if len(firsts) == 1 else "are"
    words = (
        f"{named[FIRST]} {are} better on {join_names(on[FIRST])}, "
        f"{named[SECOND]} on {join_names(on[SECOND])}"
    )
    return f"{words}, neither on {join_names(on[''])}" if "" in on else words


# one algorithm leads ------------------------------------------------------------------------------


def _one_leader(verdicts: PairVerdicts, name: str, method: Method) -> str:
    start = f"{name} has the best place on {_measures(verdicts)}"
    others = len(verdicts.names) - 1
    beaten, apart = verdicts.beats[name], verdicts.apart(name)
    if len(beaten) == others:
        who = beaten[0] if others == 1 else f"all {spelled(others)} others"
        return f"{start} and {_beats(verdicts, method)[0]} {who}{_beats(verdicts, method)[1]}"
    pieces = []
    if beaten:
        verb, where = _beats(verdicts, method)
        start += f" and {verb} {join_names(beaten, most=_MOST)}{where}"
    elif len(apart) == others:
        return f"{start}, but {_not_separated(apart, name, none=True)}"
    if verdicts.beaten_by[name]:
        above = verdicts.beaten_by[name]
        beat = "beats" if len(above) == 1 else "beat"
        pieces.append(f"yet {join_names(above, most=_MOST)} {beat} it")
    meetings = _ahead_in_meetings(verdicts, name)
    if meetings:
        pieces.append(meetings)
    if verdicts.trades[name]:
        pieces.append(f"it is a trade-off against {join_names(verdicts.trades[name], most=_MOST)}")
    pieces += _ties(verdicts, name)
    if apart:
        pieces.append(_not_separated(apart, "it", none=False))
    return "; ".join([start, *pieces])


def _ahead_in_meetings(verdicts: PairVerdicts, name: str) -> str:
    """Say who is ahead of the first on some measure, though its place is better."""
    known = {*verdicts.beaten_by[name], *verdicts.trades[name], *verdicts.ties[name]}
    on: dict[str, list[str]] = {}
    for measure, behind in verdicts.behind.items():
        for other in behind.get(name, ()):
            if other not in known:
                on.setdefault(other, []).append(measure)
    if not on:
        return ""
    some = [f"{other} on {join_names(measures)}" for other, measures in on.items()]
    return f"ahead of it in their meetings: {join_names(some, most=2)}"


def _measures(verdicts: PairVerdicts) -> str:
    measures = list(map(str, verdicts.places))
    if len(measures) == 1:
        return measures[0]
    return "both measures" if len(measures) == 2 else f"all {spelled(len(measures))} measures"


def _beats(verdicts: PairVerdicts, method: Method) -> tuple[str, str]:
    """Return the verb, and where it holds."""
    if method.scope.question:
        return ("dominates" if "relation" in method.provides else "beats"), ""
    several = {1: "", 2: " on both"}
    return "beats", several.get(verdicts.places.shape[1], " on all of them")


def _not_separated(apart: Sequence[str], other: str, *, none: bool) -> str:
    """Say how many are not separated from one; `none` if that is everybody."""
    if none:
        if len(apart) == 1:
            return f"{apart[0]} is not separated from it"
        return f"none of the {spelled(len(apart))} others is separated from it"
    if len(apart) == 1:
        return f"{apart[0]} is not separated from {other}"
    return f"the other {spelled(len(apart))} are not separated from {other}"


# different measures have different leaders --------------------------------------------------------


def _several_leaders(verdicts: PairVerdicts, leaders: dict[str, tuple[str, ...]]) -> str:
    by: dict[tuple[str, ...], list[str]] = {}
    for measure, names in leaders.items():
        by.setdefault(names, []).append(measure)
    best = [f"{join_names(names, most=2)} on {join_names(on)}" for names, on in by.items()]
    if len(by) == 1:
        # The same algorithms share the first place on every measure.
        names = next(iter(by))
        start = f"{join_names(names, most=_MOST)} share the best place on {_measures(verdicts)}"
    else:
        start = f"No algorithm is first on every measure: {join_names(best, most=_MOST)}"
    pieces = [start]
    alone = [names[0] for names in by if len(names) == 1]
    if len(alone) == len(by) == 2:
        pieces.append(_between(verdicts, *alone))
    for measure, names in leaders.items():
        rivals = verdicts.behind.get(measure, {}).get(names[0], ())
        if len(names) == 1 and rivals:
            who = join_names(rivals, most=2)
            are = "is" if len(rivals) == 1 else "are"
            pieces.append(f"on {measure} {who} {are} ahead of {names[0]} in their meetings")
    beaten = [name for name in verdicts.names if verdicts.beaten_by[name]]
    if beaten:
        some = f"{spelled(len(beaten))} of {spelled(len(verdicts.names))} are"
        who = f"{join_names(beaten)} is" if len(beaten) == 1 else some
        pieces.append(f"{who} beaten by another on every measure")
    elif not verdicts.statements:
        pieces.append("no pair is separated")
    return "; ".join(pieces)


def _between(verdicts: PairVerdicts, one: str, other: str) -> str:
    """Say what the pair of the two leaders is."""
    statement = verdicts.statements.get(frozenset((one, other)))
    if statement is None:
        return "the two are not separated"
    if statement.is_trade_off:
        return "between the two it is a trade-off"
    if statement.winner is not None:
        return f"{statement.winner} beats the other"
    return _partly(statement, list(map(str, verdicts.places)), "the two are")


# practically equivalent, on every measure or on some ----------------------------------------------


def _ties(verdicts: PairVerdicts, name: str) -> list[str]:
    """Say to whom one algorithm is equivalent, and where it is so in part only."""
    same, pieces = [], []
    for other in verdicts.ties[name]:
        statement = verdicts.statements[frozenset((name, other))]
        if set(statement.leaders) == {None}:
            same.append(other)
        else:
            pieces.append(
                _partly(statement, list(map(str, verdicts.places)), f"it and {other} are")
            )
    if len(pieces) > 1:
        pieces = [f"against {spelled(len(pieces))} others it is better or worse on some measures"]
    if same:
        pieces.insert(0, f"it is practically equivalent to {join_names(same, most=_MOST)}")
    return pieces


def _partly(statement: Statement, measures: Sequence[str], both: str) -> str:
    """Say on which measures one of two is better, and on which they are equivalent.

    Examples
    --------
    >>> _partly(Statement.parse("A=B|A>B"), ["auc", "time"], "the two are")
    'the two are practically equivalent on auc, and A is better on time'
    """
    leaders = statement.leaders
    equal = [m for m, leader in zip(measures, leaders, strict=True) if leader is None]
    words = f"{both} practically equivalent on {join_names(equal)}"
    for name in sorted({leader for leader in leaders if leader is not None}):
        on = [m for m, leader in zip(measures, leaders, strict=True) if leader == name]
        words += f", and {name} is better on {join_names(on)}"
    return words


# against a reference ------------------------------------------------------------------------------


def _against(verdicts: PairVerdicts, reference: str, method: Method) -> str:
    others = len(verdicts.names) - 1
    verb, where = _beats(verdicts, method)
    where = where.replace("all of them", "every measure").replace("both", "both measures")
    above, below = verdicts.beaten_by[reference], verdicts.beats[reference]
    trades, apart = verdicts.trades[reference], verdicts.apart(reference)
    pieces = []
    if above:
        verb = verb if len(above) == 1 else verb[:-1]
        pieces.append(f"{join_names(above, most=_MOST)} {verb} {reference}{where}")
    else:
        pieces.append(f"None of the {spelled(others)} others beats {reference}")
    if below:
        pieces.append(f"{reference} {_beats(verdicts, method)[0]} {join_names(below, most=_MOST)}")
    if trades:
        pieces.append(f"it is a trade-off against {join_names(trades, most=_MOST)}")
    pieces += _ties(verdicts, reference)
    if apart and len(apart) < others:
        pieces.append(_not_separated(apart, "it", none=False))
    elif apart:
        pieces = [
            f"None of the {spelled(others)} others is separated from {reference}"
            if others > 1
            else f"{apart[0]} is not separated from {reference}"
        ]
    return "; ".join(pieces)
