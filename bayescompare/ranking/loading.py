"""Rankings read back from JSON; what no ranking could have computed is refused.

A file of a newer schema is refused rather than misread.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bayescompare._checks import check_path, check_word, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import Leaderboard, LeaderboardOverall, Standings
from bayescompare.outcome.checks import (
    naming_comparison_part,
    read_comparison_count,
    read_comparison_number,
    read_comparison_numbers,
)
from bayescompare.outcome.loading import (
    check_loaded_version,
    load_comparison_results,
    read_saved_json,
)
from bayescompare.ranking.answer import RankAnswer
from bayescompare.ranking.files import RANKING_SCHEMA, RANKING_VERSION
from bayescompare.ranking.options import RankOptions
from bayescompare.ranking.ranking import Ranking
from bayescompare.ranking.utility import as_utility
from bayescompare.table.input import check_is_regular
from bayescompare.table.results import Results

__all__ = ["load_ranking"]

#: What a unit may be called.
_NOUNS = ("dataset", "domain", "item", "cluster", "seed")


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
    source = check_path(path)
    try:
        check_is_regular(source)
        return _load_ranking_document(read_saved_json(source, max_bytes))
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not a ranking that bayescompare wrote ({error_in_one_line(error)})."
        ) from None


def _load_ranking_document(document: Any) -> Ranking:
    if not isinstance(document, Mapping) or document.get("schema") != RANKING_SCHEMA:
        raise BayescompareError("this is not a ranking that bayescompare wrote.")
    check_loaded_version(document, RANKING_VERSION)
    with naming_comparison_part("results"):
        results = load_comparison_results(document["results"])
    with naming_comparison_part("options"):
        options = _load_ranking_options(document["options"], results)
    with naming_comparison_part("the figures"):
        return Ranking(results, options, _load_ranking_answer(document, results, options))


def _load_ranking_options(facts: Mapping[str, Any], results: Results) -> RankOptions:
    utility = facts["utility"]
    if isinstance(utility, Mapping):
        utility = {k: tuple(v) if isinstance(v, list) else v for k, v in utility.items()}
    plain = {name: facts[name] for name in ("by", "level", "draws", "seed")}
    checked = RankOptions(**plain)
    return RankOptions(**plain, utility=as_utility(utility, results, checked.by))


def _load_ranking_answer(
    document: Mapping[str, Any], results: Results, options: RankOptions
) -> RankAnswer:
    l = len(results.algorithms)
    rows = [document["measures"][name] for name in results.measures]
    centre, low, high = (
        np.stack([_load_ranking_row(key, row[key], l) for row in rows])
        for key in ("score", "low", "high")
    )
    board = Leaderboard(
        centre,
        low,
        high,
        tuple(_load_ranking_standings(row, l) for row in rows),
        _load_ranking_share("front", document["front"], (l,)),
        _load_ranking_share("ahead", document["ahead"], (l, l)),
    )
    overall = None
    if document["overall"] is not None:
        facts = document["overall"]
        share = (
            None if facts["share"] is None else _load_ranking_share("share", facts["share"], (l,))
        )
        utility, regret = (_load_ranking_row(key, facts[key], l) for key in ("utility", "regret"))
        overall = LeaderboardOverall(_load_ranking_standings(facts, l), utility, regret, share)
    of = document["resampled"]
    check_word("what", of["what"], _NOUNS)
    n, effective = (
        read_comparison_count("n", of["n"]),
        read_comparison_number("effective", of["effective"]),
    )
    # Files of the first releases lack it: their draws were independent.
    independent = read_comparison_number(
        "independent_draws", of.get("independent_draws", float(options.draws))
    )
    if not 0.0 < independent <= options.draws:
        raise BayescompareError(
            f"independent_draws {show_checked_value_briefly(independent)}: must lie between 0 and "
            f"the {options.draws} draws."
        )
    return RankAnswer(board, overall, of["what"], n, effective, independent)


def _load_ranking_standings(facts: Mapping[str, Any], l: int) -> Standings:
    place, lower, upper = (
        _load_ranking_row(key, facts[key], l) for key in ("place", "lower", "upper")
    )
    for name, values in (("place", place), ("lower", lower), ("upper", upper)):
        known = values[~np.isnan(values)]
        if (known < 1.0).any() or (known > l).any():
            raise BayescompareError(
                f"{name} {show_checked_value_briefly(facts[name])}: must lie between 1 and {l}."
            )
    if (lower > upper).any():
        raise BayescompareError("lower is above upper.")
    return Standings(place, lower, upper, _load_ranking_share("p_best", facts["p_best"], (l,)))


def _load_ranking_row(name: str, values: Any, l: int) -> FloatArray:
    array = read_comparison_numbers(name, values)
    if array.shape != (l,):
        raise BayescompareError(f"{name} has the shape {array.shape} for {l} algorithms.")
    return array


def _load_ranking_share(name: str, values: Any, shape: tuple[int, ...]) -> FloatArray:
    array = read_comparison_numbers(name, values)
    if array.shape != shape:
        raise BayescompareError(f"{name} has the shape {array.shape}, not {shape}.")
    known = array[~np.isnan(array)]
    if (known < 0.0).any() or (known > 1.0 + 1e-9).any():
        raise BayescompareError(f"{name}: must lie between 0 and 1.")
    return array
