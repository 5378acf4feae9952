"""Rankings as JSON; `loading` reads them. The schema is in docs/json-schema.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.kernels.ranking.leaderboard import LeaderboardOverall, Standings
from bayescompare.outcome.files import comparison_plain_json, comparison_results_as_json

if TYPE_CHECKING:
    from bayescompare.ranking.ranking import Ranking

__all__ = ["RANKING_SCHEMA", "RANKING_VERSION", "ranking_to_document"]

RANKING_SCHEMA = "bayescompare/ranking"
RANKING_VERSION = 2


def ranking_to_document(r: Ranking) -> str:
    """Write a ranking as JSON; arrays follow the order of the measures and algorithms."""
    answer = r.answer
    document = {
        "schema": RANKING_SCHEMA,
        "schema_version": RANKING_VERSION,
        "bayescompare_version": __version__,
        "options": r.options.to_dict(),
        "results": comparison_results_as_json(r.results),
        "resampled": {
            "what": answer.noun,
            "n": answer.n,
            "effective": answer.effective,
            "independent_draws": answer.independent,
        },
        "measures": {
            name: {
                "score": answer.board.centre[j],
                "low": answer.board.low[j],
                "high": answer.board.high[j],
                **_standings_in_ranking_file(answer.board.standings[j]),
            }
            for j, name in enumerate(r.results.measures)
        },
        "front": answer.board.front,
        "ahead": answer.board.ahead,
        "overall": None if answer.overall is None else _overall_in_ranking_file(answer.overall),
        "top": list(r.top),
        "caveats": list(r.caveats),
        "decision": r.decision.to_dict(),
        "explanation": r.explain(),
    }
    return json.dumps(
        comparison_plain_json(document), ensure_ascii=False, allow_nan=False, indent=1
    )


def _standings_in_ranking_file(rows: Standings) -> dict[str, FloatArray]:
    return {"place": rows.place, "lower": rows.lower, "upper": rows.upper, "p_best": rows.best}


def _overall_in_ranking_file(found: LeaderboardOverall) -> dict[str, FloatArray | None]:
    facts = {"utility": found.centre, "regret": found.regret, "share": found.share}
    return {**_standings_in_ranking_file(found.standings), **facts}
