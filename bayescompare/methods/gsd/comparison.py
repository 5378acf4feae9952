r"""What can be asked of an answer about generalised stochastic dominance.

**Contamination.** If a share γ of either distribution is anything at all, the worst case takes from
the statistic what it can and gives a resample what it can: with utilities between 0 and 1,

.. math:: (1 - \gamma)\,\mathrm{opt} - \gamma \quad\text{against}\quad
          (1 - \gamma)\,\mathrm{opt}_I + \gamma,

so that a resample counts as at or above the statistic unless
:math:`\mathrm{opt}_I < \mathrm{opt} - 2\gamma/(1 - \gamma)`.

References
----------
Jansen, Schollmeyer, Blocher, Rodemann & Augustin (2023), Robust statistical comparison of random
variables with locally varying scale of measurement.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import gammaln

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.kernels.gsd.optimum import TOLERANCE, both_optima, delta_threshold
from bayescompare.kernels.gsd.permutation import permuted_objectives
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.methods._shared.simplex import DRAWN, WEIGHT
from bayescompare.methods._shared.trees import add_constants, make_tree, ratio_prior
from bayescompare.methods.gsd.problem import (
    DominanceProblem,
    GsdDetails,
    OrderDetails,
    PairDetails,
    front_of,
    intransitive_triples,
    over_pairs,
    strict_order,
)
from bayescompare.methods.gsd.words import pair_headline
from bayescompare.outcome.answer import SHARE_BELOW, Facts
from bayescompare.outcome.decision import SIGNIFICANT, Decision
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.statements import Statement
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import networkx as nx

    from bayescompare.methods.gsd import GSD, GsdMethod


#: The name of the optima under the datasets' weights.
OPTIMUM = "opt"

_SAMPLE = ("chain", "draw")
#: What an order of more than two algorithms does not have.
_OF_TWO = ("pvalue", "statistic", "share_below", "witness", "robustness", "draws")


class Dominance(Posterior):
    """An answer about generalised stochastic dominance, of two algorithms or of more.

    Of two the test is in `pvalue`, `statistic` and `share_below`; of more the order is in
    `relation`, untested.
    """

    method: GsdMethod

    draws_are: ClassVar[str] = "Bayesian bootstrap"

    def claim(self, statement: str) -> str:
        """Say a relation in words: "A dominates B"."""
        # With the algorithms, because a name may contain a tilde.
        (state,) = Statement.parse(statement, self.results.algorithms).states
        return " dominates ".join(state.names) if state.relation == ">" else state.words()

    def headline(self, decision: Decision) -> str:
        """Say who is on the front, of more than two algorithms."""
        details = self.answer.facts
        if not isinstance(details, OrderDetails):
            return ""
        if len(details.front) == len(self.results.algorithms):
            return "No algorithm is dominated by another"
        return f"All but {join_names(details.front)} are dominated by another algorithm"

    @property
    def delta_max(self) -> float | xr.DataArray:
        """The largest δ that some utility allows; of more than two algorithms for every pair."""
        details = self.answer.facts
        if isinstance(details, PairDetails):
            return details.delta_max
        return self._square("delta_max", OrderDetails.of(self.answer).delta_max, float)

    @property
    def relation(self) -> xr.DataArray:
        """Whether each algorithm dominates each, at the method's δ; the diagonal is True."""
        details = self.answer.facts
        if isinstance(details, PairDetails):
            first, second = details.dominates
            return self._square("relation", [[True, first], [second, True]], bool)
        return self._square("relation", OrderDetails.of(self.answer).relation, bool)

    @property
    def front(self) -> tuple[str, ...]:
        """The algorithms that no other strictly dominates (the GSD-front)."""
        return front_of(self.relation.values, self.results.algorithms)

    @property
    def incomparable(self) -> list[tuple[str, str]]:
        """The pairs of which neither dominates the other."""
        names, held = self.results.algorithms, self.relation.values
        apart = np.argwhere(np.triu(~(held | held.T)))
        return [(names[i], names[j]) for i, j in apart.tolist()]

    @cached_property
    def thresholds(self) -> xr.DataArray:
        """Smallest δ at which each algorithm dominates each, exactly; infinite where none does.

        The order grows with δ: fewer utilities are left to object.
        """

        def both(pair: DominanceProblem) -> tuple[float, float]:
            w = pair.system.objective()
            return delta_threshold(pair.solver, w), delta_threshold(pair.solver, -w)

        found = over_pairs(self._pairs, self.results.algorithms, both)
        return self._square("thresholds", found, float)

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
        (pair,), names = self._pairs.values(), self.results.algorithms
        # There may be many, and which a solver finds depends on what it was asked before: a new
        # one finds the same ones each time.
        worst = pair.optima(type(pair.solver)(pair.system))
        signs = [self.results[name].sign for name in self.results.measures]
        table = pd.DataFrame(pair.system.points * signs, columns=list(self.results.measures))
        for other, best in zip(names[::-1], worst, strict=True):
            table[f"utility for {other}"] = best.u
        for name, points in zip(names, (pair.system.x, pair.system.y), strict=True):
            # A measure may be called like an algorithm.
            table[f"datasets of {name}"] = np.bincount(points, minlength=len(table))
        return table.sort_values(list(self.results.measures), ignore_index=True)

    @property
    def rows(self) -> pd.DataFrame | None:
        """The summary of more than two algorithms: a row for each pair."""
        details, names = self.answer.facts, self.results.algorithms
        if not isinstance(details, OrderDetails):
            return None
        words = {(True, True): "equivalent", (False, False): "incomparable"}
        rows = {}
        for i, j in itertools.combinations(range(len(names)), 2):
            over, under = details.relation[i][j], details.relation[j][i]
            winner, loser = (names[i], names[j]) if over else (names[j], names[i])
            word = words.get((over, under), f"{winner} dominates {loser}")
            rows[f"{names[i]}, {names[j]}"] = word, details.opt[i][j], details.opt[j][i]
        heads = ["relation", "opt first over second", "opt second over first"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=heads).rename_axis("pair")

    def why_not(self, quantity: str) -> str:
        """Say what is about two algorithms only."""
        if quantity in _OF_TWO and len(self.results.algorithms) > 2:
            return (
                f"{quantity} is of a test of two algorithms, and this is the order of "
                f"{len(self.results.algorithms)}: name two by algorithms=[...], or ask pairwise()."
            )
        return super().why_not(quantity)

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the datasets' weights by the Bayesian bootstrap, and opt in both directions."""
        alpha = self.method.weight_alpha(self.results)
        weights, before = rng.dirichlet(alpha, size=(chains, draws)), alpha - 1.0
        groups: dict[str, dict[str, AnyArray]] = {
            "posterior": {WEIGHT: weights},
            "posterior_predictive": {DRAWN: _datasets_drawn(weights, rng)},
            "log_likelihood": {DRAWN: _log_weights(weights)},
            "observed_data": {DRAWN: np.arange(len(alpha))},
        }
        norm = 0.0  # the constant of an improper prior is arbitrary
        if (before > 0.0).all():
            prior = rng.dirichlet(before, size=(1, draws))
            groups["prior"] = {WEIGHT: prior}
            groups["prior_predictive"] = {DRAWN: _datasets_drawn(prior, rng)}
            norm = gammaln(before.sum()) - gammaln(before).sum()
        dims = dict.fromkeys((WEIGHT, DRAWN), ("dataset",))
        tree = make_tree(groups, dims, {"dataset": list(self.results.datasets)})
        logs = norm + _log_weights(weights) @ (before - 1.0)
        sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
        tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
        return with_optima(self.method.pair(self.results), tree)

    # inside --------------------------------------------------------------------------------------

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], DominanceProblem]:
        return self.method.pairs(self.results)

    def _square(self, name: str, values: Any, dtype: type) -> xr.DataArray:
        names = list(self.results.algorithms)
        # None on the diagonal is no number.
        square: AnyArray = np.array(values, dtype=float).astype(dtype)
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(square, coords, ("algorithm", "opponent"), name=name, attrs=self.attrs)


class DominanceTest(Dominance, Tested):
    """The permutation test of two algorithms, and of the front."""

    method: GSD

    facts_type: ClassVar[type[Facts]] = GsdDetails

    def headline(self, decision: Decision) -> str:
        """Say the relation of two, and whether it is significant."""
        if self.answer.tested is None:
            return super().headline(decision)
        return pair_headline(self.method, self.results, self.answer, decision)

    @property
    def share_below(self) -> float:
        """Share of the resamples strictly below the statistic, as in the paper's Table 3."""
        return float(self.answer.per_statement[SHARE_BELOW][self.answer.tested])

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
            chosen = np.empty(0)
        if chosen.ndim != 1 or not len(chosen) or not ((chosen >= 0) & (chosen < 1)).all():
            raise BayescompareError(f"gammas={gammas!r}: give shares in [0, 1).")
        # The resamples of the answer itself, where its seed is known.
        generator, _ = as_rng(self.answer.seed if rng is None else rng)
        (pair,) = self._pairs.values()
        limits = pair.optima()[self.answer.tested or 0].value - 2.0 * chosen / (1.0 - chosen)
        one_sided = self._share_of_resamples(pair, limits, generator, below=False)
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
                # Twice the tolerance: what is equal to the statistic is below this. One set of
                # resamples serves both directions.
                limits = np.array([best.value for best in pair.optima()]) + 2.0 * TOLERANCE
                by_first, by_second = self._share_of_resamples(pair, limits, stream, below=True)
                pvalues.get(second, {})[first] = float(by_first)
                pvalues.get(first, {})[second] = float(by_second)
        table = pd.DataFrame(index=pd.Index(asked, name="algorithm"))
        table["front"] = [name in self.front for name in asked]
        table["pvalue"] = [max(pvalues[name].values()) for name in asked]
        table["holm"] = holm(table["pvalue"])
        table["closest"] = [max(pvalues[name], key=pvalues[name].__getitem__) for name in asked]
        return table

    def _share_of_resamples(
        self,
        pair: DominanceProblem,
        limits: FloatArray,
        rng: np.random.Generator,
        *,
        below: bool,
    ) -> FloatArray:
        """P-value: the share of resamples below each limit, or not below it."""
        method = self.method
        objectives, exact = permuted_objectives(
            pair.system, rng, permutations=method.permutations, scheme=method.scheme
        )
        held = Verdicts(pair.solver, pair.used_delta).below(objectives, limits) == below
        reached, n = held.sum(axis=0), len(objectives)
        return np.asarray(reached / n if exact else (reached + 1.0) / (n + 1.0))


# the Bayesian bootstrap ---------------------------------------------------------------------------


def with_optima(pair: DominanceProblem, tree: xr.DataTree) -> xr.DataTree:
    """Add both optima to a tree of weights, where they are not in it, and the observed ones."""
    coords = {"dataset": list(pair.results.datasets), "direction": pair.directions}
    for group in ("posterior", "prior"):
        if group in tree and OPTIMUM not in tree[group]:
            data = tree[group].to_dataset()
            weights = data[WEIGHT].transpose(*_SAMPLE, "dataset").values
            objectives = pair.system.objective(weights.reshape(-1, weights.shape[-1]))
            found = both_optima(pair.solver, objectives, pair.used_delta)
            data[OPTIMUM] = ((*_SAMPLE, "direction"), found.reshape(*weights.shape[:2], 2))
            tree[group] = xr.DataTree(data.assign_coords(coords))
    observed = tree["observed_data"].to_dataset()
    observed["observed_opt"] = ("direction", np.array(pair.opt))
    tree["observed_data"] = xr.DataTree(observed.assign_coords(coords))
    n = len(pair.results.datasets)
    shares = {"share": np.full(n, 1.0 / n)}
    return add_constants(ratio_prior(tree, [WEIGHT]), shares, pair.results.datasets)


def _datasets_drawn(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions in their list."""
    n = weights.shape[-1]
    ends = np.cumsum(weights, axis=-1)
    at = rng.random(weights.shape) * ends[..., -1:]
    rows = zip(ends.reshape(-1, n), at.reshape(-1, n), strict=True)
    chosen = np.array([np.searchsorted(end, a, side="right") for end, a in rows])
    return np.asarray(np.minimum(chosen, n - 1).reshape(weights.shape))


def _log_weights(weights: FloatArray) -> FloatArray:
    return np.log(np.maximum(weights, np.finfo(np.float64).tiny))
