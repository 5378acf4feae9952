"""What can be asked of an answer about generalised stochastic dominance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.methods.gsd.problem import (
    DominanceProblem,
    OrderDetails,
    PairDetails,
    contaminated_pvalues,
    front_of,
    intransitive_triples,
    not_dominated_pvalues,
    strict_order,
    thresholds_of,
)
from bayescompare.outcome.columns import SHARE_BELOW
from bayescompare.outcome.decision import SIGNIFICANT
from bayescompare.outcome.posterior import Posterior, Tested

if TYPE_CHECKING:
    import networkx as nx

    from bayescompare.methods.gsd import GSD, GsdMethod


#: What an order of more than two algorithms does not have.
_OF_TWO = ("pvalue", "statistic", "share_below", "witness", "robustness", "draws")


class Dominance(Posterior):
    """An answer about generalised stochastic dominance, of two algorithms or of more.

    Of two the test is in `pvalue`, `statistic` and `share_below`; of more the order is in
    `relation`, untested.
    """

    method: GsdMethod

    @property
    def delta_max(self) -> float | xr.DataArray:
        """The largest δ that some utility allows; of more than two algorithms for every pair."""
        if self._is_pair:
            return PairDetails.of(self.answer).delta_max
        return self._square("delta_max", self._order.delta_max, float)

    @property
    def relation(self) -> xr.DataArray:
        """Whether each algorithm dominates each, at the method's δ; the diagonal is True."""
        if self._is_pair:
            first, second = PairDetails.of(self.answer).dominates
            return self._square("relation", [[True, first], [second, True]], bool)
        return self._square("relation", self._order.relation, bool)

    @property
    def front(self) -> tuple[str, ...]:
        """The algorithms that no other strictly dominates (the GSD-front)."""
        return front_of(self.relation.values, self.results.algorithms)

    @property
    def incomparable(self) -> list[tuple[str, str]]:
        """The pairs of which neither dominates the other."""
        names, held = self.results.algorithms, self.relation.values
        return [
            (names[i], names[j])
            for i, j in itertools.combinations(range(len(names)), 2)
            if not (held[i, j] or held[j, i])
        ]

    @cached_property
    def thresholds(self) -> xr.DataArray:
        """Smallest δ at which each algorithm dominates each, exactly; infinite where none does.

        The order grows with δ: fewer utilities are left to object.
        """
        thresholds = thresholds_of(self._pairs, self.results.algorithms)
        return self._square("thresholds", thresholds, float)

    def relation_at(self, delta: float) -> xr.DataArray:
        """Who dominates whom at another δ."""
        number: object = delta
        if not isinstance(number, (int, float)) or not 0.0 <= number < 1.0:
            raise BayescompareError(f"delta={delta!r}: must be a number in [0, 1).")
        # An infinite threshold is never reached; one just at δ is, up to rounding.
        held = self.thresholds.values <= delta * (1.0 + 1e-9) + 1e-15
        np.fill_diagonal(held, True)
        return self._square("relation", held, bool)

    def order(self) -> nx.DiGraph[str]:
        """Return the Hasse diagram: an edge from each algorithm to those next below it.

        Each pair is judged on its own vectors unless ``system="all"``, so that A may dominate B and
        B dominate C, but A not C. Such triples are in the attribute ``"intransitive"``; where there
        are any the graph has an edge for each pair in the relation, and paths mean nothing.
        """
        import networkx as nx

        names, relation = self.results.algorithms, self.relation.values
        triples = intransitive_triples(relation, names)
        graph: nx.DiGraph[str] = nx.DiGraph(
            incomparable=self.incomparable, mixed=[], cycles=[], intransitive=triples
        )
        graph.add_nodes_from(names)
        graph.add_edges_from((names[i], names[j]) for i, j in np.argwhere(strict_order(relation)))
        if triples:
            return graph
        reduced = nx.transitive_reduction(graph)
        reduced.graph.update(graph.graph)
        return reduced

    @property
    def witness(self) -> pd.DataFrame:
        """Two utilities over the quality vectors: the worst one for each algorithm.

        Of an incomparable pair, the one of a column named "for B" prefers B, and so shows why A
        does not dominate. The last two columns count the datasets with each vector.
        """
        pair, names = self._pair, self.results.algorithms
        first, second = pair.witnesses()
        signs = [self.results[name].sign for name in self.results.measures]
        table = pd.DataFrame(pair.system.points * signs, columns=list(self.results.measures))
        heads = f"utility for {names[1]}", f"utility for {names[0]}"
        table[heads[0]], table[heads[1]] = first, second
        for name, points in zip(names, (pair.system.x, pair.system.y), strict=True):
            # A measure may be called like an algorithm.
            head = f"datasets of {name}"
            table[head] = np.bincount(points, minlength=len(table))
        return table.sort_values(list(self.results.measures), ignore_index=True)

    @property
    def rows(self) -> pd.DataFrame | None:
        """The summary of more than two algorithms: a row for each pair."""
        if self._is_pair:
            return None
        names, opt = self.results.algorithms, self._order.opt
        rows = {
            f"{names[i]}, {names[j]}": (self._relation_word(i, j), opt[i][j], opt[j][i])
            for i, j in itertools.combinations(range(len(names)), 2)
        }
        heads = ["relation", "opt first over second", "opt second over first"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=heads).rename_axis("pair")

    def why_not(self, quantity: str) -> str:
        """Say what is about two algorithms only."""
        if quantity in _OF_TWO and not self._is_pair:
            return (
                f"{quantity} is of a test of two algorithms, and this is the order of "
                f"{len(self.results.algorithms)}: name two by algorithms=[...], or ask pairwise()."
            )
        return super().why_not(quantity)

    # inside --------------------------------------------------------------------------------------

    @property
    def _is_pair(self) -> bool:
        return len(self.results.algorithms) == 2

    @property
    def _order(self) -> OrderDetails:
        return OrderDetails.of(self.answer)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], DominanceProblem]:
        return self.method.pairs(self.results)

    @property
    def _pair(self) -> DominanceProblem:
        return next(iter(self._pairs.values()))

    def _relation_word(self, i: int, j: int) -> str:
        names, held = self.results.algorithms, self.relation.values
        if held[i, j] and held[j, i]:
            return "equivalent"
        if held[i, j] or held[j, i]:
            winner, loser = (i, j) if held[i, j] else (j, i)
            return f"{names[winner]} dominates {names[loser]}"
        return "incomparable"

    def _square(self, name: str, values: Any, dtype: type) -> xr.DataArray:
        names = list(self.results.algorithms)
        square: np.ndarray[Any, Any] = np.array(
            [[math.nan if v is None else v for v in row] for row in values], dtype=dtype
        )
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(square, coords, ("algorithm", "opponent"), name=name, attrs=self.attrs)


class DominanceTest(Dominance, Tested):
    """The permutation test of two algorithms, and of the front."""

    method: GSD

    @property
    def share_below(self) -> float:
        """Share of the resamples strictly below the statistic, as in the paper's Table 3."""
        return float(self.answer.per_statement[SHARE_BELOW][self._lead])

    def robustness(self, gammas: Sequence[float] | None = None, *, rng: Rng = None) -> pd.DataFrame:
        r"""The p-value if a share γ of the datasets' vectors were corrupted in the worst way.

        With γ of each distribution anything, the statistic may have been lower by as much as

        .. math:: \mathrm{opt}_I - \mathrm{opt} \ge -\frac{2\gamma}{1 - \gamma}

        counts a resample as at or above it (Jansen et al. 2023).

        Parameters
        ----------
        gammas : sequence of float, optional
            Shares in [0, 1), rising; 0 and a grid from 1e-5 to 0.2 by default.
        rng : None, int or Generator
            The seed of the answer by default, so that γ = 0 has its p-value.

        Returns
        -------
        DataFrame
            gamma, pvalue, and `corrupted`, γ in datasets; ``attrs["robust_up_to"]`` is the largest
            γ of these with p ≤ 0.05, None if there is none. The p-value is two-sided where the
            test is.
        """
        usual = np.concatenate([[0.0], np.geomspace(1e-5, 0.2, 87)])
        try:
            chosen = usual if gammas is None else np.asarray(gammas, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise BayescompareError(f"gammas={gammas!r}: give shares in [0, 1).") from None
        if chosen.ndim != 1 or not len(chosen) or not ((chosen >= 0) & (chosen < 1)).all():
            raise BayescompareError(f"gammas={gammas!r}: give shares in [0, 1).")
        # The resamples of the answer itself, where its seed is known.
        generator, _ = as_rng(self.answer.seed if rng is None else rng)
        sign = 1.0 if self._lead == 0 else -1.0
        one_sided = contaminated_pvalues(self.method, self._pair, sign, chosen, generator)
        pvalues = np.minimum(1.0, self.method.sides * one_sided)
        table = pd.DataFrame({"gamma": chosen, "pvalue": pvalues})
        table["corrupted"] = chosen * len(self.results.datasets)
        held = table.loc[table["pvalue"] <= SIGNIFICANT, "gamma"]
        table.attrs["robust_up_to"] = None if held.empty else float(held.max())
        return table

    def front_test(self, *, algorithm: str | None = None, rng: Rng = None) -> pd.DataFrame:
        """Test for every algorithm, or for one, that no other dominates it.

        The hypothesis that some other dominates it falls only if it falls for every other: the
        p-value is the largest over the others of P(a resample's optimum is at most the observed
        one), labels being exchangeable (Jansen et al. 2024).

        Parameters
        ----------
        algorithm : str, optional
            The one to test, chosen before looking at the data, so that there is nothing to correct
            for; all of them by default.
        rng : None, int or Generator
            One seed gives an algorithm the same p-value whether it is asked about alone or not.

        Returns
        -------
        DataFrame
            Indexed by algorithm: `front` (whether it is in the front of these data), `pvalue` (of
            being dominated), `holm` (the same after Holm's correction for the number of
            algorithms asked about), `closest` (the other that is hardest to exclude).
        """
        names = self.results.algorithms
        if algorithm is not None and algorithm not in names:
            raise BayescompareError(
                f"algorithm={algorithm!r} is not one of those compared ({', '.join(names[:12])})."
                f"{did_you_mean(str(algorithm), names)}"
            )
        generator, _ = as_rng(rng)
        asked = names if algorithm is None else (algorithm,)
        pvalues: dict[str, dict[str, float]] = {name: {} for name in asked}
        # One stream per pair, so that an algorithm's p-value does not depend on who else is asked.
        streams = generator.spawn(len(self._pairs))
        for ((first, second), pair), stream in zip(self._pairs.items(), streams, strict=True):
            if first in pvalues or second in pvalues:
                by_first, by_second = not_dominated_pvalues(self.method, pair, stream)
                pvalues.get(second, {})[first] = by_first
                pvalues.get(first, {})[second] = by_second
        table = pd.DataFrame(index=pd.Index(asked, name="algorithm"))
        table["front"] = [name in self.front for name in asked]
        table["pvalue"] = [max(pvalues[name].values()) for name in asked]
        table["holm"] = holm(table["pvalue"])
        table["closest"] = [max(pvalues[name], key=pvalues[name].__getitem__) for name in asked]
        return table

    @property
    def _lead(self) -> int:
        assert self.answer.tested is not None
        return self.answer.tested
