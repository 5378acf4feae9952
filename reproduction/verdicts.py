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
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import gammaln, ndtr
from scipy.stats import rankdata

import bayescompare as bc
from bayescompare import methods
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.numerics.boxes import quadrants
from bayescompare.kernels.pair_states import every_state
from bayescompare.kernels.ranking.tiers import TOO_FEW, adjusted_pvalues, separated
from bayescompare.learned import Board
from bayescompare.outcome.decision import SETTLED
from bayescompare.outcome.method import Method
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

#: What the true means of the algorithms of a board are, in standard deviations of the noise.
Pattern = Literal["spread", "winner", "groups", "half"]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One kind of table.

    Attributes
    ----------
    pattern : {"spread", "winner", "groups", "half"}
        True means are drawn with standard deviation `effect`; one stands `effect` above all others,
        which are equal; two halves are `effect` apart; half of them are equal, the rest drawn.
    effect : float
        In standard deviations of the noise; 0 is pure noise.
    measures : int
        One or two; three for pure noise.
    correlation : float
        Correlation of the noise of two measures.
    dummies : int
        Number of additional algorithms that are constant and worst on every dataset; verdicts
        about them do not count.
    ties : float
        Values are rounded to multiples of this, so that some tie.
    rope : float
        Half-width of practical equality, of one measure.
    algorithms, datasets : int
        Size of the table, without the dummies.
    """

    pattern: Pattern = "spread"
    effect: float = 0.0
    measures: int = 1
    correlation: float = 0.0
    dummies: int = 0
    ties: float = 0.0
    rope: float = 0.0
    algorithms: int = 5
    datasets: int = 20

    def __post_init__(self) -> None:
        if self.measures not in ((1, 2) if self.effect else (1, 2, 3)):
            raise bc.BayescompareError(f"measures={self.measures!r}: must be 1 or 2.")
        if not (self.effect >= 0.0 and math.isfinite(self.effect)):
            raise bc.BayescompareError(f"effect={self.effect!r}: must be a number >= 0.")
        if not -1.0 < self.correlation < 1.0:
            raise bc.BayescompareError(f"correlation={self.correlation!r}: must lie in (-1, 1).")
        if self.rope and self.measures > 1:
            raise bc.BayescompareError(f"rope={self.rope!r}: is for one measure.")


def simulate_table(scenario: Scenario, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return results (dataset, algorithm, measure), larger is better, and the true means.

    Dummies come last and have no true mean.
    """
    s = scenario
    true = s.effect * rng.standard_normal((s.algorithms, s.measures))
    if s.pattern == "winner":
        true = s.effect * (np.arange(s.algorithms) == 0)[:, None] * np.ones(s.measures)
    elif s.pattern == "groups":
        true = (
            s.effect * (2 * np.arange(s.algorithms) < s.algorithms)[:, None] * np.ones(s.measures)
        )
    elif s.pattern == "half":
        true[: s.algorithms // 2] = 0.0
    noise = rng.standard_normal((s.datasets, s.algorithms, s.measures))
    if s.measures == 2:
        root = math.sqrt(1.0 - s.correlation**2)
        noise[..., 1] = s.correlation * noise[..., 0] + root * noise[..., 1]
    values = true + noise
    if s.ties:
        values = s.ties * np.round(values / s.ties)
    worst = np.full((s.datasets, s.dummies, s.measures), values.min() - 1.0 - s.rope)
    return np.concatenate([values, worst], axis=1), true


#: The rules that are asked: P(max) under the papers' prior alone, that and the learned prior of
#: version 0.1.0, `decide()`, `decide(family=)`, the tiers of `rank`, and Holm's correction of
#: Wilcoxon's test.
RULES = ("papers", "0.1.0", "learned", "family", "tiers", "wilcoxon")
#: The strengths that a pair's prior could have in 0.1.0.
STRENGTHS_BEFORE: FloatArray = np.logspace(-1.0, 3.0, 16)


def decision_study(
    scenarios: Sequence[Scenario],
    *,
    tables: int = 1000,
    level: float = SETTLED,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Simulate tables and count verdicts, true and false, by each rule.

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
        A row per scenario and rule: ``claims`` and ``false`` (mean numbers per table), ``any``
        (share of tables with a false claim), ``false_share`` (false over claims of a table, 0
        without claims, averaged), ``mcse`` of ``any``, and ``tables``.

    """
    counted, seed = simulated(_claims, scenarios, tables, level, rng=rng, n_jobs=n_jobs)
    rows = []
    for scenario, own in zip(scenarios, counted, strict=True):
        for j, rule in enumerate(RULES):
            claims, false = own[:, j].T
            share = np.divide(false, claims, out=np.zeros(len(claims)), where=claims > 0)
            rows.append(
                {
                    **asdict(scenario),
                    "rule": rule,
                    "claims": float(claims.mean()),
                    "false": float(false.mean()),
                    "any": float((false > 0).mean()),
                    "false_share": float(share.mean()),
                    "mcse": laplace_error(float((false > 0).sum()), tables),
                    "tables": tables,
                }
            )
    study = pd.DataFrame(rows)
    study.attrs["seed"] = seed
    return study


def _claims(scenario: Scenario, tables: int, level: float, rng: np.random.Generator) -> FloatArray:
    """Return claims and false claims of each table by each rule: array (tables, rules, 2)."""
    claims = np.zeros((tables, len(RULES), 2))
    known: dict[bytes, FloatArray] = {}
    # The study's own stream for flips, so that tables do not depend on the rules that are asked.
    flips = rng.spawn(1)[0]
    for k in range(tables):
        values, true = simulate_table(scenario, rng)
        counts, pairs = pair_counts(values, scenario.rope)
        real = [i for i, pair in enumerate(pairs) if max(pair) < scenario.algorithms]
        truth = dict(zip(real, _truth_of_pairs(scenario, true), strict=True))
        alone = {i: _maximum_alone(counts[i], scenario.measures, known) for i in real}
        best = {i: int(p[0].argmax()) for i, p in alone.items()}
        claimed = {i: best[i] for i, p in alone.items() if p[:, best[i]].min() >= level}
        learned = _maximum_learned(counts, scenario.measures, list(claimed))
        for i, under in learned.items():
            wrong = claimed[i] != truth[i]
            claims[k, 0] += (1, wrong)
            # A claim under the learned prior must also hold under the pair's own prior.
            if under[:, claimed[i]].min() >= level:
                claims[k, 2] += (1, wrong)
        # 0.1.0 asked nothing of the parts.
        leads = [i for i in real if alone[i][0, best[i]] >= level]
        for i, p in maximum_before(counts, leads).items():
            if p[best[i]] >= level:
                claims[k, 1] += (1, best[i] != truth[i])
        claims[k, 3:] = _separations(scenario, values, pairs, true, level, flips)
    return claims


def maximum_before(counts: FloatArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
    """Return P(max) of the pairs `wanted` under the prior that version 0.1.0 learned.

    Pairs were taken as exchangeable: θ ~ Dirichlet(A φ), with φ from the counts of all pairs and
    the strengths A from one distribution, by 300 steps of EM on the closed evidences.
    """
    if not wanted:
        return {}
    pairs, cells = counts.shape
    pool = counts.sum(axis=0)
    base = ((pool + pool[::-1]) / 2.0 + 1.0 / cells) / (pool.sum() + 1.0)
    alpha = STRENGTHS_BEFORE[:, None] * base
    rising = gammaln(alpha + counts[:, None]) - gammaln(alpha)
    total = counts.sum(axis=1, keepdims=True)
    whole = gammaln(STRENGTHS_BEFORE) - gammaln(STRENGTHS_BEFORE + total)
    log_evidence = rising.sum(axis=2) + whole
    likelihood = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    share = np.full(len(alpha), 1.0 / len(alpha))
    for _ in range(300):
        found = share * ((1.0 / (likelihood @ share)) @ likelihood)
        share = (found + 1.0 / len(alpha)) / (pairs + 1.0)
    weight = (likelihood * share)[wanted]
    weight /= weight.sum(axis=1, keepdims=True)
    shapes = (alpha + counts[wanted][:, None]).reshape(-1, cells)
    each = p_max(np.full(cells, -np.inf), shapes)[:, :cells].reshape(len(wanted), -1, cells)
    return dict(zip(wanted, np.einsum("pa,pas->ps", weight, each), strict=True))


def _separations(
    scenario: Scenario,
    values: FloatArray,
    pairs: Sequence[tuple[int, int]],
    true: FloatArray,
    level: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Return separations of pairs on measures, and false ones, (3, 2).

    By flipped signs, by flipped ranks, and by Wilcoxon's test with Holm's correction.
    """
    n, l, m = values.shape
    first, second = np.array(pairs).T
    gap = values[:, first] - values[:, second]
    signs = np.where(np.abs(gap) > scenario.rope, np.sign(gap), 0.0).reshape(n, -1)
    above, by_wilcoxon = np.zeros((2, m, l, l), dtype=bool)
    sums, pvalues = _signed_ranks(np.where(np.abs(gap) > scenario.rope, gap, 0.0).reshape(n, -1))
    ahead = (np.sign(sums) * (holm(pvalues) <= 1.0 - level)).reshape(-1, m).T
    by_wilcoxon[:, first, second], by_wilcoxon[:, second, first] = ahead > 0, ahead < 0
    if n > TOO_FEW:
        columns = np.column_stack([signs, np.zeros(n)])
        every = np.arange(signs.shape[1])
        nobody = np.full_like(every, len(every))
        apart = adjusted_pvalues(columns, every, nobody, rng) <= 1.0 - level + 1e-9
        ahead = (np.sign(signs.sum(axis=0)) * apart).reshape(-1, m).T
        above[:, first, second], above[:, second, first] = ahead > 0, ahead < 0
    ranks = np.stack([rankdata(values[:, :, j], axis=1) for j in range(m)], axis=-1)
    counted = []
    for who in (above, separated(ranks, level, rng), by_wilcoxon):
        own = who[:, : scenario.algorithms, : scenario.algorithms]
        right = true.T[:, :, None] > true.T[:, None, :]
        if not scenario.effect:
            right = np.zeros_like(own)
        counted.append((own.sum(), (own & ~right).sum()))
    return np.array(counted, dtype=np.float64)


def _signed_ranks(gap: FloatArray) -> tuple[IntArray, list[float]]:
    """Return the sum of doubled signed ranks of each column, and Wilcoxon's exact p-value."""
    ranks = rankdata(np.abs(gap), axis=0) - (gap == 0.0).sum(axis=0)
    doubled = (2.0 * ranks * np.sign(gap)).astype(np.int64)
    sizes = np.sort(np.abs(doubled), axis=0)
    sums = doubled.sum(axis=0)
    pairs = zip(sizes.T, sums.tolist(), strict=True)
    return sums, [_signed_rank_pvalue(own.tobytes(), abs(total)) for own, total in pairs]


@lru_cache(maxsize=1 << 14)
def _signed_rank_pvalue(sizes: bytes, total: int) -> float:
    """Wilcoxon's p-value depends on the ranks and the size of their sum only: tables share both."""
    ranks = np.frombuffer(sizes, dtype=np.int64)
    whole = int(ranks.sum())
    lower = (whole - total) // 2
    reach = np.zeros(whole + 1)
    reach[0] = 1.0
    for rank in ranks[ranks > 0].tolist():
        reach[rank:] += reach[:-rank].copy()
    return min(1.0, 2.0 * float(reach[: lower + 1].sum() / reach.sum()))


def pair_counts(values: FloatArray, rope: float) -> tuple[FloatArray, list[tuple[int, int]]]:
    """Return the counts of every pair over the 2^m or, with a rope, 3 statements.

    Without a rope ties are split.
    """
    pairs = list(itertools.combinations(range(values.shape[1]), 2))
    first, second = np.array(pairs).T
    gap = values[:, first] - values[:, second]
    if rope:
        states = np.where(np.abs(gap[..., 0]) <= rope, 1, np.where(gap[..., 0] > 0.0, 0, 2))
        return np.stack([(states == s).sum(axis=0) for s in range(3)], axis=1) * 1.0, pairs
    won = (1.0 + np.sign(gap)) / 2.0
    counts = []
    for cell in itertools.product((0, 1), repeat=values.shape[2]):
        shares = [won[..., j] if s == 0 else 1.0 - won[..., j] for j, s in enumerate(cell)]
        counts.append(np.prod(shares, axis=0).sum(axis=0))
    return np.stack(counts, axis=1), pairs


def _truth_of_pairs(scenario: Scenario, true: FloatArray) -> list[int]:
    """Return the statement of each pair that is truly the most probable; −1 where none is."""
    pairs = itertools.combinations(range(scenario.algorithms), 2)
    gaps = np.array([true[i] - true[j] for i, j in pairs]) / math.sqrt(2.0)
    equal = (gaps == 0.0).all(axis=1) | (scenario.effect == 0.0)
    if scenario.rope:
        reach = scenario.rope / math.sqrt(2.0)
        below, up_to = ndtr(-reach - gaps[:, 0]), ndtr(reach - gaps[:, 0])
        best = np.stack([1.0 - up_to, up_to - below, below]).argmax(axis=0)
        # Of two that are equal each wins as often, and only equality can lead.
        return [int(s) for s in np.where(equal & (best != 1), -1, best)]
    if scenario.measures == 1:
        best = (gaps[:, 0] < 0.0).astype(int)
    elif scenario.measures == 2:
        best = quadrants(gaps[:, 0], gaps[:, 1], scenario.correlation).argmax(axis=1)
    else:
        best = np.full(len(gaps), -1)
    return [int(s) for s in np.where(equal, -1, best)]


def _maximum_alone(counts: FloatArray, measures: int, known: dict[bytes, FloatArray]) -> FloatArray:
    """Return P(max) and P of the parts under the papers' prior, (1 + m, statements).

    Cached, because the same counts recur.
    """
    key = counts.tobytes()
    if key not in known:
        prior = DirichletPrior.symmetric(1.0 / len(counts), len(counts))
        known[key] = _with_parts(Board.of(prior, counts[None]), measures)[0]
    return known[key]


def _maximum_learned(
    counts: FloatArray, measures: int, wanted: Sequence[int]
) -> dict[int, FloatArray]:
    """Return the same of the pairs `wanted` under what all pairs teach each other."""
    if not wanted:
        return {}
    algorithms = round((1.0 + math.sqrt(1.0 + 8.0 * len(counts))) / 2.0)
    who = np.stack(np.triu_indices(algorithms, 1), axis=1)
    found = _with_parts(Board.learned(counts, who).some(np.array(wanted)), measures)
    return dict(zip(wanted, found, strict=True))


def _with_parts(board: Board, measures: int) -> FloatArray:
    """P(max) of each statement and of its parts, (P, 1 + m, statements)."""
    whole = board.p_max()[:, :-1]
    if measures == 1:
        return whole[:, None]
    groups = [Groups(column) for column in every_state([2] * measures).T]
    parts = [board.events(group).p_max()[:, group.of] for group in groups]
    return np.stack([whole, *parts], axis=1)


#: What the simulated tables are like.
DESIGNS: Sequence[Mapping[str, Any]] = (
    {},
    {"dummies": 1},
    {"dummies": 3},
    {"pattern": "winner", "effect": 4.0},
    *({"pattern": "groups", "effect": effect} for effect in (1.0, 1.5, 2.0)),
    *({"pattern": "half", "effect": effect} for effect in (0.5, 1.0)),
    *({"effect": effect} for effect in (0.05, 0.1, 0.3, 0.5, 1.0)),
    {"ties": 1.0},
    {"rope": 0.3},
    {"measures": 2},
    {"measures": 2, "correlation": 0.8},
    {"measures": 2, "effect": 0.5},
    {"measures": 3},
)


def scenarios_of_the_page(*, cheap: bool) -> list[Scenario]:
    """Return what docs/verdicts.md shows: what is cheap to simulate, or the rest.

    Beyond eleven datasets signs are flipped at random, which takes ten times as long.
    """
    sizes = [(5, n) for n in (5, 6, 8, 10, 20, 50)]
    sizes += [(k, n) for n in (6, 10, 20) for k in (3, 4, 8, 12)]
    return [
        Scenario(**design, algorithms=k, datasets=n)
        for design in DESIGNS
        for k, n in sizes
        if (n <= 10 or k == 5) is cheap
    ]


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
        Indexed by method: ``measures``, ``any`` (share of tables with a verdict), ``mcse`` of it,
        ``verdicts`` (mean number per table, of ten pairs) and ``unguarded`` (the share with
        ``guard=False``).

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
            float((free > 0).mean()),
        )
        for (name, method), (verdicts, free) in zip(
            asked.items(), (own.T for own in counted), strict=True
        )
    ]
    heads = ["method", "measures", "any", "mcse", "verdicts", "unguarded"]
    study = pd.DataFrame(rows, columns=heads).set_index("method")
    study.attrs["seed"] = seed
    return study


def _verdicts(method: Method, tables: int, rng: np.random.Generator) -> FloatArray:
    """Numbers of verdicts on tables of noise, with the guard and without."""
    found = np.empty((tables, 2))
    for k in range(tables):
        table = _MAKERS[method.accepts.judges](_measures(method), rng)
        p = bc.pairwise(table, method=method, n_jobs=1, rng=rng)
        free = replace(p, guard=None)
        found[k] = p.decide()["asserted"].sum(), free.decide()["asserted"].sum()
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


def main(folder: Path, tables: int, noise: int) -> None:
    """Write the files that docs/verdicts.md reads."""
    parts = [
        decision_study(scenarios_of_the_page(cheap=cheap), tables=number, rng=seed, n_jobs=-1)
        for cheap, number, seed in ((True, tables, 2026), (False, tables // 4, 2027))
    ]
    pd.concat(parts).round(4).to_csv(folder / "verdicts.csv", index=False)
    study = noise_study(tables=noise, rng=7, n_jobs=-1)
    study.assign(tables=noise).round(4).to_csv(folder / "noise.csv")


if __name__ == "__main__":
    # Workers load tasks by the name of their module, which is not that of a program.
    from reproduction import verdicts

    verdicts.main(Path(sys.argv[1]), *map(int, sys.argv[2:] or (2000, 200)))
