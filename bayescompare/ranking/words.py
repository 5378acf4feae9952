"""Rankings and gates in words: what is found, how sure that is, and under what assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import FEWEST, FEWEST_APART
from bayescompare.kernels.ranking.tiers import TOO_FEW
from bayescompare.outcome.words import gate_block
from bayescompare.ranking.answer import units_of
from bayescompare.table.measure import Measure
from bayescompare.text.numbers import (
    count,
    difference_number_text,
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


#: Below this many units intervals are known to be somewhat too narrow, and the error rate of a
#: gate to exceed what is stated, for skewed differences.
_FEW = 10


def headline_words(r: Ranking) -> str:
    """Return the verdict in one line."""
    if not r.answer.has_draws:
        n = plural(r.answer.n, r.answer.noun)
        if r.answer.effective < r.answer.n - 1e-9:
            worth = statistic_number_text(r.answer.effective, significant=2)
            n += f" worth {worth} of equal weight on which not all tie"
        few = f"{n}: places without intervals, and no verdict"
        if r.answer.overall is None:
            return f"{_leaders(r)}; {few}"
        first = list(r.overall.index[r.overall["place"] == r.overall["place"].min()])
        leads = "has the best place" if len(first) == 1 else "share the best place"
        return f"{join_names(first)} {leads} {_scale(r)}; {few}"
    top, l = r.top, len(r.results.algorithms)
    if r.answer.overall is None:
        front = f"{len(top)} of {l} may be on the front: {join_names(top)}"
        if len(top) == 1:
            front = f"{top[0]} alone is on the front"
        elif len(top) == l:
            front = f"any of the {l} may be on the front"
        return f"{_leaders(r)}; {front}"
    sure = probability_equation(float(r.overall["p_best"].loc[top[0]]), levels=[r.options.level])
    if len(top) == 1:
        return f"{top[0]} is best {_scale(r)} ({sure})"
    others = f"{join_names(top[1:])} cannot be ruled out"
    if len(top) == l:
        others = "none can be ruled out"
    return f"{top[0]} is the most probable best {_scale(r)} ({sure}); {others}"


def ranking_words(r: Ranking) -> str:
    """Return the paragraph."""
    sentences = [f"{headline_words(r)}."]
    if r.answer.has_draws:
        sentences += [*_places(r), _ahead(r), *_utility(r), *_tiers(r)]
    sentences += [_basis(r), *_cautions(r)]
    notes = [f"{note[:1].upper()}{note[1:]}." for note in r.results.notes]
    return " ".join([*filter(None, sentences), *notes])


def _scale(r: Ranking) -> str:
    """Say what the overall order is by."""
    utility = r.options.utility
    return f"on {r.results.measures[0]}" if utility is None else utility.words()


def _leaders(r: Ranking) -> str:
    """Say who has the best place on each measure; several that share it are joined."""
    where: dict[str, list[str]] = {}
    for measure in r.results.measures:
        place = r.places.loc[measure]["place"]
        where.setdefault(join_names(list(place.index[place == place.min()])), []).append(measure)
    if len(where) == 1:
        m = len(r.results.measures)
        return (
            f"{next(iter(where))} has the best place on {'both' if m == 2 else f'all {m}'} measures"
        )
    best = [f"{names} on {join_names(on)}" for names, on in where.items()]
    return f"No algorithm leads on every measure ({'; '.join(best)})"


def _places(r: Ranking) -> list[str]:
    """Say who is first on each of the first measures, and how sure that is."""
    sentences, level = [], r.options.level
    for k, measure in enumerate(r.results.measures[:4]):
        table = r.places.loc[measure]
        name, row = table.index[0], table.iloc[0]
        mean, unit = float(row["mean"]), r.results[measure].unit
        by = {
            "rank": f"mean rank {rank_number_text(mean)}",
            "strength": f"log strength {statistic_number_text(mean, significant=3)}",
            "value": f"mean {statistic_number_text(mean)}{f' {unit}' if unit else ''}",
        }[r.options.by]
        low, high = (count(float(row[end])) for end in ("lower", "upper"))
        interval = f"place {low}" if low == high else f"places {low} to {high}"
        interval += f" at {percent_setting(level)}" if k == 0 else ""
        best = probability_equation(float(row["p_best"]), "P(best)", levels=[level])
        sentences.append(f"On {measure} {name} is first ({by}; {interval}; {best}).")
    more = len(r.results.measures) - 4
    return (
        [*sentences, f"See .places for {plural(more, 'more measure')}."] if more > 0 else sentences
    )


def _ahead(r: Ranking) -> str:
    """Say for how many pairs one is ahead of the other on every measure."""
    l, sure = len(r.results.algorithms), int((r.answer.board.ahead >= r.options.level).sum())
    where = "on every measure" if len(r.results.measures) > 1 else f"on {r.results.measures[0]}"
    return (
        f"One is ahead of the other {where} with P of at least "
        f"{setting_number_text(r.options.level)} in {count(sure) if sure else 'none'} of "
        f"{plural(l * (l - 1) // 2, 'pair')}."
    )


def _utility(r: Ranking) -> list[str]:
    """Say who risks least, and who is best under most weights."""
    if r.options.utility is None:
        return []
    table = r.overall.sort_values("regret", kind="stable")
    least = statistic_number_text(float(table["regret"].iloc[0]), significant=3)
    unit = " ranks" if r.options.by == "rank" else ""
    words = [
        f"{table.index[0]} has the least expected regret, {least}{unit} of utility below the best."
    ]
    if "share" in table:
        best = table["share"].sort_values(ascending=False, kind="stable")
        words.append(
            f"By the table as it stands {best.index[0]} is best under "
            f"{percent_setting(round(float(best.iloc[0]), 2))} of all weights."
        )
    return words


def _tiers(r: Ranking) -> list[str]:
    """Say who is in the first tier, overall or on each of the first measures."""
    level, n = percent_setting(r.options.level), plural(r.answer.n, r.answer.noun)
    if r.answer.n <= TOO_FEW:
        return [f"{n[:1].upper()}{n[1:]} are too few to separate any two for the whole table."]
    tiers = {f"on {name}": r.tiers["tier"] for name in r.results.measures[:1]}
    if r.answer.overall is None:
        tiers = {f"on {name}": r.tiers.loc[name]["tier"] for name in r.results.measures[:4]}
    elif r.options.utility is not None:
        mean = "" if r.options.utility.kind == "given" else " (at their mean)"
        tiers = {f"{r.options.utility.words()}{mean}": r.tiers["tier"]}
    sentences = []
    for scale, tier in tiers.items():
        first = list(map(str, tier.index[tier == 1]))
        who = f"all {len(first)}" if 2 < len(first) == len(tier) else join_names(first)
        apart = f", not separated at {level}" if len(first) > 1 else f" alone, at {level}"
        sentences.append(f"Tier 1 {scale}: {who}{apart}.")
    return sentences


def _basis(r: Ranking) -> str:
    """Say what was resampled, and so what the statements are about."""
    noun, n = r.answer.noun, plural(r.answer.n, r.answer.noun)
    if not r.answer.has_draws:
        return f"Fewer than {FEWEST} {noun}s do not show how they vary."
    worst = standard_error_text(max(float(r.places["mcse"].max()), float(r.front["mcse"].max())))
    draws = plural(r.options.draws, "draw")
    if r.options.by == "strength":
        return (
            f"This assumes that every {noun} ranks the algorithms by strength plus noise (the "
            f"Plackett–Luce model, each measure by itself; {draws} by importance, worth "
            f"{count(round(r.answer.independent))} independent ones, standard error of P at most "
            f"{worst})."
        )
    about = f"about {noun}s like these {count(r.answer.n)}, which were resampled"
    if r.results.n_replicates is not None:
        about = f"about this one dataset, resampling its {n}; nothing follows for other datasets"
    return (
        f"This is {about} (Bayesian bootstrap, widened for few {noun}s, with one more {noun} of "
        f"shuffled algorithms; {draws}, standard error of P at most {worst})."
    )


def _cautions(r: Ranking) -> list[str]:
    """Say what the intervals do not allow for."""
    words, noun, by = [], r.answer.noun, r.options.by
    scores = units_of(r.results, ranks=by != "value").scores
    apart = np.ptp(scores, axis=1) > RELATIVE_TOLERANCE * np.abs(scores).max(axis=1)
    thin = {m: int(k) for m, k in zip(r.results.measures, apart.sum(axis=0), strict=True) if k}
    if thin and min(thin.values()) < r.answer.n:
        measure = min(thin, key=thin.__getitem__)
        words.append(
            f"On {measure} all tie on {count(r.answer.n - thin[measure])} of "
            f"{plural(r.answer.n, noun)}; only the others say how {noun}s vary."
        )
    if by == "value" and r.answer.has_draws:
        own = scores - scores.mean(axis=1, keepdims=True)
        share = ((own - own.mean(axis=0)) ** 2).sum(axis=1)
        heavy = share.max(axis=0) > 0.5 * share.sum(axis=0)
        words += [
            f"On {measure} one {noun} makes up more than half of how the values vary: with tails "
            "this heavy, intervals by value hold less often than stated, and by='rank' keeps its "
            "level."
            for measure, alone in zip(r.results.measures, heavy.tolist(), strict=True)
            if alone
        ]
    if by == "rank":
        words.append(
            "Ranks depend on who else is in the table: near copies of an algorithm shift them."
        )
    return words


# gates -----------------------------------------------------------------------------------------


def gate_units(g: Gate) -> str:
    """Say how many of what were resampled: "814 items of 3 benchmarks"."""
    units, fixed = plural(g.answer.n, g.answer.noun), len(g.answer.benchmarks)
    return f"{units} of {plural(fixed, 'benchmark')}" if fixed else units


def gate_words(g: Gate) -> str:
    """Return the paragraph."""
    block = gate_block(g)
    sentences = [block.headline]
    bare = [name for name in g.results.measures if g.results[name].rope is None]
    for name, judged in zip(g.results.measures, g.answer.measures, strict=True):
        sentences.append(_on_measure(name, g.results[name], judged, g))
    fewest = min(g.answer.benchmarks, default=g.answer.effective)
    if g.answer.has_verdicts:
        if bare:
            sentences.append(
                f"{join_names(bare)} {'has' if len(bare) == 1 else 'have'} no rope, so only "
                "superiority passes there: for “not worse”, say how large a loss does not matter, "
                "as in rope=0.01."
            )
        sentences.append(_gate_basis(g))
        if min(fewest, g.answer.differing) < _FEW:
            few = plural(fewest if g.answer.benchmarks else g.answer.n, g.answer.noun)
            if g.answer.differing < fewest:
                few = f"{plural(g.answer.differing, g.answer.noun)} on which the two differ"
            sentences.append(
                f"Caution: {few} are few, and skewed differences or many ties can make false "
                "verdicts more frequent than stated."
            )
    sentences += block.slots["next"]
    return " ".join([*sentences, *(f"Note: {note}." for note in g.results.notes)])


def _on_measure(name: str, spec: Measure, judged: MeasureGate, g: Gate) -> str:
    """Say the mean advantage in the measure's unit, and the verdict on it."""

    def size(value: float) -> str:
        return difference_number_text(value, spec.unit or "").removeprefix("+")

    side = "better" if judged.difference > 0 else "worse"
    mean = f"the candidate is {side} by {size(abs(judged.difference))}"
    start = f"On {name} {'both are equal' if judged.difference == 0.0 else mean} on average"
    if not g.answer.has_verdicts:
        return f"{start}."
    better, not_worse, worse = (
        probability_equation(p, f"P({what})", levels=[g.level])
        for what, p in (
            ("better", judged.p_better),
            ("not worse", judged.p_not_worse),
            ("worse", judged.p_worse),
        )
    )
    rope = f" (by more than the rope of {size(spec.rope)})" if spec.rope else ""
    match judged.verdict:
        case "superior":
            return f"{start}: superior, {better}."
        case "not worse":
            return f"{start}: not worse{rope}, {not_worse}; {better}."
        case "worse":
            return f"{start}: worse{rope}, {worse}."
    figures = better if spec.rope is None else f"{better}, {not_worse}"
    sure = max(judged.p_better, judged.p_worse) >= g.level
    if sure:  # held back, since too few items differ
        figures += (
            f"; they differ on {plural(judged.differing, g.answer.noun)}, and a verdict takes "
            f"{FEWEST_APART}"
        )
    return f"{start}: undecided, {figures}."


def _gate_basis(g: Gate) -> str:
    """Say what was resampled, what the verdict is about, and what it needs."""
    units, names = plural(g.answer.n, g.answer.noun), g.results.datasets
    if g.answer.effective < g.answer.n - 1e-9:
        units += (
            f" (worth {statistic_number_text(g.answer.effective, significant=2)} of equal weight)"
        )
    how = "exact"
    if not g.exact:
        mcse = max(judged.mcse for judged in g.answer.measures)
        how = f"Monte Carlo standard error at most {standard_error_text(mcse)}"
    about = f"{g.answer.noun}s like these {units},"
    if g.answer.benchmarks:
        weighed = "of equal weight" if g.results.groups is None else "each domain of equal weight"
        if g.results.weights is not None:
            weighed = "by their weights"
        about = (
            f"the {len(names)} benchmarks {join_names(names)} themselves ({weighed}; nothing "
            f"follows for other benchmarks); {units} are resampled"
        )
        if len(names) == 1:
            about = (
                f"{names[0]} alone (nothing follows for other benchmarks); {units} are resampled"
            )
    level = setting_number_text(g.level)
    return (
        f"A verdict needs P ≥ {level}. The probabilities are about the mean over {about} by the "
        f"Bayesian bootstrap widened for small numbers ({how}). Each bound is one-sided: by itself "
        f"it holds with P = {level}. Each measure is judged by itself."
    )
