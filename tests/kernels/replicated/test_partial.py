"""θ given partly seen datasets, against the mixture over all their statements."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bayescompare.kernels.replicated.partial import PartialPosterior, partial_posterior
from tests.oracles.dirichlet import largest
from tests.oracles.partial import mixture

COMPLETE = np.array([2.5, 0.0, 1.5, 1.0])
AGREE = [(0, 1), (0, 1), (1, 3), (0, 1, 2, 3), (2, 3)]


def rows_of(agree: list[tuple[int, ...]], cells: int) -> np.ndarray:
    rows = np.full((len(agree), cells), -math.inf)
    for row, own in zip(rows, agree, strict=True):
        row[list(own)] = 0.0
    return rows


def solved(alpha: np.ndarray, prior: np.ndarray, agree: list[tuple[int, ...]]) -> PartialPosterior:
    rng = np.random.default_rng(0)
    found = partial_posterior(alpha, prior, COMPLETE, rows_of(agree, 4), rng)
    assert found is not None
    return found


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
    np.testing.assert_allclose(found.theta_mean, mean, atol=1e-10)
    assert found.probability.sum() == pytest.approx(1.0, abs=1e-10)


def test_the_largest_against_mpmath() -> None:
    alpha, agree = np.full((1, 4), 0.25), [(0, 1), (0, 1)]
    found = solved(alpha, np.ones(1), agree)
    parts = mixture(alpha[0], COMPLETE, agree)
    shapes: dict[tuple[float, ...], float] = {}
    for weight, shape in parts:
        shapes[tuple(shape)] = shapes.get(tuple(shape), 0.0) + weight
    biggest = sum(w * np.array(largest(shape)) for shape, w in shapes.items())
    biggest /= sum(shapes.values())
    np.testing.assert_allclose(found.probability, biggest, atol=1e-10)


def test_leave_one_out_is_a_difference_of_evidences() -> None:
    alpha, prior = np.outer([0.5, 4.0], np.full(4, 0.25)), np.array([0.3, 0.7])

    def log_evidence(complete: np.ndarray, agree: list[tuple[int, ...]]) -> float:
        parts = [g * w for g, own in zip(prior, alpha, strict=True)
                 for w, _ in mixture(own, complete, agree)]  # fmt: skip
        return math.log(sum(parts))

    found = solved(alpha, prior, AGREE)
    whole = log_evidence(COMPLETE, AGREE)
    densities = found.left_out()
    assert densities is not None
    for i in range(len(AGREE)):
        rest = [own for j, own in enumerate(AGREE) if j != i]
        assert densities[0][i] == pytest.approx(whole - log_evidence(COMPLETE, rest), abs=1e-9)
        more = log_evidence(COMPLETE, [*AGREE, AGREE[i]]) - whole
        assert densities[1][i] == pytest.approx(more, abs=1e-9)
    for weight in (np.array([1.0, 0, 0, 0]), np.array([0.5, 0, 0.5, 0])):
        own = found.left_out_complete(weight)
        assert own is not None
        assert own[0] == pytest.approx(whole - log_evidence(COMPLETE - weight, AGREE), abs=1e-9)
        assert own[1] == pytest.approx(log_evidence(COMPLETE + weight, AGREE) - whole, abs=1e-9)


def test_a_dataset_that_leaves_everything_says_nothing() -> None:
    alpha, prior = np.full((1, 4), 0.25), np.ones(1)
    with_it, without = solved(alpha, prior, AGREE), solved(alpha, prior, [*AGREE, (0, 1, 2, 3)])
    np.testing.assert_allclose(with_it.probability, without.probability, atol=1e-10)
    assert with_it.log_evidence == pytest.approx(without.log_evidence, abs=1e-10)


def test_draws_have_the_posterior_mean() -> None:
    found = solved(np.full((1, 4), 0.25), np.ones(1), AGREE)
    rng = np.random.default_rng(1)
    component, counts = found.draw((4, 5000), rng)
    mean = ((found.alpha[component] + counts) / (1.0 + 10.0)).mean(axis=(0, 1))
    np.testing.assert_allclose(mean, found.theta_mean, atol=0.01)


def test_too_many_count_vectors_are_sampled_or_refused() -> None:
    rng = np.random.default_rng(0)
    agree = list(itertools.islice(itertools.cycle(itertools.combinations(range(16), 8)), 40))
    complete, rows = np.zeros(16), rows_of(agree, 16)
    alpha = np.full((1, 16), 1 / 16)
    sampled = partial_posterior(alpha, np.ones(1), complete, rows, rng)
    assert sampled is not None
    assert sampled.mcse is not None
    assert sampled.log_evidence is None
    assert sampled.left_out() is None
    two = np.concatenate([alpha, 2.0 * alpha])
    assert partial_posterior(two, np.full(2, 0.5), complete, rows, rng) is None
