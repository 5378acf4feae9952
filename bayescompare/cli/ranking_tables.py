"""A ranking in the terminal: the verdict first, then the places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from rich.console import Console

from bayescompare.cli.tables import new_table
from bayescompare.text import numbers

if TYPE_CHECKING:
    from bayescompare.ranking.ranking import Ranking

__all__ = ["print_ranking"]

#: Rows of a table that are printed.
_ROWS = 20


def print_ranking(out: Console, r: Ranking) -> None:
    """Print the verdict, the words, the places and who is on the front."""
    out.print(r.headline(), style="bold")
    for caveat in r.caveats:
        out.print(f"Careful: {caveat}")
    out.print()
    # The first sentence is the headline.
    out.print(r.explain().removeprefix(f"{r.headline()}. "))
    out.print()
    if r.answer.overall is not None:
        title = "By utility" if r.options.utility is not None else f"On {r.results.measures[0]}"
        _print_terminal_places(out, r, title, r.overall)
    if r.answer.overall is None or len(r.results.measures) > 1:
        for measure in r.results.measures:
            own = r.places.loc[[measure]].droplevel("measure")
            _print_terminal_places(out, r, f"On {measure}", own)
        _print_terminal_front(out, r)


def _print_terminal_places(out: Console, r: Ranking, title: str, frame: pd.DataFrame) -> None:
    means = {"rank": "mean rank", "strength": "log strength"}
    heads = {
        "mean": means.get(r.options.by, "mean"),
        "place": "place",
        "interval": f"{numbers.percent_setting(r.options.level)} interval",
        "p_best": "P(best)",
        "regret": "regret",
        "share": "share of weights",
    }
    shown = [name for name in heads if name in frame or name == "interval"]
    table = new_table("algorithm", *(heads[name] for name in shown), title=title)
    top = set(r.top)
    for name, row in frame.head(_ROWS).iterrows():
        cells = [_terminal_ranking_figure(r, row, column) for column in shown]
        table.add_row(str(name), *cells, style="" if name in top else "dim")
    out.print(table)
    if len(frame) > _ROWS:
        out.print(f"and {numbers.count(len(frame) - _ROWS)} more\n")


def _terminal_ranking_figure(r: Ranking, row: pd.Series, column: str) -> str:
    if column == "interval":
        ends = [numbers.count(float(row[end])) for end in ("lower", "upper")]
        return "–".join(ends) if ends[0] != ends[1] else ends[0]
    value = float(row[column])
    if column == "mean" and r.options.by == "rank":
        return numbers.rank_number_text(value)
    if column == "p_best":
        return numbers.format_probability(value, levels=[r.options.level])
    if column == "place":
        return numbers.count(value)
    return (
        numbers.share_number_text(value)
        if column == "share"
        else numbers.statistic_number_text(value)
    )


def _print_terminal_front(out: Console, r: Ranking) -> None:
    words = {"front": "on the front", "open": "may be on the front", "dominated": "dominated"}
    table = new_table("algorithm", "", "P(on the front)", left=2, title="The front")
    for name, row in r.front.head(_ROWS).iterrows():
        p = numbers.format_probability(float(row["p_front"]), levels=[r.options.level])
        state = words[str(row["state"])]
        table.add_row(str(name), state, p, style="dim" if row["state"] == "dominated" else "")
    out.print(table)
    if len(r.front) > _ROWS:
        out.print(f"and {numbers.count(len(r.front) - _ROWS)} more\n")
