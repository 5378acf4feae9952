"""The tables of all pairs: where each algorithm stands, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayescompare.comparison.verdicts import pair_kind
from bayescompare.report.tables import (
    MOST_PAIRS,
    ReportTableCell,
    Table,
    report_table_heads,
    report_table_rows,
)
from bayescompare.statements import Statement
from bayescompare.text import numbers
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule
    from bayescompare.comparison.verdicts import PairVerdicts

__all__ = ["decisions_table", "standings_table"]

#: Names that a tooltip lists.
_MOST_NAMED = 20


def standings_table(verdicts: PairVerdicts) -> Table:
    """Return the places of each algorithm, and the number of its verdicts."""
    frame = verdicts.printed()
    named: dict[str, Mapping[str, tuple[str, ...]]] = {
        "beats": verdicts.beats,
        "beaten by": verdicts.beaten_by,
        "trade-offs": verdicts.trades,
        "ties": verdicts.ties,
    }
    heads_ = list(map(str, frame))
    body = []
    for name, values in zip(verdicts.names, frame.to_numpy().tolist(), strict=True):
        others = [named.get(head, {}).get(name, ()) for head in heads_]
        cells = [
            ReportTableCell.of(
                numbers.count(value), value, join_names(who, most=_MOST_NAMED) if who else ""
            )
            for value, who in zip(values, others, strict=True)
        ]
        body.append([name, *cells])
    more = max(0, len(body) - MOST_PAIRS)
    title = "By mean place, the best first"
    keys = {"algorithm": [str(k) for k in range(len(body))]}
    return Table(title, ["algorithm", *heads_], body[:MOST_PAIRS], more=more, keys=keys)


def decisions_table(
    p: Pairwise, decided: pd.DataFrame, rule: Rule, verdicts: PairVerdicts
) -> Table:
    """Return the pairs, the surest first: what holds in words, how sure, and on what."""
    shown = decided.head(MOST_PAIRS)
    known = (
        "coverage",
        "probability",
        "lowest",
        "alone",
        "parts",
        "running_fdr",
        "pvalue",
        "adjusted",
    )
    figures = [name for name in known if name in shown]
    if len(p.results.measures) == 1 or shown["parts"].isna().all():
        # Of one measure part and whole are the same.
        figures.remove("parts")
    if p.bayesian and p.learned is None:
        figures.remove("alone")
    # The figure that decides stands beside the words, on a phone too.
    first = "probability" if p.bayesian else "pvalue"
    figures.sort(key=lambda name: name != first)
    levels = {name: rule.held(name) for name in figures}
    cells = report_table_rows(shown[figures], levels)
    body, marked, trades, pairs = [], [], [], []
    at = {name: k for k, name in enumerate(verdicts.names)}
    for row, own in zip(shown.to_dict("records"), cells, strict=True):
        statement = Statement.parse(row["statement"], (row["first"], row["second"]))
        kind = pair_kind(statement) if row["statement"] else "open"
        words = _words(p, row, statement)
        decision = row["decision"]
        count = ReportTableCell.of(numbers.count(row["n"]), row["n"])
        body.append([words, own[0], decision, count, *own[1:]])
        marked.append(bool(row["asserted"]))
        places = sorted((at[row["first"]], at[row["second"]]))
        pairs.append(",".join(map(str, places)))
        trades.append(bool(row["asserted"]) and kind == "trade-off")
    figure_heads = report_table_heads(shown[figures])
    all_heads = ["pair", figure_heads[0], "decision", "datasets", *figure_heads[1:]]
    more = max(0, len(decided) - MOST_PAIRS)
    title = "Decisions, the surest pair first"
    keys = {"pair": pairs}
    return Table(title, all_heads, body, 1, more, marked=marked, trades=trades, keys=keys)


def _words(p: Pairwise, row: Mapping[Any, Any], statement: Statement) -> str:
    """Say what leads in a pair, the better one first."""
    first, second = str(row["first"]), str(row["second"])
    if not row["statement"]:
        return f"{first}, {second}: not compared"
    winner = statement.winner
    if winner is not None:
        return f"{winner} over {second if winner == first else first}"
    if len(statement.states) != len(p.results.measures):
        return statement.states[0].words()
    on: dict[str, list[str]] = {}
    for state, measure in zip(statement.states, p.results.measures, strict=True):
        name = state.leader or ("equal" if state.relation == "=" else "incomparable")
        on.setdefault(name, []).append(measure)
    if set(on) == {"equal"}:
        return f"{first} and {second} equivalent"
    # Both are named, though one of them may lead nowhere.
    lacking = [name for name in (first, second) if name not in on]
    against = f" (against {lacking[0]})" if len(lacking) == 1 else ""
    return "; ".join(f"{name}: {join_names(names)}" for name, names in on.items()) + against
