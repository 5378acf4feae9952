"""All pairs in words: the verdict block of a board, and what `explain` says at length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.outcome.decision import SETTLED, Part, part_word
from bayescompare.outcome.method import (
    LEAST_PAIRS,
    Method,
    has_valid_pvalue,
    is_bayesian,
    is_simultaneous,
)
from bayescompare.outcome.verdicts import PairVerdicts, Rule
from bayescompare.outcome.words import (
    Block,
    Row,
    comparison_block,
    measure_head,
    measures_words,
    part_row,
    say,
    slots_of,
)
from bayescompare.statements import Statement
from bayescompare.text.names import common_prefix, short_names, spelled
from bayescompare.text.numbers import count, percent_setting, plural, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.ranking.ranking import Ranking


#: Names that a sentence of the block lists, and those of a paragraph.
_FEW_NAMED, _NAMED, _LONG_BEATEN = 4, 12, 6
#: Fewer datasets than this move a verdict each.
_FEW = 10


def _listed(names: Sequence[str], most: int = _FEW_NAMED) -> str:
    return join_names(names, most=most)


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _who(by: Mapping[str, Sequence[str]], word: str) -> str:
    """Name who is first where: "GBM on auc, RF on brier"."""
    return ", ".join(f"{name} {word} {_listed(measures)}" for name, measures in by.items())


def _grouped[K, V](pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Gather values by their keys, both in order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


# the headline -------------------------------------------------------------------------------------


def pairs_headline(p: Pairwise, verdicts: PairVerdicts) -> str:
    """Return the verdict on all pairs in one sentence."""
    return _headline(p, verdicts, short_names(p.results.algorithms))[1]


def _headline(p: Pairwise, verdicts: PairVerdicts, short: Mapping[str, str]) -> tuple[str, str]:
    """The state of a board, and its sentence; states are tried in order."""
    if len(p.comparisons) == 1 and not p.skipped:
        block = comparison_block(p.comparisons[0])
        return block.state, block.headline
    measures, others = list(map(str, verdicts.places)), len(verdicts.names) - 1
    values: dict[str, object] = {"n": others, "ms": measures_words(measures, len(measures))}
    if verdicts.reference is not None:
        return _against(verdicts, verdicts.reference, short, values)
    leaders = verdicts.leaders()
    shared = set(leaders.values())
    everyone = [name for name in verdicts.names if len(verdicts.beats[name]) == others]
    if everyone:
        name = "best"
        values["a"] = short[everyone[0]]
    elif verdicts.state == "equal":
        name = "alike"
        values["n"] = others + 1
    elif not verdicts.unbeaten:
        name = "circle"
        values["who"] = _round(verdicts.cycles[0], short)
    elif not _any_settled(verdicts):
        name = "boardopen"
    elif len(shared) > 1:
        name = "leadmany"
        first = _grouped((_first(names, short), m) for m, names in leaders.items())
        values["who"] = _who(first, "on")
    else:
        (names,) = shared
        if len(names) > 1:
            name = "leadshared"
            values["list"] = _listed([short[one] for one in names])
        else:
            beaten = [short[one] for one in verdicts.beats[names[0]]]
            few = 2 * len(beaten) <= others
            name = "leadthin" if not beaten else "leadfew" if few else "leadmost"
            values |= {"a": short[names[0]], "beaten": _listed(beaten), "is_": _is(beaten)}
            values["k"] = len(beaten)
    return name, say(name, **values)


def _any_settled(verdicts: PairVerdicts) -> bool:
    """Whether any pair has a verdict, or a measure on which one is better."""
    words = verdicts.parts["word"] if len(verdicts.parts) else ()
    return bool(verdicts.statements) or any(word in ("better", "equal") for word in words)


def _first(names: Sequence[str], short: Mapping[str, str]) -> str:
    return _listed([short[name] for name in names], 2)


def _round(cycle: Sequence[str], short: Mapping[str, str]) -> str:
    """Say a circle: "x over y over z over x"."""
    return " over ".join(short[name] for name in (*cycle, cycle[0]))


def _against(
    verdicts: PairVerdicts, reference: str, short: Mapping[str, str], values: dict[str, object]
) -> tuple[str, str]:
    above, below = verdicts.beaten_by[reference], verdicts.beats[reference]
    values |= {"a": short[reference], "k": len(below)}
    if above:
        name = "refbetter"
        values |= {"list": _listed([short[one] for one in above]), "is_": _is(above)}
    elif len(below) == values["n"]:
        name = "refbest"
    else:
        name = "refmost" if below else "refopen"
    return name, say(name, **values)


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
    verdicts = p.decision if rule == Rule() else PairVerdicts.of(p, rule)
    short = short_names(p.results.algorithms)
    name, headline = _headline(p, verdicts, short)
    sizes = (
        plural(len(p.results.algorithms), "algorithm"),
        plural(len(p.results.measures), "measure"),
        plural(len(p.results.datasets), "dataset"),
    )
    status = "settled" if verdicts.settled else "partly settled"
    if not _any_settled(verdicts):
        status = "open"
    level = setting_number_text(rule.threshold)
    meaning = f"better: wins most datasets like these, P ≥ {level}"
    if not p.bayesian:
        meaning = f"better: p ≤ {setting_number_text(rule.alpha)} after Holm's correction"
    elif p.learned is not None:
        meaning += ", under the learned prior and the pair's own"
    return Block(
        name,
        status,
        headline,
        " · ".join(sizes),
        meaning,
        "Wins",
        "P" if p.bayesian else "p",
        _rows(p, verdicts, short),
        slots_of(
            unknown=_unknown(p, verdicts),
            careful=_careful(p, verdicts, short),
            next=_next(verdicts, short),
        ),
    )


def _part_of(p: Pairwise, verdicts: PairVerdicts, one: str, two: str, measure: str) -> Part | None:
    """What is said of a pair on a measure, seen from `one`; None where that was not judged."""
    parts = verdicts.parts
    for first, second in ((one, two), (two, one)):
        if (first, second, measure) in parts.index:
            (row,) = parts.loc[[(first, second, measure)]].to_dict("records")
            won, lost = row["won"], row["lost"]
            figure = float(row["probability" if p.bayesian else "pvalue"])
            alone = float(row["alone"]) if p.bayesian else figure
            won, lost = (won, lost) if first == one else (lost, won)
            tied = int(row["tied"])
            counts = int(won), int(lost), tied
            return Part(measure, row["ahead"], *counts, figure, alone, row["word"])
    return None


def _unbeaten_on(verdicts: PairVerdicts, measure: str) -> list[str]:
    """Whom nobody is better than on a measure, by place there."""
    parts = verdicts.parts
    lost: set[str] = set()
    if len(parts):
        there = parts.xs(measure, level="measure")
        for row in there[there["word"] == "better"].reset_index().to_dict("records"):
            lost.add(row["second"] if row["ahead"] == row["first"] else row["first"])
    place = verdicts.places[measure].sort_values(kind="stable")
    return [str(name) for name in place.index if name not in lost]


def _rows(p: Pairwise, verdicts: PairVerdicts, short: Mapping[str, str]) -> list[Row]:
    """The first of each measure against the second, or against the reference."""
    rows, measures = [], list(map(str, verdicts.places))
    for measure in measures:
        place = verdicts.places[measure].sort_values(kind="stable")
        first, second = (str(name) for name in place.index[:2])
        if p.reference is not None:
            first = first if first != p.reference else second
            second = p.reference
        part = _part_of(p, verdicts, first, second, measure)
        free = _unbeaten_on(verdicts, measure) if len(verdicts.parts) else []
        note = ""
        if p.reference is None and free:
            listed = _listed([short[name] for name in free], 7)
            note = say("unbeaten", m=measure, list=listed)
            if len(free) == 1:
                note = say("unbeatenone", m=measure, a=short[free[0]])
        if part is None:
            text = f"{short[first]} before {short[second]}"
            rows.append(Row(measure_head(p.results, measure), "level", 2, text, note=note))
            continue
        text = _against_words(part, short[first], short[second], ours=part.ahead == first)
        row = part_row(p.results, (first, second), part, pvalue=not p.bayesian, note=note)
        rows.append(Row(row.measure, row.mark, row.side, text, *_figures(row), row.share, note))
    front = [short[name] for name in verdicts.unbeaten]
    if len(measures) > 1 and p.reference is None and front:
        note = say("front", list=_listed(front, 7))
        if len(front) == 1:
            note = say("frontone", a=front[0])
        rows.append(Row("all at once", "level", 2, "", note=note))
    return rows


def _figures(row: Row) -> tuple[str, str]:
    return row.counts, row.figure


def _against_words(part: Part, first: str, second: str, *, ours: bool) -> str:
    words = {
        "better": "better than" if ours else "worse than",
        "ahead": "ahead of" if ours else "behind",
        "equal": "practically equal to",
        "level": "level with",
    }
    return f"{first}, {words[part.word]} {second}"


def _unknown(p: Pairwise, verdicts: PairVerdicts) -> list[str]:
    total = len(p.comparisons) + len(p.skipped)
    said = []
    if p.skipped:
        said.append(say("skipped", k=len(p.skipped), n=total))
    left = _open_pairs(p, verdicts)
    if left:
        said += [say("pairs", k=left, n=total), say("notequal")]
    return said


def _open_pairs(p: Pairwise, verdicts: PairVerdicts) -> int:
    """How many pairs have no settled measure, and no verdict."""
    parts = verdicts.parts
    if not len(parts):
        return len(p.comparisons) - len(verdicts.statements)
    settled = parts["word"].isin(["better", "equal"]).to_numpy()
    return int((~settled.reshape(len(p.comparisons), -1).any(axis=1)).sum())


def _careful(p: Pairwise, verdicts: PairVerdicts, short: Mapping[str, str]) -> list[str]:
    said = list(p.caveats)
    meetings = _meetings(p, verdicts)
    for measure, (first, other, won, lost) in meetings.items():
        names = {"a": short[first], "b": short[other]}
        said.append(say("meeting", m=measure, x=won, y=lost, **names))
    if verdicts.cycles and verdicts.unbeaten:
        said.append(say("notransitive", who=_round(verdicts.cycles[0], short)))
    n = len(p.results.datasets)
    if n < _FEW:
        said.append(say("few", n=spelled(n).capitalize()))
    if not p.bayesian and not has_valid_pvalue(p.method):
        said.append(say("invalid", method=p.method.name))
    parts = verdicts.parts
    if p.bayesian and p.learned is not None and len(parts):
        held = (parts["alone"] >= SETTLED) & (parts["probability"] < SETTLED)
        if int(held.sum()):
            said.append(say("learned", k=count(int(held.sum()))))
    if prefix := common_prefix(p.results.algorithms):
        said.append(say("names", prefix=prefix))
    if p.method.accepts.judges == "cells" and p.bayesian and not p.method.scope.question:
        said.append(say("size"))
    return said


def _meetings(p: Pairwise, verdicts: PairVerdicts) -> dict[str, tuple[str, str, int, int]]:
    """By measure: who has the best place, who is ahead of them in their meetings, and how far."""
    found = {}
    for measure, leaders in verdicts.leaders().items():
        rivals = verdicts.behind.get(measure, {}).get(leaders[0], ())
        if len(leaders) == 1 and rivals:
            part = _part_of(p, verdicts, rivals[0], leaders[0], measure)
            if part is not None and part.won > part.lost:
                found[measure] = (leaders[0], rivals[0], part.won, part.lost)
    return found


def _next(verdicts: PairVerdicts, short: Mapping[str, str]) -> list[str]:
    """Whom to use: only who has the best place and nobody ahead; nobody is advised against."""
    said = []
    beaten = [short[name] for name in verdicts.names if verdicts.beaten_by[name]]
    if verdicts.reference is not None:
        above = verdicts.beaten_by[verdicts.reference]
        names = {"w": short[above[0]], "a": short[verdicts.reference]} if above else {}
        return [say("instead", **names)] if above else []
    if not _any_settled(verdicts):
        return [say("moredata")]
    picks = _grouped((short[a], m) for m, a in verdicts.choices().items() if a is not None)
    left = [measure for measure, name in verdicts.choices().items() if name is None]
    if len(picks) == 1 and not left:
        (name,) = picks
        others = [short[one] for one in _as_good(verdicts) if short[one] != name]
        said.append(say("useor", a=name, list=_listed(others, 5)) if others else say("use", w=name))
    elif picks:
        said.append(say("choose", who=_who(picks, "for")))
    if left:
        said.append(say("nobody", mo=_listed(left)))
    if beaten and len(beaten) < len(verdicts.names):
        said.append(say("drop", list=_listed(beaten, 3)))
    return said


def _as_good(verdicts: PairVerdicts) -> list[str]:
    """Whom nobody is better than on any measure, by place."""
    if not len(verdicts.parts):
        return []
    free = [set(_unbeaten_on(verdicts, measure)) for measure in map(str, verdicts.places)]
    return [name for name in verdicts.unbeaten if all(name in own for own in free)]


# at length ----------------------------------------------------------------------------------------


def pairs_words(p: Pairwise, rule: Rule) -> Iterator[str]:
    """Say for which pairs a winner can be named, at what risk, and what is open."""
    decided, results, method = p.decided(rule), p.results, p.method
    graph = p.ordered(rule)
    mixed, total = graph.graph["mixed"], len(decided)
    winners = int(decided["asserted"].sum()) - len(mixed)
    yield say(
        "compared",
        method=method.name,
        n=plural(total, "pair"),
        l=plural(len(results.algorithms), "algorithm"),
        ms=join_names(results.measures),
    )
    yield say("held", k=winners, n=plural(total, "pair"), t=len(mixed))
    yield _promise(method, decided, rule)
    ms = measures_words(results.measures, len(results.measures))
    at = {str(name): k for k, name in enumerate(results.algorithms)}
    beaten = {a: sorted(graph.successors(a), key=at.__getitem__) for a in graph}
    most = sorted((a for a in beaten if beaten[a]), key=lambda a: -len(beaten[a]))
    for name in most[:_LONG_BEATEN]:
        yield say("beats", a=name, list=_listed(beaten[name], _LONG_BEATEN), ms=ms)
    for cycle in graph.graph["cycles"][:_FEW_NAMED]:
        yield say("notransitive", who=_round(cycle, {name: name for name in at}))
    if (rest := len(graph.graph["cycles"]) - _FEW_NAMED) > 0:
        yield say("further", k=rest)
    for first, second, label in mixed[:_NAMED]:
        claim = Statement.parse(label, (first, second)).words(results.measures)
        yield say("between", claim=claim)
    yield from _named_pairs(decided)
    yield from _prior_words(p, decided, rule)
    if (resolution := getattr(method, "resolution_words", None)) is not None:
        yield resolution([c.answer for c in p.examples], rule.alpha)
    if not p.bayesian and not has_valid_pvalue(method):
        yield say("invalid", method=method.name)
    if not decided["asserted"].all():
        yield say("notequal" if p.bayesian else "pvalueopen")
        bare = all(results[name].rope is None for name in results.measures)
        if bare and p.bayesian and method.accepts.judges != "counts" and not method.scope.question:
            yield say("rope")
        if (looser := rule.looser()) is not None:
            k = int(p.decided(looser)["asserted"].sum())
            named = looser.name(bayesian=p.bayesian)
            yield say("looser", rule=named, k=plural(k, "verdict"))
    trees = {id(c.answer.tree): c for c in p.examples if c.answer.tree is not None}
    poor = [c for c in trees.values() if not c.diagnose().ok]
    if poor:
        pairs = ["every pair"] if len(trees) == 1 else [_against_each(c) for c in poor]
        yield say("doubt", list=_listed(pairs))


def _against_each(c: object) -> str:
    return " and ".join(c.results.algorithms)  # type: ignore[attr-defined]


def _named_pairs(decided: pd.DataFrame) -> Iterator[str]:
    """Name the pairs in which one statement leads, those left open, those not compared."""
    compared = decided["statement"] != ""
    chosen: dict[str, Callable[[], np.ndarray]] = {
        "leading": lambda: (compared & (decided["decision"] == "leads")).to_numpy(),
        "left": lambda: (compared & (decided["decision"] == "open")).to_numpy(),
        "notcompared": lambda: (~compared).to_numpy(),
    }
    for name, rows in chosen.items():
        # The surest first; figures that differ by rounding alone are in the order of names.
        figure = decided["probability" if "probability" in decided else "pvalue"].round(9)
        sign = -1 if "probability" in decided else 1
        ranked = decided.assign(figure=sign * figure)[rows()]
        ranked = ranked.sort_values(["figure", "first", "second"])
        pairs = ranked[["first", "second"]].to_numpy().tolist()
        if pairs:
            yield say(name, list=_listed([f"{a} against {b}" for a, b in pairs], _NAMED))


def _promise(method: Method, decided: pd.DataFrame, rule: Rule) -> str:
    """Say what a verdict needs, and how often it may be wrong."""
    if not is_bayesian(method):
        alternative = getattr(method, "alternative", "")
        sides = alternative and f", {'two' if alternative == 'two-sided' else 'one'}-sided"
        promise = "promiseall" if is_simultaneous(method) else "promiseholm"
        return say(promise, rate=setting_number_text(rule.alpha), sides=sides)
    if rule.level is None:
        return say("promisefdr", rate=percent_setting(rule.alpha))
    under = ""
    if not (decided["alone"] == decided["probability"]).all():
        under = ", under the learned prior and the pair's own"
    if "lowest" in decided:
        under += ", whatever the missing cells"
    return say("promise", level=setting_number_text(rule.level), under=under)


def _prior_words(p: Pairwise, decided: pd.DataFrame, rule: Rule) -> Iterator[str]:
    """Say what prior was learned, or that none was, and which pairs only look sure alone."""
    if not p.bayesian or len(decided) < LEAST_PAIRS:
        return
    if p.learned is None:
        yield say("untaught" if p.guard is None else "guarded")
        return
    yield say("taught", n=plural(p.learned.pairs, "pair"))
    if rule.level is None:
        return
    lone = decided[(decided["alone"] >= rule.level) & (decided["probability"] < rule.level)]
    if len(lone):
        pairs = [f"{a} and {b}" for a, b in lone[["first", "second"]].to_numpy().tolist()]
        yield say("alone", list=_listed(pairs), level=setting_number_text(rule.level))


# a ranking ----------------------------------------------------------------------------------------


def may_be_first(r: Ranking, measure: str | None = None) -> list[str]:
    """Return whom nobody is separated above, for the whole table at once (SPEC 16), by place."""
    if not r.answer.has_draws:
        return []
    tiers = r.tiers if measure is None or r.answer.overall is not None else r.tiers.loc[measure]
    return [str(name) for name in tiers.index[tiers["at_best"] == 1]]


def ranking_block(r: Ranking) -> Block:
    """Return the verdict block of a ranking.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block = ranking_block(bc.rank(bc.load_example("jansen-uci"), draws=200, rng=0))
    >>> block.rows[0].note
    'May be first on auc: GBM, RF, BDS, RIDGE, LASSO, EN and GLM.'
    """
    results, short = r.results, short_names(r.results.algorithms)
    drawn = r.answer.has_draws
    rows = []
    for measure in results.measures:
        there = r.places.loc[measure]
        first = str(there.index[0])
        free = [short[name] for name in may_be_first(r, measure)]
        note = ""
        if drawn and free:
            note = say("mayfirst", m=measure, list=_listed(free, 7))
            if len(free) == 1:
                note = say("isfirst", m=measure, a=free[0])
        p = float(there["p_best"].iloc[0])
        part = Part(
            measure, first, 0, 0, 0, p, p, part_word([p], equal=False, level=r.options.level)
        )
        row = part_row(results, (first, ""), part, pvalue=False, note=note)
        place = f"place {count(float(there['place'].iloc[0]))}"
        rows.append(Row(row.measure, row.mark, 0, short[first], place, row.figure, None, note))
    status = {"better": "settled", "leads": "partly settled"}.get(r.decision.state, "open")
    n, few = r.answer.n, ""
    if n < _FEW:
        few = say("few", n=spelled(n).capitalize())
    advice = [say("use", w=short[r.top[0]])] if r.decision.settled else []
    return Block(
        r.decision.state,
        status,
        f"{r.headline()}.",
        f"{plural(len(results.algorithms), 'algorithm')} · {plural(n, r.answer.noun)}",
        f"P: that it is best, by {r.options.by}",
        "Place",
        "P(best)",
        rows,
        slots_of(
            careful=[*r.caveats, few],
            next=advice,
        ),
    )
