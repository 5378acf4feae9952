"""All pairs in words: the verdict block of a board, and what `explain` says at length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayescompare.outcome.decision import SETTLED, Part
from bayescompare.outcome.method import (
    LEAST_PAIRS,
    has_valid_pvalue,
    is_bayesian,
    is_simultaneous,
)
from bayescompare.outcome.pair_figures import notes_said
from bayescompare.outcome.verdicts import PairVerdicts, Rule
from bayescompare.outcome.words import (
    BY_SIZE,
    FEW,
    Block,
    Row,
    Said,
    comparison_block,
    few_words,
    grouped,
    measure_head,
    measures_words,
    part_row,
    placed,
    say,
    told,
)
from bayescompare.statements import Statement
from bayescompare.table.words import near_copies
from bayescompare.text.names import common_prefix, short_names
from bayescompare.text.numbers import percent_setting, plural, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.pairwise import Pairwise


#: Algorithms of whom a paragraph says whom they beat, and circles that it names.
_BEATEN, _CIRCLES = 6, 4
#: Pairs of near copies that a block names.
_COPIES = 2


class _Board:
    """A board of pairs, and its names without what all of them begin with."""

    def __init__(self, p: Pairwise, rule: Rule) -> None:
        self.p, self.rule = p, rule
        self.verdicts = p.decision if rule == Rule() else PairVerdicts(p, rule)
        self.measures = list(map(str, self.verdicts.places))
        self._short = short_names(p.results.algorithms)

    def short(self, names: Iterable[str]) -> list[str]:
        return [self._short[name] for name in names]

    def who(self, by: Iterable[tuple[Sequence[str], str]], word: str) -> str:
        """Name who is first where: "GBM on auc, RF on brier"."""
        where = grouped((join_names(self.short(names), most=2), on) for names, on in by).items()
        return ", ".join(f"{who} {word} {join_names(on, most=4)}" for who, on in where)

    def circle(self) -> str:
        """Say a circle: "x over y over z over x"."""
        first = self.verdicts.cycles[0]
        return " over ".join(self.short((*first, first[0])))

    @property
    def any_settled(self) -> bool:
        """Whether any pair has a verdict, or a measure on which one is better or both are equal."""
        parts = self.verdicts.parts
        settled = len(parts) and parts["word"].isin(["better", "equal"]).any()
        return bool(self.verdicts.statements) or bool(settled)


# the headline -------------------------------------------------------------------------------------


def pairs_headline(p: Pairwise, rule: Rule) -> str:
    """Return the verdict on all pairs in one sentence."""
    if len(p.comparisons) == 1 and not p.skipped:
        return comparison_block(p.comparisons[0]).headline
    name, values = _headline(_Board(p, rule))
    return say(name, **values)


def _headline(board: _Board) -> Said:
    """The state of a board; states are tried in order."""
    v, measures = board.verdicts, board.measures
    others, leaders = len(v.names) - 1, v.leaders()
    facts: dict[str, Any] = {"n": others, "l": others + 1}
    facts["ms"] = measures_words(measures, len(measures))
    if v.reference is not None:
        above, below = v.beaten_by[v.reference], v.beats[v.reference]
        facts |= {"a": board.short([v.reference])[0], "list": board.short(above), "k": len(below)}
        lost = "best" if len(below) == others else "refmost" if below else "refopen"
        return "refbetter" if above else lost, facts
    best = [name for name in v.names if len(v.beats[name]) == others]
    if best:
        return "best", {**facts, "a": board.short(best)[0]}
    if v.state == "equal":
        return "alike", facts
    if not v.unbeaten:
        return "circle", {"who": board.circle()}
    if not board.any_settled:
        return "boardopen", facts
    if len(set(leaders.values())) > 1:
        return "leadmany", {"who": board.who(((n, m) for m, n in leaders.items()), "on")}
    first = leaders[measures[0]]
    if len(first) > 1:
        return "leadshared", {**facts, "list": board.short(first)}
    beaten = board.short(v.beats[first[0]])
    name = "leadfew" if 2 * len(beaten) <= others else "leadmost"
    facts |= {"a": board.short(first)[0], "list": beaten, "k": len(beaten)}
    return name if beaten else "leadthin", facts


# the block ----------------------------------------------------------------------------------------


def pairs_block(p: Pairwise, rule: Rule | None = None) -> Block:
    """Return the verdict block of all pairs.

    Examples
    --------
    >>> import bayescompare as bc
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)
    >>> block = pairs_block(p)
    >>> block.headline
    'GBM comes first on all three measures, but only CART is clearly behind on each.'
    >>> block.slots["next"][0]
    'GBM is a sound choice; RF, BDS and GLM may be as good.'
    """
    if len(p.comparisons) == 1 and not p.skipped:
        return comparison_block(p.comparisons[0])
    rule = Rule() if rule is None else rule
    board = _Board(p, rule)
    name, values = _headline(board)
    sizes = (p.results.algorithms, p.results.measures, p.results.datasets)
    nouns = ("algorithm", "measure", "dataset")
    meaning = f"better: wins most datasets like these, P ≥ {setting_number_text(rule.threshold)}"
    if not p.bayesian:
        meaning = f"better: p ≤ {setting_number_text(rule.alpha)} after Holm's correction"
    elif p.learned is not None:
        meaning += ", under the learned prior and the pair's own"
    status = "settled" if board.verdicts.settled else "partly settled"
    return Block(
        name,
        status if board.any_settled else "open",
        say(name, **values),
        " · ".join(plural(len(some), noun) for some, noun in zip(sizes, nouns, strict=True)),
        meaning,
        "Wins",
        "P" if p.bayesian else "p",
        list(_rows(board)),
        placed(_sentences(board)),
    )


def _unbeaten_on(board: _Board) -> dict[str, list[str]]:
    """By measure, whom nobody is better than there, by place there."""
    v = board.verdicts
    behind = v.behind("better")
    return {
        measure: [
            str(name)
            for name in v.places[measure].sort_values(kind="stable").index
            if not behind[measure].get(str(name))
        ]
        for measure in board.measures
    }


def _rows(board: _Board) -> Iterator[Row]:
    """The first of each measure against the second, or against the reference."""
    v, p, free = board.verdicts, board.p, _unbeaten_on(board)
    alone = p.reference is None
    for measure in board.measures:
        place = v.places[measure].sort_values(kind="stable")
        first, second = (str(name) for name in place.index[:2])
        if p.reference is not None:
            first, second = second if first == p.reference else first, p.reference
        note, listed = "", board.short(free[measure])
        if alone and len(v.parts):
            name = "unbeatenone" if len(listed) == 1 else "unbeaten"
            note = say(name, m=measure, a=listed[0], list=listed) if listed else ""
        a, b = board.short((first, second))
        part = v.part(first, second, measure)
        row = Row(measure_head(p.results, measure), "level", 2, f"{a} before {b}")
        if part is not None:
            row = part_row(p.results, (first, second), part, pvalue=not p.bayesian)
            row = replace(row, text=_against_words(part, a, b, ours=part.ahead == first))
        yield replace(row, note=note)
    front = board.short(v.unbeaten)
    if len(board.measures) > 1 and alone and front:
        note = say("frontone" if len(front) == 1 else "front", a=front[0], list=front)
        yield Row("all at once", "level", 2, "", note=note)


def _against_words(part: Part, first: str, second: str, *, ours: bool) -> str:
    words = {
        "better": "better than" if ours else "worse than",
        "ahead": "ahead of" if ours else "behind",
        "equal": "practically equal to",
        "level": "level with",
    }
    return f"{first}, {words[part.word]} {second}"


def _sentences(board: _Board) -> Iterator[Said]:
    """Yield what holds of a board besides its headline."""
    v, p, n = board.verdicts, board.p, len(board.p.results.datasets)
    total = len(p.comparisons) + len(p.skipped)
    if p.skipped:
        yield "skipped", {"k": len(p.skipped), "n": total}
    left = len(p.comparisons) - len(v.statements)
    if len(v.parts):
        settled = v.parts["word"].isin(["better", "equal"]).to_numpy()
        left = int((~settled.reshape(len(p.comparisons), -1).any(axis=1)).sum())
    if left:
        yield from (("pairs", {"k": left, "n": total}), ("notequal", {}))
    yield from (("told", {"text": text}) for text in p.caveats)
    for measure, leaders in v.leaders().items():
        rivals = v.behind("better", "ahead")[measure].get(leaders[0], ())
        part = v.part(rivals[0], leaders[0], measure) if len(leaders) == 1 and rivals else None
        if part is not None and part.won > part.lost:
            a, b = board.short((leaders[0], rivals[0]))
            yield "meeting", {"m": measure, "a": a, "b": b, "x": part.won, "y": part.lost}
    if v.cycles and v.unbeaten:
        yield "notransitive", {"who": board.circle()}
    if n < FEW:
        yield few_words(n)
    if not p.bayesian and not has_valid_pvalue(p.method):
        yield "invalid", {"method": p.method.name}
    if p.bayesian and p.learned is not None and len(v.parts):
        held = (v.parts["alone"] >= SETTLED) & (v.parts["probability"] < SETTLED)
        if held.any():
            yield "learned", {"k": int(held.sum())}
    for one, other, _ in near_copies(p.results)[:_COPIES]:
        a, b = board.short((one, other))
        yield "copies", {"a": a, "b": b}
    if prefix := common_prefix(p.results.algorithms):
        yield "names", {"prefix": prefix}
    counted = p.method.accepts.judges == "cells" and p.method.name not in BY_SIZE
    if counted and p.bayesian and not p.method.scope.question:
        yield "size", {}
    yield from _next(board)


def _next(board: _Board) -> Iterator[Said]:
    """Whom to use: only who has the best place and nobody ahead; nobody is advised against."""
    v = board.verdicts
    if v.reference is not None:
        if above := board.short(v.beaten_by[v.reference]):
            yield "instead", {"w": above[0], "a": board.short([v.reference])[0]}
        return
    if not board.any_settled:
        yield "moredata", {}
        return
    chosen = v.choices()
    picks = {name for name in chosen.values() if name is not None}
    left = [measure for measure, name in chosen.items() if name is None]
    if len(picks) == 1 and not left:
        (name,) = picks
        free = _unbeaten_on(board).values() if len(v.parts) else []
        good = [one for one in v.unbeaten if free and all(one in own for own in free)]
        others = board.short(one for one in good if one != name)
        short = board.short([name])[0]
        yield ("useor", {"a": short, "list": others}) if others else ("use", {"w": short})
    elif picks:
        named = (([name], measure) for measure, name in chosen.items() if name is not None)
        yield "choose", {"who": board.who(named, "for")}
    if left:
        yield "nobody", {"mo": left}
    beaten = board.short(name for name in v.names if v.beaten_by[name])
    if beaten and len(beaten) < len(v.names):
        yield "drop", {"list": beaten}


# at length ----------------------------------------------------------------------------------------


def pairs_words(p: Pairwise, rule: Rule) -> str:
    """Say for which pairs a winner can be named, at what risk, and what is open."""
    return " ".join(told([*_at_length(p, rule), *notes_said(p.tables)]))


def _at_length(p: Pairwise, rule: Rule) -> Iterator[Said]:
    decided, results, method = p.decided(rule), p.results, p.method
    graph = p.ordered(rule)
    mixed, total = graph.graph["mixed"], plural(len(decided), "pair")
    sizes = plural(len(results.algorithms), "algorithm")
    yield "compared", {"method": method.name, "n": total, "l": sizes, "ms": results.measures}
    winners = int(decided["asserted"].sum()) - len(mixed)
    yield "held", {"k": winners, "n": total, "t": len(mixed)}
    yield _promise(p, decided, rule)
    ms = measures_words(results.measures, len(results.measures))
    at = {str(name): k for k, name in enumerate(results.algorithms)}
    beaten = {a: sorted(graph.successors(a), key=at.__getitem__) for a in graph}
    for name in sorted(filter(beaten.__getitem__, beaten), key=lambda a: -len(beaten[a]))[:_BEATEN]:
        yield "beats", {"a": name, "list": beaten[name], "ms": ms}
    circles = graph.graph["cycles"]
    for circle in circles[:_CIRCLES]:
        yield "notransitive", {"who": " over ".join((*circle, circle[0]))}
    if len(circles) > _CIRCLES:
        yield "further", {"k": len(circles) - _CIRCLES}
    for first, second, label in mixed[:12]:
        claim = Statement.parse(label, (first, second)).words(results.measures)
        yield "between", {"claim": claim}
    yield from _named_pairs(decided)
    if p.bayesian and len(decided) >= LEAST_PAIRS:
        yield from _prior_words(p, decided, rule)
    if (resolution := getattr(method, "resolution_words", None)) is not None:
        yield "told", {"text": resolution([c.answer for c in p.examples], rule.alpha)}
    if not p.bayesian and not has_valid_pvalue(method):
        yield "invalid", {"method": method.name}
    if not decided["asserted"].all():
        yield "notequal" if p.bayesian else "pvalueopen", {}
        bare = all(results[name].rope is None for name in results.measures)
        if bare and p.bayesian and method.accepts.judges != "counts" and not method.scope.question:
            yield "rope", {}
        if (looser := rule.looser()) is not None:
            k = plural(int(p.decided(looser)["asserted"].sum()), "verdict")
            yield "looser", {"rule": looser.name(bayesian=p.bayesian), "k": k}
    trees = {id(c.answer.tree): c for c in p.examples if c.answer.tree is not None}
    poor = [" and ".join(c.results.algorithms) for c in trees.values() if not c.diagnose().ok]
    if poor:
        yield "doubt", {"list": ["every pair"] if len(trees) == 1 else poor}


def _named_pairs(decided: pd.DataFrame) -> Iterator[Said]:
    """Name the pairs in which one statement leads, those left open, those not compared."""
    # The surest first; figures that differ by rounding alone are in the order of names.
    bayesian = "probability" in decided
    figure = decided["probability" if bayesian else "pvalue"].round(9) * (-1 if bayesian else 1)
    ranked = decided.assign(figure=figure).sort_values(["figure", "first", "second"])
    for state, name in {"leads": "leading", "open": "left", "none": "notcompared"}.items():
        rows = ranked["decision"] == state
        pairs = ranked.loc[rows, ["first", "second"]].to_numpy().tolist()
        if pairs:
            yield name, {"list": [f"{a} against {b}" for a, b in pairs]}


def _promise(p: Pairwise, decided: pd.DataFrame, rule: Rule) -> Said:
    """Say what a verdict needs, and how often it may be wrong."""
    if not is_bayesian(p.method):
        alternative = getattr(p.method, "alternative", "")
        sides = alternative and f", {'two' if alternative == 'two-sided' else 'one'}-sided"
        name = "promiseall" if is_simultaneous(p.method) else "promiseholm"
        return name, {"alpha": setting_number_text(rule.alpha), "sides": sides}
    if rule.level is None:
        return "promisefdr", {"rate": percent_setting(rule.alpha)}
    same = (decided["alone"] == decided["probability"]).all()
    under = "" if same else ", under the learned prior and the pair's own"
    under += ", whatever the missing cells" if "lowest" in decided else ""
    return "promise", {"level": setting_number_text(rule.level), "under": under}


def _prior_words(p: Pairwise, decided: pd.DataFrame, rule: Rule) -> Iterator[Said]:
    """Say what prior was learned, or that none was, and which pairs only look sure alone."""
    if p.learned is None:
        yield "untaught" if p.guard is None else "guarded", {}
        return
    yield "taught", {"n": plural(p.learned.pairs, "pair")}
    if rule.level is not None:
        lone = decided[(decided["alone"] >= rule.level) & (decided["probability"] < rule.level)]
        pairs = [f"{a} and {b}" for a, b in lone[["first", "second"]].to_numpy().tolist()]
        if pairs:
            yield "alone", {"list": pairs, "level": setting_number_text(rule.level)}
