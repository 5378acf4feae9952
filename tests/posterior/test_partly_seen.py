"""θ given partly seen datasets, against the mixture over all their statements."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.orders import WeightTable
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.posterior.partition import Partition
from bayescompare.prior import DirichletPrior
from bayescompare.statements import Statements
from tests.oracles.dirichlet import largest
from tests.oracles.partial import mixture

#: Complete datasets, two of them tied.
SHOWN = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
COMPLETE = SHOWN.sum(axis=0)
AGREE = [(0, 1), (0, 1), (1, 3), (0, 1, 2, 3), (2, 3)]


def rows_of(agree: list[tuple[int, ...]], cells: int) -> np.ndarray:
    rows = np.full((len(agree), cells), -math.inf)
    for row, own in zip(rows, agree, strict=True):
        row[list(own)] = 0.0
    return rows


def evidence_of(shown: np.ndarray, rows: np.ndarray) -> Evidence:
    """Counted datasets with these weights (n, K), and rows of log likelihoods after them."""
    measures = {f"m{j}": None for j in range(int(math.log2(rows.shape[1])))}
    every = Statements.without_data(["A", "B"], measures)
    dataset, statement = np.nonzero(shown)
    weight = shown[dataset, statement]
    table = WeightTable(every.table.states, shown.sum(axis=0), dataset, statement, weight)
    names = tuple(f"d{i}" for i in range(len(shown) + len(rows)))
    statements = replace(every, datasets=names, table=table)
    return Evidence(statements, rows[None], np.arange(len(rows)) + len(shown))


def prior_of(alpha: np.ndarray, prior: np.ndarray) -> DirichletPrior:
    classes = Partition.trivial(alpha.shape[1])
    return DirichletPrior(tuple(Component(np.log(a), classes) for a in alpha), np.log(prior))


def solved(alpha: np.ndarray, prior: np.ndarray, agree: list[tuple[int, ...]]) -> DirichletMixture:
    return DirichletMixture.of(evidence_of(SHOWN, rows_of(agree, 4)), prior_of(alpha, prior))


@pytest.mark.parametrize(
    ("alpha", "prior"),
    [
        (np.full((1, 4), 0.25), np.ones(1)),
        (np.outer([0.5, 4.0, 50.0], [0.4, 0.1, 0.1, 0.4]), np.array([0.2, 0.5, 0.3])),
    ],
    ids=["one Dirichlet", "a mixture"],
)
def test_against_enumeration(alpha: np.ndarray, prior: np.ndarray) -> None:
    found = solved(alpha, prior, AGREE)
    parts = [
        (g * weight, shape)
        for g, own in zip(prior, alpha, strict=True)
        for weight, shape in mixture(own, COMPLETE, AGREE)
    ]
    evidence = sum(weight for weight, _ in parts)
    shapes: dict[tuple[float, ...], float] = {}
    for weight, shape in parts:
        key = tuple(shape.round(12).tolist())
        shapes[key] = shapes.get(key, 0.0) + weight / evidence
    mean = sum(w * np.array(shape) / sum(shape) for shape, w in shapes.items())
    assert found.log_evidence == pytest.approx(math.log(evidence), abs=1e-10)
    np.testing.assert_allclose(found.mean(), mean, atol=1e-10)
    assert found.p_max().sum() == pytest.approx(1.0, abs=1e-10)


def test_the_largest_against_mpmath() -> None:
    alpha, agree = np.full((1, 4), 0.25), [(0, 1), (0, 1)]
    found = solved(alpha, np.ones(1), agree)
    parts = mixture(alpha[0], COMPLETE, agree)
    shapes: dict[tuple[float, ...], float] = {}
    for weight, shape in parts:
        shapes[tuple(shape)] = shapes.get(tuple(shape), 0.0) + weight
    biggest = sum(w * np.array(largest(shape)) for shape, w in shapes.items())
    biggest /= sum(shapes.values())
    np.testing.assert_allclose(found.p_max()[:-1], biggest, atol=1e-10)


def test_leave_one_out_is_a_difference_of_evidences() -> None:
    alpha, prior = np.outer([0.5, 4.0], np.full(4, 0.25)), np.array([0.3, 0.7])

    def log_evidence(complete: np.ndarray, agree: list[tuple[int, ...]]) -> float:
        parts = [g * w for g, own in zip(prior, alpha, strict=True)
                 for w, _ in mixture(own, complete, agree)]  # fmt: skip
        return math.log(sum(parts))

    found = solved(alpha, prior, AGREE)
    whole = log_evidence(COMPLETE, AGREE)
    without, within = found.leave_one_out()
    for i in range(len(AGREE)):
        rest = [own for j, own in enumerate(AGREE) if j != i]
        fewer = whole - log_evidence(COMPLETE, rest)
        assert without[len(SHOWN) + i] == pytest.approx(fewer, abs=1e-9)
        more = log_evidence(COMPLETE, [*AGREE, AGREE[i]]) - whole
        assert within[len(SHOWN) + i] == pytest.approx(more, abs=1e-9)
    for i, weight in enumerate(SHOWN):
        assert without[i] == pytest.approx(whole - log_evidence(COMPLETE - weight, AGREE), abs=1e-9)
        assert within[i] == pytest.approx(log_evidence(COMPLETE + weight, AGREE) - whole, abs=1e-9)


def test_a_dataset_that_leaves_everything_says_nothing() -> None:
    alpha, prior = np.full((1, 4), 0.25), np.ones(1)
    with_it, without = solved(alpha, prior, AGREE), solved(alpha, prior, [*AGREE, (0, 1, 2, 3)])
    np.testing.assert_allclose(with_it.p_max(), without.p_max(), atol=1e-10)
    assert with_it.log_evidence == pytest.approx(without.log_evidence, abs=1e-10)


def test_draws_have_the_posterior_mean() -> None:
    found = solved(np.full((1, 4), 0.25), np.ones(1), AGREE)
    drawn = np.exp(found.draw(20_000, np.random.default_rng(1)))[:, :-1]
    np.testing.assert_allclose(drawn.mean(axis=0), found.mean(), atol=0.01)


def test_too_many_count_vectors_are_sampled_or_refused() -> None:
    agree = list(itertools.islice(itertools.cycle(itertools.combinations(range(16), 8)), 40))
    evidence = evidence_of(np.empty((0, 16)), rows_of(agree, 16))
    prior = prior_of(np.full((1, 16), 1 / 16), np.ones(1))
    with pytest.raises(TooManyVectors):
        DirichletMixture.of(evidence, prior)
    sampled = DrawnMixture.sampled(evidence, prior, np.random.default_rng(0))
    assert sampled.mcse() is not None
    assert sampled.log_evidence is None
    assert sampled.p_max().sum() == pytest.approx(1.0, abs=1e-9)
