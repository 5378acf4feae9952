"""What more datasets would bring: the plan against enumeration and simulation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc

import bayescompare as bc
from bayescompare.kernels.dirichlet.pmax import p_max


def least_of_four(alpha: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The least of P(max) and of P on each of two measures, where sums of θ are Betas."""
    whole = p_max(np.log(alpha), counts[None])[0, :-1]
    a00, a01, a10, a11 = alpha + counts
    first = betainc(a10 + a11, a00 + a01, 0.5)
    second = betainc(a01 + a11, a00 + a10, 0.5)
    ahead = np.array([[first, second], [first, 1 - second], [1 - first, second]])
    parts = np.vstack([ahead, [1 - first, 1 - second]])
    return np.minimum(whole, parts.min(axis=1))


def test_more_datasets_settle_more(counts: bc.Results) -> None:
    few = counts.sel(datasets=list(counts.datasets[3:9]))
    for joint in (False, True):
        plan = bc.compare(few, method=bc.methods.PoissonBinomial(joint=joint)).plan(
            [5, 60], simulations=200, rng=1
        )
        assert plan.loc[60, "settled"] > plan.loc[5, "settled"]
        assert (plan["settled_on_best"] <= plan["settled"]).all()
    same = [
        bc.compare(few, method="poisson-binomial").plan([5], simulations=50, rng=7) for _ in "ab"
    ]
    pd.testing.assert_frame_equal(*same)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"more": []}, "more"),
        ({"more": [0]}, "more"),
        ({"more": "ten"}, "more"),
        ({"more": [5], "threshold": 0.4}, "threshold"),
        ({"more": [5], "simulations": 0}, "simulations"),
    ],
)
def test_bad_plans(results: bc.Results, arguments: dict, why: str) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        bc.compare(results).plan(**arguments)
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        bc.compare(results, method="glrt").plan([5])


def test_the_plan_by_enumeration(results: bc.Results) -> None:
    """Three more datasets: every composition, with Pólya's probabilities; which one leads, too."""
    from itertools import product

    method = bc.methods.Dirichlet(prior={"A>B|A>B": 3.0, "*": 0.2})
    c = bc.compare(results, method=method)
    place, threshold = c.answer.labels.index(c.best), 0.6
    alpha = np.array([3.0, 0.2, 0.2, 0.2])
    settled = best = 0.0
    answers: dict[tuple[int, ...], np.ndarray] = {}
    for path in product(range(4), repeat=3):
        shape, p = alpha + c.answer.counts, 1.0
        for k in path:
            p *= shape[k] / shape.sum()
            shape = shape + np.eye(4)[k]
        key = tuple(sorted(path))
        if key not in answers:
            counted = c.answer.counts + np.bincount(path, minlength=4)
            answers[key] = least_of_four(alpha, counted)
        settled += p * (answers[key].max() >= threshold)
        best += p * (answers[key][place] >= threshold)
    found = c.plan([3], threshold=threshold, simulations=1000, rng=1).loc[3]
    assert 0.1 < best <= settled < 0.9
    assert found["settled"] == pytest.approx(settled, abs=4 * found["mcse"])
    assert found["settled_on_best"] == pytest.approx(best, abs=4 * found["mcse"])
    assert found["mcse"] == pytest.approx(math.sqrt(settled * (1 - settled) / 1000), rel=0.1)


@pytest.mark.slow
def test_the_plan_for_error_counts_by_simulation(counts: bc.Results) -> None:
    """Rate, errors and answer simulated anew; the question asked by `compare`."""
    few = counts.sel(datasets=list(counts.datasets[3:8]))
    method = bc.methods.PoissonBinomial(joint=True)
    c = bc.compare(few, method=method)
    k_h, k_g = (c.per_dataset[k].to_numpy() for k in ("first_wrong", "second_wrong"))
    rng = np.random.default_rng(3)
    rates = c.draws(150, chains=1, rng=5)["posterior"]["r"].values.ravel()
    hits = []
    for rate in rates:
        n = rng.choice(k_h + k_g, size=8).astype(int)
        z = rng.random(8)
        low = np.minimum(z, 1 - z)
        wrong = rng.binomial(n, np.where(rng.random(8) < rate, low, 1 - low))
        frame = pd.DataFrame(
            {
                "dataset": [f"d{i}" for i in range(13)],
                "h": np.append(k_h, wrong).astype(int),
                "g": np.append(k_g, n - wrong).astype(int),
            }
        )
        more = bc.ErrorCounts.from_frame(
            frame,
            dataset="dataset",
            first_wrong="h",
            second_wrong="g",
            algorithms=("svm", "parzen"),
        )
        hits.append(bc.compare(more, method=method).probability.values >= 0.8)
    found = c.plan([8], threshold=0.8, simulations=1000, rng=1).loc[8]
    place = c.answer.labels.index(c.best)
    assert found["settled"] == pytest.approx(np.any(hits, axis=1).mean(), abs=0.15)
    assert found["settled_on_best"] == pytest.approx(np.mean(hits, axis=0)[place], abs=0.1)
