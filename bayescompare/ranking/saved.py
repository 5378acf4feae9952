"""Rankings as JSON, and back; the schema is in docs/json-schema.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import check_word
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import Leaderboard, LeaderboardOverall, Standings
from bayescompare.outcome.codec import (
    check_kind_of_file,
    dumps,
    in_part,
    load_file,
    numbers,
    read,
    read_json,
)
from bayescompare.outcome.saved import SCHEMA_VERSION, results_document, results_of, saved_head
from bayescompare.ranking.answer import RankAnswer, tiers_of
from bayescompare.ranking.options import RankOptions, as_utility
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.ranking.ranking import Ranking


#: What a unit may be called.
_NOUNS = ("dataset", "domain", "item", "cluster", "seed")

#: Columns of `Ranking.tiers`.
_TIERS = ("tier", "at_best", "at_worst")

#: Fields of `Standings` in a file.
_STANDINGS = ("place", "lower", "upper", "p_best")


def ranking_to_document(r: Ranking) -> str:
    """Write a ranking as JSON; arrays follow the order of the measures and algorithms."""
    answer, board, found = r.answer, r.answer.board, r.answer.overall
    overall = found and {
        **dict(zip(_STANDINGS, found.standings, strict=True)),
        "utility": found.centre,
        "regret": found.regret,
        "share": found.share,
    }
    places = zip(*board.standings, strict=True)
    rows = zip(board.centre, board.low, board.high, *places, strict=True)
    names = ("score", "low", "high", *_STANDINGS)
    each = [dict(zip(names, row, strict=True)) for row in rows]
    return dumps(
        {
            **saved_head("ranking"),
            "options": r.options.to_dict(),
            "results": results_document(r.results),
            "resampled": {
                "what": answer.noun,
                "n": answer.n,
                "effective": answer.effective,
                "independent_draws": answer.independent,
            },
            "measures": dict(zip(r.results.measures, each, strict=True)),
            "tiers": [dict(zip(_TIERS, each, strict=True)) for each in answer.tiers],
            "front": board.front,
            "ahead": board.ahead,
            "overall": overall,
            "top": r.top,
            "caveats": r.caveats,
            "decision": r.decision.to_dict(),
            "explanation": r.explain(),
        }
    )


def load_ranking(path: str | Path, *, max_bytes: int | None = None) -> Ranking:
    """Read a ranking that `Ranking.to_json` wrote.

    Parameters
    ----------
    path : path
    max_bytes : int, optional
        The largest file that is read: by default 512 MiB.

    Examples
    --------
    >>> import tempfile, pathlib, bayescompare as bc
    >>> r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "r.json"
    ...     text = r.to_json(file)
    ...     again = bc.load_ranking(file)
    >>> again.top == r.top
    True
    """
    return load_file(path, "ranking", lambda source: _of_document(read_json(source, max_bytes)))


def _of_document(document: Any) -> Ranking:
    from bayescompare.ranking.ranking import Ranking

    check_kind_of_file(document, "ranking", SCHEMA_VERSION)
    results = results_of(document["results"])
    with in_part("options"):
        facts = dict(document["options"])
        utility = facts.pop("utility")
        plain = RankOptions(**facts)
        options = RankOptions(**facts, utility=as_utility(utility, results, plain.by))
    with in_part("the figures"):
        return Ranking(results, options, _answer_of(document, results, options))


def _answer_of(document: Mapping[str, Any], results: Results, options: RankOptions) -> RankAnswer:
    measures, draws, l = results.measures, options.draws, len(results.algorithms)

    def row(facts: Mapping[str, Any], name: str) -> FloatArray:
        within = {"p_best": (0.0, 1.0), **dict.fromkeys(("place", "lower", "upper"), (1.0, l))}
        return numbers(facts[name], name, (l,), *([within[name]] if name in within else []))

    def standings(facts: Mapping[str, Any]) -> Standings:
        return Standings(*(row(facts, name) for name in _STANDINGS))

    of, rows = document["resampled"], [document["measures"][name] for name in measures]
    score, low, high = (np.stack([row(one, k) for one in rows]) for k in ("score", "low", "high"))
    front, ahead = (
        numbers(document[name], name, shape, (0.0, 1.0))
        for name, shape in (("front", (l,)), ("ahead", (l, l)))
    )
    board = Leaderboard(score, low, high, tuple(map(standings, rows)), front, ahead)
    overall = None
    if (found := document["overall"]) is not None:
        share = None if found["share"] is None else row(found, "share")
        centre, regret = row(found, "utility"), row(found, "regret")
        overall = LeaderboardOverall(standings(found), centre, regret, share)
    check_word("what", of["what"], _NOUNS)
    # Files of the first releases lack it: their draws were independent.
    independent = of.get("independent_draws", draws)
    effective, worth = (float(numbers(v, "resampled", ())) for v in (of["effective"], independent))
    n = read(int, of["n"], "n")
    if (saved := document.get("tiers")) is None:
        tiers = tiers_of(results, options)  # files of version 1 have none
    else:
        shape = (1 if overall is not None else len(measures), len(_TIERS), l)
        rows = [[each[name] for name in _TIERS] for each in saved]
        tiers = numbers(rows, "tiers", shape, (1, l)).astype(np.int64)
    return RankAnswer(board, overall, of["what"], n, effective, worth, tiers)
