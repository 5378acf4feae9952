"""The reports of a ranking and of a gate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bayescompare.outcome.board_words import ranking_block
from bayescompare.outcome.words import gate_block
from bayescompare.plots.boards import places_pen
from bayescompare.plots.kinds import KINDS
from bayescompare.ranking.gate import Gate
from bayescompare.ranking.ranking import Ranking
from bayescompare.report.blocks import (
    bibtex,
    cited_aside,
    data_section,
    package_versions,
    pairs_title,
    python_call,
)
from bayescompare.report.page import MOST_PAIRS, Cell, Page, Picture, Section, Table, frame_table
from bayescompare.text.numbers import (
    count,
    percent_setting,
    plural,
    rank_number_text,
    setting_number_text,
    share_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

_GATE_HEADS = {
    "difference": "mean gain",
    "lower": "at least",
    "upper": "at most",
    "p_better": "P(better)",
    "p_not_worse": "P(not worse)",
}
_LIMITS = {"P(better)": 0.95, "P(not worse)": 0.95}

_STATES = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}


def ranking_page(r: Ranking, command: str | None = None) -> Page:
    """Return the page of a ranking."""
    places = _place_tables(r)
    page = Page(
        title=pairs_title(r.results),
        block=ranking_block(r),
        words=r.explain(),
        sections=[
            Section("Places", tables=places),
            *_front(r),
            *_weights(r),
            data_section(r.results),
            _method(r),
            _made(r, command),
        ],
        citations=_keys(r),
        picture=Picture.of("Places", "p", partial(places_pen, r, most=MOST_PAIRS)),
        reading=_reading(r),
        table=places[0],
        names=r.results.algorithms,
    )
    return page.with_short_names()


def gate_page(g: Gate, command: str | None = None) -> Page:
    """Return the page of a gate."""
    table = frame_table("Measure by measure", g.table.rename(columns=_GATE_HEADS), limits=_LIMITS)
    options = {
        **{"candidate": g.candidate, "baseline": g.baseline, "level": g.level, "over": g.over},
        "rng": g.seed,
    }
    call = f"{python_call('gate', g.results, options)}.report(...)"
    facts = {
        "exactness": "exact" if g.exact else "Monte Carlo: see mcse in the JSON",
        "versions": package_versions("numpy", "scipy", "matplotlib"),
    }
    how = (
        "The mean advantage over the datasets has the law of the Bayesian bootstrap "
        f"({cited_aside('rubin1981bootstrap')}) with weights from Dirichlet(a, …, a), "
        "a = (n − 4)/n, each measure by itself."
    )
    code = {"BibTeX": bibtex(["rubin1981bootstrap"])}

    def draw(figure: Any) -> None:
        KINDS[Gate]["bounds"].draw(g, ax=figure)

    return Page(
        title=f"{g.candidate} in place of {g.baseline} on {join_names(g.results.measures)}",
        block=gate_block(g),
        words=g.explain(),
        sections=[
            Section("Figures", tables=[table]),
            data_section(g.results),
            Section("Method", words=[how], code=code),
            Section("How it was made", facts=facts, code={"Command": command or call}),
        ],
        citations=["rubin1981bootstrap"],
        picture=Picture("Mean advantage", draw, "g", g.headline()),
        table=table,
        names=g.results.algorithms,
    )


def _picture(r: Ranking, title: str, kind: str, name: str, words: str) -> Picture:
    def draw(figure: Any) -> None:
        KINDS[Ranking][kind].draw(r, ax=figure)

    return Picture(title, draw, name, words)


# how to read it ----------------------------------------------------------------------------------


def _reading(r: Ranking) -> list[str]:
    level = percent_setting(r.options.level)
    means = {
        "rank": "Mean rank: the average position over the data, 1 is the best. It depends on who "
        "else is in the table.",
        "value": "Mean: the average value over the data, in the unit of its measure.",
        "strength": "Log strength: how strongly an algorithm tends to come first; differences "
        "count, not the zero.",
    }
    words = [
        "Place: the position by the mean, 1 is the best; ties share.",
        f"Interval: where the place lies with probability {level} when other {r.answer.noun}s "
        "like these are drawn.",
        "P(best): the probability that this one is the best.",
        means[r.options.by],
    ]
    if len(r.results.measures) > 1:
        words.append(
            "On the front: no other is at least as good on every measure and better on one. "
            f"Front: with probability {level}; dominated: not, with probability {level}; else open."
        )
    if r.answer.overall is not None:
        words.append(
            "Regret: the utility that is lost, on average, by using this one and not the best."
        )
    return words


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
    heads = {
        "place": "place",
        "interval": f"{percent_setting(r.options.level)} interval",
        "p_best": "P(best)",
        "mean": {"rank": "mean rank", "strength": "log strength"}.get(r.options.by, "mean"),
        "regret": "regret",
        "share": "share of weights",
    }
    columns = [name for name in heads if name in frame or name == "interval"]
    shown, top = frame.head(MOST_PAIRS), set(r.top)
    rows = [
        [str(name), *(_figure(r, row, column) for column in columns)]
        for name, row in shown.iterrows()
    ]
    return Table(
        title,
        ["algorithm", *(heads[name] for name in columns)],
        rows,
        more=len(frame) - len(shown),
        marked=[str(name) in top for name in shown.index],
    )


def _figure(r: Ranking, row: pd.Series, column: str) -> Cell:
    if column == "interval":
        low, high = float(row["lower"]), float(row["upper"])
        return Cell.of("–".join(dict.fromkeys([count(low), count(high)])), low)
    value = float(row[column])
    if column == "p_best":
        return Cell.probability(value, levels=[r.options.level])
    if column == "place":
        return Cell.counted(value)
    if column == "share":
        return Cell.of(share_number_text(value), value)
    ranked = column == "mean" and r.options.by == "rank"
    text = rank_number_text(value) if ranked else statistic_number_text(value)
    return Cell.of(text, value)


def _front(r: Ranking) -> list[Section]:
    """Return who is on the front, and its picture."""
    if len(r.results.measures) < 2:
        return []
    shown = r.front.head(MOST_PAIRS)
    rows = [
        [
            str(name),
            Cell.probability(float(p), levels=[r.options.level]),
            _STATES[str(state)] if r.answer.has_draws else "",
        ]
        for name, p, state in zip(shown.index, shown["p_front"], shown["state"], strict=True)
    ]
    table = Table(
        "The most probable first",
        ["algorithm", "P(on the front)", "state"],
        rows,
        more=len(r.front) - len(shown),
        marked=(shown["state"] == "front").tolist(),
    )
    first, second = r.results.measures[:2]
    words = f"each algorithm in {first} and {second}"
    picture = _picture(r, f"{second} against {first}", "front", "f", words)
    return [Section("The front", tables=[table], pictures=[picture])]


def _weights(r: Ranking) -> list[Section]:
    """Return who is best under which weights, where these are open."""
    if len(r.results.measures) not in (2, 3) or r.options.utility is None:
        return []
    if r.options.utility.kind == "given":
        return []
    picture = _picture(r, "Best by weights", "weights", "w", "who is best by weights")
    return [Section("Weights", pictures=[picture])]


# method and origin --------------------------------------------------------------------------------


def _keys(r: Ranking) -> list[str]:
    return [] if r.options.by == "strength" else ["rubin1981bootstrap"]


def _method(r: Ranking) -> Section:
    what = {"rank": "their mean rank", "value": "their mean value", "strength": "their strength"}
    who = f"{plural(len(r.results.algorithms), 'algorithm')} were ranked on "
    where = f"{join_names(r.results.measures)} over {plural(r.answer.n, r.answer.noun)}"
    utility = r.options.utility
    weighed = "" if utility is None else f", and {utility.words()}"
    how = (
        "Strengths are those of the Plackett–Luce model, each measure by itself, with a normal "
        "approximation of the posterior."
    )
    if r.options.by != "strength":
        how = (
            f"Uncertainty is that about the {r.answer.noun}s, by the Bayesian bootstrap "
            f"({cited_aside('rubin1981bootstrap')}) with weights from Dirichlet(a, …, a), a = "
            "(n − 4)/n, which has the variance of Student's t."
        )
    words = [
        f"{who}{where} by {what[r.options.by]}{weighed}.",
        how,
        f"Intervals of places hold with probability {setting_number_text(r.options.level)}; "
        f"figures are from {plural(r.options.draws, 'draw')}.",
    ]
    return Section("Method", words=words, code={"BibTeX": bibtex(_keys(r))})


def _made(r: Ranking, command: str | None) -> Section:
    options = r.options.to_dict()
    facts = {
        "options": ", ".join(f"{k} = {v}" for k, v in options.items() if v is not None),
        "exactness": "Monte Carlo: the standard error of every P is in .places and .front",
        "seed": str(r.options.seed),
        "versions": package_versions("numpy", "scipy", "matplotlib"),
    }
    given = {name: options[name] for name in ("by", "utility", "level", "draws")}
    call = python_call("rank", r.results, {**given, "rng": options["seed"]})
    code = {"Command": command or f"{call}.report(...)"}
    return Section("How it was made", facts=facts, code=code)
