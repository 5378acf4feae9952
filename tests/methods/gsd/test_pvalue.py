"""GSD's p-value against every resample of small tables, contaminated too; its seeds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from tests.cases import few_quick
from tests.methods.gsd.cases import Naive, ask, made


@pytest.mark.slow
def test_more_contamination_a_larger_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=300), algorithms=["GBM", "CART"], rng=1)
    curve = c.robustness(rng=1)
    assert curve.columns.tolist() == ["gamma", "pvalue", "corrupted"]
    assert curve["gamma"].is_monotonic_increasing
    assert curve["pvalue"].is_monotonic_increasing
    assert curve["pvalue"].iloc[0] == c.pvalue
    assert curve["pvalue"].iloc[-1] > 0.05
    held = curve.loc[curve["pvalue"] <= 0.05, "gamma"]
    assert 0 < curve.attrs["robust_up_to"] == held.max()
    np.testing.assert_allclose(curve["corrupted"], 16 * curve["gamma"])
    nothing = ask(uci, GSD(permutations=100), algorithms=["BDS", "RF"], rng=1).robustness(rng=1)
    assert nothing.attrs["robust_up_to"] is None


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", few_quick(["mixed", "no bounds", "metric", "min", "ordinal"], 2))
def test_enumeration_is_brute_force(kind: str, scheme: Any) -> None:
    for seed in range(1):
        results = made(kind, 20 + seed, datasets=4 if scheme == "paired" else 3)
        naive = Naive(results, "A", "B")
        for delta in (0, 0.01):
            used = min(delta, naive.largest())
            c = ask(results, GSD(delta=delta, scheme=scheme))
            optima, summary = naive.resampled(scheme, used), c.summary()
            for label, observed in zip(("A>B", "B>A"), naive.both(used), strict=True):
                # The mirror image of every resample is a resample.
                below = (optima < observed - 1e-8).mean()
                assert summary.loc[label, "share_below"] == pytest.approx(below, abs=1e-12)
                assert summary.loc[label, "pvalue"] == pytest.approx(1 - below, abs=1e-12)
            assert c.pvalue == min(1.0, 2 * summary["pvalue"].min())
            assert c.statistic == summary.loc[c.best, "opt"]
            assert c.share_below == summary.loc[c.best, "share_below"]
            assert c.answer.facts.enumerated


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_sampled_p_values_count_the_data_themselves(uci: bc.Results, scheme: Any) -> None:
    n = 199
    c = ask(uci, GSD(permutations=n, scheme=scheme), algorithms=["BDS", "EN"], rng=5)
    s = c.summary()
    reached = n * (1 - s["share_below"])
    np.testing.assert_allclose(s["pvalue"], (reached + 1) / (n + 1))
    assert s["pvalue"].min() >= 1 / (n + 1)
    assert s["pvalue"].max() <= 1


def test_the_two_schemes_are_two_tests(uci: bc.Results) -> None:
    pair = ["GBM", "EN"]
    one, two = (
        ask(uci, GSD(permutations=300, scheme=s), algorithms=pair, rng=1)
        for s in ("paired", "pooled")
    )
    assert one.statistic == two.statistic
    assert one.pvalue < two.pvalue


def test_stopping_early(uci: bc.Results) -> None:
    pair, n = ["BDS", "RF"], 200
    full = ask(uci, GSD(permutations=n), algorithms=pair, rng=2)
    short = ask(uci, GSD(permutations=n, stop_after=10), algorithms=pair, rng=2)
    never = ask(uci, GSD(permutations=n, stop_after=n + 1), algorithms=pair, rng=2)
    pd.testing.assert_frame_equal(never.summary(), full.summary())
    assert max(short.answer.facts.resamples) < n
    assert short.summary()["pvalue"].tolist() == [10 / k for k in short.answer.facts.resamples]
    clear = ask(uci, GSD(permutations=n, stop_after=10), algorithms=["GBM", "CART"], rng=2)
    assert clear.pvalue == 2 / (n + 1)
    assert clear.answer.facts.resamples[0] == n


@pytest.mark.parametrize("method", few_quick([GSD(permutations=60), GSDBootstrap(resamples=60)], 1))
def test_the_same_answer_for_any_number_of_jobs(uci: bc.Results, method: Any) -> None:
    some = ["BDS", "EN", "GLM", "RF"]
    one, two = (
        bc.pairwise(uci, method=method, algorithms=some, rng=3, n_jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.matrix.values, two.matrix.values)
    pd.testing.assert_frame_equal(one.decide(), two.decide())


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_contamination_by_brute_force(scheme: Any) -> None:
    gammas = np.array([0.0, 0.013, 0.061, 0.117, 0.23, 0.61])
    for seed in range(3):
        results = made("metric", 50 + seed, datasets=4 if scheme == "paired" else 3)
        naive = Naive(results, "A", "B")
        c = ask(results, GSD(delta=0, scheme=scheme))
        optima = naive.resampled(scheme, 0.0)
        observed = naive.both(0.0)[0 if c.best == "A>B" else 1]
        for gamma, p in c.robustness(gammas)[["gamma", "pvalue"]].to_numpy():
            # The worst case of both: (1 − γ) opt − γ against (1 − γ) opt_I + γ.
            reached = (1 - gamma) * optima + gamma >= (1 - gamma) * observed - gamma - 1e-8
            assert p == pytest.approx(min(1.0, 2 * reached.mean()), abs=1e-12)


def test_gammas_are_checked(uci: bc.Results) -> None:
    c = ask(made("metric", 0))
    for bad in ([], [1.0], [-0.1], [math.nan], 0.1, ["a"]):
        with pytest.raises(bc.BayescompareError, match="gammas="):
            c.robustness(bad)  # type: ignore[arg-type]
