"""`Pairwise`: the same question about every pair of algorithms, and what it adds up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import is_whole
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import AnyArray, IntArray
from bayescompare.outcome.board_words import pairs_headline, pairs_words
from bayescompare.outcome.columns import PVALUE
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.decision import LIKELY, SETTLED, records_in_table
from bayescompare.outcome.effects import effects_at_once, pair_effects
from bayescompare.outcome.family import Guard, check_family, decide_for_family
from bayescompare.outcome.method import Method, is_bayesian, is_simultaneous
from bayescompare.outcome.pair_figures import (
    Judged,
    LazyComparisons,
    PairFigures,
    notes_words,
    pair_parts,
    records_at_once,
)
from bayescompare.outcome.verdicts import PairVerdicts, Rule, as_rule
from bayescompare.statements import Statement
from bayescompare.table.cells import pair_coverage
from bayescompare.table.results import Results
from bayescompare.table.words import caveats_of
from bayescompare.table.writing import check_file_is_writable, write_text
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from bayescompare.learned import Learned, LearnedPrior


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise:
    """One comparison per unordered pair of algorithms.

    `pairwise` returns one.

    Attributes
    ----------
    results : Results
        The whole table.
    method : Method
        The test used on each pair.
    comparisons : sequence of Comparison
        One per pair, the algorithm listed first in the table listed first. Of very many pairs each
        is made when it is asked for.
    reference : str or None
        The algorithm that the others were compared with, if one was named.
    skipped : tuple of (str, str, int)
        Pairs with fewer than two datasets in common, and how many they have.
    found : PairFigures, optional
        The figures of all pairs, where they were worked out at once.
    taught : Learned, optional
        What the pairs taught each other; see `learned`.
    guard : Guard, optional
        What the Dirichlet test with a learned prior says of the same pairs, where the method learns
        nothing: a verdict needs both.
    """

    results: Results
    method: Method
    comparisons: Sequence[Comparison]
    reference: str | None = None
    skipped: tuple[tuple[str, str, int], ...] = ()
    found: PairFigures | None = field(default=None, kw_only=True)
    taught: Learned | None = field(default=None, kw_only=True)
    guard: Guard | None = field(default=None, kw_only=True)

    def __getitem__(self, pair: tuple[str, str] | int) -> Comparison:
        """Return the comparison of a pair, whichever is named first, or the one at a position."""
        if is_whole(pair):
            return self._at(pair)
        comparison = self._find(pair)
        if comparison is None:
            named = " vs ".join(map(str, pair)) if isinstance(pair, (tuple, list)) else str(pair)
            known = map(" vs ".join, self.figures.pairs)
            raise BayescompareError(
                f"no comparison of {pair!r} here: name two algorithms, as in "
                f"p[{', '.join(map(repr, self.figures.pairs[0]))}].{did_you_mean(named, known)}"
            )
        return comparison

    def __iter__(self) -> Iterator[Comparison]:
        """Go through the comparisons, one per pair."""
        return iter(self.comparisons)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.comparisons)

    def __contains__(self, pair: object) -> bool:
        """Whether a pair, in either order, or a comparison is here."""
        if isinstance(pair, Comparison):
            place = self._places.get(frozenset(pair.results.algorithms))
            return place is not None and self.comparisons[place] is pair
        return self._place(pair) is not None

    def _at(self, position: int) -> Comparison:
        if not -len(self) <= position < len(self):
            raise BayescompareError(
                f"no comparison at position {position}: there are {len(self)}, and the first is 0."
            )
        return self.comparisons[position]

    def _find(self, pair: object) -> Comparison | None:
        place = self._place(pair)
        return None if place is None else self.comparisons[place]

    def _place(self, pair: object) -> int | None:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            return None
        return self._places.get(frozenset(name for name in pair if isinstance(name, str)))

    @cached_property
    def _places(self) -> dict[frozenset[str], int]:
        """Where each pair stands, in either order."""
        return {frozenset(pair): place for place, pair in enumerate(self.figures.pairs)}

    # figures -------------------------------------------------------------------------------------

    @cached_property
    def figures(self) -> PairFigures:
        """The figures of all pairs as columns, without a comparison being made."""
        return PairFigures.of(self.comparisons) if self.found is None else self.found

    @property
    def tables(self) -> Sequence[Judged]:
        """Names, datasets and notes of the table behind each pair."""
        if isinstance(self.comparisons, LazyComparisons):
            return self.comparisons.tables
        return [c.results for c in self.comparisons]

    @property
    def examples(self) -> Sequence[Comparison]:
        """The comparisons that show how all were made: the first where all are exact, else all."""
        return self.comparisons if self.found is None else self.comparisons[:1]

    @cached_property
    def bayesian(self) -> bool:
        """Whether the figures are probabilities rather than p-values."""
        return is_bayesian(self.method)

    @cached_property
    def directed(self) -> bool:
        """Whether a pair has a p-value for each of the two directions."""
        return not self.bayesian and PVALUE in self.comparisons[0].answer.per_statement

    @property
    def matrix(self) -> xr.DataArray:
        """Bayesian: P("algorithm better than opponent on every measure" is the most probable).

        Frequentist: the pair's p-value; ``"gsd"`` has one for each direction, the one-sided
        p-value of "algorithm dominates opponent". The diagonal, and pairs not compared, are NaN.
        """
        name = "probability" if self.bayesian else "pvalue"
        return self._square(name, self.figures.dominance.T)

    @property
    def best(self) -> xr.DataArray:
        """The most probable statement of each pair."""
        named = zip(self.figures.statements, self.figures.pairs, strict=True)
        seen = [
            [_pairwise_comparison_seen_from(label, pair, first) for first in pair]
            for label, pair in named
        ]
        return self._square("best", np.array(seen, dtype=object).reshape(-1, 2).T, "")

    @property
    def best_probability(self) -> xr.DataArray:
        """Probability of each pair's most probable statement (frequentist: the p-value)."""
        return self._square("best_probability", np.tile(self.figures.levels, (2, 1)))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """How large the differences are: a row for each pair (first, second) and measure.

        The other columns are those of `Comparison.effects`.
        """
        if self.found is None:
            return pair_effects(self.comparisons)
        return effects_at_once(self.results, self.tables)

    @property
    def parts(self) -> pd.DataFrame:
        """Who is ahead in each pair on each measure by itself, and how sure that is.

        Indexed by first, second and measure: ``ahead`` (empty if nobody is), datasets that the
        first ``won``, ``lost`` and ``tied``, the ``probability`` that this is the most frequent
        outcome there, ``alone`` under the pair's own prior (frequentist: ``pvalue``), and the
        ``word``: "better" where both reach 0.95, "ahead" from 0.80 on, "level", and "equal" within
        the rope. Empty where a method does not judge each measure.
        """
        return self.parts_at(SETTLED)

    def parts_at(self, level: float) -> pd.DataFrame:
        """Return `parts` with words for another level."""
        parts = pair_parts(
            self.figures, self._records, self.results.measures, level=level, bayesian=self.bayesian
        )
        return parts if self.guard is None else self.guard.parted(parts, level)

    @cached_property
    def _records(self) -> IntArray:
        """On how many datasets the first of each pair won, lost and tied, (P, m, 3)."""
        if self.found is not None:
            return records_at_once(self.results, self.tables)
        each = [np.stack(records_in_table(c.results), axis=-1) for c in self.comparisons]
        return np.stack(each)

    @cached_property
    def learned(self) -> Learned | LearnedPrior | None:
        """What the pairs taught each other about their priors; None where nothing was learned.

        It has ``base`` (how often each pattern is expected), ``weights`` (of strengths A and shares
        q of pairs without a difference, by pair), ``null`` (P(no difference) of each pair) and
        ``lenders`` (how many pairs taught each). Methods with one prior for all pairs have that.
        """
        if self.taught is not None:
            return self.taught
        learned: LearnedPrior | None = getattr(self.comparisons[0].method, "learned", None)
        gathered = getattr(learned, "gathered", None)
        return learned if gathered is None else gathered(self.comparisons)

    def decide(
        self,
        *,
        level: float | None = None,
        fdr: float | None = None,
        floor: float = LIKELY,
        family: float | None = None,
    ) -> pd.DataFrame:
        """Return for which pairs a verdict holds, one candidate statement per pair.

        Parameters
        ----------
        level : float
            Each pair by itself; 0.95 by default. Bayesian: P of its best statement is at least
            `level`, and so is P of what it says of every measure by itself, under the prior
            learned from all pairs and under the pair's own. So no pair gets a verdict that
            `compare` leaves open. Frequentist: the p-value after Holm's correction is at most
            1 − `level`, so that the probability of any false rejection is.
        fdr : float
            Instead of `level`, all pairs together. Bayesian: the largest set of surest pairs with
            mean(1 − P) at most `fdr`, P being the least of the statement and of its measures: the
            expected share of false ones, if the prior is right.
            Frequentist: Holm's correction at `fdr`.
        floor : float
            With `fdr`, the least P that may get a verdict.
        family : float
            Instead of `level`, all pairs and measures together, whoever else is in the table: with
            probability 1 − `family` no verdict is false, if differences without a cause are as
            often positive as negative. By sign flips of the datasets with step-down (Westfall &
            Young 1993); no posterior is asked, and five datasets or fewer decide nothing.

        Returns
        -------
        DataFrame
            The surest pair first: first, second, n (datasets), coverage where cells are missing
            (the share of datasets and measures that both have), statement; probability and alone
            (P under the pair's own prior), or pvalue and adjusted; parts (the least P of what the
            statement says of each measure; frequentist: the largest p-value); running_fdr with
            `fdr`; decision: "better", "trade-off", "equal", "leads" (the statement reaches the
            level, and some measure does not) or "open"; asserted, which says whether there is a
            verdict: one of the first three. A pair with fewer than two common datasets has NaN.
            With a guard (see `pairwise`): guard has the P of the same statement under the prior
            learned from all pairs, NaN where that names another.
            With `family`: adjusted is the largest p-value of a measure, and separated has the
            measures on which the two are separated; a verdict needs all of them.
        """
        if family is not None:
            if level is not None or fdr is not None or floor != LIKELY:
                raise BayescompareError(
                    f"family={family!r} is a rule by itself: leave out level=, fdr= and floor=."
                )
            pairs = [*self.figures.pairs, *(row[:2] for row in self.skipped)]
            return decide_for_family(self.results, pairs, check_family(family))
        return self.decided(as_rule(level=level, fdr=fdr, floor=floor))

    def decided(self, rule: Rule) -> pd.DataFrame:
        """Decide as `decide` does, by a rule; a page asks for the same ones many times."""
        known = self._decided.get(rule)
        if known is None:
            table = self._candidates
            known = (
                rule.probable(table)
                if self.bayesian
                else rule.significant(table, simultaneous=is_simultaneous(self.method))
            )
            if self.guard is not None:
                known = self.guard.decided(known, rule.threshold)
            self._decided[rule] = known
        return known.copy()

    @cached_property
    def _decided(self) -> dict[Rule, pd.DataFrame]:
        """What was decided, by rule."""
        return {}

    @cached_property
    def _candidates(self) -> pd.DataFrame:
        """The best statement of every pair and how sure it is, the surest first."""
        figures = ["probability", "alone"] if self.bayesian else ["pvalue"]
        if self._bounded:
            figures.append("lowest")
        figures.append("parts")
        found = self.figures
        columns: list[Sequence[Any]] = [
            [first for first, _ in found.pairs],
            [second for _, second in found.pairs],
            found.datasets.tolist(),
            found.statements,
            *self._levels(found),
            found.least.tolist(),
        ]
        rows = list(zip(*columns, strict=True))
        rows += [
            (first, second, n, "", *(np.nan for _ in figures)) for first, second, n in self.skipped
        ]
        table = pd.DataFrame(rows, columns=["first", "second", "n", "statement", *figures])
        if self._coverage is not None:
            named = zip(table["first"], table["second"], strict=True)
            table.insert(3, "coverage", [self._coverage.loc[pair] for pair in named])
        # A pair is as sure as the least that its verdict would rest on.
        columns_ = [name for name in figures if name != "alone"]
        sure = table[columns_].min(axis=1) if self.bayesian else table[columns_].max(axis=1)
        sure = sure.where(table[figures[0]].notna())
        order = sure.sort_values(ascending=not self.bayesian, kind="stable").index
        return table.loc[order].reset_index(drop=True)

    @cached_property
    def _coverage(self) -> pd.DataFrame | None:
        """Share of (dataset, measure) pairs on which both algorithms have a value.

        None where no cell is missing.
        """
        absent = self.results.absent()
        if not absent.any():
            return None
        names = list(self.results.algorithms)
        return pd.DataFrame(pair_coverage(absent), index=names, columns=names)

    @property
    def _bounded(self) -> bool:
        """Whether P was bounded over the values of missing cells."""
        return bool((~np.isnan(self.figures.lowest)).any())

    def _levels(self, found: PairFigures) -> list[list[float]]:
        """P of the best statements, and under each pair's own prior; or the p-values."""
        if not self.bayesian:
            return [found.levels.tolist()]
        columns = [found.levels, found.alone, *([found.lowest] if self._bounded else [])]
        # A pair without such a figure is as sure as it is.
        return [np.where(np.isnan(one), found.levels, one).tolist() for one in columns]

    def order(self, *, level: float | None = None, fdr: float | None = None) -> nx.DiGraph[str]:
        """Return the winners as a graph: an edge from winner to loser on every measure.

        Verdicts that name no winner on every measure, trade-offs among them, order nothing; they
        are kept in the graph's attribute ``"mixed"``. "Better on most datasets" is not transitive:
        A may beat B, B beat C and C beat A. Such cycles are in the attribute ``"cycles"``, each
        as the algorithms in turn; where there are none the edges are part of a ranking.
        """
        return self.ordered(as_rule(level=level, fdr=fdr))

    def ordered(self, rule: Rule) -> nx.DiGraph[str]:
        """Order as `order` does, by a rule."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph(mixed=[])
        graph.add_nodes_from(self.results.algorithms)
        decided = self.decided(rule)
        figure = "probability" if self.bayesian else "pvalue"
        for row in decided[decided["asserted"]].to_dict("records"):
            statement = Statement.parse(row["statement"])
            if not statement.is_dominance:
                graph.graph["mixed"].append((row["first"], row["second"], row["statement"]))
                continue
            winner, loser = statement.states[0].names
            graph.add_edge(winner, loser, **{figure: row[figure]}, statement=row["statement"])
        graph.graph["cycles"] = _pairwise_comparison_cycles(graph)
        return graph

    # tables and words ----------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """Return a row per pair: its best statement, its figure, and P of either dominance."""
        found = self.figures
        columns: dict[str, Any] = {
            "first": [first for first, _ in found.pairs],
            "second": [second for _, second in found.pairs],
            "datasets": found.datasets,
            "statement": found.statements,
            "probability" if self.bayesian else "pvalue": found.levels,
        }
        if self.bayesian:
            columns["first better on all"] = found.dominance[:, 0]
            columns["second better on all"] = found.dominance[:, 1]
        return pd.DataFrame({**columns, "state": found.states})

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could turn these answers, a sentence each: leaks, gaps, averages, one benchmark."""
        # What is about some pairs only stands in the words; here that they differ is enough.
        notes = [text for text in notes_words(self.tables) if not text.startswith("Note on ")]
        notes = [text for text in notes if not text.endswith("see results.notes of each.")]
        return caveats_of(self.results, [text.removeprefix("Note: ") for text in notes])

    @cached_property
    def decision(self) -> PairVerdicts:
        """Who stands first, who beats whom and who may be advised, at the usual level.

        Besides these it has what every decision has: ``state`` ("better" where one beats all
        others), ``settled``, ``statement`` (in words), ``probability`` (the least that a verdict
        rests on) and ``parts``.
        """
        return PairVerdicts.of(self, Rule())

    def headline(self, *, level: float | None = None, fdr: float | None = None) -> str:
        """Say in one sentence who stands first, and how many are clearly behind."""
        return pairs_headline(self, PairVerdicts.of(self, as_rule(level=level, fdr=fdr)))

    def explain(self, *, level: float | None = None, fdr: float | None = None) -> str:
        """Say in plain words for which pairs a winner can be named, and for which not."""
        return self.explained(as_rule(level=level, fdr=fdr))

    def explained(self, rule: Rule) -> str:
        """Explain as `explain` does, by a rule."""
        return " ".join([*filter(None, pairs_words(self, rule)), *notes_words(self.tables)])

    def _repr_html_(self) -> str:
        """Show the verdict block in a notebook."""
        from bayescompare.report.card import block_of, card_html

        return card_html(block_of(self))

    def __repr__(self) -> str:
        return (
            f"Pairwise by {self.method.name}: {plural(len(self) + len(self.skipped), 'pair')} of "
            f"{plural(len(self.results.algorithms), 'algorithm')} on "
            f"{', '.join(self.results.measures)}\n"
            f"  {self.headline()}\n"
            "  see .explain(), .matrix, .best, .summary(), .decide(), .order(), .plot()"
        )

    # pictures and files --------------------------------------------------------------------------

    def plot(
        self,
        kind: str | None = None,
        *,
        measure: str | None = None,
        level: float | None = None,
        fdr: float | None = None,
        order: Sequence[str] | str | None = None,
        title: str | None = None,
        figsize: tuple[float, float] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the heat map of `matrix`, or the verdicts at `level` or by `fdr`.

        That is a Hasse diagram (``"order"``), the matrix of most probable statements
        (``"dominance"``) or a critical-difference diagram (``"critical"``) of the ranks on
        `measure`, which is needed where there are several. `order` is ``"place"`` or a list of
        the algorithms, `title` replaces the usual title, and `figsize` is in inches.
        """
        from bayescompare import plots

        return plots.plot_pairwise(
            self,
            kind=kind,
            measure=measure,
            level=level,
            fdr=fdr,
            order=order,
            title=title,
            figsize=figsize,
            ax=ax,
        )

    def report(
        self,
        path: str | Path,
        *,
        level: float | None = None,
        fdr: float | None = None,
        overwrite: bool = False,
        command: str | None = None,
        fragment: bool = False,
        figures: bool = False,
    ) -> Path:
        """Write a report in one file: ``.html`` with pictures, ``.md``, ``.tex`` or ``.json``.

        `level` or `fdr` decides which pairs get a verdict, as for `decide`; `command` is the
        command to show in it, by default the Python call. With ``.tex``, `fragment` writes only a
        table for a paper; with ``.tex`` and ``.md``, `figures` writes the figures too, into a
        folder that is named after the file.
        """
        from bayescompare.report import write_report

        return write_report(
            self,
            path,
            level=level,
            fdr=fdr,
            overwrite=overwrite,
            command=command,
            fragment=fragment,
            figures=figures,
        )

    def to_json(
        self,
        path: str | Path | None = None,
        *,
        level: float | None = None,
        fdr: float | None = None,
        overwrite: bool = False,
    ) -> str:
        """Return all comparisons as JSON; also write it to `path`, for `load_pairwise`."""
        from bayescompare.outcome.saved import pairwise_as_json

        text = pairwise_as_json(self, as_rule(level=level, fdr=fdr))
        if path is not None:
            write_text(check_file_is_writable(path, overwrite=overwrite), text)
        return text

    def _square(self, name: str, figures: AnyArray, empty: Any = np.nan) -> xr.DataArray:
        """Lay figures (2, P), seen from the first and from the second, out as a matrix."""
        algorithms = list(self.results.algorithms)
        place = {name: k for k, name in enumerate(algorithms)}
        values: AnyArray = np.full((len(algorithms),) * 2, empty, dtype=figures.dtype)
        at = np.array([[place[name] for name in pair] for pair in self.figures.pairs])
        first, second = at.reshape(-1, 2).T
        values[first, second], values[second, first] = figures
        coords = {"algorithm": algorithms, "opponent": algorithms}
        attrs = {"method": self.method.name}
        return xr.DataArray(values, coords, ("algorithm", "opponent"), name=name, attrs=attrs)


def _pairwise_comparison_seen_from(label: str, pair: tuple[str, str], first: str) -> str:
    """The statement with `first` named first, which matters only for equivalence."""
    if Statement.names_only_orders(label):
        return label
    return str(Statement.parse(label, pair).seen_from(first))


def _pairwise_comparison_cycles(graph: nx.DiGraph[str]) -> list[tuple[str, ...]]:
    """One shortest cycle of each group of algorithms that are all above each other.

    Listing all would take too long: their number grows exponentially, and one makes the point.
    """
    import networkx as nx

    cycles = []
    for group in nx.strongly_connected_components(graph):
        # By name, so that the listing of the algorithms does not choose the cycle.
        inside: nx.DiGraph[str] = nx.DiGraph()
        inside.add_nodes_from(sorted(group))
        inside.add_edges_from(sorted(graph.subgraph(group).edges))
        turns = [nx.shortest_path(inside, loser, winner) for winner, loser in inside.edges]
        if turns:
            cycles.append(
                min((len(turn), _pairwise_comparison_cycle_start(turn)) for turn in turns)[1]
            )
    return sorted(cycles)


def _pairwise_comparison_cycle_start(turn: list[str]) -> tuple[str, ...]:
    start = turn.index(min(turn))
    return (*turn[start:], *turn[:start])
