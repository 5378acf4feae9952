"""`on()` of a network: θ summed over the other measures, against draws of the whole."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.comparisons import NetworkComparison
from bayescompare.table.results import Results
from tests.methods.network.cases import agree, ask
from tests.oracles import network as no
from tests.oracles.statements import every_label
from tests.tables import table


def summed(theta: np.ndarray, measures: list[str]) -> np.ndarray:
    """θ of the measures m<j> asked for, in that order, summed over the rest: (size, 2^k)."""
    m = int(math.log2(theta.shape[1]))
    axes = [int(name[1:]) for name in measures]
    others = tuple(1 + j for j in range(m) if j not in axes)
    kept = sorted(axes)
    small = theta.reshape(-1, *[2] * m).sum(axis=others)
    order = [0, *(1 + kept.index(j) for j in axes)]
    return small.transpose(order).reshape(len(theta), -1)


def shares(theta: np.ndarray) -> np.ndarray:
    return np.bincount(theta.argmax(axis=1), minlength=theta.shape[1]) / len(theta)


@pytest.fixture(scope="module")
def chain4_draws() -> np.ndarray:
    values = no.linked(60, 4, seed=0)
    counts = no.counts_of(values, table(values))
    rng = np.random.default_rng(7)
    return np.exp(no.log_theta_draws(counts, [2] * 4, [0, 1, 2, 4], 1.0, 100_000, rng))


@pytest.mark.parametrize(
    ("measures", "exact"),
    [
        (["m0"], True),
        (["m3"], True),
        (["m0", "m1"], True),
        (["m3", "m2"], True),
        (["m1", "m2", "m3"], True),
        (["m0", "m2"], False),
        pytest.param(["m3", "m0"], False, marks=pytest.mark.slow),
        pytest.param(["m0", "m2", "m3"], False, marks=pytest.mark.slow),
        (["m0", "m1", "m2", "m3"], True),
    ],
)
def test_a_subset_sums_theta_over_the_rest(
    chain4: NetworkComparison, chain4_draws: np.ndarray, measures: list[str], exact: bool
) -> None:
    small = chain4.on(measures)
    assert small.exact == exact
    assert list(small.results.measures) == measures
    theta = summed(chain4_draws, measures)
    agree(small, shares(theta), len(theta))
    by_label = small.summary()["theta_mean"].reindex(every_label("AB", len(measures)))
    np.testing.assert_allclose(by_label, theta.mean(axis=0), atol=1e-3)
    assert small.questions["expected"] == pytest.approx(by_label[small.best])


@pytest.mark.slow
def test_a_subset_of_three_algorithms() -> None:
    results = table(no.linked(30, 3, seed=4, l=3))
    c = ask(results, search=no.CHAIN, mcse=0.01)
    small, plain = c.on(["m2", "m1"]), bc.compare(results, measures=["m2", "m1"])
    np.testing.assert_allclose(small.probability.values, plain.probability.values, atol=1e-10)
    values, size = no.linked(30, 3, seed=4, l=3), 20_000
    counts = no.counts_of(values, results)
    logs = no.log_theta_draws(counts, [6] * 3, [0, 1, 2], 1.0, size, np.random.default_rng(0))
    ends = np.exp(logs).reshape(size, 6, 6, 6).sum(axis=2).reshape(size, 36)
    agree(c.on(["m0", "m2"]), shares(ends), size)


def test_below_a_collider_the_sum_is_drawn(walk: tuple[np.ndarray, Results]) -> None:
    c = ask(walk[1], search=no.COLLIDER, mcse=3e-3)
    parents = c.on(["m0", "m2"])
    assert parents.exact
    alone = [bc.compare(walk[1], measures=[name]).probability.values for name in ("m0", "m2")]
    np.testing.assert_allclose(parents.probability.values, np.outer(*alone).ravel(), atol=1e-10)
    child = c.on(["m1"])
    assert not child.exact
    graph, size = no.masks(no.COLLIDER, walk[1].measures), 50_000
    counts, rng = no.counts_of(*walk), np.random.default_rng(7)
    theta = np.exp(no.log_theta_draws(counts, [2] * 3, graph, 1.0, size, rng))
    agree(child, shares(summed(theta, ["m1"])), size)
    assert "summed over" in child.explain()


def test_a_sum_can_be_asked_again(chain4: NetworkComparison) -> None:
    direct, twice = chain4.on(["m0", "m2"]), chain4.on(["m0", "m2", "m3"]).on(["m0", "m2"])
    error = np.hypot(direct.mcse.values, twice.mcse.values)
    np.testing.assert_array_less(np.abs(direct.probability - twice.probability).values, 4 * error)


def test_a_sum_has_no_network_and_says_so(chain4: NetworkComparison) -> None:
    """A network on the subset would be another model: better none than a wrong one."""
    small = chain4.on(["m0", "m2"])
    for quantity in ("network", "edges", "score", "log_evidence"):
        with pytest.raises(BayescompareError):
            getattr(small, quantity)


def test_a_sum_can_be_written_and_read(chain4: NetworkComparison, tmp_path: Path) -> None:
    small = chain4.on(["m0", "m2"])
    document = json.loads(small.to_json())
    assert document["best"] == small.best
    assert "Statements(" not in str(small.probability.attrs["options"])
    again = bc.load_comparison(small.to_netcdf(tmp_path / "small.nc"))
    np.testing.assert_allclose(again.probability.values, small.probability.values)


def test_a_subset_of_an_average_is_refused(averaged: NetworkComparison) -> None:
    """It would have to be summed graph by graph; better refused than of the best graph alone."""
    with pytest.raises(BayescompareError, match="average"):
        averaged.on(["m0", "m2"])
