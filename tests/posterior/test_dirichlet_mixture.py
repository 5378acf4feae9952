"""The law: every question about θ under a prior with folded statements, and what pairs teach.

The witnesses are draws from the prior weighed by the likelihood, which share no formula with the
package, and SPEC 8 written out plainly in tests/oracles/neighbours.py.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

import bayescompare as bc
from bayescompare.evidence import Evidence
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.kernels.numerics.intervals import beta_mixture_quantile
from bayescompare.kernels.orders import WeightTable
from bayescompare.learned import Board
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.partition import Groups, Partition
from bayescompare.prior import DirichletPrior
from bayescompare.statements import Statements
from tests.oracles.neighbours import learned as learned_plainly
from tests.oracles.neighbours import learned_from
from tests.tables import table

#: Draws of the prior, and standard errors that a figure may lie off.
DRAWS, ERRORS = 400_000, 4.5
#: States of each measure, and counts; the sum of counts is small, so that draws of the prior serve.
TABLES = {
    "two statements": ((2,), [5.0, 2.0]),
    "a rope": ((3,), [3.0, 2.0, 1.0]),
    "two measures": ((2, 2), [3.0, 1.0, 1.0, 1.0]),
    "a rope on one of two": ((3, 2), [2.0, 0.0, 1.0, 1.0, 0.0, 1.0]),
    "two ropes": ((3, 3), [2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
}


def counted(levels: tuple[int, ...], counts: Any) -> Evidence:
    """Evidence of whole datasets with these counts."""
    ropes = {f"m{j}": None if states == 2 else 0.0 for j, states in enumerate(levels)}
    every = Statements.without_data(["A", "B"], ropes)
    shown = np.repeat(np.arange(len(counts)), np.asarray(counts, dtype=int))
    table = WeightTable(
        every.table.states,
        np.asarray(counts, dtype=float),
        np.arange(len(shown)),
        shown,
        np.ones(len(shown)),
    )
    datasets = tuple(f"d{i}" for i in range(len(shown)))
    statements = Statements(
        every.algorithms, every.measures, datasets, every.arities, every.levels, table
    )
    return Evidence.counted(statements)


class Witness:
    """Draws of θ from the prior, weighed by the likelihood of counts."""

    def __init__(self, prior: DirichletPrior, counts: Any, rng: np.random.Generator) -> None:
        which = rng.choice(len(prior.components), DRAWS, p=np.exp(prior.log_weight))
        self.theta = np.empty((DRAWS, len(counts)))
        for k, component in enumerate(prior.components):
            f = rng.dirichlet(np.exp(component.log_alpha), int((which == k).sum()))
            of = component.classes.of
            self.theta[which == k] = f[:, of] / np.bincount(of)[of]
        self.likelihood = np.exp(np.log(np.maximum(self.theta, 1e-300)) @ np.asarray(counts))

    def agrees(self, figure: float, values: Any) -> bool:
        weight = self.likelihood / self.likelihood.sum()
        mean = weight @ values
        error = math.sqrt((weight**2) @ (values - mean) ** 2)
        return bool(abs(figure - mean) <= ERRORS * error + 1e-9)


@cache
def posed(name: str) -> tuple[DirichletMixture, Witness]:
    levels, counts = TABLES[name]
    rng = np.random.default_rng(len(counts))
    base = rng.dirichlet(np.full(len(counts), 5.0))
    equal = DirichletPrior.of_pairs((base + base[::-1]) / 2)
    prior = DirichletPrior(equal.components, np.log(rng.dirichlet(np.ones(6))))
    return DirichletMixture.of(counted(levels, counts), prior), Witness(prior, counts, rng)


def leads(values: Any) -> Any:
    """Who is the largest; those who are equal share."""
    top = (values >= values.max(axis=1, keepdims=True) - 1e-12) * 1.0
    return top / top.sum(axis=1, keepdims=True)


def above(x: Any, y: Any) -> Any:
    return np.where(np.abs(x - y) <= 1e-12, 0.5, x > y)


@pytest.mark.parametrize("name", TABLES)
def test_every_question_of_a_folded_prior(name: str) -> None:
    posterior, witness = posed(name)
    theta, size = witness.theta, posterior.counts.shape[1]
    p, mean, best = posterior.p_max(), posterior.mean(), int(posterior.counts[0].argmax())
    assert p.sum() == pytest.approx(1.0, abs=1e-10)
    lead = leads(theta)
    for s in range(size):
        assert witness.agrees(p[s], lead[:, s])
        assert witness.agrees(mean[s], theta[:, s])
        assert witness.agrees(posterior.majority(s), above(theta[:, s], 0.5))
        for other in range(s):
            assert witness.agrees(posterior.order(s, other), above(theta[:, s], theta[:, other]))
    low, high = posterior.interval(best)
    # An end may be the atom of two equal statements.
    assert low == 0.5 or witness.agrees(0.025, theta[:, best] <= low)
    assert high == 0.5 or witness.agrees(0.975, theta[:, best] <= high)
    error = witness.likelihood.std() / math.sqrt(DRAWS)
    evidence = posterior.log_evidence
    assert evidence is not None
    assert abs(math.exp(evidence) - witness.likelihood.mean()) <= ERRORS * error


@pytest.mark.parametrize("name", TABLES)
def test_parts_of_a_folded_prior(name: str) -> None:
    posterior, witness = posed(name)
    parts, best = posterior.parts(), int(posterior.counts[0].argmax())
    for j in range(len(TABLES[name][0])):
        groups = Groups.states(posterior.evidence.statements, j)
        summed = groups.total(witness.theta)
        assert witness.agrees(parts[best, j], leads(summed)[:, groups.of[best]])


@pytest.mark.parametrize("name", TABLES)
def test_draws_and_predictions_of_a_folded_prior(name: str) -> None:
    posterior, _ = posed(name)
    rng = np.random.default_rng(1)
    drawn = np.exp(posterior.draw(50_000, rng))[:, :-1]
    lead, mean, p = leads(drawn), posterior.mean(), posterior.p_max()
    new = posterior.predict(1, 50_000, rng).ravel()
    for s in range(len(mean)):
        spread = ERRORS / math.sqrt(50_000)
        assert abs(lead[:, s].mean() - p[s]) <= spread * lead[:, s].std() + 1e-9
        assert abs(drawn[:, s].mean() - mean[s]) <= spread * drawn[:, s].std() + 1e-9
        assert abs((new == s).mean() - mean[s]) <= spread * 0.5


@pytest.mark.parametrize("name", TABLES)
def test_more_datasets_and_one_less(name: str) -> None:
    posterior, _ = posed(name)
    levels, counts = TABLES[name]
    best = int(np.argmax(counts))
    more = np.eye(len(counts))[best] * 2.0
    again = DirichletMixture.of(counted(levels, counts + more), posterior.prior)
    assert posterior.with_more(more).p_max() == pytest.approx(again.p_max(), abs=1e-11)
    less = np.asarray(counts) - np.eye(len(counts))[best]
    fewer = DirichletMixture.of(counted(levels, less), posterior.prior)
    without, within = posterior.leave_one_out()
    shown = posterior.evidence.statements.table.statement
    first = int(np.flatnonzero(shown == best)[0])
    assert posterior.log_evidence is not None
    assert fewer.log_evidence is not None
    assert without[first] == pytest.approx(posterior.log_evidence - fewer.log_evidence, abs=1e-10)
    assert within[first] == pytest.approx(math.log(posterior.mean()[best]), abs=1e-10)


def test_no_difference_of_two_statements_is_an_atom() -> None:
    atom = Component.over(np.ones(2), Partition.mirrored(2))
    prior = DirichletPrior((atom,), np.zeros(1))
    posterior = DirichletMixture.of(counted((2,), [9.0, 1.0]), prior)
    assert posterior.p_max().tolist() == [0.5, 0.5, 0.0]
    assert (posterior.order(0, 1), posterior.majority(0)) == (0.5, 0.5)
    assert posterior.interval(0) == pytest.approx((0.5, 0.5), abs=1e-15)
    assert posterior.log_evidence == pytest.approx(-10.0 * math.log(2.0))


def test_the_parts_of_example_1() -> None:
    statements = Statements.of(bc.load_example("benavoli-example1"))
    prior = DirichletPrior.symmetric(0.25, 4)
    posterior = DirichletMixture.of(Evidence.counted(statements), prior)
    n = posterior.counts[0]
    first = betainc(0.5 + n[:2].sum(), 0.5 + n[2:].sum(), 0.5)
    second = betainc(0.5 + n[[0, 2]].sum(), 0.5 + n[[1, 3]].sum(), 0.5)
    assert posterior.parts()[3] == pytest.approx([first, second], abs=1e-12)


def test_groups_that_split_a_class_unevenly_are_no_dirichlet() -> None:
    posterior, _ = posed("two measures")
    with pytest.raises(ValueError, match="draw them"):
        posterior.events(Groups(np.array([0, 1, 1, 1])))


@pytest.mark.parametrize("level", [1e-9, 0.025, 0.3, 0.5, 0.8, 0.975, 1.0 - 1e-9])
def test_quantiles_of_scaled_betas(level: float) -> None:
    weight, scale = np.array([0.3, 0.5, 0.2]), np.array([1.0, 0.5, 0.5])
    first, second = np.array([0.2, 7.0, 1.0]), np.array([3.0, 2.0, 1e-2])
    (x,) = beta_mixture_quantile(weight, first, second, level, scale)
    with mp.workdps(30):
        share = sum(
            mp.mpf(w) * mp.betainc(a, b, 0, min(mp.mpf(x) / mp.mpf(c), 1), regularized=True)
            for w, a, b, c in zip(weight, first, second, scale, strict=True)
        )
        # Near its scale the last Beta rises by more within a float than the level is off.
        assert abs(share - mp.mpf(level)) < 1e-12 or abs(x - 0.5) < 1e-15


# what pairs teach each other ----------------------------------------------------------------------


def who(algorithms: int) -> Any:
    return np.stack(np.triu_indices(algorithms, 1), axis=1)


def test_the_figures_of_spec_8() -> None:
    counts = np.array([(10, 0), (9, 1), (8, 2), (5, 5), (6, 4), (4, 6)], dtype=float)
    p = Board.learned(counts, who(4)).p_max()[:, 0]
    expected = [0.991999, 0.967267, 0.902906, 0.500000, 0.586973, 0.413027]
    assert p.round(6).tolist() == expected


@pytest.mark.parametrize("size", [2, 3, 4, 8, 9])
@given(seed=st.integers(0, 10_000))
def test_pairs_teach_as_spec_8_says(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    algorithms = int(rng.integers(3, 8))
    first, second = np.triu_indices(algorithms, 1)
    ability = rng.normal(size=algorithms) * rng.uniform(0, 2)
    slope = np.outer(ability[first] - ability[second], np.linspace(1, -1, size))
    p = np.exp(slope + 0.5 * rng.normal(size=size))
    p /= p.sum(axis=1, keepdims=True)
    whole = np.array([rng.multinomial(rng.integers(0, 40), q) for q in p])
    halves = np.array([rng.multinomial(rng.integers(0, 9), q) for q in p]) / 2
    counts = whole + halves
    found = Board.learned(counts, who(algorithms)).p_max()[:, :-1]
    assert found == pytest.approx(learned_plainly(counts, algorithms), abs=1e-9)


@given(seed=st.integers(0, 10_000))
def test_the_order_of_pairs_and_who_is_named_first_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts, pairs = rng.integers(0, 12, (10, 4)).astype(float), who(5)
    p = Board.learned(counts, pairs).p_max()[:, :-1]
    turned, order = rng.random(10) < 0.5, rng.permutation(10)
    other, named = counts.copy(), pairs.copy()
    other[turned], named[turned] = counts[turned, ::-1], pairs[turned, ::-1]
    again = np.empty_like(p)
    again[order] = Board.learned(other[order], named[order]).p_max()[:, :-1]
    again[turned] = again[turned, ::-1]
    assert again == pytest.approx(p, abs=1e-10)


def test_a_clear_loser_lends_nothing_to_the_others() -> None:
    """Three equal algorithms, and one that always loses: its pairs teach nothing about them."""
    counts = np.array([(6, 4), (5, 5), (10, 0), (4, 6), (10, 0), (10, 0)], dtype=float)
    neighbours = Neighbours(who(4), counts)
    assert neighbours.is_decided.tolist() == [False, False, True, False, True, True]
    assert neighbours.lenders.tolist() == [3.0, 3.0, 6.0, 3.0, 4.0, 6.0]
    alone = Board.learned(counts[[0, 1, 3]], who(3)).p_max()
    assert Board.learned(counts, who(4)).p_max()[[0, 1, 3]] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("rope", [None, 0.2])
def test_pairs_with_missing_cells_teach_by_what_they_leave_possible(rope: float | None) -> None:
    """Every way to fill the gaps is written out; records are spread over what a gap leaves."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(9, 3, 2)) + np.array([0.0, 0.2, 0.9])[:, None]
    values[rng.random(values.shape) < 0.1] = np.nan
    p = bc.pairwise(table(values, rope=rope), missing="ignore", n_jobs=1)
    vectors, records, found = [], [], []
    for c in p:
        evidence = Evidence.from_table(c.results)
        (rows,) = evidence.rows
        size = rows.shape[1]
        ways = np.array(list(itertools.product(range(size), repeat=len(rows))), dtype=int)
        logs = rows[np.arange(len(rows)), ways].sum(axis=1)
        ways, logs = ways[np.isfinite(logs)], logs[np.isfinite(logs)]
        each = (ways[:, :, None] == np.arange(size)).sum(axis=1)
        vectors.append((evidence.counts + each, logs))
        allowed = np.isfinite(rows)
        spread = (allowed / allowed.sum(axis=1, keepdims=True)).sum(axis=0)
        records.append(evidence.counts + spread)
        found.append(c.probability.values)
    assert sum(len(v) for v, _ in vectors) > 10
    expected = learned_from(vectors, np.array(records), 3)
    assert np.array(found) == pytest.approx(expected, abs=1e-9)
