"""The context: the paper's figures, every d by enumeration, scipy, mpmath, draws, symmetries."""

from __future__ import annotations

import itertools
import math
import resource
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bayescompare.kernels.context import error_rates as er
from bayescompare.kernels.context import poisson_binomial as pb
from tests.cases import few_quick
from tests.oracles.context import RateByMpmath

probability = st.one_of(
    st.floats(0.0, 1.0, allow_subnormal=False), st.sampled_from([0.0, 0.5, 1.0])
)
some = st.integers(0, 40).flatmap(lambda n: arrays(np.float64, n, elements=probability))
prior = st.sampled_from([0.1, 0.5, 1.0, 2.0, 7.3])


def joint(p: np.ndarray, b: float = 1.0) -> pb.RatePosterior:
    return pb.RatePosterior.of(p, pb.RatePrior.beta(b, b))


# ----------------------------------------------------------------------------------- the published


# ------------------------------------------------------------------------------ every d, one by one


def enumerate_all(p: np.ndarray, b: float) -> dict[str, object]:
    """Both models from their definition: a sum over all 2^N vectors d."""
    n = len(p)
    above = [float(mp.betainc(n - k + b, k + b, 0, 0.5, regularized=True)) for k in range(n + 1)]
    beta = [float(mp.beta(b + k, b + n - k) / mp.beta(b, b)) for k in range(n + 1)]
    cut = evidence = first = mean = square = 0.0
    counts, wins = np.zeros(n + 1), np.zeros(n)
    for d in itertools.product((0, 1), repeat=n):
        k = sum(d)
        own = math.prod(q if hit else 1.0 - q for q, hit in zip(p.tolist(), d, strict=True))
        cut += own * above[k]
        weight = own * beta[k]
        evidence += weight
        first += weight * above[k]
        counts[k] += weight
        wins += weight * np.array(d)
        rate = (b + k) / (2 * b + n)
        mean += weight * rate
        square += weight * rate * (b + k + 1) / (2 * b + n + 1)
    mean, square = mean / evidence, square / evidence
    return {
        "cut": cut,
        "evidence": evidence,
        "first": first / evidence,
        "counts": counts / evidence,
        "wins": wins / evidence,
        "mean": mean,
        "sd": math.sqrt(square - mean**2),
    }


def cases() -> list[tuple[np.ndarray, float]]:
    rng = np.random.default_rng(2012)
    found = [(rng.random(n), b) for n, b in [(1, 1.0), (4, 0.3), (9, 1.0), (12, 2.5)]]
    found += [(np.array([1.0, 1.0, 0.0, 0.5, 0.999999, 1e-9]), 1.0)]
    found += [(rng.beta(0.2, 0.2, 10), 0.5), (np.full(7, 0.5), 1.0), (np.ones(6), 0.1)]
    return found


@pytest.mark.parametrize(("p", "b"), cases())
def test_both_models_against_enumeration(p: np.ndarray, b: float) -> None:
    exact = enumerate_all(p, b)
    assert pb.context(p, b) == pytest.approx(exact["cut"], abs=1e-13)
    found = joint(p, b)
    assert found.first == pytest.approx(exact["first"], abs=1e-12)
    assert found.second == pytest.approx(1.0 - exact["first"], abs=1e-12)
    assert found.mean == pytest.approx(exact["mean"], abs=1e-12)
    assert found.sd == pytest.approx(exact["sd"], abs=1e-11)
    assert found.log_evidence == pytest.approx(math.log(exact["evidence"]), abs=1e-11)
    np.testing.assert_allclose(found.wins, exact["wins"], atol=1e-12)
    counts, log_evidence = pb.poisson_binomial_counts(p, b)
    np.testing.assert_allclose(counts, exact["counts"], atol=1e-13)
    assert log_evidence == pytest.approx(math.log(exact["evidence"]), abs=1e-12)
    assert pb.context(p, b, joint=True) == pytest.approx(exact["first"], abs=1e-13)
    without = [enumerate_all(np.delete(p, i), b)["evidence"] for i in range(min(len(p), 4))]
    np.testing.assert_allclose(
        found.log_predictive[:4], np.log(exact["evidence"] / np.array(without)), atol=1e-11
    )


# --------------------------------------------------------------------------------- the independent


@pytest.mark.parametrize("n", [1, 7, 300, pytest.param(1000, marks=pytest.mark.slow)])
def test_pmf_equals_scipy(n: int) -> None:
    p = np.random.default_rng(n).random(n)
    exact = stats.poisson_binom.pmf(np.arange(n + 1), p)
    np.testing.assert_allclose(pb.poisson_binomial_masses(p), exact, rtol=0, atol=1e-13)


def test_tails_of_the_pmf_by_mpmath() -> None:
    p = np.random.default_rng(5).beta(0.5, 0.5, 150)
    with mp.workdps(50):
        q = [mp.mpf(1)]
        for x in p.tolist():
            win, loss = mp.mpf(x), 1 - mp.mpf(x)
            pairs = zip([*q, mp.mpf(0)], [mp.mpf(0), *q], strict=True)
            q = [loss * same + win * lower for same, lower in pairs]
        exact = np.array([float(v) for v in q])
    np.testing.assert_allclose(pb.poisson_binomial_masses(p), exact, rtol=1e-12, atol=1e-290)
    assert exact.min() < 1e-60


def test_pmf_of_equal_trials_is_binomial() -> None:
    for n, p in [(2000, 0.5), (500, 0.003), (50, 0.0), (50, 1.0)]:
        exact = stats.binom.pmf(np.arange(n + 1), n, p)
        np.testing.assert_allclose(
            pb.poisson_binomial_masses(np.full(n, p)), exact, rtol=1e-9, atol=1e-290
        )


def test_uninformative_datasets_leave_the_prior() -> None:
    """PB(0) is 2^-3000 here, and the posterior of κ uniform all the same."""
    p = np.full(3000, 0.5)
    counts, log_evidence = pb.poisson_binomial_counts(p)
    np.testing.assert_allclose(counts, 1 / 3001, rtol=1e-10)
    assert log_evidence == pytest.approx(-3000 * math.log(2), abs=1e-9)
    found = joint(p)
    assert found.first == pytest.approx(0.5, abs=1e-12)
    assert found.sd == pytest.approx(math.sqrt(1 / 12), abs=1e-12)


@pytest.mark.parametrize("b", [0.5, 1.0, 30.0])
def test_two_routes_to_the_joint_model(b: float) -> None:
    """Quadrature over r and the recursion over κ, on thousands of datasets in an evil order."""
    rng = np.random.default_rng(7)
    for p in (rng.random(3000), np.r_[np.full(300, 0.01), np.ones(20_000)], rng.beta(9, 8, 999)):
        found = joint(p, b)
        counts, log_evidence = pb.poisson_binomial_counts(p, b)
        wins = np.arange(len(p) + 1)
        assert found.log_evidence == pytest.approx(log_evidence, rel=1e-12)
        assert found.first == pytest.approx(pb.context(p, b, joint=True), abs=1e-11)
        assert found.mean == pytest.approx(float(counts @ (wins + b)) / (len(p) + 2 * b), abs=1e-11)
        assert found.wins.sum() == pytest.approx(float(counts @ wins), rel=1e-11)


def test_joint_is_calibrated_and_the_cut_is_not() -> None:
    """Draw r, d and the counts from the prior: stated probabilities should be frequencies."""
    rng = np.random.default_rng(10)
    runs, n, size = 4000, 12, 20
    r = rng.random(runs)
    d = rng.random((runs, n)) < r[:, None]
    z = rng.random((runs, n)) / 2
    k_h = rng.binomial(size, np.where(d, z, 1 - z))
    p = er.first_error_rate_better(k_h, size - k_h)
    stated = np.array([[pb.context(row), pb.context(row, joint=True)] for row in p])
    truth = (r > 0.5).astype(float)
    # The slope of truth on what is stated is one if it is calibrated.
    centred = stated - 0.5
    gap = ((truth - 0.5)[:, None] - centred) * centred
    score = gap.mean(axis=0) / (gap.std(axis=0) / math.sqrt(runs))
    assert abs(score[1]) < 4
    # The cut model is too cautious: the truth is more extreme than it states.
    assert score[0] > 6


# ------------------------------------------------------------------------------------ the property


@given(some)
@settings(deadline=None)
def test_pmf_sums_to_one_with_the_right_moments(p: np.ndarray) -> None:
    found = pb.poisson_binomial_masses(p)
    kappa = np.arange(len(p) + 1)
    assert found.sum() == pytest.approx(1.0, abs=1e-13)
    assert found @ kappa == pytest.approx(p.sum(), abs=1e-11)
    assert found @ (kappa - p.sum()) ** 2 == pytest.approx((p * (1 - p)).sum(), abs=1e-10)
    np.testing.assert_allclose(pb.poisson_binomial_masses(1.0 - p), found[::-1], atol=1e-13)


@given(some, prior)
@settings(deadline=None)
def test_swapping_the_algorithms_mirrors(p: np.ndarray, b: float) -> None:
    assert pb.context(p, b) + pb.context(1.0 - p, b) == pytest.approx(1.0, abs=1e-12)
    one, other = joint(p, b), joint(1.0 - p, b)
    assert one.first == pytest.approx(other.second, abs=1e-11)
    assert one.first + one.second == pytest.approx(1.0, abs=1e-12)
    assert one.mean + other.mean == pytest.approx(1.0, abs=1e-11)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-10)
    np.testing.assert_allclose(one.wins + other.wins, 1.0, atol=1e-11)
    assert one.first == pytest.approx(pb.context(p, b, joint=True), abs=1e-11)
    assert one.log_evidence == pytest.approx(pb.poisson_binomial_counts(p, b)[1], abs=1e-10)
    assert one.error < 1e-11


@given(some, prior, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_of_datasets_does_not_matter(p: np.ndarray, b: float, random: object) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    assert pb.context(p[order], b) == pytest.approx(pb.context(p, b), abs=1e-13)
    assert pb.context(p[order], b, joint=True) == pytest.approx(
        pb.context(p, b, joint=True), abs=1e-13
    )
    one, other = joint(p, b), joint(p[order], b)
    np.testing.assert_allclose(other.wins, one.wins[order], atol=1e-11)
    np.testing.assert_allclose(other.log_predictive, one.log_predictive[order], atol=1e-10)


@given(some.filter(len), st.data(), st.floats(0.0, 1.0))
@settings(deadline=None)
def test_better_on_one_dataset_is_never_worse_in_the_context(
    p: np.ndarray, data: st.DataObject, share: float
) -> None:
    i = data.draw(st.integers(0, len(p) - 1))
    higher = p.copy()
    higher[i] += share * (1.0 - p[i])
    assert pb.context(higher) >= pb.context(p) - 1e-13
    assert pb.context(higher, joint=True) >= pb.context(p, joint=True) - 1e-13
    assert joint(higher).mean >= joint(p).mean - 1e-11


def test_no_dataset_leaves_the_prior() -> None:
    assert pb.poisson_binomial_masses([]).tolist() == [1.0]
    assert pb.context([]) == 0.5
    found = joint(np.array([]))
    assert (round(found.first, 12), round(found.mean, 12)) == (0.5, 0.5)
    assert found.log_evidence == pytest.approx(0.0, abs=1e-12)


# ------------------------------------------------------------------------------------ speed, memory


def test_a_hundred_thousand_datasets() -> None:
    """At most 200 MB more; `make bench` has the time."""
    p = np.random.default_rng(13).random(100_000)
    pb.poisson_binomial_masses(p[:10])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = pb.poisson_binomial_masses(p)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert found.sum() == pytest.approx(1.0, abs=1e-10)
    assert more < 200_000


# ------------------------------------------------------------------------------- any prior of r

P = [0.99, 0.7, 0.55, 0.5, 0.02]


def of(distribution: Any) -> pb.RatePrior:
    hints = distribution.ppf(np.linspace(0.005, 0.995, 50))
    return pb.RatePrior.of_rate(distribution.logpdf, hints)


def uniform(low: float, high: float) -> Callable[[mp.mpf], mp.mpf]:
    return lambda r: 1 / (mp.mpf(high) - mp.mpf(low))


def beta(a: float, b: float) -> Callable[[mp.mpf], mp.mpf]:
    return lambda r: r ** (mp.mpf(a) - 1) * (1 - r) ** (mp.mpf(b) - 1) / mp.beta(a, b)


def triangle(r: mp.mpf) -> mp.mpf:
    return 2 * r / mp.mpf(0.25) if r < mp.mpf(0.25) else 2 * (1 - r) / mp.mpf(0.75)


CASES = {
    "beta": (pb.RatePrior.beta(2.0, 5.0), beta(2.0, 5.0), (0.0, 1.0)),
    "beta by its density": (of(stats.beta(2.0, 5.0)), beta(2.0, 5.0), (0.0, 1.0)),
    "jeffreys": (pb.RatePrior.beta(0.5, 0.5), beta(0.5, 0.5), (0.0, 1.0)),
    "jumps": (of(stats.uniform(0.3, 0.4)), uniform(0.3, 0.7), (0.3, 0.7)),
    "above a half": (of(stats.uniform(0.6, 0.3)), uniform(0.6, 0.9), (0.6, 0.9)),
    "bent": (of(stats.triang(0.25)), triangle, (0.0, 0.25, 1.0)),
}


@pytest.mark.parametrize("name", few_quick(CASES, 3))
def test_all_figures_against_mpmath(name: str) -> None:
    prior, density, edges = CASES[name]
    oracle = RateByMpmath(P, density, edges)
    found = pb.RatePosterior.of(P, prior)
    assert prior.log_total == pytest.approx(0.0, abs=1e-11)
    for figure, expected in oracle.figures().items():
        assert getattr(found, figure) == pytest.approx(expected, abs=2e-11), figure
    assert found.first + found.second == pytest.approx(1.0, abs=1e-13)
    for i in (0, 4):
        assert found.log_predictive[i] == pytest.approx(oracle.left_out(i), abs=1e-10)
    for share, r in zip((0.025, 0.7), found.quantile([0.025, 0.7]), strict=True):
        assert oracle.cdf(float(r)) == pytest.approx(share, abs=1e-6)
    assert found.error < 1e-11


@given(
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8),
    st.floats(0.3, 9.0),
    st.floats(0.3, 9.0),
    st.floats(0.3, 3.0),
)
def test_mirrored_and_scaled(p: list[float], a: float, b: float, power: float) -> None:
    """Swapping the algorithms mirrors; a Beta to a power of its logit is Beta(γa, γb)."""
    one = pb.RatePrior.beta(a, b)
    found = pb.RatePosterior.of(p, one)
    mirrored = pb.RatePosterior.of([1.0 - x for x in p], one.mirrored())
    assert mirrored.second == pytest.approx(found.first, abs=1e-11)
    assert mirrored.mean == pytest.approx(1.0 - found.mean, abs=1e-11)
    scaled = pb.RatePrior(one.log_density, one.hints, power)
    strong = pb.RatePosterior.of(p, scaled)
    known = pb.RatePosterior.of(p, pb.RatePrior.beta(power * a, power * b))
    assert strong.first == pytest.approx(known.first, abs=1e-10)
    assert strong.log_evidence == pytest.approx(known.log_evidence, abs=1e-10)


@pytest.mark.parametrize(
    "distribution",
    [stats.norm(0.6, 1e-6), stats.truncnorm(-20, 30, 0.4, 0.02), stats.beta(400.0, 20.0)],
    ids=["needle", "narrow", "far"],
)
def test_narrow_priors_are_found(distribution: Any) -> None:
    prior = of(distribution)
    posterior = pb.RatePosterior.of(np.full(30, 0.8), prior)
    assert prior.log_total == pytest.approx(0.0, abs=1e-9)
    low, high = distribution.ppf([1e-12, 1 - 1e-12])
    assert low < posterior.mean < high
    drawn = posterior.draw(4000, np.random.default_rng(0))
    assert abs(drawn.mean() - posterior.mean) < 4 * posterior.sd / math.sqrt(4000)


def test_no_density_anywhere_is_an_error() -> None:
    nothing = pb.RatePrior.of_rate(lambda r: np.full_like(r, -np.inf), [0.5])
    with pytest.raises(ArithmeticError, match="zero or infinite"):
        _ = nothing.log_total
