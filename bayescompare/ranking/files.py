"""Rankings as JSON; `loading` reads them. The schema is in docs/json-schema.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.comparison.files import plain_json, results_facts
from bayescompare.kernels.ranking.leaderboard import Overall
from bayescompare.kernels.ranking.places import Standings

if TYPE_CHECKING:
    from bayescompare.ranking.ranking import Ranking

__all__ = ["RANKING_SCHEMA", "RANKING_VERSION", "to_document"]

RANKING_SCHEMA = "bayescompare/ranking"
RANKING_VERSION = 1


def to_document(r: Ranking) -> str:
    """Write a ranking as JSON; arrays follow the order of the measures and algorithms."""
    answer = r.answer
    document = {
        "schema": RANKING_SCHEMA,
        "schema_version": RANKING_VERSION,
        "bayescompare_version": __version__,
        "options": r.options.to_dict(),
        "results": results_facts(r.results),
        "resampled": {"what": answer.noun, "n": answer.n, "effective": answer.effective},
        "measures": {
            name: {
                "score": answer.board.centre[j],
                "low": answer.board.low[j],
                "high": answer.board.high[j],
                **_standings(answer.board.standings[j]),
            }
            for j, name in enumerate(r.results.measures)
        },
        "front": answer.board.front,
        "ahead": answer.board.ahead,
        "overall": None if answer.overall is None else _overall(answer.overall),
        "top": list(r.top),
        "explanation": r.explain(),
    }
    return json.dumps(plain_json(document), ensure_ascii=False, allow_nan=False, indent=1)


def _standings(rows: Standings) -> dict[str, FloatArray]:
    return {"place": rows.place, "lower": rows.lower, "upper": rows.upper, "p_best": rows.best}


def _overall(found: Overall) -> dict[str, FloatArray | None]:
    facts = {"utility": found.centre, "regret": found.regret, "share": found.share}
    return {**_standings(found.standings), **facts}
