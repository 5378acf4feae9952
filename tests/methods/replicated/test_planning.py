"""More replicates of the same datasets: the plan against what is known exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.methods import Replicated
from tests.methods.replicated.test_replicated import folds


@pytest.fixture(scope="module")
def noisy() -> bc.Results:
    return folds(n=6, m=1, noise=0.08)


def simulated(c: Any, factor: float, number: int) -> np.ndarray:
    simulate = c.posterior.with_replicates()
    return np.array([simulate(factor, rng) for rng in np.random.default_rng(1).spawn(number)])


@pytest.mark.parametrize("effects", ["learned", "flat"])
def test_as_many_replicates_change_nothing(noisy: bc.Results, effects: Any) -> None:
    c: Any = bc.compare(noisy, method=Replicated(effects=effects))
    np.testing.assert_allclose(simulated(c, 1.0, 3), np.tile(c.probability, (3, 1)), atol=1e-9)


@pytest.mark.parametrize("effects", ["learned", "flat"])
def test_what_more_replicates_show_averages_to_what_is_known(
    noisy: bc.Results, effects: Any
) -> None:
    """The whole simulation is calibrated: P is a martingale under its own predictions."""
    c: Any = bc.compare(noisy, method=Replicated(effects=effects))
    later = simulated(c, 5.0, 80)
    error = later.std(axis=0, ddof=1) / np.sqrt(len(later))
    assert (error > 1e-3).all()
    np.testing.assert_array_less(np.abs(later.mean(axis=0) - c.probability.values), 4.0 * error)


@pytest.mark.parametrize("effects", ["learned", "flat"])
def test_endless_independent_replicates_leave_what_the_datasets_leave(
    noisy: bc.Results, effects: Any
) -> None:
    """The mean of 1 − max P is the part of too few datasets; how often it settles is exact, too."""
    c: Any = bc.compare(noisy, method=Replicated(rho=0.0, effects=effects))
    left = 1.0 - simulated(c, 1e5, 100).max(axis=1)
    error = left.std(ddof=1) / np.sqrt(len(left))
    assert left.mean() == pytest.approx(c.uncertainty["datasets"], abs=4.0 * error)
    assert left.mean() < c.uncertainty["total"]
    posterior = c.method.posterior(c.results)
    (alpha,) = (a.log_alpha for a in posterior.components)
    exact = sum(
        w * (p_max(alpha, v[None])[0].max() >= 0.9)
        for w, v in zip(posterior.weight[0], posterior.counts, strict=True)
    )
    settled = float((1.0 - left >= 0.9).mean())
    assert settled == pytest.approx(exact, abs=4.0 * np.sqrt(exact * (1.0 - exact) / len(left)))


def test_repeated_folds_settle_less_than_independent_replicates() -> None:
    results = folds(n=8, m=1, noise=0.05)
    settled = [
        bc.compare(results, method=Replicated(rho=rho)).plan(
            replicates=[1000], threshold=0.9, simulations=40, rng=1
        ).loc[1000, "settled"]
        for rho in (0.0, 0.4)
    ]  # fmt: skip
    assert settled[0] > settled[1] + 0.1


def test_one_dataset_items_and_the_cut() -> None:
    one: Any = bc.compare(folds(n=1, m=1, noise=0.08), method=Replicated(rho=0.0))
    plan = one.plan(replicates=[1, 1e5], simulations=40, rng=1)
    assert plan.index.name == "replicates"
    assert plan.loc[1e5, "settled"] > 0.9
    assert plan.loc[1, "settled"] == float(one.probability.max() >= 0.95)
    cut: Any = bc.compare(folds(n=4, m=1, noise=0.08), method=Replicated(joint=False))
    np.testing.assert_allclose(simulated(cut, 1.0, 2)[0], cut.probability, atol=1e-9)
    rng = np.random.default_rng(3)
    rows = [
        {"dataset": f"d{d}", "algorithm": a, "item": i, "right": bool(rng.random() < p)}
        for d in range(4)
        for a, p in (("A", 0.5), ("B", 0.62))
        for i in range(60)
    ]
    items = bc.Results.from_frame(
        pd.DataFrame(rows), replicate="item", replicates="items", measures={"right": "max"}
    )
    c: Any = bc.compare(items, method="replicated")
    np.testing.assert_allclose(simulated(c, 1.0, 2)[1], c.probability, atol=1e-9)
    later = simulated(c, 4.0, 80)
    error = later.std(axis=0, ddof=1) / np.sqrt(len(later))
    np.testing.assert_array_less(np.abs(later.mean(axis=0) - c.probability.values), 4.0 * error)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"replicates": [0.5]}, r"replicates=\[0.5\]: give factors"),
        ({"replicates": [float("nan")]}, "replicates="),
        ({"replicates": [float("inf")]}, "replicates="),
        ({"replicates": "ten"}, "replicates='ten'"),
        ({"replicates": []}, r"replicates=\[\]: give at least one"),
        ({"replicates": [True]}, "replicates="),
        ({"replicates": [2], "more": [10]}, "one at a time"),
        ({"replicates": [2], "threshold": 2}, "threshold"),
    ],
)
def test_bad_factors(noisy: bc.Results, arguments: dict[str, Any], message: str) -> None:
    c: Any = bc.compare(noisy, method="replicated")
    with pytest.raises(bc.BayescompareError, match=message):
        c.plan(**arguments)


def test_other_methods_refuse_replicates(noisy: bc.Results) -> None:
    for method in ("dirichlet", "correlated-t"):
        table = noisy.average() if method == "dirichlet" else noisy
        with pytest.raises(bc.BayescompareError, match="'replicated' plans both"):
            bc.compare(table, method=method).plan(replicates=[2])
