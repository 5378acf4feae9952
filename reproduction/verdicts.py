"""How often is a verdict of `pairwise` false? Simulated tables whose truth is known.

docs/verdicts.md shows both studies. `decision_study`: results are normal, algorithms differ by
effects of a given size, and noise is independent across datasets, so that the tables share no
assumption with the model. A verdict is false if its statement is not the one that is truly the most
probable. In pure noise every verdict is false. `noise_study` asks all methods about pure noise,
through `pairwise` and `decide` themselves, with the kind of data that each takes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import bayescompare as bc
from bayescompare import methods
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.boxes import quadrants
from bayescompare.kernels.pair_states import every_state
from bayescompare.outcome.decision import SETTLED
from bayescompare.outcome.method import Method
from bayescompare.posterior.board import Board
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior

__all__ = [
    "LabelledMethod",
    "Scenario",
    "decision_study",
    "laplace_error",
    "noise_study",
    "simulate_table",
    "simulated",
]

#: Tables that share a stream of random numbers, whatever the number of jobs.
BLOCK = 50


def simulated(
    task: Callable[..., FloatArray],
    kinds: Sequence[Any],
    tables: int,
    *more: Any,
    block: int = BLOCK,
    rng: Rng,
    n_jobs: int,
) -> tuple[list[FloatArray], int | None]:
    """Return ``task(kind, tables, *more, rng)`` of every kind, arrays (tables, ...), and the seed.

    Every block of tables has a stream of its own, so that the arrays are the same for any n_jobs.
    """
    generator, seed = as_rng(rng)
    sizes = [min(block, tables - k) for k in range(0, tables, block)]
    work = [(kind, size) for kind in kinds for size in sizes]
    streams = generator.spawn(len(work))
    tasks = ((kind, n, *more, own) for (kind, n), own in zip(work, streams, strict=True))
    blocks = list(run_in_parallel(task, tasks, n_jobs=n_jobs))
    each = len(sizes)
    return [np.concatenate(blocks[k : k + each]) for k in range(0, len(blocks), each)], seed


def laplace_error(hits: float, n: int) -> float:
    """Standard error of a share; by Laplace's rule shares of 0 and 1 have one above 0 too."""
    p = (hits + 1.0) / (n + 2.0)
    return math.sqrt(p * (1.0 - p) / n)


# tables whose algorithms differ -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One kind of table.

    Attributes
    ----------
    effect : float
        Standard deviation of the algorithms' true means, in standard deviations of the noise.
        0 is pure noise.
    measures : int
        One or two.
    correlation : float
        Correlation of the noise of two measures.
    dummies : int
        Number of additional algorithms that are constant and worst on every dataset; verdicts
        about them do not count.
    algorithms, datasets : int
        Size of the table, without the dummies.
    """

    effect: float = 0.0
    measures: int = 1
    correlation: float = 0.0
    dummies: int = 0
    algorithms: int = 5
    datasets: int = 20

    def __post_init__(self) -> None:
        if self.measures not in (1, 2):
            raise bc.BayescompareError(f"measures={self.measures!r}: must be 1 or 2.")
        if not (self.effect >= 0.0 and math.isfinite(self.effect)):
            raise bc.BayescompareError(f"effect={self.effect!r}: must be a number >= 0.")
        if not -1.0 < self.correlation < 1.0:
            raise bc.BayescompareError(f"correlation={self.correlation!r}: must lie in (-1, 1).")


def simulate_table(scenario: Scenario, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return results (dataset, algorithm, measure), larger is better, and the true means.

    Dummies come last and have no true mean.
    """
    s = scenario
    true = s.effect * rng.standard_normal((s.algorithms, s.measures))
    noise = rng.standard_normal((s.datasets, s.algorithms, s.measures))
    if s.measures == 2:
        root = math.sqrt(1.0 - s.correlation**2)
        noise[..., 1] = s.correlation * noise[..., 0] + root * noise[..., 1]
    values = true + noise
    worst = np.full((s.datasets, s.dummies, s.measures), values.min() - 1.0)
    return np.concatenate([values, worst], axis=1), true


def decision_study(
    scenarios: Sequence[Scenario],
    *,
    tables: int = 1000,
    level: float = SETTLED,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Simulate tables and count verdicts, true and false, with and without learning.

    Parameters
    ----------
    scenarios : sequence of Scenario
    tables : int
        Number of simulated tables per scenario.
    level : float
        As for `Pairwise.decide`.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        A row per scenario and prior ("papers", "learned"): ``claims`` and ``false`` (mean numbers
        per table), ``any`` (share of tables with a claim), ``false_share`` (false over claims of a
        table, 0 without claims, averaged) and ``mcse`` of the last two as ``any_mcse`` and
        ``false_mcse``.

    """
    counted, seed = simulated(_claims, scenarios, tables, level, rng=rng, n_jobs=n_jobs)
    rows = [
        _rates(scenario, prior, own[:, j])
        for scenario, own in zip(scenarios, counted, strict=True)
        for j, prior in enumerate(("papers", "learned"))
    ]
    study = pd.DataFrame(rows)
    study.attrs["seed"] = seed
    return study


def _rates(scenario: Scenario, prior: str, counted: FloatArray) -> dict[str, object]:
    """Average over tables; `counted` has the numbers of claims and of false claims."""
    claims, false = counted.T
    some = claims > 0
    share = np.divide(false, claims, out=np.zeros(len(claims)), where=some)
    n = len(claims)
    return {
        "effect": scenario.effect,
        "measures": scenario.measures,
        "correlation": scenario.correlation,
        "dummies": scenario.dummies,
        "prior": prior,
        "claims": float(claims.mean()),
        "false": float(false.mean()),
        "any": float(some.mean()),
        "any_mcse": laplace_error(some.sum(), n),
        "false_share": float(share.mean()),
        "false_mcse": max(float(share.std()), 1.0 / n) / math.sqrt(n),
    }


def _claims(scenario: Scenario, tables: int, level: float, rng: np.random.Generator) -> FloatArray:
    """Return claims and false claims of each table under either prior: array (tables, 2, 2)."""
    claims = np.zeros((tables, 2, 2))
    known: dict[bytes, FloatArray] = {}
    for k in range(tables):
        values, true = simulate_table(scenario, rng)
        counts, pairs = _pair_counts(values)
        real = [i for i, pair in enumerate(pairs) if max(pair) < scenario.algorithms]
        truth = dict(zip(real, _truth_of_pairs(scenario, true), strict=True))
        alone = {i: _maximum_alone(counts[i], known) for i in real}
        best = {i: int(p[0].argmax()) for i, p in alone.items()}
        claimed = {i: best[i] for i, p in alone.items() if p[:, best[i]].min() >= level}
        for i, learned in _maximum_learned(counts, list(claimed)).items():
            wrong = claimed[i] != truth[i]
            claims[k, 0] += (1, wrong)
            # A claim under the learned prior must also hold under the pair's own prior.
            if learned[:, claimed[i]].min() >= level:
                claims[k, 1] += (1, wrong)
    return claims


def _pair_counts(values: FloatArray) -> tuple[FloatArray, list[tuple[int, int]]]:
    """Return the counts of every pair over the 2^m statements; ties of dummies are split."""
    pairs = list(itertools.combinations(range(values.shape[1]), 2))
    measures = values.shape[2]
    counts = np.zeros((len(pairs), 2**measures))
    for k, (i, j) in enumerate(pairs):
        better = np.sign(values[:, i] - values[:, j])
        first = (1.0 + better) / 2.0
        for cell, states in enumerate(itertools.product((0, 1), repeat=measures)):
            shares = [first[:, m] if s == 0 else 1.0 - first[:, m] for m, s in enumerate(states)]
            counts[k, cell] = np.prod(shares, axis=0).sum()
    return counts, pairs


def _truth_of_pairs(scenario: Scenario, true: FloatArray) -> list[int]:
    """Return the statement of each pair that is truly the most probable; −1 in pure noise."""
    pairs = itertools.combinations(range(scenario.algorithms), 2)
    if scenario.effect == 0.0:
        return [-1 for _ in pairs]
    gaps = np.array([true[i] - true[j] for i, j in pairs]) / math.sqrt(2.0)
    if scenario.measures == 1:
        return [int(gap < 0) for gap in gaps[:, 0]]
    probabilities = quadrants(gaps[:, 0], gaps[:, 1], scenario.correlation)
    return [int(best) for best in probabilities.argmax(axis=1)]


def _maximum_alone(counts: FloatArray, known: dict[bytes, FloatArray]) -> FloatArray:
    """Return P(max) and P of the parts under the papers' prior, (1 + m, statements).

    Cached, because the same counts recur.
    """
    key = counts.tobytes()
    if key not in known:
        prior = DirichletPrior.symmetric(1.0 / len(counts), len(counts))
        known[key] = _with_parts(Board.of(prior, counts[None]))[0]
    return known[key]


def _maximum_learned(counts: FloatArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
    """Return the same of the pairs `wanted` under what all pairs teach each other."""
    if not wanted:
        return {}
    algorithms = round((1.0 + math.sqrt(1.0 + 8.0 * len(counts))) / 2.0)
    who = np.stack(np.triu_indices(algorithms, 1), axis=1)
    found = _with_parts(Board.learned(counts, who).some(np.array(wanted)))
    return dict(zip(wanted, found, strict=True))


def _with_parts(board: Board) -> FloatArray:
    """P(max) of each statement and of its parts, (P, 1 + m, statements)."""
    size = board.counts.shape[1]
    states = every_state([2] * round(math.log2(size)))
    groups = [Groups(column) for column in states.T]
    parts = [board.events(group).p_max()[:, group.of] for group in groups]
    return np.stack([board.p_max()[:, :-1], *parts], axis=1)


# pure noise ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelledMethod:
    """A method with its options, and what tells it from the same method with others."""

    method: Method
    variant: str = ""

    @property
    def label(self) -> str:
        """The name that tables show."""
        return f"{self.method.name} ({self.variant})" if self.variant else self.method.name


_ALGORITHMS, _DATASETS, _FOLDS, _EXAMPLES = 5, 20, 10, 100

_ASKED = (
    LabelledMethod(methods.Dirichlet(), "learned"),
    LabelledMethod(methods.Dirichlet(prior="symmetric"), "papers' prior"),
    LabelledMethod(methods.Network()),
    LabelledMethod(methods.PoissonBinomial(joint=True, b="learned"), "b learned"),
    LabelledMethod(methods.PoissonBinomial(joint=True), "joint"),
    LabelledMethod(methods.PoissonBinomial()),
    LabelledMethod(methods.Hierarchical()),
    LabelledMethod(methods.CorrelatedT(joint=True, b="learned"), "b learned"),
    LabelledMethod(methods.CorrelatedT(joint=True), "joint"),
    LabelledMethod(methods.CorrelatedT()),
    LabelledMethod(methods.GSDBootstrap()),
    LabelledMethod(methods.SignedRank(draws=10_000)),
    LabelledMethod(methods.Sign(), "Holm"),
    LabelledMethod(methods.Wilcoxon(), "Holm"),
)
_METHODS: Mapping[str, Method] = {asked.label: asked.method for asked in _ASKED}


def noise_study(
    asked: Mapping[str, Method] = _METHODS,
    *,
    tables: int = 100,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Count tables of pure noise on which a method names any winner, at the default level.

    Parameters
    ----------
    asked : mapping of str to Method
        Methods by the names that the table shows; by default one of each kind.
    tables : int
        Number of simulated tables per method.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        Indexed by method: ``measures``, ``any`` (share of tables with a verdict), ``mcse`` of it
        and ``verdicts`` (mean number per table, of ten pairs).

    """
    counted, seed = simulated(
        _verdicts, list(asked.values()), tables, block=1, rng=rng, n_jobs=n_jobs
    )
    rows = [
        (
            name,
            _measures(method),
            float((verdicts > 0).mean()),
            laplace_error(float((verdicts > 0).sum()), tables),
            float(verdicts.mean()),
        )
        for (name, method), verdicts in zip(asked.items(), counted, strict=True)
    ]
    heads = ["method", "measures", "any", "mcse", "verdicts"]
    study = pd.DataFrame(rows, columns=heads).set_index("method")
    study.attrs["seed"] = seed
    return study


def _verdicts(method: Method, tables: int, rng: np.random.Generator) -> FloatArray:
    """Numbers of verdicts on tables of noise."""
    found = np.empty(tables)
    for k in range(tables):
        table = _MAKERS[method.accepts.judges](_measures(method), rng)
        found[k] = bc.pairwise(table, method=method, n_jobs=1, rng=rng).decide()["asserted"].sum()
    return found


def _measures(method: Method) -> int:
    """Return 2 for methods that model the dependence between measures, else 1."""
    return 1 if method.scope.measure else 2


def _noise_cells(measures: int, rng: np.random.Generator) -> bc.Results:
    """Simulate one number for every cell."""
    values = rng.standard_normal((_DATASETS, _ALGORITHMS, measures))
    return _noise_table(values[:, :, None], replicate=None)


def _noise_folds(measures: int, rng: np.random.Generator) -> bc.Results:
    """Simulate ten folds of every cell, around a level that differs between datasets."""
    own = rng.standard_normal((_DATASETS, _ALGORITHMS, 1, measures))
    noise = rng.standard_normal((_DATASETS, _ALGORITHMS, _FOLDS, measures))
    return _noise_table(own + noise, replicate="fold")


def _noise_table(values: FloatArray, replicate: str | None) -> bc.Results:
    shape = values.shape[:3]
    index = pd.MultiIndex.from_product(
        [map(str, range(size)) for size in shape], names=["dataset", "algorithm", "fold"]
    )
    names = [f"m{j}" for j in range(values.shape[3])]
    frame = pd.DataFrame(values.reshape(-1, len(names)), index, names).reset_index()
    frame = frame if replicate else frame.drop(columns="fold")
    return bc.Results.from_frame(frame, replicate=replicate, measures=dict.fromkeys(names, "max"))


def _noise_errors(measures: int, rng: np.random.Generator) -> bc.ErrorCounts:
    """Simulate correct and wrong predictions, at rates that differ between datasets."""
    rate = rng.uniform(0.6, 0.9, (_DATASETS, _ALGORITHMS, 1))
    correct = rng.random((_DATASETS, _ALGORITHMS, _EXAMPLES)) < rate
    index = pd.MultiIndex.from_product(
        [map(str, range(size)) for size in correct.shape],
        names=["dataset", "algorithm", "example"],
    )
    frame = pd.DataFrame({"correct": correct.ravel()}, index).reset_index()
    return bc.ErrorCounts.from_predictions(
        frame, dataset="dataset", algorithm="algorithm", example="example", correct="correct"
    )


_MAKERS: Mapping[str, Callable[[int, np.random.Generator], bc.Results]] = {
    "cells": _noise_cells,
    "replicates": _noise_folds,
    "either": _noise_folds,
    "counts": _noise_errors,
}
