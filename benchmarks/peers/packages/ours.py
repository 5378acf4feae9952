"""The tasks by bayescompare."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bayescompare.table.results import Results

PACKAGE = "bayescompare"
Call = Callable[[], Any]


def sign_rope(case: dict[str, Any]) -> Call:
    """P(each region is the most probable one), under baycomp's prior."""
    from bayescompare.kernels.dirichlet.pmax import p_max

    x, y, rope = np.array(case["x"]), np.array(case["y"]), case["rope"]

    def call() -> Any:
        difference = y - x
        left, right = (difference < -rope).sum(), (difference > rope).sum()
        counts = np.array([left, len(x) - left - right, right], dtype=float)
        return p_max(np.log([1e-4, 1.0 + 1e-4, 1e-4]), counts[None])[0, :-1]

    return call


def fold_t(case: dict[str, Any]) -> Call:
    """P(left), P(rope), P(right) of the mean difference over folds."""
    from bayescompare.kernels.context.correlated_t import (
        correlated_t_from_moments,
        correlated_t_regions,
    )

    x, y, rope, rho = np.array(case["x"]), np.array(case["y"]), case["rope"], 1.0 / len(case["x"])

    def call() -> Any:
        d = y - x
        student = correlated_t_from_moments(d.mean(), d.var(ddof=1), len(d), rho)
        return correlated_t_regions(*student, rope)

    return call


def signed_ranks(case: dict[str, Any]) -> Call:
    """P(each side is the larger one) of the Bayesian signed-rank test, 50,000 draws."""
    from bayescompare._compare import compare

    results = _results_of(np.stack([case["x"], case["y"]], axis=1))
    return lambda: compare(results, method="signed-rank", rng=0).probability.values


def rank_sum_p(case: dict[str, Any]) -> Call:
    """The exact two-sided p-value of Wilcoxon's test."""
    from bayescompare.kernels.classic import wilcoxon

    difference = np.array(case["x"])
    scale = np.abs(difference)
    return lambda: [wilcoxon.signed_rank_test(wilcoxon.doubled_ranks(difference, scale)).pvalue]


def nemenyi_pairs(case: dict[str, Any]) -> Call:
    """P-values of all pairs after Friedman's test."""
    from bayescompare._compare import compare

    table = np.array(case["table"])
    results, upper = _results_of(table), np.triu_indices(table.shape[1], 1)

    def call() -> Any:
        comparison: Any = compare(results, method="friedman")  # of a type that has `nemenyi`
        return np.asarray(comparison.nemenyi, dtype=float)[upper]

    return call


def win_counts(case: dict[str, Any]) -> Call:
    """The distribution of the number of datasets won."""
    from bayescompare.kernels.context.poisson_binomial import poisson_binomial_masses

    p = np.array(case["p"])
    return lambda: poisson_binomial_masses(p)


def largest_share(case: dict[str, Any]) -> Call:
    """P(each cell has the largest probability) under a Dirichlet."""
    from bayescompare.kernels.dirichlet.pmax import p_max

    counts = np.array([case["counts"]], dtype=float)
    log_alpha = np.full(counts.size, -np.log(counts.size))
    return lambda: p_max(log_alpha, counts)[0, :-1]


def all_pairs(case: dict[str, Any]) -> Call:
    """Every pair of a table by the Bayesian signed-rank test."""
    from bayescompare._pairwise import pairwise

    results = _results_of(np.array(case["table"]))

    def call() -> list[float]:
        pairwise(results, method="signed-rank", rng=0, n_jobs=1)
        return []

    return call


def best_graph(case: dict[str, Any]) -> Call:
    """The parents of each measure in the network of highest score, row by row."""
    from bayescompare.kernels.network.scores import CellPrior
    from bayescompare.posterior.graphs import GraphScores
    from bayescompare.statements import Statements

    wins = np.array(case["wins"])
    names = [f"m{j}" for j in range(wins.shape[1])]
    statements = Statements.from_results(_results_of(np.stack([wins, 1 - wins], axis=1), names))

    def call() -> Any:
        graph = GraphScores(statements, CellPrior(), case["parents"]).best()
        size = len(names)
        adjacency = [[float(mask >> j & 1) for mask in graph] for j in range(size)]
        return np.array(adjacency).ravel()

    return call


def swap_dominance(case: dict[str, Any]) -> Call:
    """Exact p-values of dominance over all swaps, both directions."""
    from bayescompare.kernels.gsd.optimum import Solver
    from bayescompare.kernels.gsd.permutation import permutation_test
    from bayescompare.kernels.gsd.system import build_system

    x, y = np.array(case["x"]), np.array(case["y"])
    k = x.shape[1]

    def call() -> Any:
        system = build_system(x, y, np.zeros(k), np.ones(k), np.ones(k, dtype=bool))
        rng = np.random.default_rng(0)
        return permutation_test(Solver(system), 0.0, rng, permutations=2 ** len(x)).pvalue

    return call


def _results_of(values: Any, measures: list[str] | None = None) -> Results:
    """A table of (dataset, algorithm) or (dataset, algorithm, measure)."""
    import pandas as pd

    from bayescompare.table.results import Results

    names = measures or ["score"]
    n, l = values.shape[:2]
    frame = pd.DataFrame(values.reshape(n * l, len(names)), columns=names)
    frame = frame.assign(
        dataset=np.repeat([f"d{i}" for i in range(n)], l),
        algorithm=np.tile([f"a{i}" for i in range(l)], n),
    )
    return Results.from_frame(frame, measures=dict.fromkeys(names, "max"))
