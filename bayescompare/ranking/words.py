"""Rankings and gates in words: the verdict block of each, and what `explain` says at length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import FEWEST, FEWEST_APART
from bayescompare.kernels.ranking.tiers import TOO_FEW
from bayescompare.outcome.decision import AHEAD, SETTLED, part_word
from bayescompare.outcome.words import (
    FEW,
    Block,
    Mark,
    Row,
    Said,
    few_words,
    grouped,
    measure_head,
    measures_words,
    placed,
    say,
    told,
)
from bayescompare.ranking.answer import units_of
from bayescompare.table.words import near_copies
from bayescompare.text.names import short_names
from bayescompare.text.numbers import (
    count,
    difference_number_text,
    format_probability,
    percent_setting,
    plural,
    probability_equation,
    rank_number_text,
    setting_number_text,
    standard_error_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.ranking.gate import Gate, MeasureGate
    from bayescompare.ranking.ranking import Ranking


#: Measures that a paragraph speaks of.
_MEASURES = 4


# the block of a ranking ---------------------------------------------------------------------------


def may_be_first(r: Ranking, measure: str | None = None) -> list[str]:
    """Return whom nobody is separated above, for the whole table at once (SPEC 16), by place."""
    if not r.answer.has_draws:
        return []
    tiers = r.tiers if measure is None or r.answer.overall is not None else r.tiers.loc[measure]
    return [str(name) for name in tiers.index[tiers["at_best"] == 1]]


def ranking_headline(r: Ranking) -> str:
    """Return the verdict on a ranking in one sentence."""
    name, values = _ranking_headline(r)
    return say(name, **values)


def ranking_block(r: Ranking) -> Block:
    """Return the verdict block of a ranking.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block = ranking_block(bc.rank(bc.load_example("jansen-uci"), draws=200, rng=0))
    >>> block.rows[0].note
    'Tier 1 on auc: GBM, RF, BDS, RIDGE, LASSO, EN and GLM, not separated at 95 %.'
    """
    status = {"better": "settled", "leads": "partly settled"}.get(r.decision.state, "open")
    weighed = f"; utility {r.options.utility.words()}" if r.options.utility else ""
    return Block(
        _ranking_headline(r)[0],
        status,
        ranking_headline(r),
        f"{plural(len(r.results.algorithms), 'algorithm')} · {plural(r.answer.n, r.answer.noun)}",
        f"P: that it is best, by {r.options.by}{weighed}",
        "Place",
        "P(best)",
        list(_ranking_rows(r)),
        placed(_ranking_sentences(r)),
    )


def _scale(r: Ranking) -> str:
    """Say what the overall order is by."""
    return f"on {r.results.measures[0]}" if r.options.utility is None else "by utility"


def _ranking_headline(r: Ranking) -> Said:
    short, measures, top = short_names(r.results.algorithms), r.results.measures, r.top
    first: dict[str, list[str]] = {}
    for measure in measures:
        place = r.places.loc[measure]["place"]
        first[measure] = [short[name] for name in place.index[place == place.min()]]
    if r.answer.overall is not None:
        place = r.overall["place"]
        first = {"": [short[name] for name in place.index[place == place.min()]]}
    same = len({tuple(names) for names in first.values()}) == 1
    where = grouped((join_names(names), measure) for measure, names in first.items())
    ms = measures_words(measures, len(measures))
    facts: dict[str, Any] = {
        "first": next(iter(first.values())),
        "who": ", ".join(f"{who} on {join_names(on)}" for who, on in where.items()),
        "ms": ms,
        "scale": f"on {ms}" if r.answer.overall is None else _scale(r),
    }
    if not r.answer.has_draws:
        return "rankfew" if same else "rankfewmany", facts
    if r.answer.overall is None:
        front = "frontalone" if len(top) == 1 else "frontof"
        k, l = len(top), len(r.results.algorithms)
        facts["front"] = say(front, top=short[top[0]], k=k, l=l)
        return "rankfirst" if same else "rankmany", facts
    p = probability_equation(float(r.overall["p_best"].loc[top[0]]), levels=[r.options.level])
    facts |= {"a": short[top[0]], "p": p, "list": [short[name] for name in top[1:]]}
    several = "rankany" if len(top) == len(r.results.algorithms) else "rankprobable"
    return "rankbest" if len(top) == 1 else several, facts


def _ranking_rows(r: Ranking) -> Iterator[Row]:
    """Who is first on each measure, and by the utility; who is not separated from them."""
    short, level = short_names(r.results.algorithms), r.options.level
    tables = {name: r.places.loc[name] for name in r.results.measures}
    if r.options.utility is not None:
        tables["utility"] = r.overall
    for name, table in tables.items():
        own = name in r.results.measures
        first, p = str(table.index[0]), float(table["p_best"].iloc[0])
        note, free = "", [] if own and r.options.utility else may_be_first(r, name)
        if free:
            scale = f"on {name}" if own else _scale(r)
            values = {"list": [short[one] for one in free], "level": percent_setting(level)}
            note = say("tierone" if len(free) == 1 else "tier", scale=scale, **values)
        word = part_word([p], equal=False, level=level)
        marks: dict[str, Mark] = {"better": "settled", "ahead": "leads"}
        yield Row(
            measure_head(r.results, name) if own else "by utility",
            marks.get(word, "level"),
            0,
            short[first],
            count(float(table["place"].iloc[0])),
            "" if math.isnan(p) else format_probability(p, levels=[level, SETTLED, AHEAD]),
            note=note,
        )
    if r.answer.overall is None and len(r.top) > 1 and r.answer.has_draws:
        note = say("mayfront", list=[short[one] for one in r.top])
        yield Row("all at once", "level", 2, "", note=note)


def _ranking_sentences(r: Ranking) -> Iterator[Said]:
    """Yield what holds of a ranking besides its headline."""
    n, noun, by = r.answer.n, r.answer.noun, r.options.by
    yield from (("told", {"text": text}) for text in r.caveats)
    if n < FEW:
        yield few_words(n, noun)
    if r.answer.has_draws and n <= TOO_FEW:
        yield "fewapart", {"n": plural(n, noun)}
    if not r.answer.has_draws and r.answer.effective < n - 1e-9:
        worth = statistic_number_text(r.answer.effective, significant=2)
        yield "worth", {"n": plural(n, noun), "k": worth}
    scores = units_of(r.results, ranks=by != "value").scores
    apart = np.ptp(scores, axis=1) > RELATIVE_TOLERANCE * np.abs(scores).max(axis=1)
    thin = {m: int(k) for m, k in zip(r.results.measures, apart.sum(axis=0), strict=True) if k}
    if thin and min(thin.values()) < n:
        m = min(thin, key=thin.__getitem__)
        yield "thin", {"m": m, "k": n - thin[m], "n": plural(n, noun), "noun": noun}
    if by == "value" and r.answer.has_draws:
        own = scores - scores.mean(axis=1, keepdims=True)
        share = ((own - own.mean(axis=0)) ** 2).sum(axis=1)
        heavy = share.max(axis=0) > 0.5 * share.sum(axis=0)
        for m in np.array(r.results.measures)[heavy].tolist():
            yield "heavy", {"m": m, "noun": noun}
    short, copies = short_names(r.results.algorithms), near_copies(r.results)[:2]
    yield from (("copies", {"a": short[one], "b": short[other]}) for one, other, _ in copies)
    if by == "rank" and not copies:
        yield "clones", {}
    if r.decision.settled:
        yield "use", {"w": short[r.top[0]]}


# a ranking at length ------------------------------------------------------------------------------


def ranking_words(r: Ranking) -> str:
    """Return the paragraph."""
    block = ranking_block(r)
    drawn = _drawn(r) if r.answer.has_draws else iter(())
    slots = (sentence for slot in block.slots.values() for sentence in slot)
    return " ".join([block.headline, *block.notes, *told([*drawn, _basis(r)]), *slots])


def _drawn(r: Ranking) -> Iterator[Said]:
    """Say who is first on each of the first measures, how sure that is, and who risks least."""
    level, l, measures = r.options.level, len(r.results.algorithms), r.results.measures
    for k, measure in enumerate(measures[:_MEASURES]):
        table = r.places.loc[measure]
        row, mean = table.iloc[0], float(table["mean"].iloc[0])
        by = {
            "rank": f"mean rank {rank_number_text(mean)}",
            "strength": f"log strength {statistic_number_text(mean, significant=3)}",
            "value": f"mean {statistic_number_text(mean)} {r.results[measure].unit or ''}".strip(),
        }[r.options.by]
        low, high = (count(float(row[end])) for end in ("lower", "upper"))
        interval = f"place {low}" if low == high else f"places {low} to {high}"
        interval += f" at {percent_setting(level)}" if k == 0 else ""
        p = probability_equation(float(row["p_best"]), "P(best)", levels=[level])
        yield "first", {"m": measure, "a": table.index[0], "by": by, "interval": interval, "p": p}
    if len(measures) > _MEASURES:
        yield "places", {"n": plural(len(measures) - _MEASURES, "more measure")}
    yield (
        "aheads",
        {
            "where": "on every measure" if len(measures) > 1 else f"on {measures[0]}",
            "level": setting_number_text(level),
            "k": int((r.answer.board.ahead >= level).sum()) or "none",
            "n": plural(l * (l - 1) // 2, "pair"),
        },
    )
    if r.options.utility is not None:
        table = r.overall.sort_values("regret", kind="stable")
        least = statistic_number_text(float(table["regret"].iloc[0]), significant=3)
        unit = " ranks" if r.options.by == "rank" else ""
        yield "regret", {"a": table.index[0], "x": f"{least}{unit}"}
        if "share" in table:
            best = table["share"].sort_values(ascending=False, kind="stable")
            share = percent_setting(round(float(best.iloc[0]), 2))
            yield "share", {"a": best.index[0], "share": share}


def _basis(r: Ranking) -> Said:
    """Say what was resampled, and so what the statements are about."""
    if not r.answer.has_draws:
        return "fewdraws", {"k": FEWEST, "noun": r.answer.noun}
    several = r.results.n_replicates is not None
    name = "resampleditems" if several else "resampled"
    independent = round(r.answer.independent)
    return "strengths" if r.options.by == "strength" else name, {
        **{"noun": r.answer.noun, "n": r.answer.n, "k": independent},
        "draws": plural(r.options.draws, "draw"),
        "p": standard_error_text(max(float(r.places["mcse"].max()), float(r.front["mcse"].max()))),
    }


# the block of a gate ------------------------------------------------------------------------------


def gate_block(g: Gate) -> Block:
    """Return the verdict block of a gate.

    Examples
    --------
    >>> import bayescompare as bc
    >>> g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    >>> gate_block(g).headline
    'Pass: GBM is better than CART on all three measures.'
    """
    measures, units = g.results.measures, plural(g.answer.n, g.answer.noun)
    by = grouped((str(verdict), str(name)) for name, verdict in g.table["verdict"].items())
    on = {verdict: measures_words(names, len(measures)) for verdict, names in by.items()}
    advice = {True: "merge", False: "keep", None: "wait"}[g.passed]
    status = {True: "pass", False: "fail", None: "undecided"}[g.passed]
    if g.passed:
        name = "pass" if "not worse" not in on else "passmixed" if "superior" in on else "passequal"
    elif not g.answer.has_verdicts:
        name = "toofew"
    else:
        name = status
    facts: dict[str, Any] = {"c": g.candidate, "b": g.baseline, "n": units, "k": FEWEST}
    facts |= {"ms": on.get("superior"), "me": on.get("not worse")}
    facts |= {"mw": on.get("worse"), "mo": on.get("undecided")}
    said: list[Said] = [("told", {"text": text}) for text in g.caveats]
    if "undecided" in by:
        said.append(("notequal", {}))
    if min(*g.answer.benchmarks, g.answer.effective, g.answer.differing) < FEW:
        said.append(few_words(g.answer.n, g.answer.noun))
    said += [("meangate", {}), (advice, facts)]
    if name == "toofew" and g.results.replicates in ("items", "seeds"):
        said.append(("items", {"what": g.results.replicates}))
    bare = any(g.results[one].rope is None for one in by.get("undecided", []))
    if bare and status != "fail":
        said.append(("rope", {}))
    return Block(
        name,
        status,
        say(name, **facts),
        f"{g.candidate} for {g.baseline} · {units}",
        f"better: higher on average, P ≥ {setting_number_text(g.level)}",
        f"Mean gain ({percent_setting(g.level)} sure: ≥)",
        "P",
        [_gate_row(g, measure) for measure in measures],
        placed(said),
    )


def _gate_row(g: Gate, measure: str) -> Row:
    row, unit = g.answer.measures[g.results.measures.index(measure)], g.results[measure].unit or ""
    verdict, lower = row.verdict, row.lower
    marks: dict[str, Mark] = {"superior": "settled", "worse": "settled", "not worse": "equal"}
    gain = difference_number_text(row.difference, unit)
    bound = "" if math.isnan(lower) else f" (≥ {difference_number_text(lower, unit)})"
    p = row.p_not_worse if verdict == "not worse" else row.p_better
    return Row(
        measure_head(g.results, measure),
        marks.get(verdict, "leads"),
        int(verdict == "worse"),
        "better" if verdict == "superior" else verdict,
        gain + bound,
        "" if math.isnan(p) else format_probability(p, levels=[g.level]),
    )


# a gate at length ---------------------------------------------------------------------------------


def gate_units(g: Gate) -> str:
    """Say how many of what were resampled: "814 items of 3 benchmarks"."""
    units, fixed = plural(g.answer.n, g.answer.noun), len(g.answer.benchmarks)
    return f"{units} of {plural(fixed, 'benchmark')}" if fixed else units


def gate_words(g: Gate) -> str:
    """Return the paragraph."""
    block = gate_block(g)
    said: list[Said] = []
    for name, judged in zip(g.results.measures, g.answer.measures, strict=True):
        said += _on_measure(g, name, judged)
    if g.answer.has_verdicts:
        said += _gate_basis(g)
    notes = [say("note", note=note) for note in g.results.notes]
    return " ".join([block.headline, *told(said), *block.slots["next"], *notes])


def _on_measure(g: Gate, name: str, judged: MeasureGate) -> Iterator[Said]:
    """Say the mean advantage in the measure's unit, and the verdict on it."""
    spec, noun = g.results[name], g.answer.noun

    def size(value: float) -> str:
        return difference_number_text(abs(value), spec.unit or "").removeprefix("+")

    side = "better" if judged.difference > 0 else "worse"
    mean = f"the candidate is {side} by {size(judged.difference)}"
    facts = {
        "m": name,
        "mean": mean if judged.difference else "both are equal",
        "rope": f" (by more than the rope of {size(spec.rope)})" if spec.rope else "",
    }
    figures = {"better": "p_better", "safe": "p_not_worse", "worse": "p_worse"}
    called = {"better": "P(better)", "safe": "P(not worse)", "worse": "P(worse)"}
    for key, field in figures.items():
        facts[key] = probability_equation(getattr(judged, field), called[key], levels=[g.level])
    facts["figures"] = facts["better"]
    if spec.rope is not None:
        facts["figures"] += f", {facts['safe']}"
    if not g.answer.has_verdicts:
        yield "gatemean", facts
        return
    named = {"superior": "superior", "not worse": "notworse", "worse": "worse"}
    yield named.get(judged.verdict, "gateopen"), facts
    if judged.verdict == "undecided" and max(judged.p_better, judged.p_worse) >= g.level:
        yield "heldback", {"m": name, "n": plural(judged.differing, noun), "k": FEWEST_APART}


def _gate_basis(g: Gate) -> Iterator[Said]:
    """Say what was resampled, what the verdict is about, and what it needs."""
    answer, names, units = g.answer, g.results.datasets, plural(g.answer.n, g.answer.noun)
    bare = [name for name in g.results.measures if g.results[name].rope is None]
    if bare:
        yield "bare", {"bare": bare}
    yield "needs", {"level": setting_number_text(g.level)}
    how = "exact"
    if not g.exact:
        mcse = max(judged.mcse for judged in answer.measures)
        how = f"Monte Carlo standard error at most {standard_error_text(mcse)}"
    facts: dict[str, Any] = {"noun": answer.noun, "n": units, "k": count(answer.n), "how": how}
    if answer.effective < answer.n - 1e-9:
        worth = statistic_number_text(answer.effective, significant=2)
        facts["k"] += f" (worth {worth} of equal weight)"
    if answer.benchmarks:
        weighed = "of equal weight" if g.results.groups is None else "each domain of equal weight"
        weighed = weighed if g.results.weights is None else "by their weights"
        several = f"the {len(names)} benchmarks {join_names(names)} themselves, {weighed}"
        yield "aboutitems", {**facts, "names": several if len(names) > 1 else f"{names[0]} alone"}
    else:
        yield "about", facts
    fewest = min(answer.benchmarks, default=answer.effective)
    if min(fewest, answer.differing) < FEW:
        few = plural(fewest if answer.benchmarks else answer.n, answer.noun)
        if answer.differing < fewest:
            few = f"{plural(answer.differing, answer.noun)} on which the two differ"
        yield "skewed", {"n": few}
