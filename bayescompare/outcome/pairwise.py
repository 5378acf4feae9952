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
from bayescompare.outcome.answer import PVALUE, Shown
from bayescompare.outcome.board_words import pairs_headline, pairs_words
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.decision import LIKELY, SETTLED, records_in_table
from bayescompare.outcome.family import Guard, check_family, decide_for_family
from bayescompare.outcome.method import Method, is_bayesian, is_simultaneous
from bayescompare.outcome.pair_figures import (
    Judged,
    LazyComparisons,
    PairFigures,
    effects_at_once,
    notes_said,
    pair_effects,
    pair_parts,
    records_at_once,
)
from bayescompare.outcome.verdicts import PairVerdicts, Rule, as_rule
from bayescompare.outcome.words import say
from bayescompare.statements import Statement
from bayescompare.table.cells import pair_coverage
from bayescompare.table.results import Results
from bayescompare.table.words import caveats_of
from bayescompare.table.writing import check_file_is_writable, write_text
from bayescompare.text.names import whole_name
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from bayescompare.learned import Learned, LearnedPrior


#: What pages, pictures and words read; users ask the same by other names.
_INSIDE = frozenset(
    {
        *("bayesian", "directed", "examples", "figures", "found", "taught"),
        *("decided", "explained", "ordered", "parts_at"),
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(Shown):
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
            if not -len(self) <= pair < len(self):
                raise BayescompareError(
                    f"no comparison at position {pair}: there are {len(self)}, and the first is 0."
                )
            return self.comparisons[pair]
        place = self._place(pair)
        if place is None:
            named = " vs ".join(map(str, pair)) if isinstance(pair, (tuple, list)) else str(pair)
            known = map(" vs ".join, self.figures.pairs)
            raise BayescompareError(
                f"no comparison of {pair!r} here: name two algorithms, as in "
                f"p[{', '.join(map(repr, self.figures.pairs[0]))}].{did_you_mean(named, known)}"
            )
        return self.comparisons[place]

    def __iter__(self) -> Iterator[Comparison]:
        """Go through the comparisons, one per pair."""
        return iter(self.comparisons)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.comparisons)

    def __contains__(self, pair: object) -> bool:
        """Whether a pair, in either order, or a comparison is here."""
        if isinstance(pair, Comparison):
            place = self._place(pair.results.algorithms)
            return place is not None and self.comparisons[place] is pair
        return self._place(pair) is not None

    def __dir__(self) -> list[str]:
        """List what users ask, one name for each thing."""
        return sorted({*super().__dir__()} - _INSIDE)

    def _place(self, pair: object) -> int | None:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            return None
        known = self.results.algorithms
        return self._places.get(frozenset(whole_name(a, known) for a in pair if isinstance(a, str)))

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
        seen = []
        for label, pair in zip(self.figures.statements, self.figures.pairs, strict=True):
            # Whoever is named first matters only for equivalence.
            both = [label, label]
            if not Statement.names_only_orders(label):
                both = [str(Statement.parse(label, pair).seen_from(first)) for first in pair]
            seen.append(both)
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

    def separate(self, *, test: str = "wilcoxon") -> pd.DataFrame:
        """Test every measure by itself, beside the joint statement of each pair.

        Parameters
        ----------
        test : {"wilcoxon", "sign"}

        Returns
        -------
        DataFrame
            Indexed by first, second and measure: who is ``ahead`` by the test, its two-sided
            ``pvalue``, and the ``one_sided`` one in this direction, to be compared with half of a
            level; whom the pair's most probable statement names there (``joint``) with its
            ``probability``, and whether the two ``contradicts`` each other. Nothing is corrected
            for the number of tests.

        Examples
        --------
        >>> import bayescompare as bc
        >>> p = bc.pairwise(bc.load_example("benavoli-example1"), n_jobs=1)
        >>> p.separate()[["ahead", "one_sided", "joint"]].round(3).values.tolist()
        [['B', 0.073, 'B'], ['B', 0.194, 'B']]
        """
        from bayescompare.outcome.pair_figures import tested_separately

        return tested_separately(self, test)

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
            level, and some measure does not), "open" or "none" (fewer than two datasets in common,
            and so NaN); asserted, which says whether there is a verdict: one of the first three.
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
            if self.bayesian:
                known = rule.probable(self._candidates)
            else:
                simultaneous = is_simultaneous(self.method)
                known = rule.significant(self._candidates, simultaneous=simultaneous)
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
        found, absent = self.figures, self.results.absent()
        bounded = not np.isnan(found.lowest).all()
        figures = {"probability" if self.bayesian else "pvalue": found.levels}
        if self.bayesian:
            # A pair without such a figure is as sure as it is.
            figures["alone"] = np.where(np.isnan(found.alone), found.levels, found.alone)
        if self.bayesian and bounded:
            figures["lowest"] = np.where(np.isnan(found.lowest), found.levels, found.lowest)
        figures["parts"] = found.least
        first, second = zip(*found.pairs, strict=True)
        named = {"first": first, "second": second, "n": found.datasets}
        table = pd.DataFrame({**named, "statement": found.statements, **figures})
        if self.skipped:
            heads = ["first", "second", "n"]
            few = pd.DataFrame(self.skipped, columns=heads).assign(statement="")
            unknown = few.assign(**dict.fromkeys(figures, np.nan))
            table = pd.concat([table, unknown], ignore_index=True)
        if absent.any():
            # The share of datasets and measures on which both algorithms have a value.
            place = {name: k for k, name in enumerate(self.results.algorithms)}
            shares = pair_coverage(absent)
            at = [table[name].map(place) for name in ("first", "second")]
            table.insert(3, "coverage", shares[*at])
        # A pair is as sure as the least that its verdict would rest on.
        rests = table[[name for name in figures if name != "alone"]]
        sure = rests.min(axis=1) if self.bayesian else rests.max(axis=1)
        sure = sure.where(table[next(iter(figures))].notna())
        order = sure.sort_values(ascending=not self.bayesian, kind="stable").index
        return table.loc[order].reset_index(drop=True)

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
        graph.graph["cycles"] = _cycles(graph)
        return graph

    # tables and words ----------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """Return a row per pair: its best statement, its figure, and P of either dominance."""
        found = self.figures
        first, second = zip(*found.pairs, strict=True)
        columns: dict[str, Any] = {
            "first": first,
            "second": second,
            "datasets": found.datasets,
            "statement": found.statements,
            "probability" if self.bayesian else "pvalue": found.levels,
        }
        if self.bayesian:
            columns["first better on all"], columns["second better on all"] = found.dominance.T
        return pd.DataFrame({**columns, "state": found.states})

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could turn these answers, a sentence each: leaks, gaps, averages, one benchmark."""
        # What is about some pairs only stands in explain(); here that they differ is enough.
        said = notes_said(self.tables)
        notes = [values["note"] for name, values in said if name == "note"]
        return caveats_of(
            self.results, [say(name, **values) for name, values in said if name == "spread"] + notes
        )

    @cached_property
    def decision(self) -> PairVerdicts:
        """Who stands first, who beats whom and who may be advised, at the usual level.

        Besides these it has what every decision has: ``state`` ("better" where one beats all
        others), ``settled``, ``statement`` (in words), ``probability`` (the least that a verdict
        rests on) and ``parts``.
        """
        return PairVerdicts(self, Rule())

    def headline(self, *, level: float | None = None, fdr: float | None = None) -> str:
        """Say in one sentence who stands first, and how many are clearly behind."""
        return pairs_headline(self, as_rule(level=level, fdr=fdr))

    def explain(self, *, level: float | None = None, fdr: float | None = None) -> str:
        """Say in plain words for which pairs a winner can be named, and for which not."""
        return self.explained(as_rule(level=level, fdr=fdr))

    def explained(self, rule: Rule) -> str:
        """Explain as `explain` does, by a rule."""
        return pairs_words(self, rule)

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


def _cycles(graph: nx.DiGraph[str]) -> list[tuple[str, ...]]:
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
        starts = [(turn, turn.index(min(turn))) for turn in turns]
        turned = [(len(turn), (*turn[start:], *turn[:start])) for turn, start in starts]
        cycles += [min(turned)[1]] if turned else []
    return sorted(cycles)
