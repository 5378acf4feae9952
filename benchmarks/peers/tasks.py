"""What is computed by everybody: tasks, their data, and how wrong an answer is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers import references

__all__ = ["TASKS", "BenchTask"]

Case = dict[str, Any]


@dataclass(frozen=True)
class BenchTask:
    """A task that several packages can do.

    Attributes
    ----------
    name : str
        The function of that name in each file of `peers`.
    title : str
    size_name : str
        What grows.
    sizes : tuple of int
    draw : callable
        The data of a case, from a size and a generator.
    others : tuple of str
        Files of `peers` that do it, besides ours.
    exact : callable, optional
        The exact values of a case.
    """

    name: str
    title: str
    size_name: str
    sizes: tuple[int, ...]
    draw: Callable[[int, np.random.Generator], Case]
    others: tuple[str, ...]
    exact: Callable[[Case], list[float]] | None = None

    def cases(self, seed: int, sizes: Sequence[int]) -> list[Case]:
        """Return the data of every size: the same for everybody."""
        return [self.draw(size, np.random.default_rng([seed, size])) for size in sizes]

    def errors(self, case: Case, answers: dict[str, list[float]]) -> dict[str, float | None]:
        """Return the largest error of each answer to a case; None where nothing exact is known."""
        if self.name == "best_graph":
            return _graph_errors(case, answers)
        if self.exact is None:
            return dict.fromkeys(answers)
        try:
            exact = np.array(self.exact(case))
        except ModuleNotFoundError:  # mpmath
            return dict.fromkeys(answers)
        return {who: float(np.abs(np.array(v) - exact).max()) for who, v in answers.items()}


def _graph_errors(case: Case, answers: dict[str, list[float]]) -> dict[str, float | None]:
    """By how much the score of each network falls short of the best one."""
    m = len(case["wins"][0])
    scores = {
        who: references.graph_score(case, np.array(values).reshape(m, m))
        for who, values in answers.items()
    }
    best = references.best_graph(case)
    top = max(scores.values(), default=0.0) if best is None else best
    return {who: max(top - score, 0.0) for who, score in scores.items()}


# --------------------------------------------------------------------------------------- the data


def _two_scores(n: int, rng: np.random.Generator) -> Case:
    x = rng.normal(size=n)
    return {"x": x.tolist(), "y": (x + 0.1 + 0.5 * rng.normal(size=n)).tolist(), "rope": 0.3}


def _folds(n: int, rng: np.random.Generator) -> Case:
    x = rng.normal(0.8, 0.02, size=n)
    return {"x": x.tolist(), "y": (x + rng.normal(0.005, 0.02, n)).tolist(), "rope": 0.01}


def _differences(n: int, rng: np.random.Generator) -> Case:
    return {"x": (0.3 + rng.normal(size=n)).tolist()}


def _score_table(l: int, rng: np.random.Generator) -> Case:
    return {"table": (rng.normal(size=(30, l)) + 0.1 * np.arange(l)).tolist()}


def _chances(n: int, rng: np.random.Generator) -> Case:
    return {"p": rng.random(n).tolist()}


def _cell_counts(size: int, rng: np.random.Generator) -> Case:
    return {"counts": rng.multinomial(50, rng.dirichlet(np.full(size, 0.2))).tolist()}


def _wins(m: int, rng: np.random.Generator) -> Case:
    """Each measure copies an earlier one four times in five."""
    wins = np.empty((80, m), dtype=np.int64)
    for j in range(m):
        source = wins[:, rng.integers(j)] if j else rng.integers(2, size=80)
        wins[:, j] = np.where(rng.random(80) < 0.8, source, rng.integers(2, size=80))
    return {"wins": wins.tolist(), "parents": 3}


def _two_measures(s: int, rng: np.random.Generator) -> Case:
    """Thousandths, so that equal gains are equal in floats too."""
    x, y = rng.integers(1, 1000, (2, s, 2)) / 1000
    return {"x": np.minimum(x + 0.1, 0.999).round(3).tolist(), "y": y.tolist()}


#: Every task, the quick ones first.
TASKS: tuple[BenchTask, ...] = (
    BenchTask("sign_rope", "Bayesian sign test with a rope", "datasets", (20, 200, 2000),
              _two_scores, ("baycomp_peer", "naive"), references.sign_rope),
    BenchTask("fold_t", "Correlated t-test of folds", "folds", (10, 100, 1000),
              _folds, ("baycomp_peer", "scipy_peer"), references.fold_t),
    BenchTask("signed_ranks", "Bayesian signed-rank test, 50,000 draws", "datasets", (10, 30, 60),
              _two_scores, ("baycomp_peer",)),
    BenchTask("rank_sum_p", "Wilcoxon test, exact p-value", "datasets", (20, 50, 200),
              _differences, ("scipy_peer",), references.rank_sum_p),
    BenchTask("nemenyi_pairs", "Friedman test and Nemenyi p-values of all pairs", "algorithms",
              (4, 8, 16), _score_table, ("posthocs_peer",), references.nemenyi_pairs),
    BenchTask("all_pairs", "Bayesian signed-rank test of all pairs", "algorithms", (3, 4),
              _score_table, ("autorank_peer",)),
    BenchTask("win_counts", "Distribution of the number of datasets won", "datasets",
              (50, 200, 500), _chances, ("scipy_peer", "naive"), references.win_counts),
    BenchTask("largest_share", "P(most probable statement), Dirichlet", "statements",
              (8, 64, 216), _cell_counts, ("naive",), references.largest_share),
    BenchTask("best_graph", "Best Bayesian network of wins", "measures", (4, 6, 8),
              _wins, ("pgmpy_peer",)),
    BenchTask("swap_dominance", "Stochastic dominance, all swaps of labels", "datasets",
              (3, 4, 6), _two_measures, ("naive",), references.swap_dominance),
)  # fmt: skip
