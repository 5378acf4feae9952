"""`Ranking`: places, fronts and utilities of the algorithms of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import QuantityNotAvailableError
from bayescompare._rng import Rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import share_error
from bayescompare.outcome.decision import Standing, part_word
from bayescompare.ranking.answer import RankAnswer, ranking_tree
from bayescompare.ranking.options import RankOptions
from bayescompare.ranking.saved import ranking_to_document
from bayescompare.ranking.words import headline_words, ranking_words
from bayescompare.table.results import Results
from bayescompare.table.words import caveats_of
from bayescompare.table.writing import check_file_is_writable, write_text
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
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
    def caveats(self) -> tuple[str, ...]:
        """What could turn this ranking, a sentence each: leaks, gaps, averages, one benchmark."""
        return caveats_of(self.results)

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
        return headline_words(self)

    def explain(self) -> str:
        """Say in plain words who is best, who may be, and under what assumption."""
        return ranking_words(self)

    def summary(self) -> pd.DataFrame:
        """Return the table a paper would print: `overall` if there is one, else `places`."""
        return self.places if self.answer.overall is None else self.overall

    def _repr_html_(self) -> str:
        """Show the verdict block in a notebook."""
        from bayescompare.report.card import block_of, card_html

        return card_html(block_of(self))

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

    def report(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        command: str | None = None,
        fragment: bool = False,
        figures: bool = False,
    ) -> Path:
        """Write a report in one file: ``.html`` with pictures, ``.md``, ``.tex`` or ``.json``.

        `command` is the command to show in it, by default the Python call. With ``.tex``,
        `fragment` writes only a table for a paper; with ``.tex`` and ``.md``, `figures` writes the
        figures too, into a folder that is named after the file.
        """
        from bayescompare.report import write_report

        return write_report(
            self, path, overwrite=overwrite, command=command, fragment=fragment, figures=figures
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

    def to_json(self, path: str | Path | None = None, *, overwrite: bool = False) -> str:
        """Return the ranking as JSON; also write it to `path`. `load_ranking` reads it."""
        text = ranking_to_document(self)
        if path is not None:
            write_text(check_file_is_writable(path, overwrite=overwrite), text)
        return text
