"""`Ranking`: places, fronts and utilities of the algorithms of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_word
from bayescompare._errors import QuantityNotAvailableError
from bayescompare._rng import Rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import (
    Leaderboard,
    LeaderboardOverall,
    Standings,
    share_error,
)
from bayescompare.outcome.answer import Shown
from bayescompare.outcome.codec import (
    check_kind_of_file,
    in_part,
    load_file,
    numbers,
    read,
    read_json,
)
from bayescompare.outcome.decision import Standing, part_word
from bayescompare.outcome.saved import (
    SCHEMA_VERSION,
    results_document,
    results_of,
    saved_head,
)
from bayescompare.ranking.answer import RankAnswer, ranking_tree, tiers_of
from bayescompare.ranking.options import RankOptions, as_utility
from bayescompare.ranking.words import ranking_headline, ranking_words
from bayescompare.table.results import Results
from bayescompare.table.words import table_figures
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Shown):
    """Who is best, in what place and on the front, and how sure we are.

    `rank` returns one.

    Attributes
    ----------
    results : Results
        The table that was ranked, without missing cells but those taken for failed runs.
    options : RankOptions
        How it was ranked; ``options.seed`` gives the draws again.
    answer : RankAnswer
        The figures as arrays.
    """

    results: Results
    options: RankOptions
    answer: RankAnswer

    # figures -------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> pd.DataFrame:
        """The place of each algorithm on each measure, the best first.

        Indexed by measure and algorithm. ``mean``: the mean rank, the mean value in the unit of
        its measure, or the strength; ``place`` of that mean, ties shared; ``lower`` and ``upper``:
        the interval of the place; ``p_best``: P(best on this measure), ties shared; ``mcse`` of
        it. With fewer than five datasets only ``mean`` and ``place`` are numbers.
        """
        board, frames = self.answer.board, {}
        for j, measure in enumerate(self.results.measures):
            rows = board.standings[j]
            frame = pd.DataFrame(
                {
                    "mean": self.shown_score(board.centre[j], measure),
                    "place": rows.place,
                    "lower": rows.lower,
                    "upper": rows.upper,
                    "p_best": rows.best,
                    "mcse": self._mcse(rows.best),
                },
                self._index,
            )
            frames[measure] = frame.sort_values("place", kind="stable")
        return pd.concat(frames, names=["measure"])

    @cached_property
    def scores(self) -> pd.DataFrame:
        """What the places are made of: each algorithm's mean on each measure, and its interval.

        Indexed by measure and algorithm: ``mean``, ``lower`` and ``upper``, in ranks, in the unit
        of the measure, or in log strengths.
        """
        board, frames = self.answer.board, {}
        for j, measure in enumerate(self.results.measures):
            ends = [self.shown_score(end[j], measure) for end in (board.low, board.high)]
            lower, upper = np.minimum(*ends), np.maximum(*ends)
            mean = self.shown_score(board.centre[j], measure)
            columns = {"mean": mean, "lower": lower, "upper": upper}
            frames[measure] = pd.DataFrame(columns, self._index)
        return pd.concat(frames, names=["measure"])

    @cached_property
    def front(self) -> pd.DataFrame:
        """P(on the Pareto front) of each algorithm, the most probable first.

        On the front means that no other is at least as good on every measure and better on one.
        Indexed by algorithm: ``p_front``, ``mcse`` and ``state``: "front" from `level` on,
        "dominated" up to 1 − `level`, else "open".
        """
        p = self.answer.board.front
        level = self.options.level
        state = np.where(p >= level, "front", np.where(p <= 1.0 - level, "dominated", "open"))
        columns = {"p_front": p, "mcse": self._mcse(p), "state": state.astype(object)}
        return pd.DataFrame(columns, self._index).sort_values(
            "p_front", ascending=False, kind="stable"
        )

    @cached_property
    def overall(self) -> pd.DataFrame:
        """The ranking by the one measure, or by the utility, the best first.

        Indexed by algorithm: ``place``, ``lower``, ``upper``, ``p_best``, ``regret`` (the expected
        loss of utility against the best), ``mcse`` of ``p_best`` and, where weights are not given,
        ``share``: the share of all weights under which the algorithm is best by the table as it
        stands.
        """
        found = self.answer.overall
        if found is None:
            raise QuantityNotAvailableError(
                f"this ranking is about {len(self.results.measures)} measures without a utility, "
                "so there is no overall order: pass utility= to rank(), as {'accuracy': 1, 'time': "
                "0.5} or 'unknown'; see .front and .ahead for what holds without one."
            )
        rows = found.standings
        columns = {
            "place": rows.place,
            "lower": rows.lower,
            "upper": rows.upper,
            "p_best": rows.best,
            "regret": found.regret,
            "mcse": self._mcse(rows.best),
        }
        if found.share is not None:
            columns["share"] = found.share
        return pd.DataFrame(columns, self._index).sort_values("place", kind="stable")

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """Which differences hold for the whole table at once, as tiers; the first tier first.

        Indexed by algorithm, or by measure and algorithm where several measures have no utility.
        ``tier``: one more than the longest chain of separations above it, so that the members of a
        tier are not separated from each other; ``at_best``: one more than how many are separated
        above it; ``at_worst``: the number of algorithms less how many are separated below it.

        With probability `level` none of the separations, and so none of the places, is false,
        whoever else is in the table, if differences without a cause are symmetric. Found by sign
        flips of the datasets with step-down; five datasets or fewer separate nobody.

        References
        ----------
        Westfall & Young (1993), Resampling-based multiple testing.
        """
        columns = ("tier", "at_best", "at_worst")
        found = self.answer.overall
        standings = self.answer.board.standings if found is None else [found.standings]
        rows = []
        for each, own in zip(self.answer.tiers, standings, strict=True):
            frame = pd.DataFrame(dict(zip(columns, each, strict=True)), self._index)
            frame = frame.iloc[np.argsort(own.place, kind="stable")]
            rows.append(frame.sort_values("tier", kind="stable"))
        if found is not None:
            return rows[0]
        return pd.concat(dict(zip(self.results.measures, rows, strict=True)), names=["measure"])

    @property
    def top(self) -> tuple[str, ...]:
        """The algorithms that cannot be told from the best, the most probable first.

        With one measure or a utility, the smallest set that holds the best with P of at least
        1 − (1 − level)/2: at 0.975 it held the true best in 95 of 100 tables. Else the algorithms
        that may be on the front. With fewer than five datasets, all of them.
        """
        if not self.answer.has_draws:
            return self.results.algorithms
        if self.answer.overall is None:
            return tuple(self.front.index[self.front["state"] != "dominated"])
        p = self.overall["p_best"].sort_values(ascending=False, kind="stable")
        # Sums of shares of draws carry float noise.
        wanted = 0.5 * (1.0 + self.options.level) - 1e-9
        size = int(np.searchsorted(p.to_numpy().cumsum(), wanted)) + 1
        return tuple(map(str, p.index[:size]))

    @property
    def decision(self) -> Standing:
        """Who is best, if one can be named; words and files name algorithms as this does."""
        level, drawn = self.options.level, self.answer.has_draws
        rows = []
        for measure in self.results.measures:
            first = self.places.loc[measure].iloc[0]
            p = float(first["p_best"]) if drawn else math.nan
            word = part_word([p], equal=False, level=level)
            rows.append((str(first.name) if word != "level" else "", p, word))
        parts = pd.DataFrame(
            rows,
            index=pd.Index(self.results.measures, name="measure"),
            columns=["ahead", "probability", "word"],
        )
        overall = self.answer.overall is not None
        figures = self.overall["p_best"] if overall else self.front["p_front"]
        sure = float(figures.loc[self.top[0]]) if drawn else math.nan
        # Alone on the front of several measures means that nobody else may be on it.
        alone = drawn and len(self.top) == 1 and sure >= level
        same = parts["ahead"].iloc[0] != "" and parts["ahead"].nunique() == 1
        state: Literal["better", "leads", "open", "none"] = "leads" if same else "open"
        if not drawn:
            state = "none"
        elif alone:
            state = "better"
        return Standing(self.headline(), sure, state, alone, parts)

    @property
    def ahead(self) -> xr.DataArray:
        """P(algorithm ahead of opponent on every measure); the diagonal is NaN."""
        values = self.answer.board.ahead.copy()
        np.fill_diagonal(values, np.nan)
        names = list(self.results.algorithms)
        return xr.DataArray(
            values,
            {"algorithm": names, "opponent": names},
            ("algorithm", "opponent"),
            name="ahead",
            attrs={"by": self.options.by, "draws": self.options.draws, "seed": self.options.seed},
        )

    @property
    def _index(self) -> pd.Index[str]:
        return pd.Index(self.results.algorithms, name="algorithm")

    def _mcse(self, p: FloatArray) -> FloatArray:
        return share_error(p, self.answer.independent)

    def shown_score(self, score: FloatArray, measure: str) -> FloatArray:
        """Turn scores, which are larger the better, into ranks, values or strengths."""
        if self.options.by == "rank":
            return len(self.results.algorithms) + 1.0 - score
        return score * self.results[measure].sign if self.options.by == "value" else score

    # words ---------------------------------------------------------------------------------------

    def headline(self) -> str:
        """Say who is best in one line."""
        return ranking_headline(self)

    def explain(self) -> str:
        """Say in plain words who is best, who may be, and under what assumption."""
        return ranking_words(self)

    def summary(self) -> pd.DataFrame:
        """Return the table a paper would print: `overall` if there is one, else `places`."""
        return self.places if self.answer.overall is None else self.overall

    def __repr__(self) -> str:
        sizes = (
            f"{plural(len(self.results.algorithms), 'algorithm')} on "
            f"{', '.join(self.results.measures)} over {plural(self.answer.n, self.answer.noun)}"
        )
        has = ".overall, " if self.answer.overall is not None else ""
        return (
            f"Ranking by {self.options.by}: {sizes}\n  {self.headline()}\n"
            f"  see .explain(), .places, .front, {has}.top, .ahead, .plot(), .report()"
        )

    # pictures and files --------------------------------------------------------------------------

    def plot(
        self,
        kind: str | None = None,
        *,
        measures: Sequence[str] | None = None,
        order: Sequence[str] | None = None,
        title: str | None = None,
        figsize: tuple[float, float] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the places with their intervals, the front in two measures, or the weights.

        ``"places"`` (the default) is a forest plot, ``"front"`` shows two measures, ``"cost"`` a
        cost against a quality, and ``"weights"`` who is best under which weights of two or three
        measures. `order` lists the algorithms of ``"places"``, `title` replaces the usual title,
        and `figsize` is in inches.
        """
        from bayescompare import plots

        return plots.plot_ranking(
            self, kind=kind, measures=measures, order=order, title=title, figsize=figsize, ax=ax
        )

    def draws(self, draws: int | None = None, *, chains: int = 4, rng: Rng = None) -> xr.DataTree:
        """Return draws of scores, places and utilities as a tree for ArviZ.

        Parameters
        ----------
        draws : int, optional
            Draws per chain. By default these are the very draws that the figures are made of,
            dealt to the chains.
        chains : int
            Draws are independent, so chains are for ArviZ only.
        rng : None, int or Generator
            For new draws; with `draws` only.
        """
        return ranking_tree(self.results, self.options, self.answer, draws, chains, rng)

    def _document(self) -> dict[str, Any]:
        """Return what its file holds (docs/json-schema.md); `load_ranking` reads it."""
        return ranking_document(self)


# files --------------------------------------------------------------------------------------------

#: What a unit may be called.
_NOUNS = ("dataset", "domain", "item", "cluster", "seed")

#: Columns of `Ranking.tiers`.
_TIERS = ("tier", "at_best", "at_worst")

#: Fields of `Standings` in a file.
_STANDINGS = ("place", "lower", "upper", "p_best")


def ranking_document(r: Ranking) -> dict[str, Any]:
    """Return what a file holds; arrays follow the order of the measures and algorithms."""
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
    return {
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
        "decision": r.decision.to_dict() | table_figures(r.results, judges_cells=True),
        "explanation": r.explain(),
    }


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
