"""A ranking in words: who is best, who may be, and under what assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.kernels.ranking.bootstrap import FEWEST
from bayescompare.text.numbers import (
    count,
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
    import pandas as pd

    from bayescompare.ranking.ranking import Ranking

__all__ = ["headline_words", "ranking_words"]

#: Below this many units intervals are known to be somewhat too narrow.
_FEW = 10


def headline_words(r: Ranking) -> str:
    """Return the verdict in one line."""
    if not r.answer.has_draws:
        return _ranking_words_bare_headline(r)
    if r.answer.overall is not None:
        return _ranking_words_overall_headline(r)
    return f"{_leaders_words(r)}; {_front_words(r)}"


def ranking_words(r: Ranking) -> str:
    """Return the paragraph."""
    sentences = [f"{headline_words(r)}."]
    if r.answer.has_draws:
        sentences += [*_places_words(r), *_ahead_words(r), *_utility_words(r)]
    sentences += [_ranking_words_on_basis(r), *_ranking_words_of_caution(r)]
    notes = [f"{note[:1].upper()}{note[1:]}." for note in r.results.notes]
    return " ".join([*filter(None, sentences), *notes])


# one line ---------------------------------------------------------------------------------------


def _ranking_words_on_scale(r: Ranking) -> str:
    """Say what the overall order is by."""
    if r.options.utility is None:
        return f"on {r.results.measures[0]}"
    return r.options.utility.words()


def _ranking_words_bare_headline(r: Ranking) -> str:
    """Return who leads, and why there is no verdict."""
    n = plural(r.answer.n, r.answer.noun)
    if r.answer.effective < r.answer.n - 1e-9:
        n += f" worth {statistic_number_text(r.answer.effective, significant=2)} of equal weight"
    few = f"{n}: places without intervals, and no verdict"
    if r.answer.overall is None:
        return f"{_leaders_words(r)}; {few}"
    first = r.overall.index[r.overall["place"] == r.overall["place"].min()]
    leads = f"{_ranking_words_leads(len(first))} {_ranking_words_on_scale(r)}"
    return f"{join_names(list(first))} {leads}; {few}"


def _ranking_words_leads(n: int) -> str:
    return "has the best place" if n == 1 else "share the best place"


def _ranking_words_overall_headline(r: Ranking) -> str:
    top = r.top
    best = float(r.overall["p_best"].loc[top[0]])
    sure = probability_equation(best, levels=[r.options.level])
    if len(top) == 1:
        return f"{top[0]} is best {_ranking_words_on_scale(r)} ({sure})"
    others = f"{join_names(top[1:])} cannot be ruled out"
    if len(top) == len(r.results.algorithms):
        others = "none can be ruled out"
    return f"{top[0]} is the most probable best {_ranking_words_on_scale(r)} ({sure}); {others}"


def _leaders_words(r: Ranking) -> str:
    leaders = _ranking_words_leaders(r)
    same = set(leaders.values())
    if len(same) == 1:
        measures = "both" if len(leaders) == 2 else f"all {len(leaders)}"
        return f"{same.pop()} has the best place on {measures} measures"
    best = [
        f"{names} on {join_names(on)}" for names, on in _ranking_words_by_leader(leaders).items()
    ]
    return f"No algorithm leads on every measure ({'; '.join(best)})"


def _front_words(r: Ranking) -> str:
    n, l = len(r.top), len(r.results.algorithms)
    if n == 1:
        return f"{r.top[0]} alone is on the front"
    if n == l:
        return f"any of the {l} may be on the front"
    return f"{n} of {l} may be on the front: {join_names(r.top)}"


def _ranking_words_leaders(r: Ranking) -> dict[str, str]:
    """Return who has the best place on each measure; several that share it are joined."""
    leaders = {}
    for measure in r.results.measures:
        place = r.places.loc[measure]["place"]
        leaders[measure] = join_names(list(place.index[place == place.min()]))
    return leaders


def _ranking_words_by_leader(leaders: dict[str, str]) -> dict[str, list[str]]:
    by: dict[str, list[str]] = {}
    for measure, names in leaders.items():
        by.setdefault(names, []).append(measure)
    return by


# the paragraph -----------------------------------------------------------------------------------


def _ranking_words_on_mean(r: Ranking, measure: str, value: float) -> str:
    """Write a mean with what it is."""
    if r.options.by == "rank":
        return f"mean rank {rank_number_text(value)}"
    if r.options.by == "strength":
        return f"log strength {statistic_number_text(value, significant=3)}"
    unit = r.results[measure].unit
    return f"mean {statistic_number_text(value)}{f' {unit}' if unit else ''}"


def _ranking_words_on_interval(row: pd.Series) -> str:
    low, high = (count(float(row[end])) for end in ("lower", "upper"))
    return f"place {low}" if low == high else f"places {low} to {high}"


def _places_words(r: Ranking) -> list[str]:
    sentences = []
    for k, measure in enumerate(r.results.measures[:4]):
        table = r.places.loc[measure]
        name, row = table.index[0], table.iloc[0]
        interval = f" at {percent_setting(r.options.level)}" if k == 0 else ""
        sentences.append(
            f"On {measure} {name} is first "
            f"({_ranking_words_on_mean(r, measure, float(row['mean']))}; "
            f"{_ranking_words_on_interval(row)}{interval}; P(best) "
            f"{_ranking_words_sign(row['p_best'], r.options.level)})."
        )
    more = len(r.results.measures) - 4
    return (
        [*sentences, f"See .places for {plural(more, 'more measure')}."] if more > 0 else sentences
    )


def _ranking_words_sign(p: float, level: float) -> str:
    text = format_probability(float(p), levels=[level])
    return f"{text[0]} {text[1:]}" if text[0] in "<>" else f"= {text}"


def _ahead_words(r: Ranking) -> list[str]:
    """Say for how many pairs one is ahead of the other on every measure."""
    ahead = r.answer.board.ahead
    l = len(r.results.algorithms)
    sure = int((ahead >= r.options.level).sum())
    where = "on every measure" if len(r.results.measures) > 1 else f"on {r.results.measures[0]}"
    pairs = plural(l * (l - 1) // 2, "pair")
    return [
        f"One is ahead of the other {where} with P of at least "
        f"{setting_number_text(r.options.level)} in "
        f"{count(sure) if sure else 'none'} of {pairs}."
    ]


def _utility_words(r: Ranking) -> list[str]:
    if r.options.utility is None:
        return []
    table = r.overall.sort_values("regret", kind="stable")
    name, least = table.index[0], float(table["regret"].iloc[0])
    unit = " ranks" if r.options.by == "rank" else ""
    words = [
        f"{name} has the least expected regret, "
        f"{statistic_number_text(least, significant=3)}{unit} of utility "
        "below the best."
    ]
    if "share" in table:
        best = table.sort_values("share", ascending=False, kind="stable")
        words.append(
            f"By the table as it stands {best.index[0]} is best under "
            f"{percent_setting(round(float(best['share'].iloc[0]), 2))} of all weights."
        )
    return words


def _ranking_words_on_basis(r: Ranking) -> str:
    """Say what was resampled, and so what the statements are about."""
    noun, n = r.answer.noun, plural(r.answer.n, r.answer.noun)
    if not r.answer.has_draws:
        return f"Fewer than {FEWEST} {noun}s do not show how they vary."
    worst = max(float(r.places["mcse"].max()), float(r.front["mcse"].max()))
    if r.options.by == "strength":
        return (
            f"This assumes that every {noun} ranks the algorithms by strength plus noise (the "
            f"Plackett–Luce model, each measure by itself; {plural(r.options.draws, 'draw')} by "
            f"importance, worth {count(round(r.answer.independent))} independent ones, standard "
            f"error of P at most {standard_error_text(worst)})."
        )
    about = (
        f"about this one dataset, resampling its {n}; nothing follows for other datasets"
        if r.results.n_replicates is not None
        else f"about {noun}s like these {count(r.answer.n)}, which were resampled"
    )
    return (
        f"This is {about} (Bayesian bootstrap, widened for few {noun}s; "
        f"{plural(r.options.draws, 'draw')}, standard error of P at most "
        f"{standard_error_text(worst)})."
    )


def _ranking_words_of_caution(r: Ranking) -> list[str]:
    words = []
    if r.answer.has_draws and r.answer.effective < _FEW:
        words.append(
            f"With fewer than {_FEW} {r.answer.noun}s the top set misses the best more often than "
            f"{percent_setting(1.0 - r.options.level)} of the time."
        )
    if r.options.by == "rank":
        words.append(
            "Ranks depend on who else is in the table: near copies of an algorithm shift them."
        )
    return words
