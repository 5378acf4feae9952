"""The report of a ranking: who is best, in what place, on the front."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.plots.ranking import plot_front, plot_places, plot_weights
from bayescompare.report.citations import bibtex, citation_aside
from bayescompare.report.data import data_section, pairs_title
from bayescompare.report.live import live_ranking
from bayescompare.report.page import Page, PageSection, Picture
from bayescompare.report.provenance import package_versions
from bayescompare.report.shades import SHADES, shade_colours
from bayescompare.report.short_names import with_short_names
from bayescompare.report.tables import MOST_PAIRS, ReportTableCell, ShadedReportCell, Table
from bayescompare.text import numbers
from bayescompare.text.numbers import percent_setting, plural, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.ranking.ranking import Ranking

__all__ = ["ranking_page"]

#: Up to so many algorithms there is a table of who is ahead of whom.
_MOST_COLUMNS = 40

#: Names that a line lists; of more it says how many.
_MOST_NAMES = 6

_STATES = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}


def ranking_page(r: Ranking, command: str | None = None) -> Page:
    """Return the page of a ranking."""
    draw = partial(_draw, plot_places, r)
    first = Picture("Places", draw, "p", r.headline())
    tables = _place_tables(r)
    sections = [
        PageSection("Places", tables=tables),
        *_front_section(r),
        *_weights_section(r),
        *_ahead_section(r),
        data_section(r.results),
        _method_section(r),
        _made_section(r, command),
    ]
    page = Page(
        title=pairs_title(r.results),
        verdict=f"{r.headline()}.",
        words=r.explain(),
        sections=sections,
        citations=_keys(r),
        facts={**({"Careful": " ".join(r.caveats)} if r.caveats else {}), **_facts(r)},
        picture=first,
        reading=_reading(r),
        live=live_ranking(r),
        table=tables[0],
        names=r.results.algorithms,
    )
    return with_short_names(page, r.results.algorithms)


def _draw(plot: Any, r: Ranking, ax: Any) -> None:
    plot(r, ax=ax)


# the first screen ---------------------------------------------------------------------------------


def _facts(r: Ranking) -> dict[str, str]:
    level = percent_setting(r.options.level)
    measures = [
        f"{name} ({'higher' if r.results[name].direction == 'max' else 'lower'} is better)"
        for name in r.results.measures
    ]
    data = f"{plural(r.answer.n, r.answer.noun)}; " + (
        f"{plural(len(r.results.algorithms), 'algorithm')} on {join_names(measures, most=4)}."
    )
    if not r.answer.has_draws:
        sure = f"Too few {r.answer.noun}s for intervals and for a verdict."
    else:
        sure = (
            f"Intervals and verdicts hold with probability {level}, from "
            f"{plural(r.options.draws, 'draw')}."
        )
    return {
        "What to use": _advice(r),
        "How sure": sure,
        "Data": data,
        "Assumption": _assumption(r),
    }


def _advice(r: Ranking) -> str:
    if not r.answer.has_draws:
        return f"More {r.answer.noun}s first: nothing here is more than a tendency."
    top = r.top
    others = [name for name in r.results.algorithms if name not in top]
    if r.answer.overall is not None:
        words = f"Use {top[0]}"
        if len(top) > 1:
            words += f"; {join_names(top[1:], most=_MOST_NAMES)} may be as good"
    elif len(top) == 1:
        words = f"Use {top[0]}, which alone is on the front"
    else:
        words = (
            f"Choose among {join_names(top, most=_MOST_NAMES)} by what matters to you: "
            "pass utility= to weigh the measures"
        )
    avoid = f" The others ({join_names(others, most=_MOST_NAMES)}) are behind." if others else ""
    return f"{words}.{avoid}"


def _assumption(r: Ranking) -> str:
    alike = f"The {r.answer.noun}s are like those you care about."
    if r.options.by == "strength":
        return f"{alike} Each ranks the algorithms by strength plus noise (Plackett–Luce)."
    return (
        f"{alike} They were resampled (Bayesian bootstrap, widened for few {r.answer.noun}s); "
        "there is no other prior."
    )


def _reading(r: Ranking) -> list[str]:
    level = percent_setting(r.options.level)
    means = {
        "rank": "Mean rank: the average position over the data, 1 is the best. It depends on who "
        "else is in the table.",
        "value": "Mean: the average value over the data, in the unit of its measure.",
        "strength": "Log strength: how strongly an algorithm tends to come first; differences "
        "count, not the zero.",
    }
    several = (
        [
            "On the front: no other is at least as good on every measure and better on one. "
            f"Front: with probability {level}; dominated: not, with probability {level}; else open."
        ]
        if len(r.results.measures) > 1
        else []
    )
    return [
        "Place: the position by the mean, 1 is the best; ties share.",
        f"Interval: where the place lies with probability {level} when other {r.answer.noun}s "
        "like these are drawn.",
        "P(best): the probability that this one is the best.",
        means[r.options.by],
        *several,
        *(
            ["Regret: the utility that is lost, on average, by using this one and not the best."]
            if r.answer.overall is not None
            else []
        ),
    ]


# tables and pictures ------------------------------------------------------------------------------


def _place_tables(r: Ranking) -> list[Table]:
    tables = []
    if r.answer.overall is not None:
        title = f"On {r.results.measures[0]}" if r.options.utility is None else "By utility"
        tables.append(_places(r, title, r.overall))
    if r.answer.overall is None or len(r.results.measures) > 1:
        for measure in r.results.measures:
            own = r.places.loc[[measure]].droplevel("measure")
            tables.append(_places(r, f"On {measure}", own))
    return tables


def _places(r: Ranking, title: str, frame: pd.DataFrame) -> Table:
    means = {"rank": "mean rank", "strength": "log strength"}
    heads = {
        "place": "place",
        "interval": f"{percent_setting(r.options.level)} interval",
        "p_best": "P(best)",
        "mean": means.get(r.options.by, "mean"),
        "regret": "regret",
        "share": "share of weights",
    }
    shown = [name for name in heads if name in frame or name == "interval"]
    top = set(r.top)
    rows = [
        [str(name), *(_figure(r, row, column) for column in shown)]
        for name, row in frame.head(MOST_PAIRS).iterrows()
    ]
    marked = [str(name) in top for name in frame.head(MOST_PAIRS).index]
    more = max(0, len(frame) - MOST_PAIRS)
    return Table(
        title, ["algorithm", *(heads[name] for name in shown)], rows, more=more, marked=marked
    )


def _figure(r: Ranking, row: pd.Series, column: str) -> ReportTableCell:
    if column == "interval":
        low, high = float(row["lower"]), float(row["upper"])
        ends = [numbers.count(low), numbers.count(high)]
        return ReportTableCell.of("–".join(dict.fromkeys(ends)), low)
    value = float(row[column])
    if column == "mean" and r.options.by == "rank":
        return ReportTableCell.of(numbers.rank_number_text(value), value)
    if column == "p_best":
        return ReportTableCell.of(
            numbers.format_probability(value, levels=[r.options.level]), value
        )
    if column == "place":
        return ReportTableCell.of(numbers.count(value), value)
    text = (
        numbers.share_number_text(value)
        if column == "share"
        else numbers.statistic_number_text(value)
    )
    return ReportTableCell.of(text, value)


def _front_section(r: Ranking) -> list[PageSection]:
    """Return who is on the front, and its picture."""
    if len(r.results.measures) < 2:
        return []
    rows = [
        [
            str(name),
            ReportTableCell.of(
                numbers.format_probability(float(row["p_front"]), levels=[r.options.level]),
                float(row["p_front"]),
            ),
            _STATES[str(row["state"])] if r.answer.has_draws else "",
        ]
        for name, row in r.front.head(MOST_PAIRS).iterrows()
    ]
    more = max(0, len(r.front) - MOST_PAIRS)
    marked = [bool(row["state"] == "front") for _, row in r.front.head(MOST_PAIRS).iterrows()]
    table = Table(
        "The most probable first",
        ["algorithm", "P(on the front)", "state"],
        rows,
        more=more,
        marked=marked,
    )
    first, second = r.results.measures[:2]
    draw = partial(_draw, plot_front, r)
    words = f"each algorithm in {first} and {second}"
    picture = Picture(f"{second} against {first}", draw, "f", words)
    return [PageSection("The front", tables=[table], pictures=[picture])]


def _weights_section(r: Ranking) -> list[PageSection]:
    """Return who is best under which weights, where these are open."""
    if len(r.results.measures) not in (2, 3) or r.options.utility is None:
        return []
    if r.options.utility.kind == "given":
        return []
    draw = partial(_draw, plot_weights, r)
    picture = Picture("Best by weights", draw, "w", "who is best by weights")
    return [PageSection("Weights", pictures=[picture])]


def _ahead_section(r: Ranking) -> list[PageSection]:
    """Return who is ahead of whom on every measure, as a matrix by place."""
    if len(r.results.algorithms) > _MOST_COLUMNS or not r.answer.has_draws:
        return []
    names = _by_place(r)
    ahead = r.ahead.sel(algorithm=names, opponent=names).values
    where = "on every measure" if len(r.results.measures) > 1 else f"on {r.results.measures[0]}"
    rows = [
        (name, [_ahead_cell(names, ahead, i, j, where) for j in range(len(names))])
        for i, name in enumerate(names)
    ]
    shaded = ShadedReportCell(
        f"P(row ahead of column {where})", names, rows, shade_colours(bayesian=True)
    )
    return [PageSection("Ahead of each other", shaded=shaded)]


def _by_place(r: Ranking) -> list[str]:
    if r.answer.overall is not None:
        return [str(name) for name in r.overall.index]
    mean = r.places["place"].groupby("algorithm").mean().reindex(list(r.results.algorithms))
    return [str(name) for name in mean.sort_values(kind="stable").index]


def _ahead_cell(
    names: list[str], ahead: Any, i: int, j: int, where: str
) -> tuple[ReportTableCell, int]:
    p = float(ahead[i, j])
    if np.isnan(p):
        return ReportTableCell.of(""), -1
    tooltip = f"{names[i]} ahead of {names[j]} {where}: {numbers.probability_equation(p)}"
    return ReportTableCell.of(numbers.format_probability(p), p, tooltip), round(SHADES * p)


# method and origin --------------------------------------------------------------------------------


def _keys(r: Ranking) -> list[str]:
    return [] if r.options.by == "strength" else ["rubin1981bootstrap"]


def _method_section(r: Ranking) -> PageSection:
    what = {"rank": "their mean rank", "value": "their mean value", "strength": "their strength"}
    who = f"{plural(len(r.results.algorithms), 'algorithm')} were ranked on "
    where = f"{join_names(r.results.measures)} over {plural(r.answer.n, r.answer.noun)}"
    words = [f"{who}{where} by {what[r.options.by]}{_by_utility(r)}."]
    if r.options.by == "strength":
        words.append(
            "Strengths are those of the Plackett–Luce model, each measure by itself, with a normal "
            "approximation of the posterior."
        )
    else:
        words.append(
            f"Uncertainty is that about the {r.answer.noun}s, by the Bayesian bootstrap "
            f"({citation_aside('rubin1981bootstrap')}) with weights from Dirichlet(a, …, a), a = "
            "(n − 4)/n, "
            "which has the variance of Student's t."
        )
    words.append(
        f"Intervals of places hold with probability {setting_number_text(r.options.level)}; "
        "figures are from "
        f"{plural(r.options.draws, 'draw')}."
    )
    return PageSection("Method", words=words, code={"BibTeX": bibtex(_keys(r))})


def _by_utility(r: Ranking) -> str:
    utility = r.options.utility
    return "" if utility is None else f", and {utility.words()}"


def _made_section(r: Ranking, command: str | None) -> PageSection:
    options = r.options.to_dict()
    given = ", ".join(f"{name} = {value}" for name, value in options.items() if value is not None)
    facts = {
        "options": given,
        "exactness": "Monte Carlo: the standard error of every P is in .places and .front",
        "seed": str(r.options.seed),
        "versions": package_versions("numpy", "scipy", "matplotlib"),
    }
    return PageSection("How it was made", facts=facts, code={"Command": command or _call(r)})


def _call(r: Ranking) -> str:
    options = r.options.to_dict()
    chosen = {"by": options["by"], "utility": options["utility"], "level": options["level"]}
    chosen |= {"draws": options["draws"], "rng": options["seed"]}
    arguments = "".join(
        f",\n    {name}={value!r}" for name, value in chosen.items() if value is not None
    )
    measures = list(r.results.measures)
    return f"bc.rank(\n    results,\n    measures={measures!r}{arguments},\n).report(...)"
